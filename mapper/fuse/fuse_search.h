/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_FUSE_SEARCH_H
#define MAPPER_FUSE_SEARCH_H
/*
 * Which blocks of a network are fused, and what stays in storage QPEs: the plan with the least DRAM traffic. Exact over
 * all groupings, tiles, resident weights and places, by dynamic programming: from block to block, for each set of
 * results that lie in storage QPEs and are still to be read, the best way to get there.
 *
 * A block that is not fused counts with the least that any mapping of it can have: each tensor read or written once.
 * A result may stay in storage QPEs until its last reader that finds it as the latest or the held one
 * (struct block), as long as all that stays there, and what a step writes there, fits.
 */
#include "mapper/fuse/fuse_group.h"
#include "sim/base/arena.h"

struct fuse_wish {
	const struct machine *machine;         /* with PEs */
	uint32_t operand_bit;                  /* 8 or 16 */
	uint32_t max_block;                    /* of a group, 1..FUSE_MAX_BLOCK; 1: layer by layer */
	double more_mac_frac, least_busy_frac; /* as in struct fuse_question */
	const struct stop *stop;               /* NULL: a signal */
};

/* A block alone, or a group. */
struct fuse_step {
	size_t first;
	uint32_t n;            /* 1: alone; cost has no tile then */
	bool out_storage;      /* the result stays; it may be written to DRAM as well */
	struct fuse_cost cost; /* without what stays in storage QPEs */
};

struct fuse_plan {
	uint32_t n_pe;         /* that compute */
	uint64_t storage_byte; /* of the storage QPEs */
	size_t n_step;
	struct fuse_step *step; /* [n_step], in the arena */
	uint64_t dram_byte, n_mac;
	/* Chains of 2 to max_block blocks by why they are no group; FUSE_OK: they are one, ifmaps in DRAM. */
	size_t n_chain[N_FUSE_REASON];
};

/* ERR_INTERRUPTED; ERR_INTERNAL: no memory; ERR_INFEASIBLE: a systolic array. */
enum err_code fuse_search(const struct network *network, const struct fuse_wish *wish, struct arena *arena,
                          struct fuse_plan *plan, struct err *err);

/* What a block takes alone, nothing in storage QPEs. */
struct fuse_cost fuse_alone(const struct network *network, size_t b, uint32_t operand_bit);

#endif
