/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds for the exhaustive search of a layer: a coarse sample of its designs
 * gives points that are really there; whole ranges of splits whose lower bound
 * (least MLA clocks, DRAM and SRAM traffic) one of them dominates need no
 * evaluation. The sample is fixed before the search begins, so what is rejected
 * does not depend on threads or batches.
 */
#include "dse/layer/layer_problem_parts.h"
#include "dse/bound/deadline.h"
#include "dse/base/parallel.h"
#include "mapper/distribute/bound.h"
#include "sim/base/stop.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Bounds are compared with this much slack, so that rounding can never reject a point of the front. */
#define BOUND_SLACK (1 - 1e-9)
#define MAX_SAMPLE 16

/* Part counts that divide common layer and machine sizes. */
static const uint32_t sample_part[] = {1, 2, 4, 7, 8, 14, 16, 28, 32, 64, 128};

/* Indices of the axis' first choices with these part counts. */
static size_t sample_axis(const struct dim_axis *axis, uint32_t sample[MAX_SAMPLE])
{
	size_t n = 0, at = 0;
	for (size_t i = 0; i < sizeof(sample_part) / sizeof(sample_part[0]) && at < axis->n; i++) {
		while (at < axis->n && dim_n_part(&axis->choice[at]) < sample_part[i])
			at++;
		if (at < axis->n && (n == 0 || sample[n - 1] != at))
			sample[n++] = (uint32_t)at;
	}
	return n;
}

/* The sampled choices of each dimension, and parts of the sample: one choice of all genes slower than the height. */
struct layer_sample {
	const struct layer_problem *layer;
	size_t n_d, n_w, n_h, n_c;
	uint32_t d[MAX_SAMPLE], w[MAX_SAMPLE], h[MAX_SAMPLE], c[MAX_SAMPLE];
	size_t n_part;
	struct sample_part *part;
	void (*run)(void *context, size_t i); /* a part */
	atomic_bool is_found;                 /* a part has a feasible design */
};

/* What a part finds: a front, or, where nothing is feasible, the nearest miss. */
struct sample_part {
	struct pareto front;
	struct engine_nearest nearest;
	uint32_t nearest_genome[N_LAYER_GENE];
	bool was_stopped;
};

/* A split at all operating points but pairs by PE, whose plans take long to find. */
static void evaluate_split(struct layer_sample *sample, const uint32_t *first, struct sample_part *part)
{
	const struct layer_problem *layer = sample->layer;
	uint32_t genome[MACHINE_MAX_LEVEL * N_LAYER_GENE] = {0}, n_level = layer_n_own_level(layer);
	struct evaluation result[MACHINE_MAX_LEVEL];
	for (uint32_t l = 0; l < n_level; l++) {
		memcpy(genome + l * N_LAYER_GENE, first, N_LAYER_GENE * sizeof(*genome));
		genome[l * N_LAYER_GENE + GENE_LEVEL] = l;
	}
	layer_problem_evaluate(layer, genome, n_level, result);
	for (uint32_t l = 0; l < n_level; l++) {
		const uint32_t *own = genome + l * N_LAYER_GENE;
		if (problem_is_stopped(&result[l])) {
			part->was_stopped = true;
		} else if (result[l].violation == 0) {
			(void)pareto_insert(&part->front, result[l].objective, own, 0);
			atomic_store(&sample->is_found, true);
		} else {
			engine_nearest_take(&part->nearest, result[l].violation, result[l].reason, own, N_LAYER_GENE);
		}
	}
}

/* Where there is no time left the first feasible design, or the splitter's alone, is all. */
static void try_split(struct layer_sample *sample, const uint32_t *genome, struct sample_part *part)
{
	uint64_t age_ms = stop_age_ms(sample->layer->stop);
	part->was_stopped |= age_ms >= STOP_LATE_MS || (age_ms >= STOP_GRACE_MS && atomic_load(&sample->is_found));
	if (!part->was_stopped)
		evaluate_split(sample, genome, part);
}

/* A genome and some whose splits in one dimension come before and behind. */
static void try_near(struct layer_sample *sample, enum layer_gene gene, const uint32_t *genome,
                     struct sample_part *part)
{
	const struct layer_problem *layer = sample->layer;
	uint32_t own[N_LAYER_GENE];
	memcpy(own, genome, sizeof(own));
	try_split(sample, own, part);
	for (uint32_t step = 1; step <= 64; step *= 4) {
		own[gene] = genome[gene] + step;
		if (own[gene] < layer->n_value[gene])
			try_split(sample, own, part);
		own[gene] = genome[gene] - step;
		if (genome[gene] >= step)
			try_split(sample, own, part);
	}
}

static void run_part(void *context, size_t i)
{
	struct layer_sample *sample = context;
	const struct layer_problem *layer = sample->layer;
	struct sample_part *part = &sample->part[i];
	uint32_t genome[N_LAYER_GENE] = {0};
	size_t rest = i;
	assert(i < sample->n_part);
	genome[GENE_W] = sample->w[rest % sample->n_w];
	rest /= sample->n_w;
	genome[GENE_D] = sample->d[rest % sample->n_d];
	rest /= sample->n_d;
	genome[GENE_OPERAND] = (uint32_t)(rest % layer->n_value[GENE_OPERAND]);
	rest /= layer->n_value[GENE_OPERAND];
	genome[GENE_REUSE] = (uint32_t)(rest % layer->n_value[GENE_REUSE]);
	genome[GENE_STRATEGY] = (uint32_t)(rest / layer->n_value[GENE_REUSE]);
	for (size_t h = 0; h < sample->n_h && !part->was_stopped; h++)
		for (size_t c = 0; c < sample->n_c && !part->was_stopped; c++) {
			genome[GENE_H] = sample->h[h];
			genome[GENE_C] = sample->c[c];
			try_split(sample, genome, part);
		}
}

/*
 * A systolic array's tiles are cut so unevenly that the splitter's, finer and coarser ones beside it, say more than
 * numbers of parts that are the same everywhere. At the fastest and the slowest point other tiles may be best.
 */
static void run_tiles(void *context, size_t i)
{
	struct layer_sample *sample = context;
	const struct layer_problem *layer = sample->layer;
	struct sample_part *part = &sample->part[i];
	uint32_t genome[N_LAYER_GENE] = {0}, n_level = layer->n_value[GENE_LEVEL];
	size_t rest = i;
	assert(i < sample->n_part);
	genome[GENE_OPERAND] = (uint32_t)(rest % layer->n_value[GENE_OPERAND]);
	rest /= layer->n_value[GENE_OPERAND];
	genome[GENE_REUSE] = (uint32_t)(rest % layer->n_value[GENE_REUSE]);
	genome[GENE_STRATEGY] = (uint32_t)(rest / layer->n_value[GENE_REUSE]);
	try_split(sample, genome, part);
	for (uint32_t l = 0; l<n_level; l += n_level> 1 ? n_level - 1 : 1) {
		genome[GENE_LEVEL] = l;
		bool found = layer_problem_propose_split(layer, genome);
		genome[GENE_LEVEL] = 0;
		if (!found)
			break;
		try_near(sample, GENE_H, genome, part);
		try_near(sample, GENE_C, genome, part);
		try_near(sample, GENE_W, genome, part);
	}
	/* the smallest parts: the nearest miss where nothing fits */
	genome[GENE_W] = layer->least_w;
	genome[GENE_H] = layer->least_h;
	genome[GENE_C] = layer->least_c;
	genome[GENE_D] = layer->n_value[GENE_D] - 1;
	try_split(sample, genome, part);
}

/* Input channels are sampled where height and filters leave room for it: in matrix multiplications. */
static bool init_sample(const struct layer_problem *layer, struct layer_sample *sample)
{
	bool is_matmul = layer_any_context(layer)->block->kind == BLOCK_MATMUL;
	bool is_systolic = layer_any_context(layer)->machine->target == MACHINE_SYSTOLIC;
	*sample = (struct layer_sample){.layer = layer, .n_d = 1, .run = is_systolic ? run_tiles : run_part};
	sample->n_w = sample_axis(&layer->w, sample->w);
	sample->n_h = sample_axis(&layer->h, sample->h);
	sample->n_c = sample_axis(&layer->c, sample->c);
	if (is_matmul)
		sample->n_d = sample_axis(&layer->d, sample->d);
	if (is_systolic)
		sample->n_d = sample->n_w = 1;
	sample->n_part = sample->n_d * sample->n_w * layer->n_value[GENE_STRATEGY] * layer->n_value[GENE_REUSE] *
	                 layer->n_value[GENE_OPERAND];
	sample->part = calloc(sample->n_part, sizeof(*sample->part));
	for (size_t i = 0; i < sample->n_part && sample->part; i++) {
		pareto_init(&sample->part[i].front, layer->n_metric, N_LAYER_GENE);
		sample->part[i].nearest.violation = INFINITY;
		sample->part[i].nearest.genome = sample->part[i].nearest_genome;
	}
	return sample->part != NULL;
}

/* Where there is no time left the splitter's design comes first: it fits as a rule. */
static void try_proposed(struct layer_sample *sample)
{
	const struct layer_problem *layer = sample->layer;
	uint32_t genome[N_LAYER_GENE] = {0};
	for (uint32_t s = 0; s < layer->n_value[GENE_STRATEGY] && !atomic_load(&sample->is_found); s++) {
		genome[GENE_STRATEGY] = s;
		if (layer_problem_propose_split(layer, genome))
			evaluate_split(sample, genome, &sample->part[0]);
	}
}

/* What the parts found, in their order. false: some of it was stopped. */
static bool merge_parts(struct layer_sample *sample, struct pareto *front, struct engine_nearest *nearest)
{
	bool is_whole = true;
	for (size_t i = 0; i < sample->n_part; i++) {
		struct sample_part *part = &sample->part[i];
		is_whole &= !part->was_stopped;
		pareto_merge(front, &part->front);
		pareto_free(&part->front);
		if (nearest)
			engine_nearest_take(nearest, part->nearest.violation, part->nearest.reason,
			                    part->nearest.genome, N_LAYER_GENE);
	}
	free(sample->part);
	return is_whole;
}

/* Whether some sampled point is nowhere worse and somewhere better than anything with this lower bound. */
static bool sample_dominates(const struct layer_problem *layer, const double *least)
{
	for (size_t i = 0; i < layer->n_bound; i++)
		if (pareto_dominates(layer->bound + i * layer->n_metric, least, layer->n_metric))
			return true;
	return false;
}

/* What a bound proves of a range: nothing, that it exceeds a limit, or that it cannot reach the front. */
struct proof {
	bool holds;
	uint32_t reason; /* N_VERDICT + metric when every operating point exceeds a limit, else LAYER_REASON_BOUND */
};

/* The first limit that the least values exceed; N_METRIC: none. */
static enum metric limit_exceeded(const struct layer_problem *layer, const double *least)
{
	for (unsigned i = 0; i < layer->n_metric; i++)
		if (least[i] > layer->limit[i])
			return layer->metric[i];
	return N_METRIC;
}

/* Ruled out are candidates that at every operating point are dominated or over a limit. */
static struct proof rule_out(const struct layer_problem *layer, const struct layer_context *context,
                             const struct least_work *least)
{
	struct proof proof = {true, LAYER_REASON_BOUND};
	uint32_t n_over = 0;
	for (uint32_t l = 0; l < layer->n_value[GENE_LEVEL]; l++) {
		double latency_ns, energy_pj, value[N_METRIC] = {0}, metric[N_METRIC];
		fast_bound(context->machine, least, layer->level[l], &latency_ns, &energy_pj);
		value[METRIC_LATENCY] = latency_ns * MS_PER_NS * BOUND_SLACK;
		value[METRIC_ENERGY] = energy_pj * MJ_PER_PJ * BOUND_SLACK;
		value[METRIC_ENERGY] -= deadline_asleep_mj(layer->space, context->machine, latency_ns * MS_PER_NS);
		value[METRIC_DRAM] = (least->counts.dram_read_byte + least->counts.dram_write_byte) * BOUND_SLACK;
		value[METRIC_RUN_TIME] = value[METRIC_LATENCY] + metric_layer_overhead_ms(context->machine, 1);
		for (unsigned i = 0; i < layer->n_metric; i++)
			metric[i] = value[layer->metric[i]];
		enum metric over = limit_exceeded(layer, metric);
		if (over != N_METRIC) {
			proof.reason = N_VERDICT + (uint32_t)over;
			n_over++;
		} else if (!sample_dominates(layer, metric)) {
			return (struct proof){false, 0};
		}
	}
	if (n_over < layer->n_value[GENE_LEVEL])
		proof.reason = LAYER_REASON_BOUND;
	return proof;
}

/* Whether a split is dominated under every strategy and operand width of the layer. */
static bool split_is_dominated(const struct layer_problem *layer, const struct split *split, unsigned open)
{
	struct layer_design design = {.split = *split};
	struct least_work least;
	layer_design_place(&design, layer->place[0]);
	for (uint32_t s = 0; s < layer->n_value[GENE_STRATEGY]; s++)
		for (uint32_t o = 0; o < layer->n_value[GENE_OPERAND]; o++) {
			const struct layer_context *context = layer_context_at(layer, o);
			design.strategy = (enum strategy)layer->strategy[s];
			design.operand_bit = context->operand_bit;
			design.form = context->form;
			if (!mapper_bound(context, &design, open, &least) || !rule_out(layer, context, &least).holds)
				return false;
		}
	return true;
}

/*
 * Drop the choices of one axis that are dominated even with all other
 * dimensions whole. One stays in any case, so that the problem keeps its shape. ERR_INTERRUPTED: the axis is as it was.
 */
static enum err_code narrow_axis(struct layer_problem *layer, enum layer_gene gene, struct dim_axis *axis,
                                 enum bound_open closed, struct err *err)
{
	const struct layer_context *context = layer_any_context(layer);
	struct split split = mapper_split_whole(context->block, context->machine);
	struct dim_split *dim = closed == BOUND_OPEN_W   ? &split.w
	                        : closed == BOUND_OPEN_H ? &split.h
	                        : closed == BOUND_OPEN_C ? &split.c
	                                                 : &split.d;
	const unsigned open = (BOUND_OPEN_W | BOUND_OPEN_H | BOUND_OPEN_C | BOUND_OPEN_D) & ~(unsigned)closed;
	struct dim_split *choice = arena_array(&layer->arena, axis->n, sizeof(*choice));
	uint32_t *kept = arena_array(&layer->arena, axis->n, sizeof(*kept));
	size_t n = 0;
	if (!choice || !kept)
		return err_add(err, ERR_INTERNAL, "out of memory when narrowing the splits of a layer");
	for (size_t i = 0; i < axis->n; i++) {
		*dim = axis->choice[i];
		if (stop_requested(layer->stop))
			return ERR_INTERRUPTED;
		if (split_is_dominated(layer, &split, open) && !(n == 0 && i + 1 == axis->n))
			continue;
		kept[n] = (uint32_t)i;
		choice[n++] = axis->choice[i];
	}
	axis->choice = choice;
	axis->n = n;
	axis->n_group = 0;
	layer->kept[gene] = kept;
	layer->n_value[gene] = (uint32_t)n;
	return ERR_OK;
}

enum err_code layer_problem_price(const struct layer_problem *layer, struct pareto *front, struct err *err)
{
	struct pareto priced;
	enum err_code code = ERR_OK;
	pareto_init(&priced, front->n_objective, front->n_gene);
	for (size_t i = 0; i < front->n; i++) {
		const uint32_t *genome = front->genome + i * front->n_gene;
		struct evaluation result;
		layer_problem_evaluate(layer, genome, 1, &result);
		if (problem_is_stopped(&result)) {
			code = ERR_INTERRUPTED;
			break;
		}
		if (result.violation > 0)
			continue;
		(void)pareto_insert(&priced, result.objective, genome, 0);
		if (priced.n_alloc == 0)
			return err_add(err, ERR_INTERNAL, "out of memory");
		/* a run of the event tier may take a second: who wants to stop gets the first that works */
		if (i + 1 < front->n && stop_requested(layer->stop)) {
			code = ERR_INTERRUPTED;
			break;
		}
	}
	pareto_free(front);
	*front = priced;
	return code;
}

enum err_code layer_problem_sample(struct layer_problem *layer, unsigned n_thread, struct pareto *front,
                                   struct engine_nearest *nearest, struct err *err)
{
	struct layer_sample sample;
	assert(layer->n_value[GENE_PLACE] == 1 && front->n_objective == layer->n_metric);
	enum detail detail = layer->detail;
	layer->is_bounded = false;
	layer->n_bound = 0;
	layer->detail = DETAIL_FAST;
	if (!init_sample(layer, &sample))
		return err_add(err, ERR_INTERNAL, "out of memory for a sample of a layer");
	if (stop_age_ms(layer->stop) >= STOP_GRACE_MS)
		try_proposed(&sample);
	parallel_for(sample.n_part, n_thread, sample.run, &sample);
	bool is_whole = merge_parts(&sample, front, nearest);
	layer->detail = detail;
	if (!is_whole)
		return ERR_INTERRUPTED;
	/* any designs that are really there may bound a search, as long as their objectives are of its own tier */
	return detail == DETAIL_FAST ? ERR_OK : layer_problem_price(layer, front, err);
}

enum err_code layer_problem_bound(struct layer_problem *layer, unsigned n_thread, struct pareto *front,
                                  struct engine_nearest *nearest, struct err *err)
{
	enum err_code code = layer_problem_sample(layer, n_thread, front, nearest, err);
	if (code != ERR_OK)
		return code;
	layer->is_bounded = true;
	if (front->n == 0)
		return ERR_OK;
	layer->n_bound = front->n;
	layer->bound = front->objective;

	code = narrow_axis(layer, GENE_D, &layer->d, BOUND_OPEN_D, err);
	if (code == ERR_OK)
		code = narrow_axis(layer, GENE_W, &layer->w, BOUND_OPEN_W, err);
	if (code == ERR_OK)
		code = narrow_axis(layer, GENE_H, &layer->h, BOUND_OPEN_H, err);
	if (code == ERR_OK)
		code = narrow_axis(layer, GENE_C, &layer->c, BOUND_OPEN_C, err);
	layer_problem_find_least(layer);
	return code;
}

void layer_problem_widen(const struct layer_problem *layer, uint32_t *genome)
{
	for (size_t i = 0; i < N_LAYER_GENE; i++)
		if (layer->kept[i])
			genome[i] = layer->kept[i][genome[i]];
}

/* Without a sampled point and without a limit there is nothing to compare bounds with; the sample itself is seen in
 * full. */
static bool has_bounds(const struct layer_problem *layer)
{
	if (!layer->is_bounded)
		return false;
	for (unsigned i = 0; i < layer->n_metric; i++)
		if (isfinite(layer->limit[i]))
			return true;
	return layer->n_bound > 0;
}

bool layer_problem_rule_out(const struct layer_problem *layer, const uint32_t *genome,
                            const struct layer_design *design, struct tiling *tiling, struct evaluation *out)
{
	const struct layer_context *context = layer_context_of(layer, design);
	/* Each range is looked at once, by its first candidate; the widest first. */
	static const struct {
		enum layer_gene gene;
		unsigned open;
	} part[] = {{GENE_D, BOUND_OPEN_W | BOUND_OPEN_H | BOUND_OPEN_C},
	            {GENE_W, BOUND_OPEN_H | BOUND_OPEN_C},
	            {GENE_H, BOUND_OPEN_C},
	            {GENE_C, 0}};
	if (genome[GENE_LEVEL] != 0 || !has_bounds(layer))
		return false;
	size_t first = 3;
	while (first > 0 && genome[part[first].gene] == 0)
		first--;
	for (size_t i = first; i < sizeof(part) / sizeof(part[0]); i++) {
		struct least_work least;
		struct proof proof = {false, 0};
		bool is_known = part[i].open ? mapper_bound(context, design, part[i].open, &least)
		                             : mapper_bound_tiled(context, design, tiling, &least);
		if (is_known)
			proof = rule_out(layer, context, &least);
		if (proof.holds) {
			*out = (struct evaluation){
			    .violation = INFINITY, .reason = proof.reason, .n_cut = part[i].gene + 1};
			return true;
		}
	}
	return false;
}
