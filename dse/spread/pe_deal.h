/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PE_DEAL_H
#define DSE_PE_DEAL_H
/* Which PEs have how many of a layer's tasks, barrier by barrier, as the schedule that the event tier runs has them. */
#include "dse/spread/loop_groups.h"
#include "dse/spread/pe_plan.h"
#include "mapper/split/design.h"

/* The tasks between two barriers counted in tasks as long as the mean one of the busiest PE. */
struct pe_stretch {
	uint64_t n_task;
	uint32_t n_loop;        /* tasks of the busiest PE */
	uint32_t n_repeat;      /* stretches like this one after each other */
	const uint32_t *n_busy; /* [n_loop] PEs that have a first, second, ... task */
	/* Units alike, where each PE has its own level and where those of a QPE have one; none: tasks that any PE can
	 * have, or too many classes. */
	struct pe_classes {
		uint32_t n;
		struct pe_plan_class class[PE_PLAN_MAX_CLASS];
	} by_pe, by_qpe;
};

struct pe_deal {
	size_t n_stretch;
	struct pe_stretch *stretch; /* [n_stretch] in the arena */
	uint64_t n_task, n_loop;    /* of all stretches, repeats included */
	uint32_t n_pe;              /* of the machine */
	bool is_free;               /* any PE can have any task */
};

/*
 * Which PEs have how many tasks of a feasible design. false: not known, as for pooling, results of unequal numbers of
 * jobs, or schedules that are too large. Time and memory of unfolding it.
 */
bool pe_deal_of(const struct layer_context *context, const struct layer_design *design, struct arena *arena,
                struct pe_deal *deal);

/* n_task > 0 tasks, any of which any of n_pe PEs can have. */
void pe_deal_evenly(uint64_t n_task, uint32_t n_pe, struct arena *arena, struct pe_deal *deal);

/* The loops of a design at some levels. */
struct pe_loops {
	const struct machine *machine;
	const struct loop_groups *groups; /* [n_level] at the levels */
	const uint32_t *level;
	size_t n_level;
	const struct pe_deal *deal;
};

/* A stretch as work for pe_plan_options. false: its PEs are not in classes, so that all have one level. */
bool pe_deal_work(const struct pe_loops *loops, const struct pe_stretch *stretch, bool by_qpe,
                  struct pe_plan_work *work);

/* A stretch with all PEs at level[i]: time, energy with static energy, peak of any time. */
void pe_deal_alone(const struct pe_loops *loops, const struct pe_stretch *stretch, size_t i, double *ns, double *pj,
                   double *peak_mw);

#endif
