/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SMALL_ARRAY_H
#define TESTS_SMALL_ARRAY_H
/* A systolic array and a layer small enough to count by hand. */
#include "tests/support/near.h"
#include "sim/machine/machine_check.h"
#include "sim/machine/machine_param.h"
#include "sim/systolic/systolic_place.h"
#include "sim/systolic/systolic_model.h"
#include <stdio.h>

/* 4 x 4 PEs, 2 words a clock, room for everything. */
static inline struct machine small_array(void)
{
	struct machine machine;
	machine_init(&machine, MACHINE_SYSTOLIC);
	snprintf(machine.name, sizeof(machine.name), "small");
	machine.systolic.rows = machine.systolic.cols = 4;
	machine.systolic.ifmap_byte = machine.systolic.filter_byte = machine.systolic.ofmap_byte = 100000;
	machine.systolic.memory_gb_s = 0.5;
	machine.n_level = 1;
	machine.level[0] = (struct operating_point){.name = "nominal", .vdd_v = 0.5, .clk_mhz = 250, .mla_clk_pj = 64};
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	return machine;
}

/* 4 x 4 pixels, 8 filters, 2 channels, 3 x 3: 18 taps, 72 ifmap words, 144 of filters, 128 results. */
static inline struct systolic_work small_work(enum systolic_dataflow dataflow)
{
	return (struct systolic_work){.dataflow = dataflow,
	                              .n_group = 1,
	                              .in_w = 6,
	                              .in_h = 6,
	                              .kernel_w = 3,
	                              .kernel_h = 3,
	                              .stride = 1,
	                              .w = {4, 1, 0, 0},
	                              .h = {4, 1, 0, 0},
	                              .c = {8, 1, 0, 0},
	                              .d = {2, 1, 0, 0}};
}

/* The closed form: words, clocks, utilisations. */
static inline void systolic_run(const struct machine *machine, const struct systolic_work *work, uint32_t level,
                                struct systolic_result *result)
{
	struct systolic_time time = systolic_run_time(machine, work, systolic_bandwidth_word(machine, level));
	*result = (struct systolic_result){0};
	systolic_words(machine, work, result);
	systolic_finish(machine, work, &time, result);
}

static inline struct systolic_result run_closed(const struct machine *machine, struct systolic_work *work)
{
	struct systolic_misfit misfit;
	struct systolic_result result;
	assert_true(systolic_is_valid(machine, work));
	assert_true(systolic_place(machine, work, &misfit));
	systolic_run(machine, work, 0, &result);
	return result;
}

#endif
