/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_STOP_H
#define SIM_BASE_STOP_H
/*
 * A wish to stop: a signal, somebody's who looks on, or a time that is up. Who may run for long looks at it now and then
 * and returns ERR_INTERRUPTED, and no figure, when it has come. A wish never goes away again.
 *
 *   signal handler ──► stop_request ────┐
 *   a search's time ─► struct stop ─────┼─► stop_requested ◄─ stop_after ◄─ loops of the simulator
 *   libdse's caller ─► stop_wish_make ──┘
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Somebody's wish, of one search among others of the process. Initialise with {0}. */
struct stop_wish {
	atomic_uint_least64_t ms; /* when it came, by stop_now_ms; 0: it has not */
};

/* Wish. May be called by any thread, and by a signal handler. */
void stop_wish_make(struct stop_wish *wish);

/* Whose wish is heard: that of all, that of a time, and somebody's. Where a pointer to one is taken NULL is the first
 * alone. */
struct stop {
	uint64_t end_ms;   /* by stop_now_ms: until when; 0: for ever */
	uint64_t grace_ms; /* a signal is heard so long after it came: of who saves */
	const struct stop_wish *wish; /* heard like a signal; NULL: nobody's */
};

/* Ask the whole process to stop. May be called by a signal handler. */
void stop_request(void);

/* Whether the process is asked to stop, or the time is up. Takes some ten nanoseconds. */
bool stop_requested(const struct stop *stop);

/*
 * How long ago the wish came, in ms; 0: it has not, or just now. After STOP_GRACE_MS who still makes the best of what
 * there is ends with the least that will do, after STOP_LATE_MS with nothing. As quick as stop_requested.
 */
#define STOP_GRACE_MS 300U
#define STOP_LATE_MS 800U
uint64_t stop_age_ms(const struct stop *stop);

/* Whether a signal or somebody's wish has come, whatever the time. */
bool stop_is_wished(const struct stop *stop);

/* Milliseconds of a clock that never goes back. */
uint64_t stop_now_ms(void);

/* Steps of a few nanoseconds that a loop does between two looks, and that work of any size is let do to its end. */
#define STOP_STEPS 65536U

/* A loop's own counter. Initialise with stop_watch_for. */
struct stop_watch {
	const struct stop *stop;
	uint64_t n_left;
	bool has_come;
};

static inline struct stop_watch stop_watch_for(const struct stop *stop)
{
	return (struct stop_watch){.stop = stop, .n_left = STOP_STEPS};
}

/* Look. */
bool stop_look(struct stop_watch *watch);

/* n more steps are done: whether to stop. Stays true. */
static inline bool stop_after(struct stop_watch *watch, uint64_t n)
{
	if (n < watch->n_left) {
		watch->n_left -= n;
		return false;
	}
	return stop_look(watch);
}

#endif
