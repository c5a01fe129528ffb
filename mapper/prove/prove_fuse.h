/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_PROVE_FUSE_H
#define MAPPER_PROVE_FUSE_H
/*
 * Proof of a fused group: it is run tile by tile on seeded random int8 data. A tile has of each tensor only what
 * fuse_spans says, in a buffer of just that size; its blocks compute from these buffers, and the result is compared,
 * bit for bit, with that of the blocks one after the other, each as a whole (prove_reference).
 */
#include "mapper/fuse/fuse_group.h"
#include "mapper/prove/prove.h"

struct prove_fused {
	bool ran;             /* false: no memory, a tensor of more than PROVE_MAX_VALUE, or more than 2^22 tiles */
	bool is_proved;       /* ran, no fault, every value equal */
	uint64_t n_tile;      /* of all images */
	uint64_t n_different; /* values that differ */
	uint64_t n_fault;     /* tiles in which a block reads beyond what the tile has */
	uint64_t hash;        /* of the result's bytes */
	char fault[PROVE_FAULT_SIZE]; /* of the first such tile; "": none */
};

/* Tiles of these sides, numbers by seed. less_halo: for tests, columns by which ifmap parts of the first block are too
 * narrow. ERR_INTERRUPTED: a signal. */
enum err_code prove_fused_group(const struct fuse_group *group, uint32_t tile_w, uint32_t tile_h, uint32_t less_halo,
                                uint64_t seed, const struct prove_pool *pool, struct prove_fused *result);

#endif
