/* SPDX-License-Identifier: Apache-2.0 */
/* The grey-box clock model: DVFS paper equation 8 by hand, what it is linear in, and programs timed by it. */
#include "tests/support/unit_test.h"
#include "dse/space/detail.h"
#include "sim/mla/greybox.h"
#include "sim/machine/machine_check.h"
#include "sim/machine/machine_param.h"
#include "tests/support/sample_design.h"
#include "tests/support/near.h"
#include <math.h>
#include <stdio.h>

/* VGG-16's first layer with its padding: 224 x 224 outputs of 3x3x3 taps. */
static const struct greybox_shape first = {226, 226, 3, 64, 3, 3, 16, 4};

static void test_greybox_equation_by_hand(void **state)
{
	(void)state;
	const struct greybox_theta theta = {.init_clk = 100, .wb_clk = 16, .a = 1.25, .b = 1.5};
	assert_close(greybox_n_round(&first), 14.0 * 224 * 16);
	assert_close(greybox_n_tap(&first), 27);
	assert_close(greybox_clk(&first, &theta), 100 + 14.0 * 224 * (1.25 * 27 + 16) * 16 * 1.5);
}

/* Blocks of columns and groups of filters are whole: 17 outputs take two blocks, 5 filters two groups. */
static void test_greybox_counts_whole_rounds(void **state)
{
	(void)state;
	const struct greybox_theta theta = {0, 0, 1, 1};
	struct greybox_shape shape = {18, 3, 1, 4, 3, 3, 16, 4};
	assert_close(greybox_clk(&shape, &theta), 9);
	shape.in_w = 19;
	assert_close(greybox_clk(&shape, &theta), 18);
	shape.out_c = 5;
	assert_close(greybox_clk(&shape, &theta), 36);
	shape.in_w = shape.in_h = 3; /* as large as the kernel: one output */
	shape.out_c = 1;
	assert_close(greybox_clk(&shape, &theta), 9);
	shape.cols = 1;
	shape.in_w = 12;
	assert_close(greybox_clk(&shape, &theta), 90);
}

/* b multiplies a and clks_wb, so clocks tell only their products. */
static void test_greybox_knows_products_only(void **state)
{
	(void)state;
	const struct greybox_theta theta = {7, 12, 1.2, 2}, other = {7, 24, 2.4, 1};
	assert_close(greybox_clk(&first, &theta), greybox_clk(&first, &other));
}

/* A machine of one QPE whose constants are these, for convolutions and for matrix multiplications. */
static struct machine machine_with(struct greybox_theta conv, struct greybox_theta matmul)
{
	struct machine machine;
	machine_init(&machine, MACHINE_QPE);
	snprintf(machine.name, sizeof(machine.name), "machine");
	machine.n_level = 1;
	machine.level[0] =
	    (struct operating_point){.name = "nominal", .vdd_v = 0.5, .clk_mhz = 250, .conv = conv, .matmul = matmul};
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	return machine;
}

static struct sim_result run(const struct machine *machine, const struct sample *sample, enum detail detail)
{
	struct layer_context context;
	const struct detail_options options = {.detail = detail};
	mapper_prepare(&sample->block, machine, 8, &context);
	struct detail_run run = {.context = &context, .design = &sample->design};
	detail_run(&run, &options);
	assert_true(run.ran);
	return run.result;
}

/* 28 maps and 32 filter parts on four PEs, all alike: 224 tasks of 30x6x128 by 3x3 and 4 filters after one another. */
static void test_greybox_times_the_tasks_of_a_program(void **state)
{
	(void)state;
	const struct greybox_theta theta = {100, 20, 1.5, 1}, none = {0, 0, 0, 0};
	const struct greybox_shape tile = {30, 6, 128, 4, 3, 3, 16, 4};
	const double n_task = 28.0 * 32 / 4, n_round = 2 * 4, n_tap = 9 * 128;
	struct sample sample = sample_conv(2, 14, 32, STRATEGY_FUSION_REUSE);
	struct machine machine = machine_with(theta, none);
	struct sim_result result = run(&machine, &sample, DETAIL_GREYBOX);
	double clk = (double)result.phase_clk[PHASE_COMPUTATION];
	assert_true(clk > n_task * greybox_clk(&tile, &theta));
	machine.level[0].conv.init_clk += 50;
	result = run(&machine, &sample, DETAIL_GREYBOX);
	assert_close((double)result.phase_clk[PHASE_COMPUTATION] - clk, 50 * n_task);
	machine.level[0].conv = theta;
	machine.level[0].conv.wb_clk += 5;
	result = run(&machine, &sample, DETAIL_GREYBOX);
	assert_close((double)result.phase_clk[PHASE_COMPUTATION] - clk, 5 * n_round * n_task);
	machine.level[0].conv = theta;
	machine.level[0].conv.a += 0.5;
	result = run(&machine, &sample, DETAIL_GREYBOX);
	assert_close((double)result.phase_clk[PHASE_COMPUTATION] - clk, 0.5 * n_tap * n_round * n_task);
}

/* Constants that undercut the array count as the array; other phases, counts and traffic are the fast tier's. */
static void test_greybox_keeps_to_the_array(void **state)
{
	(void)state;
	const struct greybox_theta none = {0, 0, 0, 0};
	struct machine machine = machine_with(none, none);
	struct sample sample[] = {sample_conv(2, 14, 32, STRATEGY_FUSION_REUSE),
	                          sample_conv(2, 14, 32, STRATEGY_NO_FUSION), sample_matmul(), sample_pool()};
	for (size_t i = 0; i < sizeof(sample) / sizeof(sample[0]); i++) {
		struct sim_result fast = run(&machine, &sample[i], DETAIL_FAST),
				  greybox = run(&machine, &sample[i], DETAIL_GREYBOX);
		assert_true(greybox.total_clk <= fast.total_clk);
		assert_true((double)greybox.total_clk + 1 >= greybox.counts.mac / 256);
		assert_true(greybox.counts.mla_clk == fast.counts.mla_clk);
		assert_true(greybox.counts.dram_read_byte == fast.counts.dram_read_byte);
		for (int k = 0; k < N_PHASE; k++)
			if (k != PHASE_COMPUTATION && k != PHASE_TASKS)
				assert_int_equal(greybox.phase_clk[k], fast.phase_clk[k]);
	}
}

/* A matrix multiplication has constants of its own. */
static void test_greybox_tells_kinds_of_tasks_apart(void **state)
{
	(void)state;
	const struct greybox_theta theta = {100, 20, 1.5, 1}, slow = {1e5, 20, 1.5, 1};
	struct sample conv = sample_conv(2, 14, 32, STRATEGY_FUSION), matmul = sample_matmul();
	struct machine both = machine_with(theta, theta), other = machine_with(theta, slow);
	assert_int_equal(run(&both, &conv, DETAIL_GREYBOX).total_clk, run(&other, &conv, DETAIL_GREYBOX).total_clk);
	assert_true(run(&both, &matmul, DETAIL_GREYBOX).total_clk < run(&other, &matmul, DETAIL_GREYBOX).total_clk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_greybox_equation_by_hand),
	    cmocka_unit_test(test_greybox_counts_whole_rounds),
	    cmocka_unit_test(test_greybox_knows_products_only),
	    cmocka_unit_test(test_greybox_times_the_tasks_of_a_program),
	    cmocka_unit_test(test_greybox_keeps_to_the_array),
	    cmocka_unit_test(test_greybox_tells_kinds_of_tasks_apart),
	};
	return cmocka_run_group_tests_name("greybox", tests, NULL, NULL);
}
