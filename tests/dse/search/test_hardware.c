/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds over whole machines: on random small spaces the front with machines cut is, genome by genome and ties
 * included, the front of all of them, by branch and bound and by trying every design of each layer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dse/search/hardware.h"
#include "dse/search/hardware_parts.h"
#include "dse/search/front_cache.h"
#include "dse/search/layer_floors.h"
#include "dse/space/space_machine.h"
#include "dse/space/machine_read.h"
#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "sim/base/rng.h"
#include "tests/support/draws.h"
#include "tests/support/space_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXT 4096

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...)
{
	size_t n = strlen(text);
	va_list arguments;
	va_start(arguments, format);
	int n_more = vsnprintf(text + n, MAX_TEXT - n, format, arguments);
	va_end(arguments);
	assert_true(n_more >= 0 && n + (size_t)n_more < MAX_TEXT);
}

/* A machine whose SRAM and array cost energy, leakage and area by their sizes. */
static void write_machine(void)
{
	folder_write(
	    "sized.yaml",
	    "name: sized\ntarget: chip\nmla: {postprocess: true}\nnoc: {clk_mhz: 300}\nchip: {n_dram: 2}\n"
	    "technology: {node_nm: 22, sram_cell: itrs-lop}\nlevels:\n"
	    "  - {name: PL1, vdd_v: 0.5, clk_mhz: 320, mla_clk_pj: 8.5, sram_read32_pj: 4.9, sram_write32_pj: 4.9, "
	    "pe_static_mw: 1.05}\n"
	    "  - {name: PL2, vdd_v: 0.6, clk_mhz: 400, mla_clk_pj: 12.3, sram_read32_pj: 4.9, sram_write32_pj: 4.9, "
	    "pe_static_mw: 1.5}\n",
	    "");
}

/* Two or three layers, sometimes with a matrix multiplication at the end. */
static void write_network(struct rng *rng, const char *name)
{
	char text[MAX_TEXT] = "", path[32];
	uint32_t size = 4 + 2 * rng_below(rng, 3);
	add(text, "name: %s\ninput: [%u, %u, %u]\nlayers:\n", name, size, size, 2 + rng_below(rng, 5));
	for (uint32_t i = 0; i < 1 + rng_below(rng, 2); i++)
		add(text, "  - conv: {kernel: %u, out_channels: %u}\n", rng_below(rng, 2) ? 3U : 1U,
		    2 + rng_below(rng, 12));
	if (rng_below(rng, 2))
		add(text, "  - fc: {out: %u}\n", 4 + rng_below(rng, 12));
	(void)snprintf(path, sizeof(path), "%s.yaml", name);
	folder_write(path, text, "");
}

/* One of several axes of a parameter, or none. The last ones change nothing, or next to nothing: ties. */
static void add_axes(struct rng *rng, char *text)
{
	static const char *const axis[][2] = {
	    {"mla.array: [16x4, 8x4]", "mla.array: [4x4, 16x2, 8x4]"},
	    {"pe.sram_byte: [1024, 65536]", "pe.sram_byte: [131072, 1024, 4096]"},
	    {"noc.clk_mhz: [100, 300]", "noc.clk_mhz: [800, 20, 400]"},
	    {"dram.clk_mhz: [200, 400]", "dram.clk_mhz: [400, 390]"},
	    {"chip.n_dram: [1, 2]", "chip.n_dram: [4, 2]"},
	    {"noc.sync_clk: [0, 1]", "mla.turn_clk: [1, 0]"},
	    {"pe.program_byte: [32768, 16384]", "mla.accumulator_bit: [24, 32]"},
	};
	uint32_t n = 0;
	add(text, "axes:\n");
	for (size_t i = 0; i < sizeof(axis) / sizeof(axis[0]); i++) {
		if (rng_below(rng, 2))
			continue;
		add(text, "  %s\n", axis[i][rng_below(rng, 2)]);
		n++;
	}
	if (n == 0)
		add(text, "  pe.sram_byte: [1024, 131072]\n");
}

static void add_objectives(struct rng *rng, char *text)
{
	static const char *const objective[] = {"latency_ms", "energy_mj", "mac_units",      "sram_byte",
	                                        "dram_byte",  "edp_mj_ms", "sram_used_frac", "peak_power_mw"};
	uint32_t n = 0;
	add(text, "objectives: [");
	for (size_t i = 0; i < 8 && n < 3; i++)
		if (rng_below(rng, 8) < (i < 3 ? 5U : 1U))
			add(text, "%s%s", n++ ? ", " : "", objective[i]);
	add(text, "%s]\n", n == 0 ? "latency_ms" : "");
}

/* The space without its limits. */
static void random_space(struct rng *rng, char text[MAX_TEXT])
{
	bool two = rng_below(rng, 4) == 0;
	write_network(rng, "one");
	write_network(rng, "two");
	text[0] = '\0';
	write_machine();
	add(text, "name: random\nmachine%s\n",
	    rng_below(rng, 6) ? rng_below(rng, 2) ? ": dvfs_chip" : ": sized.yaml" : "s: [dvfs_chip, thesis_chip]");
	add_axes(rng, text);
	add(text, "networks: [one.yaml%s]\n", two ? ", two.yaml" : "");
	if (two && rng_below(rng, 2))
		add(text, "aggregate: worst\n");
	bool thesis = rng_below(rng, 12) == 0;
	add(text, "layers:\n  - match: '.*'\n    level: all\n    strategy: %s\n",
	    rng_below(rng, 2) ? "[fusion, fusion_reuse]" : "all");
	if (!thesis && rng_below(rng, 2))
		add(text, "    conv_1x1: [packed, matmul]\n");
	if (thesis)
		add(text, "    split: thesis\n");
	else
		add(text,
		    "    split: {width: {max_parts: %u}, height: {max_parts: %u, choose: even}, "
		    "out_channels: {max_parts: 3}, in_channels: {max_parts: 2, choose: even}}\n",
		    1 + rng_below(rng, 3), 1 + rng_below(rng, 2));
	add_objectives(rng, text);
}

static void read_space(const char *text, struct space *space)
{
	folder_write("space.yaml", text, "");
	folder_read_space(space);
}

static void run(const struct space *space, const struct engine_kind *engine, bool all, unsigned n_thread,
                struct explore *explore)
{
	const struct explore_options options = {.engine = engine, .n_thread = n_thread, .seed = 1, .all_machines = all};
	struct err err = {0};
	assert_int_equal(explore_run(space, &options, explore, &err), ERR_OK);
	assert_int_equal(err.n_message, 0);
	assert_int_equal(explore->n_failure, 0);
}

static void assert_same_front(const struct pareto *left, const struct pareto *right)
{
	assert_int_equal(left->n, right->n);
	if (left->n == 0)
		return;
	assert_memory_equal(left->objective, right->objective, left->n * left->n_objective * sizeof(double));
	assert_memory_equal(left->genome, right->genome, left->n * left->n_gene * sizeof(uint32_t));
}

/* What the comparisons saw, so that they cannot pass by seeing nothing. */
struct seen {
	uint64_t n_machine, n_cut, n_point, n_empty, n_shared;
};

static void compare(const struct space *space, struct seen *seen, double *least)
{
	struct explore all, cut, threads, brute;
	run(space, &engine_exact, true, 1, &all);
	run(space, &engine_exact, false, 1, &cut);
	run(space, &engine_exact, false, 3, &threads);
	run(space, &engine_exhaustive, false, 1, &brute);
	assert_same_front(&all.front, &cut.front);
	assert_same_front(&all.front, &threads.front);
	assert_same_front(&all.front, &brute.front);
	assert_int_equal(all.counts.n_machine_cut, 0);
	assert_int_equal(brute.counts.n_machine_cut, 0);
	assert_int_equal(all.counts.n_candidate, cut.counts.n_candidate);
	assert_int_equal(all.counts.n_legal, cut.counts.n_legal);
	assert_int_equal(all.counts.n_machine_rejected, cut.counts.n_machine_rejected);
	/* none has a design: both are infinite */
	assert_true(all.counts.log10_design == cut.counts.log10_design ||
	            fabs(all.counts.log10_design - cut.counts.log10_design) < 1e-9);
	assert_true(cut.counts.n_machine_cut + cut.counts.n_machine_rejected < cut.counts.n_machine);
	assert_int_equal(cut.counts.n_machine_cut, threads.counts.n_machine_cut);
	assert_int_equal(cut.counts.n_box, threads.counts.n_box);
	assert_int_equal(cut.counts.n_shared, threads.counts.n_shared);
	assert_int_equal(cut.counts.n_search_shared, threads.counts.n_search_shared);
	assert_true(cut.counts.n_box <= all.counts.n_box);
	seen->n_machine += cut.counts.n_machine;
	seen->n_cut += cut.counts.n_machine_cut;
	seen->n_shared += all.counts.n_search_shared;
	seen->n_point += cut.front.n;
	seen->n_empty += cut.front.n == 0;
	*least = all.front.n > 0 ? all.front.objective[all.front.n / 2 * all.front.n_objective] : INFINITY;
	explore_free(&all);
	explore_free(&cut);
	explore_free(&threads);
	explore_free(&brute);
}

static void test_hardware_front_is_that_of_all_machines(void **state)
{
	(void)state;
	struct seen seen = {0};
	const uint32_t n_space = draws(50, 16);
	for (uint32_t i = 0; i < n_space; i++) {
		struct rng rng = rng_stream(11, 0, i);
		char text[MAX_TEXT];
		struct space space;
		double least, ignored;
		random_space(&rng, text);
		read_space(text, &space);
		enum metric metric = space.objective[0];
		compare(&space, &seen, &least);
		space_free(&space);
		if (isinf(least) || rng_below(&rng, 3))
			continue;
		/* now and then nothing keeps the limit */
		add(text, "constraints: ['%s <= %.17g']\n", metric_table[metric].name,
		    least * (rng_below(&rng, 5) ? 1.0 : 0.5));
		read_space(text, &space);
		compare(&space, &seen, &ignored);
		space_free(&space);
	}
	print_message("%llu machines, %llu cut, %llu fronts shared, %llu points, %llu spaces without any\n",
	              (unsigned long long)seen.n_machine, (unsigned long long)seen.n_cut,
	              (unsigned long long)seen.n_shared, (unsigned long long)seen.n_point,
	              (unsigned long long)seen.n_empty);
	assert_true(seen.n_shared > 10 * n_space && seen.n_machine > 10 * n_space &&
	            seen.n_cut * (n_space < 16 ? 8 : 5) > seen.n_machine);
	assert_true(seen.n_empty > 0 || n_space < 16);
}

/*
 * A machine with little SRAM comes first, and its search is made as the machine with the most has it, in whatever form
 * a 1x1 convolution takes. A form left on the small machine has another front, which serves nobody: nothing is shared.
 */
static void test_hardware_shares_fronts_of_every_form(void **state)
{
	static const char *const form[] = {"packed", "matmul", "[conv, packed, matmul]"};
	(void)state;
	for (size_t i = 0; i < sizeof(form) / sizeof(form[0]); i++) {
		char text[MAX_TEXT] = "";
		struct space space;
		struct seen seen = {0};
		double least;
		folder_write("one.yaml",
		             "name: one\ninput: [6, 6, 16]\nlayers:\n"
		             "  - conv: {kernel: 1, out_channels: 24}\n",
		             "");
		add(text,
		    "name: forms\nmachine: dvfs_chip\nnetworks: [one.yaml]\n"
		    "axes:\n  pe.sram_byte: [1024, 65536]\n"
		    "layers:\n  - match: '.*'\n    conv_1x1: %s\n"
		    "    split: {width: even, height: even, out_channels: even, in_channels: even}\n"
		    "objectives: [latency_ms, energy_mj]\n",
		    form[i]);
		read_space(text, &space);
		compare(&space, &seen, &least);
		assert_int_equal(seen.n_machine, 2);
		assert_true(seen.n_shared > 0 && seen.n_point > 0);
		space_free(&space);
	}
}

static bool never_stop(void *context, double progress, const struct engine_counts *counts)
{
	(void)context;
	(void)progress;
	(void)counts;
	return true;
}

/* The exact front of one machine by itself: the space's rules without its axes. */
static void run_machine(const struct space *space, uint64_t index, struct explore *explore)
{
	struct space one = *space;
	struct machine machine;
	char why[256];
	assert_true(space_machine(space, index, &machine, why, sizeof(why)));
	one.machine = &machine;
	one.n_machine = 1;
	one.n_axis = 0;
	run(&one, &engine_exhaustive, true, 1, explore);
}

/* Every point of the front has one of the floor over the slack nowhere above it. */
static void assert_above(const struct pareto *front, const struct outlook *outlook)
{
	const struct outlook_points *floor = &outlook->floor;
	assert_true(front->n == 0 || (isfinite(outlook->slack) && outlook->slack >= 1));
	for (size_t i = 0; i < front->n; i++) {
		bool is_above = false;
		for (size_t k = 0; k < floor->n && !is_above; k++) {
			is_above = true;
			for (unsigned m = 0; m < front->n_objective; m++)
				is_above &= floor->metric[k * front->n_objective + m] / outlook->slack * (1 - 1e-9) <=
				            front->objective[i * front->n_objective + m];
		}
		assert_true(is_above);
	}
}

/* Of machine 0 and others of its family side by side, with what they have in common. */
#define N_OUTLOOK 3
struct looked {
	uint32_t index[N_OUTLOOK];
	struct outlook outlook[N_OUTLOOK];
};

static void look(const struct outlook_options *options, struct front_cache *layers, const struct outlook_seeds *seeds,
                 double epsilon, struct looked *looked)
{
	struct outlook_order order[N_OUTLOOK];
	for (size_t i = 0; i < N_OUTLOOK; i++)
		order[i] = (struct outlook_order){.machine_index = looked->index[i],
		                                  .seeds = seeds,
		                                  .epsilon = i == 2 ? 2 * epsilon : epsilon,
		                                  .with_slower = true,
		                                  .outlook = &looked->outlook[i]};
	outlook_make(options, layers, order, N_OUTLOOK);
	for (size_t i = 0; i < N_OUTLOOK; i++)
		assert_int_equal(order[i].code, ERR_OK);
}

static void assert_above_machine(const struct space *space, uint32_t index, const struct outlook *outlook,
                                 size_t *n_point)
{
	struct explore explore;
	run_machine(space, index, &explore);
	assert_above(&explore.front, outlook);
	*n_point += explore.front.n;
	explore_free(&explore);
}

/* An outlook of the machine with most of what helps, against the fronts of others of its family. */
static void test_hardware_floor_is_under_all_it_serves(void **state)
{
	static const char *const helpful[] = {"pe.sram_byte: [131072, 65536, 2048]", "noc.clk_mhz: [800, 300, 20]",
	                                      "dram.clk_mhz: [400, 200, 130]"};
	(void)state;
	size_t n_point = 0, n_seed = 0, n_own = 0, n_searched[N_OUTLOOK] = {0};
	const uint32_t n_pair = draws(60, 12);
	for (uint32_t i = 0; i < n_pair; i++) {
		struct rng rng = rng_stream(12, 0, i);
		char text[MAX_TEXT] = "";
		struct space space;
		struct looked looked = {.index = {0, 9, 18}}, again = {.index = {0, 9, 18}}; /* of less and less SRAM */
		struct layer_map map;
		struct err err = {0};
		write_network(&rng, "one");
		add(text, "name: random\nmachine: dvfs_chip\naxes:\n");
		for (size_t k = 0; k < 3; k++)
			add(text, "  %s\n", helpful[k]);
		add(text, "networks: [one.yaml]\nlayers:\n  - {match: '.*', split: {width: {max_parts: 4}, "
		          "height: {max_parts: 2}, out_channels: {max_parts: 3}, in_channels: {max_parts: 2}}}\n"
		          "objectives: [latency_ms, energy_mj]\n");
		read_space(text, &space);
		assert_int_equal(layer_map_build(&space, &map, &err), ERR_OK);
		const struct outlook_options options = {&space, &map, 1, never_stop, NULL, i % 4 == 1, NULL};
		const double epsilon[] = {1e-6, 0.05, 0.3};
		struct outlook other = {.slack = 0};
		struct outlook_order before = {
		    .machine_index = rng_below(&rng, 27), .epsilon = 0.1, .with_slower = true, .outlook = &other};
		struct front_cache *layers = front_cache_new();
		assert_non_null(layers);
		/* what it begins with may be of any machine */
		if (i % 2 == 0)
			outlook_make(&options, NULL, &before, 1);
		assert_int_equal(before.code, ERR_OK);
		look(&options, layers, i % 2 == 0 ? &other.seeds : NULL, epsilon[i % 3], &looked);
		look(&options, layers, NULL, epsilon[i % 3], &again);
		n_seed += other.seeds.n;
		outlook_free(&other);
		assert_above_machine(&space, rng_below(&rng, 27), &looked.outlook[0], &n_point);
		for (size_t k = 0; k < N_OUTLOOK; k++) {
			assert_above_machine(&space, looked.index[k], &looked.outlook[k], &n_own);
			assert_int_equal(again.outlook[k].n_layer, 0);
			n_searched[k] += looked.outlook[k].n_layer;
			outlook_free(&looked.outlook[k]);
			outlook_free(&again.outlook[k]);
		}
		front_cache_free(layers);
		layer_map_free(&map);
		space_free(&space);
	}
	assert_true(n_point > 2 * n_pair && n_seed > n_pair);
	assert_true(n_searched[0] > 0 && n_searched[1] < n_searched[0] && n_own > 2 * n_pair);
}

/* Latency and energy of a point of the floor over the slack, and whether some design of the archive dominates them. */
static bool is_behind(const struct outlook *outlook, size_t point, double (*design)[2], size_t n_design)
{
	const double *metric = outlook->floor.metric + 2 * point;
	double latency = metric[0] / outlook->slack, energy = metric[1] / outlook->slack;
	for (size_t i = 0; i < n_design; i++)
		if (design[i][0] <= latency && design[i][1] <= energy &&
		    (design[i][0] < latency || design[i][1] < energy))
			return true;
	return false;
}

/* A machine is cut where every point of the floor, made smaller by the slack, lies behind a design: by brute force. */
static void test_hardware_cuts_what_lies_behind(void **state)
{
	(void)state;
	const struct space space = {.n_objective = 2, .objective = {METRIC_LATENCY, METRIC_ENERGY}};
	struct machine machine;
	uint32_t n_cut = 0, n_only_slack = 0;
	assert_int_equal(machine_read("spaces/machines/dvfs_chip.yaml", &machine, NULL), ERR_OK);
	for (uint32_t i = 0; i < 2000; i++) {
		struct rng rng = rng_stream(13, 0, i);
		const uint32_t no_genome = 0;
		double floor[3][2], design[4][2];
		size_t n_point = rng_below(&rng, 4), n_design = rng_below(&rng, 5);
		struct outlook outlook = {.floor = {n_point, floor[0]}, .slack = 1 + 0.25 * rng_below(&rng, 4)};
		struct pareto archive;
		bool is_cut = n_point > 0, without_slack = is_cut;
		pareto_init(&archive, 2, 1);
		for (size_t k = 0; k < n_design; k++) {
			design[k][0] = 1 + rng_below(&rng, 8);
			design[k][1] = 9 - design[k][0] + rng_below(&rng, 2);
			(void)pareto_insert(&archive, design[k], &no_genome, 0);
		}
		/* between whole numbers, so that rounding decides nothing */
		for (size_t k = 0; k < n_point; k++) {
			floor[k][0] = (1.5 + rng_below(&rng, 12)) * outlook.slack;
			floor[k][1] = (1.5 + rng_below(&rng, 12)) * outlook.slack;
			is_cut &= is_behind(&outlook, k, design, n_design);
		}
		assert_int_equal(outlook_proves_behind(&space, &outlook, &machine, &archive), is_cut);
		/* a larger slack leaves room for designs that are four times as good */
		outlook.slack *= 4;
		for (size_t k = 0; k < n_point; k++)
			without_slack &= is_behind(&outlook, k, design, n_design);
		assert_int_equal(outlook_proves_behind(&space, &outlook, &machine, &archive), without_slack);
		n_cut += is_cut;
		n_only_slack += is_cut && !without_slack;
		outlook.slack = INFINITY;
		assert_false(outlook_proves_behind(&space, &outlook, &machine, &archive));
		pareto_free(&archive);
	}
	assert_true(n_cut > 200 && n_only_slack > 100);
}

/* Machines that differ in clocks make families, but not where a deadline takes sleep off energies, or layers run at two
 * levels. */
static void test_hardware_clocks_make_families_without_deadlines(void **state)
{
	(void)state;
	static const char *const head[] = {
	    "machine: dvfs_chip\naxes: {noc.clk_mhz: [800, 400]}\n",
	    "machine: dvfs_chip\naxes: {noc.clk_mhz: [800, 400]}\ndeadline_ms: 100\n",
	    "machine: dvfs_chip\naxes: {noc.clk_mhz: [800, 400]}\nlevel_shares: 2\n",
	    "machine: dvfs_chip\naxes: {mla.array: [16x4, 8x4]}\n",
	};
	struct rng rng = rng_stream(14, 0, 0);
	write_network(&rng, "one");
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++) {
		char text[MAX_TEXT] = "";
		struct space space;
		add(text, "name: clocks\n%snetworks: [one.yaml]\nobjectives: [latency_ms, energy_mj]\n", head[i]);
		read_space(text, &space);
		assert_int_equal(hardware_shares_clocks(&space), i == 0);
		space_free(&space);
	}
}

static bool watch_some(void *context, double done)
{
	uint64_t *n_left = context;
	(void)done;
	return *n_left > 0 && (*n_left)-- > 0;
}

static void show_nobody(void *context, const struct pareto *archive)
{
	(void)context;
	(void)archive;
}

/* Wherever bounding is stopped, no machine is cut, and nothing is counted of machines that were to be. */
static void test_hardware_stopped_cuts_nothing(void **state)
{
	(void)state;
	struct space space;
	struct layer_map map;
	struct err err = {0};
	uint64_t n_stopped = 0, n_cut = 0;
	struct rng rng = rng_stream(13, 0, 0);
	write_network(&rng, "one");
	read_space(
	    "name: stopped\nmachine: dvfs_chip\naxes:\n  mla.array: [16x4, 8x4, 4x4]\n  noc.clk_mhz: [400, 20]\n"
	    "networks: [one.yaml]\nlayers:\n  - {match: '.*', split: {width: {max_parts: 2}, height: {max_parts: 2}, "
	    "out_channels: {max_parts: 2}, in_channels: {max_parts: 1}}}\nobjectives: [latency_ms, energy_mj]\n",
	    &space);
	assert_int_equal(layer_map_build(&space, &map, &err), ERR_OK);
	for (uint64_t n_watch = 0; n_cut == 0; n_watch++) {
		struct floors floors;
		struct hardware hardware;
		uint64_t n_left = n_watch;
		floors_init(&floors, &space, space_n_machine(&space));
		const struct hardware_options options = {.space = &space,
		                                         .map = &map,
		                                         .n_thread = 1,
		                                         .watch = watch_some,
		                                         .show = show_nobody,
		                                         .watch_context = &n_left,
		                                         .floors = &floors};
		assert_int_equal(hardware_bound(&options, &hardware, &err), ERR_OK);
		n_cut = hardware.n_cut;
		n_stopped += hardware.interrupted;
		assert_true(n_watch < 100000 && (hardware.interrupted || n_cut > 0));
		if (hardware.interrupted) {
			assert_true(hardware.n_cut == 0 && hardware.n_candidate == 0 && hardware.n_legal == 0);
			assert_true(isinf(hardware.log10_design));
			for (uint64_t i = 0; i < hardware.n_machine; i++)
				assert_false(hardware.is_cut[i]);
		}
		hardware_free(&hardware);
		floors_free(&floors);
	}
	assert_true(n_stopped > 1);
	/* a search whose time is up while it bounds: from what was seen */
	const struct explore_options options = {.engine = &engine_exact, .n_thread = 1, .seed = 1, .max_ms = 1};
	struct explore explore;
	assert_int_equal(explore_run(&space, &options, &explore, &err), ERR_OK);
	explore_free(&explore);
	layer_map_free(&map);
	space_free(&space);
}

/* What is written is read back, and what was cut off is not. */
static void test_hardware_outlooks_are_packed(void **state)
{
	(void)state;
	double metric[] = {1, 2, 3, 4};
	uint32_t row[2][OUTLOOK_N_SEED_FIELD] = {{5, 6, [N_LAYER_GENE] = 7}, {8, 9, [N_LAYER_GENE] = 10}};
	const double limit[] = {5, INFINITY};
	struct front_cache *layers = front_cache_new(), *others = front_cache_new();
	struct layer_floor floor = {.room_byte = 9, .need_byte = 4, .epsilon = 0.5, .with_slower = true};
	struct outlook_layer layer = {front_cache_find(layers, "0123456789abcdef0123456789abcdef", limit, 2), &floor};
	pareto_init(&floor.point, 2, N_LAYER_GENE);
	assert_true(pareto_append(&floor.point, metric, row[0] + 1, 0));
	struct outlook found = {.slack = 0}, outlook = {.designs = {2, metric},
	                                                .floor = {1, metric + 2},
	                                                .seeds = {2, row[0]},
	                                                .n_layer = 1,
	                                                .layer = &layer,
	                                                .slack = 1.25,
	                                                .n_candidate = 7,
	                                                .n_legal = 8,
	                                                .log10_design = 9.5,
	                                                .thriftiest = {.is_known = true, .energy_mj = 2.5}};
	struct pack pack = {0};
	outlook_pack(&outlook, 2, layers, &pack);
	for (size_t n = 0; n <= pack.n; n++) {
		struct pack reader = pack_reader(pack.data, n);
		outlook_pack(&found, 2, others, &reader);
		assert_int_equal(pack_done(&reader), n == pack.n);
		if (n < pack.n)
			assert_null(found.designs.metric);
	}
	assert_int_equal(found.designs.n, 2);
	assert_memory_equal(found.designs.metric, metric, sizeof(metric));
	assert_memory_equal(found.floor.metric, metric + 2, 2 * sizeof(*metric));
	assert_int_equal(found.seeds.n, 2);
	assert_int_equal(found.n_layer, 1);
	assert_ptr_equal(found.layer[0].entry, front_cache_find(others, "0123456789abcdef0123456789abcdef", limit, 2));
	assert_ptr_not_equal(found.layer[0].entry,
	                     front_cache_find(others, "0123456789abcdef0123456789abcdef", metric, 2));
	assert_true(found.layer[0].floor->with_slower && found.layer[0].floor->epsilon > 0.4);
	assert_int_equal(found.layer[0].floor->need_byte, 4);
	assert_memory_equal(found.layer[0].floor->point.objective, metric, 2 * sizeof(*metric));
	assert_memory_equal(found.seeds.row, row, sizeof(row));
	assert_true(found.slack > 1.24 && found.n_candidate == 7 && found.n_legal == 8 && found.log10_design > 9);
	assert_true(!found.fastest.is_known && found.thriftiest.is_known && found.thriftiest.energy_mj > 2);
	outlook_free(&found);
	pack_free(&pack);
	/* bounds that need no slack */
	struct pack other = {0};
	outlook.slack = 1;
	outlook_pack(&outlook, 2, layers, &other);
	struct pack reader = pack_reader(other.data, other.n);
	outlook_pack(&found, 2, others, &reader);
	assert_true(pack_done(&reader));
	outlook_free(&found);
	pack_free(&other);
	pareto_free(&floor.point);
	front_cache_free(layers);
	front_cache_free(others);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hardware_front_is_that_of_all_machines),
	    cmocka_unit_test(test_hardware_shares_fronts_of_every_form),
	    cmocka_unit_test(test_hardware_floor_is_under_all_it_serves),
	    cmocka_unit_test(test_hardware_cuts_what_lies_behind),
	    cmocka_unit_test(test_hardware_clocks_make_families_without_deadlines),
	    cmocka_unit_test(test_hardware_stopped_cuts_nothing),
	    cmocka_unit_test(test_hardware_outlooks_are_packed),
	};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
