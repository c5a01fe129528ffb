/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/resolution.h"
#include "dse/pareto/shortlist.h"
#include <assert.h>
#include <stdlib.h>

/* Of the points that may stand for one so many are compared. */
#define MAX_RIVAL 48

struct choice {
	const struct pareto *front;
	double resolution;
	uint32_t *by; /* [n] 1 + the point that stands for it; 0: none yet */
	uint32_t *n_stood_for;
	bool *is_chosen;
};

bool resolution_covers(const struct pareto *front, size_t own, size_t other, double resolution)
{
	const double *a = front->objective + own * front->n_objective,
		     *b = front->objective + other * front->n_objective;
	for (unsigned k = 0; k < front->n_objective; k++)
		if (a[k] > b[k] * (1.0 + resolution))
			return false;
	return true;
}

static bool stands_for(const struct choice *choice, size_t own, size_t other)
{
	return resolution_covers(choice->front, own, other, choice->resolution);
}

static void choose(struct choice *choice, size_t own)
{
	choice->is_chosen[own] = true;
	if (choice->by[own] > 0) /* it stands for itself now */
		choice->n_stood_for[choice->by[own] - 1]--;
	choice->by[own] = (uint32_t)own + 1;
	choice->n_stood_for[own]++;
	for (size_t i = 0; i < choice->front->n; i++)
		if (choice->by[i] == 0 && stands_for(choice, own, i)) {
			choice->by[i] = (uint32_t)own + 1;
			choice->n_stood_for[own]++;
		}
}

static size_t count_new(const struct choice *choice, size_t own)
{
	size_t n = 0;
	for (size_t i = 0; i < choice->front->n; i++)
		n += choice->by[i] == 0 && stands_for(choice, own, i);
	return n;
}

/* The point that stands for this one and for most others; of equals the first. */
static size_t best_for(const struct choice *choice, size_t point)
{
	size_t n_rival = 0, best = point, most = count_new(choice, point);
	for (size_t i = 0; i < choice->front->n; i++)
		n_rival += i != point && stands_for(choice, i, point);
	size_t stride = n_rival / MAX_RIVAL + 1, at = 0;
	for (size_t i = 0; i < choice->front->n; i++) {
		if (i == point || !stands_for(choice, i, point) || at++ % stride != 0)
			continue;
		size_t n = count_new(choice, i);
		if (n > most) {
			most = n;
			best = i;
		}
	}
	return best;
}

size_t resolution_choose(const struct pareto *front, double resolution, size_t *chosen, uint32_t *n_stood_for)
{
	assert(resolution >= 0.0 && front->n > 0);
	struct choice choice = {.front = front,
	                        .resolution = resolution,
	                        .by = calloc(front->n, sizeof(*choice.by)),
	                        .n_stood_for = calloc(front->n, sizeof(*choice.n_stood_for)),
	                        .is_chosen = calloc(front->n, sizeof(*choice.is_chosen))};
	size_t n = 0;
	if (choice.by && choice.n_stood_for && choice.is_chosen) {
		for (unsigned k = 0; k < front->n_objective && resolution > 0.0; k++)
			if (!choice.is_chosen[shortlist_least(front, k)])
				choose(&choice, shortlist_least(front, k));
		for (size_t i = 0; i < front->n; i++) {
			if (resolution > 0.0 && choice.by[i] == 0)
				choose(&choice, best_for(&choice, i));
			if (resolution > 0.0)
				continue;
			choice.is_chosen[i] = true;
			choice.n_stood_for[i] = 1;
		}
		for (size_t i = 0; i < front->n; i++) {
			if (!choice.is_chosen[i])
				continue;
			if (n_stood_for)
				n_stood_for[n] = choice.n_stood_for[i];
			chosen[n++] = i;
		}
	}
	free(choice.by);
	free(choice.n_stood_for);
	free(choice.is_chosen);
	return n;
}
