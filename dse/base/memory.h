/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MEMORY_H
#define DSE_MEMORY_H
/*
 * Memory of commands: where it runs out, the program says so and ends with exit code 1, so that callers carry no code
 * for it. For rooms that only commands reach (studies, results, pages, nights). What libdse reaches, and searches of
 * one machine beside others, ask malloc or an arena themselves and fail with an error.
 */
#include <stdbool.h>
#include <stddef.h>

/* The pointer itself if it is not NULL: memory_must(arena_array(&arena, n, sizeof(*row))). */
void *memory_must(void *pointer);

/* The same for what fails for memory alone and has no pointer to show: memory_check(fclose(text) == 0). */
void memory_check(bool good);

/* n objects of n_byte each, zeroed; n may be 0. The caller frees them. Products too large end the program, too. */
void *memory_array(size_t n, size_t n_byte);

/* The same objects with room for n of them, as realloc; what is new is not zeroed. */
void *memory_resize(void *pointer, size_t n, size_t n_byte);

/* A copy of text, to be freed. */
char *memory_text(const char *text);

#endif
