/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/gap.h"
#include "dse/base/parallel.h"
#include <math.h>
#include <stdlib.h>

enum { CHUNK = 64 };

struct gap {
	const struct pareto *front, *other;
	double *least; /* [n chunks] the largest gap of a chunk's points */
};

/* In the objective in which that is most, how many times as large the point is. */
static double ratio_of(const double *own, const double *other, unsigned n, double enough)
{
	double most = 0.0;
	for (unsigned k = 0; k < n && most < enough; k++) {
		double ratio = other[k] > 0.0 ? own[k] / other[k] : own[k] > 0.0 ? INFINITY : 1.0;
		most = fmax(most, ratio);
	}
	return most;
}

/* The ratio of a point; exact as long as it is more than most. */
static double gap_of_point(const struct pareto *front, const double *other, double most)
{
	double least = INFINITY;
	for (size_t k = 0; k < front->n && least > most; k++)
		least =
		    fmin(least, ratio_of(front->objective + k * front->n_objective, other, front->n_objective, least));
	return least;
}

double gap_to(const struct pareto *front, const double *other)
{
	return fmax(gap_of_point(front, other, 1.0), 1.0) - 1.0;
}

static void gap_of_chunk(void *context, size_t chunk)
{
	const struct gap *gap = context;
	size_t end = (chunk + 1) * CHUNK < gap->other->n ? (chunk + 1) * CHUNK : gap->other->n;
	double most = 1.0;
	for (size_t i = chunk * CHUNK; i < end; i++)
		most = fmax(most, gap_of_point(gap->front, gap->other->objective + i * gap->front->n_objective, most));
	gap->least[chunk] = most - 1.0;
}

double gap_between(const struct pareto *front, const struct pareto *other, unsigned n_thread)
{
	size_t n = (other->n + CHUNK - 1) / CHUNK;
	struct gap gap = {front, other, calloc(n + 1, sizeof(*gap.least))};
	double most = gap.least ? 0.0 : INFINITY;
	if (gap.least)
		parallel_for(n, n_thread, gap_of_chunk, &gap);
	for (size_t i = 0; gap.least && i < n; i++)
		most = fmax(most, gap.least[i]);
	free(gap.least);
	return most;
}
