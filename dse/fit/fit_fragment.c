/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fit as sections of a machine file: `levels`, `sources`, and `energy` where one of its keys is fitted. Each section
 * is whole, with what the machine has where nothing was fitted, so that it can take the place of the machine's.
 */
#include "dse/out/build.h"
#include "dse/fit/fit.h"
#include <assert.h>
#include <string.h>

#define ENERGY_GROUP "energy."

/* The estimate of a parameter that is fitted, for this operating point; NULL: none that is determined. */
static const struct fit_param *find_param(const struct fit_result *result, const char *key, uint32_t level,
                                          size_t *n_used)
{
	for (size_t i = 0; i < result->n_group; i++) {
		const struct fit_group *group = &result->group[i];
		for (size_t k = 0; k < group->n_param; k++) {
			const struct fit_param *param = &group->param[k];
			const struct fit_term_info *info = &fit_term_table[param->term];
			*n_used = group->n_used;
			if (param->is_free && param->identified && strcmp(info->key, key) == 0 &&
			    (!info->each_level || param->level == level))
				return param;
		}
	}
	return NULL;
}

/* A text from outside in quotes or a comment: nothing that would end either, and nothing but ASCII. */
static void put_plain(FILE *file, const char *text)
{
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;
		(void)fputc(byte < 0x20 || byte >= 0x7f || byte == '"' || byte == '\\' ? '?' : byte, file);
	}
}

static void put_origin(FILE *file, const struct fit_data *data, const struct fit_param *param, size_t n_used)
{
	put_plain(file, data->table.file);
	(void)fprintf(file, ", %zu value%s; ", n_used, n_used == 1 ? "" : "s");
	if (param->std_error >= 0)
		(void)fprintf(file, "95 %%: %.5g to %.5g; ", param->low, param->high);
	else if (param->at_bound)
		(void)fputs("at the end of its range; ", file);
	(void)fprintf(file, "confidence %s", fit_confidence_word(param));
}

static void put_value(FILE *file, const char *key, const char *unit, double value, const struct fit_param *param)
{
	char text[NUMBER_SIZE];
	number_print(param ? param->value : value, text);
	(void)fprintf(file, "%s: %s  # %s%s\n", key, text, unit, param ? "; fitted" : "");
}

static void put_level(FILE *file, const struct fit_data *data, const struct fit_result *result, uint32_t level)
{
	assert(level < data->machine.n_level);
	const struct operating_point *point = &data->machine.level[level];
	(void)fprintf(file, "  - name: '%s'\n", point->name);
	for (size_t i = 0; i < machine_n_level_param; i++) {
		size_t n_used = 0;
		double value = *(const double *)(const void *)((const char *)point + level_param[i].offset);
		(void)fputs("    ", file);
		put_value(file, level_param[i].key, level_param[i].unit, value,
		          find_param(result, level_param[i].key, level, &n_used));
	}
}

static void put_energy(FILE *file, const struct fit_data *data, const struct fit_result *result)
{
	size_t n_used = 0, n_prefix = strlen(ENERGY_GROUP);
	bool any = false;
	for (size_t i = 0; i < machine_n_param; i++)
		any = any || find_param(result, machine_param[i].key, 0, &n_used);
	if (!any)
		return;
	(void)fputs("energy:\n", file);
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *row = &machine_param[i];
		if (strncmp(row->key, ENERGY_GROUP, n_prefix) != 0)
			continue;
		(void)fputs("  ", file);
		put_value(file, row->key + n_prefix, row->unit, machine_get_param(&data->machine, row),
		          find_param(result, row->key, 0, &n_used));
	}
}

/* One entry of `sources`: the fit's, else the machine's own. Returns whether there was one. */
static bool put_source(FILE *file, const struct fit_data *data, const struct fit_result *result, uint32_t level,
                       const char *prefix, const char *key, const struct provenance *own)
{
	size_t n_used = 0;
	assert(prefix && key && own);
	const struct fit_param *param = find_param(result, key, level, &n_used);
	if (!param && !own->source)
		return false;
	(void)fprintf(file, "  %s%s%s: {confidence: %s, source: \"", prefix, prefix[0] ? "." : "", key,
	              confidence_name[param ? CONFIDENCE_FITTED : own->confidence]);
	if (param)
		put_origin(file, data, param, n_used);
	else
		put_plain(file, own->source);
	(void)fputc('"', file);
	if (!param)
		provenance_print_interval(file, own);
	(void)fputs("}\n", file);
	return true;
}

static void put_sources(FILE *file, const struct fit_data *data, const struct fit_result *result,
                        const struct machine_sources *sources)
{
	size_t n = 0;
	(void)fputs("sources:\n", file);
	for (size_t i = 0; i < machine_n_param; i++)
		n += put_source(file, data, result, 0, "", machine_param[i].key, &sources->param[i]);
	for (uint32_t level = 0; level < data->machine.n_level; level++)
		for (size_t i = 0; i < machine_n_level_param; i++)
			n += put_source(file, data, result, level, data->machine.level[level].name, level_param[i].key,
			                &sources->level[level][i]);
	if (n == 0)
		(void)fputs("  {}\n", file);
}

void fit_write_fragment(FILE *file, const struct fit_data *data, const struct fit_result *result,
                        const struct machine_sources *sources)
{
	assert(file && data && result && sources && sources->param);
	(void)fprintf(file, "# Sections of a machine file, fitted by dse %s to ", build_version);
	put_plain(file, data->table.file);
	(void)fprintf(file, " (%zu rows).\n# They take the place of the sections of these names in %s's file.\n",
	              data->n_row, data->machine.name);
	if (!result->identified)
		(void)fputs("# Parameters that the measurements do not determine are as they were.\n", file);
	put_energy(file, data, result);
	(void)fputs("levels:\n", file);
	for (uint32_t i = 0; i < data->machine.n_level; i++)
		put_level(file, data, result, i);
	put_sources(file, data, result, sources);
}
