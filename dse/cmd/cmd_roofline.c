/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse roofline: how near the layers of networks come to the roofs of a machine.
 *
 *   machine x operating points x memories x networks -> rooflines -> table or JSON, files
 */
#include "dse/base/memory.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/out/paths.h"
#include "dse/roofline/roofline_report.h"
#include "dse/keep/output_file.h"
#include "sim/base/unit.h"
#include "sim/machine/machine_check.h"
#include "sim/machine/machine_param.h"
#include <assert.h>
#include <string.h>

#define MAX_MEMORY 16
#define MAX_ARRAY 16

/* All that the command line names. */
struct roofline_request {
	const struct cli_options *cli;
	struct machine machine;
	size_t n_network;
	struct network *network; /* [n_network] */
	bool **shown;            /* [n_network][n_block] */
	uint32_t levels;         /* bit i: of operating point i */
	size_t n_memory;
	double memory_gb_s[MAX_MEMORY]; /* [n_memory] */
	size_t n_strategy;
	enum strategy strategy[N_STRATEGY]; /* [n_strategy] */
	size_t n_array;
	const char *array[MAX_ARRAY]; /* [n_array] of mla.array; NULL: the machine's own */
	enum roofline_intensity intensity;
	size_t n;
	struct roofline *roofline; /* [n] */
	struct arena arena;
};

/* Rates in GB/s, separated by commas; without the option the machine's own. */
static enum err_code choose_memories(struct roofline_request *job, struct err *err)
{
	const char *list = job->cli->memory_gb_s;
	if (!list) {
		job->memory_gb_s[job->n_memory++] = roofline_memory_gb_s(&job->machine);
		return ERR_OK;
	}
	for (bool more = true; more;) {
		char word[40];
		double value = 0;
		size_t n_byte = strcspn(list, ",");
		(void)snprintf(word, sizeof(word), "%.*s", (int)(n_byte < sizeof(word) ? n_byte : 0), list);
		bool good = unit_read(word, "GB/s", &value) && value >= 0.001 && value <= 1e5;
		if (!good || job->n_memory == MAX_MEMORY)
			return err_add(
			    err, ERR_USAGE,
			    "dse roofline: --memory-gb-s is '%.40s', allowed are up to %d numbers from 0.001 to "
			    "100000 (GB/s, or with a unit: 800MB/s), separated by commas",
			    job->cli->memory_gb_s, MAX_MEMORY);
		job->memory_gb_s[job->n_memory++] = value;
		more = list[n_byte] == ',';
		list += n_byte + 1;
	}
	return ERR_OK;
}

/* The next word of a list with commas, NULL behind the last one; in the arena. */
static const char *next_word(struct roofline_request *job, const char **list)
{
	if (!*list)
		return NULL;
	size_t n = strcspn(*list, ",");
	char *word = memory_must(arena_array(&job->arena, n + 1, 1));
	memcpy(word, *list, n);
	word[n] = '\0';
	*list = (*list)[n] ? *list + n + 1 : NULL;
	return word;
}

/* Strategies, separated by commas; without the option the fastest one of each layer. */
static enum err_code choose_strategies(struct roofline_request *job, struct err *err)
{
	const char *list = job->cli->strategy, *name[N_STRATEGY];
	if (!list)
		job->strategy[job->n_strategy++] = N_STRATEGY;
	for (size_t i = 0; i < N_STRATEGY; i++)
		name[i] = strategy_table[i].name;
	for (const char *word; (word = next_word(job, &list));) {
		size_t index = 0;
		enum err_code code = cli_choose(job->cli, "strategy", word, name, N_STRATEGY, &index, err);
		for (size_t i = 0; i < job->n_strategy && code == ERR_OK; i++)
			if (job->strategy[i] == (enum strategy)index)
				code = err_add(err, ERR_USAGE, "dse roofline: --strategy has %s twice", word);
		if (code == ERR_OK)
			code = choice_check_strategy(job->cli, &job->machine, (enum strategy)index, err);
		if (code != ERR_OK)
			return code;
		job->strategy[job->n_strategy++] = (enum strategy)index;
	}
	return ERR_OK;
}

/* MAC arrays, separated by commas. */
static enum err_code choose_arrays(struct roofline_request *job, struct err *err)
{
	const char *list = job->cli->arrays;
	if (!list)
		job->array[job->n_array++] = NULL;
	for (const char *word; (word = next_word(job, &list));) {
		struct machine machine = job->machine;
		if (job->n_array == MAX_ARRAY || job->machine.target == MACHINE_SYSTOLIC)
			return err_add(
			    err, ERR_USAGE,
			    "dse roofline: --arrays takes up to %d MAC arrays, e.g. 16x4,16x2, of machines with "
			    "PEs",
			    MAX_ARRAY);
		enum err_code code = machine_set_param(&machine, machine_find_param("mla.array"), word, err);
		if (code != ERR_OK)
			return code;
		job->array[job->n_array++] = word;
	}
	return ERR_OK;
}

/* Of a systolic array as in the ARADA paper's figure, else as in the thesis'. */
static enum err_code choose_intensity(struct roofline_request *job, struct err *err)
{
	size_t index = job->machine.target == MACHINE_SYSTOLIC ? ROOFLINE_TRAFFIC : ROOFLINE_THESIS;
	enum err_code code = cli_choose(job->cli, "intensity", job->cli->intensity, roofline_intensity_name,
	                                N_ROOFLINE_INTENSITY, &index, err);
	job->intensity = (enum roofline_intensity)index;
	return code;
}

static enum err_code read_network(struct roofline_request *job, const char *name, struct err *err)
{
	struct network *network = &job->network[job->n_network];
	const char *path;
	enum err_code code = path_find(name, "networks", &job->arena, &path, err);
	if (code == ERR_OK)
		code = network_read(path, network, err);
	if (code != ERR_OK)
		return code;
	bool *shown = memory_must(arena_array(&job->arena, network->n_block, sizeof(*shown)));
	job->shown[job->n_network++] = shown;
	return choice_layers(job->cli, network, shown, err);
}

/* Everything that was named, and all that is wrong with it. */
static enum err_code read_inputs(struct roofline_request *job, struct err *err)
{
	size_t n = job->cli->n_file - 1;
	enum err_code code = choice_machine(job->cli, job->cli->file[0], &job->machine, NULL, &job->arena, err);
	job->levels = 1; /* the first is the default */
	if (code == ERR_OK && job->cli->levels)
		code = choice_levels(job->cli, &job->machine, &job->levels, err);
	if (code == ERR_OK)
		code = choose_memories(job, err);
	if (code == ERR_OK)
		code = choose_strategies(job, err);
	if (code == ERR_OK)
		code = choose_arrays(job, err);
	if (code == ERR_OK)
		code = choose_intensity(job, err);
	job->network = memory_must(arena_array(&job->arena, n, sizeof(*job->network)));
	job->shown = memory_must(arena_array(&job->arena, n, sizeof(*job->shown)));
	for (size_t i = 0; i < n; i++)
		code = choice_worse(code, read_network(job, job->cli->file[i + 1], err));
	return code;
}

/* One machine and operating point, by strategy. */
static enum err_code make_strategies(struct roofline_request *job, size_t i, const struct machine *machine,
                                     uint32_t level, struct err *err)
{
	enum err_code code = machine_check(machine, err);
	for (size_t s = 0; s < job->n_strategy && code == ERR_OK; s++) {
		const struct roofline_options options = {
		    .level = level, .strategy = job->strategy[s], .intensity = job->intensity, .shown = job->shown[i]};
		code = roofline_make(&job->network[i], machine, &options, &job->arena, &job->roofline[job->n++], err);
	}
	return code;
}

/* One network, by array, operating point and memory. */
static enum err_code make_network(struct roofline_request *job, size_t i, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t a = 0; a < job->n_array; a++)
		for (uint32_t level = 0; level < job->machine.n_level; level++)
			for (size_t k = 0; k < job->n_memory && code == ERR_OK && (job->levels >> level & 1); k++) {
				struct machine machine = job->machine;
				if (job->array[a])
					code = machine_set_param(&machine, machine_find_param("mla.array"),
					                         job->array[a], err);
				if (job->cli->memory_gb_s)
					roofline_set_memory(&machine, job->memory_gb_s[k]);
				if (code == ERR_OK)
					code = make_strategies(job, i, &machine, level, err);
			}
	return code;
}

static enum err_code make_rooflines(struct roofline_request *job, struct err *err)
{
	enum err_code code = ERR_OK;
	size_t n = job->n_network * job->machine.n_level * job->n_memory * job->n_strategy * job->n_array;
	job->roofline = memory_must(arena_array(&job->arena, n, sizeof(*job->roofline)));
	for (size_t i = 0; i < job->n_network && code == ERR_OK; i++)
		code = make_network(job, i, err);
	return code;
}

static enum err_code write_files(const struct roofline_request *job, struct err *err)
{
	static const struct {
		const char *name;
		void (*write)(FILE *, const struct roofline *, size_t);
	} made[] = {{"roofline.csv", roofline_write_csv},
	            {"roofline.json", roofline_write_json},
	            {"roofline.svg", roofline_draw}};
	enum err_code code = output_file_make_dir(job->cli->out, err);
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]) && code == ERR_OK; i++) {
		struct output_file file = {0};
		code = output_file_open_in(&file, job->cli->out, made[i].name, err);
		if (code != ERR_OK)
			break;
		made[i].write(file.file, job->roofline, job->n);
		code = output_file_commit(&file, err);
	}
	return code;
}

/* A network without a layer that multiplies has no roofline. */
static enum err_code check_layers(const struct roofline_request *job, struct err *err)
{
	enum err_code code = ERR_OK;
	assert(job->n > 0);
	for (size_t i = 0; i < job->n; i++)
		if (job->roofline[i].n == 0)
			code = err_add(err, ERR_USAGE, "dse roofline: no layer of %s multiplies%s",
			               job->roofline[i].network->name, job->cli->layers ? " and matches --layers" : "");
	return code;
}

enum err_code cmd_roofline(const struct cli_options *options, struct err *err)
{
	struct roofline_request job = {.cli = options};
	assert(options->n_file >= 2);
	enum err_code code = read_inputs(&job, err);
	if (code == ERR_OK)
		code = make_rooflines(&job, err);
	if (code == ERR_OK)
		code = check_layers(&job, err);
	if (code == ERR_OK && options->out)
		code = write_files(&job, err);
	if (code == ERR_OK && options->json)
		roofline_write_json(stdout, job.roofline, job.n);
	else if (code == ERR_OK)
		roofline_print(stdout, job.roofline, job.n, options->quiet);
	for (size_t i = 0; i < job.n_network; i++)
		network_free(&job.network[i]);
	arena_free(&job.arena);
	return code;
}
