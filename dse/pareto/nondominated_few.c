/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four objectives of which one takes few values, as what belongs to a machine does where a space has few machines:
 * sorted by the others, a point is dominated when an earlier one with a value up to its own is at or below it in two
 * objectives. A staircase for each value says so in log n steps, where a set in three objectives takes many more.
 */
#include "dse/pareto/nondominated_parts.h"
#include "dse/pareto/staircase.h"
#include <assert.h>
#include <stdlib.h>

enum {
	MAX_VALUE = 8,
	FEW_POINTS = 256 /* for which the general way is short, too */
};

struct values {
	unsigned objective, n;
	double value[MAX_VALUE];
};

static unsigned place_of(const struct values *values, double wanted)
{
	unsigned i = 0;
	while (i < values->n && values->value[i] < wanted)
		i++;
	return i;
}

/* The values of one objective, ascending; false: there are too many. */
static bool list_values(const double *point, const uint32_t *at, size_t n, struct values *values)
{
	values->n = 0;
	for (size_t i = 0; i < n; i++) {
		double own = point[4 * (size_t)at[i] + values->objective];
		unsigned place = place_of(values, own);
		if (place < values->n && values->value[place] == own)
			continue;
		if (values->n == MAX_VALUE)
			return false;
		memmove(values->value + place + 1, values->value + place, (values->n - place) * sizeof(*values->value));
		values->value[place] = own;
		values->n++;
	}
	return true;
}

static bool find_values(const double *point, const uint32_t *at, size_t n, struct values *values)
{
	for (values->objective = 0; values->objective < 4; values->objective++)
		if (list_values(point, at, n, values))
			return true;
	return false;
}

/* The points with the objective of few values last. */
static void turn(const double *point, const uint32_t *at, size_t n, unsigned objective, double *turned)
{
	for (size_t i = 0; i < n; i++) {
		const double *row = point + 4 * (size_t)at[i];
		unsigned to = 0;
		for (unsigned k = 0; k < 4; k++)
			if (k != objective)
				turned[4 * i + to++] = row[k];
		turned[4 * i + 3] = row[objective];
	}
}

static bool filter(const struct values *values, const double *turned, const struct nondominated *memory,
                   const uint32_t *at, size_t n, bool *keep, size_t *n_kept)
{
	struct staircase stair[MAX_VALUE] = {{0}};
	bool done = true;
	for (size_t i = 0; i < n && done; i++) {
		const double *row = turned + 4 * memory->item[i].value;
		unsigned place = place_of(values, row[3]);
		bool is_covered = false;
		assert(place < values->n);
		for (unsigned k = 0; k <= place && !is_covered; k++)
			is_covered = staircase_covers(&stair[k], row[1], row[2]);
		if (is_covered)
			continue;
		done = staircase_add(&stair[place], row[1], row[2], 0.0, 0.0, NULL);
		keep[at[memory->item[i].value]] = true;
		(*n_kept)++;
	}
	for (unsigned k = 0; k < values->n; k++)
		staircase_free(&stair[k]);
	return done;
}

bool nondominated_filter_few(const double *point, const uint32_t *at, size_t n, bool *keep, size_t *n_kept,
                             bool *is_done)
{
	struct values values;
	struct nondominated memory = {0};
	*is_done = n >= FEW_POINTS && find_values(point, at, n, &values);
	if (!*is_done)
		return true;
	double *turned = malloc(4 * n * sizeof(*turned));
	bool done = turned && nondominated_init(&memory, n);
	if (done) {
		turn(point, at, n, values.objective, turned);
		/* Equal points keep their order. */
		nondominated_order(&memory, turned, 4, 4, NULL, n);
		done = filter(&values, turned, &memory, at, n, keep, n_kept);
	}
	nondominated_free(&memory);
	free(turned);
	return done;
}
