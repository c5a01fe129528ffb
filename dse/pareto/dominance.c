/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/dominance.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_LEAF = 32, /* points looked through rather than divided further */
	FIRST_POINT = 1024
};

void dominance_reset(struct dominance *set, unsigned n_dim)
{
	assert(n_dim <= DOMINANCE_MAX_DIM);
	/* The forest's rows have n_dim columns, so its memory serves another number of them only by bytes. */
	if (n_dim != set->n_dim)
		dominance_free(set);
	set->n_dim = n_dim;
	set->n = 0;
	set->least = INFINITY;
	set->n_level = 0;
	staircase_reset(&set->stair);
}

void dominance_free(struct dominance *set)
{
	staircase_free(&set->stair);
	for (size_t i = 0; i < set->n_step_alloc; i++)
		staircase_free(&set->step[i]);
	free(set->step);
	free(set->point);
	free(set->low);
	*set = (struct dominance){0};
}

/* ---- three and more coordinates: a forest of k-d trees ------------------------------------------ */

/*
 * The points are one array. A tree is a range of it: the middle row divides the
 * range by one coordinate, both halves are trees by the next one, and the middle
 * row of `low` holds the least coordinates of the whole range. Trees have N_LEAF
 * times a power of two points, larger ones first, as in a binary counter: when
 * the loose points at the end fill a leaf, it is joined with all neighbours of
 * the same size as it grows, so each point is sorted into log n trees.
 */

static bool at_or_below(const double *a, const double *b, unsigned n_dim)
{
	for (unsigned i = 0; i < n_dim; i++) {
		if (a[i] > b[i])
			return false;
	}
	return true;
}

static bool tree_covers(const struct dominance *set, size_t begin, size_t n, const double *point)
{
	unsigned n_dim = set->n_dim;
	if (n <= N_LEAF) {
		for (size_t i = begin; i < begin + n; i++) {
			if (at_or_below(set->point + i * n_dim, point, n_dim))
				return true;
		}
		return false;
	}
	size_t half = n / 2, middle = begin + half;
	return at_or_below(set->low + middle * n_dim, point, n_dim) &&
	       (at_or_below(set->point + middle * n_dim, point, n_dim) || tree_covers(set, begin, half, point) ||
	        tree_covers(set, middle + 1, n - half - 1, point));
}

static size_t largest_tree(size_t n)
{
	size_t size = N_LEAF;
	assert(n >= N_LEAF);
	while (size <= n / 2)
		size *= 2;
	return size;
}

static bool forest_covers(const struct dominance *set, const double *point)
{
	size_t begin = 0, n_left = set->n;
	while (n_left >= N_LEAF) {
		size_t size = largest_tree(n_left);
		if (tree_covers(set, begin, size, point))
			return true;
		begin += size;
		n_left -= size;
	}
	return tree_covers(set, begin, n_left, point);
}

static void swap_rows(double *a, double *b, unsigned n_dim)
{
	for (unsigned i = 0; i < n_dim; i++) {
		double kept = a[i];
		a[i] = b[i];
		b[i] = kept;
	}
}

/* Bring the row that belongs there by coordinate dim to the middle, no larger ones left, no smaller ones right of it.
 */
static void divide(double *row, size_t n, size_t middle, unsigned dim, unsigned n_dim)
{
	size_t low = 0, high = n - 1;
	while (low < high) {
		double pivot = row[(low + (high - low) / 2) * n_dim + dim];
		size_t left = low, right = high;
		for (;;) {
			while (row[left * n_dim + dim] < pivot)
				left++;
			while (row[right * n_dim + dim] > pivot)
				right--;
			if (left >= right)
				break;
			swap_rows(row + left++ * n_dim, row + right-- * n_dim, n_dim);
		}
		/* Rows up to `right` are at most the pivot, rows from right + 1 on at least. */
		if (middle <= right)
			high = right;
		else
			low = right + 1;
	}
}

static void build_tree(struct dominance *set, size_t begin, size_t n, unsigned dim)
{
	unsigned n_dim = set->n_dim;
	size_t half = n / 2;
	double *low = set->low + (begin + half) * n_dim;
	if (n <= N_LEAF)
		return;
	divide(set->point + begin * n_dim, n, half, dim, n_dim);
	memcpy(low, set->point + begin * n_dim, n_dim * sizeof(*low));
	for (size_t i = begin + 1; i < begin + n; i++) {
		for (unsigned k = 0; k < n_dim; k++)
			low[k] = set->point[i * n_dim + k] < low[k] ? set->point[i * n_dim + k] : low[k];
	}
	build_tree(set, begin, half, (dim + 1) % n_dim);
	build_tree(set, begin + half + 1, n - half - 1, (dim + 1) % n_dim);
}

static bool forest_add(struct dominance *set, const double *point)
{
	if (set->n == set->n_alloc) {
		size_t n_alloc = set->n_alloc ? 2 * set->n_alloc : FIRST_POINT;
		double *rows = realloc(set->point, n_alloc * set->n_dim * sizeof(*rows));
		set->point = rows ? rows : set->point;
		double *low = realloc(set->low, n_alloc * set->n_dim * sizeof(*low));
		set->low = low ? low : set->low;
		if (!rows || !low)
			return false;
		set->n_alloc = n_alloc;
	}
	memcpy(set->point + set->n * set->n_dim, point, set->n_dim * sizeof(*point));
	size_t n = set->n + 1, size = N_LEAF;
	if (n % N_LEAF == 0) {
		/* The lowest bit of the number of leaves says how far the carry goes. */
		while (n % (2 * size) == 0)
			size *= 2;
		build_tree(set, n - size, size, 0);
	}
	return true;
}

/* ---- three coordinates, few values of the last --------------------------------------------------- */

/*
 * A Fenwick tree of staircases (P. Fenwick, "A new data structure for cumulative frequency tables", 1994): points up to
 * a level are those of at most log n_level staircases, and a point is in as many.
 */

bool dominance_set_levels(struct dominance *set, const double *level, size_t n_level)
{
	assert(set->n_dim == 3 && set->n == 0);
	if (n_level > set->n_step_alloc) {
		struct staircase *step = realloc(set->step, n_level * sizeof(*step));
		if (!step)
			return false;
		memset(step + set->n_step_alloc, 0, (n_level - set->n_step_alloc) * sizeof(*step));
		set->step = step;
		set->n_step_alloc = n_level;
	}
	for (size_t i = 0; i < n_level; i++)
		staircase_reset(&set->step[i]);
	set->level = level;
	set->n_level = n_level;
	return true;
}

/* How many levels are at or below a value. */
static size_t count_levels(const struct dominance *set, double value)
{
	size_t low = 0, high = set->n_level;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (set->level[middle] <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool levels_cover(const struct dominance *set, const double *point)
{
	for (size_t n = count_levels(set, point[2]); n > 0; n &= n - 1)
		if (staircase_covers(&set->step[n - 1], point[0], point[1]))
			return true;
	return false;
}

static bool levels_add(struct dominance *set, const double *point)
{
	size_t n = count_levels(set, point[2]);
	assert(n > 0 && set->level[n - 1] == point[2]);
	/* n & -n: the lowest bit */
	for (; n <= set->n_level; n += n & (~n + 1)) {
		struct staircase *step = &set->step[n - 1];
		if (!staircase_covers(step, point[0], point[1]) &&
		    !staircase_add(step, point[0], point[1], 0.0, 0.0, NULL))
			return false;
	}
	return true;
}

/* ---- all ---------------------------------------------------------------------------------------- */

bool dominance_covers(const struct dominance *set, const double *point)
{
	switch (set->n_dim) {
	case 0:
		return set->n > 0;
	case 1:
		return set->least <= point[0];
	case 2:
		return staircase_covers(&set->stair, point[0], point[1]);
	default:
		return set->n_level > 0 ? levels_cover(set, point) : forest_covers(set, point);
	}
}

bool dominance_add(struct dominance *set, const double *point)
{
	bool done = true;
	if (set->n_dim == 1)
		set->least = point[0];
	else if (set->n_dim == 2)
		done = staircase_add(&set->stair, point[0], point[1], 0.0, 0.0, NULL);
	else if (set->n_dim > 2)
		done = set->n_level > 0 ? levels_add(set, point) : forest_add(set, point);
	set->n += done;
	assert(!done || set->n_dim != 1 || set->least < INFINITY);
	return done;
}
