/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MARGIN_H
#define DSE_MARGIN_H
/* By how much some points beat others, everywhere: what a verdict says of machines that lost. */
#include <stdbool.h>
#include <stddef.h>

/* Points of n_objective values each, all 0 or more and minimised; index (NULL: all): which of them. */
struct margin_points {
	size_t n;
	const double *objective; /* [][n_objective] */
	const size_t *index;     /* [n] */
};

/*
 * The largest margin with which own beats other: for each point p of other there is one of own that is nowhere larger
 * in objectives that are not scaled, and in each scaled one no larger than p / (1 + margin). Negative: some point is
 * ahead. -1: some point has nobody who may beat it; infinite: there is none, or own is 0 wherever they are not. An
 * objective that is 0 in both counts in none. What is not above enough may be returned as anything that is not. Up to own.n other.n steps, far fewer as a
 * rule.
 */
double margin_between(struct margin_points own, struct margin_points other, const bool *is_scaled, size_t n_objective,
                      double enough);

#endif
