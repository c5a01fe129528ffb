/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/dominance.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_STEP = 64, /* steps per block: one move of memory, a few cache lines */
	FIRST_BLOCK = 16,
	N_LEAF = 32, /* points looked through rather than divided further */
	FIRST_POINT = 1024
};

/* Steps of a staircase: x rises, y falls. */
struct stair_block {
	unsigned n;
	double x[N_STEP], y[N_STEP];
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
	set->n_block = 0;
}

void dominance_free(struct dominance *set)
{
	free(set->block);
	free(set->first_x);
	free(set->block_at);
	free(set->point);
	free(set->low);
	*set = (struct dominance){0};
}

/* ---- two coordinates: a staircase in blocks ----------------------------------------------------- */

/* How many of value[0..n-1], which rise, are at or below the limit. */
static size_t count_at_or_below(const double *value, size_t n, double limit)
{
	size_t low = 0;

	while (n > 0) {
		size_t half = n / 2;
		bool below = value[low + half] <= limit;
		low = below ? low + half + 1 : low;
		n = below ? n - half - 1 : half;
	}
	return low;
}

/* The last step at or left of the point is the lowest of those; only it can cover the point. */
static bool stair_covers(const struct dominance *set, double x, double y)
{
	size_t at = count_at_or_below(set->first_x, set->n_block, x);

	if (at == 0)
		return false;
	const struct stair_block *block = &set->block[set->block_at[at - 1]];
	size_t n_left = count_at_or_below(block->x, block->n, x);
	assert(n_left > 0);
	return block->y[n_left - 1] <= y;
}

static bool stair_grow(struct dominance *set)
{
	size_t n_alloc = set->n_block_alloc ? 2 * set->n_block_alloc : FIRST_BLOCK;
	struct stair_block *block = realloc(set->block, n_alloc * sizeof *block);
	set->block = block ? block : set->block;
	double *first_x = realloc(set->first_x, n_alloc * sizeof *first_x);
	set->first_x = first_x ? first_x : set->first_x;
	uint32_t *block_at = realloc(set->block_at, n_alloc * sizeof *block_at);
	set->block_at = block_at ? block_at : set->block_at;

	if (!block || !first_x || !block_at)
		return false;
	for (size_t i = set->n_block_alloc; i < n_alloc; i++)
		set->block_at[i] = (uint32_t)i;
	set->n_block_alloc = n_alloc;
	return true;
}

/* Make an empty block the at-th one; memory must be there. */
static struct stair_block *open_block(struct dominance *set, size_t at)
{
	assert(set->n_block < set->n_block_alloc && at <= set->n_block);
	uint32_t fresh = set->block_at[set->n_block];
	size_t n_after = set->n_block - at;

	memmove(set->block_at + at + 1, set->block_at + at, n_after * sizeof *set->block_at);
	memmove(set->first_x + at + 1, set->first_x + at, n_after * sizeof *set->first_x);
	set->block_at[at] = fresh;
	set->n_block++;
	set->block[fresh].n = 0;
	return &set->block[fresh];
}

static void close_block(struct dominance *set, size_t at)
{
	assert(at < set->n_block);
	uint32_t closed = set->block_at[at];
	size_t n_after = set->n_block - at - 1;

	memmove(set->block_at + at, set->block_at + at + 1, n_after * sizeof *set->block_at);
	memmove(set->first_x + at, set->first_x + at + 1, n_after * sizeof *set->first_x);
	set->block_at[--set->n_block] = closed;
}

/* Drop the steps from the step-th on whose y is not below the limit; returns whether the block's end was reached. */
static bool drop_steps(struct stair_block *block, size_t step, double limit)
{
	size_t end = step;

	while (end < block->n && block->y[end] >= limit)
		end++;
	size_t n_after = block->n - end;
	memmove(block->x + step, block->x + end, n_after * sizeof *block->x);
	memmove(block->y + step, block->y + end, n_after * sizeof *block->y);
	block->n = (unsigned)(step + n_after);
	return n_after == 0;
}

/* Drop the steps right of (x, y) that it covers: they begin in block `at` and may fill the blocks behind it. */
static void drop_covered(struct dominance *set, size_t at, size_t step, double y)
{
	bool reached_end = drop_steps(&set->block[set->block_at[at]], step, y);

	while (reached_end && at + 1 < set->n_block) {
		struct stair_block *next = &set->block[set->block_at[at + 1]];
		reached_end = drop_steps(next, 0, y);
		if (reached_end)
			close_block(set, at + 1);
		else
			set->first_x[at + 1] = next->x[0];
	}
}

/* Move the upper half of a full block to a new one behind it. */
static void split_block(struct dominance *set, size_t at)
{
	struct stair_block *upper = open_block(set, at + 1);
	struct stair_block *lower = &set->block[set->block_at[at]];

	assert(lower->n == N_STEP);
	lower->n = upper->n = N_STEP / 2;
	memcpy(upper->x, lower->x + N_STEP / 2, N_STEP / 2 * sizeof *upper->x);
	memcpy(upper->y, lower->y + N_STEP / 2, N_STEP / 2 * sizeof *upper->y);
	set->first_x[at + 1] = upper->x[0];
}

static bool stair_add(struct dominance *set, double x, double y)
{
	if (set->n_block == set->n_block_alloc && !stair_grow(set))
		return false;
	if (set->n_block == 0) {
		open_block(set, 0);
		set->first_x[0] = x;
	}
	size_t at = count_at_or_below(set->first_x, set->n_block, x);
	at -= at > 0;
	struct stair_block *block = &set->block[set->block_at[at]];
	size_t step = count_at_or_below(block->x, block->n, x);
	/* A step with the same x lies above, or it would cover the point. */
	step -= step > 0 && block->x[step - 1] == x;
	drop_covered(set, at, step, y);
	assert(step <= block->n && block->n < N_STEP);
	memmove(block->x + step + 1, block->x + step, (block->n - step) * sizeof *block->x);
	memmove(block->y + step + 1, block->y + step, (block->n - step) * sizeof *block->y);
	block->x[step] = x;
	block->y[step] = y;
	block->n++;
	set->first_x[at] = block->x[0];
	if (block->n == N_STEP)
		split_block(set, at);
	return true;
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
	memcpy(low, set->point + begin * n_dim, n_dim * sizeof *low);
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
		double *rows = realloc(set->point, n_alloc * set->n_dim * sizeof *rows);
		set->point = rows ? rows : set->point;
		double *low = realloc(set->low, n_alloc * set->n_dim * sizeof *low);
		set->low = low ? low : set->low;
		if (!rows || !low)
			return false;
		set->n_alloc = n_alloc;
	}
	memcpy(set->point + set->n * set->n_dim, point, set->n_dim * sizeof *point);
	size_t n = set->n + 1, size = N_LEAF;
	if (n % N_LEAF == 0) {
		/* The lowest bit of the number of leaves says how far the carry goes. */
		while (n % (2 * size) == 0)
			size *= 2;
		build_tree(set, n - size, size, 0);
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
		return stair_covers(set, point[0], point[1]);
	default:
		return forest_covers(set, point);
	}
}

bool dominance_add(struct dominance *set, const double *point)
{
	bool done = true;

	if (set->n_dim == 1)
		set->least = point[0];
	else if (set->n_dim == 2)
		done = stair_add(set, point[0], point[1]);
	else if (set->n_dim > 2)
		done = forest_add(set, point);
	set->n += done;
	assert(!done || set->n_dim != 1 || set->least < INFINITY);
	return done;
}
