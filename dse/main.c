/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse: design-space exploration of DNN accelerators. The only file that exits:
 * a command returns its code, and what it has to say against itself is in err.
 */
#include "dse/build.h"
#include "dse/cli.h"
#include "dse/interrupt.h"
#include "dse/ranks.h"
#include "sim/base/err.h"
#include <stdio.h>

int main(int argc, char **argv)
{
	struct err err = {0};
	struct cli_options options;
	ranks_start(&argc, &argv);
	bool speaks = ranks_index() == 0;
	enum err_code code = cli_parse(argc, argv, &options, &err);
	/* Only an exploration is shared; what else several ranks are asked for, the first one does. */
	if (code == ERR_OK && (speaks || (options.command && options.command->run == cmd_explore && !options.help))) {
		if (options.version) {
			build_print(stdout, options.json);
		} else if (options.help) {
			cli_print_help(stdout, options.command);
		} else {
			interrupt_install();
			code = options.command->run(&options, &err);
		}
	}
	if (fflush(stdout) != 0 && code == ERR_OK)
		code = err_add(&err, ERR_IO, "standard output: cannot write");
	if (speaks)
		(void)fputs(err_text(&err), stderr);
	err_clear(&err);
	ranks_end();
	return (int)code;
}
