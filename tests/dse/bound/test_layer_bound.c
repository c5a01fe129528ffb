/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds of boxes against brute force: random layers on random machines, random ranges of splits in each dimension, and
 * every design of the range, priced. No metric of any is below its bound, none runs where the bound says so.
 * Certificates rest on that. BOUNDS=N in the environment draws N boxes.
 */
#include "tests/support/unit_test.h"

#include "dse/bound/deadline.h"
#include "dse/bound/layer_bound.h"
#include "tests/support/random_layer.h"
#include "tests/support/draws.h"
#include <stdlib.h>

enum { MAX_DESIGN = 3000 };

static uint32_t n_box(void)
{
	return draws(100000, 10000);
}

struct box {
	const struct dim_axis *axis[N_BOUND_DIM];
	uint32_t first[N_BOUND_DIM], last[N_BOUND_DIM];
	struct split_range range;
};

/* Some choices of each dimension: of input channels whole ones or split ones. */
static uint64_t draw_box(struct rng *rng, const struct layer_problem *layer, const struct layer_context *context,
                         struct box *box)
{
	uint32_t extent[N_BOUND_DIM], step[N_BOUND_DIM];
	struct dim_range *const range[N_BOUND_DIM] = {&box->range.d, &box->range.w, &box->range.h, &box->range.c};
	uint64_t n = 1;
	bound_extents(context, extent, step);
	box->axis[BOUND_D] = &layer->d;
	box->axis[BOUND_W] = &layer->w;
	box->axis[BOUND_H] = &layer->h;
	box->axis[BOUND_C] = &layer->c;
	for (int i = 0; i < N_BOUND_DIM; i++) {
		const struct dim_axis *axis = box->axis[i];
		uint32_t first = rng_below(rng, (uint32_t)axis->n), last = (uint32_t)axis->n;
		if (i == BOUND_D && dim_n_part(&axis->choice[first]) == 1)
			for (last = first + 1; last < axis->n && dim_n_part(&axis->choice[last]) == 1;)
				last++;
		last = first + 1 + rng_below(rng, rng_below(rng, 2) ? 1 : last - first);
		box->first[i] = first;
		box->last[i] = last;
		*range[i] = bound_range(axis->choice, first, last, extent[i], step[i]);
		n *= last - first;
	}
	return n;
}

static bool price(const struct random_layer *f, const struct layer_context *context, const struct layer_design *design,
                  double *value)
{
	struct program program;
	struct verdict verdict;
	struct sim_result result;
	if (!mapper_distribute(context, design, &program, &verdict))
		return false;
	fast_run(context->machine, &program, design->level, &result);
	if (!mapper_judge_run(&result, &verdict))
		return false;
	metric_of_layer(context, design, &result, value);
	deadline_of_layer(&f->space, context->machine, value);
	return true;
}

struct seen {
	uint64_t n_design, n_dead, n_near;
	uint64_t n_slower, n_slower_near, n_better; /* n_better: designs below what bounds of the faster machine say */
};

/* One operating point of one design against the box's bound there. */
static void check_design(const struct random_layer *f, const struct layer_context *context,
                         const struct layer_design *design, const struct range_bound *bound, bool runs,
                         struct seen *seen)
{
	double value[N_METRIC], least[N_METRIC];
	if (!price(f, context, design, value))
		return;
	seen->n_design++;
	assert_true(runs);
	assert_true(bound_metrics(&f->space, context, bound, design->level, false, NULL, least));
	for (int i = 0; i < N_METRIC; i++)
		if (!(least[i] <= value[i]))
			fail_msg("%s of %s, %s, place %d%d%d: bound %.17g, design %.17g", metric_table[i].name,
			         context->block->name, strategy_table[design->strategy].name, design->in_storage,
			         design->out_storage, design->add_storage, least[i], value[i]);
	seen->n_near += least[METRIC_LATENCY] > value[METRIC_LATENCY] * 0.9;
}

/* The same design on a machine with slower clocks; slower NULL: there is none that tasks serve. */
static void check_slower(const struct random_layer *f, const struct layer_context *slower,
                         const struct layer_context *context, const struct layer_design *design,
                         const struct range_bound *bound, bool runs, struct seen *seen)
{
	double value[N_METRIC], least[N_METRIC], own[N_METRIC];
	if (!slower || !price(f, slower, design, value))
		return;
	seen->n_slower++;
	assert_true(runs);
	assert_true(bound_metrics(&f->space, context, bound, design->level, true, NULL, least));
	for (int i = 0; i < N_METRIC; i++)
		if (!(least[i] <= value[i]))
			fail_msg("%s of %s, %s, NoC %g to %g, DRAM %g to %g MHz: bound %.17g, design %.17g",
			         metric_table[i].name, context->block->name, strategy_table[design->strategy].name,
			         context->machine->noc_clk_mhz, slower->machine->noc_clk_mhz,
			         context->machine->dram_clk_mhz, slower->machine->dram_clk_mhz, least[i], value[i]);
	seen->n_slower_near += least[METRIC_LATENCY] > value[METRIC_LATENCY] * 0.9;
	assert_true(bound_metrics(&f->space, context, bound, design->level, false, NULL, own));
	seen->n_better += own[METRIC_LATENCY] > value[METRIC_LATENCY];
}

/* Slower clocks by little or much, of which tasks are served; false: there are none, or bounds do not hold for them. */
static bool draw_slower(struct rng *rng, const struct random_layer *f, const struct layer_context *context,
                        const struct layer_design *design, struct machine *machine, struct layer_context *slower)
{
	static const double frac[] = {1, 0.97, 0.9, 0.7, 0.5, 0.2};
	*machine = f->machine;
	machine->noc_clk_mhz *= frac[rng_below(rng, 6)];
	machine->dram_clk_mhz *= frac[rng_below(rng, 6)];
	mapper_prepare_form(&f->block, machine, design->operand_bit, design->form, slower);
	return !(f->space.deadline_ms > 0) && !mixed_is(&f->machine.level[design->level]) &&
	       mapper_kernels_serve(context, slower);
}

static void check_box(struct rng *rng, const struct random_layer *f, struct seen *seen)
{
	const struct layer_problem *layer = &f->layer;
	uint32_t genome[N_LAYER_GENE];
	struct layer_design design;
	struct range_bound bound;
	struct verdict verdict;
	struct box box;
	for (size_t i = 0; i < N_LAYER_GENE; i++)
		genome[i] = rng_below(rng, layer->n_value[i]);
	layer_problem_design(layer, genome, &design);
	const struct layer_context *context = layer_context_of(layer, &design);
	if (draw_box(rng, layer, context, &box) > MAX_DESIGN)
		return;
	struct machine machine;
	struct layer_context slower;
	bool has_slower = draw_slower(rng, f, context, &design, &machine, &slower);
	bool runs = mapper_bound_range(context, &design, &box.range, true, &bound, &verdict);
	seen->n_dead += !runs;
	uint32_t at[N_BOUND_DIM];
	for (at[0] = box.first[0]; at[0] < box.last[0]; at[0]++)
		for (at[1] = box.first[1]; at[1] < box.last[1]; at[1]++)
			for (at[2] = box.first[2]; at[2] < box.last[2]; at[2]++)
				for (at[3] = box.first[3]; at[3] < box.last[3]; at[3]++) {
					design.split.d = box.axis[BOUND_D]->choice[at[BOUND_D]];
					design.split.w = box.axis[BOUND_W]->choice[at[BOUND_W]];
					design.split.h = box.axis[BOUND_H]->choice[at[BOUND_H]];
					design.split.c = box.axis[BOUND_C]->choice[at[BOUND_C]];
					check_design(f, context, &design, &bound, runs, seen);
					check_slower(f, has_slower ? &slower : NULL, context, &design, &bound, runs,
					             seen);
				}
}

static void test_layer_bound_is_below_every_design_of_random_boxes(void **state)
{
	struct seen seen = {0};
	struct random_layer *f = calloc(1, sizeof(*f));
	struct rng rng = rng_stream(22, 1, 0);
	(void)state;
	assert_non_null(f);
	for (uint32_t i = 0; i < n_box(); i += 10) {
		(void)random_layer_fill(&rng, f);
		/* groups are of convolutions */
		for (int k = 0; k < 10 && !(f->block.kind == BLOCK_POOL && f->block.groups > 1); k++)
			check_box(&rng, f, &seen);
		layer_problem_free(&f->layer);
	}
	print_message("%llu designs, %llu bounds within a tenth, %llu boxes in which nothing runs\n",
	              (unsigned long long)seen.n_design, (unsigned long long)seen.n_near,
	              (unsigned long long)seen.n_dead);
	print_message("%llu on slower machines, %llu bounds within a tenth, %llu below the bounds of the faster one\n",
	              (unsigned long long)seen.n_slower, (unsigned long long)seen.n_slower_near,
	              (unsigned long long)seen.n_better);
	assert_true(seen.n_design > n_box() / 2 && seen.n_near > 0 && seen.n_dead > 0);
	assert_true(seen.n_slower > n_box() / 8 && seen.n_slower_near > 0);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_layer_bound_is_below_every_design_of_random_boxes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
