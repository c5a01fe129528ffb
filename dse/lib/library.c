/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public interface (dse/lib/dse.h) over mappings and simulations; library_front.c has spaces and fronts. What came of an evaluation is copied out of the
 * simulator's structures at once, so that those may change and the interface stays.
 */
#include "dse/lib/library_parts.h"
#include "dse/search/hunt.h"
#include "dse/price/mapping_search.h"
#include "dse/base/parallel.h"
#include "dse/design/simulate.h"
#include "dse/keep/output_file.h"
#include "mapper/placement/transit.h"
#include <assert.h>
#include <locale.h>
#include <stdlib.h>

_Static_assert((int)DSE_INTERNAL == (int)ERR_INTERNAL && (int)DSE_USAGE == (int)ERR_USAGE &&
                   (int)DSE_INPUT == (int)ERR_INPUT && (int)DSE_INFEASIBLE == (int)ERR_INFEASIBLE &&
                   (int)DSE_IO == (int)ERR_IO && (int)DSE_INTERRUPTED == (int)ERR_INTERRUPTED,
               "codes of the interface are those of error records");

/* ---- calls ---- */

/* A call begins without messages and in the locale that files and numbers are written in. */
locale_t library_begin(struct dse *dse)
{
	err_clear(&dse->err);
	dse->callers = uselocale(dse->plain);
	return dse->callers;
}

/* The thread gets its locale back. Codes that only a program has do not occur; if one did, it would be a bug. */
enum dse_code library_end(struct dse *dse, enum err_code code, locale_t before)
{
	(void)uselocale(before);
	assert((code == ERR_OK) == (dse->err.n_message == 0));
	return code <= ERR_IO || code == ERR_INTERRUPTED ? (enum dse_code)code : DSE_INTERNAL;
}

/* Whether it has its arguments and what it needs; else a message says so. */
bool library_can_begin(struct dse *dse, const char *function, bool has_arguments, enum library_need need)
{
	if (!dse)
		return false;
	err_clear(&dse->err);
	if (!has_arguments)
		(void)err_add(&dse->err, ERR_USAGE, "%s: an argument is NULL", function);
	else if (need == NEED_SPACE && !dse->front)
		(void)err_add(&dse->err, ERR_USAGE, "%s: no space is open; dse_open_space comes first", function);
	else if ((need == NEED_OPEN || need == NEED_MAPPED) && !dse->is_open)
		(void)err_add(&dse->err, ERR_USAGE, "%s: nothing is open; dse_open or dse_open_mapping comes first",
		              function);
	else if (need == NEED_MAPPED && !dse->is_mapped)
		(void)err_add(&dse->err, ERR_USAGE,
		              "%s: layers have no designs yet; dse_map or dse_map_best comes first", function);
	return dse->err.n_message == 0;
}

static void forget_figures(struct dse *dse)
{
	free(dse->layer);
	dse->layer = NULL;
}

const char *dse_version(void)
{
	return DSE_VERSION;
}

struct dse *dse_new(void)
{
	struct dse *dse = calloc(1, sizeof(*dse));
	if (!dse)
		return NULL;
	dse->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (dse->plain == (locale_t)0) {
		free(dse);
		return NULL;
	}
	transit_hold();
	return dse;
}

void dse_free(struct dse *dse)
{
	if (!dse)
		return;
	forget_figures(dse);
	mapping_free(&dse->mapping);
	library_front_free(dse->front);
	err_clear(&dse->err);
	free(dse->error_text);
	freelocale(dse->plain);
	free(dse);
	transit_release();
}

const char *dse_message(const struct dse *dse)
{
	return dse ? err_text(&dse->err) : "";
}

/* ---- what is evaluated ---- */

/* The new mapping takes the old one's place, or, after a failure, is forgotten. */
enum err_code library_take_mapping(struct dse *dse, enum err_code code, struct mapping *mapping, bool is_mapped)
{
	if (code != ERR_OK) {
		mapping_free(mapping);
		return code;
	}
	forget_figures(dse);
	mapping_free(&dse->mapping);
	dse->mapping = *mapping;
	dse->is_open = true;
	dse->is_mapped = is_mapped;
	return ERR_OK;
}

/* The strategy and the operating point by their names. */
static enum err_code choose_rules(struct dse *dse, const char *strategy, const char *level, enum strategy *chosen,
                                  size_t *point)
{
	const struct machine *machine = &dse->mapping.machine;
	const char *name[N_STRATEGY], *level_name[MACHINE_MAX_LEVEL];
	enum strategy served[N_STRATEGY];
	size_t n = 0, index = 0;
	enum err_code code = ERR_OK, other = ERR_OK;
	for (unsigned i = 0; i < N_STRATEGY; i++)
		if (strategy_serves((enum strategy)i, machine)) {
			served[n] = (enum strategy)i;
			name[n++] = strategy_table[i].name;
		}
	for (uint32_t i = 0; i < machine->n_level; i++)
		level_name[i] = machine->level[i].name;
	if (strategy)
		code = err_choose("dse_map: strategy", strategy, name, n, &index, &dse->err);
	if (level)
		other = err_choose("dse_map: level", level, level_name, machine->n_level, point, &dse->err);
	*chosen = strategy ? served[index] : STRATEGY_FUSION_REUSE;
	return code == ERR_OK ? other : code;
}

enum dse_code dse_open(struct dse *dse, const char *machine, const char *network)
{
	if (!library_can_begin(dse, "dse_open", machine && network, NEED_NOTHING))
		return DSE_USAGE;
	struct mapping mapping = {0};
	locale_t before = library_begin(dse);
	enum err_code code = mapping_open(machine, network, &mapping, &dse->err);
	return library_end(dse, library_take_mapping(dse, code, &mapping, false), before);
}

enum dse_code dse_open_mapping(struct dse *dse, const char *spec)
{
	if (!library_can_begin(dse, "dse_open_mapping", spec != NULL, NEED_NOTHING))
		return DSE_USAGE;
	struct mapping mapping = {0};
	locale_t before = library_begin(dse);
	enum err_code code = mapping_load(spec, &mapping, &dse->err);
	return library_end(dse, library_take_mapping(dse, code, &mapping, true), before);
}

/* Other designs than before: if those stood in a file, these do not. */
static enum err_code take_designs(struct dse *dse, enum err_code code)
{
	struct mapping *mapping = &dse->mapping;
	if (code != ERR_OK)
		return code;
	for (size_t i = 0; i < mapping->network.n_block; i++)
		mapping->place[i] = (struct err_place){0};
	dse->is_mapped = true;
	forget_figures(dse);
	return ERR_OK;
}

enum dse_code dse_set(struct dse *dse, const char *key, const char *value)
{
	if (!library_can_begin(dse, "dse_set", key && value, NEED_OPEN))
		return DSE_USAGE;
	locale_t before = library_begin(dse);
	const struct machine_param *param = machine_find_param(key);
	enum err_code code;
	if (param) {
		code = mapping_set_axis(&dse->mapping, param, value, &dse->err);
	} else {
		const char *nearest = machine_nearest_param(key);
		code = err_add(&dse->err, ERR_USAGE, "dse_set: '%.60s' is not a machine parameter%s%s%s", key,
		               nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	}
	if (code == ERR_OK)
		forget_figures(dse);
	return library_end(dse, code, before);
}

enum dse_code dse_map(struct dse *dse, const char *strategy, const char *level)
{
	if (!library_can_begin(dse, "dse_map", true, NEED_OPEN))
		return DSE_USAGE;
	locale_t before = library_begin(dse);
	enum strategy chosen;
	size_t point = 0;
	enum err_code code = choose_rules(dse, strategy, level, &chosen, &point);
	if (code == ERR_OK)
		code = mapping_by_rules(&dse->mapping, NULL, chosen, (uint32_t)point, &dse->err);
	return library_end(dse, take_designs(dse, code), before);
}

/* The search of dse_map_best. */
struct best {
	struct dse *dse;
	struct mapping_search_options options;
};

static enum err_code search_best(struct library_work *work, struct err *err)
{
	struct best *best = work->context;
	struct mapping_searched searched;
	best->options.watch = work->watch;
	return mapping_search(&best->dse->mapping, &best->options, &searched, err);
}

enum dse_code dse_map_best(struct dse *dse, const char *goal, unsigned n_thread)
{
	if (!library_can_begin(dse, "dse_map_best", goal != NULL, NEED_OPEN))
		return DSE_USAGE;
	locale_t before = library_begin(dse);
	size_t index = 0;
	enum err_code code =
	    err_choose("dse_map_best: goal", goal, mapping_goal_name, N_MAPPING_GOAL, &index, &dse->err);
	struct best best = {.dse = dse,
	                    .options = {.goal = (enum mapping_goal)index,
	                                .strategy = N_STRATEGY,
	                                .split = SPLIT_ALL,
	                                .forms = CONV_FORM_USUAL,
	                                .n_thread = parallel_n_thread(n_thread)}};
	struct library_work work = {.run = search_best, .context = &best};
	for (uint32_t i = 0; i < dse->mapping.machine.n_level; i++)
		if (energy_is_supplied(&dse->mapping.machine, i))
			best.options.levels |= UINT32_C(1) << i;
	if (code == ERR_OK)
		code = library_watch_run(dse, &work);
	return library_end(dse, take_designs(dse, code), before);
}

enum dse_code dse_save(struct dse *dse, const char *path)
{
	if (!library_can_begin(dse, "dse_save", path != NULL, NEED_MAPPED))
		return DSE_USAGE;
	locale_t before = library_begin(dse);
	struct output_file file = {0};
	enum err_code code = output_file_open(&file, path, &dse->err);
	if (code == ERR_OK) {
		mapping_write(file.file, &dse->mapping, NULL);
		code = output_file_commit(&file, &dse->err);
	}
	return library_end(dse, code, before);
}

/* ---- what comes out ---- */

/* Of a layer that cannot run its name and why. */
static void fill_layer(struct dse_figures *figures, const struct simulated *block)
{
	const struct sim_result *result = &block->result;
	const struct verdict_info *verdict = &verdict_table[block->verdict.reason];
	*figures = (struct dse_figures){.name = block->block->name,
	                                .verdict = verdict->name,
	                                .reason = block->ran ? "" : verdict->help,
	                                .demanded_byte = block->verdict.demanded,
	                                .available_byte = block->verdict.available};
	if (!block->ran)
		return;
	figures->total_clk = result->total_clk;
	figures->core_clk = result->core_clk;
	figures->latency_ms = block->metric[METRIC_LATENCY];
	figures->energy_mj = block->metric[METRIC_ENERGY];
	figures->peak_power_mw = block->metric[METRIC_PEAK_POWER];
	figures->mac = result->counts.mac;
	figures->dram_read_byte = (uint64_t)result->counts.dram_read_byte;
	figures->dram_write_byte = (uint64_t)result->counts.dram_write_byte;
	figures->sram_byte = result->sram_byte;
	figures->sram_used_frac = block->metric[METRIC_SRAM_USED];
	figures->mac_util_frac = result->mac_util_frac;
}

/* All layers that ran, and why some did not: what the first of those says. */
static void fill_total(struct dse *dse, const struct simulated *block, const struct dse_figures *layer)
{
	size_t n = dse->mapping.network.n_block;
	struct simulate_totals totals;
	struct dse_figures *total = &dse->total;
	simulate_sum(&dse->mapping.machine, block, n, NULL, &totals);
	*total = (struct dse_figures){.name = dse->mapping.network.name,
	                              .verdict = verdict_table[VERDICT_OK].name,
	                              .reason = "",
	                              .total_clk = totals.total_clk,
	                              .core_clk = totals.core_clk,
	                              .latency_ms = totals.metric[METRIC_LATENCY],
	                              .energy_mj = totals.metric[METRIC_ENERGY],
	                              .peak_power_mw = totals.metric[METRIC_PEAK_POWER],
	                              .mac = totals.mac,
	                              .sram_used_frac = totals.metric[METRIC_SRAM_USED],
	                              .mac_util_frac = totals.mac_util_frac};
	for (size_t i = n; i-- > 0;) {
		total->dram_read_byte += layer[i].dram_read_byte;
		total->dram_write_byte += layer[i].dram_write_byte;
		if (layer[i].sram_byte > total->sram_byte)
			total->sram_byte = layer[i].sram_byte;
		if (block[i].ran)
			continue;
		total->verdict = layer[i].verdict;
		total->reason = layer[i].reason;
		total->demanded_byte = layer[i].demanded_byte;
		total->available_byte = layer[i].available_byte;
	}
}

/* Simulate the mapping into block [n_block] and copy its figures; they are there also where some layer cannot run. */
static enum err_code evaluate(struct dse *dse, enum detail detail, struct simulated *block)
{
	const struct mapping *mapping = &dse->mapping;
	size_t n = mapping->network.n_block;
	const struct simulate_options options = {.design = mapping->design, .how = {.detail = {.detail = detail}}};
	enum err_code code = simulate_network(&mapping->machine, &mapping->network, &options, block, &dse->err);
	struct dse_figures *layer = code == ERR_OK ? calloc(n, sizeof(*layer)) : NULL;
	if (code == ERR_OK && !layer)
		code = err_add(&dse->err, ERR_INTERNAL, "out of memory");
	if (code != ERR_OK)
		return code;
	for (size_t i = 0; i < n; i++)
		fill_layer(&layer[i], &block[i]);
	fill_total(dse, block, layer);
	forget_figures(dse);
	dse->layer = layer;
	return mapping_check(mapping, &dse->err);
}

enum dse_code dse_evaluate(struct dse *dse, const char *detail)
{
	if (!library_can_begin(dse, "dse_evaluate", true, NEED_MAPPED))
		return DSE_USAGE;
	locale_t before = library_begin(dse);
	size_t index = DETAIL_FAST;
	enum err_code code = ERR_OK;
	if (detail)
		code = err_choose("dse_evaluate: detail", detail, detail_name, N_DETAIL, &index, &dse->err);
	struct simulated *block = NULL;
	if (code == ERR_OK) {
		block = calloc(dse->mapping.network.n_block, sizeof(*block));
		code = block ? evaluate(dse, (enum detail)index, block)
		             : err_add(&dse->err, ERR_INTERNAL, "out of memory");
	}
	free(block);
	return library_end(dse, code, before);
}

size_t dse_n_layer(const struct dse *dse)
{
	return dse && dse->is_open ? dse->mapping.network.n_block : 0;
}

const struct dse_figures *dse_layer(const struct dse *dse, size_t i)
{
	return dse && dse->layer && i < dse->mapping.network.n_block ? &dse->layer[i] : NULL;
}

const struct dse_figures *dse_total(const struct dse *dse)
{
	return dse && dse->layer ? &dse->total : NULL;
}
