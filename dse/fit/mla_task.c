/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the shape of one MLA task from a row, either as tiles of a layer or as two operands. */
#include "dse/fit/mla_task.h"
#include "dse/out/cell.h"
#include <assert.h>

/* More than any PE's SRAM holds; keeps products of four sizes within 64 bit, and a task's preparation short. */
#define MAX_EXTENT 65536u
#define MAX_KERNEL 256u

static const char *const operand_word[] = {"local", "neighbour"};

enum err_code mla_task_read_operand_a(const struct csv_table *table, size_t row, uint32_t n_pe, struct mla_task *task,
                                      struct err *err)
{
	assert(n_pe > 0);
	const struct cell_number number[] = {{"pe_shift", &task->pe_shift, 0, n_pe - 1, true}};
	size_t operand = 0;
	enum err_code code = cell_read_word(table, row, "operand_a", operand_word, 2, &operand, err);
	enum err_code shift_code = cell_read_numbers(table, row, number, 1, err);
	if (code || shift_code)
		return code ? code : shift_code;
	if (operand == 0 && task->pe_shift > 0)
		return err_add_at(err, ERR_INPUT, csv_place(table, cell_find(table, row, "pe_shift")),
		                  "pe_shift is %u, but operand_a is local; 0 is allowed", task->pe_shift);
	return ERR_OK;
}

/* A convolution has at least one output. */
static enum err_code check_kernel(const struct csv_table *table, size_t row, const struct mla_task *task,
                                  const char *column_w, const char *column_h, struct err *err)
{
	bool wide = task->kernel_w > task->conv.in_w;
	if (!wide && task->kernel_h <= task->conv.in_h)
		return ERR_OK;
	const struct csv_cell *cell = cell_find(table, row, wide ? column_w : column_h);
	return err_add_at(err, ERR_INPUT, csv_place(table, cell), "the kernel is %s than the ifmap, which has %u",
	                  wide ? "wider" : "higher", wide ? task->conv.in_w : task->conv.in_h);
}

enum err_code mla_task_read_tiles(const struct csv_table *table, size_t row, struct mla_task *task, struct err *err)
{
	const struct cell_number conv[] = {
	    {"in_w", &task->conv.in_w, 1, MAX_EXTENT, false}, {"in_h", &task->conv.in_h, 1, MAX_EXTENT, false},
	    {"in_c", &task->conv.in_c, 1, MAX_EXTENT, false}, {"k_w", &task->kernel_w, 1, MAX_KERNEL, false},
	    {"k_h", &task->kernel_h, 1, MAX_KERNEL, false},   {"out_c", &task->conv.n_filter, 1, MAX_EXTENT, false},
	};
	const struct cell_number matmul[] = {
	    {"a_w", &task->matmul.a_w, 1, MAX_EXTENT, false},
	    {"a_h", &task->matmul.a_h, 1, MAX_EXTENT, false},
	    {"b_w", &task->matmul.b_w, 1, MAX_EXTENT, false},
	};
	if (task->is_matmul)
		return cell_read_numbers(table, row, matmul, sizeof(matmul) / sizeof(matmul[0]), err);
	task->conv.n_group = 1;
	enum err_code code = cell_read_numbers(table, row, conv, sizeof(conv) / sizeof(conv[0]), err);
	return code ? code : check_kernel(table, row, task, "k_w", "k_h", err);
}

static enum err_code check_equal(const struct csv_table *table, size_t row, const char *column, uint32_t value,
                                 const char *other_column, uint32_t other, struct err *err)
{
	if (value == other)
		return ERR_OK;
	return err_add_at(err, ERR_INPUT, csv_place(table, cell_find(table, row, column)),
	                  "%s is %u; %u is allowed, as %s says", column, value, other, other_column);
}

enum err_code mla_task_read_operands(const struct csv_table *table, size_t row, struct mla_task *task, struct err *err)
{
	uint32_t other = 0;
	const struct cell_number conv[] = {
	    {"a_w", &task->conv.in_w, 1, MAX_EXTENT, false},     {"a_h", &task->conv.in_h, 1, MAX_EXTENT, false},
	    {"a_c", &task->conv.in_c, 1, MAX_EXTENT, false},     {"b_w", &task->kernel_w, 1, MAX_KERNEL, false},
	    {"b_h", &task->kernel_h, 1, MAX_KERNEL, false},      {"b_c", &other, 1, MAX_EXTENT, false},
	    {"b_n", &task->conv.n_filter, 1, MAX_EXTENT, false},
	};
	const struct cell_number matmul[] = {
	    {"a_w", &task->matmul.a_w, 1, MAX_EXTENT, false},
	    {"a_h", &task->matmul.a_h, 1, MAX_EXTENT, false},
	    {"b_w", &task->matmul.b_w, 1, MAX_EXTENT, false},
	    {"b_h", &other, 1, MAX_EXTENT, false},
	};
	enum err_code code;
	if (task->is_matmul) {
		code = cell_read_numbers(table, row, matmul, sizeof(matmul) / sizeof(matmul[0]), err);
		return code ? code : check_equal(table, row, "b_h", other, "a_w", task->matmul.a_w, err);
	}
	task->conv.n_group = 1;
	code = cell_read_numbers(table, row, conv, sizeof(conv) / sizeof(conv[0]), err);
	if (!code)
		code = check_equal(table, row, "b_c", other, "a_c", task->conv.in_c, err);
	return code ? code : check_kernel(table, row, task, "b_w", "b_h", err);
}
