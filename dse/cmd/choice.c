/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/cmd/choice.h"
#include "dse/keep/database.h"
#include "dse/run/run_note.h"
#include "dse/base/pattern.h"
#include "dse/options/cli_table.h"
#include "dse/out/renamed.h"
#include "dse/out/paths.h"
#include "dse/space/machine_read.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct store_request choice_store(const struct cli_options *options)
{
	assert(options->command);
	return (struct store_request){options->command->name, options->store};
}

enum err_code choice_open_run(const struct cli_options *options, struct kept_run *run, struct err *err)
{
	const struct store_request request = choice_store(options);
	struct database *store = NULL;
	enum err_code code = ERR_OK;
	if (kept_run_is_folder(options->file[0]))
		store = run_note_open_beside(&request, options->file[0]);
	else
		code = run_note_open(&request, &store, err);
	if (code == ERR_OK)
		code = kept_run_open(store, options->file[0], run, err);
	database_close(store);
	if (code == ERR_OK && !run->has_space)
		code = err_add(err, ERR_INPUT, "dse %s: the space of %s cannot be read: %s", options->command->name,
		               run->title, run->why_no_space);
	return code;
}

struct explore_request choice_explore(const struct cli_options *options)
{
	return (struct explore_request){.store = choice_store(options),
	                                .space = options->n_file > 0 ? options->file[0] : NULL,
	                                .engine = options->engine,
	                                .detail = options->detail,
	                                .live = options->live,
	                                .shard = options->shard,
	                                .resume = options->resume,
	                                .certificate = options->certificate,
	                                .out = options->out,
	                                .flat = options->flat,
	                                .points = options->points,
	                                .verify = options->verify,
	                                .prove = options->prove,
	                                .audit = options->audit,
	                                .no_cache = options->no_cache,
	                                .json = options->json,
	                                .quiet = options->quiet,
	                                .no_progress = options->no_progress,
	                                .has_seed = cli_given(options, OPTION_SEED),
	                                .has_max_evaluations = cli_given(options, OPTION_MAX_EVALUATIONS),
	                                .has_epsilon = cli_given(options, OPTION_EPSILON),
	                                .has_jobs = cli_given(options, OPTION_JOBS),
	                                .seed = options->seed,
	                                .max_evaluations = options->max_evaluations,
	                                .max_seconds = options->max_seconds,
	                                .epsilon_pct = options->epsilon_pct,
	                                .jobs = options->jobs,
	                                .audit_samples = options->audit_samples,
	                                .coefficient_samples = options->coefficient_samples,
	                                .n_compare = options->compare.n,
	                                .compare = options->compare.text,
	                                .n_set = options->set.n,
	                                .set = options->set.text};
}

/* How messages of a command's --set begin. */
struct set_words {
	char text[64];
};

static struct set_words set_words(const struct cli_options *options)
{
	struct set_words words;
	(void)snprintf(words.text, sizeof(words.text), "dse %s: --set", options->command->name);
	return words;
}

enum err_code choice_set(const struct cli_options *options, struct machine_set *set, struct err *err)
{
	return machine_set_parse(set_words(options).text, options->set.text, options->set.n, set, err);
}

enum err_code choice_set_machine(const struct cli_options *options, struct machine *machine,
                                 struct machine_sources *sources, struct err *err)
{
	struct machine_set set;
	enum err_code code = choice_set(options, &set, err);
	return code == ERR_OK ? machine_set_apply(set_words(options).text, &set, machine, sources, err) : code;
}

enum err_code choice_machine(const struct cli_options *options, const char *name, struct machine *machine,
                             struct machine_sources *sources, struct arena *arena, struct err *err)
{
	const char *path;
	enum err_code code = path_find(name, "machines", arena, &path, err);
	if (code == ERR_OK)
		code = sources ? machine_read_sources(path, machine, sources, arena, err)
		               : machine_read(path, machine, err);
	return code == ERR_OK ? choice_set_machine(options, machine, sources, err) : code;
}

enum err_code choice_set_mapping(const struct cli_options *options, struct mapping *mapping, struct err *err)
{
	struct machine_set set;
	enum err_code code = choice_set(options, &set, err);
	return code == ERR_OK ? mapping_set_machine(mapping, set_words(options).text, &set, err) : code;
}

enum err_code choice_worse(enum err_code code, enum err_code other)
{
	return code == ERR_OK ? other : code;
}

/* The first name of a list with commas among name [n]; *list moves behind it, to NULL at the end. */
static enum err_code take_name(const struct cli_options *options, const char *option, const char **list,
                               const char *const *name, size_t n, size_t *index, struct err *err)
{
	char word[64];
	size_t n_byte = strcspn(*list, ",");
	(void)snprintf(word, sizeof(word), "%.*s", (int)(n_byte < sizeof(word) ? n_byte : sizeof(word) - 1), *list);
	*list = (*list)[n_byte] ? *list + n_byte + 1 : NULL;
	return cli_choose(options, option, word, name, n, index, err);
}

enum err_code choice_levels(const struct cli_options *options, const struct machine *machine, uint32_t *levels,
                            struct err *err)
{
	assert(machine->n_level >= 1 && machine->n_level <= MACHINE_MAX_LEVEL);
	const char *name[MACHINE_MAX_LEVEL], *list = options->levels;
	*levels = 0;
	for (uint32_t i = 0; i < machine->n_level; i++) {
		name[i] = machine->level[i].name;
		if (!list && energy_is_supplied(machine, i))
			*levels |= UINT32_C(1) << i;
	}
	enum err_code code = ERR_OK;
	while (list) {
		size_t index = 0;
		enum err_code one = take_name(options, "levels", &list, name, machine->n_level, &index, err);
		if (one == ERR_OK && !energy_is_supplied(machine, (uint32_t)index))
			one = err_add(err, ERR_USAGE,
			              "dse %s: the lanes of %s do not supply %s (dvfs.lanes); leave it away",
			              options->command->name, machine->name, name[index]);
		if (one == ERR_OK)
			*levels |= UINT32_C(1) << index;
		code = choice_worse(code, one);
	}
	return code;
}

enum err_code choice_forms(const struct cli_options *options, uint32_t *forms, struct err *err)
{
	const char *list = options->conv_1x1;
	enum err_code code = ERR_OK;
	*forms = list ? 0 : CONV_FORM_USUAL;
	while (list) {
		size_t index = 0;
		enum err_code one = take_name(options, "conv-1x1", &list, conv_form_name, N_CONV_FORM, &index, err);
		*forms |= one == ERR_OK ? UINT32_C(1) << index : 0;
		code = choice_worse(code, one);
	}
	return code;
}

enum err_code choice_result(const struct cli_options *options, enum network_result *result, struct err *err)
{
	size_t index = NETWORK_RESULT_DRAM;
	enum err_code code = cli_choose(options, "network-result", options->network_result, network_result_name,
	                                N_NETWORK_RESULT, &index, err);
	*result = (enum network_result)index;
	return code;
}

enum err_code choice_strategy(const struct cli_options *options, enum strategy *strategy, struct err *err)
{
	const char *name[N_STRATEGY];
	size_t index = STRATEGY_FUSION_REUSE;
	for (unsigned i = 0; i < N_STRATEGY; i++)
		name[i] = strategy_table[i].name;
	enum err_code code = cli_choose(options, "strategy", options->strategy, name, N_STRATEGY, &index, err);
	*strategy = (enum strategy)index;
	return code;
}

enum err_code choice_level(const struct cli_options *options, const struct machine *machine, uint32_t *level,
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

/* By the names that layers had in the last release, where none has such a name now. */
static enum err_code choose_renamed(const char *text, const struct pattern *pattern, const struct network *network,
                                    bool *chosen, size_t *n_chosen, struct err *err)
{
	enum err_code code = ERR_OK;
	const char *first = NULL;
	for (size_t i = 0; i < network->n_block && code == ERR_OK; i++) {
		char before[RENAMED_NAME_SIZE];
		if (!renamed_layer(network->block[i].name, before))
			continue;
		code = pattern_match(pattern, before, &chosen[i], err);
		first = chosen[i] && !first ? network->block[i].name : first;
		*n_chosen += chosen[i];
	}
	if (first)
		renamed_warn(text, first);
	return code;
}

enum err_code choice_layers(const struct cli_options *options, const struct network *network, bool *chosen,
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
			code = pattern_match_either(&pattern, network->block[i].name, network->block[i].origin.node,
			                            &chosen[i], err);
		n_chosen += chosen[i];
	}
	if (code == ERR_OK && n_chosen == 0)
		code = choose_renamed(options->layers, &pattern, network, chosen, &n_chosen, err);
	pattern_free(&pattern);
	if (code == ERR_INPUT)
		return ERR_USAGE; /* the pattern stands on the command line */
	if (code == ERR_OK && n_chosen == 0)
		return err_add(err, ERR_USAGE, "dse %s: --layers '%.80s' matches none of the layers of %s, %s to %s",
		               options->command->name, options->layers, network->name, network->block[0].name,
		               network->block[n - 1].name);
	return code;
}

enum err_code choice_check_strategy(const struct cli_options *options, const struct machine *machine,
                                    enum strategy strategy, struct err *err)
{
	char list[160] = "";
	size_t n = 0;
	if (!options->strategy || strategy_serves(strategy, machine))
		return ERR_OK;
	for (unsigned i = 0; i < N_STRATEGY; i++)
		if (strategy_serves((enum strategy)i, machine))
			n +=
			    (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", strategy_table[i].name);
	assert(n < sizeof(list));
	return err_add(err, ERR_USAGE, "dse %s: --strategy is '%.40s', machine %s has %s", options->command->name,
	               options->strategy, machine->name, list);
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
	enum err_code code = choice_strategy(options, &strategy, err);
	code = choice_worse(code, mapping_open(options->file[0], options->file[1], mapping, err));
	if (code == ERR_OK)
		code = choice_set_mapping(options, mapping, err);
	if (options->split_scheme)
		code = choice_worse(code, split_scheme_read(options->split_scheme, &scheme, err));
	if (code == ERR_OK)
		code = choice_check_strategy(options, &mapping->machine, strategy, err);
	if (code == ERR_OK)
		code = choice_level(options, &mapping->machine, &level, err);
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

enum err_code choice_check_point_machine(const struct cli_options *options, struct err *err)
{
	if (!options->point || options->set.n == 0)
		return ERR_OK;
	return err_add(
	    err, ERR_USAGE,
	    "dse %s: --point runs on the machine of its front; leave --set away, or write the point's mapping "
	    "with 'dse map --point %.80s -o DIR' and run that with --set",
	    options->command->name, options->point);
}

enum err_code choice_check_fixed(const struct cli_options *options, size_t max_file, const char *what,
                                 const enum cli_option *fixed, size_t n, struct err *err)
{
	const char *name = options->point ? "--point" : "--mapping", *command = options->command->name;
	char list[200] = "";
	bool is_given = false;
	if (options->point && options->mapping)
		return err_add(err, ERR_USAGE, "dse %s: allowed is one of --point and --mapping", command);
	if (options->n_file > max_file)
		return err_add(err, ERR_USAGE, "dse %s: %s names %s already, found '%.60s', too", command, name,
		               max_file > 0 ? "the machine" : "machine and network", options->file[0]);
	for (size_t i = 0, n_byte = 0; i < n; i++) {
		is_given = is_given || cli_given(options, fixed[i]);
		n_byte += (size_t)snprintf(list + n_byte, sizeof(list) - n_byte, "%s--%s",
		                           i == 0       ? ""
		                           : i + 1 == n ? " and "
		                                        : ", ",
		                           option_table[fixed[i]].name);
		assert(n_byte < sizeof(list));
	}
	return is_given
	           ? err_add(err, ERR_USAGE, "dse %s: %s fixes %s already; leave %s away", command, name, what, list)
	           : ERR_OK;
}

enum err_code choice_mapping(const struct cli_options *options, struct mapping *mapping, struct err *err)
{
	static const enum cli_option fixed[] = {OPTION_SPLIT_SCHEME, OPTION_STRATEGY, OPTION_LEVEL};
	*mapping = (struct mapping){0};
	if (!options->point && !options->mapping)
		return by_rules(options, mapping, err);
	enum err_code code = choice_check_fixed(options, 1, "splits, strategies and levels", fixed, 3, err);
	if (code != ERR_OK)
		return code;
	code = options->point
	           ? mapping_from_point(options->point, options->n_file > 0 ? options->file[0] : NULL, mapping, err)
	           : load(options, mapping, err);
	return code == ERR_OK ? choice_set_mapping(options, mapping, err) : code;
}
