/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole networks on the thesis chip, clocks summed by kind of operation (thesis
 * table 5.10): every block with its listed split, fusion and reuse. The source
 * charges the ARM operations of convolution and pooling blocks only.
 */
#include "dse/validate.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Which clocks of a block a row of the table sums. */
enum part_of { CORE_CONV, CORE_MATMUL, ARM_PHASE, WHOLE };

static const struct overall_row {
	const char *name;
	enum part_of what;
	enum phase phase; /* ARM_PHASE */
} overall_row[] = {
    {"CONV", CORE_CONV, N_PHASE},          {"FC", CORE_MATMUL, N_PHASE},    {"PADD", ARM_PHASE, PHASE_PADD},
    {"MAT_ELE", ARM_PHASE, PHASE_MAT_ELE}, {"ACTI", ARM_PHASE, PHASE_ACTI}, {"QUAN", ARM_PHASE, PHASE_QUAN},
    {"POOL", ARM_PHASE, PHASE_POOL},       {"sum", WHOLE, N_PHASE},
};
#define N_OVERALL_ROW (sizeof(overall_row) / sizeof(overall_row[0]))

/* What a block adds to a row other than WHOLE. */
static uint64_t block_clk(const struct overall_row *row, const struct block *block, const struct sim_result *result)
{
	switch (row->what) {
	case CORE_CONV:
		return block->kind == BLOCK_CONV ? result->core_clk : 0;
	case CORE_MATMUL:
		return block->kind == BLOCK_MATMUL ? result->core_clk : 0;
	case ARM_PHASE:
		return block->kind != BLOCK_MATMUL ? result->phase_clk[row->phase] : 0;
	case WHOLE:
		break;
	}
	assert(false);
	return 0;
}

/* The same for any row: the sum is that of all the others. */
static uint64_t add_clk(const struct overall_row *row, const struct block *block, const struct sim_result *result)
{
	if (row->what != WHOLE)
		return block_clk(row, block, result);
	uint64_t clk = 0;
	for (size_t i = 0; i < N_OVERALL_ROW; i++)
		clk += overall_row[i].what == WHOLE ? 0 : block_clk(&overall_row[i], block, result);
	return clk;
}

static enum err_code predict_row(struct source *source, struct source_subject *subject, const struct overall_row *row,
                                 struct prediction *prediction, struct err *err)
{
	*prediction = (struct prediction){0, true, NULL};
	for (size_t i = 0; i < subject->network->n_block; i++) {
		const struct block *block = &subject->network->block[i];
		struct source_run run;
		enum err_code code =
		    source_run_block(source, subject, i, STRATEGY_THESIS_REUSE, SPLIT_AS_LISTED, &run, err);
		if (code)
			return code;
		if (!run.ran) {
			*prediction = (struct prediction){NAN, true, verdict_table[run.verdict.reason].help};
			return ERR_OK;
		}
		prediction->value += (double)add_clk(row, block, &run.result);
		if (!run.listed) {
			prediction->counted = false;
			prediction->note = source_unlisted_note;
		}
	}
	return ERR_OK;
}

static const struct overall_row *find_row(const struct csv_table *table, const struct csv_cell *operation,
                                          struct err *err)
{
	const char *name[N_OVERALL_ROW];
	for (size_t i = 0; i < N_OVERALL_ROW; i++) {
		name[i] = overall_row[i].name;
		if (strcmp(name[i], operation->text) == 0)
			return &overall_row[i];
	}
	const char *near = err_nearest(operation->text, name, N_OVERALL_ROW);
	(void)err_add_at(err, ERR_INPUT, csv_place(table, operation),
	                 "operation is '%.40s'; CONV, FC, PADD, MAT_ELE, ACTI, QUAN, POOL or sum is allowed%s%s%s",
	                 operation->text, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

enum err_code validate_overall_clocks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                      struct prediction *prediction, struct err *err)
{
	size_t operation = csv_find_column(table, "operation");
	assert(operation != CSV_NO_COLUMN);
	const struct overall_row *what = find_row(table, csv_get_cell(table, row, operation), err);
	if (!what)
		return ERR_INPUT;

	/* The column's name without "_clk" is the network's. */
	const struct csv_cell *header = &table->header[column];
	char name[NETWORK_NAME_SIZE];
	size_t n = strlen(header->text);
	assert(n > 4);
	if (n - 4 >= sizeof(name))
		return err_add_at(err, ERR_INPUT, csv_place(table, header), "column name of more than %zu letters",
		                  sizeof(name) + 3);
	(void)snprintf(name, sizeof(name), "%.*s", (int)(n - 4), header->text);

	const struct csv_cell network = {name, header->line, header->column};
	const struct source_key key = {.table = table, .network = &network};
	struct source_subject *subject;
	enum err_code code = source_find(source, &key, &subject, NULL, err);
	return code ? code : predict_row(source, subject, what, prediction, err);
}
