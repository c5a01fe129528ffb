/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/quality.h"
#include "dse/indicator.h"
#include <assert.h>
#include <math.h>

/* Metrics are sizes, times and energies: 0 is their ideal, and the reference lies beyond the nadir by a tenth of it. */
static const double BEYOND_NADIR = 1.1;

bool quality_of_front(const struct pareto *front, struct quality *quality)
{
	double box = 1.0;
	assert(front->n >= 1 && front->n_objective >= 1 && front->n_objective <= HYPERVOLUME_MAX_OBJECTIVE);
	*quality = (struct quality){.knee = indicator_knee(front->objective, front->n, front->n_objective)};
	for (unsigned k = 0; k < front->n_objective; k++) {
		double nadir = 0.0;
		for (size_t i = 0; i < front->n; i++)
			nadir = fmax(nadir, front->objective[i * front->n_objective + k]);
		quality->reference[k] = BEYOND_NADIR * nadir;
		box *= quality->reference[k];
	}
	if (!hypervolume(front->objective, front->n, front->n_objective, quality->reference, &quality->hypervolume))
		return false;
	quality->hypervolume_frac = box > 0.0 ? quality->hypervolume / box : 0.0;
	assert(quality->hypervolume >= 0.0);
	return true;
}
