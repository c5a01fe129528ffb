/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim.h"
#include "sim/base/checked.h"
#include <math.h>

/*
 * The fast tier: closed-form clocks of each kind of step. Everything is in PE
 * clocks at the operating point; the DRAM's and the NoC's own clocks enter
 * through their rates. The formulas were derived from how the parts work and
 * checked against the reference tables, which the README lists with the errors.
 */

const char *const phase_name[N_PHASE] = {"weight", "input", "migration", "computation", "tasks", "padd",
                                         "mat_ele", "acti", "quan", "pool", "fce"};
const char *const bound_name[N_BOUND] = {"MAC array", "SRAM port", "DRAM", "NoC", "ARM core"};

/* PE clocks of one DRAM load or NoC hand-shake from the host's view, less than the set-up of a phase (thesis simulator, re-run). */
#define LOAD_SETUP_CLK 45.0
#define WRITE_HANDSHAKE_CLK 20.0

/* What the other clock domains do in a PE clock. */
struct rates {
	double dram_byte;     /* of one interface */
	double router_packet; /* through a router */
	double port_packet;   /* into or out of a PE */
};

static struct rates rates_at(const struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	double pe_mhz = machine->level[level].clk_mhz, noc_per_clk = machine->noc_clk_mhz / pe_mhz;
	return (struct rates){
	    .dram_byte = machine->dram_access_byte * machine->dram_clk_mhz / (machine->dram_access_clk * pe_mhz),
	    .router_packet = machine->noc_router_packet * noc_per_clk,
	    .port_packet = fmin(1.0, noc_per_clk),
	};
}

/* A step's clocks, and what they are mostly spent on. */
struct step_time {
	double clk;
	enum bound bound;
};

static struct step_time time_transfer(const struct transfer *transfer, const struct rates *rates)
{
	double dram_clk = transfer->dram_byte / rates->dram_byte, noc_clk = 0;
	assert(transfer->n_stage <= TRANSFER_MAX_STAGE);
	for (uint32_t i = 0; i < transfer->n_stage; i++) {
		const struct stage *stage = &transfer->stage[i];
		double share = fmax(stage->port / rates->port_packet, stage->router / rates->router_packet);
		noc_clk += transfer->item_packet * share + transfer->stage_setup_clk;
	}
	return (struct step_time){
	    .clk = transfer->n_repeat * (dram_clk + noc_clk + transfer->setup_clk),
	    .bound = dram_clk > noc_clk ? BOUND_DRAM : BOUND_NOC,
	};
}

/* MAC clocks are the array's own part of the task time, the rest waits for the SRAM port or, here, for the router. */
static double task_clk_on_noc(double task_clk, double router_packet, const struct rates *rates)
{
	return fmax(task_clk, router_packet / rates->router_packet);
}

/*
 * Lock step. To the storage QPEs every PE of a block writes at once and waits
 * for the end. To DRAM writes go on while the next tasks run, unless a barrier
 * makes every PE wait for its round's.
 */
static struct step_time time_compute(const struct compute *compute, const struct rates *rates,
                                     const struct machine *machine)
{
	double task_clk = task_clk_on_noc(compute->task_clk, compute->router_packet, rates);
	double n_task = (double)compute->n_task, write_clk, clk;
	bool to_dram = compute->write_dram_byte > 0;
	if (to_dram) {
		write_clk = compute->write_dram_byte / rates->dram_byte;
		double own_clk = compute->n_task ? task_clk / n_task : 0;
		clk = compute->write_waits ? task_clk + write_clk + n_task * machine->write_setup_clk
		                           : fmax(own_clk + write_clk, task_clk + write_clk / fmax(n_task, 1)) +
		                                 machine->write_setup_clk;
	} else {
		double packet_clk = fmax(1.0 / rates->port_packet, compute->write_router / rates->router_packet);
		write_clk = n_task * (compute->write_packet * packet_clk + machine->write_setup_clk);
		clk = task_clk + write_clk;
	}
	return (struct step_time){
	    .clk = clk,
	    .bound = write_clk < task_clk ? (task_clk > compute->task_clk ? BOUND_NOC : BOUND_MAC)
	                                  : (to_dram ? BOUND_DRAM : BOUND_NOC),
	};
}

/* A PE's cycle of load, task, write when its neighbours compute `duty` of the time and slow its SRAM down. */
struct job_cycle {
	double task_clk, clk;
};

/*
 * Without fusion a PE asks for its next load only when its result has arrived.
 * Where a load is shorter than a write, the PEs then fall into step behind each
 * other's writes: the queue serves all writes, then all loads, and idles until
 * the first PE has computed.
 */
static struct job_cycle job_cycle_at(const struct jobs *jobs, double duty, double load_clk, double write_clk)
{
	double n = (double)jobs->n_job, free_clk = jobs->task_clk / n, shared_clk = jobs->task_shared_clk / n;
	double task_clk = free_clk + (shared_clk - free_clk) * duty;
	double clk = LOAD_SETUP_CLK + load_clk + task_clk + write_clk;
	if (jobs->wait_for_write) {
		if (load_clk < write_clk && jobs->n_pe <= jobs->n_job)
			clk += (jobs->n_pe - 1) * write_clk;
		clk += WRITE_HANDSHAKE_CLK;
	}
	return (struct job_cycle){task_clk, clk};
}

/*
 * A closed queue: n_pe PEs, each load, compute, write; one DRAM that serves
 * loads and writes whole and in turn. Its time is bounded by the PEs' own cycle
 * and by the DRAM's total traffic; the PEs' duty, which sets how much they slow
 * each other's SRAM, is the fixed point of the cycle (two rounds suffice).
 */
static struct step_time time_jobs(const struct jobs *jobs, const struct rates *rates)
{
	double n = (double)jobs->n_job, n_pe = jobs->n_pe;
	if (jobs->n_job == 0)
		return (struct step_time){0, BOUND_DRAM};
	double dram_clk = (jobs->load_byte + jobs->write_byte) / rates->dram_byte;
	double load_clk = jobs->load_byte / rates->dram_byte / n, write_clk = jobs->write_byte / rates->dram_byte / n;
	if (jobs->dram_only)
		return (struct step_time){dram_clk + jobs->last_task_clk + LOAD_SETUP_CLK, BOUND_DRAM};

	struct job_cycle cycle = {0, 0};
	double duty = jobs->n_pe > 1 ? 1 : 0;
	for (int i = 0; i < 3; i++) {
		cycle = job_cycle_at(jobs, duty, load_clk, write_clk);
		double period = jobs->n_job < jobs->n_pe ? cycle.clk : fmax(cycle.clk, n_pe * (load_clk + write_clk));
		duty = jobs->n_pe > 1 ? fmin(1, cycle.task_clk / period) : 0;
	}
	uint64_t n_round = ceil_div(jobs->n_job, jobs->n_pe), n_last = jobs->n_job - (n_round - 1) * jobs->n_pe;
	double pe_clk = (double)n_round * cycle.clk + ((double)n_last - 1) * load_clk;
	double n_pending = fmin(n_pe, n) - 1; /* writes of other PEs that hide the last task */
	double tail_clk = fmax(0, cycle.task_clk + write_clk - n_pending * write_clk);
	double dram_bound_clk = dram_clk + LOAD_SETUP_CLK + tail_clk;
	return (struct step_time){fmax(pe_clk, dram_bound_clk), pe_clk > dram_bound_clk ? BOUND_MAC : BOUND_DRAM};
}

static struct step_time time_arm(const struct arm_work *arm, const struct rates *rates)
{
	double dram_clk = arm->dram_byte / rates->dram_byte;
	return (struct step_time){fmax(arm->clk, dram_clk), arm->clk >= dram_clk ? BOUND_ARM : BOUND_DRAM};
}

static struct step_time time_step(const struct step *step, const struct rates *rates, const struct machine *machine)
{
	switch (step->kind) {
	case STEP_TRANSFER:
		return time_transfer(&step->u.transfer, rates);
	case STEP_COMPUTE:
		return time_compute(&step->u.compute, rates, machine);
	case STEP_JOBS:
		return time_jobs(&step->u.jobs, rates);
	case STEP_ARM:
	default:
		return time_arm(&step->u.arm, rates);
	}
}

static void counts_add(struct counts *sum, const struct counts *part)
{
	sum->mac += part->mac;
	sum->mla_clk += part->mla_clk;
	sum->sram_read_word += part->sram_read_word;
	sum->sram_write_word += part->sram_write_word;
	sum->noc_packet += part->noc_packet;
	sum->dram_read_byte += part->dram_read_byte;
	sum->dram_write_byte += part->dram_write_byte;
	sum->arm_clk += part->arm_clk;
}

/* Of the counts alone; total_clk is at least this whatever the program does. */
static double roofline_of(const struct machine *machine, const struct counts *counts, const struct rates *rates)
{
	double mac_clk = counts->mac / (double)machine_n_mac(machine);
	double dram_clk = (counts->dram_read_byte + counts->dram_write_byte) / (machine->dram_n * rates->dram_byte);
	return fmax(mac_clk, dram_clk);
}

double sim_roofline_clk(const struct machine *machine, const struct program *program, uint32_t level)
{
	struct rates rates = rates_at(machine, level);
	struct counts counts = {0};
	for (uint32_t i = 0; i < program->n_step; i++)
		counts_add(&counts, &program->step[i].counts);
	return roofline_of(machine, &counts, &rates);
}

static void sum_phases(struct sim_result *result)
{
	uint64_t longest_clk = 0;
	for (int i = 0; i < N_PHASE; i++) {
		result->total_clk += result->phase_clk[i];
		if (i < PHASE_PADD)
			result->core_clk += result->phase_clk[i];
		if (result->phase_clk[i] > longest_clk) {
			longest_clk = result->phase_clk[i];
			result->bound = result->phase_bound[i];
		}
	}
}

void sim_run_fast(const struct machine *machine, const struct program *program, uint32_t level,
                  struct sim_result *result)
{
	assert(program->n_step <= PROGRAM_MAX_STEP);
	struct rates rates = rates_at(machine, level);
	double static_mw = energy_static_mw(machine, level), ns_per_clk = 1e3 / machine->level[level].clk_mhz;
	*result = (struct sim_result){.sram_byte = program->sram_byte, .peak_power_mw = static_mw};
	for (uint32_t i = 0; i < program->n_step; i++) {
		const struct step *step = &program->step[i];
		struct step_time time = time_step(step, &rates, machine);
		assert(time.clk >= 0 && step->phase < N_PHASE);
		uint64_t clk = (uint64_t)ceil(time.clk - 1e-6);
		result->phase_clk[step->phase] += clk;
		result->phase_bound[step->phase] = time.bound;
		counts_add(&result->counts, &step->counts);
		if (clk) {
			/* pJ per ns is mW */
			double step_mw = energy_of_counts(machine, level, &step->counts).total_pj / ((double)clk * ns_per_clk);
			result->peak_power_mw = fmax(result->peak_power_mw, static_mw + step_mw);
		}
	}
	sum_phases(result);
	result->latency_ns = (double)result->total_clk * ns_per_clk;
	result->energy = energy_of_counts(machine, level, &result->counts);
	result->energy.static_pj = static_mw * result->latency_ns;
	result->energy.total_pj += result->energy.static_pj;
	double mac_clk = result->counts.mac / (double)machine_n_mac(machine);
	result->mac_util_frac = result->total_clk ? mac_clk / (double)result->total_clk : 0;
	assert((double)result->total_clk * (1 + 1e-9) + 1 >= roofline_of(machine, &result->counts, &rates));
}
