/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/staircase.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_STEP = 64,    /* steps per block: one move of memory, a few cache lines */
	FIRST_BLOCK = 2 /* there may be thousands of staircases of a few steps */
};

/* Steps of a staircase: x rises, y falls. */
struct stair_block {
	unsigned n;
	double x[N_STEP], y[N_STEP];
};

void staircase_reset(struct staircase *stair)
{
	stair->n_block = 0;
}

void staircase_free(struct staircase *stair)
{
	free(stair->block);
	free(stair->first_x);
	free(stair->block_at);
	*stair = (struct staircase){0};
}

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
bool staircase_covers(const struct staircase *stair, double x, double y)
{
	size_t at = count_at_or_below(stair->first_x, stair->n_block, x);
	if (at == 0)
		return false;
	const struct stair_block *block = &stair->block[stair->block_at[at - 1]];
	size_t n_left = count_at_or_below(block->x, block->n, x);
	assert(n_left > 0);
	return block->y[n_left - 1] <= y;
}

static bool grow_stairs(struct staircase *stair)
{
	size_t n_alloc = stair->n_block_alloc ? 2 * stair->n_block_alloc : FIRST_BLOCK;
	struct stair_block *block = realloc(stair->block, n_alloc * sizeof(*block));
	stair->block = block ? block : stair->block;
	double *first_x = realloc(stair->first_x, n_alloc * sizeof(*first_x));
	stair->first_x = first_x ? first_x : stair->first_x;
	uint32_t *block_at = realloc(stair->block_at, n_alloc * sizeof(*block_at));
	stair->block_at = block_at ? block_at : stair->block_at;

	if (!block || !first_x || !block_at)
		return false;
	for (size_t i = stair->n_block_alloc; i < n_alloc; i++)
		stair->block_at[i] = (uint32_t)i;
	stair->n_block_alloc = n_alloc;
	return true;
}

/* Make an empty block the at-th one; memory must be there. */
static struct stair_block *open_block(struct staircase *stair, size_t at)
{
	assert(stair->n_block < stair->n_block_alloc && at <= stair->n_block);
	uint32_t fresh = stair->block_at[stair->n_block];
	size_t n_after = stair->n_block - at;

	memmove(stair->block_at + at + 1, stair->block_at + at, n_after * sizeof(*stair->block_at));
	memmove(stair->first_x + at + 1, stair->first_x + at, n_after * sizeof(*stair->first_x));
	stair->block_at[at] = fresh;
	stair->n_block++;
	stair->block[fresh].n = 0;
	return &stair->block[fresh];
}

static void close_block(struct staircase *stair, size_t at)
{
	assert(at < stair->n_block);
	uint32_t closed = stair->block_at[at];
	size_t n_after = stair->n_block - at - 1;

	memmove(stair->block_at + at, stair->block_at + at + 1, n_after * sizeof(*stair->block_at));
	memmove(stair->first_x + at, stair->first_x + at + 1, n_after * sizeof(*stair->first_x));
	stair->block_at[--stair->n_block] = closed;
}

/* The area between the staircase as it was and a new step at height y, from left to right. */
struct gain {
	double x, ceiling; /* how far it is summed, and the old staircase from there on */
	double y, area;
};

static void extend_gain(struct gain *gain, double x, double ceiling)
{
	gain->area += (x - gain->x) * (gain->ceiling - gain->y);
	gain->x = x;
	gain->ceiling = ceiling;
}

/* Drop the steps from the step-th on that are not below gain->y; returns whether the block's end was reached. */
static bool drop_steps(struct stair_block *block, size_t step, struct gain *gain)
{
	size_t end = step;
	for (; end < block->n && block->y[end] >= gain->y; end++)
		extend_gain(gain, block->x[end], block->y[end]);
	size_t n_after = block->n - end;
	if (end > step) {
		memmove(block->x + step, block->x + end, n_after * sizeof(*block->x));
		memmove(block->y + step, block->y + end, n_after * sizeof(*block->y));
		block->n = (unsigned)(step + n_after);
	}
	return n_after == 0;
}

/* Drop the steps right of a new one that it covers: they begin in block `at` and may fill the blocks behind it. */
static void drop_covered(struct staircase *stair, size_t at, size_t step, struct gain *gain)
{
	bool reached_end = drop_steps(&stair->block[stair->block_at[at]], step, gain);
	while (reached_end && at + 1 < stair->n_block) {
		struct stair_block *next = &stair->block[stair->block_at[at + 1]];
		reached_end = drop_steps(next, 0, gain);
		if (reached_end)
			close_block(stair, at + 1);
		else
			stair->first_x[at + 1] = next->x[0];
	}
}

/* How high the staircase is left of a step of block `at`. */
static double ceiling_before(const struct staircase *stair, size_t at, size_t step, double corner_y)
{
	if (step > 0)
		return stair->block[stair->block_at[at]].y[step - 1];
	if (at == 0)
		return corner_y;
	const struct stair_block *before = &stair->block[stair->block_at[at - 1]];
	assert(before->n > 0);
	return before->y[before->n - 1];
}

/* Move the upper half of a full block to a new one behind it. */
static void split_block(struct staircase *stair, size_t at)
{
	struct stair_block *upper = open_block(stair, at + 1);
	struct stair_block *lower = &stair->block[stair->block_at[at]];
	assert(lower->n == N_STEP);
	lower->n = upper->n = N_STEP / 2;
	memcpy(upper->x, lower->x + N_STEP / 2, N_STEP / 2 * sizeof(*upper->x));
	memcpy(upper->y, lower->y + N_STEP / 2, N_STEP / 2 * sizeof(*upper->y));
	stair->first_x[at + 1] = upper->x[0];
}

bool staircase_add(struct staircase *stair, double x, double y, double corner_x, double corner_y, double *area)
{
	if (stair->n_block == stair->n_block_alloc && !grow_stairs(stair))
		return false;
	if (stair->n_block == 0) {
		open_block(stair, 0);
		stair->first_x[0] = x;
	}
	size_t at = count_at_or_below(stair->first_x, stair->n_block, x);
	at -= at > 0;
	struct stair_block *block = &stair->block[stair->block_at[at]];
	size_t step = count_at_or_below(block->x, block->n, x);
	/* A step with the same x lies above, or it would cover the point. */
	step -= step > 0 && block->x[step - 1] == x;
	struct gain gain = {.x = x, .ceiling = ceiling_before(stair, at, step, corner_y), .y = y};
	drop_covered(stair, at, step, &gain);
	assert(step <= block->n && block->n < N_STEP);
	if (area) {
		bool inner = step < block->n, last = at + 1 == stair->n_block;
		extend_gain(&gain, inner ? block->x[step] : last ? corner_x : stair->first_x[at + 1], y);
		*area = gain.area;
	}
	memmove(block->x + step + 1, block->x + step, (block->n - step) * sizeof(*block->x));
	memmove(block->y + step + 1, block->y + step, (block->n - step) * sizeof(*block->y));
	block->x[step] = x;
	block->y[step] = y;
	block->n++;
	stair->first_x[at] = block->x[0];
	if (block->n == N_STEP)
		split_block(stair, at);
	return true;
}

bool staircase_absorb(struct staircase *stair, const struct staircase *other)
{
	assert(stair != other);
	for (size_t i = 0; i < other->n_block; i++) {
		const struct stair_block *block = &other->block[other->block_at[i]];
		for (unsigned step = 0; step < block->n; step++) {
			double x = block->x[step], y = block->y[step];
			if (!staircase_covers(stair, x, y) && !staircase_add(stair, x, y, 0.0, 0.0, NULL))
				return false;
		}
	}
	return true;
}
