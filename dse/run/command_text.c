/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/command_text.h"
#include "dse/base/memory.h"
#include "dse/out/command_word.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

char *command_text(const struct cli_options *cli, const struct explore_options *options, enum detail detail)
{
	char *command = NULL;
	size_t n_byte;
	assert(cli->n_file == 1 && options->engine);
	FILE *text = memory_must(open_memstream(&command, &n_byte));
	(void)fputs("dse explore ", text);
	command_word_print(text, cli->file[0]);
	(void)fprintf(text, " --engine %s --seed %" PRIu64, options->engine->name, options->seed);
	if (options->flat)
		(void)fputs(" --flat", text);
	/* 0 takes away a limit that the space sets */
	if (options->max_evaluation > 0 || cli_given(cli, OPTION_MAX_EVALUATIONS))
		(void)fprintf(text, " --max-evaluations %" PRIu64, options->max_evaluation);
	if (options->max_seconds > 0)
		(void)fprintf(text, " --max-seconds %" PRIu64, options->max_seconds);
	if (detail != DETAIL_FAST)
		(void)fprintf(text, " --detail %s", detail_name[detail]);
	if (cli_given(cli, OPTION_JOBS))
		(void)fprintf(text, " -j %" PRIu64, cli->jobs);
	if (cli->shard)
		(void)fprintf(text, " --shard %s", cli->shard);
	(void)fprintf(text, "%s%s%s", cli->verify ? " --verify" : "", cli->prove ? " --prove" : "",
	              cli->audit ? " --audit" : "");
	if (cli->audit_samples > 0)
		(void)fprintf(text, " --audit-samples %" PRIu64, cli->audit_samples);
	(void)fprintf(text, "%s%s%s%s", cli->points ? " --points" : "", cli->json ? " --json" : "",
	              cli->quiet ? " -q" : "", cli->no_progress ? " --no-progress" : "");
	for (size_t i = 0; i < cli->compare.n; i++) {
		(void)fputs(" --compare ", text);
		command_word_print(text, cli->compare.text[i]);
	}
	if (cli->no_cache)
		(void)fputs(" --no-cache", text);
	if (cli->store) {
		(void)fputs(" --store ", text);
		command_word_print(text, cli->store);
	}
	if (cli->out) {
		(void)fputs(" -o ", text);
		command_word_print(text, cli->out);
	}
	memory_check(fclose(text) == 0);
	return command;
}
