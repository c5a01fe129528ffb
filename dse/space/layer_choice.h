/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_CHOICE_H
#define DSE_LAYER_CHOICE_H
/* What one layer may choose from: splits, strategies, places of operand A, levels, widths, forms, fetching ahead. */
#include "mapper/split/ahead.h"
#include "mapper/split/design.h"

/* What a layer may choose from, after all rules that match it are applied (later rules win, key by key). */
struct layer_choice {
	enum split_choice w, h, c, d;
	uint32_t max_part_w, max_part_h, max_part_c, max_part_d; /* UINT32_MAX: no limit */
	size_t n_fixed_w, n_fixed_h, n_fixed_c, n_fixed_d;       /* > 0: exactly these splits */
	const struct dim_split *fixed_w, *fixed_h, *fixed_c, *fixed_d;
	bool thesis_split; /* only the thesis splitter's own split */
	bool to_dram;      /* its result is the network's, and must be written to DRAM (enum network_result) */
	bool strategy[N_STRATEGY];
	bool reuse[N_REUSE_OPERAND];
	uint32_t level_mask; /* bit i: operating point i */
	bool operand_8bit, operand_16bit;
	bool form[N_CONV_FORM];   /* of 1x1 convolutions */
	bool fetch[AHEAD_N];      /* how much of its weights the layer before may fetch ahead ... */
	bool fetch_next[AHEAD_N]; /* ... and it for the next one: the next one's, if there is any */
	struct ahead ahead;       /* what of this its neighbours' rules and its own leave */
};

/* What a layer may choose from where no rule says anything: every legal split, every strategy for searches, all levels.
 */
struct layer_choice layer_choice_any(void);

#endif
