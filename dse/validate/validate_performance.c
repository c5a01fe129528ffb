/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance of operations on the thesis chip (tables 5.13 and 5.14): Gop/s by MAC array, from the same runs as the
 * clocks by array, and operations per byte. An operation is half a multiply-accumulate. Bytes are those of the padded
 * ifmap, the filters and the 8-bit ofmap, each once: not equation 2.3, but what the published figures fit (CONV_1 of
 * VGG-16: 173.4 Mop over 3.37 MB, 51.51).
 */
#include "dse/validate/validate_parts.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static const char gops_begin[] = "gops_";

/* Operations and bytes of a core operation. */
struct op_work {
	double n_op, n_byte;
};

static struct op_work conv_work(const struct block *block)
{
	double ifmap_byte = (double)block_padded_w(block) * block_padded_h(block) * block->in_c;
	double filter_byte = (double)block_n_weight(block);
	double ofmap_byte = (double)block->out_w * block->out_h * block->out_c;
	return (struct op_work){2 * (double)block_n_mac(block), ifmap_byte + filter_byte + ofmap_byte};
}

/* Of the matrices as they are split: the source counts the columns it pads (FC_21 of VGG-16: 1024 of 1000). */
static struct op_work matmul_work(const struct block *block, const struct split *split)
{
	double height = block->in_h, inner = (double)dim_extent(&split->d), width = (double)dim_extent(&split->w);
	return (struct op_work){2 * height * inner * width, height * inner + inner * width + height * width};
}

/* What the source prints: two places. */
static double as_printed(double value)
{
	return round(100 * value) / 100;
}

static enum err_code find_work(struct source *source, struct source_subject *subject, size_t block,
                               struct op_work *work, bool *listed, struct err *err)
{
	const struct block *core = &subject->network->block[block];
	struct source_split_choice choice;
	enum err_code code = source_find_split(source, subject, block, SPLIT_AS_RUN, &choice, err);
	if (code)
		return code;
	*work = core->kind == BLOCK_MATMUL ? matmul_work(core, &choice.split) : conv_work(core);
	*listed = choice.listed;
	assert(work->n_byte > 0);
	return ERR_OK;
}

enum err_code validate_mac_array_performance(const struct validate_cell *cell, struct prediction *prediction,
                                             struct err *err)
{
	const struct csv_table *table = cell->table;
	const size_t row = cell->row;
	const struct csv_cell *header = &table->header[cell->column];
	bool is_gops = strncmp(header->text, gops_begin, strlen(gops_begin)) == 0;
	const struct csv_cell array = {header->text + (is_gops ? strlen(gops_begin) : 0), header->line, header->column};
	const struct source_key key = {
	    .table = table,
	    .row = row,
	    .network = cell_find(table, row, "network"),
	    .target = cell_find(table, row, "target"),
	    .array = is_gops ? &array : NULL,
	    .operation = cell_find(table, row, "operation"),
	};
	struct source_subject *subject;
	struct source_run run;
	struct op_work work;
	size_t block;
	bool listed;
	enum err_code code = source_find(cell->source, &key, &subject, &block, err);
	if (!code)
		code = find_work(cell->source, subject, block, &work, &listed, err);
	if (code)
		return code;

	/* A split of ours makes operations per byte no guess: only matrices that we pad otherwise would differ. */
	prediction->value = as_printed(work.n_op / work.n_byte);
	if (!is_gops)
		return ERR_OK;
	code = source_run_block(cell->source, subject, block, STRATEGY_THESIS_REUSE, SPLIT_AS_RUN, &run, err);
	if (code)
		return code;
	double clk_ghz = subject->machine->level[0].clk_mhz / 1e3;
	prediction->value = run.ran ? as_printed(work.n_op * clk_ghz / (double)run.result.core_clk) : NAN;
	prediction->note = run.ran ? NULL : verdict_table[run.verdict.reason].help;
	if (!listed) {
		prediction->counted = false;
		prediction->note = source_unlisted_note;
	}
	return ERR_OK;
}
