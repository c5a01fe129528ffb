/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which two levels, and how long a change of level may take. Each answer solves changed problems exactly: other
 * levels, other times of a change. Clocks and coefficients have files of their own.
 */
#include "dse/power/power_question.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum err_code power_question_rebuild(const struct power_case *of, const struct machine *machine,
                                     const struct power_work_options *options, struct arena *arena,
                                     struct power_work *work, struct err *err)
{
	const struct power_designs *designs = of->designs;
	struct power_item *item = memory_must(arena_array(arena, designs->n_item, sizeof(*item)));
	struct layer_context *context = memory_must(arena_array(arena, designs->n_item, sizeof(*context)));
	*work = (struct power_work){0};
	for (size_t i = 0; i < designs->n_item; i++) {
		item[i] = designs->item[i];
		item[i].context = &context[i];
		const struct layer_context *own = designs->item[i].context;
		mapper_prepare_form(own->block, machine, own->operand_bit, own->form, &context[i]);
	}
	if (of->run->tasks_only)
		return power_work_build_tasks(machine, item, designs->n_item, options, work, err);
	return power_work_build(machine, item, designs->n_item, options, work, err);
}

/* ---- which two levels ---- */

/* The objective in the unit it is read in: ms, or mJ. */
static double shown_objective(const struct power_goal *goal, double objective)
{
	assert(goal->scenario < N_POWER_SCENARIO && !isnan(objective));
	return objective * (power_wants_energy(goal) ? MJ_PER_PJ : MS_PER_NS);
}

/* One level or two; what does not keep the budgets has no numbers. */
static enum err_code add_levels(const struct power_case *of, uint32_t levels, struct arena *arena,
                                struct power_analysis *analysis, struct err *err)
{
	assert(levels != 0 && (levels & ~of->run->work.problem.levels) == 0);
	const struct power_run *run = of->run;
	const struct machine *machine = run->work.machine;
	struct power_problem problem = run->work.problem;
	struct power_schedule schedule;
	struct power_finding *row = power_analysis_add(analysis, arena);
	problem.levels = levels;
	problem.n_lane = POWER_MAX_LEVEL;
	for (uint32_t i = 0; i < problem.n_level; i++)
		if (levels >> i & 1) {
			size_t n = strlen(row->label);
			(void)snprintf(row->label + n, sizeof(row->label) - n, "%s%s", n ? " + " : "",
			               machine->level[i].name);
		}
	enum err_code code = power_solve(&problem, &run->goal, 0, arena, &schedule, err);
	if (code != ERR_OK || !schedule.is_found)
		return code;
	row->value[0] = shown_objective(&run->goal, schedule.objective);
	row->value[1] = schedule.time_ns * MS_PER_NS;
	row->value[2] = schedule.energy_pj * MJ_PER_PJ;
	row->value[3] = schedule.idle_pj * MJ_PER_PJ;
	row->value[4] = power_saving_pct(&schedule, &run->alone[run->fast]);
	row->value[5] = schedule.n_switch;
	return ERR_OK;
}

/* Best first; what keeps no budget last, in the order of the levels. */
static void sort_findings(struct power_analysis *analysis)
{
	for (size_t i = 1; i < analysis->n_row; i++)
		for (size_t k = i; k > 0; k--) {
			struct power_finding *a = &analysis->row[k - 1], *b = &analysis->row[k], swapped = *a;
			if (!(b->value[0] < a->value[0]) && !(isnan(a->value[0]) && !isnan(b->value[0])))
				break;
			*a = *b;
			*b = swapped;
		}
}

static enum err_code analyse_pairs(const struct power_case *of, struct arena *arena, struct power_analysis *analysis,
                                   struct err *err)
{
	static const char *const by_energy[] = {"objective_mj", "time_ms",    "energy_mj",
	                                        "sleep_mj",     "saving_pct", "changes"};
	static const char *const by_time[] = {"objective_ms", "time_ms",    "energy_mj",
	                                      "sleep_mj",     "saving_pct", "changes"};
	const struct power_problem *problem = &of->run->work.problem;
	power_analysis_set_columns(analysis, "levels", power_wants_energy(&of->run->goal) ? by_energy : by_time, 6);
	enum err_code code = ERR_OK;
	for (uint32_t i = 0; i < problem->n_level; i++)
		for (uint32_t k = i; k < problem->n_level && code == ERR_OK; k++) {
			uint32_t levels = UINT32_C(1) << i | UINT32_C(1) << k;
			if ((levels & ~problem->levels) == 0)
				code = add_levels(of, levels, arena, analysis, err);
		}
	sort_findings(analysis);
	power_analysis_note(analysis, "every level and every two of them, each scheduled exactly; saving over %s alone",
	                    of->run->work.machine->level[of->run->fast].name);
	return code;
}

/* ---- how long a change may take ---- */

/* The problem with another time for every change; static power is drawn for it. */
static struct power_problem with_switch(const struct power_case *of, double switch_ns)
{
	assert(switch_ns >= 0 && isfinite(switch_ns));
	struct power_problem problem = of->run->work.problem;
	const struct machine *machine = of->run->work.machine;
	for (uint32_t i = 0; i < problem.n_level; i++)
		for (uint32_t k = 0; k < problem.n_level; k++) {
			if (i == k)
				continue;
			problem.switch_ns[i][k] = switch_ns;
			problem.switch_pj[i][k] = energy_switch_pj(machine, i, k) + problem.sleep_mw[k] * switch_ns;
		}
	return problem;
}

static enum err_code solve_with(const struct power_case *of, double switch_ns, struct power_schedule *schedule,
                                struct arena *arena, struct err *err)
{
	struct power_problem problem = with_switch(of, switch_ns);
	return power_solve(&problem, &of->run->goal, 0, arena, schedule, err);
}

/* The best schedule at one level; infinite: none keeps the budgets. */
static double best_alone(const struct power_run *run)
{
	assert(run->work.problem.n_level > 0);
	double best = INFINITY;
	for (uint32_t i = 0; i < run->work.problem.n_level; i++)
		if (run->is_alone[i] && run->alone_keeps[i])
			best = fmin(best, run->alone[i].objective);
	return best;
}

/*
 * The shortest time of a change with which the best schedule makes none: every
 * schedule with changes only gets worse with it, so that halving finds it.
 */
static enum err_code find_break_even(const struct power_case *of, double *switch_ns, struct err *err)
{
	double least = 0, most = 1;
	enum err_code code = ERR_OK;
	bool changes = true;
	for (int i = 0; i < 60 && changes && code == ERR_OK; i++) {
		struct arena arena = {0};
		struct power_schedule schedule;
		code = solve_with(of, most, &schedule, &arena, err);
		changes = schedule.is_found && schedule.n_switch > 0;
		least = changes ? most : least;
		most = changes ? 2 * most : most;
		arena_free(&arena);
	}
	for (int i = 0; i < 40 && !changes && code == ERR_OK && most - least > 1e-4 * most; i++) {
		struct arena arena = {0};
		struct power_schedule schedule;
		double middle = (least + most) / 2;
		code = solve_with(of, middle, &schedule, &arena, err);
		if (schedule.is_found && schedule.n_switch > 0)
			least = middle;
		else
			most = middle;
		arena_free(&arena);
	}
	*switch_ns = changes ? INFINITY : most;
	return code;
}

static enum err_code analyse_switch(const struct power_case *of, struct arena *arena, struct power_analysis *analysis,
                                    struct err *err)
{
	static const char *const column[] = {"switch_ns",  "time_ms", "energy_mj",         "sleep_mj",
	                                     "saving_pct", "changes", "objective_gain_pct"};
	static const double time_ns[] = {0, 10, 100, 1e3, 1e4, 1e5, 1e6};
	double own_ns = of->run->work.machine->dvfs_switch_ns, alone = best_alone(of->run), break_even_ns = 0;
	enum err_code code = ERR_OK;
	power_analysis_set_columns(analysis, "change", column, 7);
	for (size_t i = 0; i <= sizeof(time_ns) / sizeof(time_ns[0]) && code == ERR_OK; i++) {
		bool is_own = i == sizeof(time_ns) / sizeof(time_ns[0]);
		struct power_schedule schedule;
		struct power_finding *row = power_analysis_add(analysis, arena);
		row->value[0] = is_own ? own_ns : time_ns[i];
		(void)snprintf(row->label, sizeof(row->label), "%s", is_own ? "the machine's" : "");
		code = solve_with(of, row->value[0], &schedule, arena, err);
		if (code != ERR_OK || !schedule.is_found)
			continue;
		row->value[1] = schedule.time_ns * MS_PER_NS;
		row->value[2] = schedule.energy_pj * MJ_PER_PJ;
		row->value[3] = schedule.idle_pj * MJ_PER_PJ;
		row->value[4] = power_saving_pct(&schedule, &of->run->alone[of->run->fast]);
		row->value[5] = schedule.n_switch;
		if (isfinite(alone) && alone > 0)
			row->value[6] = 100 * (1 - schedule.objective / alone);
	}
	if (code == ERR_OK)
		code = find_break_even(of, &break_even_ns, err);
	if (isinf(break_even_ns))
		power_analysis_note(analysis,
		                    "break-even: none; no level alone keeps the budget, however long a change takes");
	else if (break_even_ns <= 1)
		power_analysis_note(analysis, "break-even: below 1 ns; one level does for all");
	else
		power_analysis_note(analysis,
		                    "break-even: a change of level pays up to %.5g ns, %.5g times the machine's",
		                    break_even_ns, own_ns > 0 ? break_even_ns / own_ns : INFINITY);
	power_analysis_note(analysis, "gain: of the objective over the best level alone that keeps the budget");
	return code;
}

/* ---- all of them ---- */

enum err_code power_question_answer(enum power_question question, const struct power_case *of, struct arena *arena,
                                    struct power_analysis *analysis, struct err *err)
{
	*analysis = (struct power_analysis){.question = question};
	assert(question < N_POWER_QUESTION && of->run->best.is_found);
	switch (question) {
	case POWER_PAIRS:
		return analyse_pairs(of, arena, analysis, err);
	case POWER_CLOCK:
		return power_question_clock(of, arena, analysis, err);
	case POWER_SWITCH:
		return analyse_switch(of, arena, analysis, err);
	case POWER_DOMAINS:
		return power_question_domains(of, arena, analysis, err);
	case POWER_SENSITIVITY:
	case N_POWER_QUESTION:
	default:
		return power_question_sensitivity(of, arena, analysis, err);
	}
}
