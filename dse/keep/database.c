/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/keep/database.h"
#include "dse/base/file_system.h"
#include "dse/base/memory.h"
#include "sim/base/text.h"
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct database {
	sqlite3 *handle;
	char *path;
	bool is_read_only;
};

/* Tell what SQLite says of the last call that failed. */
static enum err_code tell_error(const struct database *database, struct err *err)
{
	int status = sqlite3_extended_errcode(database->handle), primary = status & 0xff;
	/* of some writes SQLite forgets why they failed, and the last system call does not */
	int last_error = errno, known_error = sqlite3_system_errno(database->handle);
	int system_error = known_error ? known_error : last_error;
	bool has_cause = (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN) && system_error != 0;
	enum err_code code = ERR_IO;
	assert(status != SQLITE_OK);
	/* SQLITE_ERROR: tables, or a format, that are not those of our statements; or what an earlier failure has left */
	bool is_after = primary == SQLITE_ERROR && err && err->n_message > 0;
	if (primary == SQLITE_NOMEM || primary == SQLITE_MISUSE || is_after)
		code = ERR_INTERNAL;
	else if (primary == SQLITE_NOTADB || primary == SQLITE_CORRUPT || primary == SQLITE_ERROR)
		code = ERR_INPUT;
	if (primary == SQLITE_READONLY && status != SQLITE_READONLY)
		return err_add(
		    err, code,
		    "%s: was not closed by the process that wrote it last, and where it is read-only it cannot "
		    "be put right; copy it, with what lies beside it, to a folder that can be written",
		    database->path);
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
	return sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? ERR_OK : tell_error(database, err);
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

enum err_code database_choose_journal(const char *path, const char **journal, struct err *err)
{
	static const char variable[] = "DSE_STORE_JOURNAL";
	const char *wanted = getenv(variable);
	bool is_wal = wanted && strcmp(wanted, "wal") == 0, is_rollback = wanted && strcmp(wanted, "rollback") == 0;
	if (wanted && *wanted && !is_wal && !is_rollback)
		return err_add(err, ERR_USAGE, "%s is '%.40s', allowed are wal and rollback", variable, wanted);
	*journal = is_wal || (!is_rollback && !file_system_shared(path)) ? "WAL" : "DELETE";
	return ERR_OK;
}

/*
 * The kind of journal. Write-ahead log: readers and a writer do not wait for each other, and a kill leaves a log that
 * the next one finishes or drops; but processes of several machines have no memory in common, which it needs. There a
 * rollback journal is as safe as the file system's locks, and readers and writers wait for each other. A kill leaves a
 * journal that the next one takes back. The change itself is not waited for by SQLite, so that two processes that make
 * one file are tried again here; of a file that was made before, another process that has it open keeps the kind.
 */
static enum err_code set_journal(struct database *database, bool is_new, struct err *err)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	const char *journal;
	char sql[64];
	int status = SQLITE_BUSY;
	enum err_code code = database_choose_journal(database->path, &journal, err);
	if (code != ERR_OK)
		return code;
	(void)snprintf(sql, sizeof(sql), "PRAGMA journal_mode = %s", journal);
	for (unsigned i = 0; status == SQLITE_BUSY && i < (is_new ? DATABASE_WAIT_S * 100 : 1); i++) {
		status = sqlite3_exec(database->handle, sql, NULL, NULL, NULL);
		if (status == SQLITE_BUSY && is_new)
			(void)nanosleep(&pause, NULL);
	}
	return status == SQLITE_OK || (status == SQLITE_BUSY && !is_new) ? ERR_OK : tell_error(database, err);
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
		               "%s: version %" PRIu64
		               " of %s, made by a newer dse; this one knows versions up to %zu: use "
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
	if (code == ERR_OK && database->is_read_only && version < schema->n_version)
		return err_add(err, ERR_IO,
		               "%s: version %" PRIu64
		               " of %s, which is read-only and cannot be brought up to version %zu; copy "
		               "it to a folder that can be written",
		               database->path, version, schema->what, schema->n_version);
	if (code == ERR_OK && !database->is_read_only)
		code = set_journal(database, version < schema->n_version, err);
	if (code == ERR_OK && version < schema->n_version)
		code = migrate(database, schema, err);
	/* EXTRA: what is committed survives a power cut, too, for one more wait for the disk a run */
	if (code == ERR_OK)
		code = database_run(database, "PRAGMA foreign_keys = ON; PRAGMA synchronous = EXTRA", err);
	return code;
}

/* ---- what can only be read ---- */

/* A file that is there, and is not to be written, or whose folder has no room for a journal beside it. */
static bool is_read_only(const char *path)
{
	char *copy = memory_text(path);
	bool is_fixed = access(path, F_OK) == 0 && (access(path, W_OK) != 0 || access(dirname(copy), W_OK) != 0);
	free(copy);
	return is_fixed;
}

/* Bytes of the file that SQLite has beside this one; < 0: it is not there. */
static long long size_beside(const char *path, const char *suffix)
{
	struct stat status;
	size_t n_byte = strlen(path) + strlen(suffix) + 1;
	char *name = memory_array(n_byte, 1);
	(void)snprintf(name, n_byte, "%s%s", path, suffix);
	long long size = stat(name, &status) == 0 ? (long long)status.st_size : -1;
	free(name);
	return size;
}

static enum err_code open_handle(struct database *database, const char *name, int flags, const char *system,
                                 struct err *err)
{
	(void)sqlite3_close(database->handle);
	database->handle = NULL;
	int status = sqlite3_open_v2(name, &database->handle, flags, system);
	memory_check(database->handle != NULL);
	return status == SQLITE_OK ? ERR_OK : tell_error(database, err);
}

/* By SQLite's own descriptor: closing another one of this file would end its locks. Byte 19 of the head says who wrote.
 */
static bool has_log(const struct database *database)
{
	sqlite3_file *file = NULL;
	unsigned char version = 0;
	return sqlite3_file_control(database->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file &&
	       file->pMethods && file->pMethods->xRead(file, &version, 1, 19) == SQLITE_OK && version == 2;
}

/* SQLite takes "file:" names with a query, whose own characters are escaped in the path. */
static enum err_code open_immutable(struct database *database, struct err *err)
{
	static const char query[] = "?immutable=1";
	const char *path = database->path;
	char *name = memory_array(strlen("file:") + 3 * strlen(path) + sizeof(query), 1), *to = name;
	to += sprintf(to, "file:");
	for (const char *from = path; *from; from++)
		to += sprintf(to, strchr("%?#", *from) ? "%%%02x" : "%c", (unsigned char)*from);
	memcpy(to, query, sizeof(query));
	enum err_code code = open_handle(database, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL, err);
	free(name);
	return code;
}

/*
 * Readers of a write-ahead log want to make files beside it. Who has it open has made them: then it is read like any
 * other. A log that was left alone, by a kill and a copy, is read without locks and without the index that processes
 * share; with no log at all the file is what it is.
 */
static enum err_code open_read_only(struct database *database, struct err *err)
{
	enum err_code code = open_handle(database, database->path, SQLITE_OPEN_READONLY, NULL, err);
	if (code != ERR_OK || !has_log(database))
		return code;
	long long log_byte = size_beside(database->path, "-wal");
	if (log_byte >= 0 && size_beside(database->path, "-shm") >= 0)
		return ERR_OK;
	if (log_byte <= 0)
		return open_immutable(database, err);
	code = open_handle(database, database->path, SQLITE_OPEN_READONLY, "unix-none", err);
	return code == ERR_OK ? database_run(database, "PRAGMA locking_mode = EXCLUSIVE", err) : code;
}

enum err_code database_open(const char *path, const struct database_schema *schema, bool create,
                            struct database **database, struct err *err)
{
	assert(path && schema && database && schema->application <= INT32_MAX);
	struct database *own = memory_array(1, sizeof(*own));
	*database = NULL;
	own->path = memory_text(path);
	own->is_read_only = is_read_only(path);
	int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
	enum err_code code = own->is_read_only ? open_read_only(own, err) : open_handle(own, path, flags, NULL, err);
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

bool database_is_read_only(const struct database *database)
{
	return database->is_read_only;
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

uint64_t database_last_row(const struct database *database)
{
	return (uint64_t)sqlite3_last_insert_rowid(database->handle);
}

/* ---- statements ---- */

/* Note the status of a call; rows and the end of rows are no failures. */
static int note(struct query *query, int status)
{
	bool is_fine = status == SQLITE_OK || status == SQLITE_ROW || status == SQLITE_DONE;
	if (!is_fine && query->code == ERR_OK)
		query->code = tell_error(query->database, query->err);
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
		(void)note(query, sqlite3_bind_blob64(query->statement, ++query->n_put, data, n_byte, SQLITE_STATIC));
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

/* A text that is none although the column has one: SQLite found no memory to end it with a null byte. */
const char *query_text(const struct query *query, int column)
{
	bool is_null = sqlite3_column_type(query->statement, column) == SQLITE_NULL;
	const char *text = (const char *)sqlite3_column_text(query->statement, column);
	memory_check(text || is_null);
	return text;
}

const char *query_copy_text(const struct query *query, int column, struct arena *arena)
{
	const char *text = query_text(query, column);
	char *copy = memory_must(arena_text(arena, text ? text : ""));
	text_make_printable_lines(copy);
	return copy;
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
