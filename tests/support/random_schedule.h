/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RANDOM_SCHEDULE_H
#define TESTS_RANDOM_SCHEDULE_H
/* Random networks with branches, their graphs, and random cuts of every layer. */
#include "tests/support/unit_test.h"
#include "mapper/octopus/octopus.h"
#include "sim/base/rng.h"
#include "tests/support/network_text.h"
#include <string.h>

#define RANDOM_MAX_LAYER 24

/* A network while it is written: what each layer gives; 0 is the input. */
struct random_network {
	struct rng rng;
	uint32_t n, w[RANDOM_MAX_LAYER + 3], c[RANDOM_MAX_LAYER + 3];
	char text[8192];
	size_t n_byte;
};

static inline void random_add(struct random_network *network, uint32_t w, uint32_t c, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static inline void random_add(struct random_network *network, uint32_t w, uint32_t c, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int n = vsnprintf(network->text + network->n_byte, sizeof(network->text) - network->n_byte, format, list);
	va_end(list);
	assert_true(n > 0 && network->n_byte + (size_t)n < sizeof(network->text));
	network->n_byte += (size_t)n;
	if (w > 0) {
		network->n++;
		network->w[network->n] = w;
		network->c[network->n] = c;
	}
}

/* A layer of this width, and of these channels unless they are 0; UINT32_MAX: none but `not`. */
static inline uint32_t random_like(struct random_network *network, uint32_t w, uint32_t c, uint32_t not )
{
	uint32_t found = UINT32_MAX, n = 0;
	for (uint32_t i = 0; i <= network->n; i++)
		if (i != not &&network->w[i] == w && (c == 0 || network->c[i] == c) &&
		    rng_below(&network->rng, ++n) == 0)
			found = i;
	return found;
}

static inline void random_conv_layer(struct random_network *network)
{
	struct rng *rng = &network->rng;
	uint32_t from = rng_below(rng, 3) ? network->n : rng_below(rng, network->n + 1);
	uint32_t stride = rng_below(rng, 4) == 0 ? 2 : 1, w = (network->w[from] + stride - 1) / stride;
	uint32_t c = rng_below(rng, 2) ? network->c[from] : 1 + rng_below(rng, 16);
	uint32_t other = rng_below(rng, 2) ? random_like(network, w, c, from) : UINT32_MAX;
	bool is_depthwise = c == network->c[from] && rng_below(rng, 4) == 0;
	char add[48] = "";
	if (other != UINT32_MAX)
		(void)snprintf(add, sizeof(add), ", add: {from: %u}", other);
	random_add(network, w, c, "  - conv: {kernel: %u, stride: %u, dilation: %u, out_channels: %u%s, from: %u%s}\n",
	           rng_below(rng, 2) ? 3 : 1, stride, c % 3 == 0 ? 2 : 1, c, is_depthwise ? ", groups: depthwise" : "",
	           from, add);
}

/* Softmax along one or two sides, or a product with a map of the same shape or with one number a channel. */
static inline void random_arm_layer(struct random_network *network, uint32_t w, uint32_t c)
{
	static const char *const over[] = {"channels", "width", "map", "all"};
	uint32_t last = network->n, other = random_like(network, w, c, last);
	uint32_t factor = random_like(network, 1, c, last);
	if (factor != UINT32_MAX)
		other = factor;
	if (other != UINT32_MAX)
		random_add(network, w, c, "  - arm: {op: multiply, from: [%u, %u]}\n", last, other);
	else
		random_add(network, w, c, "  - arm: {op: softmax, over: %s}\n", over[rng_below(&network->rng, 4)]);
}

static inline void random_layer(struct random_network *network)
{
	struct rng *rng = &network->rng;
	uint32_t last = network->n, w = network->w[last], c = network->c[last], kind = rng_below(rng, 10);
	uint32_t other = random_like(network, w, 0, last);
	if (kind == 0 && w >= 4 && rng_below(rng, 4) == 0)
		random_add(network, 1, c, "  - pool: {window: %u, type: average}\n", w);
	else if (kind == 0 && w >= 4)
		random_add(network, w / 2, c, "  - pool: {window: 2, type: %s}\n",
		           rng_below(rng, 2) ? "max" : "average");
	else if (kind == 1 && other != UINT32_MAX)
		random_add(network, w, c + network->c[other], "  - concat: {from: [%u, %u]}\n", last, other);
	else if (kind == 2 && c > 1 && rng_below(rng, 2))
		random_add(network, w, c - 1, "  - slice: {from: %u, channels: [1, %u]}\n", last, c - 1);
	else if (kind == 3)
		random_arm_layer(network, w, c);
	else
		random_conv_layer(network);
}

/* Up to RANDOM_MAX_LAYER layers and two linear ones behind. */
static inline void random_network(uint64_t seed, uint32_t index, struct network *out)
{
	struct random_network network = {.rng = rng_stream(seed, 0, index)};
	struct err err = {0};
	uint32_t n_layer = 1 + rng_below(&network.rng, RANDOM_MAX_LAYER);
	network.w[0] = 3 + rng_below(&network.rng, 12);
	network.c[0] = 1 + rng_below(&network.rng, 8);
	random_add(&network, 0, 0, "name: random\ninput: [%u, %u, %u]\nlayers:\n", network.w[0], network.w[0],
	           network.c[0]);
	random_conv_layer(&network);
	while (network.n < n_layer)
		random_layer(&network);
	random_add(&network, 1, 1, "  - fc: {out: %u}\n  - fc: {out: %u}\n", 1 + rng_below(&network.rng, 40),
	           1 + rng_below(&network.rng, 40));
	if (network_read_text(network.text, out, &err) != ERR_OK)
		fail_msg("%s\n%s", err_text(&err), network.text);
}

/* Cut every layer into up to four parts a dimension, for up to max_worker workers. */
static inline void random_cuts(struct rng *rng, struct octopus_graph *graph, uint32_t max_worker)
{
	for (uint32_t l = 0; l < graph->n_layer; l++) {
		const struct block *block = &graph->network->block[graph->layer[l].block];
		struct split split = split_whole(block);
		uint32_t n_w = block->whole & WHOLE_W ? 1 : block->out_w / block->pool;
		uint32_t n_h = block->whole & WHOLE_H ? 1 : block->out_h / block->pool;
		uint32_t n_c = block->whole & WHOLE_C ? 1 : block->out_c;
		split.w = dim_even(block->out_w, 1 + rng_below(rng, n_w < 4 ? n_w : 4), block->pool);
		split.h = dim_even(block->out_h, 1 + rng_below(rng, n_h < 4 ? n_h : 4), block->pool);
		if (block->kind != BLOCK_MATMUL) /* of all groups */
			split.c = dim_even(block->out_c, 1 + rng_below(rng, n_c < 4 ? n_c : 4), 1);
		octopus_cut(&graph->layer[l], &split, rng_below(rng, 2), 1 + rng_below(rng, max_worker));
	}
}

#endif
