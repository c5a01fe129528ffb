/* SPDX-License-Identifier: Apache-2.0 */
/* The problem as a chain of stages: the modes that may be used, their times and energies rounded (power_plane.h). */
#include "dse/power/power_parts.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The worst mode and the worst change at every stage, over all levels, so that all sets of levels round alike. */
static void find_most(const struct power_problem *problem, struct power_chain *chain)
{
	assert(chain->n_stage > 0);
	double change_ns = 0, change_pj = 0, n_change = (double)chain->n_stage + 1;
	chain->most_ns = chain->most_pj = 0;
	for (uint32_t i = 0; i < problem->n_level; i++)
		for (uint32_t k = 0; k < problem->n_level; k++) {
			change_ns = fmax(change_ns, problem->switch_ns[i][k]);
			change_pj = fmax(change_pj, problem->switch_pj[i][k]);
		}
	for (size_t i = 0; i < problem->n_segment; i++) {
		double ns = 0, pj = 0;
		for (size_t k = 0; k < problem->segment[i].n_mode; k++) {
			ns = fmax(ns, problem->segment[i].mode[k].time_ns);
			pj = fmax(pj, problem->segment[i].mode[k].energy_pj);
		}
		chain->most_ns += ns * problem->segment[i].n_repeat;
		chain->most_pj += pj * problem->segment[i].n_repeat;
	}
	chain->most_ns += change_ns * n_change;
	chain->most_pj += change_pj * n_change;
}

/* A segment's modes that may be used; returns how many. */
static size_t take_modes(const struct power_segment *segment, uint32_t levels, double max_peak_mw, double quantum_ns,
                         double quantum_pj, struct chain_mode *mode)
{
	size_t n = 0;
	for (size_t k = 0; k < segment->n_mode; k++) {
		const struct power_mode *from = &segment->mode[k];
		assert(isfinite(from->time_ns) && from->time_ns >= 0 && from->energy_pj >= 0);
		if ((power_mode_levels(from) & ~levels) == 0 && from->peak_mw <= max_peak_mw)
			mode[n++] = (struct chain_mode){power_round(from->time_ns, quantum_ns),
			                                power_round(from->energy_pj, quantum_pj),
			                                power_mode_entry(from), from->level, (uint32_t)k};
	}
	return n;
}

static int compare_modes(const void *a, const void *b)
{
	const struct chain_mode *one = a, *other = b;
	if (one->ns < other->ns || one->ns > other->ns)
		return one->ns < other->ns ? -1 : 1;
	if (one->pj < other->pj || one->pj > other->pj)
		return one->pj < other->pj ? -1 : 1;
	return one->mode < other->mode ? -1 : one->mode > other->mode;
}

static int compare_places(const void *a, const void *b)
{
	const struct chain_mode *one = a, *other = b;
	return one->mode < other->mode ? -1 : one->mode > other->mode;
}

/*
 * Modes with levels by PE that another mode beats, changes there and back paid if its levels before and after are
 * others, are left out; returns how many stay, in the order of the segment.
 */
static size_t drop_beaten(const struct power_chain *chain, const struct power_segment *segment, double slope_mw,
                          struct chain_mode *mode, size_t n)
{
	double change_ns = 0, change_pj = 0, far_pj = INFINITY, near_pj[POWER_MAX_LEVEL][POWER_MAX_LEVEL];
	size_t n_kept = 0, far = 0;
	for (uint32_t i = 0; i < chain->n_level; i++)
		for (uint32_t k = 0; k < chain->n_level; k++) {
			change_ns = fmax(change_ns, 2 * chain->switch_ns[i][k]);
			change_pj = fmax(change_pj, 2 * chain->switch_pj[i][k]);
			near_pj[i][k] = INFINITY;
		}
	qsort(mode, n, sizeof(*mode), compare_modes);
	struct chain_mode *all = memory_array(n, sizeof(*all));
	memcpy(all, mode, n * sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		for (; far < i && all[far].ns + change_ns <= all[i].ns; far++)
			far_pj = fmin(far_pj, all[far].pj + change_pj - slope_mw * all[far].ns);
		double *near = &near_pj[all[i].entry][all[i].level];
		double pj = all[i].pj - slope_mw * all[i].ns;
		bool is_beaten = segment->mode[all[i].mode].plan && (far_pj <= pj || *near <= pj);
		*near = fmin(*near, pj);
		if (!is_beaten)
			mode[n_kept++] = all[i];
	}
	free(all);
	qsort(mode, n_kept, sizeof(*mode), compare_places);
	return n_kept;
}

static void take_changes(const struct power_problem *problem, uint32_t sleep_level, double quantum_ns,
                         double quantum_pj, struct power_chain *chain)
{
	assert(chain->n_level == problem->n_level);
	for (uint32_t i = 0; i < problem->n_level; i++) {
		for (uint32_t k = 0; k < problem->n_level; k++) {
			chain->switch_ns[i][k] = power_round(problem->switch_ns[i][k], quantum_ns);
			chain->switch_pj[i][k] = power_round(problem->switch_pj[i][k], quantum_pj);
		}
		chain->end_ns[i] = sleep_level < problem->n_level ? chain->switch_ns[i][sleep_level] : 0;
		chain->end_pj[i] = sleep_level < problem->n_level ? chain->switch_pj[i][sleep_level] : 0;
	}
}

bool power_chain_build(const struct power_problem *problem, uint32_t levels, double max_peak_mw, uint32_t sleep_level,
                       double slope_mw, struct arena *arena, struct power_chain *chain)
{
	size_t n_mode = 0, at = 0;
	bool is_possible = true;
	assert(problem && problem->n_segment > 0 && chain);
	for (size_t i = 0; i < problem->n_segment; i++)
		n_mode += problem->segment[i].n_mode;
	*chain = (struct power_chain){
	    .problem = problem, .levels = levels, .n_level = problem->n_level, .n_stage = power_n_stage(problem)};
	assert(chain->n_stage <= POWER_MAX_STAGE);
	chain->segment = memory_must(arena_array(arena, chain->n_stage, sizeof(*chain->segment)));
	chain->begin = memory_must(arena_array(arena, problem->n_segment + 1, sizeof(*chain->begin)));
	chain->mode = memory_must(arena_array(arena, n_mode + 1, sizeof(*chain->mode)));
	find_most(problem, chain);
	double quantum_ns = power_quantum(chain->most_ns), quantum_pj = power_quantum(chain->most_pj);
	take_changes(problem, sleep_level, quantum_ns, quantum_pj, chain);
	for (size_t i = 0; i < problem->n_segment; i++) {
		const struct power_segment *segment = &problem->segment[i];
		size_t n =
		    take_modes(segment, levels, max_peak_mw, quantum_ns, quantum_pj, chain->mode + chain->begin[i]);
		/* plans come last */
		if (n > 0 && isfinite(slope_mw) && segment->mode[segment->n_mode - 1].plan)
			n = drop_beaten(chain, segment, slope_mw, chain->mode + chain->begin[i], n);
		assert(n <= UINT16_MAX);
		chain->begin[i + 1] = chain->begin[i] + n;
		is_possible = is_possible && n > 0;
		for (uint32_t k = 0; k < segment->n_repeat; k++)
			chain->segment[at++] = (uint32_t)i;
	}
	return is_possible;
}
