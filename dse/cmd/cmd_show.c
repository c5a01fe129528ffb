/* SPDX-License-Identifier: Apache-2.0 */
/* dse show: one run of a store. */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/run/run_note.h"
#include "dse/run/run_print.h"
#include "dse/keep/output_file.h"
#include <assert.h>

static void print_json(FILE *file, const struct run_record *run)
{
	struct json json;
	json_start_object(&json, file, 2);
	run_put_json(&json, run);
	json_finish(&json);
}

enum err_code cmd_show(const struct cli_options *options, struct err *err)
{
	const struct store_request request = choice_store(options);
	struct arena arena = {0};
	struct database *store = NULL;
	struct output_file file = {0};
	struct run_record run;
	assert(options->n_file == 1);
	enum err_code code = run_note_open(&request, &store, err);
	if (code == ERR_OK)
		code = run_store_find(store, options->file[0], &arena, &run, err);
	if (code == ERR_OK)
		code = output_file_open(&file, options->out, err);
	if (code == ERR_OK && options->json)
		print_json(file.file, &run);
	else if (code == ERR_OK)
		code = run_print(file.file, store, &run, err);
	if (code == ERR_OK)
		code = output_file_commit(&file, err);
	else
		output_file_abandon(&file);
	database_close(store);
	arena_free(&arena);
	return code;
}
