/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/certificate.h"
#include "dse/engine.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool certificate_is_branched(const struct front_run *run)
{
	assert(run->options->engine);
	return run->options->engine == &engine_exact && !run->options->flat;
}

uint64_t certificate_n_cut_infeasible(const struct explore_counts *counts)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < LAYER_N_REASON; i++)
		if (i != LAYER_REASON_BOUND)
			n = add_sat(n, counts->cut_by_reason[i]);
	return n;
}

void certificate_check(const struct explore_counts *counts)
{
	uint64_t n_cut = add_sat(certificate_n_cut_infeasible(counts), counts->cut_by_reason[LAYER_REASON_BOUND]);
	uint64_t n_infeasible = 0;
	for (uint32_t i = 0; i < LAYER_N_REASON; i++)
		n_infeasible += counts->by_reason[i];
	assert(n_infeasible == counts->engine.n_infeasible);
	assert(counts->engine.n_feasible + n_infeasible == counts->engine.n_told);
	n_cut = add_sat(add_sat(n_cut, counts->n_unreached), counts->n_cut_with_machine);
	n_cut = add_sat(n_cut, counts->n_shared);
	if (n_cut < UINT64_MAX && counts->n_candidate < UINT64_MAX)
		assert(add_sat(counts->engine.n_told, n_cut) == counts->n_candidate);
	(void)n_cut;
	(void)n_infeasible;
}

void certificate_text(const struct front_run *run, char *text, size_t n_byte)
{
	const struct explore *explore = run->explore;
	const struct explore_counts *counts = &explore->counts;
	bool is_reduced = counts->n_candidate < counts->n_legal;
	assert(n_byte >= CERTIFICATE_TEXT_SIZE);
	if (explore->interrupted || explore->truncated || explore->n_failure > 0)
		(void)snprintf(text, n_byte, "none, the search was cut short: the front is of what was seen");
	else if (run->options->engine->is_random)
		(void)snprintf(text, n_byte, "none: a %s search proves nothing of what it has not seen",
		               run->options->engine->name);
	else if (counts->is_limited && explore->front.n == 0)
		(void)snprintf(
		    text, n_byte,
		    "not proven: designs that keep a limit by less than %.3g %% may have been thinned out, as more "
		    "than max_front %zu points were composed",
		    100.0 * counts->epsilon, run->space->max_front);
	else if (counts->epsilon > 0.0)
		(void)snprintf(text, n_byte,
		               "every %s design%s is matched to within %.3g %% in each objective; more than "
		               "max_front %zu points were composed",
		               is_reduced ? "listed" : "legal",
		               counts->is_limited ? " that keeps the limits by as much" : "", 100.0 * counts->epsilon,
		               run->space->max_front);
	else
		(void)snprintf(text, n_byte, "exact, every %s design is accounted for",
		               is_reduced ? "listed" : "legal");
	size_t n = strlen(text);
	if (!run->audit || n + 3 > n_byte)
		return;
	memcpy(text + n, "; ", 3);
	audit_print_verdict(run->audit, text + n + 2, n_byte - n - 2);
}
