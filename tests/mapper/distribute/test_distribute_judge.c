/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts against what they mean, number by number: rows that a split cuts, and groups of filters fetched ahead. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/support/sample_design.h"
#include "sim/machine/machine_param.h"

/* The part that holds an index of a dimension. */
static uint32_t part_of(const struct dim_split *dim, uint32_t index)
{
	uint32_t n_large = dim->size_a * dim->n_a;
	return index < n_large ? index / dim->size_a : dim->n_a + (index - n_large) / dim->size_b;
}

/* Whether two neighbours of the same group, so many indices each, lie in different parts. */
static bool cuts(const struct dim_split *dim, uint32_t extent, uint32_t group)
{
	for (uint32_t i = 1; i < extent; i++)
		if (i % group != 0 && part_of(dim, i) != part_of(dim, i - 1))
			return true;
	return false;
}

static struct dim_axis all_splits(uint32_t extent, struct arena *arena)
{
	struct dim_axis axis;
	struct err err = {0};
	assert_int_equal(dim_axis_build(extent, 1, 1, extent, SPLIT_ALL, arena, &axis, &err), ERR_OK);
	return axis;
}

static enum verdict_reason judge(const struct layer_context *context, const struct layer_design *design)
{
	struct program program;
	struct verdict verdict;
	return mapper_distribute(context, design, &program, &verdict) ? VERDICT_OK : verdict.reason;
}

/*
 * A row of softmax goes along the sides in block->whole, in one image. One PE has all of it where no two neighbours of
 * the row are in different parts. Images are parts of their own and cut nothing; nor are rows that lie side by side in
 * the channels one another's neighbours.
 */
static void assert_rows(const struct block *block, const struct machine *machine, const struct dim_axis *w,
                        const struct dim_axis *h, const struct dim_axis *c)
{
	struct layer_context context;
	struct layer_design design = {.split = split_whole(block), .strategy = STRATEGY_FUSION, .operand_bit = 8};
	mapper_prepare(block, machine, 8, &context);
	for (size_t i = 0; i < w->n * h->n * c->n; i++) {
		struct split *split = &design.split;
		split->w = w->choice[i % w->n];
		split->h = h->choice[i / w->n % h->n];
		split->c = c->choice[i / w->n / h->n];
		bool is_cut = ((block->whole & WHOLE_W) && cuts(&split->w, block->out_w, block->out_w)) ||
		              ((block->whole & WHOLE_H) && cuts(&split->h, block->out_h, block->out_h)) ||
		              ((block->whole & WHOLE_C) && cuts(&split->c, block->out_c, block_row_c(block)));
		enum verdict_reason reason = judge(&context, &design);
		if (reason != (is_cut ? VERDICT_ROWS : VERDICT_OK))
			fail_msg("batch %u, whole %u, %u x %u x %u parts: %s", block->batch, block->whole,
			         dim_n_part(&split->w), dim_n_part(&split->h), dim_n_part(&split->c),
			         verdict_table[reason].name);
	}
}

static void test_distribute_judge_rows(void **state)
{
	struct arena arena = {0};
	const struct dim_axis w = all_splits(5, &arena), h = all_splits(4, &arena), c = all_splits(6, &arena);
	struct machine machine;
	(void)state;
	machine_init(&machine, MACHINE_CHIP);
	for (uint32_t whole = 0; whole < 8; whole++) {
		for (uint32_t batch = 1; batch <= 3; batch++) {
			struct block block = sample_arm(ARM_SOFTMAX).block;
			block.in_w = block.out_w = 5;
			block.in_h = block.out_h = 4;
			block.in_c = block.out_c = 6;
			block.whole = whole;
			block.batch = batch;
			for (uint32_t n = 1; n <= 6; n += n == 3 ? 3 : 1) {
				block.row_groups = n;
				assert_rows(&block, &machine, &w, &h, &c);
			}
		}
	}
	arena_free(&arena);
}

/*
 * Filters that were fetched ahead lie in groups of the array's rows. A split suits them where no group has filters of
 * two parts; all splits of some numbers of filters, so also those with several small parts.
 */
static void test_distribute_judge_groups_fetched_ahead(void **state)
{
	unsigned n_suiting = 0, n_refused = 0;
	struct arena arena = {0};
	struct machine machine;
	(void)state;
	machine_init(&machine, MACHINE_CHIP);
	for (uint32_t out_c = 8; out_c <= 36; out_c++) {
		const struct dim_axis axis = all_splits(out_c, &arena);
		struct block block = sample_conv_block(8, 16), next = block;
		struct layer_context context;
		block.out_c = out_c;
		block.pool = 1;
		const struct ahead ahead = {.next = &next, .next_bit = 8, .own_bit = 8};
		struct layer_design design = {.split = split_whole(&block),
		                              .strategy = STRATEGY_FUSION_REUSE,
		                              .operand_bit = 8,
		                              .weight_ahead = AHEAD_ALL};
		mapper_prepare(&block, &machine, 8, &context);
		mapper_set_ahead(&context, &ahead);
		for (size_t i = 0; i < axis.n; i++) {
			design.split.c = axis.choice[i];
			bool suits = !cuts(&design.split.c, out_c, machine.mla_rows);
			enum verdict_reason reason = judge(&context, &design);
			if (reason != (suits ? VERDICT_OK : VERDICT_AHEAD_PARTS))
				fail_msg("%u filters in %u*%u+%u*%u: %s", out_c, design.split.c.size_a,
				         design.split.c.n_a, design.split.c.size_b, design.split.c.n_b,
				         verdict_table[reason].name);
			n_suiting += suits;
			n_refused += !suits;
		}
	}
	assert_true(n_suiting > 100 && n_refused > 100);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_distribute_judge_rows),
	    cmocka_unit_test(test_distribute_judge_groups_fetched_ahead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
