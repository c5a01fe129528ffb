/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_BOUND_H
#define MAPPER_BOUND_H
/*
 * Lower bounds on the work of designs: of one split, of a split that is open in some dimensions, and of a range of
 * splits. Searches discard a box of designs when its bound is worse than designs they have.
 */
#include "mapper/split/design.h"
#include "mapper/split/split_range.h"

struct tiling;

/*
 * Least work of all designs that have this one's strategy and places. Their splits equal design->split but for the
 * dimensions in open (enum bound_open), which are free. Infeasible designs count, too. false: no bound is known
 * (pooling).
 */
bool mapper_bound(const struct layer_context *context, const struct layer_design *design, unsigned open,
                  struct least_work *least);

/* mapper_bound with nothing open; tiling of the design's split from tiling_size, gets its sums. */
bool mapper_bound_tiled(const struct layer_context *context, const struct layer_design *design, struct tiling *tiling,
                        struct least_work *least);

/* The bound of a range: a program where the numbers of parts are given, else the least work. */
struct range_bound {
	bool has_program;
	struct program program; /* sram_byte is valid in both cases */
	uint32_t n_worker;      /* PEs that compute, at least (mapper_n_worker); of a systolic array 1 */
	struct least_work work;
};

/*
 * Lower bound on all designs that have this one's strategy, operand and places and a split of the range (design->split
 * is not looked at). The fast tier's price of the program (fast_run_least) or of the work (fast_bound) is not above
 * that of any design of the range. false: none of them runs; the verdict's bytes are then the least that any of them
 * asks for. Input channels are either whole in all of the range or split in all of it. with_program: false: never a
 * program; the work alone is a bound for the event tier, too. No allocation.
 */
bool mapper_bound_range(const struct layer_context *context, const struct layer_design *design,
                        const struct split_range *range, bool with_program, struct range_bound *bound,
                        struct verdict *verdict);

#endif
