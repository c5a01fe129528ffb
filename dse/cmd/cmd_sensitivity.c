/* SPDX-License-Identifier: Apache-2.0 */
/* dse sensitivity: what to change next of a run's machine, or of a machine and a network. */
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/keep/output_file.h"
#include "dse/space/space_single.h"
#include "dse/why/sensitivity.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* --point: the number of a point; without it the knee. */
static enum err_code choose_point(const struct cli_options *options, const struct kept_front *front, size_t *point,
                                  struct err *err)
{
	char *end = NULL;
	*point = options->point ? (size_t)strtoull(options->point, &end, 10) : sensitivity_knee(front);
	bool is_number = !options->point || (options->point[0] >= '0' && options->point[0] <= '9' && *end == '\0');
	if (is_number && *point < front->n_point)
		return ERR_OK;
	return err_add(err, ERR_USAGE, "dse sensitivity: --point is '%.40s', allowed are 0 to %zu", options->point,
	               front->n_point - 1);
}

static enum err_code of_run(const struct cli_options *options, struct kept_run *run, struct sensitivity *sensitivity,
                            struct err *err)
{
	size_t point = 0;
	if (options->set.n > 0)
		return err_add(err, ERR_USAGE,
		               "dse sensitivity: --set is of MACHINE NETWORK; a run's machine is as its space says");
	enum err_code code = choice_open_run(options, run, err);
	if (code == ERR_OK && run->front.n_point == 0)
		code = err_add(err, ERR_INFEASIBLE, "dse sensitivity: %s has no design", run->title);
	if (code == ERR_OK)
		code = choose_point(options, &run->front, &point, err);
	return code == ERR_OK ? sensitivity_of_point(&run->front, point, &run->space,
	                                             parallel_n_thread((size_t)options->jobs), 0, sensitivity, err)
	                      : code;
}

/* What dse map searches. */
static enum err_code of_machine(const struct cli_options *options, struct sensitivity *sensitivity, struct err *err)
{
	struct mapping mapping = {.name = ""};
	struct arena arena = {0};
	struct space_single *made = memory_array(1, sizeof(*made));
	struct space_single_options how = {.machine = &mapping.machine,
	                                   .network = &mapping.network,
	                                   .n_objective = 2,
	                                   .objective = {METRIC_LATENCY, METRIC_ENERGY},
	                                   .max_peak_mw = INFINITY,
	                                   .split = SPLIT_ALL,
	                                   .strategy = N_STRATEGY};
	enum err_code code = ERR_OK;
	if (options->point)
		code =
		    err_add(err, ERR_USAGE, "dse sensitivity: --point is of a RUN, found are a machine and a network");
	if (code == ERR_OK)
		code = mapping_open(options->file[0], options->file[1], &mapping, err);
	if (code == ERR_OK)
		code = choice_set_mapping(options, &mapping, err);
	if (code == ERR_OK)
		code = choice_levels(options, &mapping.machine, &how.levels, err);
	if (code == ERR_OK)
		code = choice_forms(options, &how.forms, err);
	if (code == ERR_OK)
		code = space_single_make(&how, &arena, made, err);
	if (code == ERR_OK)
		code = space_single_choose_lanes(made, &arena, err);
	if (code == ERR_OK)
		code = sensitivity_make(
		    &(struct sensitivity_request){.space = &made->space,
		                                  .n_thread = parallel_n_thread((size_t)options->jobs)},
		    sensitivity, err);
	free(made);
	arena_free(&arena);
	mapping_free(&mapping);
	return code;
}

static enum err_code draw(const struct cli_options *options, const struct sensitivity *sensitivity, struct err *err)
{
	struct output_file file = {0};
	enum err_code code = output_file_open(&file, options->svg, err);
	if (code != ERR_OK)
		return code;
	sensitivity_draw(file.file, sensitivity);
	return output_file_commit(&file, err);
}

enum err_code cmd_sensitivity(const struct cli_options *options, struct err *err)
{
	struct kept_run run = {0};
	struct sensitivity sensitivity = {0};
	struct output_file file = {0};
	assert(options->n_file == 1 || options->n_file == 2);
	enum err_code code =
	    options->n_file == 1 ? of_run(options, &run, &sensitivity, err) : of_machine(options, &sensitivity, err);
	if (code == ERR_OK)
		code = output_file_open(&file, options->out, err);
	if (code == ERR_OK) {
		if (options->json)
			sensitivity_put_json(file.file, &sensitivity);
		else
			sensitivity_print(file.file, &sensitivity);
		code = output_file_commit(&file, err);
	}
	if (code == ERR_OK && options->svg)
		code = draw(options, &sensitivity, err);
	sensitivity_free(&sensitivity);
	kept_run_free(&run);
	return code;
}
