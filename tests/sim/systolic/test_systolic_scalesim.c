/* SPDX-License-Identifier: Apache-2.0 */
/* Machines whose memory model is SCALE-Sim's: its own figures, through a machine and a program. */
#include "tests/support/unit_test.h"
#include "mapper/split/design.h"
#include "mapper/split/splitter.h"
#include "sim/base/csv.h"
#include "sim/event/event_systolic.h"
#include "sim/systolic/scalesim.h"
#include "sim/systolic/systolic_scalesim.h"
#include "tests/support/random_systolic.h"
#include "tests/support/sample_systolic.h"
#include "tests/support/slow_build.h"
#include "tests/support/plain_block.h"
#include <stdlib.h>
#include <string.h>

#define TABLE "tests/reference/scalesim_reference.csv"
#define ROW_STEP (SLOW_BUILD ? 29 : 7)

static const char *text_of(const struct csv_table *table, size_t row, const char *column)
{
	size_t at = csv_find_column(table, column);
	assert_true(at != CSV_NO_COLUMN);
	return csv_get_cell(table, row, at)->text;
}

static uint64_t count_of(const struct csv_table *table, size_t row, const char *column)
{
	return strtoull(text_of(table, row, column), NULL, 10);
}

static uint32_t u32_of(const struct csv_table *table, size_t row, const char *column)
{
	return (uint32_t)count_of(table, row, column);
}

/* 1000 MHz: as many words a clock as GB/s. */
static struct machine scalesim_machine(void)
{
	struct machine machine;
	machine_init(&machine, MACHINE_SYSTOLIC);
	snprintf(machine.name, sizeof(machine.name), "scalesim");
	machine.systolic.memory = SYSTOLIC_SCALESIM;
	machine.n_level = 1;
	machine.level[0] = (struct operating_point){
	    .name = "nominal", .vdd_v = 0.5, .clk_mhz = 1000, .mla_clk_pj = 64, .sram_read32_pj = 4, .pe_static_mw = 1};
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	return machine;
}

static struct machine machine_of(const struct csv_table *table, size_t row)
{
	struct machine machine = scalesim_machine();
	bool is_user = strcmp(text_of(table, row, "mode"), "USER") == 0;
	machine.systolic.rows = u32_of(table, row, "rows");
	machine.systolic.cols = u32_of(table, row, "cols");
	machine.systolic.ifmap_byte = 1024 * u32_of(table, row, "ifmap_kib");
	machine.systolic.filter_byte = 1024 * u32_of(table, row, "filter_kib");
	machine.systolic.ofmap_byte = 1024 * u32_of(table, row, "ofmap_kib");
	machine.systolic.memory = is_user ? SYSTOLIC_SCALESIM : SYSTOLIC_SCALESIM_CALC;
	if (is_user)
		machine.systolic.memory_gb_s = u32_of(table, row, "bandwidth_word_per_clk");
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	return machine;
}

/* The tool's outputs: rounded up. */
static uint32_t outputs(uint32_t in, uint32_t kernel, uint32_t stride)
{
	return (in - kernel + 2 * stride - 1) / stride;
}

static struct systolic_work work_of(const struct csv_table *table, size_t row)
{
	struct systolic_work work = {
	    .dataflow = SYSTOLIC_OS,
	    .n_group = 1,
	    .in_w = u32_of(table, row, "ifmap_w"),
	    .in_h = u32_of(table, row, "ifmap_h"),
	    .kernel_w = u32_of(table, row, "filter_w"),
	    .kernel_h = u32_of(table, row, "filter_h"),
	    .stride = u32_of(table, row, "stride"),
	    .c = {u32_of(table, row, "n_filter"), 1, 0, 0},
	    .d = {u32_of(table, row, "channels"), 1, 0, 0},
	};
	work.w = (struct systolic_dim){outputs(work.in_w, work.kernel_w, work.stride), 1, 0, 0};
	work.h = (struct systolic_dim){outputs(work.in_h, work.kernel_h, work.stride), 1, 0, 0};
	return work;
}

static void test_systolic_scalesim_machines_equal_its_runs(void **state)
{
	struct csv_table table = {0};
	(void)state;
	assert_int_equal(csv_read_file(TABLE, &table, NULL), ERR_OK);
	for (size_t row = 0; row < table.n_row; row += ROW_STEP) {
		struct machine machine = machine_of(&table, row);
		struct systolic_work work = work_of(&table, row);
		struct systolic_result result;
		assert_true(systolic_is_valid(&machine, &work) && systolic_scalesim_serves(&machine, &work));
		assert_int_equal(systolic_scalesim_run(&machine, &work, 0, NULL, &result, NULL), ERR_OK);
		assert_int_equal(result.total_clk, count_of(&table, row, "total_clk"));
		assert_int_equal(result.stall_clk, count_of(&table, row, "stall_clk"));
		assert_int_equal(result.dram_ifmap_read_word, count_of(&table, row, "dram_ifmap_read_word"));
		assert_int_equal(result.dram_filter_read_word, count_of(&table, row, "dram_filter_read_word"));
		assert_int_equal(result.dram_ofmap_write_word, count_of(&table, row, "dram_ofmap_write_word"));
	}
	csv_free(&table);
}

/* Both tiers replay, and price what the replay counts; groups are layers of their own. */
static void test_systolic_scalesim_prices_programs(void **state)
{
	(void)state;
	struct rng rng = rng_stream(21, 0, 0);
	for (int i = 0; i < 200; i++) {
		struct machine machine = scalesim_machine();
		struct systolic_work work = random_work(&rng, 12, 12, 1);
		struct program program = {.n_step = 1, .step = {{.kind = STEP_SYSTOLIC, .phase = PHASE_COMPUTATION}}};
		struct systolic_result one, all;
		struct sim_result fast, event;
		machine.systolic.rows = 1 + rng_below(&rng, 16);
		machine.systolic.cols = 1 + rng_below(&rng, 16);
		machine.systolic.ifmap_byte = machine.systolic.filter_byte = 200 + rng_below(&rng, 3000);
		machine.systolic.ofmap_byte = 100 + rng_below(&rng, 3000);
		machine.systolic.memory_gb_s = 1 + 4 * rng_unit(&rng);
		machine.systolic.memory = rng_below(&rng, 2) ? SYSTOLIC_SCALESIM : SYSTOLIC_SCALESIM_CALC;
		work.dataflow = SYSTOLIC_OS;
		assert_true(systolic_is_valid(&machine, &work));
		assert_int_equal(systolic_scalesim_serves(&machine, &work), work.dilation == 1);
		if (work.dilation > 1)
			continue;
		program.step[0].u.systolic = work;
		systolic_counts(&machine, &work, &program.step[0].counts);
		assert_int_equal(systolic_scalesim_run(&machine, &work, 0, NULL, &all, NULL), ERR_OK);
		fast_run(&machine, &program, 0, &fast);
		assert_int_equal(event_systolic_run_program(&machine, &program, 0, NULL, &event, NULL, NULL), ERR_OK);
		assert_int_equal(fast.total_clk, all.total_clk);
		assert_int_equal(fast.phase_clk[PHASE_STALL], all.stall_clk);
		assert_int_equal(event.total_clk, all.total_clk);
		assert_true(fast.energy.total_pj == event.energy.total_pj);
		assert_true(fast.counts.dram_read_byte ==
		            (double)(all.dram_ifmap_read_word + all.dram_filter_read_word));
		assert_true(fast.counts.dram_write_byte == (double)all.dram_ofmap_write_word);
		const uint32_t n_group = work.n_group;
		work.n_group = 1;
		assert_int_equal(systolic_scalesim_run(&machine, &work, 0, NULL, &one, NULL), ERR_OK);
		assert_int_equal(all.total_clk, n_group * one.total_clk);
		assert_int_equal(all.stall_clk, n_group * one.stall_clk);
		assert_int_equal(all.dram_ifmap_read_word, n_group * one.dram_ifmap_read_word);
		assert_int_equal(all.sram_filter_read_word, n_group * one.sram_filter_read_word);
		if (machine.systolic.memory == SYSTOLIC_SCALESIM_CALC)
			assert_int_equal(all.stall_clk, 0);
	}
}

/* Lines that no output sees do not make one more of them. */
static void test_systolic_scalesim_leaves_out_unseen_lines(void **state)
{
	(void)state;
	struct machine machine = scalesim_machine();
	machine.systolic.memory = SYSTOLIC_SCALESIM_CALC;
	struct systolic_work work = sample_systolic_work();
	struct systolic_result exact, more;
	work.c = (struct systolic_dim){8, 1, 0, 0};
	work.d = (struct systolic_dim){4, 1, 0, 0};
	work.w = (struct systolic_dim){10, 1, 0, 0};
	work.h = (struct systolic_dim){10, 1, 0, 0};
	work.stride = 2;
	work.in_w = work.in_h = 21;
	assert_int_equal(systolic_scalesim_run(&machine, &work, 0, NULL, &exact, NULL), ERR_OK);
	work.in_w = work.in_h = 22;
	assert_int_equal(systolic_scalesim_run(&machine, &work, 0, NULL, &more, NULL), ERR_OK);
	assert_memory_equal(&exact, &more, sizeof(exact));
}

static void assert_refused(struct machine machine, const char *text)
{
	struct err err = {0};
	assert_int_equal(machine_check(&machine, &err), ERR_INPUT);
	assert_int_equal(err.n_message, 1);
	assert_non_null(strstr(err_text(&err), text));
	err_clear(&err);
}

static void test_systolic_scalesim_refuses_what_it_does_not_know(void **state)
{
	(void)state;
	struct machine good = scalesim_machine(), machine;
	machine = good, machine.systolic.word_byte = 2;
	assert_refused(machine, "systolic.word_byte: found 2");
	machine = good, machine.systolic.dataflow = SYSTOLIC_WS;
	assert_refused(machine, "systolic.dataflow");
	machine = good, machine.systolic.memory_gb_s = 0.9;
	assert_refused(machine, "systolic.memory_gb_s: found 0.9, at level 'nominal'");
	machine.systolic.memory = SYSTOLIC_SCALESIM_CALC;
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	assert_true(systolic_can(&good, SYSTOLIC_OS));
	assert_false(systolic_can(&good, SYSTOLIC_WS) || systolic_can(&good, SYSTOLIC_IS));
	/* tiles; too many words; 2^27 words of filters and no more */
	struct systolic_work work = sample_systolic_work();
	assert_false(systolic_scalesim_serves(&good, &work));
	work.h = (struct systolic_dim){112, 1, 0, 0};
	work.c = (struct systolic_dim){444, 1, 0, 0};
	work.d = (struct systolic_dim){400, 1, 0, 0};
	assert_true(systolic_scalesim_serves(&good, &work));
	work.c.size_a = 1 << 18;
	assert_false(systolic_scalesim_serves(&good, &work));
	work = sample_systolic_work();
	work.kernel_w = work.kernel_h = work.in_w = work.in_h = 1;
	work.w = work.h = (struct systolic_dim){1, 1, 0, 0};
	work.c = work.d = (struct systolic_dim){1 << 13, 1, 0, 0};
	assert_true(systolic_scalesim_serves(&good, &work));
	work.c.size_a = (1 << 14) + 1;
	assert_false(systolic_scalesim_serves(&good, &work));
}

/* The mapper hands it whole layers, and says why it does not hand it others. */
static void test_systolic_scalesim_maps_whole_layers(void **state)
{
	(void)state;
	struct machine machine = scalesim_machine();
	struct block block = plain_conv(12, 8, 20, 3);
	block.in_w = block.in_h = 14;
	block.pad_left = block.pad_right = block.pad_top = block.pad_bottom = 0;
	struct layer_context context;
	struct program program;
	struct verdict verdict;
	struct split split;
	double latency_ns;
	machine.systolic.ifmap_byte = 2; /* no tile fits; by these rules everything does */
	mapper_prepare(&block, &machine, 8, &context);
	struct layer_design design = {
	    .split = split_whole_group(&block), .strategy = STRATEGY_OUTPUT_STATIONARY, .operand_bit = 8};
	assert_true(mapper_distribute(&context, &design, &program, &verdict));
	assert_true(splitter_systolic(&context, STRATEGY_OUTPUT_STATIONARY, 0, &split, &latency_ns));
	assert_int_equal(split_n_task(&split), 1);
	assert_true(latency_ns > 0);
	design.reuse = REUSE_IFMAP;
	assert_false(mapper_distribute(&context, &design, &program, &verdict));
	assert_int_equal(verdict.reason, VERDICT_SCALESIM);
	design.reuse = REUSE_AUTO;
	design.split.c = dim_even(20, 2, 1);
	assert_false(mapper_distribute(&context, &design, &program, &verdict));
	assert_int_equal(verdict.reason, VERDICT_SCALESIM);
	design.split.c = dim_whole(20);
	design.strategy = STRATEGY_WEIGHT_STATIONARY;
	assert_false(mapper_distribute(&context, &design, &program, &verdict));
	assert_int_equal(verdict.reason, VERDICT_DATAFLOW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_systolic_scalesim_machines_equal_its_runs),
	    cmocka_unit_test(test_systolic_scalesim_prices_programs),
	    cmocka_unit_test(test_systolic_scalesim_leaves_out_unseen_lines),
	    cmocka_unit_test(test_systolic_scalesim_refuses_what_it_does_not_know),
	    cmocka_unit_test(test_systolic_scalesim_maps_whole_layers),
	};
	return cmocka_run_group_tests_name("systolic_scalesim", tests, NULL, NULL);
}
