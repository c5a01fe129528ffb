/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MISFIT_PARTS_H
#define DSE_MISFIT_PARTS_H
/* A constraint on machines is explained by trying the machines that break only it, those first that break it least. */
#include "dse/check/misfit.h"

/* Candidates that are looked at, and those of them that are tried; beyond these numbers nothing is proven. */
#define MISFIT_MAX_MACHINE 1000000
#define MISFIT_MAX_TRY 256

/* A machine candidate that breaks one constraint, and by how much. */
struct misfit_breaker {
	uint64_t index;
	double violation;
};

/*
 * The candidates of space that break constraint `which` and that others, the space without it, accepts: up to
 * MISFIT_MAX_TRY into nearest [MISFIT_MAX_TRY + 1], nearest first. Returns how many; *n_broken: all that break it.
 */
size_t misfit_list_breakers(const struct space *space, size_t which, const struct space *others,
                            struct misfit_breaker *nearest, uint64_t *n_broken);

#endif
