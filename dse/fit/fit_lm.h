/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FIT_LM_H
#define DSE_FIT_LM_H
/*
 * Nonlinear least squares with bounds: Levenberg-Marquardt on the parameters that are free, and an active set of those
 * that lie at a bound. Only fit_lm.c knows the library (cminpack).
 */
#include <stddef.h>

/*
 * A sum of squares. evaluate writes the residuals at x into residual[n_point], and, where jacobian is not NULL, their
 * derivatives into jacobian[n_param][n_point]: column after column. Both are dimensionless: (predicted - measured) over
 * the standard deviation.
 */
struct fit_lm_problem {
	size_t n_point, n_param;
	const double *lower, *upper; /* [n_param], lower <= upper */
	void (*evaluate)(const void *model, const double *x, double *residual, double *jacobian);
	const void *model;
};

/*
 * Find the x[n_param] within the bounds whose sum of squares is least, from the x that is given, which lies within
 * them. at_bound[i] is then -1 or 1 where a bound holds x[i] back, 0 elsewhere. Problems that are linear in x are
 * solved exactly but for rounding; of others a local minimum is found. Where several x are as good, one of them. Cost:
 * n_point * n_param^2 a step.
 *
 * Method: J. J. More, The Levenberg-Marquardt algorithm: implementation and theory, 1978; active set as in Lawson and
 * Hanson, Solving least squares problems, 1974, chapter 23.
 */
void fit_lm_solve(const struct fit_lm_problem *problem, double *x, int *at_bound);

#endif
