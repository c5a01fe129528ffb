/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_ARENA_H
#define SIM_BASE_ARENA_H
/*
 * Arena: memory that lives as long as one document, network or evaluation and
 * is given back at once, so that inner loops never call malloc.
 */
#include <stdbool.h>
#include <stddef.h>

struct arena_chunk;

/* Initialise with `struct arena arena = {0};`. */
struct arena {
	struct arena_chunk *head;
	bool is_out; /* memory was out for something asked for; one look may tell for many allocations */
};

/* n_byte zeroed bytes aligned for any object; NULL when memory is out. */
void *arena_alloc(struct arena *arena, size_t n_byte);

/* n objects of n_byte each; NULL when out of memory or the product overflows. */
void *arena_array(struct arena *arena, size_t n, size_t n_byte);

/* A copy of text in the arena; NULL when memory is out. */
char *arena_text(struct arena *arena, const char *text);

/* Give all memory back; the arena is as new. */
void arena_free(struct arena *arena);

#endif
