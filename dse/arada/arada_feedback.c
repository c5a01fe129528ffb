/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/arada/arada_feedback.h"
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "sim/base/rng.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* However much is drawn, a layer's memory takes so much of its mean time. */
#define LEAST_FRAC 0.05

/* A layer as it is, and what has been measured of it. Clocks at full speed. */
struct real_layer {
	double compute_clk, memory_clk;
	double sum_clk, now_clk; /* measured so far, added up; of this inference */
};

static struct real_layer real_layer(const struct arada_run *run, size_t i)
{
	const struct arada_layer *layer = &run->layer[i];
	double memory_clk = (double)layer->total_clk;
	if (layer->stall_clk == 0)
		memory_clk = fmin((double)layer->n_word / run->platform.max_word_per_clk, memory_clk);
	return (struct real_layer){.compute_clk = (double)(layer->total_clk - layer->stall_clk),
	                           .memory_clk = memory_clk};
}

/* A standard normal deviate (Box and Muller, 1958). */
static double normal(struct rng *rng)
{
	double u = 1.0 - rng_unit(rng), v = rng_unit(rng);
	return sqrt(-2.0 * log(u)) * cos(2.0 * acos(-1.0) * v);
}

static void draw_now(struct real_layer *layer, size_t n, double noise_frac, struct rng *rng)
{
	for (size_t i = 0; i < n; i++) {
		double factor = noise_frac > 0 ? 1.0 + noise_frac * normal(rng) : 1.0;
		layer[i].now_clk = layer[i].memory_clk * fmax(factor, LEAST_FRAC);
	}
}

/* What the rule gives a layer that is expected to keep its memory busy for so long. */
static struct arada_mode allocate(const struct arada_run *run, double compute_clk, double memory_clk)
{
	double total_clk = fmax(compute_clk, round(memory_clk));
	const struct arada_layer layer = {
	    .total_clk = (uint64_t)total_clk,
	    .stall_clk = (uint64_t)(total_clk - compute_clk),
	    .n_word = (uint64_t)ceil(memory_clk * run->platform.max_word_per_clk - 0.5),
	};
	return arada_allocate(ARADA_VF_OH_Q, &run->platform, &layer);
}

/* Clocks at full speed that a layer takes in a mode: the longer of array and memory. */
static double layer_clk(const struct arada_run *run, const struct real_layer *layer, const struct arada_mode *mode)
{
	const struct arada_platform *platform = &run->platform;
	bool is_slow = mode->clk_mhz < platform->max_clk_mhz;
	double array = layer->compute_clk * platform->max_clk_mhz / mode->clk_mhz;
	array += is_slow ? platform->switch_us * platform->max_clk_mhz : 0;
	return fmax(array, layer->now_clk * platform->max_bandwidth_gb_s / mode->bandwidth_gb_s);
}

/* One inference; k measurements lie behind it. */
static void infer(const struct arada_run *run, struct real_layer *layer, uint32_t k, struct arada_feedback_step *step)
{
	double work = 0, energy = 0, known = 0, clk = 0, rti_clk = 0;
	for (size_t i = 0; i < run->n_layer; i++) {
		const struct arada_mode full = {.clk_mhz = run->platform.max_clk_mhz,
		                                .bandwidth_gb_s = run->platform.max_bandwidth_gb_s,
		                                .gated_frac = 1};
		struct arada_mode mode = k > 0 ? allocate(run, layer[i].compute_clk, layer[i].sum_clk / k) : full;
		work += layer[i].compute_clk;
		energy += layer[i].compute_clk * mode.gated_frac;
		known += layer[i].compute_clk * allocate(run, layer[i].compute_clk, layer[i].now_clk).gated_frac;
		clk += layer_clk(run, &layer[i], &mode);
		rti_clk += layer_clk(run, &layer[i], &full);
		layer[i].sum_clk += layer[i].now_clk;
	}
	step->saving_frac += 1 - energy / work;
	step->knowing_frac += 1 - known / work;
	step->late_frac += fmax(clk / rti_clk - 1, 0);
}

void arada_feedback_run(const struct arada_run *run, const struct arada_feedback_options *options, uint32_t number,
                        struct arada_feedback_step *step)
{
	struct real_layer *layer = memory_array(run->n_layer, sizeof(*layer));
	assert(run->n_layer > 0 && options->n_sample > 0 && options->noise_frac >= 0);
	for (uint32_t k = 0; k <= options->n_inference; k++)
		step[k] = (struct arada_feedback_step){0};
	for (uint32_t s = 0; s < options->n_sample; s++) {
		struct rng rng = rng_stream(options->seed, number, s);
		for (size_t i = 0; i < run->n_layer; i++)
			layer[i] = real_layer(run, i);
		for (uint32_t k = 0; k <= options->n_inference; k++) {
			draw_now(layer, run->n_layer, options->noise_frac, &rng);
			infer(run, layer, k, &step[k]);
		}
	}
	for (uint32_t k = 0; k <= options->n_inference; k++) {
		step[k].saving_frac /= options->n_sample;
		step[k].late_frac /= options->n_sample;
		step[k].knowing_frac /= options->n_sample;
	}
	free(layer);
}

/* ---- all machines ---- */

struct feedback_job {
	struct arada_feedback *feedback;
	struct arada_feedback_step *step; /* [study->n_run][n_inference + 1] */
};

static void run_job(void *context, size_t i)
{
	struct feedback_job *job = context;
	const struct arada_feedback *feedback = job->feedback;
	size_t n = feedback->options.n_inference + 1;
	if (!interrupt_requested())
		arada_feedback_run(&feedback->study->run[i], &feedback->options, (uint32_t)i, job->step + i * n);
}

enum err_code arada_feedback_study(const struct arada_study *study, const struct arada_exact_study *exact,
                                   const struct arada_feedback_options *options, struct arada_feedback *feedback,
                                   struct err *err)
{
	size_t n = options->n_inference + 1, n_network = study->space->n_network;
	*feedback = (struct arada_feedback){.study = study, .exact = exact, .options = *options};
	feedback->step = memory_must(arena_array(&feedback->arena, study->n_machine * n, sizeof(*feedback->step)));
	struct feedback_job job = {feedback, memory_array(study->n_run * n, sizeof(*job.step))};
	parallel_for(study->n_run, options->n_thread, run_job, &job);
	for (size_t i = 0; i < study->n_run; i++)
		for (size_t k = 0; k < n; k++) {
			struct arada_feedback_step *mean = &feedback->step[i / n_network * n + k];
			const struct arada_feedback_step *own = &job.step[i * n + k];
			mean->saving_frac += own->saving_frac / (double)n_network;
			mean->late_frac += own->late_frac / (double)n_network;
			mean->knowing_frac += own->knowing_frac / (double)n_network;
		}
	free(job.step);
	return interrupt_requested() ? err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written") : ERR_OK;
}

void arada_feedback_free(struct arada_feedback *feedback)
{
	arena_free(&feedback->arena);
	*feedback = (struct arada_feedback){0};
}
