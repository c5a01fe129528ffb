/* SPDX-License-Identifier: Apache-2.0 */
/* Calendar of events: order, ties, the far heap, clocks without events, saved states. */
#include "tests/support/unit_test.h"
#include "sim/event/event_queue.h"
#include <stdlib.h>

static struct arena memory;

static struct event_queue new_queue(uint32_t n_unit)
{
	struct event_queue queue;
	event_queue_init(&queue, n_unit, &memory);
	assert_false(memory.is_out);
	return queue;
}

static void assert_next(struct event_queue *queue, uint64_t clk, uint32_t unit)
{
	uint32_t got;
	assert_true(event_queue_next(queue, &got));
	assert_int_equal(queue->clk, clk);
	assert_int_equal(got, unit);
}

static void test_event_queue_ties_by_unit(void **state)
{
	(void)state;
	struct event_queue queue = new_queue(200);
	event_queue_wake(&queue, 7, 150);
	event_queue_wake(&queue, 7, 3);
	event_queue_wake(&queue, 5, 199);
	event_queue_wake(&queue, 7, 70);
	event_queue_wake(&queue, 7, 3); /* twice is once */
	assert_next(&queue, 5, 199);
	assert_next(&queue, 7, 3);
	event_queue_wake(&queue, 7, 1); /* in the present clock, though 3 has run */
	assert_next(&queue, 7, 1);
	assert_next(&queue, 7, 70);
	assert_next(&queue, 7, 150);
	uint32_t unit;
	assert_false(event_queue_next(&queue, &unit));
	assert_int_equal(queue.clk, 7);
	arena_free(&memory);
}

/* On both sides of the horizon, and from one event to the next across clocks without any. */
static void test_event_queue_far(void **state)
{
	(void)state;
	struct event_queue queue = new_queue(4);
	event_queue_wake(&queue, 1000000000000, 2);
	event_queue_wake(&queue, EVENT_HORIZON_CLK, 1);
	event_queue_wake(&queue, EVENT_HORIZON_CLK - 1, 3);
	event_queue_wake(&queue, 1000000000000, 0);
	event_queue_wake(&queue, 3 * EVENT_HORIZON_CLK, 1);
	assert_next(&queue, EVENT_HORIZON_CLK - 1, 3);
	assert_next(&queue, EVENT_HORIZON_CLK, 1);
	assert_next(&queue, 3 * EVENT_HORIZON_CLK, 1);
	assert_next(&queue, 1000000000000, 0);
	assert_next(&queue, 1000000000000, 2);
	assert_int_equal(queue.n_event, 5);
	arena_free(&memory);
}

struct entry {
	uint64_t clk;
	uint32_t unit;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	if (x->clk != y->clk)
		return x->clk < y->clk ? -1 : 1;
	return (x->unit > y->unit) - (x->unit < y->unit);
}

/* Against a sorted list: wake-ups near and far, made while the queue runs. */
static void test_event_queue_matches_sorted_list(void **state)
{
	(void)state;
	enum { N_UNIT = 100, N_STEP = 3000 };
	struct event_queue queue = new_queue(N_UNIT);
	struct entry entry[N_UNIT];
	uint64_t random = 12345;
	for (uint32_t i = 0; i < N_UNIT; i++) {
		entry[i] = (struct entry){.clk = i % 7, .unit = i};
		event_queue_wake(&queue, entry[i].clk, i);
	}
	for (int step = 0; step < N_STEP; step++) {
		qsort(entry, N_UNIT, sizeof(entry[0]), compare_entries);
		assert_next(&queue, entry[0].clk, entry[0].unit);
		random = random * 6364136223846793005U + 1442695040888963407U;
		uint64_t delay_clk = (random >> 60) == 0 ? (random >> 33) % 5000 : 1 + (random >> 33) % 300;
		entry[0].clk += delay_clk;
		event_queue_wake(&queue, entry[0].clk, entry[0].unit);
	}
	arena_free(&memory);
}

/* The same pending events give the same state at any clock; others do not. */
static void test_event_queue_save(void **state)
{
	(void)state;
	uint64_t a[32], b[32];
	struct event_queue early = new_queue(70), late = new_queue(70);
	uint32_t unit;
	event_queue_wake(&late, 777, 0);
	assert_true(event_queue_next(&late, &unit));
	for (uint32_t i = 0; i < 3; i++) {
		event_queue_wake(&early, 90 * i, 30 * i);
		event_queue_wake(&late, 777 + 90 * i, 30 * i);
	}
	size_t n = event_queue_save(&early, a, 32);
	assert_int_equal(n, 9); /* a clock and two words of units each */
	assert_int_equal(event_queue_save(&late, b, 32), n);
	assert_memory_equal(a, b, n * sizeof(a[0]));
	event_queue_wake(&late, 778, 1);
	assert_int_equal(event_queue_save(&late, b, 4), n + 3); /* also where it does not fit */
	arena_free(&memory);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_event_queue_ties_by_unit),
	    cmocka_unit_test(test_event_queue_far),
	    cmocka_unit_test(test_event_queue_matches_sorted_list),
	    cmocka_unit_test(test_event_queue_save),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
