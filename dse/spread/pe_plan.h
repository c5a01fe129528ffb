/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PE_PLAN_H
#define DSE_PE_PLAN_H
/*
 * Voltage and clock by PE (DVFS paper section II: each PE changes its level "independent from other PEs"): the tasks of
 * a layer's loops run at two levels at the same time. The PEs stand at one level when the loops begin, and at one when
 * they end; between, each goes through its own tasks without waiting for others:
 *
 *   PE 0   a a a a a a a|        dealt: a PE changes once at most, and no PE has two tasks more than another
 *   PE 1   b  b  b  a a |
 *   PE 2   a a b  b  b  |        (b, the slower one, first or last)
 *
 *   PE 0   a a a a a a a|        placed: the same with the tasks that each PE has (reuse: some have two or more fewer
 *   PE 1   b b b a a    |        than others, and some none)
 *
 *   PE 0   a a a a a a a|        fixed: no PE changes while it has tasks; each does as many as end by the end of
 *   PE 1   b  b  b  b  b|        the layer
 *   PE 2   .            |
 *
 * A PE without a task changes to the level at the end and waits there. Units of several PEs (dvfs.domain qpe) have one
 * level; a PE of such a unit waits for the others at theirs.
 */
#include "sim/base/arena.h"
#include "sim/machine/machine.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PE_PLAN_MAX_LEVEL 8
/* More tasks a PE than this: it changes its level after multiples of so many tasks that there are no more choices. */
#define PE_PLAN_MAX_CHANGE 48

#define PE_PLAN_MAX_CLASS 8
#define PE_PLAN_MAX_PART 8

/* Units whose PEs have as many tasks: of each unit n_pe PEs with n_task, the most first, those without any included. */
struct pe_plan_class {
	uint32_t n_unit, n_part;
	struct pe_plan_part {
		uint32_t n_pe, n_task;
	} part[PE_PLAN_MAX_PART];
};

/* Tasks that are alike, and the PEs they run on. */
struct pe_plan_work {
	uint64_t n_task;
	uint32_t n_pe, n_unit_pe; /* n_unit_pe divides n_pe */
	uint32_t n_idle_pe;       /* further PEs, which have no part in it */
	/* Tasks that have their PEs, by unit; units without a task in none. 0: any PE can have any task. */
	uint32_t n_class;
	struct pe_plan_class class[PE_PLAN_MAX_CLASS];
	uint32_t levels;                   /* bit i: level i may be used; of the others nothing is read */
	double task_ns[PE_PLAN_MAX_LEVEL]; /* > 0 */
	double task_pj[PE_PLAN_MAX_LEVEL]; /* without static energy */
	double pe_mw[PE_PLAN_MAX_LEVEL];   /* static power of a PE */
	double base_mw;                    /* static power of all else */
	double switch_ns, switch_pj;       /* a PE's change of level; pj without static energy */
};

/* PEs that do the same: tasks at one level, then at another. */
struct pe_plan_group {
	uint32_t n_pe;
	uint32_t first, second;     /* levels; the same: n_second is 0 */
	uint32_t n_first, n_second; /* tasks */
	/* Tasks whose time it waits for others of its unit, after those of the first level and of the second. */
	uint32_t n_wait_first, n_wait_second;
};

#define PE_PLAN_MAX_GROUP 32

/* Who does what. PEs in no group have no task. */
struct pe_plan {
	uint32_t entry, exit; /* levels at which all PEs stand before and after */
	uint32_t levels;      /* bit i: level i is used, entry and exit included */
	uint32_t n_group;
	struct pe_plan_group group[PE_PLAN_MAX_GROUP];
};

/* A plan, and what it takes: static energy included, peak of any time. */
struct pe_plan_option {
	double ns, pj, peak_mw;
	struct pe_plan plan;
};

/*
 * All plans of one level or two under a peak that no other one with the same entry, exit and levels beats in time and
 * in energy less slope_mw times time (what is done later the chip sleeps less long), of those that the picture above
 * shows; in each a PE does as many of its tasks at the slower level as end by the end of the layer; and last, for each
 * level where tasks need not stay where they are, one unit that does all of it, whatever the peak, as nothing has a
 * lower one. Returns how many; *option lives in the arena. At most some hundred a pair of levels; time grows with tasks
 * a PE times PEs.
 */
size_t pe_plan_options(const struct pe_plan_work *work, double max_peak_mw, double slope_mw, struct arena *arena,
                       struct pe_plan_option **option);

/*
 * The same of tasks that have their PEs, without a limit. weighs_peak: none that has a lower peak is left out, either;
 * of plans that end together, which differ in who is slow first, the thriftiest and the flattest are there. Where all
 * PEs stand at one level before and after these cost the same, elsewhere they differ by changes of level.
 */
size_t pe_plan_front(const struct pe_plan_work *work, double slope_mw, bool weighs_peak, struct arena *arena,
                     struct pe_plan_option **option);

/* What a plan takes, from its closed form. */
void pe_plan_measure(const struct pe_plan_work *work, struct pe_plan_option *option);

/*
 * The same by going through time, event by event, each PE for itself, as a check: nothing is shared with the closed
 * form. false: the plan does not do all tasks once, or has more PEs than there are.
 */
bool pe_plan_replay(const struct pe_plan_work *work, const struct pe_plan *plan, double *ns, double *pj,
                    double *peak_mw);

/* Who does what, "140x7 PL2, 12x5 PL1": PEs, tasks of each, level; "3 PL1 2 PL2": in turn.
 */
#define PE_PLAN_TEXT_SIZE 512
void pe_plan_print(const struct machine *machine, const struct pe_plan *plan, char text[PE_PLAN_TEXT_SIZE]);

#endif
