/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights fetched ahead: bytes are moved from one layer to the one before it and nothing gets lost, what does not fit
 * or suit has its reason, both tiers tell the same, bounds stay below, and composed fronts are those of brute force.
 */
#include "tests/support/unit_test.h"

#include "dse/space/detail.h"
#include "dse/space/machine_read.h"
#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "dse/space/space.h"
#include "dse/design/unroll.h"
#include "mapper/distribute/bound.h"
#include "mapper/unfold/unfold.h"
#include "sim/base/rng.h"
#include "tests/support/plain_block.h"
#include "tests/support/space_folder.h"
#include "tests/support/front_covered.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On routers that pass a packet a clock a fetch that keeps the DRAM busy all the time slows tasks down. */
#define MAX_LAYER_FRAC 0.13
#define MAX_MEAN_FRAC 0.04

/* ---- one layer ---- */

struct fixture {
	struct machine machine;
	struct block block, next;
	struct layer_context context;
};

static void open_fixture(struct fixture *fixture, const char *machine, struct block block, struct block next)
{
	struct err err = {0};
	char path[80];
	(void)snprintf(path, sizeof(path), "spaces/machines/%s.yaml", machine);
	*fixture = (struct fixture){.block = block, .next = next};
	assert_int_equal(machine_read(path, &fixture->machine, &err), ERR_OK);
	mapper_prepare(&fixture->block, &fixture->machine, 8, &fixture->context);
	const struct ahead ahead = {.next = &fixture->next, .next_bit = 8, .own_bit = 8, .held_pixel = 1000};
	mapper_set_ahead(&fixture->context, &ahead);
}

static struct layer_design design_of(const struct block *block, uint32_t n_h, uint32_t n_c)
{
	struct layer_design design = {.split = split_whole(block), .strategy = STRATEGY_FUSION_REUSE, .operand_bit = 8};
	assert_true(block->out_h % n_h == 0 && block->out_c % n_c == 0);
	design.split.h = (struct dim_split){.size_a = block->out_h / n_h, .n_a = n_h};
	design.split.c = (struct dim_split){.size_a = block->out_c / n_c, .n_a = n_c};
	design.in_storage = design.out_storage = true;
	return design;
}

static struct sim_result run(const struct fixture *fixture, const struct layer_design *design, enum detail detail)
{
	const struct detail_options options = {.detail = detail};
	struct detail_run run = {.context = &fixture->context, .design = design};
	detail_run(&run, &options);
	if (!run.ran)
		fail_msg("%s %s", verdict_table[run.verdict.reason].name, err_text(&run.err));
	return run.result;
}

static enum verdict_reason judge(const struct fixture *fixture, const struct layer_design *design)
{
	struct program program;
	struct verdict verdict;
	bool runs = mapper_distribute(&fixture->context, design, &program, &verdict);
	assert_true(runs == (verdict.reason == VERDICT_OK));
	if (verdict.reason == VERDICT_AHEAD_ROOM)
		assert_true(verdict.demanded > verdict.available && verdict.available > 0);
	return verdict.reason;
}

/* What one layer loads for the next is what that one need not load, in both tiers. */
static void test_fetch_ahead_moves_bytes(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct fixture fixture;
		enum detail detail = i & 1 ? DETAIL_EVENT : DETAIL_FAST;
		enum ahead_portion portion = i & 2 ? AHEAD_ALL : AHEAD_HALF;
		open_fixture(&fixture, "dvfs_chip", plain_conv(14, 64, 128, 3), plain_conv(14, 64, 128, 3));
		struct layer_design plain = design_of(&fixture.block, 2, 32), fetches = plain, fetched = plain;
		double byte = (double)ahead_weight_byte(&fixture.block, &fixture.machine, 8, portion);
		assert_true(byte == 64 * 9 * 128 * (portion == AHEAD_ALL ? 1 : 0.5));
		fetches.fetch_next = fetched.weight_ahead = portion;
		struct sim_result a = run(&fixture, &plain, detail), b = run(&fixture, &fetches, detail);
		struct sim_result c = run(&fixture, &fetched, detail);
		assert_true(b.counts.dram_read_byte == a.counts.dram_read_byte + byte);
		assert_true(c.counts.dram_read_byte == a.counts.dram_read_byte - byte);
		assert_true(b.counts.dram_write_byte == a.counts.dram_write_byte && b.counts.mac == a.counts.mac);
		/* into the storage QPEs and out again */
		assert_true(b.counts.sram_write_word == a.counts.sram_write_word + byte / 4);
		assert_true(c.counts.sram_read_word == a.counts.sram_read_word + byte / 4);
		assert_true(c.counts.sram_write_word == a.counts.sram_write_word);
		assert_true(b.energy.dram_pj + c.energy.dram_pj <= 2 * a.energy.dram_pj * (1 + 1e-12));
		/* behind the computation, which takes most power as it is */
		if (detail == DETAIL_FAST)
			assert_true(b.peak_power_mw > a.peak_power_mw * (1 + 1e-6));
	}
}

/* Little is hidden behind the computation; of much the rest has a phase, and the interfaces are never busier than time.
 */
static void test_fetch_ahead_takes_idle_time(void **state)
{
	struct fixture fixture;
	(void)state;
	open_fixture(&fixture, "dvfs_chip", plain_conv(28, 64, 128, 3), plain_conv(28, 128, 32, 1));
	struct layer_design design = design_of(&fixture.block, 4, 32);
	struct sim_result plain = run(&fixture, &design, DETAIL_FAST);
	design.fetch_next = AHEAD_ALL;
	struct sim_result little = run(&fixture, &design, DETAIL_FAST);
	assert_int_equal(little.total_clk, plain.total_clk);
	assert_int_equal(little.phase_clk[PHASE_FETCH], 0);
	assert_true(little.peak_power_mw >= plain.peak_power_mw);
	open_fixture(&fixture, "dvfs_chip", plain_conv(28, 64, 128, 3), plain_conv(28, 128, 1024, 3));
	for (design.level = 0; design.level < fixture.machine.n_level; design.level++) {
		design.fetch_next = AHEAD_NONE;
		plain = run(&fixture, &design, DETAIL_FAST);
		design.fetch_next = AHEAD_ALL;
		struct sim_result much = run(&fixture, &design, DETAIL_FAST);
		double rate = fixture.machine.dram_n * fixture.machine.dram_access_byte * fixture.machine.dram_clk_mhz /
		              (fixture.machine.dram_access_clk * fixture.machine.level[design.level].clk_mhz);
		double dram_clk = (much.counts.dram_read_byte + much.counts.dram_write_byte) / rate;
		assert_true(much.phase_clk[PHASE_FETCH] > 0);
		assert_int_equal(much.total_clk, plain.total_clk + much.phase_clk[PHASE_FETCH]);
		assert_true((double)much.total_clk >= dram_clk);
		assert_true((double)much.total_clk < (double)plain.total_clk + dram_clk);
	}
}

static void test_fetch_ahead_refuses_with_a_reason(void **state)
{
	struct fixture fixture;
	(void)state;
	open_fixture(&fixture, "dvfs_chip", plain_conv(14, 64, 128, 3), plain_conv(14, 128, 128, 3));
	struct layer_design good = design_of(&fixture.block, 2, 32), bad;
	good.weight_ahead = AHEAD_HALF;
	good.fetch_next = AHEAD_ALL;
	assert_int_equal(judge(&fixture, &good), VERDICT_OK);

	bad = good;
	bad.strategy = STRATEGY_FUSION;
	assert_int_equal(judge(&fixture, &bad), VERDICT_NO_STORAGE);
	bad.strategy = STRATEGY_THESIS_REUSE;
	assert_int_equal(judge(&fixture, &bad), VERDICT_NO_STORAGE);
	bad = good; /* an odd number of parts for each block has no half */
	bad.split.c = (struct dim_split){.size_a = 32, .n_a = 4};
	assert_int_equal(judge(&fixture, &bad), VERDICT_AHEAD_PARTS);
	bad.weight_ahead = AHEAD_ALL;
	assert_int_equal(judge(&fixture, &bad), VERDICT_OK);
	bad.split.c = (struct dim_split){.size_a = 2, .n_a = 64}; /* 4 filters are a group */
	assert_int_equal(judge(&fixture, &bad), VERDICT_AHEAD_PARTS);
	bad.weight_ahead = AHEAD_NONE;
	assert_int_equal(judge(&fixture, &bad), VERDICT_OK);
	fixture.context.ahead.own_bit = 16;
	assert_int_equal(judge(&fixture, &good), VERDICT_AHEAD_PARTS);
	fixture.context.ahead.own_bit = 0;
	assert_int_equal(judge(&fixture, &good), VERDICT_NO_STORAGE);

	/* 2 MiB: 1.125 MiB of weights beside ifmap, result and what is held */
	open_fixture(&fixture, "dvfs_chip", plain_conv(56, 64, 256, 1), plain_conv(56, 256, 512, 3));
	good = design_of(&fixture.block, 4, 32);
	good.fetch_next = AHEAD_ALL;
	good.in_storage = false;
	assert_int_equal(judge(&fixture, &good), VERDICT_OK);
	good.in_storage = true;
	assert_int_equal(judge(&fixture, &good), VERDICT_AHEAD_ROOM);
	good.in_storage = false;
	fixture.context.ahead.held_pixel = 500000;
	assert_int_equal(judge(&fixture, &good), VERDICT_OK);
	good.held_storage = true;
	assert_int_equal(judge(&fixture, &good), VERDICT_AHEAD_ROOM);

	open_fixture(&fixture, "thesis_qpe_dram", plain_conv(14, 64, 128, 3), plain_conv(14, 128, 128, 3));
	good = design_of(&fixture.block, 2, 32);
	good.in_storage = good.out_storage = false;
	good.fetch_next = AHEAD_ALL;
	assert_int_equal(judge(&fixture, &good), VERDICT_NO_STORAGE);
}

/* Own weights make room for the next ones when they are in the PEs; not if they are to be copied once more. */
static void test_fetch_ahead_makes_room(void **state)
{
	struct fixture fixture;
	(void)state;
	open_fixture(&fixture, "dvfs_chip", plain_conv(8, 512, 256, 3), plain_conv(8, 256, 512, 3));
	struct layer_design design = design_of(&fixture.block, 4, 64);
	design.weight_ahead = design.fetch_next = AHEAD_ALL; /* 1.125 MiB either */
	assert_int_equal(judge(&fixture, &design), VERDICT_OK);
	open_fixture(&fixture, "dvfs_chip", plain_conv(8, 128, 1024, 3), plain_conv(8, 1024, 128, 3));
	design = design_of(&fixture.block, 4, 128);
	design.weight_ahead = design.fetch_next = AHEAD_ALL;
	assert_int_equal(judge(&fixture, &design), VERDICT_OK);
	design = design_of(&fixture.block, 4, 256); /* more parts than PEs */
	design.weight_ahead = design.fetch_next = AHEAD_ALL;
	assert_int_equal(judge(&fixture, &design), VERDICT_AHEAD_ROOM);
}

/* ---- tiers ---- */

static void test_fetch_ahead_agrees_in_both_tiers(void **state)
{
	static const char *const machine[] = {"dvfs_chip", "thesis_chip"};
	static const struct {
		uint32_t size, in_c, out_c, kernel, n_h, n_c;
		enum ahead_portion own, next;
	} row[] = {
	    {14, 256, 256, 1, 2, 64, AHEAD_ALL, AHEAD_ALL},   {14, 256, 256, 1, 2, 64, AHEAD_HALF, AHEAD_HALF},
	    {14, 64, 128, 3, 2, 32, AHEAD_ALL, AHEAD_NONE},   {14, 64, 128, 3, 2, 32, AHEAD_HALF, AHEAD_ALL},
	    {7, 256, 512, 1, 1, 128, AHEAD_HALF, AHEAD_HALF}, {7, 256, 512, 1, 1, 128, AHEAD_ALL, AHEAD_HALF},
	    {28, 64, 128, 3, 4, 16, AHEAD_NONE, AHEAD_ALL},   {28, 64, 64, 3, 7, 16, AHEAD_ALL, AHEAD_HALF},
	};
	double sum = 0;
	size_t n = 0;
	(void)state;
	for (size_t m = 0; m < 2; m++)
		for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
			struct fixture fixture;
			open_fixture(&fixture, machine[m],
			             plain_conv(row[i].size, row[i].in_c, row[i].out_c, row[i].kernel),
			             plain_conv(row[i].size, row[i].out_c, 256, 3));
			struct layer_design design = design_of(&fixture.block, row[i].n_h, row[i].n_c);
			design.weight_ahead = row[i].own;
			design.fetch_next = row[i].next;
			double fast = (double)run(&fixture, &design, DETAIL_FAST).total_clk;
			double event = (double)run(&fixture, &design, DETAIL_EVENT).total_clk;
			double error = fast / event - 1;
			if (fabs(error) > MAX_LAYER_FRAC)
				fail_msg("%s row %zu: fast %.0f, event %.0f clocks", machine[m], i, fast, event);
			sum += fabs(error);
			n++;
		}
	print_message("fast tier against event tier: mean %.2f %% of clocks over %zu layers\n", 100 * sum / (double)n,
	              n);
	assert_true(sum / (double)n <= MAX_MEAN_FRAC);
}

/* ---- bounds ---- */

/* The work of a design, of all that share some of its split, and of a range that it is in, is not above its own. */
static void test_fetch_ahead_bounds_stay_below(void **state)
{
	static const uint32_t part[] = {1, 2, 7, 14};
	struct rng rng = rng_stream(1, 0, 0);
	(void)state;
	for (int i = 0; i < 400; i++) {
		struct fixture fixture;
		open_fixture(
		    &fixture, i % 2 ? "dvfs_chip" : "thesis_chip",
		    plain_conv(14, 16U << rng_below(&rng, 4), 64U << rng_below(&rng, 3), rng_below(&rng, 2) ? 3 : 1),
		    plain_conv(14, 64, 64U << rng_below(&rng, 4), 3));
		struct layer_design design =
		    design_of(&fixture.block, part[rng_below(&rng, 4)], 8U << rng_below(&rng, 4));
		design.in_storage = rng_below(&rng, 2);
		design.out_storage = rng_below(&rng, 2);
		design.weight_ahead = (enum ahead_portion)rng_below(&rng, AHEAD_N);
		design.fetch_next = (enum ahead_portion)rng_below(&rng, AHEAD_N);
		if (judge(&fixture, &design) != VERDICT_OK)
			continue;
		struct sim_result result = run(&fixture, &design, DETAIL_FAST);
		struct least_work work;
		double latency_ns, energy_pj;
		for (unsigned open = 0; open < 16; open++) {
			assert_true(mapper_bound(&fixture.context, &design, open, &work));
			fast_bound(&fixture.machine, &work, 0, &latency_ns, &energy_pj);
			assert_true(latency_ns <= result.latency_ns * (1 + 1e-9));
			assert_true(energy_pj <= result.energy.total_pj * (1 + 1e-9));
			assert_true(work.counts.dram_read_byte <= result.counts.dram_read_byte);
		}
		struct range_bound bound;
		struct verdict verdict;
		uint32_t n_c = design.split.c.n_a;
		const struct split_range range = {
		    .w = {14, 1, 1, 1, 14, &design.split.w},
		    .h = {14, 1, 1, 14, 1, NULL},
		    .c = {fixture.block.out_c, 1, n_c, n_c, 1, NULL},
		    .d = {fixture.block.in_c, 1, 1, 1, fixture.block.in_c, &design.split.d},
		};
		assert_true(mapper_bound_range(&fixture.context, &design, &range, true, &bound, &verdict));
		assert_false(bound.has_program);
		fast_bound(&fixture.machine, &bound.work, 0, &latency_ns, &energy_pj);
		assert_true(latency_ns <= result.latency_ns * (1 + 1e-9));
	}
}

/* Three convolutions, with a shortcut or not: a result held while the next one's weights come. */
static void write_network(struct rng *rng, uint32_t channels)
{
	FILE *file = folder_open("net.yaml");
	uint32_t shape = rng_below(rng, 3), width = 8 + 4 * rng_below(rng, 3), height = 8 + 4 * rng_below(rng, 3);
	(void)fprintf(file, "name: net\ninput: [%u, %u, %u]\nlayers:\n", width, height, 4 + 28 * rng_below(rng, 2));
	(void)fprintf(file, "  - conv: {kernel: %u, out_channels: %u}\n", 1 + 2 * rng_below(rng, 2), channels);
	if (shape == 1)
		(void)fprintf(file,
		              "  - conv: {kernel: 3, out_channels: %u}\n"
		              "  - conv: {kernel: 1, out_channels: %u, add: {from: -2}}\n",
		              channels, channels);
	else if (shape == 2)
		(void)fprintf(file, "  - conv: {kernel: 3, out_channels: %u, add: {from: -1, conv: {kernel: 1}}}\n",
		              channels);
	else if (rng_below(rng, 2))
		(void)fprintf(file, "  - conv: {kernel: 3, out_channels: %u}\n  - fc: {out: 8}\n", channels);
	else
		(void)fprintf(file,
		              "  - conv: {kernel: 3, out_channels: %u}\n"
		              "  - conv: {kernel: 1, out_channels: %u}\n",
		              channels, channels);
	assert_int_equal(fclose(file), 0);
}

static void read_random_space(struct rng *rng, struct space *space)
{
	static const char *const objectives[] = {"latency_ms", "latency_ms, energy_mj",
	                                         "latency_ms, energy_mj, dram_byte",
	                                         "latency_ms, dram_byte, peak_power_mw", "edp_mj_ms, sram_used_frac"};
	static const char *const fetch[] = {"[no, half, all]", "[no, all]", "[no, half]", "all"};
	static const uint32_t storage[] = {1024, 2048, 4096, 131072};
	uint32_t channels = 32U << rng_below(rng, 3);
	write_network(rng, channels);
	FILE *file = folder_open("space.yaml");
	bool is_dvfs = rng_below(rng, 2);
	(void)fprintf(file, "name: s\nmachine: %s\nnetwork: net.yaml\n", is_dvfs ? "dvfs_chip" : "thesis_chip");
	(void)fprintf(file, "axes: {chip.storage_pe_byte: %u, mla.array: %s}\n", storage[rng_below(rng, 4)],
	              rng_below(rng, 3) ? "16x4" : "[16x4, 8x4, 16x2]");
	(void)fprintf(file, "layers:\n  - match: '.*'\n    split: whole\n    level: %s\n", is_dvfs ? "PL2" : "all");
	(void)fprintf(file, "    strategy: [fusion, fusion_reuse]\n");
	(void)fprintf(file, "  - match: '^CONV'\n    fetch_ahead: %s\n", fetch[rng_below(rng, 4)]);
	(void)fprintf(file, "    split: {out_channels: [%u*1, %u*8, %u*4]}\n", channels, channels / 8, channels / 4);
	(void)fprintf(file, "    strategy: %s\n", rng_below(rng, 3) ? "fusion_reuse" : "all");
	(void)fprintf(file, "objectives: [%s]\n", objectives[rng_below(rng, 5)]);
	assert_int_equal(fclose(file), 0);
	folder_read_space(space);
}

/* Layers of all points that fetch; every weight that lies in storage was fetched by the layer before. */
static size_t count_fetches(const struct explore *found)
{
	struct unroller unroller;
	struct unrolled point;
	struct err err = {0};
	size_t n = 0;
	assert_int_equal(unrolled_init(&found->map, &point, &err), ERR_OK);
	assert_int_equal(unroller_init(&unroller, found, 1, &err), ERR_OK);
	for (size_t i = 0; i < found->front.n; i++) {
		enum ahead_portion fetched = AHEAD_NONE;
		unroll_point(&unroller, i, &point);
		for (size_t k = 0; k < point.n_layer; k++) {
			assert_int_equal(point.layer[k]->design.weight_ahead, fetched);
			fetched = point.layer[k]->design.fetch_next;
			n += fetched != AHEAD_NONE;
		}
		assert_int_equal(fetched, AHEAD_NONE);
		for (unsigned m = 0; m < found->front.n_objective; m++)
			assert_true(is_near(point.metric[found->space->objective[m]],
			                    found->front.objective[i * found->front.n_objective + m], 1e-12));
	}
	unroller_free(&unroller);
	unrolled_free(&point);
	return n;
}

/* Exact and layered exhaustive composition against every whole design. */
static void test_fetch_ahead_composed_equals_brute_force(void **state)
{
	size_t n_fetch = 0, n_space = 0;
	(void)state;
	for (uint32_t i = 0; i < 40; i++) {
		struct rng rng = rng_stream(7, i, 0);
		struct space space;
		struct explore exact, layered, flat;
		read_random_space(&rng, &space);
		folder_explore(&space, &engine_exact, false, 2, &exact);
		folder_explore(&space, &engine_exhaustive, false, 2, &layered);
		folder_explore(&space, &engine_exhaustive, true, 2, &flat);
		assert_true(exact.counts.epsilon == 0.0);
		assert_covered(&exact.front, &flat.front);
		assert_covered(&flat.front, &exact.front);
		assert_int_equal(exact.front.n, layered.front.n);
		assert_covered(&exact.front, &layered.front);
		if (exact.front.n > 0)
			n_fetch += count_fetches(&exact) > 0;
		n_space += exact.front.n > 0;
		explore_free(&exact);
		explore_free(&layered);
		explore_free(&flat);
		space_free(&space);
	}
	print_message("%zu of 40 spaces have designs, %zu of them fronts that fetch ahead\n", n_space, n_fetch);
	assert_true(n_fetch >= 10 && n_space > n_fetch);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_fetch_ahead_moves_bytes),
	    cmocka_unit_test(test_fetch_ahead_takes_idle_time),
	    cmocka_unit_test(test_fetch_ahead_refuses_with_a_reason),
	    cmocka_unit_test(test_fetch_ahead_makes_room),
	    cmocka_unit_test(test_fetch_ahead_agrees_in_both_tiers),
	    cmocka_unit_test(test_fetch_ahead_bounds_stay_below),
	    cmocka_unit_test(test_fetch_ahead_composed_equals_brute_force),
	};
	return cmocka_run_group_tests(test, folder_make, folder_remove);
}
