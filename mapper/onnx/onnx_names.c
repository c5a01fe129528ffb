/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/onnx/onnx_names.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <string.h>

bool onnx_names_start(struct onnx_names *names, size_t n_max, struct arena *arena)
{
	size_t n_slot = 16;
	assert(names && arena && n_max < SIZE_MAX / 4);
	while (n_slot < 2 * n_max)
		n_slot *= 2;
	*names = (struct onnx_names){.n_slot = n_slot, .slot = arena_array(arena, n_slot, sizeof(*names->slot))};
	return names->slot != NULL;
}

/* Where a name is, or where it belongs. Half of all slots are free, so there is always an end. */
static struct onnx_name_slot *look(const struct onnx_names *names, const char *name)
{
	size_t at = (size_t)hash_bytes(name, strlen(name), 0) & (names->n_slot - 1);
	assert(names->n < names->n_slot);
	while (names->slot[at].name && strcmp(names->slot[at].name, name) != 0)
		at = (at + 1) & (names->n_slot - 1);
	return &names->slot[at];
}

void onnx_names_add(struct onnx_names *names, const char *name, uint32_t value)
{
	struct onnx_name_slot *slot = look(names, name);
	assert(value > 0 && !slot->name);
	*slot = (struct onnx_name_slot){.name = name, .value = value};
	names->n++;
}

uint32_t onnx_names_find(const struct onnx_names *names, const char *name)
{
	const struct onnx_name_slot *slot = look(names, name);
	return slot->name ? slot->value : 0;
}
