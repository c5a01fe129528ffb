/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ESTIMATE_H
#define DSE_ESTIMATE_H
/*
 * Estimate: how large a space is, and about how long and in how much memory a
 * search of it runs, before it runs: counted on some machine candidates. A branch and bound is begun: where it ends
 * within a second, what it took is known, else the first machine's layers tell its order of magnitude. Other engines
 * are timed on a small random sample of designs.
 */
#include "dse/search/candidate.h"
#include "sim/base/stop.h"

#define ESTIMATE_WHY_SIZE 160

struct estimate {
	uint64_t n_machine, n_sampled, n_refused; /* candidates; looked at; of these refused */
	char why[ESTIMATE_WHY_SIZE];              /* why the first refused one was */
	double n_legal, n_candidate;           /* layer designs on all machines, splits as the rules say and reduced */
	double log10_design;                   /* designs of all networks together, on one machine */
	bool is_exact, is_measured;            /* searched by branch and bound; which was done to its end */
	double n_evaluation, evaluation_per_s; /* expected; measured, one core */
	double least_evaluation,
	    most_evaluation; /* within which they are; alike where that is known, or nothing of it */
	bool is_least; /* some layer's first design took longer than there was time: seconds is too little, the rate too
	                  much */
	double seconds, least_seconds, most_seconds, memory_mb;
	unsigned n_thread;
	struct stop stop; /* of the candidate's evaluations: the time for measuring */
	bool has_candidate;
	struct candidate candidate; /* the first machine that is not refused; candidate_free if there is one */
};

/*
 * Time designs of the candidate's sample in the event tier, the layers in turn,
 * until limit_s have passed, at least one; evaluation_per_s and seconds are of
 * that tier then. Its evaluations are those of the fast tier. Needs a candidate;
 * changes nothing where the sample has no feasible design. ERR_INTERRUPTED, ERR_INTERNAL.
 */
enum err_code estimate_event(struct estimate *estimate, double limit_s, struct err *err);

/*
 * Of the fast tier. Takes about two seconds at most, whatever a design takes. The estimate must not move: its
 * candidate points into it. ERR_INPUT, ERR_INTERRUPTED (a signal), ERR_INTERNAL.
 */
enum err_code estimate_space(const struct space *space, const struct layer_map *map, unsigned n_thread,
                             struct estimate *estimate, struct err *err);

/* What is expected, in words: three digits where both are alike, else one digit of each, "6000 to 2000000". */
void estimate_print(double least, double most, char text[64]);

#endif
