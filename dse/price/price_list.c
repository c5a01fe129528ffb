/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/parallel.h"
#include "dse/bound/deadline.h"
#include "dse/price/price_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Designs beside a layer's front: so many, not farther than this. */
#define NEAR_MAX_DESIGN 64
#define NEAR_MAX_DISTANCE 1.25
/* Boxes that are bounded for them, on all machines. A place that the fast front has designs of gets as many as
 * USED_WEIGHT others. */
#define NEAR_MAX_BOX 600000
#define USED_WEIGHT 10
/* Where more are wanted: by so much at a time, up to these. */
#define WIDER 8
#define WIDEST_DESIGN 4096
#define WIDEST_BOX 16000000
#define WIDEST_DISTANCE 4.0

/* Words of a design's key: distinct layer, genes. */
#define N_KEY_WORD (1 + N_LAYER_GENE)

/* ---- what earlier searches found ------------------------------------------------------------------------ */

enum err_code price_open(const struct explore *explore, const struct explore_kept *kept, struct price_machine *machine,
                         struct err *err)
{
	*machine = (struct price_machine){0};
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
	struct near_limit limit; /* but for those of a kind of the task */
	const bool *is_wanted;   /* [n_task * N_PRICE_KIND] */
	struct near_list *near;  /* likewise */
	enum err_code *code;
	struct err *err;
};

static const uint32_t strategies_of[N_PRICE_KIND] = {
    [PRICE_JOBS] = ~(UINT32_C(1) << STRATEGY_FUSION_REUSE),
    [PRICE_REUSE] = UINT32_C(1) << STRATEGY_FUSION_REUSE,
};

static void find_near(void *context, size_t i)
{
	struct listing *listing = context;
	const struct price_machine *machine = listing->machine;
	size_t task = i / N_PRICE_KIND, kind = i % N_PRICE_KIND;
	struct near_limit limit = listing->limit;
	if (!listing->is_wanted[i])
		return;
	limit.strategies = strategies_of[kind];
	limit.max_distance = machine->near[task][kind].max_distance;
	limit.max_design = machine->near[task][kind].max_design;
	limit.max_box = machine->near[task][kind].max_box;
	listing->code[i] = near_find(&machine->candidate.task[task].layer, &machine->fast[task], &limit,
	                             &listing->near[i], &listing->err[i]);
}

/* Another one of the machine's, unless it is there. false: out of memory. */
static bool put_design(struct price_machine *machine, const struct price_design *design)
{
	uint32_t key[N_KEY_WORD], number;
	bool is_new;
	key[0] = design->own.distinct;
	memcpy(key + 1, design->own.gene, sizeof(design->own.gene));
	if (!key_table_add(&machine->known, key, &number, &is_new))
		return false;
	if (is_new) {
		assert(number == machine->n);
		machine->design[machine->n++] = *design;
	}
	return true;
}

static bool add_design(struct price_machine *machine, size_t task, const uint32_t *gene, bool is_front)
{
	const struct candidate *candidate = &machine->candidate;
	size_t distinct = 0;
	while (task >= candidate->first_task[distinct + 1])
		distinct++;
	struct price_design design = {.task = task, .is_front = is_front};
	memcpy(design.gene, gene, sizeof(design.gene));
	design.own.machine_index = candidate->set->machine_index;
	design.own.distinct = (uint32_t)distinct;
	candidate_widen(candidate, distinct, task, gene, design.own.gene);
	return put_design(machine, &design);
}

/* What the machine has of a task already, else its front; then what was found near it. */
static bool add_task(struct price_machine *machine, const struct price_machine *before, size_t task,
                     const struct listing *listing)
{
	const struct pareto *front = &machine->fast[task];
	bool done = true;
	machine->first[task] = machine->n;
	for (size_t k = before->first ? before->first[task] : 0; before->first && k < before->first[task + 1]; k++)
		done = done && put_design(machine, &before->design[k]);
	for (size_t k = 0; !before->first && k < front->n; k++)
		done = done && add_design(machine, task, front->genome + k * N_LAYER_GENE, true);
	for (size_t kind = 0; kind < N_PRICE_KIND; kind++) {
		size_t i = task * N_PRICE_KIND + kind;
		const struct near_list *own = &listing->near[i];
		if (listing->is_wanted[i])
			machine->near[task][kind].reach = own->reach;
		for (size_t k = 0; k < own->n; k++)
			done = done && add_design(machine, task, own->design[k].gene, false);
	}
	return done;
}

/* false: out of memory; the machine has what it had. */
static bool add_designs(struct price_machine *machine, const struct listing *listing)
{
	struct price_machine before = *machine;
	size_t n_task = machine->candidate.n_task, n = machine->n;
	for (size_t i = 0; i < n_task; i++)
		n += machine->fast[i].n;
	for (size_t i = 0; i < n_task * N_PRICE_KIND; i++)
		n += listing->near[i].n;
	machine->n = 0;
	machine->design = calloc(n + 1, sizeof(*machine->design));
	machine->first = calloc(n_task + 1, sizeof(*machine->first));
	machine->known = (struct key_table){.n_word = N_KEY_WORD};
	bool done = machine->design && machine->first;
	for (size_t i = 0; i < n_task && done; i++)
		done = add_task(machine, &before, i, listing);
	struct price_machine *old = done ? &before : machine;
	if (done)
		machine->first[n_task] = machine->n;
	key_table_free(&old->known);
	free(old->design);
	free(old->first);
	if (!done) {
		machine->n = before.n;
		machine->design = before.design;
		machine->first = before.first;
		machine->known = before.known;
	}
	return done;
}

size_t price_find(const struct price_machine *machine, size_t distinct, const uint32_t *gene)
{
	uint32_t key[N_KEY_WORD];
	key[0] = (uint32_t)distinct;
	memcpy(key + 1, gene, N_LAYER_GENE * sizeof(*gene));
	return key_table_find(&machine->known, key);
}

/* Weight [n_task] of each search; returns their sum. */
static uint64_t weigh_tasks(const struct explore *explore, const struct price_machine *machine, uint64_t *weight)
{
	const struct candidate *candidate = &machine->candidate;
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
		weight[i] = weight[i] > 0 ? weight[i] : machine->fast[i].n > 0;
		sum += weight[i];
	}
	return sum;
}

/* How far each search goes at first. false: out of memory. */
static bool share_boxes(const struct explore *explore, struct price_machine *machine)
{
	size_t n_task = machine->candidate.n_task, n_machine = 0;
	for (size_t i = 0; i < explore->n_kept; i++)
		n_machine += explore->kept[i].is_on_front;
	uint64_t *weight = calloc(n_task, sizeof(*weight));
	uint64_t sum = weight ? weigh_tasks(explore, machine, weight) : 0;
	uint64_t n_box = NEAR_MAX_BOX / n_machine / N_PRICE_KIND;
	machine->near = calloc(n_task, sizeof(*machine->near));
	machine->has_unlisted = calloc(n_task, sizeof(*machine->has_unlisted));
	for (size_t i = 0; weight && machine->near && i < n_task * N_PRICE_KIND; i++)
		machine->near[i / N_PRICE_KIND][i % N_PRICE_KIND] = (struct price_near){
		    NEAR_MAX_DISTANCE, NEAR_MAX_DESIGN, n_box * weight[i / N_PRICE_KIND] / (sum > 0 ? sum : 1), 0.0};
	free(weight);
	return weight && machine->near && machine->has_unlisted;
}

/* The fronts of layers as they were searched, which compositions take the place of. */
static bool take_fronts(struct price_machine *machine)
{
	struct candidate *candidate = &machine->candidate;
	machine->fast = calloc(candidate->n_task, sizeof(*machine->fast));
	for (size_t i = 0; machine->fast && i < candidate->n_task; i++) {
		struct pareto *front = &candidate->task[i].front;
		machine->fast[i] = *front;
		pareto_init(front, front->n_objective, front->n_gene);
	}
	return machine->fast != NULL;
}

/* List what is near the tasks' fronts, by these kinds. */
static enum err_code list_near(struct price_machine *machine, const bool *is_wanted,
                               const struct price_options *options, struct err *err)
{
	size_t n = machine->candidate.n_task * N_PRICE_KIND;
	struct listing listing = {.machine = machine,
	                          .limit = {.stop = options->stop},
	                          .is_wanted = is_wanted,
	                          .near = calloc(n, sizeof(*listing.near)),
	                          .code = calloc(n, sizeof(*listing.code)),
	                          .err = calloc(n, sizeof(*listing.err))};
	enum err_code code = ERR_OK;
	bool has_memory = is_wanted && listing.near && listing.code && listing.err;
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
		has_memory = has_memory && add_designs(machine, &listing);
	for (size_t i = 0; listing.near && i < n; i++)
		near_free(&listing.near[i]);
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
		metric[METRIC_RUN_TIME] -= metric[METRIC_LATENCY] * error->faster_frac; /* overhead stays */
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
	metric_of_layer(run->context, run->design, &run->result, design->metric);
}

/* Those that are new. */
static enum err_code run_fast(struct price_machine *machine, const struct price_options *options, struct err *err)
{
	const struct layer_set *set = machine->candidate.set;
	const struct detail_options detail = {.detail = DETAIL_FAST, .n_thread = options->n_thread};
	struct detail_run *run = calloc(machine->n + 1, sizeof(*run));
	size_t *index = calloc(machine->n + 1, sizeof(*index)), n = 0;
	if (!run || !index) {
		free(run);
		free(index);
		return err_add(err, ERR_INTERNAL, "out of memory for the designs of a machine");
	}
	for (size_t i = 0; i < machine->n; i++) {
		struct unrolled_design *own = &machine->design[i].own;
		if (machine->design[i].work > 0)
			continue;
		layer_problem_design(&set->problem[own->distinct], own->gene, &own->design);
		run[n].context = layer_context_of(&set->problem[own->distinct], &own->design);
		run[n].design = &own->design;
		index[n++] = i;
	}
	enum err_code code = n > 0 ? detail_run_all(run, n, &detail, err) : ERR_OK;
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		assert(run[i].ran);
		take_fast(&run[i], &machine->design[index[i]]);
	}
	free(run);
	free(index);
	return code;
}

/* List, and what is known of what is listed. */
static enum err_code list_all(struct price_machine *machine, const bool *is_wanted, const struct price_options *options,
                              struct err *err)
{
	enum err_code code = list_near(machine, is_wanted, options, err);
	if (code == ERR_OK)
		code = run_fast(machine, options, err);
	if (code == ERR_OK)
		price_take_known(machine, &options->kept);
	return code;
}

enum err_code price_list(const struct explore *explore, const struct price_options *options,
                         struct price_machine *machine, struct err *err)
{
	size_t n = machine->candidate.n_task * N_PRICE_KIND;
	assert(machine->is_open && !machine->first);
	bool *is_wanted = malloc(n + 1);
	bool has_memory = is_wanted && take_fronts(machine) && share_boxes(explore, machine);
	for (size_t i = 0; has_memory && i < n; i++)
		is_wanted[i] = true;
	enum err_code code = has_memory ? list_all(machine, is_wanted, options, err)
	                                : err_add(err, ERR_INTERNAL, "out of memory for the designs of a machine");
	free(is_wanted);
	return code;
}

/* Farther where all up to this distance is listed, else more of it. */
static bool widen_near(struct price_near *near)
{
	if (near->reach >= near->max_distance) {
		bool is_widest = near->max_distance >= WIDEST_DISTANCE;
		near->max_distance = fmin(1.0 + 2.0 * (near->max_distance - 1.0), WIDEST_DISTANCE);
		return !is_widest;
	}
	bool is_widest = near->max_design >= WIDEST_DESIGN && near->max_box >= WIDEST_BOX;
	near->max_design = near->max_design * WIDER < WIDEST_DESIGN ? near->max_design * WIDER : WIDEST_DESIGN;
	near->max_box = near->max_box * WIDER < WIDEST_BOX ? near->max_box * WIDER + 1 : WIDEST_BOX;
	return !is_widest;
}

enum err_code price_widen(struct price_machine *machine, const bool *is_used, const struct price_options *options,
                          bool *is_wider, struct err *err)
{
	size_t n_task = machine->candidate.n_task;
	bool *is_wanted = calloc(n_task * N_PRICE_KIND + 1, sizeof(*is_wanted));
	*is_wider = false;
	if (!is_wanted)
		return err_add(err, ERR_INTERNAL, "out of memory for the designs of a machine");
	for (size_t i = 0; i < n_task * N_PRICE_KIND; i++) {
		struct price_near *near = machine->near[i / N_PRICE_KIND];
		bool is_least = near[i % N_PRICE_KIND].reach <= price_reach(near);
		bool matters = is_used[i / N_PRICE_KIND] && machine->has_unlisted[i / N_PRICE_KIND];
		is_wanted[i] = matters && is_least && widen_near(&near[i % N_PRICE_KIND]);
		*is_wider |= is_wanted[i];
	}
	enum err_code code = *is_wider ? list_all(machine, is_wanted, options, err) : ERR_OK;
	free(is_wanted);
	return code;
}

void price_machine_free(struct price_machine *machine)
{
	for (size_t i = 0; machine->fast && i < machine->candidate.n_task; i++)
		pareto_free(&machine->fast[i]);
	if (machine->is_open)
		candidate_free(&machine->candidate);
	pareto_free(&machine->outlook);
	key_table_free(&machine->known);
	free(machine->design);
	free(machine->first);
	free(machine->near);
	free(machine->has_unlisted);
	free(machine->fast);
	*machine = (struct price_machine){0};
}
