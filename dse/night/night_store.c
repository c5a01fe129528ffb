/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/night/night_store.h"
#include "dse/base/memory.h"
#include "dse/out/json.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct night_verdict_info night_verdict_table[N_NIGHT_VERDICT] = {
    [NIGHT_STOPPED] = {"stopped", false, false, false, "its searches are not all made; the same command goes on"},
    [NIGHT_FIRST] = {"first", true, true, true, "there is no good night yet; this one is"},
    [NIGHT_SAME] = {"same", true, true, false, "the same front, byte for byte"},
    [NIGHT_ALIKE] = {"alike", true, true, false, "within its certificate, or within the noise of its seeds"},
    [NIGHT_BETTER] = {"better", true, true, true, "nothing is lost, and something is better"},
    [NIGHT_WORSE] = {"worse", false, false, false, "something is lost"},
    [NIGHT_CHANGED] = {"changed", false, false, false, "it asks another question; --accept if it is meant"},
    [NIGHT_MODEL] = {"model", true, true, true, "another model prices designs; this night begins a new line"},
    [NIGHT_ACCEPTED] = {"accepted", true, true, true, "somebody said that this is how it should be"},
    [NIGHT_FAILED] = {"failed", false, false, false, "there is no result"},
};

/* ---- lists of texts and of numbers, as JSON ---- */

/* A list as json_extract reads it; the caller frees it. texts or numbers, the other one NULL. */
static char *print_list(const char *const *texts, const double *numbers, size_t n)
{
	char *text = NULL;
	size_t n_byte;
	struct json json;
	FILE *file = memory_must(open_memstream(&text, &n_byte));
	json_start(&json, file, 0);
	json_begin_list(&json, NULL);
	for (size_t i = 0; i < n; i++) {
		if (texts)
			json_put_text(&json, NULL, texts[i]);
		else
			json_put_real(&json, NULL, numbers[i]);
	}
	json_end(&json);
	return memory_must(fclose(file) == 0 ? text : NULL);
}

/* Numbers of a list; null is NaN. */
static void read_numbers(const char *text, double number[SPACE_MAX_OBJECTIVE])
{
	size_t n = 0;
	for (size_t i = 0; i < SPACE_MAX_OBJECTIVE; i++)
		number[i] = NAN;
	for (text += strspn(text, "[ "); *text && *text != ']' && n < SPACE_MAX_OBJECTIVE; n++) {
		char *end;
		double value = strtod(text, &end);
		number[n] = end != text ? value : NAN;
		text += strcspn(text, ",]");
		text += strspn(text, ", ");
	}
}

/* Metrics' names, which hold nothing that JSON escapes. */
static void read_names(char *text, struct night_row *row)
{
	char *end = NULL;
	for (char *at = strtok_r(text, "[]\", ", &end); at && row->n_objective < SPACE_MAX_OBJECTIVE;
	     at = strtok_r(NULL, "[]\", ", &end))
		row->objective[row->n_objective++] = at;
}

/* ---- writing ---- */

enum err_code night_store_begin(struct database *store, struct night_row *row, struct err *err)
{
	struct query query;
	char *objectives = print_list(row->objective, NULL, row->n_objective);
	query_start(
	    &query, store,
	    "INSERT INTO night (date, space, path, question, build, model, verdict, is_good, era, objectives, reference, note)"
	    " VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, '[]', '')",
	    err);
	query_put_text(&query, row->date);
	query_put_text(&query, row->space);
	query_put_text(&query, row->path);
	query_put_text(&query, row->question);
	query_put_text(&query, row->build);
	query_put_text(&query, row->model);
	query_put_text(&query, night_verdict_table[NIGHT_STOPPED].name);
	query_put_text(&query, objectives);
	enum err_code code = query_run(&query);
	row->id = database_last_row(store);
	free(objectives);
	return code;
}

static enum err_code put_run(struct database *store, uint64_t night, size_t position, const struct night_run *run,
                             size_t n_objective, struct err *err)
{
	struct query query;
	char *best = print_list(NULL, run->best, n_objective);
	query_start(&query, store, "INSERT OR REPLACE INTO night_run VALUES (?, ?, nullif(?, 0), ?, ?, ?, ?, ?, ?)",
	            err);
	query_put_u64(&query, night);
	query_put_u64(&query, position);
	query_put_u64(&query, run->run);
	query_put_u64(&query, run->seed);
	query_put_real(&query, run->seconds);
	query_put_u64(&query, run->n_point);
	query_put_text(&query, run->signature);
	query_put_real(&query, run->hypervolume);
	query_put_text(&query, best);
	enum err_code code = query_run(&query);
	free(best);
	return code;
}

enum err_code night_store_add_run(struct database *store, uint64_t night, size_t position, const struct night_run *run,
                                  struct err *err)
{
	return put_run(store, night, position, run, 0, err);
}

static enum err_code put_verdict(struct database *store, const struct night_row *row, struct err *err)
{
	struct query query;
	char *reference = print_list(NULL, row->reference, row->n_objective);
	query_start(&query, store,
	            "UPDATE night SET verdict = ?, is_good = ?, era = ?, reference = ?, note = ? WHERE id = ?", err);
	query_put_text(&query, night_verdict_table[row->verdict].name);
	query_put_u64(&query, row->is_good);
	query_put_u64(&query, row->era);
	query_put_text(&query, reference);
	query_put_text(&query, row->note);
	query_put_u64(&query, row->id);
	enum err_code code = query_run(&query);
	free(reference);
	return code;
}

enum err_code night_store_put_verdict(struct database *store, const struct night_row *row, struct err *err)
{
	assert(row->id > 0 && row->verdict < N_NIGHT_VERDICT);
	enum err_code code = database_begin(store, err);
	if (code != ERR_OK)
		return code;
	code = put_verdict(store, row, err);
	for (size_t i = 0; i < row->n_run && code == ERR_OK; i++)
		code = put_run(store, row->id, i, &row->run[i], row->n_objective, err);
	if (code == ERR_OK)
		return database_commit(store, err);
	database_rollback(store);
	return code;
}

/* ---- reading ---- */

#define COLUMNS "night.id, date, space, path, question, build, verdict, is_good, era, objectives, reference, note, model"

static void read_row(struct query *query, struct arena *arena, struct night_row *row)
{
	const char *verdict = query_text(query, 6);
	*row = (struct night_row){.id = query_u64(query, 0),
	                          .date = query_copy_text(query, 1, arena),
	                          .space = query_copy_text(query, 2, arena),
	                          .path = query_copy_text(query, 3, arena),
	                          .question = query_copy_text(query, 4, arena),
	                          .build = query_copy_text(query, 5, arena),
	                          .is_good = query_u64(query, 7) != 0,
	                          .era = query_u64(query, 8),
	                          .note = query_copy_text(query, 11, arena),
	                          .model = query_copy_text(query, 12, arena)};
	for (size_t i = 0; i < N_NIGHT_VERDICT && verdict; i++)
		if (strcmp(verdict, night_verdict_table[i].name) == 0)
			row->verdict = (enum night_verdict)i;
	read_names(memory_must(arena_text(arena, query_copy_text(query, 9, arena))), row);
	const char *reference = query_text(query, 10);
	read_numbers(reference ? reference : "", row->reference);
}

static enum err_code read_runs(struct database *store, struct arena *arena, struct night_row *row, struct err *err)
{
	struct query query;
	query_start(&query, store,
	            "SELECT count(*) OVER (), ifnull(run, 0), seed, seconds, n_point, signature, ifnull(hypervolume, "
	            "'nan'), best"
	            " FROM night_run WHERE night = ? ORDER BY position",
	            err);
	query_put_u64(&query, row->id);
	while (query_next(&query)) {
		if (row->n_run == 0)
			row->run = memory_must(arena_array(arena, (size_t)query_u64(&query, 0), sizeof(*row->run)));
		struct night_run *run = &row->run[row->n_run++];
		*run = (struct night_run){.run = query_u64(&query, 1), .seed = query_u64(&query, 2)};
		run->seconds = query_real(&query, 3);
		run->n_point = query_u64(&query, 4);
		run->signature = query_copy_text(&query, 5, arena);
		run->hypervolume = strtod(query_text(&query, 6), NULL);
		read_numbers(query_text(&query, 7), run->best);
	}
	return query_end(&query);
}

/* Rows of a query whose first column is how many there are. It has its parameters, and is given back. */
static enum err_code read_rows(struct query *query, struct arena *arena, struct night_row **row, size_t *n)
{
	struct database *store = query->database;
	struct err *err = query->err;
	*row = NULL;
	size_t n_row = 0, n_alloc = 0;
	while (query_next(query)) {
		if (n_row == n_alloc) {
			struct night_row *more =
			    memory_must(arena_array(arena, n_alloc = 2 * n_alloc + 16, sizeof(*more)));
			if (n_row > 0)
				memcpy(more, *row, n_row * sizeof(*more));
			*row = more;
		}
		read_row(query, arena, &(*row)[n_row++]);
	}
	enum err_code code = query_end(query);
	for (size_t i = 0; i < n_row && code == ERR_OK; i++)
		code = read_runs(store, arena, &(*row)[i], err);
	*n = code == ERR_OK ? n_row : 0;
	return code;
}

enum err_code night_store_find(struct database *store, const char *space, const char *date, struct arena *arena,
                               struct night_row **row, struct err *err)
{
	struct query query;
	size_t n;
	query_start(&query, store,
	            "SELECT " COLUMNS " FROM night WHERE space = ? AND date = ? ORDER BY id DESC LIMIT 1", err);
	query_put_text(&query, space);
	query_put_text(&query, date);
	return read_rows(&query, arena, row, &n);
}

enum err_code night_store_good(struct database *store, const char *space, uint64_t before, struct arena *arena,
                               struct night_row **row, struct err *err)
{
	struct query query;
	size_t n;
	query_start(&query, store,
	            "SELECT " COLUMNS " FROM night WHERE space = ? AND id < ? AND is_good ORDER BY id DESC LIMIT 1",
	            err);
	query_put_text(&query, space);
	query_put_u64(&query, before);
	return read_rows(&query, arena, row, &n);
}

enum err_code night_store_trend(struct database *store, const char *space, uint64_t last, size_t max,
                                struct arena *arena, struct night_row **row, size_t *n, struct err *err)
{
	struct query query;
	query_start(
	    &query, store,
	    "SELECT * FROM (SELECT " COLUMNS " FROM night JOIN (SELECT max(id) AS id FROM night"
	    " WHERE space = ?1 AND id <= ?2 GROUP BY date) AS kept ON kept.id = night.id ORDER BY date DESC LIMIT ?3)"
	    " ORDER BY date",
	    err);
	query_put_text(&query, space);
	query_put_u64(&query, last);
	query_put_u64(&query, max);
	return read_rows(&query, arena, row, n);
}

enum err_code night_store_era(struct database *store, const char *space, uint64_t era, uint64_t before,
                              struct arena *arena, struct night_row **row, size_t *n, struct err *err)
{
	struct query query;
	query_start(&query, store,
	            "SELECT " COLUMNS " FROM night WHERE space = ? AND era = ? AND id < ? AND is_good ORDER BY id",
	            err);
	query_put_text(&query, space);
	query_put_u64(&query, era);
	query_put_u64(&query, before);
	return read_rows(&query, arena, row, n);
}

/* ---- errors of the models ---- */

enum err_code night_store_put_error(struct database *store, const struct night_error *error, struct err *err)
{
	struct query query;
	query_start(&query, store, "INSERT OR REPLACE INTO night_error VALUES (?, ?, ?, ?, ?)", err);
	query_put_text(&query, error->date);
	query_put_text(&query, error->name);
	query_put_u64(&query, error->n);
	query_put_real(&query, error->mean_pct);
	query_put_real(&query, error->max_pct);
	return query_run(&query);
}

enum err_code night_store_errors(struct database *store, struct arena *arena, struct night_error **error, size_t *n,
                                 struct err *err)
{
	struct query query;
	*error = NULL;
	*n = 0;
	query_start(
	    &query, store,
	    "SELECT count(*) OVER (), date, name, n, ifnull(mean_pct, 'nan'), ifnull(max_pct, 'nan') FROM night_error"
	    " ORDER BY name, date",
	    err);
	while (query_next(&query)) {
		if (*n == 0)
			*error = memory_must(arena_array(arena, (size_t)query_u64(&query, 0), sizeof(**error)));
		struct night_error *own = &(*error)[(*n)++];
		*own = (struct night_error){.date = query_copy_text(&query, 1, arena),
		                            .name = query_copy_text(&query, 2, arena),
		                            .n = query_u64(&query, 3)};
		own->mean_pct = strtod(query_text(&query, 4), NULL);
		own->max_pct = strtod(query_text(&query, 5), NULL);
	}
	return query_end(&query);
}
