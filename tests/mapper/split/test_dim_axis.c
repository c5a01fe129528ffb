/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "mapper/split/split.h"
#include "sim/base/checked.h"
#include "sim/base/rng.h"
#include <string.h>

/* Try every a, b, m and n. */
static uint64_t count_by_hand(uint32_t n_unit, uint32_t max_part)
{
	uint64_t n_legal = 0;
	for (uint32_t n = 1; n <= max_part && n <= n_unit; n++) {
		n_legal += n_unit % n == 0;
		for (uint32_t m = 1; m < n; m++)
			for (uint32_t a = 2; a * m < n_unit; a++)
				for (uint32_t b = 1; b < a; b++)
					n_legal += a * m + b * (n - m) == n_unit;
	}
	return n_legal;
}

static void test_dim_axis_counts_legal_splits(void **state)
{
	(void)state;
	for (uint32_t n_unit = 1; n_unit <= 32; n_unit++)
		for (uint32_t max_part = 1; max_part <= n_unit + 1; max_part += 3) {
			uint64_t by_hand = count_by_hand(n_unit, max_part);

			assert_int_equal(dim_n_legal(n_unit, 1, max_part), by_hand);
			assert_int_equal(dim_n_legal(3 * n_unit, 3, max_part), by_hand);
		}
}

static void test_dim_axis_counts_large_extents(void **state)
{
	(void)state;
	/* 16385 units no longer fit the stack: 1 whole, and with two parts a + b = 16385 in 8192 ways. */
	assert_int_equal(dim_n_legal(16385, 1, 1), 1);
	assert_int_equal(dim_n_legal(16385, 1, 2), 1 + 8192);
	assert_int_equal(dim_n_legal(16384, 1, 2), 1 + 8192);
	assert_true(dim_n_legal(25088, 1, 25088) > dim_n_legal(25088, 1, 128));
}

static int compare_choice(const struct dim_split *a, const struct dim_split *b)
{
	if (dim_n_part(a) != dim_n_part(b))
		return dim_n_part(a) < dim_n_part(b) ? -1 : 1;
	if (a->size_a != b->size_a)
		return a->size_a < b->size_a ? -1 : 1;
	return (a->n_a > b->n_a) - (a->n_a < b->n_a);
}

static void check_choices(const struct dim_axis *axis, uint32_t extent, uint32_t step, uint32_t max_part)
{
	for (size_t i = 0; i < axis->n; i++) {
		const struct dim_split *dim = &axis->choice[i];

		assert_int_equal(dim_extent(dim), extent);
		assert_true(dim_n_part(dim) <= max_part);
		assert_true(dim->n_a > 0 && dim->size_a % step == 0 && dim->size_b % step == 0);
		assert_true((dim->n_b == 0) == (dim->size_b == 0) && dim->size_b < dim->size_a);
		if (i > 0)
			assert_true(compare_choice(&axis->choice[i - 1], dim) < 0);
	}
}

static void test_dim_axis_lists_every_legal_split_once(void **state)
{
	(void)state;
	for (uint32_t n_unit = 1; n_unit <= 60; n_unit++) {
		struct arena arena = {0};
		struct dim_axis axis;

		assert_int_equal(dim_axis_build(2 * n_unit, 2, 16, 20, SPLIT_ALL, &arena, &axis, NULL), ERR_OK);
		assert_int_equal(axis.n, axis.n_legal);
		assert_int_equal(axis.n, dim_n_legal(2 * n_unit, 2, 20));
		check_choices(&axis, 2 * n_unit, 2, 20);
		arena_free(&arena);
	}
}

static uint64_t sum_of_ceil(const struct dim_split *dim, uint32_t unit)
{
	return ceil_div(dim->size_a, unit) * dim->n_a + ceil_div(dim->size_b, unit) * dim->n_b;
}

static bool is_covered(const struct dim_split *by, const struct dim_split *of, uint32_t unit)
{
	return dim_n_part(by) == dim_n_part(of) && by->size_a <= of->size_a &&
	       sum_of_ceil(by, unit) <= sum_of_ceil(of, unit) && sum_of_ceil(by, 4) <= sum_of_ceil(of, 4);
}

/* Every legal split is covered by exactly the reduced ones that are at least as good; none of those covers another. */
static void test_dim_axis_reduced_set_loses_no_front_point(void **state)
{
	static const uint32_t units[] = {1, 4, 8, 16};
	struct rng rng = rng_stream(3, 0, 0);
	(void)state;
	for (unsigned i = 0; i < 150; i++) {
		uint32_t step = 1 + rng_below(&rng, 3), extent = step * (1 + rng_below(&rng, 70));
		uint32_t unit = units[rng_below(&rng, 4)];
		struct arena arena = {0};
		struct dim_axis all, reduced;

		assert_int_equal(dim_axis_build(extent, step, unit, extent, SPLIT_ALL, &arena, &all, NULL), ERR_OK);
		assert_int_equal(dim_axis_build(extent, step, unit, extent, SPLIT_REDUCED, &arena, &reduced, NULL),
		                 ERR_OK);
		assert_int_equal(all.n_legal, reduced.n_legal);
		check_choices(&reduced, extent, step, extent);
		for (size_t j = 0; j < all.n; j++) {
			size_t k = 0;

			while (k < reduced.n && !is_covered(&reduced.choice[k], &all.choice[j], unit))
				k++;
			assert_true(k < reduced.n);
		}
		for (size_t j = 0; j < reduced.n; j++)
			for (size_t k = 0; k < reduced.n; k++)
				assert_true(j == k || !is_covered(&reduced.choice[j], &reduced.choice[k], unit));
		arena_free(&arena);
	}
}

static void test_dim_axis_even_and_whole(void **state)
{
	struct arena arena = {0};
	struct dim_axis axis;
	(void)state;
	assert_int_equal(dim_axis_build(56, 2, 16, 100, SPLIT_EVEN, &arena, &axis, NULL), ERR_OK);
	assert_int_equal(axis.n, 28);
	check_choices(&axis, 56, 2, 28);
	for (size_t i = 0; i < axis.n; i++)
		assert_true(axis.choice[i].n_b == 0 || axis.choice[i].size_a - axis.choice[i].size_b == 2);
	assert_int_equal(dim_axis_build(56, 2, 16, 100, SPLIT_WHOLE, &arena, &axis, NULL), ERR_OK);
	assert_int_equal(axis.n, 1);
	assert_int_equal(axis.choice[0].size_a, 56);
	assert_int_equal(dim_axis_build(1, 1, 16, 1, SPLIT_REDUCED, &arena, &axis, NULL), ERR_OK);
	assert_int_equal(axis.n, 1);
	assert_int_equal(axis.n_legal, 1);
	arena_free(&arena);
}

static void test_dim_axis_refuses_lists_without_end(void **state)
{
	struct arena arena = {0};
	struct dim_axis axis;
	struct err err = {0};
	(void)state;
	assert_int_equal(dim_axis_build(1u << 20, 1, 1, 1u << 20, SPLIT_ALL, &arena, &axis, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "1048576"));
	assert_int_equal(axis.n, 0);
	err_clear(&err);
	arena_free(&arena);
}

/* The longest vector there may be: refused with the way out, or listed, but never worked on for hours. */
static void test_dim_axis_longest_vector(void **state)
{
	const uint32_t extent = 1u << 24;
	struct arena arena = {0};
	struct dim_axis axis;
	struct err err = {0};
	(void)state;
	assert_int_equal(dim_axis_build(extent, 1, 1, extent, SPLIT_REDUCED, &arena, &axis, &err), ERR_INPUT);
	assert_int_equal(dim_axis_build(extent, 1, 1, 100, SPLIT_REDUCED, &arena, &axis, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "'even', 'whole' or a smaller 'max_parts'"));
	assert_int_equal(dim_axis_build(extent, 1, 1, extent, SPLIT_EVEN, &arena, &axis, &err), ERR_INPUT);
	assert_int_equal(dim_axis_build(extent, 1, 1, 16, SPLIT_EVEN, &arena, &axis, NULL), ERR_OK);
	assert_int_equal(axis.n, 16);
	assert_int_equal(dim_axis_build(extent, 1, 1, extent, SPLIT_WHOLE, &arena, &axis, NULL), ERR_OK);
	assert_int_equal(axis.n, 1);
	err_clear(&err);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dim_axis_counts_legal_splits),
	    cmocka_unit_test(test_dim_axis_counts_large_extents),
	    cmocka_unit_test(test_dim_axis_lists_every_legal_split_once),
	    cmocka_unit_test(test_dim_axis_reduced_set_loses_no_front_point),
	    cmocka_unit_test(test_dim_axis_even_and_whole),
	    cmocka_unit_test(test_dim_axis_refuses_lists_without_end),
	    cmocka_unit_test(test_dim_axis_longest_vector),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
