/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_OCTOPUS_H
#define MAPPER_OCTOPUS_H
/*
 * Multi-layer schedules as OctopuScheduler runs them on SpiNNaker2: the
 * application graph. A network's blocks become a linear chain of layers, each
 * with the operations fused into it, that a scheduler PE starts one after
 * another on some workers. What passes between layers are tensors in DRAM.
 *
 * network -> octopus_build -> graph -> tiles and workers of each layer
 * (mapper/octopus/octopus_search.h) -> run time, DRAM plan, files.
 */
#include "mapper/network/network.h"
#include "mapper/split/split.h"

#define OCTOPUS_NONE UINT32_MAX

enum octopus_type {
	OCTOPUS_CONV,   /* and addition, ReLU, quantisation, pooling as its block has them */
	OCTOPUS_LINEAR, /* and ReLU, quantisation */
	OCTOPUS_POOL,   /* pooling of its own */
	OCTOPUS_ADD,    /* what ARM cores do besides: enum arm_kind */
	OCTOPUS_MULTIPLY,
	OCTOPUS_FUNCTION,
	OCTOPUS_SOFTMAX,
	OCTOPUS_NORM,
	N_OCTOPUS_TYPE
};
extern const char *const octopus_type_name[N_OCTOPUS_TYPE]; /* "conv", ... */

/* A map or vectors between layers, 8 bit a number. */
struct octopus_tensor {
	char name[BLOCK_NAME_SIZE]; /* of the layer that computes it; "input", "input_CONV_3" */
	uint32_t w, h, c;           /* vectors: h of w numbers */
	uint64_t byte;
	uint32_t producer; /* layer; OCTOPUS_NONE: the host writes it */
	uint32_t n_consumer;
	const uint32_t *consumer; /* [n_consumer] layers, ascending, each once */
	bool is_output;           /* the host reads it: nobody else does, or it goes behind a cache; or to_chip */
	bool stays;               /* data, a cache for instance, that the next run finds as this one did */
	bool in_sram;             /* it stays where it is computed, and is not in DRAM */
	bool from_chip, to_chip;  /* of a chip's share: the chip before sends it; it is sent to the next one */
};

enum octopus_role { OCTOPUS_IFMAP, OCTOPUS_ADDED, OCTOPUS_FILTERS, N_OCTOPUS_ROLE };

struct octopus_input {
	uint32_t tensor;
	enum octopus_role role;
};

/*
 * What a worker of a layer keeps in its SRAM where weights stay: which of the chip's workers it is, and the addresses
 * of its parts of the filters, of its tiles' results, and of what it needs while it runs.
 */
struct octopus_seat {
	uint32_t worker;
	uint64_t weight_at, result_at, work_at;
};

struct octopus_layer {
	char name[BLOCK_NAME_SIZE]; /* "CONV_5", "FC_1", "SOFTMAX_3" */
	enum octopus_type type;
	size_t block; /* of the network; several layers may be of one block */

	/*
	 * What it reads. A role may have several tensors, whose channels follow each other, or views of them
	 * (block->reads and its like): then the tensors' bytes need not add up to what the layer reads.
	 */
	uint32_t n_input;
	const struct octopus_input *input; /* [n_input] by role */
	uint32_t output;                   /* tensor */
	uint64_t weight_byte, bias_byte;   /* constants: 8 and 32 bit a number; 0: none, or they are a tensor */

	/*
	 * How it is cut: set by whoever plans the layer; one worker and one tile at first. A tile is a part of the
	 * result (w, h, c of the split; linear: w columns, h rows); it is computed from d parts of the input in turn,
	 * whose sums the worker keeps. Tiles are numbered w fastest, then h, then c; with ifmap_first c fastest, then
	 * w, then h. Worker p does tiles p * tiles_per_worker and those that follow.
	 */
	struct split split;
	bool ifmap_first;
	uint32_t n_worker, n_tile, tiles_per_worker;

	/* Where weights and results stay; seat NULL: nowhere, and its workers are 0 to n_worker - 1. */
	const struct octopus_seat *seat;            /* [n_worker] */
	uint64_t part_byte, result_byte, work_byte; /* from part to part of the filters, tile to tile; while it runs */
};

struct octopus_graph {
	const struct network *network; /* outlives the graph */
	uint32_t n_layer, n_tensor;
	struct octopus_layer *layer;   /* [n_layer] in order of execution */
	struct octopus_tensor *tensor; /* [n_tensor]; 0: the network's input, if a layer reads it; then by first use */
	struct arena arena;
};

/*
 * One tile. Positions of its result are in the layer's output tensor, after pooling; those of its input in the ifmap
 * that the block reads, which has no padding. Linear: x is the first column, y the first row; in_x, in_w go over all
 * of the row. In bytes as they lie in DRAM, packed; weights and biases without those of other tiles.
 */
struct octopus_tile {
	uint32_t x, y, c, w, h, n_c;
	uint32_t in_x, in_y, in_c, in_w, in_h, n_in_c;
	uint32_t pad_left, pad_right, pad_top, pad_bottom;
	uint64_t in_byte, added_byte, weight_byte, bias_byte, out_byte;
};

/* The graph of a network, every layer uncut. ERR_INTERNAL without memory; the graph is empty then. */
enum err_code octopus_build(const struct network *network, struct octopus_graph *graph, struct err *err);
void octopus_free(struct octopus_graph *graph);

/*
 * The share of one chip of a pipeline: layers first to first + n_layer - 1, cut as they are, and the tensors that they
 * read, write or that pass through the chip. Those of chips before become inputs (from_chip), those that later chips
 * read outputs (to_chip); what a chip sends and what the next one receives are the same tensors in the same order. What
 * the host writes goes to the first chip that reads it. ERR_INTERNAL without memory; the part is empty then. Names the
 * network of the graph, which outlives both; octopus_free gives the part back.
 */
enum err_code octopus_share(const struct octopus_graph *graph, uint32_t first, uint32_t n_layer,
                            struct octopus_graph *part, struct err *err);

/* Cut a layer, whose split passed split_check, for at most n_worker workers; sets its last five fields. */
void octopus_cut(struct octopus_layer *layer, const struct split *split, bool ifmap_first, uint32_t n_worker);

/* Tile `index` < layer->n_tile. */
void octopus_get_tile(const struct octopus_graph *graph, const struct octopus_layer *layer, uint32_t index,
                      struct octopus_tile *tile);

/* Tiles first to first + n - 1 are worker p's, p < n_worker; n is 0 for a worker that tiles do not reach. */
struct octopus_range {
	uint32_t first, n;
};
struct octopus_range octopus_worker_tiles(const struct octopus_layer *layer, uint32_t p);

#endif
