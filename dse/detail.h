/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_DETAIL_H
#define DSE_DETAIL_H
/*
 * The tiers of the simulator as the commands offer them (--detail): one design of
 * a block in, clocks and counts out, at the level of detail that was asked for.
 */
#include "mapper/design.h"

enum detail {
	DETAIL_FAST,  /* closed forms (sim/sim.h) */
	DETAIL_EVENT, /* event by event (sim/event_run.h) */
	N_DETAIL
};
extern const char *const detail_name[N_DETAIL]; /* "fast", "event" */

#endif
