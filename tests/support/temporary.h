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

#endif
