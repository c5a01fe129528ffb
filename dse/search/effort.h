/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EFFORT_H
#define DSE_EFFORT_H
/*
 * --effort: how much certainty a user wants to pay for, as a choice of the other
 * options of dse explore. What is given beside it stays as it was given.
 *
 *   quick    nsga2, at most EFFORT_QUICK_EVALUATIONS: seconds; a good front, no proof
 *   normal   exact: the front with its certificate
 *   signoff  exact, and the front is run again in the event tier and audited
 */
#include "dse/options/cli.h"

#define EFFORT_QUICK_EVALUATIONS 200000

/* Replace options->effort by what it stands for; nothing where it is NULL. ERR_USAGE for an unknown name. */
enum err_code effort_apply(struct cli_options *options, struct err *err);

#endif
