/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_NETWORK_H
#define MAPPER_NETWORK_H
/*
 * Networks after parsing. The parser has chained the layers, checked shapes, worked
 * out padding, fused pooling whose stride equals its window, and decomposed each
 * layer into operations with the thesis' names (section 4.1): PADD_n, CONV_n,
 * CONV_SC_n, MAT_ELE_n, ACTI_n, QUAN_n, POOL_n, FC_n, FCE_n; ours are MUL_n,
 * FUNC_n, SOFTMAX_n, NORM_n. The unit that is split and mapped is the block: one
 * core operation (convolution, matrix multiplication, or pooling and other work
 * of the ARM cores alone) and the ARM operations fused with it.
 */
#include "mapper/network/operation.h"
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETWORK_NAME_SIZE 64

/* BLOCK_POOL: pooling, or other work of the ARM cores alone; see enum arm_kind. */
enum block_kind { BLOCK_CONV, BLOCK_POOL, BLOCK_MATMUL };

/* Where a block finds its ifmap. */
enum block_input {
	INPUT_LATEST, /* the result of the block before it in the list (of the network's input: the first block) */
	INPUT_HELD,   /* the result held for a shortcut: see hold */
	INPUT_DRAM    /* a result further away: always in DRAM */
};

/* Who "computes" data: NETWORK_DATA + d are numbers that lie in DRAM beforehand, as network.data[d] has them. */
#define NETWORK_DATA 0x80000000u

/*
 * Results by who computes them: 0 is the network's input, n the result of block n - 1, as it leaves that block; from
 * NETWORK_DATA on: data, which nobody computes.
 * Several: in the order in which their channels follow each other, each once; is_view: what is read is not that one
 * result as it is, but put together, cut, multiplied or in another order; is_concat: it is put together and nothing
 * else, so that its channels are those of the results one behind the other (also of one result as it is).
 */
struct block_sources {
	uint32_t n; /* 0: none; of reads: an input of the block's own, which nobody computes */
	bool is_view, is_concat;
	const uint32_t *producer; /* [n], owned by the network */
};

/* Bytes of each text of a layer_origin, the end included. */
#define LAYER_ORIGIN_SIZE 96

/* What the model that a layer is from calls it ("/encoder/attn/MatMul"), and the operator there ("MatMul"). */
struct layer_origin {
	const char *node, *op; /* names (text_name_fault); NULL: it does not say */
};

struct block {
	char name[BLOCK_NAME_SIZE]; /* of the core operation: "CONV_5", "CONV_SC_5", "POOL_2", "FC_19", "SOFTMAX_4" */
	enum block_kind kind;
	uint32_t number; /* n of its operations' names: layers counted from 1, fused pooling layers included */

	/*
	 * BLOCK_CONV, BLOCK_POOL: pixels and channels; in_* without padding. Core operation's result out_*, before
	 * fused pooling. BLOCK_MATMUL: operand A is in_h rows (batch) of in_w; B is in_w rows of out_w columns;
	 * out_h = in_h; in_c = out_c = 1; kernel and stride 1.
	 */
	uint32_t in_w, in_h, in_c;
	uint32_t pad_left, pad_right, pad_top, pad_bottom;
	uint32_t kernel_w, kernel_h, stride;
	uint32_t dilation; /* BLOCK_CONV: pixels from one tap of the kernel to the next, in both directions; 0 or 1: no
	                      gaps. Read by block_dilation. */
	uint32_t groups; /* BLOCK_CONV: as many convolutions side by side, each of its own share of the ifmap's channels
	                    and filters; above 1, divides in_c and out_c; 0 or 1: none. Read by block_n_group. */
	uint32_t batch;  /* BLOCK_CONV, BLOCK_POOL: images of these extents, each with the same weights; 0 or 1: one.
	                    Read by block_batch. */
	uint32_t out_w, out_h, out_c;
	uint32_t pool;             /* fused pooling: window = stride = pool in both directions; 1: none */
	uint32_t pool_number;      /* n of the fused POOL_n; 0: none */
	bool pool_average;         /* of the fused pooling, or of a BLOCK_POOL itself */
	enum arm_kind arm;         /* BLOCK_POOL */
	enum arm_operand operand;  /* BLOCK_POOL */
	uint32_t whole;            /* BLOCK_POOL: WHOLE_* bits */
	uint32_t row_groups;       /* BLOCK_POOL, WHOLE_C: rows beside each other in the channels, as heads are; divides
	                              out_c;       0 or 1: one. Read by block_row_c. */
	uint32_t next_pool_stride; /* stride of an unfused pooling that reads the result; 1: none */
	bool is_shortcut;          /* a CONV_SC_n: its result is added to that of CONV_n, the block before */
	bool is_product;           /* BLOCK_CONV: a MATMUL_n, rows of a matrix as pixels; computed like a CONV_n */

	/* ARM operations of this block, besides fused pooling. */
	bool has_padd, has_mat_ele, has_acti, has_quan;

	/*
	 * Residency: which result it reads, and whether the latest result (before this block) is kept for a shortcut.
	 * One result is held at a time. has_mat_ele of a block that is no shortcut convolution adds the latest result,
	 * the held one, or another one, which lies in DRAM.
	 */
	enum block_input input;
	enum block_input
	    added;           /* has_mat_ele: where what is added comes from; a shortcut convolution adds the latest */
	bool hold;           /* the result that is latest before this block becomes the held one */
	bool release_held;   /* after this block the held result is no longer needed */
	bool result_to_dram; /* some far reader needs this block's result in DRAM */

	/* Dataflow: ifmap, what is added (a shortcut convolution: the block before), weights that are results. */
	struct block_sources reads, adds, filters;

	/* Index of the first block with equal parameters, see block_same; itself when there is none before. */
	size_t same_as;

	struct layer_origin origin; /* owned by the network */
};

/* Numbers that lie in DRAM before the network runs, besides its input: a KV cache, positions. A vector: c numbers. */
struct network_data {
	uint32_t number; /* of its layer */
	uint32_t w, h, c;
};

struct network {
	char name[NETWORK_NAME_SIZE];
	size_t n_block, n_data;
	struct block *block;       /* [n_block], in order of execution */
	struct network_data *data; /* [n_data], in the order of their layers */
	struct arena arena;        /* owns both */
};

/* Everything that blocks read, counted through: the input, all results, all data; and which of them a producer is. */
size_t network_n_source(const struct network *network);
size_t network_source(const struct network *network, uint32_t producer);

/* The operations of a block in order of execution; writes up to max of them to out, returns how many there are. */
size_t block_operations(const struct block *block, struct operation *out, size_t max);

/* Whether two blocks have equal parameters: all but names, number, residency, dataflow and pool_number. */
bool block_same(const struct block *a, const struct block *b);

/* Whether a block has this name, or its model calls it so. */
bool block_is_called(const struct block *block, const char *name);

/* Whether the model of any block gives it a name. */
bool network_has_nodes(const struct network *network);

/*
 * What a block's model says of it: "/encoder/attn/MatMul (MatMul)", in about n_char bytes: of a longer name the end,
 * behind "..". Only the operator where it has no name, nothing where it has neither.
 */
#define BLOCK_NODE_TEXT_SIZE (2 * LAYER_ORIGIN_SIZE + 8)
#define BLOCK_NODE_COLUMN 36 /* n_char for tables on a terminal */
void block_print_node(const struct block *block, size_t n_char, char text[BLOCK_NODE_TEXT_SIZE]);

/* A matrix multiplication of n_row vectors of n_in numbers into n_out, quantised; without a name. */
struct block block_matmul(uint32_t n_row, uint32_t n_in, uint32_t n_out);

/* Pixels from one tap to the next, at least 1; and from the first to the last one: the kernel where it has no gaps. */
uint32_t block_dilation(const struct block *block);
uint32_t block_reach_w(const struct block *block);
uint32_t block_reach_h(const struct block *block);

/* Padded ifmap extents of a block. */
uint32_t block_padded_w(const struct block *block);
uint32_t block_padded_h(const struct block *block);

/* Images, which are computed alike; rows of a matrix multiplication are in_h. */
uint32_t block_batch(const struct block *block);

/* Groups of a convolution, 1 where there are none; and what each has of the ifmap's and ofmap's channels. */
uint32_t block_n_group(const struct block *block);
uint32_t block_group_in_c(const struct block *block);
uint32_t block_group_out_c(const struct block *block);

/* Channels of a row that the ARM cores need whole: 1 where rows lie along none. */
uint32_t block_row_c(const struct block *block);

/* Multiply-accumulate operations of the core operation (0 for pooling), all images. */
uint64_t block_n_mac(const struct block *block);

/* Weights of the core operation (0 for pooling), without biases. */
uint64_t block_n_weight(const struct block *block);

/* Note which blocks are the same (same_as); for readers. */
void network_find_equal(struct network *network);

/* Block that has the core operation of this name, or NULL. */
const struct block *network_find_block(const struct network *network, const char *name);

/*
 * Read a network's file: SCALE-Sim's topology where its name ends in .csv, an ONNX model where it ends in .onnx, else
 * YAML. ERR_INPUT with file:line:column (of a model: file and node), ERR_IO; the network is empty then.
 */
enum err_code network_read(const char *path, struct network *network, struct err *err);
void network_free(struct network *network);

#endif
