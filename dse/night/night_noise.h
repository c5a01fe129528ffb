/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NIGHT_NOISE_H
#define DSE_NIGHT_NOISE_H
/*
 * Is a stochastic search worse than it was, or is it only the seeds? There are two samples of a figure, a value for
 * each seed: those of the good nights and tonight's. If nothing but the seeds differs, every assignment of the values
 * to the two samples is equally likely. So the chance that tonight's ranks are as low as they are is found by counting
 * assignments: Wilcoxon's rank sum test, exact, with equal values at their middle rank (F. Wilcoxon, "Individual
 * comparisons by ranking methods", 1945). Nothing is assumed of how the values are distributed.
 *
 *   first look: --seeds values ──suspicious──► second look: night_noise_n values ──p <= alpha / measures──► alarm
 *
 * The size of the second look is chosen before its values are known. So the chance of a false alarm is at most alpha a
 * space and night, whatever the first look does; the first look only saves searches.
 */
#include <stddef.h>

/* Chance of a false alarm of one space in one night, all measures together. */
#define NIGHT_ALPHA 1e-4
/* A first look at or below this asks for a second one. */
#define NIGHT_SUSPICION 0.02
/* Seeds that are remembered of an era, from its first nights on; more would not make the second look shorter. */
#define NIGHT_MAX_POOL 40

/*
 * The chance that the ranks of now [n_now] among both samples sum up to no more than they do, if both are drawn from
 * one distribution; larger values are better, so a small chance says that now is worse. 1 where a sample is empty.
 * Steps: n^2 * min(n_good, n_now) for n = n_good + n_now, of which at most 400 are allowed.
 */
double night_noise_chance(const double *good, size_t n_good, const double *now, size_t n_now);

/*
 * How many seeds the second look takes, beside n_good remembered ones: the least multiple of n_first, from the fourth
 * on, at which alpha / n_measure is ten times what the samples can tell apart at best, 1 / binomial(n_good + n, n); at
 * most 200.
 */
size_t night_noise_n(size_t n_good, size_t n_first, size_t n_measure);

/* The middle value, of an even number the mean of both; NaN of none. value [n] is sorted. */
double night_noise_median(double *value, size_t n);

#endif
