/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/cell.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_WORD 8

/* Strategies as the tables call them: what they name fusion_reuse is what their simulator did under that name. */
static const struct {
	const char *name;
	enum strategy strategy;
} strategy_word[] = {
    {"no_fusion", STRATEGY_NO_FUSION},
    {"fusion", STRATEGY_FUSION},
    {"fusion_reuse", STRATEGY_THESIS_REUSE},
};
#define N_STRATEGY_WORD (sizeof(strategy_word) / sizeof(strategy_word[0]))

const struct csv_cell *cell_find(const struct csv_table *table, size_t row, const char *name)
{
	assert(table && row < table->n_row && name);
	size_t column = csv_find_column(table, name);
	return column == CSV_NO_COLUMN ? NULL : csv_get_cell(table, row, column);
}

static enum err_code read_number(const struct csv_table *table, size_t row, const struct cell_number *number,
                                 struct err *err)
{
	assert(number->name && number->value && number->min <= number->max);
	const struct csv_cell *cell = cell_find(table, row, number->name);
	assert(cell || number->optional);
	if (!cell || (cell->text[0] == '\0' && number->optional))
		return ERR_OK;
	double value;
	enum err_code code = csv_get_real(table, cell, number->name, number->min, number->max, &value, err);
	if (code)
		return code;
	if (value != floor(value))
		return err_add_at(err, ERR_INPUT, csv_place(table, cell), "%s is %.40s; a whole number is allowed",
		                  number->name, cell->text);
	*number->value = (uint32_t)value;
	return ERR_OK;
}

enum err_code cell_read_numbers(const struct csv_table *table, size_t row, const struct cell_number *number, size_t n,
                                struct err *err)
{
	assert(table && number);
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n; i++) {
		enum err_code one = read_number(table, row, &number[i], err);
		code = code ? code : one;
	}
	return code;
}

enum err_code cell_read_word(const struct csv_table *table, size_t row, const char *column, const char *const *word,
                             size_t n, size_t *index, struct err *err)
{
	assert(word && n > 0 && n <= MAX_WORD && index);
	const struct csv_cell *cell = cell_find(table, row, column);
	assert(cell);
	char list[MAX_WORD * 32] = "";
	size_t n_list = 0;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(word[i], cell->text) == 0) {
			*index = i;
			return ERR_OK;
		}
		const char *between = i == 0 ? "" : i + 1 < n ? ", " : " or ";
		n_list += (size_t)snprintf(list + n_list, sizeof(list) - n_list, "%s%s", between, word[i]);
		assert(n_list < sizeof(list));
	}
	const char *near = err_nearest(cell->text, word, n);
	return err_add_at(err, ERR_INPUT, csv_place(table, cell), "%s is '%.40s'; %s is allowed%s%s%s", column,
	                  cell->text, list, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

enum err_code cell_read_strategy(const struct csv_table *table, size_t row, enum strategy *strategy, struct err *err)
{
	assert(strategy);
	const char *word[N_STRATEGY_WORD];
	size_t index = 0;
	for (size_t i = 0; i < N_STRATEGY_WORD; i++)
		word[i] = strategy_word[i].name;
	enum err_code code = cell_read_word(table, row, "strategy", word, N_STRATEGY_WORD, &index, err);
	if (!code)
		*strategy = strategy_word[index].strategy;
	return code;
}
