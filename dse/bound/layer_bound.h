/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_BOUND_H
#define DSE_LAYER_BOUND_H
/*
 * Lower bounds of a layer's metrics over a box of its splits. The search cuts boxes by them (dse/layer/branch.h), the
 * checker of certificates believes them (dse/certify): no design of a box is in any metric below its bound.
 */
#include "dse/space/metric.h"
#include "dse/space/space.h"
#include "mapper/distribute/bound.h"

/* Dimensions of a split, in the order in which splits are told apart. */
enum bound_dim { BOUND_D, BOUND_W, BOUND_H, BOUND_C, N_BOUND_DIM };

/* Of each dimension of a layer what its parts add up to, and of what their sizes are multiples; [N_BOUND_DIM]. */
void bound_extents(const struct layer_context *context, uint32_t *extent, uint32_t *step);

/*
 * Choices first to last - 1 (at least one) of a dimension, which are sorted by number of parts, then size of the
 * largest part, as a range: all splits of these numbers of parts, some of one number, or one split.
 */
struct dim_range bound_range(const struct dim_split *choice, uint32_t first, uint32_t last, uint32_t extent,
                             uint32_t step);

/*
 * Least values [N_METRIC] at an operating point of all designs that a range's bound (mapper_bound_range) is of; of
 * metrics without a bound 0. Energy is what a search sums: less sleep until a deadline. false: no
 * design of the range can be counted there (result_is_counted). with_slower: also of these designs on machines with
 * slower NoC and DRAM clocks whose tasks take no less time (mapper_kernels_serve); without deadline, mixed operating
 * points and fetches ahead.
 */
bool bound_metrics(const struct space *space, const struct layer_context *context, const struct range_bound *bound,
                   uint32_t level, bool with_slower, double *value);

#endif
