/* SPDX-License-Identifier: Apache-2.0 */
/* What pricing found, for people and for programs. */
#include "dse/price/price.h"
#include "dse/out/words.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

static void put_line(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line, folded where the file is a terminal. */
static void put_line(FILE *file, const char *format, ...)
{
	struct words_fold fold;
	va_list list;
	va_start(list, format);
	(void)vfprintf(words_fold_begin(&fold, file), format, list);
	va_end(list);
	words_fold_end(&fold);
}

/* Gaps below this are rounding. */
#define LEAST_GAP 1e-9

void price_claim(const struct price *price, char *text, size_t n_byte)
{
	char gap[64] = "", error[96];
	assert(price->is_priced);
	if (isinf(price->assumed_gap_frac)) {
		(void)snprintf(text, n_byte, "how far this front may be beaten is not known");
		return;
	}
	if (price->assumed_gap_frac > LEAST_GAP)
		(void)snprintf(gap, sizeof(gap), " by more than %.2g %%", 100.0 * price->assumed_gap_frac);
	if (price->n_known > 0)
		(void)snprintf(error, sizeof(error), "by more than %.2g %% (99 %% of %zu prices stay below)",
		               100.0 * price->assumed_error_frac, price->n_known);
	else
		(void)snprintf(error, sizeof(error), "by more than its stated uncertainty, %.2g %%",
		               100.0 * price->assumed_error_frac);
	(void)snprintf(
	    text, n_byte,
	    "nothing%s beats this front%s, if no design without a price is faster than the fast tier says %s",
	    price->has_limits ? " that keeps the limits in the fast tier" : "", gap, error);
}

void price_print(FILE *file, const struct price *price, size_t n_shown)
{
	char claim[PRICE_CLAIM_SIZE];
	assert(file && price);
	if (!price->is_priced) {
		put_line(file, "Not priced in the event tier: %s; the front is the fast tier's\n",
		         price->none_fits        ? "no design that got a price keeps the limits there"
		         : price->is_interrupted ? "stopped before the first points had their prices"
		                                 : "the search was cut short");
		return;
	}
	put_line(file, "Priced in the event tier: %zu of %zu designs on or near the layers' fast fronts, %.1f s%s\n",
	         price->n_priced, price->n_listed, price->seconds, price->is_interrupted ? ", stopped early" : "");
	if (price->n_from_store > 0)
		put_line(file, "  %zu of the prices were known from earlier runs\n", price->n_from_store);
	put_line(file, "  clocks, event to fast tier: mean gap %.2f %%, largest %.2f %%\n",
	         100.0 * price->mean_error_frac, 100.0 * price->max_error_frac);
	if (price->n_point > n_shown)
		put_line(
		    file,
		    "  %zu points stand for %zu: each for those nowhere better by more than %.2g %%, \"N like it\" "
		    "(resolution: 0 shows all); \"shared\": another point stands for it as well\n",
		    n_shown, price->n_point, 100.0 * price->resolution_frac);
	price_claim(price, claim, sizeof(claim));
	put_line(file, "  %s\n", claim);
	if (isfinite(price->proven_gap_frac))
		put_line(
		    file,
		    "  proven for any mapping: by no more than %.*f %% (MACs over the array's peak, weights over the "
		    "DRAM's rate)\n",
		    price->proven_gap_frac < 1.0 ? 1 : 0, 100.0 * price->proven_gap_frac);
}

void price_put_json(struct json *json, const struct price *price)
{
	json_begin_object(json, "priced");
	json_put_fields(
	    json,
	    "in_event_tier %d, interrupted %d, none_fits %d, machines %zu, listed %zu, priced %zu, from_store %zu, "
	    "rounds %zu, work %" PRIu64 ", max_work %" PRIu64 ", mean_error_pct %g, max_error_pct %g",
	    price->is_priced, price->is_interrupted, price->none_fits, price->n_machine, price->n_listed,
	    price->n_priced, price->n_from_store, price->n_round, price->work, price->max_work,
	    100.0 * price->mean_error_frac, 100.0 * price->max_error_frac);
	if (price->is_priced)
		json_put_fields(
		    json,
		    "assumed_error_pct %g, prices_of_assumption %zu, assumed_gap_pct %g, proven_gap_pct %g, "
		    "resolution_pct %g, points %zu",
		    100.0 * price->assumed_error_frac, price->n_known, 100.0 * price->assumed_gap_frac,
		    100.0 * price->proven_gap_frac, 100.0 * price->resolution_frac, price->n_point);
	json_put_real(json, "seconds", price->seconds);
	json_end(json);
}
