/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_PARSER_H
#define MAPPER_PARSER_H
/*
 * The parser of thesis section 4.1: from layers as a user lists them to a
 * network of blocks. Readers of network files fill a layer_list, one reader a
 * file format; everything they have in common is here: chaining, shapes,
 * padding, fusion of pooling, shortcuts, decomposition and residency.
 */
#include "mapper/network/network.h"

/* Limits that keep sizes far from overflow: pixels of a side, channels, layers, columns of a matrix. */
#define NETWORK_MAX_EXTENT 65536u
#define NETWORK_MAX_CHANNEL 65536u
#define NETWORK_MAX_LAYER 4096u
#define NETWORK_MAX_VECTOR (1u << 24)
/* Results that one layer reads. */
#define NETWORK_MAX_SOURCE 256u
/*
 * Multiply-accumulates of a layer; of pooling, pixels its windows read. All the bytes, tasks and clocks of any split,
 * at 256 rows of filters and 16-byte lines, then fit 64 bit. The largest layer of VGG-16 has 2^31.
 */
#define NETWORK_MAX_WORK (UINT64_C(1) << 50)

/* Rows of a result, those of all images of a batch. */
#define NETWORK_MAX_ROW (1u << 24)

enum layer_kind {
	LAYER_CONV,
	LAYER_POOL,
	LAYER_FC,
	LAYER_ARM,
	/* Views: they put results together or take parts of them where their readers fetch them, and are no blocks. */
	LAYER_CONCAT,
	LAYER_SLICE,
	LAYER_UPSAMPLE,
	LAYER_MULTIPLY,
	LAYER_VIEW,
	LAYER_DATA, /* reads nothing: numbers that lie in DRAM beforehand */
	N_LAYER_KIND
};

enum padding_kind { PADDING_SAME, PADDING_VALID, PADDING_GIVEN };

struct padding {
	enum padding_kind kind;
	uint32_t left, right, top, bottom; /* PADDING_GIVEN */
};

/* A window that slides over the feature map: kernel of a convolution or of a pooling. */
struct window {
	uint32_t w, h, stride;
	uint32_t dilation; /* of a convolution: from one tap to the next in both directions; 0 or 1: no gaps */
	struct padding padding;
};

/* Which result a layer reads: relative to itself (-1: the layer before), or by the number of the layer (0: the input).
 */
struct layer_source {
	bool relative;
	int64_t number;
};

struct layer {
	enum layer_kind kind;
	struct err_place place;
	struct layer_origin origin, shortcut_origin; /* of the shortcut's convolution; the list's owner's */
	bool broken;                                 /* the reader reported mistakes: its shapes are not known */
	struct window window;                        /* LAYER_CONV, LAYER_POOL */
	uint32_t out_c;                              /* LAYER_CONV: filters; LAYER_FC: columns */
	uint32_t groups; /* LAYER_CONV: at least 1; LAYER_ARM: rows side by side in the channels */
	bool depthwise;  /* LAYER_CONV: a group a channel of the ifmap; out_c 0: as many filters */
	bool relu, pool_average;
	enum arm_kind arm;        /* LAYER_ARM: not ARM_POOL */
	uint32_t whole;           /* LAYER_ARM: WHOLE_* bits */
	uint32_t first_c, last_c; /* LAYER_SLICE: channels kept, counted from 0 */
	uint32_t factor;          /* LAYER_UPSAMPLE: each pixel stands for factor x factor ones */
	uint32_t view_w, view_h,
	    view_c;                   /* LAYER_VIEW, LAYER_DATA: what its readers see, whatever the sources' shapes */
	uint32_t own_w, own_h, own_c; /* LAYER_CONV, LAYER_FC (own_w numbers) with n_from 0: what it reads, from DRAM */
	uint32_t n_from;              /* 0: the layer reads an input of its own; LAYER_DATA: nothing */
	const struct layer_source
	    *from; /* [n_from] several: their channels one after another; LAYER_MULTIPLY, LAYER_ARM: operands */

	bool has_filters; /* LAYER_CONV: the weights are the result of filters_from, as in attention */
	struct layer_source filters_from;

	bool has_shortcut; /* LAYER_CONV: the result of shortcut_from is added, through a convolution or as it is */
	bool has_shortcut_conv;
	struct layer_source shortcut_from;
	struct window shortcut_window;
};

struct layer_list {
	const char *name;
	struct err_place place; /* of the input; of the file where there is none */
	bool lacks_input;       /* no input is given: no layer may read it */
	bool is_vector;         /* input is in_w numbers, not an image */
	uint32_t in_w, in_h, in_c;
	uint32_t batch; /* images, or rows of operand A of every matrix multiplication */
	size_t n;
	struct layer *layer; /* [n] */
};

/*
 * Whether a layer's convolution of 1x1 is a matrix product, by its model's operator (MatMul and its kin, Gemm, Einsum,
 * Attention): it is computed as a convolution and called MATMUL_n.
 */
bool layer_is_product(const struct layer *layer);

/*
 * The network of a list of layers. ERR_INPUT with one message a mistake, each
 * naming the layers concerned; the network is empty then. Layers marked broken
 * are passed over without a message, and ERR_INPUT is returned.
 */
enum err_code parser_build(const struct layer_list *list, struct network *network, struct err *err);

/* LAYER_ARM in files: names of enum arm_kind from ARM_ADD on, and of the sides that its rows lie along,
 * by WHOLE_* bits. */
#define N_PARSER_OVER 8
extern const char *const parser_arm_name[N_ARM_KIND - 1];
extern const char *const parser_over_name[N_PARSER_OVER];

#endif
