/* SPDX-License-Identifier: Apache-2.0 */
/* Either tier through one door: what both must agree on, bounds that hold for both, threads, audit, refusals. */
#include "tests/support/unit_test.h"

#include "dse/space/detail.h"
#include "dse/space/machine_read.h"
#include "dse/layer/layer_problem.h"
#include "dse/space/space.h"
#include "mapper/distribute/bound.h"
#include "tests/support/all_runs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DESIGN 64

/* Layers of the small network on a machine, each with every strategy that serves it, whole or in two halves. */
struct fixture {
	struct machine machine;
	struct network network;
	struct layer_context context[16];
	size_t n;
	struct layer_design design[MAX_DESIGN];
	struct detail_run run[MAX_DESIGN];
};

static void add_designs(struct fixture *fixture, const struct layer_context *context)
{
	const struct block *block = context->block;
	for (unsigned i = 0; i < 2 * N_PE_STRATEGY; i++) {
		struct program program;
		struct verdict verdict;
		struct layer_design design = {
		    .split = split_whole(block), .strategy = (enum strategy)(i / 2), .operand_bit = 8};
		if (i % 2 && block->kind == BLOCK_CONV && block->out_c % 2 == 0)
			design.split.c = (struct dim_split){.size_a = block->out_c / 2, .n_a = 2};
		else if (i % 2)
			continue;
		if (!mapper_distribute(context, &design, &program, &verdict))
			continue;
		assert_true(fixture->n < MAX_DESIGN);
		fixture->design[fixture->n] = design;
		fixture->run[fixture->n] =
		    (struct detail_run){.context = context, .design = &fixture->design[fixture->n]};
		fixture->n++;
	}
}

static void set_up(const char *machine, struct fixture *fixture)
{
	struct err err = {0};
	memset(fixture, 0, sizeof(*fixture));
	assert_int_equal(machine_read(machine, &fixture->machine, &err), ERR_OK);
	assert_int_equal(network_read("spaces/networks/tiny.yaml", &fixture->network, &err), ERR_OK);
	assert_true(fixture->network.n_block <= 16);
	for (size_t i = 0; i < fixture->network.n_block; i++) {
		mapper_prepare(&fixture->network.block[i], &fixture->machine, 8, &fixture->context[i]);
		add_designs(fixture, &fixture->context[i]);
	}
	assert_true(fixture->n >= 6);
}

static const char *const machine_file[] = {"spaces/machines/thesis_qpe_dram.yaml", "spaces/machines/thesis_chip.yaml",
                                           "spaces/machines/dvfs_chip.yaml"};

/* What is moved and computed, and what is on ARM cores, is no matter of the tier; the clocks are near each other. */
static void test_detail_tiers_agree_on_work(void **state)
{
	(void)state;
	for (size_t m = 0; m < sizeof(machine_file) / sizeof(machine_file[0]); m++) {
		struct fixture fast, event;
		set_up(machine_file[m], &fast);
		set_up(machine_file[m], &event);
		run_all(fast.run, fast.n, (struct detail_options){.detail = DETAIL_FAST});
		run_all(event.run, event.n, (struct detail_options){.detail = DETAIL_EVENT});
		for (size_t i = 0; i < fast.n; i++) {
			const struct sim_result *a = &fast.run[i].result, *b = &event.run[i].result;
			if (event.design[i].strategy != STRATEGY_THESIS_REUSE) {
				assert_true(a->counts.mac == b->counts.mac);
				assert_true(a->counts.dram_read_byte == b->counts.dram_read_byte);
				assert_true(a->counts.dram_write_byte == b->counts.dram_write_byte);
			}
			assert_int_equal(a->sram_byte, b->sram_byte);
			for (unsigned k = PHASE_PADD; k < N_PHASE; k++)
				assert_int_equal(a->phase_clk[k], b->phase_clk[k]);
			assert_true(b->core_clk > 0 && event.run[i].stat.n_event > 0);
			assert_true(fast.run[i].stat.n_event == 0);
		}
		network_free(&fast.network);
		network_free(&event.network);
	}
}

/* A search in the event tier trusts the bounds that were made for the fast one: no design may undercut them. */
static void test_detail_bounds_hold_in_event_tier(void **state)
{
	(void)state;
	for (size_t m = 0; m < sizeof(machine_file) / sizeof(machine_file[0]); m++) {
		struct fixture fixture;
		set_up(machine_file[m], &fixture);
		run_all(fixture.run, fixture.n, (struct detail_options){.detail = DETAIL_EVENT});
		for (size_t i = 0; i < fixture.n; i++) {
			struct least_work least = {0};
			double latency_ns, energy_pj;
			const struct sim_result *result = &fixture.run[i].result;
			if (!mapper_bound(fixture.run[i].context, &fixture.design[i], 0, &least))
				continue;
			fast_bound(&fixture.machine, &least, 0, &latency_ns, &energy_pj);
			assert_true(latency_ns <= result->latency_ns * (1 + 1e-9));
			assert_true(energy_pj <= result->energy.total_pj * (1 + 1e-9));
		}
		network_free(&fixture.network);
	}
}

static void test_detail_does_not_depend_on_threads_or_audit(void **state)
{
	(void)state;
	struct fixture one, other;
	set_up(machine_file[1], &one);
	run_all(one.run, one.n, (struct detail_options){.detail = DETAIL_EVENT});
	for (unsigned i = 0; i < 3; i++) {
		set_up(machine_file[1], &other);
		run_all(other.run, other.n,
		        (struct detail_options){.detail = DETAIL_EVENT, .n_thread = 1 + i, .audit = i == 2});
		for (size_t k = 0; k < one.n; k++) {
			const struct sim_result *a = &one.run[k].result, *b = &other.run[k].result;
			assert_int_equal(a->total_clk, b->total_clk);
			assert_true(a->energy.total_pj == b->energy.total_pj && a->peak_power_mw == b->peak_power_mw);
			assert_int_equal(one.run[k].stat.n_event, other.run[k].stat.n_event);
		}
		network_free(&other.network);
	}
	network_free(&one.network);
}

/* Refused by either tier with the same reason, and no error. */
static void test_detail_refusals_are_verdicts(void **state)
{
	(void)state;
	struct fixture fixture;
	set_up(machine_file[2], &fixture);
	for (unsigned i = 0; i < N_DETAIL; i++) {
		struct layer_design design = fixture.design[0];
		struct err err = {0};
		const struct detail_options options = {.detail = (enum detail)i};
		fixture.machine.pe_sram_byte = 64;
		struct detail_run run = {.context = &fixture.context[0], .design = &design};
		assert_int_equal(detail_run_all(&run, 1, &options, &err), ERR_OK);
		assert_false(run.ran);
		assert_int_equal(run.verdict.reason, VERDICT_SRAM);
		assert_int_equal(err.n_message, 0);
	}
	network_free(&fixture.network);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_detail_tiers_agree_on_work),
	    cmocka_unit_test(test_detail_bounds_hold_in_event_tier),
	    cmocka_unit_test(test_detail_does_not_depend_on_threads_or_audit),
	    cmocka_unit_test(test_detail_refusals_are_verdicts),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
