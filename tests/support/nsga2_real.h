/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NSGA2_REAL_H
#define TESTS_NSGA2_REAL_H
/*
 * NSGA-II for real variables, with the operators that the field measures by:
 * simulated binary crossover and polynomial mutation, both kept within bounds.
 * Selection, ranking and crowding are those of the engine for integer genes
 * (dse/engine/nsga2_population.h).
 */
#include "dse/engine/problem.h"
#include <stdbool.h>

struct nsga2_real_problem {
	size_t n_variable;
	const double *lower, *upper; /* [n_variable], finite, lower < upper */
	unsigned n_objective;
	/* Evaluate n candidates: variable is [n][n_variable], out is [n]. */
	void (*evaluate)(const void *context, const double *variable, size_t n, struct evaluation *out);
	const void *context;
};

struct nsga2_real_options {
	uint64_t seed;
	uint32_t population, generations; /* both at least 1; the initial population is the first generation */
	double crossover_frac;            /* of the pairs; the others are copied */
	double crossover_index;           /* larger: children nearer to their parents */
	double mutation_frac;             /* of the variables; 0: one of n_variable */
	double mutation_index;
};

/*
 * Make population x generations evaluations. variable [population][n_variable]
 * and result [population] (the caller's memory; either may be NULL) become the
 * last parents, best first. A function of problem and options alone. false when
 * memory is out.
 */
bool nsga2_real_run(const struct nsga2_real_problem *problem, const struct nsga2_real_options *options,
                    double *variable, struct evaluation *result);

#endif
