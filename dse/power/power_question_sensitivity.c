/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the saving over the fastest level alone depends on each coefficient that energies are made of. Coefficients
 * change no time, so a schedule stays within its deadline: its saving has a derivative, taken by central differences;
 * and beside it stands what the best schedule would save with the coefficient 20 % lower or higher.
 */
#include "dse/power/power_question.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Relative step of the derivative: energies are linear in each coefficient, so only rounding speaks against less. */
#define STEP_FRAC 1e-3
#define RANGE_FRAC 0.2
#define STEP_UNIT 1e-4 /* pJ or mW */

/* A coefficient: of the machine, of one of its levels, or of all of them at once, where that is one thing (a rail). */
struct energy_coefficient {
	size_t n;
	double *value[POWER_MAX_LEVEL], initial[POWER_MAX_LEVEL];
	char name[64];
};

enum column { COLUMN_VALUE, COLUMN_PER_PCT, COLUMN_ELASTICITY, COLUMN_PER_UNIT, COLUMN_LESS, COLUMN_MORE, N_COLUMN };

/* Units that energies have in the tables of parameters; the grey-box constants and clocks are no energies. */
static bool is_energy(const char *unit)
{
	return strcmp(unit, "pJ") == 0 || strcmp(unit, "mW") == 0 || strcmp(unit, "pJ/byte") == 0 ||
	       strcmp(unit, "nJ") == 0;
}

static void add_value(struct energy_coefficient *coefficient, double *value)
{
	assert(coefficient->n < POWER_MAX_LEVEL);
	coefficient->initial[coefficient->n] = *value;
	coefficient->value[coefficient->n++] = value;
}

/* One of the levels' parameters: at level l, or (l is the number of levels) at all that may be used. */
static void take_level_param(struct machine *machine, uint32_t levels, uint32_t l, const struct level_param *param,
                             struct energy_coefficient *coefficient)
{
	assert(l <= machine->n_level && param);
	bool is_all = l == machine->n_level;
	*coefficient = (struct energy_coefficient){0};
	for (uint32_t i = 0; i < machine->n_level; i++)
		if ((levels >> i & 1) && (is_all || i == l))
			add_value(coefficient, (double *)(void *)((char *)&machine->level[i] + param->offset));
	(void)snprintf(coefficient->name, sizeof(coefficient->name), "%s.%s (%s)",
	               is_all ? "all levels" : machine->level[l].name, param->key, param->unit);
}

/* The k-th coefficient of a machine; false: there is none. */
static bool find_coefficient(struct machine *machine, uint32_t levels, size_t k, struct energy_coefficient *coefficient)
{
	for (uint32_t l = 0; l <= machine->n_level; l++)
		for (size_t i = 0; i < machine_n_level_param; i++) {
			const struct level_param *param = &level_param[i];
			bool is_used = l == machine->n_level || (levels >> l & 1);
			if (!is_energy(param->unit) || !is_used || k-- > 0)
				continue;
			take_level_param(machine, levels, l, param, coefficient);
			return true;
		}
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		if (param->type != PARAM_REAL || !is_energy(param->unit) || k-- > 0)
			continue;
		*coefficient = (struct energy_coefficient){0};
		add_value(coefficient, (double *)(void *)((char *)machine + param->offset));
		(void)snprintf(coefficient->name, sizeof(coefficient->name), "%s (%s)", param->key, param->unit);
		return true;
	}
	return false;
}

/* Every value times a factor, and more by so much. */
static void set_coefficient(const struct energy_coefficient *coefficient, double factor, double more)
{
	assert(coefficient->n > 0 && factor > 0 && more >= 0);
	for (size_t i = 0; i < coefficient->n; i++)
		*coefficient->value[i] = coefficient->initial[i] * factor + more;
}

/* Saving of a schedule on a changed machine; NULL: of the best one there. */
static enum err_code saving_on(const struct power_case *of, const struct machine *machine,
                               const struct power_schedule *schedule, double *pct, struct err *err)
{
	struct arena arena = {0};
	struct power_work work = {0};
	struct power_schedule best, fast;
	struct power_work_options options = *of->options;
	options.ratio = 0; /* coefficients are asked for, not the ratio that stands in for them */
	*pct = NAN;
	enum err_code code = power_question_rebuild(of, machine, &options, &arena, &work, err);
	if (code == ERR_OK && schedule) {
		best = *schedule;
		(void)power_measure(&work.problem, &of->run->goal, &best);
	} else if (code == ERR_OK) {
		code = power_solve(&work.problem, &of->run->goal, 0, &arena, &best, err);
	}
	if (code == ERR_OK && schedule) {
		fast = of->run->alone[of->run->fast];
		(void)power_measure(&work.problem, &of->run->goal, &fast);
	} else if (code == ERR_OK) {
		code = power_level_alone(&work.problem, &of->run->goal, of->run->fast, &arena, &fast, err);
	}
	if (code == ERR_OK && (schedule || best.is_found))
		*pct = power_saving_pct(&best, &fast);
	power_work_free(&work);
	arena_free(&arena);
	return code;
}

/* Slopes with the schedule held, savings with it chosen anew. A coefficient of 0 has a slope by its unit only. */
static enum err_code add_coefficient(const struct power_case *of, const struct power_schedule *schedule,
                                     double saving_pct, size_t k, struct arena *arena, struct power_analysis *analysis,
                                     struct err *err)
{
	struct machine machine = *of->run->work.machine;
	struct energy_coefficient coefficient;
	double pct[4] = {NAN, NAN, NAN, NAN}, by_unit = NAN;
	bool is_there = find_coefficient(&machine, of->run->work.problem.levels, k, &coefficient);
	assert(is_there && coefficient.n > 0);
	(void)is_there;
	struct power_finding *row = power_analysis_add(analysis, arena);
	(void)snprintf(row->label, sizeof(row->label), "%s", coefficient.name);
	static const double factor[] = {1 - STEP_FRAC, 1 + STEP_FRAC, 1 - RANGE_FRAC, 1 + RANGE_FRAC};
	enum err_code code = ERR_OK;
	for (int i = 0; i < 4 && coefficient.initial[0] > 0 && code == ERR_OK; i++) {
		set_coefficient(&coefficient, factor[i], 0);
		code = saving_on(of, &machine, i < 2 ? schedule : NULL, &pct[i], err);
	}
	set_coefficient(&coefficient, 1, STEP_UNIT);
	if (code == ERR_OK)
		code = saving_on(of, &machine, schedule, &by_unit, err);
	double slope = (pct[1] - pct[0]) / (2 * STEP_FRAC); /* points for the coefficient's own size */
	row->value[COLUMN_VALUE] = coefficient.initial[0];
	row->value[COLUMN_PER_PCT] = slope / 100;
	row->value[COLUMN_ELASTICITY] = fabs(saving_pct) > 0 ? slope / saving_pct : NAN;
	row->value[COLUMN_PER_UNIT] = (by_unit - saving_pct) / STEP_UNIT;
	row->value[COLUMN_LESS] = pct[2];
	row->value[COLUMN_MORE] = pct[3];
	return code;
}

enum err_code power_question_sensitivity(const struct power_case *of, struct arena *arena,
                                         struct power_analysis *analysis, struct err *err)
{
	static const char *const column[N_COLUMN] = {"value",           "points_per_pct",      "elasticity",
	                                             "points_per_unit", "saving_minus_20_pct", "saving_plus_20_pct"};
	const struct power_run *run = of->run;
	struct power_work work = {0};
	struct power_work_options options = *of->options;
	struct power_schedule best;
	double saving_pct = 0;
	power_analysis_set_columns(analysis, "coefficient", column, N_COLUMN);
	options.ratio = 0;
	enum err_code code = power_question_rebuild(of, run->work.machine, &options, arena, &work, err);
	if (code == ERR_OK)
		code = power_solve(&work.problem, &run->goal, 0, arena, &best, err);
	power_work_free(&work);
	if (code != ERR_OK)
		return code;
	if (!best.is_found) {
		power_analysis_note(analysis, "with the machine's own energies no schedule keeps the budgets");
		return ERR_OK;
	}
	code = saving_on(of, run->work.machine, &best, &saving_pct, err);
	struct machine machine = *run->work.machine;
	struct energy_coefficient coefficient;
	for (size_t k = 0; code == ERR_OK && find_coefficient(&machine, run->work.problem.levels, k, &coefficient); k++)
		code = add_coefficient(of, &best, saving_pct, k, arena, analysis, err);
	power_analysis_note(
	    analysis,
	    "saving of the work over %s alone with the machine file's energies: %.3f %%; points: of the saving, "
	    "for 1 %% more of the coefficient, schedule held; elasticity: percent of the saving for 1 %%",
	    run->work.machine->level[run->fast].name, saving_pct);
	power_analysis_note(
	    analysis,
	    "minus and plus 20 %%: what is saved then, schedules chosen anew; a rail that no level changes (the "
	    "SRAM's) is one coefficient: all levels");
	return code;
}
