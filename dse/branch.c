/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box is a range of choices in each dimension of the split, for one strategy,
 * operand kept and operand width:
 *
 *   d, w, h, c   each  ranges of numbers of parts ─► one number of parts ─► one split
 *                      |--- least work, sim_bound ---|--- program, sim_run_least ---| evaluated
 *
 * A box is cut when no design of it runs, or when at each operating point its
 * lower bound exceeds a limit or is not below some design of the front so far:
 * bounds are slacked, so that design is better than all of the box. Else the box
 * is halved: first numbers of parts, then the splits of one number, whose largest
 * parts grow along the list.
 *
 * Depth first, the more promising half first, so memory is a path; the order is
 * fixed, and the front does not depend on it: nothing that could be on it, first of its equals, is ever cut.
 */
#include "dse/branch.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define MS_PER_NS 1e-6
#define MJ_PER_PJ 1e-9
/* Bounds that are no whole numbers have this much slack, so that rounding can never reject a point of the front. */
#define BOUND_SLACK (1 - 1e-9)
/* Boxes between two looks at the watch. */
#define N_WATCH 4096
/* Boxes opened for the sake of a nearest miss. */
#define MAX_MISS 2000

enum dim { DIM_D, DIM_W, DIM_H, DIM_C, N_DIM };

/* A dimension's choices grouped by their number of parts: group g is choice[first[g]] to choice[first[g + 1] - 1]. */
struct branch_axis {
	const struct dim_axis *axis;
	uint32_t extent, step;
	uint32_t n_group, *first, *n_part; /* [n_group + 1], [n_group] */
};

/* Groups low to high - 1, choices first to last - 1: all of these groups', or some of one group's. */
struct span {
	uint32_t low, high, first, last;
};

struct box {
	struct span span[N_DIM];
};

struct search {
	const struct layer_problem *layer;
	struct pareto *front;
	struct branch_counts *counts;
	struct engine_nearest *nearest;
	engine_watch watch;
	void *watch_context;
	uint64_t max_evaluation, size, n_level;
	struct branch_axis axis[N_DIM];
	uint32_t genome[N_LAYER_GENE]; /* of the strategy that is being searched; splits are filled in */
	struct layer_design design;    /* likewise */
	const struct layer_context *context;
	uint64_t n_visit; /* boxes opened */
	uint32_t n_miss;  /* boxes opened for the nearest miss alone */
	bool stopped, full, out_of_memory;
};

static const enum layer_gene gene_of[N_DIM] = {GENE_D, GENE_W, GENE_H, GENE_C};

/* ---- axes ------------------------------------------------------------------------------------------- */

static bool build_axis(const struct dim_axis *axis, uint32_t extent, uint32_t step, struct arena *arena,
                       struct branch_axis *out)
{
	uint32_t n = 0;
	assert(axis->n > 0 && axis->n < UINT32_MAX);
	for (size_t i = 0; i < axis->n; i++)
		n += i == 0 || dim_n_part(&axis->choice[i]) != dim_n_part(&axis->choice[i - 1]);
	*out = (struct branch_axis){.axis = axis, .extent = extent, .step = step};
	out->first = arena_array(arena, (size_t)n + 1, sizeof(*out->first));
	out->n_part = arena_array(arena, n, sizeof(*out->n_part));
	if (!out->first || !out->n_part)
		return false;
	for (size_t i = 0; i < axis->n; i++) {
		uint32_t n_part = dim_n_part(&axis->choice[i]);
		if (i > 0 && n_part == out->n_part[out->n_group - 1])
			continue;
		assert(i == 0 || n_part > out->n_part[out->n_group - 1]);
		out->first[out->n_group] = (uint32_t)i;
		out->n_part[out->n_group++] = n_part;
	}
	out->first[n] = (uint32_t)axis->n;
	assert(out->n_group == n);
	return true;
}

static bool build_axes(struct search *search, struct arena *arena)
{
	const struct layer_problem *layer = search->layer;
	const struct block *block = layer->context[layer->operand_bit[0] == 16].block;
	const struct split whole = split_whole(block);
	const struct dim_axis *const axis[N_DIM] = {&layer->d, &layer->w, &layer->h, &layer->c};
	const uint32_t extent[N_DIM] = {whole.d.size_a, whole.w.size_a, whole.h.size_a, whole.c.size_a};
	const uint32_t step[N_DIM] = {1, block->pool, block->pool, 1};
	for (int i = 0; i < N_DIM; i++)
		if (!build_axis(axis[i], extent[i], step[i], arena, &search->axis[i]))
			return false;
	return true;
}

static struct span span_of(const struct branch_axis *axis, uint32_t low, uint32_t high)
{
	assert(low < high && high <= axis->n_group);
	return (struct span){low, high, axis->first[low], axis->first[high]};
}

static bool is_single(const struct span *span)
{
	assert(span->last > span->first);
	return span->last == span->first + 1;
}

/* Designs of a box, all operating points. */
static uint64_t box_size(const struct search *search, const struct box *box)
{
	uint64_t n = search->n_level;
	for (int i = 0; i < N_DIM; i++)
		n = mul_sat(n, box->span[i].last - box->span[i].first);
	return n;
}

/* A group's choices are in the order of their largest parts; the last group of several has the smallest ones. */
static struct dim_range range_of(const struct branch_axis *axis, const struct span *span)
{
	const struct dim_split *choice = axis->axis->choice;
	struct dim_range range = {
	    .extent = axis->extent,
	    .step = axis->step,
	    .n_least = axis->n_part[span->low],
	    .n_most = axis->n_part[span->high - 1],
	    .split = is_single(span) ? &choice[span->first] : NULL,
	};
	if (span->high == span->low + 1)
		range.size = choice[span->first].size_a;
	else
		range.size = (uint32_t)(ceil_div(axis->extent / axis->step, range.n_most) * axis->step);
	return range;
}

/* ---- bounds ----------------------------------------------------------------------------------------- */

/* Whether a design of the front dominates whatever has these lower bounds. */
static bool front_is_better(const struct search *search, const double *least)
{
	const struct pareto *front = search->front;
	for (size_t i = 0; i < front->n; i++) {
		const double *objective = front->objective + i * front->n_objective;
		unsigned k = 0;
		bool smaller = false;
		for (; k < front->n_objective && objective[k] <= least[k]; k++)
			smaller |= objective[k] < least[k];
		if (k == front->n_objective && smaller)
			return true;
	}
	return false;
}

/* Sums of whole bytes are not rounded. */
static bool is_whole(double byte)
{
	return byte < 0x1p52 && byte == floor(byte);
}

/*
 * Lower bounds of all metrics at an operating point; those without one are 0. A program's clocks and
 * bytes are whole numbers, which need no slack: many designs are alike in one of them.
 */
static void least_metrics(const struct search *search, const struct range_bound *bound, uint32_t level, double *value)
{
	const struct machine *machine = search->context->machine;
	const struct counts *counts = &bound->work.counts;
	double latency_ns, energy_pj;
	struct sim_result result;
	memset(value, 0, N_METRIC * sizeof(*value));
	if (bound->has_program) {
		sim_run_least(machine, &bound->program, level, &result);
		latency_ns = result.latency_ns;
		energy_pj = result.energy.total_pj;
		counts = &result.counts;
	} else {
		sim_bound(machine, &bound->work, level, &latency_ns, &energy_pj);
	}
	value[METRIC_LATENCY] = latency_ns * MS_PER_NS * (bound->has_program ? 1 : BOUND_SLACK);
	value[METRIC_ENERGY] = energy_pj * MJ_PER_PJ * BOUND_SLACK;
	value[METRIC_DRAM] = counts->dram_read_byte + counts->dram_write_byte;
	value[METRIC_DRAM] *= is_whole(value[METRIC_DRAM]) ? 1 : BOUND_SLACK;
	value[METRIC_SRAM_USED] = (double)bound->program.sram_byte / machine->pe_sram_byte;
	value[METRIC_PEAK_POWER] = energy_static_mw(machine, level) * BOUND_SLACK;
}

/* The first limit that the least values exceed; N_METRIC: none. */
static enum metric limit_exceeded(const struct layer_problem *layer, const double *value)
{
	for (unsigned i = 0; i < layer->n_metric; i++)
		if (value[layer->metric[i]] > layer->limit[i])
			return layer->metric[i];
	for (unsigned i = 0; i < N_METRIC; i++)
		if (value[i] > layer->layer_limit[i])
			return (enum metric)i;
	return N_METRIC;
}

/* A box and what its bound says. */
struct judged {
	struct box box;
	bool is_cut;
	uint32_t reason; /* of the cut */
	double score; /* the more promising, the less: the product of the least metrics at the first operating point */
	bool is_over[MACHINE_MAX_LEVEL]; /* a limit, at this operating point */
	double least[MACHINE_MAX_LEVEL][PROBLEM_MAX_OBJECTIVE];
};

/* Whether at each operating point the box exceeds a limit, or the front so far is better. */
static bool is_hopeless(const struct search *search, const struct judged *judged)
{
	for (uint32_t l = 0; l < search->n_level; l++)
		if (!judged->is_over[l] && !front_is_better(search, judged->least[l]))
			return false;
	return true;
}

static void apply_bound(const struct search *search, const struct range_bound *bound, struct judged *judged)
{
	const struct layer_problem *layer = search->layer;
	bool all_over = true;
	judged->score = 1;
	for (uint32_t l = 0; l < search->n_level; l++) {
		double value[N_METRIC];
		least_metrics(search, bound, layer->level[l], value);
		for (unsigned i = 0; i < layer->n_metric; i++) {
			judged->least[l][i] = value[layer->metric[i]];
			judged->score *= l == 0 && judged->least[l][i] > 0 ? judged->least[l][i] : 1;
		}
		enum metric over = limit_exceeded(layer, value);
		judged->is_over[l] = over != N_METRIC;
		all_over &= judged->is_over[l];
		if (judged->is_over[l])
			judged->reason = N_VERDICT + (uint32_t)over;
	}
	if (!all_over)
		judged->reason = LAYER_REASON_BOUND;
	judged->is_cut = is_hopeless(search, judged);
}

/* As long as nothing is feasible, some boxes are opened that are too large by less than the nearest miss so far. */
static bool is_nearer_miss(struct search *search, const struct verdict *verdict)
{
	if (search->front->n > 0 || !search->nearest || verdict->available == 0 || search->n_miss == MAX_MISS)
		return false;
	search->n_miss++;
	return (double)verdict->demanded / (double)verdict->available - 1 < search->nearest->violation * BOUND_SLACK;
}

static void judge_box(struct search *search, struct judged *judged)
{
	const struct box *box = &judged->box;
	const struct split_range range = {
	    .w = range_of(&search->axis[DIM_W], &box->span[DIM_W]),
	    .h = range_of(&search->axis[DIM_H], &box->span[DIM_H]),
	    .c = range_of(&search->axis[DIM_C], &box->span[DIM_C]),
	    .d = range_of(&search->axis[DIM_D], &box->span[DIM_D]),
	};
	struct range_bound bound;
	struct verdict verdict;
	bool is_fast = search->layer->detail == DETAIL_FAST;
	search->counts->n_box++;
	if (mapper_bound_range(search->context, &search->design, &range, is_fast, &bound, &verdict)) {
		apply_bound(search, &bound, judged);
		return;
	}
	judged->reason = verdict.reason;
	judged->is_cut = !is_nearer_miss(search, &verdict);
	judged->score = 0;
	/* nothing to compare: it stays open */
	for (uint32_t l = 0; l < search->n_level; l++) {
		judged->is_over[l] = false;
		for (unsigned i = 0; i < search->layer->n_metric; i++)
			judged->least[l][i] = -1;
	}
}

/* ---- designs ---------------------------------------------------------------------------------------- */

static void count_designs(struct search *search, const uint32_t *genome, const struct evaluation *result)
{
	struct branch_counts *counts = search->counts;
	for (uint32_t l = 0; l < search->n_level; l++) {
		uint32_t own[N_LAYER_GENE];
		memcpy(own, genome, sizeof(own));
		own[GENE_LEVEL] = l;
		if (result[l].violation == 0) {
			counts->engine.n_feasible++;
			(void)pareto_insert(search->front, result[l].objective, own, 0);
			search->out_of_memory |= search->front->n_alloc == 0;
			continue;
		}
		counts->engine.n_infeasible++;
		counts->by_reason[result[l].reason]++;
		if (search->nearest && result[l].violation < search->nearest->violation) {
			search->nearest->violation = result[l].violation;
			search->nearest->reason = result[l].reason;
			memcpy(search->nearest->genome, own, sizeof(own));
		}
	}
	counts->engine.n_asked = counts->engine.n_told += search->n_level;
	search->full |= search->max_evaluation > 0 && counts->engine.n_told >= search->max_evaluation;
}

/* One split at all operating points. */
static void evaluate_box(struct search *search, const struct box *box)
{
	uint32_t genome[MACHINE_MAX_LEVEL * N_LAYER_GENE];
	struct evaluation result[MACHINE_MAX_LEVEL];
	for (uint32_t l = 0; l < search->n_level; l++) {
		uint32_t *own = genome + l * N_LAYER_GENE;
		memcpy(own, search->genome, sizeof(search->genome));
		for (int i = 0; i < N_DIM; i++)
			own[gene_of[i]] = box->span[i].first;
		own[GENE_LEVEL] = l;
	}
	layer_problem_evaluate(search->layer, genome, search->n_level, result);
	count_designs(search, genome, result);
}

/* ---- branching -------------------------------------------------------------------------------------- */

/*
 * The dimension to be halved. Numbers of parts first, farthest apart first: programs need single ones. Then the
 * dimension with the fewest splits, to the end: a single split shows what rounding up to blocks and lines costs, which
 * rules most of them out beside any split of the others. -1: one design is left.
 */
static int pick_dim(const struct search *search, const struct box *box)
{
	int dim = -1;
	double most = 0;
	for (int i = 0; i < N_DIM; i++) {
		const struct span *span = &box->span[i];
		double urgency = 0;
		if (span->high > span->low + 1)
			urgency = (double)search->axis[i].n_part[span->high - 1] / search->axis[i].n_part[span->low];
		else if (!is_single(span))
			urgency = 1.0 / (span->last - span->first);
		if (urgency > most) {
			most = urgency;
			dim = i;
		}
	}
	return dim;
}

/* First group of the upper half: from the geometric mean on. */
static uint32_t middle(const struct branch_axis *axis, const struct span *span)
{
	double mean = sqrt((double)axis->n_part[span->low] * axis->n_part[span->high - 1]);
	uint32_t at = span->low + 1;
	while (at + 1 < span->high && axis->n_part[at] < mean)
		at++;
	assert(at > span->low && at < span->high);
	return at;
}

static bool wants_stop(struct search *search)
{
	struct branch_counts *counts = search->counts;
	if (search->stopped || search->full || search->out_of_memory)
		return true;
	if (++search->n_visit % N_WATCH == 0 && search->watch) {
		double done = (double)add_sat(counts->engine.n_told, counts->engine.n_skipped) / (double)search->size;
		search->stopped = !search->watch(search->watch_context, done < 1 ? done : 1, &counts->engine);
	}
	return search->stopped;
}

static void cut_box(struct search *search, const struct judged *judged)
{
	struct branch_counts *counts = search->counts;
	uint64_t n = box_size(search, &judged->box);
	assert(judged->reason > VERDICT_OK && judged->reason < LAYER_N_REASON);
	counts->n_cut_box++;
	counts->cut_by_reason[judged->reason] = add_sat(counts->cut_by_reason[judged->reason], n);
	counts->engine.n_skipped = add_sat(counts->engine.n_skipped, n);
}

/* The halves of a box, judged. */
static void halve(struct search *search, const struct box *box, int dim, struct judged half[2])
{
	const struct branch_axis *axis = &search->axis[dim];
	const struct span *span = &box->span[dim];
	half[0].box = half[1].box = *box;
	if (span->high > span->low + 1) {
		uint32_t at = middle(axis, span);
		half[0].box.span[dim] = span_of(axis, span->low, at);
		half[1].box.span[dim] = span_of(axis, at, span->high);
	} else {
		half[0].box.span[dim].last = half[1].box.span[dim].first = span->first + (span->last - span->first) / 2;
	}
	judge_box(search, &half[0]);
	judge_box(search, &half[1]);
}

/* Open a box that is not cut. The more promising half comes first: what it finds may cut the other one. */
static void open_box(struct search *search, const struct box *box)
{
	struct judged half[2];
	int dim = pick_dim(search, box);
	if (wants_stop(search))
		return;
	if (dim < 0) {
		evaluate_box(search, box);
		return;
	}
	halve(search, box, dim, half);
	int first = half[1].score < half[0].score;
	for (int i = 0; i < 2 && !search->stopped; i++) {
		struct judged *own = &half[i ? !first : first];
		own->is_cut = own->is_cut || is_hopeless(search, own);
		if (own->is_cut)
			cut_box(search, own);
		else
			open_box(search, &own->box);
	}
}

static void search_box(struct search *search, const struct box *box)
{
	struct judged judged = {.box = *box};
	judge_box(search, &judged);
	if (judged.is_cut)
		cut_box(search, &judged);
	else
		open_box(search, &judged.box);
}

/* All splits of one strategy, operand kept and operand width; input channels whole and split are apart. */
static void search_strategy(struct search *search)
{
	const struct branch_axis *d = &search->axis[DIM_D];
	struct box box;
	layer_problem_design(search->layer, search->genome, &search->design);
	search->context = &search->layer->context[search->design.operand_bit == 16];
	for (int i = 0; i < N_DIM; i++)
		box.span[i] = span_of(&search->axis[i], 0, search->axis[i].n_group);
	uint32_t n_whole = d->n_part[0] == 1;
	if (n_whole) {
		box.span[DIM_D] = span_of(d, 0, 1);
		search_box(search, &box);
	}
	if (d->n_group > n_whole) {
		box.span[DIM_D] = span_of(d, n_whole, d->n_group);
		search_box(search, &box);
	}
}

static void search_layer(struct search *search)
{
	const struct layer_problem *layer = search->layer;
	for (uint32_t s = 0; s < layer->n_value[GENE_STRATEGY]; s++)
		for (uint32_t r = 0; r < layer->n_value[GENE_REUSE]; r++)
			for (uint32_t o = 0; o < layer->n_value[GENE_OPERAND]; o++) {
				search->genome[GENE_STRATEGY] = s;
				search->genome[GENE_REUSE] = r;
				search->genome[GENE_OPERAND] = o;
				search_strategy(search);
			}
}

enum err_code branch_search(const struct layer_problem *layer, uint64_t max_evaluation, struct pareto *front,
                            struct branch_counts *counts, struct engine_nearest *nearest, engine_watch watch,
                            void *watch_context, struct err *err)
{
	struct arena arena = {0};
	struct search search = {
	    .layer = layer,
	    .front = front,
	    .counts = counts,
	    .nearest = nearest,
	    .watch = watch,
	    .watch_context = watch_context,
	    .max_evaluation = max_evaluation,
	    .size = problem_size(&layer->problem),
	    .n_level = layer->n_value[GENE_LEVEL],
	};
	assert(layer->n_value[GENE_PLACE] == 1 && !layer->is_bounded && front->n_objective == layer->n_metric);
	*counts = (struct branch_counts){0};
	search.out_of_memory = !build_axes(&search, &arena);
	if (!search.out_of_memory)
		search_layer(&search);
	arena_free(&arena);
	if (search.out_of_memory)
		return err_add(err, ERR_INTERNAL, "out of memory in the exact search of a layer");
	pareto_sort(front);
	if (search.stopped)
		return ERR_INTERRUPTED;
	if (!search.full)
		assert(add_sat(counts->engine.n_told, counts->engine.n_skipped) == search.size);
	return ERR_OK;
}
