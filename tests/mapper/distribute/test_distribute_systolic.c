/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks on systolic arrays: programs against figures worked out by hand, what they move against what there is, why
 * designs cannot run, and what the splitter proposes against everything there is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dse/space/machine_read.h"
#include "dse/layer/layer_problem.h"
#include "mapper/split/splitter.h"
#include "sim/base/checked.h"
#include "tests/support/evaluate_design.h"
#include "tests/support/random_systolic_block.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* 4 x 4, a word a clock, buffers that hold all of the blocks below. */
static struct machine small_machine(void)
{
	struct machine machine;
	machine_init(&machine, MACHINE_SYSTOLIC);
	snprintf(machine.name, sizeof(machine.name), "small");
	machine.systolic.rows = machine.systolic.cols = 4;
	machine.systolic.ifmap_byte = machine.systolic.filter_byte = machine.systolic.ofmap_byte = 1024;
	machine.systolic.memory_gb_s = 0.5;
	machine.n_level = 1;
	machine.level[0] = (struct operating_point){.name = "f500", .vdd_v = 0.9, .clk_mhz = 500, .mla_clk_pj = 16};
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	return machine;
}

/* 6 x 6 pixels, 2 channels, 3 x 3: 4 x 4 outputs of 4 filters, 18 products each. */
static struct block small_block(void)
{
	return (struct block){.name = "CONV_1",
	                      .kind = BLOCK_CONV,
	                      .in_w = 6,
	                      .in_h = 6,
	                      .in_c = 2,
	                      .out_w = 4,
	                      .out_h = 4,
	                      .out_c = 4,
	                      .kernel_w = 3,
	                      .kernel_h = 3,
	                      .stride = 1,
	                      .pool = 1,
	                      .has_acti = true,
	                      .has_quan = true};
}

static struct layer_design whole_design(const struct block *block, enum strategy strategy)
{
	return (struct layer_design){.split = split_whole_group(block), .strategy = strategy, .operand_bit = 8};
}

static struct sim_result run(const struct machine *machine, const struct block *block,
                             const struct layer_design *design)
{
	struct layer_context context;
	struct sim_result result;
	struct verdict verdict;
	double metric[N_METRIC];
	mapper_prepare(block, machine, 8, &context);
	assert_true(evaluate_design(&context, design, &result, metric, &verdict));
	return result;
}

static void assert_run(const struct block *block, enum strategy strategy, uint64_t compute_clk, uint64_t total_clk,
                       double read_byte, double write_byte)
{
	const struct machine machine = small_machine();
	const struct layer_design design = whole_design(block, strategy);
	struct sim_result result = run(&machine, block, &design);
	assert_int_equal(result.phase_clk[PHASE_COMPUTATION], compute_clk);
	assert_int_equal(result.total_clk, total_clk);
	assert_true(result.counts.dram_read_byte == read_byte && result.counts.dram_write_byte == write_byte);
	assert_true(result.counts.mac == (double)block_n_mac(block));
}

/* Output stationary: 4 folds of 18 + 4 + 4 - 2 clocks; 72 words of each operand before, 64 results behind. */
static void test_distribute_systolic_gives_the_clocks_worked_out_by_hand(void **state)
{
	(void)state;
	struct block block = small_block();
	assert_run(&block, STRATEGY_OUTPUT_STATIONARY, 96, 144 + 96 + 64, 144, 64);
	/* 5 folds of taps, each 4 rows of weights, 16 pixels and 4 + 4 - 2 of the drain */
	assert_run(&block, STRATEGY_WEIGHT_STATIONARY, 5 * (4 + 16 + 6), 144 + 130 + 64, 144, 64);
	/* 5 folds of taps by 4 of pixels, each with 4 filters */
	assert_run(&block, STRATEGY_INPUT_STATIONARY, 20 * (4 + 4 + 6), 144 + 280 + 64, 144, 64);

	/* a result of four leaves the output path */
	block.pool = 2;
	assert_run(&block, STRATEGY_OUTPUT_STATIONARY, 96, 144 + 96 + 16, 144, 16);
	block.pool = 1;

	/* what is added is read once, in a phase of its own */
	block.has_mat_ele = true;
	assert_run(&block, STRATEGY_OUTPUT_STATIONARY, 96, 144 + 96 + 64 + 64, 208, 64);
	block.has_mat_ele = false;

	/* twice the channels and filters in two groups: the second one's operands are loaded while the first computes
	 */
	block.groups = 2;
	block.in_c = 4;
	block.out_c = 8;
	assert_run(&block, STRATEGY_OUTPUT_STATIONARY, 192, 144 + 144 + 96 + 64, 288, 128);
}

static void test_distribute_systolic_multiplies_and_pools(void **state)
{
	(void)state;
	/* 3 x 8 by 8 x 6: rows of A are pixels, columns of B filters; 2 folds of 8 + 6 clocks */
	const struct block product = {.name = "FC_1",
	                              .kind = BLOCK_MATMUL,
	                              .in_w = 8,
	                              .in_h = 3,
	                              .in_c = 1,
	                              .out_w = 6,
	                              .out_h = 3,
	                              .out_c = 1,
	                              .kernel_w = 1,
	                              .kernel_h = 1,
	                              .stride = 1,
	                              .pool = 1};
	assert_run(&product, STRATEGY_OUTPUT_STATIONARY, 28, 72 + 28 + 18, 72, 18);

	/* no array: in and out over the memory interface */
	struct block pool = small_block();
	pool.kind = BLOCK_POOL;
	pool.out_c = 2;
	const struct machine machine = small_machine();
	const struct layer_design design = whole_design(&pool, STRATEGY_OUTPUT_STATIONARY);
	struct sim_result result = run(&machine, &pool, &design);
	assert_int_equal(result.total_clk, 72 + 32);
	assert_int_equal(result.phase_clk[PHASE_POOL], 104);
	assert_true(result.counts.mla_clk == 0 && result.energy.mla_pj == 0);
}

static struct verdict judge(const struct machine *machine, const struct block *block, uint32_t operand_bit,
                            const struct layer_design *design)
{
	struct layer_context context;
	struct program program;
	struct verdict verdict;
	struct layer_design own = *design;
	own.operand_bit = operand_bit;
	mapper_prepare(block, machine, operand_bit, &context);
	assert_true(mapper_distribute(&context, &own, &program, &verdict) == (verdict.reason == VERDICT_OK));
	return verdict;
}

static void assert_refused(const struct machine *machine, const struct block *block, const struct layer_design *design,
                           enum verdict_reason reason, uint64_t demanded, uint64_t available)
{
	struct verdict verdict = judge(machine, block, 8, design);
	assert_int_equal(verdict.reason, reason);
	assert_int_equal(verdict.demanded, demanded);
	assert_int_equal(verdict.available, available);
}

static void test_distribute_systolic_says_why_not(void **state)
{
	(void)state;
	struct machine machine = small_machine();
	struct block block = small_block();
	struct layer_design design = whole_design(&block, STRATEGY_OUTPUT_STATIONARY);
	assert_refused(&machine, &block, &design, VERDICT_OK, 0, 0);
	assert_int_equal(judge(&machine, &block, 16, &design).reason, VERDICT_WORD);
	machine.systolic.word_byte = 2;
	assert_int_equal(judge(&machine, &block, 16, &design).reason, VERDICT_OK);
	machine.systolic.word_byte = 1;

	machine.systolic.dataflow = SYSTOLIC_WS;
	assert_refused(&machine, &block, &design, VERDICT_DATAFLOW, 0, 0);
	design.strategy = STRATEGY_WEIGHT_STATIONARY;
	assert_refused(&machine, &block, &design, VERDICT_OK, 0, 0);
	design.out_storage = true;
	assert_refused(&machine, &block, &design, VERDICT_NO_STORAGE, 0, 0);
	design.out_storage = false;
	design.strategy = STRATEGY_FUSION;
	assert_refused(&machine, &block, &design, VERDICT_STRATEGY, 0, 0);
	machine.systolic.dataflow = SYSTOLIC_ANY;
	design.strategy = STRATEGY_OUTPUT_STATIONARY;

	/* a whole operand may fill both halves, one of several tiles one of them */
	machine.systolic.ifmap_byte = 72;
	assert_refused(&machine, &block, &design, VERDICT_OK, 0, 0);
	machine.systolic.ifmap_byte = 71;
	assert_refused(&machine, &block, &design, VERDICT_IFMAP_BUFFER, 72, 71);
	design.split.h = (struct dim_split){2, 2, 0, 0};
	assert_refused(&machine, &block, &design, VERDICT_IFMAP_BUFFER, 48, 35);
	machine.systolic.ifmap_byte = 96;
	assert_refused(&machine, &block, &design, VERDICT_OK, 0, 0);
	machine.systolic.filter_byte = 71;
	assert_refused(&machine, &block, &design, VERDICT_FILTER_BUFFER, 72, 71);
	design.split.c = (struct dim_split){2, 2, 0, 0};
	assert_refused(&machine, &block, &design, VERDICT_FILTER_BUFFER, 36, 35);
	machine.systolic.filter_byte = 72;
	machine.systolic.ofmap_byte = 31;
	assert_refused(&machine, &block, &design, VERDICT_OFMAP_BUFFER, 16, 15);
	machine.systolic.ofmap_byte = 32;
	assert_refused(&machine, &block, &design, VERDICT_OK, 0, 0);

	struct machine chip;
	assert_int_equal(machine_read("spaces/machines/dvfs_chip.yaml", &chip, NULL), ERR_OK);
	assert_refused(&chip, &block, &design, VERDICT_STRATEGY, 0, 0);
}

/* Four tiles of pixels by four of filters: the operand whose tile stays is loaded once, the other four times. */
static void test_distribute_systolic_order_decides_what_is_loaded_again(void **state)
{
	(void)state;
	struct machine machine = small_machine();
	struct block block = small_block();
	block.in_h = 18;
	block.out_h = 16;
	struct layer_design design = whole_design(&block, STRATEGY_OUTPUT_STATIONARY);
	design.split.h = (struct dim_split){4, 4, 0, 0};
	design.split.c = (struct dim_split){1, 4, 0, 0};
	machine.systolic.ifmap_byte = 2 * 6 * 6 * 2; /* less than 6 x 18 x 2 */
	machine.systolic.filter_byte = 2 * 18;
	const double ifmap_byte = 4 * 6 * 6 * 2, filter_byte = 4 * 18;
	design.reuse = REUSE_IFMAP;
	assert_true(run(&machine, &block, &design).counts.dram_read_byte == ifmap_byte + 4 * filter_byte);
	design.reuse = REUSE_FILTER;
	assert_true(run(&machine, &block, &design).counts.dram_read_byte == 4 * ifmap_byte + filter_byte);
	design.reuse = REUSE_AUTO;
	assert_true(run(&machine, &block, &design).counts.dram_read_byte == ifmap_byte + 4 * filter_byte);
	/* with room for all filters they stay, whatever the order says */
	machine.systolic.filter_byte = 4 * 18;
	assert_true(run(&machine, &block, &design).counts.dram_read_byte == ifmap_byte + filter_byte);
	/* with room for all of the ifmap lines that tiles share are loaded once */
	machine.systolic.ifmap_byte = 6 * 18 * 2;
	assert_true(run(&machine, &block, &design).counts.dram_read_byte == 6 * 18 * 2 + filter_byte);
}

/* Every word at least once, results exactly once, and no less time than the memory needs for them. */
static void test_distribute_systolic_moves_what_there_is(void **state)
{
	(void)state;
	uint64_t n_run = 0;
	for (uint32_t i = 0; i < 20000; i++) {
		struct rng rng = rng_stream(21, 0, i);
		struct machine machine;
		struct layer_context context;
		struct sim_result result;
		struct verdict verdict;
		double metric[N_METRIC];
		random_systolic(&rng, &machine);
		machine.systolic.dataflow = SYSTOLIC_ANY;
		machine.systolic.ifmap_byte *= 16;
		machine.systolic.filter_byte *= 16;
		machine.systolic.ofmap_byte *= 16;
		struct block block = random_systolic_block(&rng, 20, 20);
		struct layer_design design = {.split = split_whole_group(&block),
		                              .strategy = (enum strategy)(N_PE_STRATEGY + rng_below(&rng, 3)),
		                              .reuse = (enum reuse_operand)rng_below(&rng, N_REUSE_OPERAND),
		                              .operand_bit = 8};
		design.split.h = random_dim(&rng, block.out_h, block.pool, 6);
		design.split.d = random_dim(&rng, (uint32_t)dim_extent(&design.split.d), 1, 6);
		if (block.kind == BLOCK_MATMUL)
			design.split.w = random_dim(&rng, block.out_w, 1, 6);
		else
			design.split.c = random_dim(&rng, (uint32_t)dim_extent(&design.split.c), 1, 6);
		mapper_prepare(&block, &machine, 8, &context);
		if (block.kind == BLOCK_POOL || !evaluate_design(&context, &design, &result, metric, &verdict))
			continue;
		n_run++;
		double word = machine.systolic.word_byte, area = (double)block.pool * block.pool;
		double outputs = (double)block.out_w * block.out_h * block.out_c;
		double added = block.has_mat_ele ? outputs : 0;
		assert_true(result.counts.mac == (double)block_n_mac(&block));
		assert_true(result.counts.dram_write_byte == outputs / area * word);
		assert_true(result.counts.dram_read_byte >= ((double)block_n_weight(&block) + added) * word);
		double byte = result.counts.dram_read_byte + result.counts.dram_write_byte;
		assert_true(result.latency_ns * (1 + 1e-9) + 1e-3 >= byte / machine.systolic.memory_gb_s);
		assert_true(result.sram_byte <= machine_sram_byte(&machine));
	}
	assert_true(n_run > 5000);
}

/* Of small layers everything is known: the splitter finds something where there is something, and nothing far off. */
static void test_splitter_systolic_is_near_the_fastest(void **state)
{
	(void)state;
	uint64_t n_found = 0, n_none = 0, n_missed = 0;
	double sum = 0, worst = 1;
	for (uint32_t i = 0; i < 300; i++) {
		struct rng rng = rng_stream(22, 0, i);
		struct machine machine;
		struct space space = {.objective = {METRIC_LATENCY}, .n_objective = 1};
		struct layer_choice choice = layer_choice_any();
		struct layer_problem layer;
		random_systolic(&rng, &machine);
		machine.systolic.dataflow = SYSTOLIC_ANY;
		machine.n_level = 1;
		struct block block = random_systolic_block(&rng, 6, 8);
		memset(choice.strategy, 0, sizeof(choice.strategy));
		enum strategy strategy = (enum strategy)(N_PE_STRATEGY + rng_below(&rng, 3));
		choice.strategy[strategy] = true;
		assert_int_equal(layer_problem_build(&space, &machine, &block, &choice, NULL, &layer, NULL), ERR_OK);
		double least_ns = INFINITY, found_ns;
		for (uint64_t number = 0; number < problem_size(&layer.problem); number++) {
			uint32_t genome[N_LAYER_GENE];
			struct evaluation result;
			uint64_t rest = number;
			for (size_t k = N_LAYER_GENE; k-- > 0; rest /= layer.n_value[k])
				genome[k] = (uint32_t)(rest % layer.n_value[k]);
			layer_problem_evaluate(&layer, genome, 1, &result);
			if (!(result.violation > 0))
				least_ns = fmin(least_ns, result.objective[0] * 1e6);
		}
		struct split split;
		bool found = splitter_systolic(&layer.context[0], strategy, 0, &split, &found_ns);
		assert_int_equal(split_check(&block, &split, NULL), ERR_OK);
		assert_true(!found || isfinite(least_ns));
		n_missed += !found && isfinite(least_ns);
		n_none += isfinite(least_ns) ? 0 : 1;
		if (found) {
			n_found++;
			assert_true(found_ns >= least_ns * (1 - 1e-9));
			sum += found_ns / least_ns;
			worst = fmax(worst, found_ns / least_ns);
		}
		layer_problem_free(&layer);
	}
	print_message("splitter: %llu layers, %llu that nothing fits, mean %.3f of the fastest, worst %.3f\n",
	              (unsigned long long)n_found, (unsigned long long)n_none, sum / (double)n_found, worst);
	assert_int_equal(n_missed, 0);
	assert_true(n_found > 150 && n_none > 10 && sum / (double)n_found < 1.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_distribute_systolic_gives_the_clocks_worked_out_by_hand),
	    cmocka_unit_test(test_distribute_systolic_multiplies_and_pools),
	    cmocka_unit_test(test_distribute_systolic_says_why_not),
	    cmocka_unit_test(test_distribute_systolic_order_decides_what_is_loaded_again),
	    cmocka_unit_test(test_distribute_systolic_moves_what_there_is),
	    cmocka_unit_test(test_splitter_systolic_is_near_the_fastest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
