/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/database.h"
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct database {
	sqlite3 *handle;
	char *path;
};

/* Tell what SQLite says of the last call that failed. */
static enum err_code tell(const struct database *database, struct err *err)
{
	int status = sqlite3_extended_errcode(database->handle), primary = status & 0xff;
	/* of some writes SQLite forgets why they failed, and the last system call does not */
	int last_error = errno, known_error = sqlite3_system_errno(database->handle);
	int system_error = known_error ? known_error : last_error;
	bool has_cause = (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN) && system_error != 0;
	enum err_code code = ERR_IO;
	assert(status != SQLITE_OK);
	if (primary == SQLITE_NOMEM || primary == SQLITE_ERROR || primary == SQLITE_MISUSE)
		code = ERR_INTERNAL;
	else if (primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT)
		code = ERR_INPUT;
	if (primary == SQLITE_BUSY)
		return err_add(err, code, "%s: other processes have been writing it for %d s", database->path,
		               DATABASE_WAIT_S);
	return err_add(err, code, "%s: %s%s%s%s", database->path, sqlite3_errmsg(database->handle),
	               has_cause ? " (" : "", has_cause ? strerror(system_error) : "", has_cause ? ")" : "");
}

enum err_code database_run(struct database *database, const char *sql, struct err *err)
{
	assert(database && sql);
	errno = 0;
	return sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? ERR_OK : tell(database, err);
}

/* A number that a statement without parameters returns. */
static enum err_code read_number(struct database *database, const char *sql, uint64_t *value, struct err *err)
{
	struct query query;
	query_start(&query, database, sql, err);
	*value = query_next(&query) ? query_u64(&query, 0) : 0;
	return query_end(&query);
}

/* ---- opening ---- */

/*
 * Write-ahead log: readers and a writer do not wait for each other, and a kill leaves a log that the next one finishes or
 * drops. The change itself is not waited for by SQLite, so that two processes that make one file are tried again here. A
 * file system that has no shared memory keeps the old kind of journal, which is as safe.
 */
static enum err_code use_log(struct database *database, struct err *err)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	int status = SQLITE_BUSY;
	for (unsigned i = 0; status == SQLITE_BUSY && i < DATABASE_WAIT_S * 100; i++) {
		status = sqlite3_exec(database->handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if (status == SQLITE_BUSY)
			(void)nanosleep(&pause, NULL);
	}
	return status == SQLITE_OK ? ERR_OK : tell(database, err);
}

/* Whether the file is the schema's, and of which version; a new one is of version 0. */
static enum err_code judge_file(struct database *database, const struct database_schema *schema, uint64_t *version,
                                struct err *err)
{
	uint64_t application = 0, n_table = 0;
	enum err_code code = read_number(database, "PRAGMA application_id", &application, err);
	if (code == ERR_OK)
		code = read_number(database, "PRAGMA user_version", version, err);
	if (code == ERR_OK)
		code = read_number(database, "SELECT count(*) FROM sqlite_master", &n_table, err);
	if (code != ERR_OK)
		return code;
	bool is_new = application == 0 && *version == 0 && n_table == 0;
	if (!is_new && application != schema->application)
		return err_add(err, ERR_INPUT, "%s: is a database, but not %s", database->path, schema->what);
	if (*version > schema->n_version)
		return err_add(err, ERR_INPUT,
		               "%s: version %" PRIu64 " of %s, made by a newer dse; this one knows versions up to %zu: use "
		               "the newer dse, or another file with --store FILE",
		               database->path, *version, schema->what, schema->n_version);
	return ERR_OK;
}

/* In one transaction, so that several processes that open an old file migrate it once. */
static enum err_code migrate(struct database *database, const struct database_schema *schema, struct err *err)
{
	uint64_t version = 0;
	char text[128];
	enum err_code code = database_begin(database, err);
	if (code == ERR_OK)
		code = judge_file(database, schema, &version, err);
	for (uint64_t i = version; i < schema->n_version && code == ERR_OK; i++)
		code = database_run(database, schema->step[i], err);
	(void)snprintf(text, sizeof(text), "PRAGMA application_id = %" PRIu32 "; PRAGMA user_version = %zu",
	               schema->application, schema->n_version);
	if (code == ERR_OK && version < schema->n_version)
		code = database_run(database, text, err);
	if (code == ERR_OK)
		code = database_commit(database, err);
	else
		database_rollback(database);
	return code;
}

static enum err_code set_up(struct database *database, const struct database_schema *schema, struct err *err)
{
	uint64_t version = 0;
	(void)sqlite3_extended_result_codes(database->handle, 1);
	(void)sqlite3_busy_timeout(database->handle, DATABASE_WAIT_S * 1000);
	/* in a transaction, too: what is read must not be half before and half after another process made the tables */
	enum err_code code = database_run(database, "BEGIN", err);
	if (code == ERR_OK)
		code = judge_file(database, schema, &version, err);
	if (code == ERR_OK)
		code = database_commit(database, err);
	else
		database_rollback(database);
	if (code == ERR_OK && version < schema->n_version)
		code = use_log(database, err);
	if (code == ERR_OK && version < schema->n_version)
		code = migrate(database, schema, err);
	/* FULL: what is committed survives a power cut, too, for one more wait for the disk a run */
	if (code == ERR_OK)
		code = database_run(database, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL", err);
	return code;
}

enum err_code database_open(const char *path, const struct database_schema *schema, bool create,
                            struct database **database, struct err *err)
{
	assert(path && schema && database && schema->application <= INT32_MAX);
	struct database *own = calloc(1, sizeof(*own));
	*database = NULL;
	if (own)
		own->path = strdup(path);
	if (!own || !own->path) {
		free(own);
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
	enum err_code code = ERR_OK;
	if (sqlite3_open_v2(path, &own->handle, flags, NULL) != SQLITE_OK)
		code = own->handle ? tell(own, err) : err_add(err, ERR_INTERNAL, "out of memory");
	if (code == ERR_OK)
		code = set_up(own, schema, err);
	if (code != ERR_OK)
		database_close(own);
	else
		*database = own;
	return code;
}

void database_close(struct database *database)
{
	if (!database)
		return;
	(void)sqlite3_close(database->handle);
	free(database->path);
	free(database);
}

const char *database_path(const struct database *database)
{
	return database->path;
}

/* ---- transactions ---- */

/* At once as a writer: one that begins as a reader may find that another has written since, and must give up. */
enum err_code database_begin(struct database *database, struct err *err)
{
	return database_run(database, "BEGIN IMMEDIATE", err);
}

enum err_code database_commit(struct database *database, struct err *err)
{
	enum err_code code = database_run(database, "COMMIT", err);
	if (code != ERR_OK)
		database_rollback(database);
	return code;
}

void database_rollback(struct database *database)
{
	/* what a full disk made fail may have been rolled back already */
	if (!sqlite3_get_autocommit(database->handle))
		(void)sqlite3_exec(database->handle, "ROLLBACK", NULL, NULL, NULL);
}

enum err_code database_check(struct database *database, struct err *err)
{
	struct query query;
	bool is_fine = true;
	query_start(&query, database, "PRAGMA integrity_check", err);
	while (query_next(&query)) {
		const char *text = query_text(&query, 0);
		if (text && strcmp(text, "ok") == 0)
			continue;
		is_fine = false;
		(void)err_add(err, ERR_INPUT, "%s: is damaged: %s", database->path, text ? text : "");
	}
	enum err_code code = query_end(&query);
	return code != ERR_OK || is_fine ? code : ERR_INPUT;
}

uint64_t database_last_row(const struct database *database)
{
	return (uint64_t)sqlite3_last_insert_rowid(database->handle);
}

uint64_t database_n_changed(const struct database *database)
{
	return (uint64_t)sqlite3_changes(database->handle);
}

/* ---- statements ---- */

/* Note the status of a call; rows and the end of rows are no failures. */
static int note(struct query *query, int status)
{
	bool is_fine = status == SQLITE_OK || status == SQLITE_ROW || status == SQLITE_DONE;
	if (!is_fine && query->code == ERR_OK)
		query->code = tell(query->database, query->err);
	return status;
}

void query_start(struct query *query, struct database *database, const char *sql, struct err *err)
{
	sqlite3_stmt *statement = NULL;
	assert(query && database && sql);
	*query = (struct query){.database = database, .err = err};
	(void)note(query, sqlite3_prepare_v2(database->handle, sql, -1, &statement, NULL));
	query->statement = statement;
}

void query_put_u64(struct query *query, uint64_t value)
{
	/* SQLite's integers have a sign: what is larger than half of them comes back by the same conversion */
	if (query->code == ERR_OK)
		(void)note(query, sqlite3_bind_int64(query->statement, ++query->n_put, (sqlite3_int64)value));
}

void query_put_real(struct query *query, double value)
{
	if (query->code == ERR_OK)
		(void)note(query, sqlite3_bind_double(query->statement, ++query->n_put, value));
}

void query_put_text(struct query *query, const char *text)
{
	if (query->code == ERR_OK)
		(void)note(query, sqlite3_bind_text(query->statement, ++query->n_put, text, -1, SQLITE_STATIC));
}

void query_put_bytes(struct query *query, const void *data, size_t n_byte)
{
	if (query->code == ERR_OK)
		(void)note(query,
		           sqlite3_bind_blob64(query->statement, ++query->n_put, data, n_byte, SQLITE_STATIC));
}

bool query_next(struct query *query)
{
	errno = 0;
	return query->code == ERR_OK && note(query, sqlite3_step(query->statement)) == SQLITE_ROW;
}

uint64_t query_u64(const struct query *query, int column)
{
	return (uint64_t)sqlite3_column_int64(query->statement, column);
}

double query_real(const struct query *query, int column)
{
	return sqlite3_column_double(query->statement, column);
}

const char *query_text(const struct query *query, int column)
{
	return (const char *)sqlite3_column_text(query->statement, column);
}

const void *query_bytes(const struct query *query, int column, size_t *n_byte)
{
	const void *data = sqlite3_column_blob(query->statement, column);
	*n_byte = (size_t)sqlite3_column_bytes(query->statement, column);
	return data;
}

enum err_code query_end(struct query *query)
{
	/* finalize repeats the failure of the last step, which is noted already */
	(void)sqlite3_finalize(query->statement);
	query->statement = NULL;
	return query->code;
}

enum err_code query_run(struct query *query)
{
	while (query_next(query))
		continue;
	return query_end(query);
}
