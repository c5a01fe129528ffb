/* SPDX-License-Identifier: Apache-2.0 */
/* A fit as JSON. */
#include "dse/fit/fit.h"
#include "dse/out/json.h"
#include <assert.h>
#include <math.h>

static void put_param(struct json *json, const struct fit_data *data, const struct fit_param *param)
{
	assert(json && param);
	json_begin_object(json, NULL);
	json_put_fields(json, "name %s, unit %s, fitted %d, value %g", fit_param_name(data, param).text,
	                fit_term_unit(param->term), param->is_free, param->value);
	if (param->is_free) {
		json_put_fields(json, "identified %d, at_bound %d, std_error %g, low_95 %g, high_95 %g, confidence %s",
		                param->identified, param->at_bound != 0, param->std_error, param->low, param->high,
		                fit_confidence_word(param));
	}
	json_end(json);
}

static void put_left_out(struct json *json, const char *key, const struct fit_left_out *left_out)
{
	json_put_object(json, key,
	                "values %zu, undetermined %zu, mean_abs_error_pct %g, max_abs_error_pct %g, weighted_rms %g",
	                left_out->n, left_out->n_lost, left_out->n > 0 ? left_out->mean_abs_pct : NAN,
	                left_out->n > 0 ? left_out->max_abs_pct : NAN, left_out->n > 0 ? left_out->weighted_rms : NAN);
}

static void put_residuals(struct json *json, const struct fit_data *data, const struct fit_group *group)
{
	json_begin_list(json, "residuals");
	for (size_t i = 0; i < group->n_point; i++) {
		const struct fit_point *point = &data->point[group->point[i]];
		const struct fit_row *row = &data->row[point->row];
		json_begin_object(json, NULL);
		json_put_fields(json, "line %u, task %s, measured %s, value %g, sigma %g, weight %g, predicted %g",
		                csv_get_cell(&data->table, row->row, 0)->line, row->name,
		                fit_quantity_column[point->quantity], point->measured, point->sigma,
		                row->weight * point->factor, point->predicted);
		json_put_real(json, "predicted_without_row", point->without_row);
		if (isfinite(point->without_task))
			json_put_real(json, "predicted_without_task", point->without_task);
		json_end(json);
	}
	json_end(json);
}

void fit_put_json(FILE *file, const struct fit_data *data, const struct fit_result *result)
{
	struct json json;
	assert(file && data && result);
	json_start_object(&json, file, 5);
	json_put_fields(&json, "file %s, machine %s, rows %zu, identified %d", data->table.file, data->machine.name,
	                data->n_row, result->identified);
	json_begin_list(&json, "fits");
	for (size_t i = 0; i < result->n_group; i++) {
		const struct fit_group *group = &result->group[i];
		json_begin_object(&json, NULL);
		json_put_fields(&json,
		                "of %s, values %zu, degrees_of_freedom %g, mean_abs_error_pct %g, "
		                "max_abs_error_pct %g, weighted_rms %g, condition %g",
		                fit_group_name(data, group).text, group->n_used, group->n_freedom, group->mean_abs_pct,
		                group->max_abs_pct, group->weighted_rms, group->condition);
		put_left_out(&json, "row_left_out", &group->without_row);
		put_left_out(&json, "task_left_out", &group->without_task);
		json_begin_list(&json, "parameters");
		for (size_t k = 0; k < group->n_param; k++)
			put_param(&json, data, &group->param[k]);
		json_end(&json);
		json_begin_list(&json, "warnings");
		for (size_t k = 0; k < group->n_warning; k++)
			json_put_text(&json, NULL, group->warning[k]);
		json_end(&json);
		put_residuals(&json, data, group);
		json_end(&json);
	}
	json_finish(&json);
}
