/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes and utilisations of an operation's tasks, from its split alone (thesis appendices H and J). */
#include "dse/validate.h"
#include "mapper/utilisation.h"
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum field_type { FIELD_COUNT, FIELD_RATIO };

/* A value column and where struct utilisation has it. */
static const struct split_column {
	const char *name;
	enum field_type type;
	size_t offset;
} split_column[] = {
    {"pieces", FIELD_COUNT, offsetof(struct utilisation, pieces)},
    {"ifmap_aligned_byte", FIELD_COUNT, offsetof(struct utilisation, ifmap_aligned_byte)},
    {"ifmap_valid_byte", FIELD_COUNT, offsetof(struct utilisation, ifmap_valid_byte)},
    {"weight_aligned_byte", FIELD_COUNT, offsetof(struct utilisation, weight_aligned_byte)},
    {"weight_valid_byte", FIELD_COUNT, offsetof(struct utilisation, weight_valid_byte)},
    {"ofmap_aligned_byte", FIELD_COUNT, offsetof(struct utilisation, ofmap_aligned_byte)},
    {"ofmap_valid_byte", FIELD_COUNT, offsetof(struct utilisation, ofmap_valid_byte)},
    {"mac_utilisation", FIELD_RATIO, offsetof(struct utilisation, mac_utilisation)},
    {"sram_utilisation", FIELD_RATIO, offsetof(struct utilisation, sram_utilisation)},
};
#define N_SPLIT_COLUMN (sizeof(split_column) / sizeof(split_column[0]))

/* The source prints ratios with two places; what it would have printed is compared. */
static double get_field(const struct utilisation *utilisation, const struct split_column *column)
{
	const char *field = (const char *)utilisation + column->offset;
	if (column->type == FIELD_RATIO) {
		double ratio;
		memcpy(&ratio, field, sizeof(ratio));
		return round(100 * ratio) / 100;
	}
	uint64_t count;
	memcpy(&count, field, sizeof(count));
	return (double)count;
}

static const struct split_column *find_column(const char *name)
{
	for (size_t i = 0; i < N_SPLIT_COLUMN; i++) {
		if (strcmp(split_column[i].name, name) == 0)
			return &split_column[i];
	}
	assert(false);
	return NULL;
}

/* The class of tasks that the row is about, among those its split has. */
static const struct utilisation *find_class(const struct csv_table *table, const struct csv_cell *cell,
                                            const struct utilisation *classes, size_t n, struct err *err)
{
	const char *name[UTILISATION_MAX_CLASS];
	for (size_t i = 0; i < n; i++) {
		name[i] = classes[i].name;
		if (strcmp(name[i], cell->text) == 0)
			return &classes[i];
	}
	const char *near = err_nearest(cell->text, name, n);
	char list[UTILISATION_MAX_CLASS * (BLOCK_NAME_SIZE + 2)] = "";
	for (size_t i = 0; i < n; i++)
		(void)strcat(strcat(list, i > 0 ? ", " : ""), name[i]);
	(void)err_add_at(err, ERR_INPUT, csv_place(table, cell), "the split has no tasks '%.40s'; it has %s%s%s%s",
	                 cell->text, list, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	return NULL;
}

enum err_code validate_split_utilisation(struct source *source, const struct csv_table *table, size_t row,
                                         size_t column, struct prediction *prediction, struct err *err)
{
	const struct source_key key = {
	    .table = table,
	    .network = csv_get_cell(table, row, csv_find_column(table, "network")),
	    .target = csv_get_cell(table, row, csv_find_column(table, "target")),
	    .operation = csv_get_cell(table, row, csv_find_column(table, "operation")),
	};
	const struct csv_cell *partial = csv_get_cell(table, row, csv_find_column(table, "partial_operation"));
	struct source_subject *subject;
	struct source_split_choice choice;
	size_t block;
	enum err_code code = source_find(source, &key, &subject, &block, err);
	if (!code)
		code = source_find_split(source, subject, block, SPLIT_AS_LISTED, &choice, err);
	if (code)
		return code;

	struct utilisation classes[UTILISATION_MAX_CLASS];
	size_t n = utilisation_of_split(&subject->network->block[block], &choice.split, subject->machine, classes,
	                                UTILISATION_MAX_CLASS);
	assert(n > 0 && n <= UTILISATION_MAX_CLASS);
	const struct utilisation *found = find_class(table, partial, classes, n, err);
	if (!found)
		return ERR_INPUT;
	prediction->value = get_field(found, find_column(table->header[column].text));
	prediction->counted = choice.listed;
	prediction->note = choice.listed ? NULL : source_unlisted_note;
	return ERR_OK;
}
