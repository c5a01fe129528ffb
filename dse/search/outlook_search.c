/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The searches of layers of several outlooks, side by side. Those of one entry (front_cache.h) make a chain: the one of
 * the most SRAM first, of these the one of the smallest epsilon, since its floor may serve the others.
 *
 *   outlook 1: layers ─┐                            ┌─► chain: room 262144, epsilon 0.02, searched
 *   outlook 2: layers ─┼─► asks, by entry, in order ┤          room 262144, epsilon 0.05, served
 *   ...                                             │          room  65536, epsilon 0.02, served, if it has room for it
 *                                                   └─► chain: ...
 *
 * What a search begins with, its seeds, is its outlook's. So what an ask is served with depends on the outlooks so far
 * and on the others of the batch, not on threads; nor does it when some were read from a journal, which has the floors
 * that were searched for them.
 */
#include "dse/search/outlook_parts.h"
#include "dse/base/parallel.h"
#include "dse/layer/branch.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The first search of a layer, whose designs the next, finer one begins with. */
#define COARSE_EPSILON 0.2
/* Of a layer's search: of layers that take next to nothing. */
#define MOST_EPSILON 0.5

/* One layer of an outlook. */
struct ask {
	size_t chain; /* in the order in which entries are met */
	uint64_t room_byte;
	double epsilon;
	size_t work, task;
};

struct asks {
	struct outlook_work *work;
	unsigned n_thread;
	size_t n, n_chain;
	struct ask *ask; /* [n] chain after chain */
	size_t *first;   /* [n_chain + 1] */
};

/* What the seeds of a task are on this machine, into its front. */
static enum err_code price_seeds(const struct outlook_seeds *seeds, size_t i, struct candidate_task *task)
{
	const struct layer_problem *layer = &task->layer;
	const double unknown[PARETO_MAX_OBJECTIVE] = {0};
	for (size_t k = 0; seeds && k < seeds->n; k++) {
		const uint32_t *row = seeds->row + k * OUTLOOK_N_SEED_FIELD, *genome = row + 1;
		bool is_own = row[0] == i;
		for (size_t g = 0; g < N_LAYER_GENE && is_own; g++)
			is_own = genome[g] < layer_gene_end(layer, (enum layer_gene)g);
		if (is_own && !pareto_append(&task->front, unknown, genome, 0))
			return err_add(&task->err, ERR_INTERNAL, "out of memory");
	}
	return task->front.n > 0 ? layer_problem_price(layer, &task->front, &task->err) : ERR_OK;
}

/*
 * Begin with the seeds' designs, or with those that a coarse search finds; where evaluations take as long as many
 * boxes, or there are few machines, with a sample.
 */
static enum err_code begin_task(const struct outlook_work *work, size_t i, unsigned n_thread,
                                struct branch_counts *counts)
{
	const struct outlook_options *options = work->options;
	struct candidate_task *task = &work->candidate.task[i];
	if (options->samples || task->layer.detail != DETAIL_FAST)
		return layer_problem_sample(&task->layer, n_thread, &task->front, NULL, &task->err);
	enum err_code code = price_seeds(work->order->seeds, i, task);
	if (code != ERR_OK || task->front.n > 0 || work->epsilon[i] >= COARSE_EPSILON)
		return code;
	code = branch_relax(&task->layer, COARSE_EPSILON, n_thread, &task->front, counts, options->watch,
	                    options->watch_context, &task->err);
	return code == ERR_OK ? layer_problem_price(&task->layer, &task->front, &task->err) : code;
}

static void search_task(struct outlook_work *work, size_t i, unsigned n_thread)
{
	const struct outlook_options *options = work->options;
	struct candidate_task *task = &work->candidate.task[i];
	struct branch_counts first = {0}, counts = {0};
	task->code = begin_task(work, i, n_thread, &first);
	if (task->code == ERR_OK)
		task->code = branch_relax(&task->layer, work->epsilon[i], n_thread, &task->front, &counts,
		                          options->watch, options->watch_context, &task->err);
	task->by_reason[LAYER_REASON_FAILED] =
	    first.by_reason[LAYER_REASON_FAILED] + counts.by_reason[LAYER_REASON_FAILED];
}

/* A floor that others have found becomes the task's. */
static void take_floor(struct outlook_work *work, size_t i, const struct layer_floor *floor)
{
	struct candidate_task *task = &work->candidate.task[i];
	const struct pareto *point = &floor->point;
	for (size_t k = 0; k < point->n && task->code == ERR_OK; k++)
		if (!pareto_append(&task->front, point->objective + k * point->n_objective,
		                   point->genome + k * point->n_gene, 0))
			task->code = err_add(&task->err, ERR_INTERNAL, "out of memory");
	task->by_reason[LAYER_REASON_FAILED] = floor->has_failed;
	work->epsilon[i] = floor->epsilon;
}

/* What is not kept for want of memory is searched again. */
static void answer(struct asks *asks, const struct ask *ask)
{
	struct outlook_work *work = &asks->work[ask->work];
	struct candidate_task *task = &work->candidate.task[ask->task];
	struct front_entry *entry = work->entry[ask->task];
	const struct layer_floor *floor = entry ? layer_floor_find(entry->floor, &task->layer, ask->epsilon) : NULL;
	if (!work->options->watch(work->options->watch_context, 0, &task->counts)) {
		task->code = ERR_INTERRUPTED;
		return;
	}
	if (floor) {
		take_floor(work, ask->task, floor);
		return;
	}
	uint64_t before = at_work_begin(work->options->at_work, work->order->machine_index);
	search_task(work, ask->task, asks->n_thread);
	at_work_end(work->options->at_work, before);
	if (entry && task->code == ERR_OK)
		work->kept[ask->task] = layer_floor_keep(&entry->floor, &task->layer, ask->epsilon,
		                                         task->by_reason[LAYER_REASON_FAILED] > 0, &task->front);
}

static void run_chain(void *context, size_t i)
{
	struct asks *asks = context;
	for (size_t k = asks->first[i]; k < asks->first[i + 1]; k++)
		answer(asks, &asks->ask[k]);
}

static int compare_asks(const void *left, const void *right)
{
	const struct ask *a = left, *b = right;
	if (a->chain != b->chain)
		return a->chain < b->chain ? -1 : 1;
	if (a->room_byte != b->room_byte)
		return a->room_byte > b->room_byte ? -1 : 1;
	if (a->epsilon < b->epsilon || a->epsilon > b->epsilon)
		return a->epsilon < b->epsilon ? -1 : 1;
	return a->work != b->work ? (a->work < b->work ? -1 : 1) : a->task < b->task ? -1 : a->task > b->task;
}

/* Layers that no chain of layers gets to have no front, and no edge leads over them. */
static void list_asks(struct asks *asks, size_t n_work)
{
	for (size_t w = 0; w < n_work; w++) {
		struct outlook_work *work = &asks->work[w];
		for (size_t i = 0; work->order->code == ERR_OK && i < work->candidate.n_task; i++) {
			struct front_entry *entry = work->entry[i];
			if (!candidate_is_reachable(&work->candidate, i))
				continue;
			bool is_new = !entry || entry->chain_1 == 0;
			size_t chain = is_new ? asks->n_chain++ : entry->chain_1 - 1;
			if (entry)
				entry->chain_1 = chain + 1;
			asks->ask[asks->n++] = (struct ask){chain, front_room_byte(&work->candidate.task[i].layer),
			                                    work->epsilon[i], w, i};
		}
	}
	qsort(asks->ask, asks->n, sizeof(*asks->ask), compare_asks);
	for (size_t k = asks->n; k-- > 0;) {
		struct front_entry *entry = asks->work[asks->ask[k].work].entry[asks->ask[k].task];
		asks->first[asks->ask[k].chain] = k;
		if (entry)
			entry->chain_1 = 0;
	}
	asks->first[asks->n_chain] = asks->n;
}

void outlook_search(struct outlook_work *work, size_t n_work, unsigned n_thread)
{
	struct asks asks = {.work = work, .n_thread = n_thread};
	size_t n = 0;
	for (size_t w = 0; w < n_work; w++)
		n += work[w].order->code == ERR_OK ? work[w].candidate.n_task : 0;
	asks.ask = calloc(n + 1, sizeof(*asks.ask));
	asks.first = calloc(n + 1, sizeof(*asks.first));
	bool has_memory = asks.ask && asks.first;
	if (has_memory) {
		list_asks(&asks, n_work);
		parallel_for(asks.n_chain, n_thread, run_chain, &asks);
	}
	for (size_t w = 0; w < n_work && !has_memory; w++)
		if (work[w].order->code == ERR_OK)
			work[w].order->code = err_add(&work[w].order->err, ERR_INTERNAL, "out of memory");
	free(asks.ask);
	free(asks.first);
}

/* The part of all layers together that each has at least of a metric of which it has most; 0: not known. false when
 * memory is out. */
static bool find_shares(const struct candidate *candidate, double *share)
{
	const struct layer_map *map = candidate->set->map;
	const unsigned n_metric = candidate->task[0].layer.n_metric;
	double all[N_METRIC] = {0};
	double *least = calloc(map->n_distinct + 1, N_METRIC * sizeof(*least));
	bool has_memory = least != NULL;
	for (size_t i = 0; i < map->n_distinct && has_memory; i++) {
		double *own = least + i * N_METRIC;
		for (size_t k = candidate->first_task[i]; k < candidate->first_task[i + 1] && has_memory; k++) {
			double at[N_METRIC];
			has_memory = branch_least(&candidate->task[k].layer, at);
			for (unsigned m = 0; m < n_metric && has_memory; m++)
				own[m] = k == candidate->first_task[i] ? at[m] : fmin(own[m], at[m]);
		}
	}
	for (size_t i = 0; i < map->n_block && has_memory; i++)
		for (unsigned m = 0; m < n_metric; m++)
			all[m] += least[map->distinct[i] * N_METRIC + m];
	for (size_t i = 0; i < map->n_distinct && has_memory; i++) {
		share[i] = 0;
		for (unsigned m = 0; m < n_metric; m++)
			if (all[m] > 0 && isfinite(all[m]))
				share[i] = fmax(share[i], least[i * N_METRIC + m] / all[m]);
	}
	free(least);
	return has_memory;
}

/* The next smaller of eight values between powers of 2, so that epsilons of layers alike are equal or far apart. */
static double round_epsilon(double epsilon)
{
	int exponent;
	double fraction = frexp(epsilon, &exponent);
	return ldexp(floor(16 * fraction) / 16, exponent);
}

bool outlook_set_epsilons(struct outlook_work *work)
{
	const struct layer_map *map = work->candidate.set->map;
	const double epsilon = work->order->epsilon;
	double *share = calloc(map->n_distinct + 1, sizeof(*share));
	bool has_memory = share && find_shares(&work->candidate, share);
	for (size_t i = 0; i < map->n_distinct && has_memory; i++) {
		double mean = share[i] > 0 ? 1 / (share[i] * (double)map->n_block) : 1;
		double layer = fmin(fmax(epsilon * mean, epsilon / 2), fmax(epsilon, MOST_EPSILON));
		for (size_t k = work->candidate.first_task[i]; k < work->candidate.first_task[i + 1]; k++)
			work->epsilon[k] = round_epsilon(layer);
	}
	free(share);
	return has_memory;
}
