/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DEFAULT_MACHINE_H
#define TESTS_DEFAULT_MACHINE_H
/* A target's defaults at one operating point, of which nothing but the clock is given. */
#include "sim/machine/machine_param.h"

static inline struct machine default_machine(enum machine_target target, double clk_mhz)
{
	struct machine machine;
	machine_init(&machine, target);
	machine.n_level = 1;
	machine.level[0].clk_mhz = clk_mhz;
	return machine;
}

#endif
