/* SPDX-License-Identifier: Apache-2.0 */
/* Which machine to take: the one that is best in all, or else the one with the front's knee. */
#include "dse/pareto/shortlist.h"
#include "dse/verdict/verdict_parts.h"
#include <ctype.h>
#include <math.h>

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

static void say_winner(struct run_verdict_maker *maker, uint32_t winner)
{
	run_verdict_name(maker->of->space, winner, &maker->text);
	words_add(&maker->text, run_verdict_was_cut(maker) ? " wins so far: " : " wins: ");
	add_bests(maker, winner, true);
	words_add(&maker->text, ".");
	run_verdict_say(maker);
}

/* Each machine that is best in something, once. */
static void say_bests(struct run_verdict_maker *maker)
{
	uint32_t said[SPACE_MAX_OBJECTIVE];
	size_t n = 0;
	for (size_t k = 0; k < maker->of->space->n_objective; k++) {
		uint32_t best = maker->is_scaled[k] ? run_verdict_find_best(maker->verdict, k) : RUN_VERDICT_NOBODY;
		bool is_new = best != RUN_VERDICT_NOBODY;
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
	if (!run_verdict_was_cut(maker))
		return;
	words_add(&maker->text, "The search was cut short: all of this is of what was seen.");
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
