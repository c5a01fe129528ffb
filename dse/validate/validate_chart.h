/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_VALIDATE_CHART_H
#define DSE_VALIDATE_CHART_H
/* Predicted against measured as a picture: of each table a panel for each unit its columns have. */
#include "dse/validate/validate.h"
#include <stdio.h>

/*
 * Draw the counted values of n_file tables, each predicted in n_detail tiers: validation[file * n_detail + tier]. A
 * panel's series are its columns, or where it has one column only, the strategies or MAC arrays of its rows. Errors of
 * the stream stay in the stream.
 */
void validate_write_chart(FILE *file, const struct validation *validation, size_t n_file, size_t n_detail);

#endif
