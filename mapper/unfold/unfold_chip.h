/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_UNFOLD_CHIP_H
#define MAPPER_UNFOLD_CHIP_H
/*
 * The unfolder of reuse on the chip: which PE holds which parts. Each of its files
 * writes one kind of step and keeps that state up to date:
 *
 *   unfold_chip_filter.c   weight and migration: who has which filter part
 *   unfold_chip_map.c      input: who has which ifmap part
 *   unfold_chip.c          computation, and the order of all steps
 */
#include "mapper/placement/placement.h"
#include "mapper/unfold/unfold_parts.h"

#define CHIP_NONE UINT32_MAX

struct chip {
	const struct unfolding *base;
	uint64_t n_task, fetched_byte; /* run, and fetched for the next block, so far */
	struct chip_assignment assignment;
	struct placement placement;
	uint32_t first_flow; /* operation that is the first of the placement's list */
	uint32_t pass;       /* group of a grouped convolution at work; 0 */
	bool is_source;      /* the thesis' own rules, for a layer they serve; else ours */
	uint32_t n_pe;       /* of a QPE */
	uint32_t n_set; /* QPEs that hold different ifmap parts; each of the others has the parts of one of these */

	/* By PE. */
	uint32_t *map, *filter; /* part held; CHIP_NONE */
	uint32_t *arrival;      /* operation of this step that put there what is passed on, or that it is busy with */
	uint32_t *moved;        /* room for a permutation of filter */
	uint32_t *shift;        /* of the filter that it takes next; CHIP_NONE: none */
	uint32_t *block_of;     /* by QPE: its block; CHIP_NONE */
	uint32_t *start;        /* [n_block * n_qpe] QPEs in the order in which the host starts their tasks */
	bool *done;             /* [n_map][n_c] pairs that have met */
	struct arena memory;    /* that all of these lie in */
};

static inline uint32_t chip_pe(const struct chip *chip, uint32_t qpe, uint32_t z)
{
	return qpe * chip->n_pe + z;
}

/* Start a step; nobody is busy. */
void chip_add_step(struct chip *chip, enum phase phase);

/* Add a transfer that waits for one operation of its step, or for none. */
uint32_t chip_add_transfer(struct chip *chip, enum op_kind kind, enum op_content content, uint32_t pe, uint32_t peer,
                           uint32_t part, uint32_t byte, uint32_t before);

/* Add the index-th transfer of the placement's list to the step, which has nothing else. */
void chip_add_flow(struct chip *chip, const struct flow_op *flow, uint32_t index, enum op_content content,
                   uint32_t part, uint32_t byte);

/* The weight step of filter parts first .. first + n - 1, at most as many as PEs compute. */
void chip_load_filters(struct chip *chip, uint32_t first, uint32_t n);

/* One migration, from every QPE to to[QPE] at once, or in n_step steps of every n_step-th QPE of a cell. */
void chip_migrate(struct chip *chip, const uint32_t *to, uint32_t n_step);

/* The input step of a wave. */
void chip_load_maps(struct chip *chip, uint32_t wave);

#endif
