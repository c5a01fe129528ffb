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
#define N_START 8     /* designs that a search of a layer begins with */

/* Serves machines with need to room bytes of SRAM a PE; both 0 where SRAM is in the key. */
struct least_record {
	struct least_record *next;
	char hex[HASH_HEX_SIZE];
	uint64_t room_byte, need_byte;
	double value;
};

/* Best designs of a layer on machines of all kinds. */
struct least_start {
	struct least_start *next;
	char hex[HASH_HEX_SIZE]; /* front_key_make_shape */
	unsigned n;              /* noted so far; the first, and of the others the last ones are kept */
	uint32_t genome[N_START][N_LAYER_GENE];
};

struct least_memory {
	struct least_record *bucket[N_BUCKET];
	struct least_start *start[N_BUCKET];
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

static size_t bucket_of(const char hex[HASH_HEX_SIZE])
{
	return (size_t)(hash_bytes(hex, HASH_HEX_SIZE, 0) % N_BUCKET);
}

static struct least_start *find_start(const struct least_memory *memory, const char hex[HASH_HEX_SIZE])
{
	struct least_start *start = memory->start[bucket_of(hex)];
	while (start && strcmp(start->hex, hex) != 0)
		start = start->next;
	return start;
}

bool least_memory_find(const struct least_memory *memory, const struct layer_problem *layer, double *value)
{
	struct front_key key = {.room_byte = 0};
	assert(layer->n_metric == 1);
	if (!memory || !front_key_make(layer, &key))
		return false;
	for (const struct least_record *record = memory->bucket[bucket_of(key.hex)]; record; record = record->next) {
		if (strcmp(record->hex, key.hex) != 0 || key.room_byte < record->need_byte ||
		    key.room_byte > record->room_byte)
			continue;
		*value = record->value;
		return true;
	}
	return false;
}

bool least_memory_begin(const struct least_memory *memory, const struct layer_problem *layer, struct pareto *front)
{
	char hex[HASH_HEX_SIZE];
	struct evaluation result[N_START];
	assert(front->n_objective == 1);
	const struct least_start *start = memory && front_key_make_shape(layer, hex) ? find_start(memory, hex) : NULL;
	unsigned n = !start ? 0 : start->n < N_START ? start->n : N_START;
	if (n > 0)
		layer_problem_evaluate(layer, start->genome[0], n, result);
	for (unsigned i = 0; i < n; i++)
		if (result[i].violation <= 0.0)
			(void)pareto_insert(front, result[i].objective, start->genome[i], 0);
	return front->n > 0;
}

void least_memory_note_design(struct least_memory *memory, const struct layer_problem *layer,
                              const struct pareto *front)
{
	char hex[HASH_HEX_SIZE];
	assert(front->n_objective == 1);
	if (!memory || front->n == 0 || !front_key_make_shape(layer, hex))
		return;
	const uint32_t *genome = front->genome; /* of one objective a front is one design */
	struct least_start *start = find_start(memory, hex);
	if (!start) {
		struct least_start **bucket = &memory->start[bucket_of(hex)];
		start = memory_must(arena_alloc(&memory->arena, sizeof(*start)));
		*start = (struct least_start){.next = *bucket};
		memcpy(start->hex, hex, sizeof(start->hex));
		*bucket = start;
	}
	for (unsigned i = 0; i < start->n && i < N_START; i++)
		if (memcmp(start->genome[i], genome, sizeof(start->genome[i])) == 0)
			return;
	unsigned at = start->n < N_START ? start->n : 1 + start->n % (N_START - 1);
	memcpy(start->genome[at], genome, sizeof(start->genome[at]));
	start->n++;
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
	record->next = memory->bucket[bucket_of(key.hex)];
	memory->bucket[bucket_of(key.hex)] = record;
}
