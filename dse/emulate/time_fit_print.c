/* SPDX-License-Identifier: Apache-2.0 */
/* What a fit of measured times says: tables, JSON, sections of a machine file. */
#include "dse/base/number.h"
#include "dse/emulate/time_fit.h"
#include "dse/out/build.h"
#include "dse/out/json.h"
#include "dse/out/table.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- text ---- */

static double error_pct(double model_us, double measured_us)
{
	return measured_us > 0 ? 100 * (model_us / measured_us - 1) : 0;
}

static void print_layers(const struct time_fit *fit, const struct octopus_dram *dram, FILE *file)
{
	struct table table = {0};
	size_t n_wrong = 0;
	table_add_columns(&table, ">layer|kind|part|>measured_us|>model_us|>error_pct|>fitted_us|>then_pct");
	for (uint32_t l = 0; l < fit->n_layer; l++)
		for (int i = 0; i < N_OCTOPUS_PART; i++) {
			const struct time_fit_layer *layer = &fit->layer[l];
			if (!time_fit_is_wrong(layer, (enum octopus_part)i))
				continue;
			n_wrong++;
			table_add_row(&table, "%" PRIu32 "|%s|%s|%.3f|%.3f|%.1f|%.3f|%.1f", l + 1,
			              octopus_type_name[dram->layer[l].type], octopus_part_name[i],
			              layer->measured_us[i], layer->model_us[i],
			              error_pct(layer->model_us[i], layer->measured_us[i]), layer->fitted_us[i],
			              error_pct(layer->fitted_us[i], layer->measured_us[i]));
		}
	if (n_wrong > 0) {
		(void)fprintf(file, "parts that the model gets wrong by more than %g %% of their layer's time\n\n",
		              100 * TIME_FIT_WRONG_FRAC);
		table_print(&table, file, 2);
	} else {
		(void)fprintf(file, "the model is within %g %% of every layer's time in every part\n",
		              100 * TIME_FIT_WRONG_FRAC);
	}
	table_free(&table);
}

static const char *word_of(const struct time_fit_param *param)
{
	return param->is_determined ? "fitted"
	       : param->is_used     ? "held: only with others"
	                            : "held: no time depends on it";
}

static void print_params(const struct time_fit *fit, FILE *file)
{
	struct table table = {0};
	table_add_columns(&table, "constant|>before|>after|>+-|unit|what");
	for (size_t k = 0; k < fit->n_param; k++) {
		const struct time_fit_param *param = &fit->param[k];
		table_add_row(&table, "%s|%.6g|%.6g|%.2g|%s|%s", param->row->key, param->before, param->after,
		              param->error, param->row->unit, word_of(param));
	}
	(void)fputc('\n', file);
	table_finish(&table, file, 2);
}

void time_fit_print(const struct time_fit *fit, const struct octopus_dram *dram, FILE *file)
{
	(void)fprintf(file,
	              "%" PRIu32 " layers: measured %.3f us, model %.3f us (%+.1f %%), fitted %.3f us (%+.2f %%)\n\n",
	              fit->n_layer, fit->total_us[0], fit->total_us[1], error_pct(fit->total_us[1], fit->total_us[0]),
	              fit->total_us[2], error_pct(fit->total_us[2], fit->total_us[0]));
	print_layers(fit, dram, file);
	print_params(fit, file);
	(void)fputs("\n  mla: its clocks follow from the array (sim/mla), and no constant is fitted to them\n", file);
}

/* ---- JSON ---- */

static void put_parts(struct json *json, const char *key, const double *us)
{
	json_begin_object(json, key);
	for (int i = 0; i < N_OCTOPUS_PART; i++)
		json_put_real(json, octopus_part_name[i], us[i]);
	json_end(json);
}

static void put_layer(const struct time_fit_layer *layer, const char *kind, struct json *json)
{
	json_begin_object(json, NULL);
	json_put_text(json, "kind", kind);
	put_parts(json, "measured_us", layer->measured_us);
	put_parts(json, "model_us", layer->model_us);
	put_parts(json, "fitted_us", layer->fitted_us);
	json_begin_list(json, "wrong");
	for (int i = 0; i < N_OCTOPUS_PART; i++)
		if (time_fit_is_wrong(layer, (enum octopus_part)i))
			json_put_text(json, NULL, octopus_part_name[i]);
	json_end(json);
	json_end(json);
}

void time_fit_put_json(const struct time_fit *fit, const struct octopus_dram *dram, struct json *json)
{
	json_put_fields(json, "measured_us %g, model_us %g, fitted_us %g", fit->total_us[0], fit->total_us[1],
	                fit->total_us[2]);
	json_begin_list(json, "layers");
	for (uint32_t l = 0; l < fit->n_layer; l++)
		put_layer(&fit->layer[l], octopus_type_name[dram->layer[l].type], json);
	json_end(json);
	json_begin_list(json, "constants");
	for (size_t k = 0; k < fit->n_param; k++) {
		const struct time_fit_param *param = &fit->param[k];
		json_begin_object(json, NULL);
		json_put_fields(json, "key %s, before %g, after %g, error %g", param->row->key, param->before,
		                param->after, param->error);
		json_put_bool(json, "fitted", param->is_determined);
		json_end(json);
	}
	json_end(json);
}

/* ---- a machine file's sections ---- */

static const struct time_fit_param *find_fitted(const struct time_fit *fit, const struct machine_param *row)
{
	for (size_t k = 0; k < fit->n_param; k++)
		if (fit->param[k].row == row && fit->param[k].is_determined)
			return &fit->param[k];
	return NULL;
}

static size_t section_length(const char *key)
{
	const char *dot = strchr(key, '.');
	return dot ? (size_t)(dot - key) : 0;
}

static bool has_fitted(const struct time_fit *fit, const char *key, size_t n)
{
	for (size_t k = 0; k < fit->n_param; k++)
		if (fit->param[k].is_determined && strncmp(fit->param[k].row->key, key, n + 1) == 0)
			return true;
	return false;
}

/* A section of which a constant was fitted, whole. */
static void put_section(const struct time_fit *fit, const char *name, size_t n, FILE *file)
{
	(void)fprintf(file, "%.*s:\n", (int)n, name);
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *row = &machine_param[i];
		char value[NUMBER_SIZE];
		if (strncmp(row->key, name, n + 1) != 0 || !machine_param_serves(row, fit->machine.target))
			continue;
		(void)machine_print_param(&fit->machine, row, value, sizeof(value));
		(void)fprintf(file, "  %s: %s  # %s%s\n", row->key + n + 1, value, row->unit,
		              find_fitted(fit, row) ? "; fitted" : "");
	}
}

/* Nothing that would end a text in quotes, and nothing but ASCII. */
static void put_plain(FILE *file, const char *text)
{
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;
		(void)fputc(byte < 0x20 || byte >= 0x7f || byte == '"' || byte == '\\' ? '?' : byte, file);
	}
}

static void put_source(const struct provenance *own, const char *prefix, const char *key, FILE *file)
{
	(void)fprintf(file, "  %s%s%s: {confidence: %s, source: \"", prefix, prefix[0] ? "." : "", key,
	              confidence_name[own->confidence]);
	put_plain(file, own->source);
	(void)fputc('"', file);
	provenance_print_interval(file, own);
	(void)fputs("}\n", file);
}

static void put_sources(const struct time_fit *fit, const struct machine_sources *sources, const char *source,
                        FILE *file)
{
	(void)fputs("sources:\n", file);
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct time_fit_param *param = find_fitted(fit, &machine_param[i]);
		if (param) {
			(void)fprintf(file, "  %s: {confidence: fitted, source: \"times measured by part in ",
			              param->row->key);
			put_plain(file, source);
			(void)fprintf(file, ", %" PRIu32 " layers; +- %.2g, was %.6g\"}\n", fit->n_layer, param->error,
			              param->before);
		} else if (sources->param[i].source) {
			put_source(&sources->param[i], "", machine_param[i].key, file);
		}
	}
	for (uint32_t level = 0; level < fit->machine.n_level; level++)
		for (size_t i = 0; i < machine_n_level_param; i++)
			if (sources->level[level][i].source)
				put_source(&sources->level[level][i], fit->machine.level[level].name,
				           level_param[i].key, file);
}

void time_fit_write_fragment(const struct time_fit *fit, const struct machine_sources *sources, const char *source,
                             FILE *file)
{
	(void)fprintf(file,
	              "# Sections of a machine file, each whole: put them in place of those of machine %s.\n"
	              "# Made by dse fit --time-area, %s\n",
	              fit->machine.name, build_version);
	for (size_t i = 0; i < machine_n_param; i++) {
		size_t n = section_length(machine_param[i].key);
		bool is_first = n > 0 && has_fitted(fit, machine_param[i].key, n);
		for (size_t k = 0; k < i && is_first; k++)
			is_first = strncmp(machine_param[k].key, machine_param[i].key, n + 1) != 0;
		if (is_first)
			put_section(fit, machine_param[i].key, n, file);
	}
	put_sources(fit, sources, source, file);
}
