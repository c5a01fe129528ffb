/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FIT_SVD_H
#define DSE_FIT_SVD_H
/* Numbers behind a fit's confidence: singular values of its scaled Jacobian, and Student's t distribution. */
#include <stddef.h>

/*
 * Singular value decomposition A = U S V': a[n_column][n_row], column after column, becomes U S; value[n_column] the
 * singular values, largest first; v[n_column][n_column] the right singular vectors, vector after vector. Any shape,
 * n_row < n_column too. One-sided Jacobi rotations, which find small singular values to full relative accuracy: n_row *
 * n_column^2 a sweep, some six to ten sweeps. J. Demmel and K. Veselic, Jacobi's method is more accurate than QR, 1992.
 */
void fit_svd_decompose(double *a, size_t n_row, size_t n_column, double *value, double *v);

/*
 * The t that a Student-distributed variable of n_freedom > 0 degrees of freedom stays below in size with the given
 * probability, 0 < probability < 1: 12.706 for one degree and 0.95.
 */
double fit_svd_student_t(double n_freedom, double probability);

#endif
