/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/network/form.h"

const char *const conv_form_name[N_CONV_FORM] = {"conv", "packed", "matmul", "tight"};

bool block_has_forms(const struct block *block)
{
	return block->kind == BLOCK_CONV && block->kernel_w == 1 && block->kernel_h == 1 && block_n_group(block) == 1 &&
	       block_padded_w(block) == block->in_w && block_padded_h(block) == block->in_h;
}

bool block_skips_pixels(const struct block *block)
{
	if (block->kind != BLOCK_CONV)
		return false;
	uint32_t reach_w = block_reach_w(block), reach_h = block_reach_h(block);
	return (reach_w < block->stride && reach_w < block_padded_w(block)) ||
	       (reach_h < block->stride && reach_h < block_padded_h(block));
}

bool block_allows_form(const struct block *block, const bool allowed[N_CONV_FORM], enum conv_form form)
{
	bool has_forms = block_has_forms(block), skips = block_skips_pixels(block);
	if (form == FORM_TIGHT)
		return skips && allowed[FORM_TIGHT];
	if (form != FORM_CONV)
		return has_forms && allowed[form];
	if (allowed[FORM_CONV])
		return true;
	return skips ? !has_forms && !allowed[FORM_TIGHT] : !has_forms || allowed[FORM_TIGHT];
}
