/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PEs that take turns at two levels. A PE that is never idle has the share x of its work at the slower level, whose
 * loops take s and f at the two levels: it is slow for x s of x s + (1 - x) f. As turns begin evenly over that time,
 * x s / (x s + (1 - x) f) of the PEs are slow at any time. All times are those of the simulated loops, waits included.
 */
#include "sim/program/mixed_turns.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <assert.h>
#include <math.h>

/* A PE's changes of level in a stretch between barriers: to the slower one and back, where that wraps around twice. */
#define N_CHANGE 4
/* Of a PE that would wait, where others stay at the faster level: to the slower one and back. */
#define N_WAIT_CHANGE 2

struct turns {
	const struct machine *machine;
	const struct operating_point *low_point, *high_point, *point;
	double low_frac;                      /* of the tasks, of PEs that are never idle */
	double low_ns, high_ns;               /* all loops at either level */
	double loop_ns;                       /* as they are mixed */
	double task_low_frac;                 /* of all tasks */
	double low_pe_ns;                     /* PE time at the slower level beyond that of PEs that are never idle */
	double n_change, change_ns;           /* of all PEs, in all */
	double n_wait_change, wait_change_ns; /* of a PE that would wait, beyond those of all, as parts of all PEs' */
	double switch_pj;                     /* of a change of all PEs */
};

/* Loops as their tasks are dealt: n_round for the PEs with most, one less for n_less PEs, none for n_idle. */
struct deal {
	double n_less, n_idle;
};

static double whole_units(const struct turns *turns, double n_pe)
{
	double unit = turns->machine->dvfs_domain == DVFS_QPE ? turns->machine->qpe_n_pe : 1;
	return floor(n_pe / unit) * unit;
}

static struct deal deal(const struct turns *turns, const struct mixed_work *work)
{
	double n_less = work->n_task > 0 ? (double)(work->n_pe * work->n_round - work->n_task) : 0;
	return (struct deal){.n_less = whole_units(turns, n_less), .n_idle = whole_units(turns, work->n_idle_pe)};
}

/* What PEs that would wait save of pj if they are slow for so many ns in all; change_pj: their changes. */
static bool pays(const struct turns *turns, double dynamic_pj, double low_pe_ns, double change_pj)
{
	double saved_mw = turns->high_point->pe_static_mw - turns->low_point->pe_static_mw;
	return dynamic_pj + saved_mw * low_pe_ns > change_pj;
}

/* PEs with a task less than others do as much of their own at the slower level as ends with these; saved_pj: of all. */
static void slow_less_busy(struct turns *turns, const struct mixed_work *work, double n_less, double saved_pj)
{
	double n_round = (double)work->n_round, n_own = n_round - 1, frac = 1;
	double low_ns = turns->low_ns / n_round, high_ns = turns->high_ns / n_round;
	double own_ns = turns->loop_ns - turns->wait_change_ns;
	if (n_less <= 0 || own_ns < n_own * high_ns)
		return;
	if (n_own > 0 && low_ns > high_ns)
		frac = real_min(1, (own_ns / n_own - high_ns) / (low_ns - high_ns));
	double more_frac = real_max(0, frac - turns->low_frac) * n_less * n_own / (double)work->n_task;
	double more_ns = n_less * (own_ns - n_own * (1 - frac) * high_ns - turns->low_frac * turns->low_ns);
	double change_pj = n_less * turns->n_wait_change * turns->switch_pj;
	if (!pays(turns, more_frac * saved_pj, more_ns, change_pj))
		return;
	turns->task_low_frac += more_frac;
	turns->low_pe_ns += more_ns;
	turns->n_change += n_less * turns->n_wait_change;
}

/* PEs without tasks stand at the slower level while others do theirs. */
static void slow_idle(struct turns *turns, double n_idle)
{
	double own_ns = turns->loop_ns - turns->wait_change_ns - turns->low_frac * turns->low_ns;
	if (own_ns <= 0 || !pays(turns, 0, n_idle * own_ns, n_idle * turns->n_wait_change * turns->switch_pj))
		return;
	turns->low_pe_ns += n_idle * own_ns;
	turns->n_change += n_idle * turns->n_wait_change;
}

static double share_of(double low_frac, double low, double high)
{
	return low_frac * low + (1 - low_frac) * high;
}

/* Clocks of each phase at the point it runs at; returns ns of all. */
static double combine_phases(struct turns *turns, const struct sim_result *low, const struct sim_result *high,
                             struct sim_result *result)
{
	double low_clk = 0, high_clk = 0, apart_clk = 0;
	for (int i = 0; i < N_PHASE; i++) {
		double frac = phase_is_loop((enum phase)i) ? turns->low_frac : 0;
		double at_low = frac * (double)low->phase_clk[i], at_high = (1 - frac) * (double)high->phase_clk[i];
		result->phase_clk[i] = (uint64_t)ceil(at_low + at_high - 1e-6);
		result->phase_bound[i] = frac >= 0.5 ? low->phase_bound[i] : high->phase_bound[i];
		result->total_clk += result->phase_clk[i];
		result->core_clk += i < PHASE_PADD ? result->phase_clk[i] : 0;
		if (phase_is_loop((enum phase)i)) {
			low_clk += (double)low->phase_clk[i];
			high_clk += (double)high->phase_clk[i];
		} else {
			apart_clk += at_high;
		}
	}
	result_find_bound(result);
	turns->low_ns = low_clk * (1e3 / turns->low_point->clk_mhz);
	turns->high_ns = high_clk * (1e3 / turns->high_point->clk_mhz);
	turns->loop_ns = share_of(turns->low_frac, turns->low_ns, turns->high_ns);
	return turns->loop_ns + apart_clk * (1e3 / turns->high_point->clk_mhz);
}

/* At most what each part takes at either level, where the tasks of all PEs are not known. */
static double part_of(const struct turns *turns, bool is_least, double low_pj, double high_pj)
{
	return is_least ? real_min(low_pj, high_pj) : share_of(turns->task_low_frac, low_pj, high_pj);
}

static double dynamic_pj(const struct energy *energy)
{
	return energy->mla_pj + energy->sram_pj + energy->noc_pj + energy->dram_pj + energy->awake_pj;
}

/* all_ns: with changes. */
static void combine_energy(const struct turns *turns, bool is_least, const struct sim_result *low,
                           const struct sim_result *high, double all_ns, struct energy *energy)
{
	const struct energy *a = &low->energy, *b = &high->energy;
	const struct operating_point *point = turns->point;
	double low_mw = energy_static_mw(turns->machine, point->low),
	       high_mw = energy_static_mw(turns->machine, point->high);
	double slow_ns = turns->low_frac * turns->low_ns;
	double static_pj = low_mw * slow_ns + high_mw * (all_ns - slow_ns) -
	                   (turns->high_point->pe_static_mw - turns->low_point->pe_static_mw) * turns->low_pe_ns;
	*energy = (struct energy){
	    .mla_pj = part_of(turns, is_least, a->mla_pj, b->mla_pj),
	    .sram_pj = part_of(turns, is_least, a->sram_pj, b->sram_pj),
	    .noc_pj = part_of(turns, is_least, a->noc_pj, b->noc_pj),
	    .dram_pj = part_of(turns, is_least, a->dram_pj, b->dram_pj),
	    .arm_pj = b->arm_pj,
	    .awake_pj = part_of(turns, is_least, a->awake_pj, b->awake_pj),
	    .switch_pj = turns->n_change * turns->switch_pj,
	    .static_pj = is_least ? real_min(low_mw, high_mw) * all_ns : static_pj,
	};
	energy->total_pj = dynamic_pj(energy) + energy->arm_pj + energy->switch_pj + energy->static_pj;
}

/* Of loops so many PEs at each level at any time, to within a PE; of all else that of the faster level. */
static double peak_mw(const struct turns *turns, uint32_t n_pe, const struct sim_result *low,
                      const struct sim_result *high)
{
	double slow_frac = turns->loop_ns > 0 ? turns->low_frac * turns->low_ns / turns->loop_ns : 0,
	       fewest = slow_frac, most = slow_frac;
	if (n_pe > 0) {
		fewest = whole_units(turns, slow_frac * n_pe) / n_pe;
		most = n_pe - whole_units(turns, n_pe - slow_frac * n_pe);
		most /= n_pe;
	}
	double loop_mw = real_max(share_of(fewest, low->peak_power_mw, high->peak_power_mw),
	                          share_of(most, low->peak_power_mw, high->peak_power_mw));
	return real_max(high->apart_power_mw, loop_mw);
}

/* Changes of all PEs, in each stretch (one where it is not known how many); or none, but of those that would wait. */
static void count_changes(struct turns *turns, const struct mixed_work *work)
{
	const struct machine *machine = turns->machine;
	uint32_t from = turns->point->low, to = turns->point->high;
	double ns = energy_switch_ns(machine, from, to), n_stretch = work->is_least ? 1 : (double)work->n_barrier;
	turns->switch_pj = energy_switch_pj(machine, from, to);
	if (turns->low_frac > 0) {
		turns->n_change = N_CHANGE * n_stretch;
		turns->change_ns = turns->n_change * ns;
	} else {
		turns->n_wait_change = (double)N_WAIT_CHANGE / machine_n_pe(machine);
		turns->wait_change_ns = N_WAIT_CHANGE * ns;
	}
}

void mixed_take_turns(const struct machine *machine, const struct operating_point *point, const struct mixed_work *work,
                      const struct sim_result *low, const struct sim_result *high, struct sim_result *result)
{
	struct turns turns = {.machine = machine,
	                      .point = point,
	                      .low_point = &machine->level[point->low],
	                      .high_point = &machine->level[point->high],
	                      .low_frac = (double)point->n_low / point->n_share};
	turns.task_low_frac = turns.low_frac;
	*result = (struct sim_result){.counts = high->counts, .sram_byte = high->sram_byte};
	double ns = combine_phases(&turns, low, high, result);
	count_changes(&turns, work);
	if (!work->is_least) {
		struct deal dealt = deal(&turns, work);
		slow_less_busy(&turns, work, dealt.n_less, dynamic_pj(&high->energy) - dynamic_pj(&low->energy));
		slow_idle(&turns, dealt.n_idle);
	}
	result->latency_ns = ns + turns.change_ns;
	result->mix = (struct result_mix){true, turns.task_low_frac,
	                                  turns.low_frac * turns.low_ns + turns.low_pe_ns / machine_n_pe(machine),
	                                  turns.n_change, low->counts};
	result->counts.awake_clk = share_of(turns.task_low_frac, low->counts.awake_clk, high->counts.awake_clk);
	combine_energy(&turns, work->is_least, low, high, result->latency_ns, &result->energy);
	result->peak_power_mw = peak_mw(&turns, work->n_pe, low, high);
	result->apart_power_mw = high->apart_power_mw;
	double mac_clk = result->counts.mac / (double)machine_n_mac(machine);
	result->mac_util_frac = result->total_clk ? mac_clk / (double)result->total_clk : 0;
}
