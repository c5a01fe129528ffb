/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_SPLITTER_PARTS_H
#define MAPPER_SPLITTER_PARTS_H
/*
 * What the files of the thesis' splitter share: the block and the target in the numbers that its rules use.
 * splitter_conv.c has convolutions, splitter_group.c grouped ones, splitter.c the rest and the public calls.
 */
#include "mapper/split/split.h"
#include "sim/machine/machine.h"

struct splitter {
	const struct block *block;
	const struct machine *machine;
	bool chip;
	uint32_t n_qpe;        /* that compute */
	uint32_t n_pe;         /* that compute: 4 on a QPE, 128 on the thesis chip */
	uint32_t n_pe_of_dram; /* in the part of the chip that one DRAM feeds (a double QPE block): 32 */
};

/*
 * Bytes of SRAM of a task by equations 2.5 and 2.6, results of 32 bit. A
 * filter part that migrates to another PE while it is used needs its place twice.
 */
uint64_t splitter_need_byte(const struct splitter *splitter, uint32_t w, uint32_t h, uint32_t c, uint32_t d,
                            bool migrates);
bool splitter_fits(const struct splitter *splitter, uint32_t w, uint32_t h, uint32_t c, uint32_t d, bool migrates);

/* Section 4.2.1; false when no split of any dimension fits. */
bool splitter_conv(const struct splitter *splitter, struct split *split);

/* The same of a grouped convolution, which the thesis has none of: its rules extended. */
bool splitter_group(const struct splitter *splitter, struct split *split);

#endif
