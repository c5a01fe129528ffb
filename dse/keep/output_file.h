/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_OUTPUT_FILE_H
#define DSE_OUTPUT_FILE_H
/*
 * Store: files appear whole or not at all. A file is written under a temporary
 * name in its own directory, flushed to the disk and renamed, so a crash, a full
 * disk or Ctrl-C never leaves half a result under a result's name.
 */
#include "sim/base/err.h"
#include <stdbool.h>
#include <stdio.h>

/* A file being written. Initialise with `struct output_file file = {0};`. */
struct output_file {
	FILE *file; /* write here; NULL: not open */
	char *path; /* where it goes; NULL: it is stdout */
	char *temporary;
	struct store_stream *stream; /* what file writes to; NULL: of stdout */
	bool is_settled;             /* on the disk already */
	int sync_error;              /* of output_file_settle, for output_file_commit; 0: none */
};

/* Make a directory and its parents; one that exists is fine. ERR_IO. */
enum err_code output_file_make_dir(const char *path, struct err *err);

/* dir and name joined by a slash; the caller frees it; NULL when memory is out. */
char *output_file_join(const char *dir, const char *name);

/* Begin a file. path NULL: standard output, which output_file_commit then flushes. ERR_IO. */
enum err_code output_file_open(struct output_file *file, const char *path, struct err *err);

/* The same for a file of a directory. */
enum err_code output_file_open_in(struct output_file *file, const char *dir, const char *name, struct err *err);

/* Write it whole, also what a signal cuts in two; false with errno. */
bool output_file_write_all(int descriptor, const void *data, size_t n_byte);

/* The descriptor of an open file that is not stdout, for a process that writes it. */
int output_file_descriptor(const struct output_file *file);

/* Bring standard output to where it goes. ERR_IO, with the reason, when any write to it failed, this one or an earlier.
 */
enum err_code output_file_flush_stdout(struct err *err);

/* Let an open file go to another path of the same file system instead. ERR_INTERNAL: out of memory. */
enum err_code output_file_redirect(struct output_file *file, const char *path, struct err *err);

/* Bring all to the disk, so that output_file_commit need not wait; an error stays for it to find. Nothing is written
 * later.
 */
void output_file_settle(struct output_file *file);

/* Finish: flush, sync, rename. ERR_IO, and nothing remains, when any write since output_file_open failed. */
enum err_code output_file_commit(struct output_file *file, struct err *err);

/* The same in two steps, for several files of a directory: each gets its name, which a sync of the directory keeps. */
enum err_code output_file_rename(struct output_file *file, struct err *err);
/* Bring the names in the directory of path to the disk; a file system that cannot do that is no failure. */
void output_file_sync_dir(const char *path);

/* Remove what was written, unless committed already. */
void output_file_abandon(struct output_file *file);

/* Remove from a directory what processes that are no more left half written. */
void output_file_sweep(const char *dir);

#endif
