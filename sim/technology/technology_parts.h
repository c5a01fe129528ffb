/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_TECHNOLOGY_PARTS_H
#define SIM_TECHNOLOGY_PARTS_H
/* Inside the technology: the shipped table of memories. */
#include <stddef.h>
#include <stdint.h>

struct sram_row {
	uint32_t node_nm;
	const char *cell;
	double vdd_v;
	uint32_t size_byte, word_byte;
	double read_pj, write_pj, leakage_mw, area_mm2; /* of an access of a word; of the whole bank */
};
extern const struct sram_row sram_row[]; /* by node, cell, size, word */
extern const size_t sram_n_row;

#endif
