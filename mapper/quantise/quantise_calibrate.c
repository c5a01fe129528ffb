/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Post-training quantisation by powers of two. A tensor's fraction bits are those of the least squared error among a
 * few that cut off more or less of what is rare and large; weights likewise.
 */
#include "mapper/quantise/quantise.h"
#include "mapper/quantise/quantise_arithmetic.h"
#include "mapper/quantise/quantise_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define N_TRIED 3       /* fraction bits that hold the peak, and so many more that cut it off */
#define MOST 127        /* of a magnitude */
#define MAX_SHIFT 31    /* of 32-bit sums */
#define MAX_FRACTION 24 /* of a tensor whose numbers are all next to zero */
#define SOFTMAX_FRACTION 7

struct calibration {
	const struct quantise_float *model;
	const float *input;
	size_t n_input;
	struct quantise_network *quant;
	float *peak;       /* [1 + n_block] */
	double *square;    /* [1 + n_block][N_TRIED] */
	int32_t *fraction; /* [1 + n_block] */
	float **result;    /* [n_block] */
	struct arena arena;
	struct stop_watch watch;
	struct err *err;
};

/* Most fraction bits that hold a magnitude. */
static int32_t fraction_of(float peak)
{
	int32_t fraction = MAX_FRACTION;
	while (fraction > -MAX_FRACTION && ldexpf(peak, fraction) > MOST)
		fraction--;
	return fraction;
}

static int8_t quantise(float value, int32_t fraction)
{
	float scaled = roundf(ldexpf(value, fraction));
	return (int8_t)(scaled > MOST ? MOST : scaled < -MOST ? -MOST : scaled);
}

/* Squared errors of numbers under each of the tried fractions, added up; false when it was stopped. */
static bool add_squares(const float *value, size_t n, int32_t fraction, double square[N_TRIED],
                        struct stop_watch *watch)
{
	for (int i = 0; i < N_TRIED; i++) {
		float unit = ldexpf(1, -(fraction + i));
		for (size_t k = 0; k < n; k++) {
			double wrong = value[k] - (float)quantise(value[k], fraction + i) * unit;
			square[i] += wrong * wrong;
			if (stop_after(watch, 4))
				return false;
		}
	}
	return true;
}

static int32_t best_fraction(int32_t fraction, const double square[N_TRIED])
{
	int best = 0;
	for (int i = 1; i < N_TRIED; i++)
		best = square[i] < square[best] ? i : best;
	return fraction + best < MAX_FRACTION ? fraction + best : MAX_FRACTION;
}

/* Peaks first, then squared errors of what is stored, results after pooling; false: stopped, or no memory. */
static bool measure(struct calibration *job)
{
	const struct network *network = job->model->network;
	size_t n_value = quantise_n_input(network);
	for (size_t i = 0; i < job->n_input; i++)
		if (!quantise_run_float(job->model, job->input + i * n_value, job->result, job->peak))
			return false;
	for (size_t i = 0; i < job->n_input; i++) {
		const float *input = job->input + i * n_value;
		if (!quantise_run_float(job->model, input, job->result, NULL))
			return false;
		if (!add_squares(input, n_value, fraction_of(job->peak[0]), job->square, &job->watch))
			return false;
		for (size_t b = 0; b < network->n_block; b++)
			if (!add_squares(job->result[b], quantise_n_result(&network->block[b]),
			                 fraction_of(job->peak[1 + b]), job->square + (1 + b) * N_TRIED, &job->watch))
				return false;
	}
	return true;
}

/* Fraction bits of what a block reads; false: its sources differ. */
static bool read_fraction(const struct quantise_network *quant, const struct block_sources *sources, int32_t *fraction)
{
	for (uint32_t i = 0; i < sources->n; i++) {
		uint32_t producer = sources->producer[i];
		int32_t own = producer == 0 ? quant->in_fraction : quant->block[producer - 1].fraction;
		if (i > 0 && own != *fraction)
			return false;
		*fraction = own;
	}
	return true;
}

/* Of the input (0) or of a block (1 + b): as the model has it, else as measured. */
static int32_t fraction_at(const struct calibration *job, size_t i)
{
	if (job->model->fraction && job->model->fraction[i] != QUANTISE_MEASURE)
		return job->model->fraction[i];
	return best_fraction(fraction_of(job->peak[i]), job->square + i * N_TRIED);
}

/* All of them to the least; whether one was more. */
static bool level(int32_t *fraction, const struct block_sources *sources, int32_t *own)
{
	bool changed = false;
	int32_t least = own ? *own : INT32_MAX;
	for (uint32_t i = 0; i < sources->n; i++)
		least = fraction[sources->producer[i]] < least ? fraction[sources->producer[i]] : least;
	for (uint32_t i = 0; i < sources->n; i++) {
		changed = changed || fraction[sources->producer[i]] != least;
		fraction[sources->producer[i]] = least;
	}
	if (own && *own != least) {
		changed = true;
		*own = least;
	}
	return changed;
}

/* Fraction bits of all results: alike where results are one input, and before and behind pooling. */
static void choose_fractions(struct calibration *job)
{
	const struct network *network = job->model->network;
	bool changed = true;
	for (size_t i = 0; i <= network->n_block; i++)
		job->fraction[i] = fraction_at(job, i);
	while (changed) {
		changed = false;
		for (size_t b = 0; b < network->n_block; b++) {
			const struct block *block = &network->block[b];
			bool is_pool = block->kind == BLOCK_POOL && block->arm == ARM_POOL;
			changed =
			    level(job->fraction, &block->reads, is_pool ? &job->fraction[1 + b] : NULL) || changed;
			if (block->has_mat_ele && block->adds.n > 1)
				changed = level(job->fraction, &block->adds, NULL) || changed;
		}
	}
	job->quant->in_fraction = job->fraction[0];
}

/* ---- a block ---- */

static int32_t limit_bias(double bias)
{
	return (int32_t)(bias > INT32_MAX ? INT32_MAX : bias < INT32_MIN ? INT32_MIN : bias);
}

/* Weights, and biases with half of what the shift cuts off, so that it rounds; false: stopped, or no memory. */
static bool fill(const struct quantise_float_block *from, int32_t sum_fraction, struct calibration *job,
                 struct quantise_block *own)
{
	size_t n = (size_t)from->n_tap * from->n_filter;
	int8_t *weight = arena_array(&job->quant->arena, n, sizeof(*weight));
	int32_t *bias = arena_array(&job->quant->arena, from->n_filter, sizeof(*bias));
	double half = own->shift > 0 ? ldexp(1, (int)own->shift - 1) : 0;
	for (size_t i = 0; weight && i < n; i++) {
		weight[i] = quantise(from->weight[i], own->weight_fraction);
		if (stop_after(&job->watch, 4))
			return false;
	}
	for (uint32_t i = 0; bias && i < from->n_filter; i++)
		bias[i] = limit_bias(rint(ldexp(from->bias[i], sum_fraction)) + half);
	own->n_filter = from->n_filter;
	own->n_tap = from->n_tap;
	own->weight = weight;
	own->bias = bias;
	return weight && bias;
}

/* Whether sums can be shifted to the result, which may get fewer fraction bits for that, and what is added to sums. */
static enum err_code set_shifts(struct calibration *job, size_t b, int32_t sum_fraction, int32_t added)
{
	struct quantise_block *own = &job->quant->block[b];
	const struct block *block = &job->model->network->block[b];
	if (own->fraction > sum_fraction)
		own->fraction = sum_fraction;
	int32_t shift = sum_fraction - own->fraction, left = block->has_mat_ele ? sum_fraction - added : 0;
	if (shift > MAX_SHIFT || left > MAX_SHIFT - 8 || left < -MAX_SHIFT)
		return err_add(
		    job->err, ERR_INPUT,
		    "%s: its sums have %d fraction bits, its result %d, what is added %d: out of the range of "
		    "shifts",
		    block->name, sum_fraction, own->fraction, added);
	own->shift = (uint32_t)shift;
	own->added_shift = left;
	return ERR_OK;
}

static enum err_code calibrate_block(struct calibration *job, size_t b)
{
	const struct block *block = &job->model->network->block[b];
	const struct quantise_float_block *from = &job->model->block[b];
	struct quantise_block *own = &job->quant->block[b];
	int32_t in = 0, added = 0;
	if (!read_fraction(job->quant, &block->reads, &in) ||
	    (block->has_mat_ele && !read_fraction(job->quant, &block->adds, &added)))
		return err_add(job->err, ERR_INPUT, "%s: reads results of different fraction bits as one input",
		               block->name);
	if (block->kind == BLOCK_POOL) {
		bool is_softmax = block->arm == ARM_SOFTMAX;
		if (is_softmax && (in < 0 || in > MAX_SHIFT))
			return err_add(job->err, ERR_INPUT, "%s: its input has %d fraction bits, allowed 0 to %d",
			               block->name, in, MAX_SHIFT);
		own->fraction = is_softmax ? SOFTMAX_FRACTION : in;
		own->shift = is_softmax ? (uint32_t)in : 0;
		return ERR_OK;
	}
	size_t n = (size_t)from->n_tap * from->n_filter;
	double square[N_TRIED] = {0};
	float peak = 0;
	for (size_t i = 0; i < n; i++)
		peak = fmaxf(peak, fabsf(from->weight[i]));
	if (!add_squares(from->weight, n, fraction_of(peak), square, &job->watch))
		return quantise_fail(job->model->network, "the weights", job->err);
	own->weight_fraction = best_fraction(fraction_of(peak), square);
	own->fraction = job->fraction[1 + b];
	enum err_code code = set_shifts(job, b, in + own->weight_fraction, added);
	if (code == ERR_OK && !fill(from, in + own->weight_fraction, job, own))
		code = quantise_fail(job->model->network, "the weights", job->err);
	return code;
}

static bool open_calibration(struct calibration *job)
{
	const struct network *network = job->model->network;
	job->peak = arena_array(&job->arena, 1 + network->n_block, sizeof(*job->peak));
	job->square = arena_array(&job->arena, (1 + network->n_block) * N_TRIED, sizeof(*job->square));
	job->fraction = arena_array(&job->arena, 1 + network->n_block, sizeof(*job->fraction));
	job->result = (float **)quantise_make_results(network, sizeof(float), &job->arena);
	job->quant->block = arena_array(&job->quant->arena, network->n_block, sizeof(*job->quant->block));
	return job->peak && job->square && job->fraction && job->result && job->quant->block;
}

enum err_code quantise_calibrate(const struct quantise_float *model, const float *input, size_t n,
                                 struct quantise_network *quant, struct err *err)
{
	struct calibration job = {.model = model, .input = input, .n_input = n, .quant = quant, .err = err};
	job.watch = stop_watch_for(NULL);
	enum err_code code = ERR_OK;
	assert(model && input && n > 0 && quant);
	*quant = (struct quantise_network){.network = model->network};
	if (!open_calibration(&job) || !measure(&job))
		code = quantise_fail(model->network, "the quantisation", err);
	if (code == ERR_OK)
		choose_fractions(&job);
	for (size_t b = 0; code == ERR_OK && b < model->network->n_block; b++)
		code = calibrate_block(&job, b);
	arena_free(&job.arena);
	if (code != ERR_OK)
		quantise_free(quant);
	return code;
}

void quantise_input(const struct quantise_network *quant, const float *input, int8_t *out)
{
	size_t n = quantise_n_input(quant->network);
	for (size_t i = 0; i < n; i++)
		out[i] = quantise(input[i], quant->in_fraction);
}
