/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of layers that bring their own shape and split: no network file knows them. A row becomes a block with nothing
 * fused, its ifmap stored with the padding, and runs as the layers of the published tables do.
 */
#include "dse/validate/validate_parts.h"
#include <assert.h>
#include <stdio.h>

/* Products of four sizes stay within 64 bit, and a kernel's preparation short. */
#define MAX_EXTENT 65536u
#define MAX_KERNEL 256u

static const char *const kind_word[] = {"conv", "matmul"};

/* A cell's parts, "21*4+20*7". */
static enum err_code read_parts(const struct csv_table *table, size_t row, const char *column, struct dim_split *dim,
                                struct err *err)
{
	const struct csv_cell *cell = cell_find(table, row, column);
	struct err inner = {0};
	assert(cell);
	enum err_code code = dim_parse(cell->text, dim, &inner);
	if (code)
		(void)err_add_all(err, csv_place(table, cell), &inner);
	err_clear(&inner);
	return code;
}

/* The ofmap parts of stored ifmap parts: thesis equation 4.1 the other way round. Sizes may become equal. */
static enum err_code to_ofmap(const struct csv_table *table, size_t row, const char *column, uint32_t kernel,
                              uint32_t stride, struct dim_split *dim, struct err *err)
{
	assert(kernel > 0 && stride > 0 && dim->n_a > 0);
	uint32_t smallest = dim->n_b > 0 ? dim->size_b : dim->size_a;
	if (smallest < kernel)
		return err_add_at(err, ERR_INPUT, csv_place(table, cell_find(table, row, column)),
		                  "%s has a part of %u, but the kernel has %u", column, smallest, kernel);
	dim->size_a = (dim->size_a - kernel) / stride + 1;
	if (dim->n_b == 0)
		return ERR_OK;
	dim->size_b = (dim->size_b - kernel) / stride + 1;
	if (dim->size_b == dim->size_a)
		*dim = (struct dim_split){.size_a = dim->size_a, .n_a = dim->n_a + dim->n_b};
	return ERR_OK;
}

/* The parts of a convolution, once its shape is known; w, h of the ofmap. */
static enum err_code read_conv_split(const struct csv_table *table, size_t row, const struct block *block,
                                     struct split *split, struct err *err)
{
	*split = split_whole(block);
	enum err_code w = read_parts(table, row, "ifmap_w_parts", &split->w, err);
	enum err_code h = read_parts(table, row, "ifmap_h_parts", &split->h, err);
	enum err_code c = read_parts(table, row, "filter_parts", &split->c, err);
	if (!w)
		w = to_ofmap(table, row, "ifmap_w_parts", block->kernel_w, block->stride, &split->w, err);
	if (!h)
		h = to_ofmap(table, row, "ifmap_h_parts", block->kernel_h, block->stride, &split->h, err);
	return w ? w : h ? h : c;
}

static enum err_code read_conv(const struct csv_table *table, size_t row, struct block *block, struct split *split,
                               struct err *err)
{
	const struct cell_number number[] = {
	    {"in_w", &block->in_w, 1, MAX_EXTENT, false},    {"in_h", &block->in_h, 1, MAX_EXTENT, false},
	    {"in_c", &block->in_c, 1, MAX_EXTENT, false},    {"k_w", &block->kernel_w, 1, MAX_KERNEL, false},
	    {"k_h", &block->kernel_h, 1, MAX_KERNEL, false}, {"stride", &block->stride, 1, MAX_EXTENT, false},
	    {"out_c", &block->out_c, 1, MAX_EXTENT, false},
	};
	enum err_code code = cell_read_numbers(table, row, number, sizeof(number) / sizeof(number[0]), err);
	if (code)
		return code;
	if (block->kernel_w > block->in_w || block->kernel_h > block->in_h) {
		const char *column = block->kernel_w > block->in_w ? "k_w" : "k_h";
		return err_add_at(err, ERR_INPUT, csv_place(table, cell_find(table, row, column)),
		                  "the kernel is larger than the ifmap of %u x %u", block->in_w, block->in_h);
	}
	block->out_w = (block->in_w - block->kernel_w) / block->stride + 1;
	block->out_h = (block->in_h - block->kernel_h) / block->stride + 1;
	return read_conv_split(table, row, block, split, err);
}

/* in_w values times a matrix of in_w rows and out_c columns; in_h rows of values, 1 if not given. */
static enum err_code read_matmul(const struct csv_table *table, size_t row, struct block *block, struct split *split,
                                 struct err *err)
{
	block->in_h = block->in_c = block->out_c = block->kernel_w = block->kernel_h = block->stride = 1;
	const struct cell_number number[] = {
	    {"in_w", &block->in_w, 1, MAX_EXTENT, false},
	    {"in_h", &block->in_h, 1, MAX_EXTENT, true},
	    {"out_c", &block->out_w, 1, MAX_EXTENT, false},
	};
	enum err_code code = cell_read_numbers(table, row, number, sizeof(number) / sizeof(number[0]), err);
	if (code)
		return code;
	block->out_h = block->in_h;
	*split = split_whole(block);
	enum err_code d = read_parts(table, row, "ifmap_w_parts", &split->d, err);
	enum err_code w = read_parts(table, row, "filter_parts", &split->w, err);
	enum err_code h = ERR_OK;
	const struct csv_cell *height = cell_find(table, row, "ifmap_h_parts");
	assert(height);
	if (height->text[0] != '\0')
		h = read_parts(table, row, "ifmap_h_parts", &split->h, err);
	return d ? d : w ? w : h;
}

/* The row's layer and split, checked against each other. */
static enum err_code read_layer(const struct csv_table *table, size_t row, struct block *block, struct split *split,
                                struct err *err)
{
	const struct csv_cell *name = cell_find(table, row, "layer");
	size_t kind = 0;
	assert(name);
	*block = (struct block){.number = 1, .pool = 1, .next_pool_stride = 1};
	(void)snprintf(block->name, sizeof(block->name), "%.*s", BLOCK_NAME_SIZE - 1, name->text);
	enum err_code code = cell_read_word(table, row, "kind", kind_word, 2, &kind, err);
	if (code)
		return code;
	block->kind = kind == 0 ? BLOCK_CONV : BLOCK_MATMUL;
	code = kind == 0 ? read_conv(table, row, block, split, err) : read_matmul(table, row, block, split, err);
	if (code)
		return code;

	struct err inner = {0};
	code = split_check(block, split, &inner);
	if (code)
		(void)err_add_all(err, csv_place(table, name), &inner);
	err_clear(&inner);
	return code;
}

/* Whether an ifmap can have been left in the storage QPEs: rows in whole words, as results are stored. */
static bool ifmap_fits_storage(const struct layer_context *context)
{
	const struct block *block = context->block;
	uint64_t row_byte = ((uint64_t)block->in_w + 3) / 4 * 4;
	return row_byte * block->in_h * block->in_c <= context->hierarchy.storage_byte;
}

/*
 * Where ifmap and result lie: layers of their own follow the rule of the
 * network's, in the storage QPEs whenever they fit. Reuse serves convolutions only.
 */
static void place_layer(const struct layer_context *context, struct layer_design *design)
{
	if (design->strategy == STRATEGY_THESIS_REUSE && context->block->kind != BLOCK_CONV)
		design->strategy = STRATEGY_FUSION;
	if (!mapper_serves_storage(context, design))
		return;
	design->in_storage = ifmap_fits_storage(context);
	design->out_storage = mapper_result_fits_storage(context, &design->split);
}

/* The DRAM bytes of ARM operations (partial sums) are no part: the source counts what the core operation moves. */
static void leave_out_arm(const struct layer_context *context, const struct layer_design *design, struct counts *counts)
{
	struct program program;
	struct verdict verdict;
	bool is_legal = mapper_distribute(context, design, &program, &verdict);
	assert(is_legal);
	(void)is_legal;
	for (uint32_t i = 0; i < program.n_step; i++) {
		if (program.step[i].kind != STEP_ARM)
			continue;
		counts->dram_read_byte -= program.step[i].counts.dram_read_byte;
		counts->dram_write_byte -= program.step[i].counts.dram_write_byte;
	}
	assert(counts->dram_read_byte >= 0 && counts->dram_write_byte >= 0);
}

enum err_code validate_layer_tasks(const struct validate_cell *cell, struct prediction *prediction, struct err *err)
{
	const struct csv_table *table = cell->table;
	const size_t row = cell->row;
	const struct source_key key = {
	    .table = table,
	    .row = row,
	    .target = cell_find(table, row, "target"),
	    .array = cell_find(table, row, "array"),
	};
	const struct machine *machine;
	struct layer_design design = {.operand_bit = 8};
	struct block block;
	enum err_code code = source_find_machine(cell->source, &key, &machine, NULL, err);
	enum err_code strategy_code = cell_read_strategy(table, row, &design.strategy, err);
	enum err_code layer_code = read_layer(table, row, &block, &design.split, err);
	if (code || strategy_code || layer_code)
		return code ? code : strategy_code ? strategy_code : layer_code;

	struct layer_context context;
	mapper_prepare(&block, machine, design.operand_bit, &context);
	place_layer(&context, &design);
	struct source_run run = {.listed = true};
	code = source_run_design(cell->source, table, row, &context, &design, &run, err);
	if (code)
		return code;
	if (run.ran)
		leave_out_arm(&context, &design, &run.result.counts);
	validate_take_run(cell, &run, prediction);
	return ERR_OK;
}
