/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/pareto.h"
#include "sim/base/rng.h"
#include "tests/support/unit_test.h"
#include <string.h>

enum { MAX_POINT = 60, N_GENE = 2 };

struct cloud {
	unsigned n_objective;
	size_t n;
	double objective[MAX_POINT][PARETO_MAX_OBJECTIVE];
	uint32_t genome[MAX_POINT][N_GENE];
};

/* Points on a small grid, so that equal coordinates, equal points and equal genomes are frequent. */
static void draw_cloud(struct cloud *cloud, uint32_t number)
{
	struct rng rng = rng_stream(7, 0, number);
	cloud->n_objective = 1 + number % PARETO_MAX_OBJECTIVE;
	cloud->n = rng_below(&rng, MAX_POINT + 1);
	for (size_t i = 0; i < cloud->n; i++) {
		for (unsigned k = 0; k < cloud->n_objective; k++)
			cloud->objective[i][k] = rng_below(&rng, 6);
		for (unsigned k = 0; k < N_GENE; k++)
			cloud->genome[i][k] = rng_below(&rng, 300);
	}
}

static int compare_genome(const uint32_t *a, const uint32_t *b)
{
	for (unsigned i = 0; i < N_GENE; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static bool equal_objectives(const struct cloud *cloud, size_t a, size_t b)
{
	return memcmp(cloud->objective[a], cloud->objective[b], cloud->n_objective * sizeof(double)) == 0;
}

/* By the definition: nothing dominates it, nothing equal has a smaller genome. */
static bool belongs(const struct cloud *cloud, size_t at)
{
	for (size_t i = 0; i < cloud->n; i++) {
		if (pareto_dominates(cloud->objective[i], cloud->objective[at], cloud->n_objective))
			return false;
		if (equal_objectives(cloud, i, at) && compare_genome(cloud->genome[i], cloud->genome[at]) < 0)
			return false;
	}
	return true;
}

static bool holds(const struct pareto *archive, const double *objective, const uint32_t *genome)
{
	for (size_t i = 0; i < archive->n; i++) {
		if (memcmp(archive->objective + i * archive->n_objective, objective,
		           archive->n_objective * sizeof(*objective)) == 0)
			return compare_genome(archive->genome + i * N_GENE, genome) == 0;
	}
	return false;
}

static void assert_is_front(const struct pareto *archive, const struct cloud *cloud)
{
	size_t n_expected = 0;
	for (size_t i = 0; i < cloud->n; i++) {
		bool expected = belongs(cloud, i);
		assert_int_equal(holds(archive, cloud->objective[i], cloud->genome[i]), expected);
		bool counted = false; /* the same point twice is one point */
		for (size_t k = 0; k < i && !counted; k++)
			counted =
			    equal_objectives(cloud, i, k) && compare_genome(cloud->genome[i], cloud->genome[k]) == 0;
		n_expected += expected && !counted;
	}
	assert_int_equal(archive->n, n_expected);
}

static void test_pareto_dominates_needs_one_smaller(void **state)
{
	(void)state;
	assert_true(pareto_dominates((double[]){1, 2}, (double[]){1, 3}, 2));
	assert_false(pareto_dominates((double[]){1, 3}, (double[]){1, 3}, 2));
	assert_false(pareto_dominates((double[]){0, 4}, (double[]){1, 3}, 2));
	assert_true(pareto_dominates((double[]){1}, (double[]){2}, 1));
}

static void test_pareto_holds_front_of_random_points(void **state)
{
	struct cloud cloud;
	(void)state;
	for (uint32_t number = 0; number < 2000; number++) {
		struct pareto archive;
		draw_cloud(&cloud, number);
		pareto_init(&archive, cloud.n_objective, N_GENE);
		for (size_t i = 0; i < cloud.n; i++) {
			if (pareto_insert(&archive, cloud.objective[i], cloud.genome[i], i))
				assert_true(holds(&archive, cloud.objective[i], cloud.genome[i]));
			assert_true(archive.n >= 1 && archive.n_alloc >= archive.n);
		}
		assert_is_front(&archive, &cloud);
		pareto_free(&archive);
	}
}

static void test_pareto_does_not_depend_on_order(void **state)
{
	struct cloud cloud;
	(void)state;
	for (uint32_t number = 0; number < 800; number++) {
		struct pareto forward, halves, second;
		draw_cloud(&cloud, number);
		pareto_init(&forward, cloud.n_objective, N_GENE);
		pareto_init(&halves, cloud.n_objective, N_GENE);
		pareto_init(&second, cloud.n_objective, N_GENE);
		for (size_t i = 0; i < cloud.n; i++) {
			struct pareto *half = i % 2 ? &halves : &second;
			size_t back = cloud.n - 1 - i;
			pareto_insert(&forward, cloud.objective[i], cloud.genome[i], 0);
			pareto_insert(half, cloud.objective[back], cloud.genome[back], 0);
		}
		pareto_merge(&halves, &second);
		pareto_sort(&forward);
		pareto_sort(&halves);
		assert_int_equal(forward.n, halves.n);
		if (forward.n > 0) {
			assert_memory_equal(forward.objective, halves.objective,
			                    forward.n * cloud.n_objective * sizeof(double));
			assert_memory_equal(forward.genome, halves.genome, forward.n * N_GENE * sizeof(uint32_t));
		}
		pareto_free(&forward);
		pareto_free(&halves);
		pareto_free(&second);
	}
}

static void test_pareto_sort_orders_by_objectives(void **state)
{
	struct cloud cloud;
	(void)state;
	for (uint32_t number = 0; number < 400; number++) {
		struct pareto archive;
		draw_cloud(&cloud, number);
		pareto_init(&archive, cloud.n_objective, N_GENE);
		for (size_t i = 0; i < cloud.n; i++)
			pareto_insert(&archive, cloud.objective[i], cloud.genome[i], i);
		pareto_sort(&archive);
		for (size_t i = 0; i < archive.n; i++) {
			const double *own = archive.objective + i * cloud.n_objective;
			unsigned k = 0;
			/* The tag still belongs to its point. */
			assert_memory_equal(own, cloud.objective[archive.tag[i]], cloud.n_objective * sizeof(*own));
			if (i == 0)
				continue;
			while (k + 1 < cloud.n_objective && own[k] == (own - cloud.n_objective)[k])
				k++;
			assert_true(own[k] > (own - cloud.n_objective)[k]);
		}
		pareto_free(&archive);
	}
}

static void test_pareto_equal_points_keep_smaller_genome(void **state)
{
	struct pareto archive;
	(void)state;
	for (unsigned n_objective = 1; n_objective <= 3; n_objective++) {
		const double point[3] = {1, 2, 3};
		pareto_init(&archive, n_objective, N_GENE);
		assert_true(pareto_insert(&archive, point, (uint32_t[]){256, 1}, 10));
		assert_false(pareto_insert(&archive, point, (uint32_t[]){256, 1}, 11));
		assert_false(pareto_insert(&archive, point, (uint32_t[]){257, 0}, 12));
		assert_true(pareto_insert(&archive, point, (uint32_t[]){255, 9}, 13)); /* numbers, not bytes */
		assert_int_equal(archive.n, 1);
		assert_int_equal(archive.tag[0], 13);
		assert_int_equal(archive.genome[0], 255);
		pareto_free(&archive);
	}
}

static void test_pareto_covers_whatever_the_hint(void **state)
{
	struct cloud cloud;
	(void)state;
	for (uint32_t number = 0; number < 400; number++) {
		struct pareto archive;
		draw_cloud(&cloud, number);
		pareto_init(&archive, cloud.n_objective, N_GENE);
		for (size_t i = 0; i < cloud.n / 2; i++)
			pareto_insert(&archive, cloud.objective[i], cloud.genome[i], i);
		for (size_t i = cloud.n / 2; i < cloud.n; i++) {
			size_t hints[3] = {0, archive.n / 2, SIZE_MAX};
			bool covered[3];
			for (unsigned k = 0; k < 3; k++)
				covered[k] = pareto_covers(&archive, cloud.objective[i], cloud.genome[i], &hints[k]);
			assert_true(covered[0] == covered[1] && covered[1] == covered[2]);
			assert_int_equal(pareto_insert(&archive, cloud.objective[i], cloud.genome[i], i), !covered[0]);
		}
		pareto_free(&archive);
	}
}

static void test_pareto_works_without_genes(void **state)
{
	struct pareto archive;
	(void)state;
	pareto_init(&archive, 2, 0);
	assert_true(pareto_insert(&archive, (double[]){2, 2}, NULL, 0));
	assert_false(pareto_insert(&archive, (double[]){2, 2}, NULL, 0));
	assert_true(pareto_insert(&archive, (double[]){1, 3}, NULL, 0));
	assert_true(pareto_insert(&archive, (double[]){1, 1}, NULL, 0));
	assert_int_equal(archive.n, 1);
	pareto_free(&archive);
	assert_int_equal(archive.n, 0);
}

/* The first of the least; what lies behind the front in memory is none of its points. */
static void test_pareto_least_is_of_the_front(void **state)
{
	double objective[] = {5, 2, 4, 1, 3, 2, 3, 1, 0, 0};
	const struct pareto front = {.n_objective = 2, .n = 4, .objective = objective}, one = {.n_objective = 2, .n = 1, .objective = objective + 6};
	(void)state;
	assert_int_equal(pareto_least(&front, 0), 2);
	assert_int_equal(pareto_least(&front, 1), 1);
	assert_int_equal(pareto_least(&one, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pareto_dominates_needs_one_smaller),
	    cmocka_unit_test(test_pareto_holds_front_of_random_points),
	    cmocka_unit_test(test_pareto_does_not_depend_on_order),
	    cmocka_unit_test(test_pareto_sort_orders_by_objectives),
	    cmocka_unit_test(test_pareto_equal_points_keep_smaller_genome),
	    cmocka_unit_test(test_pareto_covers_whatever_the_hint),
	    cmocka_unit_test(test_pareto_works_without_genes),
	    cmocka_unit_test(test_pareto_least_is_of_the_front),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
