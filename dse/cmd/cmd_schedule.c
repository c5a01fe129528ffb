/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse schedule: a whole network layer by layer on a chip.
 *
 *   network -> graph -> cut and priced on a machine -> table or JSON; DRAM plan -> files -> read back
 */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/options/cli.h"
#include "dse/base/interrupt.h"
#include "dse/out/paths.h"
#include "dse/schedule/schedule_chips.h"
#include "dse/schedule/schedule_report.h"
#include "dse/schedule/schedule_target.h"
#include "dse/schedule/schedule_weights.h"
#include "mapper/octopus/octopus_fill.h"
#include "dse/keep/output_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* All that the command line names. */
struct schedule_request {
	const struct cli_options *cli;
	struct machine machine;
	struct network network;
	struct octopus_graph graph;
	struct octopus_options options;
	struct octopus_schedule schedule;
	enum schedule_target target;
	struct quantise_network quant; /* --weights; network NULL: none */
	struct arena arena;
};

/* A number of workers, best or paper. */
static enum err_code choose_workers(struct schedule_request *job, struct err *err)
{
	const char *text = job->cli->workers;
	uint32_t most = octopus_max_worker(&job->machine);
	char *end = NULL;
	if (!text || strcmp(text, "best") == 0)
		return ERR_OK;
	job->options.as_paper = strcmp(text, "paper") == 0;
	if (job->options.as_paper)
		return ERR_OK;
	errno = 0;
	unsigned long long n = text[0] >= '0' && text[0] <= '9' ? strtoull(text, &end, 10) : 0;
	if (!end || *end || errno || n < 1 || n > most)
		return err_add(err, ERR_USAGE,
		               "dse schedule: --workers is '%.40s', allowed are best, paper and numbers from 1 to %u "
		               "(PEs of machine %s but for the scheduler)",
		               text, most, job->machine.name);
	job->options.n_worker = (uint32_t)n;
	return ERR_OK;
}

static enum err_code choose_names(struct schedule_request *job, struct err *err)
{
	const char *name[MACHINE_MAX_LEVEL > N_OCTOPUS_STRATEGY ? MACHINE_MAX_LEVEL : N_OCTOPUS_STRATEGY];
	const struct cli_options *cli = job->cli;
	size_t index = 0;
	for (size_t i = 0; i < N_OCTOPUS_STRATEGY; i++)
		name[i] = octopus_strategy_table[i].name;
	enum err_code code = cli_choose(cli, "strategy", cli->strategy, name, N_OCTOPUS_STRATEGY, &index, err);
	job->options.strategy = (enum octopus_strategy)index;
	index = 0;
	if (code == ERR_OK)
		code = cli_choose(cli, "goal", cli->goal, octopus_goal_name, N_OCTOPUS_GOAL, &index, err);
	job->options.goal = (enum octopus_goal)index;
	index = 0;
	for (size_t i = 0; i < job->machine.n_level; i++)
		name[i] = job->machine.level[i].name;
	if (code == ERR_OK)
		code = cli_choose(cli, "level", cli->level, name, job->machine.n_level, &index, err);
	job->options.level = (uint32_t)index;
	return code;
}

static enum err_code read_files(struct schedule_request *job, struct err *err)
{
	const char *path;
	enum err_code code;
	if (job->cli->n_file == 0)
		return err_add(err, ERR_USAGE,
		               "dse schedule: a network is missing; usage: dse schedule NETWORK --machine MACHINE, or "
		               "dse schedule --read DIR");
	if (!job->cli->machine)
		return err_add(err, ERR_USAGE,
		               "dse schedule: --machine is missing: a file or a shipped machine, for "
		               "example final_chip");
	code = choice_machine(job->cli, job->cli->machine, &job->machine, NULL, &job->arena, err);
	if (code == ERR_OK && job->machine.target == MACHINE_SYSTOLIC)
		code =
		    err_add(err, ERR_INPUT, "dse schedule: machine %s is a systolic array, allowed are QPEs and chips",
		            job->machine.name);
	if (code == ERR_OK)
		code = path_find(job->cli->file[0], "networks", &job->arena, &path, err);
	if (code == ERR_OK)
		code = network_read(path, &job->network, err);
	return code;
}

static enum err_code report(const struct schedule_request *job, struct err *err)
{
	const struct schedule_report what = {&job->machine, &job->graph, &job->options, &job->schedule};
	if (job->cli->json)
		schedule_put_json(&what, stdout);
	else
		schedule_print(&what, stdout);
	return output_file_flush_stdout(err);
}

/* What a chip's files say beside its DRAM plan. */
static void fill_notes(const struct schedule_request *job, uint32_t c, struct schedule_files *files)
{
	const struct octopus_schedule *schedule = &job->schedule;
	const struct octopus_chip_cost *chip = &schedule->chip[c];
	double static_nj_us = energy_static_mw(&job->machine, job->options.level);
	(void)snprintf(files->level, sizeof(files->level), "%s", job->machine.level[job->options.level].name);
	(void)snprintf(files->strategy, sizeof(files->strategy), "%s",
	               octopus_strategy_table[job->options.strategy].name);
	files->setup_us = chip->setup_us;
	files->cleanup_us = chip->cleanup_us;
	files->total_us = chip->setup_us + chip->layers_us + chip->cleanup_us;
	files->energy_nj = static_nj_us * (chip->setup_us + chip->cleanup_us + chip->link_us);
	for (uint32_t l = 0; l < chip->n_layer; l++) {
		const struct octopus_layer_cost *cost = &schedule->layer[chip->first + l];
		struct schedule_note *note = &files->layer[l];
		memcpy(note->part_us, cost->time.part_us, sizeof(note->part_us));
		note->total_us = cost->time.total_us;
		note->hidden_us = cost->hidden_us;
		note->energy_nj = cost->energy_pj / 1000;
		note->sram_byte = cost->sram_byte;
		files->energy_nj += note->energy_nj;
	}
}

static enum err_code plan_chip(const struct schedule_request *job, uint32_t c, struct schedule_files *files,
                               struct err *err)
{
	const struct octopus_chip_cost *chip = &job->schedule.chip[c];
	uint64_t capacity_byte = job->cli->dram_byte > 0 ? job->cli->dram_byte : OCTOPUS_DRAM_BYTE;
	struct octopus_memory memory;
	struct octopus_graph part;
	enum err_code code = octopus_share(&job->graph, chip->first, chip->n_layer, &part, err);
	if (code != ERR_OK)
		return code;
	code = schedule_files_plan(&part, &job->machine, capacity_byte, files, &memory, err);
	if (code == ERR_OK && job->quant.network) {
		code = octopus_fill(&part, &job->quant, &job->machine, &files->dram, err);
		if (code != ERR_OK)
			schedule_files_free(files);
	}
	if (code == ERR_OK) {
		fill_notes(job, c, files);
		schedule_sram_plan(&part, job->machine.pe_sram_byte, files);
	}
	octopus_free(&part);
	return code;
}

/* Plan every chip's memory and write the files. Caller frees chips with schedule_chips_free, also after a failure. */
static enum err_code write_files(const struct schedule_request *job, struct schedule_chips *chips, struct err *err)
{
	enum err_code code = ERR_OK;
	schedule_chips_make(job->schedule.n_chip, chips);
	for (uint32_t c = 0; code == ERR_OK && c < job->schedule.n_chip; c++) {
		code = plan_chip(job, c, &chips->chip[c], err);
		chips->link_us[c] = job->schedule.chip[c].link_us;
	}
	chips->total_us = job->schedule.total_us;
	chips->interval_us = job->schedule.interval_us;
	chips->energy_nj = job->schedule.energy_pj / 1000;
	if (code == ERR_OK)
		code = schedule_chips_write(job->cli->out, chips, err);
	if (code == ERR_OK && job->target != SCHEDULE_TARGET_NONE)
		code = schedule_target_write(job->cli->out, job->target, chips, err);
	return code;
}

static enum err_code choose_target(struct schedule_request *job, struct err *err)
{
	size_t target = SCHEDULE_TARGET_NONE;
	enum err_code code =
	    cli_choose(job->cli, "target", job->cli->target, schedule_target_name, N_SCHEDULE_TARGET, &target, err);
	job->target = (enum schedule_target)target;
	if (code == ERR_OK && target != SCHEDULE_TARGET_NONE && (!job->cli->out || !job->cli->weights))
		return err_add(err, ERR_USAGE, "dse schedule: --target is of -o DIR with --weights");
	return code;
}

/* What the image is filled with. */
static enum err_code make_weights(struct schedule_request *job, struct err *err)
{
	const struct cli_options *cli = job->cli;
	size_t which = SCHEDULE_WEIGHTS_NONE;
	enum err_code code =
	    cli_choose(cli, "weights", cli->weights, schedule_weights_name, N_SCHEDULE_WEIGHTS, &which, err);
	if (code != ERR_OK)
		return code;
	const struct schedule_weights_request request = {.which = (enum schedule_weights)which,
	                                                 .model = cli->file[0],
	                                                 .calibrate = cli->calibrate,
	                                                 .seed = cli->seed};
	if (which == SCHEDULE_WEIGHTS_NONE && cli->calibrate)
		return err_add(err, ERR_USAGE, "dse schedule: --calibrate is of --weights, which is missing");
	if (which != SCHEDULE_WEIGHTS_NONE && !cli->out)
		return err_add(err, ERR_USAGE, "dse schedule: --weights fills the files of -o DIR, which is missing");
	return which == SCHEDULE_WEIGHTS_NONE ? ERR_OK
	                                      : schedule_weights_make(&request, &job->network, &job->quant, err);
}

/* With -o the files come first: nothing is printed of a schedule that has no room. */
static enum err_code deliver(const struct schedule_request *job, struct err *err)
{
	struct schedule_chips chips = {0};
	if (!job->cli->out)
		return report(job, err);
	if (job->options.strategy == OCTOPUS_SRAM && job->schedule.n_chip > 1)
		return err_add(
		    err, ERR_USAGE,
		    "dse schedule: -o with --strategy sram plans one chip, this is a schedule of %u; dram and "
		    "hide have plans of several",
		    job->schedule.n_chip);
	if (job->target != SCHEDULE_TARGET_NONE && job->schedule.n_chip > 1)
		return err_add(err, ERR_USAGE, "dse schedule: --target loads one chip, this is a schedule of %u",
		               job->schedule.n_chip);
	enum err_code code = write_files(job, &chips, err);
	if (code == ERR_OK)
		code = report(job, err);
	if (code == ERR_OK && !job->cli->json && !job->cli->quiet) {
		(void)fputc('\n', stdout);
		schedule_chips_print(&chips, false, stdout);
	}
	schedule_chips_free(&chips);
	return code;
}

/* The files of an earlier schedule, checked. */
static enum err_code read_back(const struct cli_options *options, struct err *err)
{
	struct schedule_chips chips;
	if (options->n_file > 0 || options->machine || options->out)
		return err_add(err, ERR_USAGE,
		               "dse schedule: --read takes no network, --machine or -o: the files have their own");
	enum err_code code = schedule_chips_read(options->read, &chips, err);
	if (code == ERR_OK) {
		schedule_chips_print(&chips, options->json, stdout);
		code = output_file_flush_stdout(err);
	}
	schedule_chips_free(&chips);
	return code;
}

enum err_code cmd_schedule(const struct cli_options *options, struct err *err)
{
	struct schedule_request job = {.cli = options, .options.n_chip = (uint32_t)options->chips};
	if (options->read)
		return read_back(options, err);
	enum err_code code = read_files(&job, err);
	if (code == ERR_OK)
		code = choose_names(&job, err);
	if (code == ERR_OK)
		code = choose_workers(&job, err);
	if (code == ERR_OK)
		code = choose_target(&job, err);
	if (code == ERR_OK)
		code = make_weights(&job, err);
	if (code == ERR_OK)
		code = octopus_build(&job.network, &job.graph, err);
	if (code == ERR_OK)
		code = octopus_plan(&job.machine, &job.graph, &job.options, &job.schedule, err);
	if (code == ERR_OK && interrupt_requested())
		code = err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
	if (code == ERR_OK)
		code = deliver(&job, err);
	octopus_schedule_free(&job.schedule);
	octopus_free(&job.graph);
	quantise_free(&job.quant);
	network_free(&job.network);
	arena_free(&job.arena);
	return code;
}
