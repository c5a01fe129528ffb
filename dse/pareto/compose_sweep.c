/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One layer's step, in parts by the first metric that several threads sweep side
 * by side:
 *
 *   first metric  ├── part 0 ──┼── part 1 ──┼── part 2 ──►
 *                   front of     front of     front of      each by compose_part.c
 *                   its points   its points   its points
 *                       └── seen ──►─┴── seen ──►─┘         what earlier parts have seen drops points of later ones
 *                   kept ─────── kept ─────── kept ──► out
 *
 * No point of a later part dominates one of an earlier part, so what is left of
 * all parts, one behind the other, is the front; it is unique, and so are the
 * bytes. Where parts begin is read off a sample of the points, and how many there
 * are follows from the number of points: neither depends on the threads.
 *
 * Of three metrics, what a part has seen is a staircase of some hundred steps, so
 * each part gets one of all parts before it. Of more, it is all points kept, and
 * the parts are asked in turn; there are few then. Of two, each part knows at its
 * beginning all that the parts before it could tell.
 */
#include "dse/pareto/compose_sweep_parts.h"
#include "dse/base/parallel.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEFAULT_SIZE = 1 << 16, /* some milliseconds of a part */
	MAX_PART_IN_TURN = 4,
	SAMPLES_PER_PART = 32,
	MAX_LEVEL = 1 << 12, /* staircases that a part has at most */
	MAX_SAMPLE = SAMPLES_PER_PART * COMPOSE_MAX_PART
};

void compose_sweep_free(struct compose_sweep *sweep)
{
	for (size_t i = 0; i < COMPOSE_MAX_PART; i++)
		compose_part_free(&sweep->part[i]);
	free(sweep->run);
	free(sweep->level);
	*sweep = (struct compose_sweep){0};
}

bool compose_sweep_reserve(struct compose_sweep *sweep, size_t n)
{
	if (n <= sweep->n_run_alloc)
		return true;
	free(sweep->run);
	sweep->run = calloc(n, sizeof(*sweep->run));
	sweep->n_run_alloc = sweep->run ? n : 0;
	return sweep->run != NULL;
}

/* ---- where parts begin -------------------------------------------------------------------------- */

static int compare_keys(const void *left, const void *right)
{
	const double *a = left, *b = right;
	return (*a > *b) - (*a < *b);
}

/* First metrics of points that are so far apart, counted run after run, into key [MAX_SAMPLE]. */
static size_t sample_keys(const struct compose_sweep *sweep, size_t stride, double *key)
{
	size_t n = 0, at = stride / 2;
	assert(stride > 0);
	for (size_t i = 0; i < sweep->n_run; i++) {
		const struct compose_run *run = &sweep->run[i];
		for (; at < run->from->n && n < MAX_SAMPLE; at += stride)
			key[n++] = compose_run_metric(sweep, run, 0, at);
		at = at < run->from->n ? 0 : at - run->from->n;
	}
	return n;
}

static void cut_parts(struct compose_sweep *sweep)
{
	size_t n_point = 0, size = sweep->part_size > 0 ? sweep->part_size : DEFAULT_SIZE;
	size_t max = sweep->n_metric > 3 ? MAX_PART_IN_TURN : COMPOSE_MAX_PART;
	double key[MAX_SAMPLE];
	for (size_t i = 0; i < sweep->n_run; i++)
		n_point += sweep->run[i].from->n;
	size_t n_part = sweep->n_metric == 1 ? 1 : n_point / size;
	n_part = n_part < 1 ? 1 : n_part > max ? max : n_part;
	size_t n_key = n_part > 1 ? sample_keys(sweep, n_point / (n_part * SAMPLES_PER_PART) + 1, key) : 0;
	qsort(key, n_key, sizeof(*key), compare_keys);
	sweep->n_part = 0;
	double low = -INFINITY;
	for (size_t i = 1; i < n_part && n_key > 0; i++) {
		double high = key[i * n_key / n_part];
		if (high > low && high > key[0]) {
			sweep->part[sweep->n_part].low = low;
			sweep->part[sweep->n_part++].high = high;
			low = high;
		}
	}
	sweep->part[sweep->n_part].low = low;
	sweep->part[sweep->n_part++].high = INFINITY;
	assert(sweep->n_part <= n_part);
}

/* ---- levels of a maximum ------------------------------------------------------------------------ */

static bool add_level(struct compose_sweep *sweep, double value)
{
	if (sweep->n_level == sweep->n_level_alloc) {
		size_t n_alloc = sweep->n_level_alloc ? 2 * sweep->n_level_alloc : MAX_SAMPLE;
		double *level = realloc(sweep->level, n_alloc * sizeof(*level));
		if (!level)
			return false;
		sweep->level = level;
		sweep->n_level_alloc = n_alloc;
	}
	sweep->level[sweep->n_level++] = value;
	return true;
}

/* Sort the levels and drop equal ones. */
static void reduce_levels(struct compose_sweep *sweep)
{
	size_t n = 0;
	if (sweep->n_level > 1)
		qsort(sweep->level, sweep->n_level, sizeof(*sweep->level), compare_keys);
	for (size_t i = 0; i < sweep->n_level; i++)
		if (n == 0 || sweep->level[i] != sweep->level[n - 1])
			sweep->level[n++] = sweep->level[i];
	sweep->n_level = n;
}

/* The values of a metric of a state's chains. */
static bool add_levels_of(struct compose_sweep *sweep, const struct compose_points *from, unsigned metric)
{
	const double *value = from->metric[metric];
	for (size_t at = 0; at < from->n; at++)
		if ((at == 0 || value[at] != value[at - 1]) && !add_level(sweep, value[at]))
			return false;
	return true;
}

/* The values of a maximum that comes last, of chains and of points of the layer. false when memory is out. */
static bool list_levels(struct compose_sweep *sweep)
{
	const struct compose_points *seen[COMPOSE_MAX_STATE];
	const unsigned last = sweep->n_metric - 1;
	size_t n_seen = 0;
	sweep->n_level = 0;
	if (sweep->n_metric != 4 || sweep->n_sum == 4)
		return true;
	for (size_t i = 0; i < sweep->n_run; i++) {
		const struct compose_points *from = sweep->run[i].from;
		size_t k = 0;
		while (k < n_seen && seen[k] != from)
			k++;
		if (!add_level(sweep, sweep->run[i].cost[last]) || (k == n_seen && !add_levels_of(sweep, from, last)))
			return false;
		if (k == n_seen) {
			assert(n_seen < COMPOSE_MAX_STATE);
			seen[n_seen++] = from;
		}
	}
	reduce_levels(sweep);
	sweep->n_level = sweep->n_level > MAX_LEVEL ? 0 : sweep->n_level;
	return true;
}

/* ---- parts side by side ------------------------------------------------------------------------- */

static void sweep_part(void *context, size_t i)
{
	struct compose_sweep *sweep = context;
	struct compose_part *part = &sweep->part[i];
	part->kept.n_metric = sweep->n_metric;
	part->done = compose_part_run(sweep, part, &part->kept);
}

/* Tell each part of three metrics what the parts before it have seen. */
static bool hand_on(struct compose_sweep *sweep)
{
	for (size_t i = 0; i < sweep->n_part && sweep->n_metric == 3; i++) {
		struct compose_part *part = &sweep->part[i];
		staircase_reset(&part->before);
		if (i > 0 && (!staircase_absorb(&part->before, &part[-1].before) ||
		              !staircase_absorb(&part->before, &part[-1].seen.stair)))
			return false;
	}
	return true;
}

static bool is_dominated_before(const struct compose_sweep *sweep, size_t i, const double *metric)
{
	if (sweep->n_metric == 3)
		return staircase_covers(&sweep->part[i].before, metric[0], metric[1]);
	while (i-- > 0)
		if (dominance_covers(&sweep->part[i].seen, metric))
			return true;
	return false;
}

/* Drop what an earlier part dominates. */
static void filter_part(void *context, size_t i)
{
	struct compose_sweep *sweep = context;
	struct compose_points *kept = &sweep->part[i].kept;
	size_t n = 0;
	for (size_t at = 0; at < kept->n; at++) {
		double metric[COMPOSE_MAX_METRIC];
		for (unsigned k = 0; k < sweep->n_metric; k++)
			metric[k] = kept->metric[k][at];
		if (is_dominated_before(sweep, i, metric + 1))
			continue;
		for (unsigned k = 0; k < sweep->n_metric; k++)
			kept->metric[k][n] = metric[k];
		kept->before[n] = kept->before[at];
		kept->choice[n++] = kept->choice[at];
	}
	kept->n = n;
}

static void copy_part(void *context, size_t i)
{
	struct compose_sweep *sweep = context;
	const struct compose_part *part = &sweep->part[i];
	const struct compose_points *kept = &part->kept;
	struct compose_points *out = sweep->out;
	if (kept->n == 0)
		return;
	for (unsigned k = 0; k < sweep->n_metric; k++)
		memcpy(out->metric[k] + part->n_before, kept->metric[k], kept->n * sizeof(*kept->metric[k]));
	memcpy(out->before + part->n_before, kept->before, kept->n * sizeof(*kept->before));
	memcpy(out->choice + part->n_before, kept->choice, kept->n * sizeof(*kept->choice));
}

/* All parts' points, one part behind the other. */
static bool join_parts(struct compose_sweep *sweep)
{
	size_t n = 0;
	for (size_t i = 0; i < sweep->n_part; i++) {
		sweep->part[i].n_before = n;
		n += sweep->part[i].kept.n;
	}
	sweep->out->n = 0;
	if (!compose_points_reserve(sweep->out, n))
		return false;
	parallel_for(sweep->n_part, sweep->n_thread, copy_part, sweep);
	sweep->out->n = n;
	return true;
}

bool compose_sweep_run(struct compose_sweep *sweep, struct compose_points *out)
{
	assert(sweep->n_metric >= 1 && sweep->n_sum <= sweep->n_metric && sweep->n_thread >= 1);
	sweep->out = out;
	if (!list_levels(sweep))
		return false;
	cut_parts(sweep);
	if (sweep->n_part == 1)
		return compose_part_run(sweep, &sweep->part[0], out);
	parallel_for(sweep->n_part, sweep->n_thread, sweep_part, sweep);
	for (size_t i = 0; i < sweep->n_part; i++)
		if (!sweep->part[i].done)
			return false;
	if (sweep->n_metric > 2) {
		if (!hand_on(sweep))
			return false;
		parallel_for(sweep->n_part, sweep->n_thread, filter_part, sweep);
	}
	return join_parts(sweep);
}
