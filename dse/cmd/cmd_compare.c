/* SPDX-License-Identifier: Apache-2.0 */
/* dse compare: what became of a front from one run to another, and why. */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/base/parallel.h"
#include "dse/run/run_compare.h"
#include "dse/run/run_note.h"
#include "dse/keep/output_file.h"
#include <assert.h>
#include <math.h>

#define FORMAT "dse compare 1"

static void print_json(FILE *file, const struct run_compare *compare, const struct tolerance *tolerance,
                       const struct err *worse)
{
	struct json json;
	double most = 0.0;
	for (size_t k = 0; k < compare->n_objective; k++)
		most = fmax(most, tolerance_frac(tolerance, compare->objective[k], 0.0));
	json_start_object(&json, file, 2);
	json_put_fields(&json, "format %s, tolerance_pct %g, worse %d", FORMAT, 100.0 * most, worse->n_message > 0);
	run_compare_put_json(&json, compare);
	json_finish(&json);
}

static enum err_code write_out(const struct cli_options *options, const struct run_compare *compare,
                               const struct tolerance *tolerance, const struct err *worse, struct err *err)
{
	struct output_file file = {0};
	enum err_code code = output_file_open(&file, options->out, err);
	if (code != ERR_OK)
		return code;
	if (options->json)
		print_json(file.file, compare, tolerance, worse);
	else
		run_compare_print(file.file, compare);
	return output_file_commit(&file, err);
}

static enum err_code compare_runs(const struct cli_options *options, const struct kept_run *before,
                                  const struct kept_run *after, struct err *err)
{
	const struct run_compare_options how = {.n_thread = parallel_n_thread((size_t)options->jobs),
	                                        .show_progress = !options->quiet && !options->no_progress};
	struct run_compare compare;
	struct err worse = {0};
	struct tolerance tolerance;
	enum err_code code = tolerance_parse("dse compare: --tolerance", options->tolerance, &tolerance, err);
	if (code != ERR_OK)
		return code;
	code = run_compare_match(before, after, &compare, err);
	if (code == ERR_OK)
		code = run_compare_explain(&compare, &how, err);
	if (code == ERR_OK)
		(void)run_compare_judge(&compare, &tolerance, &worse);
	if (code == ERR_OK)
		code = write_out(options, &compare, &tolerance, &worse, err);
	if (code == ERR_OK)
		code = err_add_all(err, (struct err_place){0}, &worse);
	err_clear(&worse);
	run_compare_free(&compare);
	return code;
}

/* A folder's run, too, has its inputs in a store, if they are kept: files may have changed since. */
static enum err_code open_run(const struct cli_options *options, const char *name, struct kept_run *run,
                              struct err *err)
{
	const struct store_request request = choice_store(options);
	struct database *store = NULL;
	enum err_code code = ERR_OK;
	if (kept_run_is_folder(name))
		store = run_note_open_beside(&request, name);
	else
		code = run_note_open(&request, &store, err);
	if (code == ERR_OK)
		code = kept_run_open(store, name, run, err);
	database_close(store);
	return code;
}

enum err_code cmd_compare(const struct cli_options *options, struct err *err)
{
	struct kept_run before = {0}, after = {0};
	assert(options->n_file == 2);
	enum err_code code = open_run(options, options->file[0], &before, err);
	if (code == ERR_OK)
		code = open_run(options, options->file[1], &after, err);
	if (code == ERR_OK)
		code = compare_runs(options, &before, &after, err);
	kept_run_free(&before);
	kept_run_free(&after);
	return code;
}
