/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds must never cost a point of a layer's front: small layers are searched
 * exhaustively with and without them, on every place, and both fronts compared.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dse/engine/engine.h"
#include "dse/space/machine_read.h"
#include "dse/engine/engine_run.h"
#include "dse/layer/layer_problem.h"
#include "mapper/distribute/bound.h"
#include "sim/base/rng.h"
#include "tests/support/draws.h"
#include "tests/support/evaluate_design.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define EVENT_STEP 40

static void read_chip(struct machine *machine, const char *path)
{
	struct err err = {0};
	if (machine_read(path, machine, &err))
		fail_msg("%s", err_text(&err));
}

static struct block random_conv(struct rng *rng)
{
	uint32_t pool = 1 + rng_below(rng, 2), stride = 1 + rng_below(rng, 2);
	struct block block = {
	    .kind = BLOCK_CONV,
	    .in_c = 1 + rng_below(rng, 96),
	    .out_w = pool * (1 + rng_below(rng, 24)),
	    .out_h = pool * (1 + rng_below(rng, 16)),
	    .out_c = 1 + rng_below(rng, 48),
	    .kernel_w = 1 + rng_below(rng, 3),
	    .kernel_h = 1 + rng_below(rng, 3),
	    .stride = stride,
	    .pool = pool,
	    .has_padd = rng_below(rng, 2) == 0,
	    .has_acti = true,
	    .has_quan = true,
	    .has_mat_ele = rng_below(rng, 4) == 0,
	};
	(void)strcpy(block.name, "CONV_1");
	if (rng_below(rng, 3) == 0) {
		block.groups = 2 + rng_below(rng, 7);
		block.in_c = block.groups * (1 + rng_below(rng, 12));
		block.out_c = block.groups * (1 + rng_below(rng, 9));
	}
	block.dilation = rng_below(rng, 4) == 0 ? 2 + rng_below(rng, 2) : 1;
	block.in_w = (block.out_w - 1) * stride + block_reach_w(&block);
	block.in_h = (block.out_h - 1) * stride + block_reach_h(&block);
	struct rng own = *rng;
	block.batch = rng_below(&own, 4) ? 1 : 2 + rng_below(&own, 3);
	return block;
}

static struct block random_matmul(struct rng *rng)
{
	struct block block = {
	    .kind = BLOCK_MATMUL,
	    .in_w = 1 + rng_below(rng, 200),
	    .in_h = 1 + rng_below(rng, 3),
	    .in_c = 1,
	    .out_c = 1,
	    .kernel_w = 1,
	    .kernel_h = 1,
	    .stride = 1,
	    .pool = 1,
	    .has_acti = true,
	    .has_quan = true,
	};
	(void)strcpy(block.name, "FC_1");
	block.out_w = 1 + rng_below(rng, 200);
	block.out_h = block.in_h;
	return block;
}

/* Search the layer on one place, with bounds or without. */
static uint64_t search(struct layer_problem *layer, bool bounded, struct pareto *front)
{
	struct err err = {0};
	struct pareto sample;
	struct engine_options options = {.seed = 1};
	struct engine_counts counts = {0};
	pareto_init(front, layer->n_metric, N_LAYER_GENE);
	pareto_init(&sample, layer->n_metric, N_LAYER_GENE);
	if (bounded)
		assert_int_equal(layer_problem_bound(layer, 2, &sample, NULL, &err), ERR_OK);
	assert_int_equal(engine_run(&(struct engine_search){.kind = &engine_exhaustive,
	                                                    .problem = &layer->problem,
	                                                    .options = &options,
	                                                    .n_thread = 1,
	                                                    .archive = front,
	                                                    .counts = &counts},
	                            &err),
	                 ERR_OK);
	for (size_t i = 0; i < front->n; i++)
		layer_problem_widen(layer, front->genome + i * N_LAYER_GENE);
	pareto_sort(front);
	pareto_free(&sample);
	return counts.n_feasible;
}

static void narrow_to_place(struct layer_problem *layer, uint32_t place)
{
	layer->place[0] = layer->place[place];
	layer->n_value[GENE_PLACE] = 1;
}

/* The front of what has at most `limit` of the first metric: that part of the whole front, as what beats a point of it
 * has no more of that metric. */
static void keep_within(struct pareto *front, double limit)
{
	size_t n = 0;
	for (size_t i = 0; i < front->n; i++) {
		if (front->objective[i * front->n_objective] > limit)
			continue;
		memmove(front->objective + n * front->n_objective, front->objective + i * front->n_objective,
		        front->n_objective * sizeof(double));
		memmove(front->genome + n * N_LAYER_GENE, front->genome + i * N_LAYER_GENE,
		        N_LAYER_GENE * sizeof(uint32_t));
		n++;
	}
	front->n = n;
}

static void build_at(const struct space *space, const struct machine *machine, const struct block *block,
                     const struct layer_choice *choice, uint32_t place, struct layer_problem *layer)
{
	assert_int_equal(layer_problem_build(space, machine, block, choice, NULL, layer, NULL), ERR_OK);
	narrow_to_place(layer, place);
}

/* With bounds and a limit on the first metric the front is `all`. Returns how many designs are feasible. */
static uint64_t compare_limit(const struct space *space, const struct machine *machine, const struct block *block,
                              const struct layer_choice *choice, uint32_t place, double limit, const struct pareto *all)
{
	struct layer_problem bounded;
	struct pareto found;
	build_at(space, machine, block, choice, place, &bounded);
	bounded.limit[0] = limit;
	uint64_t n_found = search(&bounded, true, &found);
	assert_int_equal(found.n, all->n);
	assert_memory_equal(found.objective, all->objective, all->n * all->n_objective * sizeof(double));
	assert_memory_equal(found.genome, all->genome, all->n * N_LAYER_GENE * sizeof(uint32_t));
	pareto_free(&found);
	layer_problem_free(&bounded);
	return n_found;
}

/* Returns how many evaluations the bounds saved: without a limit, with one that leaves some designs, and one that
 * leaves none. */
static uint64_t compare_place(const struct space *space, const struct machine *machine, const struct block *block,
                              const struct layer_choice *choice, uint32_t place)
{
	struct layer_problem plain;
	struct pareto all;
	build_at(space, machine, block, choice, place, &plain);
	uint64_t n_all = search(&plain, false, &all);
	uint64_t n_found = compare_limit(space, machine, block, choice, place, INFINITY, &all);
	assert_true(n_found <= n_all);
	if (all.n > 0) {
		double least = all.objective[0];
		keep_within(&all, least * 1.2);
		assert_true(compare_limit(space, machine, block, choice, place, least * 1.2, &all) <= n_all);
		keep_within(&all, least * 0.9);
		(void)compare_limit(space, machine, block, choice, place, least * 0.9, &all);
	}
	pareto_free(&all);
	layer_problem_free(&plain);
	return n_all - n_found;
}

static void compare_case(struct machine *machine, uint32_t number, uint64_t *n_saved)
{
	static const enum metric objective[][3] = {{METRIC_LATENCY, METRIC_ENERGY, METRIC_DRAM},
	                                           {METRIC_LATENCY, METRIC_ENERGY},
	                                           {METRIC_LATENCY, METRIC_PEAK_POWER}};
	static const size_t n_objective[] = {3, 2, 2};
	struct rng rng = rng_stream(7, 0, number);
	uint32_t which = number % 3;
	/* lists as a genetic engine gets them: short enough to try all */
	struct space space = {.n_objective = n_objective[which], .max_front = 1000, .engine = engine_nsga2.name};
	memcpy(space.objective, objective[which], n_objective[which] * sizeof(objective[which][0]));
	struct block block = number % 4 == 3 ? random_matmul(&rng) : random_conv(&rng);
	struct layer_choice choice = {
	    .w.choice = SPLIT_ALL,
	    .h.choice = SPLIT_ALL,
	    .c.choice = SPLIT_ALL,
	    .d.choice = block.kind == BLOCK_MATMUL ? SPLIT_ALL : SPLIT_WHOLE,
	    .w.max_part = UINT32_MAX,
	    .h.max_part = UINT32_MAX,
	    .c.max_part = UINT32_MAX,
	    .d.max_part = 12,
	    .strategy = {[STRATEGY_NO_FUSION] = true, [STRATEGY_FUSION] = true, [STRATEGY_FUSION_REUSE] = true},
	    .reuse = {[REUSE_AUTO] = true},
	    .level_mask = 3,
	    .operand_8bit = true,
	    .form = {[FORM_CONV] = true},
	    .operand_16bit = number % 5 == 0,
	};
	struct layer_problem layer;
	machine->pe_sram_byte = 16384U << rng_below(&rng, 3);
	assert_int_equal(layer_problem_build(&space, machine, &block, &choice, NULL, &layer, NULL), ERR_OK);
	uint32_t n_place = layer.n_value[GENE_PLACE];
	layer_problem_free(&layer);
	for (uint32_t place = 0; place < n_place; place++)
		*n_saved += compare_place(&space, machine, &block, &choice, place);
}

static void test_bound_keeps_fronts(void **state)
{
	(void)state;
	struct machine machine;
	uint64_t n_saved = 0;
	read_chip(&machine, "spaces/machines/dvfs_chip.yaml");
	for (uint32_t i = 0; i < draws(60, 6); i++)
		compare_case(&machine, i, &n_saved);
	print_message("evaluations saved by bounds: %llu\n", (unsigned long long)n_saved);
	assert_true(n_saved > 0);
}

/* About n parts, as groups allow. */
static struct dim_split cut_filters(const struct block *block, uint32_t n)
{
	uint32_t size = block_group_out_c(block), n_group = block_n_group(block);
	if (n_group == 1 || n <= n_group)
		return dim_even(block->out_c, n, n_group == 1 ? 1 : size);
	uint32_t n_each = n / n_group;
	while (size % n_each)
		n_each--;
	return dim_even(block->out_c, n_group * n_each, 1);
}

/* Splits of the dimensions that are open, anew. */
static void draw_splits(struct rng *rng, const struct block *block, unsigned open, struct split *split)
{
	if (open & BOUND_OPEN_W)
		split->w = dim_even(block->out_w, 1 + rng_below(rng, block->out_w / block->pool), block->pool);
	if (open & BOUND_OPEN_H)
		split->h = dim_even(block->out_h, 1 + rng_below(rng, block->out_h / block->pool), block->pool);
	if (open & BOUND_OPEN_C && block->kind == BLOCK_CONV)
		split->c = cut_filters(block, 1 + rng_below(rng, block->out_c));
	if (open & BOUND_OPEN_D && block->kind != BLOCK_CONV)
		split->d = dim_even(block->in_w, 1 + rng_below(rng, block->in_w), 1);
}

/* A bound is a bound: the sample's own points are never under it, whichever the splits of the open dimensions are. */
static void test_bound_is_under_every_design(void **state)
{
	(void)state;
	struct machine machine;
	read_chip(&machine, "spaces/machines/dvfs_chip.yaml");
	uint64_t n_checked = 0;
	const uint32_t n_design = draws(20000, 4000);
	for (uint32_t i = 0; i < n_design; i++) {
		struct rng rng = rng_stream(8, 0, i);
		struct block block = i % 4 == 3 ? random_matmul(&rng) : random_conv(&rng);
		struct layer_context context;
		mapper_prepare(&block, &machine, 8, &context);
		struct layer_design design = {.split = split_whole(&block), .operand_bit = 8};
		draw_splits(&rng, &block, UINT_MAX, &design.split);
		design.strategy = (enum strategy)rng_below(&rng, STRATEGY_FUSION_REUSE + 1);
		design.in_storage = rng_below(&rng, 2) == 0;
		design.out_storage = rng_below(&rng, 2) == 0;
		design.level = rng_below(&rng, 2);
		struct sim_result result;
		struct verdict verdict;
		double metric[N_METRIC], latency_ns, energy_pj;
		if (!evaluate_design(&context, &design, &result, metric, &verdict))
			continue;
		/* a search in the event tier trusts the same bounds; some designs suffice, as each takes far longer */
		struct detail_run event = {.context = &context, .design = &design, .result = result};
		if (n_checked++ % EVENT_STEP == 0)
			detail_run(&event, &(const struct detail_options){.detail = DETAIL_EVENT});
		assert_int_equal(event.code, ERR_OK);
		for (unsigned open = 0; open < 16; open++) {
			struct least_work least;
			struct layer_design other = design;
			draw_splits(&rng, &block, open, &other.split);
			assert_true(mapper_bound(&context, &other, open, &least));
			fast_bound(&machine, &least, design.level, &latency_ns, &energy_pj);
			double least_ns = fmin(result.latency_ns, event.result.latency_ns);
			double least_pj = fmin(result.energy.total_pj, event.result.energy.total_pj);
			if (latency_ns > least_ns * (1 + 1e-9) || energy_pj > least_pj * (1 + 1e-9))
				fail_msg("case %u open %u: bound %.1f ns %.1f pJ over %.1f ns %.1f pJ (fast %.1f ns "
				         "%.1f pJ)",
				         i, open, latency_ns, energy_pj, event.result.latency_ns,
				         event.result.energy.total_pj, result.latency_ns, result.energy.total_pj);
		}
	}
	print_message("designs checked: %llu\n", (unsigned long long)n_checked);
	assert_true(n_checked > n_design / 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_bound_is_under_every_design),
	    cmocka_unit_test(test_bound_keeps_fronts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
