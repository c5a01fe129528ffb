/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse: design-space exploration of DNN accelerators. The only file that exits:
 * a command returns its code, and what it has to say against itself is in err.
 */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/out/build.h"
#include "dse/options/cli.h"
#include "dse/out/colour.h"
#include "dse/out/terminal_fold.h"
#include "dse/out/words.h"
#include "dse/base/interrupt.h"
#include "dse/run/point_name.h"
#include "dse/keep/ranks.h"
#include "dse/keep/output_file.h"
#include "mapper/placement/transit.h"
#include "sim/base/err.h"
#include <stdio.h>
#include <stdlib.h>

/* --color, where a command has it. */
static enum err_code choose_colours(const struct cli_options *options, struct err *err)
{
	size_t choice = COLOUR_AUTO;
	if (!options->color)
		return ERR_OK;
	enum err_code code =
	    cli_choose(options, "color", options->color, colour_choice_name, N_COLOUR_CHOICE, &choice, err);
	colour_choose((enum colour_choice)choice);
	return code;
}

/* What other programs read, or a shell: lines stay whole on a terminal, too, so that a copy of them is what it was. */
static bool is_for_programs(const struct cli_options *options)
{
	static command_function *const command[] = {cmd_export, cmd_completion, cmd_man};
	if (options->help)
		return false;
	for (size_t i = 0; options->command && i < sizeof(command) / sizeof(command[0]); i++)
		if (options->command->run == command[i])
			return true;
	return options->json;
}

int main(int argc, char **argv)
{
	struct err err = {0};
	struct cli_options options;
	struct arena arena = {0};
	ranks_start(&argc, &argv);
	bool speaks = ranks_index() == 0;
	transit_hold();
	enum err_code code = cli_parse(&command_program, argc, argv, &options, &err);
	if (code == ERR_OK && !is_for_programs(&options))
		terminal_fold_begin();
	if (code == ERR_OK)
		code = choose_colours(&options, &err);
	/* Only an exploration is shared; what else several ranks are asked for, the first one does. */
	if (code == ERR_OK && (speaks || (options.command && options.command->run == cmd_explore && !options.help))) {
		if (options.version) {
			build_print(stdout, options.json);
		} else if (options.help) {
			cli_print_help(stdout, &command_program, options.command);
		} else {
			interrupt_install();
			const struct store_request request = choice_store(&options);
			code = options.point ? point_name_resolve(&request, &options.point, &arena, &err) : ERR_OK;
			code = code == ERR_OK ? options.command->run(&options, &err) : code;
		}
	}
	if (code == ERR_OK)
		code = output_file_flush_stdout(&err);
	else
		(void)fflush(stdout);
	terminal_fold_end();
	char *message = words_folded(stderr, err_text(&err));
	if (speaks)
		colour_put(stderr, code == ERR_INTERRUPTED ? COLOUR_WARNING : COLOUR_BAD,
		           message ? message : err_text(&err));
	free(message);
	err_clear(&err);
	arena_free(&arena);
	transit_release();
	ranks_end();
	return (int)code;
}
