/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four objectives: points come by their fourth one; each adds the volume that it
 * alone dominates in the first three, its exclusive volume, times how far its
 * fourth objective is from the reference. (A. P. Guerreiro, C. M. Fonseca,
 * "Computing and updating hypervolume contributions in up to four dimensions",
 * 2018, sweep the same way, but walk a linked list of the front each time.)
 *
 * The exclusive volume of p lies in a box, because a point of the front that is
 * at or below p in two objectives bounds it in the third one:
 *
 *   second |   :  q        q is below p in the first objective: nothing beyond
 *          |   +- - - -+   its second one is exclusive to p. What is left of the
 *          |   | p's   |   box is p's, except where points of the front that
 *          |   | box   |   reach into it dominate: a hypervolume in three
 *          |   p.......+r  objectives, of the few points near p.
 *          +--------------- first
 *
 * Two passes over the front find box and points. What they compare are the places
 * of the values in the order of each objective, as 32-bit integers, in plain arrays
 * and without branches: the compiler makes vector code of that, which with doubles
 * it may not. No order of the front has to be kept.
 *
 * Where an objective takes few values there is a shorter way: hypervolume_slice.c.
 */
#include "dse/pareto/hypervolume_parts.h"
#include "dse/base/key_sort.h"
#include "sim/base/arena.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
	N_SMALL = 40, /* points whose staircase is cheaper to keep in a plain array */
	N_WORD = 8    /* flags looked at together */
};

struct front_4d {
	const double *point; /* [n_point][4], all points, by the fourth objective */
	size_t n_point, n;
	int32_t *order[3]; /* [n_point] place of each point by each objective; equal values share one */
	double *value[3];  /* [n_point + 1] the value at each place; the last is the reference's */

	int32_t *place[3]; /* [n] of the points in the front */
	uint32_t *at;      /* [n] which points those are */
	uint8_t *is_near;  /* [n + N_WORD] scratch */
	uint32_t *near;    /* [n_near] points of the front that reach into the box */
	double *row;       /* [n_near][3] the same, cut to the box */
	struct key_item *item;
	struct staircase stair;
	struct arena arena; /* of all but the staircase */
};

static void front_free(struct front_4d *front)
{
	arena_free(&front->arena);
	staircase_free(&front->stair);
}

static bool front_allocate(struct front_4d *front, size_t n)
{
	for (unsigned k = 0; k < 3; k++) {
		front->order[k] = arena_array(&front->arena, n, sizeof(*front->order[k]));
		front->value[k] = arena_array(&front->arena, n + 1, sizeof(*front->value[k]));
		front->place[k] = arena_array(&front->arena, n, sizeof(*front->place[k]));
	}
	front->at = arena_array(&front->arena, n, sizeof(*front->at));
	front->is_near = arena_array(&front->arena, n + N_WORD, 1);
	front->near = arena_array(&front->arena, n, sizeof(*front->near));
	front->row = arena_array(&front->arena, n, 3 * sizeof(*front->row));
	front->item = arena_array(&front->arena, n, 2 * sizeof(*front->item));
	return !front->arena.is_out;
}

static void find_order(struct front_4d *front, unsigned objective, double reference)
{
	size_t n = front->n_point;
	int32_t place = -1;
	struct key_item *item = front->item;
	for (size_t i = 0; i < n; i++)
		item[i] = (struct key_item){key_of_double(front->point[4 * i + objective]), i};
	key_sort(item, item + n, n);
	for (size_t i = 0; i < n; i++) {
		place += i == 0 || item[i].key != item[i - 1].key;
		front->order[objective][item[i].value] = place;
		front->value[objective][place] = double_of_key(item[i].key);
	}
	/* Where nothing bounds a box its corner is at place n, which no value has. */
	front->value[objective][n] = reference;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static int32_t least_of(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

/* The upper corner of p's box; `none`, the reference's place, where nothing bounds it. */
static void find_box(const struct front_4d *front, const int32_t *p, int32_t none, int32_t *corner)
{
	const int32_t *x = front->place[0], *y = front->place[1], *z = front->place[2];
	int32_t px = p[0], py = p[1], pz = p[2];
	size_t n = front->n;
	int32_t low_x = none, low_y = none, low_z = none;
	for (size_t i = 0; i < n; i++) {
		/* All ones where a point is above p. */
		int32_t above_x = -(x[i] > px), above_y = -(y[i] > py), above_z = -(z[i] > pz);
		low_x = least_of(low_x, (x[i] | above_y | above_z) & INT32_MAX);
		low_y = least_of(low_y, (y[i] | above_x | above_z) & INT32_MAX);
		low_z = least_of(low_z, (z[i] | above_x | above_y) & INT32_MAX);
	}
	corner[0] = low_x;
	corner[1] = low_y;
	corner[2] = low_z;
}

static size_t find_near(struct front_4d *front, const int32_t *corner)
{
	const int32_t *restrict x = front->place[0], *restrict y = front->place[1], *restrict z = front->place[2];
	int32_t cx = corner[0], cy = corner[1], cz = corner[2];
	uint8_t *restrict is_near = front->is_near;
	uint32_t *restrict near = front->near;
	size_t n = front->n, n_near = 0;
	for (size_t i = 0; i < n; i++)
		is_near[i] = (x[i] < cx) & (y[i] < cy) & (z[i] < cz);
	memset(is_near + n, 0, N_WORD);
	for (size_t i = 0; i < n; i += N_WORD) {
		uint64_t word;
		memcpy(&word, is_near + i, N_WORD);
		for (size_t k = 0; word > 0 && k < N_WORD; k++) {
			near[n_near] = (uint32_t)(i + k);
			n_near += is_near[i + k];
		}
	}
	return n_near;
}

/* Sort the near points by their third objective and cut them to the box. */
static void cut_to_box(struct front_4d *front, const double *p, size_t n_near)
{
	for (size_t i = 0; i < n_near; i++) {
		uint32_t near = front->near[i];
		assert(near < front->n);
		front->item[i] = (struct key_item){(uint64_t)front->place[2][near], front->at[near]};
	}
	key_sort(front->item, front->item + n_near, n_near);
	for (size_t i = 0; i < n_near; i++) {
		const double *point = front->point + 4 * front->item[i].value;
		for (unsigned k = 0; k < 3; k++)
			front->row[3 * i + k] = most(point[k], p[k]);
	}
}

/*
 * As hypervolume_sweep_3d, for few points. The staircase is a list of rows between
 * two ends that no row covers, the corner's height on the left, its right side.
 */
static double sweep_few(const double *row, size_t n, const double *corner)
{
	enum { HEAD = N_SMALL, TAIL };
	double x[N_SMALL + 2], y[N_SMALL + 2], sum = 0.0;
	unsigned next[N_SMALL + 2];
	assert(n <= N_SMALL);
	x[HEAD] = -INFINITY;
	y[HEAD] = corner[1];
	next[HEAD] = TAIL;
	x[TAIL] = corner[0];
	y[TAIL] = -INFINITY;
	for (unsigned i = 0; i < n; i++, row += 3) {
		double own_x = row[0], own_y = row[1], gain = 0.0;
		unsigned before = HEAD, at;
		while (x[next[before]] <= own_x)
			before = next[before];
		if (y[before] <= own_y)
			continue;
		double from = own_x, ceiling = y[before];
		for (at = next[before]; y[at] >= own_y; at = next[at]) {
			gain += (x[at] - from) * (ceiling - own_y);
			from = x[at];
			ceiling = y[at];
		}
		gain += (x[at] - from) * (ceiling - own_y);
		sum += gain * (corner[2] - row[2]);
		x[i] = own_x;
		y[i] = own_y;
		next[before] = i;
		next[i] = at;
	}
	return sum;
}

/* What p alone dominates in the box. false when memory is out. */
static bool exclusive_volume(struct front_4d *front, const double *p, const double *corner, size_t n_near, double *out)
{
	double covered = 0.0;
	if (n_near > 0) {
		cut_to_box(front, p, n_near);
		if (n_near <= N_SMALL)
			covered = sweep_few(front->row, n_near, corner);
		else if (!hypervolume_sweep_3d(front->row, n_near, corner, &front->stair, &covered))
			return false;
	}
	/* Rounding may leave less than nothing of a sliver. */
	*out = most((corner[0] - p[0]) * (corner[1] - p[1]) * (corner[2] - p[2]) - covered, 0.0);
	return true;
}

/* Put the point into the front in place of those it dominates, which are all near. */
static void replace(struct front_4d *front, uint32_t at, const int32_t *p, size_t n_near)
{
	int32_t *const *place = front->place;
	/* From the last one on, so that the point moved into a gap is never one still to be looked at. */
	for (size_t i = n_near; i-- > 0;) {
		size_t near = front->near[i];
		if (place[0][near] < p[0] || place[1][near] < p[1] || place[2][near] < p[2])
			continue;
		front->n--;
		front->at[near] = front->at[front->n];
		for (unsigned k = 0; k < 3; k++)
			place[k][near] = place[k][front->n];
	}
	for (unsigned k = 0; k < 3; k++)
		place[k][front->n] = p[k];
	front->at[front->n++] = at;
	assert(front->n <= front->n_point);
}

static bool sweep_4d(struct front_4d *front, const double *reference, double *volume)
{
	int32_t none = (int32_t)front->n_point;
	double sum = 0.0;
	for (unsigned k = 0; k < 3; k++)
		find_order(front, k, reference[k]);
	for (uint32_t i = 0; i < front->n_point; i++) {
		const double *p = front->point + 4 * (size_t)i;
		const int32_t place[3] = {front->order[0][i], front->order[1][i], front->order[2][i]};
		double corner[3], exclusive;
		int32_t corner_place[3];
		find_box(front, place, none, corner_place);
		/* A point at or below p in the other two is so in this one, too: the front covers p. */
		if (corner_place[0] <= place[0])
			continue;
		for (unsigned k = 0; k < 3; k++)
			corner[k] = front->value[k][corner_place[k]];
		size_t n_near = find_near(front, corner_place);
		if (!exclusive_volume(front, p, corner, n_near, &exclusive))
			return false;
		sum += exclusive * (reference[3] - p[3]);
		replace(front, i, place, n_near);
	}
	*volume = sum;
	return true;
}

bool hypervolume_4d(const double *point, size_t n, const double *reference, double *volume)
{
	struct front_4d front = {0};
	double *row = malloc((4 * n + 1) * sizeof(*row));
	size_t n_below = row ? hypervolume_sort(point, n, 4, reference, row) : SIZE_MAX;
	bool done = n_below < INT32_MAX, is_done = false;
	done = done && hypervolume_slices(row, n_below, reference, &is_done, volume);
	front.point = row;
	front.n_point = n_below;
	if (done && !is_done)
		done = front_allocate(&front, n_below) && sweep_4d(&front, reference, volume);
	front_free(&front);
	free(row);
	return done;
}
