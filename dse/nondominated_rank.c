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

/* Whether a member is at or below (y, z): the one with the largest y up to this is the lowest in z. */
static bool tree_covers(const struct stair_node *node, uint32_t root, double y, double z)
{
	bool covered = false;

	while (root != NONE) {
		const struct stair_node *at = &node[root];
		bool reached = at->y <= y;
		covered = reached ? at->z <= z : covered;
		root = at->child[reached];
	}
	return covered;
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

/* ---- the fronts --------------------------------------------------------------------------------- */

struct ranking {
	struct nondominated *memory;
	const double *point;
	size_t stride;
	unsigned n_objective;
};

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

/* Whether a member of the front, all of which come earlier in the order of objectives, is at or below the point. */
static bool front_covers(const struct ranking *ranking, uint32_t front, const double *row)
{
	const struct nondominated *memory = ranking->memory;

	switch (ranking->n_objective) {
	case 1:
		return true;
	case 2:
		return memory->last[front] <= row[1];
	case 3:
		return tree_covers(memory->node, memory->front[front], row[1], row[2]);
	default:
		return member_covers(ranking, front, row);
	}
}

/* Add the i-th point of the order to the front. */
static void front_add(const struct ranking *ranking, uint32_t front, uint32_t i, const double *row)
{
	struct nondominated *memory = ranking->memory;

	if (ranking->n_objective == 2) {
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

uint32_t nondominated_rank(struct nondominated *memory, const double *point, size_t stride, unsigned n_objective,
                           const uint32_t *at, size_t n, enum nondominated_equal equal, uint32_t *rank)
{
	const struct ranking ranking = {memory, point, stride, n_objective};
	const double *previous = NULL;
	uint32_t n_front = 0, low = 0;

	assert(n_objective >= 1 && n_objective <= NONDOMINATED_MAX_OBJECTIVE);
	nondominated_order(memory, point, stride, n_objective, at, n);
	for (uint32_t i = 0; i < n; i++) {
		const double *row = point + memory->item[i].value * stride;
		/* low still is the rank of the one before. */
		if (equal == EQUAL_BEHIND || !previous || !is_equal(&ranking, row, previous)) {
			uint32_t n_left = n_front;
			for (low = 0; n_left > 0;) {
				uint32_t middle = low + n_left / 2;
				bool covered = front_covers(&ranking, middle, row);
				low = covered ? middle + 1 : low;
				n_left = covered ? n_left - n_left / 2 - 1 : n_left / 2;
			}
			if (low == n_front)
				memory->front[n_front++] = NONE;
			front_add(&ranking, low, i, row);
		}
		rank[memory->item[i].value] = low;
		previous = row;
		assert(low < n_front && n_front <= n);
	}
	return n_front;
}
