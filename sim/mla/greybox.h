/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_GREYBOX_H
#define SIM_GREYBOX_H
/*
 * Grey-box clock model of one MLA task (DVFS paper equations 7 to 11): the shape
 * of the accelerator's work flow with four constants that are fitted to
 * measurements of a machine at an operating point. Pure functions.
 *
 *   clks = clks_init + ceil((Wi - Ww + 1) / 16) (Hi - Hw + 1) (a Ww Hw Ci + clks_wb) ceil(Co / 4) b
 *
 * 16 and 4 are the array's columns and rows. b multiplies all but clks_init, so
 * clocks alone tell only the products a b and clks_wb b; shipped machines have b = 1.
 */
#include "sim/machine/machine.h"

/*
 * x_conv, equation 10, and the array it runs on. A matrix multiplication of a_h
 * rows of a_w (operand A) by b_w columns (B) is the convolution of a 1x1 kernel
 * with in_w = b_w, in_h = 1, in_c = a_w, out_c = a_h; it has constants of its own.
 */
struct greybox_shape {
	uint32_t in_w, in_h, in_c, out_c; /* in_w x in_h at least the kernel's, the padding included */
	uint32_t kernel_w, kernel_h;
	uint32_t cols, rows; /* MAC array */
};

/* Rounds of a task: blocks of columns x output rows x groups of filters. */
double greybox_n_round(const struct greybox_shape *shape);

/* Taps of a round: Ww Hw Ci. */
double greybox_n_tap(const struct greybox_shape *shape);

/* PE clocks of a task, equation 8: linear in clks_init, a b and clks_wb b. */
double greybox_clk(const struct greybox_shape *shape, const struct greybox_theta *theta);

#endif
