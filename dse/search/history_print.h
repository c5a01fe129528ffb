/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_HISTORY_PRINT_H
#define DSE_HISTORY_PRINT_H
/* The history of an exploration, for run.json and the table, and what ended it. */
#include "dse/search/explore.h"
#include "dse/out/json.h"
#include "dse/pareto/quality.h"

/*
 * Keys stopped_by and searches_stopped_by (of all its searches how many ended for which reason), and progress where
 * the front's quality is known (NULL: it is not): hypervolume after so many evaluations, up to the reference that is
 * named; volume [n_mark]: those, as history_volume has them. Seconds stand apart.
 */
void history_put_json(struct json *json, const struct explore *explore, const struct quality *quality,
                      const double *volume);

/* Lines below the counts; with_shares: also after how many evaluations the front was nearly as good as at the end. */
void history_print(FILE *file, const struct explore *explore, bool with_shares);

#endif
