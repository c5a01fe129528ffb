/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/parallel.h"
#include <assert.h>
#include <limits.h>
#ifdef _OPENMP
#include <omp.h>
#endif

unsigned parallel_n_thread(size_t n)
{
	assert(n <= INT_MAX);
#ifdef _OPENMP
	return n > 0 ? (unsigned)n : (unsigned)omp_get_num_procs();
#else
	return 1;
#endif
}

void parallel_for(size_t n, unsigned n_thread, void (*work)(void *context, size_t i), void *context)
{
	assert(n_thread > 0 && work);
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_thread) if (n_thread > 1 && n > 1)
	for (size_t i = 0; i < n; i++)
		work(context, i);
}
