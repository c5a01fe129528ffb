/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_QUALITY_H
#define DSE_QUALITY_H
/* How good a front is in itself, for run.json and the table: its hypervolume and its knee. */
#include "dse/pareto/history.h"
#include "dse/pareto/hypervolume.h"
#include "dse/pareto/pareto.h"

struct quality {
	double reference[HYPERVOLUME_MAX_OBJECTIVE]; /* 1.1 times the front's nadir, its largest values */
	double hypervolume;                          /* up to the reference, in the product of the objectives' units */
	double hypervolume_frac;                     /* of the box between 0 and the reference */
	size_t knee;                                 /* point that stands out most (dse/pareto/indicator.h) */
};

/* Of a front with a point at least, in 1..HYPERVOLUME_MAX_OBJECTIVE objectives. false when memory is out. */
bool quality_of_front(const struct pareto *front, struct quality *quality);

/*
 * After how many evaluations a search had each history_share of its last front's hypervolume, up to that front's
 * reference. All 0 in more than 3 objectives, where measuring takes a front's square, and where the front is empty.
 */
void quality_reach(const struct pareto *front, const struct history *history, uint64_t n_evaluation[HISTORY_N_SHARE]);

#endif
