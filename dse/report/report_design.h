/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_REPORT_DESIGN_H
#define DSE_REPORT_DESIGN_H
/* The designs of a report's front, each run once more in the run's tier for what front.json does not tell. */
#include "dse/report/report_data.h"

/*
 * Read the run's inputs as they were then: data->space, map and the machines. Where they are gone, data->without says
 * so, which is no error. ERR_INTERNAL.
 */
enum err_code report_inputs_read(struct report_source *source, struct report_data *data, struct err *err);

/*
 * Run every design of the front on n_thread threads (0: all) and compare every number with what is recorded. Where one
 * differs, data->without says which, and no design counts as run. Nothing happens without inputs. ERR_INTERRUPTED,
 * ERR_INTERNAL.
 */
enum err_code report_designs_run(struct report_data *data, unsigned n_thread, struct err *err);

#endif
