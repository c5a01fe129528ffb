/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/least.h"
#include "dse/space/space_machine.h"
#include "dse/layer/branch.h"
#include "dse/base/interrupt.h"
#include "dse/base/parallel.h"
#include "dse/layer/layer_problem.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers a table may hold: a small part of what a search takes. */
#define MAX_TABLE (UINT64_C(1) << 22)


/* ---- what is known ---- */

struct least_table *least_table_new(uint64_t n_machine)
{
	struct least_table *table = n_machine <= MAX_TABLE / 64 ? calloc(1, sizeof(*table)) : NULL;
	if (!table)
		return NULL;
	table->n_machine = n_machine;
	table->row = calloc((size_t)n_machine + 1, sizeof(*table->row));
	if (table->row)
		return table;
	free(table);
	return NULL;
}

void least_table_free(struct least_table *table)
{
	for (uint64_t i = 0; table && i < table->n_machine; i++)
		free(table->row[i].least);
	free(table ? table->row : NULL);
	free(table);
}

void least_table_note(struct least_table *table, const struct candidate *candidate)
{
	const struct layer_problem *any = &candidate->set->problem[0];
	struct least_row *row = &table->row[candidate->set->machine_index];
	assert(candidate->set->machine_index < table->n_machine && !row->least);
	table->n_metric = any->n_metric;
	memcpy(table->metric, any->metric, sizeof(table->metric));
	if (candidate->n_task * table->n_metric > MAX_TABLE / table->n_machine)
		return;
	row->least = calloc(candidate->n_task * table->n_metric, sizeof(*row->least));
	row->n_task = row->least ? candidate->n_task : 0;
	for (size_t i = 0; i < row->n_task; i++) {
		const struct candidate_task *task = &candidate->task[i];
		bool is_whole = task->code == ERR_OK && !candidate->genetic && task->front.n > 0 &&
		                task->counts.n_asked + task->counts.n_skipped >= task->size;
		for (unsigned k = 0; k < table->n_metric; k++) {
			double least = INFINITY;
			for (size_t at = 0; at < task->front.n; at++)
				least = fmin(least, task->front.objective[at * table->n_metric + k]);
			row->least[i * table->n_metric + k] = is_whole ? least : NAN;
		}
	}
}

double least_table_find(const struct least_table *table, uint32_t machine_index, size_t i, enum metric metric)
{
	if (!table || machine_index >= table->n_machine || i >= table->row[machine_index].n_task)
		return NAN;
	for (unsigned k = 0; k < table->n_metric; k++)
		if (table->metric[k] == metric)
			return table->row[machine_index].least[i * table->n_metric + k];
	return NAN;
}

/* ---- one machine ---- */

/* Bounds of a layer in one place; settled when they are equal. */
struct bounds {
	double lower, upper; /* infinite: no design runs; none is known */
};

struct least_finder {
	const struct least_options *options;
	struct least *least;
	struct candidate candidate;
	struct bounds *bounds;    /* [n_task] */
	size_t n_wanted, *wanted; /* [n_task] those to be searched next */
	uint32_t *genome;         /* [genome_size] */
	size_t begin, end;        /* of those wanted: which are searched now */
	double value;             /* of the chain that was composed last; infinite: there is none */
	struct arena arena;       /* of these arrays */
};

static void set_bound(struct candidate_task *task, struct bounds *bounds)
{
	assert(task->front.n_objective == 1);
	bounds->upper = INFINITY;
	for (size_t i = 0; i < task->front.n; i++)
		bounds->upper = fmin(bounds->upper, task->front.objective[i]);
}

/* Bounds before any search: what is known, or the boxes' bound and a sample. */
static void begin_task(void *context, size_t i)
{
	struct least_finder *finder = context;
	struct candidate_task *task = &finder->candidate.task[i];
	struct bounds *bounds = &finder->bounds[i];
	double known = least_table_find(finder->options->known, finder->candidate.set->machine_index, i,
	                                finder->options->space->objective[0]);
	*bounds = (struct bounds){INFINITY, INFINITY};
	if (!candidate_is_reachable(&finder->candidate, i))
		return;
	if (!isnan(known) || least_memory_find(finder->options->memory, &task->layer, &known)) {
		*bounds = (struct bounds){known, known};
		return;
	}
	if (finder->options->only_remembered) {
		(void)least_memory_begin(finder->options->memory, &task->layer, &task->front);
		set_bound(task, bounds);
		return;
	}
	if (!branch_least(&task->layer, &bounds->lower))
		task->code = err_add(&task->err, ERR_INTERNAL, "out of memory");
	else if (!least_memory_begin(finder->options->memory, &task->layer, &task->front))
		task->code = layer_problem_sample(&task->layer, 1, &task->front, NULL, &task->err);
	set_bound(task, bounds);
	bounds->lower = fmin(bounds->lower, bounds->upper); /* rounding */
}

static void settle_task(void *context, size_t i)
{
	struct least_finder *finder = context;
	size_t at = finder->wanted[finder->begin + i];
	struct candidate_task *task = &finder->candidate.task[at];
	struct branch_counts counts;
	struct pareto open;
	const struct branch_budget budget = {
	    .max_box = finder->options->max_box > 0 ? finder->options->max_box - finder->least->n_box : 0};
	pareto_init(&open, 1, N_LAYER_GENE);
	unsigned n_thread = finder->options->max_box > 0 ? finder->options->n_thread : 1;
	task->code = branch_search(&task->layer, &budget, n_thread, &task->front, &counts, NULL, &open, engine_watch_stop,
	                           NULL, &task->err);
	task->n_box = counts.n_box;
	memcpy(task->by_reason, counts.by_reason, sizeof(task->by_reason));
	set_bound(task, &finder->bounds[at]);
	if (open.n == 0)
		finder->bounds[at].lower = finder->bounds[at].upper;
	pareto_free(&open);
}

/* Compose one value a layer: lower bounds or upper ones; the value and, where there is a chain, its genome. */
static enum err_code compose(struct least_finder *finder, bool of_upper, struct err *err)
{
	struct candidate *candidate = &finder->candidate;
	struct pareto *kept = calloc(candidate->n_task, sizeof(*kept));
	uint32_t genome[N_LAYER_GENE] = {0};
	enum err_code code = kept ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < candidate->n_task && code == ERR_OK; i++) {
		double value = of_upper ? finder->bounds[i].upper : finder->bounds[i].lower;
		kept[i] = candidate->task[i].front;
		pareto_init(&candidate->task[i].front, 1, N_LAYER_GENE);
		if (isfinite(value) && !pareto_append(&candidate->task[i].front, &value, genome, 0))
			code = err_add(err, ERR_INTERNAL, "out of memory");
	}
	if (code == ERR_OK)
		code = candidate_name_points(candidate, err);
	if (code == ERR_OK)
		code = candidate_compose_once(candidate, err);
	finder->value = INFINITY;
	if (code == ERR_OK && candidate->total.n > 0) {
		finder->value = candidate->total.metric[0];
		candidate_genome(candidate, 0, finder->genome);
	}
	for (size_t i = 0; i < candidate->n_task && kept; i++) {
		pareto_free(&candidate->task[i].front);
		candidate->task[i].front = kept[i];
	}
	free(kept);
	return code;
}

static bool is_settled(const struct least_finder *finder, size_t i, enum compose_op op)
{
	const struct bounds *bounds = &finder->bounds[i];
	/* of a worst case a layer may take as much as the worst of all does */
	double least = op == COMPOSE_MAX ? fmax(bounds->lower, finder->value) : bounds->lower;
	return bounds->upper <= least * (1.0 + LEAST_SLACK);
}

/* The chain's layers that are not settled. */
static void list_wanted(struct least_finder *finder)
{
	const struct candidate *candidate = &finder->candidate;
	const struct layer_map *map = candidate->set->map;
	enum compose_op op = metric_table[finder->options->space->objective[0]].op;
	finder->n_wanted = 0;
	for (size_t block = 0; block < map->n_block; block++) {
		size_t i =
		    candidate->first_task[map->distinct[block]] + finder->genome[1 + block * N_LAYER_GENE + GENE_PLACE];
		bool is_listed = false;
		for (size_t k = 0; k < finder->n_wanted && !is_listed; k++)
			is_listed = finder->wanted[k] == i;
		if (is_listed || is_settled(finder, i, op))
			continue;
		/* the layers of a chain differ much: the largest first */
		size_t at = finder->n_wanted++;
		for (; at > 0 && candidate->task[finder->wanted[at - 1]].size < candidate->task[i].size; at--)
			finder->wanted[at] = finder->wanted[at - 1];
		finder->wanted[at] = i;
	}
	assert(finder->n_wanted <= candidate->n_task);
}

/* Whether what is searched may still look at boxes. */
static bool has_budget(const struct least_finder *finder)
{
	return finder->options->max_box == 0 || finder->least->n_box < finder->options->max_box;
}

/* The wanted layers from begin to end - 1. */
static enum err_code settle_some(struct least_finder *finder, struct err *err)
{
	parallel_for(finder->end - finder->begin, finder->options->n_thread, settle_task, finder);
	finder->least->n_search += finder->end - finder->begin;
	for (size_t i = finder->begin; i < finder->end; i++) {
		size_t at = finder->wanted[i];
		const struct candidate_task *task = &finder->candidate.task[at];
		const struct bounds *bounds = &finder->bounds[at];
		finder->least->n_box += task->n_box;
		if (task->code != ERR_OK && task->code != ERR_INTERRUPTED)
			return err_add(err, task->code, "%s", err_text(&task->err));
		bool is_done = task->code == ERR_OK && !(bounds->lower < bounds->upper);
		if (is_done && task->by_reason[LAYER_REASON_FAILED] == 0)
			least_memory_note(finder->options->memory, &task->layer, &task->front);
	}
	return ERR_OK;
}

static enum err_code settle_wanted(struct least_finder *finder, struct err *err)
{
	/* where boxes are limited, one layer at a time, which may look at all that are left */
	size_t step = finder->options->max_box > 0 ? 1 : finder->n_wanted;
	enum err_code code = ERR_OK;
	for (finder->begin = 0; finder->begin < finder->n_wanted && code == ERR_OK && has_budget(finder);
	     finder->begin = finder->end) {
		finder->end = finder->begin + step < finder->n_wanted ? finder->begin + step : finder->n_wanted;
		code = settle_some(finder, err);
	}
	return code;
}

/* A design is known: keep it where it is the least so far. */
static void note_design(struct least_finder *finder, bool *has_design)
{
	struct least *least = finder->least;
	if (finder->value > finder->options->enough)
		return;
	least->n_machine += !*has_design;
	*has_design = true;
	if (least->found && !(finder->value < least->value))
		return;
	least->found = true;
	least->value = finder->value;
	least->machine_index = finder->candidate.set->machine_index;
	least->machine = finder->candidate.set->machine;
}

static void note_designs(struct least_finder *finder)
{
	for (size_t i = 0; i < finder->candidate.n_task; i++)
		least_memory_note_design(finder->options->memory, &finder->candidate.task[i].layer,
		                         &finder->candidate.task[i].front);
}

/* Refine the bounds of a machine's layers until it cannot change the answer any more. */
static enum err_code search_machine(struct least_finder *finder, struct err *err)
{
	struct least *least = finder->least;
	bool has_design = false;
	for (enum err_code code = ERR_OK; !interrupt_requested();) {
		code = compose(finder, true, err);
		if (code == ERR_OK && isfinite(finder->value))
			note_design(finder, &has_design);
		if (code == ERR_OK && finder->options->only_remembered)
			return code;
		if (code == ERR_OK)
			code = compose(finder, false, err);
		if (code != ERR_OK)
			return code;
		bool is_beaten = isfinite(finder->options->enough) ||
		                 (least->found && finder->value * (1.0 + LEAST_SLACK) >= least->value);
		if (isinf(finder->value) || finder->value > finder->options->enough || (has_design && is_beaten))
			return ERR_OK;
		list_wanted(finder);
		/* the chain is of designs, and the one of upper bounds has been no worse */
		if (finder->n_wanted == 0)
			return ERR_OK;
		if (!has_budget(finder)) {
			least->is_spent = true;
			return ERR_OK;
		}
		code = settle_wanted(finder, err);
		if (code != ERR_OK)
			return code;
	}
	return ERR_OK;
}

static enum err_code begin_machine(struct least_finder *finder, struct layer_set *set, struct err *err)
{
	const struct layer_map *map = set->map;
	enum err_code code = candidate_init(finder->options->space, set, &finder->candidate, err);
	if (code != ERR_OK)
		return code;
	size_t n = finder->candidate.n_task;
	finder->bounds = arena_array(&finder->arena, n, sizeof(*finder->bounds));
	finder->wanted = arena_array(&finder->arena, n, sizeof(*finder->wanted));
	finder->genome = arena_array(&finder->arena, genome_size(map), sizeof(*finder->genome));
	if (finder->arena.is_out)
		return err_add(err, ERR_INTERNAL, "out of memory");
	parallel_for(n, finder->options->n_thread, begin_task, finder);
	for (size_t i = 0; i < n; i++)
		if (finder->candidate.task[i].code == ERR_INTERRUPTED)
			return ERR_INTERRUPTED; /* least_find says so */
		else if (finder->candidate.task[i].code != ERR_OK)
			return err_add(err, ERR_INTERNAL, "%s", err_text(&finder->candidate.task[i].err));
	return ERR_OK;
}

static enum err_code find_on_machine(const struct least_options *options, const struct layer_map *map, uint32_t index,
                                     struct least *least, struct err *err)
{
	struct least_finder finder = {.options = options, .least = least};
	char why[256];
	struct layer_set *set;
	enum err_code code = layer_set_build(options->space, map, index, &set, why, sizeof(why), err);
	if (code != ERR_OK || !set)
		return code;
	code = begin_machine(&finder, set, err);
	if (code == ERR_OK)
		code = search_machine(&finder, err);
	if (code == ERR_OK)
		note_designs(&finder);
	if (finder.candidate.set)
		candidate_free(&finder.candidate);
	arena_free(&finder.arena);
	return code;
}

bool least_serves(const struct space *space, enum metric metric)
{
	assert(metric < N_METRIC);
	return space->n_limit == 0 && !(space->deadline_ms > 0) && metric_table[metric].scope == METRIC_OF_LAYER;
}

enum err_code least_find(const struct least_options *options, struct least *least, struct err *err)
{
	const struct space *space = options->space;
	struct layer_map own = {0};
	const struct layer_map *map = options->map ? options->map : &own;
	uint64_t n_machine = space_n_machine(space);
	assert(space->n_objective == 1 && least_serves(space, space->objective[0]));
	assert(n_machine <= UINT32_MAX && options->n_thread > 0);
	*least = (struct least){.value = INFINITY};
	enum err_code code = options->map ? ERR_OK : layer_map_build(space, &own, err);
	if (code == ERR_OK && !options->map)
		code = layer_map_list_splits(space, &own, options->n_thread, err);
	for (uint64_t i = 0; i < n_machine && code == ERR_OK && !interrupt_requested(); i++) {
		code = find_on_machine(options, map, (uint32_t)i, least, err);
		if (least->found && options->first)
			break;
	}
	least->interrupted = interrupt_requested();
	code = code == ERR_INTERRUPTED ? ERR_OK : code;
	layer_map_free(&own);
	return code;
}
