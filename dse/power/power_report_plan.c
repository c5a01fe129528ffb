/* SPDX-License-Identifier: Apache-2.0 */
/* Levels by PE in a schedule, replayed. */
#include "dse/power/power_report.h"
#include <assert.h>
#include <math.h>

/* Time, energy and peak of a replay are sums in another order. */
#define REPLAY_FRAC 1e-9

static bool is_near(double a, double b)
{
	return fabs(a - b) <= REPLAY_FRAC * fmax(fabs(a), fabs(b));
}

enum err_code power_replay_best(const struct power_run *run, size_t *n_piece, struct err *err)
{
	const struct power_problem *problem = &run->work.problem;
	size_t at = 0;
	*n_piece = 0;
	assert(run->best.is_found);
	for (size_t i = 0; i < problem->n_segment; i++)
		for (uint32_t k = 0; k < problem->segment[i].n_repeat; k++) {
			const struct power_mode *mode = &problem->segment[i].mode[run->best.mode[at++]];
			double ns, pj, peak_mw;
			if (!mode->plan)
				continue;
			if (!pe_plan_replay(run->work.piece[i].spread, mode->plan, &ns, &pj, &peak_mw) ||
			    !is_near(ns, mode->time_ns) || !is_near(pj, mode->energy_pj) ||
			    !is_near(peak_mw, mode->peak_mw))
				return err_add(err, ERR_INTERNAL,
				               "dse power: %s, replayed PE by PE: %.12g ns, %.12g pJ, %.12g mW; its "
				               "schedule has %.12g ns, %.12g pJ, %.12g mW",
				               run->work.piece[i].block->name, ns, pj, peak_mw, mode->time_ns,
				               mode->energy_pj, mode->peak_mw);
			(*n_piece)++;
		}
	return ERR_OK;
}
