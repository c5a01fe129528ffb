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
	json_put_text(json, "name", fit_param_name(data, param).text);
	json_put_text(json, "unit", fit_term_unit(param->term));
	json_put_bool(json, "fitted", param->is_free);
	json_put_real(json, "value", param->value);
	if (param->is_free) {
		json_put_bool(json, "identified", param->identified);
		json_put_bool(json, "at_bound", param->at_bound != 0);
		json_put_real(json, "std_error", param->std_error);
		json_put_real(json, "low_95", param->low);
		json_put_real(json, "high_95", param->high);
		json_put_text(json, "confidence", fit_confidence_word(param));
	}
	json_end(json);
}

static void put_left_out(struct json *json, const char *key, const struct fit_left_out *left_out)
{
	json_begin_object(json, key);
	json_put_u64(json, "values", left_out->n);
	json_put_u64(json, "undetermined", left_out->n_lost);
	json_put_real(json, "mean_abs_error_pct", left_out->n > 0 ? left_out->mean_abs_pct : NAN);
	json_put_real(json, "max_abs_error_pct", left_out->n > 0 ? left_out->max_abs_pct : NAN);
	json_put_real(json, "weighted_rms", left_out->n > 0 ? left_out->weighted_rms : NAN);
	json_end(json);
}

static void put_residuals(struct json *json, const struct fit_data *data, const struct fit_group *group)
{
	json_begin_list(json, "residuals");
	for (size_t i = 0; i < group->n_point; i++) {
		const struct fit_point *point = &data->point[group->point[i]];
		const struct fit_row *row = &data->row[point->row];
		json_begin_object(json, NULL);
		json_put_u64(json, "line", csv_get_cell(&data->table, row->row, 0)->line);
		json_put_text(json, "task", row->name);
		json_put_text(json, "measured", fit_quantity_column[point->quantity]);
		json_put_real(json, "value", point->measured);
		json_put_real(json, "sigma", point->sigma);
		json_put_real(json, "weight", row->weight * point->factor);
		json_put_real(json, "predicted", point->predicted);
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
	json_start(&json, file, 5);
	json_begin_object(&json, NULL);
	json_put_text(&json, "file", data->table.file);
	json_put_text(&json, "machine", data->machine.name);
	json_put_u64(&json, "rows", data->n_row);
	json_put_bool(&json, "identified", result->identified);
	json_begin_list(&json, "fits");
	for (size_t i = 0; i < result->n_group; i++) {
		const struct fit_group *group = &result->group[i];
		json_begin_object(&json, NULL);
		json_put_text(&json, "of", fit_group_name(data, group).text);
		json_put_u64(&json, "values", group->n_used);
		json_put_real(&json, "degrees_of_freedom", group->n_freedom);
		json_put_real(&json, "mean_abs_error_pct", group->mean_abs_pct);
		json_put_real(&json, "max_abs_error_pct", group->max_abs_pct);
		json_put_real(&json, "weighted_rms", group->weighted_rms);
		json_put_real(&json, "condition", group->condition);
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
	json_end(&json);
	json_end(&json);
	json_finish(&json);
}
