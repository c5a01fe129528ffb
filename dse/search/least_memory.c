/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/least_memory.h"
#include "dse/base/memory.h"
#include "dse/layer/front_key.h"
#include "sim/base/arena.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_BUCKET 4096 /* lists of records; a sensitivity of a large network makes some thousands */

/* Serves machines with need to room bytes of SRAM a PE; both 0 where SRAM is in the key. */
struct least_record {
	struct least_record *next;
	char hex[HASH_HEX_SIZE];
	uint64_t room_byte, need_byte;
	double value;
};

struct least_memory {
	struct least_record *bucket[N_BUCKET];
	struct arena arena; /* of records */
};

struct least_memory *least_memory_new(void)
{
	return memory_array(1, sizeof(struct least_memory));
}

void least_memory_free(struct least_memory *memory)
{
	if (memory)
		arena_free(&memory->arena);
	free(memory);
}

static size_t bucket_of(const struct front_key *key)
{
	return (size_t)(hash_bytes(key->hex, sizeof(key->hex), 0) % N_BUCKET);
}

bool least_memory_find(const struct least_memory *memory, const struct layer_problem *layer, double *value)
{
	struct front_key key = {.room_byte = 0};
	assert(layer->n_metric == 1);
	if (!memory || !front_key_make(layer, &key))
		return false;
	for (const struct least_record *record = memory->bucket[bucket_of(&key)]; record; record = record->next) {
		if (strcmp(record->hex, key.hex) != 0 || key.room_byte < record->need_byte ||
		    key.room_byte > record->room_byte)
			continue;
		*value = record->value;
		return true;
	}
	return false;
}

void least_memory_note(struct least_memory *memory, const struct layer_problem *layer, const struct pareto *front)
{
	struct front_key key = {.room_byte = 0};
	assert(layer->n_metric == 1 && front->n_objective == 1 && isinf(layer->limit[0]));
	if (!memory || !front_key_make(layer, &key))
		return;
	struct least_record *record = memory_must(arena_alloc(&memory->arena, sizeof(*record)));
	*record = (struct least_record){.room_byte = key.room_byte, .value = INFINITY};
	memcpy(record->hex, key.hex, sizeof(key.hex));
	for (size_t i = 0; i < front->n; i++) {
		if (front->objective[i] >= record->value)
			continue;
		record->value = front->objective[i];
		record->need_byte = key.room_byte > 0 ? front_need_byte(layer, front->genome + i * front->n_gene) : 0;
	}
	record->next = memory->bucket[bucket_of(&key)];
	memory->bucket[bucket_of(&key)] = record;
}
