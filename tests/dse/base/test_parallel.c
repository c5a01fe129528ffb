/* SPDX-License-Identifier: Apache-2.0 */
/* Work items, and items inside items: each is done once, on no more threads than were asked for. */

#include "tests/support/unit_test.h"

#include "dse/base/parallel.h"
#include <stdatomic.h>
#include <stdbool.h>

enum { N_OUTER = 7, N_INNER = 50, N_THREAD = 3 };

struct work {
	atomic_uint n_done[N_OUTER][N_INNER];
	atomic_uint n_running, n_most; /* inner items at work at the same time */
};

struct outer {
	struct work *work;
	size_t index;
};

static void run_inner(void *context, size_t i)
{
	const struct outer *outer = context;
	struct work *work = outer->work;
	unsigned n = atomic_fetch_add(&work->n_running, 1) + 1, most = atomic_load(&work->n_most);
	while (n > most && !atomic_compare_exchange_weak(&work->n_most, &most, n))
		;
	for (volatile unsigned k = 0; k < 2000; k++)
		;
	atomic_fetch_add(&work->n_done[outer->index][i], 1);
	atomic_fetch_sub(&work->n_running, 1);
}

/* What an item of the outer loop does after its inner ones sees all of them done. */
static void run_outer(void *context, size_t i)
{
	struct outer outer = {context, i};
	parallel_for(N_INNER, N_THREAD, run_inner, &outer);
	for (size_t k = 0; k < N_INNER; k++)
		assert_int_equal(atomic_load(&outer.work->n_done[i][k]), 1);
}

static void test_parallel_nested_items_share_the_threads(void **state)
{
	(void)state;
	for (size_t n_outer = 1; n_outer <= N_OUTER; n_outer++) {
		static struct work work;
		work = (struct work){0};
		parallel_for(n_outer, N_THREAD, run_outer, &work);
		for (size_t i = 0; i < N_OUTER; i++)
			for (size_t k = 0; k < N_INNER; k++)
				assert_int_equal(atomic_load(&work.n_done[i][k]), i < n_outer);
		assert_in_range(atomic_load(&work.n_most), 1, N_THREAD);
		assert_int_equal(atomic_load(&work.n_running), 0);
	}
}

static void test_parallel_one_thread_keeps_the_order(void **state)
{
	(void)state;
	static struct work work;
	struct outer outer = {&work, 0};
	parallel_for(N_INNER, 1, run_inner, &outer);
	assert_int_equal(atomic_load(&work.n_most), 1);
	assert_true(parallel_n_thread(0) >= 1);
	assert_int_equal(parallel_n_thread(5), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parallel_nested_items_share_the_threads),
	    cmocka_unit_test(test_parallel_one_thread_keeps_the_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
