/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PLAIN_BLOCK_H
#define TESTS_PLAIN_BLOCK_H
/* Blocks of which a test says only what it is about, and equal parts of them. */
#include "tests/support/unit_test.h"
#include "mapper/network/network.h"
#include "mapper/split/split.h"

/* A convolution whose ofmap is as large as its ifmap; one image, no groups, no work of the ARM cores but for padding.
 */
static inline struct block plain_conv(uint32_t side, uint32_t in_c, uint32_t out_c, uint32_t kernel)
{
	struct block block = {.name = "CONV_1", .kind = BLOCK_CONV, .number = 1, .in_c = in_c, .out_c = out_c};
	block.in_w = block.in_h = block.out_w = block.out_h = side;
	block.kernel_w = block.kernel_h = kernel;
	block.pad_left = block.pad_right = block.pad_top = block.pad_bottom = kernel / 2;
	block.has_padd = kernel > 1;
	block.stride = block.pool = block.next_pool_stride = 1;
	return block;
}

static inline struct dim_split equal_parts(uint32_t extent, uint32_t n)
{
	assert_int_equal(extent % n, 0);
	return (struct dim_split){.size_a = extent / n, .n_a = n};
}

#endif
