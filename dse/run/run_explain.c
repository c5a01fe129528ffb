/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which change of the inputs explains what. All designs of both fronts are evaluated in the first run's space and tier,
 * in the second one's, and in the first one's with each change alone, of which the tier may be one:
 *
 *   how far a change moves designs alone, as a share of how far all of it moved them;
 *   a point is lost by a change alone if it is on the front of all these designs without it, and not with it;
 *   a point is gained by a change alone if it is on that front with it, and not without.
 *
 * What the changes do only together, and what is due to no input (another program), is what is left.
 */
#include "dse/base/memory.h"
#include "dse/pareto/hypervolume.h"
#include "dse/pareto/nondominated.h"
#include "dse/pareto/pareto.h"
#include "dse/out/progress.h"
#include "dse/run/run_compare.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Movement below this is none, relative to what moves. */
#define STILL_FRAC 1e-12

/* All designs of both fronts in one space; those of the first front come first. */
struct world {
	struct attributed *point; /* [n] */
	double *value;            /* [n][n_objective], of those that run */
	bool *on_front;           /* [n] no other design there is better */
	double hypervolume;       /* of all that run, up to the reference of both fronts */
};

struct explainer {
	struct run_compare *compare;
	const struct run_compare_options *options;
	size_t n_before, n; /* designs of the first front, and of both */
	struct world before, after, alone;
	struct arena arena; /* of texts that do not stay */
	struct err *err;
};

static void make_world(const struct explainer *explainer, struct world *world)
{
	size_t n = explainer->n;
	world->point = memory_array(n, sizeof(*world->point));
	world->value = memory_array(n * explainer->compare->n_objective, sizeof(*world->value));
	world->on_front = memory_array(n, sizeof(*world->on_front));
}

static void free_world(struct world *world)
{
	free(world->point);
	free(world->value);
	free(world->on_front);
}

/* Those that do not run stand at the reference, where they count for nothing. */
static void measure_volume(const struct explainer *explainer, struct world *world)
{
	const struct run_compare *compare = explainer->compare;
	size_t n = compare->n_objective;
	double *value = memory_array(explainer->n * n, sizeof(*value));
	for (size_t i = 0; i < explainer->n; i++)
		memcpy(value + i * n, world->point[i].fate == FATE_RUNS ? world->value + i * n : compare->reference,
		       n * sizeof(*value));
	memory_check(hypervolume(value, explainer->n, (unsigned)n, compare->reference, &world->hypervolume));
	free(value);
}

/* Which of those that run no other one dominates; designs of equal figures share the front. */
static void find_front(const struct explainer *explainer, struct world *world)
{
	size_t n_objective = explainer->compare->n_objective, n = 0;
	struct nondominated memory = {0};
	uint32_t *at = memory_array(explainer->n, sizeof(*at)), *rank = memory_array(explainer->n, sizeof(*rank));
	memory_check(nondominated_init(&memory, explainer->n + 1));
	for (size_t i = 0; i < explainer->n; i++) {
		world->on_front[i] = false;
		if (world->point[i].fate != FATE_RUNS)
			continue;
		for (size_t k = 0; k < n_objective; k++)
			world->value[i * n_objective + k] = world->point[i].metric[explainer->compare->objective[k]];
		at[n++] = (uint32_t)i;
	}
	if (n > 0)
		(void)nondominated_rank(&memory, world->value, n_objective, (unsigned)n_objective, at, n, EQUAL_SHARE,
		                        rank);
	for (size_t i = 0; i < n; i++)
		world->on_front[at[i]] = rank[at[i]] == 0;
	nondominated_free(&memory);
	free(at);
	free(rank);
	measure_volume(explainer, world);
}

/* The tier of a run, also of one without a front. */
static enum detail tier_of(const struct kept_run *run)
{
	unsigned tier = run->front.detail;
	for (unsigned i = 0; i < N_DETAIL && run->front.n_point == 0; i++)
		if (strcmp(detail_name[i], run->record.detail) == 0)
			tier = i;
	return (enum detail)tier;
}

static enum err_code evaluate(struct explainer *explainer, const struct space *in, enum detail tier,
                              struct world *world, struct arena *arena)
{
	const struct kept_run *before = explainer->compare->before, *after = explainer->compare->after;
	const struct attribute_how how = {.n_thread = explainer->options->n_thread, .detail = &tier};
	enum err_code code =
	    attribute_evaluate(&before->front, &before->space, in, &how, world->point, arena, explainer->err);
	if (code == ERR_OK)
		code = attribute_evaluate(&after->front, &after->space, in, &how, world->point + explainer->n_before,
		                          arena, explainer->err);
	if (code == ERR_OK)
		find_front(explainer, world);
	return code;
}

/* ---- why a point is not on the other front ---- */

/* How far ahead the other point is in sum, relatively; what is not as good in some objective is none. */
static double lead(const double *own, const double *other, size_t n, double gap_frac)
{
	double sum = 0.0;
	for (size_t k = 0; k < n; k++) {
		if (other[k] > own[k] * (1.0 + gap_frac))
			return (double)NAN;
		sum += fabs(run_compare_change(own[k], other[k]));
	}
	return sum;
}

/* The nearest point of the other front that is as good, or within a gap of it; n_other: none. */
static size_t find_better(const double *own, const double *other, size_t n_other, size_t n, double gap_frac)
{
	size_t nearest = n_other;
	double least = INFINITY;
	for (size_t i = 0; i < n_other; i++) {
		double own_lead = lead(own, other + i * n, n, gap_frac);
		if (!isnan(own_lead) && (own_lead < least || nearest == n_other)) {
			nearest = i;
			least = own_lead;
		}
	}
	return nearest;
}

static bool has_other_program(const struct run_compare *compare)
{
	for (size_t i = 0; i < compare->changes.n; i++)
		if (compare->changes.change[i].kind == CHANGE_PROGRAM)
			return true;
	return false;
}

static void find_absence(const struct explainer *explainer, size_t side, size_t i)
{
	struct run_compare *compare = explainer->compare;
	struct compared_point *point = &compare->point[side][i];
	const struct kept_run *other = side == 0 ? compare->after : compare->before;
	const struct world *world = side == 0 ? &explainer->after : &explainer->before;
	size_t at = side == 0 ? i : explainer->n_before + i, n = compare->n_objective;
	const struct attributed *there = &world->point[at];
	static const enum absence of_fate[N_FATE] = {[FATE_OUTSIDE] = ABSENCE_OUTSIDE,
	                                             [FATE_CANNOT_RUN] = ABSENCE_CANNOT_RUN,
	                                             [FATE_OVER_LIMIT] = ABSENCE_OVER_LIMIT};
	point->absence = of_fate[there->fate];
	point->why = there->why ? memory_must(arena_text(&compare->arena, there->why)) : NULL;
	if (there->fate != FATE_RUNS)
		return;
	const double *own = world->value + at * n, *front = compare->value[1 - side];
	point->has_there = true;
	memcpy(point->there, own, n * sizeof(*own));
	size_t n_other = other->front.n_point, better = find_better(own, front, n_other, n, 0.0);
	double gap = other->is_proven ? other->epsilon : 0.0;
	point->by = better;
	if (better < n_other) {
		point->absence =
		    pareto_dominates(front + better * n, own, (unsigned)n) ? ABSENCE_DOMINATED : ABSENCE_EQUAL;
		return;
	}
	point->by = gap > 0.0 ? find_better(own, front, n_other, n, gap) : n_other;
	point->absence = point->by < n_other                              ? ABSENCE_GAP
	                 : other->is_proven && has_other_program(compare) ? ABSENCE_PROGRAM
	                                                                  : ABSENCE_SEARCH;
}

static void find_absences(const struct explainer *explainer)
{
	struct run_compare *compare = explainer->compare;
	for (size_t side = 0; side < 2; side++) {
		size_t n = side == 0 ? explainer->n_before : explainer->n - explainer->n_before;
		for (size_t i = 0; i < n; i++) {
			struct compared_point *point = &compare->point[side][i];
			size_t at = side == 0 ? i : explainer->n_before + i;
			if (point->status != POINT_LOST && point->status != POINT_GAINED)
				continue;
			find_absence(explainer, side, i);
			/* nothing beats it in the other space, or something does in its own: no input did that */
			const struct world *own = side == 0 ? &explainer->before : &explainer->after,
					   *other = side == 0 ? &explainer->after : &explainer->before;
			bool no_input = point->absence != ABSENCE_EQUAL && (other->on_front[at] || !own->on_front[at]);
			const struct kept_run *there = side == 0 ? compare->after : compare->before;
			point->by_program = no_input && there->is_proven && has_other_program(compare);
			point->by_search = no_input && !point->by_program;
		}
	}
}

/* ---- shares ---- */

/* Designs of the first front that run in both spaces, and what became of each objective's sum. */
struct movement {
	double whole[SPACE_MAX_OBJECTIVE];  /* from what the first run has to what the second has, or would have */
	double inputs[SPACE_MAX_OBJECTIVE]; /* of it what this program does with the inputs alone */
	double alone[SPACE_MAX_OBJECTIVE];  /* sum over the changes, each alone */
	double size[SPACE_MAX_OBJECTIVE];
};

static bool is_moving(const struct explainer *explainer, size_t i)
{
	return explainer->before.point[i].fate == FATE_RUNS && explainer->after.point[i].fate == FATE_RUNS;
}

/* What the second run says of a design of the first front, where it has it; else what is to be expected. */
static double value_after(const struct explainer *explainer, size_t i, size_t k)
{
	const struct run_compare *compare = explainer->compare;
	const struct compared_point *point = &compare->point[0][i];
	size_t n = compare->n_objective;
	bool has = point->status == POINT_SAME || point->status == POINT_MOVED;
	return has ? compare->value[1][point->other * n + k] : explainer->after.value[i * n + k];
}

static void sum_movement(const struct explainer *explainer, struct movement *movement)
{
	struct run_compare *compare = explainer->compare;
	size_t n = compare->n_objective;
	*movement = (struct movement){.size = {0.0}};
	for (size_t i = 0; i < explainer->n_before; i++) {
		if (!is_moving(explainer, i))
			continue;
		compare->n_moving++;
		for (size_t k = 0; k < n; k++) {
			double then = compare->value[0][i * n + k], now = value_after(explainer, i, k);
			movement->whole[k] += now - then;
			movement->inputs[k] += explainer->after.value[i * n + k] - explainer->before.value[i * n + k];
			movement->size[k] += fabs(then);
			compare->mean_frac[k] += run_compare_change(then, now);
		}
	}
	for (size_t k = 0; k < n; k++) {
		compare->mean_frac[k] /= compare->n_moving > 0 ? (double)compare->n_moving : 1.0;
		if (fabs(movement->whole[k]) <= STILL_FRAC * movement->size[k])
			movement->whole[k] = 0.0;
	}
}

/* What a change alone does to the first front's designs; shares are sums until they are divided. */
static void sum_effect(const struct explainer *explainer, const struct world *world, struct change_effect *effect)
{
	size_t n = explainer->compare->n_objective, n_run = 0;
	for (size_t i = 0; i < explainer->n_before; i++) {
		bool runs = world->point[i].fate == FATE_RUNS;
		effect->n_stopped += !runs && explainer->before.point[i].fate == FATE_RUNS;
		if (!runs || !is_moving(explainer, i))
			continue;
		n_run++;
		for (size_t k = 0; k < n; k++) {
			double then = explainer->before.value[i * n + k], now = world->value[i * n + k];
			effect->share_frac[k] += now - then;
			effect->mean_frac[k] += run_compare_change(then, now);
		}
	}
	for (size_t k = 0; k < n; k++)
		effect->mean_frac[k] /= n_run > 0 ? (double)n_run : 1.0;
}

static void divide(struct run_compare *compare, struct movement *movement)
{
	for (size_t k = 0; k < compare->n_objective; k++) {
		double whole = movement->whole[k];
		bool moves = whole < 0.0 || whole > 0.0;
		for (size_t i = 0; i < compare->changes.n; i++) {
			struct change_effect *effect = &compare->effect[i];
			movement->alone[k] += effect->share_frac[k];
			effect->share_frac[k] = moves ? effect->share_frac[k] / whole : (double)NAN;
		}
		compare->together_frac[k] = moves ? (movement->inputs[k] - movement->alone[k]) / whole : (double)NAN;
		compare->program_frac[k] = moves ? (whole - movement->inputs[k]) / whole : (double)NAN;
	}
}

/* ---- one change at a time ---- */

/* A bit for each point that the change alone puts off the front, or on it. */
static void mark_points(const struct explainer *explainer, const struct world *world, size_t change)
{
	struct run_compare *compare = explainer->compare;
	for (size_t i = 0; i < explainer->n; i++) {
		bool is_old = i < explainer->n_before, was = explainer->before.on_front[i], is = world->on_front[i];
		struct compared_point *point =
		    is_old ? &compare->point[0][i] : &compare->point[1][i - explainer->n_before];
		bool explains =
		    is_old ? point->status == POINT_LOST && was && !is : point->status == POINT_GAINED && !was && is;
		if (!explains || point->by_search || point->by_program)
			continue;
		point->changes |= UINT64_C(1) << change;
		compare->effect[change].n_lost += is_old;
		compare->effect[change].n_gained += !is_old;
	}
}

/* What it does that this space and tier are there, not the first run's. */
static enum err_code take_effect(struct explainer *explainer, const struct space *in, enum detail tier, size_t i)
{
	struct run_compare *compare = explainer->compare;
	struct change_effect *effect = &compare->effect[i];
	enum err_code code = evaluate(explainer, in, tier, &explainer->alone, &explainer->arena);
	if (code == ERR_OK) {
		effect->is_evaluated = true;
		sum_effect(explainer, &explainer->alone, effect);
		effect->volume_frac = run_compare_change(explainer->before.hypervolume, explainer->alone.hypervolume);
		mark_points(explainer, &explainer->alone, i);
	}
	arena_free(&explainer->arena);
	return code;
}

static enum err_code explain_change(struct explainer *explainer, size_t i)
{
	struct run_compare *compare = explainer->compare;
	const struct input_change *change = &compare->changes.change[i];
	struct changed_space changed;
	struct err found = {0};
	if (change->kind == CHANGE_TIER)
		return take_effect(explainer, &compare->before->space, tier_of(compare->after), i);
	enum err_code code = input_change_apply(&compare->changes, change, &changed, &found);
	if (code == ERR_INPUT) {
		char text[160];
		(void)snprintf(text, sizeof(text), "%.*s", (int)strcspn(err_text(&found), "\n"), err_text(&found));
		compare->effect[i].why_not = memory_must(arena_text(&compare->arena, text));
		err_clear(&found);
		return ERR_OK;
	}
	(void)err_add_all(explainer->err, (struct err_place){0}, &found);
	err_clear(&found);
	if (code != ERR_OK)
		return code;
	code = take_effect(explainer, &changed.space, tier_of(compare->before), i);
	changed_space_free(&changed);
	return code;
}

static enum err_code explain_changes(struct explainer *explainer)
{
	struct run_compare *compare = explainer->compare;
	struct progress progress;
	enum err_code code = ERR_OK;
	size_t n = compare->changes.n;
	progress_start(&progress, explainer->options->show_progress);
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		char what[64];
		const struct input_change *change = &compare->changes.change[i];
		if (!input_change_is_applicable(change) && change->kind != CHANGE_TIER)
			continue;
		if (i >= RUN_COMPARE_MAX_CHANGE) {
			compare->effect[i].why_not = "one of too many changes";
			continue;
		}
		(void)snprintf(what, sizeof(what), "change %zu of %zu", i + 1, n);
		progress_update(&progress, (double)i / (double)n, what);
		code = explain_change(explainer, i);
	}
	progress_end(&progress);
	return code;
}

static enum err_code explain(struct explainer *explainer)
{
	struct run_compare *compare = explainer->compare;
	struct movement movement;
	make_world(explainer, &explainer->before);
	make_world(explainer, &explainer->after);
	make_world(explainer, &explainer->alone);
	enum err_code code =
	    evaluate(explainer, &compare->before->space, tier_of(compare->before), &explainer->before, &compare->arena);
	if (code == ERR_OK)
		code = evaluate(explainer, &compare->after->space, tier_of(compare->after), &explainer->after,
		                &compare->arena);
	if (code != ERR_OK)
		return code;
	/* as the runs have it: another program may price the designs otherwise than this one */
	compare->volume_frac = run_compare_change(compare->hypervolume[0], compare->hypervolume[1]);
	find_absences(explainer);
	sum_movement(explainer, &movement);
	code = explain_changes(explainer);
	if (code == ERR_OK)
		divide(compare, &movement);
	compare->is_explained = code == ERR_OK;
	return code;
}

enum err_code run_compare_explain(struct run_compare *compare, const struct run_compare_options *options,
                                  struct err *err)
{
	const struct kept_run *before = compare->before, *after = compare->after;
	assert(compare->point[0] && !compare->has_changes && options && err);
	compare->why_no_changes = !before->has_space ? before->why_no_space : after->why_no_space;
	if (!before->has_space || !after->has_space)
		return ERR_OK;
	input_changes_find(before, after, &compare->changes);
	compare->effect = memory_array(compare->changes.n, sizeof(*compare->effect));
	compare->has_changes = true;
	if (before->front.n_point + after->front.n_point == 0)
		return ERR_OK;
	struct explainer explainer = {.compare = compare,
	                              .options = options,
	                              .n_before = before->front.n_point,
	                              .n = before->front.n_point + after->front.n_point,
	                              .err = err};
	enum err_code code = explain(&explainer);
	free_world(&explainer.before);
	free_world(&explainer.after);
	free_world(&explainer.alone);
	arena_free(&explainer.arena);
	return code;
}
