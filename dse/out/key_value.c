/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/key_value.h"
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands behind values instead of the key's ending. */
static const struct key_unit {
	const char *suffix, *unit;
} key_unit[] = {{"_byte", "B"}, {"_mhz", "MHz"}, {"_gb_s", "GB/s"}, {"_bit", "bit"}};

static const struct key_unit *find_unit(const char *key)
{
	size_t n_key = strlen(key);
	for (size_t i = 0; i < sizeof(key_unit) / sizeof(key_unit[0]); i++) {
		size_t n = strlen(key_unit[i].suffix);
		if (n_key > n && strcmp(key + n_key - n, key_unit[i].suffix) == 0)
			return &key_unit[i];
	}
	return NULL;
}

size_t key_value_suffix(const char *key)
{
	assert(key);
	const struct key_unit *unit = find_unit(key);
	return unit ? strlen(unit->suffix) : 0;
}

/* Whole KiB as such: nobody compares 98304 with 131072 at a glance. */
int key_value_print(const char *key, const char *value, char *text, size_t n_byte)
{
	assert(key && value && text);
	const struct key_unit *unit = find_unit(key);
	bool is_whole = value[0] && strspn(value, "0123456789") == strlen(value);
	unsigned long long count = is_whole ? strtoull(value, NULL, 10) : 0;
	if (unit && strcmp(unit->unit, "B") == 0 && count >= 1024 && count % 1024 == 0)
		return snprintf(text, n_byte, "%llu KiB", count / 1024);
	return snprintf(text, n_byte, "%s%s%s", value, unit ? " " : "", unit ? unit->unit : "");
}
