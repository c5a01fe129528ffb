/* SPDX-License-Identifier: Apache-2.0 */
/* A space with a choice in it. */
#include "dse/base/memory.h"
#include "dse/space/space_variant.h"
#include "dse/why/why_parts.h"
#include <assert.h>
#include <string.h>

bool why_machine_has_axis(const struct why_choice *choice, const struct space_axis *axis)
{
	return choice->machine && choice->machine->is_file && axis->at.file && strcmp(axis->at.file, "--set") != 0;
}

/* The chosen machine alone; where a file describes it, without axes, but with what --set gave. */
static void fix_machine(const struct why_choice *choice, struct space *variant, struct arena *arena)
{
	size_t n = 0;
	const char **path = memory_must(arena_array(arena, 1, sizeof(*path)));
	*space_variant_machine(variant, 0) = choice->machine->machine;
	path[0] = choice->machine->path;
	variant->n_machine = 1;
	variant->machine_path = path;
	variant->machine_sources = &choice->machine->sources;
	for (size_t i = 0; i < variant->n_axis; i++)
		if (!why_machine_has_axis(choice, &variant->axis[i]))
			variant->axis[n++] = variant->axis[i];
	variant->n_axis = n;
}

static void narrow_split(const struct why_layer *layer, struct layer_choice *choice)
{
	if (layer->thesis_split || layer->dims != 0)
		choice->thesis_split = layer->thesis_split;
	for (size_t i = 0; i < N_SPLIT_DIM; i++) {
		if (!(layer->dims >> i & 1U))
			continue;
		choice->dim[i] = layer->dim[i];
		choice->dim[i].fixed = layer->dim[i].n_fixed ? &layer->fixed[i] : NULL;
	}
}

static void narrow(const struct why_layer *layer, const struct block *block, struct layer_choice *choice)
{
	if (layer->strategy != N_STRATEGY) {
		bool reuses = strategy_table[layer->strategy].reuses && block->kind != BLOCK_CONV;
		memset(choice->strategy, 0, sizeof(choice->strategy));
		choice->strategy[reuses ? STRATEGY_FUSION : layer->strategy] = true;
	}
	if (layer->level != UINT32_MAX)
		choice->level_mask = UINT32_C(1) << layer->level;
	narrow_split(layer, choice);
}

static void narrow_layers(const struct why_choice *choice, struct space *variant, struct arena *arena)
{
	struct space_network *network = memory_must(arena_array(arena, variant->n_network, sizeof(*network)));
	for (size_t i = 0; i < variant->n_network; i++) {
		size_t n = variant->network[i].network.n_block;
		network[i] = variant->network[i];
		network[i].choice = memory_must(arena_array(arena, n, sizeof(*network[i].choice)));
		memcpy(network[i].choice, variant->network[i].choice, n * sizeof(*network[i].choice));
		for (size_t k = 0; k < choice->n_layer; k++)
			for (size_t b = 0; b < n; b++)
				if (!choice->layer[k].name ||
				    block_is_called(&network[i].network.block[b], choice->layer[k].name))
					narrow(&choice->layer[k], &network[i].network.block[b], &network[i].choice[b]);
	}
	variant->network = network;
}

void why_variant(const struct space *space, const struct why_choice *choice, const struct machine_param *param,
                 const char *text, struct arena *arena, struct space *variant)
{
	assert(space && arena && variant && !param == !text);
	memory_check(space_variant(space, arena, variant));
	if (choice && choice->machine)
		fix_machine(choice, variant, arena);
	for (size_t i = 0; choice && i < variant->n_machine; i++)
		for (size_t k = 0; k < choice->set.n_level; k++)
			if (machine_set_has_level(&variant->machine[i], choice->set.level[k].key))
				(void)machine_set_level(space_variant_machine(variant, i), choice->set.level[k].key,
				                        choice->set.level[k].text, NULL);
	for (size_t i = 0; choice && i < choice->set.n; i++)
		space_variant_fix_axis(variant, arena, choice->set.setting[i].param, choice->set.setting[i].text);
	if (param)
		space_variant_fix_axis(variant, arena, param, text);
	if (choice && choice->n_layer > 0)
		narrow_layers(choice, variant, arena);
}
