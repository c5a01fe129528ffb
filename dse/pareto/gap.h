/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_GAP_H
#define DSE_GAP_H
/* By how much a front may be beaten. */
#include "dse/pareto/pareto.h"

/*
 * The least gap, 0 or more, with which each point of other lies behind the front: some point of the front is in no
 * objective more than (1 + gap) times as large. Infinite where other has a point and the front none, where an objective
 * is 0 in other alone, or when memory is out. All values are 0 or more. Up to front->n other->n steps.
 */
double gap_between(const struct pareto *front, const struct pareto *other, unsigned n_thread);

/* The same of one point. */
double gap_to(const struct pareto *front, const double *other);

#endif
