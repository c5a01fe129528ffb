/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_INPUT_H
#define DSE_LAYER_INPUT_H
/* Which layers of a network a layer reads, and which results nobody reads: those are the network's. */
#include "mapper/network/network.h"

/* Which blocks' results a block reads, where they may lie in storage QPEs; LAYER_INPUT_NONE: it comes from DRAM. */
#define LAYER_INPUT_NONE SIZE_MAX
struct layer_input {
	size_t ifmap, added;
};
void layer_input_find(const struct network *network, struct layer_input *source /* [n_block] */);

/* Whether block i's result is one of the network's: no other block reads it where it may lie in storage QPEs. Linear.
 */
bool layer_input_is_result(const struct layer_input *source, size_t n_block, size_t i);

#endif
