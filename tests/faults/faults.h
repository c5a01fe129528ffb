/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H
/* What is loaded before a program: calls that fail (faults.c), memory that is not freed (leaks.c), one fault after the
 * other (sweep.c). */
#include <stdbool.h>
#include <stddef.h>

enum fault_kind { FAULT_ALLOC, FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME, N_FAULT };
extern const char *const fault_kind_name[N_FAULT];

/* What a process of a sweep tells of itself, in memory that it shares. */
struct fault_outcome {
	bool is_told;    /* it came to its end: the rest is said */
	bool has_exited; /* by exit(), from wherever it was */
	unsigned long n_call[N_FAULT];
	size_t n_live; /* allocations that it has not freed */
};

/* The n-th call of a kind fails, with all_after those behind it, too. outcome NULL: nobody is told. */
void fault_set(enum fault_kind kind, unsigned long n, bool all_after, struct fault_outcome *outcome);

/* Let all calls of a kind fail, each in a child. Comes back in children, which go on as the program; never in the
 * parent. */
void fault_sweep(enum fault_kind kind);

/* Memory that the program, or a library that reads and keeps files, has and has not freed. */
void fault_track(void *pointer, const void *caller);
bool fault_untrack(void *pointer); /* whether it was tracked */
size_t fault_n_live(void);
void fault_print_live(void);

#endif
