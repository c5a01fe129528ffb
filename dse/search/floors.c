/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/floors.h"
#include "dse/base/parallel.h"
#include "dse/pareto/gap.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of a composition: a floor needs no more. */
#define MAX_FRONT 512
/* Points of all floors together; what comes later is left out. */
#define MAX_POINT (UINT64_C(1) << 20)
/* Who stops a search does not wait longer for bounds of machines that were not begun. */
#define REST_MS 500
/* As of the bounds of boxes: what rounding can add is far less. */
#define BOUND_SLACK (1 - 1e-9)

void floors_init(struct floors *floors, const struct space *space, uint64_t n_machine)
{
	*floors = (struct floors){.space = space, .n_machine = n_machine};
	if (n_machine <= FLOORS_MAX_MACHINE)
		floors->is_settled = calloc(n_machine, sizeof(*floors->is_settled));
}

void floors_free(struct floors *floors)
{
	for (size_t i = 0; i < floors->n; i++)
		pareto_free(&floors->floor[i].point);
	free(floors->floor);
	free(floors->is_settled);
	*floors = (struct floors){0};
}

void floors_settle(struct floors *floors, uint32_t machine_index)
{
	if (floors->is_settled)
		floors->is_settled[machine_index] = true;
}

static bool make_room(struct floors *floors)
{
	if (floors->n < floors->n_alloc)
		return true;
	size_t n_alloc = 2 * floors->n_alloc + 8;
	struct floor *floor = realloc(floors->floor, n_alloc * sizeof(*floor));
	if (!floor)
		return false;
	floors->floor = floor;
	floors->n_alloc = n_alloc;
	return true;
}

void floors_add(struct floors *floors, uint32_t machine_index, struct pareto *point)
{
	if (floors->is_settled && floors->n_point + point->n <= MAX_POINT && make_room(floors)) {
		floors->n_point += point->n;
		floors->floor[floors->n++] = (struct floor){machine_index, *point};
		pareto_init(point, point->n_objective, point->n_gene);
	} else {
		pareto_free(point);
	}
}

/* Objectives of the composed points over the slack that thinning them takes. */
static bool list_points(const struct candidate *candidate, struct pareto *list)
{
	const struct layer_problem *layer = &candidate->task[0].layer;
	const double divisor = (1 + candidate_epsilon(candidate)) / BOUND_SLACK;
	const uint32_t no_genome = 0;
	for (size_t i = 0; i < candidate->total.n; i++) {
		double metric[N_METRIC] = {0}, objective[SPACE_MAX_OBJECTIVE];
		enum metric broken;
		for (unsigned k = 0; k < layer->n_metric; k++)
			metric[layer->metric[k]] = candidate->total.metric[i * layer->n_metric + k] / divisor;
		metric_of_machine(&candidate->set->machine, metric);
		metric_derive(metric);
		if (candidate_objectives(candidate->space, metric, objective, &broken) &&
		    !pareto_append(list, objective, &no_genome, 0))
			return false;
	}
	return true;
}

static bool merge_open(struct candidate *candidate)
{
	for (size_t i = 0; i < candidate->n_task; i++) {
		struct candidate_task *task = &candidate->task[i];
		pareto_merge(&task->front, &task->open);
		if (task->open.n > 0 && task->front.n_alloc == 0)
			return false;
		pareto_sort(&task->front);
	}
	return true;
}

/* A design that keeps a limit may stand behind a point that does not, over its slack it does. */
static enum err_code make_floor(struct candidate *candidate, unsigned n_thread, struct pareto *list, struct err *err)
{
	if (!merge_open(candidate))
		return err_add(err, ERR_INTERNAL, "out of memory for the bounds of layers");
	candidate->max_front = MAX_FRONT;
	candidate->n_thread = n_thread;
	candidate->no_limits = true;
	enum err_code code = candidate_name_points(candidate, err);
	if (code == ERR_OK)
		code = candidate_compose_once(candidate, err);
	if (code == ERR_OK && !list_points(candidate, list))
		code = err_add(err, ERR_INTERNAL, "out of memory for the bounds of a machine");
	return code;
}

void floors_note(struct floors *floors, struct candidate *candidate)
{
	uint32_t machine_index = candidate->set->machine_index;
	struct pareto list;
	struct err err = {0};
	if (!floors->is_settled)
		return;
	/* who stops a search does not wait for what it says of the rest */
	if (stop_age_ms(candidate->set->map->stop) >= STOP_LATE_MS)
		return;
	if (!candidate_is_open(candidate)) {
		floors_settle(floors, machine_index);
		return;
	}
	pareto_init(&list, (unsigned)floors->space->n_objective, 1);
	if (make_floor(candidate, candidate->n_thread, &list, &err) == ERR_OK)
		floors_add(floors, machine_index, &list);
	err_clear(&err);
	pareto_free(&list);
}

/* ---- machines that were not begun --------------------------------------------------------------------- */

struct rest {
	struct floors *floors;
	const struct layer_map *map;
	uint64_t end_ms; /* what is not begun by then is left out */
	size_t n;
	struct bounded {
		uint32_t machine_index;
		bool is_refused;
		struct pareto point;
		enum err_code code;
		struct err err;
	} * machine; /* [n] */
};

static void bound_machine(void *context, size_t i)
{
	struct rest *rest = context;
	struct bounded *bounded = &rest->machine[i];
	struct candidate candidate;
	struct layer_set *set;
	char why[256];
	const struct space *space = rest->floors->space;
	bounded->code = ERR_INTERRUPTED;
	if (stop_now_ms() > rest->end_ms)
		return;
	bounded->code =
	    layer_set_build(space, rest->map, bounded->machine_index, &set, why, sizeof(why), &bounded->err);
	bounded->is_refused = bounded->code == ERR_OK && !set;
	if (bounded->code != ERR_OK || !set)
		return;
	bounded->code = candidate_init(space, set, &candidate, &bounded->err);
	if (bounded->code != ERR_OK)
		return;
	bounded->code = candidate_bound(&candidate, &bounded->err);
	if (bounded->code == ERR_OK)
		bounded->code = make_floor(&candidate, 1, &bounded->point, &bounded->err);
	candidate_free(&candidate);
}

/* Whether each machine has a floor or needs none. */
static bool *list_known(const struct floors *floors)
{
	bool *is_known = calloc(floors->n_machine, sizeof(*is_known));
	if (is_known)
		memcpy(is_known, floors->is_settled, floors->n_machine * sizeof(*is_known));
	for (size_t i = 0; i < floors->n && is_known; i++)
		is_known[floors->floor[i].machine_index] = true;
	return is_known;
}

static void bound_rest(struct rest *rest, unsigned n_thread)
{
	parallel_for(rest->n, n_thread, bound_machine, rest);
	for (size_t i = 0; i < rest->n; i++) {
		struct bounded *bounded = &rest->machine[i];
		if (bounded->is_refused)
			floors_settle(rest->floors, bounded->machine_index);
		else if (bounded->code == ERR_OK)
			floors_add(rest->floors, bounded->machine_index, &bounded->point);
		pareto_free(&bounded->point);
		err_clear(&bounded->err);
	}
}

void floors_note_rest(struct floors *floors, const struct layer_map *map, unsigned n_thread)
{
	struct rest rest = {.floors = floors, .map = map, .end_ms = stop_now_ms() + REST_MS};
	bool *is_known = floors->is_settled ? list_known(floors) : NULL;
	if (!is_known)
		return;
	for (uint64_t i = 0; i < floors->n_machine; i++)
		rest.n += !is_known[i];
	if (rest.n <= FLOORS_MAX_BOUND)
		rest.machine = calloc(rest.n + 1, sizeof(*rest.machine));
	for (uint64_t i = 0, n = 0; i < floors->n_machine && rest.machine; i++) {
		if (is_known[i])
			continue;
		rest.machine[n].machine_index = (uint32_t)i;
		pareto_init(&rest.machine[n++].point, (unsigned)floors->space->n_objective, 1);
	}
	if (rest.machine)
		bound_rest(&rest, n_thread);
	free(rest.machine);
	free(is_known);
}

/* ---- the gap ------------------------------------------------------------------------------------------ */

void floors_gaps(const struct floors *floors, const struct pareto *front, unsigned n_thread, double *gap)
{
	for (uint64_t i = 0; i < floors->n_machine; i++)
		gap[i] = floors->is_settled && floors->is_settled[i] ? 0.0 : INFINITY;
	for (size_t i = 0; i < floors->n; i++) {
		const struct floor *floor = &floors->floor[i];
		double own = gap[floor->machine_index];
		if (own > 0.0)
			gap[floor->machine_index] = fmin(own, gap_between(front, &floor->point, n_thread));
	}
}

double floors_gap(const struct floors *floors, const struct pareto *front, unsigned n_thread)
{
	double *gap = floors->is_settled ? calloc(floors->n_machine, sizeof(*gap)) : NULL, most = 0.0;
	if (!gap)
		return INFINITY;
	floors_gaps(floors, front, n_thread, gap);
	for (uint64_t i = 0; i < floors->n_machine; i++)
		most = fmax(most, gap[i]);
	free(gap);
	return most;
}
