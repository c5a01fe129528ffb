/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files for programs. schedule.csv has what a driver of the power lanes needs: when each piece of work starts, at
 * which level, on how many PEs, and whether the level changes before it. power.json has everything, with the
 * coefficients that the energies rest on.
 */
#include "dse/out/csv_write.h"
#include "dse/layer/design_text.h"
#include "dse/power/power_report.h"
#include "dse/power/power_analysis.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>

static double mean_mw(double energy_pj, double time_ns)
{
	return time_ns > 0 ? energy_pj / time_ns : 0;
}

void power_write_csv(FILE *file, const struct power_run *run, struct arena *arena)
{
	size_t n = 0;
	const struct power_row *row = power_rows(&run->work.problem, &run->best, arena, &n);
	(void)fprintf(
	    file,
	    "start_ms,layer,part,n,level,vdd_v,clk_mhz,strategy,width,height,out_channels,in_channels,tasks,pes,"
	    "level_change,time_ms,energy_mj,power_mw,peak_power_mw%s,node,operator",
	    run->domain != DVFS_CHIP ? ",level_by_pe" : "");
	design_put_csv_renamed(file, NULL);
	(void)fputc('\n', file);
	for (size_t i = 0; i < n; i++) {
		const struct power_piece *piece = &run->work.piece[row[i].segment];
		const struct power_mode *mode = &run->work.problem.segment[row[i].segment].mode[row[i].mode];
		const struct operating_point *level = &run->work.machine->level[mode->level];
		const struct layer_design *design = &piece->choice[mode->choice];
		struct split_text split;
		design_print_split(&design->split, &split);
		csv_put_row(
		    file, "%g,%s,%s,%u,%s,%g,%g,%s,%s,%s,%s,%s,%g,%u,%u,%g,%g,%g,%g", row[i].start_ns / NS_PER_MS,
		    piece->block->name, power_part_name[piece->part], row[i].n, level->name, level->vdd_v,
		    level->clk_mhz, run->tasks_only ? "tasks" : strategy_table[design->strategy].name, split.w, split.h,
		    split.c, split.d, (double)piece->n_task, piece->n_pe, row[i].changes, row[i].time_ns / NS_PER_MS,
		    row[i].energy_pj / PJ_PER_MJ, mean_mw(row[i].energy_pj, row[i].time_ns), mode->peak_mw);
		char plan[PE_PLAN_TEXT_SIZE] = "";
		if (mode->plan)
			pe_plan_print(run->work.machine, mode->plan, plan);
		if (run->domain != DVFS_CHIP)
			csv_put_row(file, ",%s", plan);
		const struct layer_origin *origin = &piece->block->origin;
		csv_put_row(file, ",%s,%s", origin->node ? origin->node : "", origin->op ? origin->op : "");
		design_put_csv_renamed(file, &split);
		(void)fputc('\n', file);
	}
}

void power_write_front(FILE *file, const struct power_run *run)
{
	assert(run->has_front);
	(void)fputs("time_ms,energy_mj,power_mw,peak_power_mw,levels\n", file);
	for (size_t i = 0; i < run->front.n; i++) {
		const struct power_point *point = &run->front.point[i];
		char levels[POWER_MAX_LEVEL * 17] = "";
		size_t n_byte = 0;
		csv_put_row(file, "%g,%g,%g,%g", point->time_ns / NS_PER_MS, point->energy_pj / PJ_PER_MJ,
		            mean_mw(point->energy_pj, point->time_ns), point->peak_mw);
		for (uint32_t l = 0; l < run->work.problem.n_level; l++)
			if (point->levels >> l & 1)
				n_byte += (size_t)snprintf(levels + n_byte, sizeof(levels) - n_byte, "%s%s",
				                           n_byte ? "+" : "", run->work.machine->level[l].name);
		csv_put_row(file, ",%s\n", levels);
	}
}

static void put_schedule(struct json *json, const char *key, const struct power_run *run,
                         const struct power_schedule *schedule, bool keeps)
{
	assert(key && schedule->time_ns >= 0 && schedule->energy_pj >= 0);
	const struct power_schedule *fast = &run->alone[run->fast];
	json_begin_object(json, key);
	json_put_fields(json,
	                "in_budget %d, time_ms %g, energy_mj %g, average_power_mw %g, peak_power_mw %g, n_change %u, "
	                "saving_pct %g",
	                keeps, schedule->time_ns / NS_PER_MS, schedule->energy_pj / PJ_PER_MJ,
	                mean_mw(schedule->energy_pj, schedule->time_ns), schedule->peak_mw, schedule->n_switch,
	                power_saving_pct(schedule, fast));
	if (run->goal.sleeps) {
		json_put_fields(json, "sleep_ms %g, sleep_mj %g, sleep_level %s, saving_with_sleep_pct %g",
		                schedule->idle_ns / NS_PER_MS, schedule->idle_pj / PJ_PER_MJ,
		                run->work.machine->level[schedule->sleep_level].name,
		                power_saving_asleep_pct(schedule, fast));
	}
	json_end(json);
}

/* Who does what: PEs, and their tasks at a first and a second level. */
static void put_plan(struct json *json, const struct machine *machine, const struct pe_plan *plan)
{
	json_put_fields(json, "entry_level %s, exit_level %s", machine->level[plan->entry].name,
	                machine->level[plan->exit].name);
	json_begin_list(json, "pe_groups");
	for (uint32_t g = 0; g < plan->n_group; g++) {
		const struct pe_plan_group *group = &plan->group[g];
		json_put_object(json, NULL, "pes %u, tasks %u, level %s, then_tasks %u, then_level %s, waits_tasks %u",
		                group->n_pe, group->n_first, machine->level[group->first].name, group->n_second,
		                machine->level[group->second].name, group->n_wait_first + group->n_wait_second);
	}
	json_end(json);
}

static void put_rows(struct json *json, const struct power_run *run, struct arena *arena)
{
	size_t n = 0;
	const struct power_row *row = power_rows(&run->work.problem, &run->best, arena, &n);
	json_begin_list(json, "schedule");
	for (size_t i = 0; i < n; i++) {
		const struct power_piece *piece = &run->work.piece[row[i].segment];
		const struct power_mode *mode = &run->work.problem.segment[row[i].segment].mode[row[i].mode];
		struct split_text split;
		design_print_split(&piece->choice[mode->choice].split, &split);
		json_begin_object(json, NULL);
		json_put_fields(json, "start_ms %g, layer %s, part %s, n %u, level %s", row[i].start_ns / NS_PER_MS,
		                piece->block->name, power_part_name[piece->part], row[i].n,
		                run->work.machine->level[mode->level].name);
		design_put_origin(json, piece->block);
		json_put_fields(json, "width %s, height %s, out_channels %s, in_channels %s, tasks %" PRIu64 ", pes %u",
		                split.w, split.h, split.c, split.d, piece->n_task, piece->n_pe);
		design_put_renamed(json, "split_", &split);
		json_put_fields(json, "time_ms %g, energy_mj %g, peak_power_mw %g", row[i].time_ns / NS_PER_MS,
		                row[i].energy_pj / PJ_PER_MJ, mode->peak_mw);
		if (mode->plan)
			put_plan(json, run->work.machine, mode->plan);
		json_end(json);
	}
	json_end(json);
}

/* Coefficients and rules that the energies are made of, so that a result can be read without its machine file. */
static void put_hardware(struct json *json, const struct power_run *run)
{
	const struct machine *machine = run->work.machine;
	json_begin_list(json, "levels");
	for (uint32_t i = 0; i < machine->n_level; i++) {
		json_put_object(json, NULL, "name %s, vdd_v %g, clk_mhz %g, sleep_mw %g, used %d",
		                machine->level[i].name, machine->level[i].vdd_v, machine->level[i].clk_mhz,
		                run->work.problem.sleep_mw[i], (run->best.levels >> i & 1) != 0);
	}
	json_end(json);
	json_put_fields(json, "n_lane %u, n_divider %u, switch_ns %g, switch_nj %g", machine->dvfs_n_lane,
	                machine->dvfs_n_divider, machine->dvfs_switch_ns, machine->dvfs_switch_nj);
	json_begin_list(json, "coefficients");
	coefficient_put_json(json, machine, run->sources, run->work.problem.levels, run->detail, NULL, 0);
	json_end(json);
}

static void put_goal(struct json *json, const struct power_goal *goal)
{
	assert(goal->scenario < N_POWER_SCENARIO);
	json_put_fields(json, "scenario %s, budget_ms %g, budget_mj %g, budget_mw %g, average_mw %g, sleep_counts %d",
	                power_scenario_name[goal->scenario], goal->max_ns / NS_PER_MS, goal->max_pj / PJ_PER_MJ,
	                goal->max_peak_mw, goal->max_average_mw, goal->sleeps);
}

static void put_front(struct json *json, const struct power_front *front)
{
	json_put_real(json, "front_epsilon", front->epsilon);
	json_begin_list(json, "front");
	for (size_t i = 0; i < front->n; i++) {
		json_put_object(json, NULL, "time_ms %g, energy_mj %g, peak_power_mw %g",
		                front->point[i].time_ns / NS_PER_MS, front->point[i].energy_pj / PJ_PER_MJ,
		                front->point[i].peak_mw);
	}
	json_end(json);
}

void power_write_none(FILE *file, const struct power_run *run, const char *machine, const char *network,
                      const char *reasons)
{
	struct json json;
	assert(file && run && reasons);
	json_start_object(&json, file, 2);
	if (machine)
		json_put_text(&json, "machine", machine);
	if (network)
		json_put_text(&json, "network", network);
	json_put_bool(&json, "feasible", false);
	if (run->is_solved) {
		put_goal(&json, &run->goal);
		json_put_fields(
		    &json,
		    "exact %d, least_time_ms %g, least_energy_mj %g, least_peak_power_mw %g, least_average_power_mw %g",
		    run->best.is_exact, run->best.least_ns / NS_PER_MS, run->best.least_pj / PJ_PER_MJ,
		    run->best.least_peak_mw, run->best.least_average_mw);
	}
	json_put_lines(&json, "reasons", reasons);
	json_finish(&json);
}

void power_write_json(FILE *file, const struct power_run *run, struct arena *arena)
{
	struct json json;
	assert(run->best.is_found);
	json_start_object(&json, file, 2);
	json_put_fields(
	    &json, "machine %s, network %s, work %s, detail %s, per_loop %d, domain %s, ratio %g, feasible %d",
	    run->work.machine->name, run->network, run->tasks_only ? "tasks" : "layers", detail_name[run->detail],
	    run->per_loop, dvfs_domain_name[run->domain], run->ratio > 0 ? run->ratio : NAN, true);
	put_goal(&json, &run->goal);
	put_hardware(&json, run);
	for (uint32_t i = 0; i < run->work.problem.n_level; i++)
		if (run->is_alone[i]) {
			char key[32];
			(void)snprintf(key, sizeof(key), "alone_%s", run->work.machine->level[i].name);
			put_schedule(&json, key, run, &run->alone[i], run->alone_keeps[i]);
		}
	if (run->share.is_found)
		put_schedule(&json, "arada_rule", run, &run->share, true);
	if (run->greedy.is_found) {
		put_schedule(&json, "greedy", run, &run->greedy, true);
		json_put_real(&json, "greedy_gap_pct",
		              run->best.objective > 0 ? 100 * fmax(0, run->greedy.objective / run->best.objective - 1)
		                                      : 0);
	}
	if (run->has_chip_wide && run->chip_wide.is_found)
		put_schedule(&json, "chip_wide", run, &run->chip_wide, true);
	put_schedule(&json, "best", run, &run->best, true);
	json_put_fields(&json, "exact %d, exact_within %s", run->best.is_exact, power_exact_within(run));
	if (run->is_search) {
		json_put_text(&json, "network_result", network_result_name[run->network_result]);
		left_out_put_json(&json, run->left_out);
	}
	if (!run->best.is_exact)
		json_put_real(&json, "gap_pct", 100 * (run->best.objective / run->best.bound - 1));
	json_put_u64(&json, "n_label", run->best.n_label);
	if (run->has_own) {
		json_put_fields(&json, "own_energies_ratio %g, own_energies_saving_pct %g",
		                run->own_fast.energy_pj > 0 ? run->own_slow.energy_pj / run->own_fast.energy_pj : NAN,
		                power_saving_pct(&run->own_best, &run->own_fast));
	}
	put_rows(&json, run, arena);
	if (run->has_front)
		put_front(&json, &run->front);
	if (run->analysis)
		power_analysis_put_json(&json, run->analysis);
	json_finish(&json);
}
