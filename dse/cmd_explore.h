/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CMD_EXPLORE_H
#define DSE_CMD_EXPLORE_H
/* What dse explore and dse merge share: from options and what is known already to the files of a run. */
#include "dse/run_keep.h"

/*
 * Read the space, search what keep does not know, write and print. keep is closed at the end. Returns the exit code of
 * the command, with messages in err.
 */
enum err_code cmd_explore_run(const struct cli_options *options, struct run_keep *keep, struct err *err);

#endif
