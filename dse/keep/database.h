/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_DATABASE_H
#define DSE_DATABASE_H
/*
 * Database: tables in one file that several processes read and write at once,
 * whole transactions or nothing of them, also after a kill or on a full disk.
 * Only database.c knows SQLite. Every failure is told with the file's path.
 *
 *   query_start(&query, database, "SELECT b FROM t WHERE a = ?", err);
 *   query_put_u64(&query, 3);
 *   while (query_next(&query))
 *           use(query_text(&query, 0));
 *   code = query_end(&query);
 */
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long a writer waits for another one before it gives up. */
#define DATABASE_WAIT_S 30

/* Tables by version: step i makes version i + 1 of version i; a new file gets all of them. */
struct database_schema {
	uint32_t application; /* tells files of this kind from other databases */
	const char *what;     /* "a store of runs" */
	size_t n_version;
	const char *const *step; /* [n_version] SQL */
};

struct database;

/*
 * Open the file at path, with create also one that is not there, and bring its tables to the schema's version. One that
 * cannot be written is opened to be read, wherever it lies. ERR_IO when it cannot be read, ERR_INPUT when it is not of
 * the schema's kind, is damaged, or was written by a newer program. Close it with database_close.
 */
enum err_code database_open(const char *path, const struct database_schema *schema, bool create,
                            struct database **database, struct err *err);
void database_close(struct database *database);
const char *database_path(const struct database *database);
/* Whether it can only be read: the file, or the folder where a journal would lie, cannot be written. */
bool database_is_read_only(const struct database *database);

/*
 * The journal that a database at path gets when it is opened to be written, as SQLite's journal_mode has it: "WAL"; on
 * file systems that several machines share (dse/base/file_system.h) "DELETE", a rollback journal. DSE_STORE_JOURNAL in
 * the environment, wal or rollback, decides otherwise. ERR_USAGE: it is something else.
 */
enum err_code database_choose_journal(const char *path, const char **journal, struct err *err);

/* All that is written between begin and commit is there whole or not at all. ERR_IO, ERR_INTERNAL. */
enum err_code database_begin(struct database *database, struct err *err);
enum err_code database_commit(struct database *database, struct err *err);
/* Forget what was written since begin; does nothing outside a transaction. */
void database_rollback(struct database *database);

/* Run statements without parameters. */
enum err_code database_run(struct database *database, const char *sql, struct err *err);

/* One statement with ? for parameters. Its first failure stays until query_end, which returns it. */
struct query {
	struct database *database;
	void *statement;
	int n_put;
	enum err_code code;
	struct err *err;
};

void query_start(struct query *query, struct database *database, const char *sql, struct err *err);

/* The next parameter; texts and bytes must live until query_end; NULL: the database's null. */
void query_put_u64(struct query *query, uint64_t value);
void query_put_real(struct query *query, double value);
void query_put_text(struct query *query, const char *text);
void query_put_bytes(struct query *query, const void *data, size_t n_byte);

/* Whether there is another row. */
bool query_next(struct query *query);

/* Columns of the row, from 0; texts and bytes until the next call of query_next or query_end; NULL: null. */
uint64_t query_u64(const struct query *query, int column);
double query_real(const struct query *query, int column);
const char *query_text(const struct query *query, int column);
/* A copy in arena, "" where there is none: made printable, tabs and line feeds aside, for others may have written it.
 */
const char *query_copy_text(const struct query *query, int column, struct arena *arena);
const void *query_bytes(const struct query *query, int column, size_t *n_byte);

/* Give the statement back. */
enum err_code query_end(struct query *query);

/* Run a statement that returns no rows, and give it back. */
enum err_code query_run(struct query *query);

/* Number of the row that the last INSERT made. */
uint64_t database_last_row(const struct database *database);

#endif
