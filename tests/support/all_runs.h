/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ALL_RUNS_H
#define TESTS_ALL_RUNS_H
/* Designs in one tier, of which every one must run, and how many of them a test tries. */
#include "tests/support/unit_test.h"
#include "dse/space/detail.h"
#include <stdlib.h>
#include <string.h>

static inline void run_all(struct detail_run *run, size_t n, struct detail_options options)
{
	struct err err = {0};
	if (detail_run_all(run, n, &options, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	for (size_t i = 0; i < n; i++)
		assert_true(run[i].ran && run[i].code == ERR_OK);
}

/* TIERS=all in the environment: all there are, else a sample. */
static inline bool tries_all(void)
{
	const char *wanted = getenv("TIERS");
	return wanted && strcmp(wanted, "all") == 0;
}

#endif
