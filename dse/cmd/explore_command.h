/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EXPLORE_COMMAND_H
#define DSE_EXPLORE_COMMAND_H
/* What dse explore and dse size share: an exploration from its request to its printed front. */
#include "dse/options/cli_options.h"
#include "dse/run/explore_request.h"

/* Explore what own asks for, with the command line's --effort, or take up the run of own.resume. The exit code. */
enum err_code explore_command_run(const struct cli_options *options, struct explore_request own, struct err *err);

/* The same in a process of its own, again and again where that does not come to its end: --isolate. The exit code. */
enum err_code explore_apart(const struct cli_options *options, struct err *err);

#endif
