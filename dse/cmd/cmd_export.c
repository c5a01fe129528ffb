/* SPDX-License-Identifier: Apache-2.0 */
/* dse export: the files of a run that was kept, byte for byte. */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/run/run_note.h"
#include "dse/keep/output_file.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static enum err_code write_out(const struct cli_options *options, const char *data, size_t n_byte, struct err *err)
{
	struct output_file file = {0};
	enum err_code code = output_file_open(&file, options->out, err);
	if (code != ERR_OK)
		return code;
	(void)fwrite(data, 1, n_byte, file.file); /* errors stay in the stream */
	return output_file_commit(&file, err);
}

enum err_code cmd_export(const struct cli_options *options, struct err *err)
{
	const struct store_request request = choice_store(options);
	struct arena arena = {0};
	struct database *store = NULL;
	struct run_record run;
	char *data = NULL;
	size_t n_byte;
	assert(options->n_file == 1 || options->help);
	if (options->csv == options->json)
		return err_add(err, ERR_USAGE, "dse export: give one of --csv (front.csv) and --json (front.json)");
	const char *name = options->csv ? "front.csv" : "front.json";
	enum err_code code = run_note_open(&request, &store, err);
	if (code == ERR_OK)
		code = run_store_find(store, options->file[0], &arena, &run, err);
	const struct run_file *file = code == ERR_OK ? run_record_file(&run, name) : NULL;
	if (code == ERR_OK && !file)
		code = err_add(err, ERR_INFEASIBLE, "run %" PRIu64 " of %s has no front: %s", run.id,
		               database_path(store), run.certificate);
	if (code == ERR_OK)
		code = run_store_content(store, file->hash, &data, &n_byte, err);
	if (code == ERR_OK)
		code = write_out(options, data, n_byte, err);
	free(data);
	database_close(store);
	arena_free(&arena);
	return code;
}
