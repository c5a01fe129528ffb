/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RANGE_ENDS_H
#define TESTS_RANGE_ENDS_H
/*
 * The ends of the ranges of all machine parameters and fields of operating points, as machine_param[] and level_param[]
 * have them, on machines of each target: one end at a time and two at a time. A case is a machine and two ends; the
 * same end twice is one alone. Arrays have four ends, switches two, names all their values.
 */
#include "dse/space/machine_read.h"
#include "sim/machine/machine_check.h"
#include "sim/machine/machine_param.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What ends are set on: one QPE, chips without and with a technology, a systolic array. */
static const char *const range_machine[] = {
    "spaces/machines/thesis_qpe_dram.yaml",
    "spaces/machines/dvfs_chip.yaml",
    "spaces/machines/dvfs_chip_22nm.yaml",
    "spaces/machines/edge_tpu.yaml",
};
enum {
	N_RANGE_MACHINE = sizeof(range_machine) / sizeof(range_machine[0]),
	MAX_RANGE_END = 400,
	RANGE_END_TEXT = 200,
	RANGE_CASE_TEXT = 512
};

struct range_end {
	const struct machine_param *param; /* NULL: a field of the first operating point */
	const struct level_param *field;
	char text[48];
};

struct range_case {
	uint64_t number;  /* among all cases of all machines */
	const char *file; /* of range_machine */
	const struct machine *base;
	const struct range_end *first, *second;
};

/* A walk over all cases. */
struct range_cases {
	uint64_t number;
	size_t machine, i, j, n_end;
	struct machine base; /* machine's */
	struct range_end end[MAX_RANGE_END];
};

static inline struct range_end *range_add(struct range_cases *cases, const struct machine_param *param,
                                          const struct level_param *field)
{
	struct range_end *end = &cases->end[cases->n_end++];
	assert_true(cases->n_end <= MAX_RANGE_END);
	*end = (struct range_end){.param = param, .field = field};
	return end;
}

static inline void range_list_param(struct range_cases *cases, const struct machine_param *param)
{
	unsigned n = param->type == PARAM_ARRAY ? 4 : param->type == PARAM_ENUM ? (unsigned)param->max + 1 : 2;
	const char *name = param->unit; /* of a PARAM_ENUM */
	for (unsigned i = 0; i < n; i++) {
		struct range_end *end = range_add(cases, param, NULL);
		double value = i % 2 ? param->max : param->min;
		if (param->type == PARAM_ARRAY)
			(void)snprintf(end->text, sizeof(end->text), "%.0fx%.0f", value,
			               i / 2 ? param->max : param->min);
		else if (param->type == PARAM_BOOL)
			(void)snprintf(end->text, sizeof(end->text), "%s", i ? "true" : "false");
		else if (param->type == PARAM_ENUM) {
			(void)snprintf(end->text, sizeof(end->text), "%.*s", (int)strcspn(name, "/"), name);
			name += strcspn(name, "/") + 1;
		} else
			(void)snprintf(end->text, sizeof(end->text), "%.17g", value);
	}
}

static inline void range_begin(struct range_cases *cases)
{
	struct err err = {0};
	cases->n_end = cases->i = cases->j = 0;
	if (machine_read(range_machine[cases->machine], &cases->base, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	for (size_t i = 0; i < machine_n_param; i++)
		if (machine_param_serves(&machine_param[i], cases->base.target))
			range_list_param(cases, &machine_param[i]);
	for (size_t i = 0; i < machine_n_level_param; i++)
		for (int k = 0; k < 2; k++) {
			struct range_end *end = range_add(cases, NULL, &level_param[i]);
			(void)snprintf(end->text, sizeof(end->text), "%.17g",
			               k ? level_param[i].max : level_param[i].min);
		}
}

static inline struct range_cases range_cases_all(void)
{
	struct range_cases cases = {0};
	range_begin(&cases);
	return cases;
}

/* Whether two ends are of one parameter, and not the same. */
static inline bool range_excludes(const struct range_end *a, const struct range_end *b)
{
	return a != b && a->param == b->param && a->field == b->field;
}

static inline bool range_cases_next(struct range_cases *cases, struct range_case *which)
{
	for (;;) {
		if (cases->i == cases->n_end) {
			if (++cases->machine == N_RANGE_MACHINE)
				return false;
			range_begin(cases);
		}
		const struct range_end *first = &cases->end[cases->i], *second = &cases->end[cases->j];
		if (cases->j++ == cases->i) {
			cases->i++;
			cases->j = 0;
		}
		if (range_excludes(first, second))
			continue;
		*which =
		    (struct range_case){cases->number++, range_machine[cases->machine], &cases->base, first, second};
		return true;
	}
}

static inline uint64_t range_cases_count(void)
{
	struct range_cases cases = range_cases_all();
	struct range_case which;
	while (range_cases_next(&cases, &which))
		;
	return cases.number;
}

/* "KEY=VALUE" as --set takes it, of the operating point `level`. */
static inline void range_end_print(const struct range_end *end, const char *level, char text[RANGE_END_TEXT])
{
	if (end->param)
		(void)snprintf(text, RANGE_END_TEXT, "%s=%s", end->param->key, end->text);
	else
		(void)snprintf(text, RANGE_END_TEXT, "levels.%s.%s=%s", level, end->field->key, end->text);
}

static inline void range_case_print(const struct range_case *which, char text[RANGE_CASE_TEXT])
{
	char first[RANGE_END_TEXT], second[RANGE_END_TEXT] = "";
	const char *level = which->base->level[0].name;
	range_end_print(which->first, level, first);
	if (which->second != which->first)
		range_end_print(which->second, level, second);
	(void)snprintf(text, RANGE_CASE_TEXT, "%s %s %s", which->file, first, second);
}

static inline void range_set(struct machine *machine, const struct range_end *end)
{
	if (end->param)
		assert_int_equal(machine_set_param(machine, end->param, end->text, NULL), ERR_OK);
	else
		*(double *)(void *)((char *)&machine->level[0] + end->field->offset) = strtod(end->text, NULL);
}

/* The machine with its two ends; false: machine_check refuses it, and says why. */
static inline bool range_case_machine(const struct range_case *which, struct machine *machine)
{
	struct err err = {0};
	*machine = *which->base;
	range_set(machine, which->second);
	range_set(machine, which->first);
	enum err_code code = machine_check(machine, &err);
	assert_true(code == ERR_OK || (code == ERR_INPUT && err.n_message > 0));
	err_clear(&err);
	return code == ERR_OK;
}

#endif
