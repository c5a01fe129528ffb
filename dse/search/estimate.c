/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/estimate.h"
#include "dse/space/space_machine.h"
#include "sim/base/stop.h"
#include "sim/base/rng.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Candidates that are looked at, evenly spread; spaces with fewer are counted exactly. */
#define MAX_SAMPLE 16

/* How long to measure, and how many designs at a time. */
#define MEASURE_MS 250
#define N_BATCH 64
/* How long a branch and bound may take on the first machine, or a sample and what is measured with it. */
#define LIMIT_MS 2000
/* How long to measure evaluations where the search itself is measured, too. */
#define SPEED_S 0.04

/* Program, libraries and what a search holds besides its fronts, as measured on the shipped spaces. */
#define BASE_MEMORY_MB 12.0
/* Points of a network's front over two metrics and over more, at most, as a rule. */
#define LINE_POINTS 5000.0
#define SURFACE_POINTS 150000.0

/* Random designs of one layer: evaluations and how many of them a search would have been spared by a cut. */
struct estimate_sample {
	double n, n_cut_saves;
};

/*
 * A search that meets a candidate with a cut skips the rest of its block, so
 * of the candidates under a cut about one in a block's size is evaluated. false: the time was up before all were.
 */
static bool measure_layer(const struct layer_problem *layer, struct rng *rng, struct estimate_sample *sample)
{
	uint32_t genome[N_BATCH * N_LAYER_GENE];
	struct evaluation result[N_BATCH];
	for (size_t i = 0; i < N_BATCH; i++)
		for (size_t k = 0; k < N_LAYER_GENE; k++)
			genome[i * N_LAYER_GENE + k] = rng_below(rng, layer->n_value[k]);
	layer->problem.evaluate(layer->problem.context, genome, N_BATCH, result);
	for (size_t i = 0; i < N_BATCH; i++) {
		double block = 1.0;
		if (problem_is_stopped(&result[i]))
			return false;
		sample->n++;
		for (size_t k = result[i].n_cut; result[i].n_cut > 0 && k < N_LAYER_GENE; k++)
			block *= layer->n_value[k];
		sample->n_cut_saves += 1.0 - 1.0 / block;
	}
	return true;
}

/* One round over the layers; n: evaluations, evaluated: what a search would look at. false: the time was up. */
static bool measure_round(const struct candidate *candidate, struct rng *rng, double *n, double *evaluated)
{
	for (size_t i = 0; i < candidate->n_task; i++) {
		const struct layer_problem *layer = &candidate->task[i].layer;
		struct estimate_sample sample = {0};
		if (!candidate_is_reachable(candidate, i))
			continue;
		bool is_whole = measure_layer(layer, rng, &sample);
		*n += sample.n;
		if (!is_whole)
			return false;
		*evaluated += (double)problem_size(&layer->problem) * (1.0 - sample.n_cut_saves / sample.n);
	}
	return true;
}

/*
 * Evaluations a second, and the share of candidates that a search looks at:
 * bounds narrow the axes first (exactly known then), cuts do the rest (sampled,
 * each layer weighted by its size).
 */
static void measure_candidate(struct candidate *candidate, struct estimate *estimate)
{
	struct rng rng = rng_stream(0, 0, 0);
	double n = 0.0, evaluated = 0.0, full = 0.0;
	unsigned n_round = 0;
	bool has_time = true;
	uint64_t first_ms = stop_now_ms();
	for (size_t i = 0; i < candidate->n_task; i++) {
		full += (double)candidate->task[i].size;
		candidate_sample(candidate, i);
	}
	uint64_t start_ms = stop_now_ms(), now_ms = start_ms;
	while (has_time && now_ms - start_ms < MEASURE_MS && n_round < 100000) {
		double of_round = 0.0;
		has_time = measure_round(candidate, &rng, &n, &of_round);
		evaluated += has_time ? of_round : 0.0;
		n_round += has_time;
		now_ms = stop_now_ms();
	}
	/* without a whole round nothing is known of cuts, and the rate is that of the quicker layers at most */
	estimate->is_least = n_round == 0;
	double seconds = fmax(1.0, (double)(now_ms - (n_round == 0 ? first_ms : start_ms))) / 1000.0;
	estimate->evaluation_per_s = fmax(n, 1.0) / seconds;
	estimate->evaluated_frac = n_round == 0 ? 1.0 : full > 0.0 ? evaluated / n_round / full : 0.0;
	assert(estimate->evaluated_frac >= 0.0 && estimate->evaluated_frac <= 1.0 + 1e-9);
}

/* Seconds of this thread's processor time: what other programs take of the machine is none of a search's. */
static double cpu_s(void)
{
	struct timespec time = {0};
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/*
 * Designs that the tier evaluates in a second on one core, drawn from all layers; 0: not one in the time for it. Of a
 * branch and bound, whose seconds go into bounds, what it evaluates in a second says nothing about that.
 */
static double measure_speed(const struct candidate *candidate, struct stop *stop)
{
	struct rng rng = rng_stream(0, 0, 1);
	struct estimate_sample sample = {0};
	uint64_t end_ms = stop->end_ms;
	double start_s = cpu_s();
	bool has_time = true;
	stop->end_ms = stop_now_ms() + (uint64_t)(10.0 * SPEED_S * 1000.0);
	while (has_time && cpu_s() - start_s < SPEED_S)
		for (size_t i = 0; i < candidate->n_task && has_time; i++)
			has_time = measure_layer(&candidate->task[i].layer, &rng, &sample);
	stop->end_ms = end_ms;
	return sample.n / fmax(1e-6, cpu_s() - start_s);
}

/*
 * The search itself, of one machine, for as long as a user may wait. Where it does not come to its end, tasks that
 * were not begun are taken to last as long as those that were.
 */
static void measure_exact(struct candidate *candidate, struct estimate *estimate)
{
	uint64_t n_told = 0;
	const struct engine_options options = {.seed = 0};
	double size = 0.0, n_done = 0.0;
	double speed = measure_speed(candidate, &estimate->stop);
	double start_s = cpu_s();
	candidate->is_exact = true;
	for (size_t i = 0; i < candidate->n_task; i++) {
		struct candidate_task *task = &candidate->task[i];
		size += (double)task->size;
		if (n_done < (double)i)
			continue;
		candidate_search(candidate, i, 1, &options, engine_watch_stop, &estimate->stop);
		n_told += task->counts.n_told;
		n_done += task->code == ERR_OK;
		estimate->is_least |= task->code == ERR_INTERRUPTED && task->counts.n_told == 0 && task->front.n == 0;
	}
	double seconds = fmax(1e-6, cpu_s() - start_s), share = fmax(n_done, 1.0) / (double)candidate->n_task;
	estimate->is_measured = n_done >= (double)candidate->n_task;
	estimate->evaluation_per_s = speed > 0.0 ? speed : fmax((double)n_told, 1.0) / seconds;
	/* a task that was cut short counts as none, but a search evaluates no design twice */
	estimate->evaluated_frac = estimate->is_least ? 1.0 : fmin(1.0, (double)n_told / share / size);
	estimate->seconds = seconds / share * (double)estimate->n_machine / estimate->n_thread;
}

static double n_candidate_of(const struct layer_set *set)
{
	double n = 0.0;
	for (size_t i = 0; i < set->n_problem; i++)
		n += (double)problem_size(&set->problem[i].problem);
	return n;
}

/*
 * What dominates: in each machine being worked on the composed fronts (choices
 * of every layer, once for the front and once while it is made), and the archive
 * of whole genomes, which grows by doubling and may hold the fronts of several
 * machines. An upper guess where fronts stay shorter than max_front; without one they are guessed: surfaces have many
 * more points than lines.
 */
static double memory_mb(const struct space *space, const struct layer_map *map, unsigned n_thread)
{
	enum metric metric[N_METRIC];
	double guess = layer_metrics(space, metric) > 2 ? SURFACE_POINTS : LINE_POINTS;
	double front = space->max_front > 0 ? (double)space->max_front : guess;
	double n_machine = n_thread < 2 ? 1 : n_thread < 4 ? 2 * n_thread : 8;
	assert(map->n_block > 0);
	double composed = 2.0 * front * (double)map->n_block * 2.0 * sizeof(uint32_t);
	double archive = 3.0 * front * (double)genome_size(map) * sizeof(uint32_t);
	return BASE_MEMORY_MB + (n_machine * composed + archive) / 1e6;
}

/* Count one machine candidate; the first that is not refused is kept. */
static enum err_code add_machine(const struct space *space, const struct layer_map *map, uint32_t index,
                                 struct estimate *estimate, struct err *err)
{
	struct layer_set *set;
	char why[sizeof(estimate->why)];
	enum err_code code = layer_set_build(space, map, index, &set, why, sizeof(why), err);
	if (code != ERR_OK)
		return code;
	estimate->n_sampled++;
	if (!set) {
		if (estimate->n_refused++ == 0)
			(void)snprintf(estimate->why, sizeof(estimate->why), "%s", why);
		return ERR_OK;
	}
	estimate->n_legal += (double)set->n_legal;
	estimate->n_candidate += n_candidate_of(set);
	if (estimate->has_candidate) {
		layer_set_free(set);
		return ERR_OK;
	}
	estimate->log10_design = set->log10_design;
	code = candidate_init(space, set, &estimate->candidate, err);
	estimate->has_candidate = code == ERR_OK;
	return code;
}

enum err_code estimate_space(const struct space *space, const struct layer_map *map, unsigned n_thread,
                             struct estimate *estimate, struct err *err)
{
	assert(space && map && estimate && n_thread > 0);
	*estimate = (struct estimate){.n_machine = space_n_machine(space), .n_thread = n_thread};
	if (estimate->n_machine > UINT32_MAX)
		return err_add(err, ERR_INPUT, "%s: more machines than can be numbered", space->file[0].path);
	uint64_t n_sample = estimate->n_machine < MAX_SAMPLE ? estimate->n_machine : MAX_SAMPLE;
	for (uint64_t i = 0; i < n_sample && !stop_requested(NULL); i++) {
		enum err_code code =
		    add_machine(space, map, (uint32_t)(estimate->n_machine / n_sample * i), estimate, err);
		if (code != ERR_OK)
			return code;
	}
	if (stop_requested(NULL))
		return err_add(err, ERR_INTERRUPTED, "interrupted");
	double scale = (double)estimate->n_machine / (double)n_sample;
	estimate->n_legal *= scale;
	estimate->n_candidate *= scale;
	estimate->memory_mb = memory_mb(space, map, n_thread);
	if (!estimate->has_candidate)
		return ERR_OK;
	estimate->stop.end_ms = stop_now_ms() + LIMIT_MS;
	for (size_t i = 0; i < estimate->candidate.n_task; i++)
		estimate->candidate.task[i].layer.stop = &estimate->stop;
	estimate->is_exact = strcmp(space->engine, engine_exact.name) == 0;
	if (estimate->is_exact)
		measure_exact(&estimate->candidate, estimate);
	else
		measure_candidate(&estimate->candidate, estimate);
	estimate->n_evaluation = estimate->n_candidate * estimate->evaluated_frac;
	if (!estimate->is_exact)
		estimate->seconds = estimate->n_evaluation / estimate->evaluation_per_s / n_thread;
	return stop_requested(NULL) ? err_add(err, ERR_INTERRUPTED, "interrupted") : ERR_OK;
}

/* A design of the front that task i's sample left. Its genome is of the set's problem, which knows all choices. */
static enum err_code run_sampled(const struct candidate *candidate, size_t i, size_t point, const struct stop *stop,
                                 struct err *err)
{
	const struct detail_options options = {.detail = DETAIL_EVENT, .can_stop = true, .stop = stop};
	uint32_t genome[N_LAYER_GENE];
	struct layer_design design;
	size_t distinct = 0;
	while (i >= candidate->first_task[distinct + 1])
		distinct++;
	assert(point < candidate->task[i].front.n);
	const struct layer_problem *layer = &candidate->set->problem[distinct];
	candidate_widen(candidate, distinct, i, candidate->task[i].front.genome + point * N_LAYER_GENE, genome);
	layer_problem_design(layer, genome, &design);
	struct detail_run run = {.context = layer_context_of(layer, &design), .design = &design};
	return detail_run_all(&run, 1, &options, err);
}

enum err_code estimate_event(struct estimate *estimate, double limit_s, struct err *err)
{
	const struct candidate *candidate = &estimate->candidate;
	uint64_t start_ms = stop_now_ms();
	const struct stop stop = {.end_ms = start_ms + (uint64_t)(1000.0 * limit_s) + 1};
	double seconds = 0.0, n = 0.0;
	bool has_more = true;
	struct err inner = {0};
	enum err_code code = ERR_OK;
	assert(estimate->has_candidate && limit_s >= 0.0);
	for (size_t round = 0; has_more && code == ERR_OK; round++) {
		has_more = false;
		for (size_t i = 0; i < candidate->n_task && code == ERR_OK && (n < 1.0 || seconds < limit_s); i++) {
			if (round >= candidate->task[i].front.n)
				continue;
			has_more = true;
			code = run_sampled(candidate, i, round, &stop, &inner);
			n += code == ERR_OK;
			seconds = (double)(stop_now_ms() - start_ms) / 1000.0;
		}
	}
	if (code == ERR_INTERRUPTED && !stop_requested(NULL)) { /* the time is up, and the first not done */
		estimate->is_least = n < 1.0;
		n = fmax(n, 1.0);
		code = ERR_OK;
	}
	if (code != ERR_OK)
		(void)err_move(err, (struct err_place){0}, &inner);
	if (n > 0.0 && code == ERR_OK) {
		estimate->evaluation_per_s = n / fmax(seconds, 0.001);
		estimate->seconds = estimate->n_evaluation / estimate->evaluation_per_s / estimate->n_thread;
	}
	return code;
}
