/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_PARSER_PARTS_H
#define MAPPER_PARSER_PARTS_H
/*
 * Inside the parser: results between layers, and which of them a layer reads.
 * parser_source.c finds and gathers them, parser.c makes blocks of the layers.
 */
#include "mapper/network/parser.h"
#include "mapper/network/residency.h"

/*
 * A feature map or vector between layers: one block's result, or a view of several blocks' results or of a part of
 * one. What a view is of lies in DRAM, from where its readers put it together.
 */
struct result {
	bool known; /* false after a mistake: nothing that depends on it is checked */
	bool is_vector;
	uint32_t w, h, c;  /* vector: w numbers */
	uint32_t producer; /* 0: the network's input; RESIDENCY_NONE: a view, or a layer's own input; else 1 + index of
	                      the block that computes it */
	uint32_t n_reader;
	struct block_sources sources; /* the results it is or is made of */
};

/* Index of results: 0 is the network's input, n the result of layer n. */
struct layer_chain {
	const struct layer_list *list;
	struct network *network;
	struct err *err;
	struct arena arena;      /* scratch */
	bool no_memory;          /* of the arena */
	struct result *result;   /* [n_layer + 1] */
	uint32_t **from;         /* [n_layer + 1][n_from] results that layer n reads; one 0 where n_from is 0 */
	uint32_t *shortcut_from; /* [n_layer + 1] result that layer n adds, where it has a shortcut */
	uint32_t *filters_from;  /* [n_layer + 1] result that is layer n's weights, where it has such */
	uint32_t *stamp;         /* [3 * (n_layer + 1)] by producer, then by data: the last union that has it */
	uint32_t n_union;
	bool *fused; /* [n_layer + 1] pooling layer n belongs to the block before it */
	struct residency residency;
};

/* "CONV_5", or what the network's input is called in messages. */
struct layer_label {
	char text[32];
};
struct layer_label parser_label(const struct layer_chain *chain, uint32_t n);

/* "56x56x64" or "vector of 4096"; the result is known. */
struct layer_label parser_shape(const struct result *result);

/* A mistake of layer n, where it stands in the file: its label, and what the format says. Returns false. */
bool parser_fail(struct layer_chain *chain, uint32_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Which results each layer reads; layers that name none that exists count as broken from here on. */
void parser_resolve(struct layer_chain *chain);

/* What layer n reads, its sources' channels one after another; not known after a mistake, which is reported. */
struct result parser_gather(struct layer_chain *chain, uint32_t n);

/*
 * Where the weights of layer n are a result: whether there are as many as the block needs, else a message. The result
 * goes to DRAM, from where weights come.
 */
bool parser_check_filters(struct layer_chain *chain, uint32_t n, const struct block *block);

/*
 * The sources of a result that block n - 1 computes, of the network's input (0), or of data (NETWORK_DATA + d); none
 * when memory is out.
 */
struct block_sources parser_source_of(struct layer_chain *chain, uint32_t producer);

/*
 * Whether the second of the two results that layer n reads goes with the first, number by number or by channels; else
 * a message. Not where one of them is not known.
 */
bool parser_match(struct layer_chain *chain, uint32_t n, enum arm_operand *operand);

/* Work out the result of layer n, a view. */
void parser_build_view(struct layer_chain *chain, uint32_t n);

/* Whether a layer is a view. */
bool parser_is_view(const struct layer *layer);

#endif
