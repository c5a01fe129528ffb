/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks from calloc, in which objects follow one another. */
#include "sim/base/arena.h"
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MIN_CHUNK_BYTE ((size_t)16 << 10)
#define MAX_CHUNK_BYTE ((size_t)1 << 20) /* chunks double up to this; larger objects get a chunk of their own */

/*
 *   arena.head ─► [next|size|used| objects ... | free ]   the one being filled
 *                    └► [ full or a single large object ] ─► ...
 */
struct arena_chunk {
	struct arena_chunk *next;
	size_t n_byte, n_used; /* of data */
	_Alignas(max_align_t) unsigned char data[];
};

/* calloc, because all memory of an arena is zeroed and fresh pages of the system are so for free. */
static struct arena_chunk *make_chunk(size_t n_byte)
{
	if (n_byte > PTRDIFF_MAX - sizeof(struct arena_chunk)) /* no object of C is larger */
		return NULL;
	struct arena_chunk *chunk = calloc(1, sizeof(*chunk) + n_byte);
	if (chunk)
		chunk->n_byte = n_byte;
	return chunk;
}

static size_t next_chunk_byte(const struct arena *arena)
{
	if (!arena->head)
		return MIN_CHUNK_BYTE;
	size_t n_byte = arena->head->n_byte;
	return n_byte < MAX_CHUNK_BYTE / 2 ? 2 * n_byte : MAX_CHUNK_BYTE;
}

/* A large object goes behind the head, so that the rest of the head stays in use. */
static void *alloc_large(struct arena *arena, size_t n_byte)
{
	assert(arena->head);
	struct arena_chunk *chunk = make_chunk(n_byte);
	if (!chunk)
		return NULL;
	chunk->n_used = n_byte;
	chunk->next = arena->head->next;
	arena->head->next = chunk;
	return chunk->data;
}

static void *take_from_chunk(struct arena *arena, size_t n_byte)
{
	const size_t align = _Alignof(max_align_t);
	assert(arena);
	assert((align & (align - 1)) == 0);
	if (n_byte == 0)
		n_byte = 1;
	if (n_byte > SIZE_MAX - align)
		return NULL;
	n_byte = (n_byte + align - 1) & ~(align - 1);

	struct arena_chunk *head = arena->head;
	if (!head || n_byte > head->n_byte - head->n_used) {
		size_t n_chunk_byte = next_chunk_byte(arena);
		if (head && n_byte > n_chunk_byte / 4)
			return alloc_large(arena, n_byte);
		head = make_chunk(n_byte > n_chunk_byte ? n_byte : n_chunk_byte);
		if (!head)
			return NULL;
		head->next = arena->head;
		arena->head = head;
	}
	void *object = head->data + head->n_used;
	head->n_used += n_byte;
	assert(head->n_used <= head->n_byte);
	assert((uintptr_t)object % align == 0);
	return object;
}

void *arena_alloc(struct arena *arena, size_t n_byte)
{
	void *object = take_from_chunk(arena, n_byte);
	arena->is_out |= !object;
	return object;
}

void *arena_array(struct arena *arena, size_t n, size_t n_byte)
{
	size_t n_all;
	bool overflows = __builtin_mul_overflow(n, n_byte, &n_all);
	return arena_alloc(arena, overflows ? SIZE_MAX : n_all);
}

char *arena_text(struct arena *arena, const char *text)
{
	assert(text);
	size_t n_byte = strlen(text) + 1;
	char *copy = arena_alloc(arena, n_byte);
	if (copy)
		memcpy(copy, text, n_byte);
	return copy;
}

void arena_free(struct arena *arena)
{
	assert(arena);
	struct arena_chunk *chunk = arena->head;
	while (chunk) {
		struct arena_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
	*arena = (struct arena){0};
}
