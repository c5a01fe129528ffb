/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole networks on the thesis chip, clocks summed by kind of operation (thesis table 5.10) or, of the convolutions, by
 * kind of transfer: every block with its listed split, fusion and reuse. The source charges the ARM operations of
 * convolution and pooling blocks only, and its chip reuse leaves out tasks of some layers: clocks that contain those
 * layers are predicted twice, without these tasks, as the source counted, and with all work done.
 */
#include "dse/validate/validate_parts.h"
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define CONV_BLOCK (1u << BLOCK_CONV)
#define MATMUL_BLOCK (1u << BLOCK_MATMUL)
#define ARM_BLOCK (CONV_BLOCK | 1u << BLOCK_POOL)
#define CLK(member) offsetof(struct sim_result, member)

/* A row of the table: which clocks of which blocks it sums. */
static const struct overall_row {
	const char *name;
	unsigned kinds; /* bit k: of blocks of kind k; 0: the sum of all other rows */
	size_t offset;  /* of the clocks, in struct sim_result */
	bool has_two;   /* predicted twice, see above */
} overall_row[] = {
    {"CONV", CONV_BLOCK, CLK(core_clk), true},
    {"FC", MATMUL_BLOCK, CLK(core_clk), false},
    {"PADD", ARM_BLOCK, CLK(phase_clk[PHASE_PADD]), false},
    {"MAT_ELE", ARM_BLOCK, CLK(phase_clk[PHASE_MAT_ELE]), false},
    {"ACTI", ARM_BLOCK, CLK(phase_clk[PHASE_ACTI]), false},
    {"QUAN", ARM_BLOCK, CLK(phase_clk[PHASE_QUAN]), false},
    {"POOL", ARM_BLOCK, CLK(phase_clk[PHASE_POOL]), false},
    {"sum", 0, 0, true},
};
#define N_OVERALL_ROW (sizeof(overall_row) / sizeof(overall_row[0]))
static const struct overall_row *const whole_row = &overall_row[N_OVERALL_ROW - 1];

/* Contained in CONV above. */
static const struct overall_row transfer_row[] = {
    {"input", CONV_BLOCK, CLK(phase_clk[PHASE_INPUT]), false},
    {"weight", CONV_BLOCK, CLK(phase_clk[PHASE_WEIGHT]), false},
    {"weight_migration", CONV_BLOCK, CLK(phase_clk[PHASE_MIGRATION]), false},
};
#define N_TRANSFER_ROW (sizeof(transfer_row) / sizeof(transfer_row[0]))

static const char left_out_note[] = "without the tasks that the source left out";

/* What a block adds to a row. */
static uint64_t block_clk(const struct overall_row *row, const struct block *block, const struct sim_result *result)
{
	uint64_t clk = 0;
	if (row->kinds >> block->kind & 1)
		memcpy(&clk, (const char *)result + row->offset, sizeof(clk));
	for (size_t i = 0; i < N_OVERALL_ROW && row == whole_row; i++)
		clk += &overall_row[i] == whole_row ? 0 : block_clk(&overall_row[i], block, result);
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
		prediction->value += (double)block_clk(row, block, &run.result);
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
	if (code || !row->has_two)
		return code;
	code = sum_blocks(source, subject, row, STRATEGY_FUSION_REUSE, &all_work, err);
	if (code || all_work.value == prediction->value)
		return code;
	prediction->all_work = all_work.value;
	if (!prediction->note)
		prediction->note = left_out_note;
	return ERR_OK;
}

/* The row that a cell of the table names, and the network that its column is of: the name is the network's and an
 * ending.
 */
static enum err_code find_row(const struct validate_cell *cell, const char *row_column, const struct overall_row *rows,
                              size_t n, const char *ending, const struct overall_row **row,
                              struct source_subject **subject, struct err *err)
{
	const struct csv_cell *header = &cell->table->header[cell->column];
	const char *word[N_OVERALL_ROW];
	char name[NETWORK_NAME_SIZE];
	size_t index = 0, n_byte = strlen(header->text), n_ending = strlen(ending);
	assert(n <= N_OVERALL_ROW && n_byte > n_ending);
	for (size_t i = 0; i < n; i++)
		word[i] = rows[i].name;
	enum err_code code = cell_read_word(cell->table, cell->row, row_column, word, n, &index, err);
	if (code)
		return code;
	*row = &rows[index];
	if (n_byte - n_ending >= sizeof(name))
		return err_add_at(err, ERR_INPUT, csv_place(cell->table, header),
		                  "column name of more than %zu letters", sizeof(name) - 1 + n_ending);
	(void)snprintf(name, sizeof(name), "%.*s", (int)(n_byte - n_ending), header->text);

	const struct csv_cell network = {name, header->line, header->column};
	const struct source_key key = {.table = cell->table, .row = cell->row, .network = &network};
	return source_find(cell->source, &key, subject, NULL, err);
}

enum err_code validate_overall_clocks(const struct validate_cell *cell, struct prediction *prediction, struct err *err)
{
	const struct overall_row *row;
	struct source_subject *subject;
	enum err_code code = find_row(cell, "operation", overall_row, N_OVERALL_ROW, "_clk", &row, &subject, err);
	return code ? code : predict_row(cell->source, subject, row, prediction, err);
}

/* A share is of all clocks of the network: table 5.10's sum, to which published shares fit; two places are printed. */
static enum err_code make_share(struct source *source, struct source_subject *subject, struct prediction *prediction,
                                struct err *err)
{
	struct prediction whole;
	enum err_code code = predict_row(source, subject, whole_row, &whole, err);
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

enum err_code validate_overall_transfer_clocks(const struct validate_cell *cell, struct prediction *prediction,
                                               struct err *err)
{
	const bool is_share = strcmp(cell->value->name, "*_share_pct") == 0;
	const struct overall_row *row;
	struct source_subject *subject;
	enum err_code code =
	    find_row(cell, "transfer", transfer_row, N_TRANSFER_ROW, cell->value->name + 1, &row, &subject, err);
	if (!code)
		code = predict_row(cell->source, subject, row, prediction, err);
	return code || !is_share ? code : make_share(cell->source, subject, prediction, err);
}
