/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_OPERATING_POINT_H
#define SIM_OPERATING_POINT_H
/* A machine's operating points (performance levels; DVFS): voltage, clock, and what an action costs there. */
#include <stdint.h>

#define LEVEL_NAME_SIZE 16 /* of a name in a file */

/* The grey-box clock model (sim/mla/greybox.h), fitted to a machine at a point: DVFS paper, equation 11. */
struct greybox_theta {
	double init_clk; /* of a task */
	double wb_clk;   /* of a round: write-back of its results */
	double a;        /* clocks a tap */
	double b;        /* of each group of filters, 1: as many rounds as there are groups */
};

/* Of the PEs. */
struct operating_point {
	char name[56];
	double vdd_v;
	double clk_mhz;
	double mla_clk_pj;     /* one MLA compute clock of a 16x4 array (64 MACs); other arrays in proportion */
	double sram_read32_pj; /* one 32-bit SRAM read */
	double sram_write32_pj;
	double noc_read128_pj; /* one 128-bit NoC packet */
	double arm_clk_pj;     /* one busy clock of the ARM core */
	double pe_static_mw;   /* of one PE, whether it works or sleeps: leakage and what is clocked all the time */
	double pe_awake_mw;    /* besides, while its MLA or its ARM core works */
	struct greybox_theta conv, matmul;
	/* A mixture of two other points: of n_share shares of a layer's rounds n_low at `low`; n_share 0: a point. */
	uint32_t low, high, n_low, n_share;
};

#endif
