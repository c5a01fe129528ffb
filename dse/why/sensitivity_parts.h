/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SENSITIVITY_PARTS_H
#define DSE_SENSITIVITY_PARTS_H
/* Inside of a sensitivity: which parameters have bars, and at which values. */
#include "dse/why/sensitivity.h"

/*
 * Clocks of software and of set-up are many: one has bars where a space declares it, or where a next value lowers latency
 * or energy by so much with the mapping as it is.
 */
#define SENSITIVITY_SMALL 0.005
#define SENSITIVITY_SMALL_REASON \
	"clocks of software and set-up: a next value lowers neither latency nor energy by 0.5 % with the mapping as it is"
#define SENSITIVITY_LIMITS_REASON "clocks of software and set-up: within limits they have bars as axes of a run alone"
#define SENSITIVITY_UNSEARCHED_REASON "not all of their next values were searched here; 'dse sensitivity' searches them"

bool sensitivity_is_software(const struct machine_param *param);

void sensitivity_leave_out(struct sensitivity *sensitivity, const char *key, const char *reason);

/* Bars that are empty so far, those of a parameter together, and what is left out, of a machine as it is. */
void sensitivity_list_values(const struct space *space, const struct machine *machine, struct sensitivity *sensitivity);

#endif
