/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MLA_TASK_H
#define DSE_MLA_TASK_H
/*
 * Single MLA tasks in tables: what one task is that all PEs of a QPE run at the
 * same time. Validation predicts such tables, fitting learns from them.
 */
#include "sim/base/csv.h"
#include "sim/mla/mla.h"

/* A task of either kind. */
struct mla_task {
	bool is_matmul;
	uint32_t kernel_w, kernel_h;
	struct mla_conv_task conv;
	struct mla_matmul_task matmul;
	uint32_t pe_shift;
};

/*
 * Where operand A lies (columns operand_a, pe_shift): in the PE's own SRAM, or pe_shift PEs further; 0 is the own SRAM
 * by way of the router. ERR_INPUT at the cell that is wrong, as below; the table has the columns.
 */
enum err_code mla_task_read_operand_a(const struct csv_table *table, size_t row, uint32_t n_pe, struct mla_task *task,
                                      struct err *err);

/* A task of task->is_matmul as tiles of a layer: in_w, in_h, in_c, k_w, k_h, out_c, or a_w, a_h, b_w. */
enum err_code mla_task_read_tiles(const struct csv_table *table, size_t row, struct mla_task *task, struct err *err);

/* The same as its two operands: a_w, a_h, a_c, b_w, b_h, b_c, b_n, or a_w, a_h, b_w, b_h. */
enum err_code mla_task_read_operands(const struct csv_table *table, size_t row, struct mla_task *task, struct err *err);

#endif
