/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LIVE_PRINT_H
#define DSE_LIVE_PRINT_H
/*
 * The picture of a search under way as text: a front as a scatter, figures, and
 * how far the search is. Knows no terminal but its size; dse/search/live.h draws it.
 */
#include "dse/engine/problem.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All that a picture shows. */
struct live_view {
	char title[160], phase[160]; /* what is searched; what is being done */
	/* The points, and what they are: "front", "front of layer conv1", ... */
	char what[160];
	size_t n_point; /* all there are; drawn are those that follow */
	size_t n_drawn;
	unsigned n_objective;                   /* of a point; 0: there is none yet */
	const double *objective;                /* [n_drawn][n_objective] */
	const char *name[PARETO_MAX_OBJECTIVE]; /* of the objectives, with their units */
	unsigned x, y;                          /* which of them are drawn */
	double hypervolume_frac;                /* NAN: not known */
	double gap_frac;                        /* designs not seen may be so much better; infinite: not known */
	size_t knee;                            /* of the points drawn; SIZE_MAX: none */
	uint64_t n_evaluation;
	double evaluations_per_s; /* NAN: not known */
	double done_frac, elapsed_s;
	double left_s;            /* infinite: not known */
	unsigned n_column, n_row; /* of the terminal */
	bool is_utf8, is_coloured, only_line;
};

/* Bytes that any picture takes at most. */
#define LIVE_TEXT_SIZE 32768

struct live_text {
	char text[LIVE_TEXT_SIZE];
	size_t n_byte;
	unsigned n_line;
	unsigned width[64]; /* [n_line] of each line, in columns */
};

/*
 * Print it: lines of less than n_column columns, fewer than n_row of them, each ending in "\n". Where the
 * terminal is too small for a picture, or only_line, or one objective is all there is, that is one line.
 */
void live_print(const struct live_view *view, struct live_text *text);

#endif
