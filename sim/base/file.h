/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_FILE_H
#define SIM_BASE_FILE_H
/* Whole files as text, for the readers of documents, tables and the like. */
#include "sim/base/err.h"
#include <stddef.h>

/*
 * Read a file, or a pipe, whose length need not be known. Reading stops soon after max_byte, so that a file that is too
 * long shows by *n_byte > max_byte. *text: [*n_byte], the caller frees it; not terminated; NULL on failure. ERR_IO when
 * it cannot be read, ERR_INTERNAL without memory.
 */
enum err_code file_read(const char *path, size_t max_byte, char **text, size_t *n_byte, struct err *err);

#endif
