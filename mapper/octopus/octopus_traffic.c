/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/octopus/octopus_traffic.h"
#include <assert.h>

/* Laid out alike, too: padding is part of the operand in SRAM. */
static bool same_ifmap(const struct octopus_tile *a, const struct octopus_tile *b)
{
	return a->in_x == b->in_x && a->in_y == b->in_y && a->in_c == b->in_c && a->in_w == b->in_w &&
	       a->in_h == b->in_h && a->n_in_c == b->n_in_c && a->pad_left == b->pad_left &&
	       a->pad_right == b->pad_right && a->pad_top == b->pad_top && a->pad_bottom == b->pad_bottom;
}

static bool same_filters(const struct octopus_layer *layer, const struct octopus_tile *a, const struct octopus_tile *b)
{
	return layer->type == OCTOPUS_LINEAR ? a->x == b->x && a->w == b->w : a->c == b->c && a->n_c == b->n_c;
}

static void add_load(uint64_t byte, uint64_t *total, uint64_t *n_load, struct octopus_traffic *traffic)
{
	if (byte == 0)
		return;
	*total += byte;
	++*n_load;
	traffic->n_packet += octopus_n_packet(byte);
}

/* Operands part by part of the depth: their bytes are as many as the part has channels. */
static void add_operands(const struct octopus_layer *layer, const struct octopus_tile *tile, uint64_t weight_byte,
                         uint64_t in_byte, uint32_t depth, struct octopus_traffic *traffic)
{
	const struct dim_split *d = &layer->split.d;
	bool is_cut = layer->type == OCTOPUS_CONV || layer->type == OCTOPUS_LINEAR;
	uint64_t at = 0;
	for (uint32_t i = 0; i < (is_cut ? dim_n_part(d) : 1) && at < depth; i++) {
		uint64_t n = !is_cut ? depth : i < d->n_a ? d->size_a : d->size_b;
		n = n < depth - at ? n : depth - at;
		add_load(weight_byte / depth * n, &traffic->weight_byte, &traffic->n_weight_load, traffic);
		add_load(in_byte / depth * n, &traffic->input_byte, &traffic->n_input_load, traffic);
		at += n;
	}
	if (weight_byte > 0 && tile->bias_byte > 0) { /* with the first weights' load, packets of their own */
		traffic->weight_byte += tile->bias_byte;
		traffic->n_packet += octopus_n_packet(tile->bias_byte);
	}
}

void octopus_count_traffic(const struct octopus_graph *graph, const struct octopus_layer *layer,
                           struct octopus_traffic *traffic)
{
	const struct block *block = &graph->network->block[layer->block];
	uint32_t depth = layer->type == OCTOPUS_CONV     ? block_group_in_c(block)
	                 : layer->type == OCTOPUS_LINEAR ? block->in_w
	                                                 : 1;
	bool is_kept = layer->type != OCTOPUS_CONV && layer->type != OCTOPUS_LINEAR;
	is_kept = is_kept || dim_n_part(&layer->split.d) == 1;
	*traffic = (struct octopus_traffic){0};
	for (uint32_t p = 0; p < layer->n_worker; p++) {
		struct octopus_range range = octopus_worker_tiles(layer, p);
		struct octopus_tile tile, before = {0};
		for (uint32_t i = 0; i < range.n; i++, before = tile) {
			octopus_get_tile(graph, layer, range.first + i, &tile);
			bool has_filters = is_kept && i > 0 && same_filters(layer, &tile, &before);
			bool has_ifmap = is_kept && i > 0 && same_ifmap(&tile, &before);
			add_operands(layer, &tile, has_filters ? 0 : tile.weight_byte, has_ifmap ? 0 : tile.in_byte,
			             depth, traffic);
			add_load(tile.added_byte, &traffic->input_byte, &traffic->n_input_load, traffic);
			add_load(tile.out_byte, &traffic->output_byte, &traffic->n_write, traffic);
		}
	}
}

void octopus_add_traffic(const struct octopus_traffic *more, struct octopus_traffic *sum)
{
	sum->weight_byte += more->weight_byte;
	sum->input_byte += more->input_byte;
	sum->output_byte += more->output_byte;
	sum->n_weight_load += more->n_weight_load;
	sum->n_input_load += more->n_input_load;
	sum->n_write += more->n_write;
	sum->n_packet += more->n_packet;
}
