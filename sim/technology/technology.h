/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_TECHNOLOGY_H
#define SIM_TECHNOLOGY_H
/*
 * What parts of a machine cost by technology: energy of an action, leakage, area. Memories come from a table over size
 * and word (CACTI, or a user's own), arithmetic and registers from published figures that are scaled to the node.
 *
 *   shipped rows of node and cell, or a user's CSV (dse/space) ─► struct technology ─► a memory's, a MAC unit's figures
 *                                                    sim/machine/machine_technology.h: a machine's coefficients ◄─┘
 */
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TECHNOLOGY_MAX_SIZE 24
#define TECHNOLOGY_MAX_WORD 4
#define TECHNOLOGY_CELL_SIZE 24

/* Figures of one memory: of an access of one word, of the whole bank. */
struct sram_figures {
	double read_pj, write_pj, leakage_mw, area_um2;
};

/* Memories of one kind over size and word, both ascending; n_size 0: no table. */
struct sram_grid {
	uint32_t n_size, n_word;
	uint32_t size_byte[TECHNOLOGY_MAX_SIZE], word_byte[TECHNOLOGY_MAX_WORD];
	double vdd_v; /* that the energies hold for */
	struct sram_figures at[TECHNOLOGY_MAX_SIZE][TECHNOLOGY_MAX_WORD];
};

/* Figures of a part that has one size: energy of an action, leakage, area. */
struct part_figures {
	double action_pj, leakage_mw, area_um2;
};

struct technology {
	double node_nm; /* 0: the machine names no technology */
	char cell[TECHNOLOGY_CELL_SIZE];
	double sram_vdd_v; /* of the memories' rail; 0: the table's */
	struct sram_grid sram;
	bool has_mac; /* a user's own MAC unit, whatever its accumulator; else from published figures */
	struct part_figures mac;
	double mac_vdd_v;         /* that its energy holds for */
	struct part_figures core; /* of a PE: the processor, from a user's table; 0: not counted */
};

/* The cell kinds of the shipped table, ended by NULL. */
extern const char *const technology_cell[];

/* Nodes that the shipped tables of memories reach over, nm. */
#define TECHNOLOGY_MIN_NM 22
#define TECHNOLOGY_MAX_NM 90

/*
 * The shipped memories of a node and cell kind. Between two nodes of the table figures are interpolated, logarithms
 * over logarithms; words are those that both nodes have. ERR_INPUT: the table does not have the cell, or does not reach
 * the node; the message says what it has.
 */
enum err_code technology_sram_grid(double node_nm, const char *cell, struct sram_grid *grid, struct err *err);

/*
 * A memory of the grid at a voltage (0: the grid's). Interpolated between sizes and between words, logarithms over
 * logarithms, so that it is monotone between two points of the table and exact at them; energies grow with the square
 * of the voltage, leakage with the voltage. ERR_INPUT outside the table, with what it reaches over.
 */
enum err_code technology_sram(const struct sram_grid *grid, double size_byte, double word_byte, double vdd_v,
                              struct sram_figures *figures, struct err *err);

/* Energy of logic at a node and voltage over that at 45 nm and 0.9 V (Stillmaker and Baas, Integration 58, 2017). */
double technology_energy_ratio(double node_nm, double vdd_v);

/* Area of logic at a node over that at 45 nm (the same). */
double technology_area_ratio(double node_nm);

/*
 * A MAC unit of 8-bit operands: multiplier and adder (Horowitz, ISSCC 2014), accumulator and operand registers
 * (Aladdin, ISCA 2014), scaled to node and voltage; without clock tree, control and leakage. Or the user's own, with
 * the square of the voltage.
 */
struct part_figures technology_mac(const struct technology *technology, double accumulator_bit, double vdd_v);

#endif
