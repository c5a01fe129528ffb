/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/base/stop.h"
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

/*
 * The one mutable global of the program: a signal handler has no argument that
 * could carry a pointer, so there is nowhere else for it to leave its news.
 */
static atomic_bool is_requested;

void stop_request(void)
{
	atomic_store(&is_requested, true);
}

uint64_t stop_now_ms(void)
{
	struct timespec now;
	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000U + (uint64_t)now.tv_nsec / 1000000U;
}

bool stop_requested(const struct stop *stop)
{
	if (atomic_load_explicit(&is_requested, memory_order_relaxed))
		return true;
	return stop && stop->end_ms > 0 && stop_now_ms() >= stop->end_ms;
}

bool stop_look(struct stop_watch *watch)
{
	watch->has_come = watch->has_come || stop_requested(watch->stop);
	/* once it has come every step looks, and finds it */
	watch->n_left = watch->has_come ? 0 : STOP_STEPS;
	return watch->has_come;
}
