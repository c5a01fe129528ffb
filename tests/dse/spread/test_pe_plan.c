/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels by PE against an enumeration that knows no classes, groups or closed forms: every PE (or unit of PEs) of a
 * small chip goes through every sequence of levels with one change at most, and time, energy and peak are read off the
 * time line. Tasks that any PE can have, and tasks that are placed: so many on each PE, drawn.
 */
#include "dse/power/power.h"
#include "dse/spread/pe_plan.h"
#include "sim/base/rng.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "tests/support/unit_test.h"

#define MAX_TASK 9
#define MAX_PE 4
#define MAX_PLACED 5
#define MAX_SEQUENCE 96

/* A PE's tasks: levels one after the other. */
struct sequence {
	uint32_t n, n_fast, level[MAX_TASK];
	bool slow_first, fast_first; /* both where it does not change */
	double done_ns;
};

/* pj: less a slope times ns. */
struct point {
	double ns, pj;
};

struct brute {
	const struct pe_plan_work *work;
	uint32_t entry, exit;
	double max_mw, slope_mw;
	bool is_placed;
	uint32_t n_unit, n_unit_pe;
	uint32_t placed[MAX_PE]; /* tasks of each PE, unit by unit, where they are placed */
	uint32_t n_sequence;
	struct sequence sequence[MAX_SEQUENCE];
	uint32_t chosen[MAX_PE]; /* of each unit */
	double slow_ns;          /* the least time of a choice that does everything slowly: later ends are of no use */
	size_t n;
	struct point front[4096];
};

/* ---- the time line ---- */

/* Of one PE: when its power changes, and to what. */
struct line {
	uint32_t n;
	double at_ns[MAX_TASK + 4], mw[MAX_TASK + 4], done_ns, once_pj;
};

static void line_put(struct line *line, double ns, double mw)
{
	line->at_ns[line->n] = line->done_ns;
	line->mw[line->n++] = mw;
	line->done_ns += ns;
}

static void line_change(const struct pe_plan_work *work, uint32_t to, uint32_t *level, struct line *line)
{
	if (to == *level)
		return;
	*level = to;
	line_put(line, work->switch_ns, work->pe_mw[to]);
	line->once_pj += work->switch_pj;
}

/* A PE with n_own of the sequence's tasks waits for the time of the last ones. */
static struct line line_of(const struct brute *brute, const struct sequence *sequence, uint32_t n_own)
{
	const struct pe_plan_work *work = brute->work;
	struct line line = {0};
	uint32_t level = brute->entry;
	for (uint32_t i = 0; i < sequence->n; i++) {
		uint32_t to = sequence->level[i];
		line_change(work, to, &level, &line);
		double task_mw = i < n_own ? work->task_pj[to] / work->task_ns[to] : 0;
		line_put(&line, work->task_ns[to], work->pe_mw[to] + task_mw);
	}
	line_change(work, brute->exit, &level, &line);
	line_put(&line, 0, work->pe_mw[brute->exit]);
	return line;
}

static double line_mw(const struct line *line, double ns)
{
	uint32_t i = line->n - 1;
	while (i > 0 && line->at_ns[i] > ns * (1 + 1e-12))
		i--;
	return line->mw[i];
}

/* What all PEs together take; false: over the limit at some time. */
static bool measure(const struct brute *brute, double *ns, double *pj)
{
	const struct pe_plan_work *work = brute->work;
	struct line line[MAX_PE];
	*ns = 0;
	*pj = 0;
	for (uint32_t i = 0; i < work->n_pe; i++) {
		const struct sequence *sequence = &brute->sequence[brute->chosen[i / brute->n_unit_pe]];
		line[i] = line_of(brute, sequence, brute->is_placed ? brute->placed[i] : sequence->n);
		*ns = fmax(*ns, line[i].done_ns);
	}
	*pj = work->base_mw * *ns;
	for (uint32_t i = 0; i < work->n_pe; i++) {
		*pj += line[i].once_pj;
		for (uint32_t k = 0; k < line[i].n; k++) {
			double to_ns = k + 1 < line[i].n ? line[i].at_ns[k + 1] : *ns;
			*pj += line[i].mw[k] * (to_ns - line[i].at_ns[k]);
			double mw = work->base_mw;
			for (uint32_t m = 0; m < work->n_pe; m++)
				mw += line_mw(&line[m], line[i].at_ns[k]);
			if (mw > brute->max_mw * (1 + 1e-9))
				return false;
		}
	}
	return true;
}

/* ---- all choices ---- */

/* Level 0 is the slow one. */
static void put_sequences(struct brute *brute)
{
	uint64_t n_most = brute->is_placed ? MAX_PLACED : brute->work->n_task;
	brute->n_sequence = 0;
	for (uint32_t n = 0; n <= n_most; n++)
		for (uint32_t k = 0; k <= n; k++)
			for (int order = 0; order < 2; order++) {
				bool changes = k > 0 && k < n;
				struct sequence sequence = {.n = n, .n_fast = k};
				sequence.slow_first = !changes || order == 0;
				sequence.fast_first = !changes || order == 1;
				if (order == 1 && !changes)
					continue;
				for (uint32_t i = 0; i < n; i++)
					sequence.level[i] = order == 0 ? i >= n - k : i < k;
				sequence.done_ns = line_of(brute, &sequence, n).done_ns;
				assert_in_range(brute->n_sequence, 0, MAX_SEQUENCE - 1);
				brute->sequence[brute->n_sequence++] = sequence;
			}
}

/* Whether a PE that takes its levels in this order could run more of its tasks slowly and be done by then. */
static bool could_be_slower(const struct brute *brute, const struct sequence *sequence, bool slow_first, double ns)
{
	for (uint32_t i = 0; i < brute->n_sequence; i++) {
		const struct sequence *other = &brute->sequence[i];
		if (other->n == sequence->n && other->n_fast < sequence->n_fast &&
		    (slow_first ? other->slow_first : other->fast_first) && other->done_ns <= ns)
			return true;
	}
	return false;
}

/* Whether every PE runs as many of its tasks slowly as it can; all_slow: and all tasks are run so. */
static bool is_slow_enough(const struct brute *brute, double ns, bool *all_slow)
{
	bool is_enough = true;
	*all_slow = true;
	for (uint32_t i = 0; i < brute->n_unit; i++) {
		const struct sequence *sequence = &brute->sequence[brute->chosen[i]];
		bool first = sequence->slow_first && !could_be_slower(brute, sequence, true, ns);
		bool last = sequence->fast_first && !could_be_slower(brute, sequence, false, ns);
		is_enough = is_enough && (first || last);
		*all_slow = *all_slow && sequence->n_fast == 0;
	}
	return is_enough;
}

/* Whether a PE at the slow level could do one more of the others' tasks. */
static bool slow_could_do_more(const struct brute *brute, double ns)
{
	for (uint32_t i = 0; i < brute->n_unit; i++) {
		const struct sequence *sequence = &brute->sequence[brute->chosen[i]];
		for (uint32_t k = 0; k < brute->n_sequence && sequence->n > 0 && sequence->n_fast == 0; k++)
			if (brute->sequence[k].n == sequence->n + 1 && brute->sequence[k].n_fast == 0 &&
			    brute->sequence[k].done_ns <= ns)
				return true;
	}
	return false;
}

/* Whether the picture in pe_plan.h shows what is chosen. */
static bool is_of_class(const struct brute *brute, double ns, bool *all_slow)
{
	uint32_t least = MAX_TASK, most = 0;
	bool changes = false;
	for (uint32_t i = 0; i < brute->n_unit; i++) {
		const struct sequence *sequence = &brute->sequence[brute->chosen[i]];
		least = sequence->n < least ? sequence->n : least;
		most = sequence->n > most ? sequence->n : most;
		changes = changes || (sequence->n_fast > 0 && sequence->n_fast < sequence->n);
	}
	bool is_enough = is_slow_enough(brute, ns, all_slow);
	if ((brute->is_placed || most <= least + 1) && is_enough)
		return true;
	return !changes && !brute->is_placed && (*all_slow || !slow_could_do_more(brute, ns));
}

static void keep(struct brute *brute)
{
	struct point new = {0, 0};
	bool all_slow;
	size_t n = 0;
	if (!measure(brute, &new.ns, &new.pj) || !is_of_class(brute, new.ns, &all_slow))
		return;
	if (all_slow)
		brute->slow_ns = fmin(brute->slow_ns, new.ns);
	new.pj -= brute->slope_mw *new.ns;
	for (size_t i = 0; i < brute->n; i++)
		if (brute->front[i].ns <= new.ns && brute->front[i].pj <= new.pj)
			return;
	for (size_t i = 0; i < brute->n; i++)
		if (brute->front[i].ns < new.ns || brute->front[i].pj < new.pj)
			brute->front[n++] = brute->front[i];
	brute->front[n++] = new;
	brute->n = n;
	assert_in_range(n, 1, 4000);
}

/* Each unit has the tasks of its busiest PE. */
static void choose_placed(struct brute *brute, uint32_t unit)
{
	uint32_t n_most = 0;
	if (unit >= brute->n_unit || unit >= MAX_PE) {
		keep(brute);
		return;
	}
	for (uint32_t i = 0; i < brute->n_unit_pe; i++)
		n_most = brute->placed[unit * brute->n_unit_pe + i] > n_most
		             ? brute->placed[unit * brute->n_unit_pe + i]
		             : n_most;
	for (uint32_t i = 0; i < brute->n_sequence; i++)
		if (brute->sequence[i].n == n_most) {
			brute->chosen[unit] = i;
			choose_placed(brute, unit + 1);
		}
}

static void choose(struct brute *brute, uint32_t pe, uint32_t from, uint64_t n_left)
{
	if (pe >= brute->work->n_pe || pe >= MAX_PE) {
		if (n_left == 0)
			keep(brute);
		return;
	}
	/* PEs are alike: in any order */
	for (uint32_t i = from; i < brute->n_sequence; i++) {
		if (brute->sequence[i].n > n_left)
			break;
		brute->chosen[pe] = i;
		choose(brute, pe + 1, i, n_left - brute->sequence[i].n);
	}
}

/* ---- the comparison ---- */

static double draw(struct rng *rng, double from, double to, bool whole)
{
	double value = from + (to - from) * rng_unit(rng);
	return whole ? floor(value) : value;
}

/* A slow level that is thriftier than the fast one, changes paid. */
static void make_work(struct rng *rng, bool whole, struct pe_plan_work *work)
{
	*work = (struct pe_plan_work){
	    .n_pe = 1 + rng_below(rng, MAX_PE), .n_unit_pe = 1, .levels = 3, .base_mw = draw(rng, 0, 5, whole)};
	work->n_task = 1 + rng_below(rng, work->n_pe < 3 ? 7 : 8);
	work->switch_ns = rng_below(rng, 3) == 0 ? 0 : draw(rng, 1, 5, whole);
	double ns = draw(rng, 10, 30, whole), ratio = draw(rng, 1.05, 2.5, false);
	work->task_ns[1] = ns;
	work->task_ns[0] = whole ? ceil(ns * ratio) : ns * ratio;
	work->pe_mw[0] = draw(rng, 0, 1, false);
	work->pe_mw[1] = work->pe_mw[0] * draw(rng, 1, 1.4, false);
	double least_pj = (work->pe_mw[1] - work->pe_mw[0]) * (ns + 2 * work->switch_ns);
	least_pj = fmax(least_pj, (work->task_ns[0] - ns) * work->pe_mw[1] + 2 * work->switch_ns);
	work->task_pj[0] = ns * draw(rng, 3, 8, whole);
	work->task_pj[1] = work->task_pj[0] + least_pj + draw(rng, 0, 100, whole);
	work->switch_pj = (work->task_pj[1] - work->task_pj[0] - least_pj) / 2 * rng_below(rng, 2);
}

/* So many tasks on each PE, and the classes of units that follow, found by comparing all with all. */
static void place_tasks(struct rng *rng, struct pe_plan_work *work, uint32_t placed[MAX_PE])
{
	uint32_t n_most = 1 + rng_below(rng, work->n_pe < 4 ? MAX_PLACED : 3);
	work->n_unit_pe = work->n_pe % 2 == 0 && rng_below(rng, 2) ? 2 : 1;
	work->n_task = 0;
	for (uint32_t i = 0; i < work->n_pe; i++)
		work->n_task += placed[i] = i == 0 ? n_most : rng_below(rng, n_most + 1);
	for (uint32_t i = 0; i < work->n_pe; i += work->n_unit_pe) {
		uint32_t one = placed[i], other = placed[i + work->n_unit_pe - 1], k = 0;
		uint32_t most = one > other ? one : other, least = one > other ? other : one;
		if (most == 0)
			continue;
		struct pe_plan_class class = {.n_unit = 1, .n_part = 1, .part = {{work->n_unit_pe, most}}};
		if (least < most) {
			class.n_part = 2;
			class.part[0].n_pe = 1;
			class.part[1] = (struct pe_plan_part){1, least};
		}
		while (k < work->n_class && memcmp(work->class[k].part, class.part, sizeof(class.part)) != 0)
			k++;
		if (k < work->n_class)
			work->class[k].n_unit++;
		else
			work->class[work->n_class++] = class;
	}
}

/* Every option is what it says, by the replay; and no choice of the enumeration is better than all options. */
static void compare(const struct pe_plan_work *work, const uint32_t placed[MAX_PE], double max_mw, double slope_mw,
                    unsigned *n_point)
{
	static struct brute brute;
	struct arena arena = {0};
	struct pe_plan_option *option;
	size_t n = pe_plan_options(work, max_mw, slope_mw, &arena, &option);
	for (size_t i = 0; i < n; i++) {
		double ns, pj, mw;
		assert_true(pe_plan_replay(work, &option[i].plan, &ns, &pj, &mw));
		assert_true(fabs(ns - option[i].ns) <= 1e-9 * ns && fabs(pj - option[i].pj) <= 1e-9 * pj);
		assert_true(fabs(mw - option[i].peak_mw) <= 1e-9 * mw);
		/* one PE alone, whatever the peak */
		bool is_flattest = !placed && i + 2 >= n;
		assert_true(mw <= max_mw * (1 + 1e-9) || is_flattest);
	}
	for (uint32_t ends = 0; ends < 4; ends++) {
		brute = (struct brute){
		    .work = work, .entry = ends & 1, .exit = ends >> 1, .max_mw = max_mw, .slow_ns = INFINITY};
		brute.slope_mw = slope_mw;
		brute.is_placed = placed != NULL;
		brute.n_unit_pe = work->n_unit_pe;
		brute.n_unit = work->n_pe / work->n_unit_pe;
		for (uint32_t i = 0; placed && i < work->n_pe; i++)
			brute.placed[i] = placed[i];
		put_sequences(&brute);
		if (placed)
			choose_placed(&brute, 0);
		else
			choose(&brute, 0, 0, work->n_task);
		for (size_t i = 0; i < brute.n; i++) {
			bool is_met = brute.front[i].ns > brute.slow_ns * (1 + 1e-9);
			for (size_t k = 0; k < n && !is_met; k++)
				is_met =
				    option[k].plan.entry == brute.entry && option[k].plan.exit == brute.exit &&
				    option[k].ns <= brute.front[i].ns * (1 + 1e-9) &&
				    option[k].pj - slope_mw * option[k].ns <= brute.front[i].pj + 1e-9 * option[k].pj;
			if (!is_met)
				print_error("%u PEs, %u tasks, ends %u, limit %g: missing %.9g ns %.9g pJ\n",
				            work->n_pe, (unsigned)work->n_task, ends, max_mw, brute.front[i].ns,
				            brute.front[i].pj);
			assert_true(is_met);
			(*n_point)++;
		}
	}
	arena_free(&arena);
}

static void compare_many(uint32_t seed, uint32_t n, bool places, unsigned *n_point)
{
	for (uint32_t i = 0; i < n; i++) {
		struct rng rng = rng_stream(seed, 0, i);
		struct pe_plan_work work;
		uint32_t placed[MAX_PE];
		make_work(&rng, i % 2 == 0, &work);
		if (places)
			place_tasks(&rng, &work, placed);
		double fast_mw = work.base_mw, slow_mw = work.base_mw;
		fast_mw += work.n_pe * (work.pe_mw[1] + work.task_pj[1] / work.task_ns[1]);
		slow_mw += work.n_pe * (work.pe_mw[0] + work.task_pj[0] / work.task_ns[0]);
		double max_mw = i % 3 == 0 ? INFINITY : slow_mw + rng_unit(&rng) * (fast_mw - slow_mw);
		compare(&work, places ? placed : NULL, max_mw,
		        i % 5 == 0 ? work.base_mw + work.n_pe * work.pe_mw[0] : 0, n_point);
	}
}

static void test_pe_plan_equals_brute_force(void **state)
{
	unsigned n_point = 0;
	(void)state;
	compare_many(11, 500, false, &n_point);
	assert_in_range(n_point, 3000, 100000);
}

static void test_pe_plan_placed_equals_brute_force(void **state)
{
	unsigned n_point = 0;
	(void)state;
	compare_many(12, 500, true, &n_point);
	assert_in_range(n_point, 3000, 100000);
}

/* ---- chains of layers ---- */

#define N_CHAIN_LAYER 100
#define N_CHAIN_LEVEL 2
#define CHAIN_PE 152

/* A layer whose tasks cost in each level what they do in all other layers, so that any layer may be slow as well as
 * another. */
static void make_layer(struct rng *rng, const struct power_problem *problem, struct arena *arena,
                       struct power_segment *segment, double *fast_ns, double *slow_ns)
{
	struct pe_plan_work work = {.n_task = CHAIN_PE + rng_below(rng, 12 * CHAIN_PE),
	                            .n_pe = CHAIN_PE,
	                            .n_unit_pe = 1,
	                            .levels = problem->levels,
	                            .base_mw = 75,
	                            .switch_ns = 100};
	struct pe_plan_option *option;
	double clk = 8000 + rng_unit(rng) * 30000, loops = ceil((double)work.n_task / CHAIN_PE);
	for (uint32_t l = 0; l < N_CHAIN_LEVEL; l++) {
		double volt = problem->vdd_v[l];
		work.task_ns[l] = clk * 1e3 / problem->clk_mhz[l];
		work.task_pj[l] = clk * (34 * volt * volt + 10);
		work.pe_mw[l] = (problem->sleep_mw[l] - 75) / CHAIN_PE;
	}
	size_t n = pe_plan_options(&work, INFINITY, 0, arena, &option);
	struct power_mode *mode = arena_array(arena, n, sizeof(*mode));
	assert_non_null(mode);
	for (size_t k = 0; k < n; k++)
		mode[k] = (struct power_mode){option[k].plan.exit, 0, option[k].ns, option[k].pj, option[k].peak_mw,
		                              &option[k].plan};
	*segment = (struct power_segment){n, mode, 1};
	*fast_ns += loops * work.task_ns[N_CHAIN_LEVEL - 1];
	*slow_ns += loops * work.task_ns[0];
}

/* Thousands of schedules are as good as the best then: the first one must be, for labels cannot tell them apart. */
static void test_pe_plan_chains_are_proven(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 12; i++) {
		struct power_segment segment[N_CHAIN_LAYER];
		struct power_problem problem = {.n_segment = N_CHAIN_LAYER,
		                                .segment = segment,
		                                .n_level = N_CHAIN_LEVEL,
		                                .levels = (1U << N_CHAIN_LEVEL) - 1,
		                                .n_lane = 2,
		                                .n_divider = N_CHAIN_LEVEL};
		struct rng rng = rng_stream(13, 0, i);
		struct arena arena = {0};
		struct power_schedule best;
		struct err err = {0};
		double fast_ns = 0, slow_ns = 0;
		for (uint32_t l = 0; l < N_CHAIN_LEVEL; l++) {
			problem.vdd_v[l] = 0.51 + 0.09 * l;
			problem.clk_mhz[l] = 257 + 86.0 * l;
			problem.sleep_mw[l] = 75 + CHAIN_PE * (1 + 0.3 * l);
		}
		for (uint32_t l = 0; l < N_CHAIN_LEVEL; l++)
			for (uint32_t k = 0; k < N_CHAIN_LEVEL; k++) {
				problem.switch_ns[l][k] = l == k ? 0 : 100;
				problem.switch_pj[l][k] = l == k ? 0 : 100 * problem.sleep_mw[k];
			}
		for (size_t k = 0; k < N_CHAIN_LAYER; k++)
			make_layer(&rng, &problem, &arena, &segment[k], &fast_ns, &slow_ns);
		const struct power_goal goal = {.scenario = POWER_LIMITED_TIME,
		                                .max_ns = fast_ns + (0.15 + 0.05 * i) * (slow_ns - fast_ns),
		                                .max_pj = INFINITY,
		                                .max_peak_mw = INFINITY,
		                                .max_average_mw = INFINITY,
		                                .tolerance = POWER_FINE_TOLERANCE};
		assert_int_equal(power_solve(&problem, &goal, POWER_FINE_LABEL / 4, &arena, &best, &err), ERR_OK);
		assert_true(best.is_found && best.is_exact && best.time_ns <= goal.max_ns);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pe_plan_equals_brute_force),
	                                   cmocka_unit_test(test_pe_plan_placed_equals_brute_force),
	                                   cmocka_unit_test(test_pe_plan_chains_are_proven)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
