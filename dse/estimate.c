/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/estimate.h"
#include "dse/candidate.h"
#include "dse/progress.h"
#include "sim/base/rng.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

/* Candidates that are looked at, evenly spread; spaces with fewer are counted exactly. */
#define MAX_SAMPLE 16

/* How long to measure, and how many designs at a time. */
#define MEASURE_MS 250
#define N_BATCH 64

/* Program, libraries and what a search holds besides its fronts, as measured on the shipped spaces. */
#define BASE_MEMORY_MB 12.0

/* Random designs of one layer: evaluations and how many of them a search would have been spared by a cut. */
struct sample {
	double n, n_cut_saves;
};

/*
 * A search that meets a candidate with a cut skips the rest of its block, so
 * of the candidates under a cut about one in a block's size is evaluated.
 */
static void measure_layer(const struct layer_problem *layer, struct rng *rng, struct sample *sample)
{
	uint32_t genome[N_BATCH * N_LAYER_GENE];
	struct evaluation result[N_BATCH];
	for (size_t i = 0; i < N_BATCH; i++)
		for (size_t k = 0; k < N_LAYER_GENE; k++)
			genome[i * N_LAYER_GENE + k] = rng_below(rng, layer->n_value[k]);
	layer->problem.evaluate(layer->problem.context, genome, N_BATCH, result);
	for (size_t i = 0; i < N_BATCH; i++) {
		double block = 1.0;
		for (size_t k = result[i].n_cut; result[i].n_cut > 0 && k < N_LAYER_GENE; k++)
			block *= layer->n_value[k];
		sample->n_cut_saves += 1.0 - 1.0 / block;
	}
	sample->n += N_BATCH;
}

/* Evaluations a second, and the share of candidates that remain after cuts, layers weighted by their size. */
static void measure(const struct layer_set *set, struct estimate *estimate)
{
	struct rng rng = rng_stream(0, 0, 0);
	uint64_t start_ms = progress_now_ms(), now_ms = start_ms;
	double n = 0.0, evaluated = 0.0, total = 0.0;
	unsigned n_round = 0;
	while (now_ms - start_ms < MEASURE_MS && n_round < 100000) {
		for (size_t i = 0; i < set->n_problem; i++) {
			struct sample sample = {0};
			double size = (double)problem_size(&set->problem[i].problem);
			measure_layer(&set->problem[i], &rng, &sample);
			n += sample.n;
			total += size;
			evaluated += size * (1.0 - sample.n_cut_saves / sample.n);
		}
		n_round++;
		now_ms = progress_now_ms();
	}
	assert(n > 0.0);
	double seconds = fmax(1.0, (double)(now_ms - start_ms)) / 1000.0;
	estimate->evaluation_per_s = n / seconds;
	estimate->evaluated_frac = total > 0.0 ? evaluated / total : 0.0;
	assert(estimate->evaluated_frac >= 0.0 && estimate->evaluated_frac <= 1.0 + 1e-9);
}

static double n_candidate_of(const struct layer_set *set)
{
	double n = 0.0;
	for (size_t i = 0; i < set->n_problem; i++)
		n += (double)problem_size(&set->problem[i].problem);
	return n;
}

/* Fronts up to max_front, with metrics and choices of every layer; the archive with whole genomes. */
static double memory_mb(const struct space *space, const struct layer_map *map)
{
	assert(map->n_block > 0);
	double front = (double)space->max_front;
	double composed = front * (double)map->n_block * 2.0 * sizeof(uint32_t) * 2.0;
	double archive = front * (double)genome_size(map) * sizeof(uint32_t);
	return BASE_MEMORY_MB + (composed + archive) / 1e6;
}

enum err_code estimate_space(const struct space *space, const struct layer_map *map, unsigned n_thread,
                             struct estimate *estimate, struct err *err)
{
	assert(space && map && estimate && n_thread > 0);
	*estimate = (struct estimate){.n_machine = space_n_machine(space), .n_thread = n_thread};
	uint64_t n_sample = estimate->n_machine < MAX_SAMPLE ? estimate->n_machine : MAX_SAMPLE;
	double n_legal = 0.0, n_candidate = 0.0;
	for (uint64_t i = 0; i < n_sample; i++) {
		struct layer_set *set;
		uint64_t index = estimate->n_machine / n_sample * i;
		if (index > UINT32_MAX)
			return err_add(err, ERR_INPUT, "%s: more machines than can be numbered", space->file[0].path);
		enum err_code code =
		    layer_set_build(space, map, (uint32_t)index, &set, estimate->why, sizeof(estimate->why), err);
		if (code != ERR_OK) {
			layer_set_free(estimate->set);
			estimate->set = NULL;
			return code;
		}
		estimate->n_sampled++;
		if (!set) {
			estimate->n_refused++;
			continue;
		}
		n_legal += (double)set->n_legal;
		n_candidate += n_candidate_of(set);
		if (estimate->set)
			layer_set_free(set);
		else
			estimate->set = set;
	}
	double scale = (double)estimate->n_machine / (double)n_sample;
	estimate->n_legal = n_legal * scale;
	estimate->n_candidate = n_candidate * scale;
	estimate->memory_mb = memory_mb(space, map);
	if (!estimate->set)
		return ERR_OK;
	estimate->log10_design = estimate->set->log10_design;
	measure(estimate->set, estimate);
	estimate->n_evaluation = estimate->n_candidate * estimate->evaluated_frac;
	estimate->seconds = estimate->n_evaluation / estimate->evaluation_per_s / n_thread;
	return ERR_OK;
}
