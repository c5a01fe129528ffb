/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How certain a fit is. The Jacobian at the solution, each row over its standard deviation and each column scaled to
 * length 1, tells by its singular values what the measurements determine: a value of 0 belongs to a combination of
 * parameters that changes no prediction, a small one to a combination that hardly does (Belsley, Kuh and Welsch,
 * Regression diagnostics, 1980, chapter 3).
 */
#include "dse/fit/fit_parts.h"
#include "dse/base/memory.h"
#include "dse/fit/fit_svd.h"
#include "sim/base/text.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PROBABILITY 0.95

/* Singular values below this share of the largest are rounding: 0 in exact arithmetic. */
#define RANK_FRAC 1e-10
/* Share of a parameter in the combinations that change nothing, above which it is not determined. */
#define NULL_SHARE 1e-6
/* From here on combinations count as nearly undetermined (Belsley: moderate to strong from 30). */
#define CONDITION_LIMIT 30.0
/* A parameter has part in such a combination when that causes so much of its variance (Belsley). */
#define VARIANCE_SHARE 0.5
/* Interval, relative to the estimate, from which on it deserves a warning. */
#define WIDE_FRAC 0.5
/* Residuals beyond so many of the given standard deviations, in the mean, are more than scatter. */
#define MISFIT_RMS 2.0
/* Mean error, in per cent, from which on a fit without standard deviations deserves a second look. */
#define MISFIT_PCT 10.0
/* Relative half widths of the interval for the words of fit_confidence_word. */
#define HIGH_FRAC 0.05
#define MEDIUM_FRAC 0.2

#define NAMES_SIZE 512

/* Columns of a scaled Jacobian and what became of them. */
struct fit_spectrum {
	size_t n, rank;
	size_t param[FIT_MAX_PARAM];             /* [n] of the group */
	double norm[FIT_MAX_PARAM];              /* [n] before scaling */
	double value[FIT_MAX_PARAM];             /* [n] singular values, largest first */
	double v[FIT_MAX_PARAM * FIT_MAX_PARAM]; /* too much for a small stack */
};

/* A warning about the group; its text lives in the data's arena. */
__attribute__((format(printf, 3, 4))) static void warn(struct fit_data *data, struct fit_group *group,
                                                       const char *format, ...)
{
	char text[1024];
	assert(format);
	if (group->n_warning == FIT_MAX_WARNING)
		return;
	TEXT_FILL(text, format);
	group->warning[group->n_warning++] = memory_must(arena_text(&data->arena, text));
}

/* Scale a column to length 1; columns without length stay 0. */
static double scale_column(double *column, size_t n)
{
	double largest = 0, sum = 0;
	assert(column && n > 0);
	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, fabs(column[i]));
	for (size_t i = 0; i < n && largest > 0; i++)
		sum += (column[i] / largest) * (column[i] / largest);
	double norm = largest * sqrt(sum);
	for (size_t i = 0; i < n && norm > 0; i++)
		column[i] /= norm;
	assert(isfinite(norm));
	return norm;
}

/* Diagonal of the hat matrix: squares of the rows of U, which is the decomposed Jacobian over its singular values. */
static void set_leverage(struct fit_data *data, const struct fit_group *group, const struct fit_spectrum *spectrum,
                         const double *decomposed)
{
	for (size_t i = 0; i < group->n_point; i++) {
		double sum = 0;
		for (size_t k = 0; k < spectrum->rank; k++) {
			double u = decomposed[k * group->n_point + i] / spectrum->value[k];
			sum += u * u;
		}
		data->point[group->point[i]].leverage = sum;
	}
}

/* Of the free parameters, or of those of them that no bound holds. leveraged: gets the points' leverage; NULL: none. */
static void take_spectrum(const struct fit_view *view, bool unbound_only, struct fit_spectrum *spectrum,
                          struct fit_data *leveraged)
{
	const struct fit_group *group = view->group;
	size_t n_point = group->n_point, n = 0, n_free = 0;
	double x[FIT_MAX_PARAM];
	assert(group->n_free > 0 && n_point > 0);
	double *jacobian = memory_array((group->n_free + 1) * n_point, sizeof(*jacobian));
	for (size_t i = 0; i < group->n_param; i++)
		if (group->param[i].is_free)
			x[n_free++] = group->param[i].value;
	fit_evaluate(view, x, jacobian + group->n_free * n_point, jacobian);
	n_free = 0;
	for (size_t i = 0; i < group->n_param; i++) {
		if (!group->param[i].is_free)
			continue;
		const double *column = jacobian + n_free++ * n_point;
		if (unbound_only && group->param[i].at_bound)
			continue;
		spectrum->param[n] = i;
		memmove(jacobian + n * n_point, column, n_point * sizeof(*column));
		spectrum->norm[n] = scale_column(jacobian + n * n_point, n_point);
		n++;
	}
	assert(n_free == group->n_free && n <= n_free);
	spectrum->n = n;
	spectrum->rank = 0;
	if (n > 0)
		fit_svd_decompose(jacobian, n_point, n, spectrum->value, spectrum->v);
	while (spectrum->rank < n && spectrum->value[spectrum->rank] > RANK_FRAC * spectrum->value[0])
		spectrum->rank++;
	if (leveraged)
		set_leverage(leveraged, group, spectrum, jacobian);
	free(jacobian);
}

/* Share of column i in the combinations from singular value first on, each weighted by its value to the power -2. */
static double share(const struct fit_spectrum *spectrum, size_t i, size_t first, size_t end, bool weighted)
{
	double sum = 0;
	assert(i < spectrum->n && end <= spectrum->n && (!weighted || end <= spectrum->rank));
	for (size_t k = first; k < end; k++) {
		double part = spectrum->v[k * spectrum->n + i];
		double over = weighted ? spectrum->value[k] : 1;
		sum += (part / over) * (part / over);
	}
	return sum;
}

/* "a, b and c" of the parameters that are marked; returns how many. */
static size_t list_names(const struct fit_data *data, const struct fit_group *group,
                         const struct fit_spectrum *spectrum, const bool *marked, char text[NAMES_SIZE])
{
	size_t n = 0, n_listed = 0, n_byte = 0;
	text[0] = '\0';
	for (size_t i = 0; i < spectrum->n; i++)
		n += marked[i];
	for (size_t i = 0; i < spectrum->n; i++) {
		if (!marked[i])
			continue;
		const char *between = n_listed == 0 ? "" : n_listed + 1 == n ? " and " : ", ";
		struct fit_name name = fit_param_name(data, &group->param[spectrum->param[i]]);
		n_byte += (size_t)snprintf(text + n_byte, NAMES_SIZE - n_byte, "%s%s", between, name.text);
		n_byte = n_byte < NAMES_SIZE ? n_byte : NAMES_SIZE - 1;
		n_listed++;
	}
	return n;
}

/*
 * Parameters with part in a combination that changes no prediction. All free ones are looked at, those at bounds too:
 * of two that cannot be told apart a bound may hold one, and the other would then look certain.
 */
static void find_undetermined(struct fit_data *data, struct fit_group *group, const struct fit_spectrum *spectrum)
{
	char text[NAMES_SIZE];
	bool apart[FIT_MAX_PARAM], together[FIT_MAX_PARAM];
	assert(spectrum->n == group->n_free);
	for (size_t i = 0; i < spectrum->n; i++) {
		bool is_lost = share(spectrum, i, spectrum->rank, spectrum->n, false) > NULL_SHARE;
		group->param[spectrum->param[i]].identified = !is_lost;
		apart[i] = is_lost && !(spectrum->norm[i] > 0);
		together[i] = is_lost && spectrum->norm[i] > 0;
	}
	if (list_names(data, group, spectrum, apart, text) > 0)
		warn(data, group, "not identified: %s: no measurement depends on it", text);
	if (list_names(data, group, spectrum, together, text) > 0)
		warn(data, group,
		     "not identified: %s cannot be told apart: only combinations of them are determined; measure tasks "
		     "in which they differ, or hold one with --fix KEY=VALUE",
		     text);
	if (group->n_used < group->n_free)
		warn(data, group, "%zu measured value%s for %zu parameters", group->n_used,
		     group->n_used == 1 ? "" : "s", group->n_free);
}

/* Parameters with part in a combination that hardly changes a prediction. */
static void find_collinear(struct fit_data *data, struct fit_group *group, const struct fit_spectrum *spectrum)
{
	char text[NAMES_SIZE];
	bool marked[FIT_MAX_PARAM];
	for (size_t k = spectrum->rank; k-- > 0;) {
		double index = spectrum->value[0] / spectrum->value[k];
		assert(index >= 1);
		if (index < CONDITION_LIMIT)
			return;
		for (size_t i = 0; i < spectrum->n; i++) {
			double all = share(spectrum, i, 0, spectrum->rank, true);
			marked[i] = all > 0 && share(spectrum, i, k, k + 1, true) > VARIANCE_SHARE * all;
		}
		if (list_names(data, group, spectrum, marked, text) > 1)
			warn(data, group,
			     "%s can hardly be told apart (condition index %.3g, good is below %g): one may be too "
			     "large "
			     "and another too small; trust their sum more than each of them",
			     text, index, CONDITION_LIMIT);
	}
}

static double square(double value)
{
	return value * value;
}

/* Standard errors and intervals, scaled by the residuals' own scatter; bounds that hold are taken as known. */
static void set_intervals(struct fit_group *group, const struct fit_spectrum *spectrum)
{
	double factor = group->n_freedom >= 1 ? fit_svd_student_t(group->n_freedom, PROBABILITY) : NAN;
	for (size_t i = 0; i < spectrum->n; i++) {
		struct fit_param *param = &group->param[spectrum->param[i]];
		if (!param->identified || !(spectrum->norm[i] > 0) || !isfinite(factor))
			continue;
		double variance = share(spectrum, i, 0, spectrum->rank, true) / square(spectrum->norm[i]);
		param->std_error = group->weighted_rms * sqrt(variance * (double)group->n_used / group->n_freedom);
		param->low = fmax(param->value - factor * param->std_error, fit_term_min(param->term));
		param->high = fmin(param->value + factor * param->std_error, fit_term_max(param->term));
		assert(param->low <= param->value && param->value <= param->high);
	}
}

/* Half of the interval over the estimate. */
static double relative_width(const struct fit_param *param)
{
	double half = fmax(param->high - param->value, param->value - param->low);
	return half > 0 ? half / fabs(param->value) : half;
}

const char *fit_confidence_word(const struct fit_param *param)
{
	double width = relative_width(param);
	assert(!(width < 0));
	if (!param->is_free || !param->identified)
		return "none";
	return width <= HIGH_FRAC ? "high" : width <= MEDIUM_FRAC ? "medium" : "low";
}

static void warn_of_estimates(struct fit_data *data, struct fit_group *group)
{
	bool all_sigma = group->n_used > 0;
	for (size_t i = 0; i < group->n_param; i++) {
		const struct fit_param *param = &group->param[i];
		const char *name = fit_param_name(data, param).text;
		if (param->is_free && param->identified && param->at_bound)
			warn(
			    data, group,
			    "%s is at its %s value: the measurements ask for a %s one, which is not allowed; intervals "
			    "of the others take it for known",
			    name, param->at_bound < 0 ? "smallest" : "largest",
			    param->at_bound < 0 ? "smaller" : "larger");
		else if (param->is_free && param->identified && relative_width(param) > WIDE_FRAC)
			warn(data, group, "%s is uncertain by more than %.0f %%", name, 100 * WIDE_FRAC);
	}
	for (size_t i = 0; i < group->n_point; i++)
		all_sigma = all_sigma && data->point[group->point[i]].has_sigma;
	if (all_sigma && group->weighted_rms > MISFIT_RMS)
		warn(data, group,
		     "residuals are %.3g times the standard deviations given: the model is cruder than the "
		     "measurements, or these are less exact than they say",
		     group->weighted_rms);
	if (!all_sigma && group->mean_abs_pct > MISFIT_PCT)
		warn(data, group,
		     "predictions are off by %.3g %% in the mean: the model does not describe these measurements; are "
		     "units right, and values of all repeats?",
		     group->mean_abs_pct);
	if (group->n_freedom < 1)
		warn(data, group, "as many parameters as measured values: nothing is left to tell errors by");
}

static void measure_residuals(const struct fit_data *data, struct fit_group *group)
{
	const struct fit_view view = {data, group, OMIT_NOTHING, 0};
	double sum = 0, sum_pct = 0;
	size_t n_pct = 0;
	group->n_used = 0;
	group->max_abs_pct = 0;
	for (size_t i = 0; i < group->n_point; i++) {
		const struct fit_point *point = &data->point[group->point[i]];
		double weight = fit_weight(&view, point);
		if (!(weight > 0))
			continue;
		group->n_used++;
		sum += weight * square((point->predicted - point->measured) / point->sigma);
		if (!(point->measured > 0))
			continue;
		double pct = 100 * fabs(point->predicted / point->measured - 1);
		n_pct++;
		sum_pct += pct;
		group->max_abs_pct = fmax(group->max_abs_pct, pct);
	}
	group->weighted_rms = group->n_used > 0 ? sqrt(sum / (double)group->n_used) : NAN;
	group->mean_abs_pct = n_pct > 0 ? sum_pct / (double)n_pct : NAN;
}

void fit_judge(struct fit_data *data, struct fit_group *group)
{
	const struct fit_view view = {data, group, OMIT_NOTHING, 0};
	measure_residuals(data, group);
	group->condition = 1;
	group->n_freedom = (double)group->n_used;
	if (group->n_free == 0)
		return;
	struct fit_spectrum *all = memory_array(2, sizeof(*all)), *unbound = all + 1;
	take_spectrum(&view, false, all, data);
	take_spectrum(&view, true, unbound, NULL);
	assert(unbound->n <= all->n && all->n == group->n_free);
	group->n_freedom = (double)group->n_used - (double)unbound->rank;
	group->condition = all->rank < all->n ? INFINITY : all->value[0] / all->value[all->n - 1];
	find_undetermined(data, group, all);
	find_collinear(data, group, all);
	set_intervals(group, unbound);
	warn_of_estimates(data, group);
	free(all);
}

bool fit_is_determined(const struct fit_view *view)
{
	struct fit_spectrum *spectrum = memory_array(1, sizeof(*spectrum));
	take_spectrum(view, false, spectrum, NULL);
	bool is_determined = spectrum->rank == spectrum->n;
	free(spectrum);
	return is_determined;
}
