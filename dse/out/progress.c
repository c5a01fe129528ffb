/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/progress.h"
#include "dse/out/terminal.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

/* Six updates a second at most. */
#define PERIOD_MS 170

void progress_start(struct progress *progress, bool wanted)
{
	assert(progress);
	progress->shown = wanted && terminal_obeys(stderr);
	progress->start_ms = stop_now_ms();
	/* Nothing for runs that end at once. */
	atomic_init(&progress->next_ms, progress->start_ms + 2 * PERIOD_MS);
}

void progress_print_time(double left_s, char *text, size_t n_byte)
{
	assert(text && n_byte > 0);
	if (!isfinite(left_s) || left_s > 360000.0)
		(void)snprintf(text, n_byte, "?");
	else if (left_s < 60.0)
		(void)snprintf(text, n_byte, "%.0f s", ceil(left_s));
	else if (left_s < 3600.0)
		(void)snprintf(text, n_byte, "%d min %02d s", (int)left_s / 60, (int)left_s % 60);
	else
		(void)snprintf(text, n_byte, "%d h %02d min", (int)left_s / 3600, (int)left_s % 3600 / 60);
}

void progress_update(struct progress *progress, double done_frac, const char *what)
{
	assert(progress && what);
	if (!progress->shown)
		return;
	uint64_t now_ms = stop_now_ms();
	uint_fast64_t next_ms = atomic_load_explicit(&progress->next_ms, memory_order_relaxed);
	/* Of several threads that find it is time, the one that moves the time prints. */
	if (now_ms < next_ms || !atomic_compare_exchange_strong(&progress->next_ms, &next_ms, now_ms + PERIOD_MS))
		return;
	double spent_s = (double)(now_ms - progress->start_ms) / 1000.0;
	double left_s = done_frac > 0.0 ? spent_s * (1.0 - done_frac) / done_frac : INFINITY;
	char left[32];
	progress_print_time(left_s, left, sizeof(left));
	(void)fprintf(stderr, "\r%5.1f %%  %s left  %.48s\033[K", 100.0 * done_frac, left, what);
	(void)fflush(stderr);
}

void progress_end(struct progress *progress)
{
	assert(progress);
	if (progress->shown)
		(void)fputs("\r\033[K", stderr);
	progress->shown = false;
}
