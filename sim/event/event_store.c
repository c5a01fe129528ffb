/* SPDX-License-Identifier: Apache-2.0 */
/* slot[hash] -> kept [next|hash|n_key| key | value ] -> kept ..., one behind the other in chunks. */
#include "sim/event/event_store.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <string.h>

#define CHUNK_BYTE ((size_t)1 << 19)

struct kept {
	struct kept *next; /* of the same slot */
	uint64_t hash;
	size_t n_key; /* bytes */
	uint64_t word[];
};

struct event_store {
	struct arena *memory;
	size_t n_slot, max_chunk;
	struct kept **slot;
	unsigned char **chunk;  /* [max_chunk] allocated when first needed */
	size_t n_chunk, n_used; /* bytes of the last one */
};

struct event_store *event_store_new(struct arena *memory, size_t n_slot, size_t n_chunk)
{
	struct event_store *store = arena_array(memory, 1, sizeof(*store));
	if (!store)
		return NULL;
	*store = (struct event_store){.memory = memory, .n_slot = n_slot, .max_chunk = n_chunk};
	store->slot = arena_array(memory, n_slot, sizeof(struct kept *));
	store->chunk = arena_array(memory, n_chunk, sizeof(unsigned char *));
	return store->slot && store->chunk ? store : NULL;
}

void event_store_forget(struct event_store *store)
{
	if (store->n_chunk > 0)
		memset(store->slot, 0, store->n_slot * sizeof(struct kept *));
	store->n_chunk = store->n_used = 0;
}

void *event_store_find(const struct event_store *store, uint64_t hash, const void *key, size_t n_key)
{
	struct kept *kept = store->slot[hash & (store->n_slot - 1)];
	while (kept && (kept->hash != hash || kept->n_key != n_key || memcmp(kept->word, key, n_key) != 0))
		kept = kept->next;
	return kept ? (unsigned char *)kept->word + align_up(n_key, 8) : NULL;
}

void *event_store_add(struct event_store *store, uint64_t hash, const void *key, size_t n_key, size_t n_value)
{
	size_t n_byte = sizeof(struct kept) + align_up(n_key, 8) + align_up(n_value, 8);
	assert(n_byte <= CHUNK_BYTE);
	if (store->n_chunk == 0 || n_byte > CHUNK_BYTE - store->n_used) {
		unsigned char **chunk = &store->chunk[store->n_chunk];
		if (store->n_chunk == store->max_chunk ||
		    (!*chunk && !(*chunk = arena_alloc(store->memory, CHUNK_BYTE))))
			return NULL;
		store->n_chunk++;
		store->n_used = 0;
	}
	struct kept **slot = &store->slot[hash & (store->n_slot - 1)];
	struct kept *kept = (void *)(store->chunk[store->n_chunk - 1] + store->n_used);
	store->n_used += n_byte;
	*kept = (struct kept){.next = *slot, .hash = hash, .n_key = n_key};
	memcpy(kept->word, key, n_key);
	*slot = kept;
	return (unsigned char *)kept->word + align_up(n_key, 8);
}

const void *event_store_key(const void *value, size_t n_key)
{
	return (const unsigned char *)value - align_up(n_key, 8);
}
