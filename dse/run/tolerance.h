/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_TOLERANCE_H
#define DSE_TOLERANCE_H
/* What --tolerance allows of each metric: "1", or "latency_ms=1,energy_mj=2". */
#include "dse/space/metric.h"
#include "sim/base/err.h"

struct tolerance {
	double pct[N_METRIC]; /* NaN: nothing was said of the metric */
};

/*
 * Per cent of each metric, a sign '%' behind them or not; a number alone is of all that are not named. text NULL:
 * nothing is said. ERR_USAGE with a message for each mistake; what begins the messages, "dse nightly: --tolerance".
 */
enum err_code tolerance_parse(const char *what, const char *text, struct tolerance *tolerance, struct err *err);

/* Of a metric, as a share; without a word of it, otherwise. */
double tolerance_frac(const struct tolerance *tolerance, enum metric metric, double otherwise);

#endif
