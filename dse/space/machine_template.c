/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/machine_template.h"
#include "dse/base/number.h"
#include "dse/out/yaml_write.h"
#include "sim/machine/machine_param.h"
#include <assert.h>
#include <string.h>

/* What each group of parameters is about. */
static const struct {
	const char *group, *about;
} group_about[] = {
    {"mla", "the MAC array of a PE and what feeds it"},
    {"pe", "a processing element: its SRAM"},
    {"qpe", "a quad processing element"},
    {"noc", "the network on chip, between QPEs"},
    {"dram", "an interface to DRAM"},
    {"chip", "how many of each, and where results may stay on the chip"},
    {"transfer", "set-up of transfers, queueing and hand-shake included"},
    {"arm", "what a PE's ARM core takes for what the MAC array does not do"},
    {"octopus", "run-time scheduler of whole networks (dse schedule)"},
    {"systolic", "the array, its buffers and its memory"},
    {"energy", "energy and power outside the PEs"},
    {"dvfs", "changes of operating point, and how many there are at once"},
    {"area", "area; without these no area is told"},
};

static const char *about(const char *group, size_t n_byte)
{
	for (size_t i = 0; i < sizeof(group_about) / sizeof(group_about[0]); i++)
		if (strlen(group_about[i].group) == n_byte && memcmp(group_about[i].group, group, n_byte) == 0)
			return group_about[i].about;
	return "";
}

static void put_param(FILE *file, const struct machine_param *param, const struct machine *like, bool is_given)
{
	char value[64];
	const char *name = strchr(param->key, '.') + 1;
	(void)machine_print_param(like, param, value, sizeof(value));
	int n = fprintf(file, "%s %s: %s", is_given ? " " : "#", name, value);
	(void)fprintf(file, "%*s # ", n < 30 ? 30 - n : 0, "");
	if (param->type == PARAM_U32 || param->type == PARAM_REAL)
		(void)fprintf(file, "%s, %.10g to %.10g: %s\n", param->unit, param->min, param->max, param->help);
	else
		(void)fprintf(file, "%s: %s\n", param->unit, param->help);
}

/* A group with nothing but comments would be an empty value: then its name is one, too. */
static void put_groups(FILE *file, const struct machine *like, const struct machine_sources *sources)
{
	for (size_t i = 0, end; i < machine_n_param; i = end) {
		size_t n_group = strcspn(machine_param[i].key, ".");
		bool serves = machine_param_serves(&machine_param[i], like->target), any = false;
		for (end = i;
		     end < machine_n_param && strncmp(machine_param[end].key, machine_param[i].key, n_group + 1) == 0;
		     end++)
			any = any || sources->given[end];
		if (!serves)
			continue;
		(void)fprintf(file, "\n%s%.*s: # %s\n", any ? "" : "# ", (int)n_group, machine_param[i].key,
		              about(machine_param[i].key, n_group));
		for (size_t k = i; k < end; k++)
			put_param(file, &machine_param[k], like, sources->given[k]);
	}
}

static void put_levels(FILE *file, const struct machine *like)
{
	(void)fputs("\nlevels: # operating points; the first is the one that commands take unless told otherwise\n",
	            file);
	for (uint32_t l = 0; l < like->n_level; l++) {
		(void)fputs("  - name: ", file);
		yaml_write_text(file, like->level[l].name);
		(void)fputc('\n', file);
		for (size_t i = 0; i < machine_n_level_param; i++) {
			const struct level_param *param = &level_param[i];
			double value;
			char text[NUMBER_SIZE];
			memcpy(&value, (const char *)&like->level[l] + param->offset, sizeof(value));
			number_print(value, text);
			int n = fprintf(file, "    %s: %s", param->key, text);
			(void)fprintf(file, "%*s # %s, %.10g to %.10g: %s\n", n < 30 ? 30 - n : 0, "", param->unit,
			              param->min, param->max, param->help);
		}
	}
}

static void put_source(FILE *file, const char *level, const char *key, const struct provenance *provenance)
{
	if (!provenance->source)
		return;
	(void)fprintf(file, "  %s%s%s: {confidence: %s, source: ", level, *level ? "." : "", key,
	              confidence_name[provenance->confidence]);
	yaml_write_text(file, provenance->source);
	provenance_print_interval(file, provenance);
	(void)fputs("}\n", file);
}

/* An entry of all levels once, then those of single levels. */
static void put_level_sources(FILE *file, const struct machine *like, const struct machine_sources *sources, size_t i)
{
	for (uint32_t l = 0; l < like->n_level; l++)
		if (!sources->level[l][i].is_of_level) {
			put_source(file, "", level_param[i].key, &sources->level[l][i]);
			break;
		}
	for (uint32_t l = 0; l < like->n_level; l++)
		if (sources->level[l][i].is_of_level)
			put_source(file, like->level[l].name, level_param[i].key, &sources->level[l][i]);
}

static void put_sources(FILE *file, const struct machine *like, const struct machine_sources *sources)
{
	bool any = false;
	for (size_t i = 0; i < machine_n_param; i++)
		any = any || sources->param[i].source;
	for (uint32_t l = 0; l < like->n_level; l++)
		for (size_t i = 0; i < machine_n_level_param; i++)
			any = any || sources->level[l][i].source;
	if (!any)
		return;
	(void)fprintf(
	    file,
	    "\nsources: # where numbers come from: measured, published, fitted, derived or assumed; these are "
	    "those of %s\n",
	    like->name);
	for (size_t i = 0; i < machine_n_param; i++)
		put_source(file, "", machine_param[i].key, &sources->param[i]);
	for (size_t i = 0; i < machine_n_level_param; i++)
		put_level_sources(file, like, sources, i);
}

void machine_template_write(FILE *file, const char *name, const struct machine *like,
                            const struct machine_sources *sources, const char *technology)
{
	assert(file && name && like && sources);
	(void)fprintf(file,
	              "# A machine like %s: change what differs, then 'dse check' says what is wrong and 'dse explain' "
	              "what it came to.\n"
	              "# Behind each value: unit, what is allowed, what it means. A line that begins with '#' is a "
	              "default in force.\n"
	              "name: %s\n"
	              "target: %s # qpe: one QPE at its DRAM; chip: a mesh of QPEs; systolic: one systolic array\n",
	              like->name, name, machine_target_name[like->target]);
	put_groups(file, like, sources);
	if (technology)
		(void)fprintf(file, "\n%s", technology);
	put_levels(file, like);
	put_sources(file, like, sources);
}
