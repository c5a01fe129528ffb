/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/command_text.h"
#include "dse/base/memory.h"
#include "dse/out/command_word.h"
#include <assert.h>
#include <inttypes.h>

char *command_text(const struct explore_request *request, const struct explore_options *options, enum detail detail)
{
	char *command = NULL;
	size_t n_byte;
	assert(request->space && options->engine);
	FILE *text = memory_must(open_memstream(&command, &n_byte));
	(void)fputs("dse explore ", text);
	command_word_print(text, request->space);
	(void)fprintf(text, " --engine %s --seed %" PRIu64, options->engine->name, options->seed);
	if (options->flat)
		(void)fputs(" --flat", text);
	/* 0 takes away a limit that the space sets */
	if (options->max_evaluation > 0 || request->has_max_evaluations)
		(void)fprintf(text, " --max-evaluations %" PRIu64, options->max_evaluation);
	if (options->epsilon > 0)
		(void)fprintf(text, " --epsilon %.17g", request->epsilon_pct);
	if (options->max_ms > 0)
		(void)fprintf(text, " --max-seconds %" PRIu64, options->max_ms / 1000);
	(void)fprintf(text, " --detail %s", options->prices ? EXPLORE_DETAIL_BOTH : detail_name[detail]);
	if (request->closes_gap && options->prices)
		(void)fputs(" --effort signoff", text);
	if (request->has_jobs)
		(void)fprintf(text, " -j %" PRIu64, request->jobs);
	if (request->shard)
		(void)fprintf(text, " --shard %s", request->shard);
	(void)fprintf(text, "%s%s%s", request->verify ? " --verify" : "", request->prove ? " --prove" : "",
	              request->audit ? " --audit" : "");
	if (request->audit_samples > 0)
		(void)fprintf(text, " --audit-samples %" PRIu64, request->audit_samples);
	if (request->coefficient_samples > 0)
		(void)fprintf(text, " --coefficient-samples %" PRIu64, request->coefficient_samples);
	(void)fprintf(text, "%s%s%s%s", request->points ? " --points" : "", request->json ? " --json" : "",
	              request->quiet ? " -q" : "", request->no_progress ? " --no-progress" : "");
	for (size_t i = 0; i < request->n_compare; i++) {
		(void)fputs(" --compare ", text);
		command_word_print(text, request->compare[i]);
	}
	for (size_t i = 0; i < request->n_set; i++) {
		(void)fputs(" --set ", text);
		command_word_print(text, request->set[i]);
	}
	if (request->no_cache)
		(void)fputs(" --no-cache", text);
	if (request->store.store) {
		(void)fputs(" --store ", text);
		command_word_print(text, request->store.store);
	}
	if (request->out) {
		(void)fputs(" -o ", text);
		command_word_print(text, request->out);
	}
	memory_check(fclose(text) == 0);
	return command;
}
