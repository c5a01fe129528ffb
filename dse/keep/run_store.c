/* SPDX-License-Identifier: Apache-2.0 */
/* What a store's tables are, and how a run gets into them; dse/keep/run_store_list.c reads them. */
#include "dse/keep/run_store.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/keep/squeeze.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "dse1" */
#define APPLICATION UINT32_C(0x64736531)

/* Texts up to this are kept as they are, for SQL and for people; larger ones are squeezed. */
#define PLAIN_MAX_BYTE (32u << 10)

/* Version 1: runs. Never change a step that has been in a release: add one. */
static const char runs_step[] =
    "CREATE TABLE content (\n"
    "  hash TEXT PRIMARY KEY,        -- XXH3-128 of the bytes\n"
    "  n_byte INTEGER NOT NULL,      -- before squeezing\n"
    "  is_squeezed INTEGER NOT NULL, -- 1: data is zlib's\n"
    "  data NOT NULL) WITHOUT ROWID;\n"
    "CREATE TABLE run (\n"
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,\n"
    "  date TEXT NOT NULL, seconds REAL NOT NULL,\n"
    "  version TEXT NOT NULL, build TEXT NOT NULL,\n"
    "  command TEXT NOT NULL, folder TEXT NOT NULL,\n"
    "  space TEXT NOT NULL, engine TEXT NOT NULL, detail TEXT NOT NULL,\n"
    "  state TEXT NOT NULL, exactness TEXT NOT NULL, certificate TEXT NOT NULL,\n"
    "  seed INTEGER NOT NULL, n_point INTEGER NOT NULL,\n"
    "  signature TEXT NOT NULL, hypervolume REAL NOT NULL);\n"
    "CREATE TABLE run_input (\n"
    "  run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,\n"
    "  position INTEGER NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL, n_byte INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run, position)) WITHOUT ROWID;\n"
    "CREATE TABLE run_file (\n"
    "  run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,\n"
    "  position INTEGER NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL, n_byte INTEGER NOT NULL,\n"
    "  PRIMARY KEY (run, position)) WITHOUT ROWID;\n"
    "CREATE INDEX run_of_space ON run(space, id);\n"
    "CREATE INDEX run_of_signature ON run(signature);\n";

/* Version 2: answers of searches, whose answer a run has, and fronts of layers. */
static const char answers_step[] =
    "CREATE TABLE answer (\n"
    "  key TEXT PRIMARY KEY,         -- of the question, with the program's sources\n"
    "  run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,\n"
    "  n_byte INTEGER NOT NULL, hash TEXT NOT NULL, -- before squeezing\n"
    "  data BLOB NOT NULL);\n"
    "CREATE INDEX answer_of_run ON answer(run);\n"
    "CREATE TABLE layer_front (\n"
    "  key TEXT PRIMARY KEY,         -- of layer, place and machine, with the program's sources\n"
    "  build TEXT NOT NULL, n_byte INTEGER NOT NULL, hash TEXT NOT NULL, -- before squeezing\n"
    "  data BLOB NOT NULL, date TEXT NOT NULL);\n"
    "ALTER TABLE run ADD COLUMN known_from INTEGER NOT NULL DEFAULT 0;\n";

/* Version 3: nights (dse/night/night_store.h). Their figures outlive their runs. */
static const char nights_step[] =
    "CREATE TABLE night (\n"
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,\n"
    "  date TEXT NOT NULL,           -- of the night, not of the clock: 2026-11-22\n"
    "  space TEXT NOT NULL, path TEXT NOT NULL,\n"
    "  question TEXT NOT NULL,       -- hash of all inputs\n"
    "  build TEXT NOT NULL, verdict TEXT NOT NULL,\n"
    "  is_good INTEGER NOT NULL,     -- later nights are compared with it\n"
    "  era INTEGER NOT NULL,         -- the night that set reference and began the sample of seeds\n"
    "  objectives TEXT NOT NULL,     -- keys, a JSON list\n"
    "  reference TEXT NOT NULL,      -- values, in their order\n"
    "  note TEXT NOT NULL);\n"
    "CREATE INDEX night_of_space ON night(space, id);\n"
    "CREATE TABLE night_run (\n"
    "  night INTEGER NOT NULL REFERENCES night(id) ON DELETE CASCADE,\n"
    "  position INTEGER NOT NULL,    -- 0: of the space's own seed\n"
    "  run INTEGER REFERENCES run(id) ON DELETE SET NULL,\n"
    "  seed INTEGER NOT NULL, seconds REAL NOT NULL, n_point INTEGER NOT NULL, signature TEXT NOT NULL,\n"
    "  hypervolume REAL,             -- of the box up to reference, 0..1; null: not judged yet\n"
    "  best TEXT NOT NULL,           -- least value of each objective, a JSON list\n"
    "  PRIMARY KEY (night, position)) WITHOUT ROWID;\n"
    "CREATE INDEX night_of_run ON night_run(run);\n"
    "CREATE TABLE night_error (\n"
    "  date TEXT NOT NULL, name TEXT NOT NULL, -- of the reference table\n"
    "  n INTEGER NOT NULL, mean_pct REAL, max_pct REAL,\n"
    "  PRIMARY KEY (date, name)) WITHOUT ROWID;\n";

/* Version 4: which model made them (sim/base/model_version.h); '' where that was not noted. */
static const char models_step[] = "ALTER TABLE run ADD COLUMN model TEXT NOT NULL DEFAULT '';\n"
                                  "ALTER TABLE night ADD COLUMN model TEXT NOT NULL DEFAULT '';\n";

static const char *const step[] = {runs_step, answers_step, nights_step, models_step};
static const struct database_schema schema = {APPLICATION, "a store of runs", sizeof(step) / sizeof(step[0]), step};

enum err_code run_store_open(const char *path, bool create, struct database **store, struct err *err)
{
	return database_open(path, &schema, create, store, err);
}

/* ---- writing ---- */

static bool has_content(struct database *store, const char *hash, struct err *err)
{
	struct query query;
	query_start(&query, store, "SELECT 1 FROM content WHERE hash = ?", err);
	query_put_text(&query, hash);
	bool found = query_next(&query);
	(void)query_end(&query);
	return found;
}

/* Bytes of a run, squeezed before they are put: all of them side by side. */
struct content {
	const void *data; /* NULL: they are there, or stay plain */
	size_t n_byte;
	uint8_t *small;
	size_t n_small;
};

struct squeezing {
	struct content *content; /* [n_input + n_file + 1]: inputs, files, the answer */
	unsigned n_thread;
};

static void squeeze_content(void *context, size_t i)
{
	const struct squeezing *squeezing = context;
	struct content *content = &squeezing->content[i];
	if (content->data)
		content->small = squeeze(content->data, content->n_byte, squeezing->n_thread, &content->n_small);
}

/* Plain where it is small and a text, so that json_extract and people can read it. */
static bool stays_plain(const struct run_file *file)
{
	return file->n_byte <= PLAIN_MAX_BYTE && !memchr(file->data, 0, file->n_byte);
}

static void want_files(struct database *store, const struct run_file *file, size_t n, struct content *content,
                       struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (file[i].data && !stays_plain(&file[i]) && !has_content(store, file[i].hash, err))
			content[i] = (struct content){.data = file[i].data, .n_byte = file[i].n_byte};
}

static size_t n_content(const struct run_record *run)
{
	return run->n_input + run->n_file + 1;
}

static struct content *squeeze_all(struct database *store, const struct run_record *run, struct err *err)
{
	struct content *content = memory_array(n_content(run), sizeof(*content));
	struct squeezing squeezing = {content, run->n_thread > 0 ? run->n_thread : 1};
	want_files(store, run->input, run->n_input, content, err);
	want_files(store, run->file, run->n_file, content + run->n_input, err);
	if (run->answer)
		content[n_content(run) - 1] = (struct content){.data = run->answer, .n_byte = run->n_answer};
	parallel_for(n_content(run), squeezing.n_thread, squeeze_content, &squeezing);
	return content;
}

static void free_content(const struct run_record *run, struct content *content)
{
	for (size_t i = 0; i < n_content(run); i++)
		free(content[i].small);
	free(content);
}

static enum err_code put_content(struct database *store, const struct run_file *file, const struct content *content,
                                 struct err *err)
{
	struct query query;
	if (!file->data || has_content(store, file->hash, err))
		return ERR_OK;
	bool is_plain = stays_plain(file);
	char *text = is_plain ? memory_must(strndup(file->data, file->n_byte)) : NULL;
	query_start(&query, store, "INSERT INTO content VALUES (?, ?, ?, ?)", err);
	query_put_text(&query, file->hash);
	query_put_u64(&query, file->n_byte);
	query_put_u64(&query, is_plain ? 0 : 1);
	if (is_plain)
		query_put_text(&query, text);
	else
		query_put_bytes(&query, content->small, content->n_small);
	enum err_code code = query_run(&query);
	free(text);
	return code;
}

static enum err_code put_files(struct database *store, const char *sql, uint64_t run, const struct run_file *file,
                               size_t n, const struct content *content, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		struct query query;
		assert(file[i].name && file[i].hash);
		query_start(&query, store, sql, err);
		query_put_u64(&query, run);
		query_put_u64(&query, i);
		query_put_text(&query, file[i].name);
		query_put_text(&query, file[i].hash);
		query_put_u64(&query, file[i].n_byte);
		code = query_run(&query);
		if (code == ERR_OK)
			code = put_content(store, &file[i], &content[i], err);
	}
	return code;
}

static enum err_code put_row(struct database *store, const struct run_record *run, struct err *err)
{
	const char *const text[] = {run->version, run->build,  run->command, run->folder,    run->space,
	                            run->engine,  run->detail, run->state,   run->exactness, run->certificate, run->model};
	struct query query;
	query_start(&query, store,
	            "INSERT INTO run (date, seconds, version, build, command, folder, space, engine, detail, state,"
	            " exactness, certificate, model, seed, n_point, signature, hypervolume, known_from)"
	            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	            err);
	query_put_text(&query, run->date);
	query_put_real(&query, run->seconds);
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		query_put_text(&query, text[i]);
	query_put_u64(&query, run->seed);
	query_put_u64(&query, run->n_point);
	query_put_text(&query, run->signature);
	query_put_real(&query, run->hypervolume);
	query_put_u64(&query, run->known_from);
	return query_run(&query);
}

/* An answer belongs to a run that searched; one that knew it keeps it as long as that one is there. */
static enum err_code put_answer(struct database *store, const struct run_record *run, uint64_t id,
                                const struct content *content, struct err *err)
{
	struct query query;
	char hash[HASH_HEX_SIZE];
	if (!run->answer)
		return ERR_OK;
	hash_hex(run->answer, run->n_answer, hash);
	/* a second search for the same was asked for: its answer takes the first one's place */
	query_start(&query, store, "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?)", err);
	query_put_text(&query, run->answer_key);
	query_put_u64(&query, id);
	query_put_u64(&query, run->n_answer);
	query_put_text(&query, hash);
	query_put_bytes(&query, content->small, content->n_small);
	return query_run(&query);
}

enum err_code run_store_put(struct database *store, const struct run_record *run, uint64_t *id, struct err *err)
{
	assert(store && run && id);
	enum err_code code = database_begin(store, err);
	if (code != ERR_OK)
		return code;
	code = put_row(store, run, err);
	*id = database_last_row(store);
	struct content *content = squeeze_all(store, run, err);
	if (code == ERR_OK)
		code = put_files(store, "INSERT INTO run_input VALUES (?, ?, ?, ?, ?)", *id, run->input, run->n_input,
		                 content, err);
	if (code == ERR_OK)
		code = put_files(store, "INSERT INTO run_file VALUES (?, ?, ?, ?, ?)", *id, run->file, run->n_file,
		                 content + run->n_input, err);
	if (code == ERR_OK)
		code = put_answer(store, run, *id, &content[n_content(run) - 1], err);
	free_content(run, content);
	if (code == ERR_OK)
		return database_commit(store, err);
	database_rollback(store);
	return code;
}

/* ---- what stands under a hash ---- */

enum err_code run_store_content(struct database *store, const char *hash, char **data, size_t *n_byte, struct err *err)
{
	struct query query;
	uint8_t *expanded = NULL;
	enum err_code code = ERR_OK;
	assert(store && hash && data && n_byte);
	query_start(&query, store, "SELECT n_byte, is_squeezed, data FROM content WHERE hash = ?", err);
	query_put_text(&query, hash);
	if (query_next(&query)) {
		size_t n_kept, n = (size_t)query_u64(&query, 0);
		bool is_squeezed = query_u64(&query, 1) != 0;
		const void *kept = query_bytes(&query, 2, &n_kept);
		const char *path = database_path(store);
		if (is_squeezed) {
			code = squeeze_expand(path, kept, n_kept, n, hash, &expanded, err);
		} else {
			n = n_kept;
			expanded = memory_array(n + 1, 1);
			if (n > 0)
				memcpy(expanded, kept, n);
			code = squeeze_check(path, expanded, n, hash, err);
		}
		*n_byte = n;
	} else if (query.code == ERR_OK) {
		code = err_add(err, ERR_INPUT, "%s: content %s is not kept", database_path(store), hash);
	}
	enum err_code end = query_end(&query);
	code = code == ERR_OK ? end : code;
	if (code == ERR_OK)
		*data = (char *)expanded;
	else
		free(expanded);
	return code;
}

enum err_code run_store_answer(struct database *store, const char *key, struct run_answer *answer, struct err *err)
{
	struct query query;
	*answer = (struct run_answer){0};
	query_start(
	    &query, store,
	    "SELECT n_byte, hash, data, run, date, seconds FROM answer JOIN run ON run.id = answer.run WHERE key = ?",
	    err);
	query_put_text(&query, key);
	if (query_next(&query)) {
		size_t n_kept, n = (size_t)query_u64(&query, 0);
		const char *hash = query_text(&query, 1), *date = query_text(&query, 4);
		const void *kept = query_bytes(&query, 2, &n_kept);
		(void)squeeze_expand(database_path(store), kept, n_kept, n, hash ? hash : "", &answer->data, NULL);
		answer->n_byte = n;
		answer->run = query_u64(&query, 3);
		answer->seconds = query_real(&query, 5);
		(void)snprintf(answer->date, sizeof(answer->date), "%s", date ? date : "");
	}
	return query_end(&query);
}

/* ---- removing ---- */

/* What is left without a run. */
static enum err_code remove_rest(struct database *store, const char *build, struct err *err)
{
	struct query query;
	enum err_code code = database_run(store,
	                                  "DELETE FROM content WHERE hash NOT IN (SELECT hash FROM run_input)"
	                                  " AND hash NOT IN (SELECT hash FROM run_file)",
	                                  err);
	if (code != ERR_OK)
		return code;
	query_start(&query, store,
	            "DELETE FROM layer_front WHERE build <> ? OR date < (SELECT min(date) FROM run)"
	            " OR NOT EXISTS (SELECT 1 FROM run)",
	            err);
	query_put_text(&query, build);
	return query_run(&query);
}

enum err_code run_store_remove(struct database *store, const struct run_record *run, size_t n, const char *build,
                               struct err *err)
{
	assert(store && (run || n == 0) && build);
	enum err_code code = database_begin(store, err);
	if (code != ERR_OK)
		return code;
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		struct query query;
		query_start(&query, store, "DELETE FROM run WHERE id = ?", err);
		query_put_u64(&query, run[i].id);
		code = query_run(&query);
	}
	if (code == ERR_OK)
		code = remove_rest(store, build, err);
	if (code != ERR_OK) {
		database_rollback(store);
		return code;
	}
	code = database_commit(store, err);
	/* on its own: it cannot be part of a transaction */
	return code == ERR_OK ? database_run(store, "VACUUM", err) : code;
}
