/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fast tier says of drawn designs, and its bounds of drawn boxes around them, summed up by machine and
 * strategy as tests/golden/design_figures.csv has them: no change of a model goes unseen, and how far it moves what is
 * a number. Whether the figures are right other tests say (test_tiers, test_bound); here any change is a difference.
 * `test_design_figures --record` records them anew; review the difference.
 */
#include "tests/support/unit_test.h"

#include "tests/support/branch_compare.h"
#include "tests/support/evaluate_design.h"
#include "tests/support/random_layer.h"
#include "tests/support/random_systolic_block.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PATH "tests/golden/design_figures.csv"
#define CLOSE_FRAC 1e-10 /* sums are recorded with twelve digits */

enum { N_LAYER = 1600, N_DRAW = 8, MAX_LINE = 1024 };
enum target { TARGET_CHIP, TARGET_QPE, TARGET_ARRAY, N_TARGET };
static const char *const target_name[] = {"chip", "QPE", "array"};

enum figure {
	FIGURE_DESIGNS,
	FIGURE_RUNS,
	FIGURE_REASON,
	FIGURE_LACK,
	FIGURE_CLK,
	FIGURE_LABEL, /* what bounds designs, and their phases */
	FIGURE_PHASES,
	FIGURE_READ_BYTE,
	FIGURE_WRITE_BYTE,
	FIGURE_PACKET,
	FIGURE_WORD,
	FIGURE_SRAM_BYTE,
	FIGURE_PJ,
	FIGURE_PEAK_MW,
	FIGURE_BOUND_NS,
	FIGURE_BOUND_PJ,
	FIGURE_BOUND_BYTE,
	FIGURE_PROGRAM_NS,
	FIGURE_PROGRAM_PJ,
	N_FIGURE
};
static const char *const figure_name[] = {
    "designs",   "runs",       "reason",     "lack",       "clk",        "label", "phases",
    "read_byte", "write_byte", "noc_packet", "sram_word",  "sram_byte",  "pj",    "peak_mw",
    "bound_ns",  "bound_pj",   "bound_byte", "program_ns", "program_pj",
};

static double sum[N_TARGET][N_STRATEGY][N_FIGURE];

static void add_result(const struct sim_result *result, double *figure)
{
	const struct counts *counts = &result->counts;
	figure[FIGURE_RUNS]++;
	figure[FIGURE_CLK] += (double)result->total_clk;
	figure[FIGURE_LABEL] += (double)(unsigned)result->bound;
	for (unsigned i = 0; i < N_PHASE; i++) {
		/* which phase is what moved, too */
		figure[FIGURE_PHASES] += (double)(i + 1) * (double)result->phase_clk[i];
		figure[FIGURE_LABEL] += (double)(i + 1) * (result->phase_clk[i] > 0 ? result->phase_bound[i] : 0);
	}
	figure[FIGURE_READ_BYTE] += counts->dram_read_byte;
	figure[FIGURE_WRITE_BYTE] += counts->dram_write_byte;
	figure[FIGURE_PACKET] += counts->noc_packet;
	figure[FIGURE_WORD] += counts->sram_read_word + 3 * counts->sram_write_word;
	figure[FIGURE_SRAM_BYTE] += (double)result->sram_byte;
	figure[FIGURE_PJ] += result->energy.total_pj;
	figure[FIGURE_PEAK_MW] += result->peak_power_mw;
}

static void add_bound(const struct layer_context *context, const struct layer_design *design,
                      const struct range_bound *bound, double *figure)
{
	double latency_ns, energy_pj;
	struct sim_result least;
	if (bound->has_program) {
		fast_run_least(context->machine, &bound->program, design->level, &least);
		figure[FIGURE_PROGRAM_NS] += least.latency_ns;
		figure[FIGURE_PROGRAM_PJ] += least.energy.total_pj;
		return;
	}
	fast_bound(context->machine, &bound->work, design->level, &latency_ns, &energy_pj);
	figure[FIGURE_BOUND_NS] += latency_ns;
	figure[FIGURE_BOUND_PJ] += energy_pj;
	figure[FIGURE_BOUND_BYTE] += bound->work.counts.dram_read_byte + 3 * bound->work.counts.dram_write_byte;
}

/* A single split; of groups there are no others in a box. */
static struct dim_range range_of(const struct dim_split *choice, uint32_t extent)
{
	const uint32_t n = dim_n_part(choice);
	return (struct dim_range){extent, 1, n, n, choice->size_a, choice, NULL, 0};
}

static void draw_design(struct rng *rng, const struct layer_problem *layer, enum target target)
{
	uint32_t genome[N_LAYER_GENE];
	struct layer_design design;
	struct sim_result result;
	struct verdict verdict;
	double metric[N_METRIC];
	for (size_t i = 0; i < N_LAYER_GENE; i++)
		genome[i] = rng_below(rng, layer->n_value[i]);
	/* reuse has most kinds of steps */
	for (uint32_t i = 0; i < layer->n_value[GENE_STRATEGY] && rng_below(rng, 2); i++)
		if (layer->strategy[i] == STRATEGY_FUSION_REUSE)
			genome[GENE_STRATEGY] = i;
	layer_problem_design(layer, genome, &design);
	const struct layer_context *context = layer_context_of(layer, &design);
	double *figure = sum[target][design.strategy];
	figure[FIGURE_DESIGNS]++;
	if (evaluate_design(context, &design, &result, metric, &verdict)) {
		add_result(&result, figure);
	} else {
		figure[FIGURE_REASON] += (double)(unsigned)verdict.reason;
		figure[FIGURE_LACK] += (double)verdict.demanded + 3 * (double)verdict.available;
	}
	const struct split whole = split_whole(context->block);
	uint32_t step = context->block->pool;
	struct split_range range = {random_range(rng, &layer->w, genome[GENE_W], whole.w.size_a, step),
	                            random_range(rng, &layer->h, genome[GENE_H], whole.h.size_a, step),
	                            random_range(rng, &layer->c, genome[GENE_C], whole.c.size_a, 1),
	                            random_range(rng, &layer->d, genome[GENE_D], whole.d.size_a, 1)};
	if (block_n_group(context->block) > 1) {
		range.c = range_of(&layer->c.choice[genome[GENE_C]], whole.c.size_a);
		range.d = range_of(&layer->d.choice[genome[GENE_D]], whole.d.size_a);
	}
	for (int with_program = 0; with_program < 2; with_program++) {
		struct range_bound bound;
		if (mapper_bound_range(context, &design, &range, with_program, &bound, &verdict))
			add_bound(context, &design, &bound, figure);
		else
			figure[FIGURE_LACK] += (double)verdict.demanded;
	}
}

static bool draw_layer(struct rng *rng, struct random_layer *f)
{
	if (rng_below(rng, 4)) {
		random_layer_machine(rng, &f->machine);
		random_layer_block(rng, &f->block);
	} else {
		random_systolic(rng, &f->machine);
		f->block = random_systolic_block(rng, 12, 12);
		/* a last window that reaches past the ifmap, as in tables of SCALE-Sim's */
		if (f->block.kind == BLOCK_CONV && f->block.pool == 1 && rng_below(rng, 3) == 0)
			f->block.out_w += f->block.kernel_w > 1;
	}
	bool is_large = rng_below(rng, 4) == 0;
	if (is_large)
		f->block = rng_below(rng, 3) ? random_conv(rng, 64, 160) : random_matmul(rng, 700);
	/* a channel a group */
	if (rng_below(rng, 4) == 0 && f->block.kind == BLOCK_CONV)
		f->block.groups = f->block.in_c = f->block.out_c = 4 + rng_below(rng, 60);
	random_layer_space(rng, f);
	if (f->machine.target != MACHINE_SYSTOLIC)
		f->machine.pe_sram_byte *= rng_below(rng, 2) ? 1 : 4;
	f->space.detail = DETAIL_FAST;
	f->choice.w.choice = f->choice.h.choice = f->choice.c.choice = f->choice.d.choice = SPLIT_ALL;
	f->choice.w.max_part = f->choice.h.max_part = f->choice.c.max_part = 1 + rng_below(rng, is_large ? 120 : 20);
	if (is_large)
		f->choice.w.max_part = 1 + rng_below(rng, 60);
	f->choice.d.max_part = 1 + rng_below(rng, 4);
	f->choice.operand_8bit = true;
	f->choice.operand_16bit = false;
	for (size_t i = 0; i < N_STRATEGY; i++)
		f->choice.strategy[i] = true;
	f->choice.thesis_split = false;
	return layer_problem_build(&f->space, &f->machine, &f->block, &f->choice, NULL, &f->layer, &(struct err){0}) ==
	       ERR_OK;
}

static void draw_all(void)
{
	memset(sum, 0, sizeof(sum));
	for (uint32_t i = 0; i < N_LAYER; i++) {
		struct rng rng = rng_stream(33, 11, i);
		struct random_layer f;
		memset(&f, 0, sizeof(f));
		if (!draw_layer(&rng, &f))
			continue;
		enum target target = f.machine.target == MACHINE_SYSTOLIC ? TARGET_ARRAY
		                     : f.machine.target == MACHINE_CHIP   ? TARGET_CHIP
		                                                          : TARGET_QPE;
		for (int k = 0; k < N_DRAW; k++)
			draw_design(&rng, &f.layer, target);
		layer_problem_free(&f.layer);
	}
}

static void test_design_figures_record(void **state)
{
	FILE *file = fopen(PATH, "w");
	(void)state;
	assert_non_null(file);
	fputs("machine,strategy", file);
	for (int i = 0; i < N_FIGURE; i++)
		fprintf(file, ",%s", figure_name[i]);
	fputc('\n', file);
	draw_all();
	for (int t = 0; t < N_TARGET; t++)
		for (int s = 0; s < N_STRATEGY; s++) {
			if (sum[t][s][FIGURE_DESIGNS] < 1)
				continue;
			fprintf(file, "%s,%s", target_name[t], strategy_table[s].name);
			for (int i = 0; i < N_FIGURE; i++)
				fprintf(file, ",%.12g", sum[t][s][i]);
			fputc('\n', file);
		}
	assert_int_equal(fclose(file), 0);
}

static void test_design_figures_are_as_recorded(void **state)
{
	char line[MAX_LINE], label[64];
	FILE *file = fopen(PATH, "r");
	unsigned n_row = 0, n_different = 0;
	(void)state;
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	draw_all();
	for (int t = 0; t < N_TARGET; t++)
		for (int s = 0; s < N_STRATEGY; s++) {
			double *figure = sum[t][s];
			if (figure[FIGURE_DESIGNS] < 1)
				continue;
			int n = snprintf(label, sizeof(label), "%s,%s", target_name[t], strategy_table[s].name);
			assert_non_null(fgets(line, sizeof(line), file));
			assert_memory_equal(line, label, (size_t)n);
			char *at = line + n;
			for (int i = 0; i < N_FIGURE; i++) {
				double want = strtod(at + 1, &at);
				if (fabs(figure[i] - want) <= CLOSE_FRAC * fabs(want))
					continue;
				n_different++;
				print_error("%s: %s is %.12g, recorded %.12g\n", label, figure_name[i], figure[i],
				            want);
			}
			n_row++;
		}
	assert_null(fgets(line, sizeof(line), file));
	assert_int_equal(fclose(file), 0);
	assert_true(n_row > 10);
	if (n_different > 0)
		fail_msg("a model has changed: if on purpose, build/tests/test_design_figures --record");
}

int main(int n, char **argument)
{
	const struct CMUnitTest record[] = {cmocka_unit_test(test_design_figures_record)};
	const struct CMUnitTest check[] = {cmocka_unit_test(test_design_figures_are_as_recorded)};
	if (n > 1 && strcmp(argument[1], "--record") == 0)
		return cmocka_run_group_tests(record, NULL, NULL);
	return cmocka_run_group_tests(check, NULL, NULL);
}
