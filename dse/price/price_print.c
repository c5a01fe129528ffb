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

void price_claim(const struct price *price, char *text, size_t n_byte)
{
	assert(price->is_priced);
	int n = price->assumed_gap_frac > 0.0 ? snprintf(text, n_byte, "nothing beats this front by more than %.2g %%",
	                                                 100.0 * price->assumed_gap_frac)
	                                      : snprintf(text, n_byte, "nothing beats this front");
	assert(n > 0 && (size_t)n < n_byte);
	text += n;
	n_byte -= (size_t)n;
	if (price->is_complete)
		return;
	n = snprintf(text, n_byte,
	             ", assuming that no design without a price is faster than the fast tier says by more than ");
	text += n;
	n_byte -= (size_t)n;
	if (price->n_known > 0)
		(void)snprintf(text, n_byte, "%.2g %%, as 99 of 100 of %zu prices are not",
		               100.0 * price->assumed_error_frac, price->n_known);
	else
		(void)snprintf(text, n_byte, "its stated uncertainty, %.2g %%", 100.0 * price->assumed_error_frac);
}

void price_print(FILE *file, const struct price *price, size_t n_shown)
{
	char claim[PRICE_CLAIM_SIZE];
	assert(file && price);
	if (!price->is_priced) {
		put_line(file,
		         "Not priced in the event tier: stopped before the first points had their prices; the front is "
		         "the fast tier's\n");
		return;
	}
	(void)fprintf(file,
	              "Priced in the event tier: %zu of %zu designs on or near the layers' fast fronts, %.1f s%s\n",
	              price->n_priced, price->n_listed, price->seconds, price->is_interrupted ? ", stopped early" : "");
	if (price->n_from_store > 0)
		put_line(file, "  %zu of the prices were known from earlier runs\n", price->n_from_store);
	put_line(file, "  clocks, event to fast tier: mean gap %.2f %%, largest %.2f %%\n",
	         100.0 * price->mean_error_frac, 100.0 * price->max_error_frac);
	if (price->n_point > n_shown)
		put_line(
		    file,
		    "  %zu points stand for %zu: those closer than %.2g %% in all objectives are one (resolution: 0 "
		    "shows "
		    "all); \"N like it\" is how many; \"shared\": another one comes as near to being nowhere worse\n",
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
	json_put_fields(json,
	                "in_event_tier %d, interrupted %d, machines %zu, listed %zu, priced %zu, from_store %zu, "
	                "rounds %zu, work %" PRIu64 ", max_work %" PRIu64 ", mean_error_pct %g, max_error_pct %g",
	                price->is_priced, price->is_interrupted, price->n_machine, price->n_listed, price->n_priced,
	                price->n_from_store, price->n_round, price->work, price->max_work,
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
