/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_BOUND_H
#define DSE_LAYER_BOUND_H
/*
 * Lower bounds of a layer's metrics over a box of its splits. The search cuts boxes by them (dse/layer/branch.h), the
 * checker of certificates believes them (dse/certify): no design of a box is in any metric below its bound.
 */
#include "dse/space/metric.h"
#include "dse/space/space.h"
#include "dse/spread/plan_reach.h"
#include "mapper/distribute/bound.h"

/* Dimensions of a split, in the order in which splits are told apart. */
enum bound_dim { BOUND_D, BOUND_W, BOUND_H, BOUND_C, N_BOUND_DIM };

/* Of each dimension of a layer what its parts add up to, and of what their sizes are multiples; [N_BOUND_DIM]. */
void bound_extents(const struct layer_context *context, uint32_t *extent, uint32_t *step);

/*
 * Choices first to last - 1 (at least one) of a dimension, which are sorted by number of parts, then size of the
 * largest part, as a range: all splits of these numbers of parts, some of one number, or one split.
 */
struct dim_range bound_range(const struct dim_split *choice, uint32_t first, uint32_t last, uint32_t extent,
                             uint32_t step);

/* Least results of a range's program at the machine's own operating points, those in known; {0} at first. */
struct bound_runs {
	uint32_t known;
	struct sim_result result[MACHINE_FILE_LEVEL];
};

/*
 * Least values [N_METRIC] at an operating point of all designs that a range's bound (mapper_bound_range) is of; of
 * metrics without a bound 0. Energy is what a search sums: less sleep until a deadline. false: no
 * design of the range can be counted there (result_is_counted). with_slower: also of these designs on machines with
 * slower NoC and DRAM clocks whose tasks take no less time (mapper_kernels_serve); without deadline, mixed operating
 * points and fetches ahead. runs: what it simulates is kept there for pairs by PE; NULL: nowhere.
 */
bool bound_metrics(const struct space *space, const struct layer_context *context, const struct range_bound *bound,
                   uint32_t level, bool with_slower, struct bound_runs *runs, double *value);

/* Parts of all tasks at the slower level of a pair that bounds tell apart. */
#define BOUND_PAIR_CELL 8

/*
 * The same at a pair of levels by PE, without slower clocks: of plans whose share of tasks at the slower level is in
 * each of BOUND_PAIR_CELL equal parts of 0 to 1, value [BOUND_PAIR_CELL][N_METRIC]. A plan that has them all there is
 * in the last. runs: of this range, what bound_metrics kept there, and what is added.
 */
bool bound_plan_metrics(const struct space *space, const struct layer_context *context, const struct range_bound *bound,
                        uint32_t level, struct bound_runs *runs, double (*value)[N_METRIC]);

/*
 * The same of one design, from its results at the two levels. Where all its parts are alike tasks keep PEs busy as long
 * as loops of so many rounds tell, else at least as long as the MLAs are.
 */
struct pair_bound {
	const struct space *space;
	const struct layer_context *context;
	const struct layer_design *design;
	const struct sim_result *high;
	double apart_ns, apart_pj;              /* energies without static */
	double loop_ns, low_pj, high_pj;        /* of loops; ns the least */
	double low_loop_ns, high_loop_ns;       /* at either level */
	double low_busy_ns, high_busy_ns, n_pe; /* of all PEs together, if all is done at that level */
};
void pair_bound_make(const struct space *space, const struct layer_context *context, const struct layer_design *design,
                     const struct program *program, const struct sim_result part[2], struct pair_bound *bound);

/* Least values [N_METRIC] of plans with such a share of the tasks at the slower level. */
void pair_bound_metrics(const struct pair_bound *bound, double from, double to, double *value);

/*
 * The same once it is known who has which tasks, step by step of what plans can reach; each plan is in one. Of designs
 * that have plans (layer_plans_begin). Returns how many steps.
 */
size_t pair_bound_deal(struct pair_bound *bound, const struct pe_deal *deal,
                       struct plan_reach_step step[PLAN_REACH_MAX_STEP]);
void pair_bound_dealt_metrics(const struct pair_bound *bound, const struct plan_reach_step *step, double *value);

#endif
