/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of partial chains, in columns. */
#include "dse/pareto/compose_parts.h"
#include <assert.h>
#include <stdlib.h>

enum { FIRST_ALLOC = 1024 };

static bool grow_reals(double **column, size_t n_alloc)
{
	double *moved = n_alloc > SIZE_MAX / sizeof(**column) ? NULL : realloc(*column, n_alloc * sizeof(**column));
	*column = moved ? moved : *column;
	return moved != NULL;
}

static bool grow_numbers(uint32_t **column, size_t n_alloc)
{
	uint32_t *moved = n_alloc > SIZE_MAX / sizeof(**column) ? NULL : realloc(*column, n_alloc * sizeof(**column));
	*column = moved ? moved : *column;
	return moved != NULL;
}

bool compose_points_reserve(struct compose_points *points, size_t n)
{
	size_t n_alloc = points->n_alloc ? points->n_alloc : FIRST_ALLOC;
	assert(points->n_metric >= 1 && points->n <= points->n_alloc);
	if (n <= points->n_alloc)
		return true;
	while (n_alloc < n)
		n_alloc *= 2;
	for (unsigned i = 0; i < points->n_metric; i++) {
		if (!grow_reals(&points->metric[i], n_alloc))
			return false;
	}
	if (!grow_numbers(&points->before, n_alloc) || !grow_numbers(&points->choice, n_alloc) ||
	    !grow_numbers(&points->rank, n_alloc))
		return false;
	points->n_alloc = n_alloc;
	return true;
}

void compose_points_free(struct compose_points *points)
{
	for (unsigned i = 0; i < COMPOSE_MAX_METRIC; i++)
		free(points->metric[i]);
	free(points->before);
	free(points->choice);
	free(points->rank);
	*points = (struct compose_points){.n_metric = points->n_metric};
}
