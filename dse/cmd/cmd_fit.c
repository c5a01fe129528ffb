/* SPDX-License-Identifier: Apache-2.0 */
/* dse fit: parameters of a machine from a user's measurements, and how certain they are. */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/space/machine_read.h"
#include "dse/fit/fit.h"
#include "dse/out/paths.h"
#include "dse/space/provenance.h"
#include "dse/keep/output_file.h"
#include <assert.h>

/* The machine of the paper that the models are from. */
#define DEFAULT_MACHINE "dvfs_chip"

/* A machine by file or name, and where its numbers come from. */
struct subject {
	struct machine machine;
	struct machine_sources sources;
	struct arena arena;
};

static enum err_code read_machine(const struct cli_options *options, struct subject *subject, struct err *err)
{
	const char *name = options->machine;
	const char *path = NULL;
	enum err_code code = path_find(name ? name : DEFAULT_MACHINE, "machines", &subject->arena, &path, err);
	if (code == ERR_OK)
		code = machine_read_sources(path, &subject->machine, &subject->sources, &subject->arena, err);
	if (code == ERR_OK)
		code = choice_set_machine(options, &subject->machine, &subject->sources, err);
	return code;
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
	struct fit_data data = {0};
	struct fit_result result = {0};
	enum err_code code = read_machine(options, &subject, err);
	if (code == ERR_OK)
		code = fit_read(options->file[0], &subject.machine, &wanted, &data, err);
	if (code == ERR_OK)
		code = fit_run(&data, &wanted, &result, err);
	if (code == ERR_OK && options->json)
		fit_put_json(stdout, &data, &result);
	else if (code == ERR_OK)
		fit_print(stdout, &data, &result, !options->quiet);
	if (code == ERR_OK && options->out)
		code = write_fragment(options->out, &data, &result, &subject.sources, err);
	if (code == ERR_OK && !result.identified)
		code =
		    err_add(err, ERR_INFEASIBLE,
		            "%s: the measurements do not determine every parameter that is to be fitted; the warnings "
		            "say which",
		            options->file[0]);
	fit_free(&data);
	arena_free(&subject.arena);
	return code;
}
