/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EXPLORE_JOB_H
#define DSE_EXPLORE_JOB_H
/* What dse explore, merge and nightly share: from options and what is known already to the files of a run. */
#include "dse/run/run_keep.h"

/* What a caller that prints for itself is told. */
struct explore_outcome {
	uint64_t run; /* its number in the store; 0: it is not kept */
};

/*
 * Read the space, search what keep does not know, write, and print unless outcome is not NULL. keep is closed at the
 * end. Returns the exit code of the command, with messages in err.
 */
enum err_code explore_job_run(const struct explore_request *request, struct run_keep *keep,
                              struct explore_outcome *outcome, struct err *err);

#endif
