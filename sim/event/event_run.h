/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_RUN_H
#define SIM_EVENT_RUN_H
/*
 * The event tier of a whole machine: runs a schedule on its PEs, routers, DRAM
 * interfaces and host, packet by packet (sim/event/event.h: the PEs of one QPE).
 */
#include "sim/machine/schedule.h"
#include "sim/machine/sim.h"

/* How a run went, besides its result. */
struct event_stat {
	uint64_t n_event;      /* simulated */
	uint64_t replayed_clk; /* PE clocks of QPEs, added up, that were replayed instead */
};

/*
 * Run a schedule that has passed schedule_check. Phases last from barrier to
 * barrier; ARM operations are priced as in the fast tier. The counts are of what
 * was simulated, and of the schedule's ARM work. result->sram_byte is the
 * caller's to fill. option, stat: NULL for defaults, for nobody. ERR_INTERNAL: no memory, or
 * a self-check that fails (which names it). *result is untouched on failure.
 */
enum err_code sim_run_event(const struct machine *machine, const struct schedule *schedule, uint32_t level,
                            const struct event_option *option, struct sim_result *result, struct event_stat *stat,
                            struct err *err);

#endif
