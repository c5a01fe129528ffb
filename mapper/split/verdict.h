/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_VERDICT_H
#define MAPPER_VERDICT_H
/* The verdict on a design: feasible, or the reason why it is not, with bytes demanded and available. */
#include <stdint.h>

/* Why a design cannot run. One row of verdict_table each. */
enum verdict_reason {
	VERDICT_OK,
	VERDICT_SRAM,        /* a task's operands and results do not fit the PE's SRAM */
	VERDICT_STORAGE,     /* the result does not fit the storage QPEs */
	VERDICT_NO_STORAGE,  /* strategy cannot read from or keep in storage QPEs */
	VERDICT_STRATEGY,    /* strategy does not serve this kind of block or machine */
	VERDICT_INPUT_SPLIT, /* strategy cannot split input channels of this block */
	VERDICT_OPERAND,     /* reuse operand is not available on this machine */
	VERDICT_ROWS,        /* the split cuts rows that an operation of the ARM cores needs in one PE */
	VERDICT_FORM,        /* the block has no such form, or the strategy does not serve it */
	VERDICT_GROUPS, /* the split is of one group's filters where it takes those of all, or the other way round */
	VERDICT_BATCH,  /* the strategy takes one image at a time */
	VERDICT_AHEAD_ROOM,  /* weights fetched ahead and all else together do not fit the storage QPEs */
	VERDICT_AHEAD_PARTS, /* weights fetched ahead lie there in groups of filters, or of a width, that do not suit */
	VERDICT_DATAFLOW,    /* the systolic array cannot keep that operand in its PEs */
	VERDICT_WORD,        /* operands are wider than the systolic array's words */
	VERDICT_IFMAP_BUFFER, /* a tile does not fit its half of the buffer */
	VERDICT_FILTER_BUFFER,
	VERDICT_OFMAP_BUFFER,
	VERDICT_SCALESIM, /* SCALE-Sim's memory model knows whole layers only, no order of tiles, and no dilation */
	VERDICT_CLOCKS,   /* more clocks, words or DRAM bytes than COUNTS_MAX */
	VERDICT_TIER,  /* more tasks, tiles or clocks than the event tier simulates; the messages of a run say which */
	VERDICT_PROOF, /* of proofs: its numbers, or those of a layer that it reads, find no memory */
	VERDICT_DRAM,  /* configurations, constants and activations do not fit the DRAM */
	N_VERDICT
};
struct verdict_info {
	const char *name, *help;
};
extern const struct verdict_info verdict_table[N_VERDICT];

struct verdict {
	enum verdict_reason reason;
	uint64_t demanded, available; /* bytes, where the reason has bytes */
};

#endif
