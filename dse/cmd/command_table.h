/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMMAND_TABLE_H
#define DSE_COMMAND_TABLE_H
/* The program's commands: a function each, which returns the exit code with messages in err, and a row of the table. */
#include "dse/options/cli_options.h"

extern const struct cli_program command_program;

enum err_code cmd_explore(const struct cli_options *options, struct err *err);
enum err_code cmd_merge(const struct cli_options *options, struct err *err);
enum err_code cmd_simulate(const struct cli_options *options, struct err *err);
enum err_code cmd_prove(const struct cli_options *options, struct err *err);
enum err_code cmd_roofline(const struct cli_options *options, struct err *err);
enum err_code cmd_map(const struct cli_options *options, struct err *err);
enum err_code cmd_schedule(const struct cli_options *options, struct err *err);
enum err_code cmd_power(const struct cli_options *options, struct err *err);
enum err_code cmd_arada(const struct cli_options *options, struct err *err);
enum err_code cmd_validate(const struct cli_options *options, struct err *err);
enum err_code cmd_fit(const struct cli_options *options, struct err *err);
enum err_code cmd_import(const struct cli_options *options, struct err *err);
enum err_code cmd_runs(const struct cli_options *options, struct err *err);
enum err_code cmd_show(const struct cli_options *options, struct err *err);
enum err_code cmd_export(const struct cli_options *options, struct err *err);
enum err_code cmd_report(const struct cli_options *options, struct err *err);
enum err_code cmd_nightly(const struct cli_options *options, struct err *err);
enum err_code cmd_compare(const struct cli_options *options, struct err *err);
enum err_code cmd_init(const struct cli_options *options, struct err *err);
enum err_code cmd_explain(const struct cli_options *options, struct err *err);
enum err_code cmd_completion(const struct cli_options *options, struct err *err);
enum err_code cmd_man(const struct cli_options *options, struct err *err);
enum err_code cmd_check(const struct cli_options *options, struct err *err);

#endif
