/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PARETO_H
#define DSE_PARETO_H
/*
 * Pareto archive: the nondominated points told so far, all objectives
 * minimised. Of points with equal objectives the one with the smaller genome
 * (lexicographic) stays, so the archive does not depend on the order in which
 * points arrive. Memory is bounded by the front.
 */
#include "dse/base/pack.h"
#include <stdbool.h>

#define PARETO_MAX_OBJECTIVE 8

struct pareto {
	unsigned n_objective;
	size_t n_gene;
	size_t n, n_alloc;
	double *objective; /* [n][n_objective] */
	uint32_t *genome;  /* [n][n_gene] */
	uint64_t *tag;     /* [n], the caller's */
};

/* a dominates b: nowhere larger, somewhere smaller. */
bool pareto_dominates(const double *a, const double *b, unsigned n_objective);

void pareto_init(struct pareto *archive, unsigned n_objective, size_t n_gene);
void pareto_free(struct pareto *archive);

/* Insert a feasible point; returns whether it stays. false also when memory is out (archive->n_alloc is 0 then). */
bool pareto_insert(struct pareto *archive, const double *objective, const uint32_t *genome, uint64_t tag);

/*
 * Whether a point of the archive makes this one superfluous: it dominates it,
 * or has equal objectives and a genome that comes no later. *hint is the
 * caller's memory of which point did so last (start with 0; any value is
 * valid); the answer does not depend on it, its cost does.
 */
bool pareto_covers(const struct pareto *archive, const double *objective, const uint32_t *genome, size_t *hint);

/* Add a point unlooked at: for a batch, not for an archive. false when memory is out (batch is empty then). */
bool pareto_append(struct pareto *batch, const double *objective, const uint32_t *genome, uint64_t tag);

/*
 * Give an empty batch n points of zeros, whose rows the caller writes, by several threads if need be. false when memory
 * is out (batch is empty then).
 */
bool pareto_extend(struct pareto *batch, size_t n);

/*
 * Insert all points of a batch (same shape, any points), which is empty afterwards; the archive is sorted then. What
 * pareto_insert does one by one, in n log n for up to 3 objectives; n_thread threads copy what stays. false when memory
 * is out (the archive is empty then, too).
 */
bool pareto_insert_all(struct pareto *archive, struct pareto *batch, unsigned n_thread);

/* Insert all points of other (same shape). When memory is out, archive->n_alloc is 0 although other->n is not. */
void pareto_merge(struct pareto *archive, const struct pareto *other);

/*
 * Write the archive, or read what was written into an empty one of the same shape. A reader takes the bytes' word for
 * it that no point dominates another; it refuses genes that are not below n_value [n_gene] (NULL: any gene will do).
 */
void pareto_pack(struct pareto *archive, const uint32_t *n_value, struct pack *pack);

/* Index of the first point with the least value of an objective; 0 of an empty archive. */
size_t pareto_least(const struct pareto *archive, unsigned objective);

/* Sort by objectives, then genome: the total order of everything that is printed. */
void pareto_sort(struct pareto *archive);

#endif
