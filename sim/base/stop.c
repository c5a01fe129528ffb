/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/base/stop.h"
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

/*
 * The one mutable global of the program: a signal handler has no argument that
 * could carry a pointer, so there is nowhere else for it to leave its news.
 * When the first wish came, by stop_now_ms; 0: it has not.
 */
static atomic_uint_least64_t requested_ms;

void stop_request(void)
{
	uint_least64_t none = 0, now = stop_now_ms();
	(void)atomic_compare_exchange_strong(&requested_ms, &none, now > 0 ? now : 1);
}

uint64_t stop_now_ms(void)
{
	struct timespec now;
	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000U + (uint64_t)now.tv_nsec / 1000000U;
}

/* When the wish came, or will; 0: nobody knows of one. */
static uint64_t wish_ms(const struct stop *stop)
{
	uint64_t requested = atomic_load_explicit(&requested_ms, memory_order_relaxed);
	uint64_t end = stop ? stop->end_ms : 0;
	requested += stop && requested > 0 ? stop->grace_ms : 0;
	return requested == 0 || (end > 0 && end < requested) ? end : requested;
}

bool stop_requested(const struct stop *stop)
{
	uint64_t first = wish_ms(stop);
	return first > 0 && (!stop || stop_now_ms() >= first);
}

uint64_t stop_age_ms(const struct stop *stop)
{
	uint64_t first = wish_ms(stop), now = first > 0 ? stop_now_ms() : 0;
	return now > first ? now - first : 0;
}

bool stop_look(struct stop_watch *watch)
{
	watch->has_come = watch->has_come || stop_requested(watch->stop);
	/* once it has come every step looks, and finds it */
	watch->n_left = watch->has_come ? 0 : STOP_STEPS;
	return watch->has_come;
}
