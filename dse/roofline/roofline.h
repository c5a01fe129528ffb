/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ROOFLINE_H
#define DSE_ROOFLINE_H
/*
 * Rooflines (Williams, Waterman and Patterson, CACM 52(4), 2009) of a network's layers on a machine: arithmetic
 * intensity, what the roofs over it allow, and what the simulator reaches.
 *
 * A layer stands alone: its ifmap and weights come from memory and its ofmap goes there, each word once, as if the chip
 * held all weights of the layer and passed tiles of the maps through (so the ARADA paper, section 2.2, for its figure
 * 3). Pooling, which multiplies nothing, is left out. An operation is a multiplication or an addition.
 */
#include "mapper/split/design.h"
#include "sim/base/arena.h"

enum roofline_kind { ROOFLINE_CONV, ROOFLINE_POINTWISE, ROOFLINE_DEPTHWISE, ROOFLINE_FC, N_ROOFLINE_KIND };
extern const char *const roofline_kind_name[N_ROOFLINE_KIND]; /* "conv", ... */

struct roofline_layer {
	const struct block *block;
	enum roofline_kind kind;
	double n_op, ifmap_byte, weight_byte, ofmap_byte;
	double intensity;       /* operations a byte */
	double attainable_gops; /* under both roofs; 1e9 operations a second */
	bool is_memory_bound;   /* the memory's roof is the lower one there */
	bool is_reached;        /* the simulator runs it; else verdict says why not */
	double reached_gops;
	struct verdict verdict;
};

struct roofline {
	const struct network *network;
	struct machine machine;
	uint32_t level;
	double compute_gops, memory_gb_s; /* the roofs; the ridge between them is at compute_gops / memory_gb_s */
	size_t n;
	struct roofline_layer *layer; /* [n] */
};

/* Rate of the machine's memory, all interfaces; and a machine whose memory has another, with its clock scaled. */
double roofline_memory_gb_s(const struct machine *machine);
void roofline_set_memory(struct machine *machine, double gb_s);

/* All MAC units at work at an operating point, 1e9 operations a second. */
double roofline_compute_gops(const struct machine *machine, uint32_t level);

/* Bytes of a block's ifmap that its windows touch, padding left out; word_byte each. */
double roofline_ifmap_byte(const struct block *block, uint32_t word_byte);

/*
 * The roofline of the network's layers that are shown ([network->n_block], NULL: all) at an operating point of a
 * machine, which is copied; simulated with the splitter's splits and the fastest strategy. arena owns the layers;
 * network must outlive them. ERR_INTERNAL.
 */
enum err_code roofline_make(const struct network *network, const struct machine *machine, uint32_t level,
                            const bool *shown, struct arena *arena, struct roofline *roofline, struct err *err);

#endif
