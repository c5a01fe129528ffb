/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which results a layer reads, and views of results: several concatenated, a slice of one, one upsampled, multiplied or
 * reshaped.
 */
#include "mapper/network/parser_parts.h"
#include "sim/base/checked.h"
#include "sim/base/text.h"
#include <assert.h>
#include <stdio.h>

static const char *const layer_prefix[N_LAYER_KIND] = {
    [LAYER_CONV] = "CONV",   [LAYER_POOL] = "POOL",         [LAYER_FC] = "FC",        [LAYER_CONCAT] = "CONCAT",
    [LAYER_SLICE] = "SLICE", [LAYER_UPSAMPLE] = "UPSAMPLE", [LAYER_MULTIPLY] = "MUL", [LAYER_VIEW] = "VIEW",
    [LAYER_ARM] = "ARM",     [LAYER_DATA] = "DATA",
};

const char *const parser_arm_name[N_ARM_KIND - 1] = {"add", "multiply", "function", "softmax", "normalise"};
const char *const parser_over_name[N_PARSER_OVER] = {
    [0] = "none",
    [WHOLE_W] = "width",
    [WHOLE_H] = "height",
    [WHOLE_W | WHOLE_H] = "map",
    [WHOLE_C] = "channels",
    [WHOLE_W | WHOLE_C] = "width_channels",
    [WHOLE_H | WHOLE_C] = "height_channels",
    [WHOLE_W | WHOLE_H | WHOLE_C] = "all",
};

struct layer_label parser_label(const struct layer_chain *chain, uint32_t n)
{
	struct layer_label label;
	assert(n <= chain->list->n);
	if (n == 0)
		snprintf(label.text, sizeof(label.text), "the network's input");
	else
		snprintf(label.text, sizeof(label.text), "%s_%u",
		         layer_is_product(&chain->list->layer[n - 1]) ? "MATMUL"
		                                                      : layer_prefix[chain->list->layer[n - 1].kind],
		         n);
	return label;
}

struct layer_label parser_shape(const struct result *result)
{
	struct layer_label label;
	assert(result->known);
	if (result->is_vector)
		snprintf(label.text, sizeof(label.text), "vector of %u", result->w);
	else
		snprintf(label.text, sizeof(label.text), "%ux%ux%u", result->w, result->h, result->c);
	return label;
}

bool parser_fail(struct layer_chain *chain, uint32_t n, const char *format, ...)
{
	char text[512];
	TEXT_FILL(text, format);
	err_add_at(chain->err, ERR_INPUT, chain->list->layer[n - 1].place, "%s%s", parser_label(chain, n).text, text);
	return false;
}

bool parser_is_view(const struct layer *layer)
{
	assert(layer->kind < N_LAYER_KIND);
	return layer->kind >= LAYER_CONCAT;
}

static bool resolve(struct layer_chain *chain, uint32_t n, struct layer_source source, const char *what, uint32_t *out)
{
	int64_t target = source.relative ? (int64_t)n + source.number : source.number;
	if (target < 0 || target >= (int64_t)n)
		return parser_fail(chain, n,
		                   ": %s is %s%lld, allowed -1 (the layer before) to -%u (the network's input), or 0 "
		                   "(the input) to %u",
		                   what, source.relative && source.number >= 0 ? "+" : "", (long long)source.number, n,
		                   n - 1);
	*out = (uint32_t)target;
	chain->result[target].n_reader++;
	return true;
}

void parser_resolve(struct layer_chain *chain)
{
	for (uint32_t n = 1; n <= chain->list->n; n++) {
		struct layer *layer = &chain->list->layer[n - 1];
		if (layer->broken)
			continue;
		assert(layer->n_from <= NETWORK_MAX_SOURCE);
		chain->from[n] =
		    arena_array(&chain->arena, layer->n_from > 0 ? layer->n_from : 1, sizeof(*chain->from[n]));
		if (!chain->from[n]) {
			chain->no_memory = true;
			return;
		}
		for (uint32_t i = 0; i < layer->n_from; i++)
			if (!resolve(chain, n, layer->from[i], "from", &chain->from[n][i]))
				layer->broken = true;
		if (layer->has_shortcut &&
		    !resolve(chain, n, layer->shortcut_from, "add: from", &chain->shortcut_from[n]))
			layer->broken = true;
		if (layer->has_filters && !resolve(chain, n, layer->filters_from, "filters", &chain->filters_from[n]))
			layer->broken = true;
	}
}

bool parser_check_filters(struct layer_chain *chain, uint32_t n, const struct block *block)
{
	const struct result *filters = &chain->result[chain->filters_from[n]];
	uint64_t size;
	if (!chain->list->layer[n - 1].has_filters)
		return true;
	if (!filters->known)
		return false;
	size = mul_sat((uint64_t)filters->w * filters->h, filters->c);
	if (size != block_n_weight(block))
		return parser_fail(chain, n, " has %llu weights, but %s, which is to be them, gives a %s",
		                   (unsigned long long)block_n_weight(block),
		                   parser_label(chain, chain->filters_from[n]).text, parser_shape(filters).text);
	if (filters->producer != RESIDENCY_NONE)
		residency_send_to_dram(chain->network, filters->producer);
	return true;
}

struct block_sources parser_source_of(struct layer_chain *chain, uint32_t producer)
{
	uint32_t *list = arena_array(&chain->network->arena, 1, sizeof(*list));
	assert(producer <= chain->network->n_block || producer >= NETWORK_DATA);
	chain->no_memory = chain->no_memory || !list;
	if (!list)
		return (struct block_sources){0};
	*list = producer;
	return (struct block_sources){.n = 1, .is_concat = true, .producer = list};
}

/* Where the last union that has a producer is noted. */
static uint32_t *stamp_of(struct layer_chain *chain, uint32_t producer)
{
	size_t at = producer >= NETWORK_DATA ? 2 * (chain->list->n + 1) + (producer - NETWORK_DATA) : producer;
	return &chain->stamp[at];
}

/* All results that the sources of layer n are made of, each once. */
static struct block_sources unite_sources(struct layer_chain *chain, uint32_t n)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	struct block_sources all = {.is_view = true, .is_concat = true};
	size_t n_most = 0;
	for (uint32_t i = 0; i < layer->n_from; i++)
		n_most += chain->result[chain->from[n][i]].sources.n;
	uint32_t *list = arena_array(&chain->network->arena, n_most > 0 ? n_most : 1, sizeof(*list));
	chain->no_memory = chain->no_memory || !list;
	if (!list)
		return all;
	chain->n_union++;
	for (uint32_t i = 0; i < layer->n_from; i++) {
		const struct block_sources *part = &chain->result[chain->from[n][i]].sources;
		all.is_concat = all.is_concat && part->is_concat;
		for (uint32_t j = 0; j < part->n; j++) {
			uint32_t *stamp = stamp_of(chain, part->producer[j]);
			if (*stamp == chain->n_union) {
				all.is_concat = false; /* it stands there twice */
				continue;
			}
			*stamp = chain->n_union;
			list[all.n++] = part->producer[j];
		}
	}
	all.producer = list;
	return all;
}

/* The sources of layer n, each of which is known, are read as a view. */
static void see_sources(struct layer_chain *chain, uint32_t n, struct result *view)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	view->sources = unite_sources(chain, n);

	for (uint32_t i = 0; i < layer->n_from; i++) {
		const struct result *source = &chain->result[chain->from[n][i]];
		assert(source->known);
		if (source->producer != RESIDENCY_NONE)
			residency_send_to_dram(chain->network, source->producer);
	}
	view->producer = RESIDENCY_NONE;
}

/* Whether the channels of two sources of layer n can stand one after another. */
static bool check_alike(struct layer_chain *chain, uint32_t n, const struct result *first, const struct result *other,
                        uint32_t i)
{
	if (first->is_vector == other->is_vector &&
	    (first->is_vector || (first->w == other->w && first->h == other->h)))
		return true;
	return parser_fail(
	    chain, n, ": %s gives %s and %s gives %s, allowed are feature maps of one width and height, or vectors",
	    parser_label(chain, chain->from[n][0]).text, parser_shape(first).text,
	    parser_label(chain, chain->from[n][i]).text, parser_shape(other).text);
}

/* The input of a layer of its own lies in DRAM like a view, and nobody computes it. */
static struct result own_input(const struct layer *layer)
{
	assert(layer->kind == LAYER_CONV || layer->kind == LAYER_FC);
	assert(layer->own_w > 0 && layer->own_h > 0 && layer->own_c > 0);
	return (struct result){.known = true,
	                       .is_vector = layer->kind == LAYER_FC,
	                       .w = layer->own_w,
	                       .h = layer->own_h,
	                       .c = layer->own_c,
	                       .producer = RESIDENCY_NONE};
}

struct result parser_gather(struct layer_chain *chain, uint32_t n)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	const struct result *first = &chain->result[chain->from[n][0]];
	struct result all = *first;
	uint64_t size = 0;
	if (layer->n_from == 0)
		return own_input(layer);
	if (layer->n_from == 1)
		return all;
	for (uint32_t i = 0; i < layer->n_from; i++) {
		const struct result *source = &chain->result[chain->from[n][i]];
		all.known = all.known && source->known && check_alike(chain, n, first, source, i);
		size += source->is_vector ? source->w : source->c;
	}
	if (!all.known)
		return all;
	if (size > (all.is_vector ? NETWORK_MAX_VECTOR : NETWORK_MAX_CHANNEL)) {
		parser_fail(chain, n, ": its sources have %llu %s together, allowed up to %u", (unsigned long long)size,
		            all.is_vector ? "numbers" : "channels",
		            all.is_vector ? NETWORK_MAX_VECTOR : NETWORK_MAX_CHANNEL);
		all.known = false;
		return all;
	}
	*(all.is_vector ? &all.w : &all.c) = (uint32_t)size;
	see_sources(chain, n, &all);
	return all;
}

static bool slice(struct layer_chain *chain, uint32_t n, struct result *view)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	assert(layer->first_c <= layer->last_c);
	if (view->is_vector || layer->last_c >= view->c)
		return parser_fail(chain, n,
		                   ": channels %u to %u of %s, allowed are channels of a feature map, counted from 0",
		                   layer->first_c, layer->last_c, parser_shape(view).text);
	view->c = layer->last_c - layer->first_c + 1;
	return true;
}

static bool upsample(struct layer_chain *chain, uint32_t n, struct result *view)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	uint64_t w = (uint64_t)view->w * layer->factor, h = (uint64_t)view->h * layer->factor;
	if (view->is_vector || w > NETWORK_MAX_EXTENT || h > NETWORK_MAX_EXTENT)
		return parser_fail(
		    chain, n, ": %s by a factor of %u, allowed are feature maps of up to %u pixels a side afterwards",
		    parser_shape(view).text, layer->factor, NETWORK_MAX_EXTENT);
	view->w = (uint32_t)w;
	view->h = (uint32_t)h;
	return true;
}

/* All sources in one shape, which need not be that of any of them. */
static bool reshape(struct layer_chain *chain, uint32_t n, struct result *view)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	assert(layer->view_w > 0 && layer->view_h > 0 && layer->view_c > 0);
	for (uint32_t i = 0; i < layer->n_from; i++)
		if (!chain->result[chain->from[n][i]].known)
			return false;
	view->w = layer->view_w;
	view->h = layer->view_h;
	view->c = layer->view_c;
	return true;
}

/* One number a channel: a vector, or a map of one pixel. */
static bool is_channel_factor(const struct result *factor, const struct result *map)
{
	if (factor->is_vector)
		return factor->w == (map->is_vector ? map->w : map->c);
	return factor->w == 1 && factor->h == 1 && factor->c == map->c;
}

bool parser_match(struct layer_chain *chain, uint32_t n, enum arm_operand *operand)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	const struct result *a = &chain->result[chain->from[n][0]], *b = &chain->result[chain->from[n][1]];
	assert(layer->n_from == 2);
	if (!a->known || !b->known)
		return false;
	bool same = a->is_vector == b->is_vector && a->w == b->w && a->h == b->h && a->c == b->c;
	/* a vector is a map of one pixel */
	if (a->is_vector != b->is_vector)
		same = is_channel_factor(a->is_vector ? a : b, a->is_vector ? b : a) &&
		       (a->is_vector ? b : a)->w == 1 && (a->is_vector ? b : a)->h == 1;
	if (!same && !(!a->is_vector && is_channel_factor(b, a)))
		return parser_fail(chain, n,
		                   ": %s gives %s and %s gives %s, allowed is a second operand of the same shape, or "
		                   "of one number a channel",
		                   parser_label(chain, chain->from[n][0]).text, parser_shape(a).text,
		                   parser_label(chain, chain->from[n][1]).text, parser_shape(b).text);
	*operand = same ? OPERAND_MAP : OPERAND_CHANNEL;
	return true;
}

static void build_data(struct layer_chain *chain, uint32_t n)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	struct network *network = chain->network;
	uint32_t d = (uint32_t)network->n_data++;
	network->data[d] =
	    (struct network_data){.number = n, .w = layer->view_w, .h = layer->view_h, .c = layer->view_c};
	chain->result[n] = (struct result){.known = true,
	                                   .w = layer->view_w,
	                                   .h = layer->view_h,
	                                   .c = layer->view_c,
	                                   .producer = RESIDENCY_NONE,
	                                   .n_reader = chain->result[n].n_reader,
	                                   .sources = parser_source_of(chain, NETWORK_DATA + d)};
}

void parser_build_view(struct layer_chain *chain, uint32_t n)
{
	const struct layer *layer = &chain->list->layer[n - 1];
	struct result view = {0};
	enum arm_operand ignored;
	assert(parser_is_view(layer));
	if (layer->kind == LAYER_DATA) {
		build_data(chain, n);
		return;
	}
	if (layer->kind == LAYER_MULTIPLY) {
		view = chain->result[chain->from[n][0]];
		view.known = parser_match(chain, n, &ignored);
	} else if (layer->kind == LAYER_VIEW) {
		view.known = reshape(chain, n, &view);
	} else {
		view = parser_gather(chain, n);
	}
	if (view.known && (layer->kind == LAYER_SLICE || layer->kind == LAYER_UPSAMPLE))
		view.known = (layer->kind == LAYER_SLICE ? slice : upsample)(chain, n, &view);
	/* even a view of one result: its readers do not find it as the block left it */
	if (view.known)
		see_sources(chain, n, &view);
	view.sources.is_concat = view.sources.is_concat && layer->kind == LAYER_CONCAT;
	view.n_reader = chain->result[n].n_reader;
	chain->result[n] = view;
}
