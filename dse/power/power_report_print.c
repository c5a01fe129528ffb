/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables for people: every level alone, the greedy answer and the best schedule below each other, with what they save
 * over the fastest level alone; then the best one row by row, where pieces of work that are alike and next to each
 * other share a row.
 */
#include "dse/power/power_report.h"
#include "dse/base/memory.h"
#include "dse/power/power_analysis.h"
#include "dse/layer/design_text.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>

struct power_row *power_rows(const struct power_problem *problem, const struct power_schedule *schedule,
                             struct arena *arena, size_t *n)
{
	struct power_row *row = memory_must(arena_array(arena, schedule->n_stage + 1, sizeof(*row)));
	const struct power_mode *before = NULL;
	double now_ns = 0;
	size_t at = 0;
	*n = 0;
	for (size_t i = 0; i < problem->n_segment; i++) {
		const struct power_segment *segment = &problem->segment[i];
		for (uint32_t k = 0; k < segment->n_repeat; k++, at++) {
			const struct power_mode *mode = &segment->mode[schedule->mode[at]];
			if (k == 0 || schedule->mode[at] != schedule->mode[at - 1]) {
				bool changes = before && before->level != power_mode_entry(mode);
				if (changes)
					now_ns += problem->switch_ns[before->level][power_mode_entry(mode)];
				row[(*n)++] = (struct power_row){
				    .segment = i, .mode = schedule->mode[at], .changes = changes, .start_ns = now_ns};
			}
			row[*n - 1].n++;
			row[*n - 1].time_ns += mode->time_ns;
			row[*n - 1].energy_pj += mode->energy_pj;
			now_ns += mode->time_ns;
			before = mode;
		}
	}
	return row;
}

double power_saving_pct(const struct power_schedule *schedule, const struct power_schedule *than)
{
	return than->energy_pj > 0 ? 100 * (1 - schedule->energy_pj / than->energy_pj) : 0;
}

double power_saving_asleep_pct(const struct power_schedule *schedule, const struct power_schedule *than)
{
	double all = than->energy_pj + than->idle_pj;
	return all > 0 ? 100 * (1 - (schedule->energy_pj + schedule->idle_pj) / all) : 0;
}

static void print_budgets(FILE *file, const struct power_goal *goal)
{
	assert(goal->scenario < N_POWER_SCENARIO);
	static const char *const aim[N_POWER_SCENARIO] = {"least time", "least energy", "least energy", "least time",
	                                                  "least time"};
	(void)fprintf(file, "scenario %s: %s", power_scenario_name[goal->scenario], aim[goal->scenario]);
	if (isfinite(goal->max_ns))
		(void)fprintf(file, ", at most %.6g ms", goal->max_ns * MS_PER_NS);
	if (isfinite(goal->max_pj))
		(void)fprintf(file, ", at most %.6g mJ", goal->max_pj * MJ_PER_PJ);
	if (isfinite(goal->max_peak_mw))
		(void)fprintf(file, ", peak at most %.6g mW", goal->max_peak_mw);
	if (isfinite(goal->max_average_mw))
		(void)fprintf(file, ", average at most %.6g mW", goal->max_average_mw);
	(void)fprintf(file, "%s\n", goal->sleeps ? "; asleep until the deadline, which counts" : "");
}

/* Of all layers together. */
static uint64_t count_choices(const struct power_work *work)
{
	uint64_t n = 0;
	for (size_t i = 0; i < work->problem.n_segment; i++)
		n += work->piece[i].n_choice;
	return n;
}

/* What was asked, of what, on which hardware. */
static void print_head(FILE *file, const struct power_run *run)
{
	const struct power_problem *problem = &run->work.problem;
	const struct machine *machine = run->work.machine;
	struct words_fold fold;
	file = words_fold_begin(&fold, file);
	(void)fprintf(file, "%s on %s, %s%s tier%s; %zu pieces of work", run->network, machine->name,
	              run->tasks_only ? "MLA tasks alone on all PEs, " : "", detail_name[run->detail],
	              run->domain == DVFS_PE    ? ", levels by PE"
	              : run->domain == DVFS_QPE ? ", levels by QPE"
	              : run->per_loop           ? ", level chosen loop by loop"
	                                        : "",
	              power_n_stage(problem));
	if (count_choices(&run->work) > problem->n_segment)
		(void)fprintf(file, ", %" PRIu64 " designs to choose from", count_choices(&run->work));
	if (run->mapping)
		(void)fprintf(file, "; mapping %s; without run-time overhead", run->mapping);
	(void)fputc('\n', file);
	(void)fprintf(file, "levels");
	for (uint32_t i = 0; i < machine->n_level; i++)
		if (problem->levels >> i & 1)
			(void)fprintf(file, " %s (%.4g V, %.6g MHz, asleep %.6g mW)", machine->level[i].name,
			              machine->level[i].vdd_v, machine->level[i].clk_mhz, problem->sleep_mw[i]);
	(void)fprintf(file, "; %" PRIu32 " power lanes; a change takes %.6g ns and %.6g nJ of all PEs\n",
	              problem->n_lane, machine->dvfs_switch_ns, machine->dvfs_switch_nj * machine_n_pe(machine));
	if (run->ratio > 0)
		(void)fprintf(file, "energy of each piece at the lower level set to %.6g of that at the higher\n",
		              run->ratio);
	print_budgets(file, &run->goal);
	words_fold_end(&fold);
}

static void add_schedule(struct table *table, const struct power_run *run, const char *name,
                         const struct power_schedule *schedule, bool keeps)
{
	const struct power_schedule *fast = &run->alone[run->fast];
	double saving_pct = power_saving_pct(schedule, fast);
	table_add_row(table, "%s|%s|%g|%g|%.2f", name, keeps ? "yes" : "no", schedule->time_ns * MS_PER_NS,
	              schedule->energy_pj * MJ_PER_PJ, fabs(saving_pct) < 5e-3 ? 0 : saving_pct);
	if (run->goal.sleeps)
		table_add_row(table, "%g|%.2f", schedule->idle_pj * MJ_PER_PJ, power_saving_asleep_pct(schedule, fast));
	table_add_row(table, "%g|%g|%" PRIu32, schedule->time_ns > 0 ? schedule->energy_pj / schedule->time_ns : 0,
	              schedule->peak_mw, schedule->n_switch);
}

const char *power_exact_within(const struct power_run *run)
{
	if (run->domain != DVFS_CHIP)
		return "schedules of the designs given with one level or two in a layer's loops, tasks dealt evenly "
		       "and one "
		       "change a PE at most, or none";
	if (!run->is_search)
		return "all schedules of the designs given";
	return run->goal.sleeps
	           ? "all designs whose results lie where the fastest design has them, asleep at a level that takes no "
	             "more than those worked at"
	           : "all designs whose results lie where the fastest design has them";
}

/* "exact" alone is of all schedules of the designs given; what a search leaves out is said beside it. */
static const char *best_name(const struct power_run *run)
{
	if (!run->best.is_exact)
		return "best known";
	return run->is_search ? "best (exact, places fixed)" : "best (exact)";
}

/* What a search's schedule is the best of. */
static void print_searched(FILE *file, const struct power_run *run)
{
	char left[LEFT_OUT_TEXT_SIZE];
	left_out_print(run->left_out, left);
	(void)fprintf(file, "places fixed: best among %s%s\n%s%s%s", power_exact_within(run),
	              run->network_result == NETWORK_RESULT_DRAM ? "; the network's result lies in DRAM" : "",
	              left[0] ? "left out: " : "", left, left[0] ? "\n" : "");
}

/* Savings are over the fastest level alone. */
static void print_schedules(FILE *file, const struct power_run *run)
{
	assert(run->best.is_found && run->is_alone[run->fast]);
	struct table table = {0};
	char name[64];
	table_add_columns(&table, "schedule|in_budget|>time_ms|>energy_mj|>saving_pct");
	if (run->goal.sleeps) {
		table_add_columns(&table, ">sleep_mj|>with_sleep_pct");
	}
	table_add_columns(&table, ">average_mw|>peak_mw|>changes");
	for (uint32_t i = 0; i < run->work.problem.n_level; i++) {
		(void)snprintf(name, sizeof(name), "%s alone", run->work.machine->level[i].name);
		if (run->is_alone[i])
			add_schedule(&table, run, name, &run->alone[i], run->alone_keeps[i]);
	}
	if (run->share.is_found)
		add_schedule(&table, run, "ARADA's rule", &run->share, true);
	if (run->greedy.is_found)
		add_schedule(&table, run, "greedy", &run->greedy, true);
	if (run->has_chip_wide && run->chip_wide.is_found)
		add_schedule(&table, run, "chip-wide", &run->chip_wide, true);
	add_schedule(&table, run, best_name(run), &run->best, true);
	table_finish(&table, file, 0);
	(void)fprintf(file, "saving over %s alone", run->work.machine->level[run->fast].name);
	if (run->greedy.is_found && run->best.objective > 0)
		(void)fprintf(file, "; greedy is %.3g %% above the best",
		              100 * fmax(0, run->greedy.objective / run->best.objective - 1));
	else
		(void)fputs("; greedy finds nothing within the budget", file);
	if (run->share.is_found && run->best.objective > 0)
		(void)fprintf(file, "; ARADA's rule, %s by %s, is %.3g %% above it", run->per_loop ? "piece" : "layer",
		              run->per_loop ? "piece" : "layer",
		              100 * fmax(0, run->share.objective / run->best.objective - 1));
	if (!run->best.is_exact)
		(void)fprintf(file, "; nothing can be more than %.3g %% better than the best known",
		              100 * (run->best.objective / run->best.bound - 1));
	(void)fputc('\n', file);
	if (run->is_search)
		print_searched(file, run);
}

/* Beside a ratio that was asked for. */
static void print_own(FILE *file, const struct power_run *run)
{
	assert(run->has_own);
	const char *fast = run->work.machine->level[run->fast].name, *slow = run->work.machine->level[run->slow].name;
	(void)fprintf(file,
	              "with the machine file's own energies %s takes %.4f of what %s takes, and the best schedule "
	              "saves %.2f %%; --analyse sensitivity says of which coefficient that depends how\n",
	              slow, run->own_fast.energy_pj > 0 ? run->own_slow.energy_pj / run->own_fast.energy_pj : 1, fast,
	              power_saving_pct(&run->own_best, &run->own_fast));
}

static bool has_nodes(const struct power_run *run, const struct power_row *row, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct layer_origin *origin = &run->work.piece[row[i].segment].block->origin;
		if (origin->node || origin->op)
			return true;
	}
	return false;
}

static void add_row(struct table *table, const struct power_run *run, const struct power_row *row, bool with_node)
{
	assert(row->n > 0 && row->segment < run->work.problem.n_segment);
	const struct power_piece *piece = &run->work.piece[row->segment];
	const struct power_mode *mode = &run->work.problem.segment[row->segment].mode[row->mode];
	const struct operating_point *level = &run->work.machine->level[mode->level];
	struct split_text split;
	char levels[PE_PLAN_TEXT_SIZE];
	design_print_split(&piece->choice[mode->choice].split, &split);
	(void)snprintf(levels, sizeof(levels), "%s", level->name);
	if (mode->plan)
		pe_plan_print(run->work.machine, mode->plan, levels);
	table_add_row(table, "%g|%s", row->start_ns * MS_PER_NS, piece->block->name);
	if (with_node)
		design_add_node(table, piece->block);
	table_add_row(table, "%s|%" PRIu32 "|%s|%s|%s|%s|%s|%" PRIu64 "|%g|%g|%g", power_part_name[piece->part], row->n,
	              levels, split.w, split.h, split.c, split.d, piece->n_task, row->time_ns * MS_PER_NS,
	              row->energy_pj * MJ_PER_PJ, row->time_ns > 0 ? row->energy_pj / row->time_ns : 0);
}

static void print_rows(FILE *file, const struct power_run *run, struct arena *arena)
{
	struct table table = {0};
	size_t n = 0;
	struct power_row *row = power_rows(&run->work.problem, &run->best, arena, &n);
	bool with_node = has_nodes(run, row, n);
	table_add_columns(&table, with_node ? ">start_ms|layer|node" : ">start_ms|layer");
	table_add_columns(&table,
	                  "part|>n|level|width|height|out_channels|in_channels|>tasks|>time_ms|>energy_mj|>power_mw");
	for (size_t i = 0; i < n; i++)
		add_row(&table, run, &row[i], with_node);
	table_finish(&table, file, 0);
	if (run->n_replayed > 0)
		(void)fprintf(file, "level: PEs x tasks each; %zu pieces replayed PE by PE agree\n", run->n_replayed);
	if (run->goal.sleeps && run->best.idle_ns > 0)
		(void)fprintf(file, "then asleep at %s for %.6g ms: %.6g mJ\n",
		              run->work.machine->level[run->best.sleep_level].name, run->best.idle_ns * MS_PER_NS,
		              run->best.idle_pj * MJ_PER_PJ);
}

/* At most so many points: the ends and others spread between them. */
#define FRONT_SHOWN 20

static void print_front(FILE *file, const struct power_run *run)
{
	const struct power_front *front = &run->front;
	struct table table = {0};
	size_t n_shown = front->n < FRONT_SHOWN ? front->n : FRONT_SHOWN;
	(void)fprintf(file, "\ntime-energy front: %zu schedules%s", front->n,
	              front->epsilon > 0 ? ""
	              : run->is_search   ? ", exact (places fixed)"
	                                 : ", exact");
	if (front->epsilon > 0)
		(void)fprintf(file, ", thinned: each that is missing is within %.3g %% of one here",
		              100 * front->epsilon);
	(void)fputc('\n', file);
	table_add_columns(&table, ">time_ms|>energy_mj|>peak_mw");
	for (size_t i = 0; i < n_shown; i++) {
		const struct power_point *point = &front->point[n_shown > 1 ? i * (front->n - 1) / (n_shown - 1) : 0];
		table_add_row(&table, "%g|%g|%g", point->time_ns * MS_PER_NS, point->energy_pj * MJ_PER_PJ,
		              point->peak_mw);
	}
	table_finish(&table, file, 0);
}

void power_print(FILE *file, const struct power_run *run, bool is_quiet, struct arena *arena)
{
	assert(file && run && run->best.is_found);
	if (!is_quiet) {
		print_head(file, run);
		(void)fputc('\n', file);
	}
	print_schedules(file, run);
	if (run->has_own)
		print_own(file, run);
	if (!is_quiet) {
		(void)fputc('\n', file);
		print_rows(file, run, arena);
	}
	if (run->has_front)
		print_front(file, run);
	if (run->analysis)
		power_analysis_print(file, run->analysis);
}
