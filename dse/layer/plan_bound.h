/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PLAN_BOUND_H
#define DSE_PLAN_BOUND_H
/*
 * Bounds of a layer problem: a sample of its designs, and what the sample, or a limit, proves not to be worth an
 * evaluation.
 */
#include "dse/layer/plan.h"

/*
 * Evaluate a coarse, fixed sample of the layer's designs and keep its front in
 * front (which the caller has initialised and frees after the layer). A few
 * thousand evaluations of the fast tier; in the event tier the front that these
 * leave is priced anew. nearest (may be NULL): receives the least-violating design
 * of the sample, if it is less than what is there. ERR_INTERRUPTED, without a
 * message, when Ctrl-C ends the pricing early: front has what was priced by then,
 * at least one design. ERR_INTERNAL when memory is out.
 */
enum err_code layer_problem_sample(struct layer_problem *layer, unsigned n_thread, struct pareto *front,
                                   struct engine_nearest *nearest, struct err *err);

/*
 * The same; then drop every choice of an axis that the sample proves to be
 * dominated whatever the other axes' choices are. From then on the problem's
 * evaluate rejects what the sample proves to be dominated. The layer's Pareto
 * front does not change.
 */
enum err_code layer_problem_bound(struct layer_problem *layer, unsigned n_thread, struct pareto *front,
                                  struct engine_nearest *nearest, struct err *err);

/* Rewrite a genome of the bounded problem as one of the full problem. */
void layer_problem_widen(const struct layer_problem *layer, uint32_t *genome);

/*
 * Whether a lower bound alone proves that a candidate, and all that share its
 * first out->n_cut genes, exceed a limit or cannot reach the front. out then
 * says so, with an infinite violation: such a candidate is no nearest miss.
 * tiling: of the design's split, from tiling_size; may get its sums.
 */
bool layer_problem_rule_out(const struct layer_problem *layer, const uint32_t *genome,
                            const struct layer_design *design, struct tiling *tiling, struct evaluation *out);

/* Find least_w, least_h and least_c anew. */
void layer_problem_find_least(struct layer_problem *layer);

#endif
