/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the rules by layer and the exact allocations of one network on one machine, and compares their energies. */
#include "dse/arada/arada_gain.h"
#include "dse/base/memory.h"
#include "dse/out/csv_write.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <math.h>

#define SLACK 1e-9

const char *const arada_allocator_name[N_ARADA_ALLOCATOR] = {"published",  "by_layer",    "exact",
                                                             "exact_part", "exact_turbo", "exact_later"};

/* The same knobs without those that an allocator does not have. */
static struct arada_knobs restrict_knobs(const struct arada_case *of, enum arada_energy energy,
                                         enum arada_allocator allocator)
{
	struct arada_knobs knobs = *of->knobs;
	knobs.energy = energy;
	/* where memory costs nothing its bandwidth is no knob: a change of it could only halt it */
	knobs.chooses_bandwidth = knobs.chooses_bandwidth && energy == ARADA_MACHINE;
	if (allocator < ARADA_EXACT_PART)
		knobs.n_part = 1;
	if (allocator < ARADA_EXACT_TURBO)
		knobs.n_turbo = 0;
	return knobs;
}

/* A rule's modes, or race to idle's (n_change 0). */
static enum err_code place_rule(const struct arada_case *of, const struct arada_knobs *knobs,
                                const struct exact_problem *problem, unsigned n_change, double max_ns,
                                struct arena *arena, struct exact_schedule *schedule, bool *is_late, struct err *err)
{
	const struct exact_goal goal = {EXACT_LEAST_ENERGY, max_ns, INFINITY};
	uint32_t *mode = memory_must(arena_array(arena, of->n_layer, sizeof(*mode)));
	if (n_change > 0)
		arada_knobs_local_modes(knobs, of->n_layer, of->work, n_change, problem, mode);
	enum err_code code = arada_exact_place(problem, &goal, mode, arena, schedule, is_late, err);
	assert(code != ERR_OK || schedule->is_found);
	return code;
}

static enum err_code run_rules(const struct arada_case *of, struct arena *arena, struct arada_gain *gain,
                               struct err *err)
{
	struct arada_knobs knobs = restrict_knobs(of, gain->energy, ARADA_BY_LAYER);
	struct exact_problem problem;
	struct arena scratch = {0};
	bool is_late = false, is_layer_late = false;
	enum err_code code = arada_knobs_build(&knobs, of->n_layer, of->work, &scratch, &problem, err);
	if (code == ERR_OK)
		code = place_rule(of, &knobs, &problem, 0, INFINITY, arena, &gain->rti, &is_late, err);
	const double rti_ns = code == ERR_OK ? gain->rti.time_ns : 0;
	if (code == ERR_OK)
		code = place_rule(of, &knobs, &problem, 1, rti_ns, arena, &gain->by[ARADA_BY_PUBLISHED], &is_late, err);
	if (code == ERR_OK)
		code =
		    place_rule(of, &knobs, &problem, 2, rti_ns, arena, &gain->by[ARADA_BY_LAYER], &is_layer_late, err);
	arena_free(&scratch);
	if (code != ERR_OK)
		return code;
	assert(!is_layer_late && gain->by[ARADA_BY_LAYER].time_ns <= rti_ns * (1 + SLACK));
	gain->late_pct = is_late ? 100 * (gain->by[ARADA_BY_PUBLISHED].time_ns / rti_ns - 1) : 0;
	return ERR_OK;
}

/* The modes of a schedule outlive its problem. */
static struct exact_mode *keep_modes(const struct exact_problem *problem, const struct exact_schedule *schedule,
                                     struct arena *arena)
{
	assert(schedule->is_found);
	struct exact_mode *mode = memory_must(arena_array(arena, problem->n_layer, sizeof(*mode)));
	for (size_t i = 0; i < problem->n_layer; i++)
		mode[i] = problem->layer[i].mode[schedule->step[i].mode];
	return mode;
}

static enum err_code run_exact(const struct arada_case *of, enum arada_allocator allocator, double max_ns,
                               struct arena *arena, struct arada_gain *gain, struct exact_schedule *schedule,
                               struct err *err)
{
	struct arada_knobs knobs = restrict_knobs(of, gain->energy, allocator);
	struct exact_problem problem;
	/* the peak matters where clocks can be raised only */
	const struct exact_goal goal = {EXACT_LEAST_ENERGY, max_ns,
	                                knobs.n_turbo > 0 ? gain->rti.peak_mw * (1 + SLACK) : INFINITY};
	struct arena scratch = {0};
	enum err_code code = arada_knobs_build(&knobs, of->n_layer, of->work, &scratch, &problem, err);
	if (code == ERR_OK)
		code = arada_exact_solve(&problem, &goal, 0, arena, schedule, err);
	if (code == ERR_OK && schedule == &gain->by[ARADA_EXACT])
		gain->mode = keep_modes(&problem, schedule, arena);
	arena_free(&scratch);
	if (code != ERR_OK)
		return code;
	assert(!schedule->is_found || schedule->time_ns <= max_ns * (1 + SLACK));
	gain->is_exact = gain->is_exact && schedule->is_exact;
	return ERR_OK;
}

static double below_pct(const struct exact_schedule *schedule, const struct exact_schedule *than)
{
	return than->energy_pj > 0 ? 100 * (1 - schedule->energy_pj / than->energy_pj) : 0;
}

enum err_code arada_gain_find(const struct arada_case *of, enum arada_energy energy, struct arena *arena,
                              struct arada_gain *gain, struct err *err)
{
	struct exact_schedule as_late;
	assert(of->n_layer > 0 && energy < N_ARADA_ENERGY);
	*gain = (struct arada_gain){.energy = energy, .is_exact = true};
	enum err_code code = run_rules(of, arena, gain, err);
	for (enum arada_allocator i = ARADA_EXACT; i < N_ARADA_ALLOCATOR && code == ERR_OK; i++) {
		double max_ns = gain->rti.time_ns * (i == ARADA_EXACT_LATER ? ARADA_LATER_FRAC : 1);
		code = run_exact(of, i, max_ns, arena, gain, &gain->by[i], err);
		if (code != ERR_OK)
			return code;
		const struct exact_schedule *before = &gain->by[i - 1];
		assert(gain->by[i].is_found &&
		       (!gain->by[i].is_exact || gain->by[i].energy_pj <= before->energy_pj * (1 + SLACK)));
		(void)before;
	}
	if (code == ERR_OK)
		code = run_exact(of, ARADA_EXACT, gain->by[ARADA_BY_PUBLISHED].time_ns, arena, gain, &as_late, err);
	if (code != ERR_OK)
		return code;
	for (int i = 0; i < N_ARADA_ALLOCATOR; i++)
		gain->saving_pct[i] = below_pct(&gain->by[i], &gain->rti);
	gain->gain_pct = below_pct(&gain->by[ARADA_EXACT], &gain->by[ARADA_BY_LAYER]);
	gain->as_late_pct = below_pct(&as_late, &gain->by[ARADA_BY_PUBLISHED]);
	assert(gain->gain_pct >= -SLACK && (!as_late.is_exact || gain->as_late_pct >= -SLACK));
	return ERR_OK;
}

void arada_gain_write_head(FILE *file)
{
	(void)fputs("machine,network,energy_model,layers,rti_ms,rti_energy", file);
	for (int i = 0; i < N_ARADA_ALLOCATOR; i++)
		(void)fprintf(file, ",%s_saving_pct", arada_allocator_name[i]);
	(void)fputs(",published_late_pct,gain_pct,gain_as_late_pct,by_layer_changes,exact_changes,proven\n", file);
}

void arada_gain_write(FILE *file, const struct arada_case *of, const struct arada_gain *gain)
{
	const struct exact_schedule *layer = &gain->by[ARADA_BY_LAYER], *exact = &gain->by[ARADA_EXACT];
	csv_put_row(file, "%s,%s,%s,%zu,%g,%g", of->machine, of->network, arada_energy_name[gain->energy], of->n_layer,
	            gain->rti.time_ns / NS_PER_MS, gain->rti.energy_pj / PJ_PER_MJ);
	for (int i = 0; i < N_ARADA_ALLOCATOR; i++)
		csv_put_real(file, false, gain->saving_pct[i]);
	csv_put_row(file, ",%g,%g,%g,%u,%u,%u\n", gain->late_pct, gain->gain_pct, gain->as_late_pct,
	            layer->n_change[EXACT_ARRAY] + layer->n_change[EXACT_MEMORY],
	            exact->n_change[EXACT_ARRAY] + exact->n_change[EXACT_MEMORY], gain->is_exact);
}
