/* SPDX-License-Identifier: Apache-2.0 */
/* A fit as tables for people. */
#include "dse/fit/fit.h"
#include "dse/out/colour.h"
#include "dse/out/table.h"
#include <assert.h>
#include <math.h>

static const char *note_of(const struct fit_param *param)
{
	if (!param->is_free)
		return "held";
	if (!param->identified)
		return "NOT IDENTIFIED";
	return param->at_bound < 0 ? "smallest allowed" : param->at_bound > 0 ? "largest allowed" : "";
}

static void print_params(FILE *file, const struct fit_data *data, const struct fit_group *group)
{
	struct table table = {0};
	table_add_columns(&table, "parameter|unit|>estimate|>95 % from|>to|>+- %|confidence|");
	for (size_t i = 0; i < group->n_param; i++) {
		const struct fit_param *param = &group->param[i];
		double half = fmax(param->high - param->value, param->value - param->low);
		/* What is held at 0, or where nothing depends on it, is no part of the model. */
		if (!param->is_free && (!param->matters || !(param->value > 0)))
			continue;
		table_add_row(&table, "%s|%s|%g|%g|%g|%g|%s|%s", fit_param_name(data, param).text,
		              fit_term_unit(param->term), param->value, param->low, param->high,
		              100 * half / param->value, param->is_free ? fit_confidence_word(param) : "",
		              note_of(param));
	}
	table_finish(&table, file, 2);
}

static void print_left_out(FILE *file, const struct fit_left_out *left_out, size_t n_used, const char *what)
{
	assert(what);
	if (left_out->n > 0)
		(void)fprintf(
		    file,
		    "  %s left out, predicted by the others: mean |error| %.3g %%, largest %.3g %%, weighted RMS %.3g",
		    what, left_out->mean_abs_pct, left_out->max_abs_pct, left_out->weighted_rms);
	/* of many rows some are left out only */
	if (left_out->n > 0 && left_out->n + left_out->n_lost < n_used)
		(void)fprintf(file, " (of %zu values)", left_out->n);
	if (left_out->n > 0)
		(void)fputc('\n', file);
	if (left_out->n_lost > 0)
		(void)fprintf(
		    file,
		    "  %s left out: %zu measured value%s without which the others do not determine all parameters\n",
		    what, left_out->n_lost, left_out->n_lost == 1 ? "" : "s");
}

static void print_group(FILE *file, const struct fit_data *data, const struct fit_group *group)
{
	(void)fprintf(file, "\n%s: %zu measured value%s, %zu parameter%s fitted\n\n", fit_group_name(data, group).text,
	              group->n_used, group->n_used == 1 ? "" : "s", group->n_free, group->n_free == 1 ? "" : "s");
	print_params(file, data, group);
	(void)fputc('\n', file);
	if (group->n_used > 0)
		(void)fprintf(file, "  mean |error| %.3g %%, largest %.3g %%, weighted RMS %.3g\n", group->mean_abs_pct,
		              group->max_abs_pct, group->weighted_rms);
	print_left_out(file, &group->without_row, group->n_used, "one row");
	print_left_out(file, &group->without_task, group->n_used, "one task");
	if (group->n_free > 0)
		(void)fprintf(file, "  condition of the scaled Jacobian %.3g%s, degrees of freedom %.0f\n",
		              group->condition, isfinite(group->condition) ? "" : " (rank deficient)",
		              group->n_freedom);
	for (size_t i = 0; i < group->n_warning; i++)
		colour_print(file, COLOUR_WARNING, "  warning: %s\n", group->warning[i]);
}

static double error_pct(double predicted, double measured)
{
	return measured > 0 ? 100 * (predicted / measured - 1) : NAN;
}

static void print_residuals(FILE *file, const struct fit_data *data, const struct fit_result *result)
{
	struct table table = {0};
	table_add_columns(&table,
	                  ">line|task|measured|>value|>predicted|>error %|>error / sigma|>weight|>left out, error %");
	for (size_t g = 0; g < result->n_group; g++) {
		const struct fit_group *group = &result->group[g];
		for (size_t i = 0; i < group->n_point; i++) {
			const struct fit_point *point = &data->point[group->point[i]];
			const struct fit_row *row = &data->row[point->row];
			table_add_row(&table, "%u|%.40s|%s|%g|%g|%g|%g|%g|%g",
			              csv_get_cell(&data->table, row->row, 0)->line, row->name,
			              fit_quantity_column[point->quantity], point->measured, point->predicted,
			              error_pct(point->predicted, point->measured),
			              (point->predicted - point->measured) / point->sigma, row->weight * point->factor,
			              error_pct(point->without_row, point->measured));
		}
	}
	(void)fputs("\nresiduals of one run of a task\n\n", file);
	table_finish(&table, file, 2);
}

void fit_print(FILE *file, const struct fit_data *data, const struct fit_result *result, bool residuals)
{
	assert(file && data && result);
	(void)fprintf(file, "%s: %zu rows, %zu measured values, fitted for machine %s\n", data->table.file, data->n_row,
	              data->n_point, data->machine.name);
	if (data->unused[0])
		(void)fprintf(file, "columns not used: %s\n", data->unused);
	for (size_t i = 0; i < result->n_group; i++)
		print_group(file, data, &result->group[i]);
	const struct fit_energy_errors errors = fit_energy_errors(data, result);
	if (errors.n > 0)
		(void)fprintf(
		    file,
		    "\nenergies of %zu convolutions and matrix multiplications, supplies together: mean |error| "
		    "%.3g %%, largest %.3g %%\n",
		    errors.n, errors.mean_abs_pct, errors.max_abs_pct);
	if (residuals)
		print_residuals(file, data, result);
}
