/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SYSTOLIC_WORK_H
#define SIM_SYSTOLIC_WORK_H
/*
 * What a systolic array is to do in a layer, as plain data: the layer's shape,
 * how it is cut into tiles, in which order these come, and what its buffers keep
 * meanwhile. The mapper writes it, sim/systolic/systolic_model.h prices it.
 *
 *   for each group
 *     for each tile of ofmap pixels (h, then w)      \  or the other way round:
 *       for each tile of filters (c)                 /  filter_outside
 *         for each tile of input channels (d)           partial sums stay in the ofmap buffer
 */
#include "sim/base/reach.h"
#include "sim/machine/machine.h"

/* Tiles along a dimension: n_a of size_a > 0, then n_b of size_b (n_b 0: equal tiles). */
struct systolic_dim {
	uint32_t size_a, n_a, size_b, n_b;
};

struct systolic_work {
	enum systolic_dataflow dataflow; /* not SYSTOLIC_ANY */
	bool filter_outside;             /* a filter tile stays while pixels go by; false: a pixel tile, filters */
	uint32_t n_group;                /* each with all of w, h, c, d; ifmap and filters are those of one group */
	uint32_t in_w, in_h; /* ifmap, padding included; the last output may reach past it by less than stride */
	uint32_t kernel_w, kernel_h, stride;
	uint32_t
	    dilation; /* from one tap to the next in both directions; 0 or 1: no gaps. Pixels in gaps are loaded, too */
	uint32_t pool; /* of pool x pool results the output path lets one through; divides w and h of tiles; 0: all */
	struct systolic_dim w, h; /* pixels of the ofmap */
	struct systolic_dim c, d; /* filters and input channels of a group */
	/* Set by systolic_place. */
	bool ifmap_once;   /* input channels of a pixel tile are loaded with its first filter tile only */
	bool ifmap_unique; /* all of a group's ifmap stays: what tiles share is loaded once */
	bool filter_once;  /* input channels of a filter tile are loaded with its first pixel tile only */
};

/* Ifmap lines from the first to the last tap of a kernel. */
static inline uint32_t systolic_reach_w(const struct systolic_work *work)
{
	return kernel_reach(work->kernel_w, work->dilation);
}

static inline uint32_t systolic_reach_h(const struct systolic_work *work)
{
	return kernel_reach(work->kernel_h, work->dilation);
}

static inline uint32_t systolic_dim_n(const struct systolic_dim *dim)
{
	return dim->n_a + dim->n_b;
}

/* Results that become one word. */
static inline uint64_t systolic_pool_area(const struct systolic_work *work)
{
	return work->pool > 1 ? (uint64_t)work->pool * work->pool : 1;
}

static inline uint64_t systolic_dim_extent(const struct systolic_dim *dim)
{
	return (uint64_t)dim->size_a * dim->n_a + (uint64_t)dim->size_b * dim->n_b;
}

#endif
