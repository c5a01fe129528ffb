/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RANDOM_SYSTOLIC_H
#define TESTS_RANDOM_SYSTOLIC_H
/* Random systolic arrays and random tiled layers for them. */
#include "tests/support/unit_test.h"
#include "sim/base/rng.h"
#include "sim/machine/machine_check.h"
#include "sim/machine/machine_param.h"
#include "sim/systolic/systolic_model.h"
#include <math.h>
#include <stdio.h>

static inline double random_scale(struct rng *rng, double least, double most)
{
	return least * pow(most / least, rng_unit(rng));
}

/* Arrays of up to side x side PEs, buffers of up to so many bytes, slow and fast memories. */
static inline struct machine random_array(struct rng *rng, uint32_t side, uint32_t buffer_byte)
{
	struct machine machine;
	machine_init(&machine, MACHINE_SYSTOLIC);
	snprintf(machine.name, sizeof(machine.name), "array");
	machine.systolic.rows = 1 + rng_below(rng, side);
	machine.systolic.cols = 1 + rng_below(rng, side);
	machine.systolic.word_byte = 1 + rng_below(rng, 4);
	machine.systolic.ifmap_byte = (uint32_t)random_scale(rng, buffer_byte / 50.0, buffer_byte);
	machine.systolic.filter_byte = (uint32_t)random_scale(rng, buffer_byte / 50.0, buffer_byte);
	machine.systolic.ofmap_byte = (uint32_t)random_scale(rng, buffer_byte / 50.0, buffer_byte);
	machine.systolic.memory_gb_s = random_scale(rng, 0.01, 100);
	machine.n_level = 2;
	for (uint32_t i = 0; i < 2; i++)
		machine.level[i] = (struct operating_point){.vdd_v = 0.5 + 0.1 * i,
		                                            .clk_mhz = 100 + 150 * i,
		                                            .mla_clk_pj = 8.5,
		                                            .sram_read32_pj = 4.9,
		                                            .sram_write32_pj = 5.1,
		                                            .pe_static_mw = 0.01,
		                                            .pe_awake_mw = 0.002};
	snprintf(machine.level[0].name, sizeof(machine.level[0].name), "slow");
	snprintf(machine.level[1].name, sizeof(machine.level[1].name), "fast");
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	return machine;
}

/* extent in up to max_tile tiles of one or two sizes. */
static inline struct systolic_dim random_dim(struct rng *rng, uint32_t extent, uint32_t max_tile)
{
	uint32_t n = 1 + rng_below(rng, extent < max_tile ? extent : max_tile);
	if (rng_below(rng, 4) == 0 || n == 1 || extent % n == 0) {
		while (extent % n != 0)
			n--;
		return (struct systolic_dim){extent / n, n, 0, 0};
	}
	/* the last tile takes the rest, or tiles are as even as they can be */
	uint32_t size = extent / n;
	if (rng_below(rng, 2))
		return (struct systolic_dim){size + 1, extent % n, size, n - extent % n};
	size++;
	return (struct systolic_dim){size, extent / size, extent % size, extent % size > 0};
}

/* A layer of w and h up to pixel, c and d up to channel; machine's dataflow does not matter. */
static inline struct systolic_work random_work(struct rng *rng, uint32_t pixel, uint32_t channel, uint32_t max_tile)
{
	struct systolic_work work = {
	    .dataflow = (enum systolic_dataflow)rng_below(rng, SYSTOLIC_ANY),
	    .filter_outside = rng_below(rng, 2),
	    .n_group = rng_below(rng, 3) ? 1 : 1 + rng_below(rng, 4),
	    .kernel_w = 1 + rng_below(rng, 4),
	    .kernel_h = 1 + rng_below(rng, 4),
	    .stride = 1 + rng_below(rng, 5),
	    .dilation = rng_below(rng, 4) == 0 ? 2 + rng_below(rng, 3) : 1,
	    .w = random_dim(rng, 1 + rng_below(rng, pixel), max_tile),
	    .h = random_dim(rng, 1 + rng_below(rng, pixel), max_tile),
	    .c = random_dim(rng, 1 + rng_below(rng, channel), max_tile),
	    .d = random_dim(rng, 1 + rng_below(rng, channel), max_tile),
	};
	if (rng_below(rng, 4) == 0) {
		struct systolic_dim *const dim[] = {&work.w, &work.h};
		work.pool = 2 + rng_below(rng, 2);
		for (int i = 0; i < 2; i++) {
			dim[i]->size_a *= work.pool;
			dim[i]->size_b *= work.pool;
		}
	}
	/* the last output ends inside, before the end, or reaches past it */
	uint32_t last_w = (uint32_t)(systolic_dim_extent(&work.w) - 1) * work.stride;
	uint32_t last_h = (uint32_t)(systolic_dim_extent(&work.h) - 1) * work.stride;
	uint32_t shift_w = rng_below(rng, 2 * work.stride), shift_h = rng_below(rng, 2 * work.stride);
	work.in_w = last_w + systolic_reach_w(&work) + shift_w;
	work.in_h = last_h + systolic_reach_h(&work) + shift_h;
	if (work.in_w >= systolic_reach_w(&work) + work.stride - 1)
		work.in_w -= work.stride - 1;
	if (work.in_h >= systolic_reach_h(&work) + work.stride - 1)
		work.in_h -= work.stride - 1;
	return work;
}

#endif
