/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reduced splits lose (almost) nothing: for every legal split of small random
 * convolutions some reduced split with the same strategy and places is as good
 * in latency, energy, DRAM bytes and SRAM. Peak power is left out on purpose: a
 * slower design needs less of it, so it does not grow with the features by which
 * splits are reduced (left in, designs up to a third lower are missed).
 */
#include "tests/support/unit_test.h"
#include "dse/space/machine_read.h"
#include "dse/layer/layer_problem.h"
#include "tests/support/evaluate_design.h"
#include "tests/support/random_block.h"
#include "tests/support/plain_block.h"
#include "tests/support/draws.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_CHECKED 4
static const enum metric checked[N_CHECKED] = {METRIC_LATENCY, METRIC_ENERGY, METRIC_DRAM, METRIC_SRAM_USED};

struct point {
	double value[N_CHECKED];
};

/* Nondominated points so far. */
struct front {
	struct point *point;
	size_t n, max;
};

/* By how much point has to grow in its worst metric until by is as good in all. */
static double excess(const struct point *by, const struct point *point)
{
	double worst = 0;
	for (int i = 0; i < N_CHECKED; i++)
		if (by->value[i] > point->value[i])
			worst = fmax(worst, by->value[i] / point->value[i] - 1);
	return worst;
}

static void add_point(struct front *front, const struct point *point)
{
	size_t kept = 0;
	for (size_t i = 0; i < front->n; i++)
		if (excess(&front->point[i], point) <= 0)
			return;
	for (size_t i = 0; i < front->n; i++)
		if (excess(point, &front->point[i]) > 0)
			front->point[kept++] = front->point[i];
	front->n = kept;
	if (front->n == front->max) {
		front->max = front->max ? 2 * front->max : 64;
		front->point = realloc(front->point, front->max * sizeof(*front->point));
		assert_non_null(front->point);
	}
	front->point[front->n++] = *point;
}

static double least_excess(const struct front *front, const struct point *point)
{
	double least = INFINITY;
	for (size_t i = 0; i < front->n && least > 1e-9; i++)
		least = fmin(least, excess(&front->point[i], point));
	return least;
}

struct axes {
	struct dim_axis w, h, c;
};

static void build_axes(const struct block *block, const struct machine *machine, enum split_choice which,
                       struct arena *arena, struct axes *axes)
{
	struct err err = {0};
	uint32_t step = block->pool;
	assert_int_equal(
	    dim_axis_build(block->out_w, step, machine->mla_cols, block->out_w, which, arena, &axes->w, &err), ERR_OK);
	assert_int_equal(dim_axis_build(block->out_h, step, 1, block->out_h, which, arena, &axes->h, &err), ERR_OK);
	assert_int_equal(dim_axis_build(block->out_c, 1, machine->mla_rows, block->out_c, which, arena, &axes->c, &err),
	                 ERR_OK);
}

static size_t n_split(const struct axes *axes)
{
	return axes->w.n * axes->h.n * axes->c.n;
}

/* Split number i of the axes; false when the design does not run. */
static bool evaluate_split(const struct layer_context *context, const struct axes *axes, size_t i,
                           struct layer_design *design, struct point *point)
{
	struct sim_result result;
	struct verdict verdict;
	double metric[N_METRIC];
	design->split.c = axes->c.choice[i % axes->c.n];
	design->split.h = axes->h.choice[i / axes->c.n % axes->h.n];
	design->split.w = axes->w.choice[i / axes->c.n / axes->h.n];
	design->split.d = dim_whole(context->block->in_c);
	if (!evaluate_design(context, design, &result, metric, &verdict))
		return false;
	for (int m = 0; m < N_CHECKED; m++)
		point->value[m] = metric[checked[m]];
	return true;
}

struct loss {
	size_t n_all, n_reduced, n_run, n_lost;
	double worst;
};

static void compare_design(const struct layer_context *context, const struct axes *all, const struct axes *reduced,
                           struct layer_design *design, struct loss *loss)
{
	struct front front = {0};
	struct point point;
	for (size_t i = 0; i < n_split(reduced); i++)
		if (evaluate_split(context, reduced, i, design, &point))
			add_point(&front, &point);
	for (size_t i = 0; i < n_split(all); i++) {
		if (!evaluate_split(context, all, i, design, &point))
			continue;
		double lost = least_excess(&front, &point);
		loss->n_run++;
		loss->n_lost += lost > 1e-9;
		loss->worst = fmax(loss->worst, lost);
	}
	free(front.point);
}

/* Strategies of the search on the thesis chip; loss [2]: ifmap and result in DRAM, and in the storage QPEs. */
static void compare_block(const struct block *block, struct loss *loss)
{
	static struct machine machine;
	struct err err = {0};
	struct arena arena = {0};
	struct axes all, reduced;
	struct layer_context context;
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &machine, &err), ERR_OK);
	mapper_prepare(block, &machine, 8, &context);
	build_axes(block, &machine, SPLIT_ALL, &arena, &all);
	build_axes(block, &machine, SPLIT_REDUCED, &arena, &reduced);
	for (int place = 0; place < 2; place++) {
		loss[place].n_all += n_split(&all);
		loss[place].n_reduced += n_split(&reduced);
	}
	for (int strategy = 0; strategy < N_PE_STRATEGY; strategy++)
		for (int place = 0; place < 2 && strategy_table[strategy].for_search; place++) {
			struct layer_design design = {.strategy = (enum strategy)strategy, .operand_bit = 8};
			design.in_storage = design.out_storage = place > 0;
			compare_design(&context, &all, &reduced, &design, &loss[place]);
		}
	arena_free(&arena);
}

static void print_loss(const char *what, const struct loss *loss)
{
	for (int place = 0; place < 2; place++)
		print_message("%s, %s: %zu of %zu splits; %zu of %zu designs not reached, worst %.2f %%\n", what,
		              place ? "storage QPEs" : "DRAM", loss[place].n_reduced, loss[place].n_all,
		              loss[place].n_lost, loss[place].n_run, 100 * loss[place].worst);
}

/*
 * A layer as networks have them: nothing is lost with ifmap and result in the
 * storage QPEs. In DRAM every task's result is rounded up to lines of 16 bytes,
 * which depends on how the parts of all three dimensions combine and not on the
 * features of each: uneven widths that happen to fill lines are missed.
 */
static void test_reduced_splits_of_a_layer(void **state)
{
	(void)state;
	struct loss loss[2] = {{0}, {0}};
	for (uint32_t kernel = draws_all() ? 1 : 3; kernel <= 3; kernel += 2) {
		struct block block = plain_conv(14, 32, draws_all() ? 32 : 24, kernel);
		block.has_acti = block.has_quan = true;
		compare_block(&block, loss);
	}
	print_loss("14x14x32", loss);
	assert_true(loss[0].n_run > 100000 && loss[1].n_run > 100000 && loss[0].n_reduced * 20 < loss[0].n_all);
	assert_int_equal(loss[1].n_lost, 0);
	assert_true(loss[0].n_lost * 10000 < loss[0].n_run);
	assert_true(loss[0].worst < 0.07);
}

/* Layers of a few pixels and odd channels: lines of maps and filters count, too. */
static void test_reduced_splits_of_tiny_layers(void **state)
{
	(void)state;
	struct rng rng = rng_stream(31, 0, 0);
	struct loss loss[2] = {{0}, {0}};
	const uint32_t n_layer = draws_all() ? 60 : 18;
	for (uint32_t i = 0; i < n_layer; i++) {
		struct block block = random_plain_conv(&rng, 12, 20);
		compare_block(&block, loss);
	}
	print_loss("tiny layers", loss);
	assert_true(loss[0].n_run > 1700 * n_layer && loss[1].n_run > 1700 * n_layer);
	for (int place = 0; place < 2; place++)
		assert_true(loss[place].n_lost * 400 < loss[place].n_run);
	assert_true(loss[0].worst < 0.1 && loss[1].worst < 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_reduced_splits_of_a_layer),
	    cmocka_unit_test(test_reduced_splits_of_tiny_layers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
