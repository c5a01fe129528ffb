/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CPU_TIME_H
#define TESTS_CPU_TIME_H
/* Seconds of all cores that this process has taken. */
#include <time.h>

static inline double now_s(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
