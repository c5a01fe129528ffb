/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/nsga2_sort.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* One record for all sorts: by rank, then key, then, where the key is equal, by further objectives, then index. */
struct nsga2_entry {
	double key;
	uint32_t rank, at;
	const double *objective; /* [n_objective]; not compared when n_objective is 0 */
	unsigned n_objective;
};

bool nsga2_sort_init(struct nsga2_sort *sort, size_t n, unsigned n_objective)
{
	assert(n > 0 && n < NONE);
	sort->n_alloc = n;
	sort->n_objective = n_objective;
	sort->entry = calloc(n, sizeof *sort->entry);
	sort->rank = calloc(n, sizeof *sort->rank);
	sort->last = calloc(n, sizeof *sort->last);
	sort->before = calloc(n, sizeof *sort->before);
	sort->order = calloc(n, sizeof *sort->order);
	sort->crowding = calloc(n, sizeof *sort->crowding);
	return sort->entry && sort->rank && sort->last && sort->before && sort->order && sort->crowding;
}

void nsga2_sort_free(struct nsga2_sort *sort)
{
	free(sort->entry);
	free(sort->rank);
	free(sort->last);
	free(sort->before);
	free(sort->order);
	free(sort->crowding);
	*sort = (struct nsga2_sort){0};
}

static int compare_entry(const void *left, const void *right)
{
	const struct nsga2_entry *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	for (unsigned i = 0; i < a->n_objective; i++) {
		if (a->objective[i] != b->objective[i])
			return a->objective[i] < b->objective[i] ? -1 : 1;
	}
	return a->at < b->at ? -1 : a->at > b->at;
}

/*
 * Whether a member of a front is at or below the individual. Members stand
 * earlier in the order of objectives. Looked at from the last one on, because
 * it is the most likely; with two objectives it is the lowest in the second one
 * and thus the only one that matters.
 */
static bool front_covers(const struct nsga2_sort *sort, const struct evaluation *result, uint32_t front, uint32_t at)
{
	const double *objective = result[at].objective;

	for (uint32_t member = sort->last[front]; member != NONE; member = sort->before[member]) {
		bool below = true;
		for (unsigned i = 0; i < sort->n_objective && below; i++)
			below = result[member].objective[i] <= objective[i];
		if (below || sort->n_objective <= 2)
			return below;
	}
	return false;
}

/* Ranks of the feasible individuals, which entry[0..n-1] lists in the order of objectives; returns how many. */
static uint32_t rank_feasible(struct nsga2_sort *sort, const struct evaluation *result, size_t n)
{
	uint32_t n_front = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t at = sort->entry[i].at, low = 0, n_left = n_front;
		/* Who is covered by a member of a front is covered by one of each better front: bisection. */
		while (n_left > 0) {
			uint32_t middle = low + n_left / 2;
			bool covered = front_covers(sort, result, middle, at);
			low = covered ? middle + 1 : low;
			n_left = covered ? n_left - n_left / 2 - 1 : n_left / 2;
		}
		if (low == n_front)
			sort->last[n_front++] = NONE;
		sort->before[at] = sort->last[low];
		sort->last[low] = at;
		sort->rank[at] = low;
	}
	return n_front;
}

/* A smaller violation dominates a larger one, so the infeasible of one violation share a rank. */
static void rank_all(struct nsga2_sort *sort, const struct evaluation *result, size_t n)
{
	size_t n_feasible = 0;

	for (size_t i = 0; i < n; i++) {
		bool feasible = result[i].violation == 0.0;
		n_feasible += feasible;
		sort->entry[i] = (struct nsga2_entry){.key = result[i].violation,
		                                      .at = (uint32_t)i,
		                                      .objective = result[i].objective,
		                                      .n_objective = feasible ? sort->n_objective : 0};
	}
	qsort(sort->entry, n, sizeof *sort->entry, compare_entry);
	uint32_t rank = rank_feasible(sort, result, n_feasible);
	for (size_t i = n_feasible; i < n; i++) {
		rank += i > n_feasible && sort->entry[i].key > sort->entry[i - 1].key;
		sort->rank[sort->entry[i].at] = rank;
		assert(result[sort->entry[i].at].violation > 0.0);
	}
}

/* Add what one objective contributes to the crowding distances. entry is sorted by rank, then this objective. */
static void add_crowding(struct nsga2_sort *sort, size_t n)
{
	const struct nsga2_entry *entry = sort->entry;

	for (size_t begin = 0, end; begin < n; begin = end) {
		for (end = begin + 1; end < n && entry[end].rank == entry[begin].rank;)
			end++;
		double range = entry[end - 1].key - entry[begin].key;
		sort->crowding[entry[begin].at] = INFINITY;
		sort->crowding[entry[end - 1].at] = INFINITY;
		/* Equal values tell nothing; neither do infinite ones. */
		for (size_t i = begin + 1; i + 1 < end && range > 0.0 && isfinite(range); i++)
			sort->crowding[entry[i].at] += (entry[i + 1].key - entry[i - 1].key) / range;
	}
}

const uint32_t *nsga2_sort_run(struct nsga2_sort *sort, const struct evaluation *result, size_t n)
{
	assert(n <= sort->n_alloc);
	rank_all(sort, result, n);
	for (size_t i = 0; i < n; i++)
		sort->crowding[i] = 0.0;
	for (unsigned objective = 0; objective < sort->n_objective; objective++) {
		size_t n_feasible = 0;
		for (size_t i = 0; i < n; i++) {
			if (result[i].violation == 0.0)
				sort->entry[n_feasible++] = (struct nsga2_entry){
				    .key = result[i].objective[objective], .rank = sort->rank[i], .at = (uint32_t)i};
		}
		qsort(sort->entry, n_feasible, sizeof *sort->entry, compare_entry);
		add_crowding(sort, n_feasible);
	}
	for (size_t i = 0; i < n; i++)
		sort->entry[i] =
		    (struct nsga2_entry){.key = -sort->crowding[i], .rank = sort->rank[i], .at = (uint32_t)i};
	qsort(sort->entry, n, sizeof *sort->entry, compare_entry);
	for (size_t i = 0; i < n; i++)
		sort->order[i] = sort->entry[i].at;
	assert(n < 2 || result[sort->order[0]].violation <= result[sort->order[n - 1]].violation);
	return sort->order;
}
