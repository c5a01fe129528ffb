/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SENTENCE_PLANTED_H
#define TESTS_SENTENCE_PLANTED_H
/* Sentences that say what is not so, made of those of a verdict: whoever reads them back must notice. */
#include "tests/dse/verdict/sentence_truth.h"

enum { PLANTED_SIZE = 2048 };

struct planted {
	unsigned n, n_noticed;
	char unnoticed[PLANTED_SIZE]; /* the last that nobody noticed */
};

/* Read text in the place of sentence i. */
static inline void plant(struct truth *truth, unsigned i, const char *text, const struct said *said,
                         struct planted *planted)
{
	jmp_buf back;
	struct said own = *said;
	const char *const sentence = truth->verdict.sentence[i];
	truth->verdict.sentence[i] = text;
	misread_to = &back;
	planted->n++;
	if (setjmp(back) == 0) {
		check_sentence(truth, text, &own);
		(void)snprintf(planted->unnoticed, PLANTED_SIZE, "%s", text);
	} else
		planted->n_noticed++;
	misread_to = NULL;
	truth->verdict.sentence[i] = sentence;
}

/* The sentence with [from, to) replaced. */
static inline const char *replaced(const char *sentence, const char *from, const char *to, const char *by,
                                   char text[PLANTED_SIZE])
{
	(void)snprintf(text, PLANTED_SIZE, "%.*s%s%s", (int)(from - sentence), sentence, by, to);
	return text;
}

/* Another machine wins, which has other figures by more than thinning may have cost. */
static inline void plant_winner(struct truth *truth, unsigned i, const struct said *said, struct planted *planted)
{
	const struct run_verdict *verdict = &truth->verdict;
	const char *sentence = verdict->sentence[i], *wins = strstr(sentence, " wins: ");
	char text[PLANTED_SIZE];
	for (size_t r = 0; r < verdict->n_row && wins; r++) {
		const struct run_verdict_row *row = &verdict->row[r];
		const double *own = verdict->machine[row->first].least;
		bool differs = false;
		for (unsigned k = 0; k < truth->drawn->n_objective; k++)
			for (size_t c = 0; c < verdict->n_claim; c++)
				differs |= verdict->claim[c].kind == RUN_VERDICT_BEST &&
				           verdict->claim[c].objective == k &&
				           fabs(own[k] / verdict->claim[c].value - 1.0) >
				               0.01 + 2 * truth->found->counts.epsilon;
		if (row->n_machine == 1 && differs)
			plant(truth, i, replaced(sentence, sentence, wins, row->machines, text), said, planted);
	}
}

/* All that is known to be false of a sentence. */
static inline void plant_all(struct truth *truth, unsigned i, const struct said *said, struct planted *planted)
{
	const char *sentence = truth->verdict.sentence[i], *at = strstr(sentence, ", by "),
		   *end = strrchr(sentence, '.');
	const char *is_of_priced = strstr(sentence, " in designs that got a price"), *rivals = NULL;
	char text[PLANTED_SIZE];
	plant_winner(truth, i, said, planted);
	if (strstr(sentence, " beaten everywhere") && at && isdigit((unsigned char)at[5]) && !is_of_priced) {
		const char *number = at + 5;
		plant(truth, i, replaced(sentence, number, number + strspn(number, "0123456789.e+"), "5000", text),
		      said, planted);
	}
	at = strstr(sentence, ", too close to call");
	if (at && strstr(sentence, " beaten everywhere"))
		plant(truth, i, replaced(sentence, at, at + strcspn(at + 1, ",;.") + 1, "", text), said, planted);
	for (at = sentence; (at = strstr(at, "; ")); at++)
		rivals = at;
	if (rivals && strstr(rivals, " too close to call (")) {
		plant(truth, i, replaced(sentence, rivals, end, "", text), said, planted);
		if (isdigit((unsigned char)rivals[2]) && strstr(rivals, " others are"))
			plant(truth, i, replaced(sentence, rivals + 2, rivals + 3, "77", text), said, planted);
	}
}

#endif
