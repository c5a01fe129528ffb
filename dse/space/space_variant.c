/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/space_variant.h"
#include "dse/base/memory.h"
#include "sim/machine/machine_technology.h"
#include <assert.h>
#include <string.h>

bool space_variant(const struct space *space, struct arena *arena, struct space *variant)
{
	assert(space && arena && variant);
	*variant = *space;
	variant->limit = arena_array(arena, space->n_limit, sizeof(*variant->limit));
	variant->constraint = arena_array(arena, space->n_constraint, sizeof(struct expr *));
	variant->machine = arena_array(arena, space->n_machine, sizeof(*variant->machine));
	variant->axis = arena_array(arena, space->n_axis, sizeof(*variant->axis));
	if (!variant->limit || !variant->constraint || !variant->machine || !variant->axis)
		return false;
	for (size_t i = 0; i < space->n_limit; i++)
		variant->limit[i] = space->limit[i];
	for (size_t i = 0; i < space->n_constraint; i++)
		variant->constraint[i] = space->constraint[i];
	for (size_t i = 0; i < space->n_machine; i++)
		variant->machine[i] = space->machine[i];
	for (size_t i = 0; i < space->n_axis; i++)
		variant->axis[i] = space->axis[i];
	return true;
}

void space_variant_minimise(struct space *variant, enum metric metric)
{
	variant->n_objective = 1;
	variant->objective[0] = metric;
}

void space_variant_drop_limit(struct space *variant, enum metric metric)
{
	size_t n = 0;
	for (size_t i = 0; i < variant->n_limit; i++)
		if (variant->limit[i].metric != metric)
			variant->limit[n++] = variant->limit[i];
	variant->n_limit = n;
}

void space_variant_drop_limits(struct space *variant)
{
	variant->n_limit = 0;
}

void space_variant_drop_deadline(struct space *variant)
{
	variant->deadline_ms = 0;
}

void space_variant_drop_constraint(struct space *variant, size_t which)
{
	assert(which < variant->n_constraint);
	variant->n_constraint--;
	for (size_t i = which; i < variant->n_constraint; i++)
		variant->constraint[i] = variant->constraint[i + 1];
}

void space_variant_keep_constraint(struct space *variant, size_t which)
{
	assert(which < variant->n_constraint);
	variant->constraint += which;
	variant->n_constraint = 1;
}

void space_variant_fix_machine(struct space *variant, const struct machine *machine)
{
	assert(variant->n_machine > 0);
	variant->machine[0] = *machine;
	variant->n_machine = 1;
	variant->n_axis = 0;
	variant->n_constraint = 0;
}

void space_variant_fix_axis(struct space *variant, struct arena *arena, const struct machine_param *param,
                            const char *text)
{
	struct space_axis *axis = memory_must(arena_array(arena, variant->n_axis + 1, sizeof(*axis)));
	size_t at = 0;
	for (size_t i = 0; i < variant->n_axis; i++)
		axis[i] = variant->axis[i];
	while (at < variant->n_axis && axis[at].param != param)
		at++;
	variant->n_axis += at == variant->n_axis;
	axis[at] = (struct space_axis){.param = param, .n = 1, .at = {"choice", 1, 1}};
	axis[at].value = memory_must(arena_array(arena, 1, sizeof(*axis[at].value)));
	axis[at].value[0] = text;
	variant->axis = axis;
}

struct machine *space_variant_machine(struct space *variant, size_t i)
{
	assert(i < variant->n_machine);
	return &variant->machine[i];
}

void space_variant_fix_sram(struct space *variant, uint32_t n_byte)
{
	size_t n = 0;
	for (size_t i = 0; i < variant->n_machine; i++) {
		struct machine *machine = &variant->machine[i];
		struct err unused = {0};
		machine->pe_sram_byte = n_byte;
		machine_technology_check(machine, &unused);
		if (unused.code != ERR_OK)
			machine->technology.of.node_nm = 0;
		err_clear(&unused);
		machine_technology_apply(machine);
	}
	for (size_t i = 0; i < variant->n_axis; i++)
		if (strcmp(variant->axis[i].param->key, "pe.sram_byte") != 0)
			variant->axis[n++] = variant->axis[i];
	variant->n_axis = n;
}
