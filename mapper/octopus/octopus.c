/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/octopus/octopus.h"
#include "sim/base/checked.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const octopus_type_name[N_OCTOPUS_TYPE] = {
    [OCTOPUS_CONV] = "conv",       [OCTOPUS_LINEAR] = "linear",     [OCTOPUS_POOL] = "pool",
    [OCTOPUS_ADD] = "add",         [OCTOPUS_MULTIPLY] = "multiply", [OCTOPUS_FUNCTION] = "function",
    [OCTOPUS_SOFTMAX] = "softmax", [OCTOPUS_NORM] = "normalise",
};

#define BIAS_BYTE 4 /* 32 bit */

/* While the graph is made. */
struct builder {
	const struct network *network;
	struct octopus_graph *graph;
	uint32_t *tensor_of;  /* [network_n_source] by source, as network_source counts them; OCTOPUS_NONE: none yet */
	uint32_t *n_consumer; /* [n_tensor] */
};

static uint32_t n_input_of(const struct block *block)
{
	return (block->reads.n > 0 ? block->reads.n : 1) + block->adds.n + block->filters.n;
}

static uint32_t new_tensor(struct octopus_graph *graph, uint32_t producer, uint32_t w, uint32_t h, uint32_t c)
{
	uint32_t index = graph->n_tensor++;
	graph->tensor[index] = (struct octopus_tensor){
	    .w = w, .h = h, .c = c, .byte = mul_sat((uint64_t)w * h, c), .producer = producer, .is_output = true};
	return index;
}

/* The network's input as its first reader sees it; through a view its shape is known no better than its size. */
static uint32_t input_tensor(struct builder *builder, const struct block *block)
{
	uint32_t index = new_tensor(builder->graph, OCTOPUS_NONE, block->in_w, block->in_h, block->in_c);
	snprintf(builder->graph->tensor[index].name, BLOCK_NAME_SIZE, "%s", "input");
	return index;
}

static uint32_t own_tensor(struct builder *builder, const struct block *block)
{
	uint32_t index = new_tensor(builder->graph, OCTOPUS_NONE, block->in_w, block->in_h, block->in_c);
	snprintf(builder->graph->tensor[index].name, BLOCK_NAME_SIZE, "in_%.20s", block->name);
	return index;
}

/* What lies in DRAM beforehand, as a whole, whatever part of it is read. */
static uint32_t data_tensor(struct builder *builder, const struct network_data *data)
{
	uint32_t index = new_tensor(builder->graph, OCTOPUS_NONE, data->w, data->h, data->c);
	snprintf(builder->graph->tensor[index].name, BLOCK_NAME_SIZE, "data_%" PRIu32, data->number);
	builder->graph->tensor[index].stays = true;
	return index;
}

/* What a block leaves: pooled, 8 bit. */
static uint32_t result_tensor(struct builder *builder, uint32_t layer, const struct block *block)
{
	uint32_t index =
	    new_tensor(builder->graph, layer, block->out_w / block->pool, block->out_h / block->pool, block->out_c);
	snprintf(builder->graph->tensor[index].name, BLOCK_NAME_SIZE, "%s", block->name);
	return index;
}

static void read_sources(struct builder *builder, const struct block *block, const struct block_sources *sources,
                         enum octopus_role role, struct octopus_input *input, uint32_t *n)
{
	for (uint32_t i = 0; i < sources->n; i++) {
		uint32_t producer = sources->producer[i];
		uint32_t *tensor = &builder->tensor_of[network_source(builder->network, producer)];
		if (*tensor == OCTOPUS_NONE && producer >= NETWORK_DATA)
			*tensor = data_tensor(builder, &builder->network->data[producer - NETWORK_DATA]);
		if (*tensor == OCTOPUS_NONE) {
			assert(producer == 0); /* blocks come after those that they read */
			*tensor = input_tensor(builder, block);
		}
		input[(*n)++] = (struct octopus_input){.tensor = *tensor, .role = role};
	}
}

static enum octopus_type type_of(const struct block *block)
{
	static const enum octopus_type of_arm[N_ARM_KIND] = {
	    [ARM_POOL] = OCTOPUS_POOL,         [ARM_ADD] = OCTOPUS_ADD,         [ARM_MULTIPLY] = OCTOPUS_MULTIPLY,
	    [ARM_FUNCTION] = OCTOPUS_FUNCTION, [ARM_SOFTMAX] = OCTOPUS_SOFTMAX, [ARM_NORM] = OCTOPUS_NORM,
	};
	switch (block->kind) {
	case BLOCK_MATMUL:
		return OCTOPUS_LINEAR;
	case BLOCK_POOL:
		return of_arm[block->arm];
	case BLOCK_CONV:
		break;
	}
	return OCTOPUS_CONV;
}

static bool build_layer(struct builder *builder, size_t b)
{
	const struct block *block = &builder->network->block[b];
	struct octopus_graph *graph = builder->graph;
	struct octopus_layer *layer = &graph->layer[graph->n_layer];
	struct octopus_input *input = arena_array(&graph->arena, n_input_of(block), sizeof(*input));
	const struct split whole = split_whole(block);
	if (!input)
		return false;
	*layer = (struct octopus_layer){.type = type_of(block), .block = b, .input = input};
	snprintf(layer->name, sizeof(layer->name), "%s", block->name);
	if (block->reads.n == 0)
		input[layer->n_input++] =
		    (struct octopus_input){.tensor = own_tensor(builder, block), .role = OCTOPUS_IFMAP};
	read_sources(builder, block, &block->reads, OCTOPUS_IFMAP, input, &layer->n_input);
	read_sources(builder, block, &block->adds, OCTOPUS_ADDED, input, &layer->n_input);
	read_sources(builder, block, &block->filters, OCTOPUS_FILTERS, input, &layer->n_input);
	layer->weight_byte = block->filters.n > 0 ? 0 : block_n_weight(block);
	layer->bias_byte = block->kind == BLOCK_POOL || block->filters.n > 0
	                       ? 0
	                       : (uint64_t)BIAS_BYTE * (block->kind == BLOCK_MATMUL ? block->out_w : block->out_c);
	octopus_cut(layer, &whole, false, 1);
	layer->output = result_tensor(builder, graph->n_layer, block);
	builder->tensor_of[b + 1] = layer->output;
	graph->n_layer++;
	return true;
}

/* Whether a layer reads a tensor by an earlier input already. */
static bool is_repeat(const struct octopus_layer *layer, uint32_t i)
{
	for (uint32_t j = 0; j < i; j++)
		if (layer->input[j].tensor == layer->input[i].tensor)
			return true;
	return false;
}

/* The consumers of all tensors: counted, then listed. */
static bool list_consumers(struct builder *builder)
{
	struct octopus_graph *graph = builder->graph;
	uint32_t **list = arena_array(&graph->arena, graph->n_tensor, sizeof(*list));
	for (uint32_t l = 0; l < graph->n_layer; l++)
		for (uint32_t i = 0; i < graph->layer[l].n_input; i++)
			builder->n_consumer[graph->layer[l].input[i].tensor] += !is_repeat(&graph->layer[l], i);
	for (uint32_t t = 0; list && t < graph->n_tensor; t++) {
		if (builder->n_consumer[t] == 0)
			continue;
		list[t] = arena_array(&graph->arena, builder->n_consumer[t], sizeof(*list[t]));
		if (!list[t])
			return false;
		graph->tensor[t].consumer = list[t];
		graph->tensor[t].is_output = false;
	}
	for (uint32_t l = 0; list && l < graph->n_layer; l++)
		for (uint32_t i = 0; i < graph->layer[l].n_input; i++) {
			uint32_t t = graph->layer[l].input[i].tensor;
			if (!is_repeat(&graph->layer[l], i))
				list[t][graph->tensor[t].n_consumer++] = l;
		}
	return list != NULL;
}

/* Results that are weights together with a cache are its next tokens: the host puts them there after the run. */
static void keep_behind_caches(struct octopus_graph *graph)
{
	for (uint32_t l = 0; l < graph->n_layer; l++) {
		const struct octopus_layer *layer = &graph->layer[l];
		bool has_cache = false;
		for (uint32_t i = 0; i < layer->n_input; i++)
			has_cache = has_cache || (layer->input[i].role == OCTOPUS_FILTERS &&
			                          graph->tensor[layer->input[i].tensor].stays);
		for (uint32_t i = 0; has_cache && i < layer->n_input; i++) {
			struct octopus_tensor *tensor = &graph->tensor[layer->input[i].tensor];
			if (layer->input[i].role == OCTOPUS_FILTERS && tensor->producer != OCTOPUS_NONE)
				tensor->is_output = true;
		}
	}
}

enum err_code octopus_build(const struct network *network, struct octopus_graph *graph, struct err *err)
{
	struct builder builder = {.network = network, .graph = graph};
	struct arena scratch = {0};
	/* a result and an input of its own for every block, the network's input, and data */
	size_t n_source = network_n_source(network), n_tensor = network->n_block + n_source;
	bool good;
	assert(network && graph && network->n_block > 0);
	*graph = (struct octopus_graph){.network = network};
	for (size_t b = 0; b < network->n_block; b++)
		if (block_batch(&network->block[b]) > 1)
			return err_add(err, ERR_INFEASIBLE, "%s: a batch of %u images, OctopuScheduler takes one",
			               network->block[b].name, block_batch(&network->block[b]));
	graph->layer = arena_array(&graph->arena, network->n_block, sizeof(*graph->layer));
	graph->tensor = arena_array(&graph->arena, n_tensor, sizeof(*graph->tensor));
	builder.tensor_of = arena_array(&scratch, n_source, sizeof(*builder.tensor_of));
	builder.n_consumer = arena_array(&scratch, n_tensor, sizeof(*builder.n_consumer));
	good = graph->layer && graph->tensor && builder.tensor_of && builder.n_consumer;
	for (size_t i = 0; good && i < n_source; i++)
		builder.tensor_of[i] = OCTOPUS_NONE;
	for (size_t b = 0; good && b < network->n_block; b++)
		good = build_layer(&builder, b);
	good = good && list_consumers(&builder);
	if (good)
		keep_behind_caches(graph);
	arena_free(&scratch);
	if (good)
		return ERR_OK;
	octopus_free(graph);
	return err_add(err, ERR_INTERNAL, "out of memory for a schedule of %zu blocks", network->n_block);
}

void octopus_free(struct octopus_graph *graph)
{
	arena_free(&graph->arena);
	memset(graph, 0, sizeof(*graph));
}
