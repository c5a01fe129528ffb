/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/fit/fit_svd.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_SWEEP 60
#define MAX_TERM 10000

/* Columns whose cosine is below this are orthogonal but for rounding. */
#define ORTHOGONAL_COS 1e-15

/* Rotate columns p and q so that they become (cosine p - sine q, sine p + cosine q). */
static void rotate(double *p, double *q, size_t n, double cosine, double sine)
{
	for (size_t i = 0; i < n; i++) {
		double left = p[i], right = q[i];
		p[i] = cosine * left - sine * right;
		q[i] = sine * left + cosine * right;
	}
}

/* Make two columns orthogonal; returns 0 where they are already. */
static int orthogonalise(double *p, double *q, size_t n_row, double *vp, double *vq, size_t n_column)
{
	double pp = 0, qq = 0, pq = 0;
	for (size_t i = 0; i < n_row; i++) {
		pp += p[i] * p[i];
		qq += q[i] * q[i];
		pq += p[i] * q[i];
	}
	if (fabs(pq) <= ORTHOGONAL_COS * sqrt(pp * qq) || fabs(pq) < DBL_MIN)
		return 0;
	/* the smaller of the two angles that do it */
	double zeta = (qq - pp) / (2 * pq);
	double tangent = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
	double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
	rotate(p, q, n_row, cosine, sine);
	rotate(vp, vq, n_column, cosine, sine);
	return 1;
}

/* Columns and their vectors in the order of their singular values. */
static void sort_columns(double *a, size_t n_row, size_t n_column, double *value, double *v)
{
	for (size_t i = 0; i < n_column; i++) {
		size_t best = i;
		for (size_t k = i + 1; k < n_column; k++)
			if (value[k] > value[best])
				best = k;
		if (best == i)
			continue;
		double kept = value[i];
		value[i] = value[best];
		value[best] = kept;
		/* a rotation by a right angle swaps, but for a sign that U and V share */
		rotate(a + i * n_row, a + best * n_row, n_row, 0, 1);
		rotate(v + i * n_column, v + best * n_column, n_column, 0, 1);
	}
}

void fit_svd_decompose(double *a, size_t n_row, size_t n_column, double *value, double *v)
{
	assert(a && value && v && n_row > 0 && n_column > 0);
	memset(v, 0, n_column * n_column * sizeof(*v));
	for (size_t i = 0; i < n_column; i++)
		v[i * n_column + i] = 1;
	int n_rotation = 1;
	for (int sweep = 0; n_rotation > 0 && sweep < MAX_SWEEP; sweep++) {
		n_rotation = 0;
		for (size_t p = 0; p < n_column; p++)
			for (size_t q = p + 1; q < n_column; q++)
				n_rotation += orthogonalise(a + p * n_row, a + q * n_row, n_row, v + p * n_column,
				                            v + q * n_column, n_column);
	}
	/* what is left of the columns is U S: their lengths are the singular values */
	for (size_t p = 0; p < n_column; p++) {
		double sum = 0;
		for (size_t i = 0; i < n_row; i++)
			sum += a[p * n_row + i] * a[p * n_row + i];
		value[p] = sqrt(sum);
		assert(isfinite(value[p]));
	}
	sort_columns(a, n_row, n_column, value, v);
}

/*
 * Regularised incomplete beta function I_x(a, b) for x below (a + 1) / (a + b + 2), where its continued fraction
 * converges fast (NIST Digital Library of Mathematical Functions, 8.17.22), evaluated from the front (Lentz).
 */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double numerator = 1, denominator = 1 - (a + b) * x / (a + 1);
	denominator = 1 / (fabs(denominator) < tiny ? tiny : denominator);
	double fraction = denominator;
	for (int m = 1; m < MAX_TERM; m++) {
		double before = fraction;
		const double term[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
		                        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
		for (int i = 0; i < 2; i++) {
			denominator = 1 + term[i] * denominator;
			numerator = 1 + term[i] / numerator;
			denominator = 1 / (fabs(denominator) < tiny ? tiny : denominator);
			numerator = fabs(numerator) < tiny ? tiny : numerator;
			fraction *= denominator * numerator;
		}
		if (fabs(fraction - before) <= DBL_EPSILON * fabs(fraction))
			break;
	}
	assert(x > 0 && x < 1);
	double front = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
	return exp(front) * fraction / a;
}

static double incomplete_beta(double x, double a, double b)
{
	assert(a > 0 && b > 0 && x >= 0 && x <= 1);
	if (x <= 0 || x >= 1)
		return x;
	return x < (a + 1) / (a + b + 2) ? beta_fraction(x, a, b) : 1 - beta_fraction(1 - x, b, a);
}

/* P(|T| > t) = I_{n / (n + t^2)}(n / 2, 1 / 2); bisection, since it falls in t. */
double fit_svd_student_t(double n_freedom, double probability)
{
	assert(n_freedom > 0 && probability > 0 && probability < 1);
	/* one degree of freedom and a probability near 1 need a t of many powers of ten */
	double low = 0, high = 1;
	while (high < 1e15 &&
	       incomplete_beta(n_freedom / (n_freedom + high * high), n_freedom / 2, 0.5) > 1 - probability)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-15 * high; i++) {
		double t = (low + high) / 2;
		if (incomplete_beta(n_freedom / (n_freedom + t * t), n_freedom / 2, 0.5) > 1 - probability)
			low = t;
		else
			high = t;
	}
	return (low + high) / 2;
}
