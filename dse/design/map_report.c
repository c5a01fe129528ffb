/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/map_report.h"
#include "dse/base/memory.h"
#include "dse/design/story.h"
#include "dse/design/uncertain.h"
#include "dse/out/csv_write.h"
#include "dse/layer/design_text.h"
#include "dse/design/plan_print.h"
#include "dse/out/legend.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include "dse/space/energy_trust.h"
#include "mapper/split/split_report.h"
#include "mapper/split/utilisation.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- utilisation ---- */

/* Tiles of a systolic array: nothing is aligned; its utilisation is of the outputs that its folds have room for. */
static size_t use_of_tiles(const struct map_report *report, size_t i, struct utilisation *use)
{
	const struct block *block = &report->mapping->network.block[i];
	const struct machine *machine = &report->mapping->machine;
	const struct split *split = &report->mapping->design[i].split;
	const struct simulated *run = &report->block[i];
	uint32_t word_byte = machine->systolic.word_byte;
	if (!run->ran || !run->has_array)
		return 0;
	bool is_matmul = block->kind == BLOCK_MATMUL;
	uint64_t w = split->w.size_a, h = split->h.size_a, c = split->c.size_a, d = split->d.size_a;
	uint64_t in =
	    is_matmul ? h * d
		      : (uint64_t)split_part_in_w(block, split->w.size_a) * split_part_in_h(block, split->h.size_a) * d;
	uint64_t weight = is_matmul ? w * d : (uint64_t)block->kernel_w * block->kernel_h * c * d;
	*use = (struct utilisation){
	    .pieces = split_n_task(split) * block_batch(block),
	    .ifmap_aligned_byte = in * word_byte,
	    .ifmap_valid_byte = in * word_byte,
	    .weight_aligned_byte = weight * word_byte,
	    .weight_valid_byte = weight * word_byte,
	    .ofmap_aligned_byte = w * h * c * word_byte,
	    .ofmap_valid_byte = w * h * c * word_byte,
	    .mac_utilisation = run->array.mapping_eff,
	    .sram_utilisation = run->metric[METRIC_SRAM_USED],
	};
	(void)snprintf(use->name, sizeof(use->name), "%s", block->name);
	return 1;
}

/* Rows of a layer, [UTILISATION_MAX_CLASS]; returns how many. */
static size_t use_of_layer(const struct map_report *report, size_t i, struct utilisation *use)
{
	const struct mapping *mapping = report->mapping;
	if (mapping->machine.target == MACHINE_SYSTOLIC)
		return use_of_tiles(report, i, use);
	const struct layer_design *design = &mapping->design[i];
	return utilisation_of_form(&mapping->network.block[i], &design->split, design->form, &mapping->machine, use,
	                           UTILISATION_MAX_CLASS);
}

/* A count of struct utilisation and its column. */
static const struct {
	const char *name;
	size_t offset;
} use_count[] = {
    {"pieces", offsetof(struct utilisation, pieces)},
    {"ifmap_aligned_byte", offsetof(struct utilisation, ifmap_aligned_byte)},
    {"ifmap_valid_byte", offsetof(struct utilisation, ifmap_valid_byte)},
    {"weight_aligned_byte", offsetof(struct utilisation, weight_aligned_byte)},
    {"weight_valid_byte", offsetof(struct utilisation, weight_valid_byte)},
    {"ofmap_aligned_byte", offsetof(struct utilisation, ofmap_aligned_byte)},
    {"ofmap_valid_byte", offsetof(struct utilisation, ofmap_valid_byte)},
};
#define N_USE_COUNT (sizeof(use_count) / sizeof(use_count[0]))

static uint64_t count_of(const struct utilisation *use, size_t k)
{
	uint64_t count;
	memcpy(&count, (const char *)use + use_count[k].offset, sizeof(count));
	return count;
}

void map_write_utilisation(FILE *file, const struct map_report *report)
{
	const struct network *network = &report->mapping->network;
	(void)fputs("network,target,operation,partial_operation", file);
	for (size_t k = 0; k < N_USE_COUNT; k++)
		(void)fprintf(file, ",%s", use_count[k].name);
	(void)fputs(",mac_utilisation,sram_utilisation\n", file);
	for (size_t i = 0; i < network->n_block; i++) {
		struct utilisation use[UTILISATION_MAX_CLASS];
		size_t n = use_of_layer(report, i, use);
		for (size_t at = 0; at < n; at++) {
			csv_put_text(file, true, network->name);
			csv_put_text(file, false, machine_target_name[report->mapping->machine.target]);
			csv_put_text(file, false, network->block[i].name);
			csv_put_text(file, false, use[at].name);
			for (size_t k = 0; k < N_USE_COUNT; k++)
				(void)fprintf(file, ",%" PRIu64, count_of(&use[at], k));
			(void)fprintf(file, ",%.2f,%.2f\n", use[at].mac_utilisation, use[at].sram_utilisation);
		}
	}
}

static void print_utilisation(FILE *file, const struct map_report *report)
{
	struct table table = {0};
	table_add_column(&table, "operation", false);
	for (size_t k = 0; k < N_USE_COUNT; k++)
		table_add_column(&table, use_count[k].name, true);
	table_add_column(&table, "mac_utilisation", true);
	table_add_column(&table, "sram_utilisation", true);
	for (size_t i = 0; i < report->mapping->network.n_block; i++) {
		struct utilisation use[UTILISATION_MAX_CLASS];
		size_t n = use_of_layer(report, i, use);
		for (size_t at = 0; at < n; at++) {
			table_add(&table, "%s", use[at].name);
			for (size_t k = 0; k < N_USE_COUNT; k++)
				table_add(&table, "%" PRIu64, count_of(&use[at], k));
			table_add(&table, "%.2f", use[at].mac_utilisation);
			table_add(&table, "%.2f", use[at].sram_utilisation);
		}
	}
	table_print(&table, file, 0);
	legend_print(file, 0, &table);
	table_free(&table);
}

/* ---- splits ---- */

/* Call put for each operation of the mapping, in order of execution. */
static void each_operation(const struct map_report *report,
                           void (*put)(void *context, const struct map_report *report, const struct split_row *row),
                           void *context)
{
	const struct mapping *mapping = report->mapping;
	for (size_t i = 0; i < mapping->network.n_block; i++) {
		struct split_row row[BLOCK_MAX_OPERATION];
		size_t n = split_report(&mapping->network.block[i], &mapping->design[i].split, mapping->design[i].form,
		                        row, BLOCK_MAX_OPERATION);
		for (size_t k = 0; k < n; k++)
			put(context, report, &row[k]);
	}
}

static void put_csv_row(void *context, const struct map_report *report, const struct split_row *row)
{
	FILE *file = context;
	csv_put_text(file, true, report->mapping->network.name);
	csv_put_text(file, false, machine_target_name[report->mapping->machine.target]);
	csv_put_text(file, false, row->operation.name);
	csv_put_text(file, false, operation_kind_name[row->operation.kind]);
	for (size_t c = 0; c < N_SPLIT_COLUMN; c++)
		csv_put_text(file, false, row->cell[c]);
	(void)fputc('\n', file);
}

void map_write_splits(FILE *file, const struct map_report *report)
{
	(void)fputs("network,target,operation,kind", file);
	for (size_t c = 0; c < N_SPLIT_COLUMN; c++)
		(void)fprintf(file, ",%s", split_column_name[c]);
	(void)fputc('\n', file);
	each_operation(report, put_csv_row, file);
}

/* Of people's table the kernel's columns are one, and so are padding and overlap. */
static void put_text_row(void *context, const struct map_report *report, const struct split_row *row)
{
	struct table *table = context;
	const char(*cell)[SPLIT_CELL_SIZE] = row->cell;
	(void)report;
	table_add(table, "%s", row->operation.name);
	for (size_t c = SPLIT_IFMAP_W; c <= SPLIT_IFMAP_C; c++)
		table_add(table, "%s", cell[c]);
	char kernel[4 * SPLIT_CELL_SIZE + 16] = "";
	size_t n = 0;
	for (size_t c = SPLIT_KERNEL_W; c <= SPLIT_KERNEL_OUT_C; c++)
		if (cell[c][0])
			n += (size_t)snprintf(kernel + n, sizeof(kernel) - n, "%s%s", n ? " x " : "", cell[c]);
	table_add(table, "%s", kernel);
	for (size_t c = SPLIT_STRIDE; c < N_SPLIT_COLUMN; c++)
		table_add(table, "%s", cell[c]);
}

static void print_splits(FILE *file, const struct map_report *report)
{
	static const char *const name[] = {"operation", "ifmap_w", "ifmap_h", "ifmap_c", "kernel",  "stride",
	                                   "padding",   "overlap", "ofmap_w", "ofmap_h", "ofmap_c", "pieces"};
	struct table table = {0};
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		table_add_column(&table, name[i], i + 1 == sizeof(name) / sizeof(name[0]));
	each_operation(report, put_text_row, &table);
	table_print(&table, file, 0);
	table_free(&table);
}

/* ---- layers ---- */

/* How much of the array a layer's tasks use, in the mean; NaN: none of it. */
static double mean_mac(const struct map_report *report, size_t i)
{
	struct utilisation use[UTILISATION_MAX_CLASS];
	size_t n = use_of_layer(report, i, use);
	double sum = 0.0, mac = 0.0;
	for (size_t k = 0; k < n; k++) {
		sum += (double)use[k].pieces;
		mac += (double)use[k].pieces * use[k].mac_utilisation;
	}
	return sum > 0 && mac > 0 ? mac / sum : NAN;
}

/* A share as percent with one digit behind the point. */
static void add_pct(struct table *table, double frac)
{
	table_add_real(table, isnan(frac) ? frac : round(1000.0 * frac) / 10.0);
}

static void add_layer(struct table *table, const struct map_report *report, size_t i)
{
	const struct mapping *mapping = report->mapping;
	const struct layer_design *design = &mapping->design[i];
	const struct simulated *run = &report->block[i];
	struct split_text split;
	design_print_split(&design->split, &split);
	table_add(table, "%s", mapping->network.block[i].name);
	if (network_has_nodes(&mapping->network))
		design_add_node(table, &mapping->network.block[i]);
	table_add(table, "%s", strategy_table[design->strategy].name);
	table_add(table, "%s", mapping->machine.level[design->level].name);
	table_add(table, "%s", split.w);
	table_add(table, "%s", split.h);
	table_add(table, "%s", split.c);
	table_add(table, "%s", split.d);
	table_add(table, "%" PRIu64, split_n_task(&design->split) * block_batch(&mapping->network.block[i]));
	table_add(table, "%s", design_place_name(design->in_storage));
	table_add(table, "%s", design_place_name(design->out_storage));
	add_pct(table, mean_mac(report, i));
	add_pct(table, run->ran ? run->metric[METRIC_SRAM_USED] : NAN);
	if (run->ran) {
		table_add(table, "%" PRIu64, run->result.total_clk);
		table_add_real(table, run->metric[METRIC_LATENCY]);
		uncertain_add_cell(table, &run->uncertain);
		table_add_real(table, run->metric[METRIC_ENERGY]);
		table_add(table, "%s", bound_name[run->result.bound]);
	} else {
		table_add(table, "cannot run");
		table_add_real(table, NAN);
		table_add(table, "%s", "");
		table_add_real(table, NAN);
		table_add(table, "%s", verdict_table[run->verdict.reason].name);
	}
}

static void print_layers(FILE *file, const struct map_report *report)
{
	static const struct {
		const char *name;
		bool right;
	} column[] = {{"layer", false},  {"strategy", false},     {"level", false},         {"width", false},
	              {"height", false}, {"out_channels", false}, {"in_channels", false},   {"tasks", true},
	              {"ifmap", false},  {"result", false},       {"mac_task_pct", true},   {"sram_pct", true},
	              {"clk", true},     {"latency_ms", true},    {UNCERTAIN_COLUMN, true}, {"energy_mj", true},
	              {"bound", false}};
	struct table table = {0};
	for (size_t i = 0; i < sizeof(column) / sizeof(column[0]); i++) {
		if (i == 1 && network_has_nodes(&report->mapping->network))
			table_add_column(&table, "node", false);
		table_add_column(&table, column[i].name, column[i].right);
	}
	for (size_t i = 0; i < report->mapping->network.n_block; i++)
		add_layer(&table, report, i);
	table_leave_empty(&table);
	table_print(&table, file, 0);
	legend_print(file, 0, &table);
	bool is_first = true;
	for (size_t i = 0; i < report->mapping->network.n_block; i++)
		if (report->block[i].ran)
			plan_print(file, &report->mapping->machine, &report->mapping->network.block[i],
			           &report->mapping->design[i], &is_first);
	table_free(&table);
}

static struct story story_of(const struct map_report *report)
{
	const struct mapping *mapping = report->mapping;
	return (struct story){.machine = &mapping->machine,
	                      .detail = report->detail,
	                      .levels = story_levels(report->block, mapping->network.n_block, NULL),
	                      .mapping = report->mapping_from};
}

static void print_story(FILE *file, const struct map_report *report)
{
	const struct machine *machine = &report->mapping->machine;
	struct story story = story_of(report);
	struct story_run_time run_time;
	story_print(file, 0, &story);
	story_run_time(machine, report->block, report->mapping->network.n_block, NULL, &run_time);
	story_print_run_time(file, 0, machine, &run_time);
}

static struct energy_trust trust_of(const struct map_report *report, const struct simulate_totals *totals)
{
	struct energy_trust trust;
	struct arena arena = {0};
	size_t n;
	const struct coefficient *list = memory_must(coefficient_list(
	    &report->mapping->machine, &report->mapping->sources, UINT32_MAX, DETAIL_FAST, &arena, &n));
	energy_trust_of(list, n, NULL, 0, &totals->use, &trust);
	arena_free(&arena);
	return trust;
}

/* Sums as dse simulate prints them, in a line. */
static void print_sums(FILE *file, const struct map_report *report)
{
	double latency_ms = 0.0, energy_mj = 0.0, dram_byte = 0.0;
	uint64_t clk = 0;
	for (size_t i = 0; i < report->mapping->network.n_block; i++) {
		const struct simulated *run = &report->block[i];
		if (!run->ran)
			continue;
		clk += run->result.total_clk;
		latency_ms += run->metric[METRIC_LATENCY];
		energy_mj += run->metric[METRIC_ENERGY];
		dram_byte += run->metric[METRIC_DRAM];
	}
	struct simulate_totals totals;
	simulate_sum(&report->mapping->machine, report->block, report->mapping->network.n_block, NULL, &totals);
	struct words_fold fold;
	FILE *own = file;
	file = words_fold_begin(&fold, file);
	(void)fprintf(file, "%s\nlatency_ms %.6g  energy_mj %.6g  edp_mj_ms %.6g  dram_byte %.15g  clk %" PRIu64 "\n",
	              report->source, latency_ms, energy_mj, latency_ms * energy_mj, dram_byte, clk);
	words_fold_end(&fold);
	struct energy_trust trust = trust_of(report, &totals);
	energy_trust_print(own, "", &trust);
	print_story(own, report);
	uncertain_print(own, 0, &totals.uncertain);
	for (size_t i = 0; i < report->mapping->network.n_block; i++)
		if (uncertain_print_far(own, 0, &report->mapping->machine, 1u << report->mapping->design[i].level))
			break;
}

void map_print(FILE *file, const struct map_report *report, bool is_quiet)
{
	char array[DESIGN_ARRAY_SIZE];
	assert(file && report && report->mapping && report->block);
	if (!is_quiet) {
		design_print_array(&report->mapping->machine, array);
		(void)fprintf(file, "%s on %s, %s\n\n", report->mapping->network.name, report->mapping->machine.name,
		              array);
		print_layers(file, report);
		(void)fputc('\n', file);
	}
	print_sums(file, report);
}

void map_write_text(FILE *file, const struct map_report *report)
{
	assert(file && report);
	map_print(file, report, false);
	(void)fputs(
	    "\nSplits of all operations: size*count; kernels as width x height x input channels x filters, of a "
	    "matrix multiplication as columns x rows; padding left right top bottom\n\n",
	    file);
	print_splits(file, report);
	(void)fputs("\nTasks by class (larger and smaller parts: top and bottom, left and right)\n\n", file);
	print_utilisation(file, report);
}

void map_comment(const struct map_report *report, char text[MAP_COMMENT_SIZE])
{
	int n = snprintf(text, MAP_COMMENT_SIZE,
	                 "%s. What may be edited: spaces/README.md, section \"Mappings\";\n"
	                 "dse simulate --mapping FILE runs it.",
	                 report->source);
	assert(n > 0 && n < MAP_COMMENT_SIZE);
}

/* ---- JSON ---- */

static void put_json_row(void *context, const struct map_report *report, const struct split_row *row)
{
	struct json *json = context;
	(void)report;
	json_begin_object(json, NULL);
	json_put_text(json, "operation", row->operation.name);
	json_put_text(json, "kind", operation_kind_name[row->operation.kind]);
	for (size_t c = 0; c < N_SPLIT_COLUMN; c++)
		if (row->cell[c][0])
			json_put_text(json, split_column_name[c], row->cell[c]);
	json_end(json);
}

static void put_json_use(struct json *json, const struct map_report *report)
{
	for (size_t i = 0; i < report->mapping->network.n_block; i++) {
		struct utilisation use[UTILISATION_MAX_CLASS];
		size_t n = use_of_layer(report, i, use);
		for (size_t at = 0; at < n; at++) {
			json_begin_object(json, NULL);
			json_put_text(json, "operation", report->mapping->network.block[i].name);
			json_put_text(json, "partial_operation", use[at].name);
			for (size_t k = 0; k < N_USE_COUNT; k++)
				json_put_u64(json, use_count[k].name, count_of(&use[at], k));
			json_put_real(json, "mac_utilisation", use[at].mac_utilisation);
			json_put_real(json, "sram_utilisation", use[at].sram_utilisation);
			json_end(json);
		}
	}
}

void map_put_json(FILE *file, const struct map_report *report)
{
	const struct mapping *mapping = report->mapping;
	struct json json;
	json_start(&json, file, 2);
	json_begin_object(&json, NULL);
	json_put_text(&json, "mapping", mapping->name);
	json_put_text(&json, "machine", mapping->machine.name);
	json_put_text(&json, "network", mapping->network.name);
	json_put_text(&json, "source", report->source);
	if (report->goal) {
		json_put_text(&json, "goal", report->goal);
		json_put_real(&json, "value", report->searched.value);
		json_put_real(&json, "epsilon", report->searched.epsilon);
		json_put_u64(&json, "n_design", report->searched.n_design);
		json_put_text(&json, "network_result", network_result_name[report->searched.network_result]);
		left_out_put_json(&json, &report->searched.left_out);
	}
	const struct story story = story_of(report);
	story_put_json(&json, &story);
	simulate_put_json(&json, &mapping->machine, report->block, mapping->network.n_block, NULL);
	struct simulate_totals totals;
	simulate_sum(&mapping->machine, report->block, mapping->network.n_block, NULL, &totals);
	struct energy_trust trust = trust_of(report, &totals);
	energy_trust_put_json(&json, &trust);
	json_begin_list(&json, "splits");
	each_operation(report, put_json_row, &json);
	json_end(&json);
	json_begin_list(&json, "utilisation");
	put_json_use(&json, report);
	json_end(&json);
	json_end(&json);
	json_finish(&json);
}
