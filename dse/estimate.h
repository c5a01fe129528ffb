/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ESTIMATE_H
#define DSE_ESTIMATE_H
/*
 * Estimate: how large a space is, and about how long and in how much memory an
 * exhaustive search of it runs, before it runs: counted on some machine
 * candidates, timed on a small random sample of their designs.
 */
#include "dse/layers.h"

#define ESTIMATE_WHY_SIZE 160

struct estimate {
	uint64_t n_machine, n_sampled, n_refused; /* candidates; looked at; of these refused */
	char why[ESTIMATE_WHY_SIZE];              /* why the last refused one was */
	double n_legal, n_candidate;           /* layer designs on all machines, splits as the rules say and reduced */
	double log10_design;                   /* designs of all networks together, on one machine */
	double evaluated_frac;                 /* share of the candidates that no cut saves */
	double n_evaluation, evaluation_per_s; /* expected; measured, one core */
	double seconds, memory_mb;
	unsigned n_thread;
	struct layer_set *set; /* the first machine that is not refused; NULL: there is none. layer_set_free */
};

/* ERR_INPUT, ERR_INTERNAL. Takes a fraction of a second. */
enum err_code estimate_space(const struct space *space, const struct layer_map *map, unsigned n_thread,
                             struct estimate *estimate, struct err *err);

#endif
