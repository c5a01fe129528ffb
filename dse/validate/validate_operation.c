/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of single operations on a machine: clocks by strategy, by MAC array and by phase. Their value columns say
 * which strategy a run had, or the table's own column; the arrays of thesis tables 5.11 and 5.12 ran with fusion and
 * reuse.
 */
#include "dse/validate/validate_parts.h"

enum err_code validate_operation_clocks(const struct validate_cell *cell, struct prediction *prediction,
                                        struct err *err)
{
	const struct csv_table *table = cell->table;
	const size_t row = cell->row;
	const struct source_key key = {
	    .table = table,
	    .row = row,
	    .network = cell_find(table, row, "network"),
	    .target = cell_find(table, row, "target"),
	    .array = cell_find(table, row, "array"),
	    .operation = cell_find(table, row, "operation"),
	};
	enum strategy strategy = cell->value->strategy == N_STRATEGY ? STRATEGY_THESIS_REUSE : cell->value->strategy;
	struct source_subject *subject;
	struct source_run run;
	size_t block;
	enum err_code code = ERR_OK;
	if (cell->value->strategy == N_STRATEGY && cell_find(table, row, "strategy"))
		code = cell_read_strategy(table, row, &strategy, err);
	if (!code)
		code = source_find(cell->source, &key, &subject, &block, err);
	if (!code)
		code = source_run_block(cell->source, subject, block, strategy, SPLIT_AS_RUN, &run, err);
	if (!code)
		validate_take_run(cell, &run, prediction);
	return code;
}
