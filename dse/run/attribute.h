/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ATTRIBUTE_H
#define DSE_ATTRIBUTE_H
/*
 * What one change does to a front: the designs of a front that was kept are evaluated in another space, for example
 * with one constant of a machine, one layer or one limit changed. The result is what each
 * design is worth there, or why it is not possible there. Each distinct design of a layer runs once.
 */
#include "dse/design/front_read.h"

enum attribute_fate {
	FATE_RUNS,
	FATE_OUTSIDE, /* the space has no such design: a value of an axis, a machine, an operating point is missing */
	FATE_CANNOT_RUN, /* some layer of it does not run on the machine */
	FATE_OVER_LIMIT, /* it runs and breaks a limit on results */
	N_FATE
};

/* A point of the front there. */
struct attributed {
	enum attribute_fate fate;
	const char *why;         /* NULL: it runs */
	double metric[N_METRIC]; /* of FATE_RUNS and FATE_OVER_LIMIT */
};

struct attribute_how {
	unsigned n_thread;         /* 0: one */
	const enum detail *detail; /* the tier; NULL: the front's */
	bool is_anywhere; /* designs need not be in the space: its lists, constraints and limits do not count */
};

/*
 * Evaluate all points of a front into point [front->n_point]. own: the space that the front was
 * found in, as run_space_read gives it; in: the one they are put into, own itself for none. Networks and machines go by
 * their names, or are the only ones. Texts live in arena. ERR_INTERNAL; ERR_INPUT where a design cannot be read in its
 * own space.
 */
enum err_code attribute_evaluate(const struct kept_front *front, const struct space *own, const struct space *in,
                                 const struct attribute_how *how, struct attributed *point, struct arena *arena,
                                 struct err *err);

/*
 * The value of a parameter on a point's machine as text: of an axis the point's own, else that of the machine it had.
 * text [64]: "" where own is NULL or has no such machine.
 */
void attribute_knob(const struct kept_front *front, const struct space *own, const struct kept_point *point,
                    const struct machine_param *param, char *text);

/* A space's machine of this name, or its only one where is_only; NULL: there is none. */
const struct machine *attribute_find_machine(const struct space *space, const char *name, bool is_only, size_t *index);

#endif
