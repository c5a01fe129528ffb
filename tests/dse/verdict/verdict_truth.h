/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_VERDICT_TRUTH_H
#define TESTS_VERDICT_TRUTH_H
/* A random space of a few machines, and all designs of each machine, which verdicts are compared with. */
#include "dse/search/explore.h"
#include "dse/verdict/verdict.h"
#include <math.h>
#include <stdbool.h>

enum { TEXT = 4096, MAX_AXIS = 3, MAX_VALUE = 3, MAX_MACHINE = 27 };

/* What sums in another order, and prints of fifteen digits, may differ by. */
#define SAME (1.0 + 1e-9)

struct axis {
	const char *key;
	unsigned n;
	const char *value[MAX_VALUE];
};

/* A space as text, but for its axes, which vary or have one value each. */
struct drawn {
	char machine[64], layers[TEXT], objectives[256], more[256], deadline[32];
	unsigned n_axis, n_machine, n_layer;
	struct axis axis[MAX_AXIS];
	unsigned n_objective;
	bool is_scaled[SPACE_MAX_OBJECTIVE], has_latency;
};

/* The value of an axis that a machine has; the last axis varies fastest. */
static inline unsigned axis_at(const struct drawn *drawn, unsigned machine, unsigned axis)
{
	for (unsigned i = drawn->n_axis; i-- > axis + 1;)
		machine /= drawn->axis[i].n;
	return machine % drawn->axis[axis].n;
}

/* All nondominated designs of each machine, and which of them keep the limit on the first objective. */
struct truth {
	const struct drawn *drawn;
	unsigned n_machine;
	double limit; /* of objective 0; infinite: none */
	struct pareto all[MAX_MACHINE];
	const struct explore *found;
	const struct unroller *unroller; /* of the front found */
	struct run_verdict verdict;
	const struct price *price; /* where designs got prices; NULL: the verdict is of one tier */
	const struct truth *fast;  /* then: the same machines in the fast tier, and its front */
};

static inline bool keeps(const struct truth *truth, const double *value)
{
	return value[0] <= truth->limit * SAME;
}

static inline const double *design(const struct truth *truth, unsigned machine, size_t i)
{
	return truth->all[machine].objective + i * truth->drawn->n_objective;
}

static inline double least_of(const struct truth *truth, unsigned machine, unsigned k)
{
	double least = INFINITY;
	for (size_t i = 0; i < truth->all[machine].n; i++)
		if (keeps(truth, design(truth, machine, i)))
			least = fmin(least, design(truth, machine, i)[k]);
	return least;
}

/* Whether own is no larger in what is the machine's, and in all else by the margin. */
static inline bool beats(const struct truth *truth, const double *own, const double *other, double margin)
{
	for (unsigned k = 0; k < truth->drawn->n_objective; k++) {
		double factor = truth->drawn->is_scaled[k] ? 1.0 + margin : 1.0;
		if (!(own[k] * factor <= other[k] * SAME))
			return false;
	}
	return true;
}

/* Whether each design of the machine is beaten by one of the other's, of any machine's where that is
 * RUN_VERDICT_NOBODY. */
static inline bool is_beaten(const struct truth *truth, unsigned machine, uint32_t by, double margin)
{
	for (size_t i = 0; i < truth->all[machine].n; i++) {
		bool found = !keeps(truth, design(truth, machine, i));
		for (unsigned m = 0; m < truth->n_machine && !found; m++)
			for (size_t k = 0; k < truth->all[m].n && !found && (by == RUN_VERDICT_NOBODY || by == m); k++)
				found = m != machine && keeps(truth, design(truth, m, k)) &&
				        beats(truth, design(truth, m, k), design(truth, machine, i), margin);
		if (!found)
			return false;
	}
	return true;
}

#endif
