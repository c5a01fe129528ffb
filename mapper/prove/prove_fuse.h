/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_PROVE_FUSE_H
#define MAPPER_PROVE_FUSE_H
/*
 * Proof of a fused group: it is run tile by tile, step by step on seeded random int8 data. A tile has of each tensor
 * only what fuse_roll says, in a buffer of just that size; its blocks compute what is fresh from these buffers, and the
 * result is compared, bit for bit, with that of the blocks one after the other, each as a whole (prove_reference).
 */
#include "mapper/fuse/fuse_group.h"
#include "mapper/prove/prove.h"

struct prove_fused {
	bool ran;             /* false: no memory, a tensor of more than PROVE_MAX_VALUE, or more than 2^22 tiles */
	bool is_proved;       /* ran, no fault, every value equal */
	uint64_t n_tile;      /* of all images */
	uint64_t n_different; /* values that differ */
	uint64_t n_fault;     /* tiles in which a block reads what the tile does not have */
	uint64_t hash;        /* of the result's bytes */
	char fault[PROVE_FAULT_SIZE]; /* of the first such tile; "": none */
};

/* Planted, for tests of the proof: the first tensor is a column too narrow, or keeps a row too few. */
enum prove_fused_mistake { PROVE_FUSED_RIGHT, PROVE_FUSED_NARROW, PROVE_FUSED_FORGOTTEN };

/* Tiles of these sides, made in steps of so many rows; numbers by seed. ERR_INTERRUPTED: a signal. */
enum err_code prove_fused_group(const struct fuse_group *group, uint32_t tile_w, uint32_t tile_h, uint32_t step_h,
                                enum prove_fused_mistake mistake, uint64_t seed, const struct prove_pool *pool,
                                struct prove_fused *result);

#endif
