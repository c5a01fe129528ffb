/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/layer_input.h"
#include <assert.h>

void layer_input_find(const struct network *network, struct layer_input *source)
{
	size_t latest = LAYER_INPUT_NONE, held = LAYER_INPUT_NONE;
	assert(network && source);
	for (size_t i = 0; i < network->n_block; i++) {
		const struct block *block = &network->block[i];
		const size_t of[] = {[INPUT_LATEST] = latest, [INPUT_HELD] = held, [INPUT_DRAM] = LAYER_INPUT_NONE};
		source[i].ifmap = of[block->input];
		source[i].added = block->has_mat_ele ? of[block->added] : LAYER_INPUT_NONE;
		held = block->hold ? latest : held;
		latest = i;
	}
}

bool layer_input_is_result(const struct layer_input *source, size_t n_block, size_t i)
{
	bool is_read = false;
	assert(source && i < n_block);
	for (size_t k = i + 1; k < n_block && !is_read; k++)
		is_read = source[k].ifmap == i || source[k].added == i;
	return !is_read;
}
