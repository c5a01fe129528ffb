/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_STORE_H
#define SIM_EVENT_STORE_H
/* What QPEs find out for each other in a step, by the state that it follows from; all of it is forgotten at once. */
#include "sim/base/arena.h"
#include <stdint.h>

struct event_store;

/* Of n_slot chains, a power of two, and at most n_chunk times half a MiB; NULL: no memory. */
struct event_store *event_store_new(struct arena *memory, size_t n_slot, size_t n_chunk);

void event_store_forget(struct event_store *store);

/* What is kept by a key of n_key bytes; NULL: nothing. The hash is hash_bytes' of the key. */
void *event_store_find(const struct event_store *store, uint64_t hash, const void *key, size_t n_key);

/* Room for n_value bytes, aligned to 8 and not zeroed, by a key that is not there yet; NULL: there is none. */
void *event_store_add(struct event_store *store, uint64_t hash, const void *key, size_t n_key, size_t n_value);

/* The key of n_key bytes that a value is kept by. */
const void *event_store_key(const void *value, size_t n_key);

#endif
