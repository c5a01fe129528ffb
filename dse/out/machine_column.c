/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/machine_column.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

const struct machine_param *machine_column_find(const char *name)
{
	assert(name);
	/* every parameter has a group before a dot, so that few names need to be looked up */
	return strchr(name, '.') ? machine_find_param(name) : NULL;
}

/* The parameter whose name has a dot where this one has '_'; NULL: there is none. */
static const char *undotted(const char *name)
{
	for (size_t i = 0; i < machine_n_param; i++) {
		const char *key = machine_param[i].key;
		size_t n = strlen(key), dot = strcspn(key, ".");
		if (strlen(name) == n && name[dot] == '_' && memcmp(name, key, dot) == 0 &&
		    strcmp(name + dot + 1, key + dot + 1) == 0)
			return key;
	}
	return NULL;
}

enum err_code machine_column_check(const struct csv_table *table, struct err *err)
{
	enum err_code code = ERR_OK;
	assert(table);
	for (size_t i = 0; i < table->n_column; i++) {
		const char *name = table->header[i].text;
		bool is_dotted = strchr(name, '.') != NULL;
		const char *near = is_dotted ? machine_nearest_param(name) : undotted(name);
		if (machine_column_find(name) || (!is_dotted && !near))
			continue;
		code = err_add_at(err, ERR_INPUT, csv_place(table, &table->header[i]),
		                  "no machine parameter is called '%.40s'%s%s%s", name, near ? "; did you mean '" : "",
		                  near ? near : "", near ? "'?" : "");
	}
	return code;
}

const struct csv_cell *machine_column_cell(const struct csv_table *table, size_t row, const char *key)
{
	size_t column = csv_find_column(table, key);
	const struct csv_cell *cell = column == CSV_NO_COLUMN ? NULL : csv_get_cell(table, row, column);
	return cell && cell->text[0] != '\0' ? cell : NULL;
}

/* The parameter that a cell sets; NULL: none, or the cell is empty. */
static const struct machine_param *param_of(const struct csv_table *table, size_t row, size_t column)
{
	const struct machine_param *param = machine_column_find(table->header[column].text);
	return param && csv_get_cell(table, row, column)->text[0] != '\0' ? param : NULL;
}

static enum err_code set_param(const struct machine_param *param, const char *text, struct machine *machine,
                               struct err *err)
{
	if (!machine_param_serves(param, machine->target))
		return err_add(err, ERR_INPUT, "%s: no parameter of a %s machine", param->key,
		               machine_target_name[machine->target]);
	return machine_set_param(machine, param, text, err);
}

enum err_code machine_column_apply(const struct csv_table *table, size_t row, struct machine *machine, struct err *err)
{
	const struct csv_cell *first = NULL;
	enum err_code code = ERR_OK;
	struct err inner = {0};
	assert(table && row < table->n_row && machine);
	for (size_t i = 0; i < table->n_column; i++) {
		const struct machine_param *param = param_of(table, row, i);
		const struct csv_cell *cell = csv_get_cell(table, row, i);
		if (!param)
			continue;
		first = first ? first : cell;
		if (set_param(param, cell->text, machine, &inner) != ERR_OK)
			code = err_add_all(err, csv_place(table, cell), &inner);
		err_clear(&inner);
	}
	if (!code && first && machine_check(machine, &inner) != ERR_OK)
		code = err_add_all(err, csv_place(table, first), &inner);
	err_clear(&inner);
	return code;
}

int machine_column_print(const struct csv_table *table, size_t row, char *text, size_t n_byte)
{
	size_t n = 0;
	assert(table && row < table->n_row && (text || n_byte == 0));
	if (n_byte > 0)
		text[0] = '\0';
	for (size_t i = 0; i < table->n_column; i++) {
		if (!param_of(table, row, i))
			continue;
		bool fits = n < n_byte;
		int n_more = snprintf(fits ? text + n : NULL, fits ? n_byte - n : 0, "%s=%s ", table->header[i].text,
		                      csv_get_cell(table, row, i)->text);
		n += n_more > 0 ? (size_t)n_more : 0;
	}
	return (int)n;
}

bool machine_column_same(const struct csv_table *table, size_t row, size_t other)
{
	assert(table && row < table->n_row && other < table->n_row);
	for (size_t i = 0; i < table->n_column; i++) {
		if (machine_column_find(table->header[i].text) &&
		    strcmp(csv_get_cell(table, row, i)->text, csv_get_cell(table, other, i)->text) != 0)
			return false;
	}
	return true;
}
