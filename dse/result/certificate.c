/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/result/certificate.h"
#include "dse/engine/engine.h"
#include "dse/spread/layer_plan.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Three digits of a number so much larger are not below it. */
#define ROUND_UP (1 + 5e-3)

enum { THINNED_TEXT = 96 };

bool certificate_is_branched(const struct front_run *run)
{
	assert(run->options->engine);
	return run->options->engine == &engine_exact && !run->options->flat;
}

/* Why designs were left out. */
static void thinned_text(const struct front_run *run, char text[THINNED_TEXT])
{
	if (run->options->epsilon > 0)
		(void)snprintf(text, THINNED_TEXT, "layers were searched to within %.3g %%, more where that takes long",
		               100.0 * run->options->epsilon);
	else if (run->space->max_front > 0)
		(void)snprintf(text, THINNED_TEXT, "more than max_front %zu points were composed",
		               run->space->max_front);
	else
		(void)snprintf(text, THINNED_TEXT, "all points would take too much memory or time");
}

/* Machines that ended their process, of which nothing was looked at: all else is proven as if the space did without
 * them. */
static bool is_left_out_alone(const struct explore *explore)
{
	return explore->n_failure > 0 && explore->n_failure == explore->n_left_out;
}

/* "; not covered: a, b and 3 others" */
static void name_left_out(const struct explore *explore, char *text, size_t n_byte)
{
	size_t n_named = explore->n_failure < EXPLORE_MAX_FAILURE ? (size_t)explore->n_failure : EXPLORE_MAX_FAILURE,
	       n_most = n_byte / 2, n = strlen(text), i = 0;
	for (; i < n_named && n + strlen(explore->failure[i].machine) + 4 < n_most; i++)
		n += (size_t)snprintf(text + n, n_byte - n, "%s%s",
		                      i > 0 ? ", " : "; not covered: ", explore->failure[i].machine);
	if (i < explore->n_failure)
		(void)snprintf(text + n, n_byte - n, "%s%" PRIu64 " machines",
		               i > 0 ? " and " : "; not covered: ", explore->n_failure - i);
}

/* Whether PEs of one loop may run at different levels, on one machine or another. */
static bool has_level_plans(const struct space *space)
{
	for (size_t i = 0; i < space->n_machine; i++)
		if (space->machine[i].dvfs_domain != DVFS_CHIP)
			return true;
	return false;
}

static void print_text(const struct front_run *run, bool is_short, char *text, size_t n_byte)
{
	const struct explore *explore = run->explore;
	const struct explore_counts *counts = &explore->counts;
	bool is_reduced = counts->n_candidate < counts->n_legal;
	char thinned[THINNED_TEXT];
	assert(n_byte >= CERTIFICATE_TEXT_SIZE);
	thinned_text(run, thinned);
	if ((explore->interrupted || explore->truncated) && explore->open_gap_frac < INFINITY)
		(void)snprintf(text, n_byte,
		               "the search was cut short: no %s design beats this front by more than %.3g %%",
		               is_reduced ? "listed" : "legal", 100.0 * explore->open_gap_frac * ROUND_UP);
	else if (explore->interrupted || explore->truncated || (explore->n_failure > 0 && !is_left_out_alone(explore)))
		(void)snprintf(text, n_byte, "none, the search was cut short: the front is of what was seen");
	else if (run->options->engine->is_random)
		(void)snprintf(text, n_byte, "none: a %s search proves nothing of what it has not seen",
		               run->options->engine->name);
	else if (counts->is_limited && (explore->front.n == 0 || counts->cuts_are_limited))
		(void)snprintf(
		    text, n_byte,
		    "not proven: designs that keep a limit by less than %.3g %% may have been thinned out, as %s",
		    100.0 * counts->epsilon, thinned);
	else if (counts->epsilon > 0.0)
		(void)snprintf(text, n_byte, "every %s design%s is matched to within %.3g %% in each objective; %s",
		               is_reduced ? "listed" : "legal",
		               counts->is_limited ? " that keeps the limits by as much" : "", 100.0 * counts->epsilon,
		               thinned);
	else
		(void)snprintf(text, n_byte, "exact, every %s design is accounted for",
		               is_reduced ? "listed" : "legal");
	if (is_left_out_alone(explore))
		name_left_out(explore, text, n_byte);
	size_t n = strlen(text);
	if (certificate_is_branched(run) && has_level_plans(run->space))
		n += (size_t)snprintf(text + n, n_byte - n, "; of levels by PE a design has at most %d plans",
		                      LAYER_PLAN_MAX);
	if (run->price && run->price->is_priced) {
		static const char before[] = "fast tier: ";
		char claim[PRICE_CLAIM_SIZE] = "as said of its prices above";
		if (!is_short)
			price_claim(run->price, claim, sizeof(claim));
		memmove(text + sizeof(before) - 1, text, n + 1);
		memcpy(text, before, sizeof(before) - 1);
		n += sizeof(before) - 1;
		(void)snprintf(text + n, n_byte - n, "; event tier: %s", claim);
		n = strlen(text);
	}
	if (!run->audit || n + 3 > n_byte)
		return;
	memcpy(text + n, "; ", 3);
	audit_print_verdict(run->audit, text + n + 2, n_byte - n - 2);
}

void certificate_text(const struct front_run *run, char *text, size_t n_byte)
{
	print_text(run, false, text, n_byte);
}

void certificate_text_short(const struct front_run *run, char *text, size_t n_byte)
{
	print_text(run, true, text, n_byte);
}
