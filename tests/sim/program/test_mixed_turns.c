/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mixed operating points of PEs that take turns (dvfs.domain: pe, qpe): the closed form against PEs that go through
 * time one by one, who is dealt how many tasks, bounds, the search against enumeration, and contention in the event
 * tier.
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "dse/space/detail.h"
#include "mapper/distribute/bound.h"
#include "mapper/unfold/unfold.h"
#include "sim/base/checked.h"
#include "sim/machine/machine_check.h"
#include "sim/program/energy_use.h"
#include "sim/program/mixed.h"
#include "tests/support/near.h"
#include "tests/support/above_bounds.h"
#include "tests/support/random_design.h"
#include "tests/support/sample_design.h"
#include "tests/support/shipped_machine.h"
#include "tests/support/temporary.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PE 160
#define N_SPACE 4
#define MAX_EDGE (6 * MAX_PE)

static struct machine turning_machine(uint32_t n_share, uint32_t domain)
{
	struct machine machine = shipped_machine("spaces/machines/dvfs_chip.yaml");
	machine.dvfs_domain = domain;
	if (n_share > 0)
		assert_int_equal(mixed_add(&machine, n_share, NULL), ERR_OK);
	return machine;
}

/* PEs may all stand at the faster level but those that would wait: a point more for each pair. */
static void test_turns_points(void **state)
{
	(void)state;
	struct machine machine = turning_machine(4, DVFS_PE);
	assert_int_equal(machine.n_level, 6);
	assert_string_equal(machine.level[2].name, "PL1*0+PL2*4");
	assert_string_equal(machine.level[5].name, "PL1*3+PL2*1");
	assert_int_equal(mixed_entry(&machine, &machine.level[3]), 1);
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	struct machine array = shipped_machine("spaces/machines/edge_tpu.yaml");
	array.dvfs_domain = DVFS_PE;
	assert_false(mixed_is_by_pe(&array));
}

/* ---- one PE after the other ---- */

/* What PEs do in a stretch of loops without changes: slow from begin_ns on for slow_ns, around the end if need be. */
struct walked {
	double pe_low_ns, n_low_task, n_task, fewest_slow, most_slow;
};

static bool is_slow(double at_ns, double begin_ns, double slow_ns, double all_ns)
{
	double since = at_ns - begin_ns;
	since += since < 0 ? all_ns : 0;
	return since < slow_ns;
}

/* n_task of n_pe PEs, dealt in turn, each task low_ns or high_ns long; those with most have the share frac slow. */
static struct walked walk(unsigned n_task, unsigned n_pe, double low_ns, double high_ns, double frac, double wait_ns)
{
	struct walked walked = {.fewest_slow = n_pe};
	unsigned n_round = (n_task + n_pe - 1) / n_pe, n_full = n_task - n_pe * (n_round - 1), n_edge = 0;
	double all_ns = n_round * (frac * low_ns + (1 - frac) * high_ns), edge[MAX_EDGE];
	double begin[MAX_PE], slow[MAX_PE];
	for (unsigned pe = 0; pe < n_pe; pe++) {
		unsigned n_own = pe < n_full ? n_round : n_round - 1;
		double own_low = frac * n_own;
		/* a PE that would wait does as much more slowly as ends in time, found by halving */
		double least = 0, most = n_own;
		for (int i = 0; i < 100 && pe >= n_full; i++) {
			own_low = (least + most) / 2;
			bool ends = own_low * low_ns + (n_own - own_low) * high_ns <= all_ns - wait_ns;
			*(ends ? &least : &most) = own_low;
		}
		begin[pe] = all_ns * pe / n_pe;
		slow[pe] = own_low * low_ns;
		if (pe >= n_full) /* slow to the end, where it waits */
			slow[pe] = all_ns - wait_ns - (n_own - own_low) * high_ns;
		walked.pe_low_ns += slow[pe];
		walked.n_low_task += own_low;
		walked.n_task += n_own;
		edge[n_edge++] = begin[pe];
		edge[n_edge++] = fmod(begin[pe] + slow[pe], all_ns);
	}
	for (unsigned i = 0; i < n_edge; i++)
		for (int side = -1; side <= 1; side += 2) {
			double at_ns = edge[i] + side * all_ns * 1e-7, n_slow = 0;
			if (at_ns < 0 || at_ns >= all_ns)
				continue;
			for (unsigned pe = 0; pe < n_pe; pe++)
				n_slow += is_slow(at_ns, begin[pe], slow[pe], all_ns);
			walked.fewest_slow = fmin(walked.fewest_slow, n_slow);
			walked.most_slow = fmax(walked.most_slow, n_slow);
		}
	return walked;
}

static struct sim_result loops(const struct machine *machine, uint32_t level, double clk, double task_pj, double n_task)
{
	struct sim_result result = {.phase_clk = {[PHASE_TASKS] = (uint64_t)clk},
	                            .energy = {.mla_pj = task_pj * n_task}};
	double ns = clk * 1e3 / machine->level[level].clk_mhz;
	result.peak_power_mw = energy_static_mw(machine, level) + result.energy.mla_pj / ns;
	return result;
}

/* 500 random loops: time, tasks and PE time at the slower level, and how many PEs are slow at any time. */
static void test_turns_equal_pes_that_walk(void **state)
{
	(void)state;
	unsigned n_waiting = 0;
	for (uint32_t trial = 0; trial < 500; trial++) {
		struct rng rng = rng_stream(29, 0, trial);
		unsigned n_share = 2 + (unsigned)rng_below(&rng, 7), n_pe = 1 + (unsigned)rng_below(&rng, 40);
		unsigned n_task = 1 + (unsigned)rng_below(&rng, 6 * n_pe), n_low = (unsigned)rng_below(&rng, n_share);
		struct machine machine = turning_machine(0, DVFS_PE);
		machine.dvfs_switch_ns = (double)rng_below(&rng, 200);
		machine.dvfs_switch_nj = 0;
		machine.level[0].pe_static_mw = 0.5 + 0.9 * rng_unit(&rng);
		assert_int_equal(mixed_add(&machine, n_share, NULL), ERR_OK);
		unsigned n_round = (n_task + n_pe - 1) / n_pe;
		double low_clk = n_round * (20000.0 + (double)rng_below(&rng, 9000));
		double high_clk = n_round * 20000.0, n = n_task;
		struct sim_result low = loops(&machine, 0, low_clk, 5000, n),
				  high = loops(&machine, 1, high_clk, 6000, n), got;
		const struct mixed_work work = {.n_round = n_round,
		                                .n_barrier = 1,
		                                .n_task = n_task,
		                                .n_pe = n_pe,
		                                .n_idle_pe = machine_n_pe(&machine) - n_pe};
		mixed_combine(&machine, 2 + n_low, &work, &low, &high, &got);
		double low_ns = low_clk / n_round * 1e3 / 320, high_ns = high_clk / n_round * 1e3 / 400;
		double frac = (double)n_low / n_share, all_ns = n_round * (frac * low_ns + (1 - frac) * high_ns);
		double wait_ns = n_low == 0 ? 2 * machine.dvfs_switch_ns : 0;
		struct walked walked = walk(n_task, n_pe, low_ns, high_ns, frac, wait_ns);
		assert_int_equal(walked.n_task, n_task);
		/* all change four times, or none that does not wait */
		double change_ns = n_low > 0 ? 4 * machine.dvfs_switch_ns : 0;
		assert_close(got.latency_ns, all_ns + change_ns);
		double want_pj = walked.n_low_task * 5000 + (n_task - walked.n_low_task) * 6000;
		assert_true(is_near(got.energy.mla_pj, want_pj, 1e-9));
		/* static energy: PEs of the loops as they walk, those without part in it slow, the rest of the chip */
		double n_idle = machine_n_pe(&machine) - (double)n_pe;
		double low_pe_ns = walked.pe_low_ns + n_idle * (all_ns - wait_ns),
		       own_mw = machine.level[1].pe_static_mw;
		double want_static = energy_static_mw(&machine, 1) * got.latency_ns -
		                     (own_mw - machine.level[0].pe_static_mw) * low_pe_ns;
		assert_true(is_near(got.energy.static_pj, want_static, 1e-9));
		/* as many at a time as the power says, of PEs that are never idle; the others are slow for longer */
		double fewest = walked.fewest_slow / n_pe;
		double want_mw = fewest * low.peak_power_mw + (1 - fewest) * high.peak_power_mw;
		if (n_task % n_pe == 0)
			assert_true(is_near(got.peak_power_mw, want_mw, 1e-9));
		assert_true(got.peak_power_mw <= high.peak_power_mw * (1 + 1e-12));
		assert_true(walked.most_slow - walked.fewest_slow <= 1 || n_task % n_pe != 0);
		n_waiting += n_task % n_pe != 0;
	}
	assert_true(n_waiting > 100 && n_waiting < 490);
}

/* Jobs of a queue that fewer PEs have than others are known only where no PE of any queue lacks two. */
static void test_turns_jobs_are_dealt_evenly(void **state)
{
	(void)state;
	struct machine machine = turning_machine(0, DVFS_PE);
	unsigned n_even = 0, n_known = 0, n_waiting = 0;
	for (uint32_t trial = 0; trial < 300; trial++) {
		static const uint32_t part[] = {1, 2, 4, 7, 8, 14, 28};
		struct rng rng = rng_stream(31, 0, trial);
		const uint32_t n_w = part[rng_below(&rng, 7)], n_h = part[rng_below(&rng, 7)],
			       n_c = 1U << rng_below(&rng, 5);
		struct block block = sample_conv_block(56, 128);
		block.pool = 1;
		struct layer_design design = {
		    .split = sample_split(&block, n_w, n_h, n_c), .strategy = STRATEGY_FUSION, .operand_bit = 8};
		struct layer_context context;
		struct program program;
		struct verdict verdict;
		struct schedule schedule = {0};
		uint64_t n_job[MAX_PE] = {0}, n_lacking = 0;
		mapper_prepare(&block, &machine, 8, &context);
		if (!mapper_distribute(&context, &design, &program, &verdict))
			continue;
		struct mixed_work work = mixed_work_of(&machine, &program);
		assert_int_equal(mapper_unfold(&context, &design, &schedule, NULL), ERR_OK);
		for (uint32_t i = 0; i < schedule.n_job; i++)
			n_job[schedule.job[i].queue]++;
		uint64_t n_queue = context.hierarchy.n_queue, n_pe = work.n_pe / n_queue;
		bool is_even = true;
		for (uint64_t i = 0; i < n_queue; i++) {
			is_even = is_even && n_job[i] >= n_pe * (work.n_round - 1);
			n_lacking += n_pe * work.n_round - n_job[i];
		}
		assert_true(work.n_pe <= machine_n_pe(&machine));
		assert_true(work.n_task == 0 || (is_even && n_lacking == work.n_pe * work.n_round - work.n_task));
		n_even += is_even;
		n_known += work.n_task > 0;
		n_waiting += work.n_task > 0 && n_lacking > 0;
		schedule_free(&schedule);
	}
	assert_true(n_known > 20 && n_waiting > 5 && n_even >= n_known);
}

/* Bounds from a point's fields, and from its least program, are under what is priced, which rests on its coefficients.
 */
static void test_turns_bounds_hold(void **state)
{
	(void)state;
	unsigned n_ran = 0, n_waiting = 0;
	for (uint32_t domain = DVFS_QPE; domain <= DVFS_PE; domain++) {
		struct machine machine = turning_machine(5, domain);
		machine.dvfs_switch_ns = 50;
		machine.dvfs_switch_nj = 0.001;
		for (uint32_t trial = 0; trial < 700; trial++) {
			struct rng rng = rng_stream(37, domain, trial);
			struct layer_design design;
			struct sim_result result;
			if (!random_result_above_bounds(&machine, &rng, &design, &result))
				continue;
			struct energy_use use, value;
			energy_use_of(&machine, design.level, &result, &use);
			energy_use_values(&machine, &value);
			assert_near(energy_use_pj(&use, &value), result.energy.total_pj, 1e-9);
			n_ran++;
			n_waiting += mixed_is(&machine.level[design.level]) && machine.level[design.level].n_low == 0 &&
			             result.energy.switch_pj > 0;
		}
	}
	assert_true(n_ran > 100 && n_waiting > 0);
}

/* ---- searches ---- */

static void write_space(char path[TEMPORARY_SIZE], struct rng *rng)
{
	static const char *const objective[] = {"latency_ms, energy_mj", "latency_ms, peak_power_mw",
	                                        "latency_ms, energy_mj, peak_power_mw"};
	char text[1200];
	(void)snprintf(text, sizeof(text),
	               "name: turns\n"
	               "machine: dvfs_chip\n"
	               "network: tiny\n"
	               "axes:\n"
	               "  dvfs.domain: [%s]\n"
	               "  dvfs.switch_ns: [%u]\n"
	               "  dvfs.switch_nj: [%u]\n"
	               "level_shares: %u\n"
	               "level_changes: %s\n"
	               "layers:\n"
	               "  - match: '.*'\n"
	               "    split: whole\n"
	               "    strategy: fusion\n"
	               "  - match: '^CONV_'\n"
	               "    split: {height: {max_parts: %u, choose: even}}\n"
	               "    strategy: [fusion, fusion_reuse]\n"
	               "  - match: '^FC_'\n"
	               "    split: {in_channels: {max_parts: 2, choose: even}}\n"
	               "    level: [PL1, PL2]\n"
	               "constraints: [peak_power_mw <= %u]\n"
	               "objectives: [%s]\n",
	               rng_below(rng, 4) ? "pe" : "qpe", rng_below(rng, 3) * 40, rng_below(rng, 3),
	               2 + rng_below(rng, 3), rng_below(rng, 2) ? "true" : "false", 2 + rng_below(rng, 4),
	               400 + rng_below(rng, 600), objective[rng_below(rng, 3)]);
	temporary_write(path, text);
}

static void explore_with(const char *path, int road, struct space *space, struct explore *explore)
{
	const struct explore_options options = {
	    .engine = road == 1 ? &engine_exact : &engine_exhaustive, .flat = road == 2, .n_thread = 2};
	struct err err = {0};
	if (space_read(path, space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	enum err_code code = explore_run(space, &options, explore, &err);
	assert_true(code == ERR_OK || code == ERR_INFEASIBLE);
	err_clear(&err);
}

/* Layer by layer, by branch and bound, and all combinations of the network's layers one by one: one front. */
static void test_turns_searches_equal_enumeration(void **state)
{
	(void)state;
	unsigned n_point = 0, n_empty = 0;
	for (uint32_t trial = 0; trial < N_SPACE; trial++) {
		struct rng rng = rng_stream(41, 0, trial);
		struct space space[3];
		struct explore explore[3];
		char path[TEMPORARY_SIZE];
		write_space(path, &rng);
		for (int i = 0; i < 3; i++)
			explore_with(path, i, &space[i], &explore[i]);
		for (int i = 0; i < 3; i++) {
			const struct pareto *front = &explore[i].front;
			assert_int_equal(front->n, explore[0].front.n);
			for (size_t k = 0; k < front->n * space[0].n_objective; k++)
				assert_close(front->objective[k], explore[0].front.objective[k]);
		}
		n_point += (unsigned)explore[0].front.n;
		n_empty += explore[0].front.n == 0;
		for (int i = 0; i < 3; i++) {
			explore_free(&explore[i]);
			space_free(&space[i]);
		}
		(void)remove(path);
	}
	assert_true(n_point > 3 * N_SPACE && n_empty <= N_SPACE / 2);
}

/* ---- the event tier ---- */

static struct sim_result run_at(const struct machine *machine, const struct sample *sample, uint32_t level,
                                enum detail detail)
{
	struct layer_context context;
	struct layer_design design = sample->design;
	const struct detail_options options = {.detail = detail};
	design.level = level;
	mapper_prepare(&sample->block, machine, 8, &context);
	struct detail_run run = {.context = &context, .design = &design};
	detail_run(&run, &options);
	assert_true(run.ran);
	return run.result;
}

/* Slow PEs among fast ones wait for the NoC as if all asked at the faster clock, at most: longer than among their like.
 */
static void test_turns_contention_in_the_event_tier(void **state)
{
	(void)state;
	struct machine machine = turning_machine(2, DVFS_PE), slow_noc = machine;
	slow_noc.noc_clk_mhz *= 320.0 / 400;
	const struct sample sample = sample_conv(2, 14, 32, STRATEGY_FUSION_REUSE);
	struct sim_result low = run_at(&machine, &sample, 0, DETAIL_EVENT),
			  high = run_at(&machine, &sample, 1, DETAIL_EVENT);
	struct sim_result crowded = run_at(&slow_noc, &sample, 0, DETAIL_EVENT),
			  got = run_at(&machine, &sample, 3, DETAIL_EVENT);
	double low_clk = (double)low.phase_clk[PHASE_COMPUTATION],
	       most_clk = (double)crowded.phase_clk[PHASE_COMPUTATION];
	double high_clk = (double)high.phase_clk[PHASE_COMPUTATION], rest_clk = (double)high.total_clk - high_clk;
	assert_true(most_clk > low_clk && most_clk < 1.1 * low_clk);
	double loop_ns = 0.5 * most_clk * 1e3 / 320 + 0.5 * high_clk * 1e3 / 400;
	struct layer_context context;
	struct program program;
	struct verdict verdict;
	mapper_prepare(&sample.block, &machine, 8, &context);
	assert_true(mapper_distribute(&context, &sample.design, &program, &verdict));
	double n_barrier = (double)mixed_work_of(&machine, &program).n_barrier;
	assert_close(got.latency_ns, loop_ns + rest_clk * 1e3 / 400 + 4 * n_barrier * machine.dvfs_switch_ns);
	assert_true(got.peak_power_mw < high.peak_power_mw && got.peak_power_mw > low.peak_power_mw);
	struct sim_result waiting = run_at(&machine, &sample, 2, DETAIL_EVENT);
	assert_close(waiting.latency_ns, high.latency_ns);
	assert_true(waiting.energy.total_pj < high.energy.total_pj);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_turns_points),
	    cmocka_unit_test(test_turns_equal_pes_that_walk),
	    cmocka_unit_test(test_turns_jobs_are_dealt_evenly),
	    cmocka_unit_test(test_turns_bounds_hold),
	    cmocka_unit_test(test_turns_searches_equal_enumeration),
	    cmocka_unit_test(test_turns_contention_in_the_event_tier),
	};
	return cmocka_run_group_tests_name("turns", test, NULL, NULL);
}
