/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only file that knows cminpack. It minimises over the free parameters and moves parameters onto and off their
 * bounds.
 */
#include "dse/fit/fit_lm.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <cminpack.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* As near as doubles allow; the library stops by itself where they allow no more. */
#define TOLERANCE 1e-15
#define MAX_EVALUATION 2000

/* A parameter is let go from its bound when that could take more than this share of what is left of the residuals. */
#define RELEASE_COS 1e-7

/* Residuals below this share of those at the start are rounding. */
#define ROUNDING_FRAC 1e-13

/* One call of the library: the parameters that are free, in the order of the problem. */
struct lm_search {
	const struct fit_lm_problem *problem;
	size_t n_free, n_row;  /* rows: points, and rows of zeros where there are fewer points than free parameters */
	size_t *free;          /* [n_free] */
	double *x;             /* [n_param] all of them */
	double *jacobian;      /* [n_param][n_point] */
	double *residual;      /* [n_row] */
	double *free_jacobian; /* [n_free][n_row] */
	double *work;          /* [6 * n_param + n_row]: of the library */
	double *start;         /* [n_param] */
	int *pivot;            /* [n_param] */
	int *at_bound;
};

/* What the library calls: as lmder asks for it. */
static int evaluate(void *context, int n_row, int n_free, const double *x, double *residual, double *jacobian,
                    int n_stride, int flag)
{
	struct lm_search *search = context;
	const struct fit_lm_problem *problem = search->problem;
	size_t n_point = problem->n_point, n = (size_t)n_row;
	assert((size_t)n_free == search->n_free && n == search->n_row && n_stride == n_row);
	for (size_t i = 0; i < search->n_free; i++)
		search->x[search->free[i]] = x[i];
	if (flag == 1) {
		problem->evaluate(problem->model, search->x, residual, NULL);
		memset(residual + n_point, 0, (n - n_point) * sizeof(*residual));
		return 0;
	}
	/* The library's residuals stay as they are: what comes with the derivatives goes into ours. */
	problem->evaluate(problem->model, search->x, search->residual, search->jacobian);
	assert(flag == 2);
	for (size_t i = 0; i < search->n_free; i++) {
		memcpy(jacobian + i * n, search->jacobian + search->free[i] * n_point, n_point * sizeof(*jacobian));
		memset(jacobian + i * n + n_point, 0, (n - n_point) * sizeof(*jacobian));
	}
	return 0;
}

/* The best x of the free parameters, bounds ignored. */
static void minimise(struct lm_search *search, double *free_x, double *residual)
{
	size_t n = search->problem->n_param;
	double *work = search->work;
	int n_evaluation, n_derivative;
	assert(search->n_free > 0 && search->n_row <= INT_MAX);
	(void)lmder(evaluate, search, (int)search->n_row, (int)search->n_free, free_x, residual, search->free_jacobian,
	            (int)search->n_row, TOLERANCE, TOLERANCE, 0, MAX_EVALUATION, work, 1, 100.0, 0, &n_evaluation,
	            &n_derivative, search->pivot, work + n, work + 2 * n, work + 3 * n, work + 4 * n, work + 5 * n);
}

static void list_free(struct lm_search *search)
{
	search->n_free = 0;
	for (size_t i = 0; i < search->problem->n_param; i++)
		if (!search->at_bound[i])
			search->free[search->n_free++] = i;
	size_t n_point = search->problem->n_point;
	search->n_row = n_point > search->n_free ? n_point : search->n_free;
}

/*
 * Go from the feasible search->start towards goal[n_free] as far as the bounds
 * let us; what is in the way is held at its bound from now on. True: all the way.
 */
static bool walk(struct lm_search *search, const double *goal)
{
	const struct fit_lm_problem *problem = search->problem;
	double step = 1;
	size_t first = 0;
	int side = 0;
	for (size_t k = 0; k < search->n_free; k++) {
		size_t i = search->free[k];
		int beyond = goal[k] < problem->lower[i] ? -1 : goal[k] > problem->upper[i];
		if (!beyond)
			continue;
		double bound = beyond < 0 ? problem->lower[i] : problem->upper[i];
		/* start is feasible, so the bound lies between it and the goal, or at the start */
		double here = (bound - search->start[i]) / (goal[k] - search->start[i]);
		if (side && here >= step)
			continue;
		step = here;
		first = i;
		side = beyond;
	}
	assert(step >= 0 && step <= 1);
	for (size_t k = 0; k < search->n_free; k++) {
		size_t i = search->free[k];
		double to = side ? search->start[i] + step * (goal[k] - search->start[i]) : goal[k];
		search->x[i] = fmin(fmax(to, problem->lower[i]), problem->upper[i]);
	}
	if (side) {
		search->x[first] = side < 0 ? problem->lower[first] : problem->upper[first];
		search->at_bound[first] = side;
	}
	return !side;
}

static double norm(const double *value, size_t n)
{
	double largest = 0, sum = 0;
	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, fabs(value[i]));
	if (largest <= 0 || !isfinite(largest))
		return largest;
	for (size_t i = 0; i < n; i++)
		sum += (value[i] / largest) * (value[i] / largest);
	return largest * sqrt(sum);
}

/*
 * Of the parameters at bounds let go the one whose way inwards leads most steeply down; false: there is none, x is the
 * minimum. rounding: a norm of residuals that is as good as none.
 */
static bool release(struct lm_search *search, double rounding)
{
	const struct fit_lm_problem *problem = search->problem;
	size_t n_point = problem->n_point, best = 0;
	double steepest = RELEASE_COS;
	bool found = false;
	problem->evaluate(problem->model, search->x, search->residual, search->jacobian);
	double length = norm(search->residual, n_point);
	if (!(length > rounding))
		return false;
	for (size_t i = 0; i < problem->n_param; i++) {
		const double *column = search->jacobian + i * n_point;
		double scale = norm(column, n_point), cosine = 0;
		if (!search->at_bound[i] || !(scale > 0) || !isfinite(scale) || problem->lower[i] >= problem->upper[i])
			continue;
		for (size_t k = 0; k < n_point; k++)
			cosine += column[k] / scale * (search->residual[k] / length);
		if (search->at_bound[i] * cosine <= steepest)
			continue;
		steepest = search->at_bound[i] * cosine;
		best = i;
		found = true;
	}
	if (found)
		search->at_bound[best] = 0;
	return found;
}

/*
 * Each turn minimises over the free parameters and stops at the first bound in the way; where none is, a parameter that
 * is held back for nothing is let go. For linear problems this ends by itself, since no set of bounds comes twice; the
 * number of turns stands against rounding and against other problems.
 */
static void search_all(struct lm_search *search, double *goal, double *residual)
{
	const struct fit_lm_problem *problem = search->problem;
	problem->evaluate(problem->model, search->x, residual, NULL);
	double rounding = ROUNDING_FRAC * norm(residual, problem->n_point);
	for (size_t turn = 0; turn < 10 * problem->n_param + 10; turn++) {
		list_free(search);
		memcpy(search->start, search->x, problem->n_param * sizeof(*search->x));
		for (size_t k = 0; k < search->n_free; k++)
			goal[k] = search->x[search->free[k]];
		if (search->n_free > 0)
			minimise(search, goal, residual);
		memcpy(search->x, search->start, problem->n_param * sizeof(*search->x));
		if (walk(search, goal) && !release(search, rounding))
			return;
	}
}

void fit_lm_solve(const struct fit_lm_problem *problem, double *x, int *at_bound)
{
	assert(problem && x && at_bound && problem->evaluate);
	size_t n = problem->n_param, m = problem->n_point > n ? problem->n_point : n;
	if (n == 0)
		return;
	assert(m <= INT_MAX / (2 * n + 16));
	/* one block of numbers: Jacobian twice, residuals twice, and what is as long as the parameters */
	double *number = memory_array(2 * n * m + 3 * m + 9 * n, sizeof(*number));
	size_t *free_index = memory_array(n, sizeof(*free_index));
	int *pivot = memory_array(n, sizeof(*pivot));
	double *at = number;
	struct lm_search search = {.problem = problem, .free = free_index, .pivot = pivot, .at_bound = at_bound};
	search.jacobian = at, at += n * m;
	search.free_jacobian = at, at += n * m;
	search.residual = at, at += m;
	search.work = at, at += 6 * n + m;
	search.x = at, at += n;
	search.start = at, at += n;
	for (size_t i = 0; i < n; i++) {
		assert(problem->lower[i] <= x[i] && x[i] <= problem->upper[i]);
		search.x[i] = x[i];
		at_bound[i] = 0;
	}
	search_all(&search, at, at + n);
	memcpy(x, search.x, n * sizeof(*x));
	free(number);
	free(free_index);
	free(pivot);
}
