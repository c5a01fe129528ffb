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

/* The first wish stays. */
static void note_wish(atomic_uint_least64_t *ms)
{
	uint_least64_t none = 0, now = stop_now_ms();
	(void)atomic_compare_exchange_strong(ms, &none, now > 0 ? now : 1);
}

void stop_request(void)
{
	note_wish(&requested_ms);
}

void stop_wish_make(struct stop_wish *wish)
{
	note_wish(&wish->ms);
}

uint64_t stop_now_ms(void)
{
	struct timespec now;
	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000U + (uint64_t)now.tv_nsec / 1000000U;
}

/* When a signal or somebody's wish came; 0: neither has. */
static uint64_t wished_ms(const struct stop *stop)
{
	uint64_t signal = atomic_load_explicit(&requested_ms, memory_order_relaxed);
	uint64_t wish = stop && stop->wish ? atomic_load_explicit(&stop->wish->ms, memory_order_relaxed) : 0;
	return signal == 0 || (wish > 0 && wish < signal) ? wish : signal;
}

/* When the wish came, or will; 0: nobody knows of one. */
static uint64_t wish_ms(const struct stop *stop)
{
	uint64_t requested = wished_ms(stop);
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

bool stop_is_wished(const struct stop *stop)
{
	return wished_ms(stop) > 0;
}

bool stop_look(struct stop_watch *watch)
{
	watch->has_come = watch->has_come || stop_requested(watch->stop);
	/* once it has come every step looks, and finds it */
	watch->n_left = watch->has_come ? 0 : STOP_STEPS;
	return watch->has_come;
}
