/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/run_print.h"
#include "dse/base/memory.h"
#include "dse/run/run_note.h"
#include "dse/design/story.h"
#include "dse/pareto/shortlist.h"
#include "dse/out/command_word.h"
#include "dse/keep/output_file.h"
#include "dse/out/table.h"
#include "dse/space/energy_trust.h"
#include "sim/base/csv.h"
#include "dse/verdict/verdict.h"
#include "sim/base/doc.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_files(struct json *json, const char *key, const struct run_file *file, size_t n)
{
	json_begin_list(json, key);
	for (size_t i = 0; i < n; i++) {
		json_put_object(json, NULL, "file %s, hash %s, bytes %zu", file[i].name, file[i].hash, file[i].n_byte);
	}
	json_end(json);
}

void run_put_json(struct json *json, const struct run_record *run)
{
	json_put_fields(json, "run %" PRIu64 ", date %s, seconds %g", run->id, run->date, run->seconds);
	if (run->known_from > 0)
		json_put_u64(json, "known_from", run->known_from);
	json_put_fields(json, "version %s, build %s, model %s, command %s, folder %s, space %s, engine %s, detail %s",
	                run->version, run->build, run->model, run->command, run->folder, run->space, run->engine,
	                run->detail);
	json_put_fields(json,
	                "seed %" PRIu64 ", state %s, exactness %s, certificate %s, points %" PRIu64 ", signature %s",
	                run->seed, run->state, run->exactness, run->certificate, run->n_point,
	                run->n_point > 0 ? run->signature : NULL);
	if (run->n_point > 0)
		json_put_real(json, "hypervolume", run->hypervolume);
	put_files(json, "inputs", run->input, run->n_input);
	put_files(json, "files", run->file, run->n_file);
}

static const char *compare_now(const char *path, const char *hash)
{
	char hex[HASH_HEX_SIZE];
	struct err ignored = {0};
	if (access(path, R_OK) != 0)
		return "gone";
	enum err_code code = hash_file(path, hex, &ignored);
	err_clear(&ignored);
	return code == ERR_OK && strcmp(hex, hash) == 0 ? "the same" : "changed";
}

static void print_inputs(FILE *file, const struct run_record *run)
{
	struct table table = {0};
	table_add_columns(&table, "input|>bytes|hash|since then");
	for (size_t i = 0; i < run->n_input; i++) {
		table_add_row(&table, "%s|%zu|%s", run->input[i].name, run->input[i].n_byte, run->input[i].hash);
		const char *now = compare_now(run->input[i].name, run->input[i].hash);
		table_add(&table, "%s", now);
		table_colour(&table, strcmp(now, "the same") == 0 ? COLOUR_NONE : COLOUR_WARNING);
	}
	table_finish(&table, file, 0);
}

/* ---- the front ---- */

/* Objectives stand between the columns id and machine. */
static size_t count_objectives(const struct csv_table *csv)
{
	size_t machine = csv_find_column(csv, "machine");
	bool is_front = machine != CSV_NO_COLUMN && machine >= 2 && machine - 1 <= PARETO_MAX_OBJECTIVE &&
	                csv_find_column(csv, "id") == 0;
	return is_front ? machine - 1 : 0;
}

/* Columns up to the strategies, without the metrics that are no objectives: machine and axes tell designs apart. */
static bool is_shown(const struct csv_table *csv, size_t column, size_t n_objective)
{
	static const char *const also[] = {"machine", "strategies", "levels"};
	const char *name = csv->header[column].text;
	if (column <= n_objective)
		return true;
	for (size_t i = 0; i < sizeof(also) / sizeof(also[0]); i++)
		if (strcmp(name, also[i]) == 0)
			return true;
	return machine_find_param(name) != NULL;
}

static void read_front(const struct csv_table *csv, size_t n_objective, struct pareto *front)
{
	const uint32_t genome[1] = {0};
	pareto_init(front, (unsigned)n_objective, 1);
	for (size_t i = 0; i < csv->n_row; i++) {
		double objective[PARETO_MAX_OBJECTIVE];
		for (size_t k = 0; k < n_objective; k++)
			objective[k] = strtod(csv_get_cell(csv, i, 1 + k)->text, NULL);
		memory_check(pareto_append(front, objective, genome, i));
	}
}

static void print_points(FILE *file, const struct csv_table *csv, size_t n_objective, const size_t *chosen, size_t n,
                         size_t knee)
{
	struct table table = {0};
	for (size_t k = 0; k < csv->n_column; k++)
		if (is_shown(csv, k, n_objective))
			table_add_column(&table, csv->header[k].text, k <= n_objective);
	table_add_column(&table, "", false);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < csv->n_column; k++) {
			const char *text = csv_get_cell(csv, chosen[i], k)->text;
			if (!is_shown(csv, k, n_objective))
				continue;
			if (k >= 1 && k <= n_objective && *text)
				table_add_most(&table, strtod(text, NULL)); /* as dse explore prints it */
			else
				table_add(&table, "%s", text);
		}
		table_add(&table, "%s", chosen[i] == knee ? "knee" : "");
		table_colour(&table, COLOUR_KNEE);
	}
	table_finish(&table, file, 0);
}

/* A cell as a number; NAN: there is no such column, or nothing in it. */
static double read_cell(const struct csv_table *csv, size_t row, const char *column)
{
	size_t at = csv_find_column(csv, column);
	const char *text = at == CSV_NO_COLUMN ? "" : csv_get_cell(csv, row, at)->text;
	return *text ? strtod(text, NULL) : (double)NAN;
}

/* What a point's energy rests on, as dse explore says it; nothing where front.csv does not say. */
static void print_trust(FILE *file, const struct csv_table *csv, size_t row)
{
	struct energy_trust trust = {.least_mj = read_cell(csv, row, "energy_least_mj"),
	                             .most_mj = read_cell(csv, row, "energy_most_mj")};
	double energy_mj = read_cell(csv, row, "energy_mj");
	char column[64], begin[64];
	for (int i = 0; i < N_CONFIDENCE; i++) {
		(void)snprintf(column, sizeof(column), "energy_%s_pct", confidence_name[i]);
		double pct = read_cell(csv, row, column);
		trust.by_mj[i] = isnan(pct) ? 0 : energy_mj * pct / 100;
	}
	if (isnan(energy_mj) || isnan(trust.least_mj) || !(energy_trust_mj(&trust) > 0))
		return;
	(void)snprintf(begin, sizeof(begin), "design %s, the knee: ", csv_get_cell(csv, row, 0)->text);
	energy_trust_print(file, begin, &trust);
}

/* As many points of front.csv as dse explore prints, chosen in the same way. */
static enum err_code print_front(FILE *file, struct database *store, const struct run_record *run,
                                 const struct run_file *kept, struct err *err)
{
	struct csv_table csv = {0};
	struct pareto front = {0};
	char *text = NULL;
	size_t n_byte, chosen[SHORTLIST_MAX], knee = 0;
	enum err_code code = run_store_content(store, kept->hash, &text, &n_byte, err);
	if (code == ERR_OK && n_byte > CSV_MAX_BYTE) {
		(void)fprintf(file, "%" PRIu64 " points; 'dse export %" PRIu64 " --csv' lists them\n", run->n_point,
		              run->id);
		free(text);
		return ERR_OK;
	}
	if (code == ERR_OK)
		code = csv_read_text("front.csv", text, n_byte, &csv, err);
	size_t n_objective = code == ERR_OK ? count_objectives(&csv) : 0;
	if (code == ERR_OK && (n_objective == 0 || csv.n_row == 0))
		code =
		    err_add(err, ERR_INPUT, "%s: front.csv of run %" PRIu64 " is none", database_path(store), run->id);
	if (code == ERR_OK) {
		read_front(&csv, n_objective, &front);
		size_t n = shortlist_choose(&front, SHORTLIST_MAX, chosen, &knee);
		(void)fprintf(file, "%zu of %zu points:\n", n, csv.n_row);
		print_points(file, &csv, n_objective, chosen, n, knee);
		print_trust(file, &csv, knee);
		if (csv_find_column(&csv, "latency_ms") != CSV_NO_COLUMN)
			story_print_searched(file, run->detail);
	}
	pareto_free(&front);
	csv_free(&csv);
	free(text);
	return code;
}

/* From the folder if it still holds this front, else from the store. */
static void print_replay(FILE *file, const struct database *store, const struct run_record *run,
                         const struct run_file *json)
{
	char *path = memory_must(output_file_join(run->folder, json->name));
	bool is_there = strcmp(compare_now(path, json->hash), "the same") == 0;
	(void)fprintf(file, "Search again: %s\nReplay one design: ", run->command);
	if (is_there)
		command_word_replay(file, path, "0");
	else
		command_word_replay_kept(file, run_note_is_usual(database_path(store)) ? NULL : database_path(store),
		                         run->id, "0");
	(void)fputc('\n', file);
	free(path);
}

/* What run.json says of the machines; a run of an earlier version says nothing. */
static void print_verdict(FILE *file, struct database *store, const struct run_record *run)
{
	const struct run_file *kept = run_record_file(run, "run.json");
	struct arena arena = {0};
	struct doc_node *root = NULL;
	struct run_verdict verdict;
	struct err ignored = {0};
	char *text = NULL;
	size_t n_byte;
	if (kept && run_store_content(store, kept->hash, &text, &n_byte, &ignored) == ERR_OK &&
	    doc_read_text("run.json", text, n_byte, &arena, &root, &ignored) == ERR_OK) {
		const struct doc_node *node = root->kind == DOC_MAP ? doc_find(root, "verdict") : NULL;
		if (run_verdict_read_json(node, &verdict))
			run_verdict_print(file, &verdict, false);
		run_verdict_free(&verdict);
	}
	err_clear(&ignored);
	arena_free(&arena);
	free(text);
}

enum err_code run_print(FILE *file, struct database *store, const struct run_record *run, struct err *err)
{
	assert(file && store && run);
	const struct run_file *csv = run_record_file(run, "front.csv"), *json = run_record_file(run, "front.json");
	enum err_code code = ERR_OK;
	(void)fprintf(file, "Run %" PRIu64 " of space %s, %s, %.3f s, dse %s (sources %.8s)\n", run->id, run->space,
	              run->date, run->seconds, run->version, run->build[0] ? run->build : "unknown");
	(void)fprintf(file, "Engine %s, detail %s, seed %" PRIu64 "; %s\n", run->engine, run->detail, run->seed,
	              run->state);
	(void)fprintf(file, "Certificate: %s\n", run->certificate);
	if (run->known_from > 0)
		(void)fprintf(file, "Not searched: run %" PRIu64 " had asked the same.\n", run->known_from);
	if (run->n_point > 0)
		(void)fprintf(file, "Front: %" PRIu64 " points, signature %s, hypervolume %.6g\n", run->n_point,
		              run->signature, run->hypervolume);
	(void)fputc('\n', file);
	print_verdict(file, store, run);
	print_inputs(file, run);
	(void)fputc('\n', file);
	if (csv)
		code = print_front(file, store, run, csv, err);
	else
		(void)fputs("No feasible design.\n", file);
	if (code == ERR_OK && json) {
		(void)fputc('\n', file);
		print_replay(file, store, run, json);
	}
	return code;
}
