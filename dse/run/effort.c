/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/effort.h"
#include "dse/engine/engine.h"
#include <assert.h>
#include <string.h>

enum effort { EFFORT_QUICK, EFFORT_NORMAL, EFFORT_SIGNOFF, N_EFFORT };

static const char *const effort_name[N_EFFORT] = {"quick", "normal", "signoff"};

enum err_code effort_apply(const char *effort, struct explore_request *request, struct err *err)
{
	size_t index;
	assert(request);
	if (!effort)
		return ERR_OK;
	enum err_code code = err_choose("dse explore: --effort", effort, effort_name, N_EFFORT, &index, err);
	if (code != ERR_OK)
		return code;
	bool is_quick = index == EFFORT_QUICK, is_genetic = is_quick && request->flat;
	bool is_exact = !request->engine || strcmp(request->engine, engine_exact.name) == 0;
	if (is_quick && !request->flat && is_exact && !request->has_epsilon)
		request->epsilon_pct = EFFORT_QUICK_EPSILON_PCT;
	if (!request->engine)
		request->engine = is_genetic ? engine_nsga2.name : engine_exact.name;
	/* A limit of the space is one of its own search, not of the effort that is asked for. */
	if (!request->has_max_evaluations) {
		request->max_evaluations = is_genetic ? EFFORT_QUICK_EVALUATIONS : 0;
		request->has_max_evaluations = true;
	}
	request->verify |= index == EFFORT_SIGNOFF;
	request->audit |= index == EFFORT_SIGNOFF;
	request->closes_gap = index == EFFORT_SIGNOFF;
	return ERR_OK;
}
