/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of keys and answers, chained, under one lock: entries are added and never changed or removed, so an
 * answer that was found is read without the lock.
 *
 *   slot[hash] -> entry [next|hash|n_key|n_answer| key words | answer words ] -> entry ...
 */
#include "sim/event/event_memo.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOT 1024 /* a power of two */

struct entry {
	struct entry *next;
	uint64_t hash;
	size_t n_key, n_answer;
	uint64_t word[];
};

struct event_memo {
	pthread_mutex_t mutex;
	size_t n_byte, max_byte;
	size_t n_entry, n_slot;
	uint64_t n_number;
	struct entry **slot;
};

struct event_memo *event_memo_new(size_t max_byte)
{
	struct event_memo *memo = calloc(1, sizeof(*memo));
	struct entry **slot = calloc(FIRST_SLOT, sizeof(struct entry *));
	if (!memo || !slot || pthread_mutex_init(&memo->mutex, NULL) != 0) {
		free(memo);
		free(slot);
		return NULL;
	}
	memo->slot = slot;
	memo->n_slot = FIRST_SLOT;
	memo->max_byte = max_byte;
	memo->n_byte = sizeof(*memo) + FIRST_SLOT * sizeof(struct entry *);
	return memo;
}

void event_memo_free(struct event_memo *memo)
{
	if (!memo)
		return;
	for (size_t i = 0; i < memo->n_slot; i++) {
		for (struct entry *entry = memo->slot[i]; entry;) {
			struct entry *next = entry->next;
			free(entry);
			entry = next;
		}
	}
	free(memo->slot);
	(void)pthread_mutex_destroy(&memo->mutex);
	free(memo);
}

/* ---- under the lock ---- */

static struct entry *find(const struct event_memo *memo, uint64_t hash, const uint64_t *key, size_t n_key)
{
	struct entry *entry = memo->slot[hash & (memo->n_slot - 1)];
	while (entry &&
	       (entry->hash != hash || entry->n_key != n_key || memcmp(entry->word, key, n_key * sizeof(*key)) != 0))
		entry = entry->next;
	return entry;
}

/* Twice the slots; where memory is out chains get longer. */
static void grow(struct event_memo *memo)
{
	size_t n_slot = 2 * memo->n_slot;
	struct entry **slot = calloc(n_slot, sizeof(struct entry *));
	if (!slot)
		return;
	for (size_t i = 0; i < memo->n_slot; i++) {
		for (struct entry *entry = memo->slot[i], *next; entry; entry = next) {
			next = entry->next;
			entry->next = slot[entry->hash & (n_slot - 1)];
			slot[entry->hash & (n_slot - 1)] = entry;
		}
	}
	free(memo->slot);
	memo->n_byte += (n_slot - memo->n_slot) * sizeof(struct entry *);
	memo->slot = slot;
	memo->n_slot = n_slot;
}

/* The new entry's answer is still to be written. NULL: there is no room for it. */
static struct entry *add(struct event_memo *memo, uint64_t hash, const uint64_t *key, size_t n_key, size_t n_answer)
{
	size_t n_byte = sizeof(struct entry) + (n_key + n_answer) * sizeof(*key);
	if (memo->n_byte + n_byte > memo->max_byte)
		return NULL;
	if (memo->n_entry >= memo->n_slot)
		grow(memo);
	struct entry *entry = malloc(n_byte);
	if (!entry)
		return NULL;
	struct entry **slot = &memo->slot[hash & (memo->n_slot - 1)];
	*entry = (struct entry){.next = *slot, .hash = hash, .n_key = n_key, .n_answer = n_answer};
	memcpy(entry->word, key, n_key * sizeof(*key));
	*slot = entry;
	memo->n_entry++;
	memo->n_byte += n_byte;
	return entry;
}

/* ---- for all threads ---- */

struct event_answer event_memo_find(struct event_memo *memo, const uint64_t *key, size_t n_key)
{
	uint64_t hash = hash_bytes(key, n_key * sizeof(*key), 0);
	(void)pthread_mutex_lock(&memo->mutex);
	const struct entry *entry = find(memo, hash, key, n_key);
	(void)pthread_mutex_unlock(&memo->mutex);
	return entry ? (struct event_answer){entry->word + n_key, entry->n_answer} : (struct event_answer){NULL, 0};
}

void event_memo_put(struct event_memo *memo, const uint64_t *key, size_t n_key, const uint64_t *answer, size_t n_answer)
{
	uint64_t hash = hash_bytes(key, n_key * sizeof(*key), 0);
	(void)pthread_mutex_lock(&memo->mutex);
	if (!find(memo, hash, key, n_key)) {
		struct entry *entry = add(memo, hash, key, n_key, n_answer);
		if (entry)
			memcpy(entry->word + n_key, answer, n_answer * sizeof(*answer));
	}
	(void)pthread_mutex_unlock(&memo->mutex);
}

uint64_t event_memo_number(struct event_memo *memo, uint32_t kind, const void *byte, size_t n_byte)
{
	size_t n_key = 1 + (n_byte + sizeof(uint64_t) - 1) / sizeof(uint64_t);
	uint64_t *key = calloc(n_key, sizeof(*key)), number = 0;
	if (!key)
		return 0;
	assert(n_byte <= UINT32_MAX);
	key[0] = (uint64_t)n_byte << 32 | (uint64_t)kind << 8 | EVENT_MEMO_PART;
	memcpy(key + 1, byte, n_byte);
	uint64_t hash = hash_bytes(key, n_key * sizeof(*key), 0);
	(void)pthread_mutex_lock(&memo->mutex);
	struct entry *entry = find(memo, hash, key, n_key);
	if (entry) {
		number = entry->word[n_key];
	} else if ((entry = add(memo, hash, key, n_key, 1))) {
		number = ++memo->n_number;
		entry->word[n_key] = number;
	}
	(void)pthread_mutex_unlock(&memo->mutex);
	free(key);
	return number;
}
