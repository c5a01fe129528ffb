/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lower bounds of plans by PE. A plan that has the share y of its tasks at the slower level keeps the PEs that tasks
 * are dealt to busy for y of all MLA clocks there and 1 - y at the faster one (layer_plan.h takes no design of which
 * this does not hold), and its loops take no less than at the faster level.
 */
#include "dse/bound/deadline.h"
#include "dse/bound/layer_bound.h"
#include "dse/spread/loop_groups.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define BOUND_SLACK (1 - 1e-9)

/* Of a range's designs at least. */
struct plan_floor {
	double apart_ns, loop_ns, low_pj, high_pj; /* energies without static */
	double mla_clk, n_pe, low_clk_ns, high_clk_ns;
};

static double clk_ns(const struct plan_floor *floor, double low_frac)
{
	return low_frac * floor->low_clk_ns + (1 - low_frac) * floor->high_clk_ns;
}

static const struct sim_result *run_at(const struct machine *machine, const struct program *program, uint32_t level,
                                       struct bound_runs *runs)
{
	assert(level < MACHINE_FILE_LEVEL);
	if (!(runs->known >> level & 1U))
		fast_run_least(machine, program, level, &runs->result[level]);
	runs->known |= UINT32_C(1) << level;
	return &runs->result[level];
}

/* false: they cannot be counted. */
static bool floor_of_program(const struct machine *machine, const struct range_bound *bound,
                             const struct operating_point *point, struct bound_runs *runs, struct plan_floor *floor,
                             struct counts *counts)
{
	const struct program *program = &bound->program;
	const struct sim_result *low = run_at(machine, program, point->low, runs),
				*high = run_at(machine, program, point->high, runs);
	for (int i = 0; i < N_PHASE; i++) {
		double ns = fmin((double)low->phase_clk[i] * floor->low_clk_ns,
		                 (double)high->phase_clk[i] * floor->high_clk_ns);
		*(loop_part_of((enum phase)i) == LOOP_LOOP ? &floor->loop_ns : &floor->apart_ns) += ns;
	}
	floor->low_pj = low->energy.total_pj - low->energy.static_pj;
	floor->high_pj = high->energy.total_pj - high->energy.static_pj;
	floor->mla_clk = fmin(low->counts.mla_clk, high->counts.mla_clk);
	floor->n_pe = program->n_pe > 0 ? program->n_pe : machine_n_pe(machine);
	*counts = high->counts;
	return result_is_counted(low) && result_is_counted(high);
}

/* Latency of plans with at least this share at the slower level. */
static double least_ns(const struct machine *machine, const struct range_bound *bound, const struct plan_floor *floor,
                       uint32_t high, double low_frac)
{
	double ns, pj;
	if (bound->has_program)
		return floor->apart_ns +
		       fmax(floor->loop_ns, floor->mla_clk * clk_ns(floor, low_frac) / floor->n_pe * BOUND_SLACK);
	fast_bound_at(machine, &bound->work, high, clk_ns(floor, low_frac), &ns, &pj);
	return ns * BOUND_SLACK;
}

static double dynamic_pj(const struct plan_floor *floor, double low_frac)
{
	return low_frac * floor->low_pj + (1 - low_frac) * floor->high_pj;
}

/*
 * Energy of plans of these shares, from one to another, that take at least so long: PEs wait at the level that takes
 * less static power, and work where their tasks are.
 */
static double least_pj(const struct machine *machine, const struct operating_point *point,
                       const struct plan_floor *floor, double from, double to, double latency_ns)
{
	double low_mw = machine->level[point->low].pe_static_mw, high_mw = machine->level[point->high].pe_static_mw;
	double wait_mw = fmin(energy_static_mw(machine, point->low), energy_static_mw(machine, point->high));
	double over_pj = fmax(0, high_mw - low_mw) * (1 - to) * floor->mla_clk * floor->high_clk_ns +
	                 fmax(0, low_mw - high_mw) * from * floor->mla_clk * floor->low_clk_ns;
	return fmin(dynamic_pj(floor, from), dynamic_pj(floor, to)) + wait_mw * latency_ns + over_pj;
}

bool bound_plan_metrics(const struct space *space, const struct layer_context *context, const struct range_bound *bound,
                        uint32_t level, struct bound_runs *runs, double (*value)[N_METRIC])
{
	const struct machine *machine = context->machine;
	const struct operating_point *point = &machine->level[level];
	struct plan_floor least = {.low_clk_ns = 1e3 / machine->level[point->low].clk_mhz,
	                           .high_clk_ns = 1e3 / machine->level[point->high].clk_mhz};
	struct counts counts = bound->work.counts;
	bool is_counted = true;
	double static_mw = fmin(energy_static_mw(machine, point->low), energy_static_mw(machine, point->high)), ns;
	if (bound->has_program) {
		is_counted = floor_of_program(machine, bound, point, runs, &least, &counts);
	} else {
		fast_bound_at(machine, &bound->work, point->low, least.low_clk_ns, &ns, &least.low_pj);
		fast_bound_at(machine, &bound->work, point->high, least.high_clk_ns, &ns, &least.high_pj);
		least.mla_clk = bound->work.counts.mla_clk;
	}
	double byte = counts.dram_read_byte + counts.dram_write_byte;
	for (int i = 0; i < BOUND_PAIR_CELL; i++) {
		double from = (double)i / BOUND_PAIR_CELL, to = (i + 1.0) / BOUND_PAIR_CELL, *own = value[i];
		double latency_ns = least_ns(machine, bound, &least, point->high, from);
		double pj = least_pj(machine, point, &least, from, to, latency_ns);
		memset(own, 0, N_METRIC * sizeof(*own));
		own[METRIC_LATENCY] = latency_ns * MS_PER_NS;
		own[METRIC_ENERGY] = pj * MJ_PER_PJ * BOUND_SLACK;
		own[METRIC_ENERGY] =
		    fmax(0, own[METRIC_ENERGY] - deadline_asleep_mj(space, machine, own[METRIC_LATENCY]));
		own[METRIC_DRAM] = byte < 0x1p52 && byte <= floor(byte) ? byte : byte * BOUND_SLACK;
		own[METRIC_SRAM_USED] = (double)bound->program.sram_byte / (double)mapper_available_byte(machine);
		own[METRIC_PEAK_POWER] = static_mw * BOUND_SLACK;
		own[METRIC_RUN_TIME] = own[METRIC_LATENCY] + metric_layer_overhead_ms(machine, bound->n_worker);
	}
	return is_counted;
}

/* How long tasks keep PEs busy, all together. */
static double busy_ns(const struct layer_design *design, const struct loop_groups *groups, double mla_clk, double mhz)
{
	if (split_n_uneven(&design->split) == 0 && groups->n_loop > 0)
		return (double)groups->n_task / (double)groups->n_loop * groups->loop.ns;
	return mla_clk * 1e3 / mhz;
}

void pair_bound_make(const struct space *space, const struct layer_context *context, const struct layer_design *design,
                     const struct program *program, const struct sim_result part[2], struct pair_bound *bound)
{
	const struct machine *machine = context->machine;
	const struct operating_point *point = &machine->level[design->level];
	struct layer_design low = *design, high = *design;
	low.level = point->low;
	high.level = point->high;
	const struct loop_groups slow = loop_groups_of_program(context, &low, program, &part[0]),
				 fast = loop_groups_of_program(context, &high, program, &part[1]);
	*bound = (struct pair_bound){
	    .space = space,
	    .context = context,
	    .design = design,
	    .high = &part[1],
	    .apart_ns = fast.load.ns + fast.arm.ns,
	    .apart_pj = fast.load.dynamic_pj + fast.arm.dynamic_pj,
	    .loop_ns = fmin(slow.loop.ns, fast.loop.ns),
	    .low_loop_ns = slow.loop.ns,
	    .high_loop_ns = fast.loop.ns,
	    .low_pj = slow.loop.dynamic_pj,
	    .high_pj = fast.loop.dynamic_pj,
	    .low_busy_ns = busy_ns(design, &slow, part[0].counts.mla_clk, machine->level[point->low].clk_mhz),
	    .high_busy_ns = busy_ns(design, &fast, part[1].counts.mla_clk, machine->level[point->high].clk_mhz),
	    .n_pe = program->n_pe > 0 ? program->n_pe : machine_n_pe(machine)};
}

/* Of plans with a share of the tasks at the slower level whose loops take at least so long. */
static void metrics_of(const struct pair_bound *bound, double from, double to, double loop_ns, double *value)
{
	const struct machine *machine = bound->context->machine;
	const struct operating_point *point = &machine->level[bound->design->level];
	double low_mw = machine->level[point->low].pe_static_mw, high_mw = machine->level[point->high].pe_static_mw;
	double wait_mw = fmin(energy_static_mw(machine, point->low), energy_static_mw(machine, point->high));
	double ns = loop_ns * BOUND_SLACK;
	double saved_pj = bound->high_pj - bound->low_pj, over_pj = 0;
	over_pj += fmax(0, high_mw - low_mw) * (1 - to) * bound->high_busy_ns;
	over_pj += fmax(0, low_mw - high_mw) * from * bound->low_busy_ns;
	double pj = bound->apart_pj + bound->high_pj - fmax(from * saved_pj, to * saved_pj) + wait_mw * ns + over_pj +
	            energy_static_mw(machine, point->high) * bound->apart_ns;
	const struct sim_result least = {.counts = bound->high->counts,
	                                 .sram_byte = bound->high->sram_byte,
	                                 .latency_ns = (bound->apart_ns + ns) * BOUND_SLACK,
	                                 .energy = {.total_pj = pj * BOUND_SLACK},
	                                 .peak_power_mw = wait_mw * BOUND_SLACK};
	metric_of_layer(bound->context, bound->design, &least, value);
	deadline_of_layer(bound->space, machine, value);
}

void pair_bound_metrics(const struct pair_bound *bound, double from, double to, double *value)
{
	double busy = from * bound->low_busy_ns + (1 - from) * bound->high_busy_ns;
	metrics_of(bound, from, to, fmax(bound->loop_ns, busy / bound->n_pe), value);
}

size_t pair_bound_deal(struct pair_bound *bound, const struct pe_deal *deal,
                       struct plan_reach_step step[PLAN_REACH_MAX_STEP])
{
	const double task_ns[2] = {bound->low_loop_ns / (double)deal->n_loop,
	                           bound->high_loop_ns / (double)deal->n_loop};
	bound->low_busy_ns = task_ns[0] * (double)deal->n_task;
	bound->high_busy_ns = task_ns[1] * (double)deal->n_task;
	return plan_reach(deal, task_ns, bound->context->machine->dvfs_switch_ns, step);
}

void pair_bound_dealt_metrics(const struct pair_bound *bound, const struct plan_reach_step *step, double *value)
{
	metrics_of(bound, 0, step->low_frac, step->ns, value);
}
