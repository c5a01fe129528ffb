/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plan takes, from results of any tier at its two levels: its stretches are measured with that tier's tasks. Of
 * energy, tasks at the slower level take what they take there, all else what it takes at the faster one.
 */
#include "dse/spread/layer_plan_parts.h"
#include "sim/base/real.h"
#include <assert.h>
#include <math.h>

/* Sums over a plan's stretches. */
struct plan_sum {
	double ns, peak_mw, n_low_task;
	double low_pe_ns, n_change; /* of PEs */
};

/* A PE's time at the slower level until the stretch is over, and its changes. */
static void add_group(const struct pe_plan_work *work, const struct pe_plan *plan, const struct pe_plan_group *group,
                      uint32_t low, double all_ns, struct plan_sum *sum)
{
	const uint32_t level[2] = {group->first, group->second};
	const uint32_t n_task[2] = {group->n_first, group->n_second};
	const uint32_t n_wait[2] = {group->n_wait_first, group->n_wait_second};
	double low_ns = 0, done_ns = 0, n_low = 0, n_change = 0;
	uint32_t now = plan->entry;
	for (int i = 0; i < 3; i++) {
		uint32_t to = i < 2 ? level[i] : plan->exit, n = i < 2 ? n_task[i] + n_wait[i] : 0;
		if (i < 2 && n == 0)
			continue;
		double ns = (now != to ? work->switch_ns : 0) + n * work->task_ns[to];
		n_change += now != to;
		now = to;
		done_ns += ns;
		low_ns += to == low ? ns : 0;
		n_low += i < 2 && to == low ? n_task[i] : 0;
	}
	low_ns += plan->exit == low ? all_ns - done_ns : 0;
	sum->low_pe_ns += group->n_pe * low_ns;
	sum->n_low_task += group->n_pe * n_low;
	sum->n_change += group->n_pe * n_change;
}

/* PEs in no group change to where all stand at the end, and wait there. */
static void add_use(const struct pe_plan_work *work, const struct pe_plan *plan, uint32_t low, double all_ns,
                    struct plan_sum *sum)
{
	double n_rest = work->n_pe + work->n_idle_pe;
	for (uint32_t g = 0; g < plan->n_group; g++) {
		add_group(work, plan, &plan->group[g], low, all_ns, sum);
		n_rest -= plan->group[g].n_pe;
	}
	sum->low_pe_ns += plan->exit == low ? n_rest * all_ns : 0;
	sum->n_change += plan->entry != plan->exit ? n_rest : 0;
}

static void add_stretch(const struct layer_plans *plans, const struct plan_loops *loops, size_t stretch,
                        const struct stretch_option *option, struct plan_sum *sum)
{
	const struct pe_stretch *of = &plans->deal.stretch[stretch];
	double ns, pj, peak_mw;
	if (option->is_alone) {
		pe_deal_alone(&loops->of, of, STAND_HIGH, &ns, &pj, &peak_mw);
	} else {
		struct pe_plan_work work;
		struct pe_plan_option own = {.plan = option->own.plan};
		bool by_qpe = option->is_together || loops->of.machine->dvfs_domain == DVFS_QPE;
		bool is_known = pe_deal_work(&loops->of, of, by_qpe, &work);
		assert(is_known);
		(void)is_known;
		pe_plan_measure(&work, &own);
		ns = own.ns;
		peak_mw = own.peak_mw;
		add_use(&work, &own.plan, loops->level[STAND_LOW], ns, sum);
	}
	sum->ns += ns;
	sum->peak_mw = fmax(sum->peak_mw, peak_mw);
}

static struct plan_sum sum_plan(const struct layer_plans *plans, const struct plan_loops *loops,
                                const struct plan_label *label)
{
	const struct machine *machine = plans->context->machine;
	uint32_t low = loops->level[STAND_LOW], high = loops->level[STAND_HIGH];
	struct plan_sum sum = {0};
	if (label->option->to == STAND_LOW) {
		sum.ns = energy_switch_ns(machine, low, high);
		sum.peak_mw = energy_static_mw(machine, high);
		sum.n_change = machine_n_pe(machine);
	}
	/* from the last stretch back to the first */
	for (size_t i = plans->deal.n_stretch; i-- > 0;)
		for (uint32_t k = 0; k < plans->deal.stretch[i].n_repeat; k++, label = label->before)
			add_stretch(plans, loops, i, label->option, &sum);
	assert(!label->before);
	return sum;
}

/* Clocks of loops as tasks are at either level, of all else at the faster one. */
static void mix_phases(const struct sim_result *low, const struct sim_result *high, double low_frac,
                       struct sim_result *result)
{
	for (int i = 0; i < N_PHASE; i++) {
		double frac = loop_part_of((enum phase)i) == LOOP_LOOP ? low_frac : 0;
		double clk = frac * (double)low->phase_clk[i] + (1 - frac) * (double)high->phase_clk[i];
		result->phase_clk[i] = (uint64_t)ceil(clk - 1e-6);
		result->phase_bound[i] = frac >= 0.5 ? low->phase_bound[i] : high->phase_bound[i];
		result->total_clk += result->phase_clk[i];
		result->core_clk += i < PHASE_PADD ? result->phase_clk[i] : 0;
	}
	result_find_bound(result);
}

/* What the loops are of a level's energy without static. */
static double loop_frac(const struct loop_groups *groups)
{
	double all_pj = groups->load.dynamic_pj + groups->loop.dynamic_pj + groups->arm.dynamic_pj;
	return all_pj > 0 ? groups->loop.dynamic_pj / all_pj : 0;
}

static void mix_energy(const struct machine *machine, const struct plan_loops *loops, const struct plan_sum *sum,
                       const struct sim_result *low, const struct sim_result *high, struct sim_result *result)
{
	const struct energy *a = &low->energy, *b = &high->energy;
	const struct result_mix *mix = &result->mix;
	struct energy *energy = &result->energy;
	double static_pj[N_STAND] = {energy_static_mw(machine, loops->level[STAND_LOW]) * mix->low_ns,
	                             energy_static_mw(machine, loops->level[STAND_HIGH]) *
	                                 (result->latency_ns - mix->low_ns)};
	*energy = (struct energy){
	    .mla_pj = mix->low_frac * a->mla_pj + mix->high_frac * b->mla_pj,
	    .sram_pj = mix->low_frac * a->sram_pj + mix->high_frac * b->sram_pj,
	    .noc_pj = mix->low_frac * a->noc_pj + mix->high_frac * b->noc_pj,
	    .dram_pj = mix->low_frac * a->dram_pj + mix->high_frac * b->dram_pj,
	    .arm_pj = mix->low_frac * a->arm_pj + mix->high_frac * b->arm_pj,
	    .awake_pj = mix->low_frac * a->awake_pj + mix->high_frac * b->awake_pj,
	    .switch_pj = sum->n_change * machine->dvfs_switch_nj * 1e3,
	    .static_pj = static_pj[STAND_LOW] + static_pj[STAND_HIGH],
	};
	energy->total_pj = energy->mla_pj + energy->sram_pj + energy->noc_pj + energy->dram_pj + energy->arm_pj +
	                   energy->awake_pj + energy->switch_pj + energy->static_pj;
}

void layer_plan_price(const struct layer_plans *plans, size_t i, const struct plan_loops *loops,
                      struct sim_result *result)
{
	const struct machine *machine = plans->context->machine;
	const struct sim_result *low = loops->result[STAND_LOW], *high = loops->result[STAND_HIGH];
	assert(i < plans->n && result != low && result != high);
	const struct plan_sum sum = sum_plan(plans, loops, plans->label[i]);
	const struct loop_groups *groups = &loops->groups[STAND_HIGH];
	double low_frac = sum.n_low_task / (double)plans->deal.n_task, n_pe = machine_n_pe(machine);
	*result = (struct sim_result){.counts = high->counts, .sram_byte = high->sram_byte};
	mix_phases(low, high, low_frac, result);
	result->latency_ns = groups->load.ns + sum.ns + groups->arm.ns;
	result->mix = (struct result_mix){.is_mixed = true,
	                                  .is_by_pe = true,
	                                  .low_frac = low_frac * loop_frac(&loops->groups[STAND_LOW]),
	                                  .high_frac = 1 - low_frac * loop_frac(groups),
	                                  .low_ns = sum.low_pe_ns / n_pe,
	                                  .n_change = sum.n_change / n_pe,
	                                  .low = low->counts};
	mix_energy(machine, loops, &sum, low, high, result);
	result->peak_power_mw = real_max(high->apart_power_mw, sum.peak_mw);
	result->apart_power_mw = high->apart_power_mw;
	double mac_clk = result->counts.mac / (double)machine_n_mac(machine);
	result->mac_util_frac = result->total_clk ? mac_clk / (double)result->total_clk : 0;
}
