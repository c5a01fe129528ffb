/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RANDOM_EXTREME_H
#define TESTS_RANDOM_EXTREME_H
/* Random machines and networks whose numbers lie at the ends of what files may say; legal ones, as a user writes them.
 */
#include "sim/base/rng.h"
#include "sim/machine/machine_param.h"
#include "sim/machine/machine_check.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The most that network files may say (spaces/networks/README.md): of a side and of channels, of a vector. */
enum { EXTREME_EXTENT = 65536, EXTREME_VECTOR = 1 << 24 };

/* Of a range: its default half of the time, else an end of it, or something between of any magnitude. */
static inline double extreme_of(struct rng *rng, double initial, double min, double max)
{
	double low = min > 0 ? min : fmin(1e-3, max);
	switch (rng_below(rng, 8)) {
	case 0:
		return min;
	case 1:
	case 2:
		return max;
	case 3:
		return low < max ? low * pow(max / low, rng_unit(rng)) : max;
	default:
		return initial;
	}
}

/* One of a list with slashes between; the others follow it. */
static inline const char *extreme_name(struct rng *rng, const char *list)
{
	uint32_t n = 1;
	for (const char *c = list; *c; c++)
		n += *c == '/';
	for (uint32_t i = rng_below(rng, n); i > 0; i--)
		list = strchr(list, '/') + 1;
	return list;
}

static inline void extreme_param(struct rng *rng, const struct machine_param *param, struct machine *machine)
{
	char text[64];
	const char *name = extreme_name(rng, param->unit); /* of a PARAM_ENUM */
	double initial = machine_get_param(machine, param), value = extreme_of(rng, initial, param->min, param->max);
	(void)machine_print_param(machine, param, text, sizeof(text));
	if (param->type == PARAM_ARRAY && rng_below(rng, 2))
		(void)snprintf(text, sizeof(text), "%.0fx%.0f", floor(extreme_of(rng, 8, param->min, param->max)),
		               floor(extreme_of(rng, 16, param->min, param->max)));
	else if (param->type == PARAM_BOOL)
		(void)snprintf(text, sizeof(text), "%s", rng_below(rng, 2) ? "true" : "false");
	else if (param->type == PARAM_ENUM)
		(void)snprintf(text, sizeof(text), "%.*s", (int)strcspn(name, "/"), name);
	else if (param->type == PARAM_U32)
		(void)snprintf(text, sizeof(text), "%.0f", fmax(param->min, floor(value)));
	else if (param->type == PARAM_REAL)
		(void)snprintf(text, sizeof(text), "%.17g", value);
	assert_int_equal(machine_set_param(machine, param, text, NULL), ERR_OK);
}

static inline void extreme_level(struct rng *rng, uint32_t index, struct operating_point *level)
{
	machine_init_level(level);
	(void)snprintf(level->name, sizeof(level->name), "L%u", index);
	for (size_t i = 0; i < machine_n_level_param; i++) {
		const struct level_param *param = &level_param[i];
		double *value = (double *)(void *)((char *)level + param->offset);
		*value = extreme_of(rng, param->initial, param->min, param->max);
	}
}

/* Combinations that machine_check refuses are drawn again, with fewer parameters away from their defaults. */
static inline struct machine extreme_machine(struct rng *rng)
{
	for (uint32_t n_try = 0;; n_try++) {
		struct machine machine;
		machine_init(&machine, (enum machine_target)rng_below(rng, N_MACHINE_TARGET));
		(void)snprintf(machine.name, sizeof(machine.name), "extreme");
		uint32_t odds = 1 + rng_below(rng, 3 + n_try);
		for (size_t i = 0; i < machine_n_param; i++)
			if (machine_param_serves(&machine_param[i], machine.target) && rng_below(rng, odds) == 0)
				extreme_param(rng, &machine_param[i], &machine);
		machine.n_level = 1 + rng_below(rng, 2);
		for (uint32_t i = 0; i < machine.n_level; i++)
			extreme_level(rng, i, &machine.level[i]);
		struct err err = {0};
		enum err_code code = machine_check(&machine, &err);
		err_clear(&err);
		if (code == ERR_OK)
			return machine;
	}
}

/* All parameters of a group together, where its first one stands. */
static inline void extreme_write_machine(FILE *file, const struct machine *machine)
{
	char text[64];
	(void)fprintf(file, "name: %s\ntarget: %s\n", machine->name, machine_target_name[machine->target]);
	for (size_t i = 0; i < machine_n_param; i++) {
		const char *key = machine_param[i].key;
		size_t n = strcspn(key, ".") + 1, first = 0;
		while (strncmp(machine_param[first].key, key, n) != 0)
			first++;
		if (first < i || !machine_param_serves(&machine_param[i], machine->target))
			continue;
		(void)fprintf(file, "%.*s:\n", (int)n - 1, key);
		for (size_t k = i; k < machine_n_param; k++)
			if (strncmp(machine_param[k].key, key, n) == 0) {
				(void)machine_print_param(machine, &machine_param[k], text, sizeof(text));
				(void)fprintf(file, "  %s: %s\n", machine_param[k].key + n, text);
			}
	}
	(void)fputs("levels:\n", file);
	for (uint32_t i = 0; i < machine->n_level; i++) {
		const char *level = (const char *)&machine->level[i];
		(void)fprintf(file, "  - {name: %s", machine->level[i].name);
		for (size_t k = 0; k < machine_n_level_param; k++)
			(void)fprintf(file, ", %s: %.17g", level_param[k].key,
			              *(const double *)(const void *)(level + level_param[k].offset));
		(void)fputs("}\n", file);
	}
}

/* A side or number of channels: small, a power of two, or the most there may be. */
static inline uint32_t extreme_extent(struct rng *rng)
{
	switch (rng_below(rng, 6)) {
	case 0:
		return EXTREME_EXTENT;
	case 1:
		return EXTREME_EXTENT - rng_below(rng, 40);
	case 2:
		return 1u << rng_below(rng, 17);
	case 3:
		return 1 + rng_below(rng, 1u << rng_below(rng, 17));
	default:
		return 1 + rng_below(rng, 32);
	}
}

static inline void extreme_write_layer(struct rng *rng, FILE *file)
{
	static const char *const op[] = {"function", "softmax", "normalise", "add", "multiply"};
	static const char *const over[] = {"channels",       "width",           "height", "map",
	                                   "width_channels", "height_channels", "all",    "none"};
	uint32_t kind = rng_below(rng, 8), which = rng_below(rng, 5);
	if (kind < 3) {
		(void)fprintf(file, "  - conv: {kernel: %u, out_channels: %u, stride: %u",
		              rng_below(rng, 3) ? 1 + rng_below(rng, 4) : extreme_extent(rng), extreme_extent(rng),
		              rng_below(rng, 2) ? 1 + rng_below(rng, 3) : extreme_extent(rng));
		if (rng_below(rng, 4) == 0)
			(void)fprintf(file, ", dilation: %u", extreme_extent(rng));
		if (rng_below(rng, 4) == 0)
			(void)fprintf(file, ", padding: [%u, %u, %u, %u]", extreme_extent(rng), extreme_extent(rng),
			              extreme_extent(rng), extreme_extent(rng));
		(void)fputs("}\n", file);
	} else if (kind == 3) {
		(void)fprintf(file, "  - conv: {kernel: %u, groups: depthwise, stride: %u}\n", 1 + rng_below(rng, 4),
		              rng_below(rng, 2) ? 1 + rng_below(rng, 3) : extreme_extent(rng));
	} else if (kind == 4) {
		(void)fprintf(file, "  - pool: {window: %u, stride: %u, type: %s}\n",
		              rng_below(rng, 3) ? 1 + rng_below(rng, 4) : extreme_extent(rng),
		              rng_below(rng, 2) ? 1 + rng_below(rng, 3) : extreme_extent(rng),
		              rng_below(rng, 2) ? "max" : "average");
	} else if (kind == 5) {
		(void)fprintf(file, "  - fc: {out: %u}\n", extreme_extent(rng));
	} else {
		(void)fprintf(file, "  - arm: {op: %s", op[which]);
		if (which == 1 || which == 2)
			(void)fprintf(file, ", over: %s", over[rng_below(rng, 8)]);
		(void)fputs("}\n", file);
	}
}

/* Many a one is refused by its reader. */
static inline void extreme_write_network(struct rng *rng, FILE *file)
{
	uint32_t n = 1 + rng_below(rng, 3);
	(void)fputs("name: extreme\n", file);
	if (rng_below(rng, 8) == 0)
		(void)fprintf(file, "input: %u\n", 1 + rng_below(rng, EXTREME_VECTOR));
	else
		(void)fprintf(file, "input: [%u, %u, %u]\n", extreme_extent(rng), extreme_extent(rng),
		              extreme_extent(rng));
	if (rng_below(rng, 4) == 0)
		(void)fprintf(file, "batch: %u\n", extreme_extent(rng));
	(void)fputs("layers:\n", file);
	if (rng_below(rng, 6) == 0)
		(void)fprintf(file, "  - repeat:\n      times: %u\n      layers:\n        - arm: {op: function}\n",
		              1u << rng_below(rng, 9));
	for (uint32_t i = 0; i < n; i++)
		extreme_write_layer(rng, file);
}

#endif
