/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FRONT_TABLE_H
#define DSE_FRONT_TABLE_H
/* What dse explore prints at its end: the front, the counts, or why there is no front. */
#include "dse/result/front_file.h"

/* The front as a table. */
void front_table_print(FILE *file, const struct front_run *run);

/* What was counted. */
void front_table_print_counts(FILE *file, const struct front_run *run);

/* What verification said: the gap between the tiers, and points that do not keep their place; run->verify is there. */
void front_table_print_verify(FILE *file, const struct front_run *run);

/* That nothing fits, whether that is proven, how many designs died of which limit, and the nearest miss. */
void front_table_print_infeasible(FILE *file, const struct front_run *run);

#endif
