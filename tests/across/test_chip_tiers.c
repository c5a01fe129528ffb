/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reuse on a chip, phase by phase in both tiers, of designs whose time one thing decides. Found among the draws of
 * test_random_tiers.c.
 */
#include "tests/support/unit_test.h"
#include "dse/space/machine_read.h"
#include "sim/fast/fast.h"
#include "tests/support/all_runs.h"
#include "tests/support/plain_block.h"
#include <math.h>

/* A convolution without padding. */
static struct block bare_conv(uint32_t out_w, uint32_t out_h, uint32_t in_c, uint32_t out_c, uint32_t kernel)
{
	struct block block = plain_conv(out_w, in_c, out_c, kernel);
	block.pad_left = block.pad_right = block.pad_top = block.pad_bottom = 0;
	block.has_padd = false;
	block.out_h = out_h;
	block.in_w = out_w + kernel - 1;
	block.in_h = out_h + kernel - 1;
	return block;
}

static struct machine read_machine(const char *path)
{
	struct machine machine;
	assert_int_equal(machine_read(path, &machine, NULL), ERR_OK);
	machine.n_level = 1;
	return machine;
}

/* A design that runs, in both tiers. */
static void run_both(const struct machine *machine, const struct block *block, const struct layer_design *design,
                     struct sim_result *fast, struct sim_result *event)
{
	struct layer_context context;
	struct program program;
	struct verdict verdict;
	mapper_prepare_form(block, machine, design->operand_bit, design->form, &context);
	assert_true(mapper_distribute(&context, design, &program, &verdict));
	fast_run(machine, &program, 0, fast);
	struct detail_run run = {.context = &context, .design = design};
	run_all(&run, 1, (struct detail_options){.detail = DETAIL_EVENT, .n_thread = 1});
	*event = run.result;
}

/* The phase takes as long in both tiers, within a fraction. */
static void assert_phase(const struct machine *machine, const struct block *block, const struct layer_design *design,
                         enum phase phase, double most_frac)
{
	struct sim_result fast, event;
	run_both(machine, block, design, &fast, &event);
	double fast_clk = (double)fast.phase_clk[phase], event_clk = (double)event.phase_clk[phase];
	print_message("%s: fast %.0f, event %.0f clk\n", phase_name[phase], fast_clk, event_clk);
	assert_true(event_clk > 0 && fabs(fast_clk / event_clk - 1) <= most_frac);
}

/* What PEs count adds up alike, however many a QPE has: up to the most that the event tier takes. */
static void test_chip_tiers_count_alike_with_any_number_of_pes(void **state)
{
	static const uint32_t n_pe[] = {1, 3, 4, 8, 16};
	(void)state;
	for (size_t i = 0; i < sizeof(n_pe) / sizeof(n_pe[0]); i++) {
		struct machine machine = read_machine("spaces/machines/dvfs_chip.yaml");
		struct block block = bare_conv(16, 16, 8, 64, 3);
		const struct layer_design design = {.split = {.w = {.size_a = 16, .n_a = 1},
		                                              .h = {.size_a = 4, .n_a = 4},
		                                              .c = {.size_a = 4, .n_a = 16},
		                                              .d = {.size_a = 8, .n_a = 1}},
		                                    .strategy = STRATEGY_FUSION,
		                                    .operand_bit = 8};
		struct sim_result fast, event;
		machine.qpe_n_pe = n_pe[i];
		run_both(&machine, &block, &design, &fast, &event);
		const struct counts *a = &fast.counts, *b = &event.counts;
		print_message("%u PEs: words read %.0f, %.0f, written %.0f, %.0f\n", n_pe[i], a->sram_read_word,
		              b->sram_read_word, a->sram_write_word, b->sram_write_word);
		assert_true(a->mla_clk == b->mla_clk && a->mac == b->mac);
		assert_true(a->dram_read_byte == b->dram_read_byte && a->dram_write_byte == b->dram_write_byte);
		assert_true(a->sram_read_word == b->sram_read_word && a->sram_write_word == b->sram_write_word);
	}
}

/* One filter part is ten times as large as the others, so all PEs of its QPE fetch operand A from one SRAM. */
static void test_chip_tiers_agree_on_one_large_filter_part(void **state)
{
	struct machine machine = read_machine("spaces/machines/dvfs_chip.yaml");
	struct block block = bare_conv(9, 36, 16, 253, 3);
	const struct layer_design design = {.split = {.w = {.size_a = 1, .n_a = 9},
	                                              .h = {.size_a = 4, .n_a = 9},
	                                              .c = {.size_a = 211, .n_a = 1, .size_b = 6, .n_b = 7},
	                                              .d = {.size_a = 16, .n_a = 1}},
	                                    .strategy = STRATEGY_FUSION_REUSE,
	                                    .operand_bit = 8,
	                                    .in_storage = true,
	                                    .out_storage = true};
	(void)state;
	machine.mla_rows = 8;
	machine.dram_n = 4;
	machine.pe_sram_byte = 256 * 1024;
	assert_phase(&machine, &block, &design, PHASE_COMPUTATION, 0.05);
}

/* PEs have one result or two, so a link to a storage QPE has more than if all had as many. */
static void test_chip_tiers_agree_on_results_unevenly_spread(void **state)
{
	struct machine machine = read_machine("spaces/machines/thesis_chip.yaml");
	struct block block = bare_conv(36, 48, 7, 139, 1);
	const struct layer_design design = {.split = {.w = {.size_a = 17, .n_a = 2, .size_b = 2, .n_b = 1},
	                                              .h = {.size_a = 12, .n_a = 2, .size_b = 8, .n_b = 3},
	                                              .c = {.size_a = 4, .n_a = 34, .size_b = 3, .n_b = 1},
	                                              .d = {.size_a = 7, .n_a = 1}},
	                                    .strategy = STRATEGY_FUSION_REUSE,
	                                    .operand_bit = 8,
	                                    .form = FORM_PACKED,
	                                    .in_storage = true,
	                                    .out_storage = true};
	(void)state;
	machine.noc_clk_mhz = 200;
	machine.noc_router_packet = 3;
	machine.dram_n = 1;
	assert_phase(&machine, &block, &design, PHASE_COMPUTATION, 0.05);
}

/* A mesh of 2x2, whose results, commands and reports have shorter ways than those that set-ups were measured on. */
static void test_chip_tiers_agree_on_a_small_mesh(void **state)
{
	struct machine machine = read_machine("spaces/machines/dvfs_chip.yaml");
	struct block block = bare_conv(7, 10, 6, 242, 1);
	const struct layer_design design = {.split = {.w = {.size_a = 7, .n_a = 1},
	                                              .h = {.size_a = 5, .n_a = 2},
	                                              .c = {.size_a = 14, .n_a = 17, .size_b = 4, .n_b = 1},
	                                              .d = {.size_a = 6, .n_a = 1}},
	                                    .strategy = STRATEGY_FUSION_REUSE,
	                                    .operand_bit = 8,
	                                    .out_storage = true};
	(void)state;
	machine.noc_clk_mhz = 200;
	machine.level[0].clk_mhz = 250;
	machine.mla_rows = 8;
	machine.chip.mesh_w = machine.chip.mesh_h = 2;
	machine.chip.n_qpe = 4;
	machine.chip.n_storage_qpe = 1;
	assert_phase(&machine, &block, &design, PHASE_COMPUTATION, 0.08);
}

/* Clocks of a fused layer by each tier: fast, event. */
static void find_fused_clk(const struct machine *machine, double clk[2])
{
	struct block block = bare_conv(8, 8, 8, 16, 1);
	const struct layer_design design = {.split = {.w = {.size_a = 4, .n_a = 2},
	                                              .h = {.size_a = 4, .n_a = 2},
	                                              .c = {.size_a = 4, .n_a = 4},
	                                              .d = {.size_a = 8, .n_a = 1}},
	                                    .strategy = STRATEGY_FUSION,
	                                    .operand_bit = 8};
	struct sim_result fast, event;
	run_both(machine, &block, &design, &fast, &event);
	clk[0] = (double)fast.phase_clk[PHASE_TASKS];
	clk[1] = (double)event.phase_clk[PHASE_TASKS];
}

/* A job waits for the host four times: for the load's command and report, the task's command, the result's report. */
static void test_chip_tiers_agree_on_the_hosts_latency(void **state)
{
	static const char *const path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/final_chip.yaml",
	                                   "spaces/machines/thesis_qpe_dram.yaml"};
	(void)state;
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		struct machine machine = read_machine(path[i]);
		double clk[2], slow_clk[2];
		find_fused_clk(&machine, clk);
		machine.chip.host_latency_clk += 20;
		find_fused_clk(&machine, slow_clk);
		print_message("%s: fast %.0f + %.0f, event %.0f + %.0f clk\n", machine.name, clk[0],
		              slow_clk[0] - clk[0], clk[1], slow_clk[1] - clk[1]);
		bool is_chip = machine.target == MACHINE_CHIP; /* a QPE's PEs take several jobs */
		assert_true(fabs((slow_clk[0] - clk[0]) / (slow_clk[1] - clk[1]) - 1) <= (is_chip ? 0.03 : 0.1));
		assert_true(!is_chip || slow_clk[0] - clk[0] == 4 * 20);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_chip_tiers_count_alike_with_any_number_of_pes),
	    cmocka_unit_test(test_chip_tiers_agree_on_one_large_filter_part),
	    cmocka_unit_test(test_chip_tiers_agree_on_results_unevenly_spread),
	    cmocka_unit_test(test_chip_tiers_agree_on_a_small_mesh),
	    cmocka_unit_test(test_chip_tiers_agree_on_the_hosts_latency),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
