/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a store of runs: lists, the run that a user means, and which are old. */
#include "dse/keep/run_store.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Signatures shorter than this are more likely a slip than meant. */
#define MIN_SIGNATURE 4

/* Longer names are none of a space's. */
#define MAX_NAME 128

/* The row of the table in the order that read_runs asks for. */
static void read_row(struct query *query, struct arena *arena, struct run_record *run)
{
	const char **const text[] = {&run->date,   &run->version,   &run->build,       &run->command,
	                             &run->folder, &run->space,     &run->engine,      &run->detail,
	                             &run->state,  &run->exactness, &run->certificate, &run->signature,
	                             &run->model};
	size_t n = sizeof(text) / sizeof(text[0]);
	*run = (struct run_record){.id = query_u64(query, 0), .seconds = query_real(query, 1)};
	run->seed = query_u64(query, 2);
	run->n_point = query_u64(query, 3);
	run->hypervolume = query_real(query, 4);
	run->known_from = query_u64(query, 5);
	for (size_t i = 0; i < n; i++)
		*text[i] = query_copy_text(query, 6 + (int)i, arena);
}

/* Files or inputs of a run; they are few, so a list is counted first. */
static enum err_code read_files(struct database *store, const char *table, uint64_t run, struct arena *arena,
                                struct run_file **file, size_t *n, struct err *err)
{
	char sql[160];
	struct query query;
	(void)snprintf(sql, sizeof(sql),
	               "SELECT count(*) OVER (), name, hash, n_byte FROM %s WHERE run = ? ORDER BY position", table);
	query_start(&query, store, sql, err);
	query_put_u64(&query, run);
	for (*n = 0; query_next(&query); ++*n) {
		if (*n == 0)
			*file = memory_must(arena_array(arena, (size_t)query_u64(&query, 0), sizeof(**file)));
		(*file)[*n] = (struct run_file){.name = query_copy_text(&query, 1, arena),
		                                .hash = query_copy_text(&query, 2, arena),
		                                .n_byte = (size_t)query_u64(&query, 3)};
	}
	return query_end(&query);
}

enum err_code run_store_list(struct database *store, const struct run_filter *filter, struct arena *arena,
                             struct run_record **run, size_t *n, struct err *err)
{
	struct query query;
	assert(store && filter && arena && run && n);
	*n = 0;
	query_start(&query, store,
	            "SELECT id, seconds, seed, n_point, hypervolume, known_from, date, version, build, command, "
	            "folder, space, engine,"
	            " detail, state, exactness, certificate, signature, model FROM run"
	            " WHERE (?1 IS NULL OR space = ?1) AND (?2 IS NULL OR engine = ?2)"
	            " AND (?3 IS NULL OR substr(signature, 1, length(?3)) = ?3) AND (?4 = 0 OR id = ?4)"
	            " ORDER BY id DESC LIMIT CASE ?5 WHEN 0 THEN -1 ELSE ?5 END",
	            err);
	query_put_text(&query, filter->space);
	query_put_text(&query, filter->engine);
	query_put_text(&query, filter->signature);
	query_put_u64(&query, filter->id);
	query_put_u64(&query, filter->max);
	struct run_record *found = NULL;
	for (size_t n_alloc = 0; query_next(&query); ++*n) {
		if (*n == n_alloc)
			found = memory_resize(found, n_alloc = 2 * n_alloc + 16, sizeof(*found));
		read_row(&query, arena, &found[*n]);
	}
	*run = memory_must(arena_array(arena, *n, sizeof(**run)));
	if (*n > 0)
		memcpy(*run, found, *n * sizeof(**run));
	free(found);
	enum err_code code = query_end(&query);
	for (size_t i = 0; i < *n && code == ERR_OK; i++) {
		struct run_record *own = &(*run)[i];
		code = read_files(store, "run_input", own->id, arena, &own->input, &own->n_input, err);
		if (code == ERR_OK)
			code = read_files(store, "run_file", own->id, arena, &own->file, &own->n_file, err);
	}
	return code;
}

const struct run_file *run_record_file(const struct run_record *run, const char *name)
{
	for (size_t i = 0; i < run->n_file; i++)
		if (strcmp(run->file[i].name, name) == 0)
			return &run->file[i];
	return NULL;
}

/* ---- the run that is meant ---- */

static enum err_code not_found(struct database *store, const char *name, struct arena *arena, struct err *err)
{
	struct run_record *newest;
	size_t n;
	const struct run_filter last = {.max = 1};
	enum err_code code = run_store_list(store, &last, arena, &newest, &n, err);
	if (code != ERR_OK)
		return code;
	if (n == 0)
		return err_add(err, ERR_INPUT, "%s: holds no run yet", database_path(store));
	return err_add(
	    err, ERR_USAGE,
	    "%s: has no run '%.40s'; allowed are a number up to %" PRIu64
	    ", the first digits (%d or more) of a signature, a space's name or 'last' (~1 behind these two: the one "
	    "before); 'dse runs' lists them",
	    database_path(store), name, newest->id, MIN_SIGNATURE);
}

/* The runs of a name without "~N", newest first: up to max of them, of a signature all. */
static enum err_code list_named(struct database *store, const char *name, size_t max, struct arena *arena,
                                struct run_record **found, size_t *n, struct err *err)
{
	struct run_filter filter = {.max = max};
	size_t n_name = strlen(name);
	enum err_code code = ERR_OK;
	if (strcmp(name, "last") == 0)
		return run_store_list(store, &filter, arena, found, n, err);
	if (n_name > 0 && n_name < 16 && name[strspn(name, "0123456789")] == '\0') {
		filter.id = strtoull(name, NULL, 10);
		if (filter.id > 0)
			code = run_store_list(store, &filter, arena, found, n, err);
	}
	if (code == ERR_OK && *n == 0 && n_name >= MIN_SIGNATURE) {
		filter = (struct run_filter){.signature = name};
		code = run_store_list(store, &filter, arena, found, n, err);
		for (size_t i = 1; i < *n && code == ERR_OK; i++)
			if (strcmp((*found)[i].signature, (*found)[0].signature) != 0)
				return err_add(err, ERR_USAGE,
				               "%s: '%s' begins several signatures, %s of run %" PRIu64
				               " and %s of run %" PRIu64,
				               database_path(store), name, (*found)[0].signature, (*found)[0].id,
				               (*found)[i].signature, (*found)[i].id);
	}
	if (code == ERR_OK && *n == 0) {
		filter = (struct run_filter){.space = name, .max = max};
		code = run_store_list(store, &filter, arena, found, n, err);
	}
	return code;
}

enum err_code run_store_find(struct database *store, const char *name, struct arena *arena, struct run_record *run,
                             struct err *err)
{
	struct run_record *found = NULL;
	size_t n = 0, n_back = 0;
	char base[MAX_NAME];
	assert(store && arena && run);
	/* "last~1": so many before; not of what stands for one run only */
	const char *tilde = strrchr(name, '~');
	bool goes_back = tilde && tilde[1] && strlen(tilde) < 8 && tilde[1 + strspn(tilde + 1, "0123456789")] == '\0';
	if (goes_back)
		n_back = (size_t)strtoull(tilde + 1, NULL, 10);
	(void)snprintf(base, sizeof(base), "%.*s", (int)(goes_back ? tilde - name : (ptrdiff_t)strlen(name)), name);
	enum err_code code = list_named(store, base, n_back + 1, arena, &found, &n, err);
	if (code != ERR_OK)
		return code;
	if (n <= n_back)
		return not_found(store, name, arena, err);
	*run = found[n_back];
	return ERR_OK;
}

/* ---- retention ---- */

/* Whether the run is younger than so many days; the database knows the time. */
static bool is_young(struct database *store, const struct run_record *run, double n_day, struct err *err)
{
	struct query query;
	query_start(&query, store, "SELECT julianday('now') - julianday(?) < ?", err);
	query_put_text(&query, run->date);
	query_put_real(&query, n_day);
	bool young = query_next(&query) && query_u64(&query, 0) != 0;
	return query_end(&query) != ERR_OK || young;
}

/* Whether it is of its space's last good night, which the next one is compared with, or of its last night at all. */
static bool is_of_night(struct database *store, const struct run_record *run, struct err *err)
{
	struct query query;
	query_start(&query, store,
	            "SELECT 1 FROM night_run JOIN night ON night.id = night_run.night WHERE run = ? AND night.id IN"
	            " ((SELECT max(id) FROM night AS last WHERE last.space = night.space),"
	            " (SELECT max(id) FROM night AS good WHERE good.space = night.space AND good.is_good))",
	            err);
	query_put_u64(&query, run->id);
	bool found = query_next(&query);
	return query_end(&query) != ERR_OK || found;
}

enum err_code run_store_old(struct database *store, const struct run_retention *retention, struct arena *arena,
                            struct run_record **run, size_t *n, struct err *err)
{
	const struct run_filter filter = {.space = retention->space};
	size_t n_all;
	struct run_record *all;
	assert(retention->has_keep || retention->has_day);
	enum err_code code = run_store_list(store, &filter, arena, &all, &n_all, err);
	struct run_record *old = memory_must(arena_array(arena, n_all + 1, sizeof(*old)));
	*n = 0;
	*run = old;
	for (size_t i = 0; i < n_all && code == ERR_OK; i++) {
		uint64_t n_newer = 0;
		for (size_t k = 0; k < i; k++)
			n_newer += strcmp(all[k].space, all[i].space) == 0;
		bool stays = (retention->has_keep && n_newer < retention->n_keep) ||
		             (retention->has_day && is_young(store, &all[i], retention->n_day, err)) ||
		             is_of_night(store, &all[i], err);
		if (!stays)
			old[(*n)++] = all[i];
	}
	return code;
}
