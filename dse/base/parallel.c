/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/parallel.h"
#include <assert.h>
#include <limits.h>
#include <stdatomic.h>
#ifdef _OPENMP
#include <omp.h>
#endif

const char *parallel_standard(void)
{
#if !defined(_OPENMP)
	return "none";
#elif _OPENMP >= 202011
	return "5.1 or later";
#elif _OPENMP >= 201811
	return "5.0";
#elif _OPENMP >= 201511
	return "4.5";
#else
	return "4.0 or earlier";
#endif
}

unsigned parallel_n_thread(size_t n)
{
	assert(n <= INT_MAX);
#ifdef _OPENMP
	return n > 0 ? (unsigned)n : (unsigned)omp_get_num_procs();
#else
	return 1;
#endif
}

#ifdef _OPENMP
/* Items that are shared inside an item of another parallel_for. */
struct shared {
	size_t n;
	atomic_size_t next;
	void (*work)(void *context, size_t i);
	void *context;
};

static void take_items(struct shared *shared)
{
	for (size_t i; (i = atomic_fetch_add(&shared->next, 1)) < shared->n;)
		shared->work(shared->context, i);
}

/*
 * Helpers are tasks that whichever of the outer loop's threads has nothing else to do takes up; those that nobody
 * takes up find no item left. Not a taskloop: clang 14 crashes on it.
 */
static void share_items(size_t n, unsigned n_thread, void (*work)(void *context, size_t i), void *context)
{
	struct shared shared = {.n = n, .work = work, .context = context};
	size_t n_helper = (n < n_thread ? n : n_thread) - 1;
	atomic_init(&shared.next, 0);
#pragma omp taskgroup
	{
		for (size_t i = 0; i < n_helper; i++) {
#pragma omp task shared(shared)
			take_items(&shared);
		}
		take_items(&shared);
	}
}
#endif

void parallel_for(size_t n, unsigned n_thread, void (*work)(void *context, size_t i), void *context)
{
	assert(n_thread > 0 && work);
#ifdef _OPENMP
	if (omp_in_parallel() && n_thread > 1 && n > 1) {
		share_items(n, n_thread, work, context);
		return;
	}
#endif
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_thread) if (n_thread > 1 && n > 1)
	for (size_t i = 0; i < n; i++)
		work(context, i);
}
