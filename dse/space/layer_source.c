/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/layer_source.h"
#include <assert.h>

void layer_find_sources(const struct network *network, struct layer_source *source)
{
	size_t latest = LAYER_NO_SOURCE, held = LAYER_NO_SOURCE;
	assert(network && source);
	for (size_t i = 0; i < network->n_block; i++) {
		const struct block *block = &network->block[i];
		const size_t of[] = {[INPUT_LATEST] = latest, [INPUT_HELD] = held, [INPUT_DRAM] = LAYER_NO_SOURCE};
		source[i].ifmap = of[block->input];
		source[i].added = block->has_mat_ele ? of[block->added] : LAYER_NO_SOURCE;
		held = block->hold ? latest : held;
		latest = i;
	}
}

bool layer_is_result(const struct layer_source *source, size_t n_block, size_t i)
{
	bool is_read = false;
	assert(source && i < n_block);
	for (size_t k = i + 1; k < n_block && !is_read; k++)
		is_read = source[k].ifmap == i || source[k].added == i;
	return !is_read;
}
