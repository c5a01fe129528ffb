/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FILES_READ_H
#define DSE_FILES_READ_H
/*
 * Large files read by several threads, a piece each: a run's results, on their
 * way from its folder into the store. Small ones are read by sim/base/file.h.
 */
#include "sim/base/err.h"
#include <stddef.h>

struct files_read {
	char *path; /* the caller's */
	char *data; /* [n_byte + 1], 0 at the end; the caller frees it, on failure, too; NULL before */
	size_t n_byte;
};

/* Read all of n files whole. ERR_IO: one cannot be read, or is changing. */
enum err_code files_read(struct files_read *file, size_t n, unsigned n_thread, struct err *err);

#endif
