/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_PLACE_H
#define DSE_LAYER_PLACE_H
/*
 * Places: what of a layer lies in storage QPEs, as one small number. Composition
 * couples layers by it (dse/layer/layers.h); it is a gene of a layer's problem.
 */
#include "mapper/split/design.h"

/* What of a layer lies in storage QPEs, bit by bit; the rest lies in DRAM. */
enum place_bit {
	PLACE_IFMAP = 1,
	PLACE_RESULT = 2,
	PLACE_ADDED = 4,
	/* Two bits each hold an enum ahead_portion. */
	PLACE_WEIGHT = 24, /* of its weights, which the layer before fetched */
	PLACE_FETCH = 96,  /* of the next layer's weights, which it fetches */
	PLACE_HELD = 128,  /* a held result that it does not read; asked with one of these, which leave it less room */
	PLACE_N = 256
};
#define PLACE_WEIGHT_UNIT 8U
#define PLACE_FETCH_UNIT 32U

static inline enum ahead_portion place_weight(unsigned place)
{
	return (enum ahead_portion)((place & PLACE_WEIGHT) / PLACE_WEIGHT_UNIT);
}

static inline enum ahead_portion place_fetch(unsigned place)
{
	return (enum ahead_portion)((place & PLACE_FETCH) / PLACE_FETCH_UNIT);
}

/* Set what a design's place says. */
void layer_design_place(struct layer_design *design, unsigned place);

#endif
