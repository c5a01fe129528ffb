/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/why/sensitivity.h"
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/design/front_read.h"
#include "dse/engine/engine.h"
#include "dse/pareto/indicator.h"
#include "dse/search/explore.h"
#include "dse/search/least.h"
#include "dse/space/space_machine.h"
#include "dse/space/space_variant.h"
#include "dse/why/next_value.h"
#include "dse/why/sensitivity_parts.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const enum metric sensitivity_metric[SENSITIVITY_N_METRIC] = {METRIC_LATENCY, METRIC_ENERGY};

/* ---- the machine ---- */

struct study {
	const struct sensitivity_request *request;
	struct sensitivity *sensitivity;
	struct machine machine; /* as it is */
	struct layer_map map;   /* of the space's networks */
	struct least_memory *memory;
	uint64_t n_box;   /* looked at so far */
	uint64_t max_box; /* of a budget; 0: none */
	struct err *err;
};

/* The machine alone, with what a bar changes (NULL: as it is). */
static void make_variant(const struct study *study, const struct sensitivity_bar *bar, struct arena *arena,
                         struct space *variant)
{
	const struct sensitivity_request *request = study->request;
	const char **path = memory_must(arena_array(arena, 1, sizeof(*path)));
	memory_check(space_variant(request->space, arena, variant));
	*space_variant_machine(variant, 0) = request->space->machine[request->machine];
	path[0] = request->space->machine_path[request->machine];
	variant->machine_path = path;
	variant->n_machine = 1;
	variant->detail = DETAIL_FAST;
	for (size_t i = 0; request->value && i < request->space->n_axis; i++)
		space_variant_fix_axis(variant, arena, request->space->axis[i].param, request->value[i]);
	if (bar)
		space_variant_fix_axis(variant, arena, bar->param, bar->to);
	if (bar && bar->with)
		space_variant_fix_axis(variant, arena, bar->with, bar->with_to);
}

/* Boxes that a search looks at, of each design, at most: halves of halves, and roots. */
#define BOX_PER_DESIGN 4

/* The machine as it is, without which there is nothing to compare with, may take so many budgets. */
#define BASE_PARTS 4

enum found { FOUND_LEAST, FOUND_DESIGN, FOUND_SPENT };

/* Boxes that are left of the budget, 1 at least; 0: there is no budget. */
static uint64_t budget_left(const struct study *study)
{
	uint64_t most = study->max_box;
	return most == 0 ? 0 : study->n_box < most ? most - study->n_box : 1;
}

/*
 * A front of one objective has the least. A budget is shared out by numbers of designs, of which there are fewer than
 * boxes: where all together are few, they are searched without one.
 */
static enum err_code find_by_front(struct study *study, struct space *variant, uint64_t max_box, double *value,
                                   enum found *found)
{
	struct explore *explore = memory_array(1, sizeof(*explore));
	const struct explore_options how = {
	    .engine = &engine_exact, .n_thread = study->request->n_thread, .seed = 1, .max_box = max_box};
	enum err_code code = explore_run(variant, &how, explore, study->err);
	if (code == ERR_OK && (explore->interrupted || interrupt_requested()))
		code = err_add(study->err, ERR_INTERRUPTED, "interrupted; nothing was written");
	for (size_t i = 0; i < explore->front.n && code == ERR_OK; i++)
		*value = fmin(*value, explore->front.objective[i]);
	study->sensitivity->epsilon = fmax(study->sensitivity->epsilon, explore->counts.epsilon);
	study->n_box += explore->counts.n_box;
	*found = explore->truncated ? FOUND_SPENT : FOUND_LEAST;
	bool is_small = explore->truncated && explore->counts.n_candidate <= max_box / BOX_PER_DESIGN;
	explore_free(explore);
	free(explore);
	return code == ERR_OK && is_small ? find_by_front(study, variant, 0, value, found) : code;
}

/*
 * Metrics of layers are added up by bounds where no limit couples them. only_kept: of the mappings found so far the
 * best one; infinite where limits couple layers.
 */
static enum err_code find_least(struct study *study, struct space *variant, enum metric metric, bool only_kept,
                                double *value, enum found *found)
{
	struct least least;
	const struct least_options options = {.space = variant,
	                                      .map = &study->map,
	                                      .n_thread = study->request->n_thread,
	                                      .enough = INFINITY,
	                                      .memory = study->memory,
	                                      .only_remembered = only_kept,
	                                      .max_box = budget_left(study)};
	space_variant_minimise(variant, metric);
	*value = INFINITY;
	*found = FOUND_DESIGN;
	if (!least_serves(variant, metric))
		return only_kept ? ERR_OK : find_by_front(study, variant, budget_left(study), value, found);
	enum err_code code = least_find(&options, &least, study->err);
	*value = least.value;
	*found = least.is_spent ? FOUND_SPENT : only_kept ? FOUND_DESIGN : FOUND_LEAST;
	study->n_box += least.n_box;
	return code == ERR_OK && least.interrupted
	           ? err_add(study->err, ERR_INTERRUPTED, "interrupted; nothing was written")
	           : code;
}

/* Both leasts of a variant; *reason: why there is none. */
static enum err_code find_both(struct study *study, struct space *variant, bool only_kept, double *least,
                               const char **reason, bool *is_spent)
{
	char why[256] = "";
	struct machine machine;
	bool is_machine = false;
	enum err_code code = ERR_OK;
	*reason = NULL;
	*is_spent = false;
	for (uint64_t i = 0; i < space_n_machine(variant) && !is_machine; i++)
		is_machine = space_machine(variant, i, &machine, why, sizeof(why));
	for (size_t k = 0; k < SENSITIVITY_N_METRIC && code == ERR_OK && is_machine && !*is_spent; k++) {
		enum found found;
		code = find_least(study, variant, sensitivity_metric[k], only_kept, &least[k], &found);
		*is_spent = found == FOUND_SPENT;
		if (code == ERR_OK && isinf(least[k]) && found == FOUND_LEAST)
			(void)snprintf(why, sizeof(why), "no mapping runs there%s",
			               study->sensitivity->has_limits ? " and keeps the limits" : "");
		is_machine = code != ERR_OK || isfinite(least[k]) || *is_spent;
	}
	if (code == ERR_OK && !is_machine)
		*reason = memory_must(arena_text(&study->sensitivity->arena, why));
	return code;
}

/* ---- bars ---- */

bool sensitivity_matters(const struct sensitivity_bar *bar)
{
	bool matters = false;
	for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++)
		matters |= fabs(bar->change_frac[k]) > 1e-7;
	return matters;
}

static void take_sizes(const struct study *study, const struct space *variant, struct sensitivity_bar *bar)
{
	double own[N_METRIC] = {0}, other[N_METRIC] = {0};
	struct machine machine;
	char why[256];
	for (uint64_t i = 0; i < space_n_machine(variant); i++)
		if (space_machine(variant, i, &machine, why, sizeof(why)))
			metric_of_machine(&machine, other);
	metric_of_machine(&study->machine, own);
	bar->mac_frac = other[METRIC_MAC_UNITS] / own[METRIC_MAC_UNITS] - 1.0;
	bar->sram_frac = other[METRIC_SRAM] / own[METRIC_SRAM] - 1.0;
}

static enum err_code fill_bar(struct study *study, struct sensitivity_bar *bar, bool *is_spent)
{
	struct arena arena = {0};
	struct space variant;
	const struct sensitivity *sensitivity = study->sensitivity;
	bool is_size = bar->param->type != PARAM_BOOL && bar->param->type != PARAM_ENUM;
	double ratio =
	    next_number(&study->machine, bar->param, bar->to) / next_number(&study->machine, bar->param, bar->from);
	make_variant(study, bar, &arena, &variant);
	enum err_code code = find_both(study, &variant, false, bar->least, &bar->reason, is_spent);
	for (size_t k = 0; k < SENSITIVITY_N_METRIC && code == ERR_OK && !bar->reason && !*is_spent; k++) {
		double change = log(bar->least[k] / sensitivity->least[k]), step = log(ratio);
		bool has_step = is_size && isfinite(step) && fabs(step) > 0.0;
		bar->change_frac[k] = bar->least[k] / sensitivity->least[k] - 1.0;
		bar->elasticity[k] = has_step ? change / step : (double)NAN;
		bar->gain -= change;
	}
	if (code == ERR_OK && !bar->reason && !*is_spent)
		take_sizes(study, &variant, bar);
	arena_free(&arena);
	return code;
}

/* What the best bar of a parameter gains. */
static double gain_of(const struct sensitivity *sensitivity, const struct machine_param *param)
{
	double gain = -INFINITY;
	for (size_t i = 0; i < sensitivity->n_bar; i++)
		if (sensitivity->bar[i].param == param && !sensitivity->bar[i].reason)
			gain = fmax(gain, sensitivity->bar[i].gain);
	return gain;
}

struct rank {
	bool has_reason;
	double of_param, own;
	size_t at; /* as bars were made: of equals the first */
	struct sensitivity_bar bar;
};

static int compare_ranks(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;
	if (a->has_reason != b->has_reason)
		return a->has_reason ? 1 : -1;
	if (a->of_param < b->of_param || a->of_param > b->of_param)
		return a->of_param > b->of_param ? -1 : 1;
	if (a->bar.param != b->bar.param)
		return a->bar.param < b->bar.param ? -1 : 1;
	if (a->own < b->own || a->own > b->own)
		return a->own > b->own ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void sort_bars(struct sensitivity *sensitivity)
{
	struct rank *rank = memory_array(sensitivity->n_bar, sizeof(*rank));
	for (size_t i = 0; i < sensitivity->n_bar; i++) {
		const struct sensitivity_bar *bar = &sensitivity->bar[i];
		rank[i] = (struct rank){bar->reason != NULL, gain_of(sensitivity, bar->param), bar->gain, i, *bar};
		sensitivity->n_design += bar->reason == NULL;
	}
	qsort(rank, sensitivity->n_bar, sizeof(*rank), compare_ranks);
	for (size_t i = 0; i < sensitivity->n_bar; i++)
		sensitivity->bar[i] = rank[i].bar;
	free(rank);
}

/* ---- which bars ---- */

/*
 * How much latency times energy falls with the mapping as it is, at least; -INFINITY: it does not run so. Where limits
 * couple layers nothing is known: 0.
 */
static enum err_code look_at(struct study *study, const struct sensitivity_bar *bar, double *gain, double *fall,
                             double least[SENSITIVITY_N_METRIC])
{
	struct arena arena = {0};
	struct space variant;
	const char *reason;
	bool is_spent;
	*gain = *fall = 0.0;
	for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++)
		least[k] = INFINITY;
	if (study->sensitivity->has_limits)
		return ERR_OK;
	make_variant(study, bar, &arena, &variant);
	enum err_code code = find_both(study, &variant, true, least, &reason, &is_spent);
	for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++) {
		*gain -= log(least[k] / study->sensitivity->least[k]);
		*fall = fmax(*fall, 1.0 - least[k] / study->sensitivity->least[k]);
	}
	arena_free(&arena);
	return code;
}

/* Parameters of software whose bars are not worth a search go, with the reason. */
static enum err_code drop_small(struct study *study)
{
	struct sensitivity *sensitivity = study->sensitivity;
	size_t n = 0;
	enum err_code code = ERR_OK;
	for (size_t i = 0, end; i < sensitivity->n_bar; i = end) {
		const struct machine_param *param = sensitivity->bar[i].param;
		double most = 0.0, gain, fall, least[SENSITIVITY_N_METRIC];
		bool is_small = sensitivity_is_software(param), is_declared = false;
		for (end = i; end < sensitivity->n_bar && sensitivity->bar[end].param == param; end++) {
			is_declared |= sensitivity->bar[end].is_declared;
			if (code == ERR_OK && is_small) {
				code = look_at(study, &sensitivity->bar[end], &gain, &fall, least);
				most = fmax(most, fall);
			}
		}
		is_small = is_small && !is_declared && most < SENSITIVITY_SMALL;
		if (is_small)
			sensitivity_leave_out(sensitivity, param->key,
			                      sensitivity->has_limits ? SENSITIVITY_LIMITS_REASON
			                                              : SENSITIVITY_SMALL_REASON);
		for (size_t k = i; k < end && !is_small; k++)
			sensitivity->bar[n++] = sensitivity->bar[k];
	}
	sensitivity->n_bar = n;
	return code;
}

/* Bars in the order in which a budget is spent on them. */
static enum err_code order_bars(struct study *study, struct rank *rank)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < study->sensitivity->n_bar && code == ERR_OK; i++) {
		const struct sensitivity_bar *bar = &study->sensitivity->bar[i];
		double fall;
		rank[i] = (struct rank){.at = i, .bar = *bar};
		code = look_at(study, bar, &rank[i].own, &fall, rank[i].bar.least);
		rank[i].of_param = bar->is_declared ? INFINITY : rank[i].own;
		rank[i].bar.param = NULL; /* parameters do not stay together */
	}
	qsort(rank, study->sensitivity->n_bar, sizeof(*rank), compare_ranks);
	return code;
}

static void leave_unsearched(struct sensitivity *sensitivity, const struct machine_param *param)
{
	for (size_t i = 0; i < sensitivity->n_left; i++)
		if (sensitivity->left[i].key == param->key)
			return;
	sensitivity_leave_out(sensitivity, param->key, SENSITIVITY_UNSEARCHED_REASON);
}

/* What no search was left for may be the most useful change all the same: so much is known of it. */
static void note_best_left(struct sensitivity *sensitivity, const struct rank *rank, const bool *is_filled)
{
	const struct rank *best = NULL;
	for (size_t i = 0; i < sensitivity->n_bar && !sensitivity->has_limits; i++)
		if (!is_filled[rank[i].at] && rank[i].own > 0.0 && isfinite(rank[i].own) &&
		    (!best || rank[i].own > best->own))
			best = &rank[i];
	if (!best)
		return;
	struct sensitivity_bar *bar = memory_must(arena_array(&sensitivity->arena, 1, sizeof(*bar)));
	*bar = sensitivity->bar[best->at];
	bar->gain = best->own;
	for (size_t k = 0; k < SENSITIVITY_N_METRIC; k++)
		bar->change_frac[k] = best->bar.least[k] / sensitivity->least[k] - 1.0;
	sensitivity->best_left = bar;
}

/* As many bars as the budget allows: declared values, then those that help by themselves. The others go. */
static enum err_code fill_within_budget(struct study *study)
{
	struct sensitivity *sensitivity = study->sensitivity;
	size_t n_bar = sensitivity->n_bar, n = 0;
	struct rank *rank = memory_array(n_bar, sizeof(*rank));
	bool *is_filled = memory_array(n_bar, sizeof(*is_filled));
	enum err_code code = order_bars(study, rank);
	for (size_t i = 0; i < n_bar && code == ERR_OK && study->n_box < study->max_box; i++) {
		struct sensitivity_bar *bar = &sensitivity->bar[rank[i].at];
		bool is_spent = true;
		if (bar->is_declared || rank[i].own > 0.0 || sensitivity->has_limits)
			code = fill_bar(study, bar, &is_spent);
		is_filled[rank[i].at] = !is_spent;
	}
	note_best_left(sensitivity, rank, is_filled);
	for (size_t i = 0; i < n_bar; i++) {
		if (is_filled[i])
			sensitivity->bar[n++] = sensitivity->bar[i];
		else
			leave_unsearched(sensitivity, sensitivity->bar[i].param);
	}
	sensitivity->is_partial = n < n_bar;
	sensitivity->n_bar = n;
	free(rank);
	free(is_filled);
	return code;
}

static enum err_code fill_bars(struct study *study)
{
	enum err_code code = drop_small(study);
	bool is_spent;
	if (code == ERR_OK && study->max_box > 0)
		return fill_within_budget(study);
	for (size_t i = 0; i < study->sensitivity->n_bar && code == ERR_OK; i++)
		code = fill_bar(study, &study->sensitivity->bar[i], &is_spent);
	return code;
}

/* ---- all of it ---- */

static void take_names(struct study *study)
{
	const struct space *space = study->request->space;
	struct sensitivity *sensitivity = study->sensitivity;
	char text[512] = "";
	size_t n = 0;
	for (size_t i = 0; i < space->n_network && n < sizeof(text); i++)
		n +=
		    (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? ", " : "", space->network[i].network.name);
	sensitivity->networks = memory_must(arena_text(&sensitivity->arena, text));
	sensitivity->machine = memory_must(arena_text(&sensitivity->arena, study->machine.name));
	sensitivity->has_limits = space->n_limit > 0 || space->deadline_ms > 0;
}

/* The machine as it is. */
static enum err_code begin(struct study *study)
{
	struct arena arena = {0};
	struct space variant;
	char why[256] = "";
	const char *reason = NULL;
	make_variant(study, NULL, &arena, &variant);
	bool is_machine = false;
	for (uint64_t i = 0; i < space_n_machine(&variant) && !is_machine; i++)
		is_machine = space_machine(&variant, i, &study->machine, why, sizeof(why));
	if (!is_machine)
		reason = why;
	else
		take_names(study);
	struct sensitivity *sensitivity = study->sensitivity;
	enum err_code code =
	    is_machine ? find_both(study, &variant, false, sensitivity->least, &reason, &sensitivity->is_unsearched)
		       : ERR_OK;
	if (code == ERR_OK && reason)
		code = err_add(study->err, ERR_INFEASIBLE, "dse sensitivity: machine %s: %s", variant.machine[0].name,
		               reason);
	arena_free(&arena);
	return code;
}

enum err_code sensitivity_make(const struct sensitivity_request *request, struct sensitivity *sensitivity,
                               struct err *err)
{
	assert(request && request->space && request->machine < request->space->n_machine && sensitivity && err);
	*sensitivity = (struct sensitivity){0};
	struct study *study = memory_array(1, sizeof(*study)); /* a small stack has no room for it */
	*study =
	    (struct study){.request = request, .sensitivity = sensitivity, .memory = least_memory_new(), .err = err};
	enum err_code code = layer_map_build(request->space, &study->map, err);
	if (code == ERR_OK)
		code = layer_map_list_splits(request->space, &study->map, request->n_thread, err);
	if (code == ERR_INTERRUPTED)
		code = err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
	study->max_box = mul_sat(request->max_box, BASE_PARTS);
	if (code == ERR_OK)
		code = begin(study);
	if (request->max_box > 0) /* large networks: a bar takes about as long as the machine as it is */
		study->max_box =
		    add_sat(study->n_box, request->max_box > study->n_box ? request->max_box : study->n_box);
	if (code == ERR_OK && !sensitivity->is_unsearched) {
		sensitivity_list_values(request->space, &study->machine, sensitivity);
		code = fill_bars(study);
	}
	if (code == ERR_OK)
		sort_bars(sensitivity);
	least_memory_free(study->memory);
	layer_map_free(&study->map);
	free(study);
	return code;
}

void sensitivity_free(struct sensitivity *sensitivity)
{
	arena_free(&sensitivity->arena);
	*sensitivity = (struct sensitivity){0};
}

enum err_code sensitivity_of_point(const struct kept_front *front, size_t point, const struct space *space,
                                   unsigned n_thread, uint64_t max_box, struct sensitivity *sensitivity,
                                   struct err *err)
{
	const struct kept_point *kept = &front->point[point];
	const char *name = front->machine[kept->machine].name;
	struct sensitivity_request request = {.space = space, .n_thread = n_thread, .max_box = max_box};
	assert(point < front->n_point);
	*sensitivity = (struct sensitivity){0};
	while (request.machine < space->n_machine && strcmp(space->machine[request.machine].name, name) != 0)
		request.machine++;
	if (request.machine == space->n_machine)
		return err_add(err, ERR_INPUT, "the space has no machine %s", name);
	const char **value = memory_array(space->n_axis, sizeof(*value));
	for (size_t i = 0; i < space->n_axis; i++) {
		value[i] = space->axis[i].value[0];
		for (size_t k = 0; k < front->n_axis; k++)
			if (strcmp(front->axis[k], space->axis[i].param->key) == 0)
				value[i] = kept->value[k];
	}
	request.value = value;
	enum err_code code = sensitivity_make(&request, sensitivity, err);
	free(value);
	return code;
}

size_t sensitivity_knee(const struct kept_front *front)
{
	double *objective = kept_front_objectives(front);
	assert(front->n_point > 0);
	size_t knee = indicator_knee(objective, front->n_point, (unsigned)front->n_objective);
	free(objective);
	return knee;
}
