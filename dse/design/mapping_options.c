/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/mapping_options.h"
#include "dse/out/paths.h"
#include "dse/base/pattern.h"
#include "dse/design/simulate.h"
#include <assert.h>
#include <string.h>

enum err_code options_choose_strategy(const struct cli_options *options, enum strategy *strategy, struct err *err)
{
	const char *wanted = options->strategy ? options->strategy : "fusion_reuse", *name[N_STRATEGY];
	size_t index = 0;
	for (unsigned i = 0; i < N_STRATEGY; i++)
		name[i] = strategy_table[i].name;
	enum err_code code = cli_choose(options, "strategy", wanted, name, N_STRATEGY, &index, err);
	*strategy = (enum strategy)index;
	return code;
}

enum err_code options_choose_level(const struct cli_options *options, const struct machine *machine, uint32_t *level,
                                   struct err *err)
{
	assert(machine->n_level > 0 && machine->n_level <= MACHINE_MAX_LEVEL);
	char all[MACHINE_MAX_LEVEL * (sizeof(machine->level[0].name) + 2)] = "";
	size_t n = 0;
	*level = 0;
	if (!options->level)
		return ERR_OK;
	for (uint32_t i = 0; i < machine->n_level; i++) {
		const char *name = machine->level[i].name;
		if (strcmp(options->level, name) == 0) {
			*level = i;
			return ERR_OK;
		}
		int n_more = snprintf(all + n, sizeof(all) - n, "%s%s", n ? ", " : "", name);
		n += n_more > 0 ? (size_t)n_more : 0;
		assert(n < sizeof(all));
	}
	return err_add(err, ERR_USAGE, "dse %s: --level is '%.40s', machine %s has %s", options->command->name,
	               options->level, machine->name, all);
}

enum err_code options_choose_layers(const struct cli_options *options, const struct network *network, bool *chosen,
                                    struct err *err)
{
	struct pattern pattern = {0};
	size_t n_chosen = 0, n = network->n_block;
	enum err_code code = ERR_OK;
	if (options->layers)
		code = pattern_compile(options->layers, (struct err_place){"--layers", 1, 1}, &pattern, err);
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		chosen[i] = true;
		if (options->layers)
			code = pattern_match(&pattern, network->block[i].name, &chosen[i], err);
		n_chosen += chosen[i];
	}
	pattern_free(&pattern);
	if (code == ERR_INPUT)
		return ERR_USAGE; /* the pattern stands on the command line */
	if (code == ERR_OK && n_chosen == 0)
		return err_add(err, ERR_USAGE, "dse %s: --layers '%.80s' matches none of the layers of %s, %s to %s",
		               options->command->name, options->layers, network->name, network->block[0].name,
		               network->block[n - 1].name);
	return code;
}

/* MACHINE NETWORK: read and check everything that was named, and report all that is wrong with it. */
static enum err_code by_rules(const struct cli_options *options, struct mapping *mapping, struct err *err)
{
	enum strategy strategy;
	uint32_t level = 0;
	struct split_scheme scheme = {0};
	if (options->n_file != 2)
		return err_add(err, ERR_USAGE,
		               "dse %s: found %zu files, allowed are a machine and a network, --mapping FILE.yaml or "
		               "--point FRONT.json:ID",
		               options->command->name, options->n_file);
	enum err_code code = options_choose_strategy(options, &strategy, err);
	enum err_code other = mapping_open(options->file[0], options->file[1], mapping, err);
	code = code == ERR_OK ? other : code;
	if (options->split_scheme) {
		other = split_scheme_read(options->split_scheme, &scheme, err);
		code = code == ERR_OK ? other : code;
	}
	if (code == ERR_OK)
		code = simulate_check_strategy(options, &mapping->machine, strategy, err);
	if (code == ERR_OK)
		code = options_choose_level(options, &mapping->machine, &level, err);
	if (code == ERR_OK)
		code = mapping_by_rules(mapping, options->split_scheme ? &scheme : NULL, strategy, level, err);
	split_scheme_free(&scheme);
	return code;
}

/* --mapping, beside which a network may be named: then it is that one. */
static enum err_code load(const struct cli_options *options, struct mapping *mapping, struct err *err)
{
	enum err_code code = mapping_load(options->mapping, mapping, err);
	const char *path = NULL;
	if (code != ERR_OK || options->n_file == 0 || strcmp(options->file[0], mapping->network.name) == 0)
		return code;
	code = path_find(options->file[0], "networks", &mapping->arena, &path, err);
	path = code == ERR_OK ? path_plain(path, &mapping->arena) : NULL;
	if (code == ERR_OK && (!path || strcmp(path, mapping->network_path) != 0))
		code = err_add(err, ERR_USAGE, "dse %s: %s is a mapping of network %s (%s), not of %s",
		               options->command->name, options->mapping, mapping->network.name, mapping->network_path,
		               options->file[0]);
	return code;
}

enum err_code options_mapping(const struct cli_options *options, struct mapping *mapping, struct err *err)
{
	static const enum cli_option fixed[] = {OPTION_SPLIT_SCHEME, OPTION_STRATEGY, OPTION_LEVEL};
	bool is_point = cli_given(options, OPTION_POINT), is_mapping = cli_given(options, OPTION_MAPPING);
	const char *name = is_point ? "--point" : "--mapping", *command = options->command->name;
	*mapping = (struct mapping){0};
	if (is_point && is_mapping)
		return err_add(err, ERR_USAGE, "dse %s: allowed is one of --point and --mapping", command);
	if (!is_point && !is_mapping)
		return by_rules(options, mapping, err);
	if (options->n_file > 1)
		return err_add(err, ERR_USAGE, "dse %s: %s names the machine already, found '%.60s', too", command,
		               name, options->file[0]);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (cli_given(options, fixed[i]))
			return err_add(err, ERR_USAGE,
			               "dse %s: %s fixes splits, strategies and levels already; leave --split-scheme, "
			               "--strategy and --level away",
			               command, name);
	return is_point
	           ? mapping_from_point(options->point, options->n_file > 0 ? options->file[0] : NULL, mapping, err)
	           : load(options, mapping, err);
}
