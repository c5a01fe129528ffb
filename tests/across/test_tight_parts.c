/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tight parts of strided convolutions (FORM_TIGHT): against what convolution's definition needs, on data bit for bit,
 * in both tiers, in bounds and in searches.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "dse/layer/front_key.h"
#include "dse/space/detail.h"
#include "dse/space/machine_read.h"
#include "mapper/distribute/tiling.h"
#include "mapper/prove/prove.h"
#include "mapper/unfold/unfold.h"
#include "tests/support/branch_compare.h"
#include "tests/support/draws.h"
#include "tests/support/evaluate_design.h"
#include "tests/support/random_design.h"
#include <stdlib.h>

#define MAX_SPACE 40000
#define MAX_MAC 2000000u

static const char *const machine_path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml",
                                           "spaces/machines/dvfs_chip.yaml", "spaces/machines/hdl_qpe.yaml"};
#define N_MACHINE 4

/* A pool of one thread: a loop. */
static void run_serially(const struct prove_pool *pool, size_t n, void (*work)(void *context, size_t i), void *context)
{
	(void)pool;
	for (size_t i = 0; i < n; i++)
		work(context, i);
}

static const struct prove_pool prove_serial = {run_serially, 1};

static struct machine get_machine(const char *path)
{
	struct machine machine;
	struct err err = {0};
	if (machine_read(path, &machine, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return machine;
}

/* Strides of 2 to 4; kernels of up to 5, half of them 1x1; some with gaps, padding, pixels left over, groups, images.
 */
static struct block strided(struct rng *rng, uint32_t max_w, uint32_t max_c)
{
	struct block block = {.name = "CONV_1", .kind = BLOCK_CONV, .pool = 1, .stride = random_from(rng, 2, 4)};
	bool is_one = rng_below(rng, 2);
	block.kernel_w = is_one ? 1 : random_from(rng, 1, 5);
	block.kernel_h = is_one ? 1 : random_from(rng, 1, 5);
	block.dilation = rng_below(rng, 6) ? 1 : 2;
	block.out_w = random_from(rng, 1, max_w);
	block.out_h = random_from(rng, 1, max_w);
	if (rng_below(rng, 6) == 0) {
		block.pool = 2;
		block.out_w += block.out_w % 2;
		block.out_h += block.out_h % 2;
	}
	uint32_t padded_w = (block.out_w - 1) * block.stride + block_reach_w(&block) + rng_below(rng, block.stride);
	uint32_t padded_h = (block.out_h - 1) * block.stride + block_reach_h(&block) + rng_below(rng, block.stride);
	if (!is_one && rng_below(rng, 2)) {
		block.pad_left = padded_w > 2 ? 1 : 0;
		block.pad_top = padded_h > 2 ? 1 : 0;
	}
	block.in_w = padded_w - block.pad_left;
	block.in_h = padded_h - block.pad_top;
	block.has_padd = block.pad_left > 0 || block.pad_top > 0;
	block.in_c = random_from(rng, 1, max_c);
	block.out_c = random_from(rng, 1, max_c);
	block.has_acti = block.has_quan = true;
	block.has_mat_ele = rng_below(rng, 8) == 0;
	random_groups(rng, &block, max_c);
	random_batch(rng, &block);
	return block;
}

/* Pixels of the padded ifmap, along one side, from the first to the last that some tap of these outputs reads. */
static uint32_t needed(uint32_t first_out, uint32_t n_out, uint32_t kernel, uint32_t dilation, uint32_t stride)
{
	uint32_t least = UINT32_MAX, most = 0;
	for (uint32_t out = first_out; out < first_out + n_out; out++)
		for (uint32_t tap = 0; tap < kernel; tap++) {
			uint32_t at = out * stride + tap * dilation;
			least = at < least ? at : least;
			most = at > most ? at : most;
		}
	return most - least + 1;
}

static void test_tight_parts_hold_what_outputs_need(void **state)
{
	(void)state;
	unsigned n_skip = 0;
	for (uint32_t i = 0; i < 600; i++) {
		struct rng rng = rng_stream(1, 0, i);
		struct block block = strided(&rng, 12, 4);
		uint32_t dilation = block_dilation(&block);
		bool differs = false;
		for (uint32_t n = 1; n <= block.out_w; n++) {
			for (uint32_t first = 0; first + n <= block.out_w; first++)
				assert_int_equal(split_tight_in_w(&block, n),
				                 needed(first, n, block.kernel_w, dilation, block.stride));
			assert_true(split_tight_in_w(&block, n) <= split_part_in_w(&block, n));
			differs |= split_tight_in_w(&block, n) < split_part_in_w(&block, n);
		}
		for (uint32_t n = 1; n <= block.out_h; n++) {
			for (uint32_t first = 0; first + n <= block.out_h; first++)
				assert_int_equal(split_tight_in_h(&block, n),
				                 needed(first, n, block.kernel_h, dilation, block.stride));
			assert_true(split_tight_in_h(&block, n) <= split_part_in_h(&block, n));
			differs |= split_tight_in_h(&block, n) < split_part_in_h(&block, n);
		}
		assert_int_equal(block_skips_pixels(&block), differs);
		n_skip += differs;
	}
	assert_true(n_skip > 200 && n_skip < 600);
}

static void test_tight_forms_of_blocks(void **state)
{
	static const bool none[N_CONV_FORM] = {false}, tight[N_CONV_FORM] = {[FORM_TIGHT] = true},
			  packed[N_CONV_FORM] = {[FORM_PACKED] = true};
	(void)state;
	struct rng rng = rng_stream(2, 0, 0);
	struct block block = strided(&rng, 9, 4), dense;
	block.kernel_w = block.kernel_h = block.dilation = block.groups = block.batch = 1;
	block.pad_left = block.pad_top = 0;
	block.stride = 2;
	block.out_w = block.out_h = 7;
	block.in_w = block.in_h = 14;
	dense = block;
	dense.stride = 1;
	dense.out_w = dense.out_h = 14;
	assert_true(block_skips_pixels(&block) && !block_skips_pixels(&dense));
	/* of a block that skips nothing a tight part is what it is without */
	assert_true(block_allows_form(&block, tight, FORM_TIGHT) && !block_allows_form(&block, tight, FORM_CONV));
	assert_true(!block_allows_form(&dense, tight, FORM_TIGHT) && block_allows_form(&dense, tight, FORM_CONV));
	assert_true(block_allows_form(&block, packed, FORM_PACKED) && !block_allows_form(&block, packed, FORM_CONV));
	/* other kernels than 1x1 have no other forms, but tight parts */
	block.kernel_w = 2;
	block.stride = 3;
	block.in_w = block.in_h = 21;
	assert_true(block_allows_form(&block, packed, FORM_CONV) && !block_allows_form(&block, packed, FORM_PACKED));
	assert_true(block_allows_form(&block, tight, FORM_TIGHT) && !block_allows_form(&block, tight, FORM_CONV));
	assert_true(block_allows_form(&block, none, FORM_CONV));
	/* one output's pixels are all there are */
	block.kernel_h = 3;
	block.in_w = 2;
	block.out_w = 1;
	assert_false(block_skips_pixels(&block));
}

/* ---- designs ---- */

/* All ifmap parts of an ungrouped convolution, in whole lines of 16 bytes, part by part. */
static uint64_t needed_byte(const struct block *block, const struct split *split, uint32_t operand_byte)
{
	const struct dim_split *const dim[] = {&split->w, &split->h, &split->d};
	uint32_t n[3], dilation = block_dilation(block);
	uint64_t sum = 0;
	for (int i = 0; i < 3; i++)
		n[i] = dim_n_part(dim[i]);
	for (uint32_t part = 0; part < n[0] * n[1] * n[2]; part++) {
		const uint32_t at[] = {part % n[0], part / n[0] % n[1], part / n[0] / n[1]};
		uint32_t size[3];
		for (int i = 0; i < 3; i++)
			size[i] = at[i] < dim[i]->n_a ? dim[i]->size_a : dim[i]->size_b;
		uint64_t n_pixel = (uint64_t)needed(0, size[0], block->kernel_w, dilation, block->stride) *
		                   needed(0, size[1], block->kernel_h, dilation, block->stride);
		sum += (n_pixel * size[2] * operand_byte + 15) / 16 * 16;
	}
	return sum * block_batch(block);
}

/*
 * The design on random data, along the schedule of the event tier: the layer's own results, bit for bit. Whether a
 * column less than a part has is found, which ReLU may hide.
 */
static bool assert_exact(const struct layer_context *context, const struct layer_design *design,
                         const struct schedule *schedule, uint64_t seed)
{
	const struct block *block = context->block;
	struct prove_map weight = {1, 1, (uint32_t)block_n_weight(block), NULL}, expected = {0};
	struct prove_data data = {.ifmap = {block->in_w, block->in_h * block_batch(block), block->in_c, NULL},
	                          .added = prove_added_shape(block)};
	struct prove_result result;
	assert_int_equal(prove_random(seed, 0, &prove_serial, &data.ifmap), ERR_OK);
	if (prove_adds(block))
		assert_int_equal(prove_random(seed, 1, &prove_serial, &data.added), ERR_OK);
	assert_int_equal(prove_random(seed, 2, &prove_serial, &weight), ERR_OK);
	data.weight = weight.value;
	assert_int_equal(prove_reference(block, seed, &data, &prove_serial, &expected), ERR_OK);
	assert_int_equal(
	    prove_schedule(context, design, schedule, &data, &expected, PROVE_NO_MISTAKE, &prove_serial, &result),
	    ERR_OK);
	if (!result.is_proved) {
		print_design(context, design);
		fail_msg("%s", result.n_fault ? result.fault[0] : "values differ");
	}
	assert_int_equal(
	    prove_schedule(context, design, schedule, &data, &expected, PROVE_HALO, &prove_serial, &result), ERR_OK);
	free(data.ifmap.value);
	free(data.added.value);
	free(weight.value);
	free(expected.value);
	return !result.is_proved;
}

/* Both tiers; false where it does not run. */
static bool run_tiers(const struct layer_context *context, const struct layer_design *design, struct sim_result *fast,
                      struct sim_result *event)
{
	const struct detail_options options = {.detail = DETAIL_EVENT, .audit = true};
	struct verdict verdict;
	struct program program;
	struct err err = {0};
	if (!mapper_distribute(context, design, &program, &verdict))
		return false;
	fast_run(context->machine, &program, design->level, fast);
	if (detail_simulate(context, design, &program, &options, event, NULL, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return true;
}

/* Against the same design with the thesis' parts: nothing is more, and what is computed is the tight parts'. */
static void compare_with_full(const struct machine *machine, const struct layer_context *context,
                              const struct layer_design *design, const struct sim_result *fast,
                              const struct sim_result *event, unsigned *n_faster)
{
	struct layer_design full = *design;
	struct layer_context full_context;
	struct sim_result full_fast, full_event;
	full.form = FORM_CONV;
	mapper_prepare_form(context->block, machine, full.operand_bit, FORM_CONV, &full_context);
	if (!run_tiers(&full_context, &full, &full_fast, &full_event))
		return;
	assert_true(fast->sram_byte <= full_fast.sram_byte);
	assert_true(fast->counts.mla_clk <= full_fast.counts.mla_clk);
	assert_true(fast->counts.dram_read_byte <= full_fast.counts.dram_read_byte);
	/* where DRAM or the host hold it up, a design of jobs may be as fast, and by some clocks slower */
	if ((double)fast->total_clk > 1.01 * (double)full_fast.total_clk + 50 ||
	    (double)event->total_clk > 1.02 * (double)full_event.total_clk + 50) {
		print_design(context, design);
		fail_msg("tight %llu %llu, full %llu %llu", (unsigned long long)fast->total_clk,
		         (unsigned long long)event->total_clk, (unsigned long long)full_fast.total_clk,
		         (unsigned long long)full_event.total_clk);
	}
	*n_faster += event->total_clk < full_event.total_clk;
}

static void test_tight_designs(void **state)
{
	struct machine machine[N_MACHINE];
	unsigned n = 0, n_faster = 0, n_strategy[N_STRATEGY] = {0}, n_wide = 0, n_found = 0;
	(void)state;
	for (int i = 0; i < N_MACHINE; i++)
		machine[i] = get_machine(machine_path[i]);
	const uint32_t n_design = draws(400, 60);
	for (uint32_t i = 0; n < n_design; i++) {
		struct rng rng = rng_stream(3, 0, i);
		struct block block = strided(&rng, 15, 24);
		const struct machine *on = &machine[i % N_MACHINE];
		struct layer_design design = random_design(&rng, &block, on);
		struct layer_context context;
		struct sim_result fast, event;
		struct schedule schedule = {0};
		struct tiling tiling;
		design.form = FORM_TIGHT;
		if (design.strategy == STRATEGY_THESIS_REUSE)
			design.strategy = STRATEGY_FUSION_REUSE;
		if (!block_skips_pixels(&block) || block_n_mac(&block) > MAX_MAC)
			continue;
		mapper_prepare_form(&block, on, design.operand_bit, FORM_TIGHT, &context);
		if (!run_tiers(&context, &design, &fast, &event))
			continue;
		tiling_build(&context, &design.split, &tiling);
		if (block_n_group(&block) == 1)
			assert_int_equal(tiling.all_map_byte,
			                 needed_byte(&block, &design.split, design.operand_bit / 8));
		assert_true(fast.counts.mac == (double)block_n_mac(&block) && event.counts.mac == fast.counts.mac);
		assert_true(fabs(event.counts.dram_read_byte - fast.counts.dram_read_byte) < 0.5);
		assert_true(fabs(event.counts.dram_write_byte - fast.counts.dram_write_byte) < 0.5);
		assert_true(fabs(event.counts.mla_clk - fast.counts.mla_clk) < 0.5);
		compare_with_full(on, &context, &design, &fast, &event, &n_faster);
		assert_int_equal(mapper_unfold(&context, &design, &schedule, NULL), ERR_OK);
		n_found += assert_exact(&context, &design, &schedule, i);
		schedule_free(&schedule);
		n++;
		n_strategy[design.strategy]++;
		n_wide += block.kernel_w * block.kernel_h > 1;
	}
	print_message(
	    "%u designs: no_fusion %u, fusion %u, reuse %u; %u of other kernels than 1x1; %u faster than full\n", n,
	    n_strategy[STRATEGY_NO_FUSION], n_strategy[STRATEGY_FUSION], n_strategy[STRATEGY_FUSION_REUSE], n_wide,
	    n_faster);
	for (int i = STRATEGY_NO_FUSION; i <= STRATEGY_FUSION_REUSE; i++)
		assert_true(n_strategy[i] > n / 10);
	assert_true(n_wide > n / 10 && n_faster > n / 2);
	assert_true(n_found > n * 9 / 10);
}

/* Layers as networks have them, in parts of one size: clocks of both tiers within the limits of test_conv_forms.c. */
static void test_tight_tiers_agree(void **state)
{
	struct machine machine[3];
	double sum = 0, worst = 0;
	unsigned n = 0;
	(void)state;
	for (int i = 0; i < 3; i++)
		machine[i] = get_machine(machine_path[i]);
	const uint32_t n_design = draws(120, 20);
	for (uint32_t i = 0; n < n_design; i++) {
		struct rng rng = rng_stream(4, 0, i);
		uint32_t side = 7u << rng_below(&rng, 3), stride = random_from(&rng, 2, 3);
		struct block block = {.name = "CONV_1",
		                      .kind = BLOCK_CONV,
		                      .in_w = side * stride,
		                      .in_h = side * stride,
		                      .in_c = 64,
		                      .out_w = side,
		                      .out_h = side,
		                      .out_c = 128,
		                      .kernel_w = 1,
		                      .kernel_h = 1,
		                      .stride = stride,
		                      .pool = 1,
		                      .has_acti = true,
		                      .has_quan = true};
		struct layer_design design = {.split = split_whole(&block), .operand_bit = 8, .form = FORM_TIGHT};
		struct layer_context context;
		struct sim_result fast, event;
		design.strategy = (enum strategy)rng_below(&rng, STRATEGY_FUSION_REUSE + 1);
		uint32_t n_high = random_from(&rng, 1, side);
		while (side % n_high)
			n_high--;
		design.split.h = dim_even(side, n_high, 1);
		design.split.c = dim_even(128, 8u << rng_below(&rng, 3), 1);
		mapper_prepare_form(&block, &machine[i % 3], 8, FORM_TIGHT, &context);
		if (!run_tiers(&context, &design, &fast, &event))
			continue;
		double frac = fabs((double)fast.total_clk / (double)event.total_clk - 1);
		if (frac > 0.1) {
			print_design(&context, &design);
			fail_msg("fast %llu, event %llu", (unsigned long long)fast.total_clk,
			         (unsigned long long)event.total_clk);
		}
		sum += frac;
		worst = fmax(worst, frac);
		n++;
	}
	print_message("mean deviation %.2f %% of %u designs, largest %.2f %%\n", 100 * sum / n, n, 100 * worst);
	assert_true(sum / n < 0.025);
}

/* ---- bounds and searches ---- */

static void test_tight_bounds_are_under_designs(void **state)
{
	struct machine machine = get_machine("spaces/machines/dvfs_chip.yaml");
	unsigned n = 0;
	(void)state;
	const uint32_t n_design = draws(2000, 250);
	for (uint32_t i = 0; n < n_design; i++) {
		struct rng rng = rng_stream(5, 0, i);
		struct block block = strided(&rng, 14, 20);
		struct layer_design design = random_design(&rng, &block, &machine);
		struct layer_context context;
		struct sim_result result;
		struct verdict verdict;
		double metric[N_METRIC], latency_ns, energy_pj;
		design.form = FORM_TIGHT;
		mapper_prepare_form(&block, &machine, design.operand_bit, FORM_TIGHT, &context);
		if (!block_skips_pixels(&block) || !evaluate_design(&context, &design, &result, metric, &verdict))
			continue;
		n++;
		for (unsigned open = 0; open < 16; open++) {
			struct least_work least;
			assert_true(mapper_bound(&context, &design, open, &least));
			fast_bound(&machine, &least, design.level, &latency_ns, &energy_pj);
			double byte = least.counts.dram_read_byte + least.counts.dram_write_byte;
			double own = result.counts.dram_read_byte + result.counts.dram_write_byte;
			if (latency_ns > result.latency_ns * (1 + 1e-9) ||
			    energy_pj > result.energy.total_pj * (1 + 1e-9) || byte > own * (1 + 1e-9)) {
				print_design(&context, &design);
				fail_msg("open %u: %g ns %g pJ %g byte over %g ns %g pJ %g byte", open, latency_ns,
				         energy_pj, byte, result.latency_ns, result.energy.total_pj, own);
			}
		}
	}
}

struct search_case {
	struct space space;
	struct machine machine;
	struct block block;
	struct layer_choice choice;
};

static void random_case(struct rng *rng, struct search_case *f)
{
	static const enum metric metric[] = {METRIC_LATENCY, METRIC_ENERGY, METRIC_DRAM, METRIC_SRAM_USED};
	static const enum split_choice split[] = {SPLIT_ALL, SPLIT_ALL, SPLIT_EVEN, SPLIT_WHOLE};
	memset(f, 0, sizeof(*f));
	f->machine = get_machine(machine_path[rng_below(rng, N_MACHINE)]);
	f->machine.pe_sram_byte = UINT32_C(2048) << rng_below(rng, 6);
	f->block = strided(rng, 9, 14);
	f->space.n_objective = 1 + rng_below(rng, 3);
	for (uint32_t i = 0; i < f->space.n_objective; i++)
		f->space.objective[i] = metric[i];
	f->choice = layer_choice_any();
	for (size_t i = 0; i < N_SPLIT_DIM; i++)
		f->choice.dim[i].choice = split[rng_below(rng, 4)];
	f->choice.c.max_part = 4;
	f->choice.d.max_part = 3;
	f->choice.level_mask = 1;
	for (size_t i = 0; i < FORM_TIGHT; i++)
		f->choice.form[i] = rng_below(rng, 2);
	f->choice.form[FORM_TIGHT] = true;
}

/* The least of the first objective; infinite where nothing is feasible. Against brute force; 0: too many designs. */
static double search(const struct search_case *f, struct seen *seen, bool *has_tight)
{
	struct layer_problem layer;
	double least = INFINITY;
	assert_int_equal(layer_problem_build(&f->space, &f->machine, &f->block, &f->choice, NULL, &layer, NULL),
	                 ERR_OK);
	layer.n_value[GENE_PLACE] = 1;
	bool is_small = problem_size(&layer.problem) <= MAX_SPACE;
	for (uint32_t i = 0; i < layer.n_value[GENE_OPERAND]; i++)
		*has_tight |= layer.form[i] == FORM_TIGHT;
	if (is_small)
		compare_layer(&layer, seen, &least);
	layer_problem_free(&layer);
	return is_small ? least : 0;
}

static void test_tight_searches_equal_brute_force(void **state)
{
	const uint32_t n_space = draws(120, 20);
	struct seen seen = {0};
	unsigned n = 0, n_better = 0;
	(void)state;
	for (uint32_t i = 0; n < n_space; i++) {
		struct rng rng = rng_stream(6, 0, i);
		struct search_case f;
		bool with = false, without = false;
		random_case(&rng, &f);
		double least = search(&f, &seen, &with);
		f.choice.form[FORM_CONV] = true;
		f.choice.form[FORM_TIGHT] = false;
		if (!with || least == 0)
			continue;
		double least_full = search(&f, &seen, &without);
		assert_false(without);
		n++;
		n_better += least < least_full;
	}
	print_message("%u spaces, %u better for tight parts; %llu layers, %llu points, %llu designs, %llu evaluated\n",
	              n, n_better, (unsigned long long)seen.n_layer, (unsigned long long)seen.n_point,
	              (unsigned long long)seen.n_design, (unsigned long long)seen.n_evaluated);
	assert_true(n_better > n / 3 && seen.n_evaluated * 2 < seen.n_design);
}

/* Fronts with and without tight parts have other keys; of a layer that skips nothing the same. */
static void test_tight_parts_are_in_keys(void **state)
{
	struct search_case f;
	struct rng rng = rng_stream(6, 0, 0);
	(void)state;
	random_case(&rng, &f);
	f.machine = get_machine(machine_path[0]);
	f.block.groups = f.block.batch = f.block.dilation = 1;
	f.choice = layer_choice_any();
	assert_false(f.choice.form[FORM_TIGHT]);
	for (uint32_t stride = 1; stride <= 2; stride++) {
		struct front_key key[2];
		f.block.stride = stride;
		f.block.kernel_w = f.block.kernel_h = 1;
		f.block.in_w = f.block.out_w * stride;
		f.block.in_h = f.block.out_h * stride;
		f.block.pad_left = f.block.pad_top = 0;
		for (int i = 0; i < 2; i++) {
			struct layer_problem layer;
			f.choice.form[FORM_TIGHT] = i == 1;
			assert_int_equal(
			    layer_problem_build(&f.space, &f.machine, &f.block, &f.choice, NULL, &layer, NULL), ERR_OK);
			layer.n_value[GENE_PLACE] = 1;
			assert_true(front_key_make(&layer, &key[i]));
			layer_problem_free(&layer);
		}
		bool is_same = strcmp(key[0].hex, key[1].hex) == 0;
		assert_int_equal(is_same, stride == 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tight_parts_hold_what_outputs_need),
	    cmocka_unit_test(test_tight_forms_of_blocks),
	    cmocka_unit_test(test_tight_designs),
	    cmocka_unit_test(test_tight_tiers_agree),
	    cmocka_unit_test(test_tight_bounds_are_under_designs),
	    cmocka_unit_test(test_tight_searches_equal_brute_force),
	    cmocka_unit_test(test_tight_parts_are_in_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
