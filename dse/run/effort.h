/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EFFORT_H
#define DSE_EFFORT_H
/*
 * --effort: how much certainty a user wants to pay for, as a choice of the other
 * options of dse explore. What is given beside it stays as it was given.
 *
 *   quick    exact to within an epsilon: seconds; its certificate says how far a design that is missing may be better.
 *            Of whole networks (--flat), where that does not serve, nsga2 with EFFORT_QUICK_EVALUATIONS
 *   normal   exact: the front with its certificate, priced
 *   signoff  exact, priced until the assumed gap closes, run again in the event tier, and audited
 */
#include "dse/run/explore_request.h"

#define EFFORT_QUICK_EVALUATIONS 200000
#define EFFORT_QUICK_EPSILON_PCT 1.0

/* Set what an effort ("quick", ...; NULL: none) stands for and the request leaves open. ERR_USAGE: unknown name. */
enum err_code effort_apply(const char *effort, struct explore_request *request, struct err *err);

#endif
