/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SAMPLE_DESIGN_H
#define TESTS_SAMPLE_DESIGN_H
/* Small designs of one block that run on every shipped machine, for tests of what a machine's parameters do. */
#include "mapper/split/design.h"
#include "sim/fast/fast.h"
#include "tests/support/plain_block.h"

/* A design of one block. */
struct sample {
	const char *name;
	struct block block;
	struct layer_design design;
};

/* What changes between two operating points cost, how many voltages there can be at once, and sleep at the least. */
static inline void sample_dvfs(const struct machine *machine, double *switch_ns, double *switch_pj, uint32_t *n_lane,
                               double *sleep_mw)
{
	struct machine many = *machine;
	many.n_level = MACHINE_MAX_LEVEL;
	for (uint32_t i = 0; i < MACHINE_MAX_LEVEL; i++)
		many.level[i] = (struct operating_point){.vdd_v = 0.1 * (i + 1), .pe_static_mw = MACHINE_MAX_LEVEL - i};
	*sleep_mw = energy_sleep_mw(&many);
	*switch_ns = energy_switch_ns(&many, 0, 1);
	*switch_pj = energy_switch_pj(&many, 0, 1);
	*n_lane = 0;
	while (*n_lane < MACHINE_MAX_LEVEL && energy_lanes_suffice(&many, (2u << *n_lane) - 1))
		(*n_lane)++;
}

/* w x w pixels, c channels in and out, every operation of the ARM core but a shortcut's. */
static inline struct block sample_conv_block(uint32_t w, uint32_t c)
{
	struct block block = plain_conv(w, c, c, 3);
	block.pool = 2;
	block.has_acti = block.has_quan = true;
	return block;
}

static inline struct split sample_split(const struct block *block, uint32_t n_w, uint32_t n_h, uint32_t n_c)
{
	struct split split = split_whole(block);
	split.w = equal_parts(block->out_w, n_w);
	split.h = equal_parts(block->out_h, n_h);
	split.c = equal_parts(block->out_c, n_c);
	if (split_check(block, &split, NULL) != ERR_OK)
		fail_msg("%s cannot be split %u x %u x %u", block->name, n_w, n_h, n_c);
	return split;
}

static inline struct sample sample_conv(uint32_t n_w, uint32_t n_h, uint32_t n_c, enum strategy strategy)
{
	struct sample sample = {.name = "conv", .block = sample_conv_block(56, 128)};
	sample.design.split = sample_split(&sample.block, n_w, n_h, n_c);
	sample.design.strategy = strategy;
	sample.design.operand_bit = 8;
	return sample;
}

/* More filters, so that the results fill the storage QPEs. */
static inline struct sample sample_kept(uint32_t out_c)
{
	struct sample sample = sample_conv(2, 7, 32, STRATEGY_FUSION_REUSE);
	sample.name = "kept";
	sample.block.pool = 1;
	sample.block.out_c = out_c;
	sample.design.split.c = equal_parts(out_c, out_c / 4);
	sample.design.out_storage = true;
	return sample;
}

static inline struct sample sample_matmul(void)
{
	struct block block = block_matmul(4, 256, 512);
	block.has_acti = true;
	struct sample sample = {
	    .name = "matmul", .block = block, .design = {.strategy = STRATEGY_FUSION, .operand_bit = 8}};
	sample.design.split = sample_split(&block, 4, 1, 1);
	return sample;
}

static inline struct sample sample_pool(void)
{
	struct sample sample = sample_conv(1, 1, 128, STRATEGY_FUSION);
	sample.name = "pool";
	sample.block.kind = BLOCK_POOL;
	sample.block.pool = 1;
	sample.block.has_acti = sample.block.has_quan = false;
	return sample;
}

/* The ARM cores' other work alone; ARM_POOL: average pooling. Rows are channels, which stay whole. */
static inline struct sample sample_arm(enum arm_kind kind)
{
	static const char *const name[N_ARM_KIND] = {"average", "add", "multiply", "function", "softmax", "norm"};
	struct sample sample = sample_pool();
	struct block *block = &sample.block;
	sample.name = name[kind];
	block->arm = kind;
	block->pool_average = kind == ARM_POOL;
	if (kind == ARM_POOL)
		return sample;
	block->kernel_w = block->kernel_h = 1;
	block->pad_left = block->pad_right = block->pad_top = block->pad_bottom = 0;
	block->has_padd = false;
	block->operand = kind == ARM_ADD ? OPERAND_MAP : kind == ARM_MULTIPLY ? OPERAND_CHANNEL : OPERAND_NONE;
	block->whole = kind == ARM_SOFTMAX || kind == ARM_NORM ? WHOLE_C : 0;
	if (block->whole)
		sample.design.split = sample_split(block, 2, 14, 1);
	return sample;
}

/* A 1x1 convolution with a stride, all pixels of a part as one row. */
static inline struct sample sample_packed(enum strategy strategy)
{
	struct sample sample = sample_conv(2, 14, 32, strategy);
	struct block *block = &sample.block;
	sample.name = "packed";
	block->kernel_w = block->kernel_h = block->pool = 1;
	block->pad_left = block->pad_right = block->pad_top = block->pad_bottom = 0;
	block->has_padd = false;
	block->stride = 2;
	block->in_w = block->in_h = 112;
	sample.design.form = FORM_PACKED;
	return sample;
}

#endif
