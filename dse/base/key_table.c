/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/key_table.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The slot of a key, or the empty one where it belongs. */
static size_t find_slot(const struct key_table *table, const uint32_t *key)
{
	size_t n_byte = table->n_word * sizeof(*key);
	size_t at = (size_t)hash_bytes(key, n_byte, 0) & (table->n_slot - 1);
	while (table->slot[at] != 0 && memcmp(table->key + (table->slot[at] - 1) * table->n_word, key, n_byte) != 0)
		at = (at + 1) & (table->n_slot - 1);
	return at;
}

/* Room for one more key; the table is at most half full. */
static bool grow_table(struct key_table *table)
{
	if (table->n < table->n_alloc)
		return true;
	size_t n_alloc = table->n_alloc ? 2 * table->n_alloc : 256;
	uint32_t *key = realloc(table->key, n_alloc * table->n_word * sizeof(*key));
	if (!key)
		return false;
	table->key = key;
	uint32_t *slot = calloc(2 * n_alloc, sizeof(*slot));
	if (!slot)
		return false;
	free(table->slot);
	table->slot = slot;
	table->n_slot = 2 * n_alloc;
	table->n_alloc = n_alloc;
	for (size_t i = 0; i < table->n; i++)
		slot[find_slot(table, key + i * table->n_word)] = (uint32_t)i + 1;
	return true;
}

bool key_table_add(struct key_table *table, const uint32_t *key, uint32_t *number, bool *is_new)
{
	assert(table && table->n_word > 0 && key && number);
	if (!grow_table(table))
		return false;
	size_t at = find_slot(table, key);
	bool adds = table->slot[at] == 0;
	if (is_new)
		*is_new = adds;
	if (adds) {
		memcpy(table->key + table->n * table->n_word, key, table->n_word * sizeof(*key));
		table->slot[at] = (uint32_t)++table->n;
	}
	*number = table->slot[at] - 1;
	return true;
}

uint32_t key_table_find(const struct key_table *table, const uint32_t *key)
{
	uint32_t found = table->slot[find_slot(table, key)];
	assert(found > 0);
	return found - 1;
}

void key_table_free(struct key_table *table)
{
	free(table->key);
	free(table->slot);
	*table = (struct key_table){.n_word = table->n_word};
}
