/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LIVE_H
#define DSE_LIVE_H
/*
 * The live picture of a search, on stderr where that is a terminal: a thread of
 * its own draws it six times a second from numbers that the search leaves.
 *
 *   search's threads ── atomic numbers ─────────────────────┐
 *        │ at safe points, where it is asked for: a copy of │the front
 *        ▼                                                  ▼
 *     points ◄── mutex ──► drawing thread ── live_print ── terminal
 *
 * The search waits for nothing but the copy of numbers out of the points; its
 * results do not know of it. Nothing of the terminal's state is changed, so that
 * nothing has to be restored, however the process ends: the picture is drawn
 * over and, at the end, taken away.
 */
#include "dse/pareto/pareto.h"
#include "dse/space/space.h"

/* What is to be drawn. */
struct live_axes {
	unsigned x, y; /* of the space's objectives */
	bool only_line;
};

/*
 * "X,Y", names of two objectives of the space, or "line"; NULL: the first two. ERR_USAGE, with what is allowed.
 */
enum err_code live_parse(const char *text, const struct space *space, struct live_axes *axes, struct err *err);

/* What a search is doing. */
enum live_phase { LIVE_BEGIN, LIVE_BOUND, LIVE_LAYERS, LIVE_COMPOSE, LIVE_FLAT, LIVE_N_PHASE };

struct live;

/*
 * Begin to draw. engine: its name. stop_ms: when the time is up, by
 * stop_now_ms; 0: never. NULL where there is nothing to draw on, or no memory or thread for it; all that follows
 * does nothing then.
 */
struct live *live_start(const struct space *space, const char *engine, const struct live_axes *axes, uint64_t stop_ms);

/* One that draws nothing: who made it looks at its numbers, from any thread. For explore_watch; ended by live_end. NULL:
 * out of memory. */
struct live *live_start_silent(void);

/* How far it is. */
struct live_numbers {
	double done_frac, elapsed_s, left_s; /* left_s: infinite, nobody knows */
	uint64_t n_evaluation;
	uint64_t first, last, n_machine; /* machines first to last, from 1, are being searched; 0: none are yet */
	uint64_t n_search, n_search_done; /* of layers, on these machines */
	char phase[160];                 /* in words */
};
void live_read(struct live *live, struct live_numbers *numbers);

/* Take the picture away. */
void live_end(struct live *live);

/* From any thread, as often as one likes. */
void live_set_done(struct live *live, double done_frac);
void live_set_phase(struct live *live, enum live_phase phase);
void live_add_evaluations(struct live *live, uint64_t n);
void live_set_evaluations(struct live *live, uint64_t n);
/* Machines first to last of n are being searched, with so many searches of layers. */
void live_set_machines(struct live *live, uint64_t first, uint64_t last, uint64_t n, size_t n_search);
void live_add_search(struct live *live); /* one of them is done */

/*
 * By how much designs not seen yet may beat the front (infinite: nobody knows), for a line below the picture. Ask
 * first: false where nobody looks on, or where measuring would take more of the time than it is worth. Both from the
 * thread that searches.
 */
bool live_wants_gap(struct live *live);
void live_set_gap(struct live *live, double gap_frac);

/*
 * Leave points to be drawn, where they do not change meanwhile; nearly free when none are asked for yet. Those of the
 * front come before those of a sample of the space's designs, and these before the front of a layer of this name, over
 * objectives of the metrics.
 */
void live_show_front(struct live *live, const struct pareto *front);
void live_show_sample(struct live *live, const struct pareto *sample);
void live_show_layer(struct live *live, const char *layer, const enum metric *metric, const struct pareto *front);

#endif
