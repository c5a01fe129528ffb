/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PROGRESS_H
#define DSE_PROGRESS_H
/*
 * Progress: one line on stderr that is overwritten, only on a terminal, at most
 * six times a second, with the time that is left.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was said last of the time that is left. Begin with zeros. */
struct progress_left {
	double done_frac, at_s; /* how far it was then, and when */
	double left_s;
};

struct progress {
	bool shown;
	uint64_t start_ms;
	atomic_uint_fast64_t next_ms; /* no update before */
	atomic_flag is_printing;
	struct progress_left left; /* of who prints */
};

/* wanted: neither -q nor --no-progress nor a result on stderr's terminal forbids it. */
void progress_start(struct progress *progress, bool wanted);

/* done_frac 0..1; what is done now, in a few words. From any thread; nearly free when it is not yet time. */
void progress_update(struct progress *progress, double done_frac, const char *what);

/*
 * Seconds that are left of work that is done to done_frac after elapsed_s: as the work so far went. Between two steps of
 * done_frac it counts down, and a step that makes it a little longer changes nothing; INFINITY where a step takes longer
 * than all that was left.
 */
double progress_left_s(struct progress_left *left, double elapsed_s, double done_frac);

/* "12 s", "3 min 05 s", "2 h 10 min"; "?" when nobody can know. */
void progress_print_time(double seconds, char *text, size_t n_byte);

/* Remove the line. */
void progress_end(struct progress *progress);

#endif
