/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SCHEDULE_REPORT_H
#define DSE_SCHEDULE_REPORT_H
/* What a multi-layer schedule takes, as text and JSON. */
#include "mapper/octopus/octopus_schedule.h"
#include <stdio.h>

extern const char *const octopus_goal_name[N_OCTOPUS_GOAL]; /* "latency", "energy" */

struct schedule_report {
	const struct machine *machine;
	const struct octopus_graph *graph; /* as cut */
	const struct octopus_options *options;
	const struct octopus_schedule *schedule;
};

/* One line a layer, us by part; then setup, cleanup, chips and totals. */
void schedule_print(const struct schedule_report *report, FILE *file);

/* The same as one object. */
void schedule_put_json(const struct schedule_report *report, FILE *file);

#endif
