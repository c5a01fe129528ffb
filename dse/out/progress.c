/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/progress.h"
#include "dse/out/terminal.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

/* Six updates a second at most. */
#define PERIOD_MS 170

/* An estimate that is longer by less than this is no news. */
#define LONGER_FRAC 1.25

void progress_start(struct progress *progress, bool wanted)
{
	assert(progress);
	progress->shown = wanted && terminal_obeys(stderr);
	progress->start_ms = stop_now_ms();
	progress->left = (struct progress_left){0};
	atomic_flag_clear(&progress->is_printing);
	/* Nothing for runs that end at once. */
	atomic_init(&progress->next_ms, progress->start_ms + 2 * PERIOD_MS);
}

double progress_left_s(struct progress_left *left, double elapsed_s, double done_frac)
{
	assert(left && elapsed_s >= left->at_s);
	double counted_s = left->done_frac > 0.0 ? left->left_s - (elapsed_s - left->at_s) : 0.0;
	if (!(done_frac > left->done_frac))
		return counted_s > 0.0 ? counted_s : INFINITY;
	double left_s = elapsed_s * (1.0 - done_frac) / done_frac;
	bool is_kept = left_s > counted_s && left_s < LONGER_FRAC * counted_s;
	*left = (struct progress_left){done_frac, elapsed_s, is_kept ? counted_s : left_s};
	return left->left_s;
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
	/* Of several threads that find it is time, one prints. */
	if (now_ms < next_ms || atomic_flag_test_and_set_explicit(&progress->is_printing, memory_order_acquire))
		return;
	atomic_store_explicit(&progress->next_ms, now_ms + PERIOD_MS, memory_order_relaxed);
	double elapsed_s = fmax((double)(now_ms - progress->start_ms) / 1000.0, progress->left.at_s);
	char left[32];
	progress_print_time(progress_left_s(&progress->left, elapsed_s, done_frac), left, sizeof(left));
	(void)fprintf(stderr, "\r%5.1f %%  %s left  %.48s\033[K", 100.0 * done_frac, left, what);
	(void)fflush(stderr);
	atomic_flag_clear_explicit(&progress->is_printing, memory_order_release);
}

void progress_end(struct progress *progress)
{
	assert(progress);
	if (progress->shown)
		(void)fputs("\r\033[K", stderr);
	progress->shown = false;
}
