/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/why/why_parts.h"
#include "dse/why/next_value.h"
#include "dse/base/memory.h"
#include "dse/design/unroll.h"
#include "dse/engine/engine.h"
#include "dse/layer/design_text.h"
#include "dse/search/explore.h"
#include "dse/space/detail.h"
#include "dse/space/space_variant.h"
#include "mapper/split/strategy.h"
#include "sim/base/checked.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What two sums of the same values in another order may differ by. */
#define SAME 1e-12

struct asker {
	const struct space *space;
	const struct why_choice *choice;
	struct why *why;
	unsigned n_thread;
	struct explore_watch watch;
	bool is_scaled[SPACE_MAX_OBJECTIVE]; /* objectives that are not the machine's alone */
	struct why_searched front, own;
	struct err *err;
};

/* Search the space, with the choice or not, and with one axis at a value. */
static enum err_code search(struct asker *asker, bool with_choice, const struct machine_param *param, const char *text,
                            struct why_searched *searched)
{
	const struct explore_options options = {
	    .engine = &engine_exact, .n_thread = asker->n_thread, .seed = 1, .watch = asker->watch};
	*searched = (struct why_searched){.is_begun = true};
	why_variant(asker->space, with_choice ? asker->choice : NULL, param, text, &searched->arena, &searched->space);
	if (with_choice && asker->choice->mapping)
		return why_place_mapping(asker->choice->mapping, &asker->front.explore, asker->n_thread, searched,
		                         asker->why->reason, asker->err);
	enum err_code code = explore_run(&searched->space, &options, &searched->explore, asker->err);
	if (code == ERR_OK && searched->explore.interrupted)
		code = err_add(asker->err, ERR_INTERRUPTED, "interrupted; nothing was written");
	return code;
}

static void forget(struct why_searched *searched)
{
	if (searched->is_begun)
		explore_free(&searched->explore);
	arena_free(&searched->arena);
	*searched = (struct why_searched){.is_begun = false};
}

/* ---- margins ---- */

static const double *point_of(const struct pareto *front, size_t i)
{
	return front->objective + i * front->n_objective;
}

/* By which fraction a is better than b in all objectives that count at once, if it is no worse in any; else -1. */
static double beats_by(const struct asker *asker, const double *a, const double *b)
{
	double least = INFINITY;
	for (size_t k = 0; k < asker->space->n_objective; k++) {
		if (a[k] > b[k] * (1.0 + SAME))
			return -1.0;
		if (asker->is_scaled[k])
			least = fmin(least, a[k] > 0 ? b[k] / a[k] - 1.0 : INFINITY);
	}
	return fmax(least, 0.0);
}

static bool is_same(const struct asker *asker, const double *a, const double *b)
{
	for (size_t k = 0; k < asker->space->n_objective; k++)
		if (fabs(a[k] - b[k]) > SAME * fabs(b[k]))
			return false;
	return true;
}

/* Whether points beat a point, and by how much at least: in all at once (*margin), in each (own, may be NULL). */
static bool is_beaten(const struct asker *asker, const struct pareto *front, const double *own, double *margin,
                      double *each)
{
	bool beaten = false;
	*margin = 0.0;
	for (size_t k = 0; k < SPACE_MAX_OBJECTIVE; k++)
		each[k] = 0.0;
	for (size_t i = 0; i < front->n; i++) {
		const double *other = point_of(front, i);
		double by = beats_by(asker, other, own);
		if (by < 0.0 || is_same(asker, other, own))
			continue;
		beaten = true;
		*margin = fmax(*margin, by);
		for (size_t k = 0; k < asker->space->n_objective; k++)
			each[k] = fmax(each[k], other[k] > 0 ? own[k] / other[k] - 1.0 : 0.0);
	}
	return beaten;
}

/* What the front makes of points: how many it does not beat, and by how much it beats all of them at least. */
static size_t judge(const struct asker *asker, const struct pareto *points, double *margin, double *each)
{
	size_t n_on_front = 0;
	*margin = INFINITY;
	for (size_t k = 0; k < SPACE_MAX_OBJECTIVE; k++)
		each[k] = INFINITY;
	for (size_t i = 0; i < points->n; i++) {
		double by, own[SPACE_MAX_OBJECTIVE];
		if (!is_beaten(asker, &asker->front.explore.front, point_of(points, i), &by, own)) {
			n_on_front++;
			continue;
		}
		*margin = fmin(*margin, by);
		for (size_t k = 0; k < SPACE_MAX_OBJECTIVE; k++)
			each[k] = fmin(each[k], own[k]);
	}
	return n_on_front;
}

static void take_least(const struct asker *asker, const struct pareto *front, double *least)
{
	for (size_t k = 0; k < asker->space->n_objective; k++) {
		least[k] = INFINITY;
		for (size_t i = 0; i < front->n; i++)
			least[k] = fmin(least[k], point_of(front, i)[k]);
	}
}

/* Of a choice without a design: what refuses most of what was looked at. */
static void take_reason(struct asker *asker)
{
	const struct explore_counts *counts = &asker->own.explore.counts;
	uint64_t most = 0;
	uint32_t reason = 0;
	if (counts->n_rejection > 0) {
		(void)snprintf(asker->why->reason, WHY_TEXT_SIZE, "%s", counts->rejection[0].why);
		return;
	}
	for (uint32_t i = 0; i < LAYER_N_REASON; i++) {
		uint64_t n = add_sat(counts->by_reason[i], counts->cut_by_reason[i]);
		/* what lies elsewhere than the layer before left it is no limit */
		if (i == LAYER_REASON_BOUND || i == VERDICT_NO_STORAGE || n <= most)
			continue;
		most = n;
		reason = i;
	}
	if (most > 0)
		(void)snprintf(asker->why->reason, WHY_TEXT_SIZE, "refused most often, %" PRIu64 " designs: %s (%s)",
		               most, design_reason_help(reason), design_reason_name(reason));
}

static void take_margins(struct asker *asker)
{
	struct why *why = asker->why;
	const struct explore *own = &asker->own.explore, *front = &asker->front.explore;
	why->n_front = front->front.n;
	why->n_own = own->front.n;
	why->epsilon = fmax(own->counts.epsilon, front->counts.epsilon);
	why->n_on_front = judge(asker, &own->front, &why->margin, why->own_margin);
	why->is_on_front = why->n_on_front > 0;
	for (size_t i = 0; i < front->front.n; i++) {
		double margin, each[SPACE_MAX_OBJECTIVE];
		why->n_front_beaten += is_beaten(asker, &own->front, point_of(&front->front, i), &margin, each);
	}
	take_least(asker, &own->front, why->least);
	take_least(asker, &front->front, why->front_least);
	/* a design that thinning dropped is better than one that is there by so much at most */
	for (size_t k = 0; k < asker->space->n_objective; k++)
		why->own_margin[k] = (1.0 + why->own_margin[k]) / (1.0 + own->counts.epsilon) - 1.0;
	why->margin = (1.0 + why->margin) / (1.0 + own->counts.epsilon) - 1.0;
}

/* ---- layers ---- */

/* Latency of each layer of a front's fastest design, and what bounds it. */
static enum err_code searched_layers(struct asker *asker, const struct why_searched *searched, double *ms,
                                     enum bound *bound)
{
	const struct explore *explore = &searched->explore;
	struct unroller unroller = {0};
	struct unrolled point = {0};
	enum err_code code = unroller_init(&unroller, explore, asker->n_thread, asker->err);
	size_t fastest = 0;
	double least = INFINITY;
	if (code == ERR_OK)
		code = unrolled_init(&explore->map, &point, asker->err);
	for (size_t i = 0; i < explore->front.n && code == ERR_OK; i++) {
		unroll_point(&unroller, i, &point);
		fastest = point.metric[METRIC_LATENCY] < least ? i : fastest;
		least = fmin(least, point.metric[METRIC_LATENCY]);
	}
	if (code == ERR_OK)
		unroll_point(&unroller, fastest, &point);
	for (size_t k = 0; k < explore->map.n_block && code == ERR_OK; k++) {
		const struct layer_design *design = &point.layer[k]->design;
		struct layer_context context;
		struct detail_run run = {.context = &context, .design = design};
		mapper_prepare_form(explore->map.block[k], point.machine, design->operand_bit, design->form, &context);
		detail_run(&run, &(struct detail_options){.detail = DETAIL_FAST, .n_thread = 1});
		ms[k] = point.layer[k]->metric[METRIC_LATENCY];
		bound[k] = run.ran ? run.result.bound : BOUND_MAC;
		err_clear(&run.err);
	}
	unrolled_free(&point);
	unroller_free(&unroller);
	return code;
}

/* The same of a mapping's places. The fastest is found by layers where latency is no objective. */
static enum err_code mapping_layers(struct asker *asker, const struct why_searched *searched, double *ms,
                                    enum bound *bound)
{
	size_t n = asker->front.explore.map.n_block, fastest = 0;
	double least = INFINITY;
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < searched->explore.front.n && code == ERR_OK; i++) {
		double sum = 0.0;
		code = why_mapping_layers(asker->choice->mapping, searched, i, ms, bound, asker->err);
		for (size_t k = 0; k < n; k++)
			sum += ms[k];
		fastest = sum < least ? i : fastest;
		least = fmin(least, sum);
	}
	return code == ERR_OK ? why_mapping_layers(asker->choice->mapping, searched, fastest, ms, bound, asker->err)
	                      : code;
}

static enum err_code take_losses(struct asker *asker)
{
	struct why *why = asker->why;
	const struct layer_map *map = &asker->front.explore.map; /* both have the same networks */
	double *own = memory_array(map->n_block, sizeof(*own)), *front = memory_array(map->n_block, sizeof(*front));
	enum bound *bound = memory_array(map->n_block, sizeof(*bound)),
		   *unused = memory_array(map->n_block, sizeof(*unused));
	enum err_code code = asker->choice->mapping ? mapping_layers(asker, &asker->own, own, bound)
	                                            : searched_layers(asker, &asker->own, own, bound);
	if (code == ERR_OK)
		code = searched_layers(asker, &asker->front, front, unused);
	for (size_t k = 0; k < map->n_block && code == ERR_OK; k++) {
		size_t network = layer_map_network(map, k);
		struct why_loss loss = {asker->space->network[network].network.name, map->block[k]->name, own[k],
		                        front[k], bound[k]};
		double lost = own[k] - front[k];
		why->lost_ms += lost;
		if (!(lost > SAME * front[k]))
			continue;
		size_t at = why->n_loss;
		while (at > 0 && why->loss[at - 1].own_ms - why->loss[at - 1].front_ms < lost)
			at--;
		if (at == WHY_N_LOSS)
			continue;
		why->n_loss += why->n_loss < WHY_N_LOSS;
		memmove(&why->loss[at + 1], &why->loss[at], (why->n_loss - at - 1) * sizeof(loss));
		why->loss[at] = loss;
	}
	free(own);
	free(front);
	free(bound);
	free(unused);
	return code;
}

/* ---- steps ---- */

/* Who takes the next values of a parameter. */
struct stepper {
	struct why *why;
	const struct machine *machine;
	const struct machine_param *param;
	const char *from;
	bool is_declared;
};

static void add_step(void *context, const char *to)
{
	const struct stepper *stepper = context;
	const struct machine_param *param = stepper->param;
	struct why *why = stepper->why;
	double number = next_number(stepper->machine, param, to);
	if (why->n_step == WHY_MAX_STEP || strcmp(stepper->from, to) == 0 || isnan(number))
		return;
	struct why_step *step = &why->step[why->n_step++];
	double ratio = number / next_number(stepper->machine, param, stepper->from);
	*step = (struct why_step){.param = param, .is_declared = stepper->is_declared};
	step->change_log = param->type != PARAM_ENUM && ratio > 0.0 ? fabs(log(ratio)) : INFINITY;
	(void)snprintf(step->from, sizeof(step->from), "%s", stepper->from);
	(void)snprintf(step->to, sizeof(step->to), "%s", to);
}

/* Of a parameter that the choice fixes: the next declared values below and above. */
static void add_declared(struct why *why, const struct space_axis *axis, const struct machine *machine, const char *own)
{
	struct stepper stepper = {why, machine, axis->param, own, true};
	for (int side = 0; side < NEXT_N_SIDE; side++)
		(void)next_declared(machine, axis, own, (enum next_side)side, add_step, &stepper);
}

/* The same of what a machine's file has. */
static void add_of_machine(struct why *why, const struct space_axis *axis, const struct machine *machine)
{
	char own[48];
	if (machine_param_serves(axis->param, machine->target) &&
	    machine_print_param(machine, axis->param, own, sizeof(own)) < (int)sizeof(own))
		add_declared(why, axis, machine, own);
}

/* Of a number that stays free: one step beyond its ends. */
static void add_beyond(struct why *why, const struct space_axis *axis, const struct machine *machine)
{
	if (axis->param->type != PARAM_U32 && axis->param->type != PARAM_REAL)
		return;
	for (int side = 0; side < NEXT_N_SIDE; side++) {
		const char *end = axis->value[0];
		for (size_t i = 1; i < axis->n; i++) {
			double value = next_number(machine, axis->param, axis->value[i]),
			       most = next_number(machine, axis->param, end);
			if (side == NEXT_ABOVE ? value > most : value < most)
				end = axis->value[i];
		}
		struct stepper stepper = {why, machine, axis->param, end, false};
		next_beyond(machine, axis->param, axis, end, (enum next_side)side, add_step, &stepper);
	}
}

static enum err_code try_step(struct asker *asker, struct why_step *step)
{
	struct why_searched searched;
	double each[SPACE_MAX_OBJECTIVE];
	enum err_code code = search(asker, true, step->param, step->to, &searched);
	if (code == ERR_OK && searched.explore.front.n > 0) {
		step->has_design = true;
		step->is_on_front = judge(asker, &searched.explore.front, &step->margin, each) > 0;
		step->margin =
		    step->is_on_front ? 0.0 : (1.0 + step->margin) / (1.0 + searched.explore.counts.epsilon) - 1.0;
	}
	forget(&searched);
	return code;
}

/* Only what lost has steps to make. */
static enum err_code take_steps(struct asker *asker)
{
	struct why *why = asker->why;
	const struct machine *any = &asker->space->machine[0];
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < asker->space->n_axis; i++) {
		const struct space_axis *axis = &asker->space->axis[i];
		const struct machine_setting *own = NULL;
		for (size_t k = 0; k < asker->choice->set.n; k++)
			if (asker->choice->set.setting[k].param == axis->param)
				own = &asker->choice->set.setting[k];
		if (own)
			add_declared(why, axis, any, own->text);
		else if (why_machine_has_axis(asker->choice, axis))
			add_of_machine(why, axis, &asker->choice->machine->machine);
		else
			add_beyond(why, axis, any);
	}
	why->best = why->n_step;
	for (size_t i = 0; i < why->n_step && code == ERR_OK; i++) {
		code = try_step(asker, &why->step[i]);
		if (why->step[i].is_on_front &&
		    (why->best == why->n_step || why->step[i].change_log < why->step[why->best].change_log))
			why->best = i;
	}
	return code;
}

/* The choice must be one of some machine of the space. */
static enum err_code check_choice(const struct asker *asker)
{
	struct err found = {0};
	const struct why_machine *chosen = asker->choice->machine;
	for (size_t i = 0; i < (chosen ? 1 : asker->space->n_machine); i++) {
		struct machine machine = chosen ? chosen->machine : asker->space->machine[i];
		if (machine_set_apply("dse why", &asker->choice->set, &machine, NULL, &found) == ERR_OK) {
			err_clear(&found);
			return ERR_OK;
		}
	}
	(void)err_add_all(asker->err, (struct err_place){0}, &found);
	err_clear(&found);
	return ERR_USAGE;
}

enum err_code why_make(const struct space *space, const struct why_choice *choice, unsigned n_thread,
                       const struct explore_watch *watch, struct why *why, struct err *err)
{
	struct asker *asker = memory_array(1, sizeof(*asker)); /* a small stack has no room for it */
	assert(space && choice && why && err && space->detail == DETAIL_FAST);
	*asker = (struct asker){.space = space,
	                        .choice = choice,
	                        .why = why,
	                        .n_thread = n_thread,
	                        .watch = watch ? *watch : (struct explore_watch){0},
	                        .err = err};
	*why = (struct why){.space = space, .choice = choice};
	for (size_t k = 0; k < space->n_objective; k++)
		asker->is_scaled[k] = metric_table[space->objective[k]].scope != METRIC_OF_MACHINE;
	enum err_code code = check_choice(asker);
	if (code == ERR_OK)
		code = search(asker, false, NULL, NULL, &asker->front);
	if (code == ERR_OK && asker->front.explore.front.n == 0)
		code = err_add(err, ERR_INFEASIBLE, "dse why: the space has no design that keeps its limits");
	if (code == ERR_OK)
		code = search(asker, true, NULL, NULL, &asker->own);
	if (code == ERR_OK)
		take_margins(asker);
	if (code == ERR_OK && why->n_own == 0 && !choice->mapping)
		take_reason(asker);
	if (code == ERR_OK && why->n_own > 0)
		code = take_losses(asker);
	if (code == ERR_OK && !why->is_on_front)
		code = take_steps(asker);
	forget(&asker->own);
	forget(&asker->front);
	free(asker);
	return code;
}
