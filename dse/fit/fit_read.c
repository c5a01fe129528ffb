/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements from a table: which rows, what each is about, how often actions happen in it, what was measured. */
#include "dse/fit/fit.h"
#include "dse/base/memory.h"
#include "dse/fit/mla_task.h"
#include "dse/out/cell.h"
#include "sim/machine/energy.h"
#include "sim/mla/greybox.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPERAND_BIT 8
#define BYTE_PER_WORD 4

#define MAX_CONDITION 16 /* of --where */
#define MAX_MISTAKE 20u  /* rows with mistakes that are shown */

/* Ranges of cells: nothing that could be meant lies outside, and no product of them overflows. */
#define MIN_MEASURED 1e-9
#define MAX_MEASURED 1e18
#define MAX_REPEAT 1e15
#define MAX_WEIGHT 1e9
#define MAX_PE 1e6
#define MAX_COUNT 1e18

/* Standard deviation where the table gives none: all values count alike, relative to their size. */
#define DEFAULT_SIGMA_PCT 1.0

static const char *const kind_word[N_FIT_ROW_KIND] = {"conv", "matmul", "idle", "counts"};

/* Actions that a row may count itself. */
static const struct {
	const char *column;
	enum fit_term term;
} count_column[] = {
    {"mla_clk", TERM_MLA_CLK},         {"arm_clk", TERM_ARM_CLK},      {"sram_read32", TERM_SRAM_READ},
    {"sram_write32", TERM_SRAM_WRITE}, {"noc_read128", TERM_NOC_READ}, {"dram_byte", TERM_DRAM_BYTE},
};
#define N_COUNT_COLUMN (sizeof(count_column) / sizeof(count_column[0]))

static const char *const other_column[] = {
    "task",  "kind",      "level", "clk_mhz", "repeat", "n_pe", "n_powered_pe", "weight",
    "sigma", "sigma_pct", "array", "in_w",    "in_h",   "in_c", "k_w",          "k_h",
    "out_c", "a_w",       "a_h",   "a_c",     "b_w",    "b_h",  "b_c",          "b_n",
};
#define N_OTHER_COLUMN (sizeof(other_column) / sizeof(other_column[0]))

/* What each kind of row needs, as tiles of a layer or as two operands. */
static const char *const tile_column[2][7] = {{"in_w", "in_h", "in_c", "k_w", "k_h", "out_c", NULL},
                                              {"a_w", "a_h", "b_w", NULL}};
static const char *const operand_column[2][8] = {{"a_w", "a_h", "a_c", "b_w", "b_h", "b_c", "b_n", NULL},
                                                 {"a_w", "a_h", "b_w", "b_h", NULL}};

/* A row's key: equal for rows that no prediction tells apart. Compared byte by byte, so no value is a NaN or -0. */
struct task_key {
	double value[8 + N_FIT_TERM];
	size_t row;
};

/* Where reading stands. */
struct fit_reader {
	struct fit_data *data;
	const struct fit_options *options;
	struct err *err;
	const char *clocks;      /* name of the column of clocks */
	const char *kind_column; /* that says what a row is; NULL: all are convolutions */
	bool has_tiles, shape_known[2], shape_bad[2];
	size_t n_condition;
	size_t condition_column[MAX_CONDITION];
	const char *condition_value[MAX_CONDITION];
	char sigma_column[N_FIT_QUANTITY][CSV_MAX_COLUMN];
	size_t measured_column[N_FIT_QUANTITY]; /* of the table, or CSV_NO_COLUMN */
	size_t n_measured;
	/* The machine of the row before and what it prepared, for rows with the same array and kernel. */
	struct machine machine;
	struct mla_conv_round round;
	bool is_prepared;
};

static const char *measured_name(const struct fit_reader *reader, enum fit_quantity quantity)
{
	assert(reader->clocks);
	return quantity == QUANTITY_CLK ? reader->clocks : fit_quantity_column[quantity];
}

/* The column of clocks: the one that is named, else clk, else that of the table of the HDL prototype. */
static const char *choose_clocks(const struct fit_reader *reader)
{
	const struct csv_table *table = &reader->data->table;
	const char *usual = fit_quantity_column[QUANTITY_CLK];
	bool is_hdl =
	    csv_find_column(table, usual) == CSV_NO_COLUMN && csv_find_column(table, "hdl_clk") != CSV_NO_COLUMN;
	return reader->options->clocks ? reader->options->clocks : is_hdl ? "hdl_clk" : usual;
}

/* ---- the header ---------------------------------------------------------------------------------- */

static bool is_known_column(const struct fit_reader *reader, const char *name)
{
	for (size_t i = 0; i < N_OTHER_COLUMN; i++)
		if (strcmp(name, other_column[i]) == 0)
			return true;
	for (size_t i = 0; i < N_COUNT_COLUMN; i++)
		if (strcmp(name, count_column[i].column) == 0)
			return true;
	for (int i = 0; i < N_FIT_QUANTITY; i++)
		if (strcmp(name, measured_name(reader, (enum fit_quantity)i)) == 0 ||
		    strcmp(name, reader->sigma_column[i]) == 0)
			return true;
	return false;
}

/* The columns that nobody reads: a misspelt one shows there. */
static void list_unused(struct fit_reader *reader)
{
	const struct csv_table *table = &reader->data->table;
	size_t n_byte = 1, n = 0;
	for (size_t i = 0; i < table->n_column; i++)
		n_byte += strlen(table->header[i].text) + 2;
	char *text = memory_must(arena_alloc(&reader->data->arena, n_byte));
	/* room for each name with the comma and blank before it */
	for (size_t i = 0; i < table->n_column; i++)
		if (!is_known_column(reader, table->header[i].text))
			n += (size_t)snprintf(text + n, n_byte - n, "%s%s", n ? ", " : "", table->header[i].text);
	reader->data->unused = text;
}

static enum err_code find_measured(struct fit_reader *reader)
{
	const struct csv_table *table = &reader->data->table;
	struct err_place at = csv_place(table, &table->header[0]);
	reader->clocks = choose_clocks(reader);
	for (int i = 0; i < N_FIT_QUANTITY; i++) {
		const char *name = measured_name(reader, (enum fit_quantity)i);
		reader->measured_column[i] = csv_find_column(table, name);
		reader->n_measured += reader->measured_column[i] != CSV_NO_COLUMN;
		(void)snprintf(reader->sigma_column[i], sizeof(reader->sigma_column[i]), "sigma_%s", name);
	}
	if (reader->options->clocks && reader->measured_column[QUANTITY_CLK] == CSV_NO_COLUMN)
		return err_add_at(reader->err, ERR_INPUT, at, "the table has no column '%.40s', which --clocks names",
		                  reader->options->clocks);
	if (reader->n_measured == 0)
		return err_add_at(
		    reader->err, ERR_INPUT, at,
		    "no column with measured values; allowed are clk, time_ns, energy_nj, energy_pe_nj, "
		    "energy_noc_nj, energy_sram_nj, energy_dram_nj, or any for clocks by --clocks COLUMN");
	if (reader->n_measured > 1 && csv_find_column(table, "sigma") != CSV_NO_COLUMN)
		return err_add_at(
		    reader->err, ERR_INPUT, csv_place(table, &table->header[csv_find_column(table, "sigma")]),
		    "column sigma, but several measured ones; name it sigma_clk, sigma_energy_nj, ..., or "
		    "sigma_pct for a percentage of each");
	return ERR_OK;
}

static enum err_code read_where(struct fit_reader *reader)
{
	const struct csv_table *table = &reader->data->table;
	const char *name[CSV_MAX_COLUMN];
	char *rest = NULL, *text;
	if (!reader->options->where)
		return ERR_OK;
	text = memory_must(arena_text(&reader->data->arena, reader->options->where));
	for (size_t i = 0; i < table->n_column; i++)
		name[i] = table->header[i].text;
	for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		char *equals = strchr(word, '=');
		if (!equals || reader->n_condition == MAX_CONDITION)
			return err_add(
			    reader->err, ERR_USAGE,
			    "dse fit: --where is '%.60s', allowed are up to %d of COLUMN=VALUE, ',' between them",
			    reader->options->where, MAX_CONDITION);
		*equals = '\0';
		size_t column = csv_find_column(table, word);
		const char *nearest = err_nearest(word, name, table->n_column);
		if (column == CSV_NO_COLUMN)
			return err_add_at(reader->err, ERR_INPUT, csv_place(table, &table->header[0]),
			                  "the table has no column '%.40s', which --where names%s%s%s", word,
			                  nearest ? "; did you mean '" : "", nearest ? nearest : "",
			                  nearest ? "'?" : "");
		reader->condition_column[reader->n_condition] = column;
		reader->condition_value[reader->n_condition++] = equals + 1;
	}
	return ERR_OK;
}

static bool is_wanted(const struct fit_reader *reader, size_t row)
{
	for (size_t i = 0; i < reader->n_condition; i++) {
		const struct csv_cell *cell = csv_get_cell(&reader->data->table, row, reader->condition_column[i]);
		if (strcmp(cell->text, reader->condition_value[i]) != 0)
			return false;
	}
	return true;
}

/* ---- a row --------------------------------------------------------------------------------------- */

/* A row's first mistake is its code; all are reported. */
static void note(enum err_code *code, enum err_code part)
{
	*code = *code ? *code : part;
}

/* A number that may be missing, then *value stays as it is. */
static enum err_code read_optional(struct fit_reader *reader, size_t row, const char *column, double min, double max,
                                   double *value)
{
	const struct csv_cell *cell = cell_find(&reader->data->table, row, column);
	if (!cell || cell->text[0] == '\0')
		return ERR_OK;
	return csv_get_real(&reader->data->table, cell, column, min, max, value, reader->err);
}

/* kind, or, where one of its cells says one, task: else these are names, and all rows convolutions. */
static const char *choose_kind_column(const struct csv_table *table)
{
	size_t column = csv_find_column(table, "task");
	if (csv_find_column(table, "kind") != CSV_NO_COLUMN)
		return "kind";
	for (size_t row = 0; column != CSV_NO_COLUMN && row < table->n_row; row++)
		for (size_t i = 0; i < N_FIT_ROW_KIND; i++)
			if (strcmp(csv_get_cell(table, row, column)->text, kind_word[i]) == 0)
				return "task";
	return NULL;
}

static enum err_code read_kind(struct fit_reader *reader, size_t at, struct fit_row *row)
{
	const struct csv_table *table = &reader->data->table;
	const struct csv_cell *task = cell_find(table, at, "task");
	size_t kind = ROW_CONV;
	row->name = task ? task->text : "";
	if (!reader->kind_column)
		return ERR_OK;
	enum err_code code =
	    cell_read_word(table, at, reader->kind_column, kind_word, N_FIT_ROW_KIND, &kind, reader->err);
	row->kind = (enum fit_row_kind)kind;
	return code;
}

static enum err_code read_level(struct fit_reader *reader, size_t at, struct fit_row *row)
{
	const struct machine *machine = &reader->data->machine;
	const struct csv_cell *cell = cell_find(&reader->data->table, at, "level");
	const char *name[MACHINE_MAX_LEVEL];
	size_t level = 0;
	enum err_code code = ERR_OK;
	assert(machine->n_level <= MACHINE_MAX_LEVEL);
	for (size_t i = 0; i < machine->n_level; i++)
		name[i] = machine->level[i].name;
	if (cell && cell->text[0])
		code = cell_read_word(&reader->data->table, at, "level", name, machine->n_level, &level, reader->err);
	row->level = (uint32_t)level;
	row->clk_mhz = machine->level[level].clk_mhz;
	note(&code, read_optional(reader, at, "clk_mhz", 1, 10000, &row->clk_mhz));
	return code;
}

static enum err_code read_array(struct fit_reader *reader, size_t at)
{
	const struct csv_cell *cell = cell_find(&reader->data->table, at, "array");
	struct machine machine = reader->data->machine;
	enum err_code code = ERR_OK;
	if (cell && cell->text[0]) {
		struct err inner = {0};
		code = machine_set_param(&machine, machine_find_param("mla.array"), cell->text, &inner);
		(void)err_add_all(reader->err, csv_place(&reader->data->table, cell), &inner);
		err_clear(&inner);
	}
	if (machine.mla_cols != reader->machine.mla_cols || machine.mla_rows != reader->machine.mla_rows)
		reader->is_prepared = false;
	reader->machine = machine;
	return code;
}

/* That the table has the columns of a conv or matmul; said once. */
static bool has_shape(struct fit_reader *reader, enum fit_row_kind kind)
{
	const struct csv_table *table = &reader->data->table;
	const char *const *name = reader->has_tiles ? tile_column[kind] : operand_column[kind];
	assert(kind == ROW_CONV || kind == ROW_MATMUL);
	if (reader->shape_known[kind])
		return !reader->shape_bad[kind];
	reader->shape_known[kind] = true;
	for (size_t i = 0; name[i]; i++) {
		if (csv_find_column(table, name[i]) != CSV_NO_COLUMN)
			continue;
		reader->shape_bad[kind] = true;
		(void)err_add_at(reader->err, ERR_INPUT, csv_place(table, &table->header[0]),
		                 "column '%s' is missing; a %s has %s", name[i], kind_word[kind],
		                 kind == ROW_CONV
		                     ? "in_w, in_h, in_c, k_w, k_h, out_c, or a_w, a_h, a_c, b_w, b_h, b_c, b_n"
		                     : "a_w, a_h, b_w");
	}
	return !reader->shape_bad[kind];
}

/* Actions of a task as the simulator counts them: energies fitted to these counts are right for its counts only. */
static void count_actions(struct fit_reader *reader, const struct mla_task *task, struct fit_row *row)
{
	struct mla_cost cost;
	const struct machine *machine = &reader->machine;
	if (task->is_matmul) {
		mla_matmul_cost(machine, &task->matmul, task->pe_shift, OPERAND_BIT, &cost);
	} else {
		struct mla_conv_round *round = &reader->round;
		if (!reader->is_prepared || round->kernel_w != task->kernel_w || round->kernel_h != task->kernel_h)
			mla_prepare_conv(machine, task->kernel_w, task->kernel_h, OPERAND_BIT, round);
		reader->is_prepared = true;
		mla_conv_words(machine, round, &task->conv, &cost);
	}
	row->count[TERM_MLA_CLK] = (double)cost.mac_clk * energy_array_frac(machine);
	row->count[TERM_SRAM_READ] = (double)(cost.a_word + cost.b_word);
	row->count[TERM_SRAM_WRITE] = (double)cost.out_word;
	/* a convolution's operand A comes from a neighbour: request and answer */
	row->count[TERM_NOC_READ] =
	    task->is_matmul ? 0 : 2.0 * (double)cost.a_word * BYTE_PER_WORD / machine->noc_packet_byte;
}

static enum err_code read_shape(struct fit_reader *reader, size_t at, struct fit_row *row)
{
	struct mla_task task = {.is_matmul = row->kind == ROW_MATMUL};
	if (row->kind == ROW_IDLE || row->kind == ROW_COUNTS)
		return ERR_OK;
	if (!has_shape(reader, row->kind))
		return ERR_INPUT;
	enum err_code code = reader->has_tiles ? mla_task_read_tiles(&reader->data->table, at, &task, reader->err)
	                                       : mla_task_read_operands(&reader->data->table, at, &task, reader->err);
	note(&code, read_array(reader, at));
	if (code)
		return code;
	struct greybox_shape shape = {.in_w = task.matmul.b_w,
	                              .in_h = 1,
	                              .in_c = task.matmul.a_w,
	                              .out_c = task.matmul.a_h,
	                              .kernel_w = 1,
	                              .kernel_h = 1};
	if (row->kind == ROW_CONV)
		shape = (struct greybox_shape){.in_w = task.conv.in_w,
		                               .in_h = task.conv.in_h,
		                               .in_c = task.conv.in_c,
		                               .out_c = task.conv.n_filter,
		                               .kernel_w = task.kernel_w,
		                               .kernel_h = task.kernel_h};
	shape.cols = reader->machine.mla_cols;
	shape.rows = reader->machine.mla_rows;
	assert(shape.cols > 0 && shape.rows > 0);
	row->n_round = greybox_n_round(&shape);
	row->n_tap = greybox_n_tap(&shape);
	count_actions(reader, &task, row);
	return ERR_OK;
}

/* How a row was run, and actions that it counts itself. */
static enum err_code read_run(struct fit_reader *reader, size_t at, struct fit_row *row)
{
	row->repeat = row->weight = row->n_pe = 1;
	enum err_code code = read_optional(reader, at, "repeat", 1, MAX_REPEAT, &row->repeat);
	note(&code, read_optional(reader, at, "weight", 0, MAX_WEIGHT, &row->weight));
	note(&code, read_optional(reader, at, "n_pe", 0, MAX_PE, &row->n_pe));
	row->n_powered_pe = row->n_pe;
	note(&code, read_optional(reader, at, "n_powered_pe", 0, MAX_PE, &row->n_powered_pe));
	if (row->kind == ROW_IDLE)
		row->n_pe = 0;
	for (size_t i = 0; i < N_COUNT_COLUMN; i++)
		note(&code, read_optional(reader, at, count_column[i].column, 0, MAX_COUNT,
		                          &row->count[count_column[i].term]));
	assert(code || (row->repeat >= 1 && row->weight >= 0));
	return code;
}

/* Its standard deviation, in the cell's own unit and for all repeats. */
static enum err_code read_sigma(struct fit_reader *reader, size_t at, enum fit_quantity quantity,
                                struct fit_point *point)
{
	const struct csv_table *table = &reader->data->table;
	double sigma = 0, pct = 0;
	enum err_code code =
	    read_optional(reader, at, reader->sigma_column[quantity], MIN_MEASURED, MAX_MEASURED, &sigma);
	if (code == ERR_OK && !(sigma > 0) && reader->n_measured == 1)
		code = read_optional(reader, at, "sigma", MIN_MEASURED, MAX_MEASURED, &sigma);
	if (code == ERR_OK && !(sigma > 0))
		code = read_optional(reader, at, "sigma_pct", MIN_MEASURED, MAX_MEASURED, &pct);
	if (code != ERR_OK)
		return code;
	point->has_sigma = sigma > 0 || pct > 0;
	if (!(sigma > 0) && !(point->measured > 0))
		return err_add_at(
		    reader->err, ERR_INPUT,
		    csv_place(table, csv_get_cell(table, at, reader->measured_column[quantity])),
		    "%s is 0 and has no standard deviation in %s, without which errors count relative to the "
		    "value; give one, or leave the cell empty",
		    measured_name(reader, quantity), reader->sigma_column[quantity]);
	point->sigma = sigma > 0 ? sigma : point->measured * (pct > 0 ? pct : DEFAULT_SIGMA_PCT) / 100;
	return ERR_OK;
}

/* One measured cell, empty ones aside; the time that it says, whichever of the two. */
static enum err_code read_point(struct fit_reader *reader, size_t at, struct fit_row *row, enum fit_quantity quantity)
{
	struct fit_data *data = reader->data;
	struct fit_point *point = &data->point[data->n_point];
	assert(row == &data->row[data->n_row] && row->repeat >= 1);
	size_t column = reader->measured_column[quantity];
	bool is_time = quantity < QUANTITY_ENERGY;
	if (column == CSV_NO_COLUMN || csv_get_cell(&data->table, at, column)->text[0] == '\0')
		return ERR_OK;
	*point = (struct fit_point){
	    .row = data->n_row, .quantity = quantity, .factor = 1, .without_row = NAN, .without_task = NAN};
	enum err_code code =
	    csv_get_real(&data->table, csv_get_cell(&data->table, at, column), measured_name(reader, quantity),
	                 is_time ? MIN_MEASURED : 0, MAX_MEASURED, &point->measured, reader->err);
	if (code == ERR_OK)
		code = read_sigma(reader, at, quantity, point);
	if (code != ERR_OK)
		return code;
	assert(point->sigma > 0);
	/* from here on of one run */
	point->measured /= row->repeat;
	point->sigma /= row->repeat;
	if (quantity == QUANTITY_TIME)
		row->time_ns = point->measured;
	else if (quantity == QUANTITY_CLK)
		row->time_ns = point->measured * 1e3 / row->clk_mhz;
	data->n_point++;
	return ERR_OK;
}

static enum err_code read_row(struct fit_reader *reader, size_t at)
{
	struct fit_data *data = reader->data;
	struct fit_row *row = &data->row[data->n_row];
	assert(data->n_row < data->table.n_row);
	*row = (struct fit_row){.row = at, .same_as = data->n_row, .time_ns = NAN};
	enum err_code code = read_kind(reader, at, row);
	note(&code, read_level(reader, at, row));
	if (!code)
		code = read_shape(reader, at, row);
	note(&code, read_run(reader, at, row));
	for (int i = 0; i < N_FIT_QUANTITY; i++)
		note(&code, read_point(reader, at, row, (enum fit_quantity)i));
	data->n_row++;
	return code;
}

/* ---- all rows ------------------------------------------------------------------------------------ */

static int compare_keys(const void *a, const void *b)
{
	const struct task_key *left = a, *right = b;
	int order = memcmp(left->value, right->value, sizeof(left->value));
	return order ? order : (left->row > right->row) - (left->row < right->row);
}

/* Rows of the same task and operating point get to know the first of them. */
static void find_twins(struct fit_data *data)
{
	struct task_key *key = memory_array(data->n_row, sizeof(*key));
	for (size_t i = 0; i < data->n_row; i++) {
		const struct fit_row *row = &data->row[i];
		const double head[8] = {row->kind, row->level,        row->n_round, row->n_tap,
		                        row->n_pe, row->n_powered_pe, row->clk_mhz, 0};
		memcpy(key[i].value, head, sizeof(head));
		for (size_t k = 0; k < N_FIT_TERM; k++)
			key[i].value[8 + k] = row->count[k] + 0.0; /* -0 becomes 0 */
		key[i].row = i;
	}
	qsort(key, data->n_row, sizeof(*key), compare_keys);
	for (size_t i = 1, first = 0; i < data->n_row; i++) {
		if (memcmp(key[first].value, key[i].value, sizeof(key[i].value)) != 0)
			first = i;
		assert(key[first].row <= key[i].row);
		data->row[key[i].row].same_as = key[first].row;
	}
	free(key);
}

static enum err_code read_rows(struct fit_reader *reader)
{
	struct fit_data *data = reader->data;
	const struct csv_table *table = &data->table;
	enum err_code code = ERR_OK;
	if (table->n_row > FIT_MAX_ROW)
		return err_add_at(reader->err, ERR_INPUT, csv_place(table, &table->header[0]),
		                  "%zu rows; at most %u are allowed", table->n_row, FIT_MAX_ROW);
	data->row = memory_must(arena_array(&data->arena, table->n_row + 1, sizeof(*data->row)));
	data->point = memory_must(arena_array(&data->arena, (table->n_row + 1) * N_FIT_QUANTITY, sizeof(*data->point)));
	for (size_t i = 0, n_bad = 0; i < table->n_row; i++) {
		if (!is_wanted(reader, i))
			continue;
		enum err_code row_code = read_row(reader, i);
		note(&code, row_code);
		n_bad += row_code != ERR_OK;
		if (n_bad <= MAX_MISTAKE)
			continue;
		(void)err_add_at(reader->err, ERR_INPUT, csv_place(table, csv_get_cell(table, i, 0)),
		                 "more rows may have mistakes");
		break;
	}
	if (code != ERR_OK)
		return code;
	if (data->n_row == 0 || data->n_point == 0)
		return err_add_at(reader->err, ERR_INPUT, csv_place(table, &table->header[0]),
		                  "no row%s has a measured value", reader->n_condition ? " that --where leaves" : "");
	find_twins(data);
	return ERR_OK;
}

enum err_code fit_read(const char *path, const struct machine *machine, const struct fit_options *options,
                       struct fit_data *data, struct err *err)
{
	assert(path && machine && options && data && machine->n_level > 0);
	*data = (struct fit_data){.machine = *machine, .fitted = *machine};
	struct fit_reader reader = {.data = data, .options = options, .err = err, .machine = *machine};
	enum err_code code = csv_read_file(path, &data->table, err);
	if (code == ERR_OK) {
		reader.kind_column = choose_kind_column(&data->table);
		reader.has_tiles = csv_find_column(&data->table, "in_w") != CSV_NO_COLUMN;
		code = find_measured(&reader);
	}
	if (code == ERR_OK)
		code = read_where(&reader);
	if (code == ERR_OK) {
		list_unused(&reader);
		code = read_rows(&reader);
	}
	if (code != ERR_OK)
		fit_free(data);
	return code;
}

void fit_free(struct fit_data *data)
{
	csv_free(&data->table);
	arena_free(&data->arena);
	*data = (struct fit_data){0};
}
