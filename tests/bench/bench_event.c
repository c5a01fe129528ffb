/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Speed of the event tier on one core: events a second and nanoseconds per
 * clock of a PE, simulating every event and replaying what recurs. Four PEs run
 * the same task; the first is the longest of the thesis simulator's PE tasks.
 */
#define _GNU_SOURCE
#include "sim/event/event.h"
#include "sim/machine/machine_param.h"
#include "tests/bench/cpu_time.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MIN_S 0.3 /* of CPU time a figure */

static void measure(const char *name, const struct machine *machine, const struct mla_shape *one, bool no_replay)
{
	const struct mla_shape task[] = {*one, *one, *one, *one};
	struct event_option option = {.no_replay = no_replay};
	struct event_result result;
	unsigned n_run = 0;
	double start_s = now_s(), run_s;
	do {
		if (event_run_qpe(machine, task, 4, &option, &result, NULL) != ERR_OK)
			exit(1);
		n_run++;
		run_s = now_s() - start_s;
	} while (run_s < MIN_S);
	run_s /= n_run;
	printf("%-24s %-7s %8" PRIu64 " clk %8" PRIu64 " events %8.3f ms %6.1f M events/s %6.1f ns a PE clock\n", name,
	       no_replay ? "events" : "replay", result.clk, result.n_event, 1e3 * run_s,
	       1e-6 * (double)result.n_event / run_s, 1e9 * run_s / (4 * (double)result.clk));
}

int main(void)
{
	static const struct {
		const char *name;
		uint32_t rows, sram_clk;
		struct mla_shape task;
	} row[] = {
	    {"conv 7x7x128, 16x2",
	     2,
	     2,
	     {.kind = MLA_CONV, .operand_bit = 8, .kernel_w = 7, .kernel_h = 7, .conv = {28, 10, 128, 4, 1}}},
	    {"conv 3x3x256, 16x4",
	     4,
	     1,
	     {.kind = MLA_CONV, .operand_bit = 8, .kernel_w = 3, .kernel_h = 3, .conv = {30, 9, 256, 16, 1}}},
	    {"conv 3x3x64, 16x4",
	     4,
	     1,
	     {.kind = MLA_CONV, .operand_bit = 8, .kernel_w = 3, .kernel_h = 3, .conv = {58, 18, 64, 64, 1}}},
	    {"matmul 1024x256, 16x4",
	     4,
	     1,
	     {.kind = MLA_MATMUL, .operand_bit = 8, .pe_shift = 1, .matmul = {1024, 4, 256}}},
	};
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct machine machine;
		machine_init(&machine, MACHINE_QPE);
		machine.mla_rows = row[i].rows;
		machine.pe_sram_access_clk = row[i].sram_clk;
		machine.n_level = 1;
		machine.level[0].clk_mhz = 250;
		measure(row[i].name, &machine, &row[i].task, true);
		measure(row[i].name, &machine, &row[i].task, false);
	}
	return 0;
}
