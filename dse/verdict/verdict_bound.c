/* SPDX-License-Identifier: Apache-2.0 */
/* What bounds a machine's fastest design, and which operating points its best designs run at. */
#include "dse/base/memory.h"
#include "dse/space/space_goals.h"
#include "dse/verdict/verdict_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Bounds with less of the time are not named. */
#define LEAST_SHARE 0.1

static void add_block(struct run_verdict_maker *maker, uint32_t block)
{
	const struct layer_map *map = &maker->of->explore->map;
	assert(block < map->n_block);
	if (map->n_network > 1)
		words_add(&maker->text, "%s ", maker->of->space->network[layer_map_network(map, block)].network.name);
	words_add(&maker->text, "%s", map->block[block]->name);
}

/* The bound with the largest part of the time that is not said yet; N_BOUND: none of a tenth is left. */
static enum bound next_bound(const struct standing_design *design, double sum, const bool *is_said)
{
	enum bound most = N_BOUND;
	for (unsigned i = 0; i < N_BOUND; i++)
		if (!is_said[i] && design->bound_ms[i] >= LEAST_SHARE * sum &&
		    (most == N_BOUND || design->bound_ms[i] > design->bound_ms[most]))
			most = (enum bound)i;
	return most;
}

/* "fastest design", or where latency is no objective, "design with the least energy" (struct standing). */
static void add_design(struct run_verdict_maker *maker)
{
	const struct space *space = maker->of->space;
	size_t k = 0;
	while (k + 1 < space->n_objective && !maker->is_scaled[k])
		k++;
	if (space_has_objective(space, METRIC_LATENCY))
		words_add(&maker->text, "fastest design");
	else
		words_add(&maker->text, "design with the least %s", metric_table[space->objective[k]].label);
}

void run_verdict_say_bounds(struct run_verdict_maker *maker, uint32_t machine)
{
	const struct standing_design *design = &maker->verdict->machine[machine].fastest;
	bool is_said[N_BOUND] = {false};
	double sum = 0.0;
	size_t n = 0;
	for (unsigned i = 0; i < N_BOUND; i++)
		sum += design->bound_ms[i];
	if (!design->is_known || !(sum > 0.0))
		return;
	words_add(&maker->text, "What bounds the ");
	if (!space_has_objective(maker->of->space, METRIC_LATENCY))
		words_add(&maker->text, "time of the ");
	add_design(maker);
	words_add(&maker->text, " of ");
	run_verdict_name(maker->of->space, machine, &maker->text);
	if (maker->of->price && maker->of->price->is_priced)
		words_add(&maker->text, " in the fast tier");
	for (enum bound i; (i = next_bound(design, sum, is_said)) < N_BOUND; n++) {
		double share = design->bound_ms[i] / sum;
		is_said[i] = true;
		words_add(&maker->text, "%s%s %.0f %% of the time (", n > 0 ? ", " : ": ", bound_name[i],
		          100.0 * share);
		if (design->n_layer[i] > 0)
			words_add(&maker->text, "%u of %u layers, ", (unsigned)design->n_layer[i],
			          (unsigned)design->n_block);
		words_add(&maker->text, "most in ");
		add_block(maker, design->worst[i]);
		words_add(&maker->text, ")");
		run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_SHARE,
		                                                    .machine = machine,
		                                                    .other = RUN_VERDICT_NOBODY,
		                                                    .bound = i,
		                                                    .value = share});
	}
	words_add(&maker->text, ".");
	run_verdict_say(maker);
}

/* "all layers at PL2", "62 layers at PL2, 9 layers at PL1" */
static void add_levels(struct run_verdict_maker *maker, size_t point, struct unrolled *unrolled)
{
	size_t n_use[MACHINE_MAX_LEVEL] = {0}, n = 0;
	unroll_point(maker->of->unroller, point, unrolled);
	for (size_t i = 0; i < unrolled->n_layer; i++)
		n_use[unrolled->layer[i]->design.level]++;
	for (unsigned i = 0; i < unrolled->machine->n_level; i++) {
		if (n_use[i] == 0)
			continue;
		words_add(&maker->text, "%s", n++ > 0 ? ", " : "");
		if (n_use[i] == unrolled->n_layer)
			words_add(&maker->text, "%s", unrolled->n_layer == 1 ? "the only" : "all");
		else
			words_add(&maker->text, "%zu", n_use[i]);
		words_add(&maker->text, " layer%s at %s", n_use[i] == 1 ? "" : "s", unrolled->machine->level[i].name);
	}
}

/* The point of a machine with the least of an objective. */
static size_t find_point(const struct pareto *front, uint32_t machine, size_t k)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < front->n; i++)
		if (front->genome[i * front->n_gene] == machine &&
		    (best == SIZE_MAX ||
		     front->objective[i * front->n_objective + k] < front->objective[best * front->n_objective + k]))
			best = i;
	return best;
}

static bool has_levels(const struct space *space)
{
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++)
			if ((space->network[i].choice[k].level_mask & (space->network[i].choice[k].level_mask - 1)) !=
			    0)
				return true;
	return false;
}

/* Which operating points the best designs of a machine run at. */
void run_verdict_say_levels(struct run_verdict_maker *maker, uint32_t machine)
{
	const struct space *space = maker->of->space;
	const struct pareto *front = &maker->of->explore->front;
	struct unrolled unrolled;
	size_t n = 0;
	if (!has_levels(space) || !maker->of->unroller)
		return;
	memory_check(unrolled_init(&maker->of->explore->map, &unrolled, NULL) == ERR_OK);
	words_add(&maker->text, "Operating points: ");
	for (size_t k = 0; k < space->n_objective; k++) {
		size_t point = find_point(front, machine, k);
		if (!maker->is_scaled[k] || point == SIZE_MAX)
			continue;
		words_add(&maker->text, "%s%s%s ", n++ > 0 ? "; " : "",
		          space->objective[k] == METRIC_LATENCY ? "fastest" : "least ",
		          space->objective[k] == METRIC_LATENCY ? "" : metric_table[space->objective[k]].label);
		add_levels(maker, point, &unrolled);
	}
	words_add(&maker->text, ".");
	unrolled_free(&unrolled);
	if (n > 0)
		run_verdict_say(maker);
	words_clear(&maker->text);
}

/* The bound that takes most of the design's time. */
static enum bound most_of(const struct standing_design *design)
{
	unsigned most = 0;
	for (unsigned i = 1; i < N_BOUND; i++)
		most = design->bound_ms[i] > design->bound_ms[most] ? i : most;
	return (enum bound)most;
}

static double share_of(const struct standing_design *design, enum bound bound)
{
	double sum = 0.0;
	for (unsigned i = 0; i < N_BOUND; i++)
		sum += design->bound_ms[i];
	return sum > 0.0 ? design->bound_ms[bound] / sum : 0.0;
}

/* The machines whose time a bound takes most of; how many. */
static size_t list_bound(const struct run_verdict_maker *maker, const uint32_t *machine, size_t n, enum bound bound,
                         uint32_t *list)
{
	size_t n_found = 0;
	for (size_t i = 0; i < n; i++) {
		const struct standing_design *design = &maker->verdict->machine[machine[i]].fastest;
		if (design->is_known && most_of(design) == bound && share_of(design, bound) > 0.0)
			list[n_found++] = machine[i];
	}
	return n_found;
}

/* " (94 to 99 %)", rounded down */
static void add_shares(struct run_verdict_maker *maker, const uint32_t *machine, size_t n, enum bound bound)
{
	double least = 1.0, most = 0.0;
	for (size_t i = 0; i < n; i++) {
		double share = share_of(&maker->verdict->machine[machine[i]].fastest, bound);
		least = fmin(least, share);
		most = fmax(most, share);
		run_verdict_claim(maker, (struct run_verdict_claim){.kind = RUN_VERDICT_MOST,
		                                                    .machine = machine[i],
		                                                    .other = RUN_VERDICT_NOBODY,
		                                                    .bound = bound,
		                                                    .value = share});
	}
	words_add(&maker->text, " (");
	run_verdict_add_range(&maker->text, floor(100.0 * least), floor(100.0 * most));
	words_add(&maker->text, " %%)");
}

void run_verdict_add_most(struct run_verdict_maker *maker, const uint32_t *machine, size_t n)
{
	uint32_t *list = memory_array(n, sizeof(*list));
	size_t n_said = 0;
	for (unsigned i = 0; i < N_BOUND; i++) {
		size_t n_found = list_bound(maker, machine, n, (enum bound)i, list);
		if (n_found == 0)
			continue;
		words_add(&maker->text, n_said++ > 0 ? ", the %s" : "; most of the time is bound by the %s",
		          bound_name[i]);
		if (n_found < n)
			run_verdict_name_part(maker->of->space, list, n_found, machine, n, &maker->text);
		add_shares(maker, list, n_found, (enum bound)i);
	}
	free(list);
}
