/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches that somebody watches: the search has a thread of its own, whose signals are the caller's; the caller's
 * thread tells how far it is, so that what is told may belong to that thread alone, as an interpreter's objects do.
 */
#include "dse/lib/library_parts.h"
#include "dse/search/live.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#define PERIOD_MS 100

struct watched {
	struct dse *dse;
	struct library_work *work;
	enum err_code code;
	pthread_mutex_t mutex;
	pthread_cond_t ends;
	bool has_ended;
};

static void *search(void *context)
{
	struct watched *watched = context;
	locale_t before = uselocale(watched->dse->plain);
	watched->code = watched->work->run(watched->work, &watched->dse->err);
	(void)uselocale(before);
	(void)pthread_mutex_lock(&watched->mutex);
	watched->has_ended = true;
	(void)pthread_cond_signal(&watched->ends);
	(void)pthread_mutex_unlock(&watched->mutex);
	return NULL;
}

static void tell(struct watched *watched)
{
	struct dse *dse = watched->dse;
	struct live_numbers numbers;
	live_read(watched->work->watch.live, &numbers);
	const char *phase = atomic_load(&watched->work->phase);
	const struct dse_progress progress = {.phase = phase ? phase : numbers.phase,
	                                      .done_frac = phase ? 0 : numbers.done_frac,
	                                      .elapsed_s = numbers.elapsed_s,
	                                      .left_s = phase ? INFINITY : numbers.left_s,
	                                      .n_evaluation = numbers.n_evaluation};
	locale_t plain = uselocale(dse->callers);
	if (dse->watch(dse->watch_context, &progress) != 0)
		stop_wish_make(&dse->wish);
	(void)uselocale(plain);
}

/* Until it ends. */
static void look_on(struct watched *watched)
{
	for (bool has_ended = false; !has_ended;) {
		struct timespec due;
		(void)clock_gettime(CLOCK_MONOTONIC, &due);
		due.tv_nsec += PERIOD_MS * 1000000L;
		due.tv_sec += due.tv_nsec / 1000000000L;
		due.tv_nsec %= 1000000000L;
		(void)pthread_mutex_lock(&watched->mutex);
		for (int code = 0; !watched->has_ended && code == 0;)
			code = pthread_cond_timedwait(&watched->ends, &watched->mutex, &due);
		has_ended = watched->has_ended;
		(void)pthread_mutex_unlock(&watched->mutex);
		tell(watched);
	}
}

static bool start(struct watched *watched, pthread_t *thread)
{
	sigset_t all, before;
	pthread_condattr_t attributes;
	if (pthread_condattr_init(&attributes) != 0)
		return false;
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	bool is_fine =
	    pthread_mutex_init(&watched->mutex, NULL) == 0 && pthread_cond_init(&watched->ends, &attributes) == 0;
	(void)pthread_condattr_destroy(&attributes);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	is_fine = is_fine && pthread_create(thread, NULL, search, watched) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return is_fine;
}

enum err_code library_watch_run(struct dse *dse, struct library_work *work)
{
	struct watched watched = {.dse = dse, .work = work};
	pthread_t thread;
	atomic_store(&dse->wish.ms, 0);
	atomic_init(&work->phase, NULL);
	work->watch.wish = &dse->wish;
	work->watch.live = dse->watch ? live_start_silent() : NULL;
	if (work->watch.live && start(&watched, &thread)) {
		look_on(&watched);
		(void)pthread_join(thread, NULL);
		(void)pthread_cond_destroy(&watched.ends);
		(void)pthread_mutex_destroy(&watched.mutex);
	} else {
		watched.code = work->run(work, &dse->err);
	}
	live_end(work->watch.live);
	work->watch.live = NULL;
	return watched.code;
}

void dse_watch(struct dse *dse, dse_watcher watch, void *context)
{
	if (!dse)
		return;
	dse->watch = watch;
	dse->watch_context = context;
}

void dse_cancel(struct dse *dse)
{
	if (dse)
		stop_wish_make(&dse->wish);
}
