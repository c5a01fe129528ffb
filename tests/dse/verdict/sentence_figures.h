/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SENTENCE_FIGURES_H
#define TESTS_SENTENCE_FIGURES_H
/*
 * The figures in a verdict's sentences beside its claims: each number before "%", "ms" or "mJ" must be what a claim of
 * that sentence says, as it is printed. Numbers of a range, "3.1 to 17 %", have the unit behind it.
 */
#include "dse/space/space.h"
#include "dse/verdict/verdict.h"
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether the number is the value with so many digits. */
static inline bool figure_is(double value, int n_digit, double number)
{
	char text[64];
	(void)snprintf(text, sizeof(text), "%.*g", n_digit, value);
	return !(fabs(strtod(text, NULL) - number) > 1e-12 * fabs(number));
}

/* A margin is rounded down to two digits, three from ten on. */
static inline bool figure_is_margin(double margin, double number)
{
	double pct = 100.0 * margin;
	return number <= pct * (1.0 + 1e-12) && number >= pct - (pct >= 10.0 ? 1.0 : pct >= 1.0 ? 0.1 : 0.01);
}

static inline bool figure_has_percent(const struct run_verdict *verdict, const struct run_verdict_claim *claim,
                                      double number, double over_limit)
{
	switch (claim->kind) {
	case RUN_VERDICT_MORE:
		return figure_is(100.0 * fabs(claim->value), 3, number);
	case RUN_VERDICT_SHARE:
		return figure_is(nearbyint(100.0 * claim->value), 6, number);
	case RUN_VERDICT_MOST:
		return figure_is(floor(100.0 * claim->value), 6, number);
	case RUN_VERDICT_GROUP:
		for (size_t i = 0; i < claim->n_member; i++)
			if (figure_is_margin(verdict->machine[claim->member[i]].margin, number))
				return true;
		return false;
	case RUN_VERDICT_MISS:
		return figure_is(100.0 * over_limit, 3, number);
	case RUN_VERDICT_CLOSE:
		return figure_is(100.0 * claim->value, 2, number);
	default:
		return false;
	}
}

/* Of time, or of energy. */
static inline bool figure_has_amount(const struct space *space, const struct run_verdict *verdict,
                                     const struct run_verdict_claim *claim, double number, bool is_time)
{
	enum metric wanted = is_time ? METRIC_LATENCY : METRIC_ENERGY;
	if (claim->kind == RUN_VERDICT_BEST)
		return space->objective[claim->objective] == wanted && figure_is(claim->value, 4, number);
	if (claim->kind == RUN_VERDICT_MISS) /* a least value, of six digits, rounded down */
		return claim->objective == (unsigned)wanted && number <= claim->value * (1.0 + 1e-12) &&
		       number >= claim->value * (1.0 - 1e-5);
	if (claim->kind == RUN_VERDICT_KEEPS || claim->kind == RUN_VERDICT_NONE)
		return is_time && figure_is(space->deadline_ms, 6, number);
	if (claim->kind != RUN_VERDICT_TIME && claim->kind != RUN_VERDICT_STATIC)
		return false;
	const struct run_verdict_machine *own = &verdict->machine[claim->machine],
					 *other = &verdict->machine[claim->other];
	if (claim->kind == RUN_VERDICT_TIME && is_time)
		return figure_is(fabs(own->fastest.bound_ms[claim->bound] - other->fastest.bound_ms[claim->bound]), 3,
		                 number);
	if (claim->kind == RUN_VERDICT_STATIC && !is_time)
		return figure_is(own->thriftiest.static_mj - other->thriftiest.static_mj, 3, number);
	return false;
}

static inline bool figure_is_claimed(const struct space *space, const struct run_verdict *verdict, unsigned sentence,
                                     double number, const char *unit, double over_limit)
{
	for (size_t i = 0; i < verdict->n_claim; i++) {
		const struct run_verdict_claim *claim = &verdict->claim[i];
		if (claim->sentence != sentence)
			continue;
		if (unit[0] == '%' ? figure_has_percent(verdict, claim, number, over_limit)
		                   : figure_has_amount(space, verdict, claim, number, unit[1] == 's'))
			return true;
	}
	return false;
}

/* What stands behind a number: its unit, behind the other one of a range, too; NULL: none of ours. */
static inline const char *figure_unit(const char *end)
{
	static const char *const unit[] = {" %", " ms", " mJ"}, *const between[] = {" to ", " and "};
	for (size_t i = 0; i < 2; i++)
		if (strncmp(end, between[i], strlen(between[i])) == 0 &&
		    isdigit((unsigned char)end[strlen(between[i])])) {
			char *rest;
			(void)strtod(end + strlen(between[i]), &rest);
			end = rest;
			break;
		}
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
		if (strncmp(end, unit[i], strlen(unit[i])) == 0)
			return unit[i] + 1;
	return NULL;
}

/* The first figure of the sentence that no claim has, or NULL; *n counts figures. over_limit: of the nearest miss. */
static inline const char *figure_unclaimed(const struct space *space, const struct run_verdict *verdict,
                                           unsigned sentence, double over_limit, unsigned *n)
{
	const char *text = verdict->sentence[sentence], *at = text;
	while (*at) {
		char *end;
		bool begins = isdigit((unsigned char)*at) && (at == text || strchr(" (-", at[-1]));
		if (!begins) {
			at++;
			continue;
		}
		double number = strtod(at, &end);
		const char *unit = figure_unit(end);
		*n += unit != NULL;
		if (unit && !figure_is_claimed(space, verdict, sentence, number, unit, over_limit))
			return at;
		at = end > at ? end : at + 1;
	}
	return NULL;
}

#endif
