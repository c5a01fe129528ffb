/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_LATENCY_H
#define SIM_LATENCY_H
/*
 * Set-ups of transfers on machines whose NoC, DRAM interfaces or host answer
 * faster or slower than those that the set-ups were measured on.
 */
#include "sim/machine/machine.h"
#include "sim/machine/program.h"

/*
 * A set-up at an operating point, PE clocks: setup_clk, as measured with the
 * defaults of noc.hop_clk, dram.interface_clk and chip.chip.host_latency_clk at 250
 * MHz PEs, with the machine's own in their place; at least 0. Nothing is changed
 * for a machine and level with the defaults.
 */
double latency_setup_clk(const struct machine *machine, uint32_t level, enum setup setup, double setup_clk);

#endif
