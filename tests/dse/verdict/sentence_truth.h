/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SENTENCE_TRUTH_H
#define TESTS_SENTENCE_TRUTH_H
/*
 * Whether what a verdict's sentences say is so: the machines, counts, sizes, margins, layers and operating points that
 * are read out of the words, against all designs of the machines. Best designs are sentence_design.h's.
 */
#include "tests/dse/verdict/sentence_design.h"

/* A number of so many digits that was rounded, up to what thinning may have cost. Nothing is about what nobody knows.
 */
static inline bool is_about(const struct truth *truth, double said, double value, int n_digit)
{
	double step = pow(10.0, floor(log10(fmax(fabs(value), 1e-30))) + 1 - n_digit);
	return isfinite(value) &&
	       fabs(said - value) <= 0.51 * step + fabs(value) * (truth->found->counts.epsilon + 1e-9);
}

/* "too close to call (+-7 %)" */
static inline void take_close(struct reading *reading)
{
	expect(reading, "too close to call");
	if (take(reading, " (+-")) {
		(void)expect_number(reading);
		expect(reading, " %)");
	}
}

/* "fastest (0.1 ms), least energy (3 mJ)": how many. */
static inline unsigned take_bests(struct reading *reading, unsigned *objective, double *value)
{
	unsigned n = 0;
	do {
		bool is_time = take(reading, "fastest") || take(reading, "Fastest");
		if (!is_time && !take(reading, "least ") && !take(reading, "Least "))
			misread(reading, "best in what");
		objective[n] = is_time ? latency_objective(reading) : expect_label(reading);
		expect(reading, " (");
		value[n] = expect_number(reading);
		value[n++] *= take(reading, " MB") ? 1e6 : 1;
		reading->at += strcspn(reading->at, ")");
		expect(reading, ")");
	} while (take(reading, ", "));
	return n;
}

/* "; 16x2 is too close to call (+-7 %)", "; 3 others are ...": the machines that the best ones may be behind. */
static inline void take_rivals(struct reading *reading, bool is_rival[MAX_MACHINE])
{
	const struct run_verdict *verdict = &reading->truth->verdict;
	unsigned n = 0, n_said = 1;
	for (size_t i = 0; i < verdict->n_claim; i++) {
		const struct run_verdict_claim *claim = &verdict->claim[i];
		if (claim->kind != RUN_VERDICT_CLOSE || verdict->sentence[claim->sentence] != reading->sentence)
			continue;
		n += !is_rival[claim->machine];
		is_rival[claim->machine] = true;
	}
	if (n == 0)
		return;
	expect(reading, "; ");
	if (!take_count(reading, " others are ", &n_said)) {
		if (!is_rival[expect_machine(reading)])
			misread(reading, "another machine is close");
		expect(reading, " is ");
	}
	if (n_said != n)
		misread(reading, "another number of machines is close");
	take_close(reading);
}

/* The machine has so little of it, and none has less, but rivals of a front with prices. */
static inline void check_best(const struct reading *reading, unsigned machine, unsigned k, double value,
                              const bool *is_rival)
{
	const struct truth *truth = reading->truth;
	double least = truth->price ? truth->verdict.machine[machine].least[k] : least_of(truth, machine, k);
	for (unsigned m = 0; m < truth->n_machine; m++)
		if (least > least_of(truth, m, k) * (1.0 + truth->found->counts.epsilon) * SAME &&
		    !(truth->price && (m == machine || is_rival[m])))
			misread(reading, "another machine is better");
	if (!is_about(truth, value, least, 4))
		misread(reading, "not the least value");
}

static inline void check_winner(struct reading *reading, struct said *said)
{
	unsigned objective[SPACE_MAX_OBJECTIVE], n, n_scaled = 0;
	double value[SPACE_MAX_OBJECTIVE];
	bool is_rival[MAX_MACHINE] = {false};
	said->reference = expect_machine(reading);
	expect(reading, " wins: ");
	n = take_bests(reading, objective, value);
	take_rivals(reading, is_rival);
	for (unsigned i = 0; i < n; i++)
		check_best(reading, said->reference, objective[i], value[i], is_rival);
	for (unsigned k = 0; k < reading->truth->drawn->n_objective; k++)
		n_scaled += reading->truth->drawn->is_scaled[k];
	if (n != n_scaled)
		misread(reading, "not best in all");
	said->n_name++;
}

static inline void check_knee_name(struct reading *reading, struct said *said)
{
	const struct pareto *front = &reading->truth->found->front;
	bool is_there = false;
	expect(reading, "No machine is best in all; the knee is ");
	said->reference = expect_machine(reading);
	for (size_t i = 0; i < front->n; i++)
		is_there |= front->genome[i * front->n_gene] == said->reference;
	if (!is_there)
		misread(reading, "the machine has no point on the front");
	said->n_name++;
}

static inline void check_bests(struct reading *reading, struct said *said)
{
	unsigned objective[SPACE_MAX_OBJECTIVE][SPACE_MAX_OBJECTIVE], machine[SPACE_MAX_OBJECTIVE],
	    n[SPACE_MAX_OBJECTIVE], n_best = 0;
	double value[SPACE_MAX_OBJECTIVE][SPACE_MAX_OBJECTIVE];
	bool is_rival[MAX_MACHINE] = {false};
	struct reading tried;
	do {
		n[n_best] = take_bests(reading, objective[n_best], value[n_best]);
		expect(reading, ": ");
		machine[n_best++] = expect_machine(reading);
		said->n_name++;
		tried = *reading;
	} while (n_best < SPACE_MAX_OBJECTIVE && take(&tried, "; ") &&
	         (strncmp(tried.at, "fastest", 7) == 0 || strncmp(tried.at, "least ", 6) == 0) && take(reading, "; "));
	take_rivals(reading, is_rival);
	for (unsigned b = 0; b < n_best; b++)
		for (unsigned i = 0; i < n[b]; i++)
			check_best(reading, machine[b], objective[b][i], value[b][i], is_rival);
}

/* "half the", "as many", "no more", "1.5 times the": least and most that the ratio may be. */
static inline void expect_times(struct reading *reading, double *least, double *most)
{
	static const struct {
		const char *words;
		double ratio;
	} known[] = {{"a quarter of the", 0.25}, {"half the", 0.5}, {"twice the", 2},
	             {"four times the", 4},      {"as many", 1},    {"as much", 1}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (take(reading, known[i].words)) {
			*least = known[i].ratio * (1 - 1e-9);
			*most = known[i].ratio * (1 + 1e-9);
			return;
		}
	if (take(reading, "no more")) {
		*least = 0;
		*most = 1 + 1e-9;
		return;
	}
	double ratio = expect_number(reading);
	expect(reading, " times the");
	*least = ratio * 0.994;
	*most = ratio * 1.006;
}

/* A size that is an objective: all designs of a machine have the same. */
static inline void check_size(const struct reading *reading, unsigned machine, unsigned beside, unsigned k,
                              double least, double most)
{
	double own = least_of(reading->truth, machine, k), other = least_of(reading->truth, beside, k);
	/* what has no design at all may have been cut by bounds */
	if (isfinite(own) && isfinite(other) && !(own >= least * other && own <= most * other))
		misread(reading, "another size");
	if (reading->truth->drawn->is_scaled[k])
		misread(reading, "no size");
}

/* "22 % faster, but 10 % more energy" */
static inline void check_differences(struct reading *reading, unsigned machine, unsigned reference)
{
	const struct truth *truth = reading->truth;
	const struct run_verdict_machine *own = truth->verdict.machine;
	if (take(reading, "as good"))
		return;
	do {
		struct reading before = *reading;
		double pct = expect_number(reading);
		expect(reading, " % ");
		bool is_less = take(reading, "less ") || take(reading, "faster");
		bool is_time = reading->at[-1] == 'r' || (!is_less && take(reading, "slower"));
		if (!is_less && !is_time)
			expect(reading, "more ");
		unsigned k = is_time ? latency_objective(reading) : expect_label(reading);
		double more = truth->price ? own[machine].least[k] / own[reference].least[k] - 1.0
		                           : least_of(truth, machine, k) / least_of(truth, reference, k) - 1.0;
		double slack = 2 * truth->found->counts.epsilon * (1 + fabs(more)) + 0.006 * fabs(more) + 1e-9;
		if (fabs((is_less ? -1 : 1) * pct / 100 - more) > slack)
			misread(&before, "another difference");
	} while (take(reading, ", but ") || (strncmp(reading->at, ", because", 9) != 0 && take(reading, ", ")));
	(void)take(reading, " (too close to call)");
}

/* Reasons are claims, which others check; up to the next machine. */
static inline void skip_reasons(struct reading *reading)
{
	if (!take(reading, ", because "))
		return;
	reading->at += strcspn(reading->at, ";");
	reading->at -= reading->at[0] == '\0'; /* its full stop */
}

static inline void check_others(struct reading *reading, struct said *said)
{
	const struct truth *truth = reading->truth;
	bool is_listed[MAX_MACHINE] = {false};
	unsigned n_front = 0, n_listed = 0, n_more = 0;
	expect(reading, truth->price ? "Also on the front, each at its best with a price against "
	                             : "Also on the front, each at its best against ");
	if (!take(reading, "the winner: "))
		expect(reading, "the knee's machine: ");
	do {
		struct named named;
		if (take(reading, "and ") && take_count(reading, " more.", &n_more))
			break;
		expect(reading, "with ");
		if (!take_named(reading, &named))
			misread(reading, "no machine");
		unsigned machine = change_machine(reading, &named, said->reference);
		if (is_listed[machine] || truth->verdict.machine[machine].place != RUN_VERDICT_ON_FRONT)
			misread(reading, "a machine twice, or not on the front");
		is_listed[machine] = true;
		n_listed++;
		for (bool is_more = take(reading, " ("); is_more; is_more = take(reading, ", ")) {
			double least, most;
			expect_times(reading, &least, &most);
			expect(reading, " ");
			check_size(reading, machine, said->reference, expect_label(reading), least, most);
			said->n_size++;
			(void)take(reading, ")");
		}
		expect(reading, ": ");
		check_differences(reading, machine, said->reference);
		skip_reasons(reading);
		said->n_name++;
	} while (take(reading, "; "));
	for (unsigned m = 0; m < truth->n_machine; m++)
		n_front += truth->verdict.machine[m].place == RUN_VERDICT_ON_FRONT;
	if (n_front != 1 + n_listed + n_more)
		misread(reading, "another number of machines on the front");
	said->n_count++;
}

/* The claim of the sentence that is on a group. */
static inline const struct run_verdict_claim *find_group(const struct reading *reading)
{
	const struct run_verdict *verdict = &reading->truth->verdict;
	for (size_t i = 0; i < verdict->n_claim; i++)
		if (verdict->claim[i].kind == RUN_VERDICT_GROUP &&
		    verdict->sentence[verdict->claim[i].sentence] == reading->sentence)
			return &verdict->claim[i];
	misread(reading, "a sentence on a group without its machines");
	return NULL;
}

/* Who beats the machine: one that is named, the winner, "the same with" other values, or nobody alone. */
struct beater {
	bool is_together, is_same;
	unsigned machine;
	struct named named;
};

static inline struct beater expect_beater(struct reading *reading, const struct said *said)
{
	struct beater beater = {.machine = said->reference};
	expect(reading, " by ");
	if (take(reading, "several machines of the front together")) {
		beater.is_together = true;
	} else if (take(reading, "the same with ")) {
		beater.is_same = take_named(reading, &beater.named);
		if (!beater.is_same)
			misread(reading, "the same with what");
	} else if (!take(reading, "the winner")) {
		beater.machine = expect_machine(reading);
	}
	return beater;
}

static inline uint32_t beaten_by(const struct reading *reading, const struct beater *beater, unsigned machine)
{
	return beater->is_together ? RUN_VERDICT_NOBODY
	       : beater->is_same   ? change_machine(reading, &beater->named, machine)
	                           : beater->machine;
}

/* By so much at least, all of them; and "X to Y": one of them by Y. "X and Y": two, one after the other. */
static inline void check_margins(struct reading *reading, const struct run_verdict_claim *group,
                                 const struct beater *beater)
{
	const struct truth *truth = reading->truth, *of = truth;
	double pct[2] = {0.0, 0.0};
	bool is_pair = false, is_found = false, is_close = strstr(reading->sentence, "too close to call");
	bool is_of_priced = truth->price && take(reading, " in designs that got a price");
	if (truth->price && take(reading, " in the fast tier"))
		of = truth->fast;
	if (take(reading, ", by any factor"))
		pct[0] = pct[1] = 1e9;
	else if (!take(reading, ", or equalled")) {
		expect(reading, ", by ");
		pct[0] = pct[1] = expect_number(reading);
		is_pair = take(reading, " and ");
		if (is_pair || take(reading, " to "))
			pct[1] = expect_number(reading);
		expect(reading, " % at least");
	}
	if (is_of_priced && !is_close)
		misread(reading, "more is said than is known");
	if (is_of_priced)
		return;
	for (size_t i = 0; i < group->n_member; i++) {
		uint32_t by =
		    beater ? beaten_by(reading, beater, group->member[i]) : truth->verdict.machine[group->member[i]].by;
		double margin = pct[is_pair ? i : 0] / 100;
		if (!is_beaten(of, group->member[i], by, margin))
			misread(reading, "a machine is not beaten by so much");
		is_found |= is_beaten(of, group->member[i], by, pct[1] / 100);
		/* in the event tier, too, where the model can tell */
		if (of != truth && !is_close && !is_beaten(truth, group->member[i], by, 0.0))
			misread(reading, "a machine is not beaten in the event tier");
	}
	if ((is_pair && group->n_member != 2) || !is_found)
		misread(reading, "no machine is beaten by the most that is said");
}

/* ", too close to call (+-7 %)", ", 2 of them too close to call": those that others' facts say it of; all others are
 * beaten. */
static inline void check_doubts(struct reading *reading, const struct run_verdict_claim *group)
{
	const struct truth *truth = reading->truth;
	unsigned n = 0, n_said = (unsigned)group->n_member;
	for (size_t i = 0; i < group->n_member; i++) {
		const struct run_verdict_machine *own = &truth->verdict.machine[group->member[i]];
		n += own->doubt_frac > 0.0;
		if (!(own->doubt_frac > 0.0) && !is_beaten(truth, group->member[i], own->by, 0.0))
			misread(reading, "a machine is not beaten");
	}
	if (n == 0)
		return;
	expect(reading, ", ");
	(void)take_count(reading, " of them ", &n_said);
	if (n_said != n)
		misread(reading, "another number of machines is close");
	take_close(reading);
}

static inline void check_members(const struct reading *reading, const struct subject *subject,
                                 const struct run_verdict_claim *group, struct said *said)
{
	if (subject->n != group->n_member)
		misread(reading, "another number of machines");
	for (size_t i = 0; i < group->n_member; i++) {
		if (!subject->is_in[group->member[i]] || said->is_beaten[group->member[i]])
			misread(reading, "a machine that is not named, or was before");
		said->is_beaten[group->member[i]] = true;
	}
	said->n_count++;
	said->n_name++;
}

/* "; most of the time is bound by the DRAM with 16x2 (70 %), the NoC in 2 of them (50 to 60 %)" */
static inline void check_most(struct reading *reading, const struct run_verdict_claim *group)
{
	const struct run_verdict_machine *machine = reading->truth->verdict.machine;
	do {
		struct named named = {0};
		unsigned most = 0, n_said = 0, n = 0, n_other = 0;
		expect(reading, "the ");
		while (most < N_BOUND && !take(reading, bound_name[most]))
			most++;
		bool is_counted = take(reading, " in ");
		if (is_counted && !take_count(reading, " of them", &n_said))
			misread(reading, "how many of them");
		bool is_part = !is_counted && take(reading, " with ");
		if (is_part && !take_named(reading, &named))
			misread(reading, "with what");
		for (size_t i = 0; i < group->n_member; i++) {
			const struct standing_design *fastest = &machine[group->member[i]].fastest;
			bool is_most = fastest->is_known;
			for (unsigned k = 0; k < N_BOUND && most < N_BOUND; k++)
				is_most = is_most && fastest->bound_ms[k] <= fastest->bound_ms[most];
			n += is_most;
			n_other += is_most != is_named(reading->truth->drawn, &named, group->member[i]);
		}
		if (most == N_BOUND || (is_counted && n != n_said) || (!is_counted && n_other > 0))
			misread(reading, "other machines are bound so");
		expect(reading, " (");
		reading->at += strcspn(reading->at, ")");
		expect(reading, ")");
	} while (take(reading, ", "));
}

static inline void check_group_sentence(struct reading *reading, struct said *said)
{
	const struct run_verdict_claim *group = find_group(reading);
	struct subject subject = {0};
	if (take_count(reading, " other machine", &subject.n)) {
		expect(reading, subject.n == 1 ? " is" : "s are");
		for (unsigned m = 0; m < reading->truth->n_machine; m++)
			subject.is_in[m] = true;
		check_members(reading, &subject, group, said);
		expect(reading, " beaten everywhere");
		if (strchr(" ,", reading->at[0]) && strncmp(reading->at, ", too", 5) != 0)
			check_margins(reading, group, NULL);
		check_doubts(reading, group);
		expect(reading, ".");
		return;
	}
	(void)take_subject(reading, &subject);
	check_members(reading, &subject, group, said);
	expect(reading, subject.n == 1 ? " is" : " are");
	expect(reading, " beaten everywhere");
	const struct beater beater = expect_beater(reading, said);
	check_margins(reading, group, &beater);
	check_doubts(reading, group);
	if (take(reading, ", with ")) {
		double least, most;
		expect_times(reading, &least, &most);
		expect(reading, " ");
		unsigned k = expect_label(reading);
		for (size_t i = 0; i < group->n_member; i++)
			check_size(reading, beaten_by(reading, &beater, group->member[i]), group->member[i], k, least,
			           most);
		said->n_size++;
	}
	skip_reasons(reading);
	if (take(reading, "; most of the time is bound by "))
		check_most(reading, group);
}

/* "3 machines are not on the front; 16x4 has no design that keeps the limits." */
static inline void check_rest(struct reading *reading, struct said *said)
{
	static const struct {
		const char *words;
		enum run_verdict_place place;
	} kind[] = {{"not on the front", RUN_VERDICT_BEHIND},
	            {"no better than the front by more than the model can tell", RUN_VERDICT_ALIKE},
	            {"refused by constraints or checks", RUN_VERDICT_REFUSED}};
	const struct truth *truth = reading->truth;
	do {
		struct subject subject;
		unsigned n, n_place = 0;
		if (take_count(reading, " machine", &n)) {
			expect(reading, n == 1 ? " is " : "s are ");
			size_t k = 0;
			while (k < sizeof(kind) / sizeof(kind[0]) && !take(reading, kind[k].words))
				k++;
			for (unsigned m = 0; m < truth->n_machine && k < sizeof(kind) / sizeof(kind[0]); m++)
				n_place += truth->verdict.machine[m].place == kind[k].place;
			if (n != n_place)
				misread(reading, "another number of machines");
			said->n_count++;
			continue;
		}
		if (!take_subject(reading, &subject))
			misread(reading, "no machines");
		expect(reading, subject.n == 1 ? " has no design" : " have no design");
		expect(reading, " that keeps the limits");
		for (unsigned m = 0; m < truth->n_machine; m++) {
			bool is_empty = truth->verdict.machine[m].place == RUN_VERDICT_EMPTY;
			n_place += is_empty;
			if ((is_empty && !subject.is_in[m]) ||
			    (subject.is_in[m] && subject.is_whole && isfinite(least_of(truth, m, 0))))
				misread(reading, "other machines have none");
		}
		if (subject.n != n_place)
			misread(reading, "another number of machines");
		said->n_count++;
		said->n_name++;
	} while (take(reading, "; "));
}

/* Sentences on spaces of which nothing fits, or of which everything keeps the limits. */
static inline bool check_limits(struct reading *reading, struct said *said)
{
	const struct truth *truth = reading->truth;
	unsigned n = 0;
	if (take(reading, "Nothing fits: none of ") ||
	    take(reading, "Nothing was found so far, which proves nothing: none of ")) {
		if (!take_count(reading, " machines has a design that keeps ", &n) || n != truth->n_machine)
			misread(reading, "another number of machines");
	} else if (take(reading, "Both")) {
		n = 2;
		expect(reading, " machines have designs that keep ");
	} else if (take(reading, "All ")) {
		if (!take_count(reading, " machines have designs that keep ", &n))
			misread(reading, "how many");
	} else if (take(reading, "Closest in the search is ")) {
		if (expect_machine(reading) != truth->found->miss.machine_index)
			misread(reading, "another machine came nearest");
		expect(reading, ": ");
		said->n_name++;
		n = truth->n_machine;
	} else {
		return false;
	}
	if (n != truth->n_machine)
		misread(reading, "another number of machines");
	reading->at = reading->sentence + strlen(reading->sentence) - 1; /* limits and figures are claims */
	said->n_count++;
	return true;
}

static inline void check_sentence(const struct truth *truth, const char *sentence, struct said *said)
{
	struct reading reading = {.truth = truth, .sentence = sentence, .at = sentence};
	bool is_last = false;
	if (strstr(sentence, " wins: "))
		check_winner(&reading, said);
	else if (strncmp(sentence, "No machine is best", 18) == 0)
		check_knee_name(&reading, said);
	else if (strncmp(sentence, "Fastest (", 9) == 0 || strncmp(sentence, "Least ", 6) == 0)
		check_bests(&reading, said);
	else if (strncmp(sentence, "Also on", 7) == 0)
		check_others(&reading, said);
	else if (strncmp(sentence, "What bounds", 11) == 0)
		check_bounds(&reading, said);
	else if (strncmp(sentence, "Operating", 9) == 0)
		check_levels(&reading, said);
	else if (strstr(sentence, " beaten everywhere"))
		check_group_sentence(&reading, said);
	else if (strncmp(sentence, "All of this is of designs that keep the limits", 46) == 0)
		reading.at = ".";
	else if (!check_limits(&reading, said))
		check_rest(&reading, said);
	is_last = strcmp(reading.at, ".") == 0 || (reading.at[0] == '\0' && reading.at[-1] == '.');
	if (!is_last)
		misread(&reading, "words that nobody expects");
}

#endif
