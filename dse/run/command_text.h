/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMMAND_TEXT_H
#define DSE_COMMAND_TEXT_H
/* Commands as a user would type them: of dse explore for run.json and messages, and what may be done with a run. */
#include "dse/run/explore_request.h"
#include "dse/search/explore.h"

/*
 * The command that does the same again: every option that decides the front, and those that were given. *command, NULL
 * before, is the caller's to free, also after an error. ERR_INTERNAL.
 */
enum err_code command_print(const struct explore_request *request, const struct explore_options *options,
                            enum detail detail, char **command, struct err *err);

#endif
