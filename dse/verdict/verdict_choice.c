/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine to take: the one that is best in all, or else the one with the front's knee. */
#include "dse/base/memory.h"
#include "dse/pareto/shortlist.h"
#include "dse/verdict/verdict_parts.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

static bool is_candidate(const struct run_verdict_machine *machine)
{
	return machine->place == RUN_VERDICT_ON_FRONT;
}

static double least_of_all(const struct run_verdict *verdict, size_t k)
{
	uint32_t best = run_verdict_find_best(verdict, k);
	return best == RUN_VERDICT_NOBODY ? INFINITY : verdict->machine[best].least[k];
}

uint32_t run_verdict_find_winner(const struct run_verdict_maker *maker)
{
	const struct run_verdict *verdict = maker->verdict;
	for (uint32_t i = 0; i < verdict->n_machine; i++) {
		bool wins = is_candidate(&verdict->machine[i]);
		for (size_t k = 0; k < maker->of->space->n_objective && wins; k++)
			wins = !maker->is_scaled[k] || !(verdict->machine[i].least[k] > least_of_all(verdict, k));
		if (wins)
			return i;
	}
	return RUN_VERDICT_NOBODY;
}

uint32_t run_verdict_find_best(const struct run_verdict *verdict, size_t k)
{
	uint32_t best = RUN_VERDICT_NOBODY;
	for (uint32_t i = 0; i < verdict->n_machine; i++)
		if (is_candidate(&verdict->machine[i]) &&
		    (best == RUN_VERDICT_NOBODY || verdict->machine[i].least[k] < verdict->machine[best].least[k]))
			best = i;
	return best;
}

/* "fastest (45.6 ms)" */
static void add_best(struct run_verdict_maker *maker, uint32_t machine, size_t k)
{
	enum metric metric = maker->of->space->objective[k];
	const struct run_verdict_machine *own = &maker->verdict->machine[machine];
	if (metric == METRIC_LATENCY)
		words_add(&maker->text, "fastest (");
	else
		words_add(&maker->text, "least %s (", metric_table[metric].label);
	run_verdict_add_value(maker, metric, own->least[k]);
	words_add(&maker->text, ")");
	run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_BEST,
	                                                    .machine = machine,
	                                                    .other = RUN_VERDICT_NOBODY,
	                                                    .objective = (unsigned)k,
	                                                    .value = own->least[k],
	                                                    .is_event = own->is_event});
}

/* All objectives in which the machine is best, or all that differ among designs. */
static void add_bests(struct run_verdict_maker *maker, uint32_t machine, bool all)
{
	size_t n = 0;
	for (size_t k = 0; k < maker->of->space->n_objective; k++) {
		if (!maker->is_scaled[k] || (!all && run_verdict_find_best(maker->verdict, k) != machine))
			continue;
		words_add(&maker->text, "%s", n++ > 0 ? ", " : "");
		add_best(maker, machine, k);
	}
}

/* "; 16x2 is too close to call (+-7 %)": machines that may be better in what others are said to be best in. */
static void add_rivals(struct run_verdict_maker *maker, bool *is_rival, double frac)
{
	struct run_verdict *verdict = maker->verdict;
	uint32_t first = RUN_VERDICT_NOBODY;
	size_t n = 0;
	for (uint32_t i = (uint32_t)verdict->n_machine; i-- > 0;)
		if (is_rival[i]) {
			first = i;
			n++;
		}
	if (n == 0 || run_verdict_was_cut(maker)) /* of what was seen: much is open */
		return;
	words_add(&maker->text, "; ");
	if (n == 1)
		run_verdict_name(maker->of->space, first, &maker->text);
	else
		words_add(&maker->text, "%zu others", n);
	words_add(&maker->text, n == 1 ? " is " : " are ");
	run_verdict_add_close(maker, frac);
	for (uint32_t i = 0; i < verdict->n_machine; i++)
		if (is_rival[i])
			run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_CLOSE,
			                                                    .machine = i,
			                                                    .other = RUN_VERDICT_NOBODY,
			                                                    .value = frac});
}

static void say_winner(struct run_verdict_maker *maker, uint32_t winner)
{
	bool *is_rival = memory_array(maker->verdict->n_machine, sizeof(*is_rival));
	double frac = 0.0;
	run_verdict_name(maker->of->space, winner, &maker->text);
	words_add(&maker->text, run_verdict_was_cut(maker) ? " wins so far: " : " wins: ");
	add_bests(maker, winner, true);
	for (size_t k = 0; k < maker->of->space->n_objective; k++)
		if (maker->is_scaled[k])
			frac = fmax(frac, run_verdict_rivals(maker, winner, k, is_rival));
	add_rivals(maker, is_rival, frac);
	words_add(&maker->text, ".");
	run_verdict_say(maker);
	free(is_rival);
}

/* Each machine that is best in something, once. */
static void say_bests(struct run_verdict_maker *maker)
{
	bool *is_rival = memory_array(maker->verdict->n_machine, sizeof(*is_rival));
	uint32_t said[SPACE_MAX_OBJECTIVE];
	double frac = 0.0;
	size_t n = 0;
	for (size_t k = 0; k < maker->of->space->n_objective; k++) {
		uint32_t best = maker->is_scaled[k] ? run_verdict_find_best(maker->verdict, k) : RUN_VERDICT_NOBODY;
		bool is_new = best != RUN_VERDICT_NOBODY;
		if (is_new)
			frac = fmax(frac, run_verdict_rivals(maker, best, k, is_rival));
		for (size_t i = 0; i < n; i++)
			is_new = is_new && said[i] != best;
		if (!is_new)
			continue;
		words_add(&maker->text, "%s", n > 0 ? "; " : "");
		said[n++] = best;
		add_bests(maker, best, false);
		words_add(&maker->text, ": ");
		run_verdict_name(maker->of->space, best, &maker->text);
	}
	add_rivals(maker, is_rival, frac);
	free(is_rival);
	words_add(&maker->text, ".");
	maker->text.text[0] = (char)toupper((unsigned char)maker->text.text[0]);
	run_verdict_say(maker);
}

/* The machine of the front's knee, which has no better name than that. */
static uint32_t say_knee(struct run_verdict_maker *maker)
{
	const struct pareto *front = &maker->of->explore->front;
	size_t chosen[SPACE_MAX_OBJECTIVE + 1], knee;
	(void)shortlist_choose(front, front->n_objective + 1, chosen, &knee);
	uint32_t machine = front->genome[knee * front->n_gene];
	words_add(&maker->text, "No machine is best in all%s; the knee is ",
	          run_verdict_was_cut(maker) ? " so far" : "");
	run_verdict_name(maker->of->space, machine, &maker->text);
	words_add(&maker->text, ".");
	run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_KNEE,
	                                                    .machine = machine,
	                                                    .other = RUN_VERDICT_NOBODY,
	                                                    .value = (double)knee});
	run_verdict_say(maker);
	return machine;
}

/* Where all machines keep the limits. */
static void say_keeps(struct run_verdict_maker *maker)
{
	const struct run_verdict *verdict = maker->verdict;
	for (size_t i = 0; i < verdict->n_machine; i++)
		if (verdict->machine[i].is_bound || verdict->machine[i].is_event ||
		    !isfinite(verdict->machine[i].least[0]))
			return;
	words_add(&maker->text,
	          verdict->n_machine == 2 ? "Both machines have designs that keep "
	                                  : "All %zu machines have designs that keep ",
	          verdict->n_machine);
	if (run_verdict_add_limits(maker)) {
		words_add(&maker->text, ".");
		run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_KEEPS,
		                                                    .machine = RUN_VERDICT_NOBODY,
		                                                    .other = RUN_VERDICT_NOBODY,
		                                                    .value = (double)verdict->n_machine});
		run_verdict_say(maker);
	}
	words_clear(&maker->text);
}

void run_verdict_say_cut(struct run_verdict_maker *maker)
{
	const struct price *price = maker->of->price;
	if (run_verdict_was_cut(maker))
		words_add(&maker->text, "The search was cut short: all of this is of what was seen.");
	else if (price && price->none_fits)
		words_add(&maker->text, "No design that got a price in the event tier keeps the limits there: all of "
		                        "this is of the fast tier.");
	else if (price && price->is_priced && run_verdict_limits_are_off(maker))
		words_add(&maker->text, "All of this is of designs that keep the limits in the fast tier, too.");
	run_verdict_say(maker);
}

uint32_t run_verdict_say_choice(struct run_verdict_maker *maker)
{
	uint32_t choice = run_verdict_find_winner(maker);
	if (choice != RUN_VERDICT_NOBODY) {
		say_winner(maker, choice);
		run_verdict_say_cut(maker);
	} else {
		choice = say_knee(maker);
		run_verdict_say_cut(maker);
		say_bests(maker);
	}
	say_keeps(maker);
	return choice;
}
