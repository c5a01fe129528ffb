/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/uncertain.h"
#include "dse/out/words.h"
#include <assert.h>
#include <math.h>

#define FAR_TEXT_SIZE 160

double uncertain_pct(double frac)
{
	return round(1e4 * frac) / 100;
}

void uncertain_add_cell(struct table *table, const struct uncertainty *uncertainty)
{
	assert(table && uncertainty);
	double frac = uncertainty_frac(uncertainty);
	if (isfinite(frac))
		table_add(table, "%.1f", 100.0 * frac);
	else
		table_add(table, "%s", "");
}

void uncertain_print(FILE *file, int indent, const struct uncertainty *uncertainty)
{
	assert(file && uncertainty);
	double to_event_pct = 100.0 * uncertainty->event_frac, to_reference_pct = 100.0 * uncertainty->reference_frac;
	if (isfinite(to_event_pct))
		(void)fprintf(file, "%*suncertainty_pct %.1f to the event tier, %.1f from it to references (p90)\n",
		              indent, "", to_event_pct, to_reference_pct);
	else if (isfinite(to_reference_pct))
		(void)fprintf(file, "%*suncertainty_pct %.1f to references (p90)\n", indent, "", to_reference_pct);
}

void uncertain_put_json(struct json *json, const struct uncertainty *uncertainty)
{
	assert(json && uncertainty);
	json_put_real(json, "uncertainty_pct", uncertain_pct(uncertainty_frac(uncertainty)));
	json_put_real(json, "reference_uncertainty_pct", uncertain_pct(uncertainty->reference_frac));
}

/* False: the machine is not far at any of the levels, bits of a mask; else of the first one that is. */
static bool far_text(const struct machine *machine, uint32_t levels, char text[FAR_TEXT_SIZE])
{
	const struct uncertainty_range *range = NULL;
	uint32_t level = 0;
	for (uint32_t i = 0; i < machine->n_level && !range; i++)
		if (levels >> i & 1u) {
			level = i;
			range = uncertainty_find_far(machine, level);
		}
	if (!range)
		return false;
	char allowed[48];
	if (range->min < range->max)
		(void)snprintf(allowed, sizeof(allowed), "%g to %g", range->min, range->max);
	else
		(void)snprintf(allowed, sizeof(allowed), "%g", range->min);
	(void)snprintf(text, FAR_TEXT_SIZE, "%s %g is far: predictions were compared at %s %s only", range->key,
	               uncertainty_value(machine, level, range), allowed, range->unit);
	return true;
}

bool uncertain_print_far(FILE *file, int indent, const struct machine *machine, uint32_t levels)
{
	char text[FAR_TEXT_SIZE];
	struct words_fold fold;
	assert(file && machine);
	if (!far_text(machine, levels, text))
		return false;
	(void)fprintf(words_fold_begin(&fold, file), "%*s%s\n", indent, "", text);
	words_fold_end(&fold);
	return true;
}

void uncertain_put_far(struct json *json, const struct machine *machine, uint32_t levels)
{
	char text[FAR_TEXT_SIZE];
	assert(json && machine);
	json_put_text(json, "far_from_compared", far_text(machine, levels, text) ? text : NULL);
}
