/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules of designs but the chip's reuse (test_unfold_chip.c): the same work as the program's, done once, on
 * operands that are where the task looks for them. */
#include "tests/support/unit_test.h"
#include "dse/space/space.h"
#include "dse/space/machine_read.h"
#include "mapper/unfold/unfold_parts.h"
#include "sim/base/checked.h"
#include "tests/support/plain_block.h"
#include "tests/support/random_design.h"
#include "tests/support/shipped_machine.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_CASE 2500

static const char *const machine_path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml",
                                           "spaces/machines/dvfs_chip.yaml", "spaces/machines/hdl_qpe.yaml"};
#define N_MACHINE 4

/* A design and what became of it. */
struct unfolded {
	struct layer_context context;
	struct layer_design design;
	struct tiling tiling;
	struct program program;
	struct schedule schedule;
};

/* false: the design does not run. */
static bool unfold(const struct block *block, const struct machine *machine, const struct layer_design *design,
                   struct unfolded *unfolded)
{
	struct verdict verdict;
	struct err err = {0};
	unfolded->design = *design;
	mapper_prepare_form(block, machine, design->operand_bit, design->form, &unfolded->context);
	if (!mapper_distribute(&unfolded->context, design, &unfolded->program, &verdict))
		return false;
	tiling_build(&unfolded->context, &design->split, &unfolded->tiling);
	if (mapper_unfold(&unfolded->context, design, &unfolded->schedule, &err) == ERR_OK)
		return true;
	print_design(&unfolded->context, design);
	print_error("%s", err_text(&err));
	fail();
	return false;
}

static void fail_design(const struct unfolded *unfolded, const char *what, double found, double expected)
{
	print_design(&unfolded->context, &unfolded->design);
	fail_msg("%s: %.0f instead of %.0f", what, found, expected);
}

static void assert_same(const struct unfolded *unfolded, const char *what, double found, double expected)
{
	if (fabs(found - expected) > 1e-9 * expected)
		fail_design(unfolded, what, found, expected);
}

/* ---- bytes, tasks and clocks of the array ---- */

struct sums {
	double load_byte, store_byte, copy_byte, mac_clk, n_task;
	double operand_a_word, operand_b_word, result_word; /* read and written by the MLA */
};

static void add_task(const struct unfolded *unfolded, uint32_t shape, struct sums *sums)
{
	const struct mla_shape *task = &unfolded->schedule.shape[shape];
	const struct layer_context *context = &unfolded->context;
	struct mla_cost cost;
	sums->n_task++;
	if (task->kind == MLA_MATMUL)
		mla_matmul_cost(context->machine, &task->matmul, 0, context->operand_bit, &cost);
	else
		mla_conv_words(context->machine, &context->round, &task->conv, &cost);
	sums->mac_clk += (double)cost.mac_clk;
	sums->operand_a_word += (double)cost.a_word;
	sums->operand_b_word += (double)cost.b_word;
	sums->result_word += (double)cost.out_word;
}

static struct sums sum_schedule(const struct unfolded *unfolded)
{
	const struct schedule *schedule = &unfolded->schedule;
	struct sums sums = {0};
	for (uint32_t i = 0; i < schedule->n_op; i++) {
		const struct op *op = &schedule->op[i];
		sums.load_byte += op->kind == OP_LOAD ? op->byte : 0;
		sums.store_byte += op->kind == OP_STORE ? op->byte : 0;
		sums.copy_byte += op->kind == OP_COPY ? op->byte : 0;
		if (op->kind == OP_TASK)
			add_task(unfolded, op->shape, &sums);
	}
	for (uint32_t i = 0; i < schedule->n_job; i++) {
		const struct job *job = &schedule->job[i];
		sums.load_byte += (double)job->map_byte + job->filter_byte;
		sums.store_byte += job->store_byte;
		add_task(unfolded, job->shape, &sums);
	}
	return sums;
}

/* What is not ARM work. */
static struct counts core_counts(const struct program *program)
{
	struct counts sum = {0};
	for (uint32_t i = 0; i < program->n_step; i++) {
		if (program->step[i].kind == STEP_ARM)
			continue;
		sum.dram_read_byte += program->step[i].counts.dram_read_byte;
		sum.dram_write_byte += program->step[i].counts.dram_write_byte;
		sum.mla_clk += program->step[i].counts.mla_clk;
		sum.sram_read_word += program->step[i].counts.sram_read_word;
		sum.sram_write_word += program->step[i].counts.sram_write_word;
		sum.noc_packet += program->step[i].counts.noc_packet;
	}
	return sum;
}

static void check_work(const struct unfolded *unfolded)
{
	struct sums sums = sum_schedule(unfolded);
	struct counts counts = core_counts(&unfolded->program);
	bool pool = unfolded->context.block->kind == BLOCK_POOL;
	assert_same(unfolded, "bytes loaded", sums.load_byte, counts.dram_read_byte);
	assert_same(unfolded, "bytes stored", sums.store_byte, counts.dram_write_byte);
	assert_same(unfolded, "tasks", sums.n_task, pool ? 0 : (double)unfolded->tiling.n_task);
	assert_same(unfolded, "MAC clocks", sums.mac_clk, counts.mla_clk);
	/* partial sums are words of another size; copies of reuse are not compared */
	if (unfolded->tiling.n_d > 1 || strategy_table[unfolded->design.strategy].reuses)
		return;
	bool sends_a = unfolded->context.block->kind == BLOCK_CONV && unfolded->context.form != FORM_MATMUL;
	assert_same(unfolded, "words read",
	            sums.operand_a_word + sums.operand_b_word + (sums.store_byte + sums.copy_byte) / 4,
	            counts.sram_read_word);
	assert_same(unfolded, "words written", sums.result_word + (sums.load_byte + sums.copy_byte) / 4,
	            counts.sram_write_word);
	/*
	 * Operand A's requests and answers, what is moved, and up to 8 messages a task: each packet passes one router in a
	 * QPE, and on a chip at least one and no more than there are on its longest way. test_random_tiers compares them
	 * with the event tier's.
	 */
	const struct machine *machine = unfolded->context.machine;
	bool is_chip = machine->target == MACHINE_CHIP;
	double n_of_a = 2 * sums.operand_a_word * 4 / machine->noc_packet_byte;
	double n_packet = (sums.load_byte + sums.store_byte + sums.copy_byte) / machine->noc_packet_byte;
	double n_router = is_chip ? machine->chip.mesh_w + machine->chip.mesh_h : 1;
	double n_most = n_router * (n_packet + n_of_a + 8 * (double)unfolded->tiling.n_task);
	n_packet += sends_a ? n_of_a : 0;
	if (counts.noc_packet < n_packet * (1 - 1e-9) || counts.noc_packet > n_most * (1 + 1e-9))
		fail_design(unfolded, "packets", counts.noc_packet, n_packet);
}

/* ARM steps are the program's, in their order. */
static void check_arm(const struct unfolded *unfolded)
{
	const struct schedule *schedule = &unfolded->schedule;
	uint32_t k = 0;
	for (uint32_t i = 0; i < schedule->n_step; i++) {
		const struct schedule_step *step = &schedule->step[i];
		if (step->n_op + step->n_job > 0)
			continue;
		while (k < unfolded->program.n_step && unfolded->program.step[k].kind != STEP_ARM)
			k++;
		assert_true(k < unfolded->program.n_step);
		const struct step *arm = &unfolded->program.step[k++];
		assert_int_equal(step->phase, arm->phase);
		assert_true(step->arm.clk == arm->u.arm.clk && step->arm.dram_byte == arm->u.arm.dram_byte);
		assert_true(step->counts.arm_clk == arm->counts.arm_clk);
		assert_true(step->counts.dram_read_byte == arm->counts.dram_read_byte);
	}
	while (k < unfolded->program.n_step)
		assert_true(unfolded->program.step[k++].kind != STEP_ARM);
}

/* ---- every part meets every part once, where its operands are ---- */

/* Coordinates of a part's number, worked out the other way round. */
static void expected_shape(const struct unfolded *unfolded, uint32_t number, struct mla_shape *task)
{
	const struct tiling *tiling = &unfolded->tiling;
	const struct split *split = &unfolded->design.split;
	const struct block *block = unfolded->context.block;
	bool matmul = block->kind == BLOCK_MATMUL;
	uint32_t n_filter = matmul ? tiling->n_w : tiling->n_c, map = number / n_filter, filter = number % n_filter;
	uint32_t d = map % tiling->n_d, row = map / tiling->n_d;
	uint32_t w = matmul ? filter : row % tiling->n_w, h = matmul ? row : row / tiling->n_w;
	uint32_t c = matmul ? 0 : filter;
	h %= dim_n_part(&split->h); /* of its image */
	uint32_t size_w = w < split->w.n_a ? split->w.size_a : split->w.size_b;
	uint32_t size_h = h < split->h.n_a ? split->h.size_a : split->h.size_b;
	uint32_t size_d = d < split->d.n_a ? split->d.size_a : split->d.size_b;
	*task = (struct mla_shape){.kind = matmul ? MLA_MATMUL : MLA_CONV};
	task->matmul = (struct mla_matmul_task){size_d, size_h, size_w};
	uint32_t size_c = c < split->c.n_a ? split->c.size_a : split->c.size_b, group_c = block->out_c;
	if (!matmul && block->groups > 1)
		group_c /= block->groups;
	uint32_t n_group = !matmul && size_c > group_c ? size_c / group_c : 1;
	task->conv =
	    (struct mla_conv_task){mapper_part_in_w(&unfolded->context, size_w),
	                           mapper_part_in_h(&unfolded->context, size_h), size_d, size_c / n_group, n_group};
	if (!unfolded->context.is_packed)
		return;
	task->conv = (struct mla_conv_task){size_w * size_h, 1, size_d, size_c, 1};
	if (unfolded->context.form == FORM_MATMUL) {
		task->kind = MLA_MATMUL;
		task->matmul = (struct mla_matmul_task){size_d, size_c, size_w * size_h};
	}
}

static void check_shape(const struct unfolded *unfolded, uint32_t number, uint32_t shape)
{
	const struct mla_shape *task = &unfolded->schedule.shape[shape];
	struct mla_shape expected;
	expected_shape(unfolded, number, &expected);
	assert_int_equal(task->kind, expected.kind);
	assert_int_equal(task->is_partial, unfolded->tiling.n_d > 1);
	assert_int_equal(task->operand_bit, unfolded->design.operand_bit);
	if (task->kind == MLA_MATMUL)
		assert_memory_equal(&task->matmul, &expected.matmul, sizeof(task->matmul));
	else
		assert_memory_equal(&task->conv, &expected.conv, sizeof(task->conv));
}

static void mark_done(const struct unfolded *unfolded, uint32_t number, uint32_t shape, bool *done)
{
	assert_true(number < unfolded->tiling.n_task);
	if (done[number])
		fail_design(unfolded, "a task is done twice", number, 1);
	done[number] = true;
	check_shape(unfolded, number, shape);
}

/* Jobs of one result follow each other on one PE; only the last stores, with fusion. */
static void check_jobs(const struct unfolded *unfolded, const struct schedule_step *step, bool *done)
{
	const struct tiling *tiling = &unfolded->tiling;
	bool fused = strategy_table[unfolded->design.strategy].fused;
	uint32_t n_filter = unfolded->context.block->kind == BLOCK_MATMUL ? tiling->n_w : tiling->n_c;
	uint64_t free_byte = unfolded->program.sram_byte - tiling->result_byte;
	for (uint32_t i = step->first_job; i < step->first_job + step->n_job; i++) {
		const struct job *job = &unfolded->schedule.job[i];
		uint32_t d = job->part / n_filter % tiling->n_d;
		mark_done(unfolded, job->part, job->shape, done);
		assert_true((uint64_t)job->map_byte + job->filter_byte <= free_byte);
		/* a matrix multiplication has both operands in the PE */
		assert_int_equal(job->filter_byte > 0,
		                 unfolded->context.block->kind == BLOCK_CONV && unfolded->context.form != FORM_MATMUL);
		assert_int_equal(job->same_pe, fused && d > 0);
		assert_int_equal(job->store_byte > 0, !fused || d + 1 == tiling->n_d);
		if (!job->same_pe)
			continue;
		assert_true(i > step->first_job && job[-1].queue == job->queue);
		assert_int_equal(job[-1].part + n_filter, job->part);
	}
}

/* Parts that a PE's SRAM holds, and their bytes; SCHEDULE_NONE: none. */
struct held {
	uint32_t map, filter, map_byte, filter_byte;
};

static void receive(const struct unfolded *unfolded, const struct op *op, struct held *held)
{
	uint32_t to = op->kind == OP_LOAD ? op->pe : op->peer;
	bool is_map = op->content == OP_OF_IFMAP;
	if (op->kind == OP_COPY)
		assert_int_equal(is_map ? held[op->pe].map : held[op->pe].filter, op->part);
	if (is_map) {
		held[to].map = op->part;
		held[to].map_byte = op->byte;
	} else {
		held[to].filter = op->part;
		held[to].filter_byte = op->byte;
	}
	assert_true((uint64_t)held[to].map_byte + held[to].filter_byte + unfolded->tiling.result_byte <=
	            unfolded->program.sram_byte);
}

/* A copy waits for what fills its source in the same step. */
static void check_copy(const struct schedule *schedule, const struct schedule_step *step, uint32_t index)
{
	const struct op *copy = &schedule->op[index];
	uint32_t filled_by = SCHEDULE_NONE;
	for (uint32_t k = step->first_op; k < index; k++) {
		const struct op *op = &schedule->op[k];
		if ((op->kind == OP_LOAD ? op->pe : op->peer) == copy->pe)
			filled_by = k;
	}
	assert_int_equal(copy->before[0], filled_by);
}

/* QPE reuse: phases with a barrier between, so that what a PE holds is known in the order of the list. */
static void check_phases(const struct unfolded *unfolded, bool *done)
{
	const struct schedule *schedule = &unfolded->schedule;
	uint32_t n_c = unfolded->tiling.n_c, n_pe = machine_n_pe(unfolded->context.machine);
	struct held held[EVENT_MAX_PE];
	assert_true(n_pe <= EVENT_MAX_PE);
	for (uint32_t i = 0; i < n_pe; i++)
		held[i] = (struct held){SCHEDULE_NONE, SCHEDULE_NONE, 0, 0};
	for (uint32_t i = 0; i < schedule->n_step; i++) {
		const struct schedule_step *step = &schedule->step[i];
		uint32_t n_task = 0, shift = 0;
		for (uint32_t k = step->first_op; k < step->first_op + step->n_op; k++) {
			const struct op *op = &schedule->op[k];
			if (op->kind == OP_LOAD || op->kind == OP_COPY)
				receive(unfolded, op, held);
			if (op->kind == OP_COPY)
				check_copy(schedule, step, k);
			if (op->kind != OP_TASK)
				continue;
			uint32_t step_shift = (op->peer + n_pe - op->pe) % n_pe;
			assert_true(n_task == 0 || step_shift == shift);
			shift = step_shift;
			mark_done(unfolded, op->part, op->shape, done);
			/* of a grouped convolution the part with its channels */
			uint32_t channel = op->part % n_c / unfolded->tiling.n_meet;
			assert_int_equal(held[op->pe].map, op->part / n_c * unfolded->tiling.n_channel_part + channel);
			assert_int_equal(held[op->peer].filter, op->part % n_c);
			assert_int_equal(schedule->op[k + 1].kind, OP_STORE);
			assert_int_equal(schedule->op[k + 1].before[0], k);
			n_task++;
		}
		assert_true(n_task <= n_pe);
	}
}

/* The chip's fused matrix multiplication: a task waits for the loads of its own two operands. */
static void check_matmul(const struct unfolded *unfolded, bool *done)
{
	const struct schedule *schedule = &unfolded->schedule;
	double stored_byte = 0, input_byte = 0;
	for (uint32_t i = 0; i < schedule->n_op; i++) {
		const struct op *op = &schedule->op[i];
		if (op->kind == OP_TASK) {
			mark_done(unfolded, op->part, op->shape, done);
			const struct op *weight = &schedule->op[op->before[0]], *input = &schedule->op[op->before[1]];
			assert_int_equal(weight->pe, op->pe);
			assert_int_equal(weight->part, op->part);
			assert_int_equal(input->kind == OP_LOAD ? input->pe : input->peer, op->peer);
			assert_int_equal(input->part, op->part / unfolded->tiling.n_w);
			assert_int_equal(weight->before[0], input->before[0]);
			input_byte += input->byte;
		}
	}
	struct sums sums = sum_schedule(unfolded);
	const struct tiling *tiling = &unfolded->tiling;
	double partial_byte = tiling->n_d > 1 ? (double)tiling->all_raw_out_byte * tiling->n_d : 0;
	stored_byte = unfolded->design.out_storage ? (double)tiling->all_out_byte : 0;
	assert_same(unfolded, "input bytes", input_byte, (double)tiling->all_map_byte * tiling->n_w);
	input_byte = unfolded->design.in_storage ? input_byte : 0;
	assert_same(unfolded, "bytes copied", sums.copy_byte, input_byte + partial_byte + stored_byte);
}

static void check_coverage(const struct unfolded *unfolded)
{
	const struct schedule *schedule = &unfolded->schedule;
	bool *done = calloc(unfolded->tiling.n_task, sizeof(*done));
	assert_non_null(done);
	if (strategy_table[unfolded->design.strategy].reuses)
		check_phases(unfolded, done);
	else if (schedule->n_job > 0)
		check_jobs(unfolded, &schedule->step[0], done);
	else
		check_matmul(unfolded, done);
	for (uint64_t i = 0; i < unfolded->tiling.n_task; i++)
		if (!done[i])
			fail_design(unfolded, "a task is left out", (double)i, (double)unfolded->tiling.n_task);
	free(done);
}

static void test_unfold_random_designs(void **state)
{
	(void)state;
	uint32_t n_run[N_PE_STRATEGY] = {0}, n_storage = 0, n_pool = 0;
	for (uint32_t m = 0; m < N_MACHINE; m++) {
		struct machine machine;
		struct rng rng = rng_stream(31, m, 0);
		machine = shipped_machine(machine_path[m]);
		for (int i = 0; i < N_CASE; i++) {
			struct block block = random_block(&rng);
			struct layer_design design = random_design(&rng, &block, &machine);
			struct unfolded unfolded;
			if (machine.target == MACHINE_QPE) {
				machine.qpe_n_pe = i % 2 ? 4 : random_from(&rng, 1, 9);
				design.in_storage = design.out_storage = false;
			}
			mapper_prepare_form(&block, &machine, design.operand_bit, design.form, &unfolded.context);
			if (distribute_is_chip_reuse(&unfolded.context, &design) ||
			    !unfold(&block, &machine, &design, &unfolded))
				continue;
			n_run[design.strategy]++;
			n_storage += design.in_storage || design.out_storage;
			n_pool += block.kind == BLOCK_POOL;
			check_work(&unfolded);
			check_arm(&unfolded);
			if (block.kind != BLOCK_POOL)
				check_coverage(&unfolded);
			schedule_free(&unfolded.schedule);
		}
	}
	for (int i = 0; i < N_PE_STRATEGY; i++)
		assert_true(n_run[i] > N_CASE / 20);
	assert_true(n_storage > 10 && n_pool > 100);
}

/* ---- one by one ---- */

static struct block conv_1x1(uint32_t w, uint32_t h, uint32_t in_c, uint32_t out_c)
{
	struct block block = plain_conv(w, in_c, out_c, 1);
	block.in_h = block.out_h = h;
	return block;
}

static struct layer_design conv_design(const struct block *block, uint32_t n_h, uint32_t n_c, enum strategy strategy)
{
	struct layer_design design = {.split = split_whole(block), .strategy = strategy, .operand_bit = 8};
	design.split.h = equal_parts(block->out_h, n_h);
	design.split.c = equal_parts(block->out_c, n_c);
	return design;
}

/* Ten filters for four queues: two and three in turn; of each queue, parts outside. */
static void test_unfold_deals_filters(void **state)
{
	(void)state;
	static const uint32_t first[] = {0, 2, 5, 7, 10};
	struct machine machine;
	struct unfolded unfolded;
	struct block block = conv_1x1(16, 3, 8, 40);
	struct layer_design design = conv_design(&block, 3, 10, STRATEGY_FUSION);
	machine = shipped_machine(machine_path[0]);
	assert_true(unfold(&block, &machine, &design, &unfolded));
	assert_int_equal(unfolded.schedule.n_job, 30);
	const struct job *job = unfolded.schedule.job;
	for (uint32_t queue = 0; queue < 4; queue++)
		for (uint32_t map = 0; map < 3; map++)
			for (uint32_t filter = first[queue]; filter < first[queue + 1]; filter++, job++) {
				assert_int_equal(job->queue, queue);
				assert_int_equal(job->part, map * 10 + filter);
				assert_int_equal(job->map_byte, 16 * 8);
				assert_int_equal(job->filter_byte, 8 * 4);
				assert_int_equal(job->store_byte, 16 * 4);
			}
	schedule_free(&unfolded.schedule);
}

/* Fewer filters than queues: results are dealt. */
static void test_unfold_deals_results(void **state)
{
	(void)state;
	uint32_t n_job[4] = {0};
	struct machine machine;
	struct unfolded unfolded;
	struct block block = conv_1x1(16, 5, 8, 12);
	struct layer_design design = conv_design(&block, 5, 3, STRATEGY_NO_FUSION);
	machine = shipped_machine(machine_path[0]);
	assert_true(unfold(&block, &machine, &design, &unfolded));
	for (uint32_t i = 0; i < unfolded.schedule.n_job; i++) {
		n_job[unfolded.schedule.job[i].queue]++;
		assert_int_equal(unfolded.schedule.job[i].part, i);
		assert_int_equal(unfolded.schedule.job[i].store_byte, 16 * 4 * 4);
	}
	assert_int_equal(n_job[0], 3);
	for (uint32_t queue = 1; queue < 4; queue++)
		assert_int_equal(n_job[queue], 4);
	schedule_free(&unfolded.schedule);
}

/* The operations of each kind in a schedule's steps of a phase, and how many such steps there are. */
static uint32_t count_ops(const struct schedule *schedule, enum phase phase, enum op_kind kind, uint32_t *n_step)
{
	uint32_t n = 0;
	*n_step = 0;
	for (uint32_t i = 0; i < schedule->n_step; i++) {
		if (schedule->step[i].phase != phase)
			continue;
		++*n_step;
		for (uint32_t k = 0; k < schedule->step[i].n_op; k++)
			n += schedule->op[schedule->step[i].first_op + k].kind == kind;
	}
	return n;
}

/* From which PE to which a schedule copies, in order: n pairs. */
static void assert_copies(const struct schedule *schedule, const uint32_t (*pair)[2], uint32_t n)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < schedule->n_op; i++) {
		if (schedule->op[i].kind != OP_COPY)
			continue;
		assert_true(found < n);
		assert_int_equal(schedule->op[i].pe, pair[found][0]);
		assert_int_equal(schedule->op[i].peer, pair[found++][1]);
	}
	assert_int_equal(found, n);
}

/* Copies to idle PEs (thesis appendix C), by the parts of the last group: 1, 2, 3, 4. */
static void test_unfold_qpe_reuse_fills_pes(void **state)
{
	(void)state;
	static const uint32_t n_copy[] = {3, 2, 2 * 3, 0};
	static const uint32_t copy[4][6][2] = {
	    {{0, 1}, {0, 2}, {1, 3}}, {{0, 2}, {1, 3}}, {{0, 3}, {1, 3}, {2, 3}, {0, 3}, {1, 3}, {2, 3}}};
	struct machine machine;
	machine = shipped_machine(machine_path[1]);
	for (uint32_t n_last = 1; n_last <= 4; n_last++) {
		struct unfolded unfolded;
		uint32_t n_map = 4 + n_last, n_step;
		struct block block = conv_1x1(16, n_map, 8, 32);
		struct layer_design design = conv_design(&block, n_map, 8, STRATEGY_FUSION_REUSE);
		design.reuse = REUSE_IFMAP;
		assert_true(unfold(&block, &machine, &design, &unfolded));
		const struct schedule *schedule = &unfolded.schedule;
		assert_copies(schedule, copy[n_last - 1], n_copy[n_last - 1]);
		/* with a group of parts the first of both groups of filters; a part that is passed on in rounds 1, 2 */
		assert_int_equal(count_ops(schedule, PHASE_INPUT, OP_LOAD, &n_step), n_map + 4 * 2);
		assert_int_equal(n_step, 2 + (n_last == 3 ? 2 * 2 : 0));
		assert_int_equal(count_ops(schedule, PHASE_WEIGHT, OP_LOAD, &n_step), 4 * 2);
		assert_int_equal(n_step, 2);
		assert_int_equal(count_ops(schedule, PHASE_COMPUTATION, OP_TASK, &n_step), 8 * n_map);
		assert_int_equal(n_step, 2 * n_map);
		/* the first round is on the own SRAM: maps, filters, tasks each with its store */
		assert_true(schedule->op[8].kind == OP_TASK && schedule->op[8].peer == schedule->op[8].pe);
		check_coverage(&unfolded);
		schedule_free(&unfolded.schedule);
	}
}

/* Kept filters are loaded once, the ifmap once for each group of them. */
static void test_unfold_qpe_reuse_keeps_filters(void **state)
{
	(void)state;
	struct machine machine;
	struct unfolded unfolded;
	uint32_t n_step;
	struct block block = conv_1x1(16, 6, 8, 36);
	struct layer_design design = conv_design(&block, 6, 9, STRATEGY_FUSION_REUSE);
	design.reuse = REUSE_FILTER;
	machine = shipped_machine(machine_path[1]);
	assert_true(unfold(&block, &machine, &design, &unfolded));
	assert_int_equal(count_ops(&unfolded.schedule, PHASE_INPUT, OP_LOAD, &n_step), 9 + 6 * 3);
	assert_int_equal(n_step, 3 * 2);
	assert_int_equal(count_ops(&unfolded.schedule, PHASE_WEIGHT, OP_LOAD, &n_step), 0);
	check_coverage(&unfolded);
	schedule_free(&unfolded.schedule);
}

/* Pooling loads the interfaces evenly; a PE takes a part when the one before has left. */
static void test_unfold_pool_is_even(void **state)
{
	(void)state;
	struct machine machine;
	struct unfolded unfolded;
	uint64_t byte[4] = {0};
	struct block block = conv_1x1(28, 28, 300, 300);
	block.kind = BLOCK_POOL;
	block.kernel_w = block.kernel_h = 3;
	block.in_w = block.in_h = 30;
	struct layer_design design = conv_design(&block, 2, 300, STRATEGY_FUSION);
	machine = shipped_machine(machine_path[0]);
	assert_true(unfold(&block, &machine, &design, &unfolded));
	assert_int_equal(unfolded.schedule.n_op, 2 * 600);
	for (uint32_t i = 0; i < unfolded.schedule.n_op; i++) {
		const struct op *op = &unfolded.schedule.op[i];
		byte[op->peer] += op->byte;
		assert_int_equal(op->kind, i % 2 ? OP_STORE : OP_LOAD);
		bool first = i == 0 || op[-1].pe != op->pe;
		assert_int_equal(op->before[0], first ? SCHEDULE_NONE : i - 1);
	}
	for (int dram = 1; dram < 4; dram++)
		assert_int_equal(byte[dram], byte[0]);
	schedule_free(&unfolded.schedule);
}

static void test_unfold_refuses_too_many(void **state)
{
	(void)state;
	struct machine machine;
	struct layer_context context;
	struct schedule schedule;
	struct err err = {0};
	struct block block = conv_1x1(1024, 1024, 1, 128);
	struct layer_design design = conv_design(&block, 1024, 128, STRATEGY_FUSION);
	design.split.w = equal_parts(1024, 1024);
	machine = shipped_machine(machine_path[0]);
	mapper_prepare(&block, &machine, 8, &context);
	assert_int_equal(mapper_unfold(&context, &design, &schedule, &err), ERR_INFEASIBLE);
	assert_int_equal(err.n_message, 1);
	assert_true(schedule.failed && schedule.n_op == 0 && schedule.n_job == 0);
	err_clear(&err);
	schedule_free(&schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_unfold_random_designs),          cmocka_unit_test(test_unfold_deals_filters),
	    cmocka_unit_test(test_unfold_deals_results),           cmocka_unit_test(test_unfold_qpe_reuse_fills_pes),
	    cmocka_unit_test(test_unfold_qpe_reuse_keeps_filters), cmocka_unit_test(test_unfold_pool_is_even),
	    cmocka_unit_test(test_unfold_refuses_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
