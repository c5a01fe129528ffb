/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMMAND_TABLE_H
#define DSE_COMMAND_TABLE_H
/* The program's commands: a function each, which returns the exit code with messages in err, and a row of the table. */
#include "dse/options/cli_options.h"

extern const struct cli_program command_program;

/* Pages that dse man prints in Markdown, with "|" between, as its usage line has them. */
#define MAN_PAGES "commands|exit-codes|machine|metrics"

typedef enum err_code command_function(const struct cli_options *options, struct err *err);
command_function cmd_explore, cmd_size, cmd_why, cmd_sensitivity, cmd_merge, cmd_simulate, cmd_prove, cmd_roofline,
    cmd_map, cmd_schedule, cmd_emulate, cmd_power, cmd_arada, cmd_validate, cmd_fit, cmd_import, cmd_runs, cmd_show,
    cmd_export, cmd_report, cmd_nightly, cmd_compare, cmd_init, cmd_explain, cmd_completion, cmd_man, cmd_check,
    cmd_check_certificate, cmd_fuse;

#endif
