/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/run_compare.h"
#include "dse/base/memory.h"
#include "dse/base/number.h"
#include "dse/layer/design_field.h"
#include "dse/pareto/hypervolume.h"
#include "dse/pareto/indicator.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative; sums in another order may differ in their last bits. */
#define SAME_FRAC 1e-12

/* As fronts' own (dse/pareto/quality.h). */
#define REFERENCE_FACTOR 1.1

enum { KNOB_SIZE = 64, MAX_AXIS = 128 };

const char *const absence_name[N_ABSENCE] = {"unknown", "outside", "cannot_run", "over_limit", "dominated",
                                             "equal",   "gap",     "search",     "program"};

double run_compare_change(double before, double after)
{
	if (!(before < after) && !(before > after))
		return 0.0;
	return fabs(before) > 0.0 ? (after - before) / fabs(before) : after > 0.0 ? INFINITY : -INFINITY;
}

/* ---- which design is which ---- */

/* What tells the designs of both fronts apart. */
struct matcher {
	const struct kept_run *run[2];
	size_t n_axis;
	const struct machine_param *axis[MAX_AXIS]; /* of either space */
	bool *is_common[2];                         /* [n_layer] the other front has the layer, too */
	bool has_common;                            /* there is one that both have: else no design is the other's */
	bool has_machine;                           /* there is more than one */
	uint64_t *design[2];                        /* [n_design] hash of fields */
};

static uint64_t add_text(const char *text, uint64_t hash)
{
	return hash_bytes(text, strlen(text) + 1, hash);
}

/* Texts as they stand in the file: no machine is needed to tell designs apart. */
static uint64_t hash_design(const struct kept_design *design)
{
	uint64_t hash = 0;
	for (size_t i = 0; i < design_n_field; i++) {
		const struct doc_node *node = doc_find(design->node, design_field[i].key);
		if (node && node->kind == DOC_SCALAR)
			hash = add_text(node->text, add_text(design_field[i].key, hash));
	}
	return hash;
}

/* Axes that are unknown where a space is, count only if both have them. */
static void list_axes(struct matcher *matcher)
{
	for (size_t side = 0; side < 2; side++) {
		const struct kept_front *front = &matcher->run[side]->front, *other = &matcher->run[1 - side]->front;
		for (size_t i = 0; i < front->n_axis && matcher->n_axis < MAX_AXIS; i++) {
			const struct machine_param *param = machine_find_param(front->axis[i]);
			bool is_known = matcher->run[1 - side]->has_space, is_new = true;
			for (size_t k = 0; k < other->n_axis; k++)
				is_known = is_known || strcmp(other->axis[k], front->axis[i]) == 0;
			for (size_t k = 0; k < matcher->n_axis; k++)
				is_new = is_new && matcher->axis[k] != param;
			if (is_known && is_new)
				matcher->axis[matcher->n_axis++] = param;
		}
	}
}

/* Whether the other front has a layer of this one's name; networks go by theirs, or are the only ones. */
static bool has_layer(const struct kept_front *front, size_t network, size_t layer, const struct kept_front *other)
{
	for (size_t i = 0; i < other->n_network; i++) {
		const struct kept_network *own = &other->network[i];
		/* the only ones may have been renamed, but not become others */
		bool is_only = front->n_network == 1 && other->n_network == 1 && front->n_layer == other->n_layer;
		if (!is_only && strcmp(own->name, front->network[network].name) != 0)
			continue;
		for (size_t k = own->begin; k < own->begin + own->n_layer; k++)
			if (strcmp(other->operation[k], front->operation[layer]) == 0)
				return true;
	}
	return false;
}

static void make_side(struct matcher *matcher, size_t side)
{
	const struct kept_front *front = &matcher->run[side]->front, *other = &matcher->run[1 - side]->front;
	matcher->is_common[side] = memory_array(front->n_layer, sizeof(bool));
	matcher->design[side] = memory_array(front->n_design, sizeof(uint64_t));
	for (size_t i = 0; i < front->n_network; i++) {
		for (size_t k = front->network[i].begin; k < front->network[i].begin + front->network[i].n_layer; k++) {
			matcher->is_common[side][k] = has_layer(front, i, k, other);
			matcher->has_common = matcher->has_common || matcher->is_common[side][k];
		}
	}
	for (size_t i = 0; i < front->n_design; i++)
		matcher->design[side][i] = hash_design(&front->design[i]);
}

/* Of the machine, its knobs and the layers that both fronts have. */
static uint64_t hash_point(const struct matcher *matcher, size_t side, const struct kept_point *point)
{
	const struct kept_run *run = matcher->run[side];
	const struct kept_front *front = &run->front;
	char text[KNOB_SIZE];
	uint64_t hash = 0;
	if (matcher->has_machine)
		hash = add_text(front->machine[point->machine].name, hash);
	for (size_t i = 0; i < matcher->n_axis; i++) {
		attribute_knob(front, run->has_space ? &run->space : NULL, point, matcher->axis[i], text);
		hash = add_text(text, hash);
	}
	for (size_t i = 0; i < front->n_network; i++) {
		for (size_t k = front->network[i].begin; k < front->network[i].begin + front->network[i].n_layer; k++) {
			if (!matcher->is_common[side][k])
				continue;
			hash = add_text(front->operation[k], hash);
			hash = hash_bytes(&matcher->design[side][point->design[k]], sizeof(uint64_t), hash);
		}
	}
	return hash;
}

struct hashed {
	uint64_t hash;
	size_t point;
};

static int compare_hashed(const void *left, const void *right)
{
	const struct hashed *a = left, *b = right;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->point < b->point ? -1 : a->point > b->point;
}

static struct hashed *hash_points(const struct matcher *matcher, size_t side)
{
	const struct kept_front *front = &matcher->run[side]->front;
	struct hashed *hashed = memory_array(front->n_point, sizeof(*hashed));
	for (size_t i = 0; i < front->n_point; i++)
		hashed[i] = (struct hashed){hash_point(matcher, side, &front->point[i]), i};
	qsort(hashed, front->n_point, sizeof(*hashed), compare_hashed);
	return hashed;
}

static bool same_values(const double *left, const double *right, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (fabs(left[k] - right[k]) > SAME_FRAC * fmax(fabs(left[k]), fabs(right[k])))
			return false;
	return true;
}

static void join(struct run_compare *compare, size_t i, size_t k)
{
	size_t n = compare->n_objective;
	bool same = same_values(compare->value[0] + i * n, compare->value[1] + k * n, n);
	enum point_status status = same ? POINT_SAME : POINT_MOVED;
	compare->point[0][i] = (struct compared_point){.status = status, .other = k};
	compare->point[1][k] = (struct compared_point){.status = status, .other = i};
	compare->n_same += same;
	compare->n_moved += !same;
}

static void join_all(struct run_compare *compare, bool has_common, const struct hashed *before,
                     const struct hashed *after)
{
	size_t n = compare->before->front.n_point, n_after = compare->after->front.n_point;
	for (size_t i = 0; i < n; i++)
		compare->point[0][i].status = POINT_LOST;
	for (size_t i = 0; i < n_after; i++)
		compare->point[1][i].status = POINT_GAINED;
	for (size_t i = 0, k = 0; has_common && i < n && k < n_after;) {
		if (before[i].hash == after[k].hash)
			join(compare, before[i++].point, after[k++].point);
		else if (before[i].hash < after[k].hash)
			i++;
		else
			k++;
	}
	compare->n_lost = n - compare->n_same - compare->n_moved;
	compare->n_gained = n_after - compare->n_same - compare->n_moved;
}

static void match_points(struct run_compare *compare)
{
	const struct kept_run *before = compare->before, *after = compare->after;
	struct matcher matcher = {.run = {before, after},
	                          .has_machine = before->front.n_machine != 1 || after->front.n_machine != 1};
	list_axes(&matcher);
	make_side(&matcher, 0);
	make_side(&matcher, 1);
	struct hashed *first = hash_points(&matcher, 0), *second = hash_points(&matcher, 1);
	join_all(compare, matcher.has_common, first, second);
	for (size_t side = 0; side < 2; side++) {
		free(matcher.is_common[side]);
		free(matcher.design[side]);
	}
	free(first);
	free(second);
}

/* ---- figures ---- */

static void list_objectives(const struct kept_front *front, char *text, size_t n_byte)
{
	int n = 0;
	text[0] = '\0';
	for (size_t i = 0; i < front->n_objective && n >= 0 && (size_t)n < n_byte; i++)
		n += snprintf(text + n, n_byte - (size_t)n, "%s%s", i ? ", " : "",
		              metric_table[front->objective[i]].name);
}

/* The same objectives, in whatever order: the first run's counts. A run without a front may have had any. */
static enum err_code take_objectives(struct run_compare *compare, struct err *err)
{
	const struct kept_front *before = &compare->before->front, *after = &compare->after->front;
	const struct kept_front *first = before->n_point > 0 ? before : after;
	bool same = before->n_point == 0 || after->n_point == 0 || before->n_objective == after->n_objective;
	for (size_t i = 0; i < before->n_objective && same && after->n_point > 0; i++) {
		size_t k = 0;
		while (k < after->n_objective && after->objective[k] != before->objective[i])
			k++;
		same = k < after->n_objective;
	}
	if (!same) {
		char left[128], right[128];
		list_objectives(before, left, sizeof(left));
		list_objectives(after, right, sizeof(right));
		return err_add(
		    err, ERR_INPUT,
		    "dse compare: %s has the objectives %s, %s has %s: only fronts of the same objectives can "
		    "be compared",
		    compare->before->title, left, compare->after->title, right);
	}
	compare->n_objective = first->n_objective;
	memcpy(compare->objective, first->objective, sizeof(compare->objective));
	return ERR_OK;
}

static double *gather(const struct run_compare *compare, const struct kept_front *front)
{
	size_t n = compare->n_objective;
	double *value = memory_array(front->n_point * n, sizeof(*value));
	for (size_t i = 0; i < front->n_point; i++)
		for (size_t k = 0; k < n; k++)
			value[i * n + k] = front->point[i].metric[compare->objective[k]];
	return value;
}

static void find_best(struct run_compare *compare, size_t side, size_t n_point)
{
	size_t n = compare->n_objective;
	for (size_t k = 0; k < n; k++)
		for (size_t i = 1; i < n_point; i++)
			if (compare->value[side][i * n + k] < compare->value[side][compare->best[side][k] * n + k])
				compare->best[side][k] = i;
}

/* Both fronts one behind the other. */
static void measure_volumes(struct run_compare *compare, const double *both, size_t n_before, size_t n_after)
{
	unsigned n = (unsigned)compare->n_objective;
	double all = 0.0;
	for (size_t k = 0; k < n; k++) {
		compare->reference[k] = 0.0;
		for (size_t i = 0; i < n_before + n_after; i++)
			compare->reference[k] = fmax(compare->reference[k], REFERENCE_FACTOR * both[i * n + k]);
	}
	memory_check(hypervolume(both, n_before, n, compare->reference, &compare->hypervolume[0]) &&
	             hypervolume(both + n_before * n, n_after, n, compare->reference, &compare->hypervolume[1]) &&
	             hypervolume(both, n_before + n_after, n, compare->reference, &all));
	/* sums in other orders may differ in their last bits: what is as large as the whole has lost nothing */
	compare->lost_volume = fmax(0.0, all - compare->hypervolume[1]);
	compare->gained_volume = fmax(0.0, all - compare->hypervolume[0]);
	if (compare->lost_volume <= SAME_FRAC * all)
		compare->lost_volume = 0.0;
	if (compare->gained_volume <= SAME_FRAC * all)
		compare->gained_volume = 0.0;
}

/* Objectives scaled to their range over both fronts, by the value where it is the same everywhere. */
static void measure_epsilon(struct run_compare *compare, double *both, size_t n_before, size_t n_after)
{
	size_t n = compare->n_objective;
	for (size_t k = 0; k < n; k++) {
		double least = INFINITY, most = -INFINITY;
		for (size_t i = 0; i < n_before + n_after; i++) {
			least = fmin(least, both[i * n + k]);
			most = fmax(most, both[i * n + k]);
		}
		double range = most > least ? most - least : most > 0.0 ? most : 1.0;
		for (size_t i = 0; i < n_before + n_after; i++)
			both[i * n + k] /= range;
	}
	compare->epsilon[0] = indicator_epsilon(both, n_before, both + n_before * n, n_after, (unsigned)n);
	compare->epsilon[1] = indicator_epsilon(both + n_before * n, n_after, both, n_before, (unsigned)n);
}

static void measure_fronts(struct run_compare *compare)
{
	size_t n_before = compare->before->front.n_point, n_after = compare->after->front.n_point,
	       n = compare->n_objective;
	double *both = memory_array((n_before + n_after) * n, sizeof(*both));
	memcpy(both, compare->value[0], n_before * n * sizeof(*both));
	memcpy(both + n_before * n, compare->value[1], n_after * n * sizeof(*both));
	find_best(compare, 0, n_before);
	find_best(compare, 1, n_after);
	if (n > 0)
		measure_volumes(compare, both, n_before, n_after);
	compare->epsilon[0] = compare->epsilon[1] = (double)NAN;
	if (n_before > 0 && n_after > 0)
		measure_epsilon(compare, both, n_before, n_after);
	free(both);
}

enum err_code run_compare_match(const struct kept_run *before, const struct kept_run *after,
                                struct run_compare *compare, struct err *err)
{
	assert(before && after && compare && err);
	*compare = (struct run_compare){.before = before, .after = after};
	enum err_code code = take_objectives(compare, err);
	if (code != ERR_OK)
		return code;
	compare->other_space = strcmp(before->record.space, after->record.space) != 0;
	compare->slack_frac = fmax(before->is_proven ? before->epsilon : 0.0, after->is_proven ? after->epsilon : 0.0);
	compare->value[0] = gather(compare, &before->front);
	compare->value[1] = gather(compare, &after->front);
	compare->point[0] = memory_array(before->front.n_point, sizeof(**compare->point));
	compare->point[1] = memory_array(after->front.n_point, sizeof(**compare->point));
	match_points(compare);
	measure_fronts(compare);
	return ERR_OK;
}

/* ---- worse? ---- */

double run_compare_volume_slack(const struct run_compare *compare)
{
	return pow(1.0 + compare->slack_frac, (double)compare->n_objective) - 1.0;
}

enum err_code run_compare_judge(const struct run_compare *compare, const struct tolerance *tolerance, struct err *err)
{
	/* besides what is allowed: the gap that searches leave, and last bits */
	size_t n = compare->n_objective;
	double most = 0.0; /* a volume is tolerated as the objective of which most is */
	const char *before = compare->before->title, *after = compare->after->title;
	assert(tolerance);
	for (size_t k = 0; k < n; k++)
		most = fmax(most, tolerance_frac(tolerance, compare->objective[k], 0.0));
	if (compare->before->front.n_point == 0)
		return ERR_OK;
	if (compare->after->front.n_point == 0)
		return err_add(err, ERR_GATE, "%s has no feasible design, %s had %zu", after, before,
		               compare->before->front.n_point);
	double volume = -run_compare_change(compare->hypervolume[0], compare->hypervolume[1]);
	double volume_allowed = most + run_compare_volume_slack(compare) + 1e-9;
	char value[2][NUMBER_SIZE], share[2][NUMBER_SIZE];
	if (volume > volume_allowed) {
		number_print_apart(100.0 * volume, 100.0 * (volume_allowed - 1e-9), 4, share);
		(void)err_add(err, ERR_GATE, "%s is worse than %s: the hypervolume is smaller by %s %%, allowed %s %%",
		              after, before, share[0], share[1]);
	}
	for (size_t k = 0; k < n; k++) {
		double left = compare->value[0][compare->best[0][k] * n + k],
		       right = compare->value[1][compare->best[1][k] * n + k], change = run_compare_change(left, right),
		       allowed = tolerance_frac(tolerance, compare->objective[k], 0.0) + compare->slack_frac + 1e-9;
		if (!(change > allowed))
			continue;
		number_print_apart(right, left, 6, value);
		number_print_apart(100.0 * change, 100.0 * (allowed - 1e-9), 4, share);
		(void)err_add(err, ERR_GATE,
		              "%s is worse than %s: the least %s is %s, was %s: larger by %s %%, allowed %s %%", after,
		              before, metric_table[compare->objective[k]].name, value[0], value[1], share[0], share[1]);
	}
	return err->code;
}

void run_compare_free(struct run_compare *compare)
{
	for (size_t side = 0; side < 2; side++) {
		free(compare->value[side]);
		free(compare->point[side]);
	}
	input_changes_free(&compare->changes);
	free(compare->effect);
	arena_free(&compare->arena);
	*compare = (struct run_compare){0};
}
