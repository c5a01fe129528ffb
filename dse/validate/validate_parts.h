/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_VALIDATE_PARTS_H
#define DSE_VALIDATE_PARTS_H
/* Inside validation: how the kinds of tables read their cells, and the kinds by the files that predict them. */
#include "dse/validate/validate.h"

/* The cell of a row in a column that a table may lack; NULL then. */
const struct csv_cell *validate_find_cell(const struct csv_table *table, size_t row, const char *name);

/* A whole number that a row has in a column, and where it goes. */
struct validate_number {
	const char *name; /* of the column */
	uint32_t *value;  /* untouched if optional and the cell is empty or the column missing */
	uint32_t min, max;
	bool optional;
};

/* Read the numbers of a row, all mistakes in one pass: ERR_INPUT. */
enum err_code validate_read_numbers(const struct csv_table *table, size_t row, const struct validate_number *number,
                                    size_t n, struct err *err);

/* The index of a cell's word among word[0..n-1]; ERR_INPUT with what is allowed. The table has the column. */
enum err_code validate_read_word(const struct csv_table *table, size_t row, const char *column, const char *const *word,
                                 size_t n, size_t *index, struct err *err);

/* The strategy that a table's column of this name has; ERR_INPUT with what is allowed. */
enum err_code validate_read_strategy(const struct csv_table *table, size_t row, enum strategy *strategy,
                                     struct err *err);

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
