/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/effort.h"
#include "dse/engine/engine.h"
#include <assert.h>

enum effort { EFFORT_QUICK, EFFORT_NORMAL, EFFORT_SIGNOFF, N_EFFORT };

static const char *const effort_name[N_EFFORT] = {"quick", "normal", "signoff"};

enum err_code effort_apply(struct cli_options *options, struct err *err)
{
	size_t index;
	assert(options);
	if (!options->effort)
		return ERR_OK;
	enum err_code code = cli_choose(options, "effort", options->effort, effort_name, N_EFFORT, &index, err);
	if (code != ERR_OK)
		return code;
	bool is_quick = index == EFFORT_QUICK;
	if (!options->engine) {
		options->engine = is_quick ? engine_nsga2.name : engine_exact.name;
		options->given[OPTION_ENGINE] = true;
	}
	/* A limit of the space is one of its own search, not of the effort that is asked for. */
	if (!cli_given(options, OPTION_MAX_EVALUATIONS)) {
		options->max_evaluations = is_quick ? EFFORT_QUICK_EVALUATIONS : 0;
		options->given[OPTION_MAX_EVALUATIONS] = true;
	}
	options->verify |= index == EFFORT_SIGNOFF;
	options->audit |= index == EFFORT_SIGNOFF;
	options->effort = NULL;
	return ERR_OK;
}
