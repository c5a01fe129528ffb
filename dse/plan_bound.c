/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds for the exhaustive search of a layer: a coarse sample of its designs
 * gives points that are really there; whole ranges of splits whose lower bound
 * (least MLA clocks, DRAM and SRAM traffic) one of them dominates need no
 * evaluation. The sample is fixed before the search begins, so what is rejected
 * does not depend on threads or batches.
 */
#include "dse/deadline.h"
#include "dse/plan.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define MS_PER_NS 1e-6
#define MJ_PER_PJ 1e-9
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

/* What the sample finds: a front, or, where nothing is feasible, the nearest miss. */
struct sample {
	struct pareto *front;
	struct engine_nearest *nearest; /* or NULL */
};

static void try_genome(const struct layer_problem *layer, const uint32_t *genome, const struct sample *sample)
{
	struct evaluation result;
	layer_problem_evaluate(layer, genome, 1, &result);
	if (result.violation == 0) {
		(void)pareto_insert(sample->front, result.objective, genome, 0);
	} else if (sample->nearest && result.violation < sample->nearest->violation) {
		sample->nearest->violation = result.violation;
		sample->nearest->reason = result.reason;
		memcpy(sample->nearest->genome, genome, N_LAYER_GENE * sizeof(*genome));
	}
}

/* The genome's strategy and input-channel split with all sampled splits of the other dimensions, at every operating
 * point. */
static void sample_splits(const struct layer_problem *layer, uint32_t *genome, const struct sample *sample)
{
	uint32_t w[MAX_SAMPLE], h[MAX_SAMPLE], c[MAX_SAMPLE];
	size_t n_w = sample_axis(&layer->w, w), n_h = sample_axis(&layer->h, h), n_c = sample_axis(&layer->c, c);
	for (size_t i = 0; i < n_w; i++)
		for (size_t j = 0; j < n_h; j++)
			for (size_t k = 0; k < n_c; k++) {
				genome[GENE_W] = w[i];
				genome[GENE_H] = h[j];
				genome[GENE_C] = c[k];
				for (uint32_t l = 0; l < layer->n_value[GENE_LEVEL]; l++) {
					genome[GENE_LEVEL] = l;
					try_genome(layer, genome, sample);
				}
			}
}

/* Input channels are sampled where height and filters leave room for it: in matrix multiplications. */
static void sample_strategy(const struct layer_problem *layer, uint32_t *genome, const struct sample *sample)
{
	uint32_t d[MAX_SAMPLE];
	bool is_matmul = layer->context[layer->operand_bit[0] == 16].block->kind == BLOCK_MATMUL;
	size_t n_d = is_matmul ? sample_axis(&layer->d, d) : 1;
	for (size_t i = 0; i < n_d; i++) {
		genome[GENE_D] = is_matmul ? d[i] : 0;
		sample_splits(layer, genome, sample);
	}
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
		sim_bound(context->machine, least, layer->level[l], &latency_ns, &energy_pj);
		value[METRIC_LATENCY] = latency_ns * MS_PER_NS * BOUND_SLACK;
		value[METRIC_ENERGY] = energy_pj * MJ_PER_PJ * BOUND_SLACK;
		value[METRIC_ENERGY] -= deadline_asleep_mj(layer->space, context->machine, latency_ns * MS_PER_NS);
		value[METRIC_DRAM] = (least->counts.dram_read_byte + least->counts.dram_write_byte) * BOUND_SLACK;
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
			const struct layer_context *context = &layer->context[layer->operand_bit[o] == 16];
			design.strategy = (enum strategy)layer->strategy[s];
			design.operand_bit = context->operand_bit;
			if (!mapper_bound(context, &design, open, &least) || !rule_out(layer, context, &least).holds)
				return false;
		}
	return true;
}

/*
 * Drop the choices of one axis that are dominated even with all other
 * dimensions whole. One stays in any case, so that the problem keeps its shape.
 */
static enum err_code narrow_axis(struct layer_problem *layer, enum layer_gene gene, struct dim_axis *axis,
                                 enum bound_open closed, struct err *err)
{
	struct split split = split_whole(layer->context[layer->operand_bit[0] == 16].block);
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

/*
 * Any designs that are really there may bound a search, as long as their
 * objectives are those that it compares with: those of its own tier.
 */
static enum err_code price_anew(const struct layer_problem *layer, struct pareto *front, struct err *err)
{
	struct pareto priced;
	pareto_init(&priced, front->n_objective, front->n_gene);
	for (size_t i = 0; i < front->n; i++) {
		const uint32_t *genome = front->genome + i * front->n_gene;
		struct evaluation result;
		layer_problem_evaluate(layer, genome, 1, &result);
		if (result.violation > 0)
			continue;
		(void)pareto_insert(&priced, result.objective, genome, 0);
		if (priced.n_alloc == 0)
			return err_add(err, ERR_INTERNAL, "out of memory");
	}
	pareto_free(front);
	*front = priced;
	return ERR_OK;
}

enum err_code layer_problem_sample(struct layer_problem *layer, struct pareto *front, struct engine_nearest *nearest,
                                   struct err *err)
{
	const struct sample sample = {front, nearest};
	assert(layer->n_value[GENE_PLACE] == 1 && front->n_objective == layer->n_metric);
	uint32_t genome[N_LAYER_GENE] = {0};
	enum detail detail = layer->detail;
	layer->is_bounded = false;
	layer->n_bound = 0;
	layer->detail = DETAIL_FAST;
	for (uint32_t s = 0; s < layer->n_value[GENE_STRATEGY]; s++)
		for (uint32_t r = 0; r < layer->n_value[GENE_REUSE]; r++)
			for (uint32_t o = 0; o < layer->n_value[GENE_OPERAND]; o++) {
				genome[GENE_STRATEGY] = s;
				genome[GENE_REUSE] = r;
				genome[GENE_OPERAND] = o;
				sample_strategy(layer, genome, &sample);
			}
	layer->detail = detail;
	return detail == DETAIL_FAST ? ERR_OK : price_anew(layer, front, err);
}

enum err_code layer_problem_bound(struct layer_problem *layer, struct pareto *front, struct engine_nearest *nearest,
                                  struct err *err)
{
	enum err_code code = layer_problem_sample(layer, front, nearest, err);
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
	const struct layer_context *context = &layer->context[design->operand_bit == 16];
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
