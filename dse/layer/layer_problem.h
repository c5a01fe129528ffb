/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_PROBLEM_H
#define DSE_LAYER_PROBLEM_H
/*
 * A layer problem: the mapping of one layer on one machine candidate, as the
 * engines see it. Its genome is enum layer_gene: place, strategy, operand that
 * is reused, operand width and form, splits, operating point. Network fronts
 * are composed from the layers' fronts (dse/search/candidate.h).
 */
#include "dse/pareto/compose.h"
#include "dse/engine/engine.h"
#include "dse/layer/layer_place.h"
#include "dse/pareto/pareto.h"
#include "dse/engine/problem.h"
#include "dse/space/space.h"
#include "dse/layer/split_lists.h"

/* Genes of a layer problem, slowest first. */
enum layer_gene {
	GENE_PLACE, /* enum place_bit: what lies in storage QPEs */
	GENE_STRATEGY,
	GENE_REUSE,
	GENE_OPERAND, /* operand width, and form of a 1x1 convolution */
	GENE_D,
	GENE_W,
	GENE_H,
	GENE_C,
	GENE_LEVEL,
	N_LAYER_GENE
};

/*
 * A value of GENE_LEVEL is the place of an operating point among the layer's and, at a pair of levels by PE, the number
 * of a plan (dse/spread/layer_plan.h). Engines choose points; plans come from layer_problem_plans.
 */
#define LAYER_PLAN_SHIFT 8
static inline uint32_t layer_gene_level(uint32_t value)
{
	return value & ((UINT32_C(1) << LAYER_PLAN_SHIFT) - 1);
}
static inline uint32_t layer_gene_plan(uint32_t value)
{
	return value >> LAYER_PLAN_SHIFT;
}

/*
 * evaluation.reason of a layer problem: an enum verdict_reason, N_VERDICT + enum metric for a limit exceeded,
 * LAYER_REASON_BOUND for a candidate that provably cannot reach the layer's front, or LAYER_REASON_FAILED for one that
 * the event tier could not run to its end (no memory, or a self-check): a search with any of these has failed.
 * PROBLEM_STOPPED for one whose evaluation was stopped; it is counted nowhere.
 */
#define LAYER_REASON_BOUND (N_VERDICT + N_METRIC)
#define LAYER_REASON_FAILED (LAYER_REASON_BOUND + 1)
#define LAYER_N_REASON (LAYER_REASON_FAILED + 1)

/* What a design's operands are: 8 or 16 bit, in each form of a 1x1 convolution. */
#define LAYER_N_CONTEXT (2 * N_CONV_FORM)

/* One distinct layer of a network on one machine. Plain data once built; read by many threads. */
struct layer_problem {
	const struct space *space;
	const struct layer_choice *choice; /* what it was built by */
	enum detail detail;                /* the tier that evaluates, the space's */
	double epsilon; /* of its exact search: see branch_search; the caller's choice once it is built; 0: none */
	size_t n_seed;  /* designs that are proposed before all others, the most important first */
	const uint32_t *seed;                          /* [n_seed][N_LAYER_GENE] */
	const struct stop *stop;                       /* who stops evaluations that take long; NULL: a signal */
	struct layer_context context[LAYER_N_CONTEXT]; /* by operand width and form; those of values of GENE_OPERAND */
	uint32_t n_value[N_LAYER_GENE];
	struct dim_axis w, h, c, d;
	uint8_t strategy[N_STRATEGY], reuse[N_REUSE_OPERAND], place[PLACE_N], level[MACHINE_MAX_LEVEL];
	uint8_t operand_bit[LAYER_N_CONTEXT], form[LAYER_N_CONTEXT]; /* by value of GENE_OPERAND */
	uint64_t n_legal;  /* designs of this layer, reduced or not: what SPLIT_ALL would enumerate */
	unsigned n_metric; /* internal metrics: those objectives and limits on sums need; at least one */
	enum metric metric[N_METRIC];
	double limit[N_METRIC];
	/*
	 * By enum metric: limits that hold for each layer alone, because the metric of the whole is the worst layer's.
	 * They need no place among the internal metrics, which keeps the fronts small. Infinite: none.
	 */
	double layer_limit[N_METRIC];
	bool with_slower; /* bounds hold for slower NoC and DRAM clocks, too: of searches that keep bounds */
	uint32_t least_w, least_h, least_c; /* of each axis the choice with the smallest largest part, for cuts */
	/*
	 * Feasible points of this layer that bound the search: a candidate whose lower bound one of them dominates is
	 * rejected unevaluated. Empty until layer_problem_bound; [n_bound][n_metric], the caller's memory.
	 */
	bool is_bounded; /* layer_problem_bound has run */
	size_t n_bound;
	const double *bound;
	/* After layer_problem_bound: a gene's value v stands for value kept[gene][v] of the full problem; NULL: v
	 * itself. */
	const uint32_t *kept[N_LAYER_GENE];
	struct problem problem; /* context points back here */
	struct arena arena;
};

/* What values of a gene in fronts are below: n_value, and more where plans are numbered. */
uint32_t layer_gene_end(const struct layer_problem *layer, enum layer_gene gene);

/* Levels of the layer that are no pairs by PE; they come first. */
uint32_t layer_n_own_level(const struct layer_problem *layer);

/* The context of a design, of a value of GENE_OPERAND, and of any of its values: they share block and machine. */
const struct layer_context *layer_context_of(const struct layer_problem *layer, const struct layer_design *design);
const struct layer_context *layer_context_at(const struct layer_problem *layer, uint32_t value);
const struct layer_context *layer_any_context(const struct layer_problem *layer);

/*
 * Splits of a dimension: all legal ones, those of them that the layer's rules allow, and those of these that are looked
 * at, since no other one can matter to an engine that takes a sample (SPLIT_REDUCED).
 */
struct split_count {
	uint64_t legal, allowed, listed;
};

/* Of width, height, output and input channels. A part of a second for dimensions of millions. */
void layer_problem_count_splits(const struct layer_problem *layer, struct split_count count[4]);

/* Metrics that the whole's objectives and limits are computed from (EDP from two others); returns how many, 1 or more.
 */
unsigned layer_metrics(const struct space *space, enum metric metric[N_METRIC]);

/*
 * Build the problem of one block on one machine. machine, block and choice must outlive it; the layer must not move.
 * Where the thesis' splitter is asked for and finds no split that fits, the uncut block stands for it and is found
 * infeasible. lists: splits that are known (NULL: none); they must outlive the layer, too. ERR_INPUT, ERR_INTERNAL;
 * nothing to free then.
 */
enum err_code layer_problem_build(const struct space *space, const struct machine *machine, const struct block *block,
                                  const struct layer_choice *choice, const struct split_lists *lists,
                                  struct layer_problem *layer, struct err *err);
void layer_problem_free(struct layer_problem *layer);

/* The problem's evaluate callback, in the space's tier; context is the layer problem. No locks; only the event tier
 * allocates. */
void layer_problem_evaluate(const void *context, const uint32_t *genome, size_t n, struct evaluation *out);

/* The program of a design that was evaluated, and the fast tier's results at the operating points in known,
 * which are kept on machines by PE alone. */
struct layer_design_run {
	const uint32_t *genome; /* its own, the caller's; NULL: there is none */
	uint32_t known;
	struct program program;
	struct sim_result result[MACHINE_FILE_LEVEL];
};

/* The same; run has what is known of the last design then, at those operating points that it was evaluated at. */
void layer_problem_evaluate_kept(const struct layer_problem *layer, const uint32_t *genome, size_t n,
                                 struct evaluation *out, struct layer_design_run *run);

/* All plans of a split at a pair of levels by PE. */
struct layer_plan_results {
	size_t n, n_room;
	uint32_t *gene; /* [n] value of GENE_LEVEL */
	struct evaluation *result;
};

/* Whether nobody wants what is in no metric [n_metric] below a bound. */
struct layer_plan_filter {
	bool (*covers)(void *context, const double *bound);
	void *context;
};

/*
 * Evaluate them in the space's tier; genome: with a level that is such a pair. One result and no plan: it does not run,
 * or it has no plans, or the filter (NULL: none) covers all (LAYER_REASON_BOUND). The caller's results, {0} at first,
 * are used again and freed by him. run: of this design or another one; NULL: none.
 */
void layer_problem_plans(const struct layer_problem *layer, const uint32_t *genome, const struct layer_design_run *run,
                         const struct layer_plan_filter *filter, struct layer_plan_results *results);
void layer_plan_results_free(struct layer_plan_results *results);

/*
 * Evaluate the designs of a front anew; those that are not feasible go. ERR_INTERRUPTED, without a message, when a stop
 * ends it early: front has what was evaluated by then, at least one design. ERR_INTERNAL.
 */
enum err_code layer_problem_price(const struct layer_problem *layer, struct pareto *front, struct err *err);

/* The design a genome stands for. */
void layer_problem_design(const struct layer_problem *layer, const uint32_t *genome, struct layer_design *design);

/*
 * Evaluate a coarse, fixed sample of the layer's designs and keep its front in
 * front (which the caller has initialised and frees after the layer). A few
 * thousand evaluations of the fast tier; in the event tier the front that these
 * leave is priced anew. nearest (may be NULL): receives the least-violating design
 * of the sample, if it is less than what is there. ERR_INTERRUPTED, without a
 * message, when Ctrl-C ends the pricing early: front has what was priced by then,
 * at least one design. ERR_INTERNAL when memory is out.
 */
enum err_code layer_problem_sample(struct layer_problem *layer, unsigned n_thread, struct pareto *front,
                                   struct engine_nearest *nearest, struct err *err);

/*
 * The same; then drop every choice of an axis that the sample proves to be
 * dominated whatever the other axes' choices are. From then on the problem's
 * evaluate rejects what the sample proves to be dominated. The layer's Pareto
 * front does not change.
 */
enum err_code layer_problem_bound(struct layer_problem *layer, unsigned n_thread, struct pareto *front,
                                  struct engine_nearest *nearest, struct err *err);

/* Rewrite a genome of the bounded problem as one of the full problem. */
void layer_problem_widen(const struct layer_problem *layer, uint32_t *genome);

#endif
