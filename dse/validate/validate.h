/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_VALIDATE_H
#define DSE_VALIDATE_H
/*
 * Validation: a published table (CSV) in, every value of it predicted, compared and summed up. What a table is about is
 * known by its columns. Each kind of table is one row of reference_kind_table (validate_kinds.c): its columns, the
 * function that runs what a row of the table is about, and where the result has the figure of each value column.
 */
#include "dse/validate/source.h"
#include "sim/base/csv.h"

#define VALIDATE_MAX_KEY 20
#define VALIDATE_MAX_VALUE 16
#define VALIDATE_MAX_SETTING 32

/* What a model says about one value. */
struct prediction {
	double value;     /* NAN: none, the note says why: the design cannot run, or the row is not understood */
	bool counted;     /* false: listed only */
	const char *note; /* why it is not counted or cannot run; NULL: nothing to say. Static text */
	/* Where value leaves out what the source left out and so may stand beside its figure: the value with all work
	   done, which is listed, too. NAN: the source left out nothing, or the kind cannot tell. */
	double all_work;
};

/* How the figure of a value column is read off the result that the kind's predictor has. */
enum figure_type {
	FIGURE_OWN,        /* not at all: the predictor sets it */
	FIGURE_COUNT,      /* a uint64_t */
	FIGURE_REAL,       /* a double */
	FIGURE_TWO_PLACES, /* a double, as a source prints it with two places */
	FIGURE_PCT         /* a double, as a source prints it in percent with six digits */
};

/* A value column. */
struct reference_value {
	const char *name; /* "*_clk": every column that ends so, "gops_*": that begins so */
	enum figure_type type;
	size_t offset;          /* in the predictor's result */
	enum strategy strategy; /* where columns are of runs with different strategies; N_STRATEGY: they are not */
};

/* One value that is asked for: the row, and the value column with what its kind says of it. */
struct validate_cell {
	struct source *source;
	const struct csv_table *table;
	size_t row, column;
	const struct reference_value *value;
};

/*
 * A kind of table. A file is of the kind whose key columns it has and of whose key and value columns it has most. Empty
 * cells of value columns are predicted and not compared.
 */
struct reference_kind {
	const char *name, *help;
	const char *key[VALIDATE_MAX_KEY + 1];                /* columns that say what a row is about; ends with NULL */
	struct reference_value value[VALIDATE_MAX_VALUE + 1]; /* columns that are predicted; ends with the name NULL */
	/*
	 * Predict a value. *prediction is {NAN, counted, no note, NAN} before. ERR_INPUT when the row names something
	 * that does not exist, with file:line:column.
	 */
	enum err_code (*predict)(const struct validate_cell *cell, struct prediction *prediction, struct err *err);
	size_t n_name; /* so many of the first key columns name a row in texts */
	bool no_param; /* a row says all of its machine: no machine parameters in columns (dse/out/machine_column.h) */
};
extern const struct reference_kind reference_kind_table[];
extern const size_t reference_n_kind;

/* One value of a table and what came of it. */
struct validate_value {
	size_t row, column; /* of the table */
	double reference;   /* NAN: an empty cell, or one that is no number */
	struct prediction prediction;
	double error_pct; /* of the reference; NAN: not both known; infinite: reference 0, or the design cannot run */
	bool is_all_work; /* a second entry of its cell, with prediction.all_work for a value; never counted */
};

/* Errors of the counted values of a table, or of one of its columns. */
struct validate_sum {
	size_t n_reference, n_counted;                /* values with a reference, and of these the counted ones */
	size_t n_infinite;                            /* of the counted ones those of infinite error */
	double mean_abs_error_pct, max_abs_error_pct; /* of the counted, finite ones; NAN: there are none */
	size_t worst; /* of the counted ones that with the largest error, infinite ones too, the first among equals */
};

/* One file, read and predicted. Owns its memory (validate_free). */
struct validation {
	struct csv_table table;
	const struct reference_kind *kind;
	enum detail detail; /* the tier that predicted it */
	size_t n_value;
	struct validate_value *value; /* [n_value] every row, and of it every value column */
	size_t n_unpredicted;         /* values of rows not understood */
	struct validate_sum sum;
	size_t n_column;
	struct validate_column {
		size_t column; /* of the table */
		struct validate_sum sum;
	} column[CSV_MAX_COLUMN]; /* [n_column] value columns, in the table's order */
	/* Values that a machine parameter has in different rows, in the table's order, as far as there is room. */
	size_t n_setting;
	struct validate_setting {
		size_t column, row; /* of the parameter's cell where its value comes first */
		struct validate_sum sum;
	} setting[VALIDATE_MAX_SETTING]; /* [n_setting] */
};

/* 100 * (predicted - reference) / reference; see struct validate_value for the ends. */
double validate_error_pct(double predicted, double reference);

/*
 * The kind of a table among kind[0..n-1]; ERR_INPUT with the columns that are missing, or those of machine parameters
 * that do not exist or that the kind has no use for.
 */
enum err_code validate_find_kind(const struct csv_table *table, const struct reference_kind *kind, size_t n,
                                 const struct reference_kind **found, struct err *err);

/* The value column of the kind that this column of the table is; NULL: none. */
const struct reference_value *validate_find_value(const struct reference_kind *kind, const struct csv_table *table,
                                                  size_t column);

/*
 * Why the value in this row and column is listed but not counted: the source
 * itself is wrong or incomplete there. NULL: it counts.
 */
const char *validate_set_apart(const char *kind, const struct csv_table *table, size_t row, size_t column);

/*
 * Predict and compare all values of validation->table, which is of
 * validation->kind. ERR_INPUT with all mistakes of the table: the rows that were
 * not understood are listed without a prediction, the others as ever.
 */
enum err_code validate_compare(struct validation *validation, struct source *source, struct err *err);

/* Of counted values of one column, one key and one prediction only the nearest stays counted. */
void validate_settle_duplicates(struct validation *validation);

/*
 * Read a file, find its kind, predict and compare. path must outlive it. On failure empty (kind is NULL), or, as after
 * validate_compare, without some rows.
 */
enum err_code validate_file(const char *path, struct source *source, struct validation *validation, struct err *err);

void validate_free(struct validation *validation);

#endif
