/* SPDX-License-Identifier: Apache-2.0 */
/* The other machines of the front, beside the one that is chosen. */
#include "dse/verdict/verdict_parts.h"
#include <math.h>

/* So many are named. */
enum { MAX_OTHER = 3 };

static bool is_on_front(const struct run_verdict *verdict, uint32_t machine)
{
	return verdict->machine[machine].place == RUN_VERDICT_ON_FRONT;
}

static bool is_listed(const uint32_t *list, size_t n, uint32_t machine)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == machine)
			return true;
	return false;
}

/* By the first objective that differs among designs. */
static void sort_by_objective(const struct run_verdict_maker *maker, uint32_t *list, size_t n)
{
	const struct run_verdict_machine *machine = maker->verdict->machine;
	size_t k = 0;
	while (k + 1 < maker->of->space->n_objective && !maker->is_scaled[k])
		k++;
	for (size_t i = 1; i < n; i++)
		for (size_t at = i; at > 0 && machine[list[at]].least[k] < machine[list[at - 1]].least[k]; at--) {
			uint32_t moved = list[at];
			list[at] = list[at - 1];
			list[at - 1] = moved;
		}
}

/* The machines that are best in an objective, and some of the others; how many others there are in all. */
static size_t list_others(const struct run_verdict_maker *maker, uint32_t reference, uint32_t list[MAX_OTHER],
                          size_t *n_listed)
{
	const struct run_verdict *verdict = maker->verdict;
	size_t n = 0, n_all = 0;
	for (size_t k = 0; k < maker->of->space->n_objective && n < MAX_OTHER; k++) {
		uint32_t best = maker->is_scaled[k] ? run_verdict_find_best(verdict, k) : reference;
		if (best != reference && !is_listed(list, n, best))
			list[n++] = best;
	}
	for (uint32_t i = 0; i < verdict->n_machine; i++) {
		if (i == reference || !is_on_front(verdict, i))
			continue;
		n_all++;
		if (n < MAX_OTHER && !is_listed(list, n, i))
			list[n++] = i;
	}
	sort_by_objective(maker, list, n);
	*n_listed = n;
	return n_all;
}

/* " (half the MAC units)": sizes that are objectives and differ. */
static void add_sizes(struct run_verdict_maker *maker, const struct run_verdict_machine *own,
                      const struct run_verdict_machine *other)
{
	const struct space *space = maker->of->space;
	size_t n = 0;
	for (size_t k = 0; k < space->n_objective; k++) {
		enum metric metric = space->objective[k];
		double ratio = own->metric[metric] / other->metric[metric];
		if (maker->is_scaled[k] || !(fabs(ratio - 1.0) > RUN_VERDICT_SAME_FRAC))
			continue;
		words_add(&maker->text, "%s", n++ > 0 ? ", " : " (");
		run_verdict_add_times(&maker->text, ratio);
		words_add(&maker->text, " %s", metric_table[metric].label);
		run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_SIZE,
		                                                    .machine = own->index,
		                                                    .other = other->index,
		                                                    .objective = (unsigned)metric,
		                                                    .value = ratio});
	}
	words_add(&maker->text, "%s", n > 0 ? ")" : "");
}

static void claim_differences(struct run_verdict_maker *maker, const struct run_verdict_machine *own,
                              const struct run_verdict_machine *other)
{
	for (size_t k = 0; k < maker->of->space->n_objective; k++) {
		double more = own->least[k] / other->least[k] - 1.0;
		if (maker->is_scaled[k] && isfinite(more))
			run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_MORE,
			                                                    .machine = own->index,
			                                                    .other = other->index,
			                                                    .objective = (unsigned)k,
			                                                    .value = more,
			                                                    .is_event = own->is_event});
	}
}

/* "with 16x4 (twice the MAC units): 22.5 % faster, but 10.6 % more energy, because ..." */
static void add_other(struct run_verdict_maker *maker, uint32_t machine, uint32_t reference)
{
	const struct run_verdict_machine *own = &maker->verdict->machine[machine],
					 *other = &maker->verdict->machine[reference];
	words_add(&maker->text, "with ");
	run_verdict_name_beside(maker->of->space, machine, &reference, 1, &maker->text);
	add_sizes(maker, own, other);
	words_add(&maker->text, ": ");
	run_verdict_add_differences(maker, own->least, other->least);
	if (run_verdict_is_close(maker, own->least, other->least))
		words_add(&maker->text, " (too close to call)");
	claim_differences(maker, own, other);
	if (!run_verdict_add_reasons(maker, &machine, &reference, 1, false))
		(void)run_verdict_add_reasons(maker, &reference, &machine, 1, true);
}

void run_verdict_say_others(struct run_verdict_maker *maker, uint32_t reference)
{
	uint32_t list[MAX_OTHER];
	size_t n_listed, n = list_others(maker, reference, list, &n_listed);
	if (n == 0)
		return;
	words_add(&maker->text, "Also on the front, each at its best%s against %s: ",
	          maker->of->price && maker->of->price->is_priced ? " with a price" : "",
	          run_verdict_find_winner(maker) != RUN_VERDICT_NOBODY ? "the winner" : "the knee's machine");
	for (size_t i = 0; i < n_listed; i++) {
		words_add(&maker->text, "%s", i > 0 ? "; " : "");
		add_other(maker, list[i], reference);
	}
	if (n > n_listed)
		words_add(&maker->text, "; and %zu more", n - n_listed);
	words_add(&maker->text, ".");
	run_verdict_say(maker);
}
