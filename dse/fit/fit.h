/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FIT_H
#define DSE_FIT_H
/*
 * Fitting: measurements of tasks in (CSV), parameters of a machine out, with their certainty. Parameters are the
 * constants of the grey-box clock model (DVFS paper equations 7 to 11), energies of actions and static powers
 * (equations 1 to 6).
 *
 *   fit_read.c -> fit.c (fit_model.c predicts, fit_lm.c solves) -> fit_confidence.c, fit_left_out.c -> fit_print.c,
 *   fit_json.c, fit_fragment.c, fit_chart.c
 */
#include "dse/fit/fit_term.h"
#include "dse/space/provenance.h"
#include "sim/base/arena.h"
#include "sim/base/csv.h"
#include <stdio.h>

#define FIT_MAX_ROW 100000u

enum fit_row_kind { ROW_CONV, ROW_MATMUL, ROW_IDLE, ROW_COUNTS, N_FIT_ROW_KIND };

/* A row that --where does not leave out. Counts and times are of one run. */
struct fit_row {
	size_t row; /* of the table */
	const char *name;
	enum fit_row_kind kind;
	uint32_t level;
	size_t same_as; /* first row of the same task and operating point; itself where there is none */
	double clk_mhz, repeat, weight;
	double n_pe, n_powered_pe;
	double n_round, n_tap;    /* of the grey-box model: conv and matmul */
	double count[N_FIT_TERM]; /* of actions, one PE's; of energies' terms only */
	double time_ns;           /* measured; NAN: not */
};

/* A measured value, of one run. */
struct fit_point {
	size_t row; /* in struct fit_data */
	enum fit_quantity quantity;
	double measured, sigma; /* clk, ns or nJ; sigma > 0 */
	bool has_sigma;         /* the table gave it */
	double factor;          /* of the weight, from 0 to 1: what --robust makes of it */
	double predicted;
	double leverage;                  /* how much the value decides its own prediction: 0 not at all, 1 alone */
	double without_row, without_task; /* predicted by a fit without this row, or its task's rows; NAN: not known */
};

/* A table of measurements. */
struct fit_data {
	struct csv_table table;
	struct machine machine; /* as it was given: start values, and values of what is not fitted */
	struct machine fitted;  /* with what has been fitted so far */
	struct arena arena;
	size_t n_row, n_point;
	struct fit_row *row;     /* [n_row] */
	struct fit_point *point; /* [n_point], by rows */
	const char *unused;      /* columns that nobody reads, ", " between them; "": none */
};

/* What the user wants; zero: nothing in particular. */
struct fit_options {
	const char *clocks;     /* column of the clocks; NULL: clk, or hdl_clk */
	const char *where;      /* rows: "COLUMN=VALUE,..."; NULL: all */
	const char *parameters; /* "KEY,..."; NULL: those that the measurements depend on */
	const char *fix;        /* "KEY=VALUE,..." or "LEVEL.KEY=VALUE"; NULL: none */
	bool robust;            /* Huber's weights: values far off count less */
};

/* A parameter of a group. */
struct fit_param {
	enum fit_term term;
	uint32_t level; /* N/A for terms that hold for all levels: then that of the first row */
	bool is_free;
	bool matters;                       /* some value of the group depends on it */
	bool identified;                    /* the measurements determine it */
	int at_bound;                       /* -1, 1: it would go below or above what is allowed */
	double value, std_error, low, high; /* 95 % confidence; NAN: not known */
};

#define FIT_MAX_PARAM 64
#define FIT_MAX_WARNING 32

/* How far predictions of left-out values are from the measured ones. */
struct fit_left_out {
	size_t n, n_lost; /* values predicted; values that no parameters are left to predict with */
	double mean_abs_pct, max_abs_pct, weighted_rms;
};

/* One fit. */
struct fit_group {
	enum fit_kind kind;
	uint32_t level; /* of clocks */
	size_t n_point;
	size_t *point; /* [n_point] in struct fit_data */
	size_t n_used; /* of them with a weight */
	size_t n_param, n_free;
	struct fit_param param[FIT_MAX_PARAM];
	double n_freedom;    /* degrees of freedom; below 1: nothing is known of the certainty */
	double weighted_rms; /* of the residuals over their sigmas; NAN: nothing was fitted */
	double mean_abs_pct, max_abs_pct;
	double condition; /* of the scaled Jacobian: largest over smallest singular value; INFINITY: rank deficient */
	struct fit_left_out without_row, without_task;
	size_t n_warning;
	const char *warning[FIT_MAX_WARNING];
};

/* Everything that was fitted. */
struct fit_result {
	size_t n_group;
	struct fit_group *group; /* [n_group], in the data's arena */
	bool identified;         /* every parameter that was to be fitted is */
};

/*
 * Read measurements of a machine. path and the texts of options must outlive data. All mistakes of the table in one
 * pass: ERR_INPUT; ERR_IO. data is empty then (fit_free is allowed all the same).
 */
enum err_code fit_read(const char *path, const struct machine *machine, const struct fit_options *options,
                       struct fit_data *data, struct err *err);
void fit_free(struct fit_data *data);

/*
 * The groups of rows, of those that options->where leaves, that have the same words in some columns ("COLUMN,..."): for
 * each, in the order of the table, what --where has to say of it besides, into clause[FIT_MAX_BY_GROUP], in the arena.
 * ERR_USAGE, ERR_INPUT, ERR_IO.
 */
#define FIT_MAX_BY_GROUP 64
enum err_code fit_list_groups(const char *path, const struct fit_options *options, const char *by, struct arena *arena,
                              const char **clause, size_t *n, struct err *err);

/*
 * Fit what options say. ERR_USAGE where --parameters or --fix name what does not exist or what no row is about;
 * ERR_INPUT where a row lacks what its energy needs; ERR_INTERRUPTED. A measurement that does not
 * determine all parameters is no error: result->identified is false. Cost: fits of all rows, and one for each row left
 * out.
 */
enum err_code fit_run(struct fit_data *data, const struct fit_options *options, struct fit_result *result,
                      struct err *err);

/* "PL1.conv_a"; a key without a level where it holds for all. */
struct fit_name {
	char text[64];
};
struct fit_name fit_param_name(const struct fit_data *data, const struct fit_param *param);

/* What is fitted, for headings: "clocks of convolutions at PL1". */
struct fit_name fit_group_name(const struct fit_data *data, const struct fit_group *group);

/* "high" (95 % within 5 %), "medium" (20 %), "low", or "none" where the measurements do not determine it. */
const char *fit_confidence_word(const struct fit_param *param);

/* Of tasks that the MLA does, energies of all measured supplies together: how far predictions are off. */
struct fit_energy_errors {
	size_t n; /* tasks; 0: no energy of one was measured */
	double mean_abs_pct, max_abs_pct;
};
struct fit_energy_errors fit_energy_errors(const struct fit_data *data, const struct fit_result *result);

/* Those energies as a picture (SVG), measured beside predicted by supply: the DVFS paper's figure 3. */
void fit_draw_energies(FILE *file, const struct fit_data *data, const struct fit_result *result);

/* The result for people (residuals: row by row, too), for programs, and as sections of a machine file. */
void fit_print(FILE *file, const struct fit_data *data, const struct fit_result *result, bool residuals);
void fit_put_json(FILE *file, const struct fit_data *data, const struct fit_result *result);
void fit_write_fragment(FILE *file, const struct fit_data *data, const struct fit_result *result,
                        const struct machine_sources *sources /* of the machine */);

#endif
