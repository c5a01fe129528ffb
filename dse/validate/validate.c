/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The road of a table: read (sim/base/csv) -> kind by its columns -> for every
 * cell of a value column: predict (the kind's file) -> set apart
 * (validate_rule.c) -> error (validate_compare.c) -> of rows with the same key
 * the nearest (validate_duplicate.c) -> sum. A mistake in a row is reported with
 * its cell; the row is listed without a prediction and the others come out.
 */
#include "dse/out/machine_column.h"
#include "dse/validate/validate_parts.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

const struct reference_kind reference_kind_table[] = {
    {"split_utilisation",
     "bytes and utilisation of an operation's tasks (thesis appendices H and J)",
     {"network", "target", "operation", "partial_operation"},
     {"pieces", "ifmap_aligned_byte", "ifmap_valid_byte", "weight_aligned_byte", "weight_valid_byte",
      "ofmap_aligned_byte", "ofmap_valid_byte", "mac_utilisation", "sram_utilisation"},
     validate_split_utilisation,
     4,
     false},
    {"strategy_clocks",
     "clocks of operations by distribution strategy (thesis tables 5.5 to 5.8)",
     {"target", "network", "operation"},
     {"no_fusion_no_reuse_clk", "fusion_no_reuse_clk", "fusion_reuse_clk"},
     validate_strategy_clocks,
     3,
     false},
    {"mac_array_clocks",
     "clocks of operations by MAC array (thesis tables 5.11 and 5.12)",
     {"network", "operation", "array"},
     {"total_clk", "computation_clk"},
     validate_mac_array_clocks,
     3,
     false},
    {"phase_clocks",
     "clocks of operations by phase (published with the thesis simulator)",
     {"target", "network", "operation", "array", "strategy"},
     {"weight_clk", "input_clk", "migration_clk", "computation_clk", "total_clk"},
     validate_phase_clocks,
     5,
     false},
    {"overall_clocks",
     "clocks of whole networks by operation (thesis table 5.10)",
     {"operation"},
     {"*_clk"},
     validate_overall_clocks,
     1,
     false},
    {"overall_transfer_clocks",
     "clocks of whole networks' transfers, and their share of all clocks (thesis slides)",
     {"transfer"},
     {"*_clk", "*_share_pct"},
     validate_overall_transfer_clocks,
     1,
     false},
    {"mac_array_performance",
     "Gop/s of operations by MAC array, and operations per byte (thesis tables 5.13 and 5.14)",
     {"network", "operation"},
     {"operation_per_byte", "gops_*"},
     validate_mac_array_performance,
     2,
     false},
    {"layer_tasks",
     "clocks and DRAM bytes of single layers by strategy, with their splits (thesis simulator, re-run)",
     {"target", "layer", "strategy", "kind", "in_w", "in_h", "in_c", "k_w", "k_h", "stride", "out_c", "ifmap_w_parts",
      "ifmap_h_parts", "filter_parts"},
     {"total_clk", "weight_clk", "input_clk", "migration_clk", "computation_clk", "dram_read_byte", "dram_write_byte"},
     validate_layer_tasks,
     3,
     false},
    {"pe_tasks",
     "clocks of one task on all PEs of a QPE, by MAC array and SRAM (thesis simulator, re-run)",
     {"task", "kind", "array", "sram_clk", "operand_a", "pe_shift", "in_w", "in_h", "in_c", "k_w", "k_h", "out_c",
      "a_w", "a_h", "b_w"},
     {"clk"},
     validate_pe_tasks,
     6,
     false},
    {"hdl_clocks",
     "the same on the HDL prototype and the thesis simulator (thesis tables 5.1 to 5.4)",
     {"task", "operand_a", "pe_shift", "a_w", "a_h", "a_c", "b_w", "b_h", "b_c", "b_n"},
     {"hdl_clk", "thesis_sim_clk"},
     validate_hdl_clocks,
     10,
     false},
    {"scalesim_reference",
     "layers on systolic arrays: clocks, stalls, utilisations and DRAM words, by SCALE-Sim 2.0.2",
     {"network", "layer", "mode", "rows", "cols", "bandwidth_word_per_clk", "dataflow", "ifmap_kib", "filter_kib",
      "ofmap_kib", "ifmap_h", "ifmap_w", "filter_h", "filter_w", "channels", "n_filter", "stride"},
     {"total_clk", "stall_clk", "overall_util_pct", "mapping_eff_pct", "compute_util_pct", "dram_ifmap_read_word",
      "dram_filter_read_word", "dram_ofmap_write_word"},
     validate_scalesim,
     6,
     true},
    {"arada_table1_mobilenet_edge",
     "clock and bandwidth of MobileNet's layers on an Edge TPU (ARADA paper, table 1)",
     {"layer"},
     {"clk_mhz", "bandwidth_gb_per_s"},
     validate_arada_table1,
     1,
     true},
    {"octopus_mlp",
     "run time of a multi-layer schedule's steps (OctopuScheduler paper, table II)",
     {"step", "input", "output", "workers"},
     {"runtime_us", "weight_us", "mla_us"},
     validate_octopus,
     1,
     false},
};
const size_t reference_n_kind = sizeof(reference_kind_table) / sizeof(reference_kind_table[0]);

/* Whether a name is what a value column is called: the same, or with at least one letter for its '*'. */
static bool matches(const char *name, const char *value)
{
	const char *star = strchr(value, '*');
	if (!star)
		return strcmp(name, value) == 0;
	size_t n_name = strlen(name), n_begin = (size_t)(star - value), n_end = strlen(star + 1);
	return n_name > n_begin + n_end && memcmp(name, value, n_begin) == 0 &&
	       strcmp(name + n_name - n_end, star + 1) == 0;
}

bool validate_is_value(const struct reference_kind *kind, const struct csv_table *table, size_t column)
{
	assert(column < table->n_column);
	const char *name = table->header[column].text;
	if (machine_column_find(name)) /* transfer.copy_setup_clk is no network's clocks */
		return false;
	for (const char *const *value = kind->value; *value; value++) {
		if (matches(name, *value))
			return true;
	}
	return false;
}

/* How well a table fits a kind. */
struct fit {
	size_t n_key, n_value; /* columns of the kind that the table has */
	bool whole;            /* all key columns and a value column */
};

static bool has_pattern(const struct reference_kind *kind)
{
	return kind->value[0] && kind->value[0][0] == '*';
}

/* Values are optional one by one: a table may leave out what its author did not measure. */
static struct fit fit_kind(const struct csv_table *table, const struct reference_kind *kind)
{
	struct fit fit = {0};
	size_t n_key = 0;
	for (; kind->key[n_key]; n_key++)
		fit.n_key += csv_find_column(table, kind->key[n_key]) != CSV_NO_COLUMN;
	for (size_t i = 0; i < table->n_column; i++)
		fit.n_value += validate_is_value(kind, table, i);
	/* A pattern stands for one column, or a kind that has one would outbid those that name theirs. */
	if (fit.n_value > 1 && has_pattern(kind))
		fit.n_value = 1;
	fit.whole = fit.n_key == n_key && fit.n_value > 0;
	return fit;
}

/* Nothing fits: say what the most similar kind would need. */
static enum err_code report_missing(const struct csv_table *table, const struct reference_kind *kind, struct err *err)
{
	struct err_place at = {table->file, 1, 1};
	if (!kind)
		return err_add_at(err, ERR_INPUT, at, "no column of any reference table; see dse validate --help");
	for (const char *const *key = kind->key; *key; key++) {
		if (csv_find_column(table, *key) != CSV_NO_COLUMN)
			continue;
		const char *name[CSV_MAX_COLUMN];
		for (size_t i = 0; i < table->n_column; i++)
			name[i] = table->header[i].text;
		const char *near = err_nearest(*key, name, table->n_column);
		(void)err_add_at(err, ERR_INPUT, at, "nearest kind of table: %s, but the column '%s' is missing%s%s%s",
		                 kind->name, *key, near ? "; did you mean it by '" : "", near ? near : "",
		                 near ? "'?" : "");
	}
	if (fit_kind(table, kind).n_value == 0)
		(void)err_add_at(err, ERR_INPUT, at,
		                 "nearest kind of table: %s, but it has no column to compare, such as '%s'", kind->name,
		                 kind->value[0]);
	return ERR_INPUT;
}

/* Columns of machine parameters: known ones, and only where the kind's rows can use them. */
static enum err_code check_params(const struct csv_table *table, const struct reference_kind *kind, struct err *err)
{
	enum err_code code = machine_column_check(table, err);
	for (size_t i = 0; i < table->n_column && kind->no_param; i++) {
		if (machine_column_find(table->header[i].text))
			code = err_add_at(err, ERR_INPUT, csv_place(table, &table->header[i]),
			                  "a row of %s says all of its machine; no machine parameter is allowed",
			                  kind->name);
	}
	return code;
}

enum err_code validate_find_kind(const struct csv_table *table, const struct reference_kind *kind, size_t n,
                                 const struct reference_kind **found, struct err *err)
{
	assert(table && found && (kind || n == 0));
	const struct reference_kind *best = NULL, *nearest = NULL;
	size_t n_best = 0, n_nearest = 0;
	for (size_t i = 0; i < n; i++) {
		struct fit fit = fit_kind(table, &kind[i]);
		if (fit.whole && fit.n_key + fit.n_value > n_best) {
			n_best = fit.n_key + fit.n_value;
			best = &kind[i];
		}
		if (fit.n_key + fit.n_value > n_nearest) {
			n_nearest = fit.n_key + fit.n_value;
			nearest = &kind[i];
		}
	}
	/* A pattern takes nearly any table: a kind of which more is there was meant, with a column misspelt. */
	if (!best || (has_pattern(best) && n_nearest > n_best))
		return report_missing(table, nearest, err);
	enum err_code code = check_params(table, best, err);
	if (!code)
		*found = best;
	return code;
}

enum err_code validate_file(const char *path, struct source *source, struct validation *validation, struct err *err)
{
	assert(path && source && validation);
	*validation = (struct validation){0};
	enum err_code code = csv_read_file(path, &validation->table, err);
	if (!code)
		code = validate_find_kind(&validation->table, reference_kind_table, reference_n_kind, &validation->kind,
		                          err);
	if (code) {
		validate_free(validation);
		return code;
	}
	return validate_compare(validation, source, err);
}

void validate_free(struct validation *validation)
{
	assert(validation);
	csv_free(&validation->table);
	free(validation->value);
	*validation = (struct validation){0};
}
