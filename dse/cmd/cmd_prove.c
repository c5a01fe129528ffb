/* SPDX-License-Identifier: Apache-2.0 */
/* dse prove: the mapping of a network run on random data, tile by tile, and compared bit for bit. */
#include "dse/base/memory.h"
#include "dse/cmd/command_table.h"
#include "dse/layer/design_text.h"
#include "dse/cmd/choice.h"
#include "dse/base/parallel.h"
#include "dse/check/prove.h"
#include "dse/keep/output_file.h"
#include <inttypes.h>

/* Everything one proof needs. */
struct prove_request {
	const struct cli_options *cli;
	struct mapping mapping;
	uint64_t seed;
	size_t n;
	struct prove_candidate *candidate; /* [n] */
	struct arena arena;
};

static enum err_code prepare(struct prove_request *job, struct err *err)
{
	enum err_code code = choice_mapping(job->cli, &job->mapping, err);
	if (code != ERR_OK)
		return code;
	size_t n = job->mapping.network.n_block;
	bool *chosen = memory_must(arena_array(&job->arena, n, sizeof(*chosen)));
	struct layer_context *context = memory_must(arena_array(&job->arena, n, sizeof(*context)));
	job->candidate = memory_must(arena_array(&job->arena, n, sizeof(*job->candidate)));
	code = choice_layers(job->cli, &job->mapping.network, chosen, err);
	if (code != ERR_OK)
		return code;
	mapping_contexts(&job->mapping, context);
	job->n = prove_list(&job->mapping, chosen, context, job->candidate);
	job->seed = cli_given(job->cli, OPTION_SEED) ? job->cli->seed : PROVE_DEFAULT_SEED;
	return ERR_OK;
}

static enum err_code run(struct prove_request *job, struct err *err)
{
	size_t n_done;
	const struct prove_how how = {.seed = job->seed,
	                              .n_thread = parallel_n_thread((size_t)job->cli->jobs),
	                              .show_progress = !job->cli->quiet && !job->cli->no_progress,
	                              .is_mapping = true,
	                              .what = "proving"};
	return prove_run(&job->mapping.network, job->candidate, job->n, &how, &n_done, err);
}

static void print_json(FILE *file, const struct prove_request *job)
{
	struct json json;
	json_start_object(&json, file, 2);
	json_put_fields(&json, "machine %s, network %s, mapping %s, seed %" PRIu64, job->mapping.machine.name,
	                job->mapping.network.name, job->mapping.name, job->seed);
	prove_put_json(&json, &job->mapping.network, job->candidate, job->n);
	json_finish(&json);
}

static void print_text(FILE *file, const struct prove_request *job)
{
	char array[DESIGN_ARRAY_SIZE];
	design_print_array(&job->mapping.machine, array);
	(void)fprintf(file, "%s on %s, %s, seed %" PRIu64 "\n\n", job->mapping.network.name, job->mapping.machine.name,
	              array, job->seed);
	prove_print(file, &job->mapping.network, job->candidate, job->n);
}

enum err_code cmd_prove(const struct cli_options *options, struct err *err)
{
	struct prove_request job = {.cli = options};
	struct output_file file = {0};
	enum err_code code = prepare(&job, err);
	if (code == ERR_OK)
		code = run(&job, err);
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
		code = prove_judge(&job.mapping.network, job.candidate, job.n, err);
	mapping_free(&job.mapping);
	arena_free(&job.arena);
	return code;
}
