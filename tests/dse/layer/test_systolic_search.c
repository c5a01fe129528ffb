/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches of layers on systolic arrays: the exact one and the bounded exhaustive
 * one against brute force, bounds against designs in both tiers, and what larger
 * buffers and a faster memory must not do to a bound.
 */

#include "tests/support/unit_test.h"

#include "dse/space/detail.h"
#include "dse/engine/engine_run.h"
#include "dse/layer/layer_problem.h"
#include "mapper/distribute/bound.h"
#include "tests/support/evaluate_design.h"
#include "tests/support/branch_compare.h"
#include "tests/support/random_systolic_block.h"
#include <stdio.h>

#define N_SPACE 300
#define MAX_DESIGN 40000

/* A random space of one layer. */
struct fixture {
	struct machine machine;
	struct block block;
	struct space space;
	struct layer_choice choice;
	struct layer_problem layer;
};

static void random_choice(struct rng *rng, struct layer_choice *choice)
{
	static const enum split_choice split[] = {SPLIT_ALL, SPLIT_ALL, SPLIT_EVEN, SPLIT_WHOLE};
	*choice = layer_choice_any();
	choice->w.choice = split[rng_below(rng, 4)];
	choice->h.choice = split[rng_below(rng, 4)];
	choice->c.choice = split[rng_below(rng, 4)];
	choice->d.choice = split[rng_below(rng, 4)];
	choice->w.max_part = rng_below(rng, 3) ? UINT32_MAX : 4;
	choice->c.max_part = rng_below(rng, 3) ? UINT32_MAX : 3;
	for (size_t i = N_PE_STRATEGY; i < N_STRATEGY; i++)
		choice->strategy[i] = rng_below(rng, 4) > 0;
	choice->strategy[STRATEGY_OUTPUT_STATIONARY + rng_below(rng, 3)] = true;
	choice->reuse[REUSE_AUTO] = rng_below(rng, 3) > 0;
	choice->reuse[REUSE_IFMAP] = rng_below(rng, 3) == 0;
	choice->reuse[REUSE_FILTER] = !choice->reuse[REUSE_AUTO] && !choice->reuse[REUSE_IFMAP];
	choice->operand_16bit = rng_below(rng, 5) == 0;
}

static void random_fixture(struct rng *rng, uint32_t max_w, uint32_t max_c, struct fixture *f)
{
	static const enum metric metric[] = {METRIC_LATENCY, METRIC_ENERGY, METRIC_DRAM, METRIC_SRAM_USED,
	                                     METRIC_PEAK_POWER};
	memset(f, 0, sizeof(*f));
	random_systolic(rng, &f->machine);
	f->block = random_systolic_block(rng, max_w, max_c);
	random_choice(rng, &f->choice);
	uint32_t first = rng_below(rng, 5);
	f->space.n_objective = 1 + rng_below(rng, 4);
	for (uint32_t i = 0; i < f->space.n_objective; i++)
		f->space.objective[i] = metric[(first + i) % 5];
}

static void build(struct fixture *f)
{
	assert_int_equal(layer_problem_build(&f->space, &f->machine, &f->block, &f->choice, NULL, &f->layer, NULL),
	                 ERR_OK);
	assert_int_equal(f->layer.n_value[GENE_PLACE], 1);
}

/* The exhaustive engine behind its bounds: the same front. */
static void check_bounded(const struct layer_problem *full)
{
	struct layer_problem layer = *full;
	struct pareto all, found, sampled;
	struct engine_counts counts;
	uint64_t by_reason[LAYER_N_REASON] = {0};
	uint32_t genome[N_LAYER_GENE], first[N_LAYER_GENE];
	struct engine_nearest nearest = {.violation = INFINITY, .genome = genome},
			      missed = {.violation = INFINITY, .genome = first};
	const struct engine_options options = {.seed = 1};
	struct err err = {0};
	layer.problem.context = &layer;
	layer.problem.n_value = layer.n_value;
	pareto_init(&all, layer.n_metric, N_LAYER_GENE);
	pareto_init(&found, layer.n_metric, N_LAYER_GENE);
	pareto_init(&sampled, layer.n_metric, N_LAYER_GENE);
	(void)brute_force(full, &all);
	assert_int_equal(layer_problem_bound(&layer, 1, &sampled, &missed, &err), ERR_OK);
	assert_int_equal(engine_run(&(struct engine_search){.kind = &engine_exhaustive,
	                                                    .problem = &layer.problem,
	                                                    .options = &options,
	                                                    .n_thread = 1,
	                                                    .archive = &found,
	                                                    .counts = &counts,
	                                                    .n_by_reason = by_reason,
	                                                    .n_reason = LAYER_N_REASON,
	                                                    .near = &nearest},
	                            &err),
	                 ERR_OK);
	assert_int_equal(found.n, all.n);
	if (all.n > 0)
		assert_memory_equal(found.objective, all.objective, all.n * all.n_objective * sizeof(double));
	pareto_free(&all);
	pareto_free(&found);
	pareto_free(&sampled);
}

static void test_systolic_search_equals_brute_force(void **state)
{
	(void)state;
	struct seen seen = {0};
	uint32_t n_space = 0;
	for (uint32_t i = 0; n_space < N_SPACE; i++) {
		struct rng rng = rng_stream(11, 0, i);
		struct fixture f;
		double least = INFINITY, ignored;
		random_fixture(&rng, 9, 10, &f);
		build(&f);
		if (problem_size(&f.layer.problem) <= MAX_DESIGN) {
			n_space++;
			compare_layer(&f.layer, &seen, &least);
			check_bounded(&f.layer);
			f.layer.limit[0] = least * (rng_below(&rng, 3) ? 1.2 : 0.9);
			if (rng_below(&rng, 2))
				f.layer.layer_limit[METRIC_SRAM_USED] = 0.4;
			if (isfinite(least))
				compare_layer(&f.layer, &seen, &ignored);
		}
		layer_problem_free(&f.layer);
	}
	print_message("%u spaces, %llu layers, %llu empty, %llu points, %llu designs, %llu of them evaluated\n",
	              n_space, (unsigned long long)seen.n_layer, (unsigned long long)seen.n_empty,
	              (unsigned long long)seen.n_point, (unsigned long long)seen.n_design,
	              (unsigned long long)seen.n_evaluated);
	assert_true(seen.n_layer > 300 && seen.n_point > 2 * seen.n_layer && seen.n_empty > 10);
	assert_true(seen.n_evaluated * 3 < seen.n_design);
}

/* A random design of the layer and a box around it. */
static void random_box(struct rng *rng, const struct layer_problem *layer, struct layer_design *design,
                       struct split_range *range)
{
	const struct block *block = layer->context[0].block;
	const struct split whole = split_whole_group(block);
	size_t w = pick_split(rng, &layer->w), h = pick_split(rng, &layer->h), c = pick_split(rng, &layer->c),
	       d = pick_split(rng, &layer->d);
	*design = (struct layer_design){
	    .split = {layer->w.choice[w], layer->h.choice[h], layer->c.choice[c], layer->d.choice[d]},
	    .strategy = (enum strategy)(N_PE_STRATEGY + rng_below(rng, 3)),
	    .reuse = (enum reuse_operand)rng_below(rng, N_REUSE_OPERAND),
	    .level = rng_below(rng, layer->context[0].machine->n_level),
	    .operand_bit = 8,
	};
	*range = (struct split_range){random_range(rng, &layer->w, w, whole.w.size_a, block->pool),
	                              random_range(rng, &layer->h, h, whole.h.size_a, block->pool),
	                              random_range(rng, &layer->c, c, whole.c.size_a, 1),
	                              random_range(rng, &layer->d, d, whole.d.size_a, 1)};
}

/* The event tier keeps the bound of the work, too, and is where the fast one is. */
static void check_event(const struct layer_context *context, const struct layer_design *design,
                        const struct sim_result *fast, const struct range_bound *bound)
{
	const struct detail_options options = {.detail = DETAIL_EVENT};
	struct detail_run run = {.context = context, .design = design};
	detail_run(&run, &options);
	assert_int_equal(run.code, ERR_OK);
	assert_true(run.ran);
	assert_under(context, design, bound, &run.result, "event");
	double event_clk = (double)run.result.total_clk, fast_clk = (double)fast->total_clk;
	assert_true(fabs(event_clk - fast_clk) <= 0.03 * event_clk);
	assert_true(run.result.counts.dram_write_byte == fast->counts.dram_write_byte &&
	            run.result.counts.dram_read_byte == fast->counts.dram_read_byte);
}

/* What a machine with more of everything promises, nobody with less keeps below. */
static void check_larger(struct rng *rng, const struct fixture *f, const struct layer_design *design,
                         const struct split_range *range, const struct sim_result *result)
{
	struct machine larger = f->machine;
	struct layer_context context;
	struct range_bound bound;
	struct verdict verdict;
	larger.systolic.ifmap_byte *= random_from(rng, 1, 3);
	larger.systolic.filter_byte *= random_from(rng, 1, 3);
	larger.systolic.ofmap_byte *= random_from(rng, 1, 3);
	larger.systolic.memory_gb_s *= random_from(rng, 1, 3);
	mapper_prepare(&f->block, &larger, 8, &context);
	assert_true(mapper_bound_range(&context, design, range, true, &bound, &verdict));
	bound.program.sram_byte = 0; /* what is kept for longer takes more */
	assert_under(&context, design, &bound, result, "larger");
}

static void check_open(const struct layer_context *context, const struct layer_design *design, unsigned open,
                       const struct sim_result *result)
{
	struct range_bound bound = {.has_program = false};
	assert_true(mapper_bound(context, design, open, &bound.work));
	assert_under(context, design, &bound, result, "open");
}

static void test_systolic_bounds_are_under_every_design(void **state)
{
	(void)state;
	uint64_t n_run = 0, n_program = 0, n_refused = 0;
	for (uint32_t i = 0; i < 2000; i++) {
		struct rng rng = rng_stream(12, 0, i);
		struct fixture f;
		random_fixture(&rng, i % 2 ? 40 : 9, i % 2 ? 40 : 12, &f);
		f.choice = layer_choice_any();
		f.machine.systolic.dataflow = SYSTOLIC_ANY;
		if (i % 2) {
			f.machine.systolic.ifmap_byte *= 64;
			f.machine.systolic.filter_byte *= 64;
			f.machine.systolic.ofmap_byte *= 64;
		}
		build(&f);
		const struct layer_context *context = &f.layer.context[0];
		for (uint32_t k = 0; k < 50; k++) {
			struct layer_design design;
			struct split_range range;
			struct range_bound bound;
			struct verdict verdict, own;
			struct sim_result result;
			double metric[N_METRIC];
			random_box(&rng, &f.layer, &design, &range);
			bool runs = evaluate_design(context, &design, &result, metric, &own);
			for (int with_program = 0; with_program < 2; with_program++) {
				bool may = mapper_bound_range(context, &design, &range, with_program, &bound, &verdict);
				n_refused += !may;
				if (!may)
					assert_true(!runs && verdict.reason != VERDICT_OK);
				n_program += may && bound.has_program;
				if (runs)
					assert_under(context, &design, &bound, &result,
					             with_program ? "program" : "work");
				if (runs && !with_program && k < 4)
					check_event(context, &design, &result, &bound);
			}
			n_run += runs;
			if (runs)
				check_larger(&rng, &f, &design, &range, &result);
			if (runs)
				check_open(context, &design, rng_below(&rng, 16), &result);
		}
		layer_problem_free(&f.layer);
	}
	print_message("%llu designs ran, %llu bounds by programs, %llu boxes refused\n", (unsigned long long)n_run,
	              (unsigned long long)n_program, (unsigned long long)n_refused);
	assert_true(n_run > 20000 && n_program > 300 && n_refused > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_systolic_bounds_are_under_every_design),
	    cmocka_unit_test(test_systolic_search_equals_brute_force),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
