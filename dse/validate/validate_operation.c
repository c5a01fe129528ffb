/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of single operations on a machine: clocks by strategy, by MAC array
 * and by phase. They differ in what their value columns mean.
 */
#include "dse/validate/validate_parts.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define TOTAL_CLK N_PHASE /* all phases but the ARM cores': what the sources call total clocks */

/* A value column: which run it is of, and which of its clocks. */
struct clock_column {
	const char *name;
	enum strategy strategy;
	int phase;
};

static const struct clock_column strategy_column[] = {
    {"no_fusion_no_reuse_clk", STRATEGY_NO_FUSION, TOTAL_CLK},
    {"fusion_no_reuse_clk", STRATEGY_FUSION, TOTAL_CLK},
    {"fusion_reuse_clk", STRATEGY_THESIS_REUSE, TOTAL_CLK},
};

/* The strategy here is that of the tables by array; tables by phase name theirs. */
static const struct clock_column phase_column[] = {
    {"weight_clk", STRATEGY_THESIS_REUSE, PHASE_WEIGHT},
    {"input_clk", STRATEGY_THESIS_REUSE, PHASE_INPUT},
    {"migration_clk", STRATEGY_THESIS_REUSE, PHASE_MIGRATION},
    {"computation_clk", STRATEGY_THESIS_REUSE, PHASE_COMPUTATION},
    {"total_clk", STRATEGY_THESIS_REUSE, TOTAL_CLK},
};

static const struct clock_column *find_column(const struct clock_column *columns, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(columns[i].name, name) == 0)
			return &columns[i];
	}
	return NULL;
}

static enum err_code predict_clk(struct source *source, const struct csv_table *table, size_t row,
                                 const struct clock_column *column, enum strategy strategy,
                                 struct prediction *prediction, struct err *err)
{
	assert(column->phase >= 0 && column->phase <= TOTAL_CLK);
	const struct source_key key = {
	    .table = table,
	    .row = row,
	    .network = cell_find(table, row, "network"),
	    .target = cell_find(table, row, "target"),
	    .array = cell_find(table, row, "array"),
	    .operation = cell_find(table, row, "operation"),
	};
	struct source_subject *subject;
	struct source_run run;
	size_t block;
	enum err_code code = source_find(source, &key, &subject, &block, err);
	if (!code)
		code = source_run_block(source, subject, block, strategy, SPLIT_AS_RUN, &run, err);
	if (code)
		return code;

	/* A design that cannot run counts: a published run that our machine refuses is an error of ours. */
	*prediction = (struct prediction){NAN, true, NULL, NAN};
	if (!run.ran)
		prediction->note = verdict_table[run.verdict.reason].help;
	else if (column->phase == TOTAL_CLK)
		prediction->value = (double)run.result.core_clk;
	else
		prediction->value = (double)run.result.phase_clk[column->phase];
	if (!run.listed) {
		prediction->counted = false;
		prediction->note = source_unlisted_note;
	}
	return ERR_OK;
}

enum err_code validate_strategy_clocks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                       struct prediction *prediction, struct err *err)
{
	const struct clock_column *which = find_column(
	    strategy_column, sizeof(strategy_column) / sizeof(strategy_column[0]), table->header[column].text);
	assert(which);
	return predict_clk(source, table, row, which, which->strategy, prediction, err);
}

enum err_code validate_phase_clocks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                    struct prediction *prediction, struct err *err)
{
	const struct clock_column *which =
	    find_column(phase_column, sizeof(phase_column) / sizeof(phase_column[0]), table->header[column].text);
	assert(which);
	/* The arrays of tables 5.11 and 5.12 ran with fusion and reuse; where a table names the strategy, it decides.
	 */
	enum strategy strategy = which->strategy;
	enum err_code code = ERR_OK;
	if (csv_find_column(table, "strategy") != CSV_NO_COLUMN)
		code = cell_read_strategy(table, row, &strategy, err);
	return code ? code : predict_clk(source, table, row, which, strategy, prediction, err);
}

enum err_code validate_mac_array_clocks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                        struct prediction *prediction, struct err *err)
{
	return validate_phase_clocks(source, table, row, column, prediction, err);
}
