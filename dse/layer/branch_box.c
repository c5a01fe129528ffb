/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes of splits and their lower bounds. A box is a range of choices in each
 * dimension of the split:
 *
 *   d, w, h, c   each  ranges of numbers of parts ─► one number of parts ─► one split
 *                      |--- least work, fast_bound ---|--- program, fast_run_least ---| evaluated
 *
 * It is halved by numbers of parts first, then by the splits of one number, whose
 * largest parts grow along the list.
 */
#include "dse/layer/branch_parts.h"
#include "dse/bound/layer_bound.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static const enum layer_gene gene_of[N_DIM] = {GENE_D, GENE_W, GENE_H, GENE_C};

/* ---- axes and roots --------------------------------------------------------------------------------- */

/* As mapper_bound_range does of reuse on a chip. */
static bool counts_maps(const struct branch_root *root)
{
	const struct block *block = root->context->block;
	return root->context->machine->target == MACHINE_CHIP && strategy_table[root->design.strategy].reuses &&
	       block->kind == BLOCK_CONV && block_n_group(block) == 1;
}

static void fill_roots(struct branch_space *space)
{
	const struct layer_problem *layer = space->layer;
	uint32_t n = 0;
	for (uint32_t s = 0; s < layer->n_value[GENE_STRATEGY]; s++)
		for (uint32_t r = 0; r < layer->n_value[GENE_REUSE]; r++)
			for (uint32_t o = 0; o < layer->n_value[GENE_OPERAND]; o++) {
				struct branch_root *root = &space->root[n++];
				root->genome[GENE_STRATEGY] = s;
				root->genome[GENE_REUSE] = r;
				root->genome[GENE_OPERAND] = o;
				layer_problem_design(layer, root->genome, &root->design);
				root->context = layer_context_of(layer, &root->design);
				root->counts_maps = !space->weighs_sram && counts_maps(root);
			}
	assert(n == space->n_root);
}

bool branch_space_build(const struct layer_problem *layer, struct arena *arena, struct branch_space *space)
{
	const struct dim_axis *const axis[N_DIM] = {&layer->d, &layer->w, &layer->h, &layer->c};
	uint32_t extent[N_DIM], step[N_DIM];
	bound_extents(layer_any_context(layer), extent, step);
	*space = (struct branch_space){
	    .layer = layer, .n_level = layer->n_value[GENE_LEVEL], .n_own_level = layer_n_own_level(layer)};
	space->n_bound = branch_level_row(space, space->n_level);
	assert(space->n_level > 0 && space->n_level <= MACHINE_MAX_LEVEL);
	for (int i = 0; i < N_DIM; i++) {
		assert(axis[i]->n_group > 0);
		space->axis[i] = (struct branch_axis){axis[i], extent[i], step[i]};
	}
	for (unsigned i = 0; i < layer->n_metric; i++)
		space->weighs_sram |= layer->metric[i] == METRIC_SRAM_USED;
	space->n_root = layer->n_value[GENE_STRATEGY] * layer->n_value[GENE_REUSE] * layer->n_value[GENE_OPERAND];
	space->root = arena_array(arena, space->n_root, sizeof(*space->root));
	if (!space->root)
		return false;
	fill_roots(space);
	return true;
}

static uint32_t bit_width(size_t n)
{
	uint32_t width = 0;
	for (; n > 0; n /= 2)
		width++;
	return width;
}

/*
 * A halving takes the square root of the largest over the fewest parts: 6 times until they are as near as twice each
 * other, then as often as their distance can be halved; and it halves the splits of a number of parts.
 */
size_t branch_space_depth(const struct branch_space *space)
{
	size_t n = 2;
	for (int i = 0; i < N_DIM; i++) {
		const struct dim_axis *axis = space->axis[i].axis;
		n += 6 + bit_width(axis->n_part[axis->n_group - 1]) + bit_width(axis->n);
	}
	return n;
}

/* ---- boxes ------------------------------------------------------------------------------------------ */

static struct branch_span span_of(const struct dim_axis *axis, uint32_t low, uint32_t high)
{
	assert(low < high && high <= axis->n_group);
	return (struct branch_span){low, high, axis->first[low], axis->first[high]};
}

static bool is_single(const struct branch_span *span)
{
	assert(span->last > span->first);
	return span->last == span->first + 1;
}

uint32_t branch_root_boxes(const struct branch_space *space, uint32_t root, struct branch_box box[2])
{
	const struct dim_axis *d = space->axis[DIM_D].axis;
	uint32_t n = 0, n_whole = d->n_part[0] == 1;
	struct branch_box all = {.root = root};
	assert(root < space->n_root);
	for (int i = 0; i < N_DIM; i++)
		all.span[i] = span_of(space->axis[i].axis, 0, space->axis[i].axis->n_group);
	if (n_whole) {
		box[n] = all;
		box[n++].span[DIM_D] = span_of(d, 0, 1);
	}
	if (d->n_group > n_whole) {
		box[n] = all;
		box[n++].span[DIM_D] = span_of(d, n_whole, d->n_group);
	}
	return n;
}

uint64_t branch_box_size(const struct branch_space *space, const struct branch_box *box)
{
	uint64_t n = space->n_level;
	for (int i = 0; i < N_DIM; i++)
		n = mul_sat(n, box->span[i].last - box->span[i].first);
	return n;
}

/*
 * Numbers of parts first, since programs need single ones: to the end those of the dimension with the fewest, because
 * what parts cost that do not divide an extent, or the blocks of the chip, shows when their number is known, beside any
 * numbers of the others. Then the dimension with the fewest splits, to the end: a single split shows what rounding up
 * to blocks and lines costs, which rules most of them out beside any split of the others.
 *
 * Where SRAM is an objective the widest range of numbers of parts goes first: small tasks are slow and large ones need
 * much, so that a range that is wide in any dimension promises both little time and few bytes, which no design of it
 * keeps. Of CONV_4 of ResNet-18 by four objectives that is a third of the boxes.
 *
 * Where bounds count what the busiest PE does as soon as the numbers of ifmap parts are known (root->counts_maps),
 * numbers of filter parts come after these: of CONV_1 of ResNet-18 on thesis_chip that is a third of the boxes.
 */
int branch_box_dim(const struct branch_space *space, const struct branch_box *box)
{
	int dim = -1;
	double most = 0;
	for (int i = 0; i < N_DIM; i++) {
		const struct branch_span *span = &box->span[i];
		double urgency = 0;
		if (span->high > span->low + 1)
			urgency = 1 + (space->weighs_sram ? span->high - span->low : 1.0 / (span->high - span->low));
		else if (!is_single(span))
			urgency = 1.0 / (span->last - span->first);
		if (i == DIM_C && span->high > span->low + 1 && space->root[box->root].counts_maps)
			urgency = 1; /* less than of other numbers, no less than of single splits */
		if (urgency > most) {
			most = urgency;
			dim = i;
		}
	}
	return dim;
}

/* First group of the upper half: from the geometric mean on. */
static uint32_t middle(const struct dim_axis *axis, const struct branch_span *span)
{
	double mean = sqrt((double)axis->n_part[span->low] * axis->n_part[span->high - 1]);
	uint32_t at = span->low + 1;
	while (at + 1 < span->high && axis->n_part[at] < mean)
		at++;
	assert(at > span->low && at < span->high);
	return at;
}

void branch_box_halve(const struct branch_space *space, const struct branch_box *box, int dim,
                      struct branch_box half[2])
{
	const struct dim_axis *axis = space->axis[dim].axis;
	const struct branch_span *span = &box->span[dim];
	half[0] = half[1] = *box;
	if (span->high > span->low + 1) {
		uint32_t at = middle(axis, span);
		half[0].span[dim] = span_of(axis, span->low, at);
		half[1].span[dim] = span_of(axis, at, span->high);
	} else {
		half[0].span[dim].last = half[1].span[dim].first = span->first + (span->last - span->first) / 2;
	}
}

void branch_box_genome(const struct branch_space *space, const struct branch_box *box, uint32_t level,
                       uint32_t genome[N_LAYER_GENE])
{
	memcpy(genome, space->root[box->root].genome, N_LAYER_GENE * sizeof(*genome));
	for (int i = 0; i < N_DIM; i++)
		genome[gene_of[i]] = box->span[i].first;
	genome[GENE_LEVEL] = level;
}

/* ---- bounds ----------------------------------------------------------------------------------------- */

/* The reason of the first limit that the least values exceed; VERDICT_OK: none. */
static uint32_t limit_exceeded(const struct layer_problem *layer, const double *value)
{
	for (unsigned i = 0; i < layer->n_metric; i++)
		if (value[layer->metric[i]] > layer->limit[i])
			return N_VERDICT + (uint32_t)layer->metric[i];
	for (unsigned i = 0; i < N_METRIC; i++)
		if (value[i] > layer->layer_limit[i])
			return N_VERDICT + i;
	return VERDICT_OK;
}

static void apply_bound(const struct branch_space *space, const struct range_bound *range, struct branch_box *box,
                        double *least, struct branch_bound *bound)
{
	const struct layer_problem *layer = space->layer;
	const unsigned n_metric = layer->n_metric;
	bool all_over = true, has_pairs = space->n_own_level < space->n_level;
	struct bound_runs runs;
	runs.known = 0;
	bound->over_limit = 0;
	bound->score = 1;
	for (uint32_t row = 0; row < space->n_bound;) {
		double value[BOUND_PAIR_CELL][N_METRIC];
		uint32_t level = branch_row_level(space, row);
		uint32_t n = branch_level_row(space, level + 1) - row;
		bool is_counted =
		    level < space->n_own_level
			? bound_metrics(layer->space, space->root[box->root].context, range, layer->level[level],
		                        layer->with_slower, has_pairs ? &runs : NULL, value[0])
			: bound_plan_metrics(layer->space, space->root[box->root].context, range, layer->level[level],
		                             &runs, value);
		for (uint32_t cell = 0; cell < n; cell++, row++) {
			uint32_t over = is_counted ? limit_exceeded(layer, value[cell]) : VERDICT_CLOCKS;
			for (unsigned i = 0; i < n_metric; i++) {
				double own = value[cell][layer->metric[i]];
				bound->score *= row == 0 && own > 0 ? own : 1;
				least[row * n_metric + i] = over == VERDICT_OK ? own : INFINITY;
			}
			all_over &= over != VERDICT_OK;
			if (over == VERDICT_OK)
				continue;
			box->reason = over;
			if (over >= N_VERDICT)
				bound->over_limit |= UINT32_C(1) << (over - N_VERDICT);
		}
	}
	if (!all_over)
		box->reason = LAYER_REASON_BOUND;
}

static struct dim_range range_of(const struct branch_axis *axis, const struct branch_span *span)
{
	return bound_range(axis->axis->choice, span->first, span->last, axis->extent, axis->step);
}

void branch_box_bound(const struct branch_space *space, struct branch_box *box, double *least,
                      struct branch_bound *bound)
{
	const struct layer_problem *layer = space->layer;
	const struct branch_root *root = &space->root[box->root];
	const struct split_range range = {
	    .w = range_of(&space->axis[DIM_W], &box->span[DIM_W]),
	    .h = range_of(&space->axis[DIM_H], &box->span[DIM_H]),
	    .c = range_of(&space->axis[DIM_C], &box->span[DIM_C]),
	    .d = range_of(&space->axis[DIM_D], &box->span[DIM_D]),
	};
	struct range_bound of_range;
	bool is_fast = layer->detail == DETAIL_FAST;
	bound->runs = mapper_bound_range(root->context, &root->design, &range, is_fast, &of_range, &bound->verdict);
	if (bound->runs) {
		apply_bound(space, &of_range, box, least, bound);
		return;
	}
	box->reason = bound->verdict.reason;
	bound->over_limit = 0;
	bound->score = 0;
	for (uint32_t i = 0; i < space->n_bound * layer->n_metric; i++)
		least[i] = -1;
}

bool branch_least(const struct layer_problem *layer, double *least)
{
	struct arena arena = {0};
	struct branch_space space;
	double own[BRANCH_MAX_BOUND * N_METRIC];
	bool has_memory = branch_space_build(layer, &arena, &space);
	for (unsigned m = 0; m < layer->n_metric; m++)
		least[m] = INFINITY;
	for (uint32_t root = 0; has_memory && root < space.n_root; root++) {
		struct branch_box box[2];
		for (uint32_t n = branch_root_boxes(&space, root, box); n-- > 0;) {
			struct branch_bound bound;
			branch_box_bound(&space, &box[n], own, &bound);
			for (size_t i = 0; bound.runs && i < (size_t)space.n_bound * layer->n_metric; i++)
				least[i % layer->n_metric] = fmin(least[i % layer->n_metric], own[i]);
		}
	}
	arena_free(&arena);
	return has_memory;
}
