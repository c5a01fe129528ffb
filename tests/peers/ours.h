/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_PEERS_OURS_H
#define TESTS_PEERS_OURS_H
/* tests/support/moo_problems.h for drivers written in C++. Problems have the numbers of its table. */
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *ours_name(unsigned problem);
unsigned ours_n_variable(unsigned problem);
unsigned ours_population(void);
unsigned ours_generations(void);

/* One run of NSGA-II and its hypervolume; false when memory is out. */
bool ours_run(unsigned problem, unsigned seed, double *volume);

#ifdef __cplusplus
}
#endif

#endif
