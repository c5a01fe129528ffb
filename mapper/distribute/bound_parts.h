/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_BOUND_PARTS_H
#define MAPPER_BOUND_PARTS_H
/* The bound of a range on a systolic array (bound_systolic.c), for bound.c. */
#include "mapper/distribute/bound.h"

/*
 * What no design of a range does less of, feasible or not; see mapper_bound_range. With design->reuse auto of either
 * order. false: no tiles of the range fit (verdict's bytes are then the least that any asks for); *work is set all the
 * same. sram_byte: what their largest tiles take of the buffers at least.
 */
bool bound_systolic_range(const struct layer_context *context, const struct layer_design *design,
                          const struct split_range *range, struct least_work *work, uint64_t *sram_byte,
                          struct verdict *verdict);

#endif
