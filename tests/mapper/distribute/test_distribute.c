/* SPDX-License-Identifier: Apache-2.0 */
/* Distribution: what holds of every program on random designs, every verdict, and published phases. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "dse/space/machine_read.h"
#include "dse/layer/layer_problem.h"
#include "mapper/split/splitter.h"
#include "mapper/distribute/tiling.h"
#include "sim/base/checked.h"
#include "tests/support/evaluate_design.h"
#include "tests/support/plain_block.h"
#include "tests/support/random_design.h"
#include <math.h>
#include <string.h>

#define N_CASE 3000

static const char *const machine_path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml",
                                           "spaces/machines/dvfs_chip.yaml"};
#define N_MACHINE 3
/* Of a long queue of jobs; of designs that were drawn, 3 % were seen. */
#define EXCERPT_SLACK 1.05

static void read_machine(const char *path, struct machine *machine)
{
	struct err err = {0};
	assert_int_equal(machine_read(path, machine, &err), ERR_OK);
}

static bool counts_good(const struct counts *counts)
{
	const double value[] = {counts->mac,
	                        counts->mla_clk,
	                        counts->sram_read_word,
	                        counts->arm_clk,
	                        counts->sram_write_word,
	                        counts->noc_packet,
	                        counts->dram_read_byte,
	                        counts->dram_write_byte};
	for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++)
		if (!(value[i] >= 0) || !isfinite(value[i]))
			return false;
	return true;
}

static struct counts sum_counts(const struct program *program)
{
	struct counts sum = {0};
	for (uint32_t i = 0; i < program->n_step; i++) {
		const struct counts *part = &program->step[i].counts;
		sum.mac += part->mac;
		sum.dram_read_byte += part->dram_read_byte;
		sum.dram_write_byte += part->dram_write_byte;
	}
	return sum;
}

/* Bytes as they lie in DRAM: ifmap with its padding (windows that skip rows or columns leave the last out), filters,
 * result. */
static double filter_byte(const struct layer_context *context)
{
	const struct block *block = context->block;
	uint32_t byte = context->operand_bit / 8;
	if (block->kind == BLOCK_POOL)
		return 0;
	uint32_t n_group = block->groups > 1 ? block->groups : 1;
	return (double)block->kernel_w * block->kernel_h * byte *
	       (block->kind == BLOCK_MATMUL ? (double)block->in_w * block->out_w
	                                    : (double)block->in_c / n_group * block->out_c);
}

static double map_byte(const struct layer_context *context)
{
	const struct block *block = context->block;
	uint32_t byte = context->operand_bit / 8;
	if (block->kind == BLOCK_MATMUL)
		return (double)block->in_w * block->in_h * byte;
	/* of packed parts the rows that a stride skips are not loaded; of tight ones what it skips between them */
	double rows =
	    context->is_packed ? block->out_h : (block->out_h - 1.0) * block->stride + (double)block->kernel_h;
	double columns = (double)((block->out_w - 1) * block->stride + block->kernel_w);
	if (context->is_tight && block_reach_w(block) < block->stride)
		columns = (double)block->out_w * block_reach_w(block);
	if (context->is_tight && block_reach_h(block) < block->stride)
		rows = (double)block->out_h * block_reach_h(block);
	return columns * rows * block->in_c * byte * block_batch(block);
}

static void assert_traffic(const struct layer_context *context, const struct layer_design *design,
                           const struct program *program)
{
	struct counts counts = sum_counts(program);
	struct tiling tiling;
	tiling_build(context, &design->split, &tiling);
	bool fused = strategy_table[design->strategy].fused;
	double least = filter_byte(context) + (design->in_storage ? 0 : map_byte(context));
	bool all_done = design->strategy != STRATEGY_THESIS_REUSE;
	if (counts.dram_read_byte < least || (all_done && counts.mac != (double)block_n_mac(context->block))) {
		print_design(context, design);
		fail_msg("reads %.0f of at least %.0f bytes, %.0f MACs", counts.dram_read_byte, least, counts.mac);
	}
	if (!fused || !all_done)
		return;
	double written = design->out_storage ? 0 : (double)tiling.all_out_byte;
	if (counts.dram_write_byte != written) {
		print_design(context, design);
		fail_msg("writes %.0f bytes, the result has %.0f", counts.dram_write_byte, written);
	}
}

static void check_program(const struct layer_context *context, const struct layer_design *design,
                          const struct program *program)
{
	assert_in_range(program->n_step, 1, PROGRAM_MAX_STEP);
	for (uint32_t i = 0; i < program->n_step; i++) {
		assert_true(program->step[i].phase < N_PHASE);
		if (!counts_good(&program->step[i].counts)) {
			print_design(context, design);
			fail_msg("step %u of phase %s has bad counts", i, phase_name[program->step[i].phase]);
		}
	}
	assert_int_equal(program->sram_byte, mapper_sram_byte(context, design));
	assert_true(program->sram_byte <= context->machine->pe_sram_byte);
	assert_traffic(context, design, program);
}

/* The verdict on SRAM is that of mapper_sram_byte, which is never below the proof's least bytes. */
static void check_verdict(const struct layer_context *context, const struct layer_design *design, bool runs,
                          const struct verdict *verdict)
{
	uint64_t byte = mapper_sram_byte(context, design), limit = context->machine->pe_sram_byte;
	assert_true(runs == (verdict->reason == VERDICT_OK));
	assert_true(mapper_sram_least_byte(context, design) <= byte);
	if (verdict->reason == VERDICT_SRAM) {
		assert_int_equal(verdict->demanded, byte);
		assert_int_equal(verdict->available, limit);
		assert_true(byte > limit);
	} else if (verdict->reason == VERDICT_OK || verdict->reason == VERDICT_STORAGE) {
		assert_true(byte <= limit);
	}
	if (design->out_storage && runs)
		assert_true(mapper_result_fits_storage(context, &design->split));
	if (verdict->reason == VERDICT_STORAGE)
		assert_false(mapper_result_fits_storage(context, &design->split));
}

static void test_distribute_random_designs(void **state)
{
	(void)state;
	static uint32_t n_run[N_PE_STRATEGY];
	memset(n_run, 0, sizeof(n_run));
	for (uint32_t m = 0; m < N_MACHINE; m++) {
		struct machine machine;
		struct rng rng = rng_stream(21, m, 0);
		read_machine(machine_path[m], &machine);
		for (int i = 0; i < N_CASE; i++) {
			struct block block = random_block(&rng);
			struct layer_design design = random_design(&rng, &block, &machine);
			struct layer_context context;
			struct program program;
			struct verdict verdict;
			struct sim_result result;
			double metric[N_METRIC];
			mapper_prepare_form(&block, &machine, design.operand_bit, design.form, &context);
			bool runs = mapper_distribute(&context, &design, &program, &verdict);
			check_verdict(&context, &design, runs, &verdict);
			if (!runs)
				continue;
			n_run[design.strategy]++;
			check_program(&context, &design, &program);
			/* asserts the roofline */
			assert_true(evaluate_design(&context, &design, &result, metric, &verdict));
			assert_true(isfinite(metric[METRIC_ENERGY]) && metric[METRIC_ENERGY] > 0);
			assert_true(metric[METRIC_SRAM_USED] <= 1 && result.total_clk > 0);
			assert_true(result.mac_util_frac <= 1);
		}
	}
	for (int i = 0; i < N_PE_STRATEGY; i++)
		assert_true(n_run[i] > N_CASE / 20);
}

static bool run(const struct layer_context *context, struct layer_design design, enum strategy strategy,
                struct sim_result *result)
{
	double metric[N_METRIC];
	struct verdict verdict;
	design.strategy = strategy;
	return evaluate_design(context, &design, result, metric, &verdict);
}

static bool is_even(const struct split *split)
{
	return split->w.n_b + split->h.n_b + split->c.n_b == 0;
}

/* The same split: keeping ARM operations in the PE saves time, and the thesis' reuse runs at most the tasks of ours. */
static void test_distribute_compare_strategies(void **state)
{
	(void)state;
	for (uint32_t m = 0; m < N_MACHINE; m++) {
		struct machine machine;
		struct rng rng = rng_stream(22, m, 0);
		uint32_t n_pair = 0, n_reuse = 0;
		read_machine(machine_path[m], &machine);
		for (int i = 0; i < N_CASE; i++) {
			struct block block = random_block(&rng);
			block.batch = i % 2 ? block.batch : 1; /* thesis_reuse takes one image at a time */
			struct layer_design design = random_design(&rng, &block, &machine);
			struct layer_context context;
			struct sim_result first, second;
			mapper_prepare_form(&block, &machine, design.operand_bit, design.form, &context);
			design.reuse = REUSE_AUTO;
			if (run(&context, design, STRATEGY_FUSION_REUSE, &first) &&
			    run(&context, design, STRATEGY_THESIS_REUSE, &second)) {
				n_reuse++;
				assert_true(second.counts.mac <= first.counts.mac);
				/* of parts of two sizes it takes all for the larger ones, and all PEs to start in each
				 * run */
				if (is_even(&design.split))
					assert_true((double)second.phase_clk[PHASE_COMPUTATION] <=
					            1.25 * (double)first.phase_clk[PHASE_COMPUTATION]);
			}
			design.in_storage = design.out_storage = false;
			/* partial sums stay in one PE with fusion, so that fewer PEs may have work */
			design.split.d = split_whole(&block).d;
			if (!run(&context, design, STRATEGY_FUSION, &first) ||
			    !run(&context, design, STRATEGY_NO_FUSION, &second))
				continue;
			n_pair++;
			/* but padding: fused, a map is padded anew for every filter part it meets; and for what a queue
			 * of which only an excerpt is served is off */
			uint64_t first_clk = first.total_clk - first.phase_clk[PHASE_PADD];
			uint64_t second_clk = second.total_clk - second.phase_clk[PHASE_PADD];
			if ((double)first_clk > EXCERPT_SLACK * (double)second_clk) {
				print_design(&context, &design);
				fail_msg("fusion takes %llu clk, no fusion %llu", (unsigned long long)first_clk,
				         (unsigned long long)second_clk);
			}
			assert_true(first.counts.dram_read_byte <= second.counts.dram_read_byte);
			assert_true(first.counts.dram_write_byte <= second.counts.dram_write_byte);
		}
		assert_true(n_pair > N_CASE / 4 && n_reuse > N_CASE / 20);
	}
}

static struct block square_conv(uint32_t w, uint32_t in_c, uint32_t out_c)
{
	struct block block = {.kind = BLOCK_CONV, .name = "CONV_1", .in_w = w, .in_h = w, .in_c = in_c};
	block.pad_left = block.pad_right = block.pad_top = block.pad_bottom = 1;
	block.kernel_w = block.kernel_h = 3;
	block.stride = block.pool = 1;
	block.out_w = block.out_h = w;
	block.out_c = out_c;
	block.has_padd = block.has_acti = block.has_quan = true;
	return block;
}

static enum verdict_reason judge(const struct machine *machine, const struct block *block, struct layer_design design)
{
	struct layer_context context;
	struct program program;
	struct verdict verdict;
	design.operand_bit = 8;
	mapper_prepare(block, machine, 8, &context);
	assert_true(mapper_distribute(&context, &design, &program, &verdict) == (verdict.reason == VERDICT_OK));
	return verdict.reason;
}

static void test_distribute_verdicts(void **state)
{
	(void)state;
	struct machine chip, qpe;
	read_machine(machine_path[0], &chip);
	read_machine(machine_path[1], &qpe);
	struct block block = square_conv(28, 64, 64), wide = square_conv(112, 16, 512), matmul = {.kind = BLOCK_MATMUL};
	matmul = (struct block){.kind = BLOCK_MATMUL,
	                        .name = "FC_1",
	                        .in_w = 64,
	                        .in_h = 1,
	                        .in_c = 1,
	                        .out_w = 32,
	                        .out_h = 1,
	                        .out_c = 1,
	                        .kernel_w = 1,
	                        .kernel_h = 1,
	                        .stride = 1,
	                        .pool = 1};
	struct layer_design design = {.strategy = STRATEGY_FUSION_REUSE};
	design.split = (struct split){{28, 1, 0, 0}, {7, 4, 0, 0}, {4, 16, 0, 0}, {64, 1, 0, 0}};
	struct layer_design other = design;
	assert_int_equal(judge(&chip, &block, design), VERDICT_OK);
	assert_int_equal(judge(&qpe, &block, design), VERDICT_OK);
	other.split = split_whole(&block);
	assert_int_equal(judge(&chip, &block, other), VERDICT_SRAM);
	other = design;
	other.split = (struct split){{28, 4, 0, 0}, {7, 16, 0, 0}, {4, 128, 0, 0}, {16, 1, 0, 0}};
	other.out_storage = true; /* 6 MiB into 2 */
	assert_int_equal(judge(&chip, &wide, other), VERDICT_STORAGE);
	other = design;
	other.in_storage = true;
	assert_int_equal(judge(&chip, &block, other), VERDICT_OK);
	assert_int_equal(judge(&qpe, &block, other), VERDICT_NO_STORAGE);
	other.strategy = STRATEGY_FUSION;
	assert_int_equal(judge(&chip, &block, other), VERDICT_NO_STORAGE);
	other = design;
	other.split.d = (struct dim_split){32, 2, 0, 0};
	assert_int_equal(judge(&chip, &block, other), VERDICT_INPUT_SPLIT);
	other.strategy = STRATEGY_FUSION;
	assert_int_equal(judge(&chip, &block, other), VERDICT_OK);
	other = design;
	other.reuse = REUSE_FILTER;
	assert_int_equal(judge(&chip, &block, other), VERDICT_OPERAND);
	assert_int_equal(judge(&qpe, &block, other), VERDICT_OK);
	other = design;
	other.split = split_whole(&matmul);
	assert_int_equal(judge(&chip, &matmul, other), VERDICT_STRATEGY);
	other.strategy = STRATEGY_FUSION;
	other.in_storage = other.out_storage = true;
	assert_int_equal(judge(&chip, &matmul, other), VERDICT_OK);
	for (int i = 0; i < N_VERDICT; i++)
		assert_true(verdict_table[i].name && verdict_table[i].help);
}

/* A published row: VGG-16 on the thesis chip with reuse, ifmap in the storage QPEs (thesis simulator, appendix H's
 * splits). */
struct published {
	struct block block;
	struct split split;
	bool out_storage;
	uint64_t phase_clk[4]; /* weight, input, migration, computation */
	double limit[4];
};

static void assert_published(const struct machine *machine, const struct published *row)
{
	struct layer_context context;
	struct layer_design design = {
	    .split = row->split,
	    .strategy = STRATEGY_THESIS_REUSE,
	    .operand_bit = 8,
	    .in_storage = true,
	    .out_storage = row->out_storage,
	};
	struct sim_result result;
	struct verdict verdict;
	double metric[N_METRIC];
	mapper_prepare(&row->block, machine, 8, &context);
	assert_true(evaluate_design(&context, &design, &result, metric, &verdict));
	for (int i = 0; i < 4; i++) {
		double clk = (double)result.phase_clk[PHASE_WEIGHT + i], want = (double)row->phase_clk[i];
		if (fabs(clk - want) > row->limit[i] * want)
			fail_msg("%s of the row with %u filters: %.0f clk, published %.0f",
			         phase_name[PHASE_WEIGHT + i], row->block.out_c, clk, want);
	}
}

/*
 * By hand, P bytes of a filter part, V of an ifmap part, F filter parts: weights
 * F*P/32 + 60 for F = 128, with P/16 + 47 more for one copy for F = 64; migration
 * inside a block one rotation of 4P/16 + 225 less than a QPE must see, across
 * blocks 2P + 510 for F = 64.
 */
static void test_distribute_published_phases(void **state)
{
	(void)state;
	struct machine machine;
	read_machine(machine_path[0], &machine);
	/* CONV_11: 28x28x256 to 512 channels */
	struct published row = {
	    .block = square_conv(28, 256, 512),
	    .split = {{28, 1, 0, 0}, {7, 4, 0, 0}, {4, 128, 0, 0}, {256, 1, 0, 0}},
	    .out_storage = true,
	    .phase_clk = {36924, 30576, 28416, 167961},
	    /* four parts that leave a QPE fill its router just so, which the pieces of a flow meet to some % */
	    .limit = {0.0001, 0.025, 0.001, 0.003},
	};
	assert_published(&machine, &row);
	/* CONV_8: 56x56x256 to 256 channels */
	row = (struct published){
	    .block = square_conv(56, 256, 256),
	    .split = {{28, 2, 0, 0}, {7, 8, 0, 0}, {4, 64, 0, 0}, {256, 1, 0, 0}},
	    .out_storage = true,
	    .phase_clk = {19114, 52070, 18940, 331013},
	    .limit = {0.001, 0.005, 0.001, 0.02},
	};
	assert_published(&machine, &row);
}

/* A shortcut's operand is read from DRAM exactly when it lies there, wherever the ifmap lies. */
static void test_distribute_reads_what_a_shortcut_adds(void **state)
{
	(void)state;
	struct err err = {0};
	struct network network;
	struct machine machine;
	assert_int_equal(network_read("spaces/networks/resnet50.yaml", &network, &err), ERR_OK);
	assert_int_equal(machine_read("spaces/machines/dvfs_chip.yaml", &machine, &err), ERR_OK);
	size_t n_held = 0, n_latest = 0;
	for (size_t i = 0; i < network.n_block; i++) {
		const struct block *block = &network.block[i];
		if (!block->has_mat_ele)
			continue;
		assert_int_equal(block->added, block->is_shortcut ? INPUT_LATEST : INPUT_HELD);
		n_held += block->added == INPUT_HELD;
		n_latest += block->added == INPUT_LATEST;
		struct layer_context context;
		mapper_prepare(block, &machine, 8, &context);
		struct layer_design design = {.strategy = STRATEGY_FUSION_REUSE, .operand_bit = 8};
		assert_int_equal(splitter_thesis(block, &machine, &design.split, &err), ERR_OK);
		double pixel = (double)block->out_w * block->out_h * block->out_c;
		for (int in = 0; in < 2; in++) {
			struct sim_result in_dram, in_storage;
			design.in_storage = in == 1;
			design.add_storage = false;
			assert_true(run(&context, design, STRATEGY_FUSION_REUSE, &in_dram));
			design.add_storage = true;
			assert_true(run(&context, design, STRATEGY_FUSION_REUSE, &in_storage));
			assert_true(in_dram.counts.dram_read_byte - in_storage.counts.dram_read_byte == pixel);
		}
	}
	assert_true(n_held == 12 && n_latest == 4);
	network_free(&network);
}

/* Clocks of a design's weight phase; *copies: whether a PE hands weights on. 0: it does not run. */
static uint64_t weight_clk(const struct block *block, const struct machine *machine, const struct layer_design *design,
                           bool *copies)
{
	struct layer_context context;
	struct program program;
	struct verdict verdict;
	struct sim_result result;
	double metric[N_METRIC], read_word = 0;
	mapper_prepare_form(block, machine, design->operand_bit, design->form, &context);
	if (!evaluate_design(&context, design, &result, metric, &verdict))
		return 0;
	assert_true(mapper_distribute(&context, design, &program, &verdict));
	for (uint32_t i = 0; i < program.n_step; i++)
		if (program.step[i].phase == PHASE_WEIGHT && program.step[i].kind == STEP_TRANSFER)
			read_word += program.step[i].counts.sram_read_word;
	*copies = read_word > 0;
	return result.phase_clk[PHASE_WEIGHT];
}

/* Weights that PEs hand on wait for the set-up of copies, of grouped convolutions, too; where none is, nobody does. */
static void test_distribute_copies_of_weights_are_set_up(void **state)
{
	(void)state;
	uint32_t n_grouped = 0, n_whole = 0, n_none = 0;
	struct machine machine, slow;
	struct rng rng = rng_stream(23, 0, 0);
	read_machine(machine_path[0], &machine);
	slow = machine;
	slow.copy_setup_clk += 10000;
	for (int i = 0; i < N_CASE; i++) {
		struct block block = random_block(&rng);
		struct layer_design design = random_design(&rng, &block, &machine);
		bool copies;
		design.strategy = STRATEGY_FUSION_REUSE;
		uint64_t clk = weight_clk(&block, &machine, &design, &copies);
		if (block.kind != BLOCK_CONV || clk == 0)
			continue;
		bool waits = weight_clk(&block, &slow, &design, &copies) >= clk + 10000;
		if (waits != copies) {
			struct layer_context context;
			mapper_prepare(&block, &machine, design.operand_bit, &context);
			print_design(&context, &design);
			fail_msg("%s", copies ? "copies are not set up" : "it waits for copies that nobody makes");
		}
		*(!copies ? &n_none : block.groups > 1 ? &n_grouped : &n_whole) += 1;
	}
	assert_true(n_grouped > 100 && n_whole > 100 && n_none > 5);
}

/* The smallest column of a split, in blocks of the array, beside the mean one of a queue. */
static double smallest_frac(const struct dim_split *column, const uint32_t *n_c, uint32_t step)
{
	double n[2] = {(double)ceil_div(column->size_a, step), (double)ceil_div(column->size_b, step)};
	double mean = (n[0] * n_c[0] + n[1] * n_c[1]) / (n_c[0] + n_c[1]);
	return fmin(1, (column->n_b > 0 ? n[1] : n[0]) / mean);
}

/* Queues of jobs whose columns are dealt know the smallest of them, be they filters or columns of B. */
static void test_distribute_queues_know_their_tail(void **state)
{
	(void)state;
	uint32_t n_small[2] = {0};
	struct machine machine;
	struct rng rng = rng_stream(24, 0, 0);
	read_machine(machine_path[0], &machine);
	for (int i = 0; i < N_CASE; i++) {
		struct block block = random_block(&rng);
		struct layer_design design = random_design(&rng, &block, &machine);
		struct layer_context context;
		struct program program;
		struct verdict verdict;
		bool is_matmul = block.kind == BLOCK_MATMUL;
		const struct split whole = split_whole(&block);
		design.strategy = rng_below(&rng, 2) ? STRATEGY_FUSION : STRATEGY_NO_FUSION;
		design.split.h = whole.h;
		design.split.d = whole.d;
		design.split.w = is_matmul ? design.split.w : whole.w;
		mapper_prepare_form(&block, &machine, design.operand_bit, design.form, &context);
		if (!mapper_distribute(&context, &design, &program, &verdict))
			continue;
		for (uint32_t k = 0; k < program.n_step; k++) {
			const struct jobs *jobs = &program.step[k].u.jobs;
			if (program.step[k].kind != STEP_JOBS || jobs->n_order != 1 || jobs->tail_frac == 0)
				continue;
			double expected = smallest_frac(is_matmul ? &design.split.w : &design.split.c, jobs->order[0].n_c,
			                                is_matmul ? machine.mla_cols : machine.mla_rows);
			if (fabs(jobs->tail_frac - expected) > 1e-12) {
				print_design(&context, &design);
				fail_msg("the smallest result is %g of the mean one, expected %g", jobs->tail_frac, expected);
			}
			n_small[is_matmul] += expected < 1;
		}
	}
	assert_true(n_small[0] > 10 && n_small[1] > 10);
}

/* The thesis simulator divides 4 to 16 maps of layers of 32 filter parts or more by blocks of four: what is left of a
 * row is not done. */
static void test_distribute_thesis_reuse_leaves_tasks_out(void **state)
{
	(void)state;
	static const struct {
		uint32_t n_w, n_h, n_c;
		bool leaves_out;
	} row[] = {{2, 3, 32, true}, {2, 3, 64, true}, {2, 3, 16, false}, {1, 3, 32, false}, {4, 4, 32, false}};
	struct machine machine;
	struct layer_context context;
	read_machine(machine_path[0], &machine);
	struct block block = square_conv(24, 16, 128);
	mapper_prepare(&block, &machine, 8, &context);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct layer_design design = {.strategy = STRATEGY_THESIS_REUSE, .operand_bit = 8};
		struct program program;
		struct verdict verdict;
		design.split = split_whole(&block);
		design.split.w = equal_parts(block.out_w, row[i].n_w);
		design.split.h = equal_parts(block.out_h, row[i].n_h);
		design.split.c = equal_parts(block.out_c, row[i].n_c);
		assert_true(mapper_distribute(&context, &design, &program, &verdict));
		assert_int_equal(sum_counts(&program).mac < (double)block_n_mac(&block), row[i].leaves_out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_distribute_random_designs),
	    cmocka_unit_test(test_distribute_compare_strategies),
	    cmocka_unit_test(test_distribute_verdicts),
	    cmocka_unit_test(test_distribute_published_phases),
	    cmocka_unit_test(test_distribute_reads_what_a_shortcut_adds),
	    cmocka_unit_test(test_distribute_copies_of_weights_are_set_up),
	    cmocka_unit_test(test_distribute_queues_know_their_tail),
	    cmocka_unit_test(test_distribute_thesis_reuse_leaves_tasks_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
