/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PARALLEL_H
#define DSE_PARALLEL_H
/*
 * Independent work items on all cores, for work coarser than a candidate (chunks of a batch, whole layers, whole
 * machines). parallel.c is the only file that knows OpenMP.
 */
#include <stddef.h>

/* The version of OpenMP that the compiler has, "4.5"; "none" without. */
const char *parallel_standard(void);

/* Threads to use when the user asks for n (0: all cores). At least 1. */
unsigned parallel_n_thread(size_t n);

/*
 * Call work(context, i) for i = 0..n-1, each once, in any order, on n_thread
 * threads; earlier items start first. Results must not depend on the order.
 *
 * May be called by an item of another one. Then there are no more threads: those
 * of the outer one that have run out of items take over some of the inner one's,
 * so that both share the same threads and none waits while there is work.
 */
void parallel_for(size_t n, unsigned n_thread, void (*work)(void *context, size_t i), void *context);

#endif
