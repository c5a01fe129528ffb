/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/tolerance.h"
#include "sim/base/text.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PCT 1e9

/* "1", "1%", "1 %" */
static enum err_code read_pct(const char *what, const char *text, double *pct, struct err *err)
{
	char number[64];
	size_t n = strlen(text);
	n -= n > 0 && text[n - 1] == '%';
	n -= n > 0 && n < strlen(text) && text[n - 1] == ' ';
	(void)snprintf(number, sizeof(number), "%.*s", (int)(n < sizeof(number) ? n : sizeof(number) - 1), text);
	double read = text_is_decimal(number) ? strtod(number, NULL) : -1.0;
	if (!(read >= 0.0 && read <= MAX_PCT))
		return err_add(err, ERR_USAGE, "%s is '%.40s', allowed are percentages from 0 to %g", what, text,
		               MAX_PCT);
	*pct = read;
	return ERR_OK;
}

static enum err_code parse_one(const char *what, const char *text, struct tolerance *tolerance, double *others,
                               struct err *err)
{
	const char *name[N_METRIC], *equals = strchr(text, '=');
	char own[64];
	size_t metric;
	if (!equals)
		return read_pct(what, text, others, err);
	for (size_t i = 0; i < N_METRIC; i++)
		name[i] = metric_table[i].name;
	(void)snprintf(own, sizeof(own), "%.*s", equals - text < 63 ? (int)(equals - text) : 63, text);
	if (err_choose(what, own, name, N_METRIC, &metric, err) != ERR_OK)
		return ERR_USAGE;
	if (!isnan(tolerance->pct[metric]))
		return err_add(err, ERR_USAGE, "%s: %s is given twice, allowed once", what, own);
	return read_pct(what, equals + 1, &tolerance->pct[metric], err);
}

enum err_code tolerance_parse(const char *what, const char *text, struct tolerance *tolerance, struct err *err)
{
	enum err_code code = ERR_OK;
	double others = NAN;
	assert(what && tolerance);
	for (size_t i = 0; i < N_METRIC; i++)
		tolerance->pct[i] = NAN;
	for (const char *at = text; at; at = *at == ',' ? at + 1 : NULL) {
		char one[128];
		size_t n = strcspn(at, ",");
		(void)snprintf(one, sizeof(one), "%.*s", (int)(n < sizeof(one) ? n : sizeof(one) - 1), at);
		if (parse_one(what, one, tolerance, &others, err) != ERR_OK)
			code = ERR_USAGE;
		at += n;
	}
	for (size_t i = 0; i < N_METRIC; i++)
		tolerance->pct[i] = isnan(tolerance->pct[i]) ? others : tolerance->pct[i];
	return code;
}

double tolerance_frac(const struct tolerance *tolerance, enum metric metric, double otherwise)
{
	assert(metric < N_METRIC);
	return isnan(tolerance->pct[metric]) ? otherwise : tolerance->pct[metric] / 100.0;
}
