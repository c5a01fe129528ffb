/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EMULATE_PARTS_H
#define DSE_EMULATE_PARTS_H
/* Inside the emulator: emulate_check.c trusts nothing of an image, emulate_worker.c may then trust all of it. */
#include "dse/emulate/emulate.h"
#include "sim/base/stop.h"

/*
 * Hold every tile's record against its layer's shape, and note what each is: sizes of patches, padding, weights and
 * biases. All mistakes; ERR_INPUT. dram_check has passed.
 */
enum err_code emulate_check(const char *name, struct emulator *emulator, struct err *err);

/* Depth of a layer's filters: channels of a group; linear: rows of B; else 1. */
uint32_t emulate_depth(const struct dram_layer *layer);

/* Filters of the next group of lanes, from `first` on, of a tile that ends before `end`; numbered in the layer. */
uint32_t emulate_n_lane(const struct dram_shape *shape, uint32_t first, uint32_t end);

/* Pixels that windows reach. */
static inline uint64_t emulate_reach(uint32_t n_out, uint32_t kernel, uint32_t stride, uint32_t dilation)
{
	return (n_out - UINT64_C(1)) * stride + (kernel - UINT64_C(1)) * dilation + 1;
}

/* Whether a tile reads the ifmap, with the padding, that the one before read. */
bool emulate_same_ifmap(const struct dram_tile *tile, const struct dram_tile *before);

/* A worker's tiles in turn; false when it was stopped. */
bool emulate_worker(struct emulator *emulator, uint32_t l, uint32_t p, struct stop_watch *watch);

#endif
