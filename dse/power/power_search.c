/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two searches. The first goes over all levels at once and settles where results lie, because storage QPEs couple
 * neighbouring layers while levels do not. The second goes level by level and finds the fronts for those places. A
 * design that a design at another level dominates stays: a change of level could cost more than it gains.
 */
#include "dse/power/power_search.h"
#include "dse/base/memory.h"
#include "dse/search/hunt.h"
#include <assert.h>
#include <string.h>

#define MAX_FRONT 4096 /* of the network's front, of which the fastest end is wanted */
/* Asleep until so late that it limits nothing: only what sleep takes off a layer's energy matters. */
#define LATE_MS 1e9

/* Sleep at this level: the others, which the hunt does not use, must not offer less (dse/bound/deadline.h). */
static void sleep_at(struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	for (uint32_t i = 0; i < machine->n_level; i++)
		machine->level[i].pe_static_mw = machine->level[level].pe_static_mw;
	assert(energy_sleep_mw(machine) <= energy_static_mw(machine, level));
}

/* The fastest design of the network settles where results lie: for each block the gene of its place. */
static enum err_code settle_places(const struct space_single_options *options, unsigned n_thread, struct left_out *left,
                                   uint32_t *place, struct arena *arena, struct err *err)
{
	struct space_single made = {0};
	struct explore explore = {0};
	const struct hunt_options how = {.n_thread = n_thread};
	enum err_code code = space_single_make(options, arena, &made, err);
	if (code == ERR_OK)
		code = hunt_explore(&made, &how, &explore, err);
	/* the front is sorted by latency */
	for (size_t i = 0; code == ERR_OK && i < explore.map.n_block; i++)
		place[i] = explore.front.genome[1 + i * N_LAYER_GENE + GENE_PLACE];
	if (code == ERR_OK)
		left_out_find(&made.space, left);
	explore_free(&explore);
	return code;
}

/* A block's designs at one level, after those that are there. */
static void take_front(const struct hunt *hunt, size_t task_index, struct power_item *item, struct arena *arena)
{
	assert(task_index < hunt->candidate.n_task);
	const struct candidate_task *task = &hunt->candidate.task[task_index];
	size_t n = item->n_design + task->front.n;
	struct layer_design *design = memory_must(arena_array(arena, n + 1, sizeof(*design)));
	if (item->n_design > 0)
		memcpy(design, item->design, item->n_design * sizeof(*design));
	for (size_t i = 0; i < task->front.n; i++)
		layer_problem_design(&task->layer, task->front.genome + i * N_LAYER_GENE, &design[item->n_design + i]);
	item->design = design;
	item->n_design = n;
}

/* The search of a block in its place. */
static size_t task_of(const struct hunt *hunt, const uint32_t *place, size_t block)
{
	return hunt->candidate.first_task[hunt->map.distinct[block]] + place[block];
}

/* One level: search what the places need, and add what was found. */
static enum err_code add_level(struct hunt *hunt, const uint32_t *place, const bool *shown, struct arena *arena,
                               struct power_item *item, struct err *err)
{
	size_t at = 0;
	bool *wanted = memory_must(arena_array(arena, hunt->candidate.n_task + 1, sizeof(*wanted)));
	for (size_t i = 0; i < hunt->map.n_block; i++)
		if (shown[i])
			wanted[task_of(hunt, place, i)] = true;
	enum err_code code = hunt_search(hunt, wanted, err);
	for (size_t i = 0; i < hunt->map.n_block && code == ERR_OK; i++)
		if (shown[i])
			take_front(hunt, task_of(hunt, place, i), &item[at++], arena);
	return code;
}

/* Contexts of the operand width that the designs have; returns how many items there are. */
static size_t prepare(const struct machine *machine, const struct network *network, const bool *shown,
                      struct arena *arena, struct power_item *item)
{
	size_t n = 0;
	for (size_t i = 0; i < network->n_block; i++) {
		if (!shown[i])
			continue;
		struct layer_context *context = memory_must(arena_alloc(arena, sizeof(*context)));
		mapper_prepare(&network->block[i], machine, 8, context);
		item[n++] = (struct power_item){.context = context, .is_at_level = true};
	}
	return n;
}

enum err_code power_search_designs(const struct power_search_options *search, struct arena *arena,
                                   struct power_item *item, size_t *n_item, struct left_out *left, struct err *err)
{
	const struct machine *machine = search->machine;
	const struct network *network = search->network;
	uint32_t levels = search->levels;
	assert(levels != 0 && (levels >> machine->n_level) == 0);
	uint32_t *place = memory_must(arena_array(arena, network->n_block, sizeof(*place)));
	struct hunt *hunt = memory_must(arena_array(arena, machine->n_level, sizeof(*hunt)));
	*n_item = prepare(machine, network, search->shown, arena, item);
	struct space_single_options options = {.machine = machine,
	                                       .network = network,
	                                       .levels = levels,
	                                       .n_objective = 2,
	                                       .objective = {METRIC_LATENCY, METRIC_ENERGY},
	                                       .max_peak_mw = search->max_peak_mw,
	                                       .max_front = MAX_FRONT,
	                                       .split = SPLIT_ALL,
	                                       .strategy = N_STRATEGY,
	                                       .forms = search->forms,
	                                       .network_result = search->network_result};
	enum err_code code = settle_places(&options, search->n_thread, left, place, arena, err);
	for (uint32_t l = 0; l < machine->n_level && code == ERR_OK; l++) {
		struct machine sleeper = *machine;
		if (!(levels >> l & 1))
			continue;
		sleep_at(&sleeper, l);
		options.machine = &sleeper;
		options.levels = UINT32_C(1) << l;
		options.deadline_ms = search->sleeps ? LATE_MS : 0;
		code = hunt_open(&options, search->n_thread, arena, &hunt[l], err);
		if (code == ERR_OK)
			code = add_level(&hunt[l], place, search->shown, arena, item, err);
		hunt_close(&hunt[l]);
	}
	return code;
}
