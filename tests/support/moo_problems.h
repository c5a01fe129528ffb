/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_MOO_PROBLEMS_H
#define TESTS_MOO_PROBLEMS_H
/*
 * Test problems of the field, and how they are measured: ZDT1 and ZDT4
 * (E. Zitzler, K. Deb, L. Thiele, "Comparison of multiobjective evolutionary
 * algorithms: empirical results", 2000) and DTLZ2 (K. Deb, L. Thiele,
 * M. Laumanns, E. Zitzler, "Scalable test problems for evolutionary
 * multiobjective optimization", 2005), with the setting and the windows of
 * tests/reference/moo_reference.csv.
 */
#include "dse/pareto/hypervolume.h"
#include "tests/support/nsga2_real.h"
#include <math.h>
#include <stdlib.h>

enum { MOO_MAX_VARIABLE = 30, MOO_POPULATION = 100, MOO_GENERATIONS = 250, MOO_N_SEED = 101, MOO_N_PROBLEM = 3 };

struct moo_problem {
	const char *name;
	size_t n_variable;
	unsigned n_objective;
	double first_lower, first_upper, lower, upper; /* of variable 0, of the others */
	void (*evaluate)(const void *context, const double *variable, size_t n, struct evaluation *out);
	double least_median, largest_median; /* inside the extremes of both reference tools */
	double pagmo_evaluations_per_s;      /* of CPU time, by the table */
};

static const double moo_pi = 3.14159265358979323846;

static inline void moo_zdt1(const void *context, const double *x, size_t n, struct evaluation *out)
{
	(void)context;
	for (size_t i = 0; i < n; i++, x += 30) {
		double sum = 0.0;
		for (size_t k = 1; k < 30; k++)
			sum += x[k];
		double g = 1.0 + 9.0 * sum / 29.0;
		out[i].violation = 0.0;
		out[i].objective[0] = x[0];
		out[i].objective[1] = g * (1.0 - sqrt(x[0] / g));
	}
}

static inline void moo_zdt4(const void *context, const double *x, size_t n, struct evaluation *out)
{
	(void)context;
	for (size_t i = 0; i < n; i++, x += 10) {
		double g = 1.0 + 10.0 * 9.0;
		for (size_t k = 1; k < 10; k++)
			g += x[k] * x[k] - 10.0 * cos(4.0 * moo_pi * x[k]);
		out[i].violation = 0.0;
		out[i].objective[0] = x[0];
		out[i].objective[1] = g * (1.0 - sqrt(x[0] / g));
	}
}

static inline void moo_dtlz2(const void *context, const double *x, size_t n, struct evaluation *out)
{
	(void)context;
	for (size_t i = 0; i < n; i++, x += 12) {
		double g = 0.0, a = 0.5 * moo_pi * x[0], b = 0.5 * moo_pi * x[1];
		for (size_t k = 2; k < 12; k++)
			g += (x[k] - 0.5) * (x[k] - 0.5);
		out[i].violation = 0.0;
		out[i].objective[0] = (1.0 + g) * cos(a) * cos(b);
		out[i].objective[1] = (1.0 + g) * cos(a) * sin(b);
		out[i].objective[2] = (1.0 + g) * sin(a);
	}
}

static const struct moo_problem moo_problem_table[MOO_N_PROBLEM] = {
    {"ZDT1", 30, 2, 0.0, 1.0, 0.0, 1.0, moo_zdt1, 0.86938, 0.87009, 274000},
    {"ZDT4", 10, 2, 0.0, 1.0, -5.0, 5.0, moo_zdt4, 0.85772, 0.86929, 288000},
    {"DTLZ2", 12, 3, 0.0, 1.0, 0.0, 1.0, moo_dtlz2, 0.69450, 0.71309, 294000},
};

/* One run of NSGA-II; false when memory is out. *volume: hypervolume of the last population, reference 1.1. */
static inline bool moo_run(const struct moo_problem *row, uint64_t seed, double *volume)
{
	const double reference[3] = {1.1, 1.1, 1.1};
	double lower[MOO_MAX_VARIABLE], upper[MOO_MAX_VARIABLE], point[MOO_POPULATION * 3];
	struct evaluation result[MOO_POPULATION];
	const struct nsga2_real_problem problem = {row->n_variable,  lower,         upper,
	                                           row->n_objective, row->evaluate, NULL};
	const struct nsga2_real_options options = {.seed = seed,
	                                           .population = MOO_POPULATION,
	                                           .generations = MOO_GENERATIONS,
	                                           .crossover_frac = 0.9,
	                                           .crossover_index = 15.0,
	                                           .mutation_index = 20.0};
	for (size_t i = 0; i < row->n_variable; i++) {
		lower[i] = i == 0 ? row->first_lower : row->lower;
		upper[i] = i == 0 ? row->first_upper : row->upper;
	}
	if (!nsga2_real_run(&problem, &options, NULL, result))
		return false;
	for (size_t i = 0; i < MOO_POPULATION; i++) {
		for (unsigned k = 0; k < row->n_objective; k++)
			point[i * row->n_objective + k] = result[i].objective[k];
	}
	return hypervolume(point, MOO_POPULATION, row->n_objective, reference, volume);
}

static inline int moo_compare(const void *a, const void *b)
{
	const double *left = (const double *)a, *right = (const double *)b;
	return *left < *right ? -1 : *left > *right;
}

#endif
