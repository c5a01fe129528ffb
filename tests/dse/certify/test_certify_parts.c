/* SPDX-License-Identifier: Apache-2.0 */
/* What the checker of certificates lists and adds up by itself, against definitions tried one by one. */
#include "tests/support/unit_test.h"

#include "dse/certify/certify_parts.h"
#include "sim/base/rng.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_split(uint32_t extent, uint32_t step, uint32_t max_part, const struct dim_split *split)
{
	return dim_extent(split) == extent && split->n_a > 0 && dim_n_part(split) <= max_part &&
	       split->size_a % step == 0 && split->size_b % step == 0 && split->size_a > split->size_b &&
	       (split->n_b > 0) == (split->size_b > 0);
}

/* Every pair of sizes and of numbers of parts. */
static size_t count_splits(uint32_t extent, uint32_t step, uint32_t max_part)
{
	size_t n = 0;
	for (uint32_t a = step; a <= extent; a += step)
		for (uint32_t n_a = 1; n_a * a <= extent; n_a++) {
			n += n_a * a == extent && n_a <= max_part;
			for (uint32_t b = step; b < a; b += step)
				n += (extent - n_a * a) % b == 0 && extent > n_a * a &&
				     n_a + (extent - n_a * a) / b <= max_part;
		}
	return n;
}

static void test_certify_splits_are_all_that_there_are(void **state)
{
	(void)state;
	for (uint32_t extent = 1; extent <= 60; extent++)
		for (uint32_t step = 1; step <= 3; step++)
			for (uint32_t max_part = 1; max_part <= 40 && extent % step == 0; max_part += 13) {
				struct certify_splits *lists = NULL;
				const struct dim_choice choice = {.choice = SPLIT_ALL, .max_part = max_part};
				const struct certify_splits *list =
				    certify_list_splits(&lists, extent, step, 1, &choice);
				assert_int_equal(list->n, count_splits(extent, step, max_part));
				for (uint32_t i = 0; i < list->n; i++)
					assert_true(is_split(extent, step, max_part, &list->split[i]));
				for (uint32_t i = 1; i < list->n; i++)
					assert_memory_not_equal(&list->split[i - 1], &list->split[i],
					                        sizeof(*list->split));
				certify_free_splits(lists);
			}
}

static void check_order(const struct certify_splits *list, const struct dim_axis *axis)
{
	assert_int_equal(list->n, axis->n);
	assert_memory_equal(list->split, axis->choice, axis->n * sizeof(*axis->choice));
}

/* The search names splits by their places in its lists, which are the same. */
static void test_certify_splits_stand_where_the_mapper_has_them(void **state)
{
	static const uint32_t extent[] = {7, 56, 224, 512, 1000};
	static const enum split_choice which[] = {SPLIT_ALL, SPLIT_EVEN, SPLIT_WHOLE};
	(void)state;
	for (size_t i = 0; i < 15; i++) {
		struct certify_splits *lists = NULL;
		struct arena arena = {0};
		struct dim_axis axis;
		const struct dim_choice choice = {.choice = which[i % 3], .max_part = i % 2 ? UINT32_MAX : 30};
		uint32_t own = extent[i / 3], step = own % 2 == 0 && i % 2 ? 2 : 1;
		assert_int_equal(dim_axis_build(own, step, 4, choice.max_part, choice.choice, &arena, &axis, NULL),
		                 ERR_OK);
		check_order(certify_list_splits(&lists, own, step, 1, &choice), &axis);
		assert_int_equal(dim_axis_build_groups(6, own, choice.max_part, choice.choice, &arena, &axis, NULL),
		                 ERR_OK);
		check_order(certify_list_splits(&lists, 6 * own, 1, 6, &choice), &axis);
		certify_free_splits(lists);
		arena_free(&arena);
	}
}

/* ---- sums ---- */

static struct certify_points draw_points(struct rng *rng, const struct certify_sums *sums, size_t n)
{
	struct certify_points points = {n, calloc(n * sums->n_metric + 1, sizeof(double))};
	assert_non_null(points.value);
	for (size_t i = 0; i < n * sums->n_metric; i++)
		points.value[i] = rng_below(rng, 12);
	certify_points_clean(sums, &points);
	return points;
}

static bool is_below(const double *a, const double *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (a[i] > b[i])
			return false;
	return true;
}

static bool has_below(const struct certify_points *points, const double *value, unsigned n)
{
	for (size_t i = 0; i < points->n; i++)
		if (is_below(points->value + i * n, value, n))
			return true;
	return false;
}

/* Each sum that keeps the limits lies behind a point that is one, and no point lies behind another. */
static void check_join(const struct certify_sums *sums, const struct certify_points *left,
                       const struct certify_points *right, const struct certify_points *joined)
{
	const unsigned n = sums->n_metric;
	size_t *n_equal = calloc(joined->n + 1, sizeof(*n_equal));
	assert_non_null(n_equal);
	for (size_t i = 0; i < left->n * right->n; i++) {
		double value[N_METRIC];
		bool keeps = true;
		for (unsigned k = 0; k < n; k++) {
			double a = left->value[i / right->n * n + k], b = right->value[i % right->n * n + k];
			value[k] = sums->is_most[k] ? fmax(a, b) : a + b;
			keeps &= value[k] <= sums->limit[k];
		}
		assert_true(!keeps || has_below(joined, value, n));
		for (size_t k = 0; k < joined->n && keeps; k++)
			n_equal[k] += memcmp(joined->value + k * n, value, n * sizeof(*value)) == 0;
	}
	for (size_t i = 0; i < joined->n; i++) {
		assert_true(n_equal[i] > 0);
		for (size_t k = 0; k < joined->n; k++)
			assert_true(i == k || right->n == 1 ||
			            !is_below(joined->value + i * n, joined->value + k * n, n));
	}
	free(n_equal);
}

static void test_certify_join_has_all_sums(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 400; number++) {
		struct rng rng = rng_stream(22, 2, number);
		struct stop_watch watch = stop_watch_for(NULL);
		struct certify_sums sums = {.n_metric = 1 + number % 4, .watch = &watch};
		for (unsigned i = 0; i < sums.n_metric; i++) {
			sums.is_most[i] = rng_below(&rng, 4) == 0;
			sums.limit[i] = rng_below(&rng, 3) ? (double)INFINITY : 14;
		}
		struct certify_points left = draw_points(&rng, &sums, 1 + rng_below(&rng, 30));
		struct certify_points right = draw_points(&rng, &sums, rng_below(&rng, 30));
		struct certify_points joined = certify_join(&sums, &left, &right);
		check_join(&sums, &left, &right, &joined);
		assert_int_equal(sums.n_sum, left.n * right.n);
		free(joined.value);
		free(left.value);
		free(right.value);
	}
}

/* Sets that are too large become lower bounds of what they were. */
static void test_certify_unite_bounds_large_sets_from_below(void **state)
{
	enum { N = 6000 };
	struct rng rng = rng_stream(22, 3, 0);
	struct stop_watch watch = stop_watch_for(NULL);
	struct certify_sums sums = {.n_metric = 3, .watch = &watch};
	struct certify_points half[2], kept = {0};
	(void)state;
	kept.value = calloc(2 * 3 * N, sizeof(double));
	assert_non_null(kept.value);
	for (int h = 0; h < 2; h++) {
		half[h] = (struct certify_points){N, calloc(3 * N, sizeof(double))};
		assert_non_null(half[h].value);
		for (size_t i = 0; i < N; i++) {
			double *row = half[h].value + 3 * i;
			row[0] = 1 + (double)rng_below(&rng, 1000000);
			row[1] = 1 + (double)rng_below(&rng, 1000000);
			row[2] = 1e12 / row[0] / row[1];
		}
		certify_points_clean(&sums, &half[h]);
		memcpy(kept.value + 3 * kept.n, half[h].value, 3 * half[h].n * sizeof(double));
		kept.n += half[h].n;
	}
	struct certify_points both = certify_unite(&sums, half[0], half[1]);
	assert_true(both.n > 0 && both.n <= 8192 && kept.n > 8192);
	for (size_t i = 0; i < kept.n; i += 7)
		assert_true(has_below(&both, kept.value + 3 * i, 3));
	free(both.value);
	free(kept.value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_certify_splits_are_all_that_there_are),
	    cmocka_unit_test(test_certify_splits_stand_where_the_mapper_has_them),
	    cmocka_unit_test(test_certify_join_has_all_sums),
	    cmocka_unit_test(test_certify_unite_bounds_large_sets_from_below),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
