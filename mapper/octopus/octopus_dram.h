/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_OCTOPUS_DRAM_H
#define MAPPER_OCTOPUS_DRAM_H
/*
 * The DRAM of a multi-layer schedule, planned before it runs (Jobst et al.,
 * "An End-to-End DNN Inference Framework for the SpiNNaker2 Neuromorphic
 * MPSoC", section III.B): four areas one behind the other.
 *
 *   global configuration | time measurements | layer configurations, constants | data memory
 *
 * A graph whose layers are cut -> octopus_dram_plan -> every address. The bytes
 * of each record are in mapper/DRAM.md; dse/schedule/dram_image.h writes and reads them.
 * Everything begins at a multiple of OCTOPUS_ALIGN_BYTE, but for patches, which
 * begin where a tile does. Addresses count from the start of the DRAM.
 */
#include "mapper/octopus/octopus.h"
#include "mapper/octopus/octopus_memory.h"
#include "sim/machine/machine.h"

/* Bytes of the records, multiples of OCTOPUS_ALIGN_BYTE. */
enum {
	DRAM_HEAD_BYTE = 192,
	DRAM_PE_BYTE = 16,
	DRAM_TENSOR_BYTE = 48,
	DRAM_TIME_BYTE = 64,
	DRAM_HEADER_BYTE = 96,
	DRAM_SHAPE_BYTE = 128,
	DRAM_SCHEDULER_BYTE = 16,
	DRAM_WORKER_BYTE = 32,
	DRAM_TILE_BYTE = 64,
	DRAM_PATCH_BYTE = 48
};

/* A tick of the time measurements as planned, in ps: 1 ns. A chip's own timer may be slower; the image says it. */
#define DRAM_TICK_PS 1000

struct dram_area {
	uint64_t address, byte;
};

/* A PE: of which QPE, by place on the mesh (sim/machine/mesh.h), and which of that. */
struct dram_pe {
	uint32_t x, y, pe;
};

/* A tensor in the data memory, from the first layer that has it to the last, both included: c planes of h rows of w. */
struct dram_tensor {
	uint64_t address, byte;
	uint32_t w, h, c, first, last;
	bool is_input, is_output; /* it is written before the first layer, read after the last one: by the host */
	bool in_sram;             /* it stays in the SRAM of those that compute it: address 0, no bytes here */
	bool from_chip, to_chip;  /* or rather by the chip before, by the next one */
};

enum { DRAM_RESULT = N_OCTOPUS_ROLE }; /* the role of what a tile writes; else enum octopus_role */

/*
 * A box of a tensor: c planes of h rows of w bytes. is_whole: the tile reads a view that is put together from more than
 * boxes (cut, spread, multiplied or in another order), and the patch is all of one tensor that it is made of.
 */
struct dram_patch {
	uint64_t address, row_byte, plane_byte; /* of its first byte; from row to row, from plane to plane */
	uint32_t tensor, role, w, h, c;
	uint32_t to; /* where it begins in what the tile reads: channel of a map, column of a vector, filter */
	bool is_whole;
};

struct dram_tile {
	uint32_t pad_left, pad_right, pad_top, pad_bottom; /* zeros around what it reads */
	struct dram_area weights, biases;                  /* of its filters, all input channels; byte 0: none */
	struct dram_patch result;
	uint32_t n_read;
	struct dram_patch *read; /* [n_read] */
};

struct dram_worker {
	uint32_t row; /* in the table of workers */
	uint32_t first_tile, n_tile;
	struct dram_area tiles; /* its records, one behind the other */
};

/* What all workers of a layer compute; flags of struct block and how the layer is cut. */
struct dram_shape {
	uint32_t in_w, in_h, in_c, out_w, out_h, out_c, kernel_w, kernel_h, stride, dilation, groups, pool;
	bool pool_average, has_added, has_acti, has_quan, ifmap_first;
	bool is_channel; /* has_added: one number a channel is added or multiplied with, not a map */
	uint32_t whole;  /* WHOLE_* bits: over which sides a row of softmax or normalisation goes */
	/* Of a plan with constants (mapper/octopus/octopus_fill.h); else 0. Filters of a group of the weights, 0: none.
	 */
	uint32_t lanes, shift;
	int32_t added_shift;
	struct split split;
};

struct dram_layer {
	uint64_t address, next; /* of its header, and of the next one's */
	enum octopus_type type;
	uint64_t shape_address, scheduler_address, worker_address, tile_address;
	uint64_t time_address; /* of the scheduler; worker p's follows DRAM_TIME_BYTE * (1 + p) behind */
	struct dram_area constants;
	uint64_t sum;           /* of the layer's configuration, in the image, without the sum itself */
	uint64_t constants_sum; /* of the constants' bytes, in the image: XXH3 of seed 0; 0: not known, or none */
	struct dram_shape shape;
	uint32_t n_worker, n_tile;
	struct dram_worker *worker; /* [n_worker] */
	struct dram_tile *tile;     /* [n_tile] */
};

struct octopus_dram {
	uint64_t capacity_byte;
	struct dram_area global, times, layers, constants, data;
	uint64_t pe_address, tensor_address;
	uint64_t finish_address;              /* of the header that ends the list */
	uint32_t mesh_w, mesh_h, n_qpe, n_pe; /* mesh and PEs of a QPE, in which coordinates are */
	uint32_t tick_ps;                     /* in which times are measured */
	struct dram_pe scheduler;
	uint32_t n_worker, n_tensor, n_layer;
	struct dram_pe *worker;     /* [n_worker] */
	struct dram_tensor *tensor; /* [n_tensor] */
	struct dram_layer *layer;   /* [n_layer] */
	uint8_t *constant; /* [constants.byte] weights and biases; NULL: not known, their places are reserved */
	struct arena arena;
};

/*
 * Plan a graph, each layer cut, on a machine (QPE or chip) that has a scheduler PE and the workers of its widest layer.
 * *memory: how well the data memory is used, with the verdict VERDICT_DRAM when all together exceeds the capacity, up
 * to OCTOPUS_MAX_DRAM_BYTE. ERR_INFEASIBLE then, ERR_INTERNAL without memory; *dram is empty then.
 */
enum err_code octopus_dram_plan(const struct octopus_graph *graph, const struct machine *machine,
                                uint64_t capacity_byte, struct octopus_dram *dram, struct octopus_memory *memory,
                                struct err *err);
void octopus_dram_free(struct octopus_dram *dram);

/* Bytes of a tile's record. */
uint64_t dram_tile_byte(const struct dram_tile *tile);

/*
 * What a tile reads and writes. tile->read: room for as many as dram_n_read says of the layer; n_read may be fewer.
 * Tensors have their addresses; weights and biases are left.
 */
uint32_t dram_n_read(const struct octopus_layer *layer);
void dram_patch_tile(const struct octopus_graph *graph, const struct octopus_layer *layer,
                     const struct dram_tensor *tensor, uint32_t index, struct dram_tile *tile);

#endif
