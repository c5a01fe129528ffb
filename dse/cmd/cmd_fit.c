/* SPDX-License-Identifier: Apache-2.0 */
/* dse fit: parameters of a machine from a user's measurements, and how certain they are. */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/base/memory.h"
#include "dse/emulate/time_fit.h"
#include "dse/fit/fit.h"
#include "dse/out/json.h"
#include "dse/space/provenance.h"
#include "dse/keep/output_file.h"
#include "sim/base/file.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The machine of the paper that the models are from. */
#define DEFAULT_MACHINE "dvfs_chip"
#define MAX_AREA_BYTE ((size_t)256 << 20) /* of measured times */

/* A machine by file or name, and where its numbers come from. */
struct subject {
	struct machine machine;
	struct machine_sources sources;
	struct arena arena;
};

static enum err_code read_machine(const struct cli_options *options, struct subject *subject, struct err *err)
{
	return choice_machine(options, options->machine ? options->machine : DEFAULT_MACHINE, &subject->machine,
	                      &subject->sources, &subject->arena, err);
}

static enum err_code write_fragment(const char *path, const struct fit_data *data, const struct fit_result *result,
                                    const struct machine_sources *sources, struct err *err)
{
	struct output_file file = {0};
	enum err_code code = output_file_open(&file, path, err);
	if (code != ERR_OK)
		return code;
	fit_write_fragment(file.file, data, result, sources);
	return output_file_commit(&file, err);
}

static enum err_code write_picture(const char *path, const struct fit_data *data, const struct fit_result *result,
                                   struct err *err)
{
	struct output_file file = {0};
	enum err_code code = output_file_open(&file, path, err);
	if (code != ERR_OK)
		return code;
	fit_draw_energies(file.file, data, result);
	return output_file_commit(&file, err);
}

/* One fit; identified: the measurements determine all parameters. */
static enum err_code fit_once(const struct cli_options *options, const struct subject *subject,
                              const struct fit_options *wanted, bool *identified, struct err *err)
{
	struct fit_data data = {0};
	struct fit_result result = {0};
	enum err_code code = fit_read(options->file[0], &subject->machine, wanted, &data, err);
	if (code == ERR_OK)
		code = fit_run(&data, wanted, &result, err);
	if (code == ERR_OK && options->json)
		fit_put_json(stdout, &data, &result);
	else if (code == ERR_OK)
		fit_print(stdout, &data, &result, !options->quiet);
	if (code == ERR_OK && options->out)
		code = write_fragment(options->out, &data, &result, &subject->sources, err);
	if (code == ERR_OK && options->svg)
		code = write_picture(options->svg, &data, &result, err);
	*identified = *identified && result.identified;
	fit_free(&data);
	return code;
}

/* --by: a fit for each group of rows, one after the other; as JSON a list of fits. */
static enum err_code fit_groups(const struct cli_options *options, struct subject *subject,
                                const struct fit_options *wanted, bool *identified, struct err *err)
{
	const char *clause[FIT_MAX_BY_GROUP];
	size_t n = 0;
	if (options->out || options->svg)
		return err_add(err, ERR_USAGE, "dse fit: %s, --by fits several; choose one with --where",
		               options->out ? "-o writes one machine" : "--svg draws one fit");
	enum err_code code = fit_list_groups(options->file[0], wanted, options->by, &subject->arena, clause, &n, err);
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		struct fit_options own = *wanted;
		size_t n_byte = strlen(clause[i]) + (wanted->where ? strlen(wanted->where) : 0) + 2;
		char *where = memory_must(arena_alloc(&subject->arena, n_byte));
		(void)snprintf(where, n_byte, "%s%s%s", clause[i], wanted->where ? "," : "",
		               wanted->where ? wanted->where : "");
		own.where = where;
		if (options->json)
			(void)printf("%s{\"by\": \"%s\", \"fit\":\n", i ? "," : "[", clause[i]);
		else
			(void)printf("%s%s\n", i ? "\n" : "", clause[i]);
		code = fit_once(options, subject, &own, identified, err);
		if (options->json)
			(void)fputs("}", stdout);
	}
	if (options->json && n > 0)
		(void)fputs("]\n", stdout);
	return code;
}

/* ---- times of a multi-layer schedule ---- */

static enum err_code write_times_fragment(const struct cli_options *options, const struct time_fit *fit,
                                          const struct machine_sources *sources, struct err *err)
{
	struct output_file file = {0};
	enum err_code code = output_file_open(&file, options->out, err);
	if (code != ERR_OK)
		return code;
	time_fit_write_fragment(fit, sources, options->time_area, file.file);
	return output_file_commit(&file, err);
}

static void tell_times(const struct cli_options *options, const struct time_fit *fit, const struct octopus_dram *dram)
{
	if (!options->json) {
		time_fit_print(fit, dram, stdout);
		return;
	}
	struct json json;
	json_start_object(&json, stdout, 2);
	time_fit_put_json(fit, dram, &json);
	json_finish(&json);
}

/* --time-area: the file is an image, which is run once for what it moves. */
static enum err_code fit_times(const struct cli_options *options, struct subject *subject, struct err *err)
{
	struct emulator emulator = {0};
	struct emulate_times times = {0};
	struct time_fit fit = {0};
	char *data = NULL;
	size_t n_byte = 0;
	uint32_t level = 0;
	enum err_code code = choice_level(options, &subject->machine, &level, err);
	if (code == ERR_OK)
		code = emulate_open_path(options->file[0], &emulator, err);
	if (code == ERR_OK)
		code =
		    emulator.is_resident
			? err_add(
			      err, ERR_INPUT,
			      "%s: tensors stay in the workers' SRAM: there are no times by worker of such schedules",
			      options->file[0])
			: file_read(options->time_area, MAX_AREA_BYTE, &data, &n_byte, err);
	if (code == ERR_OK)
		code =
		    emulate_time_read(options->time_area, (const uint8_t *)data, n_byte, &emulator.dram, &times, err);
	if (code == ERR_OK && !emulate_run(&emulator))
		code = err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
	if (code == ERR_OK) {
		time_fit_run(&emulator, &times, &subject->machine, level, &fit);
		tell_times(options, &fit, &emulator.dram);
	}
	if (code == ERR_OK && options->out)
		code = write_times_fragment(options, &fit, &subject->sources, err);
	free(data);
	time_fit_free(&fit);
	emulate_time_free(&times);
	emulate_close(&emulator);
	return code;
}

static enum err_code check_times(const struct cli_options *options, const struct machine *machine, struct err *err)
{
	if (!options->machine)
		return err_add(err, ERR_USAGE, "dse fit: --time-area needs --machine, whose constants are fitted");
	if (options->clocks || options->where || options->parameters || options->fix || options->by || options->svg ||
	    options->robust)
		return err_add(
		    err, ERR_USAGE,
		    "dse fit: --clocks, --where, --parameters, --fix, --by, --robust and --svg are of tables, "
		    "--time-area takes none of them");
	if (machine->target == MACHINE_SYSTOLIC)
		return err_add(err, ERR_INPUT, "dse fit: machine %s is a systolic array, allowed are QPEs and chips",
		               machine->name);
	return ERR_OK;
}

enum err_code cmd_fit(const struct cli_options *options, struct err *err)
{
	assert(options && options->n_file == 1 && err);
	const struct fit_options wanted = {
	    .clocks = options->clocks,
	    .where = options->where,
	    .parameters = options->parameters,
	    .fix = options->fix,
	    .robust = options->robust,
	};
	struct subject subject = {.arena = {0}};
	bool identified = true;
	enum err_code code = read_machine(options, &subject, err);
	if (code == ERR_OK && options->time_area)
		code = check_times(options, &subject.machine, err);
	if (code == ERR_OK && options->time_area)
		code = fit_times(options, &subject, err);
	else if (code == ERR_OK)
		code = options->by ? fit_groups(options, &subject, &wanted, &identified, err)
		                   : fit_once(options, &subject, &wanted, &identified, err);
	if (code == ERR_OK && !identified)
		code =
		    err_add(err, ERR_INFEASIBLE,
		            "%s: the measurements do not determine every parameter that is to be fitted; the warnings "
		            "say which",
		            options->file[0]);
	arena_free(&subject.arena);
	return code;
}
