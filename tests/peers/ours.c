/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/peers/ours.h"
#include "tests/support/moo_problems.h"
#include <assert.h>

const char *ours_name(unsigned problem)
{
	assert(problem < MOO_N_PROBLEM);
	return moo_problem_table[problem].name;
}

unsigned ours_n_variable(unsigned problem)
{
	assert(problem < MOO_N_PROBLEM);
	return (unsigned)moo_problem_table[problem].n_variable;
}

unsigned ours_population(void)
{
	return MOO_POPULATION;
}

unsigned ours_generations(void)
{
	return MOO_GENERATIONS;
}

bool ours_run(unsigned problem, unsigned seed, double *volume)
{
	assert(problem < MOO_N_PROBLEM);
	return moo_run(&moo_problem_table[problem], seed, volume);
}
