/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans of a layer: the stretches in their order, and by the level at which all PEs stand a label for each way to have
 * come so far that no other one is as good as. Labels differ by more than sums of doubles do, so that repeats of a
 * stretch in another order are no second label.
 */
#include "dse/spread/layer_plan_parts.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALIKE_FRAC 1e-12

void layer_plan_loops(const struct layer_plans *plans, const struct sim_result *low, const struct sim_result *high,
                      struct plan_loops *loops)
{
	const struct sim_result *const result[N_STAND] = {low, high};
	for (int i = 0; i < N_STAND; i++) {
		loops->result[i] = result[i];
		loops->groups[i] = loop_groups_of_program(plans->context, &plans->at[i], plans->program, result[i]);
		loops->level[i] = plans->at[i].level;
	}
	loops->of = (struct pe_loops){plans->context->machine, loops->groups, loops->level, N_STAND, &plans->deal};
}

struct builder {
	struct layer_plans *plans;
	const struct plan_loops *loops;
	double slope_mw; /* asleep: what is done later the chip sleeps less long */
	bool weighs_peak;
};

/* ---- what stretches can do ---- */

static enum stand stand_of(const struct builder *builder, uint32_t level)
{
	return level == builder->loops->level[STAND_LOW] ? STAND_LOW : STAND_HIGH;
}

/* Options behind the first n; returns how many there are then. */
static size_t add_options(const struct builder *builder, const struct pe_stretch *stretch, bool by_qpe,
                          bool is_together, struct stretch_option **option, size_t n)
{
	struct pe_plan_work work;
	struct pe_plan_option *own;
	struct arena scratch = {0};
	if (!pe_deal_work(&builder->loops->of, stretch, by_qpe, &work) || work.n_class == 0)
		return n;
	size_t n_own = pe_plan_front(&work, builder->slope_mw, builder->weighs_peak, &scratch, &own);
	*option = memory_resize(*option, n + n_own, sizeof(**option));
	for (size_t i = 0; i < n_own; i++)
		(*option)[n + i] = (struct stretch_option){.own = own[i],
		                                           .is_together = is_together,
		                                           .from = stand_of(builder, own[i].plan.entry),
		                                           .to = stand_of(builder, own[i].plan.exit)};
	arena_free(&scratch);
	return n + n_own;
}

static double value_of(const struct builder *builder, double ns, double pj)
{
	return pj - builder->slope_mw * ns;
}

static void find_options(struct builder *builder, const struct pe_stretch *stretch, struct stretch_plans *made)
{
	bool by_qpe = builder->loops->of.machine->dvfs_domain == DVFS_QPE;
	struct stretch_option alone = {.is_alone = true, .from = STAND_HIGH, .to = STAND_HIGH};
	struct stretch_option *option = NULL;
	size_t n = add_options(builder, stretch, by_qpe, false, &option, 0);
	/* PEs that have few tasks may do better beside their QPE's: they wait at its level, not at the last one */
	if (!by_qpe)
		n = add_options(builder, stretch, true, true, &option, n);
	if (n == 0) {
		option = memory_resize(option, 1, sizeof(*option));
		alone.own.plan.levels = UINT32_C(1) << builder->loops->level[STAND_HIGH];
		pe_deal_alone(&builder->loops->of, stretch, STAND_HIGH, &alone.own.ns, &alone.own.pj,
		              &alone.own.peak_mw);
		option[n++] = alone;
	}
	struct stretch_option *kept = memory_must(arena_array(&builder->plans->arena, n, sizeof(*kept)));
	memcpy(kept, option, n * sizeof(*kept));
	free(option);
	*made = (struct stretch_plans){n, kept};
}

/* ---- chains ---- */

static int compare_labels(const void *a, const void *b)
{
	const struct plan_label *one = a, *other = b;
	const double value[2][3] = {{one->ns, one->value_pj, one->peak_mw},
	                            {other->ns, other->value_pj, other->peak_mw}};
	if (one->at != other->at)
		return one->at < other->at ? -1 : 1;
	for (int i = 0; i < 3; i++)
		if (value[0][i] < value[1][i] || value[0][i] > value[1][i])
			return value[0][i] < value[1][i] ? -1 : 1;
	return 0;
}

/* Points of value and peak of the labels so far, none as good as another: by value, peaks fall. */
struct stair {
	size_t n;
	double (*step)[2];
};

/* The first step of a larger value. */
static size_t stair_above(const struct stair *stair, double value)
{
	size_t low = 0, high = stair->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (stair->step[middle][0] <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* false: a step is as good. */
static bool stair_take(struct stair *stair, double value, double peak)
{
	size_t at = stair_above(stair, value + fabs(value) * ALIKE_FRAC);
	if (at > 0 && stair->step[at - 1][1] <= peak * (1 + ALIKE_FRAC))
		return false;
	size_t first = stair_above(stair, value), last = first;
	while (first > 0 && stair->step[first - 1][0] >= value)
		first--;
	while (last < stair->n && stair->step[last][1] >= peak)
		last++;
	memmove(stair->step + first + 1, stair->step + last, (stair->n - last) * sizeof(*stair->step));
	stair->step[first][0] = value;
	stair->step[first][1] = peak;
	stair->n += 1 + first - last;
	return true;
}

/* Those that no other one at the same level is as good as; of more than there is room for some, the ends among them. */
static size_t keep_labels(const struct builder *builder, struct plan_label *label, size_t n)
{
	struct stair stair = {0, memory_array(n + 1, sizeof(*stair.step))};
	size_t n_kept = 0;
	if (n > 1)
		qsort(label, n, sizeof(*label), compare_labels);
	for (size_t i = 0; i < n; i++) {
		if (n_kept > 0 && label[i].at != label[n_kept - 1].at)
			stair.n = 0;
		if (stair_take(&stair, label[i].value_pj, builder->weighs_peak ? label[i].peak_mw : 0))
			label[n_kept++] = label[i];
	}
	free(stair.step);
	if (n_kept <= LAYER_PLAN_MAX)
		return n_kept;
	builder->plans->is_thinned = true;
	for (size_t i = 0; i < LAYER_PLAN_MAX; i++)
		label[i] = label[i * (n_kept - 1) / (LAYER_PLAN_MAX - 1)];
	return LAYER_PLAN_MAX;
}

static struct plan_label join(const struct builder *builder, const struct plan_label *before,
                              const struct stretch_option *option)
{
	uint32_t low = UINT32_C(1) << builder->loops->level[STAND_LOW];
	return (struct plan_label){.ns = before->ns + option->own.ns,
	                           .value_pj = before->value_pj + value_of(builder, option->own.ns, option->own.pj),
	                           .peak_mw = fmax(before->peak_mw, option->own.peak_mw),
	                           .before = before,
	                           .option = option,
	                           .at = option->to,
	                           .is_slow = before->is_slow || (option->own.plan.levels & low) != 0};
}

/* Repeats between which all PEs stand at one level can be in any order: those of one kind in the order of the list. */
static bool is_permutation(const struct stretch_plans *stretch, const struct plan_label *before, size_t option)
{
	const struct stretch_option *last = before->option, *next = &stretch->option[option];
	bool is_repeat = last >= stretch->option && last < stretch->option + stretch->n;
	return is_repeat && last > next && last->from == last->to && next->from == next->to && last->to == next->from;
}

/* One stretch more. */
static void extend(struct builder *builder, const struct stretch_plans *stretch, struct plan_label **label, size_t *n)
{
	size_t n_room = *n * stretch->n, n_made = 0;
	struct plan_label *made = memory_array(n_room + 1, sizeof(*made));
	for (size_t i = 0; i < *n; i++)
		for (size_t k = 0; k < stretch->n; k++)
			if (stretch->option[k].from == (*label)[i].at && !is_permutation(stretch, &(*label)[i], k))
				made[n_made++] = join(builder, &(*label)[i], &stretch->option[k]);
	n_made = keep_labels(builder, made, n_made);
	*label = memory_must(arena_array(&builder->plans->arena, n_made + 1, sizeof(**label)));
	memcpy(*label, made, n_made * sizeof(*made));
	*n = n_made;
	free(made);
}

/* All PEs end at the faster level. */
static void go_back(const struct builder *builder, struct plan_label *label, size_t n)
{
	const struct machine *machine = builder->loops->of.machine;
	uint32_t low = builder->loops->level[STAND_LOW], high = builder->loops->level[STAND_HIGH];
	double ns = energy_switch_ns(machine, low, high), mw = energy_static_mw(machine, high);
	for (size_t i = 0; i < n; i++) {
		if (label[i].at == STAND_HIGH)
			continue;
		label[i].ns += ns;
		label[i].value_pj += value_of(builder, ns, energy_switch_pj(machine, low, high) + mw * ns);
		label[i].peak_mw = fmax(label[i].peak_mw, mw);
	}
}

static void search_chain(struct builder *builder)
{
	struct layer_plans *plans = builder->plans;
	struct plan_label *label = memory_must(arena_alloc(&plans->arena, sizeof(*label)));
	size_t n = 1;
	label->at = STAND_HIGH;
	for (size_t i = 0; i < plans->deal.n_stretch; i++)
		for (uint32_t k = 0; k < plans->deal.stretch[i].n_repeat; k++)
			extend(builder, &plans->stretch[i], &label, &n);
	go_back(builder, label, n);
	/* where they stood says their last option */
	for (size_t i = 0; i < n; i++)
		label[i].at = STAND_HIGH;
	n = keep_labels(builder, label, n);
	plans->label = memory_must(arena_array(&plans->arena, n + 1, sizeof(*plans->label)));
	for (size_t i = 0; i < n; i++)
		if (label[i].is_slow)
			plans->label[plans->n++] = &label[i];
}

/*
 * Whether the tasks, of which each is taken to be as long, fill as much of the loops as the MLAs are busy for and,
 * where all are alike, as many as there are in as many rounds: not where stretches of long and of short tasks follow
 * each other, whose PEs would have time that they do not have. Bounds rest on it (dse/bound/plan_bound.c).
 */
static bool fills_loops(const struct layer_plans *plans)
{
	const struct plan_loops *loops = &plans->fast;
	const struct pe_deal *deal = &plans->deal;
	bool are_alike = split_n_uneven(&plans->at[STAND_LOW].split) == 0, fills = true;
	for (int i = 0; i < N_STAND; i++) {
		const struct loop_groups *groups = &loops->groups[i];
		double clk_mhz = loops->of.machine->level[loops->level[i]].clk_mhz;
		double all_ns = groups->loop.ns / (double)deal->n_loop * (double)deal->n_task * (1 + 1e-9);
		double round_ns = groups->loop.ns / (double)groups->n_loop;
		fills = fills && all_ns >= loops->result[i]->counts.mla_clk * 1e3 / clk_mhz;
		fills = fills && (!are_alike || all_ns >= round_ns * (double)groups->n_task);
	}
	return fills;
}

bool layer_plans_begin(const struct layer_context *context, const struct layer_design *design,
                       const struct program *program, const struct sim_result *low, const struct sim_result *high,
                       struct layer_plans *plans)
{
	const struct operating_point *point = &context->machine->level[design->level];
	assert(point->n_share > 0);
	*plans = (struct layer_plans){.context = context, .program = program, .at = {*design, *design}};
	plans->at[STAND_LOW].level = point->low;
	plans->at[STAND_HIGH].level = point->high;
	if (!pe_deal_of(context, &plans->at[STAND_HIGH], &plans->arena, &plans->deal))
		return false;
	layer_plan_loops(plans, low, high, &plans->fast);
	const struct loop_groups *groups = plans->fast.groups;
	return groups[STAND_LOW].loop.ns > 0 && groups[STAND_HIGH].loop.ns > 0 && fills_loops(plans);
}

void layer_plans_find(struct layer_plans *plans, bool weighs_peak)
{
	struct builder builder = {.plans = plans,
	                          .loops = &plans->fast,
	                          .slope_mw = energy_sleep_mw(plans->context->machine),
	                          .weighs_peak = weighs_peak};
	plans->stretch = memory_must(arena_array(&plans->arena, plans->deal.n_stretch, sizeof(*plans->stretch)));
	for (size_t i = 0; i < plans->deal.n_stretch; i++)
		find_options(&builder, &plans->deal.stretch[i], &plans->stretch[i]);
	search_chain(&builder);
}

void layer_plans_make(const struct layer_context *context, const struct layer_design *design,
                      const struct program *program, bool weighs_peak, const struct sim_result *low,
                      const struct sim_result *high, struct layer_plans *plans)
{
	if (layer_plans_begin(context, design, program, low, high, plans))
		layer_plans_find(plans, weighs_peak);
}

void layer_plans_free(struct layer_plans *plans)
{
	arena_free(&plans->arena);
	*plans = (struct layer_plans){0};
}

double layer_plan_peak_mw(const struct layer_context *context, const struct layer_design *design,
                          const struct sim_result *result)
{
	struct arena arena = {0};
	struct pe_deal deal;
	double most_mw = result->peak_power_mw;
	const struct loop_groups groups = loop_groups_of(context, design, result);
	if (groups.loop.ns > 0 && pe_deal_of(context, design, &arena, &deal)) {
		const struct pe_loops loops = {context->machine, &groups, &design->level, 1, &deal};
		for (size_t i = 0; i < deal.n_stretch; i++) {
			double ns, pj, peak_mw;
			pe_deal_alone(&loops, &deal.stretch[i], 0, &ns, &pj, &peak_mw);
			most_mw = fmax(most_mw, peak_mw);
		}
	}
	arena_free(&arena);
	return most_mw;
}
