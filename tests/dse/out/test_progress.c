/* SPDX-License-Identifier: Apache-2.0 */
/* Time left: it counts down while nothing is known anew, never rises steadily, and ends at the truth. */
#include "tests/support/unit_test.h"
#include "dse/out/progress.h"
#include "sim/base/rng.h"
#include <math.h>

static void test_even_work_is_known_exactly(void **state)
{
	struct progress_left left = {0};
	(void)state;
	assert_true(isinf(progress_left_s(&left, 1.0, 0.0)));
	for (int i = 1; i <= 100; i++)
		assert_true(fabs(progress_left_s(&left, i, i / 100.0) - (100 - i)) < 1e-9);
}

/* Between two steps it falls as fast as time goes, and nobody knows once nothing should be left. */
static void test_it_counts_down_between_steps(void **state)
{
	struct progress_left left = {0};
	(void)state;
	assert_true(fabs(progress_left_s(&left, 10.0, 0.5) - 10.0) < 1e-9);
	for (int i = 1; i < 10; i++)
		assert_true(fabs(progress_left_s(&left, 10.0 + i, 0.5) - (10.0 - i)) < 1e-9);
	assert_true(isinf(progress_left_s(&left, 20.0, 0.5)));
	assert_true(isinf(progress_left_s(&left, 25.0, 0.5)));
	assert_true(fabs(progress_left_s(&left, 30.0, 0.75) - 10.0) < 1e-9);
}

/*
 * Work of uneven steps, looked at six times a second: of two figures the second is higher only where a step was made and
 * by no less than a quarter, so never three times running; and between steps it is never higher.
 */
static void test_it_does_not_rise_steadily(void **state)
{
	struct rng rng = rng_stream(20, 16, 0);
	(void)state;
	for (int draw = 0; draw < 300; draw++) {
		struct progress_left left = {0};
		unsigned n_step = 2 + rng_below(&rng, 40), step = 0;
		double step_s = 0.2 + rng_below(&rng, 100) / 10.0, next_s = step_s, last_s = INFINITY, at_s = 0;
		while (step < n_step) {
			at_s += 0.17;
			bool is_step = at_s >= next_s;
			for (; at_s >= next_s && step < n_step; step++)
				next_s += step_s * (0.3 + rng_below(&rng, 200) / 100.0);
			double left_s = progress_left_s(&left, at_s, (double)step / n_step);
			if (!is_step && isfinite(last_s))
				assert_true(left_s < last_s || isinf(left_s));
			if (is_step && isfinite(last_s))
				assert_true(left_s < last_s || left_s > 1.24 * (last_s - 0.17));
			last_s = left_s;
		}
		assert_true(last_s <= 0.0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_even_work_is_known_exactly),
	    cmocka_unit_test(test_it_counts_down_between_steps),
	    cmocka_unit_test(test_it_does_not_rise_steadily),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
