/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_FILE_H
#define SIM_BASE_FILE_H
/*
 * Files as bytes, for the readers of documents, tables and the like. Where a file makes its reader wait (a FIFO, a
 * terminal) a signal ends the waiting (sim/base/stop.h): ERR_INTERRUPTED.
 */
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>

/*
 * Read a file, or a pipe, whose length need not be known. Reading stops soon after max_byte, so that a file that is too
 * long shows by *n_byte > max_byte. *text: [*n_byte], the caller frees it; not terminated; NULL on failure. ERR_IO when
 * it cannot be read, ERR_INTERRUPTED, ERR_INTERNAL without memory.
 */
enum err_code file_read(const char *path, size_t max_byte, char **text, size_t *n_byte, struct err *err);

/* A file being read piece by piece. */
struct file_input {
	const char *path;
	int descriptor;
	bool waits; /* nothing may be there yet: no regular file */
	bool has_begun;
};

/* Open a file; file_close after success. The path must outlive it. ERR_IO. */
enum err_code file_open(const char *path, struct file_input *input, struct err *err);

/* Read up to max_byte > 0 bytes; *n_byte 0: the end. ERR_IO, ERR_INTERRUPTED. */
enum err_code file_next(struct file_input *input, void *data, size_t max_byte, size_t *n_byte, struct err *err);

void file_close(struct file_input *input);

#endif
