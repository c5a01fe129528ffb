/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_DRAWS_H
#define TESTS_DRAWS_H
/* How many random cases a test draws: `make test` a sample, `make draws` all. */
#include "tests/support/slow_build.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * DRAWS in the environment: "all", or how many. Without it `sample`; a third of that in a sanitized build.
 */
static inline bool draws_all(void)
{
	const char *wanted = getenv("DRAWS");
	return wanted && strcmp(wanted, "all") == 0;
}

static inline uint32_t draws(uint32_t all, uint32_t sample)
{
	const char *wanted = getenv("DRAWS");
	if (!wanted)
		return SLOW_BUILD ? (sample + 2) / 3 : sample;
	return draws_all() ? all : (uint32_t)strtoul(wanted, NULL, 10);
}

#endif
