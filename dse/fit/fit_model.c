/* SPDX-License-Identifier: Apache-2.0 */
/* What a measured value would be with given parameters, and how it changes with each of them. */
#include "dse/fit/fit_lm.h"
#include "dse/fit/fit_parts.h"
#include <assert.h>
#include <math.h>

#define NJ_PER_PJ 1e-3
#define NS_PER_US 1e3

/* Order of a clock model's terms, and so of its group's parameters. */
enum { THETA_INIT, THETA_WB, THETA_A, THETA_B, N_THETA };

/* DVFS paper equation 8 by its rounds and taps (sim/mla/greybox.h), times a unit's length in clocks. */
static double predict_clk(const struct fit_row *row, const double *theta, double unit, double *derivative)
{
	assert(row->n_round >= 1 && row->n_tap >= 1 && unit > 0);
	double round_clk = theta[THETA_A] * row->n_tap + theta[THETA_WB];
	if (derivative) {
		derivative[THETA_INIT] = unit;
		derivative[THETA_WB] = unit * row->n_round * theta[THETA_B];
		derivative[THETA_A] = unit * row->n_round * row->n_tap * theta[THETA_B];
		derivative[THETA_B] = unit * row->n_round * round_clk;
	}
	return unit * (theta[THETA_INIT] + row->n_round * round_clk * theta[THETA_B]);
}

double fit_row_ns(const struct fit_data *data, const struct fit_row *row)
{
	assert(row->level < data->fitted.n_level && row->clk_mhz > 0);
	if (isfinite(row->time_ns) || row->kind == ROW_IDLE || row->kind == ROW_COUNTS)
		return row->time_ns;
	const struct operating_point *point = &data->fitted.level[row->level];
	const struct greybox_theta *theta = row->kind == ROW_CONV ? &point->conv : &point->matmul;
	const double value[N_THETA] = {theta->init_clk, theta->wb_clk, theta->a, theta->b};
	return predict_clk(row, value, NS_PER_US / row->clk_mhz, NULL);
}

/*
 * nJ of a row for each pJ or mW of a parameter (DVFS paper equations 2 and 3); mW times ns are pJ. Energies are linear
 * in all parameters, so these are the derivatives, too. Idle rows have no PE that runs anything.
 */
static double energy_factor(const struct fit_row *row, double time_ns, const struct fit_param *param,
                            enum fit_quantity quantity)
{
	const struct fit_term_info *info = &fit_term_table[param->term];
	assert(info->kind == FIT_ENERGY && quantity >= QUANTITY_ENERGY);
	if (quantity != QUANTITY_ENERGY && quantity != info->supply)
		return 0;
	if (info->each_level && param->level != row->level)
		return 0;
	switch (param->term) {
	case TERM_PE_STATIC:
		return row->n_powered_pe * time_ns * NJ_PER_PJ;
	case TERM_PE_AWAKE:
		return row->n_pe * time_ns * NJ_PER_PJ;
	case TERM_SRAM_STATIC:
	case TERM_NOC_STATIC:
	case TERM_DRAM_STATIC:
	case TERM_CHIP_OFF:
		return time_ns * NJ_PER_PJ;
	default:
		return row->n_pe * row->count[param->term] * NJ_PER_PJ;
	}
}

double fit_predict(const struct fit_data *data, const struct fit_group *group, const double *value,
                   const struct fit_point *point, double *derivative)
{
	const struct fit_row *row = &data->row[point->row];
	if (group->kind != FIT_ENERGY) {
		assert(group->n_param == N_THETA && row->n_round > 0);
		double unit = point->quantity == QUANTITY_TIME ? NS_PER_US / row->clk_mhz : 1;
		return predict_clk(row, value, unit, derivative);
	}
	/* a fit of energies comes after those of the clocks, whose constants data->fitted has by then */
	double sum = 0, time_ns = fit_row_ns(data, row);
	assert(isfinite(time_ns));
	for (size_t i = 0; i < group->n_param; i++) {
		double factor = energy_factor(row, time_ns, &group->param[i], point->quantity);
		sum += factor * value[i];
		if (derivative)
			derivative[i] = factor;
	}
	return sum;
}

double fit_weight(const struct fit_view *view, const struct fit_point *point)
{
	const struct fit_row *row = &view->data->row[point->row];
	if (view->omit == OMIT_ROW && point->row == view->omitted)
		return 0;
	if (view->omit == OMIT_TASK && row->same_as == view->omitted)
		return 0;
	return row->weight * point->factor;
}

void fit_evaluate(const void *context, const double *x, double *residual, double *jacobian)
{
	const struct fit_view *view = context;
	const struct fit_group *group = view->group;
	double value[FIT_MAX_PARAM], derivative[FIT_MAX_PARAM];
	size_t n_free = 0;
	assert(group->n_param <= FIT_MAX_PARAM);
	for (size_t i = 0; i < group->n_param; i++)
		value[i] = group->param[i].is_free ? x[n_free++] : group->param[i].value;
	assert(n_free == group->n_free);
	for (size_t k = 0; k < group->n_point; k++) {
		const struct fit_point *point = &view->data->point[group->point[k]];
		assert(point->sigma > 0 && point->factor >= 0 && point->factor <= 1);
		double scale = sqrt(fit_weight(view, point)) / point->sigma;
		double predicted = fit_predict(view->data, group, value, point, jacobian ? derivative : NULL);
		residual[k] = scale * (predicted - point->measured);
		for (size_t i = 0, at = 0; jacobian && i < group->n_param; i++)
			if (group->param[i].is_free)
				jacobian[at++ * group->n_point + k] = scale * derivative[i];
	}
}

void fit_solve(const struct fit_view *view, double *x, int *at_bound)
{
	const struct fit_group *group = view->group;
	double lower[FIT_MAX_PARAM], upper[FIT_MAX_PARAM];
	size_t n_free = 0;
	for (size_t i = 0; i < group->n_param; i++) {
		const struct fit_param *param = &group->param[i];
		if (!param->is_free)
			continue;
		lower[n_free] = fit_term_min(param->term);
		upper[n_free] = fit_term_max(param->term);
		assert(param->value >= lower[n_free] && param->value <= upper[n_free]);
		x[n_free++] = param->value;
	}
	assert(n_free == group->n_free);
	const struct fit_lm_problem problem = {.n_point = group->n_point,
	                                       .n_param = n_free,
	                                       .lower = lower,
	                                       .upper = upper,
	                                       .evaluate = fit_evaluate,
	                                       .model = view};
	fit_lm_solve(&problem, x, at_bound);
}
