/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact search of layers against brute force: small random layers, machines,
 * rules, objectives and limits; fronts must be equal in objectives and designs,
 * ties included, and the counts must add up. And its bounds: never above a
 * design of their box.
 */

#include "tests/support/unit_test.h"

#include "mapper/distribute/bound.h"
#include "dse/space/machine_read.h"
#include "tests/support/evaluate_design.h"
#include "tests/support/branch_compare.h"
#include "tests/support/draws.h"
#include "sim/machine/machine_check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DESIGN 60000

/* A random space of one layer; nothing but the machine comes from a file. */
struct fixture {
	struct machine machine;
	struct block block;
	struct space space;
	struct space_limit limit[2];
	struct layer_choice choice;
};

static struct block random_pool(struct rng *rng)
{
	struct block block = {.kind = BLOCK_POOL, .name = "POOL_1", .pool = 1, .pool_average = rng_below(rng, 2) == 0};
	block.kernel_w = block.kernel_h = random_from(rng, 1, 3);
	block.stride = random_from(rng, 1, 3);
	block.out_w = random_from(rng, 1, 8);
	block.out_h = random_from(rng, 1, 8);
	block.in_w = (block.out_w - 1) * block.stride + block.kernel_w;
	block.in_h = (block.out_h - 1) * block.stride + block.kernel_h;
	block.in_c = block.out_c = random_from(rng, 1, 12);
	random_batch(rng, &block);
	if (rng_below(rng, 2)) {
		block.arm = (enum arm_kind)(1 + rng_below(rng, N_ARM_KIND - 1));
		block.operand = (enum arm_operand)rng_below(rng, 3);
		block.whole = rng_below(rng, 3) == 0 ? rng_below(rng, 8) : 0;
		block.kernel_w = block.kernel_h = block.stride = 1;
		block.in_w = block.out_w;
		block.in_h = block.out_h;
	}
	return block;
}

static struct block random_block(struct rng *rng)
{
	uint32_t kind = rng_below(rng, 8);
	struct block block = kind == 0   ? random_pool(rng)
	                     : kind <= 2 ? random_matmul(rng, 30)
	                                 : random_conv(rng, 9, 14);
	block.has_mat_ele = block.kind == BLOCK_CONV && rng_below(rng, 4) == 0;
	block.input = rng_below(rng, 4) ? INPUT_LATEST : INPUT_DRAM;
	block.added = rng_below(rng, 2) ? INPUT_HELD : INPUT_DRAM;
	block.result_to_dram = rng_below(rng, 4) == 0;
	return block;
}

static void random_machine(struct rng *rng, struct machine *machine)
{
	static const char *const name[] = {"dvfs_chip", "dvfs_chip", "thesis_chip", "final_chip", "thesis_qpe_dram"};
	static const uint32_t array[][2] = {{16, 4}, {16, 2}, {8, 4}, {4, 4}};
	char path[128];
	struct err err = {0};
	(void)snprintf(path, sizeof(path), "spaces/machines/%s.yaml", name[rng_below(rng, 5)]);
	if (machine_read(path, machine, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	uint32_t i = rng_below(rng, 4);
	machine->mla_cols = array[i][0];
	machine->mla_rows = array[i][1];
	machine->mla_postprocess = rng_below(rng, 2) == 0;
	machine->pe_sram_byte = (uint32_t)1024 << rng_below(rng, 8);
	machine->noc_clk_mhz = random_from(rng, 1, 4) * 125;
	if (rng_below(rng, 2))
		machine->dram_clk_mhz /= 4;
	/* packets of many rows of operand A, whole ones or not */
	static const uint32_t packet_byte[] = {512, 1024, 768, 24};
	if (rng_below(rng, 6) == 0)
		machine->noc_packet_byte = packet_byte[rng_below(rng, 4)];
	assert_int_equal(machine_check(machine, NULL), ERR_OK);
}

static void random_choice(struct rng *rng, struct layer_choice *choice)
{
	static const enum split_choice split[] = {SPLIT_ALL, SPLIT_ALL, SPLIT_ALL, SPLIT_EVEN, SPLIT_WHOLE};
	*choice = (struct layer_choice){
	    .w.choice = split[rng_below(rng, 5)],
	    .h.choice = split[rng_below(rng, 5)],
	    .c.choice = split[rng_below(rng, 5)],
	    .d.choice = split[rng_below(rng, 5)],
	    .w.max_part = rng_below(rng, 3) ? UINT32_MAX : 4,
	    .h.max_part = UINT32_MAX,
	    .c.max_part = rng_below(rng, 3) ? UINT32_MAX : 3,
	    .d.max_part = rng_below(rng, 2) ? UINT32_MAX : 3,
	    .level_mask = rng_below(rng, 3) ? UINT32_MAX : 1,
	    .operand_8bit = true,
	    .operand_16bit = rng_below(rng, 5) == 0,
	};
	for (size_t i = 0; i < N_PE_STRATEGY; i++)
		choice->strategy[i] = rng_below(rng, 4) > 0;
	choice->strategy[rng_below(rng, N_PE_STRATEGY)] = true;
	choice->reuse[REUSE_AUTO] = true;
	choice->reuse[REUSE_FILTER] = rng_below(rng, 4) == 0;
	for (size_t i = 0; i < FORM_TIGHT; i++)
		choice->form[i] = rng_below(rng, 2) == 0;
	choice->form[rng_below(rng, FORM_TIGHT)] = true;
	choice->form[FORM_TIGHT] = choice->form[FORM_PACKED]; /* what is drawn is as without tight parts */
}

static void random_objectives(struct rng *rng, struct space *space)
{
	static const enum metric metric[] = {METRIC_LATENCY, METRIC_ENERGY, METRIC_DRAM, METRIC_SRAM_USED,
	                                     METRIC_PEAK_POWER};
	uint32_t first = rng_below(rng, 5);
	space->n_objective = 1 + rng_below(rng, 4);
	for (uint32_t i = 0; i < space->n_objective; i++)
		space->objective[i] = metric[(first + i) % 5];
}

static void random_fixture(struct rng *rng, struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	random_machine(rng, &f->machine);
	f->block = random_block(rng);
	random_choice(rng, &f->choice);
	random_objectives(rng, &f->space);
	f->space.limit = f->limit;
}

/* The layer on each of its places; a limit on the first metric leaves some designs or none. */
static void compare_space(struct rng *rng, struct fixture *f, struct seen *seen)
{
	struct layer_problem layer;
	assert_int_equal(layer_problem_build(&f->space, &f->machine, &f->block, &f->choice, NULL, &layer, NULL),
	                 ERR_OK);
	uint32_t n_place = layer.n_value[GENE_PLACE];
	for (uint32_t place = 0; place < n_place; place++) {
		struct layer_problem own = layer;
		double least = INFINITY, ignored;
		own.place[0] = layer.place[place];
		own.n_value[GENE_PLACE] = 1;
		own.problem.n_value = own.n_value;
		own.problem.context = &own;
		compare_layer(&own, seen, &least);
		if (isinf(least) || rng_below(rng, 4))
			continue;
		own.limit[0] = least * (rng_below(rng, 3) ? 1.2 : 0.9);
		if (rng_below(rng, 2))
			own.layer_limit[METRIC_SRAM_USED] = 0.5;
		compare_layer(&own, seen, &ignored);
		/* what is as much as the limit keeps it */
		own.layer_limit[METRIC_SRAM_USED] = layer.layer_limit[METRIC_SRAM_USED];
		own.limit[0] = own.layer_limit[own.metric[0]] = least;
		compare_layer(&own, seen, &ignored);
		assert_true(ignored == least);
	}
	layer_problem_free(&layer);
}

static void test_branch_equals_brute_force(void **state)
{
	(void)state;
	struct seen seen = {0};
	const uint32_t n_wanted = draws(300, 60);
	uint32_t n_space = 0;
	for (uint32_t i = 0; n_space < n_wanted; i++) {
		struct rng rng = rng_stream(4, 0, i);
		struct fixture f;
		struct layer_problem layer;
		random_fixture(&rng, &f);
		assert_int_equal(layer_problem_build(&f.space, &f.machine, &f.block, &f.choice, NULL, &layer, NULL),
		                 ERR_OK);
		uint64_t size = problem_size(&layer.problem);
		layer_problem_free(&layer);
		if (size > MAX_DESIGN)
			continue;
		n_space++;
		compare_space(&rng, &f, &seen);
	}
	print_message("%u spaces, %llu layers, %llu empty, %llu points, %llu designs, %llu of them evaluated\n",
	              n_space, (unsigned long long)seen.n_layer, (unsigned long long)seen.n_empty,
	              (unsigned long long)seen.n_point, (unsigned long long)seen.n_design,
	              (unsigned long long)seen.n_evaluated);
	assert_true(seen.n_point > 2 * seen.n_layer && seen.n_empty > n_wanted / 30 && seen.n_near > seen.n_layer);
	assert_true(seen.n_evaluated * 3 < seen.n_design);
}

/* Front, counts and nearest miss on so many threads; with a budget of evaluations, if any. */
static void search_on(const struct layer_problem *layer, unsigned n_thread, uint64_t max_evaluation,
                      struct pareto *front, struct branch_counts *counts, struct engine_nearest *nearest)
{
	struct err err = {0};
	nearest->violation = INFINITY;
	pareto_init(front, layer->n_metric, N_LAYER_GENE);
	assert_int_equal(branch_search(layer, &(struct branch_budget){max_evaluation, 0}, n_thread, front, counts,
	                               nearest, NULL, NULL, NULL, &err),
	                 ERR_OK);
}

/* Counts, too, are the same whoever runs the lanes; a budget holds but for the operating points of a split. */
static void test_branch_does_not_depend_on_threads(void **state)
{
	(void)state;
	uint64_t n_box = 0, n_stopped = 0;
	for (uint32_t i = 0; i < 60; i++) {
		struct rng rng = rng_stream(6, 0, i);
		struct fixture f;
		struct layer_problem layer;
		random_fixture(&rng, &f);
		f.choice.w.choice = f.choice.h.choice = f.choice.c.choice = SPLIT_ALL;
		assert_int_equal(layer_problem_build(&f.space, &f.machine, &f.block, &f.choice, NULL, &layer, NULL),
		                 ERR_OK);
		layer.n_value[GENE_PLACE] = 1;
		if (i % 4 == 0) /* nothing is feasible: a nearest miss is looked for */
			layer.layer_limit[METRIC_SRAM_USED] = 1e-6;
		for (uint64_t budget = 0; budget <= 100; budget += 50) {
			struct pareto one, several;
			struct branch_counts counts, counts_several;
			uint32_t genome[N_LAYER_GENE] = {0}, genome_several[N_LAYER_GENE] = {0};
			struct engine_nearest near = {.genome = genome}, near_several = {.genome = genome_several};
			search_on(&layer, 1, budget, &one, &counts, &near);
			search_on(&layer, 3, budget, &several, &counts_several, &near_several);
			assert_memory_equal(&counts, &counts_several, sizeof(counts));
			assert_int_equal(one.n, several.n);
			assert_memory_equal(genome, genome_several, sizeof(genome));
			assert_true(near.violation == near_several.violation && near.reason == near_several.reason);
			if (one.n > 0)
				assert_memory_equal(one.genome, several.genome, one.n * sizeof(genome));
			n_box += counts.n_box;
			n_stopped +=
			    budget > 0 && counts.engine.n_told + counts.engine.n_skipped < problem_size(&layer.problem);
			if (budget > 0)
				assert_true(counts.engine.n_told < budget + layer.n_value[GENE_LEVEL]);
			pareto_free(&one);
			pareto_free(&several);
		}
		layer_problem_free(&layer);
	}
	assert_true(n_box > 100000 && n_stopped > 10);
}

/*
 * Of SRAMs in which nothing fits: the nearest miss is that of all designs, as long as few boxes are opened to find it,
 * and so few it is that are opened.
 */
static void test_branch_finds_the_nearest_miss(void **state)
{
	enum { MOST_MISSES = 2000 };
	const uint32_t n_wanted = draws(400, 20);
	uint32_t n_missed = 0, n_opened = 0;
	(void)state;
	for (uint32_t i = 0; n_missed < n_wanted; i++) {
		struct rng rng = rng_stream(9, 0, i);
		struct fixture f;
		struct layer_problem layer;
		random_fixture(&rng, &f);
		f.machine.pe_sram_byte = 32 + 4 * rng_below(&rng, 100);
		assert_int_equal(layer_problem_build(&f.space, &f.machine, &f.block, &f.choice, NULL, &layer, NULL),
		                 ERR_OK);
		layer.n_value[GENE_PLACE] = 1;
		if (problem_size(&layer.problem) < MAX_DESIGN) {
			struct pareto all, none;
			struct branch_counts cut, counts;
			uint32_t genome[N_LAYER_GENE] = {0};
			struct engine_nearest nearest = {.genome = genome};
			pareto_init(&all, layer.n_metric, N_LAYER_GENE);
			pareto_init(&none, layer.n_metric, N_LAYER_GENE);
			const struct all_designs designs = brute_force(&layer, &all);
			assert_int_equal(
			    branch_search(&layer, NULL, 1, &none, &cut, NULL, NULL, NULL, NULL, &(struct err){0}),
			    ERR_OK);
			pareto_free(&none);
			search_on(&layer, 1, 0, &none, &counts, &nearest);
			if (designs.none_runs) {
				assert_true(counts.n_box <= cut.n_box + 2 * MOST_MISSES);
				n_opened += counts.n_box > cut.n_box;
			}
			/* without a miss by so much, the machine has no such memory at all */
			if (designs.none_runs && designs.least_violation < 1e8 &&
			    counts.n_box < cut.n_box + MOST_MISSES / 64) {
				n_missed++;
				assert_true(nearest.violation >= designs.least_violation);
				assert_true(nearest.violation <= designs.least_violation * (1 + 1e-6));
			}
			pareto_free(&all);
			pareto_free(&none);
		}
		layer_problem_free(&layer);
	}
	assert_true(n_opened > n_missed / 2);
}

/* Once a design is known that runs, no box is opened for a nearest miss: the search is that of who wants none. */
static void test_branch_seeks_no_miss_beside_designs(void **state)
{
	uint32_t n_seeded = 0;
	(void)state;
	for (uint32_t i = 0; n_seeded < draws(400, 60); i++) {
		struct rng rng = rng_stream(11, 0, i);
		struct fixture f;
		struct layer_problem layer;
		struct pareto found;
		random_fixture(&rng, &f);
		f.machine.pe_sram_byte = 256U << rng_below(&rng, 5);
		assert_int_equal(layer_problem_build(&f.space, &f.machine, &f.block, &f.choice, NULL, &layer, NULL),
		                 ERR_OK);
		layer.n_value[GENE_PLACE] = 1;
		if (problem_size(&layer.problem) > MAX_DESIGN) {
			layer_problem_free(&layer);
			continue;
		}
		search_on(&layer, 1, 0, &found, &(struct branch_counts){0},
		          &(struct engine_nearest){.genome = (uint32_t[N_LAYER_GENE]){0}});
		for (size_t k = 0; k < found.n && k < 8; k++, n_seeded++) {
			struct branch_counts counts[2];
			uint32_t genome[N_LAYER_GENE] = {0};
			for (int wants = 0; wants < 2; wants++) {
				struct engine_nearest near = {.genome = genome, .violation = INFINITY};
				struct pareto front;
				pareto_init(&front, layer.n_metric, N_LAYER_GENE);
				assert_true(pareto_insert(&front, found.objective + k * layer.n_metric,
				                          found.genome + k * N_LAYER_GENE, 0));
				assert_int_equal(branch_search(&layer, NULL, 1, &front, &counts[wants],
				                               wants ? &near : NULL, NULL, NULL, NULL, NULL),
				                 ERR_OK);
				pareto_free(&front);
			}
			assert_int_equal(counts[0].n_box, counts[1].n_box);
			assert_int_equal(counts[0].engine.n_told, counts[1].engine.n_told);
		}
		pareto_free(&found);
		layer_problem_free(&layer);
	}
}

/* One design in one box; false when it does not run. */
static bool check_bound(struct rng *rng, const struct layer_problem *layer, uint64_t *n_program)
{
	/* of 8 bit, in any of the layer's forms */
	const struct layer_context *context;
	do
		context = layer_context_at(layer, rng_below(rng, layer->n_value[GENE_OPERAND]));
	while (context->operand_bit != 8);
	const struct split whole = split_whole(context->block);
	uint32_t step = context->block->pool;
	size_t w = pick_split(rng, &layer->w), h = pick_split(rng, &layer->h), c = pick_split(rng, &layer->c),
	       d = pick_split(rng, &layer->d);
	struct layer_design design = {
	    .split = {layer->w.choice[w], layer->h.choice[h], layer->c.choice[c], layer->d.choice[d]},
	    .strategy = (enum strategy)rng_below(rng, N_PE_STRATEGY),
	    .operand_bit = 8,
	    .form = context->form,
	    .in_storage = rng_below(rng, 3) == 0,
	    .out_storage = rng_below(rng, 3) == 0,
	};
	struct split_range range = {random_range(rng, &layer->w, w, whole.w.size_a, step),
	                            random_range(rng, &layer->h, h, whole.h.size_a, step),
	                            random_range(rng, &layer->c, c, whole.c.size_a, 1),
	                            random_range(rng, &layer->d, d, whole.d.size_a, 1)};
	struct range_bound bound;
	struct verdict verdict, own;
	struct sim_result result;
	double metric[N_METRIC];
	design.level = rng_below(rng, context->machine->n_level);
	bool runs = evaluate_design(context, &design, &result, metric, &own);
	for (int with_program = 0; with_program < 2; with_program++) {
		if (!mapper_bound_range(context, &design, &range, with_program, &bound, &verdict)) {
			assert_false(runs);
			continue;
		}
		*n_program += bound.has_program;
		if (runs)
			assert_under(context, &design, &bound, &result, with_program ? "program" : "work");
	}
	return runs;
}

/* A bound is a bound: for random designs in random boxes, on layers and machines of all kinds. */
static void test_branch_bounds_are_under_every_design(void **state)
{
	(void)state;
	uint64_t n_run = 0, n_program = 0;
	const uint32_t n_layer = draws(1500, 250);
	for (uint32_t i = 0; i < n_layer; i++) {
		struct rng rng = rng_stream(5, 0, i);
		struct fixture f;
		struct layer_problem layer;
		random_fixture(&rng, &f);
		if (f.block.kind == BLOCK_CONV && i % 2)
			f.block = random_conv(&rng, 40, 90);
		if (f.block.kind == BLOCK_MATMUL && i % 2)
			f.block = random_matmul(&rng, 400);
		f.choice.w.choice = f.choice.h.choice = f.choice.c.choice = f.choice.d.choice = SPLIT_ALL;
		f.choice.operand_8bit = true;
		f.machine.pe_sram_byte = rng_below(&rng, 4) ? 98304 : f.machine.pe_sram_byte;
		assert_int_equal(layer_problem_build(&f.space, &f.machine, &f.block, &f.choice, NULL, &layer, NULL),
		                 ERR_OK);
		for (uint32_t k = 0; k < 100; k++)
			n_run += check_bound(&rng, &layer, &n_program);
		layer_problem_free(&layer);
	}
	print_message("%llu designs ran, %llu bounds by programs\n", (unsigned long long)n_run,
	              (unsigned long long)n_program);
	assert_true(n_run > 14 * n_layer && n_program > 7 * n_layer);
}

/* Packets of 256 rows of operand A: parts that end with one take less than the whole. SRAM ports of 64 blocks of B. */
static void test_branch_bounds_hold_for_large_packets_and_ports(void **state)
{
	(void)state;
	uint64_t n_run = 0, n_program = 0;
	for (uint32_t i = 0; i < 20; i++) {
		struct rng rng = rng_stream(6, 0, i);
		struct fixture f;
		struct layer_problem layer;
		random_fixture(&rng, &f);
		assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &f.machine, NULL), ERR_OK);
		if (i % 2)
			f.machine.noc_packet_byte = 1024;
		else
			f.machine.pe_sram_port_byte = 1024;
		f.block = random_matmul(&rng, 16);
		f.block.in_w = 2048;
		f.choice.w.choice = f.choice.h.choice = f.choice.c.choice = f.choice.d.choice = SPLIT_ALL;
		f.choice.operand_8bit = true;
		assert_int_equal(layer_problem_build(&f.space, &f.machine, &f.block, &f.choice, NULL, &layer, NULL),
		                 ERR_OK);
		for (uint32_t k = 0; k < 500; k++)
			n_run += check_bound(&rng, &layer, &n_program);
		layer_problem_free(&layer);
	}
	assert_true(n_run > 1000 && n_program > 500);
}

/* Matrix multiplications of so many jobs that these are priced as if all were the mean one, or just so many not. */
static void test_branch_bounds_hold_for_long_queues(void **state)
{
	static const char *const name[] = {"dvfs_chip", "thesis_chip", "final_chip"};
	(void)state;
	uint64_t n_run = 0, n_program = 0;
	const uint32_t n_layer = draws(120, 20);
	for (uint32_t i = 0; i < n_layer; i++) {
		struct rng rng = rng_stream(11, 0, i);
		struct fixture f;
		struct layer_problem layer;
		char path[128];
		random_fixture(&rng, &f);
		(void)snprintf(path, sizeof(path), "spaces/machines/%s.yaml", name[i % 3]);
		assert_int_equal(machine_read(path, &f.machine, NULL), ERR_OK);
		f.machine.dram_n = 1U << rng_below(&rng, 3);
		f.machine.noc_clk_mhz = random_from(&rng, 1, 5) * 100;
		f.block = random_matmul(&rng, 2000);
		f.block.in_h = f.block.out_h = 1 + rng_below(&rng, 3);
		f.choice.w.choice = f.choice.h.choice = f.choice.c.choice = f.choice.d.choice = SPLIT_ALL;
		f.choice.w.max_part = f.choice.d.max_part = 400;
		f.choice.operand_8bit = true;
		assert_int_equal(layer_problem_build(&f.space, &f.machine, &f.block, &f.choice, NULL, &layer, NULL),
		                 ERR_OK);
		for (uint32_t k = 0; k < 400; k++)
			n_run += check_bound(&rng, &layer, &n_program);
		layer_problem_free(&layer);
	}
	assert_true(n_run > 42 * n_layer && n_program > 42 * n_layer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_branch_bounds_are_under_every_design),
	    cmocka_unit_test(test_branch_bounds_hold_for_large_packets_and_ports),
	    cmocka_unit_test(test_branch_bounds_hold_for_long_queues),
	    cmocka_unit_test(test_branch_equals_brute_force),
	    cmocka_unit_test(test_branch_does_not_depend_on_threads),
	    cmocka_unit_test(test_branch_finds_the_nearest_miss),
	    cmocka_unit_test(test_branch_seeks_no_miss_beside_designs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
