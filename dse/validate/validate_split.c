/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes and utilisations of an operation's tasks, from its split alone (thesis appendices H and J). */
#include "dse/validate/validate_parts.h"
#include "mapper/split/utilisation.h"
#include <assert.h>
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

/*
 * The last of TL, TR, BL and BR in a word (none: untouched), whatever stands around it: sources
 * spell the same tasks CONVSUTL_SC_14, CONVSCSUTL_14 or CONV_SCSUTL_14.
 */
static void read_class(const char *word, char class_name[3])
{
	for (; word[0] != '\0'; word++) {
		char part = (char)toupper((unsigned char)word[0]), side = (char)toupper((unsigned char)word[1]);
		if ((part != 'T' && part != 'B') || (side != 'L' && side != 'R'))
			continue;
		class_name[0] = part;
		class_name[1] = side;
		class_name[2] = '\0';
	}
}

/* Which classes a row may be about: letters "" or "TL", ...; pieces NAN: any; name NULL: any. */
struct class_filter {
	const char *letters, *name;
	double pieces;
};

/* The only class that passes; NULL: there is none, or several. */
static const struct utilisation *find_only(const struct utilisation *classes, size_t n,
                                           const struct class_filter *filter)
{
	const struct utilisation *found = NULL;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(classes[i].class_name, filter->letters, strlen(filter->letters)) != 0 ||
		    (filter->name && strcmp(classes[i].name, filter->name) != 0) ||
		    (!isnan(filter->pieces) && (double)classes[i].pieces != filter->pieces))
			continue;
		if (found)
			return NULL;
		found = &classes[i];
	}
	return found;
}

/* Where the row's letters leave several classes, or it has none, its number of tasks decides, then its whole name. */
static const struct utilisation *guess_class(const struct csv_table *table, size_t row, const char *name,
                                             const char *letters, const struct utilisation *classes, size_t n)
{
	const struct csv_cell *cell = cell_find(table, row, "pieces");
	struct class_filter filter = {.letters = letters, .pieces = NAN};
	const struct utilisation *found = find_only(classes, n, &filter);
	if (!found && cell && csv_get_real(table, cell, "pieces", 0, DBL_MAX, &filter.pieces, NULL) == ERR_OK)
		found = find_only(classes, n, &filter);
	filter = (struct class_filter){.letters = letters, .name = name, .pieces = NAN};
	return found ? found : find_only(classes, n, &filter);
}

/* The class of tasks that the row is about, among those its split has. */
static const struct utilisation *find_class(const struct csv_table *table, size_t row,
                                            const struct utilisation *classes, size_t n, struct err *err)
{
	const struct csv_cell *cell = cell_find(table, row, "partial_operation");
	char letters[3] = "";
	assert(cell && n > 0 && n <= UTILISATION_MAX_CLASS);
	read_class(cell->text, letters);
	const struct utilisation *found = guess_class(table, row, cell->text, letters, classes, n);
	char list[UTILISATION_MAX_CLASS * (BLOCK_NAME_SIZE + 2)] = "";
	for (size_t i = 0; i < n; i++)
		(void)strcat(strcat(list, i > 0 ? ", " : ""), classes[i].name);
	if (!found)
		(void)err_add_at(err, ERR_INPUT, csv_place(table, cell), "the split has no tasks '%.40s'; it has %s",
		                 cell->text, list);
	return found;
}

enum err_code validate_split_utilisation(const struct validate_cell *cell, struct prediction *prediction,
                                         struct err *err)
{
	const struct csv_table *table = cell->table;
	const size_t row = cell->row;
	const struct source_key key = {
	    .table = table,
	    .row = row,
	    .network = csv_get_cell(table, row, csv_find_column(table, "network")),
	    .target = csv_get_cell(table, row, csv_find_column(table, "target")),
	    .operation = csv_get_cell(table, row, csv_find_column(table, "operation")),
	};
	struct source_subject *subject;
	struct source_split_choice choice;
	size_t block;
	enum err_code code = source_find(cell->source, &key, &subject, &block, err);
	if (!code)
		code = source_find_split(cell->source, subject, block, SPLIT_AS_LISTED, &choice, err);
	if (code)
		return code;

	struct utilisation classes[UTILISATION_MAX_CLASS];
	size_t n = utilisation_of_split(&subject->network->block[block], &choice.split, subject->machine, classes,
	                                UTILISATION_MAX_CLASS);
	assert(n > 0 && n <= UTILISATION_MAX_CLASS);
	const struct utilisation *found = find_class(table, row, classes, n, err);
	if (!found)
		return ERR_INPUT;
	prediction->value = validate_read_figure(cell->value, found);
	prediction->counted = choice.listed;
	prediction->note = choice.listed ? NULL : source_unlisted_note;
	return ERR_OK;
}
