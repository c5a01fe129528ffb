/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SIM_H
#define SIM_SIM_H
/*
 * The simulator: a machine, a program and an operating point in; clocks, counts
 * and energy out. The fast tier prices a program in closed form.
 */
#include "sim/machine/machine.h"
#include "sim/machine/program.h"

/* What bounds a phase or a program: where most of its time goes. */
enum bound { BOUND_MAC, BOUND_SRAM, BOUND_DRAM, BOUND_NOC, BOUND_ARM, N_BOUND };
extern const char *const bound_name[N_BOUND]; /* "MAC array", "SRAM port", ... */

/*
 * Energy by component, pJ; total_pj is the sum of the others. awake_pj: of PEs that work besides what their actions
 * and their static power take; switch_pj: of changes of operating point; static_pj: of all supplies for all of the
 * time.
 */
struct energy {
	double mla_pj, sram_pj, noc_pj, dram_pj, arm_pj, awake_pj, switch_pj, static_pj, total_pj;
};

/* What is fed apart (DVFS paper section III: VDD04, VDD06, VDD08); SUPPLY_CHIP: all the rest, with all PEs off. */
enum supply { SUPPLY_PE, SUPPLY_NOC, SUPPLY_SRAM, SUPPLY_DRAM, SUPPLY_CHIP, N_SUPPLY };
extern const char *const supply_name[N_SUPPLY]; /* "PE logic", "NoC", ... */

/* One supply's share of an energy. */
struct supply_energy {
	double dynamic_pj, static_pj;
};

/* Clocks, bytes and words of a run are counted up to so many: exactly, as double, too. */
#define SIM_MAX_COUNT (UINT64_C(1) << 52)

struct sim_result {
	uint64_t phase_clk[N_PHASE]; /* PE clocks at the operating point, each rounded up */
	enum bound phase_bound[N_PHASE];
	uint64_t core_clk;  /* without the ARM operations' phases: what the thesis' tables call total clocks */
	uint64_t total_clk; /* sum of all phases */
	enum bound bound;   /* of the phase that takes longest */
	struct counts counts;
	uint64_t sram_byte; /* the fullest PE */
	double latency_ns;
	struct energy energy;
	double peak_power_mw; /* mean power of the most power-hungry step */
	/* Multiply-accumulates wanted over what all MAC units could do in total_clk. Of the array while it computes,
	   see mapper/split/utilisation.h. */
	double mac_util_frac;
};

/*
 * Whether clocks and DRAM bytes of a run are within SIM_MAX_COUNT. If not, they are too few, and so is what follows
 * from them: a bound, but no result.
 */
bool sim_is_counted(const struct sim_result *result);

/*
 * level < machine->n_level, mixed or not; the caller asks sim_is_counted. No allocation, but by SCALE-Sim's replay
 * (systolic.memory_model). Asserts that the result is not under its roofline bound.
 */
void sim_run_fast(const struct machine *machine, const struct program *program, uint32_t level,
                  struct sim_result *result);

/*
 * Latency and energy that no program has less of in the fast tier whose steps are the same but for numbers that are
 * nowhere smaller (counts, bytes, packets, clocks; not numbers of jobs, PEs, tasks, stages and repeats, which are
 * the same). A queue of jobs without fusion is not monotonous in its loads: writes that come between are left out.
 */
void sim_run_least(const struct machine *machine, const struct program *program, uint32_t level,
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
void sim_run_greybox(const struct machine *machine, const struct program *program, uint32_t level,
                     const struct greybox_work *work, struct sim_result *result);

/*
 * Where a program's fetch goes at an operating point: of all its bytes each step's share, in proportion to the time in
 * which the step leaves the DRAM interfaces idle, and the rest, which takes a phase of its own. For programs that
 * fetch; sim_run_fast goes by it.
 */
struct fetch_plan {
	double step_frac[PROGRAM_MAX_STEP]; /* 0 beyond the program's steps */
	double rest_frac;
	uint64_t rest_clk;
};
void sim_plan_fetch(const struct machine *machine, const struct program *program, uint32_t level,
                    struct fetch_plan *plan);

/*
 * Lower bound on the PE clocks of a program: multiply-accumulates over all MAC
 * units, and DRAM bytes over the rate of all interfaces, whichever is larger.
 */
double sim_roofline_clk(const struct machine *machine, const struct program *program, uint32_t level);

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
void sim_bound(const struct machine *machine, const struct least_work *least, uint32_t level, double *latency_ns,
               double *energy_pj);

/* Energy of counts at an operating point, without static energy. */
struct energy energy_of_counts(const struct machine *machine, uint32_t level, const struct counts *counts);

/* Static power of the whole machine at an operating point, all PEs powered, none working, mW. */
double energy_static_mw(const struct machine *machine, uint32_t level);

/* Whether the power lanes supply an operating point (dvfs.lanes); both of a mixed one. */
bool energy_is_supplied(const struct machine *machine, uint32_t level);

/* Static power of the machine asleep: at the operating point, of those supplied, where that is least, mW. */
double energy_sleep_mw(const struct machine *machine);

/* The share of energy_static_mw that a supply delivers; all supplies' add up to it, mW. */
double energy_supply_static_mw(const struct machine *machine, uint32_t level, enum supply supply);

/* Which part of a result's energy is whose (DVFS paper equations 1 to 6); dynamic and static add up to total_pj. */
void energy_by_supply(const struct machine *machine, uint32_t level, const struct energy *energy, double latency_ns,
                      struct supply_energy supply[N_SUPPLY]);

/* A change of all PEs from one operating point to another: time in ns, and energy without static energy in pJ. */
double energy_switch_ns(const struct machine *machine, uint32_t from, uint32_t to);
double energy_switch_pj(const struct machine *machine, uint32_t from, uint32_t to);

/* Power lanes that a set of operating points needs (bit i: level i): one for each voltage. */
uint32_t energy_n_lane(const struct machine *machine, uint32_t levels);

/* Whether the machine has enough power lanes for the voltages of these operating points (bit i: level i). */
bool energy_lanes_suffice(const struct machine *machine, uint32_t levels);

#endif
