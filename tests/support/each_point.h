/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_EACH_POINT_H
#define TESTS_EACH_POINT_H
/* Every point of the exact front of a space that is written as text. */
#include "tests/support/unit_test.h"

#include "dse/design/unroll.h"
#include "dse/engine/engine.h"
#include "tests/support/space_text.h"

static inline void each_point(const char *text,
                              void (*look)(const struct unroller *unroller, const struct unrolled *point,
                                           void *context),
                              void *context)
{
	struct space space;
	struct explore explore;
	struct unroller unroller;
	struct unrolled point;
	struct err err = {0};
	const struct explore_options options = {.engine = &engine_exact, .n_thread = 1};
	space_read_text(text, &space);
	assert_int_equal(explore_run(&space, &options, &explore, &err), ERR_OK);
	assert_true(explore.front.n > 0);
	assert_int_equal(unroller_init(&unroller, &explore, 1, &err), ERR_OK);
	assert_int_equal(unrolled_init(&explore.map, &point, &err), ERR_OK);
	for (size_t i = 0; i < explore.front.n; i++) {
		unroll_point(&unroller, i, &point);
		look(&unroller, &point, context);
	}
	unrolled_free(&point);
	unroller_free(&unroller);
	explore_free(&explore);
	space_free(&space);
}

#endif
