/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_FAST_H
#define SIM_FAST_H
/*
 * The fast tier: a machine, a program and an operating point in; clocks, counts and energy out, by closed form. Beside
 * it what is made of the same formulas: bounds from below, the background fetch, and the grey-box model.
 */
#include "sim/program/result.h"

/*
 * level < machine->n_level, mixed or not; the caller asks result_is_counted. No allocation, but by SCALE-Sim's replay
 * (systolic.memory_model). Asserts that the result is not under its roofline bound.
 */
void fast_run(const struct machine *machine, const struct program *program, uint32_t level, struct sim_result *result);

/* Price a step alone and add its phases, counts and peak power to a result that is not finished: it has no events. */
void fast_add_step(const struct machine *machine, const struct step *step, uint32_t level, struct sim_result *result);

/*
 * Latency and energy that no program has less of in the fast tier whose steps are the same but for numbers that are
 * nowhere smaller (counts, bytes, packets, clocks; not numbers of jobs, PEs, tasks, stages and repeats, which are
 * the same). A queue of jobs without fusion is not monotonous in its loads: writes that come between are left out.
 */
void fast_run_least(const struct machine *machine, const struct program *program, uint32_t level,
                    struct sim_result *result);

/* What the grey-box model has to know of a program's tasks besides. */
struct greybox_work {
	bool is_matmul;
	double round_mac_clk; /* clocks in which the array multiplies in a round, on average */
};

/*
 * The same with tasks timed by the grey-box model with the operating point's constants (sim/mla/greybox.h), whatever
 * they share their SRAM and router with; never less than the array needs. Transfers and ARM work are the fast tier's.
 */
void fast_run_greybox(const struct machine *machine, const struct program *program, uint32_t level,
                      const struct greybox_work *work, struct sim_result *result);

/*
 * Where a program's fetch goes at an operating point: of all its bytes each step's share, in proportion to the time in
 * which the step leaves the DRAM interfaces idle, and the rest, which takes a phase of its own. For programs that
 * fetch; fast_run goes by it.
 */
struct fetch_plan {
	double step_frac[PROGRAM_MAX_STEP]; /* 0 beyond the program's steps */
	double rest_frac;
	uint64_t rest_clk;
};
void fast_plan_fetch(const struct machine *machine, const struct program *program, uint32_t level,
                     struct fetch_plan *plan);

/*
 * Lower bound on the PE clocks of a program: multiply-accumulates over all MAC
 * units, and DRAM bytes over the rate of all interfaces, whichever is larger.
 */
double fast_roofline_clk(const struct machine *machine, const struct program *program, uint32_t level);

/*
 * What the busiest PE and DRAM interface do at least in the tasks of a STEP_COMPUTE, as the fast tier counts it: each
 * PE computes in turn with writing. All 0: nothing is known.
 */
struct busiest_work {
	double task_clk, n_task; /* of a PE */
	double router_packet;    /* through the router of a QPE of such PEs, meanwhile */
	double write_byte;       /* of an interface; 0: results go to storage QPEs */
};

/* The least any program of a range does. */
struct least_work {
	struct counts counts;
	uint32_t n_pe;     /* PEs that share MLA and ARM work at most */
	bool phased;       /* nobody computes before everything is loaded (reuse) */
	double fetch_byte; /* of the bytes read from DRAM, those for the next program, which nobody here waits for */
	struct busiest_work busiest;
	/*
	 * Of a systolic array, in place of the above: clocks of its tiles; bytes that it waits for whatever the tiles
	 * (the first load, the last store); bytes that go past it in a phase of their own. All of them are in counts,
	 * too.
	 */
	struct systolic_least {
		double compute_clk, bare_byte, stream_byte;
	} systolic;
};

/*
 * Least latency and energy of any program that does at least this: MLA clocks
 * spread over the PEs, DRAM bytes over all interfaces, one after the other or at
 * best at once; then ARM clocks spread over the PEs; static energy for that time. Tasks and writes take no less than
 * those of the busiest, if these are known.
 */
void fast_bound(const struct machine *machine, const struct least_work *least, uint32_t level, double *latency_ns,
                double *energy_pj);

#endif
