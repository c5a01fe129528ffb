/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse map: one mapping of a network, and its split reports.
 *
 *   search, rules, scheme, FRONT.json:ID or FILE.yaml -> struct mapping -> simulated -> tables and files
 */
#include "dse/base/memory.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/design/map_report.h"
#include "dse/price/mapping_search.h"
#include "dse/price/price.h"
#include "dse/base/parallel.h"
#include "dse/keep/output_file.h"
#include <inttypes.h>

struct map_request {
	const struct cli_options *cli;
	struct mapping mapping;
	struct split_scheme scheme;
	enum strategy strategy; /* N_STRATEGY: not said */
	enum mapping_goal goal;
	size_t split; /* of split_name */
	uint32_t levels, forms;
	enum network_result network_result;
	bool prices; /* --detail both */
	struct map_report report;
	char source[MAP_SOURCE_SIZE];
	char from[192]; /* the mapping, as struct story has it */
};

static const char *const tier_name[] = {"fast", "both"};
static const char *const split_name[] = {"all", "reduced", "even", "thesis"};
static const enum split_choice split_choice[] = {SPLIT_ALL, SPLIT_REDUCED, SPLIT_EVEN, SPLIT_WHOLE};
enum { SPLIT_BY_RULES = 3, N_SPLIT_NAME = 4 };

static bool goes_by_rules(const struct map_request *job)
{
	return job->cli->split_scheme || job->split == SPLIT_BY_RULES;
}

/* Names of options, all of them, whatever else is wrong. */
static enum err_code choose(struct map_request *job, struct err *err)
{
	const struct cli_options *cli = job->cli;
	size_t index = MAPPING_LATENCY;
	enum err_code code = choice_strategy(cli, &job->strategy, err);
	if (!cli->strategy)
		job->strategy = N_STRATEGY;
	code = choice_worse(code, cli_choose(cli, "goal", cli->goal, mapping_goal_name, N_MAPPING_GOAL, &index, err));
	job->goal = (enum mapping_goal)index;
	code = choice_worse(code, cli_choose(cli, "split", cli->split, split_name, N_SPLIT_NAME, &job->split, err));
	code = choice_worse(code, choice_forms(cli, &job->forms, err));
	index = 0;
	code = choice_worse(code, cli_choose(cli, "detail", cli->detail, tier_name, 2, &index, err));
	job->prices = index == 1;
	code = choice_worse(code, choice_result(cli, &job->network_result, err));
	if (cli->split_scheme && cli->split && code == ERR_OK)
		code = err_add(err, ERR_USAGE, "dse map: allowed is one of --split and --split-scheme");
	bool for_search =
	    cli->goal || cli->fetch_ahead || cli->conv_1x1 || cli->network_result || cli->detail || cli->runtime;
	if (goes_by_rules(job) && for_search && code == ERR_OK)
		code = err_add(err, ERR_USAGE,
		               "dse map: --goal, --detail, --fetch-ahead, --conv-1x1, --network-result and --runtime "
		               "are of a search; "
		               "--split-scheme and --split thesis fix the splits already");
	return code;
}

/* --runtime needs the run-time system's constants, which defaults do not stand in for. */
static enum err_code check_runtime(const struct map_request *job, struct err *err)
{
	if (!job->cli->runtime || job->mapping.machine.has_octopus)
		return ERR_OK;
	return err_add(err, ERR_INPUT,
	               "dse map: --runtime needs the constants of a run-time system, and machine %s has no section "
	               "octopus; final_chip has one, with the source of each constant",
	               job->mapping.machine.name);
}

/* MACHINE NETWORK and what may be chosen. */
static enum err_code read_files(struct map_request *job, struct err *err)
{
	const struct cli_options *cli = job->cli;
	enum err_code code = choose(job, err);
	code = choice_worse(code, mapping_open(cli->file[0], cli->file[1], &job->mapping, err));
	if (code == ERR_OK)
		code = choice_set_mapping(cli, &job->mapping, err);
	if (cli->split_scheme)
		code = choice_worse(code, split_scheme_read(cli->split_scheme, &job->scheme, err));
	if (code == ERR_OK)
		code = choice_check_strategy(cli, &job->mapping.machine, job->strategy, err);
	if (code == ERR_OK)
		code = check_runtime(job, err);
	code = code == ERR_OK ? choice_levels(cli, &job->mapping.machine, &job->levels, err) : code;
	if (code == ERR_OK && !goes_by_rules(job))
		code = mapping_offer_levels(&job->mapping, err);
	return code;
}

/* At the first of the levels, as dse simulate does. */
static enum err_code map_by_rules(struct map_request *job, struct err *err)
{
	uint32_t level = 0;
	while (!(job->levels >> level & 1))
		level++;
	enum strategy strategy = job->strategy == N_STRATEGY ? STRATEGY_FUSION_REUSE : job->strategy;
	const struct split_scheme *scheme = job->cli->split_scheme ? &job->scheme : NULL;
	(void)snprintf(job->source, sizeof(job->source), "Splits of %.120s, %s at %s",
	               scheme ? job->cli->split_scheme : "the thesis' rules", strategy_table[strategy].name,
	               job->mapping.machine.level[level].name);
	(void)snprintf(job->from, sizeof(job->from), "by rules (splits of %.120s, %s)",
	               scheme ? job->cli->split_scheme : "the thesis' rules", strategy_table[strategy].name);
	return mapping_by_rules(&job->mapping, scheme, strategy, level, err);
}

/* What was found is the best of, and what was left out. */
static void say_searched(struct map_request *job)
{
	static const char *const metric[2][N_MAPPING_GOAL] = {
	    {[MAPPING_LATENCY] = "latency_ms", [MAPPING_ENERGY] = "energy_mj", [MAPPING_EDP] = "edp_mj_ms"},
	    {[MAPPING_LATENCY] = "run_time_ms",
	     [MAPPING_ENERGY] = "energy_mj",
	     [MAPPING_EDP] = "energy_mj * run_time_ms"}};
	const struct mapping_searched *searched = &job->report.searched;
	char within[48] = "", left[LEFT_OUT_TEXT_SIZE], priced[160] = "";
	left_out_print(&searched->left_out, left);
	if (searched->epsilon > 0)
		(void)snprintf(within, sizeof(within), ", within %.2g %%", 100.0 * searched->epsilon);
	if (searched->is_priced)
		(void)snprintf(
		    priced, sizeof(priced),
		    " in the event tier, to be beaten by %.2g %% at most if no other design is more than %.2g %% "
		    "faster than the fast tier says",
		    100.0 * searched->assumed_gap_frac, 100.0 * searched->assumed_error_frac);
	job->report.goal = mapping_goal_name[job->goal];
	const char *goal = metric[job->cli->runtime ? 1 : 0][job->goal];
	(void)snprintf(job->from, sizeof(job->from), "searched (least %s)", goal);
	(void)snprintf(job->source, sizeof(job->source), "Least %s of %s mappings%s%s%s%s%s", goal,
	               left[0] ? "the searched" : "all",
	               job->network_result == NETWORK_RESULT_DRAM ? " that write the network's result to DRAM" : "",
	               within, priced, left[0] ? "; left out: " : "", left);
}

static enum err_code search(struct map_request *job, struct err *err)
{
	const struct mapping_search_options options = {
	    .goal = job->goal,
	    .counts_run_time = job->cli->runtime,
	    .strategy = job->strategy,
	    .split = split_choice[job->split],
	    .levels = job->levels,
	    .forms = job->forms,
	    .network_result = job->network_result,
	    .fetches_ahead = job->cli->fetch_ahead,
	    .price_work = job->prices ? PRICE_USUAL_WORK : 0,
	    .n_thread = parallel_n_thread((size_t)job->cli->jobs),
	    .shows_progress = !job->cli->quiet && !job->cli->no_progress,
	};
	enum err_code code = mapping_search(&job->mapping, &options, &job->report.searched, err);
	if (code == ERR_OK)
		say_searched(job);
	return code;
}

/* One of four roads to a mapping. */
static enum err_code make_mapping(struct map_request *job, struct err *err)
{
	static const enum cli_option fixed[] = {OPTION_GOAL,           OPTION_STRATEGY,    OPTION_SPLIT,
	                                        OPTION_SPLIT_SCHEME,   OPTION_FETCH_AHEAD, OPTION_CONV_1X1,
	                                        OPTION_NETWORK_RESULT, OPTION_LEVELS,      OPTION_RUNTIME};
	const struct cli_options *cli = job->cli;
	if (cli->point || cli->mapping) {
		(void)snprintf(job->source, sizeof(job->source), "Mapping of %.160s",
		               cli->point ? cli->point : cli->mapping);
		(void)snprintf(job->from, sizeof(job->from), "of %.160s", cli->point ? cli->point : cli->mapping);
		enum err_code code = choice_check_fixed(cli, cli->point ? 1 : 0, "splits, strategies and levels", fixed,
		                                        sizeof(fixed) / sizeof(fixed[0]), err);
		if (code != ERR_OK)
			return code;
		code = cli->point
		           ? mapping_from_point(cli->point, cli->n_file ? cli->file[0] : NULL, &job->mapping, err)
		           : mapping_load(cli->mapping, &job->mapping, err);
		return code == ERR_OK ? choice_set_mapping(cli, &job->mapping, err) : code;
	}
	if (cli->n_file != 2)
		return err_add(err, ERR_USAGE,
		               "dse map: found %zu files, allowed are a machine and a network, --mapping FILE.yaml or "
		               "--point FRONT.json:ID [NETWORK]",
		               cli->n_file);
	enum err_code code = read_files(job, err);
	if (code != ERR_OK)
		return code;
	return goes_by_rules(job) ? map_by_rules(job, err) : search(job, err);
}

static void write_mapping(FILE *file, const struct map_report *report)
{
	char comment[MAP_COMMENT_SIZE];
	map_comment(report, comment);
	mapping_write(file, report->mapping, comment);
}

static enum err_code write_files(const char *dir, const struct map_report *report, struct err *err)
{
	static const struct {
		const char *name;
		void (*write)(FILE *file, const struct map_report *report);
	} made[] = {{"mapping.yaml", write_mapping},
	            {"splits.csv", map_write_splits},
	            {"utilisation.csv", map_write_utilisation},
	            {"splits.txt", map_write_text}};
	enum err_code code = output_file_make_dir(dir, err);
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]) && code == ERR_OK; i++) {
		struct output_file file = {0};
		code = output_file_open_in(&file, dir, made[i].name, err);
		if (code == ERR_OK) {
			made[i].write(file.file, report);
			code = output_file_commit(&file, err);
		}
	}
	return code;
}

enum err_code cmd_map(const struct cli_options *options, struct err *err)
{
	struct map_request job = {.cli = options};
	enum err_code code = make_mapping(&job, err);
	struct simulated *block = NULL;
	size_t n = job.mapping.network.n_block;
	job.report.detail = job.report.searched.is_priced ? DETAIL_EVENT : DETAIL_FAST;
	if (code == ERR_OK) {
		const struct simulate_options how = {
		    .design = job.mapping.design,
		    .how.detail = {.detail = job.report.detail, .n_thread = parallel_n_thread((size_t)options->jobs)}};
		block = memory_must(arena_array(&job.mapping.arena, n, sizeof(*block)));
		code = simulate_network(&job.mapping.machine, &job.mapping.network, &how, block, err);
	}
	job.report.mapping = &job.mapping;
	job.report.block = block;
	job.report.source = job.source;
	job.report.mapping_from = job.from;
	if (code == ERR_OK && options->out)
		code = write_files(options->out, &job.report, err);
	if (code == ERR_OK && options->json)
		map_put_json(stdout, &job.report);
	else if (code == ERR_OK)
		map_print(stdout, &job.report, options->quiet);
	if (code == ERR_OK)
		code = mapping_check(&job.mapping, err);
	split_scheme_free(&job.scheme);
	mapping_free(&job.mapping);
	return code;
}
