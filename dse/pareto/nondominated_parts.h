/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NONDOMINATED_PARTS_H
#define DSE_NONDOMINATED_PARTS_H
/* What the files of nondominated.h share; for nobody else. */
#include "dse/pareto/nondominated.h"

/*
 * The filter for points at[0..n-1] of point [][4], ascending, where an objective takes few values; else *is_done is
 * false. keep and *n_kept as filled so far. false when memory is out.
 */
bool nondominated_filter_few(const double *point, const uint32_t *at, size_t n, bool *keep, size_t *n_kept,
                             bool *is_done);

/* Memory for sets that are small enough for rows of bits; NULL when memory is out. */
struct nondominated_bits *nondominated_bits(struct arena *arena);

/* Memory for nondominated_rank_by_halves of up to n points; NULL when memory is out. */
struct nondominated_halves *nondominated_halves(size_t n, struct arena *arena);

/* nondominated_rank for 3 objectives of n > 0 points that memory->item has in order. */
uint32_t nondominated_rank_by_halves(struct nondominated *memory, const double *point, size_t stride, size_t n,
                                     enum nondominated_equal equal, uint32_t *rank);

#endif
