/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/front_cache.h"
#include "dse/search/layer_floors.h"
#include "sim/base/arena.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lists of entries; a run has some hundreds of entries, bounds over thousands of machines some ten thousands. */
#define N_BUCKET 4096

struct front_cache {
	struct front_entry *bucket[N_BUCKET];
	struct arena arena; /* of entries */
};

struct front_cache *front_cache_new(void)
{
	return calloc(1, sizeof(struct front_cache));
}

static void free_records(struct front_entry *entry)
{
	for (struct front_record *record = entry->record; record;) {
		struct front_record *next = record->next;
		pack_free(&record->task);
		free(record);
		record = next;
	}
}

void front_cache_free(struct front_cache *cache)
{
	for (size_t i = 0; cache && i < N_BUCKET; i++)
		for (struct front_entry *entry = cache->bucket[i]; entry; entry = entry->next) {
			free_records(entry);
			layer_floors_free(entry->floor);
		}
	if (cache)
		arena_free(&cache->arena);
	free(cache);
}

static bool is_entry_of(const struct front_entry *entry, const char *hex, const double *limit, unsigned n_metric)
{
	for (unsigned i = 0; i < n_metric; i++)
		if (entry->limit[i] < limit[i] || entry->limit[i] > limit[i])
			return false;
	return strcmp(entry->hex, hex) == 0;
}

/* It stays where it is. */
struct front_entry *front_cache_find(struct front_cache *cache, const char hex[HASH_HEX_SIZE], const double *limit,
                                     unsigned n_metric)
{
	struct front_entry **at = &cache->bucket[hash_bytes(hex, HASH_HEX_SIZE, 0) % N_BUCKET];
	while (*at && !is_entry_of(*at, hex, limit, n_metric))
		at = &(*at)->next;
	if (!*at && (*at = arena_alloc(&cache->arena, sizeof(**at))) != NULL) {
		memcpy((*at)->hex, hex, HASH_HEX_SIZE);
		memcpy((*at)->limit, limit, n_metric * sizeof(*limit));
	}
	return *at;
}

void front_cache_list(struct front_cache *cache, const struct candidate *candidate, struct front_entry **entry)
{
	struct front_key key;
	for (size_t i = 0; i < candidate->n_task; i++)
		entry[i] = candidate_is_reachable(candidate, i) && front_key_make(&candidate->task[i].layer, &key)
		               ? front_cache_find(cache, key.hex, candidate->task[i].layer.limit,
		                                  candidate->task[i].layer.n_metric)
		               : NULL;
}

/* SRAM with which the task's front is the same; without a design all of it: how far off the nearest is depends on it.
 */
static uint64_t need_of(const struct candidate_task *task, uint64_t room_byte)
{
	uint64_t need_byte = 0;
	for (size_t i = 0; i < task->front.n && room_byte > 0; i++) {
		uint64_t own_byte = front_need_byte(&task->layer, task->front.genome + i * task->front.n_gene);
		need_byte = own_byte > need_byte ? own_byte : need_byte;
	}
	assert(need_byte <= room_byte);
	return task->front.n > 0 ? need_byte : room_byte;
}

/* Without memory nothing is remembered. */
static void add_record(struct front_entry *entry, struct candidate *candidate, size_t i, bool is_counted)
{
	const struct candidate_task *task = &candidate->task[i];
	struct front_record *record = calloc(1, sizeof(*record)), **last = &entry->record;
	if (!record)
		return;
	record->room_byte = front_room_byte(&task->layer);
	record->need_byte = need_of(task, record->room_byte);
	record->is_counted = is_counted;
	candidate_pack_task(candidate, i, &record->task);
	if (record->task.failed) {
		pack_free(&record->task);
		free(record);
		return;
	}
	while (*last)
		last = &(*last)->next;
	*last = record;
}

/* A record that serves this room, the one of the very room first. */
static struct front_record *find_record(const struct front_entry *entry, uint64_t room_byte)
{
	struct front_record *found = NULL;
	for (struct front_record *record = entry->record; record; record = record->next)
		if (record->need_byte <= room_byte && room_byte <= record->room_byte &&
		    (!found || record->room_byte == room_byte))
			found = record;
	return found;
}

static bool is_led(const struct front_entry *entry, uint64_t room_byte)
{
	for (const struct front_record *record = entry->record; record; record = record->next)
		if (record->room_byte == room_byte)
			return true;
	return false;
}

/* Whether there is a search that serves; then the task has its front. */
static bool take_record(const struct front_entry *entry, struct candidate *candidate, size_t i, uint64_t room_byte)
{
	struct front_record *record = find_record(entry, room_byte);
	if (!record)
		return false;
	struct pack pack = pack_reader(record->task.data, record->task.n);
	candidate_pack_task(candidate, i, &pack);
	if (!pack_done(&pack))
		return false;
	if (record->room_byte == room_byte && !record->is_counted)
		record->is_counted = true;
	else
		candidate_count_shared(&candidate->task[i]);
	return true;
}

/* Of the contexts those of operand widths that the layer has. */
static void set_machine(struct layer_problem *layer, const struct machine *machine)
{
	for (size_t i = 0; i < LAYER_N_CONTEXT; i++)
		if (layer->context[i].machine)
			layer->context[i].machine = machine;
}

/* Search task i, unless an earlier run has. */
static void search_task(const struct front_entry *entry, struct candidate *candidate, size_t i,
                        const struct front_search *search)
{
	struct front_key key = {.room_byte = front_room_byte(&candidate->task[i].layer)};
	memcpy(key.hex, entry->hex, sizeof(key.hex));
	const struct front_keeper *kept = &search->kept;
	if (kept->fronts && kept->take(kept->fronts, &key, candidate, i))
		return;
	candidate_search(candidate, i, search->n_thread, search->options, search->watch, search->watch_context);
	if (kept->fronts)
		kept->keep(kept->fronts, &key, candidate, i);
}

/* Search the layer as the machine with the most SRAM has it. */
static void lead(struct front_entry *entry, struct candidate *candidate, size_t i, const struct front_search *search)
{
	struct candidate_task *task = &candidate->task[i];
	struct machine machine = candidate->set->machine;
	machine.pe_sram_byte = (uint32_t)search->lead_byte;
	set_machine(&task->layer, &machine);
	search_task(entry, candidate, i, search);
	if (task->code == ERR_OK && task->by_reason[LAYER_REASON_FAILED] == 0)
		add_record(entry, candidate, i, false);
	set_machine(&task->layer, &candidate->set->machine);
	candidate_forget_task(candidate, i);
}

void front_cache_search(struct front_entry *entry, struct candidate *candidate, size_t i,
                        const struct front_search *search)
{
	struct candidate_task *task = &candidate->task[i];
	uint64_t room_byte = front_room_byte(&task->layer);
	assert(search->lead_byte <= UINT32_MAX);
	if (take_record(entry, candidate, i, room_byte))
		return;
	if (room_byte > 0 && search->lead_byte > room_byte && !is_led(entry, search->lead_byte)) {
		lead(entry, candidate, i, search);
		if (take_record(entry, candidate, i, room_byte))
			return;
	}
	search_task(entry, candidate, i, search);
	front_cache_know(entry, candidate, i);
}

void front_cache_know(struct front_entry *entry, struct candidate *candidate, size_t i)
{
	const struct candidate_task *task = &candidate->task[i];
	if (task->code == ERR_OK && task->by_reason[LAYER_REASON_FAILED] == 0 && task->n_shared == 0)
		add_record(entry, candidate, i, true);
}
