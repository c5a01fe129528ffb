/* SPDX-License-Identifier: Apache-2.0 */
/* Splits at a pair of levels by PE: all plans of each, with the points that they are on the layer's front. */
#include "dse/layer/layer_problem_parts.h"
#include "dse/bound/layer_bound.h"
#include "dse/base/memory.h"
#include "dse/spread/layer_plan.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

static bool is_pair(const struct layer_problem *layer, uint32_t at)
{
	const struct machine *machine = layer_any_context(layer)->machine;
	return mixed_is_by_pe(machine) && mixed_is(&machine->level[layer->level[at]]);
}

uint32_t layer_n_own_level(const struct layer_problem *layer)
{
	uint32_t n = 0;
	while (n < layer->n_value[GENE_LEVEL] && !is_pair(layer, n))
		n++;
	return n;
}

uint32_t layer_gene_end(const struct layer_problem *layer, enum layer_gene gene)
{
	bool has_plans = gene == GENE_LEVEL && layer_n_own_level(layer) < layer->n_value[GENE_LEVEL];
	return has_plans ? (uint32_t)LAYER_PLAN_MAX_NUMBER << LAYER_PLAN_SHIFT : layer->n_value[gene];
}

static void reserve(struct layer_plan_results *results, size_t n)
{
	if (n <= results->n_room)
		return;
	results->gene = memory_resize(results->gene, n, sizeof(*results->gene));
	results->result = memory_resize(results->result, n, sizeof(*results->result));
	results->n_room = n;
}

void layer_plan_results_free(struct layer_plan_results *results)
{
	free(results->gene);
	free(results->result);
	*results = (struct layer_plan_results){0};
}

/* Results of both levels in the layer's tier, from those in the fast one. */
static enum err_code price_pair(const struct layer_problem *layer, const struct layer_design *design,
                                const struct program *program, struct sim_result part[2])
{
	const struct detail_options options = {.detail = layer->detail, .stop = layer->stop};
	if (layer->detail == DETAIL_FAST)
		return ERR_OK;
	return detail_simulate_pair(layer_context_of(layer, design), design, program, &options, part, NULL, NULL);
}

static void judge_plans(const struct layer_problem *layer, const struct layer_plans *plans, uint32_t level,
                        const struct layer_design *design, const struct sim_result part[2],
                        struct layer_plan_results *results)
{
	bool weighs_peak = layer_weighs_peak(layer);
	struct plan_loops loops;
	layer_plan_loops(plans, &part[0], &part[1], &loops);
	for (size_t i = 0; i < plans->n; i++) {
		struct sim_result result;
		struct layer_design own = *design;
		own.plan = layer_plan_number((uint32_t)i, weighs_peak);
		layer_plan_price(plans, i, &loops, &result);
		layer_problem_judge(layer, &own, &result, &results->result[i]);
		results->gene[i] = level | own.plan << LAYER_PLAN_SHIFT;
	}
	results->n = plans->n;
}

/* It does not run, or there is nothing to choose. */
static void put_none(const struct layer_problem *layer, uint32_t level, uint32_t reason,
                     struct layer_plan_results *results)
{
	struct evaluation none = {.violation = INFINITY, .reason = reason};
	for (unsigned i = 0; i < layer->n_metric; i++)
		none.objective[i] = INFINITY;
	results->n = 1;
	results->gene[0] = level;
	results->result[0] = none;
}

/* Parts of all tasks at the slower level that are looked at one by one. */
#define N_CELL 32

static bool is_open(const struct layer_problem *layer, const struct layer_plan_filter *filter, const double *value)
{
	double own[PARETO_MAX_OBJECTIVE];
	for (unsigned k = 0; k < layer->n_metric; k++)
		own[k] = value[layer->metric[k]];
	return !filter->covers(filter->context, own);
}

/* Whether some plan of a split might be wanted, before it is known who has which tasks. */
static bool may_want(const struct layer_problem *layer, const struct pair_bound *bound,
                     const struct layer_plan_filter *filter)
{
	for (int i = 0; i < N_CELL; i++) {
		double value[N_METRIC];
		pair_bound_metrics(bound, (double)i / N_CELL, (i + 1.0) / N_CELL, value);
		if (is_open(layer, filter, value))
			return true;
	}
	return false;
}

/* The same where it is known. */
static bool may_want_dealt(const struct layer_problem *layer, struct pair_bound *bound, const struct pe_deal *deal,
                           const struct layer_plan_filter *filter)
{
	struct plan_reach_step step[PLAN_REACH_MAX_STEP];
	size_t n = pair_bound_deal(bound, deal, step);
	for (size_t i = 0; i < n; i++) {
		double value[N_METRIC];
		pair_bound_dealt_metrics(bound, &step[i], value);
		if (is_open(layer, filter, value))
			return true;
	}
	return false;
}

/* The fast tier's results of a design at the two levels of its pair. */
static void run_pair(const struct layer_context *context, const struct layer_design *design,
                     const struct program *program, const struct layer_design_run *run, struct sim_result part[2])
{
	const struct detail_options fast = {.detail = DETAIL_FAST};
	const struct operating_point *point = &context->machine->level[design->level];
	uint32_t wanted = UINT32_C(1) << point->low | UINT32_C(1) << point->high;
	if (run && (run->known & wanted) == wanted) {
		part[0] = run->result[point->low];
		part[1] = run->result[point->high];
	} else {
		(void)detail_simulate_pair(context, design, program, &fast, part, NULL, NULL);
	}
}

void layer_problem_plans(const struct layer_problem *layer, const uint32_t *genome, const struct layer_design_run *run,
                         const struct layer_plan_filter *filter, struct layer_plan_results *results)
{
	struct layer_design design;
	struct program own_program;
	struct verdict verdict;
	struct sim_result part[2];
	struct layer_plans plans = {0};
	uint32_t level = layer_gene_level(genome[GENE_LEVEL]);
	assert(is_pair(layer, level));
	layer_problem_design(layer, genome, &design);
	const struct layer_context *context = layer_context_of(layer, &design);
	reserve(results, LAYER_PLAN_MAX);
	if (run && (!run->genome || !layer_same_but_level(run->genome, genome)))
		run = NULL;
	const struct program *program = run ? &run->program : &own_program;
	if (!run && !mapper_distribute(context, &design, &own_program, &verdict)) {
		put_none(layer, level, verdict.reason, results);
		return;
	}
	run_pair(context, &design, program, run, part);
	if (!mapper_judge_run(&part[0], &verdict) || !mapper_judge_run(&part[1], &verdict)) {
		put_none(layer, level, verdict.reason, results);
		return;
	}
	struct pair_bound bound;
	bool is_filtered = filter && layer->detail == DETAIL_FAST;
	if (is_filtered)
		pair_bound_make(layer->space, context, &design, program, part, &bound);
	if (is_filtered && !may_want(layer, &bound, filter)) {
		put_none(layer, level, LAYER_REASON_BOUND, results);
		return;
	}
	if (layer_plans_begin(context, &design, program, &part[0], &part[1], &plans) &&
	    (!is_filtered || may_want_dealt(layer, &bound, &plans.deal, filter)))
		layer_plans_find(&plans, layer_weighs_peak(layer));
	enum err_code code = plans.n > 0 ? price_pair(layer, &design, program, part) : ERR_OK;
	if (code != ERR_OK)
		put_none(layer, level, code == ERR_INTERRUPTED ? PROBLEM_STOPPED : LAYER_REASON_FAILED, results);
	else if (plans.n == 0)
		put_none(layer, level, LAYER_REASON_BOUND, results);
	else
		judge_plans(layer, &plans, level, &design, part, results);
	layer_plans_free(&plans);
}
