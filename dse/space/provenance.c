/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/provenance.h"
#include "sim/base/real.h"
#include "sim/base/unit.h"
#include "sim/machine/machine_param.h"
#include "sim/machine/machine_technology.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const confidence_name[N_CONFIDENCE] = {"unknown", "assumed", "derived", "fitted", "published", "measured"};

const double confidence_interval_frac[N_CONFIDENCE] = {
    [CONFIDENCE_UNKNOWN] = 0.5, [CONFIDENCE_ASSUMED] = 0.5,   [CONFIDENCE_DERIVED] = 0.2,
    [CONFIDENCE_FITTED] = 0.1,  [CONFIDENCE_PUBLISHED] = 0.2, [CONFIDENCE_MEASURED] = 0.05,
};

/* How far to trust the defaults of what enters energies; their sources are in the parameters' tables. */
static const struct {
	const char *key;
	bool is_greybox;
	enum confidence confidence;
} default_trust[] = {
    {"energy.dram_byte_pj", false, CONFIDENCE_PUBLISHED},
    {"energy.chip_off_mw", false, CONFIDENCE_MEASURED},
    {"energy.sram_static_mw", false, CONFIDENCE_ASSUMED},
    {"energy.noc_static_mw", false, CONFIDENCE_ASSUMED},
    {"energy.dram_static_mw", false, CONFIDENCE_ASSUMED},
    {"dvfs.switch_ns", false, CONFIDENCE_ASSUMED},
    {"dvfs.switch_nj", false, CONFIDENCE_ASSUMED},
    {"mla_clk_pj", false, CONFIDENCE_DERIVED},
    {"sram_read32_pj", false, CONFIDENCE_DERIVED},
    {"sram_write32_pj", false, CONFIDENCE_DERIVED},
    {"noc_read128_pj", false, CONFIDENCE_ASSUMED},
    {"arm_clk_pj", false, CONFIDENCE_ASSUMED},
    {"pe_static_mw", false, CONFIDENCE_DERIVED},
    {"pe_awake_mw", false, CONFIDENCE_ASSUMED},
    {"conv_init_clk", true, CONFIDENCE_FITTED},
    {"conv_wb_clk", true, CONFIDENCE_FITTED},
    {"conv_a", true, CONFIDENCE_FITTED},
    {"conv_b", true, CONFIDENCE_ASSUMED},
    {"matmul_init_clk", true, CONFIDENCE_FITTED},
    {"matmul_wb_clk", true, CONFIDENCE_FITTED},
    {"matmul_a", true, CONFIDENCE_FITTED},
    {"matmul_b", true, CONFIDENCE_ASSUMED},
};
#define N_TRUST (sizeof(default_trust) / sizeof(default_trust[0]))

/* ---- reading ---- */

bool machine_sources_init(struct machine_sources *sources, struct arena *arena)
{
	*sources = (struct machine_sources){0};
	sources->param = arena_array(arena, machine_n_param, sizeof(*sources->param));
	sources->given = arena_array(arena, machine_n_param, sizeof(*sources->given));
	bool made = sources->param != NULL && sources->given != NULL;
	for (uint32_t i = 0; i < MACHINE_MAX_LEVEL && made; i++) {
		sources->level[i] = arena_array(arena, machine_n_level_param, sizeof(*sources->level[i]));
		made = sources->level[i] != NULL;
	}
	return made;
}

/* Index of a level's field; machine_n_level_param: it has none of this name. */
static size_t find_field(const char *key)
{
	size_t i = 0;
	while (i < machine_n_level_param && strcmp(level_param[i].key, key) != 0)
		i++;
	return i;
}

/* "PL1.mla_clk_pj": the field behind a level's name and a dot; names may have dots themselves. */
static size_t find_field_of_level(const struct machine *machine, const char *key, uint32_t *level)
{
	for (*level = 0; *level < machine->n_level; (*level)++) {
		size_t n = strlen(machine->level[*level].name);
		if (n > 0 && strncmp(key, machine->level[*level].name, n) == 0 && key[n] == '.' &&
		    find_field(key + n + 1) < machine_n_level_param)
			return find_field(key + n + 1);
	}
	return machine_n_level_param;
}

static void refuse_key(const struct doc_node *node, struct err *err)
{
	const char *name[256];
	size_t n = 0;
	assert(machine_n_param + machine_n_level_param <= sizeof(name) / sizeof(name[0]));
	for (size_t i = 0; i < machine_n_param; i++)
		name[n++] = machine_param[i].key;
	for (size_t i = 0; i < machine_n_level_param; i++)
		name[n++] = level_param[i].key;
	const char *nearest = err_nearest(node->text, name, n);
	(void)doc_refuse(
	    err, node,
	    "sources: found '%s', allowed a parameter (energy.dram_byte_pj), a field of levels (mla_clk_pj) or "
	    "of one level (PL1.mla_clk_pj)%s%s%s",
	    doc_quote(node->text).text, nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* A number of percent with its sign behind it. */
static bool read_percent(const char *text, double *pct)
{
	char *end;
	*pct = strtod(text, &end);
	return end != text && strcmp(end + strspn(end, " "), "%") == 0 && *pct >= 0 && *pct <= 100;
}

/* "20 %" of the value, or a distance in its unit. */
static bool read_interval(const struct doc_node *node, const char *unit, struct provenance *entry, struct err *err)
{
	double pct = 0, distance = 0;
	bool is_scalar = node->kind == DOC_SCALAR;
	entry->has_interval_frac = is_scalar && read_percent(node->text, &pct);
	entry->interval_frac = pct / 100;
	entry->has_interval =
	    is_scalar && !entry->has_interval_frac && unit_read(node->text, unit, &distance) && distance >= 0;
	entry->interval = distance;
	return entry->has_interval_frac || entry->has_interval ||
	       doc_refuse(err, node,
	                  "sources: found %s for '+-', allowed are 0 to 100 %% of the value, e.g. +-: 20 %%, or a "
	                  "distance from 0 in %s",
	                  is_scalar ? doc_quote(node->text).text : "no scalar", unit);
}

/* {confidence: derived, source: text, +-: 20 %}; the first two are needed. */
static bool read_entry(const struct doc_node *map, const char *unit, struct arena *arena, struct provenance *entry,
                       struct err *err)
{
	static const char *const allowed[] = {"confidence", "source", "+-"};
	size_t confidence = 0;
	const char *source = NULL;
	doc_check_keys(map, allowed, 3, err);
	if (map->kind != DOC_MAP)
		return false;
	const struct doc_node *node = doc_find(map, "confidence"), *text = doc_find(map, "source");
	if (!node || !text)
		return doc_refuse(err, map, "sources: an entry without '%s', e.g. {confidence: derived, source: how}",
		                  node ? "source" : "confidence");
	/* "unknown" is what is not written down */
	bool known = doc_get_choice(node, "confidence", confidence_name + 1, N_CONFIDENCE - 1, &confidence, err);
	if (!doc_get_text(text, "source", &source, err) || !known)
		return false;
	*entry =
	    (struct provenance){.confidence = (enum confidence)(confidence + 1), .source = arena_text(arena, source)};
	const struct doc_node *interval = doc_find(map, "+-");
	if (interval && !read_interval(interval, unit, entry, err))
		return false;
	if (!entry->source)
		err_add(err, ERR_INTERNAL, "out of memory");
	return entry->source != NULL;
}

void machine_sources_read(const struct doc_node *map, const struct machine *machine, struct machine_sources *sources,
                          struct arena *arena, struct err *err)
{
	assert(map && machine && sources && sources->param);
	if (map->kind != DOC_MAP) {
		doc_check_keys(map, NULL, 0, err);
		return;
	}
	for (size_t i = 0; i < map->n; i++) {
		struct provenance entry;
		const struct machine_param *param = machine_find_param(map->key[i]->text);
		size_t field = find_field(map->key[i]->text), all = field;
		uint32_t level = MACHINE_MAX_LEVEL;
		if (!param && field == machine_n_level_param)
			field = find_field_of_level(machine, map->key[i]->text, &level);
		if (!param && field == machine_n_level_param)
			refuse_key(map->key[i], err);
		else if (!read_entry(map->value[i], param ? param->unit : level_param[field].unit, arena, &entry, err))
			continue;
		else if (param)
			sources->param[param - machine_param] = entry;
		else if (all == machine_n_level_param) {
			sources->level[level][field] = entry;
			sources->level[level][field].is_of_level = true;
		} else
			/* one level's own entry stays, wherever it stands */
			for (level = 0; level < MACHINE_MAX_LEVEL; level++)
				if (!sources->level[level][field].source)
					sources->level[level][field] = entry;
	}
}

void provenance_print_interval(FILE *file, const struct provenance *provenance)
{
	char text[64];
	double value = provenance->has_interval_frac ? 100 * provenance->interval_frac : provenance->interval;
	if (!provenance->has_interval_frac && !provenance->has_interval)
		return;
	(void)snprintf(text, sizeof(text), "%.10g", value);
	(void)fprintf(file, ", +-: %s%s", text, provenance->has_interval_frac ? " %" : "");
}

double provenance_distance(const struct provenance *provenance, double value)
{
	double frac = provenance->has_interval_frac ? provenance->interval_frac
	                                            : confidence_interval_frac[provenance->confidence];
	return provenance->has_interval ? provenance->interval : frac * value;
}

/* ---- coefficients ---- */

/* What is known of a value: the file's word, the table's of a default, or nothing. */
static struct provenance judge(const struct provenance *given, double value, double initial, const char *source,
                               enum confidence confidence)
{
	if (given->source)
		return *given;
	if (!(value < initial) && !(value > initial))
		return (struct provenance){.confidence = confidence, .source = source};
	return (struct provenance){.confidence = CONFIDENCE_UNKNOWN, .source = "the machine file does not say"};
}

/* What the technology's tables make of a coefficient is derived, and no better than what they start from. */
static void judge_technology(const struct machine *machine, uint32_t level, const char *key, struct provenance *known)
{
	uint32_t field = 0;
	while (field < N_TECHNOLOGY_FIELD && strcmp(technology_field_key[field], key) != 0)
		field++;
	if (!(machine->technology.of.node_nm > 0) || machine->technology.is_area_alone || field == N_TECHNOLOGY_FIELD)
		return;
	if (!(machine->technology.level[level].given >> field & 1))
		*known = (struct provenance){.confidence = CONFIDENCE_DERIVED,
		                             .source = "the technology's tables, for no value is given"};
	else if (!machine_technology_is_anchor(machine)) {
		known->confidence = known->confidence < CONFIDENCE_DERIVED ? known->confidence : CONFIDENCE_DERIVED;
		known->source = "the file's value, changed with sizes as the technology's tables do";
	}
}

/* The interval of a value, and with what else it is off. */
static void set_interval(struct coefficient *coefficient, size_t row)
{
	const struct provenance *known = &coefficient->provenance;
	bool is_shared = coefficient->level == UINT32_MAX || !known->is_of_level;
	double distance = provenance_distance(known, coefficient->value);
	coefficient->least = real_max(0, coefficient->value - distance);
	coefficient->most = coefficient->value + distance;
	coefficient->deviate = (uint32_t)row * (MACHINE_MAX_LEVEL + 1) + (is_shared ? 0 : 1 + coefficient->level);
	assert(coefficient->deviate < COEFFICIENT_MAX_DEVIATE);
}

/* A row of default_trust that is a field of levels, at one of them. */
static void at_level(const struct machine *machine, const struct machine_sources *sources, size_t row, uint32_t level,
                     struct coefficient *coefficient)
{
	size_t field = find_field(default_trust[row].key);
	assert(field < machine_n_level_param && level < machine->n_level);
	const struct level_param *param = &level_param[field];
	struct provenance known;
	double value = *(const double *)(const void *)((const char *)&machine->level[level] + param->offset);
	known =
	    judge(&sources->level[level][field], value, param->initial, param->source, default_trust[row].confidence);
	judge_technology(machine, level, param->key, &known);
	*coefficient = (struct coefficient){
	    .key = param->key, .unit = param->unit, .level = level, .value = value, .provenance = known};
	set_interval(coefficient, row);
}

static void of_machine(const struct machine *machine, const struct machine_sources *sources, size_t row,
                       const struct machine_param *param, struct coefficient *coefficient)
{
	double value = machine_get_param(machine, param);
	*coefficient =
	    (struct coefficient){.key = param->key,
	                         .unit = param->unit,
	                         .level = UINT32_MAX,
	                         .value = value,
	                         .provenance = judge(&sources->param[param - machine_param], value, param->initial,
	                                             param->source, default_trust[row].confidence)};
	set_interval(coefficient, row);
}

bool coefficient_at(const struct machine *machine, const struct machine_sources *sources, uint32_t levels,
                    enum detail detail, size_t i, struct coefficient *coefficient)
{
	assert(machine && sources && sources->param && coefficient);
	for (size_t row = 0; row < N_TRUST; row++) {
		if (default_trust[row].is_greybox && detail != DETAIL_GREYBOX)
			continue;
		const struct machine_param *param = machine_find_param(default_trust[row].key);
		if (param) {
			if (i-- > 0)
				continue;
			of_machine(machine, sources, row, param, coefficient);
			return true;
		}
		for (uint32_t level = 0; level < machine->n_level; level++) {
			bool is_pure = machine->level[level].n_share == 0;
			if (!is_pure || !(levels >> level & 1) || i-- > 0)
				continue;
			at_level(machine, sources, row, level, coefficient);
			return true;
		}
	}
	return false;
}

struct coefficient *coefficient_list(const struct machine *machine, const struct machine_sources *sources,
                                     uint32_t levels, enum detail detail, struct arena *arena, size_t *n)
{
	struct coefficient coefficient;
	for (*n = 0; coefficient_at(machine, sources, levels, detail, *n, &coefficient);)
		++*n;
	struct coefficient *list = arena_array(arena, *n + 1, sizeof(*list));
	for (size_t i = 0; list && i < *n; i++)
		(void)coefficient_at(machine, sources, levels, detail, i, &list[i]);
	return list;
}

void coefficient_put_json(struct json *json, const struct machine *machine, const struct machine_sources *sources,
                          uint32_t levels, enum detail detail, const char *const *varied, size_t n_varied)
{
	struct coefficient coefficient;
	for (size_t i = 0; coefficient_at(machine, sources, levels, detail, i, &coefficient); i++) {
		bool is_varied = false;
		for (size_t k = 0; k < n_varied; k++)
			is_varied |= strcmp(varied[k], coefficient.key) == 0;
		json_begin_object(json, NULL);
		json_put_text(json, "key", coefficient.key);
		if (coefficient.level != UINT32_MAX)
			json_put_text(json, "level", machine->level[coefficient.level].name);
		if (!is_varied)
			json_put_real(json, "value", coefficient.value);
		json_put_text(json, "unit", coefficient.unit);
		json_put_text(json, "confidence",
		              confidence_name[is_varied ? CONFIDENCE_UNKNOWN : coefficient.provenance.confidence]);
		json_put_text(json, "source", is_varied ? "an axis of the space" : coefficient.provenance.source);
		if (!is_varied) {
			json_put_real(json, "least", coefficient.least);
			json_put_real(json, "most", coefficient.most);
		}
		json_end(json);
	}
}
