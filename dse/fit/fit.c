/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which parameters are fitted to which values, and fits group after group. Energies come last, because they
 * need the fitted clock models.
 */
#include "sim/base/unit.h"
#include "dse/fit/fit.h"
#include "dse/base/memory.h"
#include "dse/fit/fit_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Huber's constant: 95 % efficient where errors are normal after all. */
#define HUBER 1.345
/* The median of normal errors' sizes times this is their standard deviation. */
#define MEDIAN_TO_SIGMA 1.4826
#define MAX_REWEIGHT 50

/* What options say of the terms. */
struct term_choice {
	bool all_given; /* --parameters was: nothing else is fitted */
	bool listed[N_FIT_TERM];
	bool fixed[MACHINE_MAX_LEVEL][N_FIT_TERM];
	double value[MACHINE_MAX_LEVEL][N_FIT_TERM];
};

struct fit_name fit_param_name(const struct fit_data *data, const struct fit_param *param)
{
	const struct fit_term_info *info = &fit_term_table[param->term];
	struct fit_name name;
	assert((unsigned)param->term < N_FIT_TERM && param->level < data->machine.n_level);
	(void)snprintf(name.text, sizeof(name.text), "%s%s%s",
	               info->each_level ? data->machine.level[param->level].name : "", info->each_level ? "." : "",
	               info->key);
	return name;
}

struct fit_name fit_group_name(const struct fit_data *data, const struct fit_group *group)
{
	struct fit_name name;
	if (group->kind == FIT_ENERGY)
		(void)snprintf(name.text, sizeof(name.text), "energies");
	else
		(void)snprintf(name.text, sizeof(name.text), "clocks of %s at %s",
		               group->kind == FIT_CONV ? "convolutions" : "matrix multiplications",
		               data->machine.level[group->level].name);
	return name;
}

/* ---- options ------------------------------------------------------------------------------------- */

static bool find_term(const char *key, enum fit_term *term)
{
	for (int i = 0; i < N_FIT_TERM; i++) {
		*term = (enum fit_term)i;
		if (strcmp(fit_term_table[i].key, key) == 0)
			return true;
	}
	return false;
}

static enum err_code unknown_term(const char *option, const char *key, struct err *err)
{
	const char *name[N_FIT_TERM];
	char list[640] = "";
	size_t n_byte = 0;
	for (size_t i = 0; i < N_FIT_TERM; i++) {
		name[i] = fit_term_table[i].key;
		n_byte += (size_t)snprintf(list + n_byte, sizeof(list) - n_byte, "%s%s", i ? ", " : "", name[i]);
		assert(n_byte < sizeof(list));
	}
	const char *nearest = err_nearest(key, name, N_FIT_TERM);
	if (nearest)
		return err_add(err, ERR_USAGE, "dse fit: %s names '%.40s', which cannot be fitted; did you mean '%s'?",
		               option, key, nearest);
	return err_add(err, ERR_USAGE, "dse fit: %s names '%.40s', which cannot be fitted; allowed are %s", option, key,
	               list);
}

/* "KEY=VALUE" for all operating points, "LEVEL.KEY=VALUE" for one. */
static void read_fix(const struct machine *machine, char *word, struct term_choice *choice, struct err *err)
{
	assert(machine->n_level > 0 && machine->n_level <= MACHINE_MAX_LEVEL);
	char *equals = strchr(word, '='), *dot = strchr(word, '.');
	uint32_t first = 0, last = machine->n_level - 1;
	enum fit_term term;
	if (!equals) {
		(void)err_add(err, ERR_USAGE, "dse fit: --fix is '%.60s', allowed is KEY=VALUE, e.g. conv_b=1", word);
		return;
	}
	*equals = '\0';
	for (uint32_t i = 0; dot && i < machine->n_level; i++) {
		size_t n = strlen(machine->level[i].name);
		if (strncmp(machine->level[i].name, word, n) != 0 || word[n] != '.')
			continue;
		first = last = i;
		word += n + 1;
		break;
	}
	if (!find_term(word, &term)) {
		(void)unknown_term("--fix", word, err);
		return;
	}
	double value = 0;
	if (!unit_read(equals + 1, fit_term_unit(term), &value) ||
	    !(value >= fit_term_min(term) && value <= fit_term_max(term))) {
		(void)err_add(err, ERR_USAGE,
		              "dse fit: --fix gives %s the value '%.40s', allowed is a number from %g to %g", word,
		              equals + 1, fit_term_min(term), fit_term_max(term));
		return;
	}
	for (uint32_t i = first; i <= last; i++) {
		choice->fixed[i][term] = true;
		choice->value[i][term] = value;
	}
}

static enum err_code read_options(const struct fit_data *data, const struct fit_options *options,
                                  struct term_choice *choice, struct arena *arena, struct err *err)
{
	char *rest = NULL;
	*choice = (struct term_choice){.all_given = options->parameters != NULL};
	char *parameters = memory_must(arena_text(arena, options->parameters ? options->parameters : ""));
	char *fix = memory_must(arena_text(arena, options->fix ? options->fix : ""));
	for (char *word = strtok_r(parameters, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		enum fit_term term;
		if (find_term(word, &term))
			choice->listed[term] = true;
		else
			(void)unknown_term("--parameters", word, err);
	}
	for (char *word = strtok_r(fix, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		read_fix(&data->machine, word, choice, err);
	return err->code;
}

/* ---- groups -------------------------------------------------------------------------------------- */

/* Whether a value belongs to the group; a row's time is no second measurement of its clocks. */
static bool belongs(const struct fit_data *data, const struct fit_group *group, size_t i)
{
	const struct fit_point *point = &data->point[i];
	const struct fit_row *row = &data->row[point->row];
	if (point->quantity >= QUANTITY_ENERGY)
		return group->kind == FIT_ENERGY;
	if (point->quantity == QUANTITY_TIME && i > 0 && data->point[i - 1].row == point->row &&
	    data->point[i - 1].quantity == QUANTITY_CLK)
		return false;
	return group->kind != FIT_ENERGY && row->level == group->level &&
	       row->kind == (group->kind == FIT_CONV ? ROW_CONV : ROW_MATMUL);
}

static void collect_points(struct fit_data *data, struct fit_group *group)
{
	group->point = memory_must(arena_array(&data->arena, data->n_point + 1, sizeof(*group->point)));
	for (size_t i = 0; i < data->n_point; i++) {
		if (!belongs(data, group, i))
			continue;
		group->point[group->n_point++] = i;
		group->n_used += data->row[data->point[i].row].weight > 0;
	}
}

/* The group's terms, for each operating point where they differ there. */
static void list_params(const struct fit_data *data, struct fit_group *group, const struct term_choice *choice)
{
	uint32_t used = 0;
	for (size_t i = 0; i < group->n_point; i++)
		used |= UINT32_C(1) << data->row[data->point[group->point[i]].row].level;
	for (int i = 0; i < N_FIT_TERM; i++) {
		enum fit_term term = (enum fit_term)i;
		bool has_one = false;
		for (uint32_t level = 0; level < data->machine.n_level; level++) {
			if (fit_term_table[i].kind != group->kind || !(used >> level & 1) ||
			    (has_one && !fit_term_table[i].each_level))
				continue;
			assert(group->n_param < FIT_MAX_PARAM);
			bool fixed = choice->fixed[level][term];
			double value = fixed ? choice->value[level][term] : fit_term_get(&data->machine, level, term);
			/* Measurements of supplies leave the rest of the chip out unless the user says otherwise. */
			if (term == TERM_CHIP_OFF && !fixed && !choice->listed[term])
				value = 0;
			group->param[group->n_param++] = (struct fit_param){
			    .term = term,
			    .level = level,
			    .is_free = !fixed && choice->listed[term],
			    .value = value,
			    .std_error = NAN,
			    .low = NAN,
			    .high = NAN,
			};
			has_one = true;
		}
	}
}

/* Without --parameters: whatever the values with a weight depend on. */
static void choose_params(const struct fit_data *data, struct fit_group *group, const struct term_choice *choice)
{
	double value[FIT_MAX_PARAM], derivative[FIT_MAX_PARAM];
	assert(group->n_free == 0 && group->n_param > 0);
	for (size_t i = 0; i < group->n_param; i++)
		value[i] = group->param[i].value;
	for (size_t k = 0; k < group->n_point; k++) {
		const struct fit_point *point = &data->point[group->point[k]];
		(void)fit_predict(data, group, value, point, derivative);
		for (size_t i = 0; i < group->n_param; i++) {
			struct fit_param *param = &group->param[i];
			const struct fit_term_info *info = &fit_term_table[param->term];
			bool wanted = info->by_default && !(info->alone && point->quantity == QUANTITY_ENERGY);
			param->matters = param->matters || derivative[i] > 0;
			if (wanted && derivative[i] > 0 && data->row[point->row].weight > 0 && !choice->all_given &&
			    !choice->fixed[param->level][param->term])
				param->is_free = true;
		}
	}
	for (size_t i = 0; i < group->n_param; i++)
		group->n_free += group->param[i].is_free;
	/* without a value that counts there is nothing to fit, but predictions are made all the same */
	if (group->n_used == 0) {
		for (size_t i = 0; i < group->n_param; i++)
			group->param[i].is_free = false;
		group->n_free = 0;
	}
}

/* ---- solving ------------------------------------------------------------------------------------- */

static void predict_points(struct fit_data *data, const struct fit_group *group)
{
	double value[FIT_MAX_PARAM];
	for (size_t i = 0; i < group->n_param; i++)
		value[i] = group->param[i].value;
	for (size_t i = 0; i < group->n_point; i++) {
		struct fit_point *point = &data->point[group->point[i]];
		point->predicted = fit_predict(data, group, value, point, NULL);
	}
}

static void solve_once(struct fit_data *data, struct fit_group *group)
{
	const struct fit_view view = {data, group, OMIT_NOTHING, 0};
	double x[FIT_MAX_PARAM];
	int at_bound[FIT_MAX_PARAM];
	fit_solve(&view, x, at_bound);
	for (size_t i = 0, n_free = 0; i < group->n_param; i++) {
		if (!group->param[i].is_free)
			continue;
		group->param[i].value = x[n_free];
		group->param[i].at_bound = at_bound[n_free++];
	}
	predict_points(data, group);
}

static int compare_reals(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

/* Huber's weights for the residuals as they are; returns the largest change of one. */
static double reweight(struct fit_data *data, struct fit_group *group, double *size /* [n_point] */)
{
	size_t n = 0;
	double change = 0;
	for (size_t i = 0; i < group->n_point; i++) {
		const struct fit_point *point = &data->point[group->point[i]];
		double weight = data->row[point->row].weight;
		if (weight > 0)
			size[n++] = sqrt(weight) * fabs(point->predicted - point->measured) / point->sigma;
	}
	assert(n == group->n_used);
	qsort(size, n, sizeof(*size), compare_reals);
	double scale = n > 0 ? MEDIAN_TO_SIGMA * (size[(n - 1) / 2] + size[n / 2]) / 2 : 0;
	for (size_t i = 0; i < group->n_point; i++) {
		struct fit_point *point = &data->point[group->point[i]];
		double weight = data->row[point->row].weight;
		double own = sqrt(weight) * fabs(point->predicted - point->measured) / point->sigma;
		double factor = own > HUBER * scale && scale > 0 ? HUBER * scale / own : 1;
		change = fmax(change, fabs(factor - point->factor));
		assert(factor > 0 && factor <= 1);
		point->factor = factor;
	}
	return change;
}

static void solve_group(struct fit_data *data, struct fit_group *group, bool robust)
{
	solve_once(data, group);
	if (!robust)
		return;
	double *size = memory_array(group->n_point, sizeof(*size));
	for (int i = 0; i < MAX_REWEIGHT && reweight(data, group, size) > 1e-9; i++)
		solve_once(data, group);
	free(size);
}

/* Later groups, and the fragment, go by what is determined. */
static void keep_estimates(struct fit_data *data, const struct fit_group *group)
{
	for (size_t i = 0; i < group->n_param; i++) {
		const struct fit_param *param = &group->param[i];
		bool all = !fit_term_table[param->term].each_level;
		for (uint32_t level = 0; level < data->machine.n_level; level++)
			if ((all || level == param->level) && (param->is_free || group->kind != FIT_ENERGY))
				fit_term_set(&data->fitted, level, param->term, param->value);
	}
}

static enum err_code fit_one(struct fit_data *data, struct fit_group *group, bool robust)
{
	enum err_code code = ERR_OK;
	assert(group->n_point > 0);
	if (group->n_free > 0)
		solve_group(data, group, robust);
	else
		predict_points(data, group);
	fit_judge(data, group);
	if (group->n_free > 0)
		code = fit_leave_out(data, group);
	if (code == ERR_OK)
		keep_estimates(data, group);
	return code;
}

/* Energies with static power need a time, which rows without a shape must bring. */
static enum err_code check_times(const struct fit_data *data, const struct fit_group *group, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < group->n_point && group->kind == FIT_ENERGY; i++) {
		const struct fit_row *row = &data->row[data->point[group->point[i]].row];
		const struct csv_cell *cell = csv_get_cell(&data->table, row->row, 0);
		if (i > 0 && data->point[group->point[i - 1]].row == data->point[group->point[i]].row)
			continue;
		if (!isfinite(fit_row_ns(data, row)))
			code = err_add_at(
			    err, ERR_INPUT, csv_place(&data->table, cell),
			    "the row has an energy and neither clk nor time_ns; static power needs one of them");
	}
	return code;
}

static enum err_code check_listed(const struct fit_result *result, const struct term_choice *choice, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t term = 0; term < N_FIT_TERM; term++) {
		bool found = !choice->listed[term];
		for (size_t i = 0; i < result->n_group && !found; i++)
			for (size_t k = 0; k < result->group[i].n_param; k++)
				found = found || (size_t)result->group[i].param[k].term == term;
		if (!found)
			code = err_add(
			    err, ERR_USAGE, "dse fit: --parameters names %s, of which no row has a measured %s",
			    fit_term_table[term].key, fit_term_table[term].kind == FIT_ENERGY ? "energy" : "time");
	}
	return code;
}

/* All groups that have values, energies last. */
static enum err_code make_groups(struct fit_data *data, const struct term_choice *choice, struct fit_result *result,
                                 struct err *err)
{
	/* convolutions and matrix multiplications of each operating point */
	size_t n_max = 2 * (size_t)data->machine.n_level + 1;
	*result = (struct fit_result){.group = memory_must(arena_array(&data->arena, n_max, sizeof(*result->group))),
	                              .identified = true};
	for (size_t i = 0; i < n_max; i++) {
		struct fit_group *group = &result->group[result->n_group];
		enum fit_kind kind = i + 1 == n_max ? FIT_ENERGY : i % 2 ? FIT_MATMUL : FIT_CONV;
		*group = (struct fit_group){.kind = kind, .level = kind == FIT_ENERGY ? 0 : (uint32_t)(i / 2)};
		collect_points(data, group);
		if (group->n_point == 0)
			continue;
		list_params(data, group, choice);
		result->n_group++;
	}
	return check_listed(result, choice, err);
}

enum err_code fit_run(struct fit_data *data, const struct fit_options *options, struct fit_result *result,
                      struct err *err)
{
	struct term_choice choice;
	assert(data && options && result && data->n_row > 0);
	*result = (struct fit_result){0};
	enum err_code code = read_options(data, options, &choice, &data->arena, err);
	if (code == ERR_OK)
		code = make_groups(data, &choice, result, err);
	for (size_t i = 0; i < result->n_group && code == ERR_OK; i++) {
		struct fit_group *group = &result->group[i];
		code = check_times(data, group, err);
		if (code != ERR_OK)
			break;
		choose_params(data, group, &choice);
		code = fit_one(data, group, options->robust);
		for (size_t k = 0; k < group->n_param; k++)
			result->identified =
			    result->identified && (!group->param[k].is_free || group->param[k].identified);
	}
	return code;
}
