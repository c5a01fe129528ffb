/* SPDX-License-Identifier: Apache-2.0 */
/* A front of one machine, or of machines of which nothing was noted: its points. */
#include "dse/pareto/shortlist.h"
#include "dse/verdict/verdict_parts.h"

void run_verdict_say_single(struct run_verdict_maker *maker)
{
	const struct space *space = maker->of->space;
	const struct pareto *front = &maker->of->explore->front;
	size_t chosen[SPACE_MAX_OBJECTIVE + 1], knee, n = 0, first = SIZE_MAX;
	(void)shortlist_choose(front, front->n_objective + 1, chosen, &knee);
	words_add(&maker->text, "One machine, %zu design%s on the front%s: ", front->n, front->n == 1 ? "" : "s",
	          run_verdict_was_cut(maker) ? " so far" : "");
	for (size_t k = 0; k < space->n_objective; k++) {
		if (!maker->is_scaled[k])
			continue;
		size_t best = shortlist_least(front, (unsigned)k);
		first = first == SIZE_MAX ? best : first;
		words_add(&maker->text, "%s", n++ > 0 ? ", " : "");
		words_add(&maker->text, "%s%s ", space->objective[k] == METRIC_LATENCY ? "fastest" : "least ",
		          space->objective[k] == METRIC_LATENCY ? "" : metric_table[space->objective[k]].label);
		run_verdict_add_value(maker, space->objective[k], front->objective[best * front->n_objective + k]);
		words_add(&maker->text, " (point %zu)", best);
		run_verdict_claim(
		    maker, (struct run_verdict_claim){.kind = RUN_VERDICT_BEST,
		                                      .other = RUN_VERDICT_NOBODY,
		                                      .objective = (unsigned)k,
		                                      .value = front->objective[best * front->n_objective + k],
		                                      .is_event = maker->of->price && maker->of->price->is_priced});
	}
	words_add(&maker->text, ".");
	run_verdict_say(maker);
	run_verdict_say_cut(maker);
	if (front->n < 3 || first == SIZE_MAX || knee == first)
		return;
	words_add(&maker->text, "The knee is point %zu; against point %zu: ", knee, first);
	run_verdict_add_differences(maker, front->objective + knee * front->n_objective,
	                            front->objective + first * front->n_objective);
	words_add(&maker->text, ".");
	run_verdict_say(maker);
}
