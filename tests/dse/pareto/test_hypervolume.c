/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/hypervolume.h"
#include "sim/base/rng.h"
#include "tests/support/unit_test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = HYPERVOLUME_MAX_OBJECTIVE, N_CELL = 7, MAX_POINT = 3000 };

static double volume_of(const double *point, size_t n, unsigned n_objective, const double *reference)
{
	double volume = -1.0;
	assert_true(hypervolume(point, n, n_objective, reference, &volume));
	return volume;
}

/* Points with whole coordinates 0..N_CELL: count the unit cells below the reference that some point is below. */
static double count_cells(const double *point, size_t n, unsigned n_objective, const double *reference)
{
	size_t n_cell = 1, n_covered = 0;
	for (unsigned k = 0; k < n_objective; k++)
		n_cell *= N_CELL;
	for (size_t cell = 0; cell < n_cell; cell++) {
		double corner[DIM];
		size_t left = cell;
		bool inside = true, covered = false;
		for (unsigned k = 0; k < n_objective; k++, left /= N_CELL) {
			corner[k] = (double)(left % N_CELL);
			inside &= corner[k] < reference[k];
		}
		for (size_t i = 0; i < n && inside && !covered; i++) {
			covered = true;
			for (unsigned k = 0; k < n_objective; k++)
				covered &= point[i * n_objective + k] <= corner[k];
		}
		n_covered += covered;
	}
	return (double)n_covered;
}

/* Inclusion and exclusion over all subsets. */
static double sum_subsets(const double *point, size_t n, unsigned n_objective, const double *reference)
{
	double sum = 0.0;
	for (size_t subset = 1; subset < (size_t)1 << n; subset++) {
		double corner[DIM], product = -1.0;
		for (unsigned k = 0; k < n_objective; k++)
			corner[k] = -INFINITY;
		for (size_t i = 0; i < n; i++) {
			if (!(subset >> i & 1))
				continue;
			product = -product;
			for (unsigned k = 0; k < n_objective; k++)
				corner[k] = fmax(corner[k], point[i * n_objective + k]);
		}
		for (unsigned k = 0; k < n_objective; k++)
			product *= fmax(reference[k] - corner[k], 0.0);
		sum += product;
	}
	return sum;
}

static void test_hypervolume_counts_cells_of_grids(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 1200; number++) {
		struct rng rng = rng_stream(21, 0, number);
		unsigned n_objective = 1 + number % DIM;
		size_t n = rng_below(&rng, 40);
		double point[40 * DIM], reference[DIM];
		/* Few values: many ties and duplicates; some points at or beyond the reference. */
		for (size_t i = 0; i < n * n_objective; i++)
			point[i] = rng_below(&rng, N_CELL + 1);
		for (unsigned k = 0; k < n_objective; k++)
			reference[k] = N_CELL - rng_below(&rng, 2);
		assert_true(volume_of(point, n, n_objective, reference) ==
		            count_cells(point, n, n_objective, reference));
	}
}

static void test_hypervolume_equals_inclusion_exclusion(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 600; number++) {
		struct rng rng = rng_stream(22, 0, number);
		unsigned n_objective = 1 + number % DIM;
		size_t n = rng_below(&rng, 10);
		double point[10 * DIM], reference[DIM];
		for (size_t i = 0; i < n * n_objective; i++)
			point[i] = 4.0 * rng_unit(&rng) - 2.0;
		for (unsigned k = 0; k < n_objective; k++)
			reference[k] = 1.0 + rng_unit(&rng);
		double expected = sum_subsets(point, n, n_objective, reference);
		double volume = volume_of(point, n, n_objective, reference);
		assert_true(fabs(volume - expected) <= 1e-11 * (1.0 + expected));
	}
}

/* A front that falls along a line; with a third and fourth objective that are worth the same everywhere. */
static void test_hypervolume_of_staircases_in_closed_form(void **state)
{
	const size_t n = 2000;
	double *point = calloc(n * DIM, sizeof(*point));
	(void)state;
	for (unsigned n_objective = 2; n_objective <= DIM; n_objective++) {
		for (size_t i = 0; i < n; i++) {
			point[i * n_objective] = (double)i;
			point[i * n_objective + 1] = (double)(n - 1 - i);
			for (unsigned k = 2; k < n_objective; k++)
				point[i * n_objective + k] = 3.0;
		}
		const double reference[DIM] = {(double)n, (double)n, 5.0, 7.0};
		double expected = (double)n * (double)(n + 1) / 2.0;
		expected *= (n_objective > 2 ? 2.0 : 1.0) * (n_objective > 3 ? 4.0 : 1.0);
		assert_true(volume_of(point, n, n_objective, reference) == expected);
	}
	free(point);
}

/* The same staircase seen along other objectives, so that every objective is swept along once. */
static void test_hypervolume_does_not_depend_on_order_of_objectives(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 60; number++) {
		struct rng rng = rng_stream(23, 0, number);
		unsigned n_objective = 2 + number % 3;
		size_t n = 300;
		double point[300 * DIM], turned[300 * DIM], first = 0.0;
		double reference[DIM] = {1.0, 1.1, 1.2, 1.3};
		for (size_t i = 0; i < n; i++) {
			double sum = 0.0;
			for (unsigned k = 0; k < n_objective; k++)
				sum += point[i * n_objective + k] = rng_unit(&rng);
			for (unsigned k = 0; k < n_objective; k++)
				point[i * n_objective + k] /= sum;
		}
		for (unsigned turn = 0; turn < n_objective; turn++) {
			double turned_reference[DIM];
			for (size_t i = 0; i < n * n_objective; i++)
				turned[i / n_objective * n_objective + (i + turn) % n_objective] = point[i];
			for (unsigned k = 0; k < n_objective; k++)
				turned_reference[(k + turn) % n_objective] = reference[k];
			double volume = volume_of(turned, n, n_objective, turned_reference);
			first = turn == 0 ? volume : first;
			assert_true(fabs(volume - first) <= 1e-12 * first);
		}
	}
}

/* Clouds large enough for every way of sorting, with many near points in four objectives. */
static void draw_cloud(struct rng *rng, unsigned kind, unsigned n_objective, size_t n, double *point)
{
	for (size_t i = 0; i < n; i++) {
		double *row = point + i * n_objective, square = 0.0;
		for (unsigned k = 0; k < n_objective; k++) {
			row[k] = kind == 0 ? rng_below(rng, 30) / 30.0 : rng_unit(rng);
			square += row[k] * row[k];
		}
		for (unsigned k = 0; k < n_objective && kind == 1; k++)
			row[k] /= sqrt(square);
		/* All on the falling line of two objectives: with the sweep along the third, one long staircase. */
		if (kind >= 2)
			row[1] = 1.0 - row[0];
		/* And many have the last objective in common. */
		if (kind == 3)
			row[n_objective - 1] = (1 + rng_below(rng, 3)) / 7.0;
	}
}

static void test_hypervolume_bits_do_not_depend_on_order_of_points(void **state)
{
	double *point = calloc(MAX_POINT * DIM, sizeof(*point));
	(void)state;
	for (uint32_t number = 0; number < 48; number++) {
		struct rng rng = rng_stream(24, 0, number);
		unsigned n_objective = 1 + number % DIM, kind = number / DIM % 4;
		size_t n = number < 12 ? MAX_POINT : 1 + rng_below(&rng, 200);
		const double reference[DIM] = {1.1, 0.9, 1.1, 1.0};
		if (n_objective == 1 && kind >= 2)
			continue;
		draw_cloud(&rng, kind, n_objective, n, point);
		/* A tenth of them twice. */
		memcpy(point, point + (n - n / 10) * n_objective, n / 10 * n_objective * sizeof(*point));
		double volume = volume_of(point, n, n_objective, reference);
		for (size_t i = n; i > 1; i--) {
			size_t other = rng_below(&rng, (uint32_t)i);
			for (unsigned k = 0; k < n_objective; k++) {
				double kept = point[(i - 1) * n_objective + k];
				point[(i - 1) * n_objective + k] = point[other * n_objective + k];
				point[other * n_objective + k] = kept;
			}
		}
		assert_true(volume_of(point, n, n_objective, reference) == volume);
	}
	free(point);
}

/* Cutting space in two at a plane and adding both parts must give the whole: an oracle for large sets. */
static void test_hypervolume_of_halves_adds_up(void **state)
{
	double *point = calloc(MAX_POINT * DIM, sizeof(*point)), *upper = calloc(MAX_POINT * DIM, sizeof(*upper));
	(void)state;
	for (uint32_t number = 0; number < 24; number++) {
		struct rng rng = rng_stream(25, 0, number);
		unsigned n_objective = 2 + number % 3, kind = number / 3 % 3, cut = number % n_objective;
		size_t n = MAX_POINT;
		const double reference[DIM] = {1.1, 1.1, 1.1, 1.1};
		draw_cloud(&rng, kind, n_objective, n, point);
		memcpy(upper, point, n * n_objective * sizeof(*upper));
		/* Above the plane, points count from the plane on; below, the plane is the reference. */
		for (size_t i = cut; i < n * n_objective; i += n_objective)
			upper[i] = fmax(upper[i], 0.45);
		double lower_reference[DIM] = {1.1, 1.1, 1.1, 1.1};
		lower_reference[cut] = 0.45;
		double whole = volume_of(point, n, n_objective, reference);
		double parts =
		    volume_of(upper, n, n_objective, reference) + volume_of(point, n, n_objective, lower_reference);
		assert_true(fabs(whole - parts) <= 1e-11 * whole);
	}
	free(point);
	free(upper);
}

/* Three values of an objective are slices; moved apart by next to nothing, they are 3000 values and no slices. */
static void test_hypervolume_of_slices_is_that_of_the_sweep(void **state)
{
	double *point = calloc(MAX_POINT * DIM, sizeof(*point)), *apart = calloc(MAX_POINT * DIM, sizeof(*apart));
	(void)state;
	for (uint32_t number = 0; number < 12; number++) {
		struct rng rng = rng_stream(26, 0, number);
		unsigned sliced = number % DIM, n_value = 1 + number / DIM;
		const double reference[DIM] = {1.1, 1.0, 0.9, 1.2};
		draw_cloud(&rng, 1, DIM, MAX_POINT, point);
		for (size_t i = sliced; i < MAX_POINT * DIM; i += DIM)
			point[i] = 0.3 * rng_below(&rng, n_value);
		for (size_t i = 0; i < MAX_POINT * DIM; i++)
			apart[i] = point[i] + 1e-13 * rng_unit(&rng);
		double slices = volume_of(point, MAX_POINT, DIM, reference);
		double sweep = volume_of(apart, MAX_POINT, DIM, reference);
		assert_true(slices > 0.0 && fabs(slices - sweep) <= 1e-11 * sweep);
	}
	free(point);
	free(apart);
}

static void test_hypervolume_of_nothing_is_zero(void **state)
{
	const double reference[DIM] = {1, 1, 1, 1}, at[DIM] = {1, 1, 1, 1}, beyond[DIM] = {0, 0, 0, 2};
	const double infinite[DIM] = {0, INFINITY, 0, INFINITY};
	(void)state;
	for (unsigned n_objective = 1; n_objective <= DIM; n_objective++) {
		assert_true(volume_of(NULL, 0, n_objective, reference) == 0.0);
		assert_true(volume_of(at, 1, n_objective, reference) == 0.0);
		assert_true(volume_of(infinite, 1, n_objective, reference) == (n_objective == 1 ? 1.0 : 0.0));
	}
	assert_true(volume_of(beyond, 1, 4, reference) == 0.0);
	assert_true(volume_of((double[]){-0.0, 0.0, 0.0, -0.0}, 1, 4, reference) == 1.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hypervolume_counts_cells_of_grids),
	    cmocka_unit_test(test_hypervolume_equals_inclusion_exclusion),
	    cmocka_unit_test(test_hypervolume_of_staircases_in_closed_form),
	    cmocka_unit_test(test_hypervolume_does_not_depend_on_order_of_objectives),
	    cmocka_unit_test(test_hypervolume_bits_do_not_depend_on_order_of_points),
	    cmocka_unit_test(test_hypervolume_of_halves_adds_up),
	    cmocka_unit_test(test_hypervolume_of_slices_is_that_of_the_sweep),
	    cmocka_unit_test(test_hypervolume_of_nothing_is_zero),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
