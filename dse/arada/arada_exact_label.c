/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label setting, as in dse/power/power_label.c: a label is a partial schedule that ends in a state. Before each layer
 * the labels are gathered by what it costs to go on from them: at the layer's own settings, with a change of the
 * array, of the memory, or of both. So a label is looked at once for each setting, not for each pair.
 *
 * A label is dropped when another one of its state, or of a state in which more is free, has less time and energy, or
 * when its completion is bounded above the best known schedule in one of several Lagrangian directions. A way is not
 * tried at all when the bounds of the whole list it would extend say so.
 */
#include "dse/arada/arada_exact_label_parts.h"
#include "dse/base/memory.h"
#include "dse/base/interrupt.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_SLACK 5e-13
#define VALUE_SLACK 1e-12
#define DEFAULT_MAX_LABEL ((size_t)8 << 20) /* 256 MiB */

/* Multipliers round the best one, which is the first of them: it cuts most. */
static const double spread[] = {1.0, 0.93, 1.07, 0.8, 1.25, 0.5, 2.0, 4.0};
#define N_SPREAD (sizeof(spread) / sizeof(spread[0]))
static_assert(N_SPREAD + 2 <= EXACT_MAX_DIRECTION, "directions of objective, time and multipliers");

static bool keeps_deadline(const struct exact_search *search, double ns)
{
	return ns <= search->max_ns + LIMIT_SLACK * fabs(search->max_ns);
}

static void add_direction(struct exact_search *search, struct power_weight weight, double constant, bool is_limit)
{
	const struct exact_chain *chain = search->chain;
	assert(search->n_direction < EXACT_MAX_DIRECTION);
	struct exact_direction *direction = &search->direction[search->n_direction++];
	*direction = (struct exact_direction){.constant = constant, .is_limit = is_limit};
	direction->slack = VALUE_SLACK * (fabs(weight.per_ns) * chain->most_ns + fabs(weight.per_pj) * chain->most_pj +
	                                  fabs(constant));
	exact_bound_build(chain, weight, search->scratch, &direction->bound);
}

static struct power_weight relax(const struct exact_search *search, double multiplier)
{
	assert(multiplier >= 0);
	return (struct power_weight){search->objective.per_ns + multiplier, search->objective.per_pj};
}

/* What is known from a stage on: a direction's completion from a state before it. */
static void complete(struct exact_search *search, const struct exact_bound *bound, size_t stage, size_t state)
{
	const struct exact_chain *chain = search->chain;
	for (; stage < chain->n_stage; stage++) {
		const struct exact_next *next = &bound->next[stage * chain->n_state + state];
		const struct exact_way *way = &chain->way[next->way];
		search->known[stage] = (struct exact_step){.mode = way->mode,
		                                           .before = {next->before & 1, next->before >> 1},
		                                           .after = {next->after & 1, next->after >> 1}};
		state = exact_state_after(chain, way, next->after);
	}
}

/* The schedule that a completion from the start is, if it keeps the deadline and is better than what is known. */
static void try_root(struct exact_search *search, const struct exact_bound *bound)
{
	const struct exact_chain *chain = search->chain;
	double value = power_value(search->objective, bound->root_ns, bound->root_pj);
	if (!keeps_deadline(search, bound->root_ns) || !(value < search->least))
		return;
	search->least = value;
	complete(search, bound, 0, exact_state(chain, chain->n[EXACT_ARRAY], chain->n[EXACT_MEMORY]));
}

/*
 * The multiplier of time at which the relaxed chain just keeps the deadline: the line through a chain that breaks it
 * and one that keeps it moves out until no chain lies beyond.
 */
static double best_multiplier(struct exact_search *search, const struct exact_bound *late,
                              const struct exact_bound *early)
{
	double out_ns = late->root_ns, out = power_value(search->objective, late->root_ns, late->root_pj);
	double in_ns = early->root_ns, in = power_value(search->objective, early->root_ns, early->root_pj);
	double multiplier = 0;
	for (int i = 0; i < 64 && out_ns > in_ns && in > out; i++) {
		struct exact_bound bound;
		struct arena scratch = {0};
		double at = (in - out) / (out_ns - in_ns), line = out + at * out_ns;
		if (!isfinite(at))
			break;
		multiplier = at;
		exact_bound_build(search->chain, relax(search, at), &scratch, &bound);
		try_root(search, &bound);
		arena_free(&scratch);
		double value = power_value(search->objective, bound.root_ns, bound.root_pj);
		if (!(value + at * bound.root_ns < line - 1e-13 * fabs(line)))
			break;
		bool is_early = keeps_deadline(search, bound.root_ns);
		*(is_early ? &in_ns : &out_ns) = bound.root_ns;
		*(is_early ? &in : &out) = value;
	}
	return multiplier;
}

/* Directions to look in. false: nothing keeps the deadline. */
static bool choose_directions(struct exact_search *search)
{
	const struct exact_bound *best = &search->direction[0].bound, *fastest = &search->direction[1].bound;
	add_direction(search, search->objective, 0, false);
	try_root(search, best);
	if (keeps_deadline(search, best->root_ns))
		return true;
	add_direction(search, (struct power_weight){1, 0}, 0, true);
	if (!keeps_deadline(search, fastest->root_ns))
		return false;
	try_root(search, fastest);
	double multiplier = best_multiplier(search, best, fastest);
	for (size_t i = 0; i < N_SPREAD && multiplier > 0; i++) {
		double at = multiplier * spread[i];
		add_direction(search, relax(search, at), -at * search->max_ns, false);
		try_root(search, &search->direction[search->n_direction - 1].bound);
	}
	return true;
}

/* Steps of a label and those before it, from its stage (counted from 0) back. */
static void trace_back(const struct exact_search *search, const struct exact_label *label, size_t stage,
                       struct exact_step *step)
{
	for (;; stage--) {
		assert(stage < search->chain->n_stage && label->way != NO_LABEL);
		step[stage] = (struct exact_step){.mode = search->chain->way[label->way].mode,
		                                  .before = {label->before & 1, label->before >> 1},
		                                  .after = {label->after & 1, label->after >> 1}};
		label = &search->label[label->parent];
		if (label->way == NO_LABEL)
			return;
	}
}

/* A label with a direction's completion is a schedule: remember it. */
static void take_known(struct exact_search *search, const struct exact_label *label, size_t stage, size_t state,
                       const struct exact_bound *bound)
{
	assert(stage < search->chain->n_stage);
	trace_back(search, label, stage, search->known);
	complete(search, bound, stage + 1, state);
}

/* Whether the bound of one direction lets something better be reached from (ns, pj) in a state behind a layer. */
static bool is_reachable(const struct exact_search *search, const struct exact_direction *direction, double value,
                         size_t at)
{
	const struct exact_bound *bound = &direction->bound;
	double whole = value + power_value(bound->weight, bound->ns[at], bound->pj[at]) + direction->constant;
	return whole <= (direction->is_limit ? search->max_ns : search->least) + direction->slack;
}

/* Whether a label can still lead to something better; its completions are tried. */
static bool is_promising(struct exact_search *search, const struct exact_label *label, size_t stage, size_t state)
{
	size_t at = (stage + 1) * search->chain->n_state + state;
	assert(search->n_direction > 0 && state < search->chain->n_state);
	for (size_t i = 0; i < search->n_direction; i++) {
		/* the best multiplier's, which cuts most, is the third */
		const struct exact_direction *direction = &search->direction[(i + 2) % search->n_direction];
		if (!is_reachable(search, direction, power_value(direction->bound.weight, label->ns, label->pj), at))
			return false;
		double ns = label->ns + direction->bound.ns[at], pj = label->pj + direction->bound.pj[at];
		double whole = power_value(search->objective, ns, pj);
		if (whole < search->least && keeps_deadline(search, ns)) {
			search->least = whole;
			take_known(search, label, stage, state, &direction->bound);
		}
	}
	return true;
}

/* Whether any label of a list, each direction for itself, could go on this way. */
static bool is_list_promising(const struct exact_search *search, const struct exact_list *list,
                              const struct exact_cost *cost, size_t stage, size_t state)
{
	size_t at = (stage + 1) * search->chain->n_state + state;
	for (size_t d = 0; d < search->n_direction; d++) {
		const struct exact_direction *direction = &search->direction[d];
		double least = list->least[d] + power_value(direction->bound.weight, cost->ns, cost->pj);
		if (!is_reachable(search, direction, least, at))
			return false;
	}
	return true;
}

/* All labels of a list go on in a way which hosts these changes before and after. */
static void extend(struct exact_search *search, const struct exact_list *list, size_t stage, size_t way_index,
                   unsigned before, unsigned after)
{
	const struct exact_way *way = &search->chain->way[way_index];
	const struct exact_cost *cost = exact_cost_of(way, before, after);
	size_t state = exact_state_after(search->chain, way, after);
	assert(before < EXACT_N_HOST && after < EXACT_N_HOST);
	if (list->n == 0 || !is_list_promising(search, list, cost, stage, state))
		return;
	for (size_t i = 0; i < list->n && !search->is_full; i++) {
		const struct exact_label *from = &search->label[list->label[i]];
		struct exact_label label = {from->ns + cost->ns, from->pj + cost->pj, list->label[i],
		                            (uint32_t)way_index, (uint8_t)before,     (uint8_t)after};
		if (!is_promising(search, &label, stage, state))
			continue;
		exact_reach(search, state, &label);
		search->is_full = search->n_label + search->n_reached[state] >= search->max_label;
	}
}

static void run_stage(struct exact_search *search, size_t stage)
{
	const struct exact_chain *chain = search->chain;
	const struct exact_sources *from = search->sources;
	exact_gather(search);
	for (size_t i = chain->begin[stage]; i < chain->begin[stage + 1]; i++) {
		uint32_t a = chain->way[i].setting[EXACT_ARRAY], m = chain->way[i].setting[EXACT_MEMORY];
		const struct exact_list *list[EXACT_N_HOST] = {&from->same[a][m], &from->array_changes[m],
		                                               &from->memory_changes[a], &from->both_change};
		for (unsigned before = 0; before < (stage > 0 ? EXACT_N_HOST : 1); before++)
			for (unsigned after = 0; after < (stage + 1 < chain->n_stage ? EXACT_N_HOST : 1); after++)
				extend(search, list[before], stage, i, before, after);
	}
	if (!search->is_full)
		exact_keep_all(search);
}

/* No schedule is better than this. */
static double least_of_all(const struct exact_search *search)
{
	double least = -INFINITY;
	for (size_t i = 0; i < search->n_direction; i++) {
		const struct exact_bound *bound = &search->direction[i].bound;
		if (!search->direction[i].is_limit)
			least = fmax(least, power_value(bound->weight, bound->root_ns, bound->root_pj) +
			                        search->direction[i].constant);
	}
	return least;
}

/* Of the labels behind the last layer the best; of equal ones the first in time or energy, whichever is not wanted. */
static void take_best(const struct exact_search *search, struct exact_schedule *schedule)
{
	const struct exact_chain *chain = search->chain;
	const struct exact_label *best = NULL;
	double least = INFINITY, second = INFINITY;
	bool wants_time = search->objective.per_pj <= 0;
	for (size_t s = 0; s < chain->n_state; s++)
		for (size_t i = 0; i < search->state[s].n; i++) {
			const struct exact_label *label = &search->label[search->state[s].label[i]];
			double value = power_value(search->objective, label->ns, label->pj);
			double other = wants_time ? label->pj : label->ns;
			if (!keeps_deadline(search, label->ns) || value > least || (value >= least && other >= second))
				continue;
			best = label;
			least = value;
			second = other;
		}
	schedule->is_found = best != NULL;
	schedule->is_exact = true;
	schedule->bound = least;
	if (best)
		trace_back(search, best, chain->n_stage - 1, schedule->step);
}

static enum err_code run_stages(struct exact_search *search, struct exact_schedule *schedule, struct err *err)
{
	const struct exact_chain *chain = search->chain;
	for (size_t stage = 0; stage < chain->n_stage; stage++) {
		if (interrupt_requested())
			return err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
		run_stage(search, stage);
		if (search->is_full) {
			schedule->is_found = isfinite(search->least);
			schedule->bound = least_of_all(search);
			schedule->is_exact = search->least <= schedule->bound + search->direction[0].slack;
			memcpy(schedule->step, search->known, chain->n_stage * sizeof(*schedule->step));
			return ERR_OK;
		}
	}
	take_best(search, schedule);
	return ERR_OK;
}

enum err_code exact_label_solve(const struct exact_chain *chain, struct power_weight objective, double max_ns,
                                size_t max_label, struct arena *arena, struct exact_schedule *schedule, struct err *err)
{
	struct arena scratch = {0};
	struct exact_search search = {.chain = chain,
	                              .objective = objective,
	                              .max_ns = max_ns,
	                              .scratch = &scratch,
	                              .least = INFINITY,
	                              .max_label = max_label ? max_label : DEFAULT_MAX_LABEL};
	assert(objective.per_ns >= 0 && objective.per_pj >= 0 && search.max_label < NO_LABEL);
	schedule->step = memory_must(arena_array(arena, chain->n_stage, sizeof(*schedule->step)));
	exact_search_open(&search);
	schedule->is_exact = true;
	schedule->bound = INFINITY;
	enum err_code code = choose_directions(&search) ? run_stages(&search, schedule, err) : ERR_OK;
	schedule->n_label = search.n_label;
	exact_search_close(&search);
	arena_free(&scratch);
	return code;
}
