/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/network/form.h"

const char *const conv_form_name[N_CONV_FORM] = {"conv", "packed", "matmul"};

bool block_has_forms(const struct block *block)
{
	return block->kind == BLOCK_CONV && block->kernel_w == 1 && block->kernel_h == 1 && block_n_group(block) == 1 &&
	       block_padded_w(block) == block->in_w && block_padded_h(block) == block->in_h;
}
