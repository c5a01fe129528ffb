/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RANDOM_DESIGN_H
#define TESTS_RANDOM_DESIGN_H
/* Random blocks of every kind and random designs for them, feasible or not. */
#include "tests/support/random_block.h"

/* Pooling becomes other work of the ARM cores over a map of the result's size. */
static inline void random_arm(struct rng *rng, struct block *block)
{
	block->arm = (enum arm_kind)(1 + rng_below(rng, N_ARM_KIND - 1));
	block->operand = (enum arm_operand)rng_below(rng, 3);
	block->whole = rng_below(rng, 4) == 0 ? rng_below(rng, 8) : 0;
	block->kernel_w = block->kernel_h = block->stride = 1;
	block->in_w = block->out_w;
	block->in_h = block->out_h;
	block->pad_left = block->pad_right = block->pad_top = block->pad_bottom = 0;
	block->has_padd = block->pool_average = false;
}

static inline struct block random_block(struct rng *rng)
{
	uint32_t kind = rng_below(rng, 8);
	if (kind == 0)
		return random_matmul(rng, 600);
	struct block block = random_conv(rng, kind < 4 ? 16 : 60, kind % 2 ? 64 : 16);
	if (kind == 1) {
		block.kind = BLOCK_POOL;
		block.out_c = block.in_c;
		block.groups = 1;
		block.pool = 1;
		block.has_acti = block.has_quan = false;
		block.pool_average = rng_below(rng, 2);
	}
	if (kind == 1 && rng_below(rng, 2))
		random_arm(rng, &block);
	block.has_mat_ele = block.kind == BLOCK_CONV && rng_below(rng, 8) == 0;
	return block;
}

static inline struct layer_design random_design(struct rng *rng, const struct block *block,
                                                const struct machine *machine)
{
	struct layer_design design = {.split = random_split(rng, block, 12)};
	if (block->kind == BLOCK_POOL)
		design.split.d = dim_whole(1);
	design.strategy = (enum strategy)rng_below(rng, N_PE_STRATEGY);
	design.reuse = (enum reuse_operand)rng_below(rng, N_REUSE_OPERAND);
	design.level = rng_below(rng, machine->n_level);
	design.operand_bit = rng_below(rng, 4) ? 8 : 16;
	if (block_has_forms(block))
		design.form = (enum conv_form)rng_below(rng, FORM_TIGHT);
	/* what is drawn is as without tight parts */
	if (block_skips_pixels(block) && design.form == FORM_CONV && block->in_c % 2)
		design.form = FORM_TIGHT;
	design.in_storage = rng_below(rng, 2);
	design.out_storage = rng_below(rng, 2);
	return design;
}

static inline void print_design(const struct layer_context *context, const struct layer_design *design)
{
	const struct block *block = context->block;
	char text[4][64];
	dim_print(&design->split.w, text[0], sizeof(text[0]));
	dim_print(&design->split.h, text[1], sizeof(text[1]));
	dim_print(&design->split.c, text[2], sizeof(text[2]));
	dim_print(&design->split.d, text[3], sizeof(text[3]));
	print_error(
	    "%s on %s in %ux%ux%u kernel %ux%u stride %u groups %u batch %u out %ux%ux%u pool %u, %u bit: %s%s%s w "
	    "%s h %s c %s d %s\n",
	    block->name, context->machine->name, block->in_w, block->in_h, block->in_c, block->kernel_w,
	    block->kernel_h, block->stride, block->groups, block_batch(block), block->out_w, block->out_h, block->out_c,
	    block->pool, design->operand_bit, strategy_table[design->strategy].name,
	    design->in_storage ? " in storage" : "", design->out_storage ? " out storage" : "", text[0], text[1],
	    text[2], text[3]);
}

#endif
