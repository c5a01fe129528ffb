/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of single MLA tasks: the clocks of one task that all PEs of a QPE run at the same time, with operands in
 * SRAM. pe_tasks gives a task as tiles of a layer; hdl_clocks gives its two operands (thesis tables 5.1 to 5.4), A and
 * B of a matrix multiplication, or ifmap and kernel of a convolution.
 */
#include "dse/out/machine_column.h"
#include "dse/fit/mla_task.h"
#include "dse/validate/validate_parts.h"
#include "sim/mla/mla.h"
#include "sim/base/real.h"
#include "sim/mla/greybox.h"
#include <assert.h>
#include <string.h>

#define OPERAND_BIT 8

static const char *const kind_word[] = {"conv", "matmul"};

/* All PEs of the QPE run the task at once, so each has its SRAM read by a neighbour all the time; a convolution's
 * operand A comes through the router even from the own SRAM. */
static double task_clk(const struct machine *machine, const struct mla_task *task)
{
	struct mla_cost cost;
	if (task->is_matmul) {
		mla_matmul_cost(machine, &task->matmul, task->pe_shift, OPERAND_BIT, &cost);
		return cost.shared_clk;
	}
	struct mla_conv_round round;
	mla_prepare_conv(machine, task->kernel_w, task->kernel_h, OPERAND_BIT, &round);
	mla_conv_cost(machine, &round, &task->conv, OPERAND_BIT, &cost);
	const struct mla_fetch fetch = {(double)cost.n_round,
	                                (double)cost.a_word * SRAM_WORD_BYTE / machine->noc_packet_byte,
	                                round.rate.a_period_clk};
	double router_packet = machine->noc_router_packet * machine->noc_clk_mhz / machine->level[0].clk_mhz;
	double router_clk = mla_router_clk(&fetch, machine->qpe_n_pe, router_packet);
	return real_max(cost.shared_clk, machine->mla_init_clk + router_clk);
}

/* The same by the grey-box model, whose constants are of one machine: its array, its SRAM. */
static double greybox_task_clk(const struct machine *machine, const struct mla_task *task)
{
	const struct operating_point *point = &machine->level[0];
	struct greybox_shape shape = {.cols = machine->mla_cols, .rows = machine->mla_rows};
	if (task->is_matmul) {
		shape.in_w = task->matmul.b_w;
		shape.in_c = task->matmul.a_w;
		shape.out_c = task->matmul.a_h;
		shape.in_h = shape.kernel_w = shape.kernel_h = 1;
	} else {
		shape.in_w = task->conv.in_w;
		shape.in_h = task->conv.in_h;
		shape.in_c = task->conv.in_c;
		shape.out_c = task->conv.n_filter;
		shape.kernel_w = task->kernel_w;
		shape.kernel_h = task->kernel_h;
	}
	return greybox_clk(&shape, task->is_matmul ? &point->matmul : &point->conv);
}

static enum err_code event_clk(const struct validate_cell *cell, const struct machine *machine,
                               const struct mla_task *task, double *clk, struct err *err)
{
	const struct mla_shape own = {
	    .kind = task->is_matmul ? MLA_MATMUL : MLA_CONV,
	    .operand_bit = OPERAND_BIT,
	    .pe_shift = task->pe_shift,
	    .kernel_w = task->kernel_w,
	    .kernel_h = task->kernel_h,
	    .conv = task->conv,
	    .matmul = task->matmul,
	};
	uint64_t n_clk;
	struct err inner = {0};
	enum err_code code =
	    source_run_task(cell->source, cell->table, cell->row, cell->column, machine, &own, &n_clk, &inner);
	if (code)
		(void)err_add_all(err, csv_place(cell->table, cell_find(cell->table, cell->row, "task")), &inner);
	err_clear(&inner);
	*clk = (double)n_clk;
	return code;
}

static const char unfitted_note[] = "grey-box constants are of another machine";

static bool has_same_params(const struct machine *a, const struct machine *b)
{
	char text_a[64], text_b[64];
	for (size_t i = 0; i < machine_n_param; i++) {
		(void)machine_print_param(a, &machine_param[i], text_a, sizeof(text_a));
		(void)machine_print_param(b, &machine_param[i], text_b, sizeof(text_b));
		if (strcmp(text_a, text_b) != 0)
			return false;
	}
	return true;
}

/* The constants of a machine's file hold for its array, SRAM and NoC: with others a prediction does not count. */
static void judge_fit(struct source *source, const char *name, struct err_place at, const struct machine *machine,
                      struct prediction *prediction)
{
	const struct machine *file;
	struct err ignored = {0};
	if (source_detail(source) != DETAIL_GREYBOX)
		return;
	bool found = source_file_machine(source, name, at, &file, &ignored) == ERR_OK;
	err_clear(&ignored);
	if (found && has_same_params(file, machine))
		return;
	prediction->counted = false;
	prediction->note = unfitted_note;
}

/* read: how the table describes a task. */
static enum err_code predict_task(const struct validate_cell *cell, const char *kind_column,
                                  enum err_code (*read)(const struct csv_table *, size_t, struct mla_task *,
                                                        struct err *),
                                  const struct machine *machine, struct prediction *prediction, struct err *err)
{
	struct mla_task task = {0};
	size_t kind = 0;
	enum err_code code = cell_read_word(cell->table, cell->row, kind_column, kind_word, 2, &kind, err);
	if (code)
		return code;
	task.is_matmul = kind == 1;
	code = mla_task_read_operand_a(cell->table, cell->row, machine->qpe_n_pe, &task, err);
	enum err_code read_code = read(cell->table, cell->row, &task, err);
	if (code || read_code)
		return code ? code : read_code;
	if (source_detail(cell->source) == DETAIL_EVENT)
		return event_clk(cell, machine, &task, &prediction->value, err);
	if (source_detail(cell->source) == DETAIL_GREYBOX)
		prediction->value = greybox_task_clk(machine, &task);
	else
		prediction->value = task_clk(machine, &task);
	assert(prediction->value > 0);
	return ERR_OK;
}

/* The row's own SRAM, in a copy of the machine. */
static enum err_code set_sram_clk(const struct csv_table *table, size_t row, struct machine *machine, struct err *err)
{
	const struct csv_cell *cell = cell_find(table, row, "sram_clk");
	const struct machine_param *param = machine_find_param("pe.sram_access_clk");
	const struct csv_cell *twice = machine_column_cell(table, row, "pe.sram_access_clk");
	assert(cell && param);
	if (twice)
		return err_add_at(err, ERR_INPUT, csv_place(table, twice),
		                  "pe.sram_access_clk is '%.40s', but column sram_clk has the clocks already, '%.40s'",
		                  twice->text, cell->text);
	struct err inner = {0};
	enum err_code code = machine_set_param(machine, param, cell->text, &inner);
	if (code)
		(void)err_add_all(err, csv_place(table, cell), &inner);
	err_clear(&inner);
	return code;
}

enum err_code validate_pe_tasks(const struct validate_cell *cell, struct prediction *prediction, struct err *err)
{
	const struct csv_cell *array = cell_find(cell->table, cell->row, "array");
	const struct source_key key = {.table = cell->table, .row = cell->row, .array = array};
	const struct machine *machine;
	enum err_code code = source_machine(cell->source, "thesis_qpe_dram", &key, array, &machine, err);
	if (code)
		return code;
	struct machine own = *machine;
	code = set_sram_clk(cell->table, cell->row, &own, err);
	if (!code)
		code = predict_task(cell, "kind", mla_task_read_tiles, &own, prediction, err);
	if (!code)
		judge_fit(cell->source, "thesis_qpe_dram", csv_place(cell->table, array), &own, prediction);
	return code;
}

/* thesis_sim_clk is of the thesis simulator, whose SRAM took two clocks as the prototype's does; others of the HDL. */
enum err_code validate_hdl_clocks(const struct validate_cell *cell, struct prediction *prediction, struct err *err)
{
	const struct csv_cell *task = cell_find(cell->table, cell->row, "task");
	const bool is_simulator = strcmp(cell->value->name, "thesis_sim_clk") == 0;
	const char *name = is_simulator ? "thesis_qpe_dram" : "hdl_qpe";
	const struct machine *machine;
	const struct source_key key = {.table = cell->table, .row = cell->row};
	assert(task);
	enum err_code code = source_machine(cell->source, name, &key, task, &machine, err);
	if (code)
		return code;
	struct machine own = *machine;
	bool is_set = machine_column_cell(cell->table, cell->row, "pe.sram_access_clk") != NULL;
	if (is_simulator && !is_set && strcmp(own.name, name) == 0)
		own.pe_sram_access_clk = 2;
	code = predict_task(cell, "task", mla_task_read_operands, &own, prediction, err);
	if (!code)
		judge_fit(cell->source, name, csv_place(cell->table, task), &own, prediction);
	return code;
}
