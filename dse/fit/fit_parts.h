/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FIT_PARTS_H
#define DSE_FIT_PARTS_H
/* Inside fitting: what its files share. */
#include "dse/fit/fit.h"

/* Rows whose values a fit does without; rows of NOTHING are all there. */
enum fit_omit { OMIT_NOTHING, OMIT_ROW, OMIT_TASK };

/* A fit of a group as the solver sees it. */
struct fit_view {
	const struct fit_data *data;
	const struct fit_group *group;
	enum fit_omit omit;
	size_t omitted; /* row, or first row of the task */
};

/*
 * Predict a value of the group with values value[group->n_param] of its parameters; derivative[n_param] by them, NULL:
 * not wanted. Energies without a measured time take that which data->fitted predicts.
 */
double fit_predict(const struct fit_data *data, const struct fit_group *group, const double *value,
                   const struct fit_point *point, double *derivative);

/* Time of a row, ns: measured, or predicted by data->fitted; NAN: neither. */
double fit_row_ns(const struct fit_data *data, const struct fit_row *row);

/* The share of a value's weight that is left in the view: 0 for rows left out. */
double fit_weight(const struct fit_view *view, const struct fit_point *point);

/* Residuals and derivatives of a view's free parameters, for the solver: see dse/fit/fit_lm.h. */
void fit_evaluate(const void *view, const double *x, double *residual, double *jacobian);

/* Solve a view from the group's values: x[n_free], at_bound[n_free]. */
void fit_solve(const struct fit_view *view, double *x, int *at_bound);

/*
 * Confidence intervals, condition and warnings of a group that is solved. Of a view with rows left out
 * fit_is_determined says whether the other rows determine all its free parameters.
 */
void fit_judge(struct fit_data *data, struct fit_group *group);
bool fit_is_determined(const struct fit_view *view);

/* Errors of values predicted without their own row or task. ERR_INTERRUPTED. */
enum err_code fit_leave_out(struct fit_data *data, struct fit_group *group);

/* A warning about the group; its text lives in the data's arena. */
void fit_warn(struct fit_data *data, struct fit_group *group, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
