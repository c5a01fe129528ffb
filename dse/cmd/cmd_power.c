/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse power: at which operating point each piece of a network's work runs.
 *
 *   options -> designs -> work -> levels alone -> budgets -> best, greedy, front -> analysis -> files, tables
 *
 * Levels alone come before the budgets because --budget-frac is between them.
 */
#include "dse/cmd/command_table.h"
#include "dse/base/interrupt.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/power_choice.h"
#include "dse/base/parallel.h"
#include "dse/power/power_question.h"
#include "dse/power/power_designs.h"
#include "dse/power/power_report.h"
#include "dse/keep/output_file.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Points of a front, times pieces of work, before it is thinned; and the least and the most points that are kept. */
#define FRONT_WORK 5000000
#define LEAST_FRONT 2000
#define MOST_FRONT 50000

static enum err_code choose_detail(const struct cli_options *options, struct detail_options *detail, struct err *err)
{
	size_t index = DETAIL_FAST;
	enum err_code code = cli_choose(options, "detail", options->detail, detail_name, N_DETAIL, &index, err);
	*detail = (struct detail_options){
	    .detail = (enum detail)index, .can_stop = true, .n_thread = parallel_n_thread((size_t)options->jobs)};
	return code;
}

/* Without --scenario the one that the budgets ask for: time before power before energy. */
static enum err_code choose_scenario(const struct cli_options *options, enum power_scenario *scenario, struct err *err)
{
	bool has_time = cli_given(options, OPTION_BUDGET_MS) || cli_given(options, OPTION_BUDGET_FRAC);
	bool has_power = cli_given(options, OPTION_BUDGET_MW) || cli_given(options, OPTION_AVERAGE_MW);
	bool has_energy = cli_given(options, OPTION_BUDGET_MJ);
	size_t index = has_time     ? POWER_LIMITED_TIME
	               : has_power  ? POWER_LIMITED_POWER
	               : has_energy ? POWER_LIMITED_ENERGY
	                            : POWER_ENERGY;
	enum err_code code =
	    cli_choose(options, "scenario", options->scenario, power_scenario_name, N_POWER_SCENARIO, &index, err);
	*scenario = (enum power_scenario)index;
	if (code != ERR_OK)
		return code;
	if (*scenario == POWER_LIMITED_TIME && !has_time)
		return err_add(err, ERR_USAGE, "dse power: --scenario time needs --budget-ms or --budget-frac");
	if (*scenario == POWER_LIMITED_POWER && !has_power)
		return err_add(err, ERR_USAGE, "dse power: --scenario power needs --budget-mw or --average-mw");
	if (*scenario == POWER_LIMITED_ENERGY && !has_energy)
		return err_add(err, ERR_USAGE, "dse power: --scenario energy-budget needs --budget-mj");
	return ERR_OK;
}

/* Options that exclude each other. */
static enum err_code check_options(const struct cli_options *options, struct err *err)
{
	enum err_code code = ERR_OK;
	if (cli_given(options, OPTION_BUDGET_MS) && cli_given(options, OPTION_BUDGET_FRAC))
		code = err_add(err, ERR_USAGE,
		               "dse power: --budget-ms and --budget-frac both set the deadline; leave one away");
	if (options->tasks && options->strategy)
		code =
		    err_add(err, ERR_USAGE,
		            "dse power: --tasks counts MLA tasks alone, whatever the strategy; leave --strategy away");
	if (options->tasks && options->detail && strcmp(options->detail, detail_name[DETAIL_EVENT]) == 0)
		code = err_add(err, ERR_USAGE,
		               "dse power: --tasks are counted in closed form, --detail fast or greybox; found event");
	if (options->search &&
	    (options->per_loop || options->tasks || options->parts > 0 || options->split_scheme || options->strategy ||
	     options->point || options->mapping || options->ratio > 0 || cli_given(options, OPTION_AVERAGE_MW)))
		code = err_add(
		    err, ERR_USAGE,
		    "dse power: --search chooses each layer's split and strategy for time and energy, layer by layer; "
		    "leave --per-loop, --tasks, --parts, --split-scheme, --strategy, --point, --mapping, --ratio and "
		    "--average-mw "
		    "away, or find designs first (dse explore, in whose spaces level_shares chooses levels inside "
		    "layers) and schedule them: dse power --point FRONT.json:ID");
	if (options->ratio > 0 && options->domain && strcmp(options->domain, dvfs_domain_name[DVFS_CHIP]) != 0)
		code = err_add(
		    err, ERR_USAGE,
		    "dse power: --ratio is of pieces of work that have one level; leave --ratio or --domain away");
	if (options->search && options->domain)
		code =
		    err_add(err, ERR_USAGE,
		            "dse power: --search has one level a layer; leave --domain away, or schedule the layers' "
		            "designs: dse power --point FRONT.json:ID");
	if (!options->search && (options->conv_1x1 || options->network_result))
		code = err_add(err, ERR_USAGE, "dse power: --conv-1x1 and --network-result are of --search");
	if (cli_given(options, OPTION_PARTS) && (options->parts == 0 || options->split_scheme))
		code =
		    err_add(err, ERR_USAGE,
		            options->parts == 0 ? "dse power: --parts is 0, allowed is 1 to 1000000000"
		                                : "dse power: --parts and --split-scheme both split; leave one away");
	return code;
}

/* The option, else what the machine says; where energies or designs are those of one level a layer, one of the chip. */
static enum err_code choose_domain(const struct cli_options *options, const struct machine *machine,
                                   struct power_work_options *work, struct err *err)
{
	size_t index = options->search || options->ratio > 0 ? DVFS_CHIP : machine->dvfs_domain;
	enum err_code code =
	    cli_choose(options, "domain", options->domain, dvfs_domain_name, N_DVFS_DOMAIN, &index, err);
	work->domain = (enum dvfs_domain)index;
	if (code == ERR_OK && work->domain != DVFS_CHIP && options->analyse &&
	    (strcmp(options->analyse, power_question_name[POWER_SWITCH]) == 0 ||
	     strcmp(options->analyse, power_question_name[POWER_SENSITIVITY]) == 0))
		code = err_add(err, ERR_USAGE, "dse power: --analyse %s is of levels of the whole chip: --domain chip",
		               options->analyse);
	if (code == ERR_OK && options->analyse && strcmp(options->analyse, power_question_name[POWER_DOMAINS]) == 0 &&
	    (options->search || options->ratio > 0))
		code = err_add(err, ERR_USAGE,
		               "dse power: --analyse domains is of given designs with the machine's energies; leave "
		               "--search and --ratio away");
	work->per_loop = work->per_loop || work->domain != DVFS_CHIP;
	work->max_average_mw = cli_given(options, OPTION_AVERAGE_MW) ? options->average_mw : 0;
	work->max_peak_mw = cli_given(options, OPTION_BUDGET_MW) ? options->budget_mw : 0;
	return code;
}

/* Budgets as they were given; --budget-frac needs the levels' times. */
static enum err_code set_goal(const struct cli_options *options, struct power_run *run, struct arena *arena,
                              struct err *err)
{
	struct power_goal *goal = &run->goal;
	goal->max_ns = goal->max_pj = goal->max_peak_mw = goal->max_average_mw = INFINITY;
	double fast_ns = 0, slow_ns = 0;
	enum err_code code = power_rank_levels(run, &fast_ns, &slow_ns, arena, err);
	if (code != ERR_OK)
		return code;
	if (cli_given(options, OPTION_BUDGET_MS))
		goal->max_ns = options->budget_ms * NS_PER_MS;
	if (cli_given(options, OPTION_BUDGET_FRAC))
		goal->max_ns = fast_ns + options->budget_frac * (slow_ns - fast_ns);
	if (cli_given(options, OPTION_BUDGET_MJ))
		goal->max_pj = options->budget_mj * PJ_PER_MJ;
	if (cli_given(options, OPTION_BUDGET_MW))
		goal->max_peak_mw = options->budget_mw;
	if (cli_given(options, OPTION_AVERAGE_MW))
		goal->max_average_mw = options->average_mw;
	goal->tolerance = run->domain != DVFS_CHIP ? POWER_FINE_TOLERANCE : 0;
	goal->sleeps = power_wants_energy(goal) && isfinite(goal->max_ns) && !options->no_sleep;
	return power_run_alone(run, arena, err);
}

/* Each budget beside the least that any schedule needs, whatever else holds. */
static enum err_code say_infeasible(const struct power_run *run, struct err *err)
{
	assert(!run->best.is_found);
	const struct power_goal *goal = &run->goal;
	const struct power_schedule *best = &run->best;
	(void)err_add(err, ERR_INFEASIBLE, "no schedule %s all budgets%s",
	              best->is_exact ? "keeps" : "was found that keeps",
	              best->is_exact ? "" : "; the search ran out of memory for more, and proves nothing");
	if (isfinite(goal->max_ns))
		(void)err_add(err, ERR_INFEASIBLE, "deadline %.6g ms: the fastest schedule takes %.6g ms",
		              goal->max_ns / NS_PER_MS, best->least_ns / NS_PER_MS);
	if (isfinite(goal->max_pj))
		(void)err_add(err, ERR_INFEASIBLE, "energy %.6g mJ: the schedule with the least takes %.6g mJ",
		              goal->max_pj / PJ_PER_MJ, best->least_pj / PJ_PER_MJ);
	if (isfinite(goal->max_peak_mw))
		(void)err_add(err, ERR_INFEASIBLE, "peak %.6g mW: the flattest schedule has %.6g mW%s",
		              goal->max_peak_mw, best->least_peak_mw,
		              goal->sleeps ? ", and the chip asleep counts, too" : "");
	if (isfinite(goal->max_average_mw))
		(void)err_add(err, ERR_INFEASIBLE, "average %.6g mW: no schedule has less than %.6g mW",
		              goal->max_average_mw, best->least_average_mw);
	return ERR_INFEASIBLE;
}

/* Thinning adds up along a chain: short ones are kept whole. */
static size_t front_size(const struct power_problem *problem)
{
	size_t n = FRONT_WORK / power_n_stage(problem);
	return n < LEAST_FRONT ? LEAST_FRONT : n > MOST_FRONT ? MOST_FRONT : n;
}

static enum err_code solve(const struct cli_options *options, struct power_run *run, struct arena *arena,
                           struct err *err)
{
	enum err_code code = set_goal(options, run, arena, err);
	if (code == ERR_OK)
		code = power_solve(&run->work.problem, &run->goal, run->domain != DVFS_CHIP ? POWER_FINE_LABEL : 0,
		                   arena, &run->best, err);
	run->is_solved = code == ERR_OK;
	if (code == ERR_OK && run->best.is_found)
		code = power_replay_best(run, &run->n_replayed, err);
	if (code == ERR_OK && !run->best.is_found)
		return say_infeasible(run, err);
	if (code == ERR_OK) {
		power_greedy(&run->work.problem, &run->goal, arena, &run->greedy);
		power_by_share(&run->work.problem, &run->goal, arena, &run->share);
		if (interrupt_requested())
			code = err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
	}
	run->has_front = options->front;
	if (code == ERR_OK && run->has_front)
		code = power_solve_front(&run->work.problem, &run->goal, front_size(&run->work.problem), arena,
		                         &run->front, err);
	return code;
}

/* The same budgets with one level a loop, beside levels by PE. */
static enum err_code solve_chip_wide(const struct power_case *of, struct power_run *run, struct arena *arena,
                                     struct err *err)
{
	struct power_work work = {0};
	struct power_work_options options = *of->options;
	options.domain = DVFS_CHIP;
	enum err_code code = power_question_rebuild(of, run->work.machine, &options, arena, &work, err);
	if (code == ERR_OK)
		code = power_solve(&work.problem, &run->goal, 0, arena, &run->chip_wide, err);
	run->has_chip_wide = code == ERR_OK;
	power_work_free(&work);
	return code;
}

/* The same budgets with the machine file's own energies, beside a ratio that was asked for. */
static enum err_code solve_own(const struct power_case *of, struct power_run *run, struct arena *arena, struct err *err)
{
	assert(run->ratio > 0);
	struct power_work work = {0};
	struct power_work_options options = *of->options;
	struct power_goal goal = run->goal;
	goal.max_peak_mw = INFINITY;
	options.ratio = 0;
	enum err_code code = power_question_rebuild(of, run->work.machine, &options, arena, &work, err);
	if (code == ERR_OK)
		code = power_solve(&work.problem, &run->goal, 0, arena, &run->own_best, err);
	if (code == ERR_OK) {
		power_uniform(&work.problem, &goal, run->fast, arena, &run->own_fast);
		power_uniform(&work.problem, &goal, run->slow, arena, &run->own_slow);
	}
	run->has_own = code == ERR_OK && run->own_best.is_found;
	power_work_free(&work);
	return code;
}

static void write_front(FILE *file, const struct power_run *run, struct arena *arena)
{
	(void)arena;
	power_write_front(file, run);
}

static void write_analysis(FILE *file, const struct power_run *run, struct arena *arena)
{
	(void)arena;
	power_analysis_write_csv(file, run->analysis);
}

static void draw_efficiency(FILE *file, const struct power_run *run, struct arena *arena)
{
	(void)arena;
	power_draw_efficiency(file, run->analysis);
}

static enum err_code write_files(const char *dir, const struct power_run *run, struct arena *arena, struct err *err)
{
	const struct {
		const char *name;
		void (*write)(FILE *file, const struct power_run *run, struct arena *arena);
		bool is_made;
	} made[] = {{"schedule.csv", power_write_csv, true},
	            {"power.json", power_write_json, true},
	            {"power.svg", power_draw, true},
	            {"front.csv", write_front, run->has_front},
	            {"analysis.csv", write_analysis, run->analysis != NULL},
	            {"efficiency.svg", draw_efficiency, run->analysis && run->analysis->question == POWER_CLOCK}};
	enum err_code code = output_file_make_dir(dir, err);
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]) && code == ERR_OK; i++) {
		struct output_file file = {0};
		if (!made[i].is_made)
			continue;
		code = output_file_open_in(&file, dir, made[i].name, err);
		if (code != ERR_OK)
			break;
		made[i].write(file.file, run, arena);
		code = output_file_commit(&file, err);
	}
	return code;
}

/* Schedules, then what was asked about them. */
static enum err_code answer(const struct cli_options *options, const struct power_case *of, struct power_run *run,
                            struct power_analysis *analysis, struct arena *arena, struct err *err)
{
	size_t question = 0;
	enum err_code code = solve(options, run, arena, err);
	if (code == ERR_OK && run->ratio > 0)
		code = solve_own(of, run, arena, err);
	if (code == ERR_OK && run->domain != DVFS_CHIP)
		code = solve_chip_wide(of, run, arena, err);
	if (code != ERR_OK || !options->analyse)
		return code;
	code = cli_choose(options, "analyse", options->analyse, power_question_name, N_POWER_QUESTION, &question, err);
	if (code == ERR_OK)
		code = power_question_answer((enum power_question)question, of, arena, analysis, err);
	run->analysis = analysis;
	return code;
}

static enum err_code run_designs(const struct cli_options *options, const struct power_designs *designs,
                                 const struct power_work_options *work_options, struct power_run *run, struct err *err)
{
	struct arena arena = {0};
	struct power_analysis analysis;
	const struct power_case of = {designs, work_options, run};
	run->network = designs->network;
	run->sources = &designs->sources;
	run->per_loop = work_options->per_loop;
	run->domain = work_options->domain;
	run->tasks_only = options->tasks;
	run->is_search = options->search;
	run->left_out = &designs->left_out;
	run->network_result = designs->network_result;
	run->ratio = options->ratio;
	run->detail = work_options->detail.detail;
	enum err_code code = power_question_rebuild(&of, designs->machine, work_options, &arena, &run->work, err);
	if (code == ERR_OK)
		code = answer(options, &of, run, &analysis, &arena, err);
	if (code == ERR_OK && options->out)
		code = write_files(options->out, run, &arena, err);
	if (code == ERR_OK) {
		if (options->json)
			power_write_json(stdout, run, &arena);
		else
			power_print(stdout, run, options->quiet, &arena);
	}
	power_work_free(&run->work);
	arena_free(&arena);
	return code;
}

/* Where the designs are from whose times are told. */
static const char *mapping_from(const struct cli_options *options)
{
	if (options->search)
		return "searched with the levels";
	if (options->mapping || options->point)
		return options->mapping ? "of the file" : "of the front's point";
	return options->split_scheme ? "by rules (the split scheme)" : "by rules (the splitter's splits)";
}

enum err_code cmd_power(const struct cli_options *options, struct err *err)
{
	struct power_designs designs = {0};
	struct power_run run = {0};
	struct power_work_options work = {.per_loop = options->per_loop, .ratio = options->ratio};
	size_t question = 0;
	enum err_code code = check_options(options, err);
	run.mapping = mapping_from(options);
	code = choice_worse(code, choose_detail(options, &work.detail, err));
	code = choice_worse(code, choose_scenario(options, &run.goal.scenario, err));
	code = choice_worse(code, cli_choose(options, "analyse", options->analyse, power_question_name,
	                                     N_POWER_QUESTION, &question, err));
	/* reads files and may search: not for what is refused already */
	if (code == ERR_OK)
		code = power_choice_read(options, &work.detail, &designs, &work.levels, err);
	if (code == ERR_OK)
		code = choose_domain(options, designs.machine, &work, err);
	if (code == ERR_OK)
		code = run_designs(options, &designs, &work, &run, err);
	if (code == ERR_INFEASIBLE && options->json)
		power_write_none(stdout, &run, designs.machine ? designs.machine->name : NULL, designs.network,
		                 err_text(err));
	power_designs_free(&designs);
	return code;
}
