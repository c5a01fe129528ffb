/* SPDX-License-Identifier: Apache-2.0 */
/* The physical model of systolic arrays at its limits: the smallest, too large, counts, and what does not fit. */
#include "tests/support/unit_test.h"
#include "sim/event/event_systolic.h"
#include "tests/support/small_array.h"
#include <stdlib.h>
#include <string.h>

static void test_systolic_model_smallest(void **state)
{
	(void)state;
	struct machine machine = small_array();
	machine.systolic.rows = machine.systolic.cols = 1;
	machine.systolic.ifmap_byte = machine.systolic.filter_byte = machine.systolic.ofmap_byte = 2;
	for (int i = 0; i < SYSTOLIC_ANY; i++) {
		struct systolic_work work = {.dataflow = (enum systolic_dataflow)i,
		                             .n_group = 1,
		                             .in_w = 1,
		                             .in_h = 1,
		                             .kernel_w = 1,
		                             .kernel_h = 1,
		                             .stride = 1,
		                             .w = {1, 1, 0, 0},
		                             .h = {1, 1, 0, 0},
		                             .c = {1, 1, 0, 0},
		                             .d = {1, 1, 0, 0}};
		struct systolic_result result = run_closed(&machine, &work);
		/* one tap; or a load and one pixel; a word each at two a clock: 1 and 0.5, rounded up together */
		assert_int_equal(result.total_clk, (i == 0 ? 1 : 2) + 2);
		assert_near(result.mapping_eff, 1, 1e-12);
		/* a thousand groups of it: the interface moves three words for each computing clock or two */
		work.n_group = 1000;
		result = run_closed(&machine, &work);
		assert_int_equal(result.dram_ifmap_read_word, 1000);
		assert_near((double)result.total_clk, i == 0 ? 1500 : 2000, 0.01);
	}
}

static void test_systolic_model_refuses_what_is_too_large(void **state)
{
	(void)state;
	struct machine machine = small_array();
	struct systolic_work work = small_work(SYSTOLIC_OS), changed;
	assert_true(systolic_is_valid(&machine, &work));
	changed = work, changed.n_group = 0;
	assert_false(systolic_is_valid(&machine, &changed));
	changed = work, changed.stride = 0;
	assert_false(systolic_is_valid(&machine, &changed));
	changed = work, changed.kernel_w = 7;
	assert_false(systolic_is_valid(&machine, &changed));
	changed = work, changed.in_h = 5;
	assert_false(systolic_is_valid(&machine, &changed));
	changed = work, changed.dataflow = SYSTOLIC_ANY;
	assert_false(systolic_is_valid(&machine, &changed));
	changed = work, changed.c = (struct systolic_dim){4, 1, 4, 1};
	assert_false(systolic_is_valid(&machine, &changed));
	changed = work, changed.c = (struct systolic_dim){8, 0, 4, 2};
	assert_false(systolic_is_valid(&machine, &changed));
	changed = work, changed.c = (struct systolic_dim){UINT32_MAX, UINT32_MAX, 1, UINT32_MAX};
	assert_false(systolic_is_valid(&machine, &changed));
	changed = work, changed.c = (struct systolic_dim){UINT32_MAX, 1, 0, 0}, changed.d = changed.c;
	assert_false(systolic_is_valid(&machine, &changed));
	changed = work, changed.d = (struct systolic_dim){1, 1u << 30, 0, 0}, changed.n_group = UINT32_MAX;
	assert_false(systolic_is_valid(&machine, &changed));
	/* 4096 x 4096 PEs with nothing to do: clocks are what is too many */
	changed = work, changed.d = (struct systolic_dim){1, 1u << 30, 0, 0};
	assert_true(systolic_is_valid(&machine, &changed));
	machine.systolic.rows = machine.systolic.cols = 4096;
	changed.w = (struct systolic_dim){1, 4, 0, 0};
	changed.n_group = 300;
	assert_false(systolic_is_valid(&machine, &changed));
}

/* 2^52 multiply-accumulates are, one more channel is not, however few clocks they take. */
static void test_systolic_model_counts_to_a_limit(void **state)
{
	(void)state;
	struct machine machine = small_array();
	struct systolic_work work = {.dataflow = SYSTOLIC_OS,
	                             .n_group = 1,
	                             .in_w = 1 << 13,
	                             .in_h = 1 << 13,
	                             .kernel_w = 1,
	                             .kernel_h = 1,
	                             .stride = 1,
	                             .w = {1 << 13, 1, 0, 0},
	                             .h = {1 << 13, 1, 0, 0},
	                             .c = {1 << 13, 1, 0, 0},
	                             .d = {1 << 13, 1, 0, 0}};
	machine.systolic.rows = machine.systolic.cols = 4096;
	assert_true(systolic_is_valid(&machine, &work));
	work.d.size_a++;
	assert_false(systolic_is_valid(&machine, &work));
}

/* The largest that is accepted: nothing overflows, and it is still priced in a moment. */
/* What does not fit is named, with what it asks for. */
static void test_systolic_model_names_what_does_not_fit(void **state)
{
	(void)state;
	static const struct {
		uint32_t ifmap, filter, ofmap;
		enum systolic_operand operand;
		uint64_t demanded, available;
	} row[] = {
	    {71, 1000, 1000, SYSTOLIC_IFMAP, 72, 71},
	    {72, 143, 1000, SYSTOLIC_FILTER, 144, 143},
	    {72, 144, 127, SYSTOLIC_OFMAP, 128, 127},
	};
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct machine machine = small_array();
		struct systolic_work work = small_work(SYSTOLIC_IS);
		struct systolic_misfit misfit;
		machine.systolic.ifmap_byte = row[i].ifmap;
		machine.systolic.filter_byte = row[i].filter;
		machine.systolic.ofmap_byte = row[i].ofmap;
		assert_false(systolic_place(&machine, &work, &misfit));
		assert_int_equal(misfit.operand, row[i].operand);
		assert_int_equal(misfit.demanded_byte, row[i].demanded);
		assert_int_equal(misfit.available_byte, row[i].available);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_systolic_model_smallest),
	    cmocka_unit_test(test_systolic_model_refuses_what_is_too_large),
	    cmocka_unit_test(test_systolic_model_counts_to_a_limit),
	    cmocka_unit_test(test_systolic_model_names_what_does_not_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
