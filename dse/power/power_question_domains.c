/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The DVFS paper's scenarios (section IV b) by what has one level at a time: all PEs of the chip, a QPE's, each PE. Of
 * the budgets those that were given; each holds alone, and the work alone counts, without sleep until the deadline.
 */
#include "dse/power/power_question.h"
#include <assert.h>
#include <math.h>

enum { TIME_MS, ENERGY_MJ, PEAK_MW, LESS_TIME_PCT, LESS_ENERGY_PCT, N_COLUMN };

/* A scenario and the budgets that hold in it. */
struct asked {
	const char *name;
	struct power_goal goal;
};

static size_t list_asked(const struct power_goal *given, struct asked asked[5])
{
	const struct power_goal none = {
	    .max_ns = INFINITY, .max_pj = INFINITY, .max_peak_mw = INFINITY, .max_average_mw = INFINITY};
	size_t n = 0;
	bool has_time = isfinite(given->max_ns), has_power = isfinite(given->max_peak_mw);
	struct power_goal goal = none;
	goal.scenario = POWER_SPEED;
	asked[n++] = (struct asked){"speed", goal};
	goal.scenario = POWER_ENERGY;
	asked[n++] = (struct asked){"energy", goal};
	goal.scenario = POWER_LIMITED_TIME;
	goal.max_ns = given->max_ns;
	if (has_time)
		asked[n++] = (struct asked){"limited time", goal};
	goal.max_peak_mw = given->max_peak_mw;
	if (has_time && has_power)
		asked[n++] = (struct asked){"limited both", goal};
	goal.scenario = POWER_LIMITED_POWER;
	goal.max_ns = INFINITY;
	if (has_power)
		asked[n++] = (struct asked){"limited power", goal};
	return n;
}

/* How much less, percent; sums of doubles that differ in their last bits are equal. */
static double less_pct(double value, double than)
{
	double pct = than > 0 ? 100 * (1 - value / than) : 0;
	return fabs(pct) < 1e-7 ? 0 : pct;
}

/* One scenario in one domain; a row without numbers: no schedule keeps the budgets. */
static enum err_code solve_in(const struct power_case *of, const struct asked *asked, enum dvfs_domain domain,
                              struct power_schedule *schedule, struct err *err)
{
	struct arena arena = {0};
	struct power_work work = {0};
	struct power_work_options options = *of->options;
	options.domain = domain;
	options.per_loop = true;
	options.max_peak_mw = isfinite(asked->goal.max_peak_mw) ? asked->goal.max_peak_mw : 0;
	struct power_goal goal = asked->goal;
	goal.tolerance = domain != DVFS_CHIP ? POWER_FINE_TOLERANCE : 0;
	size_t max_label = domain != DVFS_CHIP ? POWER_FINE_LABEL : 0;
	enum err_code code = power_question_rebuild(of, of->run->work.machine, &options, &arena, &work, err);
	if (code == ERR_OK)
		code = power_solve(&work.problem, &goal, max_label, &arena, schedule, err);
	schedule->mode = NULL; /* the arena's, which goes */
	power_work_free(&work);
	arena_free(&arena);
	return code;
}

enum err_code power_question_domains(const struct power_case *of, struct arena *arena, struct power_analysis *analysis,
                                     struct err *err)
{
	static const char *const column[N_COLUMN] = {"time_ms", "energy_mj", "peak_mw", "less_time_pct",
	                                             "less_energy_pct"};
	struct asked asked[5];
	size_t n = list_asked(&of->run->goal, asked);
	enum err_code code = ERR_OK;
	power_analysis_set_columns(analysis, "scenario by domain", column, N_COLUMN);
	for (size_t i = 0; i < n; i++) {
		struct power_schedule schedule[N_DVFS_DOMAIN];
		for (int d = 0; d < N_DVFS_DOMAIN && code == ERR_OK; d++) {
			code = solve_in(of, &asked[i], (enum dvfs_domain)d, &schedule[d], err);
			if (code != ERR_OK)
				return code;
			struct power_finding *row = power_analysis_add(analysis, arena);
			(void)snprintf(row->label, sizeof(row->label), "%s by %s", asked[i].name, dvfs_domain_name[d]);
			if (!schedule[d].is_found)
				continue;
			row->value[TIME_MS] = schedule[d].time_ns * MS_PER_NS;
			row->value[ENERGY_MJ] = schedule[d].energy_pj * MJ_PER_PJ;
			row->value[PEAK_MW] = schedule[d].peak_mw;
			if (!schedule[DVFS_CHIP].is_found)
				continue;
			row->value[LESS_TIME_PCT] = less_pct(schedule[d].time_ns, schedule[DVFS_CHIP].time_ns);
			row->value[LESS_ENERGY_PCT] = less_pct(schedule[d].energy_pj, schedule[DVFS_CHIP].energy_pj);
		}
	}
	power_analysis_note(analysis, "each budget alone, without sleep; less: than the chip with one level a loop; "
	                              "a dash: no schedule keeps the budgets");
	return code;
}
