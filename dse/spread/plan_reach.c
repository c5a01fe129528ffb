/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Of one stretch that is not repeated all PEs stand at the faster level before and after: one that has n tasks, k of
 * them at the slower level, changes twice and takes k slow + (n - k) fast + 2 changes. So the times at which some class
 * of PEs can have one more there are known, and between two of them nothing is gained.
 *
 * Of several stretches changes are left out and tasks are divided: those that take x longer than all at the faster
 * level can have so many there that grow with x in straight pieces, less and less steeply. Time goes where it brings
 * most.
 */
#include "dse/spread/plan_reach.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define LOW 0
#define HIGH 1
/* Sums of doubles that differ by less are equal. */
#define ALIKE_FRAC 1e-12
/* Steps that are nearer than this are one. */
#define SAME_FRAC 1e-9

static int compare_reals(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;
	return (one > other) - (one < other);
}

/* Tasks of each PE of a class; they are alike. */
static uint32_t n_task_of(const struct pe_plan_class *class)
{
	assert(class->n_part == 1);
	return class->part[0].n_task;
}

static double n_pe_of(const struct pe_plan_class *class)
{
	return (double)class->n_unit * class->part[0].n_pe;
}

/* ---- one stretch ---- */

static double end_of(const double task_ns[2], double switch_ns, uint32_t n_task, uint32_t n_low)
{
	return n_low * task_ns[LOW] + (n_task - n_low) * task_ns[HIGH] + 2 * switch_ns;
}

/* The most tasks at the slower level of a PE that is done by then. */
static uint32_t most_low(const double task_ns[2], double switch_ns, uint32_t n_task, double by_ns)
{
	double by = by_ns * (1 + ALIKE_FRAC), longer_ns = task_ns[LOW] - task_ns[HIGH];
	if (end_of(task_ns, switch_ns, n_task, n_task) <= by)
		return n_task;
	if (longer_ns <= 0)
		return 0;
	double n = floor((by - end_of(task_ns, switch_ns, n_task, 0)) / longer_ns + ALIKE_FRAC * n_task);
	return n > 0 ? (uint32_t)fmin(n, n_task) : 0;
}

static double low_frac_at(const struct pe_deal *deal, const double task_ns[2], double switch_ns, double by_ns)
{
	const struct pe_classes *classes = &deal->stretch[0].by_pe;
	double n_low = 0;
	for (uint32_t c = 0; c < classes->n; c++)
		n_low +=
		    n_pe_of(&classes->class[c]) * most_low(task_ns, switch_ns, n_task_of(&classes->class[c]), by_ns);
	return n_low / (double)deal->n_task;
}

/* Times from the least on, each later than the one before; of many every so many-th. */
static size_t list_ends(const struct pe_classes *classes, const double task_ns[2], double switch_ns, double least_ns,
                        double end_ns[PLAN_REACH_MAX_STEP])
{
	double all[PLAN_REACH_MAX_STEP];
	uint64_t n_all = 1;
	size_t n = 0, n_distinct = 0;
	for (uint32_t c = 0; c < classes->n; c++)
		n_all += n_task_of(&classes->class[c]);
	uint32_t stride = (uint32_t)((n_all + PE_PLAN_MAX_CLASS) / (PLAN_REACH_MAX_STEP - PE_PLAN_MAX_CLASS) + 1);
	all[n++] = least_ns;
	for (uint32_t c = 0; c < classes->n; c++) {
		uint32_t n_task = n_task_of(&classes->class[c]);
		for (uint32_t k = 1; k <= n_task && n < PLAN_REACH_MAX_STEP; k += stride)
			all[n++] = fmax(least_ns, end_of(task_ns, switch_ns, n_task, k));
	}
	qsort(all, n, sizeof(*all), compare_reals);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || all[i] > end_ns[n_distinct - 1] * (1 + SAME_FRAC))
			end_ns[n_distinct++] = all[i];
	return n_distinct;
}

static size_t reach_one(const struct pe_deal *deal, const double task_ns[2], double switch_ns,
                        struct plan_reach_step step[PLAN_REACH_MAX_STEP])
{
	double end_ns[PLAN_REACH_MAX_STEP];
	double least_ns = (double)deal->n_loop * fmin(task_ns[LOW], task_ns[HIGH]);
	size_t n = list_ends(&deal->stretch[0].by_pe, task_ns, switch_ns, least_ns, end_ns);
	for (size_t i = 0; i < n; i++) {
		/* just before the next one, with all that a stride left out */
		double by_ns = i + 1 < n ? end_ns[i + 1] * (1 - SAME_FRAC / 2) : INFINITY;
		step[i] = (struct plan_reach_step){end_ns[i], low_frac_at(deal, task_ns, switch_ns, by_ns)};
	}
	return n;
}

/* ---- several ---- */

/* So much time brings so many tasks more at the slower level. */
struct piece {
	double ns, n_task;
};

static int compare_pieces(const void *a, const void *b)
{
	const struct piece *one = a, *other = b;
	double left = one->n_task * other->ns, right = other->n_task * one->ns;
	return (left < right) - (left > right); /* the steepest first */
}

/* Pieces of a stretch; *n_free: tasks that cost no time. Nothing is known of PEs in no classes: all cost none. */
static size_t pieces_of(const struct pe_stretch *stretch, const double task_ns[2], struct piece *piece, double *n_free)
{
	const struct pe_classes *classes = &stretch->by_pe;
	double end_ns[PE_PLAN_MAX_CLASS], longer_ns = task_ns[LOW] - task_ns[HIGH], repeat = stretch->n_repeat;
	size_t n = 0;
	if (classes->n == 0)
		*n_free += stretch->by_qpe.n > 0 ? repeat * (double)stretch->n_task : 0;
	for (uint32_t c = 0; c < classes->n; c++) {
		uint32_t n_task = n_task_of(&classes->class[c]);
		double spare_ns = (stretch->n_loop - n_task) * task_ns[HIGH];
		*n_free += repeat * n_pe_of(&classes->class[c]) * fmin(n_task, spare_ns / longer_ns);
		end_ns[c] = fmax(0, n_task * longer_ns - spare_ns);
	}
	for (double at_ns = 0; n < classes->n;) {
		double next_ns = INFINITY, n_pe = 0;
		for (uint32_t c = 0; c < classes->n; c++)
			if (end_ns[c] > at_ns) {
				next_ns = fmin(next_ns, end_ns[c]);
				n_pe += n_pe_of(&classes->class[c]);
			}
		if (isinf(next_ns))
			break;
		piece[n++] = (struct piece){repeat * (next_ns - at_ns), repeat * n_pe * (next_ns - at_ns) / longer_ns};
		at_ns = next_ns;
	}
	return n;
}

/* Shares of all tasks at which steps end, the last one at all that there are. */
#define N_SHARE PLAN_REACH_MAX_STEP

struct walk {
	double ns, n_low, n_task;
	uint32_t share; /* the next one */
	size_t n;
	struct plan_reach_step *step; /* [n + 1], the last without its end */
};

static void walk_piece(struct walk *walk, const struct piece *piece)
{
	double end = walk->n_low + piece->n_task;
	for (; walk->share < N_SHARE && walk->n_task * walk->share / N_SHARE < end; walk->share++) {
		double to = walk->n_task * walk->share / N_SHARE;
		walk->ns += piece->ns * (to - walk->n_low) / piece->n_task;
		walk->n_low = to;
		walk->step[walk->n].low_frac = to / walk->n_task;
		walk->step[++walk->n].ns = walk->ns;
	}
	walk->ns += piece->ns * (end - walk->n_low) / piece->n_task;
	walk->n_low = end;
}

static size_t reach_several(const struct pe_deal *deal, const double task_ns[2],
                            struct plan_reach_step step[PLAN_REACH_MAX_STEP])
{
	struct piece *piece = memory_array(deal->n_stretch * PE_PLAN_MAX_CLASS, sizeof(*piece));
	struct walk walk = {.ns = (double)deal->n_loop * task_ns[HIGH], .n_task = (double)deal->n_task, .step = step};
	size_t n_piece = 0;
	for (size_t i = 0; i < deal->n_stretch; i++)
		n_piece += pieces_of(&deal->stretch[i], task_ns, piece + n_piece, &walk.n_low);
	qsort(piece, n_piece, sizeof(*piece), compare_pieces);
	walk.share = (uint32_t)floor(walk.n_low / walk.n_task * N_SHARE) + 1;
	step[0].ns = walk.ns;
	for (size_t i = 0; i < n_piece; i++)
		walk_piece(&walk, &piece[i]);
	step[walk.n].low_frac = fmin(1, walk.n_low / walk.n_task * (1 + SAME_FRAC));
	free(piece);
	return walk.n + 1;
}

size_t plan_reach(const struct pe_deal *deal, const double task_ns[2], double switch_ns,
                  struct plan_reach_step step[PLAN_REACH_MAX_STEP])
{
	assert(deal->n_stretch > 0 && deal->n_task > 0 && task_ns[LOW] > 0 && task_ns[HIGH] > 0);
	if (deal->n_stretch == 1 && deal->stretch[0].n_repeat == 1 && deal->stretch[0].by_pe.n > 0)
		return reach_one(deal, task_ns, switch_ns, step);
	if (task_ns[LOW] > task_ns[HIGH])
		return reach_several(deal, task_ns, step);
	step[0] = (struct plan_reach_step){(double)deal->n_loop * task_ns[LOW], 1};
	return 1;
}
