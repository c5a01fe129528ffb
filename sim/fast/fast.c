/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fast tier: closed-form clocks of each kind of step. Everything is in PE clocks at the operating point; the DRAM's
 * and the NoC's own clocks enter through their rates. Formulas follow from how the parts work. sim/CALIBRATION.md says
 * which constants were fitted to what, and `dse validate` how far results are from published ones.
 */
#include "sim/fast/fast.h"
#include "sim/fast/fast_parts.h"
#include "sim/program/mixed.h"
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_scalesim.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <math.h>

/*
 * Share of writes that tasks between the same barriers do not hide, of equal tasks: event tier, chip reuse of random
 * designs of ResNet-50's layers. Of others it is what fast_writes.c finds, LEAST_BARE_FRAC at least, which bounds of
 * searches go by.
 */
#define DRAM_BARE_FRAC 0.45
#define STORAGE_BARE_FRAC 0.55
#define LEAST_BARE_FRAC 0.45

static struct rates rates_at(const struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	double pe_mhz = machine->level[level].clk_mhz, noc_per_clk = machine->noc_clk_mhz / pe_mhz;
	return (struct rates){
	    .machine = machine,
	    .level = level,
	    .dram_byte = machine_dram_byte(machine, level),
	    .router_packet = machine->noc_router_packet * noc_per_clk,
	    .link_packet = noc_per_clk,
	    .port_packet = real_min(1.0, noc_per_clk),
	};
}

static struct step_time time_transfer(const struct transfer *transfer, const struct rates *rates)
{
	double dram_clk = transfer->dram_byte / rates->dram_byte, noc_clk = 0, side_clk = 0;
	if (transfer->paths)
		return fast_time_paths(transfer, rates);
	assert(transfer->n_side <= transfer->n_stage);
	assert(transfer->n_stage <= TRANSFER_MAX_STAGE && transfer->stage_setup < N_SETUP);
	/* without stages it is loads, of which other steps may have the bytes */
	bool loads = transfer->setup_clk > 0 && (transfer->dram_byte > 0 || transfer->n_stage == 0);
	double once_clk = loads ? rates_setup_clk(rates, SETUP_LOAD, transfer->setup_clk) : transfer->setup_clk;
	double stage_setup_clk = 0;
	if (transfer->n_stage > 0)
		stage_setup_clk = rates_setup_clk(rates, transfer->stage_setup, transfer->stage_setup_clk);
	for (uint32_t i = 0; i < transfer->n_stage; i++) {
		const struct stage *stage = &transfer->stage[i];
		assert(stage->n > 0);
		double share =
		    real_max(real_max(stage->port / rates->port_packet, stage->router / rates->router_packet),
		             stage->link / rates->link_packet);
		double hop_clk = transfer->item_packet * share + stage_setup_clk;
		for (uint32_t k = 0; k < stage->n; k++)
			noc_clk += hop_clk;
		if (i + 1 == transfer->n_side) {
			side_clk = noc_clk;
			noc_clk = 0;
		}
	}
	return (struct step_time){
	    .clk = transfer->n_repeat * real_max(dram_clk + noc_clk + once_clk, side_clk),
	    .bound = dram_clk > real_max(noc_clk, side_clk) ? BOUND_DRAM : BOUND_NOC,
	};
}

/* The first results behind a barrier come when tasks end everywhere, and find routers half as busy. */
#define FIRST_WAIT_FRAC 0.5

/*
 * Results wait at each router on their way where operand A of the tasks there does: h w t / c, t of a PE's c clocks
 * from task to task being the task's and h w what a packet waits at busy routers. So c = t + h w t / c.
 */
static double late_writes_clk(const struct compute *compute, double task_clk, const struct rates *rates)
{
	double n_task = (double)compute->n_task;
	const struct mla_fetch fetch = {compute->fetch.n_round / n_task, compute->fetch.n_packet / n_task,
	                                compute->fetch.ask_clk};
	double wait_clk =
	    compute->n_write_router *
	    fast_router_wait_clk(&fetch, compute->task_clk / n_task, rates->machine->qpe_n_pe, rates->router_packet);
	double cycle_clk = (task_clk + sqrt(task_clk * (task_clk + 4 * wait_clk))) / 2;
	return (n_task - FIRST_WAIT_FRAC * compute->n_barrier) * (cycle_clk - task_clk);
}

/*
 * Tasks between two barriers, each followed by its write. The host starts the
 * PEs one after the other, a message a clock; but for that they begin together,
 * so their first results come together and wait for each other at the
 * DRAM or before the storage QPE; as packets take turns the PEs go on at
 * different times, and part of what is written later is hidden behind tasks.
 * The last results are not. Nor can all take less than the writes alone.
 */
static struct step_time time_compute(const struct compute *compute, const struct rates *rates)
{
	double n_task = (double)compute->n_task;
	double task_clk = step_task_clk(compute->task_clk, n_task, &compute->fetch, rates->machine->qpe_n_pe,
	                                rates->router_packet, rates);
	double n_barrier = compute->n_barrier, write_clk;
	double wait_clk = n_task > 0 && !rates->is_least ? late_writes_clk(compute, task_clk / n_task, rates) : 0;
	bool to_dram = compute->write_dram_byte > 0;
	enum setup setup = to_dram ? SETUP_WRITE_DRAM : SETUP_WRITE_STORAGE;
	double setups_clk = n_task * rates_setup_clk(rates, setup, rates->machine->write_setup_clk);
	enum bound bound = to_dram ? BOUND_DRAM : BOUND_NOC;
	setups_clk += wait_clk;
	if (n_task <= 0)
		return (struct step_time){0, bound, 0, 0};
	assert(n_barrier > 0 && n_barrier <= n_task);
	if (to_dram) {
		write_clk = compute->write_dram_byte / rates->dram_byte;
	} else {
		double packet_clk = real_max(1, compute->write_port) / rates->port_packet;
		packet_clk = real_max(packet_clk, compute->write_router / rates->router_packet);
		packet_clk = real_max(packet_clk, compute->write_link / rates->link_packet);
		write_clk = n_task * compute->write_packet * packet_clk;
	}
	double barrier_frac = n_barrier / n_task, bare_frac = to_dram ? DRAM_BARE_FRAC : STORAGE_BARE_FRAC;
	double bare_clk = write_clk * (barrier_frac + bare_frac * (1 - barrier_frac));
	double start_clk = n_barrier * compute->n_start;
	double least_bare_clk = LEAST_BARE_FRAC * write_clk;
	if (rates->is_least)
		bare_clk = least_bare_clk;
	else if (compute->writers.n_kind > 0)
		bare_clk = real_max(least_bare_clk, fast_writes_clk(compute, task_clk / compute->task_clk,
		                                                    setups_clk / n_task, write_clk, rates));
	double first_clk = compute->first_clk > 0 ? compute->first_clk : task_clk * barrier_frac;
	double clk =
	    real_max(task_clk + setups_clk + start_clk + bare_clk, first_clk + setups_clk * barrier_frac + write_clk);
	/* a router on the way passes others' results and operand A of the tasks there */
	double pass_clk = n_task * compute->write_packet * compute->write_sender / rates->router_packet;
	double fetch_clk =
	    compute->mean_frac * mla_router_clk(&compute->fetch, rates->machine->qpe_n_pe, rates->router_packet);
	if (!rates->is_least)
		clk = real_max(clk, n_task * rates->machine->mla_init_clk + fetch_clk + pass_clk);
	/* short tasks wait for the host */
	clk = real_max(clk, rates->is_least ? 0 : compute->n_message);
	if (write_clk + setups_clk < task_clk)
		bound = task_clk > compute->task_clk ? BOUND_NOC : step_bound(task_clk, compute->mac_clk);
	return (struct step_time){clk, bound, step_awake_frac(task_clk, compute->mac_clk, rates), 0};
}

/* Of time_compute what holds whatever the barriers: they only add to what is not hidden, and tasks to the writes. */
double fast_busiest_clk(const struct machine *machine, const struct busiest_work *busiest, uint32_t level)
{
	if (busiest->n_task <= 0)
		return 0;
	struct rates rates = rates_at(machine, level);
	enum setup setup = busiest->write_byte > 0 ? SETUP_WRITE_DRAM : SETUP_WRITE_STORAGE;
	double write_clk = busiest->write_byte / rates.dram_byte;
	double setups_clk = busiest->n_task * rates_setup_clk(&rates, setup, machine->write_setup_clk);
	double task_clk = step_task_clk(busiest->task_clk, busiest->n_task, &busiest->fetch, machine->qpe_n_pe,
	                                rates.router_packet, &rates);
	double loads_clk = 0;
	if (busiest->n_load > 0)
		loads_clk = busiest->n_load * rates_setup_clk(&rates, SETUP_LOAD, busiest->load_setup_clk);
	return loads_clk + real_max(task_clk + setups_clk + LEAST_BARE_FRAC * write_clk, write_clk);
}

static struct step_time time_arm(const struct arm_work *arm, const struct rates *rates)
{
	double dram_clk = arm->dram_byte / rates->dram_byte;
	return (struct step_time){real_max(arm->clk, dram_clk), arm->clk >= dram_clk ? BOUND_ARM : BOUND_DRAM, 0, 0};
}

/* The array's clock runs on while it waits. */
static struct step_time time_systolic(const struct step *step, const struct rates *rates)
{
	const struct machine *machine = rates->machine;
	struct systolic_time time =
	    systolic_run_time(machine, &step->u.systolic, systolic_bandwidth_word(machine, rates->level));
	uint64_t stall_clk = systolic_stall_clk(&time);
	assert(step->phase == PHASE_COMPUTATION && step->counts.mla_clk > 0);
	return (struct step_time){
	    .clk = time.clk,
	    .bound = stall_clk > time.compute_clk ? BOUND_DRAM : BOUND_MAC,
	    .awake_frac = time.clk * (double)machine_n_pe(machine) / step->counts.mla_clk,
	    .stall_clk = stall_clk,
	};
}

static bool is_replayed(const struct machine *machine, const struct step *step)
{
	return step->kind == STEP_SYSTOLIC && machine->systolic.memory != SYSTOLIC_PHYSICAL;
}

/* By SCALE-Sim's rules, whose words depend on the operating point, too. */
static struct step_time replay_systolic(const struct step *step, const struct rates *rates, struct counts *counts)
{
	const struct machine *machine = rates->machine;
	struct systolic_result run;
	enum err_code code = systolic_scalesim_run(machine, &step->u.systolic, rates->level, NULL, &run, NULL);
	/* What there is no memory for takes longer than anything else; callers that can say so do not come here. */
	assert(code != ERR_INTERRUPTED);
	if (code != ERR_OK)
		run = (struct systolic_result){.total_clk = UINT64_C(1) << 60};
	systolic_counts_of(machine, &run, systolic_n_mac(&step->u.systolic), counts);
	return (struct step_time){
	    .clk = (double)run.total_clk,
	    .bound = run.stall_clk > run.total_clk / 2 ? BOUND_DRAM : BOUND_MAC,
	    .awake_frac = (double)run.total_clk * (double)machine_n_pe(machine) / counts->mla_clk,
	    .stall_clk = run.stall_clk,
	};
}

static struct step_time time_step(const struct step *step, const struct rates *rates)
{
	switch (step->kind) {
	case STEP_TRANSFER:
		return time_transfer(&step->u.transfer, rates);
	case STEP_COMPUTE:
		if (step->u.compute.rounds.n_map > 0)
			return fast_time_rounds(&step->u.compute, rates);
		return time_compute(&step->u.compute, rates);
	case STEP_JOBS:
		return fast_time_jobs(&step->u.jobs, rates);
	case STEP_SYSTOLIC:
		return time_systolic(step, rates);
	case STEP_ARM:
	default:
		return time_arm(&step->u.arm, rates);
	}
}

double fast_roofline_clk(const struct machine *machine, const struct program *program, uint32_t level)
{
	struct counts counts = {0};
	for (uint32_t i = 0; i < program->n_step; i++)
		counts_add(&counts, &program->step[i].counts);
	return result_roofline_clk(machine, &counts, level);
}

/* Clocks of a step, rounded up; of a bound, what the noise of its additions could not lift over a whole clock. */
static uint64_t step_clk(const struct step_time *time, bool is_least)
{
	assert(time->clk >= 0);
	return counts_whole_clk(time->clk - (is_least ? 1.5e-6 + time->clk * 1e-13 : 1e-6));
}

/* Of the time in which results go to DRAM the fetch takes so much, because they queue behind it and PEs wait for them.
 */
#define BESIDE_WRITES_FRAC 0.5

/*
 * Clocks of a step in which PEs work and the busiest DRAM interface has nothing to do. A phase of loads has to be set
 * up in each part between barriers. Transfers between PEs would be slowed down: the fetch crosses the same links, and
 * there is no room for it until filters that lie in storage QPEs have left.
 */
static double idle_clk(const struct step *step, uint64_t clk, double load_setup_clk, const struct rates *rates)
{
	double busy_clk = (double)clk, used_frac = 1;
	if (step->kind == STEP_COMPUTE) {
		double write_clk = step->u.compute.write_dram_byte / rates->dram_byte;
		busy_clk = step->u.compute.n_barrier * load_setup_clk + write_clk;
		used_frac = write_clk > 0 ? BESIDE_WRITES_FRAC : 1;
	} else if (step->kind == STEP_ARM) {
		busy_clk = step->u.arm.dram_byte / rates->dram_byte;
	}
	return used_frac * real_max(0, (double)clk - busy_clk);
}

/*
 * The fetch takes its time from what the steps leave idle, evenly, so that each keeps some slack. Clocks in all are
 * the larger of the steps' and of the interface's, fetch included: both grow with every step, as bounds need it.
 */
static void plan_fetch(const struct program *program, const uint64_t *clk, const struct rates *rates,
                       struct fetch_plan *plan)
{
	const struct fetch *fetch = &program->fetch;
	double idle[PROGRAM_MAX_STEP], all_idle_clk = 0;
	assert(fetch->dram_byte > 0);
	*plan = (struct fetch_plan){0};
	double load_setup_clk = rates_setup_clk(rates, SETUP_LOAD, fetch->setup_clk);
	double fetch_clk = fetch->dram_byte / rates->dram_byte + load_setup_clk;
	for (uint32_t i = 0; i < program->n_step; i++) {
		idle[i] = idle_clk(&program->step[i], clk[i], load_setup_clk, rates);
		all_idle_clk += idle[i];
	}
	double hidden_frac = real_min(1, all_idle_clk / fetch_clk);
	for (uint32_t i = 0; i < program->n_step && all_idle_clk > 0; i++)
		plan->step_frac[i] = hidden_frac * idle[i] / all_idle_clk;
	plan->rest_frac = 1 - hidden_frac;
	plan->rest_clk = counts_whole_clk(real_max(0, fetch_clk - all_idle_clk - (rates->is_least ? 1.5e-6 : 1e-6)));
}

static void note_power(enum phase phase, double power_mw, double *peak_mw, double *apart_mw)
{
	*peak_mw = real_max(*peak_mw, power_mw);
	if (!phase_is_loop(phase))
		*apart_mw = real_max(*apart_mw, power_mw);
}

/* clk, pj: of the steps, and their dynamic energy without the fetch. */
static void add_fetch(const struct program *program, const uint64_t *clk, const double *pj, const struct rates *rates,
                      struct sim_result *result)
{
	const struct operating_point *point = &rates->machine->level[rates->level];
	const struct counts *all = &program->fetch.counts;
	double ns_per_clk = 1e3 / point->clk_mhz, static_mw = energy_static_mw(rates->machine, rates->level);
	double fetch_pj = energy_dynamic(rates->machine, point, energy_array_frac(rates->machine), all).total_pj;
	struct fetch_plan plan;
	plan_fetch(program, clk, rates, &plan);
	double peak_mw = result->peak_power_mw, apart_mw = result->apart_power_mw;
	for (uint32_t i = 0; i < program->n_step; i++) {
		double step_pj = plan.step_frac[i] > 0 ? pj[i] + fetch_pj * plan.step_frac[i] : 0;
		if (step_pj > 0) /* pJ per ns is mW */
			note_power(program->step[i].phase, static_mw + step_pj / ((double)clk[i] * ns_per_clk),
			           &peak_mw, &apart_mw);
	}
	double rest_clk = (double)plan.rest_clk;
	if (plan.rest_clk > 0)
		note_power(PHASE_FETCH, static_mw + fetch_pj * plan.rest_frac / (rest_clk * ns_per_clk), &peak_mw,
		           &apart_mw);
	result->peak_power_mw = peak_mw;
	result->apart_power_mw = apart_mw;
	result->phase_clk[PHASE_FETCH] += plan.rest_clk;
	result->phase_bound[PHASE_FETCH] = BOUND_DRAM;
	counts_add(&result->counts, all);
}

void fast_plan_fetch(const struct machine *machine, const struct program *program, uint32_t level,
                     struct fetch_plan *plan)
{
	uint64_t clk[PROGRAM_MAX_STEP];
	const struct rates rates = rates_at(machine, level);
	assert(program->n_step <= PROGRAM_MAX_STEP);
	for (uint32_t i = 0; i < program->n_step; i++) {
		struct step_time time = time_step(&program->step[i], &rates);
		clk[i] = step_clk(&time, false);
	}
	plan_fetch(program, clk, &rates, plan);
}

/* What a price is: of the program, or a bound. */
enum price { PRICE_OWN, PRICE_LEAST, PRICE_LEAST_SLOWER };

static void run_program(const struct machine *machine, const struct program *program, uint32_t level, enum price price,
                        struct sim_result *result)
{
	assert(program->n_step <= PROGRAM_MAX_STEP);
	struct rates rates = rates_at(machine, level);
	bool is_least = rates.is_least = price != PRICE_OWN;
	rates.with_slower = price == PRICE_LEAST_SLOWER;
	const struct operating_point *point = &machine->level[level];
	double array_frac = energy_array_frac(machine), static_mw = energy_static_mw(machine, level);
	double ns_per_clk = 1e3 / point->clk_mhz, peak_mw = static_mw, apart_mw = 0;
	*result = (struct sim_result){.sram_byte = program->sram_byte};
	uint64_t longest_clk[N_PHASE]; /* step of a phase */
	uint64_t all_clk[PROGRAM_MAX_STEP];
	double all_pj[PROGRAM_MAX_STEP];
	for (uint32_t i = 0; i < program->n_step; i++) {
		const struct step *step = &program->step[i];
		struct counts counts = step->counts;
		bool replays = is_replayed(machine, step);
		struct step_time time = replays ? replay_systolic(step, &rates, &counts) : time_step(step, &rates);
		assert(step->phase < N_PHASE);
		uint64_t clk = all_clk[i] = step_clk(&time, is_least);
		uint64_t stall_clk = time.stall_clk < clk ? time.stall_clk : clk;
		/* a phase's first step, or one that takes longer than those before */
		if (result->phase_clk[step->phase] == 0 || clk >= longest_clk[step->phase]) {
			longest_clk[step->phase] = clk;
			result->phase_bound[step->phase] = time.bound;
		}
		result->phase_clk[step->phase] += clk - stall_clk;
		if (stall_clk > 0) {
			result->phase_clk[PHASE_STALL] += stall_clk;
			result->phase_bound[PHASE_STALL] = BOUND_DRAM;
		}
		counts.awake_clk = counts.mla_clk * time.awake_frac + counts.arm_clk;
		counts_add(&result->counts, &counts);
		if (clk) {
			/* pJ per ns is mW */
			double step_pj = energy_dynamic(machine, point, array_frac, &counts).total_pj;
			note_power(step->phase, static_mw + step_pj / ((double)clk * ns_per_clk), &peak_mw, &apart_mw);
			all_pj[i] = step_pj;
		}
	}
	result->peak_power_mw = peak_mw;
	result->apart_power_mw = apart_mw;
	if (program->fetch.dram_byte > 0)
		add_fetch(program, all_clk, all_pj, &rates, result);
	result_finish(machine, level, result);
}

/* A mixed point: both of its points, then a part of each. */
static void run(const struct machine *machine, const struct program *program, uint32_t level, enum price price,
                struct sim_result *result)
{
	const struct operating_point *point = &machine->level[level];
	struct sim_result low, high;
	if (!mixed_is(point)) {
		run_program(machine, program, level, price, result);
		return;
	}
	assert(price != PRICE_LEAST_SLOWER);
	run_program(machine, program, point->low, price, &low);
	run_program(machine, program, point->high, price, &high);
	if (!mixed_is_by_pe(machine)) {
		mixed_combine(machine, level, mixed_n_round(program), &low, &high, result);
		return;
	}
	/* what a plan takes is dse/spread's to say, who knows which PEs have which tasks */
	assert(price != PRICE_OWN);
	mixed_least(machine, level, &low, &high, result);
}

void fast_run_least(const struct machine *machine, const struct program *program, uint32_t level,
                    struct sim_result *result)
{
	run(machine, program, level, PRICE_LEAST, result);
}

void fast_run_least_slower(const struct machine *machine, const struct program *program, uint32_t level,
                           struct sim_result *result)
{
	run(machine, program, level, PRICE_LEAST_SLOWER, result);
}

void fast_run(const struct machine *machine, const struct program *program, uint32_t level, struct sim_result *result)
{
	run(machine, program, level, PRICE_OWN, result);
	/* SCALE-Sim gives each operand all of the bandwidth, and forgets a clock */
	assert(!result_is_counted(result) || mixed_is(&machine->level[level]) ||
	       machine->systolic.memory != SYSTOLIC_PHYSICAL ||
	       (double)result->total_clk * (1 + 1e-9) + 1 >= result_roofline_clk(machine, &result->counts, level));
}

void fast_add_step(const struct machine *machine, const struct step *step, uint32_t level, struct sim_result *result)
{
	struct program program = {.n_step = 1, .step = {*step}};
	struct sim_result priced;
	fast_run(machine, &program, level, &priced);
	for (int i = 0; i < N_PHASE; i++) {
		if (priced.phase_clk[i] == 0)
			continue;
		result->phase_clk[i] += priced.phase_clk[i];
		result->phase_bound[i] = priced.phase_bound[i];
	}
	result->peak_power_mw = real_max(result->peak_power_mw, priced.peak_power_mw);
	result->apart_power_mw = real_max(result->apart_power_mw, priced.apart_power_mw);
	counts_add(&result->counts, &priced.counts);
}
