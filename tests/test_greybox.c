/* SPDX-License-Identifier: Apache-2.0 */
/* The grey-box clock model: DVFS paper equation 8 by hand, and what it is linear in. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sim/greybox.h"
#include <math.h>

static void assert_close(double got, double want)
{
	if (!(fabs(got - want) <= 1e-12 * fabs(want)))
		fail_msg("%.15g, expected %.15g", got, want);
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_greybox_equation_by_hand),
	    cmocka_unit_test(test_greybox_counts_whole_rounds),
	    cmocka_unit_test(test_greybox_knows_products_only),
	};
	return cmocka_run_group_tests_name("greybox", tests, NULL, NULL);
}
