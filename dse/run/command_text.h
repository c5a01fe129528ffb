/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMMAND_TEXT_H
#define DSE_COMMAND_TEXT_H
/* The command of dse explore as a user would type it, for run.json and messages. */
#include "dse/run/explore_request.h"
#include "dse/search/explore.h"

/* The command that does the same again: every option that decides the front, and those that were given. To be freed. */
char *command_text(const struct explore_request *request, const struct explore_options *options, enum detail detail);

#endif
