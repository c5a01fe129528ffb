/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/space_machine.h"
#include "dse/out/csv_write.h"
#include "sim/machine/machine_check.h"
#include "sim/program/mixed.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_PARAM 128

uint64_t space_n_machine(const struct space *space)
{
	uint64_t n = space->n_machine;
	for (size_t i = 0; i < space->n_axis; i++)
		n = mul_sat(n, space->axis[i].n);
	return n;
}

size_t space_machine_file(const struct space *space, uint64_t index)
{
	for (size_t i = 0; i < space->n_axis; i++)
		index /= space->axis[i].n;
	assert(index < space->n_machine);
	return (size_t)index;
}

/* The first message of err, without the end of its line. */
static void first_message(const struct err *err, char *why, size_t n_why)
{
	(void)snprintf(why, n_why, "%s", err_text(err));
	why[strcspn(why, "\n")] = '\0';
}

/* Constraints name parameters only (space_read_constraints), so the values of metrics behind them stay 0. */
static void list_values(const struct machine *machine, double value[MAX_PARAM])
{
	assert(machine_n_param + N_METRIC <= MAX_PARAM);
	memset(value, 0, MAX_PARAM * sizeof(*value));
	for (size_t i = 0; i < machine_n_param; i++)
		value[i] = machine_get_param(machine, &machine_param[i]);
}

static bool keeps_constraints(const struct space *space, const struct machine *machine, char *why, size_t n_why)
{
	double value[MAX_PARAM];
	list_values(machine, value);
	for (size_t i = 0; i < space->n_constraint; i++) {
		double result = expr_value(space->constraint[i], value);
		if (result == 1)
			continue;
		assert(result == 0); /* constraints are conditions */
		(void)snprintf(why, n_why, "constraint '%s' is not met", expr_text(space->constraint[i]));
		return false;
	}
	return true;
}

/* The difference of the sides, as a fraction of the right one, or of the left where that is 0. */
static double violation_of(double left, double right)
{
	double by = fabs(right) > 0.0 ? fabs(right) : fabs(left);
	double violation = fabs(left - right) / by;
	return isfinite(violation) ? violation : by == 0.0 ? 0.0 : INFINITY;
}

/* Set a candidate's machine from its index; false with the reason when it contradicts itself. */
static bool build_machine(const struct space *space, uint64_t index, struct machine *machine, char *why, size_t n_why)
{
	struct err err = {0};
	size_t choice[MAX_PARAM];
	assert(index < space_n_machine(space) && space->n_axis <= MAX_PARAM);

	why[0] = '\0';
	/* mixed radix, the last axis fastest, the machine slowest: part of the results' format, as indices are stored
	 */
	for (size_t i = space->n_axis; i-- > 0;) {
		choice[i] = (size_t)(index % space->axis[i].n);
		index /= space->axis[i].n;
	}
	assert(index < space->n_machine);
	*machine = space->machine[index];
	for (size_t i = 0; i < space->n_axis; i++) {
		const struct space_axis *axis = &space->axis[i];
		enum err_code code = machine_set_param(machine, axis->param, axis->value[choice[i]], NULL);
		assert(code == ERR_OK); /* checked when the space was read */
		(void)code;
	}
	if (machine->dvfs_domain != space->machine[index].dvfs_domain) {
		enum err_code code = mixed_offer(machine, space->level_shares, NULL);
		assert(code == ERR_OK); /* likewise */
		(void)code;
	}
	bool ok = machine_check(machine, &err) == ERR_OK;
	if (!ok)
		first_message(&err, why, n_why);
	err_clear(&err);
	return ok;
}

bool space_machine(const struct space *space, uint64_t index, struct machine *machine, char *why, size_t n_why)
{
	assert(space && machine && why && n_why > 0);
	return build_machine(space, index, machine, why, n_why) && keeps_constraints(space, machine, why, n_why);
}

bool space_machine_miss(const struct space *space, uint64_t index, struct machine *machine, double *violation,
                        char *text, size_t n_byte)
{
	double value[MAX_PARAM];
	bool is_missed = false;
	assert(space && machine && violation && text && n_byte > 0);
	if (!build_machine(space, index, machine, text, n_byte))
		return false;
	list_values(machine, value);
	for (size_t i = 0; i < space->n_constraint; i++) {
		const struct expr *expr = space->constraint[i];
		double left, right;
		if (expr_value(expr, value) == 1)
			continue;
		bool has_sides = expr_missed_sides(expr, value, &left, &right);
		double own = has_sides ? violation_of(left, right) : INFINITY;
		if (is_missed && !(own > *violation))
			continue;
		is_missed = true;
		*violation = own;
		if (has_sides)
			(void)snprintf(text, n_byte, "constraint '%s': left side %.10g, right side %.10g",
			               expr_text(expr), left, right);
		else
			(void)snprintf(text, n_byte, "constraint '%s' is not met", expr_text(expr));
	}
	return is_missed;
}

bool space_machine_sides(const struct space *space, uint64_t index, struct machine *machine, double *left,
                         double *right)
{
	double value[MAX_PARAM];
	char why[256];
	assert(space && machine && left && right);
	if (!build_machine(space, index, machine, why, sizeof(why)))
		return false;
	list_values(machine, value);
	for (size_t i = 0; i < space->n_constraint; i++) {
		if (expr_value(space->constraint[i], value) == 1)
			continue;
		if (!expr_missed_sides(space->constraint[i], value, left, right))
			*left = *right = NAN;
		return true;
	}
	return false;
}

void space_machine_put_csv(FILE *file, bool first, const struct space *space, const struct machine *machine)
{
	assert(space && machine);
	csv_put_text(file, first, machine->name);
	for (size_t i = 0; i < space->n_axis; i++) {
		char text[64];
		(void)machine_print_param(machine, space->axis[i].param, text, sizeof(text));
		csv_put_text(file, false, text);
	}
}
