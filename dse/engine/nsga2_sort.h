/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NSGA2_SORT_H
#define DSE_NSGA2_SORT_H
/* The order in which NSGA-II prefers individuals: rank by constrained domination, then crowding distance. */
#include "dse/pareto/nondominated.h"
#include "dse/engine/problem.h"
#include <stdbool.h>
#include <stddef.h>

struct nsga2_sort {
	size_t n_alloc;
	unsigned n_objective;
	struct nondominated memory; /* its arena has the rest, too */
	struct key_item *by_rank;   /* [n_alloc] individuals, rank after rank */
	uint32_t *at;               /* [n_alloc] the feasible, then the infeasible */
	uint32_t *begin;            /* [n_alloc + 1] where each rank begins in by_rank */
	uint32_t *rank;             /* [n_alloc] */
	uint32_t *order;            /* [n_alloc] */
	double *crowding;           /* [n_alloc] */
};

/* Memory for n individuals; false when it is out (nsga2_sort_free is due all the same). */
bool nsga2_sort_init(struct nsga2_sort *sort, size_t n, unsigned n_objective);
void nsga2_sort_free(struct nsga2_sort *sort);

/*
 * Indices [n] of the individuals, best first: feasible before infeasible; the
 * feasible by front, then largest crowding distance; the infeasible by
 * violation; ties by index. Owned by sort, valid until the next call.
 * sort->rank and sort->crowding [n] tell why. Cost: see nondominated_rank.
 */
const uint32_t *nsga2_sort_run(struct nsga2_sort *sort, const struct evaluation *result, size_t n);

#endif
