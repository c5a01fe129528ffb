/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/dominance.h"
#include "sim/base/rng.h"
#include "tests/support/unit_test.h"
#include <math.h>

enum { MAX_POINT = 3000 };

static bool naive_covers(double (*point)[DOMINANCE_MAX_DIM], size_t n, unsigned n_dim, const double *asked)
{
	for (size_t i = 0; i < n; i++) {
		bool below = true;
		for (unsigned k = 0; k < n_dim; k++)
			below &= point[i][k] <= asked[k];
		if (below)
			return true;
	}
	return false;
}

/* Three kinds of clouds: a coarse grid (many equal coordinates), a fine shell (few points cover others), a falling
 * line. */
static void draw_point(struct rng *rng, unsigned kind, unsigned n_dim, size_t number, double *point)
{
	double sum = 0.0;
	for (unsigned k = 0; k < n_dim; k++) {
		point[k] = kind == 0 ? rng_below(rng, 12) : rng_unit(rng);
		sum += point[k];
	}
	for (unsigned k = 0; k < n_dim && kind == 1; k++)
		point[k] = point[k] / sum + 1e-3 * rng_unit(rng);
	if (kind == 2) {
		for (unsigned k = 0; k < n_dim; k++)
			point[k] = (double)MAX_POINT - (double)number + 0.1 * point[k];
		if (n_dim > 1 && number % 2)
			point[0] = -point[1];
	}
}

static void test_dominance_equals_naive_search(void **state)
{
	static double point[MAX_POINT][DOMINANCE_MAX_DIM];
	struct dominance set = {0};
	(void)state;
	/* One set for all, so that what a reset must forget would show. */
	for (uint32_t number = 0; number < 72; number++) {
		struct rng rng = rng_stream(4, 0, number);
		unsigned n_dim = number / 3 % (DOMINANCE_MAX_DIM + 1), kind = number % 3;
		size_t n_asked = number < 24 ? MAX_POINT : 200, n = 0;
		dominance_reset(&set, n_dim);
		for (size_t i = 0; i < n_asked; i++) {
			draw_point(&rng, kind, n_dim, i, point[n]);
			bool covered = dominance_covers(&set, point[n]);
			assert_int_equal(covered, naive_covers(point, n, n_dim, point[n]));
			if (covered)
				continue;
			assert_true(dominance_add(&set, point[n]));
			n++;
			assert_int_equal(set.n, n);
			assert_true(dominance_covers(&set, point[n - 1]));
		}
	}
	dominance_free(&set);
}

/* The last of three coordinates takes few values: one, two, as many as make a tree of any shape. */
static void test_dominance_with_levels_equals_naive_search(void **state)
{
	static double point[MAX_POINT][DOMINANCE_MAX_DIM];
	double level[70];
	struct dominance set = {0};
	(void)state;
	for (size_t i = 0; i < 70; i++)
		level[i] = 3.0 + 0.5 * (double)i;
	for (uint32_t number = 0; number < 70; number++) {
		struct rng rng = rng_stream(5, 0, number);
		size_t n = 0;
		dominance_reset(&set, 3);
		assert_true(dominance_set_levels(&set, level, number + 1));
		for (size_t i = 0; i < 400; i++) {
			draw_point(&rng, number % 2, 3, i, point[n]);
			/* questions may lie between levels, below and above them */
			point[n][2] = 2.0 + 0.25 * rng_below(&rng, 4 * number + 8);
			bool covered = dominance_covers(&set, point[n]);
			assert_int_equal(covered, naive_covers(point, n, 3, point[n]));
			point[n][2] = level[rng_below(&rng, number + 1)];
			if (naive_covers(point, n, 3, point[n]))
				continue;
			assert_true(dominance_add(&set, point[n]));
			assert_true(dominance_covers(&set, point[n]));
			n++;
		}
	}
	dominance_free(&set);
}

/* 2000 steps, most of them covered by one point later: blocks open, split, shift and close. */
static void test_dominance_staircase_grows_and_shrinks(void **state)
{
	struct dominance set = {0};
	(void)state;
	dominance_reset(&set, 2);
	for (int i = 0; i < 2000; i++) {
		int x = i * 997 % 2000; /* each of 0..1999 once */
		assert_true(dominance_add(&set, (double[]){x, 2000 - x}));
	}
	assert_true(set.stair.n_block >= 2000 / 64);
	for (int x = 0; x < 2000; x++) {
		assert_true(dominance_covers(&set, (double[]){x, 2000 - x}));
		assert_false(dominance_covers(&set, (double[]){x, 1999.5 - x}));
	}
	assert_true(dominance_add(&set, (double[]){100.5, 50.5}));
	assert_true(set.stair.n_block <= 8);
	assert_true(dominance_covers(&set, (double[]){101, 51}));
	assert_false(dominance_covers(&set, (double[]){100, 1899}));
	assert_true(dominance_covers(&set, (double[]){1950, 50}));
	assert_false(dominance_covers(&set, (double[]){1949, 50}));
	dominance_free(&set);
}

static void test_dominance_empty_set_covers_nothing(void **state)
{
	const double high[DOMINANCE_MAX_DIM] = {9, 9, 9, 9, 9, 9, 9};
	struct dominance set = {0};
	(void)state;
	for (unsigned n_dim = 0; n_dim <= DOMINANCE_MAX_DIM; n_dim++) {
		dominance_reset(&set, n_dim);
		assert_false(dominance_covers(&set, high));
		assert_true(dominance_add(&set, (double[DOMINANCE_MAX_DIM]){0}));
		assert_true(dominance_covers(&set, high));
		dominance_reset(&set, n_dim);
		assert_false(dominance_covers(&set, high));
	}
	dominance_free(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dominance_equals_naive_search),
	    cmocka_unit_test(test_dominance_with_levels_equals_naive_search),
	    cmocka_unit_test(test_dominance_staircase_grows_and_shrinks),
	    cmocka_unit_test(test_dominance_empty_set_covers_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
