/* SPDX-License-Identifier: Apache-2.0 */
/* What dse compare found, all of it, for programs. */
#include "dse/out/json.h"
#include "dse/run/run_compare.h"
#include <assert.h>
#include <math.h>

static void put_run(struct json *json, const char *key, const struct kept_run *run)
{
	json_begin_object(json, key);
	if (run->record.id > 0)
		json_put_u64(json, "run", run->record.id);
	json_put_fields(json, "title %s, space %s, date %s, engine %s, detail %s, signature %s, exactness %s",
	                run->title, run->record.space, run->record.date, run->record.engine, run->record.detail,
	                run->record.signature, run->record.exactness);
	json_put_fields(json, "certificate %s, points %zu", run->record.certificate, run->front.n_point);
	json_end(json);
}

static void put_objectives(struct json *json, const char *key, const struct run_compare *compare, const double *value)
{
	json_begin_object(json, key);
	for (size_t k = 0; k < compare->n_objective; k++)
		json_put_real(json, metric_table[compare->objective[k]].name, value[k]);
	json_end(json);
}

static void put_percent(struct json *json, const char *key, const struct run_compare *compare, const double *frac)
{
	double pct[SPACE_MAX_OBJECTIVE];
	for (size_t k = 0; k < compare->n_objective; k++)
		pct[k] = 100.0 * frac[k];
	put_objectives(json, key, compare, pct);
}

static void put_effect(struct json *json, const struct run_compare *compare, const struct change_effect *effect)
{
	if (effect->why_not)
		json_put_text(json, "not_evaluated", effect->why_not);
	if (!effect->is_evaluated)
		return;
	put_percent(json, "moves_pct", compare, effect->mean_frac);
	put_percent(json, "explains_pct", compare, effect->share_frac);
	json_put_fields(json, "hypervolume_pct %g, stopped %zu, lost %zu, gained %zu", 100.0 * effect->volume_frac,
	                effect->n_stopped, effect->n_lost, effect->n_gained);
}

static void put_changes(struct json *json, const struct run_compare *compare)
{
	json_begin_list(json, "changes");
	for (size_t i = 0; i < compare->changes.n; i++) {
		const struct input_change *change = &compare->changes.change[i];
		json_begin_object(json, NULL);
		json_put_fields(json, "change %zu, kind %s, file %s, key %s, before %s, after %s, unit %s", i + 1,
		                change_kind_name[change->kind], change->where, change->key, change->before,
		                change->after, change->unit);
		if (change->added[0] || change->removed[0]) {
			json_put_fields(json, "added %s, removed %s", change->added, change->removed);
		}
		put_effect(json, compare, &compare->effect[i]);
		json_end(json);
	}
	json_end(json);
	if (!compare->is_explained)
		return;
	json_put_u64(json, "designs_that_move", compare->n_moving);
	put_percent(json, "moves_pct", compare, compare->mean_frac);
	put_percent(json, "only_together_pct", compare, compare->together_frac);
	put_percent(json, "no_input_pct", compare, compare->program_frac);
}

static void put_fronts(struct json *json, const struct run_compare *compare)
{
	const double alone[] = {compare->lost_volume, compare->gained_volume};
	size_t n = compare->n_objective;
	put_objectives(json, "reference", compare, compare->reference);
	for (size_t side = 0; side < 2; side++) {
		const struct kept_run *run = side == 0 ? compare->before : compare->after;
		double best[SPACE_MAX_OBJECTIVE];
		for (size_t k = 0; k < n; k++)
			best[k] =
			    run->front.n_point > 0 ? compare->value[side][compare->best[side][k] * n + k] : (double)NAN;
		json_begin_object(json, side == 0 ? "front_before" : "front_after");
		json_put_fields(json, "hypervolume %g, hypervolume_alone %g, epsilon_pct_to_cover_the_other %g",
		                compare->hypervolume[side], alone[side], 100.0 * compare->epsilon[side]);
		put_objectives(json, "least", compare, best);
		json_end(json);
	}
	json_put_fields(json, "hypervolume_change_pct %g, proven_gap_pct %g",
	                100.0 * run_compare_change(compare->hypervolume[0], compare->hypervolume[1]),
	                100.0 * compare->slack_frac);
}

/* Machine and knobs, then figures. */
static void put_point(struct json *json, const struct run_compare *compare, size_t side, size_t i)
{
	const struct kept_front *front = &(side == 0 ? compare->before : compare->after)->front;
	json_begin_object(json, NULL);
	json_put_u64(json, side == 0 ? "before" : "after", front->point[i].id);
	json_put_text(json, "machine", front->machine[front->point[i].machine].name);
	json_begin_object(json, "axes");
	for (size_t k = 0; k < front->n_axis; k++)
		json_put_text(json, front->axis[k], front->point[i].value[k]);
	json_end(json);
	put_objectives(json, side == 0 ? "was" : "is", compare, compare->value[side] + i * compare->n_objective);
}

static void put_moved(struct json *json, const struct run_compare *compare)
{
	const struct kept_front *after = &compare->after->front;
	size_t n = compare->n_objective;
	json_begin_list(json, "moved");
	for (size_t i = 0; i < compare->before->front.n_point; i++) {
		const struct compared_point *point = &compare->point[0][i];
		double change[SPACE_MAX_OBJECTIVE];
		if (point->status != POINT_MOVED)
			continue;
		for (size_t k = 0; k < n; k++)
			change[k] =
			    run_compare_change(compare->value[0][i * n + k], compare->value[1][point->other * n + k]);
		put_point(json, compare, 0, i);
		json_put_u64(json, "after", after->point[point->other].id);
		put_objectives(json, "is", compare, compare->value[1] + point->other * n);
		put_percent(json, "by_pct", compare, change);
		json_end(json);
	}
	json_end(json);
}

static void put_absent(struct json *json, const struct run_compare *compare, size_t side)
{
	const struct kept_front *front = &(side == 0 ? compare->before : compare->after)->front,
				*other = &(side == 0 ? compare->after : compare->before)->front;
	json_begin_list(json, side == 0 ? "lost" : "gained");
	for (size_t i = 0; i < front->n_point; i++) {
		const struct compared_point *point = &compare->point[side][i];
		if (point->status != POINT_LOST && point->status != POINT_GAINED)
			continue;
		bool has_by = point->absence == ABSENCE_DOMINATED || point->absence == ABSENCE_EQUAL ||
		              point->absence == ABSENCE_GAP;
		put_point(json, compare, side, i);
		json_put_text(json, "because", absence_name[point->absence]);
		if (point->why)
			json_put_text(json, "why", point->why);
		if (has_by && point->by < other->n_point)
			json_put_u64(json, "by", other->point[point->by].id);
		if (point->has_there)
			put_objectives(json, side == 0 ? "would_be" : "would_have_been", compare, point->there);
		json_begin_list(json, "changes");
		for (unsigned k = 0; k < RUN_COMPARE_MAX_CHANGE; k++)
			if (point->changes >> k & 1)
				json_put_u64(json, NULL, k + 1);
		json_end(json);
		json_put_fields(json, "search %d, program %d", point->by_search, point->by_program);
		json_end(json);
	}
	json_end(json);
}

void run_compare_put_json(struct json *json, const struct run_compare *compare)
{
	assert(json && compare);
	put_run(json, "before", compare->before);
	put_run(json, "after", compare->after);
	json_begin_list(json, "objectives");
	for (size_t k = 0; k < compare->n_objective; k++)
		json_put_text(json, NULL, metric_table[compare->objective[k]].name);
	json_end(json);
	json_put_object(json, "counts", "same %zu, moved %zu, lost %zu, gained %zu", compare->n_same, compare->n_moved,
	                compare->n_lost, compare->n_gained);
	put_fronts(json, compare);
	if (compare->has_changes)
		put_changes(json, compare);
	else
		json_put_text(json, "no_changes_because", compare->why_no_changes);
	put_moved(json, compare);
	put_absent(json, compare, 0);
	put_absent(json, compare, 1);
}
