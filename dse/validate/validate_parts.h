/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_VALIDATE_PARTS_H
#define DSE_VALIDATE_PARTS_H
/* Inside validation: the kinds of tables by the files that predict them. */
#include "dse/out/cell.h"
#include "dse/validate/validate.h"

/* The predict functions, by the file that holds them. */
enum err_code validate_strategy_clocks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                       struct prediction *prediction, struct err *err);
enum err_code validate_mac_array_clocks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                        struct prediction *prediction, struct err *err);
enum err_code validate_phase_clocks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                    struct prediction *prediction, struct err *err);
enum err_code validate_overall_clocks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                      struct prediction *prediction, struct err *err);
enum err_code validate_split_utilisation(struct source *source, const struct csv_table *table, size_t row,
                                         size_t column, struct prediction *prediction, struct err *err);
enum err_code validate_pe_tasks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                struct prediction *prediction, struct err *err);
enum err_code validate_hdl_clocks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                  struct prediction *prediction, struct err *err);
enum err_code validate_layer_tasks(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                   struct prediction *prediction, struct err *err);
enum err_code validate_mac_array_performance(struct source *source, const struct csv_table *table, size_t row,
                                             size_t column, struct prediction *prediction, struct err *err);
enum err_code validate_overall_transfer_clocks(struct source *source, const struct csv_table *table, size_t row,
                                               size_t column, struct prediction *prediction, struct err *err);
enum err_code validate_scalesim(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                struct prediction *prediction, struct err *err);
enum err_code validate_arada_table1(struct source *source, const struct csv_table *table, size_t row, size_t column,
                                    struct prediction *prediction, struct err *err);
enum err_code validate_octopus(struct source *source, const struct csv_table *table, size_t row, size_t column,
                               struct prediction *prediction, struct err *err);

#endif
