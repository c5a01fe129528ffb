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
 * - 3 objectives: each front keeps the staircase of its members in the other two
 *   objectives, as a search tree; all fronts' trees share one array of nodes, as
 *   a point is in at most one of them.
 * - more: the members are looked through, the last one first.
 * - 3 and more, few points (a population): sets of points are rows of bits. Who is
 *   nowhere above a point in one objective is known after one pass over the order
 *   of that objective; who is so in all of them is what these sets share.
 */
#include "dse/nondominated.h"
#include "dse/nondominated_parts.h"
#include <assert.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* Members of a front by rising y and falling z: a treap, whose nodes have less weight than the nodes above. */
struct stair_node {
	double y, z;
	uint32_t child[2]; /* smaller y, larger y */
	uint32_t weight;
};

struct stair_node *nondominated_nodes(size_t n)
{
	return malloc((n + 1) * sizeof(struct stair_node));
}

/* Any function of the index will do that looks like chance; the result does not depend on it. */
static uint32_t weight_of(uint32_t at)
{
	uint32_t mixed = at * 2654435761u;

	mixed ^= mixed >> 15;
	mixed *= 2246822519u;
	return mixed ^ mixed >> 13;
}

/*
 * Whether a member is at or below (y, z). The one with the largest y up to this is
 * the lowest in z; any other one on the way to it will do.
 */
static bool tree_covers(const struct stair_node *node, uint32_t root, double y, double z)
{
	while (root != NONE) {
		const struct stair_node *at = &node[root];
		bool reached = at->y <= y;
		if (reached & (at->z <= z))
			return true;
		root = at->child[reached];
	}
	return false;
}

/* Cut a tree in two: the members with smaller y or, if by_z, with no smaller z, and the rest. */
static void split_tree(struct stair_node *node, uint32_t root, double y, double z, bool by_z, uint32_t *before,
                       uint32_t *behind)
{
	while (root != NONE) {
		struct stair_node *at = &node[root];
		bool is_before = by_z ? at->z >= z : at->y < y;
		uint32_t **hook = is_before ? &before : &behind;
		**hook = root;
		*hook = &at->child[is_before];
		root = at->child[is_before];
	}
	*before = *behind = NONE;
}

static uint32_t join_trees(struct stair_node *node, uint32_t left, uint32_t right)
{
	uint32_t root = NONE, *hook = &root;

	while (left != NONE && right != NONE) {
		bool left_above = node[left].weight > node[right].weight;
		uint32_t above = left_above ? left : right;
		*hook = above;
		hook = &node[above].child[left_above];
		left = left_above ? *hook : left;
		right = left_above ? right : *hook;
	}
	*hook = left != NONE ? left : right;
	return root;
}

/* Add a member that the tree does not cover; those that it covers in both leave the tree. */
static uint32_t tree_add(struct stair_node *node, uint32_t root, uint32_t added, double y, double z)
{
	uint32_t left, right, covered;

	node[added] = (struct stair_node){y, z, {NONE, NONE}, weight_of(added)};
	split_tree(node, root, y, z, false, &left, &right);
	/* Behind it, z falls: first come those at or above its z. */
	split_tree(node, right, y, z, true, &covered, &right);
	return join_trees(node, join_trees(node, left, added), right);
}

/* ---- rows of bits ------------------------------------------------------------------------------- */

enum { N_BIT = 512, N_WORD = N_BIT / 64 };

/* Points are numbered in the order of objectives. */
struct nondominated_bits {
	uint64_t below[N_BIT][N_WORD]; /* of each point, those before it that are nowhere above it */
	uint64_t front[N_BIT][N_WORD]; /* of each front, its members */
};

struct nondominated_bits *nondominated_bits(size_t n)
{
	(void)n;
	return malloc(sizeof(struct nondominated_bits));
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
	const struct nondominated *memory = ranking->memory;

	if (ranking->n_word > 0)
		return bits_cover(ranking, front, i);
	switch (ranking->n_objective) {
	case 1:
		return true;
	case 3:
		return tree_covers(memory->node, memory->front[front], row[1], row[2]);
	default:
		return member_covers(ranking, front, row);
	}
}

static void open_front(const struct ranking *ranking, uint32_t front)
{
	ranking->memory->front[front] = NONE;
	if (ranking->n_word > 0)
		memset(ranking->memory->bits->front[front], 0, sizeof ranking->memory->bits->front[front]);
}

/* Add the i-th point of the order to the front. */
static void front_add(const struct ranking *ranking, uint32_t front, uint32_t i, const double *row)
{
	struct nondominated *memory = ranking->memory;

	if (ranking->n_word > 0) {
		memory->bits->front[front][i / 64] |= (uint64_t)1 << i % 64;
	} else if (ranking->n_objective == 2) {
		memory->last[front] = row[1];
	} else if (ranking->n_objective == 3) {
		memory->front[front] = tree_add(memory->node, memory->front[front], i, row[1], row[2]);
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
