/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The front of time and energy, by composition (dse/pareto/compose.h). States are the levels between segments. An edge
 * from one level to another has the front of the segment's modes at the second level, with the change of level added.
 * Before the first piece of work nothing is paid for a change.
 */
#include "dse/pareto/compose.h"
#include "dse/base/memory.h"
#include "dse/power/power_front.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_METRIC 2

static int compare_points(const void *a, const void *b)
{
	const struct power_point *one = a, *other = b;
	if (one->time_ns < other->time_ns || one->time_ns > other->time_ns)
		return one->time_ns < other->time_ns ? -1 : 1;
	if (one->energy_pj < other->energy_pj || one->energy_pj > other->energy_pj)
		return one->energy_pj < other->energy_pj ? -1 : 1;
	return one->levels < other->levels ? -1 : one->levels > other->levels;
}

/* A mode, with the change of level before it. */
struct edge_mode {
	double ns, pj;
	uint32_t mode;
};

static int compare_edge_modes(const void *a, const void *b)
{
	const struct edge_mode *one = a, *other = b;
	if (one->ns < other->ns || one->ns > other->ns)
		return one->ns < other->ns ? -1 : 1;
	if (one->pj < other->pj || one->pj > other->pj)
		return one->pj < other->pj ? -1 : 1;
	return one->mode < other->mode ? -1 : one->mode > other->mode;
}

/*
 * Modes of a segment under the peak that use levels of a set, end at one and come from another (UINT32_MAX: at the
 * start, where nothing changes), by time; of equal ones the first.
 */
static size_t modes_between(const struct power_problem *problem, const struct power_segment *segment, uint32_t levels,
                            uint32_t from, uint32_t to, double max_peak_mw, struct edge_mode *mode)
{
	assert(segment && mode && to < POWER_MAX_LEVEL);
	size_t n = 0, n_kept = 0;
	for (uint32_t k = 0; k < segment->n_mode; k++) {
		const struct power_mode *one = &segment->mode[k];
		uint32_t entry = power_mode_entry(one);
		if (one->level != to || (power_mode_levels(one) & ~levels) != 0 || one->peak_mw > max_peak_mw)
			continue;
		bool changes = from < problem->n_level;
		mode[n++] = (struct edge_mode){one->time_ns + (changes ? problem->switch_ns[from][entry] : 0),
		                               one->energy_pj + (changes ? problem->switch_pj[from][entry] : 0), k};
	}
	if (n > 1)
		qsort(mode, n, sizeof(*mode), compare_edge_modes);
	for (size_t i = 0; i < n; i++)
		if (n_kept == 0 || mode[i].pj < mode[n_kept - 1].pj)
			mode[n_kept++] = mode[i];
	return n_kept;
}

/* The front of a segment that ends at `to`, coming from `from` (UINT32_MAX: at the start). */
static struct compose_front make_front(const struct power_problem *problem, const struct power_segment *segment,
                                       uint32_t levels, uint32_t from, uint32_t to, double max_peak_mw,
                                       struct arena *arena)
{
	struct edge_mode *mode = memory_must(arena_array(arena, segment->n_mode + 1, sizeof(*mode)));
	size_t n = modes_between(problem, segment, levels, from, to, max_peak_mw, mode);
	uint32_t *id = memory_must(arena_array(arena, n + 1, sizeof(*id)));
	double *metric = memory_must(arena_array(arena, (n + 1) * N_METRIC, sizeof(*metric)));
	for (size_t i = 0; i < n; i++) {
		id[i] = mode[i].mode;
		metric[i * N_METRIC] = mode[i].ns;
		metric[i * N_METRIC + 1] = mode[i].pj;
	}
	return (struct compose_front){n, metric, id};
}

/* All edges of a segment between levels of the set; the first one starts, at no cost, in state 0. */
static struct compose_layer make_layer(const struct power_problem *problem, const struct power_segment *segment,
                                       uint32_t levels, bool is_first, double max_peak_mw, struct arena *arena)
{
	size_t n = 0, n_max = (size_t)problem->n_level * problem->n_level;
	struct compose_edge *edge = memory_must(arena_array(arena, n_max, sizeof(*edge)));
	struct compose_front *front = memory_must(arena_array(arena, n_max, sizeof(*front)));
	for (uint32_t from = 0; from < problem->n_level; from++)
		for (uint32_t to = 0; to < problem->n_level; to++) {
			bool is_used = (levels >> to & 1) && (is_first ? from == 0 : (levels >> from & 1) != 0);
			if (!is_used)
				continue;
			front[n] =
			    make_front(problem, segment, levels, is_first ? UINT32_MAX : from, to, max_peak_mw, arena);
			edge[n] = (struct compose_edge){from, to, &front[n]};
			n++;
		}
	return (struct compose_layer){n, edge, 1.0};
}

/* Repeats of a segment share their edges; the very first piece of work comes from no level. */
static void make_chain(const struct power_problem *problem, uint32_t levels, double max_peak_mw, struct arena *arena,
                       struct compose_layer *layer)
{
	size_t at = 0;
	for (size_t i = 0; i < problem->n_segment; i++) {
		const struct power_segment *segment = &problem->segment[i];
		uint32_t n = segment->n_repeat;
		if (i == 0) {
			layer[at++] = make_layer(problem, segment, levels, true, max_peak_mw, arena);
			n--;
		}
		struct compose_layer shared = {0};
		if (n > 0)
			shared = make_layer(problem, segment, levels, false, max_peak_mw, arena);
		for (uint32_t k = 0; k < n; k++)
			layer[at++] = shared;
	}
	assert(at == power_n_stage(problem));
}

/* The points of one set of levels that keep the average, measured anew, after those that are there. */
static void take_points(const struct power_problem *problem, const struct power_goal *goal,
                        const struct compose_result *result, struct arena *arena, struct power_point **point, size_t *n)
{
	assert(result->n == 0 || result->n_layer == power_n_stage(problem));
	*point = memory_resize(*point, *n + result->n + 1, sizeof(**point));
	struct power_goal free_goal = *goal;
	free_goal.sleeps = false;
	for (size_t i = 0; i < result->n; i++) {
		uint32_t *mode = memory_must(arena_array(arena, result->n_layer, sizeof(*mode)));
		memcpy(mode, result->id + i * result->n_layer, result->n_layer * sizeof(*mode));
		struct power_schedule schedule = {.mode = mode};
		if (power_measure(problem, &free_goal, &schedule))
			(*point)[(*n)++] = (struct power_point){schedule.time_ns, schedule.energy_pj, schedule.peak_mw,
			                                        schedule.levels, mode};
	}
}

static enum err_code add_set(const struct power_problem *problem, const struct power_goal *goal, uint32_t levels,
                             size_t max_front, struct arena *arena, struct power_point **point,
                             struct power_front *front, struct err *err)
{
	static const enum compose_op op[N_METRIC] = {COMPOSE_SUM, COMPOSE_SUM};
	struct arena scratch = {0};
	struct compose_result result = {0};
	size_t n_stage = power_n_stage(problem);
	const double limit[N_METRIC] = {goal->max_ns * (1 + 1e-12), goal->max_pj * (1 + 1e-12)};
	const struct compose_options options = {
	    .n_metric = N_METRIC, .op = op, .limit = limit, .n_state = problem->n_level, .max_front = max_front};
	struct compose_layer *layer = memory_must(arena_array(&scratch, n_stage, sizeof(*layer)));
	make_chain(problem, levels, goal->max_peak_mw, &scratch, layer);
	enum err_code code = compose_chain(layer, n_stage, &options, &result, NULL, err);
	if (code == ERR_OK) {
		front->epsilon = fmax(front->epsilon, result.epsilon);
		take_points(problem, goal, &result, arena, point, &front->n);
	}
	compose_free(&result);
	arena_free(&scratch);
	return code;
}

enum err_code power_solve_front(const struct power_problem *problem, const struct power_goal *goal, size_t max_front,
                                struct arena *arena, struct power_front *front, struct err *err)
{
	assert(problem->n_segment > 0 && front);
	uint32_t set[UINT32_C(1) << POWER_MAX_LEVEL];
	size_t n_set = power_level_sets(problem, set), n = 0;
	struct power_point *point = NULL;
	enum err_code code = ERR_OK;
	*front = (struct power_front){0};
	for (size_t i = 0; i < n_set && code == ERR_OK; i++)
		code = add_set(problem, goal, set[i], max_front, arena, &point, front, err);
	front->point = memory_must(arena_array(arena, front->n + 1, sizeof(*front->point)));
	if (code == ERR_OK && front->n > 0)
		qsort(point, front->n, sizeof(*point), compare_points);
	for (size_t i = 0; code == ERR_OK && i < front->n; i++)
		if (n == 0 || point[i].energy_pj < front->point[n - 1].energy_pj)
			front->point[n++] = point[i];
	front->n = n;
	free(point);
	return code;
}
