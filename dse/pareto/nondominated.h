/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NONDOMINATED_H
#define DSE_NONDOMINATED_H
/*
 * Which points of a set no other one dominates, and the ranks that follow when
 * those are taken away again and again (nondominated sorting), all objectives
 * minimised. For whole sets at once; dse/pareto/pareto.h keeps a front while points
 * arrive one by one.
 */
#include "dse/base/key_sort.h"
#include "sim/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NONDOMINATED_MAX_OBJECTIVE 8

/*
 * keep[i] becomes whether no point dominates point i of point [n][n_objective]
 * (not NaN; infinite values are fine); of equal points the first one stays.
 * *n_kept becomes how many stay. false when memory is out.
 * Steps: n log n for up to 3 objectives, or 4 of which one takes few values; n where few points stay.
 */
bool nondominated_filter(const double *point, size_t n, unsigned n_objective, bool *keep, size_t *n_kept);

/* The same of points in order: by objective 0, of equal ones by objective 1, and so on. Best for up to 3 objectives. */
bool nondominated_filter_ordered(const double *point, size_t n, unsigned n_objective, bool *keep, size_t *n_kept);

/* Memory of ranking, and the order that it leaves. Initialise with {0}, then nondominated_init. */
struct nondominated {
	size_t n_alloc;
	struct key_item *item;              /* [n_alloc] */
	struct key_item *scratch;           /* [2 * n_alloc] */
	double *last;                       /* [n_alloc] the least second objective of each front: 2 objectives */
	uint32_t *front, *before;           /* [n_alloc] each front's last member; the member before */
	struct nondominated_halves *halves; /* large sets of 3 objectives */
	struct nondominated_bits *bits;     /* small sets of 3 objectives and more */
	struct arena arena;                 /* of all this */
};

bool nondominated_init(struct nondominated *memory, size_t n);
void nondominated_free(struct nondominated *memory);

enum nondominated_equal {
	EQUAL_SHARE, /* equal points have the same rank: the definition */
	EQUAL_BEHIND /* each equal point ranks behind the one before it, as if that one dominated it */
};

/*
 * Ranks of n points, 0 for those that nothing dominates; returns the number of
 * fronts. Point at[i] (at NULL: i) is the row point + at[i] * stride, of which
 * the first n_objective values count (not NaN); its rank becomes rank[at[i]].
 * memory must hold n; memory->item [n] tells afterwards, as values, the points
 * in the order of their objectives, those at equal objectives as at[] has them.
 * Steps, at worst: n log n for up to 3 objectives, whatever the fronts. For 3, n below 2^31: each of log n halvings
 * asks for, adds and removes at most n steps each of a staircase, which is a tree of words of 64 bits over the points
 * at hand. That reads as many words as their number has digits of 6 bits, up and down: 4 for 16 million, 6 for all that
 * there can be; counted, 1.9 of a thousand points and 2.5 of a million, 3.4 n log2 n of these in all. (For words and
 * numbers of any length it would be a factor, log n / log 64 or, by van Emde Boas, log log n. A. L. Buchsbaum, M. T.
 * Goodrich, "Three-dimensional layers of maxima", 2004, have none, with dynamic fractional cascading; it was not
 * tried.) About n sqrt n to n^2 / 2 for more objectives. Small sets take n^2 / 64.
 */
uint32_t nondominated_rank(struct nondominated *memory, const double *point, size_t stride, unsigned n_objective,
                           const uint32_t *at, size_t n, enum nondominated_equal equal, uint32_t *rank);

/* Sort points by objective 0, then 1, ...; equal points keep the order of at[]. Part of the above, for others. */
void nondominated_order(struct nondominated *memory, const double *point, size_t stride, unsigned n_objective,
                        const uint32_t *at, size_t n);

#endif
