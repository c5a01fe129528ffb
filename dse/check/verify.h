/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_VERIFY_H
#define DSE_VERIFY_H
/*
 * Verification: every layer design of a front runs again in the event tier, each design once, and the points'
 * objectives are summed up anew. This shows how far the tiers are apart, and which points are on the front in either
 * tier:
 *
 *   certain: no other point of the front dominates it in verified objectives
 *   depends: another point does, so that it is on the front in the search's tier only
 *
 * The margin of a point is the model error that it can stand: by how much it may be worse, in all objectives at once,
 * before another point is nowhere worse.
 */
#include "dse/design/unroll.h"

struct verify_options {
	unsigned n_thread;
	bool audit; /* each design once more without replay (dse/space/detail.h) */
	bool show_progress;
};

/* How far the tiers are apart in one quantity, as a fraction of the search's value. */
struct verify_gap {
	double mean_frac, max_frac; /* magnitudes */
	size_t worst;               /* the design, or the point, with the largest; the first among equals */
};

struct verify_point {
	double metric[N_METRIC]; /* as struct unrolled's */
	double error_frac;       /* largest magnitude over the objectives */
	double margin_frac;      /* below 0: dominated by so much; infinite: the only point */
	bool certain;
};

struct verify {
	size_t n_design, n_point;
	struct unrolled_design *design;                   /* [n_design] the unroller's, in the event tier */
	struct verify_point *point;                       /* [n_point] in the front's order */
	struct verify_gap clk;                            /* of designs */
	struct verify_gap objective[SPACE_MAX_OBJECTIVE]; /* of points */
	size_t n_certain;
	bool audited;
	bool interrupted; /* Ctrl-C: there are no points */
	double seconds;
};

/*
 * Verify the front that unroller is of; not empty. Costs a run of the event tier
 * a design, shared by the threads; its results do not depend on them. ERR_INTERNAL:
 * no memory, or the event tier (dse/space/detail.h). The caller frees it, also after an error.
 */
enum err_code verify_run(const struct unroller *unroller, const struct verify_options *options, struct verify *verify,
                         struct err *err);
void verify_free(struct verify *verify);

#endif
