/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/why/next_value.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

double next_number(const struct machine *machine, const struct machine_param *param, const char *text)
{
	struct machine other = *machine;
	return machine_set_param(&other, param, text, NULL) == ERR_OK ? machine_get_param(&other, param) : (double)NAN;
}

static bool is_beyond(double value, double own, enum next_side side)
{
	return side == NEXT_ABOVE ? value > own : value < own;
}

static bool is_equal(double left, double right)
{
	return left <= right && left >= right; /* not of NAN */
}

/* The declared number next to own on one side; NAN: there is none. */
static double nearest(const struct machine *machine, const struct space_axis *axis, double own, enum next_side side)
{
	double found = NAN;
	for (size_t i = 0; axis && i < axis->n; i++) {
		double value = next_number(machine, axis->param, axis->value[i]);
		if (is_beyond(value, own, side) && !is_beyond(value, found, side))
			found = value;
	}
	return found;
}

size_t next_declared(const struct machine *machine, const struct space_axis *axis, const char *own, enum next_side side,
                     next_taker take, void *context)
{
	double at = next_number(machine, axis->param, own), next = nearest(machine, axis, at, side);
	size_t n = 0;
	assert(take);
	for (size_t i = 0; i < axis->n; i++) {
		double value = next_number(machine, axis->param, axis->value[i]);
		bool is_next = is_equal(value, next);
		bool is_alike = side == NEXT_ABOVE && is_equal(value, at) && strcmp(axis->value[i], own) != 0;
		if (is_next || is_alike)
			take(context, axis->value[i]);
		n += is_next;
	}
	return n;
}

static void next_arrays(const struct machine *machine, const struct machine_param *param, enum next_side side,
                        next_taker take, void *context)
{
	const uint32_t *pair = (const uint32_t *)(const void *)((const char *)machine + param->offset);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t size[2] = {pair[0], pair[1]};
		char text[48];
		size[i] = side == NEXT_ABOVE ? 2 * size[i] : size[i] / 2;
		(void)snprintf(text, sizeof(text), "%" PRIu64 "x%" PRIu64, size[0], size[1]);
		take(context, text);
	}
}

void next_beyond(const struct machine *machine, const struct machine_param *param, const struct space_axis *axis,
                 const char *own, enum next_side side, next_taker take, void *context)
{
	struct machine at = *machine;
	char text[48];
	assert(take && param->type != PARAM_BOOL && param->type != PARAM_ENUM);
	if (machine_set_param(&at, param, own, NULL) != ERR_OK)
		return;
	if (param->type == PARAM_ARRAY) {
		next_arrays(&at, param, side, take, context);
		return;
	}
	double value = machine_get_param(&at, param), factor = side == NEXT_ABOVE ? 2.0 : 0.5;
	double before = nearest(machine, axis, value, side == NEXT_ABOVE ? NEXT_BELOW : NEXT_ABOVE);
	double next = before > 0.0 ? value * (value / before) : value * factor;
	(void)snprintf(text, sizeof(text), "%.12g", param->type == PARAM_U32 ? floor(next) : next);
	take(context, text);
}
