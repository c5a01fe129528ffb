/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NIGHT_FRONTS_H
#define DSE_NIGHT_FRONTS_H
/* The fronts of a night's runs, read back from the store: their figures, and the points of one night that another
 * lacks. */
#include "dse/run/kept_run.h"
#include "dse/night/night_store.h"

/* Points of a front and causes that are named; all are counted. */
#define NIGHT_MAX_NAMED 10
/* Relative: differences of rounding do not count. */
#define NIGHT_ROUNDING 1e-9

/* A point that the other night has nothing for. */
struct night_point {
	uint64_t run, id;    /* of its front */
	const char *machine; /* name and axes: "dvfs_chip, mla.array 16x4" */
	double objective[SPACE_MAX_OBJECTIVE];
	double nearest[SPACE_MAX_OBJECTIVE]; /* the other night's point that comes nearest; NaN: it has none */
	double short_pct;                    /* by how much that falls short, in its worst objective; infinite: none */
};

struct night_fronts {
	const struct night_row *row;
	size_t n;                        /* runs that were read */
	struct kept_run first;           /* of the space's own seed */
	const struct kept_front **front; /* [n]; without points where the run was pruned */
	double **objective;              /* [n] [front->n_point][row->n_objective] */
	struct kept_front *own;          /* [n] but the first; front points there */
};

/* Read the fronts of a row's first n runs. ERR_IO, ERR_INPUT. Free them also after an error. */
enum err_code night_fronts_read(struct database *store, const struct night_row *row, size_t n,
                                struct night_fronts *fronts, struct err *err);
void night_fronts_free(struct night_fronts *fronts);

/* What hypervolumes of an era are measured up to: 1.1 times the largest values of its first night's fronts. */
void night_set_reference(struct night_row *row, const struct night_fronts *now);

/* Hypervolume and least values of each of the row's fronts, all of which are read. */
void night_measure(struct night_row *row, const struct night_fronts *now);

/*
 * Add point [p] of the first front of `from` to a list [NIGHT_MAX_NAMED] of those that fall short most, by a share
 * (0.01 is 1 %) of what is nearest [n_objective] (NULL: nothing); *n_point counts all. Texts live in arena.
 */
void night_name_point(struct arena *arena, const struct night_fronts *from, size_t p, const double *nearest,
                      double share, struct night_point *list, size_t *n_point);

/*
 * Points of the first front of `from` that no point of `in` comes near to but for a share epsilon [n_objective] in
 * each: those that miss by most into list [NIGHT_MAX_NAMED], with texts in arena, and how many they are. Steps: points
 * times points.
 */
void night_find_missing(struct arena *arena, const struct night_fronts *from, const struct night_fronts *in,
                        const double *epsilon, struct night_point *list, size_t *n_missing);

#endif
