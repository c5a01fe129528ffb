/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/memory.h"
#include "sim/base/err.h"
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nothing is unwound: files are renamed into place when they are whole, and the store rolls back by itself. */
void memory_check(bool good)
{
	if (good)
		return;
	(void)fputs("dse: out of memory\n", stderr);
	exit(ERR_INTERNAL);
}

void *memory_must(void *pointer)
{
	memory_check(pointer != NULL);
	return pointer;
}

void *memory_array(size_t n, size_t n_byte)
{
	assert(n_byte > 0);
	return memory_must(calloc(n > 0 ? n : 1, n_byte));
}

void *memory_resize(void *pointer, size_t n, size_t n_byte)
{
	assert(n_byte > 0);
	return memory_must(n > SIZE_MAX / n_byte ? NULL : realloc(pointer, n > 0 ? n * n_byte : n_byte));
}

char *memory_text(const char *text)
{
	assert(text);
	return memory_must(strdup(text));
}
