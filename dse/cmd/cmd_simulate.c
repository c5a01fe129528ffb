/* SPDX-License-Identifier: Apache-2.0 */
/* dse simulate: one fixed design of a network on a machine, or one point of a front again. */
#include "dse/base/memory.h"
#include "dse/cmd/command_table.h"
#include "dse/options/cli.h"
#include "dse/out/colour.h"
#include "dse/layer/design_text.h"
#include "dse/cmd/choice.h"
#include "dse/base/parallel.h"
#include "dse/design/replay.h"
#include "dse/design/simulate.h"
#include "dse/design/story.h"
#include "dse/design/simulate_hint.h"
#include "dse/design/uncertain.h"
#include "dse/keep/output_file.h"
#include "dse/price/mapping_search.h"
#include "dse/out/words.h"
#include "dse/space/energy_trust.h"
#include "dse/out/command_word.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* Everything one simulation needs. */
struct simulate_request {
	const struct cli_options *cli;
	struct mapping mapping; /* of MACHINE NETWORK only these; of --mapping the designs, too */
	struct split_scheme scheme;
	struct simulate_options options;
	struct simulated *block;
	bool *shown;
	struct output_file trace;
	bool gain_is_open; /* the search for it was interrupted */
	struct arena arena;
};

/* --trace and --audit are about the event tier, so they choose it; with --detail fast they contradict it. */
static enum err_code choose_how(const struct cli_options *options, struct simulate_how *how, struct err *err)
{
	const char *wanted = options->detail ? options->detail : options->trace || options->audit ? "event" : "fast";
	size_t index = 0;
	enum err_code code = cli_choose(options, "detail", wanted, detail_name, N_DETAIL, &index, err);
	how->detail = (struct detail_options){.detail = (enum detail)index,
	                                      .can_stop = true,
	                                      .audit = options->audit,
	                                      .n_thread = parallel_n_thread((size_t)options->jobs)};
	if (code == ERR_OK && index != DETAIL_EVENT && (options->trace || options->audit))
		code = err_add(err, ERR_USAGE, "dse simulate: --%s needs --detail event",
		               options->trace ? "trace" : "audit");
	return code;
}

/* Before the run, so that a folder that is not there costs no time. */
static enum err_code open_trace(const struct cli_options *options, struct output_file *file, struct simulate_how *how,
                                struct err *err)
{
	if (!options->trace)
		return ERR_OK;
	enum err_code code = output_file_open(file, options->trace, err);
	return code == ERR_OK ? trace_json_open(file->file, &how->trace, err) : code;
}

/* A trace of a run that failed is of no use. */
static enum err_code close_trace(struct output_file *file, struct simulate_how *how, enum err_code code,
                                 struct err *err)
{
	code = choice_worse(code, trace_json_close(how->trace, err));
	how->trace = NULL;
	if (code == ERR_OK && file->file)
		return output_file_commit(file, err);
	output_file_abandon(file);
	return code;
}

/* What the event tier did, and what was checked while it did. */
static void print_event(FILE *file, const struct simulated *block, size_t n, const bool *shown, bool audit)
{
	uint64_t n_event = 0, replayed_clk = 0;
	size_t n_run = 0;
	for (size_t i = 0; i < n; i++) {
		if ((shown && !shown[i]) || !block[i].ran)
			continue;
		n_run++;
		n_event += block[i].stat.n_event;
		replayed_clk += block[i].stat.replayed_clk;
	}
	(void)fprintf(file, "  event tier: %" PRIu64 " events simulated, %" PRIu64 " PE clocks of QPEs replayed\n",
	              n_event, replayed_clk);
	if (audit)
		(void)fprintf(
		    file,
		    "  audit: %zu operations run again with every event simulated: the same clocks, counts and "
		    "energy;\n"
		    "  in both runs: bytes in equal bytes out, all multiply-accumulates done, no unit busier "
		    "than time, not under the roofline, energies sum\n",
		    n_run);
}

/* MACHINE NETWORK, each a path or the name of a shipped file; or the mapping, which fixes the designs. */
static enum err_code read_files(struct simulate_request *job, struct err *err)
{
	const struct cli_options *cli = job->cli;
	enum err_code code = cli->mapping ? mapping_load(cli->mapping, &job->mapping, err)
	                                  : mapping_open(cli->file[0], cli->file[1], &job->mapping, err);
	if (cli->mapping)
		job->options.design = job->mapping.design;
	return code == ERR_OK ? choice_set_mapping(cli, &job->mapping, err) : code;
}

/* Which layers to show. All are simulated: whether an ifmap lies in storage QPEs depends on the layers before. */
static enum err_code choose_layers(struct simulate_request *job, struct err *err)
{
	job->shown = memory_must(arena_array(&job->arena, job->mapping.network.n_block, sizeof(*job->shown)));
	job->block = memory_must(arena_array(&job->arena, job->mapping.network.n_block, sizeof(*job->block)));
	return choice_layers(job->cli, &job->mapping.network, job->shown, err);
}

/* Here the option names the one form that layers have. */
static enum err_code choose_form(struct simulate_request *job, struct err *err)
{
	size_t index = FORM_CONV;
	enum err_code code =
	    cli_choose(job->cli, "conv-1x1", job->cli->conv_1x1, conv_form_name, N_CONV_FORM, &index, err);
	job->options.form = (enum conv_form)index;
	return code;
}

/* Read and check everything that was named, and report all that is wrong with it, not only the first mistake. */
static enum err_code prepare(struct simulate_request *job, struct err *err)
{
	enum err_code code = choice_strategy(job->cli, &job->options.strategy, err);
	code = choice_worse(code, choose_form(job, err));
	code = choice_worse(code, choose_how(job->cli, &job->options.how, err));
	code = choice_worse(code, read_files(job, err));
	if (job->cli->split_scheme) {
		code = choice_worse(code, split_scheme_read(job->cli->split_scheme, &job->scheme, err));
		job->options.scheme = &job->scheme;
	}
	if (code == ERR_OK)
		code = choice_check_strategy(job->cli, &job->mapping.machine, job->options.strategy, err);
	if (code == ERR_OK)
		code = choice_level(job->cli, &job->mapping.machine, &job->options.level, err);
	return code == ERR_OK ? choose_layers(job, err) : code;
}

static uint32_t used_levels(const struct simulate_request *job)
{
	return story_levels(job->block, job->mapping.network.n_block, job->shown);
}

/* What was asked for; of a systolic array without --strategy each layer has the fastest that the array can do. */
static const char *strategy_text(const struct simulate_request *job)
{
	const struct strategy_info *wanted = &strategy_table[job->options.strategy];
	return job->mapping.machine.target == MACHINE_SYSTOLIC && !wanted->is_systolic ? "any" : wanted->name;
}

/* Where the mapping is from: a file, or the rule that split the layers. */
static void print_mapping_from(const struct simulate_request *job, char text[192])
{
	const struct cli_options *cli = job->cli;
	if (cli->mapping)
		(void)snprintf(text, 192, "of %.160s", cli->mapping);
	else if (cli->split_scheme)
		(void)snprintf(text, 192, "by rules (splits of %.120s, %s)", cli->split_scheme, strategy_text(job));
	else if (job->mapping.machine.target == MACHINE_SYSTOLIC)
		(void)snprintf(text, 192, "by rules (the splitter's tiles, dataflow %s)", strategy_text(job));
	else
		(void)snprintf(text, 192, "by rules (the thesis' splitter, %s)", strategy_text(job));
}

static struct story story_of(const struct simulate_request *job, const char *from)
{
	return (struct story){.machine = &job->mapping.machine,
	                      .detail = job->options.how.detail.detail,
	                      .levels = used_levels(job),
	                      .mapping = from};
}

/* Boxes of branch and bound that a first look at better mappings may take: a second of a core for ResNet-50. A count,
 * so that what is printed depends on no machine. */
#define GAIN_BOXES 10000

/* The latency, ms, of the best mapping with even splits at the fastest operating point that is found soon; NAN: none
 * is. */
static double least_latency_ms(struct simulate_request *job)
{
	struct mapping_search_options options = {.goal = MAPPING_LATENCY,
	                                         .strategy = N_STRATEGY,
	                                         .split = SPLIT_EVEN,
	                                         .max_box = GAIN_BOXES,
	                                         .network_result = NETWORK_RESULT_DRAM,
	                                         .n_thread = job->options.how.detail.n_thread};
	struct mapping_searched searched;
	struct err err = {0};
	const struct machine *machine = &job->mapping.machine;
	uint32_t fastest = 0;
	for (uint32_t l = 1; l < machine->n_level; l++)
		fastest = machine->level[l].clk_mhz > machine->level[fastest].clk_mhz ? l : fastest;
	options.levels = UINT32_C(1) << fastest;
	enum err_code code = choice_forms(job->cli, &options.forms, &err);
	if (code == ERR_OK)
		code = mapping_search(&job->mapping, &options, &searched, &err);
	err_clear(&err);
	job->gain_is_open = code == ERR_INTERRUPTED;
	return code == ERR_OK ? searched.value : (double)NAN;
}

/* A rule's mapping is no optimum: what finds one, and what it gains where that is known soon. */
static void print_gain(FILE *file, struct simulate_request *job)
{
	const struct cli_options *cli = job->cli;
	struct simulate_totals totals;
	size_t n = job->mapping.network.n_block;
	bool is_searched = job->options.how.detail.detail == DETAIL_FAST && !cli->layers && !cli->conv_1x1 &&
	                   job->mapping.machine.target != MACHINE_SYSTOLIC;
	if (cli->mapping)
		return;
	simulate_sum(&job->mapping.machine, job->block, n, job->shown, &totals);
	double least_ms = is_searched ? least_latency_ms(job) : (double)NAN;
	struct words_fold fold;
	file = words_fold_begin(&fold, file);
	(void)fputs("  the best mapping: dse map ", file);
	command_word_print(file, cli->file[0]);
	(void)fputc(' ', file);
	command_word_print(file, cli->file[1]);
	if (!(least_ms < totals.metric[METRIC_LATENCY]))
		(void)fputs(" searches all of them\n", file);
	else
		(void)fprintf(file, " finds latency_ms %.6g or less, %.3g %% less at least\n", least_ms,
		              100.0 * (1.0 - least_ms / totals.metric[METRIC_LATENCY]));
	words_fold_end(&fold);
}

/* What the latency is of, what the run-time system adds, and what a search gains. */
static void print_story(FILE *file, struct simulate_request *job)
{
	const struct machine *machine = &job->mapping.machine;
	struct story_run_time run_time;
	char from[192];
	print_mapping_from(job, from);
	const struct story story = story_of(job, from);
	story_print(file, 2, &story);
	story_run_time(machine, job->block, job->mapping.network.n_block, job->shown, &run_time);
	story_print_run_time(file, 2, machine, &run_time);
	print_gain(file, job);
}

static struct energy_trust trust_of(const struct simulate_request *job)
{
	struct simulate_totals totals;
	struct energy_trust trust;
	simulate_sum(&job->mapping.machine, job->block, job->mapping.network.n_block, job->shown, &totals);
	struct arena arena = {0};
	size_t n;
	const struct coefficient *list = memory_must(
	    coefficient_list(&job->mapping.machine, &job->mapping.sources, UINT32_MAX, DETAIL_FAST, &arena, &n));
	energy_trust_of(list, n, NULL, 0, &totals.use, &trust);
	arena_free(&arena);
	return trust;
}

/* How far the energies are to be trusted; each coefficient is in --json. */
static void print_confidence(FILE *file, const struct simulate_request *job)
{
	unsigned n[N_CONFIDENCE] = {0};
	struct coefficient coefficient;
	uint32_t levels = used_levels(job);
	enum detail detail = job->options.how.detail.detail;
	for (size_t i = 0;
	     coefficient_at(&job->mapping.machine, &job->mapping.sources, levels, detail, i, &coefficient); i++)
		n[coefficient.provenance.confidence]++;
	struct words_fold fold;
	struct energy_trust trust = trust_of(job);
	energy_trust_print(file, "  ", &trust);
	file = words_fold_begin(&fold, file);
	(void)fputs("  coefficients:", file);
	const char *between = " ";
	for (int i = N_CONFIDENCE - 1; i >= 0; i--) {
		if (n[i] == 0)
			continue;
		(void)fprintf(file, "%s%u %s", between, n[i], confidence_name[i]);
		between = ", ";
	}
	(void)fputs(" (--json names each with its source)\n", file);
	words_fold_end(&fold);
}

/* What a default decides, above all else that is said of the machine. */
static void print_hints(FILE *file, const struct simulate_request *job)
{
	struct simulate_hint hint[HINT_MAX];
	struct words_fold fold;
	size_t n = simulate_find_hints(&job->mapping.machine, &job->mapping.sources, job->block,
	                               job->mapping.network.n_block, job->shown, hint);
	FILE *to = words_fold_begin(&fold, file);
	for (size_t i = 0; i < n; i++)
		(void)fprintf(to, "  look here first: %s\n", hint[i].text);
	words_fold_end(&fold);
}

/* What a design was simulated on stands above the tables; what was assumed stands below. */
static void print_text(FILE *file, struct simulate_request *job)
{
	size_t n_own = 0;
	assert(job->block && job->shown);
	for (size_t i = 0; i < job->mapping.network.n_block; i++)
		n_own += job->options.scheme && !job->block[i].in_scheme && job->shown[i];
	bool is_event = job->options.how.detail.detail == DETAIL_EVENT;
	char array[DESIGN_ARRAY_SIZE];
	design_print_array(&job->mapping.machine, array);
	(void)fprintf(file, "%s on %s, %s%s\n\n", job->mapping.network.name, job->mapping.machine.name, array,
	              is_event                                           ? ", event tier"
	              : job->options.how.detail.detail == DETAIL_GREYBOX ? ", tasks by the grey-box model"
	                                                                 : "");
	simulate_print(file, &job->mapping.machine, job->block, job->mapping.network.n_block, job->shown);
	print_story(file, job);
	print_hints(file, job);
	print_confidence(file, job);
	(void)uncertain_print_far(file, 2, &job->mapping.machine, used_levels(job));
	if (is_event)
		print_event(file, job->block, job->mapping.network.n_block, job->shown, job->cli->audit);
	if (n_own > 0)
		(void)fprintf(file, "  %zu operations are not in the split scheme; the thesis splitter split them\n",
		              n_own);
}

/* The same figures, and each phase's bound, which the tables have no room for. */
static void print_json(FILE *file, const struct simulate_request *job)
{
	struct json json;
	json_start_object(&json, file, 2);
	json_put_fields(&json, "machine %s, network %s", job->mapping.machine.name, job->mapping.network.name);
	if (job->options.design)
		json_put_text(&json, "mapping", job->mapping.name);
	else
		json_put_text(&json, "strategy", strategy_text(job));
	json_put_text(&json, "detail", detail_name[job->options.how.detail.detail]);
	if (job->cli->audit)
		json_put_bool(&json, "audited", true);
	char from[192];
	print_mapping_from(job, from);
	const struct story story = story_of(job, from);
	story_put_json(&json, &story);
	simulate_put_json(&json, &job->mapping.machine, job->block, job->mapping.network.n_block, job->shown);
	struct simulate_hint hint[HINT_MAX];
	size_t n_hint = simulate_find_hints(&job->mapping.machine, &job->mapping.sources, job->block,
	                                    job->mapping.network.n_block, job->shown, hint);
	json_begin_list(&json, "hints");
	for (size_t i = 0; i < n_hint; i++)
		json_put_text(&json, NULL, hint[i].text);
	json_end(&json);
	struct energy_trust trust = trust_of(job);
	energy_trust_put_json(&json, &trust);
	json_begin_list(&json, "coefficients");
	coefficient_put_json(&json, &job->mapping.machine, &job->mapping.sources, used_levels(job),
	                     job->options.how.detail.detail, NULL, 0);
	json_finish(&json);
}

/* Blocks that were asked for and cannot run; limits of the tier have been told with their numbers. */
static enum err_code judge(const struct simulate_request *job, struct err *err)
{
	for (size_t i = 0; i < job->mapping.network.n_block; i++)
		if (job->shown[i] && !job->block[i].ran && job->block[i].verdict.reason != VERDICT_TIER)
			(void)err_add_at(err, ERR_INFEASIBLE, job->mapping.place[i], "%s: %s",
			                 job->block[i].block->name, verdict_table[job->block[i].verdict.reason].help);
	return err->code;
}

/* MACHINE NETWORK: output is opened only when there is something to write. */
static enum err_code run_design(const struct cli_options *options, struct err *err)
{
	struct simulate_request job = {.cli = options};
	struct output_file file = {0};
	enum err_code code = prepare(&job, err);
	job.options.shown = job.shown;
	job.options.takes_unsplit = true;
	if (code == ERR_OK)
		code = open_trace(options, &job.trace, &job.options.how, err);
	if (code == ERR_OK)
		code = simulate_network(&job.mapping.machine, &job.mapping.network, &job.options, job.block, err);
	code = close_trace(&job.trace, &job.options.how, code, err);
	if (code == ERR_OK)
		code = output_file_open(&file, options->out, err);
	if (code == ERR_OK) {
		if (options->json)
			print_json(file.file, &job);
		else
			print_text(file.file, &job);
		code = output_file_commit(&file, err);
	}
	if (code == ERR_OK)
		code = judge(&job, err);
	if (code == ERR_OK && job.gain_is_open)
		code = err_add(err, ERR_INTERRUPTED, "interrupted: all is there but for what the best mapping gains");
	mapping_free(&job.mapping);
	split_scheme_free(&job.scheme);
	arena_free(&job.arena);
	return code;
}

static void print_replay_json(FILE *file, const struct cli_options *options, const struct replay *replay)
{
	struct json json;
	json_start_object(&json, file, 1);
	json_put_fields(&json, "point %s, recorded_detail %s, detail %s", options->point, detail_name[replay->recorded],
	                detail_name[replay->detail]);
	if (replay->recorded == replay->detail) {
		json_put_fields(&json, "equal %d, differences %s", replay->is_equal, err_text(&replay->difference));
	} else {
		json_put_fields(&json, "mean_gap_pct %g, largest_gap_pct %g",
		                100.0 * replay->gap.sum_frac / (double)replay->gap.n, 100.0 * replay->gap.max_frac);
	}
	json_begin_list(&json, "networks");
	for (size_t i = 0; i < replay->n_network; i++) {
		json_begin_object(&json, NULL);
		json_put_text(&json, "network", replay->network[i].name);
		simulate_put_json(&json, &replay->machine, replay->network[i].block, replay->network[i].n_block, NULL);
		json_end(&json);
	}
	json_finish(&json);
}

/* Equal or not; of two tiers, how far they are apart. */
static void print_verdict(FILE *file, const struct replay *replay)
{
	if (replay->recorded != replay->detail)
		(void)fprintf(
		    file,
		    "replay: %s tier, the front was made in the %s tier; clocks of %zu layers: mean gap %.2f %%, "
		    "largest %.2f %% (%s)\n",
		    detail_name[replay->detail], detail_name[replay->recorded], replay->gap.n,
		    100.0 * replay->gap.sum_frac / (double)replay->gap.n, 100.0 * replay->gap.max_frac,
		    replay->gap.layer ? replay->gap.layer : "none");
	else if (replay->is_equal)
		(void)fputs("replay: equal\n", file);
	else
		(void)fprintf(file, "replay: different\n%s", err_text(&replay->difference));
}

/* The design in the same tables as any other simulation, then the verdict. */
static void print_replay(FILE *file, const struct cli_options *options, const struct replay *replay)
{
	bool is_event = replay->detail == DETAIL_EVENT;
	if (options->json) {
		print_replay_json(file, options, replay);
		return;
	}
	for (size_t i = 0; i < replay->n_network && !options->quiet; i++) {
		const struct replay_network *network = &replay->network[i];
		char array[DESIGN_ARRAY_SIZE];
		design_print_array(&replay->machine, array);
		(void)fprintf(file, "%s on %s, %s%s\n\n", network->name, replay->machine.name, array,
		              is_event ? ", event tier" : "");
		simulate_print(file, &replay->machine, network->block, network->n_block, NULL);
		if (is_event)
			print_event(file, network->block, network->n_block, NULL, options->audit);
		(void)fputc('\n', file);
	}
	print_verdict(file, replay);
}

/*
 * --point: differences are the result, so they go to stdout with the tables;
 * input files that changed since explain them and go to stderr first.
 */
static enum err_code run_replay(const struct cli_options *options, struct err *err)
{
	struct replay replay = {0};
	struct output_file file = {0}, trace = {0};
	struct simulate_how how = {.trace = NULL};
	/* without an option that chooses a tier, the one the front was made in */
	bool as_recorded = !options->detail && !options->trace && !options->audit;
	enum err_code code = choose_how(options, &how, err);
	if (code == ERR_OK)
		code = open_trace(options, &trace, &how, err);
	if (code == ERR_OK)
		code = replay_run(options->point, &how, as_recorded, &replay, err);
	code = close_trace(&trace, &how, code, err);
	if (replay.warning.n_message > 0)
		colour_put(stderr, COLOUR_WARNING, err_text(&replay.warning));
	if (code == ERR_OK)
		code = output_file_open(&file, options->out, err);
	if (code == ERR_OK) {
		print_replay(file.file, options, &replay);
		code = output_file_commit(&file, err);
	}
	assert(code != ERR_OK || replay.n_network > 0);
	if (code == ERR_OK && !replay.is_equal && replay.recorded == replay.detail)
		code = err_add(err, ERR_INTERNAL, "%s: replay gives other numbers", options->point);
	replay_free(&replay);
	return code;
}

/* Three forms of one command; each refuses the other's options rather than ignoring them. */
enum err_code cmd_simulate(const struct cli_options *options, struct err *err)
{
	static const enum cli_option fixed[] = {OPTION_LAYERS, OPTION_SPLIT_SCHEME, OPTION_STRATEGY, OPTION_LEVEL,
	                                        OPTION_CONV_1X1};
	size_t shows_part = options->mapping ? 1 : 0; /* of what a mapping has, not of a point */
	if (!options->point && !options->mapping) {
		if (options->n_file != 2)
			return err_add(err, ERR_USAGE,
			               "dse simulate: found %zu files, allowed are a machine and a network, --mapping "
			               "FILE.yaml or --point FRONT.json:ID",
			               options->n_file);
		return run_design(options, err);
	}
	enum err_code code = choice_check_fixed(options, 0, "layers, splits, strategies, levels and forms",
	                                        fixed + shows_part, 5 - shows_part, err);
	if (code == ERR_OK)
		code = choice_check_point_machine(options, err);
	if (code != ERR_OK)
		return code;
	return options->point ? run_replay(options, err) : run_design(options, err);
}
