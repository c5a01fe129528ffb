/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_REPORT_MAKE_H
#define DSE_REPORT_MAKE_H
/* A report of a run: its front is read, then columns, designs and sensitivity are worked out, one after the other. */
#include "dse/report/report_data.h"

/*
 * Fill data, which is {.run = ...}, opened; chosen: a point's number, or SIZE_MAX for the knee. Columns, and the
 * designs run again on n_thread threads (0: all). Inputs that are gone or have changed, and numbers that come out
 * otherwise than recorded, are no error: data->without says so. The caller frees data with report_free, also after an
 * error. ERR_USAGE (no such point), ERR_INPUT, ERR_INTERRUPTED, ERR_INTERNAL.
 */
enum err_code report_make(struct report_source *source, struct report_data *data, size_t chosen, unsigned n_thread,
                          struct err *err);
void report_free(struct report_data *data);

#endif
