/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMPOSE_THIN_PARTS_H
#define DSE_COMPOSE_THIN_PARTS_H
/* Thinning by epsilon-dominance (compose_thin.c), of more than two metrics in boxes (compose_box.c). */
#include "dse/pareto/compose_parts.h"

/*
 * Thin points out to at most max_front (but no fewer than 2^n_metric + n_metric):
 * to each point dropped one is kept that is, in each metric i, at most
 * (1 + epsilon[i]) times as large when beyond[i] is added to both. The best in each metric stay. *guess is the
 * epsilon of an earlier, similar call, 0 at first. false when memory is out.
 */
bool compose_thin(struct compose_points *points, const double *beyond, size_t max_front, unsigned n_thread,
                  double *guess, double *epsilon);

#define COMPOSE_BOX_CLASS 16

/* Boxes of points of more than two metrics; see compose_box.c. */
struct compose_box_table {
	uint64_t *name; /* [n_slot] 0: empty */
	uint32_t *best; /* [n_slot] the point nearest to the ideal */
	size_t n;
};

struct compose_boxes {
	const struct compose_points *points;
	unsigned n_thread, n_class;
	size_t max_of_class; /* boxes a class may have; a hash gives each about as many */
	size_t n_slot;       /* of a table: a power of two */
	double least[COMPOSE_MAX_METRIC];
	const double *beyond; /* [n_metric] added to every value; the caller's memory */
	double *logarithm;    /* [n][n_metric] of the metric over its least positive value; negative: the metric is 0 */
	double *sum;          /* [n] of the point's logarithms */
	uint64_t *name;       /* [n] of boxes, by chunk, then class */
	uint32_t *number;     /* [n] of the points so named */
	uint32_t *first;      /* [n_chunk][COMPOSE_BOX_CLASS + 1] where a chunk's classes begin */
	struct compose_box_table table[COMPOSE_BOX_CLASS];

	/* Of the trial under way. */
	double per_side;
	size_t chunk, chunk_end;
	uint32_t *keeper;
};

/* In arena; false when memory is out. max_kept: the most that compose_boxes_fit is asked. */
bool compose_boxes_init(struct compose_boxes *boxes, const struct compose_points *points, const double *beyond,
                        size_t max_kept, unsigned n_thread, struct arena *arena);

/* Whether there are at most max boxes of side log(1 + epsilon). */
bool compose_boxes_fit(struct compose_boxes *boxes, double epsilon, size_t max);

/* After boxes that fit: keeper[i] becomes the best point of the box of point i. */
void compose_boxes_assign(struct compose_boxes *boxes, uint32_t *keeper);

#endif
