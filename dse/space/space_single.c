/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/space_single.h"
#include "dse/space/space_machine.h"
#include "mapper/split/strategy.h"
#include "sim/machine/energy.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One strategy where it serves; elsewhere fusion for PEs, and what a systolic array does anyway. */
static void choose_strategy(const struct space_single_options *options, const struct block *block,
                            struct layer_choice *choice)
{
	const struct strategy_info *wanted = &strategy_table[options->strategy];
	if (wanted->is_systolic && block->kind == BLOCK_POOL)
		return;
	memset(choice->strategy, 0, sizeof(choice->strategy));
	choice->strategy[wanted->reuses && block->kind != BLOCK_CONV ? STRATEGY_FUSION : options->strategy] = true;
}

static enum err_code make_choices(const struct space_single_options *options, struct arena *arena,
                                  struct space_single *made, struct err *err)
{
	const struct network *network = options->network;
	made->network = (struct space_network){.path = network->name, .network = *network, .weight = 1};
	made->network.choice = arena_array(arena, network->n_block, sizeof(*made->network.choice));
	if (!made->network.choice)
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < network->n_block; i++) {
		struct layer_choice *choice = &made->network.choice[i];
		*choice = layer_choice_any();
		choice->level_mask = options->levels;
		for (size_t dim = 0; dim < N_SPLIT_DIM; dim++)
			choice->dim[dim].choice = options->split;
		if (options->strategy != N_STRATEGY)
			choose_strategy(options, &network->block[i], choice);
		for (size_t k = 0; k < N_CONV_FORM; k++)
			choice->form[k] = (options->forms >> k & 1) != 0;
		for (size_t k = 0; k < AHEAD_N && options->fetches_ahead; k++)
			choice->fetch[k] = true;
	}
	if (options->fetches_ahead)
		space_set_ahead(&made->network);
	return space_end_results(&made->network, options->network_result, err);
}

enum err_code space_single_make(const struct space_single_options *options, struct arena *arena,
                                struct space_single *made, struct err *err)
{
	assert(options && arena && made && options->levels != 0 && options->forms != 0 && options->max_peak_mw > 0);
	made->machine = *options->machine;
	const char *name = made->path = made->file.path = made->machine.name;
	made->limit = (struct space_limit){METRIC_PEAK_POWER, options->max_peak_mw, {name, 1, 1}};
	enum err_code code = make_choices(options, arena, made, err);
	if (code != ERR_OK)
		return code;
	made->space = (struct space){.n_machine = 1,
	                             .machine = &made->machine,
	                             .machine_path = &made->path,
	                             .n_network = 1,
	                             .network = &made->network,
	                             .network_result = options->network_result,
	                             .n_objective = options->n_objective,
	                             .n_limit = isfinite(options->max_peak_mw) ? 1 : 0,
	                             .limit = &made->limit,
	                             .engine = "exact",
	                             .max_front = options->max_front,
	                             .resolution_frac = NAN,
	                             .deadline_ms = options->deadline_ms,
	                             .n_file = 1,
	                             .file = &made->file};
	const struct operating_point *last = &made->machine.level[made->machine.n_level - 1];
	made->space.level_shares = mixed_is_by_pe(&made->machine) ? 0 : last->n_share;
	memcpy(made->space.objective, options->objective, options->n_objective * sizeof(options->objective[0]));
	return ERR_OK;
}

/* Whether the lanes supply these operating points, and no other allowed one besides. */
static bool fills_lanes(const struct machine *machine, uint32_t levels, uint32_t allowed)
{
	bool fills = levels != 0 && energy_lanes_suffice(machine, levels);
	for (uint32_t i = 0; i < machine->n_level && fills; i++) {
		uint32_t one = UINT32_C(1) << i;
		fills = (allowed & one) == 0 || (levels & one) != 0 || !energy_lanes_suffice(machine, levels | one);
	}
	return fills;
}

enum err_code space_single_choose_lanes(struct space_single *made, struct arena *arena, struct err *err)
{
	const struct machine *machine = &made->machine;
	uint32_t allowed = made->network.choice[0].level_mask, all = (UINT32_C(1) << machine->n_level) - 1;
	char text[16];
	assert(machine->n_level < 32 && made->space.n_axis == 0);
	if (!space_lacks_lanes(&made->space, 0))
		return ERR_OK;
	made->lanes = (struct space_axis){.param = machine_find_param("dvfs.lanes"), .at = {machine->name, 1, 1}};
	made->lanes.value = arena_array(arena, (size_t)all + 1, sizeof(*made->lanes.value));
	for (uint32_t levels = 1; levels <= all && made->lanes.value; levels++) {
		if ((levels & ~allowed) != 0 || !fills_lanes(machine, levels, allowed))
			continue;
		(void)snprintf(text, sizeof(text), "%" PRIu32, levels);
		const char **value = &made->lanes.value[made->lanes.n++];
		*value = arena_text(arena, text);
		if (!*value)
			made->lanes.value = NULL;
	}
	made->space.axis = &made->lanes;
	made->space.n_axis = 1;
	return made->lanes.value ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
}
