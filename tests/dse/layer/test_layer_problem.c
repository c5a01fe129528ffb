/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "dse/space/machine_read.h"
#include "dse/space/space_goals.h"
#include "dse/layer/layer_problem.h"
#include "dse/layer/layer_problem_parts.h"
#include "dse/layer/layers.h"
#include "mapper/split/splitter.h"
#include "sim/base/checked.h"
#include "sim/base/rng.h"
#include "tests/support/draws.h"
#include "tests/support/evaluate_design.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine, a block and a space around them; nothing here comes from a file but the machine. */
struct fixture {
	struct machine machine;
	struct block block;
	struct space space;
	struct space_limit limit[2];
	struct layer_choice choice;
	struct layer_problem layer;
};

static void init_fixture(struct fixture *f, const char *machine, uint32_t sram_byte)
{
	char path[128];
	memset(f, 0, sizeof(*f));
	(void)snprintf(path, sizeof(path), "spaces/machines/%s.yaml", machine);
	assert_int_equal(machine_read(path, &f->machine, NULL), ERR_OK);
	f->machine.pe_sram_byte = sram_byte;
	f->space.objective[0] = METRIC_LATENCY;
	f->space.objective[1] = METRIC_ENERGY;
	f->space.n_objective = 2;
	f->space.limit = f->limit;
	f->choice = (struct layer_choice){
	    .w.max_part = UINT32_MAX,
	    .h.max_part = UINT32_MAX,
	    .c.max_part = UINT32_MAX,
	    .d.max_part = UINT32_MAX,
	    .level_mask = UINT32_MAX,
	    .operand_8bit = true,
	    .form = {[FORM_CONV] = true},
	};
	for (size_t i = 0; i < N_PE_STRATEGY; i++)
		f->choice.strategy[i] = true;
	f->choice.reuse[REUSE_AUTO] = true;
}

static void set_conv(struct fixture *f, uint32_t extent, uint32_t in_c, uint32_t out_c, uint32_t pool)
{
	f->block = (struct block){
	    .name = "CONV_1",
	    .kind = BLOCK_CONV,
	    .number = 1,
	    .in_w = extent,
	    .in_h = extent,
	    .in_c = in_c,
	    .out_w = extent,
	    .out_h = extent,
	    .out_c = out_c,
	    .pad_left = 1,
	    .pad_right = 1,
	    .pad_top = 1,
	    .pad_bottom = 1,
	    .kernel_w = 3,
	    .kernel_h = 3,
	    .stride = 1,
	    .pool = pool,
	    .pool_number = pool > 1 ? 2 : 0,
	    .has_padd = true,
	    .has_acti = true,
	    .has_quan = true,
	};
}

static void set_pool(struct fixture *f, uint32_t extent, uint32_t channels)
{
	f->block = (struct block){
	    .name = "POOL_1",
	    .kind = BLOCK_POOL,
	    .number = 1,
	    .in_w = extent * 2,
	    .in_h = extent * 2,
	    .in_c = channels,
	    .out_w = extent,
	    .out_h = extent,
	    .out_c = channels,
	    .kernel_w = 2,
	    .kernel_h = 2,
	    .stride = 2,
	    .pool = 1,
	};
}

static void set_matmul(struct fixture *f, uint32_t in_w, uint32_t out_w, uint32_t batch)
{
	f->block = (struct block){
	    .name = "FC_1",
	    .kind = BLOCK_MATMUL,
	    .number = 1,
	    .in_w = in_w,
	    .in_h = batch,
	    .in_c = 1,
	    .out_w = out_w,
	    .out_h = batch,
	    .out_c = 1,
	    .kernel_w = 1,
	    .kernel_h = 1,
	    .stride = 1,
	    .pool = 1,
	    .has_acti = true,
	    .has_quan = true,
	};
}

static void build(struct fixture *f)
{
	struct err err = {0};
	enum err_code code = layer_problem_build(&f->space, &f->machine, &f->block, &f->choice, NULL, &f->layer, &err);
	if (code != ERR_OK)
		print_error("%s", err_text(&err));
	assert_int_equal(code, ERR_OK);
	err_clear(&err);
}

/* Genome of a candidate's number; the last gene varies fastest. */
static void genome_of(const struct layer_problem *layer, uint64_t number, uint32_t genome[N_LAYER_GENE])
{
	for (size_t i = N_LAYER_GENE; i-- > 0;) {
		genome[i] = (uint32_t)(number % layer->n_value[i]);
		number /= layer->n_value[i];
	}
}

static struct evaluation *evaluate_all(const struct layer_problem *layer, uint64_t *n)
{
	uint32_t genome[N_LAYER_GENE];
	*n = problem_size(&layer->problem);
	struct evaluation *result = calloc(*n, sizeof(*result));
	assert_non_null(result);
	for (uint64_t i = 0; i < *n; i++) {
		genome_of(layer, i, genome);
		layer->problem.evaluate(layer->problem.context, genome, 1, &result[i]);
	}
	return result;
}

static void test_layer_problem_genomes_are_distinct_legal_designs(void **state)
{
	(void)state;
	struct fixture f;
	init_fixture(&f, "dvfs_chip", 98304);
	set_conv(&f, 8, 3, 8, 2);
	f.choice.d.choice = SPLIT_WHOLE;
	f.choice.operand_16bit = true;
	f.choice.reuse[REUSE_IFMAP] = true;
	build(&f);
	const struct layer_problem *layer = &f.layer;
	uint64_t n = problem_size(&layer->problem);
	assert_true(n > 1000);
	struct layer_design *design = calloc(n, sizeof(*design));
	assert_non_null(design);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t genome[N_LAYER_GENE];
		genome_of(layer, i, genome);
		layer_problem_design(layer, genome, &design[i]);
		assert_int_equal(split_check(&f.block, &design[i].split, NULL), ERR_OK);
		assert_true(design[i].level < f.machine.n_level);
		assert_true(design[i].operand_bit == 8 || design[i].operand_bit == 16);
		/* neighbours in number differ; so do all, as each gene's values do (below) */
		assert_true(i == 0 || memcmp(&design[i], &design[i - 1], sizeof(*design)) != 0);
	}
	free(design);
	for (size_t i = 0; i < layer->w.n; i++)
		for (size_t k = 0; k < i; k++)
			assert_memory_not_equal(&layer->w.choice[i], &layer->w.choice[k], sizeof(*layer->w.choice));
	layer_problem_free(&f.layer);
}

static void test_layer_problem_counts_what_could_be_enumerated(void **state)
{
	(void)state;
	struct fixture f;
	init_fixture(&f, "thesis_qpe_dram", 98304);
	set_conv(&f, 12, 4, 10, 2);
	build(&f);
	uint64_t n_split =
	    dim_n_legal(12, 2, 12) * dim_n_legal(12, 2, 12) * dim_n_legal(10, 1, 10) * dim_n_legal(4, 1, 4);
	assert_int_equal(f.layer.n_legal, n_split * N_PE_STRATEGY);
	/* there is one place and one operating point */
	assert_int_equal(problem_size(&f.layer.problem), f.layer.n_legal);
	assert_int_equal(f.layer.n_value[GENE_PLACE], 1);
	layer_problem_free(&f.layer);

	init_fixture(&f, "dvfs_chip", 98304);
	set_conv(&f, 12, 4, 10, 2);
	build(&f);
	assert_int_equal(f.layer.n_legal, n_split * N_PE_STRATEGY * 4 * 2);
	assert_int_equal(problem_size(&f.layer.problem), f.layer.n_legal);
	layer_problem_free(&f.layer);

	/* a genetic engine gets the reduced lists on a chip */
	f.space.engine = engine_nsga2.name;
	build(&f);
	assert_int_equal(f.layer.n_legal, n_split * N_PE_STRATEGY * 4 * 2);
	assert_true(problem_size(&f.layer.problem) < f.layer.n_legal);
	layer_problem_free(&f.layer);
}

static void test_layer_problem_places_follow_residency(void **state)
{
	(void)state;
	struct fixture f;
	init_fixture(&f, "dvfs_chip", 98304);
	set_conv(&f, 8, 3, 8, 1);
	f.choice.w.choice = f.choice.h.choice = f.choice.c.choice = f.choice.d.choice = SPLIT_WHOLE;
	build(&f);
	assert_int_equal(f.layer.n_value[GENE_PLACE], 4);
	layer_problem_free(&f.layer);

	f.block.input = INPUT_DRAM;
	build(&f);
	assert_true(f.layer.n_value[GENE_PLACE] == 2 && f.layer.place[0] == 0 && f.layer.place[1] == 2);
	layer_problem_free(&f.layer);

	f.block.result_to_dram = true;
	build(&f);
	assert_int_equal(f.layer.n_value[GENE_PLACE], 1);
	layer_problem_free(&f.layer);

	f.block.input = INPUT_LATEST;
	build(&f);
	assert_true(f.layer.n_value[GENE_PLACE] == 2 && f.layer.place[1] == 1);
	layer_problem_free(&f.layer);

	/* no strategy that reads from storage */
	memset(f.choice.strategy, 0, sizeof(f.choice.strategy));
	f.choice.strategy[STRATEGY_NO_FUSION] = true;
	build(&f);
	assert_int_equal(f.layer.n_value[GENE_PLACE], 1);
	layer_problem_free(&f.layer);

	/* a result no storage QPE could hold */
	init_fixture(&f, "dvfs_chip", 98304);
	set_conv(&f, 256, 3, 64, 1);
	f.choice.w.choice = f.choice.h.choice = f.choice.c.choice = f.choice.d.choice = SPLIT_EVEN;
	build(&f);
	assert_true(f.layer.n_value[GENE_PLACE] == 2 && f.layer.place[1] == 1);
	layer_problem_free(&f.layer);
}

static void test_layer_problem_evaluates_the_one_road(void **state)
{
	(void)state;
	struct fixture f;
	init_fixture(&f, "dvfs_chip", 98304);
	set_conv(&f, 6, 8, 8, 1);
	f.choice.d.choice = SPLIT_WHOLE;
	build(&f);
	uint64_t n, n_feasible = 0;
	struct evaluation *result = evaluate_all(&f.layer, &n);
	assert_int_equal(f.layer.problem.n_objective, 2);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t genome[N_LAYER_GENE];
		struct layer_design design;
		struct sim_result sim;
		struct verdict verdict;
		double metric[N_METRIC];
		genome_of(&f.layer, i, genome);
		layer_problem_design(&f.layer, genome, &design);
		bool ran = evaluate_design(&f.layer.context[0], &design, &sim, metric, &verdict);
		assert_true(ran == (result[i].violation == 0));
		if (!ran) {
			assert_int_equal(result[i].reason, verdict.reason);
			assert_true(result[i].n_cut > 0 && result[i].n_cut <= GENE_C + 1);
			continue;
		}
		n_feasible++;
		assert_true(result[i].objective[0] == metric[METRIC_LATENCY]);
		assert_true(result[i].objective[1] == metric[METRIC_ENERGY]);
	}
	assert_true(n_feasible > 0);
	free(result);
	layer_problem_free(&f.layer);
}

/* What does not fit is worse by as much as it lacks, what no memory could help by very much. */
static void test_layer_problem_what_lacks_memory_says_how_much(void **state)
{
	(void)state;
	uint64_t n_short = 0, n_hopeless = 0;
	for (uint32_t sram_byte = 64; sram_byte <= 4096; sram_byte *= draws_all() ? 4 : 16) {
		struct fixture f;
		uint64_t n;
		init_fixture(&f, "dvfs_chip", sram_byte);
		set_conv(&f, 6, 6, 8, 1);
		build(&f);
		struct evaluation *result = evaluate_all(&f.layer, &n);
		for (uint64_t i = 0; i < n; i++) {
			uint32_t genome[N_LAYER_GENE];
			struct layer_design design;
			struct sim_result sim;
			struct verdict verdict;
			double metric[N_METRIC];
			genome_of(&f.layer, i, genome);
			layer_problem_design(&f.layer, genome, &design);
			if (evaluate_design(layer_context_of(&f.layer, &design), &design, &sim, metric, &verdict))
				continue;
			bool is_short = verdict.available > 0 && verdict.demanded > verdict.available;
			double lack = (double)verdict.demanded / (double)verdict.available - 1;
			assert_true(is_short ? result[i].violation == lack : result[i].violation > 1e8);
			n_short += is_short;
			n_hopeless += !is_short;
		}
		free(result);
		layer_problem_free(&f.layer);
	}
	assert_true(n_short > 1000 && n_hopeless > 1000);
}

/*
 * Brute force: for every cut, no candidate with the same first genes is
 * feasible. For each range of candidates that agree in k genes we know whether
 * any is feasible; seen[k] counts the cuts of each kind.
 */
static void assert_cuts_are_right(struct fixture *f, uint64_t seen[N_LAYER_GENE + 1])
{
	build(f);
	const struct layer_problem *layer = &f->layer;
	uint64_t n, span[N_LAYER_GENE + 1];
	struct evaluation *result = evaluate_all(layer, &n);
	span[N_LAYER_GENE] = 1;
	for (size_t k = N_LAYER_GENE; k-- > 0;)
		span[k] = span[k + 1] * layer->n_value[k];
	assert_int_equal(span[0], n);

	for (size_t k = 1; k <= N_LAYER_GENE; k++) {
		for (uint64_t begin = 0; begin < n; begin += span[k]) {
			bool cut = false, feasible = false;
			for (uint64_t i = begin; i < begin + span[k]; i++) {
				bool same = result[i].violation > 0 && result[i].n_cut == k;
				seen[k] += same;
				cut |= same;
				feasible |= !(result[i].violation > 0);
			}
			if (cut && feasible)
				print_error("%s: a cut at %zu genes hides a feasible design\n", f->block.name, k);
			assert_false(cut && feasible);
		}
	}
	free(result);
	layer_problem_free(&f->layer);
}

static void test_layer_problem_cuts_hide_no_feasible_design(void **state)
{
	(void)state;
	static const char *const machine[] = {"dvfs_chip", "thesis_qpe_dram"};
	uint64_t seen[N_LAYER_GENE + 1] = {0};
	const uint32_t n_sram = draws_all() ? 4 : 1;
	for (size_t m = 0; m < 2; m++) {
		/* one of four sizes of SRAM in a sample, another for each machine */
		for (uint32_t i = 0; i < n_sram; i++) {
			const uint32_t sram = 1024U << (i * 4 / n_sram + m) % 4;
			struct fixture f;
			init_fixture(&f, machine[m], sram);
			f.choice.reuse[REUSE_FILTER] = true;
			f.choice.operand_16bit = true;
			f.choice.level_mask = 1;
			f.choice.w.choice = SPLIT_EVEN;
			set_conv(&f, 6, 9, 12, 1);
			f.choice.d.choice = SPLIT_EVEN;
			assert_cuts_are_right(&f, seen);
			set_conv(&f, 8, 12, 5, 2);
			assert_cuts_are_right(&f, seen);
			set_pool(&f, 6, 12);
			assert_cuts_are_right(&f, seen);
			set_matmul(&f, 16, 24, 3);
			assert_cuts_are_right(&f, seen);
			f.limit[0] = (struct space_limit){.metric = METRIC_SRAM_USED, .max = 0.7};
			f.space.n_limit = 1;
			set_conv(&f, 6, 9, 12, 1);
			assert_cuts_are_right(&f, seen);
		}
	}
	/* every kind of cut was seen, or nothing was tested */
	static const enum layer_gene kind[] = {GENE_STRATEGY, GENE_REUSE, GENE_D, GENE_W, GENE_H, GENE_C};
	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++)
		assert_true(seen[kind[i] + 1] > 0);
}

static void test_layer_problem_limits_are_violations_with_a_reason(void **state)
{
	(void)state;
	struct fixture f;
	init_fixture(&f, "dvfs_chip", 98304);
	set_conv(&f, 8, 16, 16, 1);
	f.choice.w.choice = f.choice.h.choice = f.choice.c.choice = SPLIT_EVEN;
	f.choice.d.choice = SPLIT_WHOLE;
	build(&f);
	uint64_t n;
	struct evaluation *free_result = evaluate_all(&f.layer, &n);
	layer_problem_free(&f.layer);
	double least = INFINITY, most = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (free_result[i].violation > 0)
			continue;
		least = fmin(least, free_result[i].objective[0]);
		most = fmax(most, free_result[i].objective[0]);
	}
	assert_true(least < most);

	f.limit[0] = (struct space_limit){.metric = METRIC_LATENCY, .max = (least + most) / 2};
	f.limit[1] = (struct space_limit){.metric = METRIC_SRAM_USED, .max = 0.02};
	f.space.n_limit = 2;
	build(&f);
	assert_int_equal(f.layer.n_metric, 2); /* the worst layer's metric needs no place in fronts */
	struct evaluation *result = evaluate_all(&f.layer, &n);
	uint64_t n_late = 0, n_full = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (result[i].violation == 0) {
			assert_true(free_result[i].violation == 0 && free_result[i].objective[0] <= f.limit[0].max);
			continue;
		}
		bool late = result[i].reason == N_VERDICT + METRIC_LATENCY;
		n_late += late;
		n_full += result[i].reason == N_VERDICT + METRIC_SRAM_USED;
		if (late)
			assert_true(fabs(result[i].violation -
			                 (free_result[i].objective[0] / space_limit_most(&f.limit[0]) - 1)) < 1e-9);
	}
	assert_true(n_late > 0 && n_full > 0);
	free(free_result);
	free(result);
	layer_problem_free(&f.layer);
}

static void test_layer_problem_metrics_follow_objectives_and_limits(void **state)
{
	(void)state;
	struct fixture f;
	init_fixture(&f, "dvfs_chip", 98304);
	set_conv(&f, 4, 2, 2, 1);
	f.choice.w.choice = f.choice.h.choice = f.choice.c.choice = f.choice.d.choice = SPLIT_WHOLE;

	f.space.objective[0] = METRIC_EDP;
	f.space.n_objective = 1;
	build(&f);
	assert_true(f.layer.n_metric == 2 && f.layer.metric[0] == METRIC_LATENCY && f.layer.metric[1] == METRIC_ENERGY);
	layer_problem_free(&f.layer);

	f.space.objective[0] = METRIC_MAC_UNITS;
	build(&f);
	assert_true(f.layer.n_metric == 1 && f.layer.metric[0] == METRIC_LATENCY && isinf(f.layer.limit[0]));
	layer_problem_free(&f.layer);

	f.space.objective[1] = METRIC_PEAK_POWER;
	f.space.n_objective = 2;
	f.limit[0] = (struct space_limit){.metric = METRIC_PEAK_POWER, .max = 5};
	f.limit[1] = (struct space_limit){.metric = METRIC_DRAM, .max = 1000};
	f.space.n_limit = 2;
	build(&f);
	assert_true(f.layer.n_metric == 2 && f.layer.metric[0] == METRIC_DRAM &&
	            f.layer.metric[1] == METRIC_PEAK_POWER);
	assert_true(f.layer.limit[0] == space_limit_most(&f.limit[1]) &&
	            f.layer.limit[1] == space_limit_most(&f.limit[0]) && isinf(f.layer.layer_limit[METRIC_PEAK_POWER]));
	layer_problem_free(&f.layer);
}

static void test_layer_problem_thesis_and_fixed_splits(void **state)
{
	(void)state;
	struct fixture f;
	init_fixture(&f, "thesis_qpe_dram", 98304);
	set_conv(&f, 56, 64, 64, 1);
	f.choice.thesis_split = true;
	build(&f);
	struct split split;
	assert_int_equal(splitter_thesis(&f.block, &f.machine, &split, NULL), ERR_OK);
	assert_true(f.layer.w.n == 1 && f.layer.h.n == 1 && f.layer.c.n == 1 && f.layer.d.n == 1);
	assert_memory_equal(&f.layer.h.choice[0], &split.h, sizeof(split.h));
	layer_problem_free(&f.layer);

	static const struct dim_split fixed[] = {{56, 1, 0, 0}, {20, 2, 16, 1}};
	f.choice.thesis_split = false;
	f.choice.w.fixed = fixed;
	f.choice.w.n_fixed = 2;
	f.choice.h.choice = f.choice.c.choice = f.choice.d.choice = SPLIT_WHOLE;
	build(&f);
	assert_int_equal(f.layer.n_value[GENE_W], 2);
	assert_memory_equal(&f.layer.w.choice[1], &fixed[1], sizeof(fixed[1]));
	layer_problem_free(&f.layer);

	/* no split of the thesis' rules fits: found infeasible, not an error */
	f.machine.pe_sram_byte = 64;
	f.choice.thesis_split = true;
	f.choice.w.n_fixed = 0;
	set_conv(&f, 56, 512, 64, 1);
	assert_int_equal(splitter_thesis(&f.block, &f.machine, &split, NULL), ERR_INFEASIBLE);
	build(&f);
	uint64_t n;
	struct evaluation *result = evaluate_all(&f.layer, &n);
	for (uint64_t i = 0; i < n; i++)
		assert_true(result[i].violation > 0);
	free(result);
	layer_problem_free(&f.layer);
}

/* How much a front loses at worst: the factor by which the nearest point of `found` is larger than a point of `all`. */
static double front_loss(const struct evaluation *found, uint64_t n_found, const struct evaluation *all, uint64_t n_all)
{
	double worst = 1;
	for (uint64_t i = 0; i < n_all; i++) {
		double best = INFINITY;
		for (uint64_t k = 0; k < n_found && all[i].violation == 0; k++) {
			if (found[k].violation > 0)
				continue;
			double ratio = fmax(found[k].objective[0] / all[i].objective[0],
			                    found[k].objective[1] / all[i].objective[1]);
			best = fmin(best, ratio);
		}
		if (all[i].violation == 0)
			worst = fmax(worst, best);
	}
	return worst - 1;
}

/* Only nondominated points are needed to measure the loss. */
static uint64_t keep_front(struct evaluation *all, uint64_t n)
{
	uint64_t n_kept = 0;
	for (uint64_t i = 0; i < n; i++) {
		bool dominated = all[i].violation > 0;
		for (uint64_t k = 0; k < n_kept && !dominated; k++)
			dominated =
			    all[k].objective[0] <= all[i].objective[0] && all[k].objective[1] <= all[i].objective[1];
		if (dominated)
			continue;
		struct evaluation added = all[i];
		uint64_t n_left = 0;
		for (uint64_t k = 0; k < n_kept; k++) {
			if (all[k].objective[0] < added.objective[0] || all[k].objective[1] < added.objective[1])
				all[n_left++] = all[k];
		}
		all[n_left] = added;
		n_kept = n_left + 1;
	}
	return n_kept;
}

/* Loss of the front with one strategy when splits are chosen so instead of all of them being tried. */
static double choice_loss(struct fixture *f, enum split_choice which)
{
	uint64_t n, n_all;
	f->choice.w.choice = f->choice.h.choice = f->choice.c.choice = which;
	build(f);
	struct evaluation *found = evaluate_all(&f->layer, &n);
	n = keep_front(found, n);
	layer_problem_free(&f->layer);

	/* the chip's `all` is reduced: list every legal split instead */
	struct arena arena = {0};
	struct dim_axis w, h, c;
	assert_int_equal(dim_axis_build(f->block.out_w, f->block.pool, 1, UINT32_MAX, SPLIT_ALL, &arena, &w, NULL),
	                 ERR_OK);
	assert_int_equal(dim_axis_build(f->block.out_h, f->block.pool, 1, UINT32_MAX, SPLIT_ALL, &arena, &h, NULL),
	                 ERR_OK);
	assert_int_equal(dim_axis_build(f->block.out_c, 1, 1, UINT32_MAX, SPLIT_ALL, &arena, &c, NULL), ERR_OK);
	f->choice.w.fixed = w.choice, f->choice.w.n_fixed = w.n;
	f->choice.h.fixed = h.choice, f->choice.h.n_fixed = h.n;
	f->choice.c.fixed = c.choice, f->choice.c.n_fixed = c.n;
	build(f);
	struct evaluation *all = evaluate_all(&f->layer, &n_all);
	n_all = keep_front(all, n_all);
	double loss = front_loss(found, n, all, n_all);
	layer_problem_free(&f->layer);
	f->choice.w.n_fixed = f->choice.h.n_fixed = f->choice.c.n_fixed = 0;
	arena_free(&arena);
	free(found);
	free(all);
	return loss;
}

/* What the README says the shorter lists of splits cost, measured on layers small enough to try everything. */
static void test_layer_problem_shorter_lists_lose_little(void **state)
{
	(void)state;
	static const uint32_t shape[][4] = {
	    {7, 8, 20, 1}, {12, 8, 24, 1}, {18, 6, 10, 1}, {24, 4, 8, 2}, {14, 8, 16, 1}};
	double reduced = 0;
	const size_t n_shape = draws_all() ? sizeof(shape) / sizeof(shape[0]) : 1;
	for (size_t i = 0; i < n_shape; i++) {
		for (size_t strategy = 0; strategy <= STRATEGY_FUSION_REUSE; strategy++) {
			struct fixture f;
			init_fixture(&f, "dvfs_chip", 98304);
			set_conv(&f, shape[i][0], shape[i][1], shape[i][2], shape[i][3]);
			f.choice.level_mask = 1;
			f.choice.d.choice = SPLIT_WHOLE;
			memset(f.choice.strategy, 0, sizeof(f.choice.strategy));
			f.choice.strategy[strategy] = true;
			reduced = fmax(reduced, choice_loss(&f, SPLIT_ALL));
		}
	}
	print_message("loss of the front by reduced lists: %.2f %%\n", 100 * reduced);
	assert_true(reduced <= 0.01);
}

/* Only the places that the layer has are looked at, not what the list had before it was cut. */
static void test_layer_problem_has_the_places_of_its_list(void **state)
{
	(void)state;
	struct layer_problem layer = {.n_value = {0}};
	layer.place[1] = PLACE_RESULT;
	layer.n_value[GENE_PLACE] = 1;
	assert_false(layer_has_place(&layer, PLACE_RESULT));
	layer.n_value[GENE_PLACE] = 2;
	assert_true(layer_has_place(&layer, PLACE_RESULT));
}

/* A design that fits the SRAM to the byte is left as it is; one byte less, and it is cut, if it can be. */
static void test_layer_problem_repair_cuts_what_does_not_fit(void **state)
{
	(void)state;
	struct fixture f;
	uint32_t n_cut = 0;
	for (uint32_t i = 0; i < 100; i++) {
		struct rng rng = rng_stream(41, i, 0);
		struct layer_design design;
		uint32_t genome[N_LAYER_GENE], repaired[N_LAYER_GENE];
		init_fixture(&f, "dvfs_chip", 1 << 24);
		set_conv(&f, 8 + 8 * rng_below(&rng, 3), 4 + rng_below(&rng, 30), 8 + rng_below(&rng, 60), 1);
		build(&f);
		for (size_t k = 0; k < N_LAYER_GENE; k++)
			genome[k] = rng_below(&rng, f.layer.n_value[k]);
		layer_problem_design(&f.layer, genome, &design);
		uint64_t need_byte = mapper_sram_byte(layer_context_of(&f.layer, &design), &design);
		layer_problem_free(&f.layer);
		for (uint32_t less = 0; less < 2; less++) {
			f.machine.pe_sram_byte = (uint32_t)need_byte - less;
			build(&f);
			memcpy(repaired, genome, sizeof(genome));
			layer_problem_repair(&f.layer, &rng, repaired);
			bool is_same = memcmp(repaired, genome, sizeof(genome)) == 0;
			if (less == 0)
				assert_true(is_same);
			n_cut += !is_same;
			layer_problem_free(&f.layer);
		}
	}
	assert_true(n_cut > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_layer_problem_genomes_are_distinct_legal_designs),
	    cmocka_unit_test(test_layer_problem_counts_what_could_be_enumerated),
	    cmocka_unit_test(test_layer_problem_places_follow_residency),
	    cmocka_unit_test(test_layer_problem_evaluates_the_one_road),
	    cmocka_unit_test(test_layer_problem_what_lacks_memory_says_how_much),
	    cmocka_unit_test(test_layer_problem_cuts_hide_no_feasible_design),
	    cmocka_unit_test(test_layer_problem_limits_are_violations_with_a_reason),
	    cmocka_unit_test(test_layer_problem_metrics_follow_objectives_and_limits),
	    cmocka_unit_test(test_layer_problem_thesis_and_fixed_splits),
	    cmocka_unit_test(test_layer_problem_shorter_lists_lose_little),
	    cmocka_unit_test(test_layer_problem_repair_cuts_what_does_not_fit),
	    cmocka_unit_test(test_layer_problem_has_the_places_of_its_list),
	};
	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
