/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NEAR_H
#define DSE_NEAR_H
/*
 * Designs of a layer near its front: those that a better model might put on it.
 *
 *   distance of a design: the largest factor by which, in every metric, it is above some one point of the front
 *
 *   energy │ f   . a        a is 1.02 times f in latency, 1.5 times in energy: distance 1.02
 *          │  \             on the front itself, or not covered: at most 1
 *          │   f───f
 *          └────────── latency
 *
 * A best-first search over boxes of splits (branch_parts.h): the box with the least distance of its bound is opened
 * next, so that designs come in the order of their distances.
 */
#include "dse/layer/layer_problem.h"

struct near_design {
	double distance;
	double metric[PARETO_MAX_OBJECTIVE]; /* the layer problem's, in its tier */
	uint32_t gene[N_LAYER_GENE];         /* of the layer problem */
};

/* What to look at, and when to stop. */
struct near_limit {
	uint32_t strategies; /* bit s: designs of enum strategy s */
	size_t max_design;   /* at least 1 */
	double max_distance; /* at least 1 */
	uint64_t max_box;    /* that are bounded */
	const struct stop *stop;
};

/* Free with near_free. */
struct near_list {
	size_t n;
	struct near_design *design; /* by distance, then genes; none of the front's own */
	/* Every feasible design that is of these strategies that is neither in the list nor in the front is at least so
	 * far; infinite: there is none. Below 1 it says less than the front itself, which covers them all. */
	double reach;
	uint64_t n_box;
};

/* Distance of metrics from a front; infinite where a point with no value of 0 to compare with covers all. */
double near_distance(const struct pareto *front, const double *metric);

/*
 * List the designs near a front, the exact one of a layer of one place (GENE_PLACE has one value). Serial; the list
 * does not depend on anything but its arguments. ERR_INTERRUPTED, without a message, when stopped, ERR_INTERNAL when
 * memory is out; the list is empty then.
 */
enum err_code near_find(const struct layer_problem *layer, const struct pareto *front, const struct near_limit *limit,
                        struct near_list *list, struct err *err);
void near_free(struct near_list *list);

#endif
