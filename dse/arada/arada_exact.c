/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule is judged by exact_measure and nowhere else, from the problem's
 * own numbers. The solver's are rounded to multiples of a 2^52nd of more than the
 * whole chain can come to, so that sums do not depend on their order and equal
 * schedules are equal.
 */
#include "dse/arada/arada_exact_parts.h"
#include "dse/base/memory.h"
#include "dse/space/arada_options.h"
#include <assert.h>
#include <math.h>

#define SLACK 1e-12

double exact_layer_ns(const double change_ns[N_EXACT_DOMAIN], const struct exact_mode *mode,
                      const unsigned n_change[N_EXACT_DOMAIN])
{
	double ns = mode->time_ns;
	for (int d = 0; d < N_EXACT_DOMAIN; d++) {
		assert(mode->time_ns >= mode->busy_ns[d] * (1 - SLACK));
		if (n_change[d] > 0)
			ns = fmax(ns, mode->busy_ns[d] + n_change[d] * change_ns[d]);
	}
	return ns;
}

static double time_with(const struct exact_problem *problem, const struct exact_mode *mode, unsigned n_array,
                        unsigned n_memory)
{
	const unsigned n_change[N_EXACT_DOMAIN] = {[EXACT_ARRAY] = n_array, [EXACT_MEMORY] = n_memory};
	return exact_layer_ns(problem->change_ns, mode, n_change);
}

static double energy_with(const struct exact_problem *problem, const struct exact_mode *mode, unsigned n_array,
                          unsigned n_memory)
{
	return mode->energy_pj + mode->static_mw * time_with(problem, mode, n_array, n_memory) +
	       n_array * problem->change_pj[EXACT_ARRAY] + n_memory * problem->change_pj[EXACT_MEMORY];
}

bool exact_measure(const struct exact_problem *problem, const struct exact_goal *goal, struct exact_schedule *schedule)
{
	const struct exact_mode *last = NULL;
	bool is_hosted = true;
	assert(problem->n_layer > 0 && schedule->step);
	schedule->time_ns = schedule->energy_pj = schedule->peak_mw = 0;
	schedule->n_change[EXACT_ARRAY] = schedule->n_change[EXACT_MEMORY] = 0;
	for (size_t i = 0; i < problem->n_layer; i++) {
		const struct exact_step *step = &schedule->step[i];
		assert(step->mode < problem->layer[i].n_mode);
		const struct exact_mode *mode = &problem->layer[i].mode[step->mode];
		unsigned n[N_EXACT_DOMAIN];
		for (int d = 0; d < N_EXACT_DOMAIN; d++) {
			bool changes = last && last->setting[d] != mode->setting[d];
			bool hosted = step->before[d] || (i > 0 && schedule->step[i - 1].after[d]);
			is_hosted = is_hosted && (hosted || !changes);
			n[d] = (unsigned)step->before[d] + (unsigned)step->after[d];
			schedule->n_change[d] += n[d];
		}
		schedule->time_ns += time_with(problem, mode, n[EXACT_ARRAY], n[EXACT_MEMORY]);
		schedule->energy_pj += energy_with(problem, mode, n[EXACT_ARRAY], n[EXACT_MEMORY]);
		schedule->peak_mw = fmax(schedule->peak_mw, mode->peak_mw);
		last = mode;
	}
	return is_hosted && schedule->time_ns <= goal->max_ns * (1 + SLACK) && schedule->peak_mw <= goal->max_peak_mw;
}

/* The worst that a schedule can come to: every layer in its worst mode with all changes. */
static void find_most(const struct exact_problem *problem, struct exact_chain *chain)
{
	chain->most_ns = chain->most_pj = 0;
	for (size_t i = 0; i < problem->n_layer; i++) {
		double ns = 0, pj = 0;
		for (size_t k = 0; k < problem->layer[i].n_mode; k++) {
			ns = fmax(ns, time_with(problem, &problem->layer[i].mode[k], 2, 2));
			pj = fmax(pj, energy_with(problem, &problem->layer[i].mode[k], 2, 2));
		}
		chain->most_ns += ns;
		chain->most_pj += pj;
	}
}

/* Of a layer's modes under the peak the least time; infinite: there is none. */
static double least_ns(const struct exact_layer *layer, const struct exact_goal *goal, const uint32_t *only)
{
	double least = INFINITY;
	for (size_t k = 0; k < layer->n_mode; k++)
		if (layer->mode[k].peak_mw <= goal->max_peak_mw && (!only || *only == k))
			least = fmin(least, layer->mode[k].time_ns);
	return least;
}

/* What any layer may take beyond its least time: a mode that takes more is in no schedule. */
static double slack_ns(const struct exact_problem *problem, const struct exact_goal *goal, const uint32_t *only)
{
	double ns = goal->max_ns * (1 + SLACK);
	for (size_t i = 0; i < problem->n_layer; i++)
		ns -= least_ns(&problem->layer[i], goal, only ? &only[i] : NULL);
	return ns + SLACK * (isfinite(goal->max_ns) ? goal->max_ns : 0);
}

/* only: NULL, or the one mode of each layer that may be used. false: a layer has no mode that may be used. */
static bool build_chain(const struct exact_problem *problem, const struct exact_goal *goal, const uint32_t *only,
                        struct arena *arena, struct exact_chain *chain)
{
	size_t n_way = 0;
	for (size_t i = 0; i < problem->n_layer; i++)
		n_way += problem->layer[i].n_mode;
	*chain = (struct exact_chain){.problem = problem, .n_stage = problem->n_layer};
	for (int d = 0; d < N_EXACT_DOMAIN; d++) {
		assert(problem->n_setting[d] >= 1 && problem->n_setting[d] <= ARADA_MAX_SETTING);
		assert(problem->change_ns[d] >= 0 && problem->change_pj[d] >= 0);
		chain->n[d] = problem->n_setting[d];
	}
	chain->n_state = (size_t)(chain->n[EXACT_ARRAY] + 1) * (chain->n[EXACT_MEMORY] + 1);
	chain->begin = memory_must(arena_array(arena, problem->n_layer + 1, sizeof(*chain->begin)));
	chain->way = memory_must(arena_array(arena, n_way, sizeof(*chain->way)));
	find_most(problem, chain);
	double quantum_ns = power_quantum(chain->most_ns), quantum_pj = power_quantum(chain->most_pj);
	bool is_possible = true;
	const double slack = slack_ns(problem, goal, only);
	for (size_t i = 0, n = 0; i < problem->n_layer; i++) {
		const double most_ns = least_ns(&problem->layer[i], goal, only ? &only[i] : NULL) + slack;
		for (size_t k = 0; k < problem->layer[i].n_mode; k++) {
			const struct exact_mode *mode = &problem->layer[i].mode[k];
			if (mode->peak_mw > goal->max_peak_mw || (only && only[i] != k) || mode->time_ns > most_ns)
				continue;
			struct exact_way *way = &chain->way[n++];
			way->mode = (uint32_t)k;
			for (int d = 0; d < N_EXACT_DOMAIN; d++)
				way->setting[d] = mode->setting[d];
			for (unsigned a = 0; a < 3; a++)
				for (unsigned m = 0; m < 3; m++)
					way->cost[a][m] = (struct exact_cost){
					    power_round(time_with(problem, mode, a, m), quantum_ns),
					    power_round(energy_with(problem, mode, a, m), quantum_pj)};
		}
		chain->begin[i + 1] = n;
		is_possible = is_possible && n > chain->begin[i];
	}
	return is_possible;
}

/* Changes that are none, or hosted twice, which the solver may leave where they cost nothing. */
static void tidy(const struct exact_problem *problem, struct exact_schedule *schedule)
{
	for (size_t i = 1; i < problem->n_layer; i++) {
		struct exact_step *one = &schedule->step[i - 1], *other = &schedule->step[i];
		const struct exact_mode *before = &problem->layer[i - 1].mode[one->mode];
		const struct exact_mode *after = &problem->layer[i].mode[other->mode];
		for (int d = 0; d < N_EXACT_DOMAIN; d++) {
			bool changes = before->setting[d] != after->setting[d];
			one->after[d] = one->after[d] && changes;
			other->before[d] = other->before[d] && changes && !one->after[d];
		}
	}
}

static enum err_code solve(const struct exact_problem *problem, const struct exact_goal *goal, const uint32_t *only,
                           size_t max_label, struct arena *arena, struct exact_schedule *schedule, struct err *err)
{
	struct arena scratch = {0};
	struct exact_chain chain;
	const struct power_weight objective =
	    goal->aim == EXACT_LEAST_TIME ? (struct power_weight){1, 0} : (struct power_weight){0, 1};
	assert(problem->n_layer > 0 && goal->max_ns >= 0);
	*schedule = (struct exact_schedule){.is_exact = true, .bound = INFINITY};
	enum err_code code = ERR_OK;
	if (build_chain(problem, goal, only, &scratch, &chain))
		code = exact_label_solve(&chain, objective, goal->max_ns, max_label, arena, schedule, err);
	arena_free(&scratch);
	if (code != ERR_OK || !schedule->is_found)
		return code;
	tidy(problem, schedule);
	bool keeps = exact_measure(problem, goal, schedule);
	assert(keeps);
	(void)keeps;
	return ERR_OK;
}

enum err_code exact_solve(const struct exact_problem *problem, const struct exact_goal *goal, size_t max_label,
                          struct arena *arena, struct exact_schedule *schedule, struct err *err)
{
	return solve(problem, goal, NULL, max_label, arena, schedule, err);
}

enum err_code exact_place(const struct exact_problem *problem, const struct exact_goal *goal, const uint32_t *mode,
                          struct arena *arena, struct exact_schedule *schedule, bool *is_late, struct err *err)
{
	struct exact_goal fastest = {EXACT_LEAST_TIME, INFINITY, goal->max_peak_mw};
	assert(mode && is_late);
	*is_late = false;
	enum err_code code = solve(problem, goal, mode, 0, arena, schedule, err);
	if (code != ERR_OK || schedule->is_found)
		return code;
	code = solve(problem, &fastest, mode, 0, arena, schedule, err);
	*is_late = code == ERR_OK && schedule->is_found;
	return code;
}
