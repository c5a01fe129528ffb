/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_STORE_H
#define DSE_STORE_H
/*
 * Store: files appear whole or not at all. A file is written under a temporary
 * name in its own directory, flushed to the disk and renamed, so a crash, a full
 * disk or Ctrl-C never leaves half a result under a result's name.
 */
#include "sim/base/err.h"
#include <stdbool.h>
#include <stdio.h>

/* A file being written. Initialise with `struct store_file file = {0};`. */
struct store_file {
	FILE *file; /* write here; NULL: not open */
	char *path; /* where it goes; NULL: it is stdout */
	char *temporary;
	struct store_stream *stream; /* what file writes to; NULL: of stdout */
	bool is_settled;             /* on the disk already */
	int sync_error;              /* of store_settle, for store_commit; 0: none */
};

/* Make a directory and its parents; one that exists is fine. ERR_IO. */
enum err_code store_make_dir(const char *path, struct err *err);

/* dir and name joined by a slash; the caller frees it; NULL when memory is out. */
char *store_join(const char *dir, const char *name);

/* Begin a file. path NULL: standard output, which store_commit then flushes. ERR_IO. */
enum err_code store_open(struct store_file *file, const char *path, struct err *err);

/* The same for a file of a directory. */
enum err_code store_open_in(struct store_file *file, const char *dir, const char *name, struct err *err);

/* Write it whole, also what a signal cuts in two; false with errno. */
bool store_write_all(int descriptor, const void *data, size_t n_byte);

/* The descriptor of an open file that is not stdout, for a process that writes it. */
int store_descriptor(const struct store_file *file);

/* Bring standard output to where it goes. ERR_IO, with the reason, when any write to it failed, this one or an earlier.
 */
enum err_code store_flush_stdout(struct err *err);

/* Let an open file go to another path of the same file system instead. ERR_INTERNAL: out of memory. */
enum err_code store_redirect(struct store_file *file, const char *path, struct err *err);

/* Bring all to the disk, so that store_commit need not wait; an error stays for it to find. Nothing is written later.
 */
void store_settle(struct store_file *file);

/* Finish: flush, sync, rename. ERR_IO, and nothing remains, when any write since store_open failed. */
enum err_code store_commit(struct store_file *file, struct err *err);

/* The same in two steps, for several files of a directory: each gets its name, which a sync of the directory keeps. */
enum err_code store_rename(struct store_file *file, struct err *err);
/* Bring the names in the directory of path to the disk; a file system that cannot do that is no failure. */
void store_sync_dir(const char *path);

/* Remove what was written, unless committed already. */
void store_abandon(struct store_file *file);

/* Remove from a directory what processes that are no more left half written. */
void store_sweep(const char *dir);

#endif
