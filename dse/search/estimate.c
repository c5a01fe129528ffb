/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/estimate.h"
#include "dse/base/memory.h"
#include "dse/out/table.h"
#include "dse/search/explore.h"
#include "dse/space/space_machine.h"
#include "sim/base/stop.h"
#include "sim/base/rng.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Candidates that are looked at, evenly spread; spaces with fewer are counted exactly. */
#define MAX_SAMPLE 16

/* How long to measure, and how many designs at a time. */
#define MEASURE_MS 250
#define N_BATCH 64
/* How long a sample may take, and what is measured with it. */
#define LIMIT_MS 1500
/* How long a branch and bound is looked on at, of the whole space; then on the first machine, where that was too short.
 */
#define SEARCH_MS 900
#define FIRST_MS 400
/* One that takes longer may evaluate so much less (machines are cut whole) or more than the first machine has it. */
#define FACTOR_LESS 30.0
#define FACTOR_MORE 10.0
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
	struct evaluation result;
	for (size_t i = 0; i < N_BATCH; i++)
		for (size_t k = 0; k < N_LAYER_GENE; k++)
			genome[i * N_LAYER_GENE + k] = rng_below(rng, layer->n_value[k]);
	for (size_t i = 0; i < N_BATCH; i++) {
		double block = 1.0;
		/* one by one: some take long, and not all of them hear the stop themselves */
		if (stop_requested(layer->stop))
			return false;
		layer->problem.evaluate(layer->problem.context, genome + i * N_LAYER_GENE, 1, &result);
		if (problem_is_stopped(&result))
			return false;
		sample->n++;
		for (size_t k = result.n_cut; result.n_cut > 0 && k < N_LAYER_GENE; k++)
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
	double evaluated_frac = n_round == 0 ? 1.0 : full > 0.0 ? evaluated / n_round / full : 0.0;
	assert(evaluated_frac >= 0.0 && evaluated_frac <= 1.0 + 1e-9);
	estimate->n_evaluation = estimate->n_candidate * evaluated_frac;
	estimate->least_evaluation = estimate->most_evaluation = estimate->n_evaluation;
	estimate->seconds = estimate->n_evaluation / estimate->evaluation_per_s / estimate->n_thread;
	estimate->least_seconds = estimate->most_seconds = estimate->seconds;
}

/* Seconds of the processor: what other programs take of the machine is none of a search's. */
static double cpu_s(clockid_t clock)
{
	struct timespec time = {0};
	(void)clock_gettime(clock, &time);
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
	double start_s = cpu_s(CLOCK_THREAD_CPUTIME_ID);
	bool has_time = true;
	stop->end_ms = stop_now_ms() + (uint64_t)(10.0 * SPEED_S * 1000.0);
	while (has_time && cpu_s(CLOCK_THREAD_CPUTIME_ID) - start_s < SPEED_S)
		for (size_t i = 0; i < candidate->n_task && has_time; i++)
			has_time = measure_layer(&candidate->task[i].layer, &rng, &sample);
	stop->end_ms = end_ms;
	return sample.n / fmax(1e-6, cpu_s(CLOCK_THREAD_CPUTIME_ID) - start_s);
}

/*
 * What the first machine's layers take, of which there is time for some: tasks that were not begun are taken to last as
 * long as those that were. Evaluations and seconds of a core; seconds is 0 where not one design was done in the time.
 */
static void measure_first(struct candidate *candidate, struct stop *stop, double *n_evaluation, double *seconds)
{
	uint64_t n_told = 0;
	const struct engine_options options = {.seed = 0};
	double n_done = 0.0, start_s = cpu_s(CLOCK_THREAD_CPUTIME_ID);
	bool has_design = true;
	candidate->is_exact = true;
	for (size_t i = 0; i < candidate->n_task && n_done >= (double)i; i++) {
		struct candidate_task *task = &candidate->task[i];
		candidate_search(candidate, i, 1, &options, engine_watch_stop, stop);
		n_told += task->counts.n_told;
		n_done += task->code == ERR_OK;
		has_design &= task->code == ERR_OK || task->counts.n_told > 0 || task->front.n > 0;
	}
	double share = fmax(n_done, 1.0) / (double)candidate->n_task;
	*n_evaluation = fmax((double)n_told, 1.0) / share;
	*seconds = has_design ? fmax(1e-6, cpu_s(CLOCK_THREAD_CPUTIME_ID) - start_s) / share : 0.0;
}

/*
 * The search itself, for as long as a user may wait. Where it does not come to its end, the first machine stands for
 * those that are not cut by then, and what is told is a range.
 */
static enum err_code measure_exact(const struct space *space, struct estimate *estimate, struct err *err)
{
	struct explore *explore = memory_array(1, sizeof(*explore)); /* too large for small stacks */
	const struct explore_options options = {
	    .engine = &engine_exact, .n_thread = estimate->n_thread, .max_ms = SEARCH_MS, .ends_at_once = true};
	double start_s = cpu_s(CLOCK_PROCESS_CPUTIME_ID), speed = measure_speed(&estimate->candidate, &estimate->stop);
	double search_s = cpu_s(CLOCK_PROCESS_CPUTIME_ID);
	enum err_code code = explore_run(space, &options, explore, err);
	double seen_s = fmax(1e-6, cpu_s(CLOCK_PROCESS_CPUTIME_ID) - search_s),
	       seen = (double)explore->counts.engine.n_told;
	double first, first_s, n_left = (double)(estimate->n_machine - explore->counts.n_machine_cut);
	estimate->is_measured = !explore->truncated && !explore->interrupted && explore->n_failure == 0;
	explore_free(explore);
	free(explore);
	estimate->n_evaluation = estimate->least_evaluation = estimate->most_evaluation = seen;
	estimate->seconds = estimate->least_seconds = estimate->most_seconds = seen_s / estimate->n_thread;
	estimate->evaluation_per_s = speed > 0.0 ? speed : fmax(seen, 1.0) / (search_s + seen_s - start_s);
	if (code != ERR_OK || estimate->is_measured)
		return code;
	estimate->stop.end_ms = stop_now_ms() + FIRST_MS;
	measure_first(&estimate->candidate, &estimate->stop, &first, &first_s);
	estimate->is_least = !(first_s > 0.0);
	estimate->n_evaluation = estimate->is_least ? estimate->n_candidate : fmax(seen, first * n_left);
	estimate->least_evaluation = fmax(seen, estimate->n_evaluation / FACTOR_LESS);
	estimate->most_evaluation = fmin(estimate->n_candidate, estimate->n_evaluation * FACTOR_MORE);
	estimate->seconds = fmax(seen_s, first_s * n_left) / estimate->n_thread;
	estimate->least_seconds = fmax(seen_s / estimate->n_thread, estimate->seconds / FACTOR_LESS);
	estimate->most_seconds = estimate->is_least ? INFINITY : estimate->seconds * FACTOR_MORE;
	return code;
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
	enum err_code code = ERR_OK;
	if (estimate->is_exact)
		code = measure_exact(space, estimate, err);
	else
		measure_candidate(&estimate->candidate, estimate);
	return code == ERR_OK && stop_requested(NULL) ? err_add(err, ERR_INTERRUPTED, "interrupted") : code;
}

static double rounded(double value, int n_digit)
{
	char text[32];
	(void)snprintf(text, sizeof(text), "%.*g", n_digit, value);
	return strtod(text, NULL);
}

/* Large ones in groups of three digits. */
static void print_rounded(double value, int n_digit, char text[TABLE_COUNT_SIZE])
{
	value = rounded(value, n_digit);
	if (value >= 1000)
		table_print_about(value, text);
	else
		(void)snprintf(text, TABLE_COUNT_SIZE, "%.10g", value);
}

void estimate_print(double least, double most, char text[64])
{
	char low[TABLE_COUNT_SIZE], high[TABLE_COUNT_SIZE];
	print_rounded(least, least < most ? 1 : 3, low);
	print_rounded(most, 1, high);
	if (least < most)
		(void)snprintf(text, 64, "%.26s to %.26s", low, high);
	else
		(void)snprintf(text, 64, "%s", low);
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
	struct candidate *candidate = &estimate->candidate;
	estimate->stop.end_ms = stop_now_ms() + LIMIT_MS;
	for (size_t i = 0; i < candidate->n_task; i++)
		if (candidate->task[i].front.n == 0)
			candidate_sample(candidate, i);
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
		err_clear(&inner);
	}
	if (code != ERR_OK)
		(void)err_move(err, (struct err_place){0}, &inner);
	if (n > 0.0 && code == ERR_OK) {
		estimate->evaluation_per_s = n / fmax(seconds, 0.001);
		double per_s = estimate->evaluation_per_s * estimate->n_thread;
		estimate->seconds = estimate->n_evaluation / per_s;
		estimate->least_seconds = estimate->least_evaluation / per_s;
		estimate->most_seconds = estimate->most_evaluation / per_s;
	}
	return code;
}
