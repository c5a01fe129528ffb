/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a genome to an evaluation: the inner loop of every search. Infeasible
 * candidates also say how many of the slower genes suffice to be infeasible,
 * so that an exhaustive engine skips whole blocks of the space.
 */
#include "dse/layer/layer_problem_parts.h"
#include "dse/bound/deadline.h"
#include "mapper/distribute/tiling.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Violation of designs that no size makes feasible: farther off than any that is too large by some factor. */
#define NO_SUCH_DESIGN 1e9

void layer_problem_design(const struct layer_problem *layer, const uint32_t *genome, struct layer_design *design)
{
	for (size_t i = 0; i < N_LAYER_GENE; i++)
		assert((i == GENE_LEVEL ? layer_gene_level(genome[i]) : genome[i]) < layer->n_value[i]);
	design->split.w = layer->w.choice[genome[GENE_W]];
	design->split.h = layer->h.choice[genome[GENE_H]];
	design->split.c = layer->c.choice[genome[GENE_C]];
	design->split.d = layer->d.choice[genome[GENE_D]];
	design->strategy = (enum strategy)layer->strategy[genome[GENE_STRATEGY]];
	design->reuse = (enum reuse_operand)layer->reuse[genome[GENE_REUSE]];
	design->level = layer->level[layer_gene_level(genome[GENE_LEVEL])];
	design->plan = layer_gene_plan(genome[GENE_LEVEL]);
	design->operand_bit = layer->operand_bit[genome[GENE_OPERAND]];
	design->form = (enum conv_form)layer->form[genome[GENE_OPERAND]];
	layer_design_place(design, layer->place[genome[GENE_PLACE]]);
}

/*
 * Whether any task of such parts needs more SRAM than there is, or than a limit
 * on sram_used_frac leaves. What a strategy needs on top (a second filter buffer
 * where filters migrate) does not grow with the parts alone, so it is left out.
 */
static bool exceeds_sram(const struct layer_problem *layer, const struct layer_context *context,
                         const struct layer_design *design)
{
	uint64_t demanded = mapper_sram_least_byte(context, design);
	uint64_t available = mapper_available_byte(context->machine);
	return demanded > available || !mapper_tiles_may_fit(context, design) ||
	       (double)demanded / (double)available > layer->layer_limit[METRIC_SRAM_USED];
}

/*
 * The bytes of a task grow with its largest part in each of w, h and c, and do
 * not depend on the operating point. So when the smallest part of c is too
 * large beside this w and h, all of c is, and likewise for the smallest h and w.
 * Not for d: sums over several parts of d need a second result buffer.
 */
static uint32_t sram_cut(const struct layer_problem *layer, const struct layer_context *context,
                         const struct layer_design *design)
{
	struct layer_design least = *design;
	least.split.c = layer->c.choice[layer->least_c];
	if (!exceeds_sram(layer, context, &least))
		return GENE_C + 1;
	least.split.h = layer->h.choice[layer->least_h];
	if (!exceeds_sram(layer, context, &least))
		return GENE_H + 1;
	least.split.w = layer->w.choice[layer->least_w];
	return exceeds_sram(layer, context, &least) ? GENE_D + 1 : GENE_W + 1;
}

/* The slowest genes that the verdict depends on: no other value of the faster ones would change it. */
static uint32_t verdict_cut(const struct layer_problem *layer, const struct layer_context *context,
                            const struct layer_design *design, enum verdict_reason reason)
{
	switch (reason) {
	case VERDICT_STRATEGY:
	case VERDICT_BATCH:
	case VERDICT_DATAFLOW:
	case VERDICT_NO_STORAGE:
		return GENE_STRATEGY + 1;
	case VERDICT_GROUPS:
		return GENE_C + 1;
	case VERDICT_WORD:
	case VERDICT_FORM:
		return GENE_OPERAND + 1;
	case VERDICT_OPERAND:
		return GENE_REUSE + 1;
	case VERDICT_INPUT_SPLIT:
		return GENE_D + 1;
	case VERDICT_ROWS:
	case VERDICT_AHEAD_PARTS:
	case VERDICT_CLOCKS:
	case VERDICT_TIER:
	case VERDICT_SCALESIM:
		return GENE_C + 1;
	case VERDICT_STORAGE:
	case VERDICT_AHEAD_ROOM:
		return GENE_W + 1; /* rows of the stored result are aligned part by part of the width */
	case VERDICT_SRAM:
	case VERDICT_IFMAP_BUFFER:
	case VERDICT_FILTER_BUFFER:
	case VERDICT_OFMAP_BUFFER:
		return sram_cut(layer, context, design);
	case VERDICT_OK:
	case VERDICT_PROOF:
	case VERDICT_DRAM: /* of a whole schedule, mapper/octopus/octopus_memory.h */
	case N_VERDICT:
		break;
	}
	assert(false);
	return 0;
}

static void reject(const struct layer_problem *layer, const struct layer_context *context,
                   const struct layer_design *design, const struct verdict *verdict, struct evaluation *out)
{
	assert(verdict->reason > VERDICT_OK && verdict->reason < N_VERDICT);
	for (unsigned i = 0; i < PARETO_MAX_OBJECTIVE; i++)
		out->objective[i] = i < layer->n_metric ? INFINITY : 0;
	out->reason = verdict->reason;
	out->violation = NO_SUCH_DESIGN;
	if (verdict->demanded > verdict->available && verdict->available > 0)
		out->violation = (double)verdict->demanded / (double)verdict->available - 1;
	out->n_cut = verdict_cut(layer, context, design, verdict->reason);
	assert(out->violation > 0);
}

/* Relative excess over a limit; a limit of 0 is exceeded by the value itself. */
static void apply_limit(enum metric metric, double value, double limit, struct evaluation *out)
{
	if (value <= limit)
		return;
	double excess = limit > 0 ? value / limit - 1 : value;
	/* values so close to the limit that the quotient rounds to 1 still exceed it */
	excess = excess > 0 ? excess : 1e-16;
	if (excess <= out->violation)
		return;
	out->violation = excess;
	out->reason = N_VERDICT + (uint32_t)metric;
}

static void judge_metrics(const struct layer_problem *layer, const struct layer_context *context,
                          const struct layer_design *design, const double *metric, struct evaluation *out)
{
	*out = (struct evaluation){0};
	for (unsigned i = 0; i < layer->n_metric; i++) {
		double value = metric[layer->metric[i]];
		out->objective[i] = value;
		apply_limit(layer->metric[i], value, layer->limit[i], out);
	}
	for (unsigned i = 0; i < N_METRIC; i++)
		apply_limit((enum metric)i, metric[i], layer->layer_limit[i], out);
	if (metric[METRIC_SRAM_USED] > layer->layer_limit[METRIC_SRAM_USED])
		out->n_cut = sram_cut(layer, context, design);
}

bool layer_weighs_peak(const struct layer_problem *layer)
{
	bool weighs = isfinite(layer->layer_limit[METRIC_PEAK_POWER]);
	for (unsigned i = 0; i < layer->n_metric; i++)
		weighs |= layer->metric[i] == METRIC_PEAK_POWER;
	return weighs;
}

void layer_problem_judge(const struct layer_problem *layer, const struct layer_design *design,
                         const struct sim_result *result, struct evaluation *out)
{
	const struct layer_context *context = layer_context_of(layer, design);
	double metric[N_METRIC];
	metric_of_layer(context, design, result, metric);
	deadline_of_layer(layer->space, context->machine, metric);
	judge_metrics(layer, context, design, metric, out);
}

bool layer_same_but_level(const uint32_t *left, const uint32_t *right)
{
	return memcmp(left, right, GENE_LEVEL * sizeof(*left)) == 0;
}

/* false: the event tier could not, or was stopped; out says so. */
static bool simulate(const struct layer_problem *layer, const struct layer_context *context,
                     const struct layer_design *design, struct layer_design_run *run, struct sim_result *result,
                     struct evaluation *out)
{
	const struct program *program = &run->program;
	const struct detail_options options = {.detail = layer->detail, .stop = layer->stop};
	bool is_own = !mixed_is_by_pe(context->machine) ||
	              (!mixed_is(&context->machine->level[design->level]) && !layer_weighs_peak(layer));
	if (options.detail == DETAIL_FAST && context->machine->systolic.memory == SYSTOLIC_PHYSICAL && is_own) {
		fast_run(context->machine, program, design->level, result);
		if (mixed_is_by_pe(context->machine)) { /* wanted for pairs */
			run->result[design->level] = *result;
			run->known |= UINT32_C(1) << design->level;
		}
		return true;
	}
	/* engines know no messages; a run of the same design alone says it again */
	enum err_code code = detail_simulate(context, design, program, &options, result, NULL, NULL);
	if (code == ERR_INFEASIBLE) {
		reject(layer, context, design, &(struct verdict){VERDICT_TIER, 0, 0}, out);
		out->n_cut = 0; /* the operating point counts, too */
	} else if (code != ERR_OK) {
		uint32_t reason = code == ERR_INTERRUPTED ? PROBLEM_STOPPED : LAYER_REASON_FAILED;
		*out = (struct evaluation){.violation = NO_SUCH_DESIGN, .reason = reason};
		for (unsigned i = 0; i < layer->n_metric; i++)
			out->objective[i] = INFINITY;
	}
	return code == ERR_OK;
}

/* run: of the last candidate that ran; its program serves all operating points of one design, the fastest gene. */
static void evaluate_one(const struct layer_problem *layer, const uint32_t *genome, struct layer_design_run *run,
                         struct evaluation *out)
{
	struct layer_design design;
	struct sim_result result;
	struct verdict verdict;
	layer_problem_design(layer, genome, &design);
	const struct layer_context *context = layer_context_of(layer, &design);
	assert(context->operand_bit == design.operand_bit);
	if (!run->genome || !layer_same_but_level(run->genome, genome)) {
		run->genome = NULL;
		run->known = 0;
		struct tiling tiling;
		tiling_size(context, &design.split, &tiling);
		if (layer_problem_rule_out(layer, genome, &design, &tiling, out))
			return;
		if (!mapper_distribute_tiled(context, &design, &tiling, &run->program, &verdict)) {
			reject(layer, context, &design, &verdict, out);
			return;
		}
		run->genome = genome;
	}
	if (!simulate(layer, context, &design, run, &result, out))
		return;
	if (!mapper_judge_run(&result, &verdict)) {
		reject(layer, context, &design, &verdict, out);
		out->n_cut = 0; /* the operating point counts, too */
		return;
	}
	layer_problem_judge(layer, &design, &result, out);
}

void layer_problem_evaluate_kept(const struct layer_problem *layer, const uint32_t *genome, size_t n,
                                 struct evaluation *out, struct layer_design_run *run)
{
	assert(layer && genome && out && run);
	run->genome = NULL;
	run->known = 0;
	for (size_t i = 0; i < n; i++) {
		const uint32_t *at = genome + i * N_LAYER_GENE;
		/* who wants to stop wants none of the others; a proof for a range serves all of it */
		if (i > 0 && problem_is_stopped(&out[i - 1]))
			out[i] = out[i - 1];
		else if (i > 0 && isinf(out[i - 1].violation) &&
		         memcmp(at, at - N_LAYER_GENE, out[i - 1].n_cut * sizeof(*at)) == 0)
			out[i] = out[i - 1];
		else
			evaluate_one(layer, at, run, &out[i]);
	}
}

void layer_problem_evaluate(const void *context, const uint32_t *genome, size_t n, struct evaluation *out)
{
	struct layer_design_run run;
	layer_problem_evaluate_kept(context, genome, n, out, &run);
}
