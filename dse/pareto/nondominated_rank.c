/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranking. Points come in the order of their objectives, so only earlier ones
 * can dominate a point. Who is dominated by a member of one front is so by a
 * member of each better front, so the front of a point is found by bisection
 * (X. Zhang, Y. Tian, R. Cheng, Y. Jin, "An efficient approach to nondominated
 * sorting for evolutionary multiobjective optimization", 2015). What is left is
 * to tell whether a member of one front is at or below the point in objectives
 * 1, 2, ...:
 *
 * - 2 objectives: the member last added is the lowest of its front.
 * - 3 and more, few points (a population): sets of points are rows of bits. Who is
 *   nowhere above a point in one objective is known after one pass over the order
 *   of that objective; who is so in all of them is what these sets share.
 * - 4 and more: the members are looked through, the last one first.
 * - 3, many points: another way, dse/pareto/nondominated_rank3.c.
 */
#include "dse/pareto/nondominated.h"
#include "dse/pareto/nondominated_parts.h"
#include <assert.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* ---- rows of bits ------------------------------------------------------------------------------- */

enum { N_BIT = 512, N_WORD = N_BIT / 64 };

/* Points are numbered in the order of objectives. */
struct nondominated_bits {
	uint64_t below[N_BIT][N_WORD]; /* of each point, those before it that are nowhere above it */
	uint64_t front[N_BIT][N_WORD]; /* of each front, its members */
};

struct nondominated_bits *nondominated_bits(struct arena *arena)
{
	return arena_alloc(arena, sizeof(struct nondominated_bits));
}

/* Take those out of below[] that are above in the objective. */
static void cut_by_objective(struct nondominated *memory, const double *point, size_t stride, unsigned objective,
                             uint32_t n, uint32_t n_word)
{
	uint64_t reached[N_WORD] = {0};
	struct key_item *by_value = memory->scratch;
	for (uint32_t i = 0; i < n; i++)
		by_value[i] = (struct key_item){key_of_double(point[memory->item[i].value * stride + objective]), i};
	key_sort(by_value, memory->scratch + n, n);
	for (uint32_t begin = 0, end; begin < n; begin = end) {
		for (end = begin; end < n && by_value[end].key == by_value[begin].key; end++)
			reached[by_value[end].value / 64] |= (uint64_t)1 << by_value[end].value % 64;
		for (uint32_t i = begin; i < end; i++) {
			for (uint32_t word = 0; word < n_word; word++)
				memory->bits->below[by_value[i].value][word] &= reached[word];
		}
	}
}

/* Find below[] of the n points in memory->item, which are in the order of objectives. */
static void find_below(struct nondominated *memory, const double *point, size_t stride, unsigned n_objective,
                       uint32_t n, uint32_t n_word)
{
	assert(n <= N_BIT && n_word <= N_WORD);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t word = 0; word < n_word; word++) {
			uint32_t first = 64 * word;
			memory->bits->below[i][word] = first + 64 <= i ? UINT64_MAX
			                               : first < i     ? ((uint64_t)1 << (i - first)) - 1
			                                               : 0;
		}
	}
	for (unsigned objective = 1; objective < n_objective; objective++)
		cut_by_objective(memory, point, stride, objective, n, n_word);
}

/* ---- the fronts --------------------------------------------------------------------------------- */

struct ranking {
	struct nondominated *memory;
	const double *point;
	size_t stride;
	unsigned n_objective;
	uint32_t n_word; /* of each row of bits; 0: none are used */
};

static bool bits_cover(const struct ranking *ranking, uint32_t front, uint32_t i)
{
	const uint64_t *below = ranking->memory->bits->below[i], *member = ranking->memory->bits->front[front];
	uint64_t shared = 0;
	for (uint32_t word = 0; word < ranking->n_word; word++)
		shared |= below[word] & member[word];
	return shared != 0;
}

static bool member_covers(const struct ranking *ranking, uint32_t front, const double *row)
{
	for (uint32_t member = ranking->memory->front[front]; member != NONE;
	     member = ranking->memory->before[member]) {
		const double *own = ranking->point + ranking->memory->item[member].value * ranking->stride;
		bool below = true;
		for (unsigned k = 1; k < ranking->n_objective && below; k++)
			below = own[k] <= row[k];
		if (below)
			return true;
	}
	return false;
}

/* Whether a member of the front, all of which come earlier in the order of objectives, is at or below the i-th point.
 */
static bool front_covers(const struct ranking *ranking, uint32_t front, uint32_t i, const double *row)
{
	if (ranking->n_word > 0)
		return bits_cover(ranking, front, i);
	return ranking->n_objective == 1 || member_covers(ranking, front, row);
}

static void open_front(const struct ranking *ranking, uint32_t front)
{
	ranking->memory->front[front] = NONE;
	if (ranking->n_word > 0)
		memset(ranking->memory->bits->front[front], 0, sizeof(ranking->memory->bits->front[front]));
}

/* Add the i-th point of the order to the front. */
static void front_add(const struct ranking *ranking, uint32_t front, uint32_t i, const double *row)
{
	struct nondominated *memory = ranking->memory;
	if (ranking->n_word > 0) {
		memory->bits->front[front][i / 64] |= (uint64_t)1 << i % 64;
	} else if (ranking->n_objective == 2) {
		memory->last[front] = row[1];
	} else if (ranking->n_objective > 3) {
		memory->before[i] = memory->front[front];
		memory->front[front] = i;
	}
}

static bool is_equal(const struct ranking *ranking, const double *a, const double *b)
{
	bool equal = true;
	for (unsigned k = 0; k < ranking->n_objective; k++)
		equal &= a[k] == b[k];
	return equal;
}

/* The first of n fronts that does not cover the i-th point. */
static uint32_t find_front(const struct ranking *ranking, uint32_t n, uint32_t i, const double *row)
{
	uint32_t low = 0;
	while (n > 0) {
		uint32_t half = n / 2;
		bool covered = front_covers(ranking, low + half, i, row);
		low = covered ? low + half + 1 : low;
		n = covered ? n - half - 1 : half;
	}
	return low;
}

/* The same for 2 objectives. The number of steps depends on n only and none of them branches. */
static uint32_t find_front_2(const double *last, uint32_t n, double second)
{
	const double *low = last;
	if (n == 0)
		return 0;
	for (; n > 1; n -= n / 2)
		low += (low[n / 2 - 1] <= second) * (n / 2);
	return (uint32_t)(low - last) + (*low <= second);
}

uint32_t nondominated_rank(struct nondominated *memory, const double *point, size_t stride, unsigned n_objective,
                           const uint32_t *at, size_t n, enum nondominated_equal equal, uint32_t *rank)
{
	bool few = n_objective >= 3 && n <= N_BIT;
	const struct ranking ranking = {memory, point, stride, n_objective, few ? (uint32_t)(n + 63) / 64 : 0};
	const double *previous = NULL;
	uint32_t n_front = 0, low = 0;
	assert(n_objective >= 1 && n_objective <= NONDOMINATED_MAX_OBJECTIVE);
	nondominated_order(memory, point, stride, n_objective, at, n);
	if (n_objective == 3 && !few)
		return nondominated_rank_by_halves(memory, point, stride, n, equal, rank);
	if (few)
		find_below(memory, point, stride, n_objective, (uint32_t)n, ranking.n_word);
	for (uint32_t i = 0; i < n; i++) {
		const double *row = point + memory->item[i].value * stride;
		/* low still is the rank of the one before. */
		if (equal == EQUAL_BEHIND || !previous || !is_equal(&ranking, row, previous)) {
			low = n_objective == 2 ? find_front_2(memory->last, n_front, row[1])
			                       : find_front(&ranking, n_front, i, row);
			if (low == n_front)
				open_front(&ranking, n_front++);
			front_add(&ranking, low, i, row);
		}
		rank[memory->item[i].value] = low;
		previous = row;
		assert(low < n_front && n_front <= n);
	}
	return n_front;
}
