/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SPACE_RULES_H
#define DSE_SPACE_RULES_H
/* Rules under `layers:` of a space as they stand in the file, between reading and applying them. */
#include "dse/base/pattern.h"
#include "dse/space/space_parts.h"

/* Which keys a rule sets, as bits. */
#define RULE_DIM UINT32_C(1) /* the first of N_SPLIT_DIM bits, in the order of the dimensions */
#define RULE_THESIS (UINT32_C(1) << 4)
#define RULE_STRATEGY (UINT32_C(1) << 5)
#define RULE_REUSE (UINT32_C(1) << 6)
#define RULE_LEVEL (UINT32_C(1) << 7)
#define RULE_OPERAND (UINT32_C(1) << 8)
#define RULE_FETCH (UINT32_C(1) << 9)
#define RULE_FORM (UINT32_C(1) << 10)

/* What may be chosen in one dimension. */
struct rule_dim {
	struct dim_choice may;
	bool *used;                  /* [may.n_fixed] some layer can use it */
	const struct doc_node *node; /* the list, for messages; NULL without */
};

struct rule {
	const struct doc_node *match; /* NULL: missing, reported */
	struct pattern pattern;       /* empty: wrong, reported */
	uint32_t set;
	struct rule_dim dim[N_SPLIT_DIM];
	bool thesis_split;
	bool strategy[N_STRATEGY];
	bool reuse[N_REUSE_OPERAND];
	uint32_t level_mask;
	bool operand_8bit, operand_16bit;
	bool fetch[AHEAD_N];
	bool form[N_CONV_FORM];
	size_t n_matched;
	bool takes_renamed; /* it matches no layer, but some by the names that they had before */
};

#endif
