/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SHORTLIST_H
#define DSE_SHORTLIST_H
/* The few points of a long front that are shown where there is no room for all. */
#include "dse/pareto/pareto.h"

/* A longer front is shown by so many of its points. */
#define SHORTLIST_MAX 20

/*
 * Choose at most max points of a front that stand for all: the best one of each
 * objective, the knee (dse/pareto/indicator.h), then always the point farthest from
 * those chosen. chosen [max] receives indices in ascending order; *knee
 * the knee. Returns how many.
 */
size_t shortlist_choose(const struct pareto *front, size_t max, size_t *chosen, size_t *knee);

/* The point with the least value of an objective; of equals the first, which in a sorted front is always the same one.
 */
size_t shortlist_least(const struct pareto *front, unsigned objective);

#endif
