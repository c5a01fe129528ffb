/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two searches. The first, over all levels at once, settles where results lie,
 * because storage QPEs couple neighbours and levels do not; the second, level
 * by level, finds the fronts of those places: a design that another level's
 * beats may still be wanted where a change of level would cost more.
 */
#include "dse/power_search.h"
#include "dse/candidate.h"
#include "dse/interrupt.h"
#include "dse/parallel.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define MAX_FRONT 4096 /* of the network's front, of which the fastest end is wanted */
/* Asleep until so late that it limits nothing: only what sleep takes off a layer's energy matters. */
#define LATE_MS 1e9

/* One search of all layers: a space of one machine and one network, some of its levels. */
struct hunt {
	struct space space;
	struct machine machine;
	struct space_network network;
	const char *path;
	struct space_file file;
	struct space_limit limit;
	struct layer_map map;
	struct candidate candidate;
	bool is_alive;
	const bool *wanted; /* [n_task]; NULL: all of them */
	unsigned n_thread;
};

/* hunt->machine is set. */
static enum err_code open_hunt(const struct network *network, uint32_t levels, double max_peak_mw, double deadline_ms,
                               struct arena *arena, struct hunt *hunt, struct err *err)
{
	assert(levels != 0 && max_peak_mw > 0);
	struct layer_set *set = NULL;
	char why[256] = "";
	const struct machine *machine = &hunt->machine;
	hunt->limit = (struct space_limit){METRIC_PEAK_POWER, max_peak_mw, {machine->name, 1, 1}};
	hunt->path = machine->name;
	hunt->file.path = machine->name;
	hunt->network = (struct space_network){.path = network->name, .network = *network, .weight = 1};
	hunt->network.choice = arena_array(arena, network->n_block, sizeof(*hunt->network.choice));
	if (!hunt->network.choice)
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < network->n_block; i++) {
		hunt->network.choice[i] = space_any_choice();
		hunt->network.choice[i].level_mask = levels;
	}
	hunt->space = (struct space){.n_machine = 1,
	                             .machine = &hunt->machine,
	                             .machine_path = &hunt->path,
	                             .n_network = 1,
	                             .network = &hunt->network,
	                             .n_objective = 2,
	                             .objective = {METRIC_LATENCY, METRIC_ENERGY},
	                             .n_limit = isfinite(max_peak_mw) ? 1 : 0,
	                             .limit = &hunt->limit,
	                             .engine = "exact",
	                             .max_front = MAX_FRONT,
	                             .deadline_ms = deadline_ms,
	                             .n_file = 1,
	                             .file = &hunt->file};
	enum err_code code = layer_map_build(&hunt->space, &hunt->map, err);
	if (code == ERR_OK)
		code = layer_map_list_splits(&hunt->space, &hunt->map, hunt->n_thread, err);
	if (code == ERR_OK)
		code = layer_set_build(&hunt->space, &hunt->map, 0, &set, why, sizeof(why), err);
	if (code == ERR_OK && !set)
		code = err_add(err, ERR_INFEASIBLE, "%s: %s", machine->name, why);
	if (code == ERR_OK)
		code = candidate_init(&hunt->space, set, &hunt->candidate, err);
	hunt->is_alive = code == ERR_OK;
	hunt->candidate.is_exact = true;
	hunt->candidate.n_thread = hunt->n_thread;
	return code;
}

/* Sleep at this level: the others, which the hunt does not use, must not offer less (dse/deadline.h). */
static void sleep_at(struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	for (uint32_t i = 0; i < machine->n_level; i++)
		machine->level[i].pe_static_mw = machine->level[level].pe_static_mw;
	assert(energy_sleep_mw(machine) <= energy_static_mw(machine, level));
}

static void close_hunt(struct hunt *hunt)
{
	if (hunt->is_alive)
		candidate_free(&hunt->candidate);
	layer_map_free(&hunt->map);
	hunt->is_alive = false;
}

static bool watch(void *context, double progress, const struct engine_counts *counts)
{
	(void)context;
	(void)progress;
	(void)counts;
	return !interrupt_requested();
}

static void search_task(void *context, size_t i)
{
	assert(i < ((struct hunt *)context)->candidate.n_task);
	struct hunt *hunt = context;
	static const struct engine_options options = {.seed = 1};
	if (!hunt->wanted || hunt->wanted[i])
		candidate_search(&hunt->candidate, i, 1, &options, watch, NULL);
}

static enum err_code search(struct hunt *hunt, struct err *err)
{
	parallel_for(hunt->candidate.n_task, hunt->n_thread, search_task, hunt);
	if (interrupt_requested())
		return err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
	for (size_t i = 0; i < hunt->candidate.n_task; i++) {
		const struct candidate_task *task = &hunt->candidate.task[i];
		if (task->code != ERR_OK)
			return err_add(err, task->code, "%s", err_text(&task->err));
	}
	return ERR_OK;
}

/* The fastest design of the network settles where results lie: for each block the number of its task. */
static enum err_code settle_places(struct hunt *hunt, size_t *task, struct arena *arena, struct err *err)
{
	assert(hunt->is_alive && task);
	struct candidate *candidate = &hunt->candidate;
	size_t fastest = 0;
	enum err_code code = candidate_name_points(candidate, err);
	if (code != ERR_OK)
		return code;
	candidate_compose_network(candidate, 0);
	code = candidate_compose_total(candidate, err);
	uint32_t *genome = arena_array(arena, genome_size(&hunt->map), sizeof(*genome));
	if (code == ERR_OK && !genome)
		code = err_add(err, ERR_INTERNAL, "out of memory");
	if (code != ERR_OK)
		return code;
	if (candidate->total.n == 0)
		return err_add(err, ERR_INFEASIBLE, "no design of %s runs on %s%s", hunt->network.network.name,
		               hunt->machine.name,
		               hunt->space.n_limit > 0 ? " without a higher peak of power than allowed" : "");
	double least = INFINITY;
	for (size_t i = 0; i < candidate->total.n; i++) {
		double metric[N_METRIC];
		candidate_metrics(candidate, i, metric);
		if (metric[METRIC_LATENCY] < least) {
			least = metric[METRIC_LATENCY];
			fastest = i;
		}
	}
	candidate_genome(candidate, fastest, genome);
	for (size_t i = 0; i < hunt->map.n_block; i++)
		task[i] = candidate->first_task[hunt->map.distinct[i]] + genome[1 + i * N_LAYER_GENE + GENE_PLACE];
	return ERR_OK;
}

/* A block's designs at one level, after those that are there. */
static enum err_code take_front(const struct hunt *hunt, size_t task_index, struct power_item *item,
                                struct arena *arena, struct err *err)
{
	assert(task_index < hunt->candidate.n_task);
	const struct candidate_task *task = &hunt->candidate.task[task_index];
	size_t n = item->n_design + task->front.n;
	struct layer_design *design = arena_array(arena, n + 1, sizeof(*design));
	if (!design)
		return err_add(err, ERR_INTERNAL, "out of memory");
	if (item->n_design > 0)
		memcpy(design, item->design, item->n_design * sizeof(*design));
	for (size_t i = 0; i < task->front.n; i++)
		layer_problem_design(&task->layer, task->front.genome + i * N_LAYER_GENE, &design[item->n_design + i]);
	item->design = design;
	item->n_design = n;
	return ERR_OK;
}

/* One level: search what the places need, and add what was found. */
static enum err_code add_level(struct hunt *hunt, const size_t *task, const bool *shown, struct arena *arena,
                               struct power_item *item, struct err *err)
{
	size_t at = 0;
	bool *wanted = arena_array(arena, hunt->candidate.n_task + 1, sizeof(*wanted));
	if (!wanted)
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < hunt->map.n_block; i++)
		if (shown[i])
			wanted[task[i]] = true;
	hunt->wanted = wanted;
	enum err_code code = search(hunt, err);
	for (size_t i = 0; i < hunt->map.n_block && code == ERR_OK; i++)
		if (shown[i])
			code = take_front(hunt, task[i], &item[at++], arena, err);
	return code;
}

/* Contexts of the operand width that the designs have. */
static enum err_code prepare(const struct machine *machine, const struct network *network, const bool *shown,
                             struct arena *arena, struct power_item *item, size_t *n_item, struct err *err)
{
	*n_item = 0;
	for (size_t i = 0; i < network->n_block; i++) {
		if (!shown[i])
			continue;
		struct layer_context *context = arena_alloc(arena, sizeof(*context));
		if (!context)
			return err_add(err, ERR_INTERNAL, "out of memory");
		mapper_prepare(&network->block[i], machine, 8, context);
		item[(*n_item)++] = (struct power_item){.context = context, .is_at_level = true};
	}
	return ERR_OK;
}

enum err_code power_search_designs(const struct machine *machine, const struct network *network, const bool *shown,
                                   uint32_t levels, double max_peak_mw, bool sleeps, unsigned n_thread,
                                   struct arena *arena, struct power_item *item, size_t *n_item, struct err *err)
{
	assert(levels != 0 && (levels >> machine->n_level) == 0);
	size_t *task = arena_array(arena, network->n_block, sizeof(*task));
	struct hunt *hunt = arena_array(arena, MACHINE_MAX_LEVEL + 1, sizeof(*hunt));
	enum err_code code = prepare(machine, network, shown, arena, item, n_item, err);
	if (code == ERR_OK && (!task || !hunt))
		code = err_add(err, ERR_INTERNAL, "out of memory");
	if (code != ERR_OK)
		return code;
	for (size_t i = 0; i <= MACHINE_MAX_LEVEL; i++) {
		hunt[i].n_thread = n_thread;
		hunt[i].machine = *machine;
	}
	code = open_hunt(network, levels, max_peak_mw, 0, arena, &hunt[0], err);
	if (code == ERR_OK)
		code = search(&hunt[0], err);
	if (code == ERR_OK)
		code = settle_places(&hunt[0], task, arena, err);
	close_hunt(&hunt[0]);
	for (uint32_t l = 0; l < machine->n_level && code == ERR_OK; l++) {
		if (!(levels >> l & 1))
			continue;
		sleep_at(&hunt[l + 1].machine, l);
		code =
		    open_hunt(network, UINT32_C(1) << l, max_peak_mw, sleeps ? LATE_MS : 0, arena, &hunt[l + 1], err);
		if (code == ERR_OK)
			code = add_level(&hunt[l + 1], task, shown, arena, item, err);
		close_hunt(&hunt[l + 1]);
	}
	return code;
}
