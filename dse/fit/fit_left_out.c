/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leave-one-out: each row predicted by a fit of all others, and, where tasks were measured several times, each row by a
 * fit of all other tasks. Every one is a fit of its own, bounds included, started from the fit of all rows.
 */
#include "dse/fit/fit_parts.h"
#include "dse/base/memory.h"
#include "dse/base/interrupt.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows or tasks left out at most; of more, every second, third, ... is. */
#define MAX_LEFT_OUT 500u

/* Of values with less leverage in all, the others determine whatever all of them do: no eigenvalue of their part of the
   hat matrix is 1. */
#define LEVERAGE_LIMIT 0.999

static bool is_omitted(const struct fit_view *view, const struct fit_point *point)
{
	return view->omit == OMIT_ROW ? point->row == view->omitted
	                              : view->data->row[point->row].same_as == view->omitted;
}

/* Whether the others determine all parameters; the decomposition that tells is taken only where it may fail. */
static bool others_determine(const struct fit_view *view)
{
	double leverage = 0;
	for (size_t i = 0; i < view->group->n_point; i++) {
		const struct fit_point *point = &view->data->point[view->group->point[i]];
		if (is_omitted(view, point))
			leverage += point->leverage;
	}
	return isfinite(view->group->condition) && (leverage < LEVERAGE_LIMIT || fit_is_determined(view));
}

/* Predict the points of what the view leaves out; undetermined parameters predict nothing. */
static void predict_omitted(struct fit_data *data, struct fit_group *group, const struct fit_view *view)
{
	double x[FIT_MAX_PARAM], value[FIT_MAX_PARAM];
	int at_bound[FIT_MAX_PARAM];
	bool determined = others_determine(view);
	if (determined)
		fit_solve(view, x, at_bound);
	for (size_t i = 0, n_free = 0; i < group->n_param && determined; i++)
		value[i] = group->param[i].is_free ? x[n_free++] : group->param[i].value;
	assert(!determined || isfinite(value[0]));
	for (size_t i = 0; i < group->n_point; i++) {
		struct fit_point *point = &data->point[group->point[i]];
		if (!is_omitted(view, point))
			continue;
		double predicted = determined ? fit_predict(data, group, value, point, NULL) : NAN;
		*(view->omit == OMIT_ROW ? &point->without_row : &point->without_task) = predicted;
	}
}

/* The rows, or first rows of tasks, of the group's values that have a weight, each once, in order. */
static size_t list_omitted(const struct fit_data *data, const struct fit_group *group, enum fit_omit omit,
                           bool *seen /* [n_row], false */, size_t *list /* [n_row] */)
{
	const struct fit_view view = {data, group, OMIT_NOTHING, 0};
	size_t n = 0;
	for (size_t i = 0; i < group->n_point; i++) {
		const struct fit_point *point = &data->point[group->point[i]];
		size_t which = omit == OMIT_ROW ? point->row : data->row[point->row].same_as;
		if (seen[which] || !(fit_weight(&view, point) > 0))
			continue;
		seen[which] = true;
		list[n++] = which;
	}
	return n;
}

static void sum_up(const struct fit_data *data, const struct fit_group *group, enum fit_omit omit, const bool *left_out,
                   struct fit_left_out *sum)
{
	const struct fit_view view = {data, group, OMIT_NOTHING, 0};
	double sum_pct = 0, sum_square = 0;
	size_t n_pct = 0;
	*sum = (struct fit_left_out){0};
	for (size_t i = 0; i < group->n_point; i++) {
		const struct fit_point *point = &data->point[group->point[i]];
		double predicted = omit == OMIT_ROW ? point->without_row : point->without_task;
		double weight = fit_weight(&view, point);
		if (!(weight > 0) || !left_out[omit == OMIT_ROW ? point->row : data->row[point->row].same_as])
			continue;
		if (!isfinite(predicted)) {
			sum->n_lost++;
			continue;
		}
		double deviation = (predicted - point->measured) / point->sigma;
		assert(point->sigma > 0);
		sum->n++;
		sum_square += weight * deviation * deviation;
		if (!(point->measured > 0))
			continue;
		n_pct++;
		sum_pct += 100 * fabs(predicted / point->measured - 1);
		sum->max_abs_pct = fmax(sum->max_abs_pct, 100 * fabs(predicted / point->measured - 1));
	}
	sum->weighted_rms = sum->n > 0 ? sqrt(sum_square / (double)sum->n) : NAN;
	sum->mean_abs_pct = n_pct > 0 ? sum_pct / (double)n_pct : NAN;
}

static enum err_code leave_each_out(struct fit_data *data, struct fit_group *group, enum fit_omit omit,
                                    struct fit_left_out *sum)
{
	enum err_code code = ERR_OK;
	bool *seen = memory_array(data->n_row, sizeof(*seen));
	size_t *list = memory_array(data->n_row, sizeof(*list));
	size_t n = list_omitted(data, group, omit, seen, list);
	assert(n <= data->n_row);
	size_t stride = (n + MAX_LEFT_OUT - 1) / MAX_LEFT_OUT;
	memset(seen, 0, data->n_row * sizeof(*seen));
	for (size_t i = 0; i < n; i += stride) {
		if (interrupt_requested()) {
			code = ERR_INTERRUPTED;
			break;
		}
		const struct fit_view view = {data, group, omit, list[i]};
		seen[list[i]] = true;
		predict_omitted(data, group, &view);
	}
	sum_up(data, group, omit, seen, sum);
	free(seen);
	free(list);
	return code;
}

enum err_code fit_leave_out(struct fit_data *data, struct fit_group *group)
{
	bool has_twins = false;
	assert(group->n_free > 0);
	for (size_t i = 0; i < group->n_point; i++) {
		size_t row = data->point[group->point[i]].row;
		has_twins = has_twins || data->row[row].same_as != row;
	}
	enum err_code code = leave_each_out(data, group, OMIT_ROW, &group->without_row);
	if (code == ERR_OK && has_twins)
		code = leave_each_out(data, group, OMIT_TASK, &group->without_task);
	return code;
}
