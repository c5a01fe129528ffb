/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ESTIMATE_H
#define DSE_ESTIMATE_H
/*
 * Estimate: how large a space is, and about how long and in how much memory an
 * search of it runs, before it runs: counted on some machine candidates; timed on
 * a small random sample of their designs, or, where branch and bound takes a second
 * or so a machine, on the first machine's layers.
 */
#include "dse/candidate.h"

#define ESTIMATE_WHY_SIZE 160

struct estimate {
	uint64_t n_machine, n_sampled, n_refused; /* candidates; looked at; of these refused */
	char why[ESTIMATE_WHY_SIZE];              /* why the first refused one was */
	double n_legal, n_candidate; /* layer designs on all machines, splits as the rules say and reduced */
	double log10_design;         /* designs of all networks together, on one machine */
	double evaluated_frac;       /* share of the candidates that neither bounds nor cuts save */
	bool is_exact, is_measured;  /* searched by branch and bound; on the first machine that was done to its end */
	double n_evaluation, evaluation_per_s; /* expected; measured, one core */
	double seconds, memory_mb;
	unsigned n_thread;
	bool has_candidate;
	struct candidate candidate; /* the first machine that is not refused; candidate_free if there is one */
};

/*
 * Time designs of the candidate's sample in the event tier, the layers in turn,
 * until limit_s have passed, at least one; evaluation_per_s and seconds are of
 * that tier then. Its evaluations are those of the fast tier. Needs a candidate;
 * changes nothing where the sample has no feasible design. ERR_INTERNAL.
 */
enum err_code estimate_event(struct estimate *estimate, double limit_s, struct err *err);

/* ERR_INPUT, ERR_INTERNAL. Of the fast tier. Takes about a second. */
enum err_code estimate_space(const struct space *space, const struct layer_map *map, unsigned n_thread,
                             struct estimate *estimate, struct err *err);

#endif
