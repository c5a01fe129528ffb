/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of value columns, read off the results of runs. */
#include "dse/validate/validate_parts.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A ratio in percent with six digits. */
static double print_pct(double ratio)
{
	char text[32];
	(void)snprintf(text, sizeof(text), "%.6g", 100 * ratio);
	return strtod(text, NULL);
}

double validate_read_figure(const struct reference_value *value, const void *result)
{
	const char *at = (const char *)result + value->offset;
	double real;
	uint64_t count;
	assert(value->type != FIGURE_OWN);
	if (value->type == FIGURE_COUNT) {
		memcpy(&count, at, sizeof(count));
		return (double)count;
	}
	memcpy(&real, at, sizeof(real));
	return value->type == FIGURE_TWO_PLACES ? round(100 * real) / 100
	       : value->type == FIGURE_PCT      ? print_pct(real)
	                                        : real;
}

/* A design that cannot run counts: a published run that our machine refuses is an error of ours. */
void validate_take_run(const struct validate_cell *cell, const struct source_run *run, struct prediction *prediction)
{
	if (run->ran)
		prediction->value = validate_read_figure(cell->value, &run->result);
	else
		prediction->note = verdict_table[run->verdict.reason].help;
	if (!run->listed) {
		prediction->counted = false;
		prediction->note = source_unlisted_note;
	}
}
