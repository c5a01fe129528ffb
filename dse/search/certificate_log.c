/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/certificate_log.h"
#include "dse/base/parallel.h"
#include "dse/certify/certify.h"
#include "dse/layer/branch.h"
#include "dse/layer/branch_log.h"
#include "dse/search/hardware_parts.h"
#include "dse/space/space_machine.h"
#include "sim/base/model_version.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What bounds of layers may be below the designs' in the certificate of a machine that was cut, coarse ones first. */
static const double epsilon_step[] = {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001};
#define N_STEP (sizeof(epsilon_step) / sizeof(epsilon_step[0]))
/* Points made smaller by a factor are made smaller by what that may round up, too. */
#define ROUNDING (1 - 1e-12)
/* Points of a composition of bounds, however few of designs are asked for: as many as those have that cut machines. */
#define MAX_FRONT 512

enum err_code certificate_log_begin(struct certificate_log *log, const struct space *space, FILE *file, struct err *err)
{
	enum metric metric[N_METRIC];
	unsigned n = layer_metrics(space, metric);
	*log = (struct certificate_log){
	    .file = file,
	    .space = space,
	    .max_front = space->max_front > 0 && space->max_front < MAX_FRONT ? MAX_FRONT : space->max_front,
	    .place = calloc(space_n_machine(space) + 1, sizeof(*log->place))};
	if (!log->place)
		return err_add(err, ERR_INTERNAL, "out of memory");
	(void)fprintf(file, CERTIFY_TITLE " %d\nmodel %s\nspace %s\n", CERTIFY_VERSION, model_version,
	              space->file[0].path);
	for (size_t i = 0; i < space->n_file; i++)
		(void)fprintf(file, "file %s %s\n", space->file[i].hash, space->file[i].path);
	(void)fputs("metrics", file);
	for (unsigned i = 0; i < n; i++)
		(void)fprintf(file, " %s", metric_table[metric[i]].name);
	(void)fputc('\n', file);
	return ERR_OK;
}

void certificate_log_free(struct certificate_log *log)
{
	for (uint64_t i = 0; log->place && i < space_n_machine(log->space); i++)
		free(log->place[i]);
	free(log->place);
	log->place = NULL;
}

/* ---- layers ---- */

/* Places that a chain of layers may get to: need [n_distinct][PLACE_N]. */
static void list_places(const struct candidate *candidate, bool *need)
{
	const struct layer_map *map = candidate->set->map;
	for (size_t network = 0; network < map->n_network; network++) {
		bool is_state[LAYER_N_RESULT_STATE] = {true};
		for (size_t i = map->begin[network]; i < map->begin[network + 1]; i++) {
			const struct block *block = map->block[i];
			bool is_next[LAYER_N_RESULT_STATE] = {false};
			bool may_keep = !block->result_to_dram &&
			                !candidate->space->network[network].choice[i - map->begin[network]].to_dram;
			for (unsigned state = 0; state < LAYER_N_RESULT_STATE; state++)
				for (unsigned keeps = 0; is_state[state] && keeps <= may_keep; keeps++) {
					unsigned place = layer_state_place(block, state) & ~(unsigned)PLACE_HELD;
					place |= keeps ? (unsigned)PLACE_RESULT : 0U;
					need[map->distinct[i] * PLACE_N + place] = true;
					is_next[layer_next_state(block, state, keeps > 0)] = true;
				}
			memcpy(is_state, is_next, sizeof(is_state));
		}
	}
}

static void put_genes(FILE *file, const uint32_t *genome)
{
	static const enum layer_gene gene[] = {GENE_STRATEGY, GENE_REUSE, GENE_OPERAND, GENE_LEVEL,
	                                       GENE_D,        GENE_W,     GENE_H,       GENE_C};
	for (size_t i = 0; i < sizeof(gene) / sizeof(gene[0]); i++)
		(void)fprintf(file, " %" PRIu32, genome[gene[i]]);
}

static enum err_code put_layer(const struct certificate_log *log, const struct candidate *candidate, size_t distinct,
                               const struct layer_problem *layer, const struct pareto *front, bool has_designs,
                               struct err *err)
{
	const struct layer_map *map = candidate->set->map;
	size_t number = map->first[distinct], network = layer_map_network(map, number);
	(void)fprintf(log->file, "layer %zu %zu %u %zu\n", network, number - map->begin[network],
	              (unsigned)layer->place[0], front->n);
	for (size_t i = 0; i < front->n; i++) {
		(void)fputc(has_designs ? 'p' : 'f', log->file);
		if (has_designs)
			put_genes(log->file, front->genome + i * N_LAYER_GENE);
		for (unsigned k = 0; k < front->n_objective; k++)
			(void)fprintf(log->file, " %.17g", front->objective[i * front->n_objective + k]);
		(void)fputc('\n', log->file);
	}
	enum err_code code = branch_log_boxes(layer, front, log->file, err);
	if (code == ERR_GATE)
		code = err_add(err, ERR_INTERNAL, "no certificate: the front of layer %s lacks a design",
		               map->block[number]->name);
	return code;
}

/* A place that the search has no task of, as no design of it runs. */
static enum err_code put_empty_layer(const struct certificate_log *log, const struct candidate *candidate,
                                     size_t distinct, unsigned place, struct err *err)
{
	struct layer_problem layer = candidate->set->problem[distinct];
	struct pareto none;
	layer.place[0] = (uint8_t)place;
	layer.n_value[GENE_PLACE] = 1;
	layer.problem.context = &layer;
	layer.problem.n_value = layer.n_value;
	pareto_init(&none, layer.n_metric, N_LAYER_GENE);
	enum err_code code = put_layer(log, candidate, distinct, &layer, &none, true, err);
	pareto_free(&none);
	return code;
}

static const struct candidate_task *find_task(const struct candidate *candidate, size_t distinct, unsigned place)
{
	for (size_t i = candidate->first_task[distinct]; i < candidate->first_task[distinct + 1]; i++)
		if (candidate->task[i].layer.place[0] == place)
			return &candidate->task[i];
	return NULL;
}

/* What the front's designs say of places, of this machine; and that it was logged. */
static enum err_code note_places(struct certificate_log *log, const struct layer_set *set, struct err *err)
{
	uint8_t *place = calloc(set->n_problem + 1, PLACE_N);
	if (!place)
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < set->n_problem; i++)
		memcpy(place + i * PLACE_N, set->problem[i].place, PLACE_N);
	log->place[set->machine_index] = place;
	return ERR_OK;
}

/* has_designs: the tasks' fronts are of designs, else of bounds. */
static enum err_code put_machine(struct certificate_log *log, const struct candidate *candidate, bool has_designs,
                                 struct err *err)
{
	size_t n_distinct = candidate->set->map->n_distinct;
	bool *need = calloc(n_distinct * PLACE_N + 1, sizeof(*need));
	enum err_code code = need ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
	(void)fprintf(log->file, "machine %" PRIu32 " %s\n", candidate->set->machine_index,
	              has_designs ? "designs" : "bounds");
	if (need)
		list_places(candidate, need);
	for (size_t i = 0; i < n_distinct * PLACE_N && code == ERR_OK; i++) {
		size_t distinct = i / PLACE_N;
		const struct candidate_task *task = need[i] ? find_task(candidate, distinct, i % PLACE_N) : NULL;
		if (task)
			code = put_layer(log, candidate, distinct, &task->layer, &task->front, has_designs, err);
		else if (need[i])
			code = put_empty_layer(log, candidate, distinct, i % PLACE_N, err);
	}
	free(need);
	return code == ERR_OK ? note_places(log, candidate->set, err) : code;
}

enum err_code certificate_log_machine(void *context, const struct candidate *candidate, struct err *err)
{
	struct certificate_log *log = context;
	for (size_t i = 0; i < candidate->n_task; i++)
		if (candidate->task[i].code != ERR_OK)
			return ERR_OK; /* cut short: there will be no certificate */
	return put_machine(log, candidate, true, err);
}

/* ---- machines that were cut ---- */

static enum err_code begin_candidate(const struct certificate_log *log, const struct explore *explore, uint32_t index,
                                     unsigned n_thread, struct candidate *candidate, struct err *err)
{
	struct layer_set *set;
	char why[256];
	enum err_code code = layer_set_build(log->space, &explore->map, index, &set, why, sizeof(why), err);
	if (code == ERR_OK)
		code = candidate_init(log->space, set, candidate, err);
	if (code == ERR_OK) {
		candidate->n_thread = n_thread;
		candidate->max_front = log->max_front;
	}
	return code;
}

struct bounding {
	struct candidate *candidate;
	double epsilon;
	unsigned n_thread;
};

static bool watch_stop(void *context, double progress, const struct engine_counts *counts)
{
	(void)context;
	(void)progress;
	(void)counts;
	return !stop_requested(NULL);
}

/* Bounds of a layer, made smaller by what they may lie above its designs. */
static void bound_task(void *context, size_t i)
{
	const struct bounding *bounding = context;
	struct candidate_task *task = &bounding->candidate->task[i];
	struct branch_counts counts;
	const unsigned n_thread = bounding->n_thread;
	if (!candidate_is_reachable(bounding->candidate, i))
		return;
	task->code = layer_problem_sample(&task->layer, n_thread, &task->front, NULL, &task->err);
	if (task->code == ERR_OK)
		task->code = branch_relax(&task->layer, bounding->epsilon, n_thread, &task->front, &counts, watch_stop,
		                          NULL, &task->err);
	for (size_t k = 0; k < task->front.n * task->front.n_objective; k++)
		task->front.objective[k] *= ROUNDING / (1 + bounding->epsilon);
	pareto_sort(&task->front);
}

/* Whether a point of the front is in no objective above this one. */
static bool has_below(const struct pareto *front, const double *objective, size_t *hint)
{
	const unsigned n = front->n_objective;
	for (size_t i = 0; i < front->n; i++) {
		size_t at = (*hint + i) % front->n;
		unsigned k = 0;
		while (k < n && front->objective[at * n + k] <= objective[k])
			k++;
		if (k < n)
			continue;
		*hint = at;
		return true;
	}
	return false;
}

/* Whether no whole that is made of the bounds beats the front, which may be beaten by its own epsilon. */
static enum err_code is_behind(struct candidate *candidate, const struct explore *explore, bool *behind,
                               struct err *err)
{
	enum err_code code = candidate_name_points(candidate, err);
	candidate->no_limits = true;
	if (code == ERR_OK)
		code = candidate_compose_once(candidate, err);
	const double slack = 1 + (code == ERR_OK ? candidate_epsilon(candidate) : 0);
	size_t hint = 0;
	*behind = code == ERR_OK;
	for (size_t i = 0; code == ERR_OK && i < candidate->total.n && *behind; i++) {
		double metric[N_METRIC], objective[SPACE_MAX_OBJECTIVE];
		enum metric broken;
		candidate_metrics(candidate, i, metric);
		for (unsigned k = 0; k < N_METRIC; k++)
			metric[k] /= metric_table[k].scope == METRIC_OF_LAYER ? slack : 1;
		metric_derive(metric);
		if (!candidate_objectives(candidate->space, metric, objective, &broken))
			continue;
		for (unsigned k = 0; k < explore->front.n_objective; k++)
			objective[k] *= 1 + explore->counts.epsilon;
		*behind = has_below(&explore->front, objective, &hint);
	}
	return code;
}

static enum err_code put_cut_machine(struct certificate_log *log, const struct explore *explore, uint32_t index,
                                     unsigned n_thread, struct err *err)
{
	for (size_t step = 0; step < N_STEP; step++) {
		struct candidate candidate;
		bool behind = false;
		enum err_code code = begin_candidate(log, explore, index, n_thread, &candidate, err);
		if (code != ERR_OK)
			return code;
		struct bounding bounding = {&candidate, epsilon_step[step], n_thread};
		parallel_for(candidate.n_task, n_thread, bound_task, &bounding);
		for (size_t i = 0; i < candidate.n_task && code == ERR_OK; i++)
			if (candidate.task[i].code != ERR_OK) {
				code = candidate.task[i].code;
				(void)err_add_all(err, (struct err_place){0}, &candidate.task[i].err);
			}
		if (code == ERR_OK)
			code = is_behind(&candidate, explore, &behind, err);
		if (code == ERR_OK && behind)
			code = put_machine(log, &candidate, false, err);
		candidate_free(&candidate);
		if (code != ERR_OK || behind)
			return code;
	}
	return err_add(err, ERR_INTERNAL, "no certificate: machine %" PRIu32 " was cut, and no bound shows why", index);
}

/* ---- the front ---- */

static void put_front(const struct certificate_log *log, const struct explore *explore)
{
	const struct pareto *front = &explore->front;
	(void)fprintf(log->file, "front %zu %.17g\n", front->n, explore->counts.epsilon);
	for (size_t i = 0; i < front->n; i++) {
		const uint32_t *genome = front->genome + i * front->n_gene;
		(void)fprintf(log->file, "d %" PRIu32, genome[0]);
		for (unsigned k = 0; k < front->n_objective; k++)
			(void)fprintf(log->file, " %.17g", front->objective[i * front->n_objective + k]);
		(void)fputc('\n', log->file);
		for (size_t block = 0; block < explore->map.n_block; block++) {
			const uint32_t *own = genome + 1 + block * N_LAYER_GENE;
			const uint8_t *place = log->place[genome[0]] + explore->map.distinct[block] * PLACE_N;
			(void)fprintf(log->file, "l %u", (unsigned)place[own[GENE_PLACE]]);
			put_genes(log->file, own);
			(void)fputc('\n', log->file);
		}
	}
	(void)fputs("end\n", log->file);
}

enum err_code certificate_log_end(struct certificate_log *log, const struct explore *explore, unsigned n_thread,
                                  struct err *err)
{
	uint64_t n = space_n_machine(log->space);
	enum err_code code = ERR_OK;
	for (uint64_t i = 0; i < n && code == ERR_OK; i++) {
		struct machine machine;
		if (!log->place[i] && hardware_get_machine(log->space, i, &machine))
			code = put_cut_machine(log, explore, (uint32_t)i, n_thread, err);
	}
	if (code == ERR_OK)
		put_front(log, explore);
	return code;
}
