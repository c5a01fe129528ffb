/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_MAPPER_UNFOLD_CHIP_FOLLOWER_H
#define TESTS_MAPPER_UNFOLD_CHIP_FOLLOWER_H
/*
 * Follows a schedule of reuse on the chip step by step and fails the test where an operand is not where it is taken
 * from; what was met and moved is counted. And the designs of the thesis to be followed.
 */
#include "dse/space/space.h"
#include "mapper/network/place.h"
#include "mapper/unfold/unfold_parts.h"

#define FOLLOWER_N_HELD 8 /* filter parts followed in a PE; ours has two buffers */

struct held {
	uint32_t map, filter[FOLLOWER_N_HELD], n_filter; /* the latest filter first */
	uint32_t arrival; /* of this step: the operation that brought the latest, or wrote the last result */
	uint32_t n_task;
};

struct follower {
	const struct layer_context *context;
	const struct layer_design *design;
	struct tiling tiling;
	struct schedule schedule;
	struct place place;
	struct held *pe;
	uint32_t *n_met; /* [n_task of the tiling] */
	uint64_t n_task, weight_byte, map_byte, out_byte, n_weight, n_input, n_rotation, n_ring;
	bool at_barrier;    /* all PEs have been asked, and a migration may follow */
	uint32_t most_task; /* of the busiest PE */
	uint32_t n_buffer;  /* of filters in a PE */
};

/* Unfold a design and follow its schedule to the end. context and design must outlive it. */
void follower_open(struct follower *follower, const struct layer_context *context, const struct layer_design *design);
void follower_close(struct follower *follower);

/* The thesis' chip, networks and splits. */
struct thesis {
	struct split_scheme scheme;
	struct machine machine;
	struct network network[2]; /* VGG-16, ResNet-50 */
};

void thesis_open(struct thesis *thesis);
void thesis_close(struct thesis *thesis);

/* The thesis' split of a block of network 0 or 1, operands of 8 bit, everything in DRAM. */
struct layer_design thesis_design(const struct thesis *thesis, int network, const struct block *block,
                                  enum strategy strategy);

#endif
