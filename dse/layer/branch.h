/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_BRANCH_H
#define DSE_BRANCH_H
/*
 * Branch and bound: the exact Pareto front of one layer over all its designs.
 * Boxes of splits that cannot run, break a limit or whose lower bound a design
 * found before dominates, or equals with an earlier genome, are cut unopened;
 * the designs of the rest are evaluated.
 */
#include "dse/engine/engine.h"
#include "dse/layer/layer_problem.h"

/* What became of a layer's designs. All of them when the search ran to its end, asserted. */
struct branch_counts {
	struct engine_counts engine;            /* n_skipped: designs in boxes that were cut */
	uint64_t by_reason[LAYER_N_REASON];     /* of evaluated ones that are infeasible */
	uint64_t cut_by_reason[LAYER_N_REASON]; /* of boxes: adds up to engine.n_skipped; may saturate with it */
	uint64_t n_box, n_cut_box;              /* looked at; of them cut */
	/* Each design has one in the front that is, in metric k, by at most loss[k] larger, too. */
	double loss[PARETO_MAX_OBJECTIVE];
	double epsilon;      /* what was lost of the front at most; 0 without layer->epsilon */
	uint32_t over_limit; /* bit m: the limit on enum metric m is the first that some design or box exceeds */
};

/* What ends a search before it is done. 0: nothing does. */
struct branch_budget {
	uint64_t max_evaluation; /* it also ends a search that bounds many boxes and evaluates next to nothing */
	uint64_t max_box;        /* to be looked at, to within a round */
};

/*
 * Search a layer of one place (GENE_PLACE has one value). front: initialised by
 * the caller, any of the layer's designs may be in it already; holds the layer's
 * front afterwards, of equal designs the one whose genome comes first. With layer->epsilon it need not hold all of it:
 * each feasible design has one in front that is, in every metric, at most (1 + counts->epsilon) times as large.
 * nearest: receives the infeasible design that is closest to feasible if nothing is feasible, unless what is there is
 * as near. open (may be NULL): initialised by the caller, with N_LAYER_GENE genes, which are 0; of a search that ends
 * before it is done it receives the bounds of what is left, so that each design is in no metric below some point of
 * front over (1 + counts->epsilon), or of open. budget NULL: it runs to its end. ERR_INTERRUPTED, without a message,
 * when watch (may be NULL) stopped it; ERR_INTERNAL when memory is out. On n_thread threads, or those of the
 * parallel_for it is called from; neither front nor counts depend on their number.
 */
enum err_code branch_search(const struct layer_problem *layer, const struct branch_budget *budget, unsigned n_thread,
                            struct pareto *front, struct branch_counts *counts, struct engine_nearest *nearest,
                            struct pareto *open, engine_watch watch, void *watch_context, struct err *err);

/*
 * In less time for less: afterwards to each feasible design of the layer a point of front is, in every metric,
 * at most (1 + epsilon) times as large as the design's lower bound, so front over (1 + epsilon) is nowhere above the
 * true front. It is neither above that of any machine whose bounds are nowhere below this one's. Points that are not in
 * front before the search need not be designs of the layer. Boxes that bounds cut prove no more than that.
 */
enum err_code branch_relax(const struct layer_problem *layer, double epsilon, unsigned n_thread, struct pareto *front,
                           struct branch_counts *counts, engine_watch watch, void *watch_context, struct err *err);

/*
 * The least values [n_metric] that the bounds of all the layer's splits promise, metric by metric; infinite where no
 * design runs. A small part of the work of a search. false when memory is out.
 */
bool branch_least(const struct layer_problem *layer, double *least);

#endif
