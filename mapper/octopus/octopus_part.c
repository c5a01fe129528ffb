/* SPDX-License-Identifier: Apache-2.0 */
/* One chip's share of a graph, for a pipeline of chips. */
#include "mapper/octopus/octopus.h"
#include <assert.h>

/* While the share is made: layers first to end - 1. */
struct sharing {
	const struct octopus_graph *graph;
	struct octopus_graph *part;
	uint32_t first, end;
	uint32_t *index; /* [graph->n_tensor] in the part; OCTOPUS_NONE: not there */
};

static uint32_t last_consumer(const struct octopus_tensor *tensor)
{
	assert(tensor->n_consumer > 0);
	return tensor->consumer[tensor->n_consumer - 1];
}

/* Whether a chip before has it and layers from `first` on read it. */
static bool is_received(const struct sharing *sharing, const struct octopus_tensor *tensor)
{
	if (tensor->n_consumer == 0 || last_consumer(tensor) < sharing->first)
		return false;
	if (tensor->producer == OCTOPUS_NONE)
		return tensor->consumer[0] < sharing->first;
	return tensor->producer < sharing->first;
}

/* Whether it begins here: a layer makes it, or is the first to read what the host writes. */
static bool begins_here(const struct sharing *sharing, const struct octopus_tensor *tensor)
{
	uint32_t at = tensor->producer == OCTOPUS_NONE ? tensor->consumer[0] : tensor->producer;
	return at >= sharing->first && at < sharing->end;
}

static bool share_tensor(const struct sharing *sharing, uint32_t t)
{
	const struct octopus_tensor *tensor = &sharing->graph->tensor[t];
	struct octopus_graph *part = sharing->part;
	struct octopus_tensor *own = &part->tensor[part->n_tensor];
	uint32_t *consumer = arena_array(&part->arena, tensor->n_consumer + (size_t)1, sizeof(*consumer));
	if (!consumer)
		return false;
	*own = *tensor;
	own->from_chip = is_received(sharing, tensor);
	own->to_chip = tensor->n_consumer > 0 && last_consumer(tensor) >= sharing->end;
	own->is_output = tensor->is_output || own->to_chip;
	own->in_sram = tensor->in_sram && !own->from_chip;
	own->producer =
	    tensor->producer == OCTOPUS_NONE || own->from_chip ? OCTOPUS_NONE : tensor->producer - sharing->first;
	own->n_consumer = 0;
	own->consumer = consumer;
	for (uint32_t i = 0; i < tensor->n_consumer; i++)
		if (tensor->consumer[i] >= sharing->first && tensor->consumer[i] < sharing->end)
			consumer[own->n_consumer++] = tensor->consumer[i] - sharing->first;
	sharing->index[t] = part->n_tensor++;
	return true;
}

static bool share_layer(const struct sharing *sharing, uint32_t l)
{
	struct octopus_graph *part = sharing->part;
	struct octopus_layer *own = &part->layer[part->n_layer++];
	struct octopus_input *input;
	*own = sharing->graph->layer[l];
	input = arena_array(&part->arena, own->n_input, sizeof(*input));
	if (!input)
		return false;
	for (uint32_t i = 0; i < own->n_input; i++) {
		input[i] = own->input[i];
		input[i].tensor = sharing->index[own->input[i].tensor];
		assert(input[i].tensor != OCTOPUS_NONE);
	}
	own->input = input;
	own->output = sharing->index[own->output];
	return true;
}

enum err_code octopus_share(const struct octopus_graph *graph, uint32_t first, uint32_t n_layer,
                            struct octopus_graph *part, struct err *err)
{
	struct arena scratch = {0};
	struct sharing sharing = {graph, part, first, first + n_layer, NULL};
	bool good;
	assert(n_layer > 0 && first < graph->n_layer && n_layer <= graph->n_layer - first);
	*part = (struct octopus_graph){.network = graph->network};
	part->layer = arena_array(&part->arena, n_layer, sizeof(*part->layer));
	part->tensor = arena_array(&part->arena, graph->n_tensor, sizeof(*part->tensor));
	sharing.index = arena_array(&scratch, graph->n_tensor, sizeof(*sharing.index));
	good = part->layer && part->tensor && sharing.index;
	for (uint32_t t = 0; good && t < graph->n_tensor; t++) {
		sharing.index[t] = OCTOPUS_NONE;
		if (begins_here(&sharing, &graph->tensor[t]) || is_received(&sharing, &graph->tensor[t]))
			good = share_tensor(&sharing, t);
	}
	for (uint32_t l = first; good && l < sharing.end; l++)
		good = share_layer(&sharing, l);
	arena_free(&scratch);
	if (good)
		return ERR_OK;
	octopus_free(part);
	return err_add(err, ERR_INTERNAL, "out of memory for the layers of a chip");
}
