/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/nondominated.h"
#include "dse/pareto/pareto.h"
#include "sim/base/rng.h"
#include "tests/support/unit_test.h"
#include <math.h>
#include <stdlib.h>

enum { MAX_POINT = 2500, MAX_DIM = 6, STRIDE = MAX_DIM + 1 };

/* Grids (ties, duplicates), clouds, shells (all on the front), chains (one point a front), infinite values. */
static void draw_points(struct rng *rng, unsigned kind, unsigned n_objective, size_t n, double *point)
{
	for (size_t i = 0; i < n; i++) {
		double *row = point + i * n_objective, sum = 0.0;
		for (unsigned k = 0; k < n_objective; k++) {
			row[k] = kind == 0 ? rng_below(rng, 5) : rng_unit(rng);
			sum += row[k];
		}
		for (unsigned k = 0; k < n_objective && (kind == 2 || kind == 5); k++)
			row[k] /= sum;
		for (unsigned k = 0; k < n_objective && kind == 3; k++)
			row[k] = (double)(i * 7919 % n) * (k + 1.0);
		/* Shells one of whose objectives takes three values. */
		if (kind == 5)
			row[n % n_objective] = rng_below(rng, 3);
		if (kind == 4 && i % 5 == 0)
			row[rng_below(rng, n_objective)] = i % 2 ? INFINITY : -INFINITY;
	}
}

static bool covers(const double *a, const double *b, unsigned n_objective)
{
	for (unsigned k = 0; k < n_objective; k++) {
		if (a[k] > b[k])
			return false;
	}
	return true;
}

static bool is_kept(const double *point, size_t n, unsigned n_objective, size_t at)
{
	const double *own = point + at * n_objective;
	for (size_t i = 0; i < n; i++) {
		const double *other = point + i * n_objective;
		if (i != at && covers(other, own, n_objective) && (i < at || !covers(own, other, n_objective)))
			return false;
	}
	return true;
}

static void sort_rows(double *point, size_t n, unsigned n_objective)
{
	for (size_t i = 1; i < n; i++) {
		for (size_t at = i; at > 0; at--) {
			double *own = point + at * n_objective, *before = own - n_objective;
			unsigned k = 0;
			while (k + 1 < n_objective && own[k] == before[k])
				k++;
			if (own[k] >= before[k])
				break;
			for (k = 0; k < n_objective; k++) {
				double kept = own[k];
				own[k] = before[k];
				before[k] = kept;
			}
		}
	}
}

static void assert_kept(const double *point, size_t n, unsigned n_objective, const bool *keep, size_t n_kept)
{
	size_t n_expected = 0;
	for (size_t i = 0; i < n; i++) {
		bool expected = is_kept(point, n, n_objective, i);
		assert_int_equal(keep[i], expected);
		n_expected += expected;
	}
	assert_int_equal(n_kept, n_expected);
}

static void test_nondominated_filter_of_ordered_equals_naive(void **state)
{
	double *point = calloc(MAX_POINT * MAX_DIM, sizeof(*point));
	bool keep[MAX_POINT];
	(void)state;
	for (uint32_t number = 0; number < 120; number++) {
		struct rng rng = rng_stream(37, 0, number);
		unsigned n_objective = 1 + number % MAX_DIM, kind = number / MAX_DIM % 6;
		size_t n = rng_below(&rng, 120), n_kept;
		draw_points(&rng, kind, n_objective, n, point);
		sort_rows(point, n, n_objective);
		assert_true(nondominated_filter_ordered(point, n, n_objective, keep, &n_kept));
		assert_kept(point, n, n_objective, keep, n_kept);
	}
	free(point);
}

static void test_nondominated_filter_equals_naive(void **state)
{
	double *point = calloc(MAX_POINT * MAX_DIM, sizeof(*point));
	bool keep[MAX_POINT];
	(void)state;
	for (uint32_t number = 0; number < 360; number++) {
		struct rng rng = rng_stream(31, 0, number);
		unsigned n_objective = 1 + number % MAX_DIM, kind = number / MAX_DIM % 6;
		size_t n = number < 36 ? MAX_POINT : rng_below(&rng, 120), n_kept;
		draw_points(&rng, kind, n_objective, n, point);
		assert_true(nondominated_filter(point, n, n_objective, keep, &n_kept));
		assert_kept(point, n, n_objective, keep, n_kept);
	}
	free(point);
}

/* Peel off front after front. */
static void naive_rank(const double *point, size_t n, unsigned n_objective, enum nondominated_equal equal,
                       uint32_t *rank)
{
	size_t n_left = n;
	for (size_t i = 0; i < n; i++)
		rank[i] = UINT32_MAX;
	for (uint32_t front = 0; n_left > 0; front++) {
		for (size_t i = 0; i < n; i++) {
			const double *own = point + i * n_objective;
			bool free_of = rank[i] == UINT32_MAX;
			for (size_t k = 0; k < n && free_of; k++) {
				const double *other = point + k * n_objective;
				bool same = covers(other, own, n_objective) && covers(own, other, n_objective);
				bool beats = pareto_dominates(other, own, n_objective) ||
				             (equal == EQUAL_BEHIND && same && k < i);
				free_of = !(beats && (rank[k] == UINT32_MAX || rank[k] == front));
			}
			if (free_of) {
				rank[i] = front;
				n_left--;
			}
		}
	}
}

static void test_nondominated_rank_equals_peeling(void **state)
{
	static double point[MAX_POINT * MAX_DIM];
	static uint32_t rank[MAX_POINT], expected[MAX_POINT];
	struct nondominated memory;
	(void)state;
	assert_true(nondominated_init(&memory, MAX_POINT));
	for (uint32_t number = 0; number < 300; number++) {
		struct rng rng = rng_stream(32, 0, number);
		unsigned n_objective = 1 + number % MAX_DIM, kind = number / MAX_DIM % 5;
		enum nondominated_equal equal = number % 7 < 4 ? EQUAL_SHARE : EQUAL_BEHIND;
		size_t n = rng_below(&rng, 100);
		draw_points(&rng, kind, n_objective, n, point);
		naive_rank(point, n, n_objective, equal, expected);
		uint32_t n_front = nondominated_rank(&memory, point, n_objective, n_objective, NULL, n, equal, rank);
		uint32_t largest = 0;
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(rank[i], expected[i]);
			largest = rank[i] + 1 > largest ? rank[i] + 1 : largest;
		}
		assert_int_equal(n_front, largest);
	}
	nondominated_free(&memory);
}

/* Large sets: each point ranks one behind the worst of those that dominate it. */
static void test_nondominated_rank_of_large_sets(void **state)
{
	double *point = calloc(MAX_POINT * MAX_DIM, sizeof(*point));
	static uint32_t rank[MAX_POINT];
	struct nondominated memory;
	(void)state;
	assert_true(nondominated_init(&memory, MAX_POINT));
	for (uint32_t number = 0; number < 20; number++) {
		struct rng rng = rng_stream(33, 0, number);
		unsigned n_objective = 1 + number % 4, kind = number / 4;
		draw_points(&rng, kind, n_objective, MAX_POINT, point);
		nondominated_rank(&memory, point, n_objective, n_objective, NULL, MAX_POINT, EQUAL_SHARE, rank);
		for (size_t i = 0; i < MAX_POINT; i++) {
			uint32_t expected = 0;
			for (size_t k = 0; k < MAX_POINT; k++) {
				if (rank[k] >= expected &&
				    pareto_dominates(point + k * n_objective, point + i * n_objective, n_objective))
					expected = rank[k] + 1;
			}
			assert_int_equal(rank[i], expected);
		}
	}
	nondominated_free(&memory);
	free(point);
}

/*
 * Three objectives, root of n fronts each as wide as that, where the one behind begins before the other ends:
 * shells one above the other, some of their points twice, or curves that rise along objective 0.
 */
static void draw_fronts(struct rng *rng, bool shells, size_t n, size_t stride, double *point)
{
	double n_front = floor(sqrt((double)n));
	for (size_t i = 0; i < n; i++) {
		double *row = point + i * stride, front = rng_below(rng, (uint32_t)n_front);
		double a = rng_unit(rng), b = rng_unit(rng), c = rng_unit(rng), sum = a + b + c;
		row[0] = shells ? a / sum + front : 0.001 * c + front / n_front;
		row[1] = shells ? b / sum + front : a + 0.01 * front / n_front;
		row[2] = shells ? c / sum + front : 1.0 - a + 0.01 * front / n_front;
		for (unsigned k = 0; k < 3 && shells && i > 0 && i % 7 == 0; k++)
			row[k] = point[(i - 1) * stride + k];
	}
}

/* Sizes on both sides of where the way of ranking and the depth of its trees change; equal points either way. */
static void test_nondominated_rank_of_many_fronts(void **state)
{
	enum { MAX_N = 9000, WIDE = 5 };
	static const size_t size[] = {512, 513, 700, 1025, 4096, 4097, MAX_N};
	double *point = calloc(MAX_N * WIDE, sizeof(*point));
	uint32_t *rank = calloc(MAX_N, sizeof(*rank));
	struct nondominated memory;
	(void)state;
	assert_true(nondominated_init(&memory, MAX_N));
	for (uint32_t number = 0; number < 4 * sizeof(size) / sizeof(*size); number++) {
		struct rng rng = rng_stream(35, 0, number);
		size_t n = size[number / 4], stride = number % 3 ? 3 : WIDE;
		enum nondominated_equal equal = number % 4 < 2 ? EQUAL_SHARE : EQUAL_BEHIND;
		uint32_t most = 0;
		draw_fronts(&rng, number % 2, n, stride, point);
		uint32_t n_front = nondominated_rank(&memory, point, stride, 3, NULL, n, equal, rank);
		for (size_t i = 0; i < n; i++) {
			const double *own = point + i * stride;
			uint32_t expected = 0;
			for (size_t k = 0; k < n; k++) {
				const double *other = point + k * stride;
				if (k == i || rank[k] < expected || !covers(other, own, 3))
					continue;
				if (!covers(own, other, 3) || (equal == EQUAL_BEHIND && k < i))
					expected = rank[k] + 1;
			}
			assert_int_equal(rank[i], expected);
			most = rank[i] > most ? rank[i] : most;
		}
		assert_int_equal(n_front, most + 1);
		assert_true(n_front > 4);
	}
	nondominated_free(&memory);
	free(point);
	free(rank);
}

static void test_nondominated_rank_of_a_chain_is_its_place(void **state)
{
	enum { N = 20000 };
	double *point = calloc(N * 3, sizeof(*point));
	uint32_t *rank = calloc(N, sizeof(*rank));
	struct nondominated memory;
	(void)state;
	assert_true(nondominated_init(&memory, N));
	for (unsigned n_objective = 1; n_objective <= 3; n_objective++) {
		for (size_t i = 0; i < N; i++) {
			for (unsigned k = 0; k < n_objective; k++)
				point[i * n_objective + k] = (double)(i * 7919 % N);
		}
		assert_int_equal(
		    nondominated_rank(&memory, point, n_objective, n_objective, NULL, N, EQUAL_SHARE, rank), N);
		for (size_t i = 0; i < N; i++)
			assert_int_equal(rank[i], i * 7919 % N);
	}
	nondominated_free(&memory);
	free(point);
	free(rank);
}

/* Rows longer than their objectives, and only some of them. */
static void test_nondominated_rank_of_chosen_rows(void **state)
{
	double point[40 * STRIDE], dense[20 * 3];
	uint32_t at[20], rank[40], expected[20];
	struct nondominated memory;
	(void)state;
	assert_true(nondominated_init(&memory, 40));
	for (uint32_t number = 0; number < 50; number++) {
		struct rng rng = rng_stream(34, 0, number);
		for (size_t i = 0; i < 40 * STRIDE; i++)
			point[i] = rng_below(&rng, 9);
		for (uint32_t i = 0; i < 40; i++)
			rank[i] = 99;
		for (uint32_t i = 0; i < 20; i++) {
			at[i] = 2 * i + 1;
			for (unsigned k = 0; k < 3; k++)
				dense[3 * i + k] = point[at[i] * STRIDE + k];
		}
		naive_rank(dense, 20, 3, EQUAL_BEHIND, expected);
		nondominated_rank(&memory, point, STRIDE, 3, at, 20, EQUAL_BEHIND, rank);
		for (uint32_t i = 0; i < 20; i++) {
			assert_int_equal(rank[at[i]], expected[i]);
			assert_int_equal(rank[2 * i], 99);
		}
		for (uint32_t i = 1; i < 20; i++) {
			const double *a = point + memory.item[i - 1].value * STRIDE;
			const double *b = point + memory.item[i].value * STRIDE;
			assert_true(a[0] < b[0] || (a[0] == b[0] && a[1] <= b[1]));
		}
	}
	nondominated_free(&memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nondominated_filter_equals_naive),
	    cmocka_unit_test(test_nondominated_filter_of_ordered_equals_naive),
	    cmocka_unit_test(test_nondominated_rank_equals_peeling),
	    cmocka_unit_test(test_nondominated_rank_of_large_sets),
	    cmocka_unit_test(test_nondominated_rank_of_many_fronts),
	    cmocka_unit_test(test_nondominated_rank_of_a_chain_is_its_place),
	    cmocka_unit_test(test_nondominated_rank_of_chosen_rows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
