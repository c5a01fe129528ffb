/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Five roads to the designs of a network's layers, all of which end in items (dse/power/power_work.h): the splitter's
 * or a scheme's, a given number of parts, a mapping, a point of a front, or each layer's exact fronts.
 */
#include "dse/cmd/power_choice.h"
#include "dse/cmd/choice.h"
#include "dse/out/colour.h"
#include "dse/out/paths.h"
#include "dse/base/memory.h"
#include "dse/power/power_search.h"
#include "dse/design/simulate.h"
#include "dse/space/space.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static enum err_code read_files(const struct cli_options *options, struct power_designs *designs, struct err *err)
{
	const char *path;
	enum err_code code =
	    choice_machine(options, options->file[0], &designs->own_machine, &designs->sources, &designs->arena, err);
	enum err_code other = path_find(options->file[1], "networks", &designs->arena, &path, err);
	if (other == ERR_OK)
		other = network_read(path, &designs->own_network, err);
	code = choice_worse(code, other);
	if (options->split_scheme)
		code = choice_worse(code, split_scheme_read(options->split_scheme, &designs->scheme, err));
	designs->machine = &designs->own_machine;
	designs->network = designs->own_network.name;
	return code;
}

static void make_items(const struct simulated *block, size_t n_block, const bool *shown, struct power_designs *designs)
{
	assert(block && designs->machine);
	struct power_item *moved =
	    memory_must(arena_array(&designs->arena, designs->n_item + n_block + 1, sizeof(*moved)));
	if (designs->n_item > 0)
		memcpy(moved, designs->item, designs->n_item * sizeof(*moved));
	designs->item = moved;
	for (size_t i = 0; i < n_block; i++) {
		if (shown && !shown[i])
			continue;
		struct layer_context *context = memory_must(arena_alloc(&designs->arena, sizeof(*context)));
		struct layer_design *design = memory_must(arena_alloc(&designs->arena, sizeof(*design)));
		*design = block[i].design;
		mapper_prepare_form(block[i].block, designs->machine, design->operand_bit, design->form, context);
		designs->item[designs->n_item++] = (struct power_item){context, 1, design, false};
	}
}

/* --parts: every layer shown into so many tasks, whatever the splitter says. */
static enum err_code split_items(uint64_t n_part, struct power_designs *designs, struct err *err)
{
	assert(n_part > 0);
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < designs->n_item; i++) {
		struct power_item *item = &designs->item[i];
		struct layer_design *design = memory_must(arena_alloc(&designs->arena, sizeof(*design)));
		if (item->context->block->kind == BLOCK_POOL)
			continue;
		*design = item->design[0];
		code = choice_worse(code, power_split_into(item->context, n_part, &design->split, err));
		item->design = design;
	}
	return code;
}

/* The thesis splitter's designs, or the scheme's, as dse simulate makes them; nothing is simulated yet. */
static enum err_code take_network(const struct cli_options *options, enum strategy strategy,
                                  struct power_designs *designs, struct err *err)
{
	const struct network *network = &designs->own_network;
	struct simulate_options simulate = {.strategy = strategy,
	                                    .scheme = options->split_scheme ? &designs->scheme : NULL};
	bool *shown = memory_must(arena_array(&designs->arena, network->n_block, sizeof(*shown)));
	bool *none = memory_must(arena_array(&designs->arena, network->n_block, sizeof(*none)));
	struct simulated *block = memory_must(arena_array(&designs->arena, network->n_block, sizeof(*block)));
	simulate.shown = none;
	enum err_code code = choice_layers(options, network, shown, err);
	if (code == ERR_OK)
		code = simulate_network(designs->machine, network, &simulate, block, err);
	if (code != ERR_OK)
		return code;
	make_items(block, network->n_block, shown, designs);
	return options->parts > 0 ? split_items(options->parts, designs, err) : ERR_OK;
}

/* --search: every layer's front at each level. */
static enum err_code search_network(const struct cli_options *options, uint32_t levels, unsigned n_thread,
                                    struct power_designs *designs, struct err *err)
{
	const struct network *network = &designs->own_network;
	bool *shown = memory_must(arena_array(&designs->arena, network->n_block, sizeof(*shown)));
	designs->item = memory_must(arena_array(&designs->arena, network->n_block + 1, sizeof(*designs->item)));
	enum err_code code = choice_layers(options, network, shown, err);
	if (code != ERR_OK)
		return code;
	bool has_deadline = cli_given(options, OPTION_BUDGET_MS) || cli_given(options, OPTION_BUDGET_FRAC);
	struct power_search_options search = {.machine = designs->machine,
	                                      .network = network,
	                                      .shown = shown,
	                                      .levels = levels,
	                                      .max_peak_mw =
	                                          cli_given(options, OPTION_BUDGET_MW) ? options->budget_mw : INFINITY,
	                                      .sleeps = has_deadline && !options->no_sleep,
	                                      .n_thread = n_thread};
	code = choice_forms(options, &search.forms, err);
	code = choice_worse(code, choice_result(options, &search.network_result, err));
	designs->network_result = search.network_result;
	return code == ERR_OK ? power_search_designs(&search, &designs->arena, designs->item, &designs->n_item,
	                                             &designs->left_out, err)
	                      : code;
}

/* --point: the layers of all networks of a point of a front. */
static enum err_code take_point(const struct cli_options *options, const struct detail_options *detail,
                                struct power_designs *designs, struct err *err)
{
	assert(options->point);
	const struct simulate_how how = {.detail = *detail};
	struct replay *replay = &designs->replay;
	enum err_code code = replay_run(options->point, &how, false, replay, err);
	if (replay->warning.n_message > 0)
		colour_put(stderr, COLOUR_WARNING, err_text(&replay->warning));
	size_t n_byte = 1;
	for (size_t i = 0; i < replay->n_network && code == ERR_OK; i++)
		n_byte += strlen(replay->network[i].name) + 1;
	char *name = memory_must(arena_alloc(&designs->arena, n_byte));
	(void)memory_must(machine_sources_init(&designs->sources, &designs->arena) ? designs : NULL);
	designs->machine = &replay->machine;
	designs->network = name;
	for (size_t i = 0; i < replay->n_network && code == ERR_OK; i++) {
		if (i > 0)
			(void)strcat(name, "+");
		(void)strcat(name, replay->network[i].name);
		make_items(replay->network[i].block, replay->network[i].n_block, NULL, designs);
	}
	return code;
}

/* --mapping: its layers, or some of them. */
static enum err_code take_mapping(const struct cli_options *options, struct power_designs *designs, struct err *err)
{
	struct mapping *mapping = &designs->mapping;
	enum err_code code = mapping_load(options->mapping, mapping, err);
	if (code == ERR_OK)
		code = choice_set_mapping(options, mapping, err);
	size_t n = mapping->network.n_block;
	if (code != ERR_OK)
		return code;
	bool *shown = memory_must(arena_array(&designs->arena, n, sizeof(*shown)));
	struct simulated *block = memory_must(arena_array(&designs->arena, n, sizeof(*block)));
	for (size_t i = 0; i < n; i++)
		block[i] = (struct simulated){.block = &mapping->network.block[i], .design = mapping->design[i]};
	designs->machine = &mapping->machine;
	designs->sources = mapping->sources;
	designs->network = mapping->network.name;
	code = mapping_check(mapping, err);
	if (code == ERR_OK)
		code = choice_layers(options, &mapping->network, shown, err);
	if (code == ERR_OK)
		make_items(block, n, shown, designs);
	return code;
}

/* Strategies of its own, and tasks only where there are PEs to run them. */
static enum err_code check_machine(const struct cli_options *options, const struct machine *machine,
                                   enum strategy strategy, struct err *err)
{
	if (machine->target == MACHINE_SYSTOLIC && (options->tasks || options->parts > 0))
		return err_add(err, ERR_USAGE,
		               "dse power: --tasks and --parts are of tasks on PEs; machine %s is a systolic array",
		               machine->name);
	return choice_check_strategy(options, machine, strategy, err);
}

enum err_code power_choice_read(const struct cli_options *options, const struct detail_options *detail,
                                struct power_designs *designs, uint32_t *levels, struct err *err)
{
	static const enum cli_option fixed[] = {OPTION_LAYERS, OPTION_SPLIT_SCHEME, OPTION_PARTS, OPTION_SEARCH,
	                                        OPTION_STRATEGY};
	enum strategy strategy = STRATEGY_FUSION_REUSE;
	enum err_code code = ERR_OK;
	assert(options && detail && designs && levels);
	if (options->point || options->mapping) {
		/* of a mapping some layers may be taken */
		size_t takes_part = options->mapping ? 1 : 0;
		code = choice_check_fixed(options, 0, "layers, splits and strategies", fixed + takes_part,
		                          5 - takes_part, err);
		code = choice_worse(code, choice_check_point_machine(options, err));
		if (code == ERR_OK)
			code = options->mapping ? take_mapping(options, designs, err)
			                        : take_point(options, detail, designs, err);
		return code == ERR_OK ? choice_levels(options, designs->machine, levels, err) : code;
	}
	if (options->n_file != 2)
		return err_add(
		    err, ERR_USAGE,
		    "dse power: found %zu files, allowed are a machine and a network, --mapping FILE.yaml or --point "
		    "FRONT.json:ID",
		    options->n_file);
	code = choice_strategy(options, &strategy, err);
	code = choice_worse(code, read_files(options, designs, err));
	if (code == ERR_OK)
		code = check_machine(options, designs->machine, strategy, err);
	if (code == ERR_OK)
		code = choice_levels(options, designs->machine, levels, err);
	if (code != ERR_OK)
		return code;
	return options->search ? search_network(options, *levels, detail->n_thread, designs, err)
	                       : take_network(options, strategy, designs, err);
}
