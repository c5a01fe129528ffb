/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run times of a multi-layer schedule, step by step. A row is a step: setup and cleanup with so many workers enabled, a
 * linear layer ("+ReLU" behind its name where it rectifies), a softmax, or the total of the table's other rows. Layers
 * are cut as in the paper: equal shares of the columns, one a worker. Without a number of workers all are enabled, and
 * layers have as many as the paper's.
 */
#include "dse/out/machine_column.h"
#include "dse/validate/validate_parts.h"
#include "mapper/octopus/octopus_time.h"
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Numbers of a vector, as networks have them at most. */
#define MAX_VECTOR (1u << 24)

enum timed_step { TIMED_SETUP, TIMED_CLEANUP, TIMED_TOTAL, TIMED_SOFTMAX, TIMED_LINEAR };
static const char *const step_name[] = {"setup", "cleanup", "total", "softmax"};

static enum timed_step step_of(const struct csv_cell *cell)
{
	size_t i = 0;
	while (i < TIMED_LINEAR && strcasecmp(cell->text, step_name[i]) != 0)
		i++;
	return (enum timed_step)i;
}

static struct block block_of(const struct csv_cell *cell, bool is_softmax, uint32_t n_in, uint32_t n_out)
{
	if (is_softmax)
		return (struct block){.kind = BLOCK_POOL,
		                      .arm = ARM_SOFTMAX,
		                      .whole = WHOLE_C,
		                      .number = 1,
		                      .pool = 1,
		                      .in_w = 1,
		                      .in_h = 1,
		                      .in_c = n_in,
		                      .kernel_w = 1,
		                      .kernel_h = 1,
		                      .stride = 1,
		                      .out_w = 1,
		                      .out_h = 1,
		                      .out_c = n_out};
	struct block linear = block_matmul(1, n_in, n_out);
	linear.has_acti = strstr(cell->text, "ReLU") != NULL;
	return linear;
}

static enum err_code price_layer(const struct machine *machine, const struct csv_table *table, size_t row,
                                 bool is_softmax, uint32_t n_worker, struct octopus_time *time, struct err *err)
{
	uint32_t n_in = 0, n_out = 0;
	const struct cell_number number[] = {{"input", &n_in, 1, MAX_VECTOR, false},
	                                     {"output", &n_out, 1, MAX_VECTOR, false}};
	enum err_code code = cell_read_numbers(table, row, number, 2, err);
	struct octopus_context context;
	if (code != ERR_OK)
		return code;
	const struct csv_cell *cell = cell_find(table, row, "workers");
	const struct block block = block_of(cell_find(table, row, "step"), is_softmax, n_in, n_out);
	struct octopus_layer layer = {.type = is_softmax ? OCTOPUS_SOFTMAX : OCTOPUS_LINEAR};
	if (n_worker > n_out)
		return err_add_at(err, ERR_INPUT, csv_place(table, cell),
		                  "%u workers, allowed are up to the %u outputs", n_worker, n_out);
	octopus_prepare(machine, 0, &block, &context);
	(void)octopus_paper_cut(&layer, &block, n_worker);
	octopus_price_layer(&context, &layer, time, NULL);
	return ERR_OK;
}

/* One step's time; of a layer by part, too. */
static enum err_code price_step(const struct machine *machine, const struct csv_table *table, size_t row,
                                struct octopus_time *time, struct err *err)
{
	uint32_t n_worker = 0;
	const struct cell_number number = {"workers", &n_worker, 1, machine_n_pe(machine), true};
	enum timed_step step = step_of(cell_find(table, row, "step"));
	enum err_code code = cell_read_numbers(table, row, &number, 1, err);
	*time = (struct octopus_time){.total_us = NAN};
	if (code != ERR_OK)
		return code;
	uint32_t n_enabled = n_worker > 0 ? n_worker : octopus_max_worker(machine);
	if (step == TIMED_SETUP)
		time->total_us = octopus_setup_us(machine, n_enabled);
	else if (step == TIMED_CLEANUP)
		time->total_us = octopus_cleanup_us(machine, n_enabled);
	else
		return price_layer(machine, table, row, step == TIMED_SOFTMAX, n_worker, time, err);
	return ERR_OK;
}

/* Of the rows that are about the machine of the total's. */
static enum err_code price_total(const struct machine *machine, const struct csv_table *table, size_t total,
                                 struct octopus_time *time, struct err *err)
{
	*time = (struct octopus_time){0};
	for (size_t row = 0; row < table->n_row; row++) {
		struct octopus_time one;
		if (step_of(cell_find(table, row, "step")) == TIMED_TOTAL || !machine_column_same(table, row, total))
			continue;
		enum err_code code = price_step(machine, table, row, &one, err);
		if (code != ERR_OK)
			return code;
		time->total_us += one.total_us;
		for (int i = 0; i < N_OCTOPUS_PART; i++)
			time->part_us[i] += one.part_us[i];
	}
	return ERR_OK;
}

enum err_code validate_octopus(const struct validate_cell *cell, struct prediction *prediction, struct err *err)
{
	static const char no_part[] = "setup and cleanup have no such part";
	const struct csv_table *table = cell->table;
	const size_t row = cell->row;
	const struct csv_cell *step = cell_find(table, row, "step");
	const struct machine *machine;
	struct octopus_time time;
	const struct source_key key = {.table = table, .row = row};
	enum err_code code = source_machine(cell->source, "final_chip", &key, step, &machine, err);
	if (code != ERR_OK)
		return code;
	enum timed_step which = step_of(step);
	code = which == TIMED_TOTAL ? price_total(machine, table, row, &time, err)
	                            : price_step(machine, table, row, &time, err);
	if (code != ERR_OK)
		return code;
	/* of setup and cleanup there is the whole time only */
	if ((which == TIMED_SETUP || which == TIMED_CLEANUP) &&
	    cell->value->offset != offsetof(struct octopus_time, total_us)) {
		prediction->counted = false;
		prediction->note = no_part;
		return ERR_OK;
	}
	prediction->value = validate_read_figure(cell->value, &time);
	return ERR_OK;
}
