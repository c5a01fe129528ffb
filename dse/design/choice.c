/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/choice.h"
#include "dse/base/pattern.h"
#include "sim/fast/fast.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

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
		char word[sizeof(machine->level[0].name) + 24];
		size_t index = 0, n = strcspn(list, ",");
		(void)snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) ? n : sizeof(word) - 1), list);
		enum err_code one = cli_choose(options, "levels", word, name, machine->n_level, &index, err);
		if (one == ERR_OK && !energy_is_supplied(machine, (uint32_t)index))
			one = err_add(err, ERR_USAGE,
			              "dse %s: the lanes of %s do not supply %s (dvfs.lanes); leave it away",
			              options->command->name, machine->name, name[index]);
		if (one == ERR_OK)
			*levels |= UINT32_C(1) << index;
		code = code == ERR_OK ? one : code;
		list = list[n] ? list + n + 1 : NULL;
	}
	return code;
}

enum err_code choice_forms(const struct cli_options *options, uint32_t *forms, struct err *err)
{
	const char *list = options->conv_1x1;
	enum err_code code = ERR_OK;
	*forms = 0;
	for (uint32_t i = 0; i < N_CONV_FORM && !list; i++)
		*forms |= UINT32_C(1) << i;
	while (list) {
		char word[40];
		size_t index = 0, n = strcspn(list, ",");
		(void)snprintf(word, sizeof(word), "%.*s", (int)(n < sizeof(word) ? n : sizeof(word) - 1), list);
		enum err_code one = cli_choose(options, "conv-1x1", word, conv_form_name, N_CONV_FORM, &index, err);
		*forms |= one == ERR_OK ? UINT32_C(1) << index : 0;
		code = code == ERR_OK ? one : code;
		list = list[n] ? list + n + 1 : NULL;
	}
	return code;
}

enum err_code choice_result(const struct cli_options *options, enum network_result *result, struct err *err)
{
	size_t index = NETWORK_RESULT_DRAM;
	enum err_code code = ERR_OK;
	if (options->network_result)
		code = cli_choose(options, "network-result", options->network_result, network_result_name,
		                  N_NETWORK_RESULT, &index, err);
	*result = (enum network_result)index;
	return code;
}

enum err_code choice_layers(const struct cli_options *options, const struct network *network, bool *shown,
                            struct err *err)
{
	assert(network->n_block > 0);
	struct pattern pattern = {0};
	size_t n = 0;
	enum err_code code = ERR_OK;
	if (options->layers)
		code = pattern_compile(options->layers, (struct err_place){"--layers", 1, 1}, &pattern, err);
	for (size_t i = 0; i < network->n_block && code == ERR_OK; i++) {
		shown[i] = true;
		if (options->layers)
			code = pattern_match(&pattern, network->block[i].name, &shown[i], err);
		n += shown[i];
	}
	pattern_free(&pattern);
	if (code == ERR_INPUT)
		return ERR_USAGE; /* the pattern stands on the command line */
	if (code == ERR_OK && n == 0)
		return err_add(err, ERR_USAGE, "dse %s: --layers '%.80s' matches none of the layers of %s, %s to %s",
		               options->command->name, options->layers, network->name, network->block[0].name,
		               network->block[network->n_block - 1].name);
	return code;
}
