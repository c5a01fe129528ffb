/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse: design-space exploration of DNN accelerators. The only file that exits:
 * a command returns its code, and what it has to say against itself is in err.
 */
#include "dse/cli.h"
#include "dse/interrupt.h"
#include "sim/base/err.h"
#include <stdio.h>

int main(int argc, char **argv)
{
	struct err err = {0};
	struct cli_options options;
	enum err_code code = cli_parse(argc, argv, &options, &err);
	if (code == ERR_OK) {
		if (options.version) {
			(void)printf("dse %s\n", DSE_VERSION);
		} else if (options.help) {
			cli_print_help(stdout, options.command);
		} else {
			interrupt_install();
			code = options.command->run(&options, &err);
		}
	}
	if (fflush(stdout) != 0 && code == ERR_OK)
		code = err_add(&err, ERR_IO, "standard output: cannot write");
	(void)fputs(err_text(&err), stderr);
	err_clear(&err);
	return (int)code;
}
