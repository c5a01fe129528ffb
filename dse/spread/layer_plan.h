/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_PLAN_H
#define DSE_LAYER_PLAN_H
/*
 * A whole layer with levels by PE: its loops by plans (pe_plan.h) at two levels, stretch by stretch between barriers,
 * each repeat of a stretch by its own; loads before and ARM operations after at the faster level.
 *
 *   high: loads | stretch | stretch | ... | back to high, if PEs stand at low | high: ARM operations
 *
 * The plans of a design have numbers. They come from its clocks in the fast tier, so that a number names the same plan
 * in every tier, of one machine and model.
 */
#include "dse/spread/pe_deal.h"

/* More plans of a design than this are thinned; the fastest and the thriftiest stay. */
#define LAYER_PLAN_MAX 512
/* A plan's number is twice its place among the plans without regard to the peak, or that of those with, and one. */
#define LAYER_PLAN_MAX_NUMBER (2 * LAYER_PLAN_MAX)

static inline uint32_t layer_plan_place(uint32_t number)
{
	return number / 2;
}
static inline bool layer_plan_weighs_peak(uint32_t number)
{
	return number % 2 != 0;
}
static inline uint32_t layer_plan_number(uint32_t place, bool weighs_peak)
{
	return 2 * place + weighs_peak;
}

/* Loops at the slower and the faster level, in some tier. Not to be copied: pointers lead inside. */
struct plan_loops {
	struct pe_loops of;
	struct loop_groups groups[2];
	uint32_t level[2];
	const struct sim_result *result[2]; /* the caller's */
};

struct layer_plans {
	size_t n;
	bool is_thinned;
	struct plan_label **label; /* [n] by time */
	/* inside */
	const struct layer_context *context;
	const struct program *program;
	struct layer_design at[2]; /* the design at the slower and the faster level */
	struct plan_loops fast;    /* of the fast tier */
	struct pe_deal deal;
	struct stretch_plans *stretch; /* [deal.n_stretch] */
	struct arena arena;
};

/*
 * Who has which tasks of a design that runs, at the mixed level that it has (sim/program/mixed.h). program: its own,
 * low, high: the fast tier's results at the two levels; the caller's, as long as plans are used. false: it has no
 * plans, as it is not known, or is not what the loops are taken for. The caller frees plans, also then.
 */
bool layer_plans_begin(const struct layer_context *context, const struct layer_design *design,
                       const struct program *program, const struct sim_result *low, const struct sim_result *high,
                       struct layer_plans *plans);

/*
 * All plans of which no other one is as good in time, energy less the static power asleep and, weighs_peak, peak. None
 * where all run fast.
 */
void layer_plans_find(struct layer_plans *plans, bool weighs_peak);

/* Both. */
void layer_plans_make(const struct layer_context *context, const struct layer_design *design,
                      const struct program *program, bool weighs_peak, const struct sim_result *low,
                      const struct sim_result *high, struct layer_plans *plans);
void layer_plans_free(struct layer_plans *plans);

/* Loops from any tier's results at the two levels, and the result of a plan from these. */
void layer_plan_loops(const struct layer_plans *plans, const struct sim_result *low, const struct sim_result *high,
                      struct plan_loops *loops);
void layer_plan_price(const struct layer_plans *plans, size_t i, const struct plan_loops *loops,
                      struct sim_result *result);

/* Who does what: "2 times 112x(3 PL1 1 PL2), 2 times 112x4 PL2". Cut where it is longer. */
#define LAYER_PLAN_TEXT_SIZE 1024
void layer_plan_print(const struct layer_plans *plans, size_t i, char text[LAYER_PLAN_TEXT_SIZE]);

/*
 * The peak of any time of a design at one level: of loops that of the first tasks, when most PEs have one. Never below
 * that of the result, which is its most power-hungry step's mean.
 */
double layer_plan_peak_mw(const struct layer_context *context, const struct layer_design *design,
                          const struct sim_result *result);

#endif
