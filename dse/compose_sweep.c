/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One layer's step. Each point of the layer, added to all partial chains, gives
 * a run; the chains are sorted by their first metric and so is each run. The
 * runs are merged by that metric with a heap, and a point stays when none that
 * came before it is at or below it in the remaining metrics:
 *
 *   run 0: ── · ─ · ── · ───────►
 *   run 1: ──── · ── · ─── · ───►     heap ─► group of equal   ─► seen? ─► out
 *   run 2: ─ · ─── · ────── · ──►             first metric, sorted
 *
 * Points that are dominated already never enter the heap; with two metrics the
 * second one falls along a run, so whole stretches of it are leapt over.
 */
#include "dse/compose_parts.h"
#include <assert.h>
#include <stdlib.h>

enum { FIRST_ALLOC = 1024 };

static bool grow_reals(double **column, size_t n_alloc)
{
	double *moved = n_alloc > SIZE_MAX / sizeof **column ? NULL : realloc(*column, n_alloc * sizeof **column);

	*column = moved ? moved : *column;
	return moved != NULL;
}

static bool grow_numbers(uint32_t **column, size_t n_alloc)
{
	uint32_t *moved = n_alloc > SIZE_MAX / sizeof **column ? NULL : realloc(*column, n_alloc * sizeof **column);

	*column = moved ? moved : *column;
	return moved != NULL;
}

bool compose_points_reserve(struct compose_points *points, size_t n)
{
	size_t n_alloc = points->n_alloc ? points->n_alloc : FIRST_ALLOC;

	assert(points->n_metric >= 1 && points->n <= points->n_alloc);
	if (n <= points->n_alloc)
		return true;
	while (n_alloc < n)
		n_alloc *= 2;
	for (unsigned i = 0; i < points->n_metric; i++) {
		if (!grow_reals(&points->metric[i], n_alloc))
			return false;
	}
	if (!grow_numbers(&points->before, n_alloc) || !grow_numbers(&points->choice, n_alloc) ||
	    !grow_numbers(&points->rank, n_alloc))
		return false;
	points->n_alloc = n_alloc;
	return true;
}

void compose_points_free(struct compose_points *points)
{
	for (unsigned i = 0; i < COMPOSE_MAX_METRIC; i++)
		free(points->metric[i]);
	free(points->before);
	free(points->choice);
	free(points->rank);
	*points = (struct compose_points){.n_metric = points->n_metric};
}

void compose_sweep_free(struct compose_sweep *sweep)
{
	free(sweep->group);
	dominance_free(&sweep->seen);
	sweep->group = NULL;
	sweep->n_group_alloc = 0;
}

static double combine(const struct compose_sweep *sweep, const struct compose_run *run, unsigned metric, size_t at)
{
	double before = run->from->metric[metric][at], cost = run->cost[metric];

	if (metric < sweep->n_sum)
		return before + cost;
	return before > cost ? before : cost;
}

/* The second of two metrics falls along a run: the first place from run->at on where it is below what was seen. */
static size_t leap(const struct compose_sweep *sweep, const struct compose_run *run)
{
	size_t low = run->at, step = 1, n = run->from->n;

	/* Gallop, then bisect: the place is often near. */
	while (low + step < n) {
		double value = combine(sweep, run, 1, low + step - 1);
		if (value < sweep->seen.least && value <= sweep->bound[1])
			break;
		low += step;
		step *= 2;
	}
	size_t high = low + step < n ? low + step - 1 : n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		double value = combine(sweep, run, 1, middle);
		if (value < sweep->seen.least && value <= sweep->bound[1])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Whether the run's point is within bounds and not dominated by what was seen. */
static bool is_open(const struct compose_sweep *sweep, const struct compose_run *run)
{
	double metric[COMPOSE_MAX_METRIC];

	for (unsigned i = 1; i < sweep->n_metric; i++) {
		metric[i] = combine(sweep, run, i, run->at);
		if (metric[i] > sweep->bound[i])
			return false;
	}
	return !dominance_covers(&sweep->seen, metric + 1);
}

/* Bring a run to its next point, from run->at on, that may stay; false at its end. */
static bool settle(const struct compose_sweep *sweep, struct compose_run *run)
{
	if (sweep->n_metric == 2)
		run->at = leap(sweep, run);
	else
		while (run->at < run->from->n && !is_open(sweep, run))
			run->at++;
	if (run->at == run->from->n)
		return false;
	run->key = combine(sweep, run, 0, run->at);
	return run->key <= sweep->bound[0];
}

static void sift_down(struct compose_sweep *sweep, size_t at)
{
	const struct compose_run *run = sweep->run;
	uint32_t moved = sweep->heap[at];
	double key = run[moved].key;

	for (size_t child; (child = 2 * at + 1) < sweep->n_heap; at = child) {
		if (child + 1 < sweep->n_heap && run[sweep->heap[child + 1]].key < run[sweep->heap[child]].key)
			child++;
		if (run[sweep->heap[child]].key >= key)
			break;
		sweep->heap[at] = sweep->heap[child];
	}
	sweep->heap[at] = moved;
}

static void start_runs(struct compose_sweep *sweep)
{
	sweep->n_heap = 0;
	for (size_t i = 0; i < sweep->n_run; i++) {
		sweep->run[i].at = 0;
		if (settle(sweep, &sweep->run[i]))
			sweep->heap[sweep->n_heap++] = (uint32_t)i;
	}
	for (size_t i = sweep->n_heap / 2; i-- > 0;)
		sift_down(sweep, i);
}

static bool add_candidate(struct compose_sweep *sweep, const struct compose_run *run)
{
	if (sweep->n_group == sweep->n_group_alloc) {
		size_t n_alloc = sweep->n_group_alloc ? 2 * sweep->n_group_alloc : FIRST_ALLOC;
		struct compose_candidate *group = realloc(sweep->group, n_alloc * sizeof *group);
		if (!group)
			return false;
		sweep->group = group;
		sweep->n_group_alloc = n_alloc;
	}
	struct compose_candidate *candidate = &sweep->group[sweep->n_group++];
	for (unsigned i = 0; i < sweep->n_metric; i++)
		candidate->metric[i] = combine(sweep, run, i, run->at);
	assert(candidate->metric[0] == run->key);
	candidate->n_metric = sweep->n_metric;
	candidate->before = run->first + (uint32_t)run->at;
	candidate->choice = run->choice;
	candidate->rank = run->from->rank[run->at];
	return true;
}

/* Take all points of the least first metric out of the runs. */
static bool gather_group(struct compose_sweep *sweep)
{
	double key = sweep->run[sweep->heap[0]].key;

	assert(key <= sweep->bound[0]);
	sweep->n_group = 0;
	while (sweep->n_heap > 0 && sweep->run[sweep->heap[0]].key == key) {
		struct compose_run *run = &sweep->run[sweep->heap[0]];
		if (!add_candidate(sweep, run))
			return false;
		run->at++;
		if (!settle(sweep, run))
			sweep->heap[0] = sweep->heap[--sweep->n_heap];
		assert(sweep->n_heap == 0 || run->key >= key);
		sift_down(sweep, 0);
	}
	return true;
}

static int compare_candidate(const void *left, const void *right)
{
	const struct compose_candidate *a = left, *b = right;

	for (unsigned i = 0; i < a->n_metric; i++) {
		if (a->metric[i] != b->metric[i])
			return a->metric[i] < b->metric[i] ? -1 : 1;
	}
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->choice < b->choice ? -1 : a->choice > b->choice;
}

static bool keep(struct compose_sweep *sweep, const struct compose_candidate *candidate, struct compose_points *out)
{
	size_t at = out->n;

	assert(at == 0 || out->metric[0][at - 1] <= candidate->metric[0]);
	if (!compose_points_reserve(out, at + 1) || !dominance_add(&sweep->seen, candidate->metric + 1))
		return false;
	for (unsigned i = 0; i < sweep->n_metric; i++)
		out->metric[i][at] = candidate->metric[i];
	out->before[at] = candidate->before;
	out->choice[at] = candidate->choice;
	out->n++;
	return true;
}

bool compose_sweep_run(struct compose_sweep *sweep, struct compose_points *out)
{
	assert(sweep->n_metric >= 1 && sweep->n_sum <= sweep->n_metric);
	out->n = 0;
	dominance_reset(&sweep->seen, sweep->n_metric - 1);
	start_runs(sweep);
	while (sweep->n_heap > 0) {
		if (!gather_group(sweep))
			return false;
		/* Sorted, an equal point or a dominating one comes before what it makes superfluous. */
		if (sweep->n_group > 1)
			qsort(sweep->group, sweep->n_group, sizeof *sweep->group, compare_candidate);
		for (size_t i = 0; i < sweep->n_group; i++) {
			const struct compose_candidate *candidate = &sweep->group[i];
			if (!dominance_covers(&sweep->seen, candidate->metric + 1) && !keep(sweep, candidate, out))
				return false;
		}
	}
	return true;
}
