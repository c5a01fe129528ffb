/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/engine/nsga2_sort.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

_Static_assert(sizeof(struct evaluation) % sizeof(double) == 0, "results are ranked as rows of doubles");

enum { STRIDE = sizeof(struct evaluation) / sizeof(double) };

bool nsga2_sort_init(struct nsga2_sort *sort, size_t n, unsigned n_objective)
{
	assert(n > 0 && n < UINT32_MAX);
	*sort = (struct nsga2_sort){.n_alloc = n, .n_objective = n_objective};
	(void)nondominated_init(&sort->memory, n);
	struct arena *arena = &sort->memory.arena;
	sort->by_rank = arena_array(arena, n, sizeof(*sort->by_rank));
	sort->at = arena_array(arena, n, sizeof(*sort->at));
	sort->begin = arena_array(arena, n + 1, sizeof(*sort->begin));
	sort->rank = arena_array(arena, n, sizeof(*sort->rank));
	sort->order = arena_array(arena, n, sizeof(*sort->order));
	sort->crowding = arena_array(arena, n, sizeof(*sort->crowding));
	return !arena->is_out;
}

void nsga2_sort_free(struct nsga2_sort *sort)
{
	nondominated_free(&sort->memory);
	*sort = (struct nsga2_sort){0};
}

/* begin[front] becomes where each front of the feasible begins, begin[n_front] how many they are. */
static void count_ranks(struct nsga2_sort *sort, size_t n_feasible, uint32_t n_front)
{
	uint32_t sum = 0;
	for (uint32_t front = 0; front <= n_front; front++)
		sort->begin[front] = 0;
	for (size_t i = 0; i < n_feasible; i++)
		sort->begin[sort->rank[sort->at[i]]]++;
	for (uint32_t front = 0; front <= n_front; front++) {
		uint32_t n_here = sort->begin[front];
		sort->begin[front] = sum;
		sum += n_here;
	}
	assert(sum == n_feasible);
}

/* Put items front after front, in each front as they stand. */
static void group_by_rank(struct nsga2_sort *sort, const struct key_item *item, size_t n, uint32_t n_front)
{
	uint32_t *begin = sort->begin;
	/* Each front's begin moves up as it is filled, and thus to where the next one begins. */
	for (size_t i = 0; i < n; i++)
		sort->by_rank[begin[sort->rank[item[i].value]]++] = item[i];
	for (uint32_t front = n_front; front > 0; front--)
		begin[front] = begin[front - 1];
	begin[0] = 0;
}

/* Add what one objective contributes to the crowding distances of a front [n] that rises or falls in it. */
static void add_crowding(double *crowding, const struct evaluation *result, const struct key_item *front, size_t n,
                         unsigned objective)
{
	double before = result[front[0].value].objective[objective];
	double range = fabs(result[front[n - 1].value].objective[objective] - before);
	crowding[front[0].value] = INFINITY;
	crowding[front[n - 1].value] = INFINITY;
	/* Equal values tell nothing; neither do infinite ones. */
	if (n < 3 || !(range > 0.0 && isfinite(range)))
		return;
	double own = result[front[1].value].objective[objective];
	for (size_t i = 1; i + 1 < n; i++) {
		double behind = result[front[i + 1].value].objective[objective];
		crowding[front[i].value] += fabs(behind - before) / range;
		before = own;
		own = behind;
	}
}

/* Crowding distances of the feasible, which memory.item has in the order of their objectives. */
static void find_crowding(struct nsga2_sort *sort, const struct evaluation *result, size_t n_feasible, uint32_t n_front)
{
	struct key_item *item = sort->memory.item;
	for (unsigned objective = 0; objective < sort->n_objective; objective++) {
		if (sort->n_objective > 2) {
			for (size_t i = 0; i < n_feasible; i++) {
				uint32_t at = sort->at[i];
				item[i] = (struct key_item){key_of_double(result[at].objective[objective]), at};
			}
			key_sort(item, sort->memory.scratch, n_feasible);
		}
		/* In two objectives a front that rises in the first one falls in the second. */
		if (sort->n_objective > 2 || objective == 0)
			group_by_rank(sort, item, n_feasible, n_front);
		for (uint32_t front = 0; front < n_front; front++) {
			uint32_t begin = sort->begin[front], end = sort->begin[front + 1];
			add_crowding(sort->crowding, result, sort->by_rank + begin, end - begin, objective);
		}
	}
}

static void order_feasible(struct nsga2_sort *sort, size_t n_feasible, uint32_t n_front)
{
	struct key_item *item = sort->memory.item;
	for (size_t i = 0; i < n_feasible; i++)
		item[i] = (struct key_item){key_of_double(-sort->crowding[sort->at[i]]), sort->at[i]};
	group_by_rank(sort, item, n_feasible, n_front);
	for (uint32_t front = 0; front < n_front; front++) {
		uint32_t begin = sort->begin[front], end = sort->begin[front + 1];
		key_sort(sort->by_rank + begin, sort->memory.scratch, end - begin);
	}
	for (size_t i = 0; i < n_feasible; i++)
		sort->order[i] = (uint32_t)sort->by_rank[i].value;
}

/* Rank the infeasible behind all fronts and put them last; those of one violation share a rank. */
static void order_infeasible(struct nsga2_sort *sort, const struct evaluation *result, size_t n_feasible, size_t n,
                             uint32_t rank)
{
	struct key_item *item = sort->memory.item;
	size_t n_infeasible = n - n_feasible;
	for (size_t i = 0; i < n_infeasible; i++) {
		uint32_t at = sort->at[n_feasible + i];
		item[i] = (struct key_item){key_of_double(result[at].violation), at};
	}
	key_sort(item, sort->memory.scratch, n_infeasible);
	for (size_t i = 0; i < n_infeasible; i++) {
		rank += i > 0 && item[i].key > item[i - 1].key;
		sort->rank[item[i].value] = rank;
		sort->order[n_feasible + i] = (uint32_t)item[i].value;
		assert(result[item[i].value].violation > 0.0);
	}
}

const uint32_t *nsga2_sort_run(struct nsga2_sort *sort, const struct evaluation *result, size_t n)
{
	size_t n_feasible = 0, n_infeasible = 0;
	assert(n <= sort->n_alloc);
	for (size_t i = 0; i < n; i++) {
		sort->crowding[i] = 0.0;
		if (result[i].violation == 0.0)
			sort->at[n_feasible++] = (uint32_t)i;
	}
	for (size_t i = 0; i < n && n_feasible < n; i++) {
		if (result[i].violation != 0.0)
			sort->at[n_feasible + n_infeasible++] = (uint32_t)i;
	}
	uint32_t n_front = nondominated_rank(&sort->memory, result->objective, STRIDE, sort->n_objective, sort->at,
	                                     n_feasible, EQUAL_BEHIND, sort->rank);
	count_ranks(sort, n_feasible, n_front);
	find_crowding(sort, result, n_feasible, n_front);
	order_feasible(sort, n_feasible, n_front);
	order_infeasible(sort, result, n_feasible, n, n_front);
	assert(n < 2 || result[sort->order[0]].violation <= result[sort->order[n - 1]].violation);
	return sort->order;
}
