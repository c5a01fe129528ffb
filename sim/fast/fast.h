/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_FAST_H
#define SIM_FAST_H
/*
 * The fast tier: a machine, a program and an operating point in; clocks, counts and energy out, by closed form. Beside
 * it what is made of the same formulas: bounds from below, the background fetch, and the grey-box model.
 */
#include "sim/program/result.h"

/*
 * Price a program. level < machine->n_level, mixed or not. Where counts exceed COUNTS_MAX the result is only a bound:
 * the caller asks result_is_counted. Allocates nothing, but for SCALE-Sim's memory (systolic.memory_model). Asserts
 * that the result is not under its roofline.
 */
void fast_run(const struct machine *machine, const struct program *program, uint32_t level, struct sim_result *result);

/* Price one step and add its phases, counts and peak power to a result that is not finished. For the event tier, which
 * has no events for ARM work. */
void fast_add_step(const struct machine *machine, const struct step *step, uint32_t level, struct sim_result *result);

/*
 * A lower bound on latency and energy of all programs with the same steps and larger numbers: counts, bytes, packets
 * and clocks may be larger, numbers of jobs, PEs, tasks, stages and repeats are the same. A queue of jobs can get
 * faster with longer loads, because fewer writes go ahead of them; where it can, the bound leaves those writes out.
 */
void fast_run_least(const struct machine *machine, const struct program *program, uint32_t level,
                    struct sim_result *result);

/*
 * The same for these programs on machines with slower NoC and DRAM clocks, too, of which this one serves
 * (mapper_kernels_serve). What depends on how transfers meet on a mesh, or on who is ahead in a queue, is left out: a
 * slower clock may happen to serve it better. No operating point is mixed, and nothing is fetched ahead.
 */
void fast_run_least_slower(const struct machine *machine, const struct program *program, uint32_t level,
                           struct sim_result *result);

/* What the grey-box model has to know of a program's tasks, which a program does not say. */
struct greybox_work {
	bool is_matmul;
	double round_mac_clk; /* clocks in which the array multiplies in a round, on average */
};

/*
 * As fast_run, but tasks take what the grey-box model says with the operating point's constants (sim/mla/greybox.h),
 * and not less than the array needs. Transfers and ARM work are the fast tier's.
 */
void fast_run_greybox(const struct machine *machine, const struct program *program, uint32_t level,
                      const struct greybox_work *work, struct sim_result *result);

/*
 * Where the background fetch of a program goes (struct fetch; the program has one): each step takes a share of its
 * bytes, in proportion to the time in which the step leaves the DRAM interfaces idle. What is left over takes a phase
 * of its own.
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

/* The least that the busiest PE and the busiest DRAM interface do in a STEP_COMPUTE, and of ARM steps. All 0: nothing
 * is known. */
struct busiest_work {
	double task_clk, n_task;       /* of a PE */
	struct mla_fetch fetch;        /* of operand A, meanwhile */
	double write_byte;             /* of an interface; 0: results go to storage QPEs */
	double n_load, load_setup_clk; /* loads one after the other, and the set-up of each, PE clocks as measured */
	double arm_clk;                /* of a PE's ARM core, in steps beside; 0: not known */
};

/* What every program of a range does at least. */
struct least_work {
	struct counts counts;
	uint32_t n_pe;     /* PEs that share MLA and ARM work at most */
	bool phased;       /* nobody computes before everything is loaded (reuse) */
	double fetch_byte; /* of the bytes read from DRAM, those of the background fetch: nobody waits for them */
	struct busiest_work busiest;
	/*
	 * Of a systolic array: clocks of its tiles; bytes that no tile can hide (the first load, the last store); bytes
	 * of steps beside the array, each in a phase of its own. The bytes are in counts, too.
	 */
	struct systolic_least {
		double compute_clk, bare_byte, stream_byte;
	} systolic;
};

/*
 * The least latency and energy of any program that does at least this. MLA clocks and ARM clocks are spread over all
 * PEs, DRAM bytes over all interfaces; loads, tasks and writes overlap as far as any strategy lets them. Tasks and
 * writes take no less than those of the busiest PE and interface. Static energy is that of the least latency.
 */
void fast_bound(const struct machine *machine, const struct least_work *least, uint32_t level, double *latency_ns,
                double *energy_pj);

/* The same of a machine of PEs whose MLA clocks take mla_clk_ns each, in the mean of all PEs; dynamic energy alone. */
void fast_bound_at(const struct machine *machine, const struct least_work *least, uint32_t level, double mla_clk_ns,
                   double *latency_ns, double *dynamic_pj);

#endif
