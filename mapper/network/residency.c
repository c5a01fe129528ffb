/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/network/residency.h"
#include <assert.h>

/* The result that a block needs for a shortcut, as its ifmap or to be added; RESIDENCY_NONE when it needs none. */
static uint32_t shortcut_source(const struct network *network, const struct residency *residency, size_t b)
{
	if (residency->adds[b] != RESIDENCY_NONE)
		return residency->adds[b];
	return network->block[b].is_shortcut ? residency->reads[b] : RESIDENCY_NONE;
}

void residency_send_to_dram(struct network *network, uint32_t p)
{
	assert(p <= network->n_block);
	if (p > 0)
		network->block[p - 1].result_to_dram = true;
}

void residency_assign(struct network *network, const struct residency *residency)
{
	uint32_t held = RESIDENCY_NONE;
	for (size_t b = 0; b < network->n_block; b++) {
		uint32_t source = shortcut_source(network, residency, b);
		/* what the latest result is added to need not be held for */
		assert(source == RESIDENCY_NONE || source <= b);
		if (source != RESIDENCY_NONE && source < b)
			residency->end[source] = b + 1;
	}
	for (size_t b = 0; b < network->n_block; b++) {
		struct block *block = &network->block[b];
		uint32_t source = shortcut_source(network, residency, b);
		/* Result b is the latest now. First come keeps the place; a result that finds it taken goes to DRAM. */
		if (held == RESIDENCY_NONE && residency->end[b] > 0) {
			held = (uint32_t)b;
			block->hold = true;
		}
		if (source != RESIDENCY_NONE && source != held && source != b)
			residency_send_to_dram(network, source);
		if (residency->reads[b] == b) {
			block->input = INPUT_LATEST;
		} else if (block->is_shortcut && source != RESIDENCY_NONE && source == held) {
			block->input = INPUT_HELD;
		} else {
			block->input = INPUT_DRAM;
			if (residency->reads[b] != RESIDENCY_NONE)
				residency_send_to_dram(network, residency->reads[b]);
		}
		block->added = block->is_shortcut || source == b            ? INPUT_LATEST
		               : source != RESIDENCY_NONE && source == held ? INPUT_HELD
		                                                            : INPUT_DRAM;
		if (held != RESIDENCY_NONE && residency->end[held] == b + 1) {
			block->release_held = true;
			held = RESIDENCY_NONE;
		}
	}
}
