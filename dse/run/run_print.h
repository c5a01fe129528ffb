/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RUN_PRINT_H
#define DSE_RUN_PRINT_H
/* What dse runs and dse show tell of a run that was kept. */
#include "dse/out/json.h"
#include "dse/keep/run_store.h"

/* Into an open object: the run's row, its inputs and the names of its files. */
void run_put_json(struct json *json, const struct run_record *run);

/*
 * The run as a page for people: what was asked, what it proves, its inputs (and which of them have changed since), some
 * points of its front, how to replay them. ERR_IO, ERR_INPUT, ERR_INTERNAL.
 */
enum err_code run_print(FILE *file, struct database *store, const struct run_record *run, struct err *err);

#endif
