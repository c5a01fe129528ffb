/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SAMPLE_SCHEDULE_H
#define TESTS_SAMPLE_SCHEDULE_H
/* A small multi-layer schedule for tests that change a machine's constants. */
#include "dse/space/space.h"
#include "dse/space/machine_read.h"
#include "mapper/octopus/octopus_schedule.h"
#include <stdio.h>

static inline struct block sample_linear(uint32_t n_in, uint32_t n_out, const uint32_t *producer)
{
	struct block block = block_matmul(1, n_in, n_out);
	snprintf(block.name, sizeof(block.name), "FC");
	block.reads = (struct block_sources){.n = 1, .producer = producer};
	return block;
}

/* The machine that schedules were measured on. */
static inline struct machine sample_final_chip(void)
{
	struct machine machine;
	struct err err = {0};
	if (machine_read("spaces/machines/final_chip.yaml", &machine, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return machine;
}

/* Run time of two linear layers, each on a chip of its own; 0 on a systolic array, which has no such schedules. */
static inline double sample_schedule_us(const struct machine *machine, uint32_t level)
{
	static const uint32_t producer[] = {0, 1};
	struct block block[] = {sample_linear(64, 128, &producer[0]), sample_linear(128, 32, &producer[1])};
	const struct network network = {.name = "sample", .n_block = 2, .block = block};
	const struct octopus_options options = {.level = level, .n_chip = 2, .as_paper = true};
	struct octopus_graph graph;
	struct octopus_schedule schedule;
	double us;
	block[1].same_as = 1;
	if (machine->target == MACHINE_SYSTOLIC || machine_n_pe(machine) < 3)
		return 0;
	if (octopus_build(&network, &graph, NULL) != ERR_OK ||
	    octopus_plan(machine, &graph, &options, &schedule, NULL) != ERR_OK) {
		octopus_free(&graph);
		return 0;
	}
	us = schedule.total_us;
	octopus_schedule_free(&schedule);
	octopus_free(&graph);
	return us;
}

#endif
