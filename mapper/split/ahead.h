/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_AHEAD_H
#define MAPPER_AHEAD_H
/*
 * Weights fetched ahead (prefetch): while a convolution runs, the DRAM interfaces, which
 * have little to do once its operands are in the PEs, load weights of the next
 * one into storage QPEs. The next convolution copies them from there over the NoC;
 * if only half of them were fetched, it loads the other half from DRAM meanwhile.
 *
 *   block i    weight | input | computation ........ | ARM ....
 *              DRAM             :.. weights of i + 1 ..:     -> storage QPEs
 *   block i+1                                                   weight | input | ...
 *                                            storage QPEs -> PEs
 *
 * How much lies there does not depend on either block's split: filters lie in
 * groups of MAC-array rows, as the array takes them, once. So neighbouring blocks
 * are coupled only by the amount that is fetched. Weights of grouped convolutions,
 * which each block of QPEs loads for itself, are few and never fetched ahead.
 */
#include "mapper/network/network.h"
#include "sim/machine/machine.h"

enum ahead_portion {
	AHEAD_NONE,
	AHEAD_HALF, /* of what each storage QPE's double block of QPEs gets, the first half of the filters */
	AHEAD_ALL,
	AHEAD_N
};
extern const char *const ahead_name[AHEAD_N]; /* "no", "half", "all" */

/* What of its neighbours a block's design has to know; {0}: nothing is fetched ahead. Plain data. */
struct ahead {
	const struct block *next; /* whose weights may be fetched while the block runs; NULL: none */
	uint32_t next_bit;        /* their operand width, 8 or 16 */
	uint32_t own_bit;         /* width in which the block's own weights are fetched ahead; 0: they never are */
	/* Pixels of a result that is held while the block runs and that it neither reads nor adds; 0: there is none. */
	uint64_t held_pixel;
};

/*
 * Fetching ahead around block b of a network when operands have these widths:
 * own_bit is 0 where there is no convolution before b, next is NULL where none
 * comes after. Linear in b.
 */
struct ahead ahead_around(const struct network *network, size_t b, uint32_t own_bit, uint32_t next_bit);

/* Whether a block reads, or adds, the result that is held while it runs. */
bool ahead_reads_held(const struct block *block);

/* Whether two blocks with equal parameters have equal surroundings, on any machine. */
bool ahead_same(const struct ahead *a, const struct ahead *b);

/* Bytes of the weights of a convolution, or half of them, as they lie in the storage QPEs. */
uint64_t ahead_weight_byte(const struct block *block, const struct machine *machine, uint32_t operand_bit,
                           enum ahead_portion portion);

#endif
