/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs that a source published twice with different figures (the thesis
 * simulator's ResNet-50 CONV_1 on 8x4 arrays): which of them its tables mean is
 * not said, so each value counts once, compared with the nearer figure.
 */
#include "dse/out/machine_column.h"
#include "dse/base/memory.h"
#include "dse/validate/validate.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char duplicate_note[] = "another row with the same key is nearer or as near";

/* Columns that tell rows apart in tables that have them, though their kind does not ask for them; so do machine
 * parameters. */
static const char *const optional_key[] = {"target", "array", "strategy"};
#define N_OPTIONAL_KEY (sizeof(optional_key) / sizeof(optional_key[0]))

struct row_key {
	const struct csv_table *table;
	size_t n, column[VALIDATE_MAX_KEY + N_OPTIONAL_KEY + CSV_MAX_COLUMN]; /* a column may stand here twice */
};

/* qsort passes on nothing but its elements, so each knows the key. */
struct keyed_value {
	const struct row_key *key;
	struct validate_value *value;
};

static void collect_key(const struct validation *validation, struct row_key *key)
{
	*key = (struct row_key){.table = &validation->table};
	for (const char *const *name = validation->kind->key; *name; name++)
		key->column[key->n++] = csv_find_column(key->table, *name);
	for (size_t i = 0; i < N_OPTIONAL_KEY; i++) {
		size_t column = csv_find_column(key->table, optional_key[i]);
		if (column != CSV_NO_COLUMN)
			key->column[key->n++] = column;
	}
	for (size_t i = 0; i < key->table->n_column; i++) {
		if (machine_column_find(key->table->header[i].text))
			key->column[key->n++] = i;
	}
	assert(key->n <= sizeof(key->column) / sizeof(key->column[0]));
}

/* Numbers in order, NAN (a design that cannot run) after all. */
static int order_real(double a, double b)
{
	if (isnan(a) || isnan(b))
		return !!isnan(a) - !!isnan(b);
	return (a > b) - (a < b);
}

/*
 * Zero for values of which only one may count. The predictions are looked at,
 * too: rows of one key that the model tells apart are about different things.
 */
static int order_subject(const struct keyed_value *a, const struct keyed_value *b)
{
	const struct row_key *key = a->key;
	if (a->value->column != b->value->column)
		return a->value->column < b->value->column ? -1 : 1;
	for (size_t i = 0; i < key->n; i++) {
		int order = strcmp(csv_get_cell(key->table, a->value->row, key->column[i])->text,
		                   csv_get_cell(key->table, b->value->row, key->column[i])->text);
		if (order != 0)
			return order;
	}
	return order_real(a->value->prediction.value, b->value->prediction.value);
}

/* The nearest first; among equals the first row, so that the order is the same everywhere. */
static int order_candidate(const void *left, const void *right)
{
	const struct keyed_value *a = left, *b = right;
	int order = order_subject(a, b);
	if (order == 0)
		order = order_real(fabs(a->value->error_pct), fabs(b->value->error_pct));
	if (order == 0)
		order = (a->value->row > b->value->row) - (a->value->row < b->value->row);
	return order;
}

void validate_settle_duplicates(struct validation *validation)
{
	assert(validation && validation->kind && validation->value);
	struct row_key key;
	collect_key(validation, &key);
	size_t n = 0;
	struct keyed_value *candidate = memory_array(validation->n_value, sizeof(*candidate));
	for (size_t i = 0; i < validation->n_value; i++) {
		if (validation->value[i].prediction.counted)
			candidate[n++] = (struct keyed_value){&key, &validation->value[i]};
	}
	qsort(candidate, n, sizeof(*candidate), order_candidate);
	for (size_t i = 1; i < n; i++) {
		if (order_subject(&candidate[i - 1], &candidate[i]) != 0)
			continue;
		candidate[i].value->prediction.counted = false;
		candidate[i].value->prediction.note = duplicate_note;
	}
	free(candidate);
}
