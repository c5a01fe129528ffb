/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/parallel.h"
#include "dse/layer/deadline.h"
#include "dse/price/price_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Designs beside a layer's front: so many, not farther than this. Without a budget of work all that matter are wanted.
 */
#define NEAR_MAX_DESIGN 64
#define NEAR_MAX_DISTANCE 1.25
#define NEAR_ALL_DESIGN 4096
#define NEAR_ALL_DISTANCE 2.0
/* Boxes that are bounded for them, on all machines; without a budget for each search by itself. A place that the fast
 * front has designs of gets as many as USED_WEIGHT others. */
#define NEAR_MAX_BOX 600000
#define NEAR_ALL_BOX 2000000
#define USED_WEIGHT 10

/* Words of a design's key: distinct layer, genes. */
#define N_KEY_WORD (1 + N_LAYER_GENE)

/* ---- what earlier searches found ------------------------------------------------------------------------ */

static enum err_code take_layers(const struct explore *explore, const struct explore_kept *kept,
                                 struct price_machine *machine, struct err *err)
{
	char why[EXPLORE_TEXT_SIZE];
	struct layer_set *set;
	enum err_code code =
	    layer_set_build(explore->space, &explore->map, kept->machine_index, &set, why, sizeof(why), err);
	if (code == ERR_OK && !set)
		code = err_add(err, ERR_INTERNAL, "machine %u of the front is refused: %s",
		               (unsigned)kept->machine_index, why);
	if (code == ERR_OK)
		code = candidate_init(explore->space, set, &machine->candidate, err);
	if (code != ERR_OK)
		return code;
	machine->is_open = true;
	machine->candidate.is_exact = true;
	assert(machine->candidate.n_task == kept->n_task);
	for (size_t i = 0; i < kept->n_task; i++) {
		struct pack pack = pack_reader(kept->task[i].data, kept->task[i].n);
		candidate_pack_task(&machine->candidate, i, &pack);
		if (pack.failed)
			return err_add(err, ERR_INTERNAL, "out of memory for the fronts of layers");
	}
	return ERR_OK;
}

/* ---- designs -------------------------------------------------------------------------------------------- */

struct listing {
	struct price_machine *machine;
	struct near_limit limit; /* but for max_box */
	uint64_t *max_box;       /* [n_task * N_PRICE_KIND] */
	struct near_list *near;  /* [n_task * N_PRICE_KIND] */
	enum err_code *code;     /* [n_task * N_PRICE_KIND] */
	struct err *err;         /* likewise */
};

static const uint32_t strategies_of[N_PRICE_KIND] = {
    [PRICE_JOBS] = ~(UINT32_C(1) << STRATEGY_FUSION_REUSE),
    [PRICE_REUSE] = UINT32_C(1) << STRATEGY_FUSION_REUSE,
};

static void find_near(void *context, size_t i)
{
	struct listing *listing = context;
	const struct candidate_task *task = &listing->machine->candidate.task[i / N_PRICE_KIND];
	struct near_limit limit = listing->limit;
	limit.strategies = strategies_of[i % N_PRICE_KIND];
	limit.max_box = listing->max_box[i];
	listing->code[i] = near_find(&task->layer, &task->front, &limit, &listing->near[i], &listing->err[i]);
}

static void add_design(struct price_machine *machine, size_t task, const uint32_t *gene, bool is_front)
{
	const struct candidate *candidate = &machine->candidate;
	struct price_design *design = &machine->design[machine->n++];
	size_t distinct = 0;
	while (task >= candidate->first_task[distinct + 1])
		distinct++;
	*design = (struct price_design){.task = task, .is_front = is_front};
	memcpy(design->gene, gene, sizeof(design->gene));
	design->own.machine_index = candidate->set->machine_index;
	design->own.distinct = (uint32_t)distinct;
	candidate_widen(candidate, distinct, task, gene, design->own.gene);
}

static bool add_designs(struct price_machine *machine, const struct near_list *near)
{
	const struct candidate *candidate = &machine->candidate;
	size_t n = 0;
	for (size_t i = 0; i < candidate->n_task; i++)
		n += candidate->task[i].front.n;
	for (size_t i = 0; i < candidate->n_task * N_PRICE_KIND; i++)
		n += near[i].n;
	machine->design = calloc(n + 1, sizeof(*machine->design));
	machine->first = calloc(candidate->n_task + 1, sizeof(*machine->first));
	machine->reach = calloc(candidate->n_task, sizeof(*machine->reach));
	if (!machine->design || !machine->first || !machine->reach)
		return false;
	for (size_t i = 0; i < candidate->n_task; i++) {
		const struct pareto *front = &candidate->task[i].front;
		machine->first[i] = machine->n;
		for (size_t k = 0; k < front->n; k++)
			add_design(machine, i, front->genome + k * N_LAYER_GENE, true);
		for (unsigned kind = 0; kind < N_PRICE_KIND; kind++) {
			const struct near_list *own = &near[i * N_PRICE_KIND + kind];
			machine->reach[i][kind] = own->reach;
			for (size_t k = 0; k < own->n; k++)
				add_design(machine, i, own->design[k].gene, false);
		}
	}
	machine->first[candidate->n_task] = machine->n;
	return true;
}

static bool name_designs(struct price_machine *machine)
{
	machine->known = (struct key_table){.n_word = N_KEY_WORD};
	for (size_t i = 0; i < machine->n; i++) {
		uint32_t key[N_KEY_WORD], number;
		key[0] = machine->design[i].own.distinct;
		memcpy(key + 1, machine->design[i].own.gene, sizeof(machine->design[i].own.gene));
		if (!key_table_add(&machine->known, key, &number, NULL))
			return false;
		assert(number == i);
	}
	return true;
}

size_t price_find(const struct price_machine *machine, size_t distinct, const uint32_t *gene)
{
	uint32_t key[N_KEY_WORD];
	key[0] = (uint32_t)distinct;
	memcpy(key + 1, gene, N_LAYER_GENE * sizeof(*gene));
	return key_table_find(&machine->known, key);
}

/* Weight [n_task] of each search; returns their sum. */
static uint64_t weigh_tasks(const struct explore *explore, const struct candidate *candidate, uint64_t *weight)
{
	const struct pareto *front = &explore->front;
	const struct layer_map *map = &explore->map;
	uint64_t sum = 0;
	for (size_t i = 0; i < front->n; i++) {
		const uint32_t *genome = front->genome + i * front->n_gene;
		for (size_t k = 0; k < map->n_block && genome[0] == candidate->set->machine_index; k++)
			weight[candidate_find_task(candidate, map->distinct[k], genome + 1 + k * N_LAYER_GENE)] =
			    USED_WEIGHT;
	}
	for (size_t i = 0; i < candidate->n_task; i++) {
		weight[i] = weight[i] > 0 ? weight[i] : candidate->task[i].front.n > 0;
		sum += weight[i];
	}
	return sum;
}

/* How many boxes each search has. false: out of memory. */
static bool share_boxes(const struct explore *explore, struct listing *listing, bool has_budget)
{
	const struct candidate *candidate = &listing->machine->candidate;
	uint64_t *weight = calloc(candidate->n_task, sizeof(*weight));
	uint64_t sum = weight ? weigh_tasks(explore, candidate, weight) : 0;
	uint64_t n_box = NEAR_MAX_BOX / explore->n_kept / N_PRICE_KIND;
	for (size_t i = 0; weight && i < candidate->n_task * N_PRICE_KIND; i++)
		listing->max_box[i] =
		    has_budget ? n_box * weight[i / N_PRICE_KIND] / (sum > 0 ? sum : 1) : NEAR_ALL_BOX;
	free(weight);
	return weight != NULL;
}

static enum err_code list_designs(const struct explore *explore, struct price_machine *machine,
                                  const struct price_options *options, struct err *err)
{
	size_t n = machine->candidate.n_task * N_PRICE_KIND;
	bool all = options->max_work == 0;
	struct listing listing = {.machine = machine,
	                          .limit = {.max_design = all ? NEAR_ALL_DESIGN : NEAR_MAX_DESIGN,
	                                    .max_distance = all ? NEAR_ALL_DISTANCE : NEAR_MAX_DISTANCE,
	                                    .stop = options->stop},
	                          .max_box = calloc(n, sizeof(*listing.max_box)),
	                          .near = calloc(n, sizeof(*listing.near)),
	                          .code = calloc(n, sizeof(*listing.code)),
	                          .err = calloc(n, sizeof(*listing.err))};
	enum err_code code = ERR_OK;
	bool has_memory =
	    listing.max_box && listing.near && listing.code && listing.err && share_boxes(explore, &listing, !all);
	if (has_memory)
		parallel_for(n, options->n_thread, find_near, &listing);
	for (size_t i = 0; has_memory && i < n; i++) {
		if (code == ERR_OK && listing.code[i] != ERR_OK) {
			code = listing.code[i];
			(void)err_add_all(err, (struct err_place){0}, &listing.err[i]);
		}
		err_clear(&listing.err[i]);
	}
	if (code == ERR_OK)
		has_memory = has_memory && add_designs(machine, listing.near) && name_designs(machine);
	for (size_t i = 0; listing.near && i < n; i++)
		near_free(&listing.near[i]);
	free(listing.max_box);
	free(listing.near);
	free(listing.code);
	free(listing.err);
	return has_memory ? code : err_add(err, ERR_INTERNAL, "out of memory for the designs of a machine");
}

/* ---- what the fast tier says of them -------------------------------------------------------------------- */

bool price_value(const struct price_machine *machine, size_t task, const double *metric, double *value)
{
	const struct layer_problem *layer = &machine->candidate.task[task].layer;
	double own[N_METRIC];
	bool keeps = true;
	memcpy(own, metric, sizeof(own));
	deadline_of_layer(layer->space, layer_any_context(layer)->machine, own);
	for (unsigned k = 0; k < layer->n_metric; k++) {
		value[k] = own[layer->metric[k]] > 0.0 ? own[layer->metric[k]] : 0.0;
		keeps &= value[k] <= layer->limit[k];
	}
	for (unsigned m = 0; m < N_METRIC; m++)
		keeps &= own[m] <= layer->layer_limit[m];
	return keeps;
}

void price_hope(struct price_machine *machine, const struct price_error *error)
{
	for (size_t i = 0; i < machine->n; i++) {
		struct price_design *design = &machine->design[i];
		double metric[N_METRIC];
		if (design->is_priced)
			continue;
		memcpy(metric, design->metric, sizeof(metric));
		metric[METRIC_LATENCY] *= 1.0 - error->faster_frac;
		metric[METRIC_ENERGY] *= 1.0 - error->faster_frac * design->static_frac; /* what less time saves */
		metric[METRIC_PEAK_POWER] /= 1.0 + error->slower_frac; /* the same energy in more time */
		design->breaks_limit = !price_value(machine, design->task, metric, design->value);
	}
}

static void take_fast(const struct detail_run *run, struct price_design *design)
{
	const struct energy *energy = &run->result.energy;
	design->fast_clk = run->result.total_clk;
	design->work = 1 + (uint64_t)run->result.counts.noc_packet;
	design->static_frac = energy->total_pj > 0.0 ? energy->static_pj / energy->total_pj : 1.0;
	design->own.uncertain = run->uncertain;
	metric_of_layer(run->context->machine, &run->result, design->metric);
}

static enum err_code run_fast(struct price_machine *machine, const struct price_options *options, struct err *err)
{
	const struct layer_set *set = machine->candidate.set;
	const struct detail_options detail = {.detail = DETAIL_FAST, .n_thread = options->n_thread};
	struct detail_run *run = calloc(machine->n + 1, sizeof(*run));
	if (!run)
		return err_add(err, ERR_INTERNAL, "out of memory for the designs of a machine");
	for (size_t i = 0; i < machine->n; i++) {
		struct unrolled_design *own = &machine->design[i].own;
		layer_problem_design(&set->problem[own->distinct], own->gene, &own->design);
		run[i].context = layer_context_of(&set->problem[own->distinct], &own->design);
		run[i].design = &own->design;
	}
	enum err_code code = machine->n > 0 ? detail_run_all(run, machine->n, &detail, err) : ERR_OK;
	for (size_t i = 0; i < machine->n && code == ERR_OK; i++) {
		assert(run[i].ran);
		take_fast(&run[i], &machine->design[i]);
	}
	free(run);
	return code;
}

enum err_code price_list(const struct explore *explore, const struct explore_kept *kept,
                         const struct price_options *options, struct price_machine *machine, struct err *err)
{
	*machine = (struct price_machine){0};
	enum err_code code = take_layers(explore, kept, machine, err);
	if (code == ERR_OK)
		code = list_designs(explore, machine, options, err);
	if (code == ERR_OK)
		code = run_fast(machine, options, err);
	if (code == ERR_OK)
		price_take_known(machine, &options->kept);
	return code;
}

void price_machine_free(struct price_machine *machine)
{
	if (machine->is_open)
		candidate_free(&machine->candidate);
	key_table_free(&machine->known);
	free(machine->design);
	free(machine->first);
	free(machine->reach);
	*machine = (struct price_machine){0};
}
