/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One part of a layer's step. Each point of the layer, added to all partial
 * chains, gives a run; the chains are sorted by their first metric and so is each
 * run. The runs are merged by that metric with a heap, and a point stays when none
 * that came before it is at or below it in the remaining metrics:
 *
 *   run 0: ── · ─ · ── · ───────►
 *   run 1: ──── · ── · ─── · ───►     heap ─► group of equal   ─► seen? ─► out
 *   run 2: ─ · ─── · ────── · ──►             first metric, sorted
 *
 * Points that are dominated already never enter the heap; with two metrics the
 * second one falls along a run, so whole stretches of it are leapt over.
 */
#include "dse/pareto/compose_sweep_parts.h"
#include <assert.h>
#include <stdlib.h>

enum {
	FIRST_ALLOC = 64,
	N_SEED = 4 /* points of a run before the part that may spare it some */
};

void compose_part_free(struct compose_part *part)
{
	free(part->cursor);
	free(part->heap);
	free(part->group);
	dominance_free(&part->seen);
	staircase_free(&part->before);
	compose_points_free(&part->kept);
	*part = (struct compose_part){0};
}

static bool reserve_cursors(struct compose_part *part, size_t n)
{
	if (n <= part->n_alloc)
		return true;
	free(part->cursor);
	free(part->heap);
	part->n_alloc = 0;
	part->cursor = calloc(n, sizeof(*part->cursor));
	part->heap = calloc(n, sizeof(*part->heap));
	if (!part->cursor || !part->heap)
		return false;
	part->n_alloc = n;
	return true;
}

/* The first place of a run whose first metric is not below the key. */
static uint32_t find_key(const struct compose_sweep *sweep, const struct compose_run *run, double key)
{
	size_t low = 0, high = run->from->n;
	assert(high < UINT32_MAX);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compose_run_metric(sweep, run, 0, middle) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

/* The second of two metrics falls along a run: the first place from the cursor on where it is below what was seen. */
static uint32_t leap(const struct compose_sweep *sweep, const struct compose_part *part, const struct compose_run *run,
                     const struct compose_cursor *cursor)
{
	uint32_t low = cursor->at, step = 1, n = cursor->end;
	/* Gallop, then bisect: the place is often near. */
	while (low + step < n) {
		double value = compose_run_metric(sweep, run, 1, low + step - 1);
		if (value < part->seen.least && value <= sweep->bound[1])
			break;
		low += step;
		step *= 2;
	}
	uint32_t high = low + step < n ? low + step - 1 : n;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		double value = compose_run_metric(sweep, run, 1, middle);
		if (value < part->seen.least && value <= sweep->bound[1])
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Whether the run's point is within bounds and not dominated by what was seen. */
static bool is_open(const struct compose_sweep *sweep, const struct compose_part *part, const struct compose_run *run,
                    size_t at)
{
	double metric[COMPOSE_MAX_METRIC];
	for (unsigned i = 1; i < sweep->n_metric; i++) {
		metric[i] = compose_run_metric(sweep, run, i, at);
		if (metric[i] > sweep->bound[i])
			return false;
	}
	return !dominance_covers(&part->seen, metric + 1);
}

/* Bring a cursor to its run's next point, from where it stands on, that may stay; false at the end. */
static bool settle(const struct compose_sweep *sweep, const struct compose_part *part, size_t i)
{
	const struct compose_run *run = &sweep->run[i];
	struct compose_cursor *cursor = &part->cursor[i];
	if (sweep->n_metric == 2)
		cursor->at = leap(sweep, part, run, cursor);
	else
		while (cursor->at < cursor->end && !is_open(sweep, part, run, cursor->at))
			cursor->at++;
	if (cursor->at == cursor->end)
		return false;
	cursor->key = compose_run_metric(sweep, run, 0, cursor->at);
	return cursor->key <= sweep->bound[0];
}

static void sift_down(struct compose_part *part, size_t at)
{
	const struct compose_cursor *cursor = part->cursor;
	uint32_t moved = part->heap[at];
	double key = cursor[moved].key;
	for (size_t child; (child = 2 * at + 1) < part->n_heap; at = child) {
		if (child + 1 < part->n_heap && cursor[part->heap[child + 1]].key < cursor[part->heap[child]].key)
			child++;
		if (cursor[part->heap[child]].key >= key)
			break;
		part->heap[at] = part->heap[child];
	}
	part->heap[at] = moved;
}

/*
 * What the part has seen at first: some points just before it. They are below all of its points in the first metric, so
 * whatever they cover is dominated. Of two metrics the last point of each run is the best there is, and no other part
 * need be asked.
 */
static bool seed(const struct compose_sweep *sweep, struct compose_part *part)
{
	size_t n_seed = sweep->n_metric == 2 ? 1 : N_SEED;
	for (size_t i = 0; i < sweep->n_run && sweep->n_metric >= 2; i++) {
		const struct compose_run *run = &sweep->run[i];
		size_t at = part->cursor[i].at;
		for (size_t k = 0; k < n_seed && at > 0; k++) {
			double metric[COMPOSE_MAX_METRIC];
			at--;
			for (unsigned m = 1; m < sweep->n_metric; m++)
				metric[m] = compose_run_metric(sweep, run, m, at);
			if (!dominance_covers(&part->seen, metric + 1) && !dominance_add(&part->seen, metric + 1))
				return false;
		}
	}
	return true;
}

static bool start_runs(const struct compose_sweep *sweep, struct compose_part *part)
{
	for (size_t i = 0; i < sweep->n_run; i++) {
		const struct compose_run *run = &sweep->run[i];
		part->cursor[i].at = find_key(sweep, run, part->low);
		part->cursor[i].end = find_key(sweep, run, part->high);
	}
	if (!seed(sweep, part))
		return false;
	part->n_heap = 0;
	for (size_t i = 0; i < sweep->n_run; i++)
		if (settle(sweep, part, i))
			part->heap[part->n_heap++] = (uint32_t)i;
	for (size_t i = part->n_heap / 2; i-- > 0;)
		sift_down(part, i);
	return true;
}

static bool add_candidate(const struct compose_sweep *sweep, struct compose_part *part, uint32_t i)
{
	const struct compose_run *run = &sweep->run[i];
	const struct compose_cursor *cursor = &part->cursor[i];
	if (part->n_group == part->n_group_alloc) {
		size_t n_alloc = part->n_group_alloc ? 2 * part->n_group_alloc : FIRST_ALLOC;
		struct compose_candidate *group = realloc(part->group, n_alloc * sizeof(*group));
		if (!group)
			return false;
		part->group = group;
		part->n_group_alloc = n_alloc;
	}
	struct compose_candidate *candidate = &part->group[part->n_group++];
	for (unsigned k = 0; k < sweep->n_metric; k++)
		candidate->metric[k] = compose_run_metric(sweep, run, k, cursor->at);
	assert(candidate->metric[0] == cursor->key);
	candidate->n_metric = sweep->n_metric;
	candidate->before = run->first + cursor->at;
	candidate->choice = run->choice;
	candidate->rank = run->from->rank[cursor->at];
	return true;
}

/* Take all points of the least first metric out of the runs. */
static bool gather_group(const struct compose_sweep *sweep, struct compose_part *part)
{
	double key = part->cursor[part->heap[0]].key;
	assert(key <= sweep->bound[0] && key >= part->low && key < part->high);
	part->n_group = 0;
	while (part->n_heap > 0 && part->cursor[part->heap[0]].key == key) {
		uint32_t run = part->heap[0];
		if (!add_candidate(sweep, part, run))
			return false;
		part->cursor[run].at++;
		if (!settle(sweep, part, run))
			part->heap[0] = part->heap[--part->n_heap];
		sift_down(part, 0);
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

static bool keep(struct compose_part *part, const struct compose_candidate *candidate, struct compose_points *out)
{
	size_t at = out->n;
	assert(at == 0 || out->metric[0][at - 1] <= candidate->metric[0]);
	if (!compose_points_reserve(out, at + 1) || !dominance_add(&part->seen, candidate->metric + 1))
		return false;
	for (unsigned i = 0; i < candidate->n_metric; i++)
		out->metric[i][at] = candidate->metric[i];
	out->before[at] = candidate->before;
	out->choice[at] = candidate->choice;
	out->n++;
	return true;
}

bool compose_part_run(const struct compose_sweep *sweep, struct compose_part *part, struct compose_points *out)
{
	assert(sweep->n_metric >= 1 && sweep->n_sum <= sweep->n_metric && part->low < part->high);
	out->n = 0;
	dominance_reset(&part->seen, sweep->n_metric - 1);
	if (sweep->n_level > 0 && !dominance_set_levels(&part->seen, sweep->level, sweep->n_level))
		return false;
	if (!reserve_cursors(part, sweep->n_run) || !start_runs(sweep, part))
		return false;
	while (part->n_heap > 0) {
		if (!gather_group(sweep, part))
			return false;
		/* Sorted, an equal point or a dominating one comes before what it makes superfluous. */
		if (part->n_group > 1)
			qsort(part->group, part->n_group, sizeof(*part->group), compare_candidate);
		for (size_t i = 0; i < part->n_group; i++) {
			const struct compose_candidate *candidate = &part->group[i];
			if (!dominance_covers(&part->seen, candidate->metric + 1) && !keep(part, candidate, out))
				return false;
		}
	}
	return true;
}
