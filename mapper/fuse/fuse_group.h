/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_FUSE_GROUP_H
#define MAPPER_FUSE_GROUP_H
/*
 * Fused groups: consecutive blocks that are run depth first. Each PE takes a tile of the last block's result and
 * computes for it what it needs of all results before, halo included, in its own SRAM:
 *
 *   border tensors (DRAM or storage QPEs)        result (DRAM or storage QPEs)
 *        |  tile and halo                              ^ tile
 *        v                                             |
 *     block 1 ---> block 2 ---> ... ---> block n ------+      in one PE; other PEs have other tiles
 *        ^            ^                     ^
 *        weights: resident in every PE, or streamed to all PEs at once, filters of one round at a time, in each wave
 *
 * PEs go from tile to tile together: n_pe tiles are a wave. Neighbouring tiles share nothing: what their halos have in
 * common is read, and computed, by each of them. Inside a tile a PE goes down in steps of some rows and keeps of each
 * tensor the rows that the next step reads again; a step of all rows keeps nothing.
 */
#include "mapper/network/network.h"
#include "sim/base/stop.h"
#include "sim/machine/machine.h"

#define FUSE_MAX_BLOCK 10
#define FUSE_MAX_BORDER 4
#define FUSE_MAX_TENSOR (FUSE_MAX_BLOCK + FUSE_MAX_BORDER)
#define FUSE_NONE UINT32_MAX

/* Why blocks are no group. One row of fuse_reason_name each. */
enum fuse_reason {
	FUSE_OK,
	FUSE_WORK,    /* a block that is not computed pixel by pixel: products of matrices, rows along pixels */
	FUSE_VIEW,    /* a block reads a view, or a result in another shape */
	FUSE_READ,    /* somebody else reads a result before the last one, or it is the network's */
	FUSE_APART,   /* a block reads nothing that the group reads or computes before it */
	FUSE_BORDER,  /* more than FUSE_MAX_BORDER tensors from outside */
	FUSE_SRAM,    /* no tile fits a PE's SRAM */
	FUSE_IDLE,    /* tiles that fit are too few for the PEs */
	FUSE_COMPUTE, /* tiles that fit compute more again than is allowed */
	FUSE_MEMORY,  /* of this program */
	N_FUSE_REASON
};
extern const char *const fuse_reason_name[N_FUSE_REASON];

/* A tensor as it lies in DRAM; of the batch one image. */
struct fuse_tensor {
	uint32_t producer; /* as in struct block_sources; FUSE_NONE: an input of the block's own */
	uint32_t w, h, c;
	uint32_t first_use, last_use; /* members that read it; of a result from its own on; the last one's: its own */
};

struct fuse_member {
	const struct block *block;
	uint32_t reads, adds; /* index of tensor; adds FUSE_NONE: nothing is added */
};

struct fuse_group {
	const struct network *network;
	size_t first; /* block of the network */
	uint32_t n, n_border, batch;
	struct fuse_member member[FUSE_MAX_BLOCK];  /* [n] */
	struct fuse_tensor tensor[FUSE_MAX_TENSOR]; /* [n_border + n]: from outside, then the members' results */
};

/* Blocks first .. first + n - 1 as a group, 1 <= n <= FUSE_MAX_BLOCK; what else than FUSE_OK leaves *group undefined. A
 * block alone is one if it is computed pixel by pixel. */
enum fuse_reason fuse_group_make(const struct network *network, size_t first, uint32_t n, struct fuse_group *group);

/* ---- what a tile needs ---- */

/* Of a tensor along one side: first to end - 1, inside it; room: with the padding that its readers find around it.
 * Empty: end == first, room 0. */
struct fuse_span {
	uint32_t first, end, room;
};

/*
 * What the tile first .. end - 1 of the last result needs of all tensors [n_border + n], along the width or, is_h, the
 * height. Of several readers the smallest span that has all they need. Where a stride leaves out pixels between two
 * tiles, they are the first one's, so that spans of neighbours leave no gap.
 */
void fuse_spans(const struct fuse_group *group, bool is_h, uint32_t first, uint32_t end, struct fuse_span *span);

/*
 * A step of a tile: rows first .. end - 1 of the last result, those before having been made. reached: by tensor the row
 * up to which there is something, 0 in front of a tile's first step; is moved on. held: of each tensor the rows that
 * lie there during the step; fresh: those of them that are read, or computed, in it.
 */
struct fuse_reached {
	bool has_begun;
	uint32_t end[FUSE_MAX_TENSOR];
};
void fuse_roll(const struct fuse_group *group, bool is_h, uint32_t first, uint32_t end, struct fuse_reached *reached,
               struct fuse_span *held, struct fuse_span *fresh);

/* Spans added up over all tiles of a size along one side, the last of which may be smaller, in steps. */
struct fuse_side {
	uint32_t size, step;             /* 1 <= step <= size */
	uint32_t n_tile, n_step;         /* n_step: of a tile */
	uint64_t sum[FUSE_MAX_TENSOR];   /* of what is fresh, by tensor */
	uint32_t room[FUSE_MAX_TENSOR];  /* the largest that is held */
	uint32_t fresh[FUSE_MAX_TENSOR]; /* the most that is read or computed in a step */
	uint32_t kept[FUSE_MAX_TENSOR];  /* the most that stays from one step to the next */
	uint64_t core[FUSE_MAX_BLOCK];   /* of what the core operation computes, before pooling, by member */
};
void fuse_side_make(const struct fuse_group *group, bool is_h, uint32_t size, uint32_t step, struct fuse_side *side);

/* Sizes worth trying along one side of n results: the least for each number of tiles, largest first. Writes up to max
 * of them; returns how many there are, less than 2 sqrt(n) + 1. */
size_t fuse_sizes(uint32_t n, uint32_t *size, size_t max);

/* The number of rows to try after this one: 1 first (after 0), twice as many, in the end all of a tile's size; 0: none.
 */
uint32_t fuse_next_step(uint32_t step, uint32_t size);

/* ---- what a group costs ---- */

/* What is asked of a group. */
struct fuse_question {
	const struct machine *machine;
	uint32_t n_pe;            /* that compute */
	uint32_t operand_bit;     /* 8 or 16 */
	uint32_t in_storage;      /* bit k: border tensor k lies in storage QPEs */
	double more_mac_frac;     /* multiply-accumulates computed again at most, over what the blocks have */
	double least_busy_frac;   /* of all PEs in all waves of tiles those that have one, at least */
	struct stop_watch *watch; /* who may stop a search */
};

/* Bytes, of all images. */
struct fuse_cost {
	uint32_t tile_w, tile_h, step_h; /* step_h rows at a time */
	uint64_t n_tile, n_wave; /* n_wave: steps of all waves of tiles, in each of which weights are streamed */
	double busy_frac;
	uint32_t resident;                                  /* bit m: weights of member m stay in every PE */
	uint64_t sram_byte;                                 /* of the PE at the time when most lies there */
	uint64_t in_byte, weight_byte, out_byte, dram_byte; /* read, read, the result written, their sum */
	uint64_t n_mac;
};

/*
 * Bytes that lie in a PE's SRAM when it has most of them, tiles of these sides, weights resident (bits of members)
 * or streamed: live tensors in lines of 16 bytes with their padding, of the others the rows that are kept, resident
 * weights, and of the running member its streamed filters of two rounds and the 32-bit results of one.
 */
uint64_t fuse_sram_byte(const struct fuse_group *group, const struct fuse_question *question, const struct fuse_side *w,
                        const struct fuse_side *h, uint32_t resident);

/* The cost of tiles of these sides, whether they fit or not. Along the width a tile is one step. */
struct fuse_cost fuse_cost_of(const struct fuse_group *group, const struct fuse_question *question,
                              const struct fuse_side *w, const struct fuse_side *h, uint32_t resident);

/* Whether a cost is better: fewer DRAM bytes, then fewer multiply-accumulates, then less SRAM. */
bool fuse_is_better(const struct fuse_cost *cost, const struct fuse_cost *than);

/*
 * The best of all tiles (fuse_sizes by fuse_sizes), steps of 1, 2, 4, ... or all rows (fuse_next_step), and choices of
 * resident weights that fit. FUSE_SRAM, FUSE_IDLE, FUSE_COMPUTE: there is none, *cost is untouched. Where the watch
 * says stop, the best so far.
 */
enum fuse_reason fuse_best(const struct fuse_group *group, const struct fuse_question *question,
                           struct fuse_cost *cost);

#endif
