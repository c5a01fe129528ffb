/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_KEY_TABLE_H
#define DSE_KEY_TABLE_H
/* Keys of several words, each numbered once, in the order in which they first came. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialise with `struct key_table table = {.n_word = 3};`. */
struct key_table {
	size_t n_word;     /* of a key, at least 1 */
	size_t n, n_alloc; /* keys */
	uint32_t *key;     /* [n][n_word] */
	size_t n_slot;     /* a power of two, or 0 */
	uint32_t *slot;    /* 1 + number of the key; 0: empty */
};

/* The number of a key [n_word], a new one where it is unknown (*is_new; may be NULL). false when memory is out. */
bool key_table_add(struct key_table *table, const uint32_t *key, uint32_t *number, bool *is_new);

/* The number of a key that is known. */
uint32_t key_table_find(const struct key_table *table, const uint32_t *key);
void key_table_free(struct key_table *table);

#endif
