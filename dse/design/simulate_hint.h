/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SIMULATE_HINT_H
#define DSE_SIMULATE_HINT_H
/* Where a value that a machine's file leaves at its default decides most of a result: what to look at first. */
#include "dse/design/simulate.h"
#include "dse/space/provenance.h"

/* Shares of all clocks from which on it is said: of ARM operations of one kind, and of clocks that wait for one unit.
 */
#define HINT_PHASE_FRAC 0.15
#define HINT_BOUND_FRAC 0.5

#define HINT_SIZE 400
#define HINT_MAX 16
struct simulate_hint {
	double frac; /* of the clocks of all blocks that are shown */
	char text[HINT_SIZE];
};

/*
 * Hints of a simulation of block [n], shown as in simulate_print, the largest shares first, into hint [HINT_MAX];
 * returns how many. Only parameters count that sources do not have as given and that have their default.
 */
size_t simulate_find_hints(const struct machine *machine, const struct machine_sources *sources,
                           const struct simulated *block, size_t n, const bool *shown,
                           struct simulate_hint hint[HINT_MAX]);

#endif
