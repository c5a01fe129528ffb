/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RANDOM_SYSTOLIC_BLOCK_H
#define TESTS_RANDOM_SYSTOLIC_BLOCK_H
/* Random systolic arrays and blocks for them. */
#include "tests/support/unit_test.h"
#include "sim/machine/machine_check.h"
#include "sim/machine/machine_param.h"
#include "sim/systolic/systolic_work.h"
#include "tests/support/random_block.h"

/* One draw after the other: operands of one expression have no order. */
static inline uint32_t random_buffer(struct rng *rng)
{
	uint32_t byte = random_from(rng, 4, 40);
	return byte << rng_below(rng, 6);
}

/* Up to 8 x 8, with buffers that hold some of the tiles, one to three operating points. */
static inline void random_systolic(struct rng *rng, struct machine *machine)
{
	machine_init(machine, MACHINE_SYSTOLIC);
	snprintf(machine->name, sizeof(machine->name), "array");
	machine->systolic.rows = random_from(rng, 1, 8);
	machine->systolic.cols = random_from(rng, 1, 8);
	machine->systolic.word_byte = random_from(rng, 1, 2);
	machine->systolic.ifmap_byte = random_buffer(rng);
	machine->systolic.filter_byte = random_buffer(rng);
	machine->systolic.ofmap_byte = random_buffer(rng);
	machine->systolic.dataflow = rng_below(rng, 6);
	if (machine->systolic.dataflow > SYSTOLIC_ANY)
		machine->systolic.dataflow = SYSTOLIC_ANY;
	machine->systolic.memory_gb_s = 0.05 * random_from(rng, 1, 60);
	machine->n_level = random_from(rng, 1, 3);
	for (uint32_t i = 0; i < machine->n_level; i++) {
		struct operating_point *point = &machine->level[i];
		snprintf(point->name, sizeof(point->name), "l%u", i);
		point->clk_mhz = 500.0 / (i + 1);
		point->vdd_v = 0.9 / (i + 1);
		point->mla_clk_pj = 15.0 / (i + 1) / (i + 1);
		point->sram_read32_pj = point->sram_write32_pj = rng_below(rng, 3) * 5.0;
		point->pe_static_mw = 0.1 / (i + 1);
		point->pe_awake_mw = rng_below(rng, 3) ? 0 : 0.01;
	}
	assert_int_equal(machine_check(machine, NULL), ERR_OK);
}

/* Convolutions, some in groups, some with a stride beyond their kernel, pooled or added to; products; poolings. */
static inline struct block random_systolic_block(struct rng *rng, uint32_t max_w, uint32_t max_c)
{
	uint32_t kind = rng_below(rng, 8);
	if (kind <= 1)
		return random_matmul(rng, 3 * max_c);
	struct block block = random_conv(rng, max_w, max_c);
	block.has_mat_ele = kind == 2;
	if (kind == 3) {
		block.kind = BLOCK_POOL;
		block.pool = block.groups = block.dilation = 1;
		block.out_c = block.in_c;
		block.out_w = (block.in_w + block.pad_left + block.pad_right - block.kernel_w) / block.stride + 1;
		block.out_h = (block.in_h + block.pad_top + block.pad_bottom - block.kernel_h) / block.stride + 1;
	}
	if (kind == 4 && block.groups <= 1) {
		block.groups = random_from(rng, 2, 4);
		block.in_c *= block.groups;
		block.out_c *= block.groups;
	}
	if (kind == 5 && block.kernel_w == 1 && block.kernel_h == 1 && block.pool == 1) {
		block.stride = 3;
		block.pad_left = block.pad_right = block.pad_top = block.pad_bottom = 0;
		block.in_w = (block.out_w - 1) * 3 + 1;
		block.in_h = (block.out_h - 1) * 3 + 1;
	}
	return block;
}

#endif
