/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares with bounds, singular values, Student's t: against closed forms, brute force and tables. */
#include "tests/support/unit_test.h"
#include "dse/fit/fit_lm.h"
#include "dse/fit/fit_svd.h"
#include "sim/base/rng.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MAX_POINT 40
#define MAX_PARAM 6

/* A linear model: residual = A x - b, A column after column. */
struct linear {
	size_t n_point, n_param;
	double a[MAX_PARAM * MAX_POINT], b[MAX_POINT];
};

static void evaluate_linear(const void *model, const double *x, double *residual, double *jacobian)
{
	const struct linear *linear = model;
	for (size_t k = 0; k < linear->n_point; k++) {
		residual[k] = -linear->b[k];
		for (size_t i = 0; i < linear->n_param; i++)
			residual[k] += linear->a[i * linear->n_point + k] * x[i];
	}
	if (jacobian)
		memcpy(jacobian, linear->a, linear->n_param * linear->n_point * sizeof(*jacobian));
}

static double sum_of_squares(const struct linear *linear, const double *x)
{
	double residual[MAX_POINT], sum = 0;
	evaluate_linear(linear, x, residual, NULL);
	for (size_t k = 0; k < linear->n_point; k++)
		sum += residual[k] * residual[k];
	return sum;
}

static void fill(struct linear *linear, struct rng *rng, size_t n_point, size_t n_param)
{
	linear->n_point = n_point;
	linear->n_param = n_param;
	for (size_t i = 0; i < n_point * n_param; i++)
		linear->a[i] = 2 * rng_unit(rng) - 1;
	for (size_t k = 0; k < n_point; k++)
		linear->b[k] = 2 * rng_unit(rng) - 1;
}

static void solve(const struct linear *linear, const double *lower, const double *upper, double *x, int *at_bound)
{
	const struct fit_lm_problem problem = {linear->n_point, linear->n_param, lower, upper, evaluate_linear, linear};
	fit_lm_solve(&problem, x, at_bound);
}

static const double minus_infinity[MAX_PARAM] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
static const double infinity[MAX_PARAM] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
static const double zero[MAX_PARAM] = {0};

static void test_fit_lm_meets_normal_equations(void **state)
{
	(void)state;
	struct rng rng = rng_stream(1, 0, 0);
	for (int run = 0; run < 50; run++) {
		struct linear linear;
		double x[MAX_PARAM] = {0}, residual[MAX_POINT];
		int at_bound[MAX_PARAM];
		fill(&linear, &rng, 12, 4);
		solve(&linear, minus_infinity, infinity, x, at_bound);
		evaluate_linear(&linear, x, residual, NULL);
		for (size_t i = 0; i < 4; i++) {
			double gradient = 0;
			for (size_t k = 0; k < 12; k++)
				gradient += linear.a[i * 12 + k] * residual[k];
			assert_true(fabs(gradient) < 1e-10);
			assert_int_equal(at_bound[i], 0);
		}
	}
}

/* The best of all choices of parameters at 0, the others free and feasible. */
static double brute_force(const struct linear *linear)
{
	double best = INFINITY;
	for (unsigned mask = 0; mask < 1u << linear->n_param; mask++) {
		struct linear part = {.n_point = linear->n_point};
		double x[MAX_PARAM] = {0}, own[MAX_PARAM] = {0};
		int at_bound[MAX_PARAM];
		memcpy(part.b, linear->b, sizeof(part.b));
		for (size_t i = 0; i < linear->n_param; i++)
			if (mask >> i & 1)
				memcpy(part.a + part.n_param++ * part.n_point, linear->a + i * linear->n_point,
				       linear->n_point * sizeof(*part.a));
		if (part.n_param > 0)
			solve(&part, minus_infinity, infinity, own, at_bound);
		bool feasible = true;
		for (size_t i = 0, at = 0; i < linear->n_param; i++)
			if (mask >> i & 1) {
				feasible = feasible && own[at] >= 0;
				x[i] = own[at++];
			}
		if (feasible)
			best = fmin(best, sum_of_squares(linear, x));
	}
	return best;
}

static void test_fit_lm_with_bounds_equals_brute_force(void **state)
{
	(void)state;
	struct rng rng = rng_stream(2, 0, 0);
	for (int run = 0; run < 300; run++) {
		struct linear linear;
		double x[MAX_PARAM];
		int at_bound[MAX_PARAM];
		fill(&linear, &rng, 3 + rng_below(&rng, 10), 1 + rng_below(&rng, 5));
		for (size_t i = 0; i < linear.n_param; i++)
			x[i] = rng_below(&rng, 2) ? 0 : rng_unit(&rng);
		solve(&linear, zero, infinity, x, at_bound);
		double found = sum_of_squares(&linear, x), best = brute_force(&linear);
		assert_true(fabs(found - best) <= 1e-9 * (1 + best));
		for (size_t i = 0; i < linear.n_param; i++) {
			assert_true(x[i] >= 0);
			assert_true(!at_bound[i] || x[i] <= 0);
		}
	}
}

static void test_fit_lm_stops_at_upper_bound(void **state)
{
	(void)state;
	struct linear linear = {.n_point = 2, .n_param = 2, .a = {1, 0, 0, 1}, .b = {5, -3}};
	const double lower[2] = {-1, -1}, upper[2] = {2, 2};
	double x[2] = {0, 0};
	int at_bound[2];
	solve(&linear, lower, upper, x, at_bound);
	assert_true(fabs(x[0] - 2) < 1e-12 && fabs(x[1] + 1) < 1e-12);
	assert_int_equal(at_bound[0], 1);
	assert_int_equal(at_bound[1], -1);
}

static void test_fit_lm_takes_fewer_points_than_parameters(void **state)
{
	(void)state;
	struct linear linear = {.n_point = 1, .n_param = 3, .a = {1, 2, 3}, .b = {6}};
	double x[3] = {0, 0, 0};
	int at_bound[3];
	solve(&linear, zero, infinity, x, at_bound);
	assert_true(sum_of_squares(&linear, x) < 1e-20);
}

/* y = p exp(-q t), far from the start. */
static void evaluate_decay(const void *model, const double *x, double *residual, double *jacobian)
{
	const double *y = model;
	for (size_t k = 0; k < 10; k++) {
		double t = (double)k / 3, e = exp(-x[1] * t);
		residual[k] = x[0] * e - y[k];
		if (jacobian) {
			jacobian[k] = e;
			jacobian[10 + k] = -x[0] * t * e;
		}
	}
}

static void test_fit_lm_solves_nonlinear(void **state)
{
	(void)state;
	double y[10], x[2] = {1, 0.1};
	int at_bound[2];
	for (size_t k = 0; k < 10; k++)
		y[k] = 7 * exp(-1.3 * (double)k / 3);
	const struct fit_lm_problem problem = {10, 2, zero, infinity, evaluate_decay, y};
	fit_lm_solve(&problem, x, at_bound);
	assert_true(fabs(x[0] - 7) < 1e-9 && fabs(x[1] - 1.3) < 1e-9);
}

static void test_fit_svd_gives_matrix_back(void **state)
{
	(void)state;
	struct rng rng = rng_stream(3, 0, 0);
	for (int run = 0; run < 50; run++) {
		size_t n_row = 1 + rng_below(&rng, 8), n = 1 + rng_below(&rng, 6);
		double a[48], u[48], value[6], v[36];
		for (size_t i = 0; i < n_row * n; i++)
			u[i] = a[i] = (2 * rng_unit(&rng) - 1) * pow(10, rng_below(&rng, 5));
		fit_svd_decompose(u, n_row, n, value, v);
		for (size_t k = 1; k < n; k++)
			assert_true(value[k] <= value[k - 1]);
		for (size_t i = 0; i < n; i++)
			for (size_t r = 0; r < n_row; r++) {
				double sum = 0;
				for (size_t k = 0; k < n; k++)
					sum += u[k * n_row + r] * v[k * n + i];
				assert_true(fabs(sum - a[i * n_row + r]) < 1e-12 * value[0]);
			}
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < n; k++) {
				double dot = 0;
				for (size_t r = 0; r < n; r++)
					dot += v[i * n + r] * v[k * n + r];
				assert_true(fabs(dot - (i == k)) < 1e-12);
			}
	}
}

static void test_fit_svd_sees_a_null_vector(void **state)
{
	(void)state;
	double a[6] = {1, 2, 3, 2, 4, 6}, value[2], v[4]; /* second column is twice the first */
	fit_svd_decompose(a, 3, 2, value, v);
	assert_true(fabs(value[0] - sqrt(70)) < 1e-12);
	assert_true(value[1] < 1e-14);
	assert_true(fabs(fabs(v[2]) - 2 / sqrt(5)) < 1e-12 && fabs(fabs(v[3]) - 1 / sqrt(5)) < 1e-12);
}

/* Tables of the t distribution. */
static void test_fit_svd_knows_student_t(void **state)
{
	(void)state;
	static const struct {
		double n, probability, t;
	} row[] = {{1, 0.95, 12.7062047},    {2, 0.95, 4.30265273},  {5, 0.95, 2.57058184},
	           {10, 0.95, 2.22813885},   {30, 0.95, 2.04227246}, {120, 0.99, 2.61742115},
	           {1000, 0.95, 1.96233908}, {4, 0.5, 0.74069708},   {1e6, 0.95, 1.95996636}};
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_true(fabs(fit_svd_student_t(row[i].n, row[i].probability) - row[i].t) < 2e-8 * row[i].t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_fit_lm_meets_normal_equations),
	    cmocka_unit_test(test_fit_lm_with_bounds_equals_brute_force),
	    cmocka_unit_test(test_fit_lm_stops_at_upper_bound),
	    cmocka_unit_test(test_fit_lm_takes_fewer_points_than_parameters),
	    cmocka_unit_test(test_fit_lm_solves_nonlinear),
	    cmocka_unit_test(test_fit_svd_gives_matrix_back),
	    cmocka_unit_test(test_fit_svd_sees_a_null_vector),
	    cmocka_unit_test(test_fit_svd_knows_student_t),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
