/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_FAST_PARTS_H
#define SIM_FAST_PARTS_H
/* What the files of the fast tier share: rates of the clock domains, a step's time, and closed forms of both. */
#include "sim/base/real.h"
#include "sim/fast/fast.h"
#include "sim/machine/latency.h"
#include <assert.h>

/* What the other clock domains do in a PE clock. */
struct rates {
	const struct machine *machine;
	uint32_t level;
	double dram_byte;     /* of one interface */
	double router_packet; /* through a router */
	double link_packet;   /* over a link */
	double port_packet;   /* into or out of a PE */
	bool is_least;        /* lower bounds, see fast_run_least */
};

/*
 * A step's clocks, what they are mostly spent on, and clocks that an MLA works for each in which it multiplies;
 * stall_clk: of the clocks, those of PHASE_STALL.
 */
struct step_time {
	double clk;
	enum bound bound;
	double awake_frac;
	uint64_t stall_clk;
};

/* Its set-up at the level of the rates, see sim/machine/latency.h. */
static inline double rates_setup_clk(const struct rates *rates, enum setup setup, double measured_clk)
{
	return latency_setup_clk(rates->machine, rates->level, setup, measured_clk);
}

/* PE clocks that a STEP_COMPUTE takes at least when its busiest PE and interface do at least this. */
double fast_busiest_clk(const struct machine *machine, const struct busiest_work *busiest, uint32_t level);

/* Transfers of equal items on a chip (transfer->paths). */
struct step_time fast_time_paths(const struct transfer *transfer, const struct rates *rates);

#endif
