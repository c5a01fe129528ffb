/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ROOFLINE_H
#define DSE_ROOFLINE_H
/*
 * Rooflines (Williams, Waterman and Patterson, CACM 52(4), 2009) of a network's layers on a machine: arithmetic
 * intensity, what the roofs over it allow, and what the simulator reaches.
 *
 * A layer stands alone: its ifmap and weights come from memory and its ofmap goes there, each word once. Which words
 * these are is enum roofline_intensity. Pooling, which multiplies nothing, is left out. An operation is a
 * multiplication or an addition.
 */
#include "mapper/split/design.h"
#include "sim/base/arena.h"

enum roofline_kind { ROOFLINE_CONV, ROOFLINE_POINTWISE, ROOFLINE_DEPTHWISE, ROOFLINE_FC, N_ROOFLINE_KIND };
extern const char *const roofline_kind_name[N_ROOFLINE_KIND]; /* "conv", ... */

/*
 * Bytes that operations are divided by. Thesis: the padded ifmap, the weights and the 8-bit ofmap before fused pooling
 * (tables 5.13 and 5.14, figures 5.5 to 5.13). Traffic: ifmap pixels that some window reads, the weights and the ofmap
 * as it is written, as if the chip held all weights of the layer and passed tiles of the maps through (so the ARADA
 * paper, section 2.2, for its figure 3): then nothing is above the roofs.
 */
enum roofline_intensity { ROOFLINE_THESIS, ROOFLINE_TRAFFIC, N_ROOFLINE_INTENSITY };
extern const char *const roofline_intensity_name[N_ROOFLINE_INTENSITY]; /* "thesis", "traffic" */

struct roofline_layer {
	const struct block *block;
	enum roofline_kind kind;
	double n_op, ifmap_byte, weight_byte, ofmap_byte;
	double intensity;       /* operations a byte */
	double attainable_gops; /* under both roofs; 1e9 operations a second */
	bool is_memory_bound;   /* the memory's or the NoC's roof is the lower one there */
	bool is_reached;        /* the simulator runs it; else verdict says why not */
	double reached_gops;
	struct verdict verdict;
};

struct roofline {
	const struct network *network;
	struct machine machine;
	uint32_t level;
	enum strategy strategy; /* N_STRATEGY: the fastest */
	enum roofline_intensity intensity;
	double compute_gops, memory_gb_s; /* the roofs; the ridge between them is at compute_gops / memory_gb_s */
	double noc_gb_s;                  /* the NoC's roof; 0: there is no NoC */
	size_t n;
	struct roofline_layer *layer; /* [n] */
};

/* Rate of the machine's memory, all interfaces; and a machine whose memory has another, with its clock scaled. */
double roofline_memory_gb_s(const struct machine *machine);
void roofline_set_memory(struct machine *machine, double gb_s);

/*
 * Rate of the NoC: of all routers together, each of which passes noc.router_packet packets a NoC clock (thesis table
 * 5.1: 16 bytes at 500 MHz, 8 GB/s, for a QPE). 0: a systolic array.
 */
double roofline_noc_gb_s(const struct machine *machine);

/* All MAC units at work at an operating point, 1e9 operations a second. */
double roofline_compute_gops(const struct machine *machine, uint32_t level);

/* Bytes of a block's ifmap that its windows touch, padding left out; word_byte each. */
double roofline_ifmap_byte(const struct block *block, uint32_t word_byte);

struct roofline_options {
	uint32_t level; /* < machine->n_level */
	enum strategy
	    strategy; /* N_STRATEGY: the fastest one of each layer; layers that it does not serve get fusion */
	enum roofline_intensity intensity;
	const bool *shown; /* [network->n_block]; NULL: all */
};

/*
 * The roofline of the network's layers on a machine, which is copied; simulated with the splitter's splits. arena owns
 * the layers; network must outlive them. ERR_INTERNAL.
 */
enum err_code roofline_make(const struct network *network, const struct machine *machine,
                            const struct roofline_options *options, struct arena *arena, struct roofline *roofline,
                            struct err *err);

#endif
