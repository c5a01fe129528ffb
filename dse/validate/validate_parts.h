/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_VALIDATE_PARTS_H
#define DSE_VALIDATE_PARTS_H
/* Inside validation: what reads figures off results, and the predictors of reference_kind_table (validate_kinds.c). */
#include "dse/out/cell.h"
#include "dse/validate/validate.h"

/* The figure of a value column that is read off a result; the result is what the column's offset is in. */
double validate_read_figure(const struct reference_value *value, const void *result);

/* What a run (struct sim_result) says of a value, if its design can run; where the split is not the source's, it does
 * not count. */
void validate_take_run(const struct validate_cell *cell, const struct source_run *run, struct prediction *prediction);

/* A predictor, see struct reference_kind. */
typedef enum err_code validate_predictor(const struct validate_cell *cell, struct prediction *prediction,
                                         struct err *err);

validate_predictor validate_arada_table1, validate_hdl_clocks, validate_layer_tasks, validate_mac_array_performance,
    validate_octopus, validate_operation_clocks, validate_overall_clocks, validate_overall_transfer_clocks,
    validate_pe_tasks, validate_scalesim, validate_split_utilisation;

#endif
