/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_CHOICE_H
#define DSE_LAYER_CHOICE_H
/* What one layer may choose from: splits, strategies, places of operand A, levels, widths, forms, fetching ahead. */
#include "mapper/split/ahead.h"
#include "mapper/split/design.h"

#define N_SPLIT_DIM 4                                 /* w, h, c, d of struct split */
extern const char *const split_dim_name[N_SPLIT_DIM]; /* "width", "height", "out_channels", "in_channels" */

/* What may be chosen of one dimension. */
struct dim_choice {
	enum split_choice choice;
	uint32_t max_part; /* UINT32_MAX: no limit */
	size_t n_fixed;    /* > 0: exactly these splits */
	const struct dim_split *fixed;
};

/* What a layer may choose from, after all rules that match it are applied (later rules win, key by key). */
struct layer_choice {
	union {
		struct {
			struct dim_choice w, h, c, d;
		};
		struct dim_choice dim[N_SPLIT_DIM]; /* the same */
	};
	bool thesis_split; /* only the thesis splitter's own split */
	bool to_dram;      /* its result is the network's, and must be written to DRAM (enum network_result) */
	bool strategy[N_STRATEGY];
	bool reuse[N_REUSE_OPERAND];
	uint32_t level_mask; /* bit i: operating point i */
	bool operand_8bit, operand_16bit;
	bool form[N_CONV_FORM];   /* of 1x1 convolutions, and tight parts: block_allows_form */
	bool fetch[AHEAD_N];      /* how much of its weights the layer before may fetch ahead ... */
	bool fetch_next[AHEAD_N]; /* ... and it for the next one: the next one's, if there is any */
	struct ahead ahead;       /* what of this its neighbours' rules and its own leave */
};

/* What a layer may choose from where no rule says anything: every legal split, every strategy for searches, all levels.
 */
struct layer_choice layer_choice_any(void);

#endif
