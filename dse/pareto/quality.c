/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/quality.h"
#include "dse/pareto/indicator.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Metrics are sizes, times and energies: 0 is their ideal, and the reference lies beyond the nadir by a tenth of it. */
static const double BEYOND_NADIR = 1.1;

static void set_reference(const struct pareto *front, double *reference)
{
	assert(front->n >= 1);
	for (unsigned k = 0; k < front->n_objective; k++) {
		double nadir = 0.0;
		for (size_t i = 0; i < front->n; i++)
			nadir = fmax(nadir, front->objective[i * front->n_objective + k]);
		reference[k] = BEYOND_NADIR * nadir;
	}
}

bool quality_of_front(const struct pareto *front, struct quality *quality)
{
	double box = 1.0;
	assert(front->n >= 1 && front->n_objective >= 1 && front->n_objective <= HYPERVOLUME_MAX_OBJECTIVE);
	*quality = (struct quality){.knee = indicator_knee(front->objective, front->n, front->n_objective)};
	set_reference(front, quality->reference);
	for (unsigned k = 0; k < front->n_objective; k++)
		box *= quality->reference[k];
	if (!hypervolume(front->objective, front->n, front->n_objective, quality->reference, &quality->hypervolume))
		return false;
	quality->hypervolume_frac = box > 0.0 ? quality->hypervolume / box : 0.0;
	assert(quality->hypervolume >= 0.0);
	return true;
}

void quality_reach(const struct pareto *front, const struct history *history, uint64_t n_evaluation[HISTORY_N_SHARE])
{
	double reference[HYPERVOLUME_MAX_OBJECTIVE];
	memset(n_evaluation, 0, HISTORY_N_SHARE * sizeof(*n_evaluation));
	if (front->n == 0 || front->n_objective > 3)
		return;
	set_reference(front, reference);
	history_reach(history, reference, n_evaluation);
}
