/* SPDX-License-Identifier: Apache-2.0 */
/* dse runs: what is kept in a store of runs; dse runs prune: less of it. */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/out/build.h"
#include "dse/out/json.h"
#include "dse/run/run_note.h"
#include "dse/run/run_print.h"
#include "dse/keep/output_file.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include <inttypes.h>
#include <string.h>

#define DEFAULT_LAST 20

static void print_table(FILE *file, const struct run_record *run, size_t n)
{
	struct table table = {0};
	table_add_columns(&table, ">run|date (UTC)|space|engine|>points|signature|>seconds|exactness");
	for (size_t i = 0; i < n; i++)
		table_add_row(&table, "%" PRIu64 "|%.10s %.8s|%s|%s%s%s|%" PRIu64 "|%s|%.3f|%s%s%s", run[i].id,
		              run[i].date, strlen(run[i].date) > 11 ? run[i].date + 11 : "", run[i].space,
		              run[i].engine, strcmp(run[i].detail, "fast") == 0 ? "" : ", ",
		              strcmp(run[i].detail, "fast") == 0 ? "" : run[i].detail, run[i].n_point, run[i].signature,
		              run[i].seconds, run[i].exactness, strcmp(run[i].state, "complete") == 0 ? "" : ", ",
		              strcmp(run[i].state, "complete") == 0 ? "" : run[i].state);
	table_finish(&table, file, 0);
}

static void print_json(FILE *file, const struct run_record *run, size_t n)
{
	struct json json;
	json_start(&json, file, 1);
	json_begin_list(&json, NULL);
	for (size_t i = 0; i < n; i++) {
		json_begin_object(&json, NULL);
		run_put_json(&json, &run[i]);
		json_end(&json);
	}
	json_finish(&json);
}

static enum err_code list_runs(const struct cli_options *options, struct database *store, struct arena *arena,
                               struct err *err)
{
	size_t max = cli_given(options, OPTION_LAST) ? (size_t)options->last : DEFAULT_LAST, n;
	const struct run_filter filter = {.space = options->space, .engine = options->engine, .max = max ? max + 1 : 0};
	struct run_record *run;
	struct output_file file = {0};
	enum err_code code = run_store_list(store, &filter, arena, &run, &n, err);
	if (code == ERR_OK)
		code = output_file_open(&file, options->out, err);
	if (code != ERR_OK)
		return code;
	bool has_more = max > 0 && n > max;
	n = has_more ? max : n;
	if (options->json)
		print_json(file.file, run, n);
	else
		print_table(file.file, run, n);
	code = output_file_commit(&file, err);
	if (code == ERR_OK && !options->quiet && has_more)
		words_note("%s: these are the newest %zu; --last 0 lists all\n", database_path(store), n);
	if (code == ERR_OK && !options->quiet && n == 0)
		words_note("%s: no such run\n", database_path(store));
	return code;
}

static enum err_code prune(const struct cli_options *options, struct database *store, struct arena *arena,
                           struct err *err)
{
	const struct run_retention retention = {.has_keep = cli_given(options, OPTION_KEEP),
	                                        .has_day = cli_given(options, OPTION_OLDER_THAN),
	                                        .n_keep = options->keep,
	                                        .n_day = options->older_than_day,
	                                        .space = options->space};
	struct run_record *old;
	size_t n;
	if (!retention.has_keep && !retention.has_day)
		return err_add(err, ERR_USAGE,
		               "dse runs prune: say what stays, with --keep N, --older-than DAYS or both");
	enum err_code code = run_store_old(store, &retention, arena, &old, &n, err);
	if (code != ERR_OK)
		return code;
	if (options->json)
		print_json(stdout, old, n);
	else if (n > 0)
		print_table(stdout, old, n);
	if (options->yes)
		code = run_store_remove(store, old, n, build_sources, err);
	if (code == ERR_OK && !options->quiet)
		words_note("%s: %zu runs %s\n", database_path(store), n,
		           options->yes ? "removed" : "would be removed; --yes removes them");
	return code;
}

enum err_code cmd_runs(const struct cli_options *options, struct err *err)
{
	const struct store_request request = choice_store(options);
	struct arena arena = {0};
	struct database *store = NULL;
	bool prunes = options->n_file > 0 && strcmp(options->file[0], "prune") == 0;
	if (options->n_file > 0 && !prunes)
		return err_add(err, ERR_USAGE,
		               "dse runs: '%.40s' is not known; allowed is prune; --space %.40s lists the runs "
		               "of a space",
		               options->file[0], options->file[0]);
	if (!prunes && (options->yes || cli_given(options, OPTION_KEEP) || cli_given(options, OPTION_OLDER_THAN)))
		return err_add(err, ERR_USAGE, "dse runs: --keep, --older-than and --yes belong to 'dse runs prune'");
	if (prunes && (options->engine || options->out || cli_given(options, OPTION_LAST)))
		return err_add(err, ERR_USAGE, "dse runs prune: --engine, --last and -o belong to 'dse runs'");
	enum err_code code = run_note_open(&request, &store, err);
	if (code == ERR_OK)
		code = prunes ? prune(options, store, &arena, err) : list_runs(options, store, &arena, err);
	database_close(store);
	arena_free(&arena);
	return code;
}
