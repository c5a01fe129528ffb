/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SAMPLE_SCHEDULE_H
#define TESTS_SAMPLE_SCHEDULE_H
/* A small multi-layer schedule for tests that change a machine's constants. */
#include "mapper/octopus_time.h"

/* Run time of a multi-layer schedule of one linear layer; 0 on a systolic array, which has none. */
static inline double sample_schedule_us(const struct machine *machine, uint32_t level)
{
	const struct block block = {.kind = BLOCK_MATMUL,
	                            .number = 1,
	                            .pool = 1,
	                            .in_w = 64,
	                            .in_h = 1,
	                            .in_c = 1,
	                            .kernel_w = 1,
	                            .kernel_h = 1,
	                            .stride = 1,
	                            .out_w = 128,
	                            .out_h = 1,
	                            .out_c = 1,
	                            .has_quan = true};
	struct octopus_layer layer = {.type = OCTOPUS_LINEAR};
	struct octopus_context context;
	struct octopus_time time;
	if (machine->target == MACHINE_SYSTOLIC)
		return 0;
	octopus_prepare(machine, level, &block, layer.type, &context);
	assert_true(octopus_paper_cut(&layer, &block, 0));
	octopus_price_layer(&context, &layer, &time, NULL);
	return octopus_setup_us(machine, layer.n_worker) + time.total_us + octopus_cleanup_us(machine, layer.n_worker);
}

#endif
