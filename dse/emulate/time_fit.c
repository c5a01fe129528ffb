/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/emulate/time_fit.h"
#include "dse/base/memory.h"
#include "sim/base/real.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_STEP 6 /* of Gauss and Newton: all but a bandwidth is linear */
#define US_PS 1e-6
#define FLOOR_US 10
#define DEPENDENT_FRAC 1e-5 /* of a column's length: what is left of it beside the columns before */
#define STEP_FRAC 0.125     /* of a constant, for its derivative */

/* What times may determine; where two are alike in all of them, the first is taken. */
static const char *const key_table[] = {
    "octopus.worker_us",         "octopus.layer_us",         "octopus.layer_worker_us",
    "octopus.setup_us",          "octopus.cleanup_us",       "octopus.setup_worker_us",
    "octopus.cleanup_worker_us", "octopus.worker_gb_s",      "transfer.dram_load_setup_clk",
    "transfer.write_setup_clk",  "octopus.operand_word_clk", "arm.padd_word_clk",
    "arm.quan_pixel_clk",        "arm.relu32_pixel_clk",     "arm.pool8_pixel_clk",
    "arm.average_pixel_clk",     "arm.average_read_clk",     "arm.add_pixel_clk",
    "arm.softmax_pixel_clk",     "arm.exp_pixel_clk"};
#define N_KEY (sizeof(key_table) / sizeof(key_table[0]))

/* A least-squares problem: what is measured, what the model says, and its derivatives. */
struct problem {
	const struct emulator *emulator;
	uint32_t level;
	size_t n_row;
	double *measured, *weight, *model, *shifted; /* [n_row] us; weight 1/us */
	double *column;                              /* [N_KEY][n_row] */
};

/* ---- constants ---- */

static double *real_of(struct machine *machine, const struct machine_param *row)
{
	return (double *)(void *)((char *)machine + row->offset);
}

static void set(struct machine *machine, const struct machine_param *row, double value)
{
	double limited = real_min(row->max, real_max(row->min, value));
	if (row->type == PARAM_U32) {
		uint32_t whole = (uint32_t)llround(limited);
		memcpy((char *)machine + row->offset, &whole, sizeof(whole));
	} else {
		*real_of(machine, row) = limited;
	}
}

/* ---- rows ---- */

static size_t n_row_of(const struct octopus_dram *dram)
{
	size_t n = 2; /* setup and cleanup */
	for (uint32_t l = 0; l < dram->n_layer; l++)
		n += 1 + (size_t)dram->layer[l].n_worker * EMULATE_N_PART;
	return n;
}

static void list_rows(const struct octopus_dram *dram, const struct emulate_times *times, double *row)
{
	*row++ = times->setup_us;
	*row++ = times->cleanup_us;
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		*row++ = emulate_time_of_scheduler(dram, times, l);
		for (uint32_t p = 0; p < dram->layer[l].n_worker; p++)
			for (int i = 0; i < EMULATE_N_PART; i++)
				*row++ = times->layer[l].worker[p].part_us[i];
	}
}

static void predict(const struct problem *problem, const struct machine *machine, double *row)
{
	struct emulate_times times;
	emulate_time_make(problem->emulator, machine, problem->level, &times);
	list_rows(&problem->emulator->dram, &times, row);
	emulate_time_free(&times);
}

/* ---- least squares ---- */

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Weighed derivatives by each constant, by a difference: exact where the model is linear. */
static void derive(const struct problem *problem, const struct time_fit *fit)
{
	for (size_t k = 0; k < fit->n_param; k++) {
		struct machine moved = fit->machine;
		const struct machine_param *row = fit->param[k].row;
		double at = machine_get_param(&fit->machine, row);
		double step = row->type == PARAM_U32 ? ceil(at * STEP_FRAC + 1) : at * STEP_FRAC + 1e-3;
		double *column = problem->column + k * problem->n_row;
		set(&moved, row, at + step);
		step = machine_get_param(&moved, row) - at;
		predict(problem, &moved, problem->shifted);
		for (size_t i = 0; i < problem->n_row; i++)
			column[i] = (problem->shifted[i] - problem->model[i]) / step * problem->weight[i];
	}
}

/*
 * Gram and Schmidt, twice for each column: q is orthonormal, r[j][k] column k's part along q j. A column of which next
 * to nothing is left is one that those before make up: its constant is not determined.
 */
static void decompose(const struct problem *problem, struct time_fit *fit, double r[N_KEY][N_KEY])
{
	size_t n = problem->n_row;
	for (size_t k = 0; k < fit->n_param; k++) {
		double *column = problem->column + k * n;
		double before = sqrt(dot(column, column, n));
		fit->param[k].is_used = before > 0;
		for (int pass = 0; pass < 2; pass++)
			for (size_t j = 0; j < k; j++) {
				const double *q = problem->column + j * n;
				double part = fit->param[j].is_determined ? dot(q, column, n) : 0;
				r[j][k] += part;
				for (size_t i = 0; i < n && fit->param[j].is_determined; i++)
					column[i] -= part * q[i];
			}
		double left = sqrt(dot(column, column, n));
		fit->param[k].is_determined = before > 0 && left > DEPENDENT_FRAC * before;
		r[k][k] = left;
		for (size_t i = 0; i < n && fit->param[k].is_determined; i++)
			column[i] /= left;
	}
}

/*
 * 95 % of where a constant may be, by what the fit leaves of the times and by their ticks: rows of the inverse of r
 * have the lengths of its directions. One that the times tell to no better than COARSE_FRAC is not determined.
 */
static void judge(const struct problem *problem, double r[N_KEY][N_KEY], struct time_fit *fit)
{
	double square = 0, tick_us = problem->emulator->dram.tick_ps * US_PS / sqrt(12);
	size_t n = problem->n_row, n_free = 0;
	for (size_t i = 0; i < n; i++) {
		double left = (problem->measured[i] - problem->model[i]) * problem->weight[i];
		square += real_max(left * left, pow(tick_us * problem->weight[i], 2));
	}
	for (size_t k = 0; k < fit->n_param; k++)
		n_free += fit->param[k].is_determined;
	double spread = sqrt(square / (double)(n > n_free ? n - n_free : 1));
	for (size_t k = 0; k < fit->n_param; k++) {
		double inverse[N_KEY] = {0}, length = 0; /* row k of the inverse */
		for (size_t j = k; j < fit->n_param && fit->param[k].is_determined; j++) {
			double sum = j == k;
			for (size_t i = k; i < j; i++)
				sum -= inverse[i] * r[i][j];
			inverse[j] = fit->param[j].is_determined ? sum / r[j][j] : 0;
			length += inverse[j] * inverse[j];
		}
		fit->param[k].error = 2 * spread * sqrt(length);
	}
}

/* One step: constants that are determined move to the least squares of the model as it is here. */
static void step(struct problem *problem, struct time_fit *fit)
{
	double r[N_KEY][N_KEY] = {{0}}, change[N_KEY] = {0};

	size_t n = problem->n_row;
	predict(problem, &fit->machine, problem->model);
	derive(problem, fit);
	decompose(problem, fit, r);
	for (size_t i = 0; i < n; i++)
		problem->shifted[i] = (problem->measured[i] - problem->model[i]) * problem->weight[i];
	for (size_t k = fit->n_param; k-- > 0;) {
		if (!fit->param[k].is_determined)
			continue;
		change[k] = dot(problem->column + k * n, problem->shifted, n);
		for (size_t j = k + 1; j < fit->n_param; j++)
			change[k] -= r[k][j] * change[j];
		change[k] /= r[k][k];
	}
	for (size_t k = 0; k < fit->n_param; k++) {
		const struct machine_param *row = fit->param[k].row;
		double at = machine_get_param(&fit->machine, row);
		/* times go with 1 / bandwidth: the step is taken there */
		bool is_rate = strcmp(row->key, "octopus.worker_gb_s") == 0;
		set(&fit->machine, row, is_rate && change[k] < at ? at * at / (at - change[k]) : at + change[k]);
	}
	judge(problem, r, fit);
}

/* ---- what came out ---- */

static void note_layers(const struct octopus_dram *dram, const struct emulate_times *times, size_t offset,
                        struct time_fit *fit)
{
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		double *part = (double *)(void *)((char *)&fit->layer[l] + offset);
		part[OCTOPUS_SCHEDULING] = emulate_time_of_scheduler(dram, times, l);
		for (uint32_t p = 0; p < dram->layer[l].n_worker; p++)
			for (int i = 0; i < EMULATE_N_PART; i++)
				part[1 + i] = real_max(part[1 + i], times->layer[l].worker[p].part_us[i]);
	}
}

static void note_times(const struct octopus_dram *dram, const struct emulate_times *times, int which, size_t offset,
                       struct time_fit *fit)
{
	fit->setup_us[which] = times->setup_us;
	fit->cleanup_us[which] = times->cleanup_us;
	fit->total_us[which] = times->total_us;
	note_layers(dram, times, offset, fit);
}

static void note_model(const struct problem *problem, int which, size_t offset, struct time_fit *fit)
{
	struct emulate_times times;
	emulate_time_make(problem->emulator, &fit->machine, problem->level, &times);
	note_times(&problem->emulator->dram, &times, which, offset, fit);
	emulate_time_free(&times);
}

bool time_fit_is_wrong(const struct time_fit_layer *layer, enum octopus_part part)
{
	double total_us = 0;
	for (int i = 0; i < N_OCTOPUS_PART; i++)
		total_us += layer->measured_us[i];
	return fabs(layer->model_us[part] - layer->measured_us[part]) > TIME_FIT_WRONG_FRAC * total_us;
}

static void open_problem(const struct emulate_times *times, struct problem *problem)
{
	size_t n = problem->n_row = n_row_of(&problem->emulator->dram);
	problem->measured = memory_array((4 + N_KEY) * n, sizeof(*problem->measured));
	problem->weight = problem->measured + n;
	problem->model = problem->weight + n;
	problem->shifted = problem->model + n;
	problem->column = problem->shifted + n;
	list_rows(&problem->emulator->dram, times, problem->measured);
	for (size_t i = 0; i < n; i++)
		problem->weight[i] = 1 / real_max(FLOOR_US, problem->measured[i]);
}

void time_fit_run(const struct emulator *emulator, const struct emulate_times *times, const struct machine *machine,
                  uint32_t level, struct time_fit *fit)
{
	const struct octopus_dram *dram = &emulator->dram;
	struct problem problem = {.emulator = emulator, .level = level};
	*fit = (struct time_fit){.n_layer = dram->n_layer, .n_param = N_KEY, .machine = *machine};
	fit->layer = memory_must(arena_array(&fit->arena, dram->n_layer, sizeof(*fit->layer)));
	for (size_t k = 0; k < N_KEY; k++) {
		fit->param[k].row = machine_find_param(key_table[k]);
		assert(fit->param[k].row);
		fit->param[k].before = machine_get_param(machine, fit->param[k].row);
	}
	open_problem(times, &problem);
	note_times(dram, times, 0, offsetof(struct time_fit_layer, measured_us), fit);
	note_model(&problem, 1, offsetof(struct time_fit_layer, model_us), fit);
	for (int i = 0; i < N_STEP; i++)
		step(&problem, fit);
	note_model(&problem, 2, offsetof(struct time_fit_layer, fitted_us), fit);
	for (size_t k = 0; k < N_KEY; k++)
		fit->param[k].after = machine_get_param(&fit->machine, fit->param[k].row);
	free(problem.measured);
}

void time_fit_free(struct time_fit *fit)
{
	arena_free(&fit->arena);
	memset(fit, 0, sizeof(*fit));
}
