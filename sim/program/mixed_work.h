/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MIXED_WORK_H
#define SIM_MIXED_WORK_H
/* What mixed operating points (sim/program/mixed.h) need to know of a program. */
#include <stdbool.h>
#include <stdint.h>

/* What a program's loops of tasks are, as far as it matters to PEs that take turns. */
struct mixed_work {
	uint64_t n_round;   /* tasks one after the other, of the busiest PE; 0: there are none */
	uint64_t n_barrier; /* stretches after each of which all PEs wait for each other; 1 or more */
	uint64_t n_task;    /* in all, of which no PE has two fewer than another; 0: that is not known */
	uint32_t n_pe;      /* that they are dealt to; 0: not known */
	uint32_t n_idle_pe; /* of the machine's others those that have no part in them */
	bool is_least;      /* the results are lower bounds: let the combined one be one, too */
};

#endif
