/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_REPORT_JSON_H
#define DSE_REPORT_JSON_H
/* The data behind the page of a report, "dse report 1", which the scripts in dse/out/page/ draw. */
#include "dse/report/report_data.h"

#define REPORT_FORMAT "dse report 1"

/* All of a report: data [n]. made: when, as a text, or NULL. Errors stay in the stream. */
void report_put_json(FILE *file, const struct report_data *data, size_t n, const char *made);

#endif
