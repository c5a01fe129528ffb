/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_PLAN_PARTS_H
#define DSE_LAYER_PLAN_PARTS_H
/*
 * Inside layer_plan: what stretches can do, and chains of it.
 *
 *   layer_plan.c        which plans a design has
 *   layer_plan_price.c  what one takes, in any tier
 *   layer_plan_text.c   what one says
 */
#include "dse/spread/layer_plan.h"

/* Where all PEs stand, at a stretch's begin and end: index of what is at the two levels. */
enum stand { STAND_LOW, STAND_HIGH, N_STAND };

struct stretch_option {
	struct pe_plan_option own; /* is_alone: all PEs at the faster level, no groups */
	bool is_alone, is_together /* PEs of a QPE have one level, where they could have their own */;
	enum stand from, to;
};

struct stretch_plans {
	size_t n;
	const struct stretch_option *option; /* [n] */
};

/* The stretches up to one. */
struct plan_label {
	double ns, value_pj, peak_mw;    /* value: energy less what sleep would take in that time */
	const struct plan_label *before; /* NULL: none */
	const struct stretch_option *option;
	enum stand at;
	bool is_slow; /* some PE is at the slower level */
};

#endif
