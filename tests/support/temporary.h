/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TEMPORARY_H
#define TESTS_TEMPORARY_H
/*
 * Where tests put files: below $TMPDIR, which tests/run makes for them and
 * removes with all that failed or killed tests have left there; else /tmp.
 */
#include "tests/support/unit_test.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TEMPORARY_SIZE 64

/* path [TEMPORARY_SIZE] becomes that of a file there; "" where the folder's name is too long. */
static inline void temporary_path(char path[TEMPORARY_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static inline void temporary_path(char path[TEMPORARY_SIZE], const char *format, ...)
{
	const char *folder = getenv("TMPDIR");
	char name[TEMPORARY_SIZE];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(name, sizeof(name), format, arguments);
	va_end(arguments);
	int n = snprintf(path, TEMPORARY_SIZE, "%s/%s", folder && folder[0] ? folder : "/tmp", name);
	if (n < 0 || n >= TEMPORARY_SIZE)
		path[0] = '\0';
}

/* A new folder of that name and a random ending; NULL: it cannot be made. */
static inline char *temporary_folder(char path[TEMPORARY_SIZE], const char *name)
{
	temporary_path(path, "%s_XXXXXX", name);
	return mkdtemp(path);
}

/* A new file there, to be written and closed, and its path; the caller removes it. For includers */
static inline FILE *temporary_open(char path[TEMPORARY_SIZE])
{
	temporary_path(path, "dse_test_XXXXXX");
	int descriptor = mkstemp(path);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	assert_non_null(file);
	return file;
}

/* The same of a text, closed. */
static inline void temporary_write(char path[TEMPORARY_SIZE], const char *text)
{
	FILE *file = temporary_open(path);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

#endif
