/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole networks on the thesis chip, clocks summed by kind of operation (thesis
 * table 5.10) or, of the convolutions, by kind of transfer: every block with its
 * listed split, fusion and reuse. The source charges the ARM operations of
 * convolution and pooling blocks only, and its chip reuse leaves out tasks of some
 * layers: clocks that contain those layers are predicted twice, without these
 * tasks, as the source counted, and with all work done.
 */
#include "dse/validate/validate_parts.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Which clocks of a block a row of the table sums. */
enum part_of { CORE_CONV, CORE_MATMUL, ARM_PHASE, CONV_PHASE, WHOLE };

static const struct overall_row {
	const char *name;
	enum part_of what;
	enum phase phase; /* ARM_PHASE, CONV_PHASE */
} overall_row[] = {
    {"CONV", CORE_CONV, N_PHASE},          {"FC", CORE_MATMUL, N_PHASE},    {"PADD", ARM_PHASE, PHASE_PADD},
    {"MAT_ELE", ARM_PHASE, PHASE_MAT_ELE}, {"ACTI", ARM_PHASE, PHASE_ACTI}, {"QUAN", ARM_PHASE, PHASE_QUAN},
    {"POOL", ARM_PHASE, PHASE_POOL},       {"sum", WHOLE, N_PHASE},
};
#define N_OVERALL_ROW (sizeof(overall_row) / sizeof(overall_row[0]))

/* Contained in CONV above. */
static const struct overall_row transfer_row[] = {
    {"input", CONV_PHASE, PHASE_INPUT},
    {"weight", CONV_PHASE, PHASE_WEIGHT},
    {"weight_migration", CONV_PHASE, PHASE_MIGRATION},
};
#define N_TRANSFER_ROW (sizeof(transfer_row) / sizeof(transfer_row[0]))

static const char left_out_note[] = "without the tasks that the source left out";

static const struct overall_row whole_row = {"sum", WHOLE, N_PHASE};

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
	case CONV_PHASE:
		return block->kind == BLOCK_CONV ? result->phase_clk[row->phase] : 0;
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

/* What the blocks run in this way add up to; *prediction says when one cannot run, or has a split of ours. */
static enum err_code sum_blocks(struct source *source, struct source_subject *subject, const struct overall_row *row,
                                enum strategy strategy, struct prediction *prediction, struct err *err)
{
	*prediction = (struct prediction){0, true, NULL, NAN};
	for (size_t i = 0; i < subject->network->n_block; i++) {
		const struct block *block = &subject->network->block[i];
		struct source_run run;
		enum err_code code = source_run_block(source, subject, i, strategy, SPLIT_AS_LISTED, &run, err);
		if (code)
			return code;
		if (!run.ran) {
			*prediction = (struct prediction){NAN, true, verdict_table[run.verdict.reason].help, NAN};
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

static enum err_code predict_row(struct source *source, struct source_subject *subject, const struct overall_row *row,
                                 struct prediction *prediction, struct err *err)
{
	struct prediction all_work;
	enum err_code code = sum_blocks(source, subject, row, STRATEGY_THESIS_REUSE, prediction, err);
	if (code || (row->what != CORE_CONV && row->what != WHOLE))
		return code;
	code = sum_blocks(source, subject, row, STRATEGY_FUSION_REUSE, &all_work, err);
	if (code || all_work.value == prediction->value)
		return code;
	prediction->all_work = all_work.value;
	if (!prediction->note)
		prediction->note = left_out_note;
	return ERR_OK;
}

static const struct overall_row *find_row(const struct csv_table *table, size_t row, const char *column,
                                          const struct overall_row *rows, size_t n, struct err *err)
{
	const char *name[N_OVERALL_ROW];
	size_t index = 0;
	assert(n <= N_OVERALL_ROW);
	for (size_t i = 0; i < n; i++)
		name[i] = rows[i].name;
	return cell_read_word(table, row, column, name, n, &index, err) == ERR_OK ? &rows[index] : NULL;
}

/* The network that a column is of, its name being the network's and an ending, on the row's machine. */
static enum err_code find_network(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                  const char *ending, struct source_subject **subject, struct err *err)
{
	const struct csv_cell *header = &table->header[column];
	char name[NETWORK_NAME_SIZE];
	size_t n = strlen(header->text), n_ending = strlen(ending);
	assert(n > n_ending);
	if (n - n_ending >= sizeof(name))
		return err_add_at(err, ERR_INPUT, csv_place(table, header), "column name of more than %zu letters",
		                  sizeof(name) - 1 + n_ending);
	(void)snprintf(name, sizeof(name), "%.*s", (int)(n - n_ending), header->text);

	const struct csv_cell network = {name, header->line, header->column};
	const struct source_key key = {.table = table, .row = row, .network = &network};
	return source_find(source, &key, subject, NULL, err);
}

enum err_code validate_overall_clocks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                      struct prediction *prediction, struct err *err)
{
	const struct overall_row *what = find_row(table, row, "operation", overall_row, N_OVERALL_ROW, err);
	struct source_subject *subject;
	if (!what)
		return ERR_INPUT;
	enum err_code code = find_network(source, table, row, column, "_clk", &subject, err);
	return code ? code : predict_row(source, subject, what, prediction, err);
}

/* A share is of all clocks of the network: table 5.10's sum, to which the published shares fit; two places are printed.
 */
static enum err_code make_share(struct source *source, struct source_subject *subject, struct prediction *prediction,
                                struct err *err)
{
	struct prediction whole;
	enum err_code code = predict_row(source, subject, &whole_row, &whole, err);
	if (code)
		return code;
	assert(isnan(whole.value) || whole.value >= prediction->value);
	prediction->value = whole.value == 0 ? 0 : round(100 * 100 * prediction->value / whole.value) / 100;
	if (!whole.counted || isnan(whole.value)) {
		prediction->counted = whole.counted;
		prediction->note = whole.note;
	}
	return ERR_OK;
}

enum err_code validate_overall_transfer_clocks(struct source *source, const struct csv_table *table, size_t row,
                                               size_t column, struct prediction *prediction, struct err *err)
{
	static const char share[] = "_share_pct";
	const char *name = table->header[column].text;
	size_t n = strlen(name), n_share = strlen(share);
	bool is_share = n > n_share && strcmp(name + n - n_share, share) == 0;
	const struct overall_row *what = find_row(table, row, "transfer", transfer_row, N_TRANSFER_ROW, err);
	struct source_subject *subject;
	if (!what)
		return ERR_INPUT;
	enum err_code code = find_network(source, table, row, column, is_share ? share : "_clk", &subject, err);
	if (!code)
		code = predict_row(source, subject, what, prediction, err);
	return code || !is_share ? code : make_share(source, subject, prediction, err);
}
