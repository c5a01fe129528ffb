/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules: the best cut of a layer by trying all, strategies beside each other, memory, and pipelines of chips. */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"

#include "mapper/octopus/octopus_schedule.h"
#include "sim/base/checked.h"
#include "tests/support/network_text.h"
#include "tests/support/sample_schedule.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-9))
		fail_msg("%.12g is not %.12g", value, expected);
}

struct subject {
	struct network network;
	struct octopus_graph graph;
	struct octopus_schedule schedule;
};

static void open_text(const char *text, struct subject *subject)
{
	struct err err = {0};
	if (network_read_text(text, &subject->network, &err) != ERR_OK ||
	    octopus_build(&subject->network, &subject->graph, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

static void open_name(const char *name, struct subject *subject)
{
	struct err err = {0};
	subject->network = shipped_network(name);
	if (octopus_build(&subject->network, &subject->graph, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

static void close_subject(struct subject *subject)
{
	octopus_schedule_free(&subject->schedule);
	octopus_free(&subject->graph);
	network_free(&subject->network);
}

static void plan(const struct machine *machine, struct subject *subject, const struct octopus_options *options)
{
	struct err err = {0};
	octopus_schedule_free(&subject->schedule);
	if (octopus_plan(machine, &subject->graph, options, &subject->schedule, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

/* ---- one layer ---- */

static struct dim_split cut(uint32_t extent, uint32_t size)
{
	return (struct dim_split){size, extent / size, extent % size, extent % size > 0};
}

/* The least time over all sizes of tiles, parts of the input channels, orders and numbers of workers. */
static double try_all(const struct octopus_context *context, const struct octopus_query *query, uint32_t depth)
{
	const struct block *block = context->block;
	bool is_linear = block->kind == BLOCK_MATMUL;
	double least = DBL_MAX;
	for (uint32_t w = 1; w <= block->out_w; w++)
		for (uint32_t h = 1; h <= block->out_h; h++)
			for (uint32_t c = 1; c <= block->out_c; c++)
				for (uint32_t d = 1; d <= depth; d++) {
					const struct split split = {cut(block->out_w, w), cut(block->out_h, h),
					                            cut(block->out_c, c), cut(depth, d)};
					uint32_t n_tile =
					    (uint32_t)(ceil_div(block->out_w, w) * ceil_div(block->out_h, h) *
					               ceil_div(block->out_c, c));
					if ((block->whole & WHOLE_C && c < block->out_c) || w % block->pool ||
					    h % block->pool || (is_linear && w % 16 && w != block->out_w))
						continue;
					for (uint32_t t = 1; t <= n_tile; t++)
						for (int order = 0; order < 2; order++) {
							const struct octopus_plan way = {
							    order == 1, (uint32_t)ceil_div(n_tile, t), t};
							struct octopus_cut_choice choice;
							if (way.n_worker > query->n_worker)
								continue;
							octopus_evaluate_cut(context, query, &split, &way, &choice);
							if (choice.exists && choice.cost < least)
								least = choice.cost;
						}
				}
	return least;
}

static double search(const struct octopus_context *context, const struct octopus_query *query)
{
	static struct octopus_cut_choice choice[151];
	double least = DBL_MAX;
	octopus_search_layer(context, query, choice);
	for (uint32_t w = 0; w < query->n_worker; w++) {
		if (!choice[w].exists)
			continue;
		assert_int_equal(choice[w].plan.n_worker, w + 1);
		assert_true(octopus_sram_byte(context, &choice[w].work, &choice[w].plan) <=
		            context->machine->pe_sram_byte);
		assert_int_equal(split_check(context->block, &choice[w].split, NULL), ERR_OK);
		least = choice[w].cost < least ? choice[w].cost : least;
	}
	return least;
}

/* With room for all, and with so little that tiles and input channels are cut. */
static void test_schedule_cuts_layers_best(void **state)
{
	static struct octopus_context context;
	struct machine machine = sample_final_chip();
	struct subject subject = {0};
	(void)state;
	open_text("name: t\ninput: [8, 6, 12]\nlayers:\n"
	          "  - conv: {kernel: 3, out_channels: 8}\n"
	          "  - pool: {window: 2}\n"
	          "  - conv: {kernel: 3, out_channels: 8, stride: 2, add: {from: 2, conv: {kernel: 1, stride: 2}}}\n"
	          "  - fc: {out: 48}\n"
	          "  - arm: {op: softmax}\n",
	          &subject);
	for (uint32_t room = 1; room <= 3; room++)
		for (size_t b = 0; b < subject.network.n_block; b++) {
			const struct block *block = &subject.network.block[b];
			uint32_t depth = block->kind == BLOCK_MATMUL ? block->in_w
			                 : block->kind == BLOCK_CONV ? block->in_c
			                                             : 1;
			const struct octopus_query query = {OCTOPUS_FASTEST, false, room == 2 ? 3 : 40, 0};
			machine.pe_sram_byte = room == 1 ? 98304 : room == 2 ? 2048 : 1024;
			octopus_prepare(&machine, 0, block, &context);
			double all = try_all(&context, &query, depth);
			if (all == DBL_MAX) {
				assert_true(octopus_least_sram_byte(&context) > machine.pe_sram_byte ||
				            block->whole != 0);
				continue;
			}
			double found = search(&context, &query);
			if (!(found <= all * (1 + 1e-12)))
				fail_msg("%s with %u bytes: %.9g us, but %.9g can be had", block->name,
				         machine.pe_sram_byte, found, all);
		}
	close_subject(&subject);
}

/* ---- the paper's perceptron ---- */

static void test_schedule_as_the_paper_does(void **state)
{
	static const double published_us[] = {323, 217, 80, 50};
	static const uint32_t n_worker[] = {8, 4, 1, 1};
	const struct machine machine = sample_final_chip();
	const struct octopus_options options = {.strategy = OCTOPUS_DRAM, .as_paper = true};
	struct subject subject = {0};
	double sum_us = 0;
	(void)state;
	open_name("mlp_784_512_256_16", &subject);
	plan(&machine, &subject, &options);
	assert_int_equal(subject.graph.n_layer, 4);
	for (uint32_t l = 0; l < 4; l++) {
		const struct octopus_time *time = &subject.schedule.layer[l].time;
		assert_int_equal(subject.graph.layer[l].n_worker, n_worker[l]);
		assert_true(fabs(time->total_us - published_us[l]) < 0.1 * published_us[l]);
		sum_us += time->total_us;
	}
	assert_near(subject.schedule.total_us,
	            octopus_setup_us(&machine, 8) + sum_us + octopus_cleanup_us(&machine, 8));
	assert_true(fabs(subject.schedule.total_us - 688) < 0.05 * 688);
	close_subject(&subject);
}

/* Layers are never slower with more workers enabled; setup and cleanup count them all; the best number is found. */
static void test_schedule_finds_the_best_workers(void **state)
{
	const struct machine machine = sample_final_chip();
	struct octopus_options options = {.strategy = OCTOPUS_DRAM};
	struct subject subject = {0};
	double before_us = DBL_MAX, least_us = DBL_MAX;
	(void)state;
	open_name("mlp_784_512_256_16", &subject);
	for (options.n_worker = 1; options.n_worker <= 151; options.n_worker += options.n_worker > 40 ? 11 : 1) {
		plan(&machine, &subject, &options);
		const struct octopus_chip_cost *chip = &subject.schedule.chip[0];
		assert_true(chip->layers_us <= before_us * (1 + 1e-12));
		assert_near(chip->setup_us, octopus_setup_us(&machine, options.n_worker));
		assert_near(chip->cleanup_us, octopus_cleanup_us(&machine, options.n_worker));
		for (uint32_t l = 0; l < subject.graph.n_layer; l++)
			assert_true(subject.graph.layer[l].n_worker <= options.n_worker);
		before_us = chip->layers_us;
		least_us = fmin(least_us, subject.schedule.total_us);
	}
	options.n_worker = 0;
	plan(&machine, &subject, &options);
	assert_near(subject.schedule.total_us, least_us);
	double fastest_pj = subject.schedule.energy_pj;
	options.goal = OCTOPUS_LEAST_ENERGY;
	plan(&machine, &subject, &options);
	assert_true(subject.schedule.energy_pj <= fastest_pj * (1 + 1e-12));
	close_subject(&subject);
}

/* ---- fetching ahead ---- */

/* Two layers of one tile each: the second's weights hide behind the first's computation, as far as there is room. */
static void test_schedule_hides_weights(void **state)
{
	struct machine machine = sample_final_chip();
	const struct octopus_options options = {.strategy = OCTOPUS_HIDE, .n_worker = 1};
	struct subject subject = {0};
	(void)state;
	open_text("name: t\ninput: 256\nlayers:\n"
	          "  - fc: {out: 16}\n"
	          "  - fc: {out: 16}\n",
	          &subject);
	plan(&machine, &subject, &options);
	const struct octopus_layer_cost *cost = subject.schedule.layer;
	double compute_us = cost[0].time.part_us[OCTOPUS_MLA] + cost[0].time.part_us[OCTOPUS_ARM];
	double fetch_us = cost[1].hidden_us + cost[1].time.part_us[OCTOPUS_WEIGHTS];
	assert_near(cost[0].hidden_us, 0);
	assert_near(cost[1].hidden_us, fetch_us);
	assert_true(fetch_us < compute_us);
	assert_true(cost[1].hidden_us > 0);
	/* room for the first layer's tile and half of the second one's weights and biases: 16 x 16 + 16 x 4 bytes */
	machine.pe_sram_byte = (uint32_t)cost[0].sram_byte + (16 * 16 + 16 * 4) / 2;
	plan(&machine, &subject, &options);
	cost = subject.schedule.layer;
	assert_near(cost[1].hidden_us, fetch_us / 2);
	close_subject(&subject);
}

/* Whatever the network: never slower than without, parts add up, and nothing hides that is not fetched. */
static void test_schedule_hiding_is_never_slower(void **state)
{
	static const char *const name[] = {"mlp_784_512_256_16", "tiny", "resnet50_stage_3", "vgg16_conv_8",
	                                   "vgg16_fc_21"};
	const struct machine machine = sample_final_chip();
	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		struct octopus_options options = {.strategy = OCTOPUS_DRAM};
		struct subject subject = {0};
		open_name(name[i], &subject);
		for (uint32_t n = 0; n < 3; n++) {
			options.n_worker = 7 * n;
			options.strategy = OCTOPUS_DRAM;
			plan(&machine, &subject, &options);
			double plain_us = subject.schedule.total_us;
			options.strategy = OCTOPUS_HIDE;
			plan(&machine, &subject, &options);
			assert_true(subject.schedule.total_us <= plain_us * (1 + 1e-12));
			double sum_us = subject.schedule.chip[0].setup_us + subject.schedule.chip[0].cleanup_us;
			for (uint32_t l = 0; l < subject.graph.n_layer; l++) {
				const struct octopus_layer_cost *cost = &subject.schedule.layer[l];
				double parts_us = 0;
				for (int p = 0; p < N_OCTOPUS_PART; p++) {
					assert_true(cost->time.part_us[p] >= 0);
					parts_us += cost->time.part_us[p];
				}
				assert_near(cost->time.total_us, parts_us);
				assert_true(cost->sram_byte <= machine.pe_sram_byte);
				sum_us += parts_us;
			}
			assert_near(subject.schedule.total_us, sum_us);
		}
		close_subject(&subject);
	}
}

/* ---- SRAM only ---- */

/* What fits is faster than through DRAM, fetches no weights, and leaves no PE fuller than it can be. */
static void test_schedule_stays_in_sram(void **state)
{
	const struct machine machine = sample_final_chip();
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct octopus_options options = {.strategy = OCTOPUS_DRAM};
		struct subject subject = {0};
		uint64_t weight_byte = 0;
		if (i == 0)
			open_name("mlp_784_512_256_16", &subject);
		else
			open_text("name: t\ninput: [32, 32, 3]\nlayers:\n"
			          "  - conv: {kernel: 3, out_channels: 32, stride: 2}\n"
			          "  - conv: {kernel: 3, groups: depthwise}\n"
			          "  - conv: {kernel: 1, out_channels: 32, add: {from: 1}}\n"
			          "  - pool: {window: 16, type: average}\n"
			          "  - fc: {out: 10}\n",
			          &subject);
		plan(&machine, &subject, &options);
		double plain_us = subject.schedule.total_us;
		options.strategy = OCTOPUS_SRAM;
		plan(&machine, &subject, &options);
		const struct octopus_chip_cost *chip = &subject.schedule.chip[0];
		assert_true(subject.schedule.total_us <= plain_us);
		assert_true(chip->sram_byte <= machine.pe_sram_byte);
		for (uint32_t l = 0; l < subject.graph.n_layer; l++) {
			assert_true(subject.schedule.layer[l].time.part_us[OCTOPUS_WEIGHTS] == 0);
			assert_true(subject.graph.layer[l].n_worker <= chip->n_worker);
			weight_byte += subject.graph.layer[l].weight_byte;
		}
		assert_true(weight_byte <= (uint64_t)chip->n_worker * chip->sram_byte);
		close_subject(&subject);
	}
}

/* A model that one chip cannot hold fits several; the error before says what it needs. */
static void test_schedule_takes_chips_for_sram(void **state)
{
	struct machine machine = sample_final_chip();
	struct octopus_options options = {.strategy = OCTOPUS_SRAM};
	struct subject subject = {0};
	struct err err = {0};
	(void)state;
	machine.pe_sram_byte = 24576; /* tiles of 16 columns: 64 workers a layer, so that a chip holds two */
	open_text("name: t\ninput: 1024\nlayers:\n"
	          "  - repeat: {times: 5, layers: [fc: {out: 1024}]}\n",
	          &subject);
	assert_int_equal(octopus_plan(&machine, &subject.graph, &options, &subject.schedule, &err), ERR_INFEASIBLE);
	assert_non_null(strstr(err_text(&err), "--chips takes more chips"));
	err_clear(&err);
	options.n_chip = 4;
	plan(&machine, &subject, &options);
	uint32_t next = 0;
	for (uint32_t c = 0; c < subject.schedule.n_chip; c++) {
		const struct octopus_chip_cost *chip = &subject.schedule.chip[c];
		uint64_t byte = 0;
		assert_int_equal(chip->first, next);
		assert_true(chip->sram_byte <= machine.pe_sram_byte);
		for (uint32_t l = chip->first; l < chip->first + chip->n_layer; l++)
			byte += subject.graph.layer[l].weight_byte;
		assert_true(byte <= 151ull * 24576);
		next += chip->n_layer;
	}
	assert_in_range(subject.schedule.n_chip, 3, 4);
	assert_int_equal(next, subject.graph.n_layer);
	close_subject(&subject);
}

/* ---- several chips ---- */

/* Two chips by hand: of all places to part the layers the one whose slower chip is fastest, the link included. */
static void test_schedule_deals_layers_to_chips(void **state)
{
	const struct machine machine = sample_final_chip();
	struct octopus_options options = {.strategy = OCTOPUS_DRAM, .as_paper = true};
	struct subject subject = {0};
	double us[4], least_us = DBL_MAX;
	static const double byte[] = {0, 512, 256, 16};
	(void)state;
	open_name("mlp_784_512_256_16", &subject);
	plan(&machine, &subject, &options);
	for (uint32_t l = 0; l < 4; l++)
		us[l] = subject.schedule.layer[l].time.total_us;
	for (uint32_t first = 1; first < 4; first++) {
		double slow[2] = {0, machine.octopus.link_us + byte[first] / (1e3 * machine.octopus.link_gb_s)};
		for (uint32_t l = 0; l < 4; l++)
			slow[l >= first] += us[l];
		least_us = fmin(least_us, fmax(slow[0], slow[1]));
	}
	options.n_chip = 2;
	plan(&machine, &subject, &options);
	assert_int_equal(subject.schedule.n_chip, 2);
	assert_near(subject.schedule.interval_us, least_us);
	assert_near(subject.schedule.total_us, octopus_setup_us(&machine, 8) + octopus_cleanup_us(&machine, 8) + us[0] +
	                                           us[1] + us[2] + us[3] + subject.schedule.chip[1].link_us);
	options.n_chip = 9; /* no more chips than layers */
	plan(&machine, &subject, &options);
	assert_true(subject.schedule.n_chip <= 4 && subject.schedule.interval_us <= least_us);
	close_subject(&subject);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_schedule_cuts_layers_best),
	    cmocka_unit_test(test_schedule_as_the_paper_does),
	    cmocka_unit_test(test_schedule_finds_the_best_workers),
	    cmocka_unit_test(test_schedule_hides_weights),
	    cmocka_unit_test(test_schedule_hiding_is_never_slower),
	    cmocka_unit_test(test_schedule_stays_in_sram),
	    cmocka_unit_test(test_schedule_takes_chips_for_sram),
	    cmocka_unit_test(test_schedule_deals_layers_to_chips),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
