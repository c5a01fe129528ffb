/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/renamed.h"
#include "dse/out/words.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct {
	enum renamed_kind kind;
	const char *before, *now;
} renamed_table[] = {
    {RENAMED_LAYER, "CONV_", "MATMUL_"},     {RENAMED_DIMENSION, "w", "width"},
    {RENAMED_DIMENSION, "h", "height"},      {RENAMED_DIMENSION, "c", "out_channels"},
    {RENAMED_DIMENSION, "d", "in_channels"}, {RENAMED_KEY, "name", "layer"},
    {RENAMED_KEY, "type", "kind"},
};
enum { N_RENAMED = sizeof(renamed_table) / sizeof(renamed_table[0]) };

const char *renamed_before(enum renamed_kind kind, const char *now)
{
	assert(now);
	for (unsigned i = 0; i < N_RENAMED; i++)
		if (renamed_table[i].kind == kind && strcmp(renamed_table[i].now, now) == 0)
			return renamed_table[i].before;
	return NULL;
}

const char *renamed_layer(const char *now, char before[RENAMED_NAME_SIZE])
{
	assert(now);
	for (unsigned i = 0; i < N_RENAMED; i++) {
		size_t n = strlen(renamed_table[i].now);
		if (renamed_table[i].kind != RENAMED_LAYER || strncmp(now, renamed_table[i].now, n) != 0)
			continue;
		(void)snprintf(before, RENAMED_NAME_SIZE, "%s%s", renamed_table[i].before, now + n);
		return before;
	}
	return NULL;
}

const struct block *renamed_find_block(const struct network *network, const char *name)
{
	const struct block *found = network_find_block(network, name);
	for (size_t i = 0; i < network->n_block && !found; i++) {
		char before[RENAMED_NAME_SIZE];
		if (!renamed_layer(network->block[i].name, before) || strcmp(before, name) != 0)
			continue;
		found = &network->block[i];
		renamed_warn(name, found->name);
	}
	return found;
}

const struct split_scheme_row *renamed_find_split(const struct split_scheme *scheme, const char *network,
                                                  const char *target, const char *block)
{
	char before[RENAMED_NAME_SIZE];
	const struct split_scheme_row *row = split_scheme_find(scheme, network, target, block);
	return row || !renamed_layer(block, before) ? row : split_scheme_find(scheme, network, target, before);
}

void renamed_warn(const char *before, const char *now)
{
	words_note("'%s' is %s now; the old name works until the next release\n", before, now);
}
