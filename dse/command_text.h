/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMMAND_TEXT_H
#define DSE_COMMAND_TEXT_H
/* The command line of dse explore as a user would type it again, for run.json and messages. */
#include "dse/cli.h"
#include "dse/explore.h"

/*
 * The command that does the same again: every option that decides the front, and those that were given. *command, NULL
 * before, is the caller's to free, also after an error. ERR_INTERNAL.
 */
enum err_code command_print(const struct cli_options *cli, const struct explore_options *options, enum detail detail,
                            char **command, struct err *err);

#endif
