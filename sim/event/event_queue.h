/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_QUEUE_H
#define SIM_EVENT_QUEUE_H
/*
 * The order of events: a calendar with one bucket a clock. A bucket is a set of
 * units to wake, one bit each; within a clock units run in the order of their
 * numbers, so ties have one fixed order. A unit is woken at most once for the
 * same reason or several: waking it twice for one clock is waking it once.
 *
 *   clock       now     +1      +2     ...    +255 | later
 *   bucket     {0,4}    {}     {4,7}           {}  | heap of (clock, unit)
 *
 * What messages a unit finds when woken is its own affair: they lie in FIFOs
 * with their arrival clocks. Nothing is allocated after the start unless very
 * many wake-ups lie beyond the horizon; one is dropped where memory is out.
 */
#include "sim/base/arena.h"
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_HORIZON_CLK 256 /* buckets; further wake-ups wait in the heap. A power of two */
#define EVENT_FAR_PER_UNIT 4  /* wake-ups beyond the horizon that there is room for at first */

struct event_far {
	uint64_t clk;
	uint32_t unit;
};

struct event_queue {
	uint64_t clk; /* of the bucket in work; never goes back */
	uint32_t n_unit, n_word;
	uint64_t occupied[EVENT_HORIZON_CLK / 64]; /* buckets that are not empty */
	uint64_t *bucket;                          /* [EVENT_HORIZON_CLK][n_word] */
	struct event_far *far;                     /* [n_far_alloc], a binary heap */
	size_t n_far, n_far_alloc;
	struct arena *memory;
	uint64_t n_event; /* taken so far */
};

/* An empty queue at clock 0 for units 0 .. n_unit - 1, n_unit > 0; not to be used where memory is out. */
void event_queue_init(struct event_queue *queue, uint32_t n_unit, struct arena *memory);

/* Forget all that is pending and go on at a clock, be it before the present one. */
void event_queue_reset(struct event_queue *queue, uint64_t clk);

/* Beyond the horizon. */
void event_queue_wake_far(struct event_queue *queue, uint64_t clk, uint32_t unit);

/*
 * Wake a unit at a clock, not before the present one. A unit woken for the
 * present clock runs in it, after the one that runs now, whatever its number.
 */
static inline void event_queue_wake(struct event_queue *queue, uint64_t clk, uint32_t unit)
{
	assert(unit < queue->n_unit && clk >= queue->clk);
	if (clk - queue->clk >= EVENT_HORIZON_CLK) {
		event_queue_wake_far(queue, clk, unit);
		return;
	}
	size_t at = clk % EVENT_HORIZON_CLK;
	queue->bucket[at * queue->n_word + unit / 64] |= (uint64_t)1 << (unit % 64);
	queue->occupied[at / 64] |= (uint64_t)1 << (at % 64);
}

/* Advance to the clock of the next event; false if there is none. */
bool event_queue_advance(struct event_queue *queue);

/* Take the next event of the present clock, if it has one left. */
static inline bool event_queue_take(struct event_queue *queue, uint32_t *unit)
{
	size_t at = queue->clk % EVENT_HORIZON_CLK;
	uint64_t *bucket = &queue->bucket[at * queue->n_word];
	for (uint32_t i = 0; i < queue->n_word; i++) {
		if (!bucket[i])
			continue;
		*unit = i * 64 + (uint32_t)__builtin_ctzll(bucket[i]);
		bucket[i] &= bucket[i] - 1;
		queue->n_event++;
		return true;
	}
	queue->occupied[at / 64] &= ~((uint64_t)1 << (at % 64));
	return false;
}

/* Take the next event and advance the clock to it; false if there is none. */
bool event_queue_next(struct event_queue *queue, uint32_t *unit);

/* Clock of the next event, UINT64_MAX if there is none; the clock stays where it is. */
uint64_t event_queue_peek(const struct event_queue *queue);

/*
 * Write what is pending, relative to the present clock, into state[0 .. n_max-1]:
 * two queues with the same state run alike. Returns the words needed.
 */
size_t event_queue_save(const struct event_queue *queue, uint64_t *state, size_t n_max);

#endif
