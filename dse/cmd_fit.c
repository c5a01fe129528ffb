/* SPDX-License-Identifier: Apache-2.0 */
/* dse fit: parameters of a machine from a user's measurements, and how certain they are. */
#include "dse/cli.h"
#include "dse/fit.h"
#include "dse/paths.h"
#include "dse/space.h"
#include "dse/store.h"
#include <assert.h>

/* The machine of the paper that the models are from. */
#define DEFAULT_MACHINE "dvfs_chip"

static enum err_code read_machine(const char *name, struct machine *machine, struct err *err)
{
	struct arena arena = {0};
	const char *path = NULL;
	enum err_code code = path_find(name ? name : DEFAULT_MACHINE, "machines", &arena, &path, err);
	if (code == ERR_OK)
		code = machine_read(path, machine, err);
	arena_free(&arena);
	return code;
}

static enum err_code write_fragment(const char *path, const struct fit_data *data, const struct fit_result *result,
                                    struct err *err)
{
	struct store_file file = {0};
	enum err_code code = store_open(&file, path, err);
	if (code != ERR_OK)
		return code;
	fit_write_fragment(file.file, data, result);
	return store_commit(&file, err);
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
	struct machine machine;
	struct fit_data data = {0};
	struct fit_result result = {0};
	enum err_code code = read_machine(options->machine, &machine, err);
	if (code == ERR_OK)
		code = fit_read(options->file[0], &machine, &wanted, &data, err);
	if (code != ERR_OK)
		return code;
	code = fit_run(&data, &wanted, &result, err);
	if (code == ERR_OK && options->json)
		fit_put_json(stdout, &data, &result);
	else if (code == ERR_OK)
		fit_print(stdout, &data, &result, !options->quiet);
	if (code == ERR_OK && options->out)
		code = write_fragment(options->out, &data, &result, err);
	if (code == ERR_OK && !result.identified)
		code = err_add(err, ERR_INFEASIBLE,
		               "%s: the measurements do not determine every parameter that is to be fitted; the warnings "
		               "say which",
		               options->file[0]);
	fit_free(&data);
	return code;
}
