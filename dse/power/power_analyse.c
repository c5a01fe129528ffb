/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers are tables of numbers under named columns, so that text, CSV and JSON
 * say the same. Each answer schedules anew, exactly, what is asked about: other
 * levels, other times of a change, other coefficients, other clocks.
 */
#include "dse/power/power_analyse.h"
#include "dse/out/csv_write.h"
#include "dse/out/table.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define MS_PER_NS 1e-6
#define MJ_PER_PJ 1e-9

const char *const power_question_name[N_POWER_QUESTION] = {"pairs", "clock", "switch", "sensitivity"};

struct power_finding *power_analysis_add(struct power_analysis *analysis, struct arena *arena, struct err *err)
{
	assert(analysis->n_column <= POWER_MAX_COLUMN);
	if (analysis->n_row == analysis->n_alloc) {
		size_t n = analysis->n_alloc ? 2 * analysis->n_alloc : 32;
		struct power_finding *row = arena_array(arena, n, sizeof(*row));
		if (!row) {
			(void)err_add(err, ERR_INTERNAL, "out of memory");
			return NULL;
		}
		if (analysis->n_row > 0)
			memcpy(row, analysis->row, analysis->n_row * sizeof(*row));
		analysis->row = row;
		analysis->n_alloc = n;
	}
	struct power_finding *finding = &analysis->row[analysis->n_row++];
	for (size_t i = 0; i < POWER_MAX_COLUMN; i++)
		finding->value[i] = NAN;
	return finding;
}

enum err_code power_rebuild(const struct power_case *of, const struct machine *machine,
                            const struct power_work_options *options, struct arena *arena, struct power_work *work,
                            struct err *err)
{
	const struct power_designs *designs = of->designs;
	struct power_item *item = arena_array(arena, designs->n_item, sizeof(*item));
	struct layer_context *context = arena_array(arena, designs->n_item, sizeof(*context));
	*work = (struct power_work){0};
	if (!item || !context)
		return err_add(err, ERR_INTERNAL, "out of memory");
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

static void set_columns(struct power_analysis *analysis, const char *label, const char *const *column, size_t n)
{
	assert(n <= POWER_MAX_COLUMN);
	analysis->label = label;
	analysis->n_column = n;
	for (size_t i = 0; i < n; i++)
		analysis->column[i] = column[i];
}

/* ---- which two levels ---- */

/* The objective in the unit it is read in: ms, or mJ. */
static double shown_objective(const struct power_goal *goal, double objective)
{
	assert(goal->scenario < N_POWER_SCENARIO && !isnan(objective));
	bool by_energy = goal->scenario == POWER_ENERGY || goal->scenario == POWER_LIMITED_TIME;
	return objective * (by_energy ? MJ_PER_PJ : MS_PER_NS);
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
	struct power_finding *row = power_analysis_add(analysis, arena, err);
	if (!row)
		return ERR_INTERNAL;
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
	bool wants_energy = of->run->goal.scenario == POWER_ENERGY || of->run->goal.scenario == POWER_LIMITED_TIME;
	set_columns(analysis, "levels", wants_energy ? by_energy : by_time, 6);
	enum err_code code = ERR_OK;
	for (uint32_t i = 0; i < problem->n_level; i++)
		for (uint32_t k = i; k < problem->n_level && code == ERR_OK; k++) {
			uint32_t levels = UINT32_C(1) << i | UINT32_C(1) << k;
			if ((levels & ~problem->levels) == 0)
				code = add_levels(of, levels, arena, analysis, err);
		}
	sort_findings(analysis);
	(void)snprintf(analysis->note[analysis->n_note++], sizeof(analysis->note[0]),
	               "every level and every two of them, each scheduled exactly; saving over %s alone",
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
	set_columns(analysis, "change", column, 7);
	for (size_t i = 0; i <= sizeof(time_ns) / sizeof(time_ns[0]) && code == ERR_OK; i++) {
		bool is_own = i == sizeof(time_ns) / sizeof(time_ns[0]);
		struct power_schedule schedule;
		struct power_finding *row = power_analysis_add(analysis, arena, err);
		if (!row)
			return ERR_INTERNAL;
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
	char *note = analysis->note[analysis->n_note++];
	if (isinf(break_even_ns))
		(void)snprintf(note, sizeof(analysis->note[0]),
		               "break-even: none; no level alone keeps the budget, however long a change takes");
	else if (break_even_ns <= 1)
		(void)snprintf(note, sizeof(analysis->note[0]), "break-even: below 1 ns; one level does for all");
	else
		(void)snprintf(note, sizeof(analysis->note[0]),
		               "break-even: a change of level pays up to %.5g ns, %.5g times the machine's",
		               break_even_ns, own_ns > 0 ? break_even_ns / own_ns : INFINITY);
	(void)snprintf(analysis->note[analysis->n_note++], sizeof(analysis->note[0]),
	               "gain: of the objective over the best level alone that keeps the budget");
	return code;
}

/* ---- all of them ---- */

enum err_code power_analyse(enum power_question question, const struct power_case *of, struct arena *arena,
                            struct power_analysis *analysis, struct err *err)
{
	*analysis = (struct power_analysis){.question = question};
	assert(question < N_POWER_QUESTION && of->run->best.is_found);
	switch (question) {
	case POWER_PAIRS:
		return analyse_pairs(of, arena, analysis, err);
	case POWER_CLOCK:
		return power_analyse_clock(of, arena, analysis, err);
	case POWER_SWITCH:
		return analyse_switch(of, arena, analysis, err);
	case POWER_SENSITIVITY:
	case N_POWER_QUESTION:
	default:
		return power_analyse_sensitivity(of, arena, analysis, err);
	}
}

void power_analysis_print(FILE *file, const struct power_analysis *analysis)
{
	assert(file && analysis->question < N_POWER_QUESTION && analysis->n_note <= POWER_MAX_NOTE);
	struct table table = {0};
	table_add_column(&table, analysis->label, false);
	for (size_t i = 0; i < analysis->n_column; i++)
		table_add_column(&table, analysis->column[i], true);
	for (size_t i = 0; i < analysis->n_row; i++) {
		table_add(&table, "%s", analysis->row[i].label);
		for (size_t k = 0; k < analysis->n_column; k++)
			table_add_real(&table, analysis->row[i].value[k]);
	}
	(void)fprintf(file, "\n%s\n", power_question_name[analysis->question]);
	table_print(&table, file, 0);
	table_free(&table);
	for (size_t i = 0; i < analysis->n_note; i++)
		(void)fprintf(file, "%s\n", analysis->note[i]);
}

void power_analysis_write_csv(FILE *file, const struct power_analysis *analysis)
{
	assert(file && analysis->label);
	csv_put_text(file, true, analysis->label);
	for (size_t i = 0; i < analysis->n_column; i++)
		csv_put_text(file, false, analysis->column[i]);
	(void)fputc('\n', file);
	for (size_t i = 0; i < analysis->n_row; i++) {
		csv_put_text(file, true, analysis->row[i].label);
		for (size_t k = 0; k < analysis->n_column; k++)
			if (isfinite(analysis->row[i].value[k]))
				csv_put_real(file, false, analysis->row[i].value[k]);
			else
				csv_put_text(file, false, "");
		(void)fputc('\n', file);
	}
}

void power_analysis_put_json(struct json *json, const struct power_analysis *analysis)
{
	assert(json && analysis->label);
	json_begin_object(json, "analysis");
	json_put_text(json, "question", power_question_name[analysis->question]);
	json_begin_list(json, "rows");
	for (size_t i = 0; i < analysis->n_row; i++) {
		json_begin_object(json, NULL);
		json_put_text(json, analysis->label, analysis->row[i].label);
		for (size_t k = 0; k < analysis->n_column; k++)
			json_put_real(json, analysis->column[k], analysis->row[i].value[k]);
		json_end(json);
	}
	json_end(json);
	json_begin_list(json, "notes");
	for (size_t i = 0; i < analysis->n_note; i++)
		json_put_text(json, NULL, analysis->note[i]);
	json_end(json);
	json_end(json);
}
