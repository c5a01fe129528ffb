/* SPDX-License-Identifier: Apache-2.0 */
/* What the words of dse why fix. */
#include "dse/why/why.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The layer's name as a network has it; NULL and a message: none has one. */
static const char *find_layer(const struct space *space, const char *text, size_t n_byte, struct err *err)
{
	const char *name[64];
	char own[80];
	size_t n = 0;
	(void)snprintf(own, sizeof(own), "%.*s", (int)(n_byte < sizeof(own) ? n_byte : sizeof(own) - 1), text);
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++) {
			const char *other = space->network[i].network.block[k].name;
			if (strcmp(other, own) == 0)
				return other;
			if (n < sizeof(name) / sizeof(name[0]))
				name[n++] = other;
		}
	const char *nearest = err_nearest(own, name, n);
	(void)err_add(err, ERR_USAGE, "dse why: '%.60s' is no layer of the run's networks%s%s%s", own,
	              nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	return NULL;
}

static enum err_code find_level(const struct space *space, const char *text, uint32_t *level, struct err *err)
{
	const char *name[MACHINE_MAX_LEVEL];
	size_t index = 0;
	for (size_t i = 0; i < space->n_machine; i++) {
		size_t own;
		for (uint32_t k = 0; k < space->machine[i].n_level; k++)
			name[k] = space->machine[i].level[k].name;
		if (err_choose("dse why: level", text, name, space->machine[i].n_level, &own, err) != ERR_OK)
			return ERR_USAGE;
		if (i > 0 && own != index)
			return err_add(err, ERR_USAGE, "dse why: level %.40s is another one on each machine", text);
		index = own;
	}
	*level = (uint32_t)index;
	return ERR_OK;
}

/* "strategy=NAME" or "level=NAME" of a layer, or of all. */
static enum err_code parse_layer(const struct space *space, const char *word, const char *field,
                                 struct why_choice *choice, struct err *err)
{
	struct why_layer layer = {.strategy = N_STRATEGY, .level = UINT32_MAX};
	const char *value = strchr(field, '=') + 1, *name[N_STRATEGY];
	size_t index;
	if (field > word && !(layer.name = find_layer(space, word, (size_t)(field - word) - 1, err)))
		return ERR_USAGE;
	for (unsigned i = 0; i < N_STRATEGY; i++)
		name[i] = strategy_table[i].name;
	enum err_code code = ERR_OK;
	if (strncmp(field, "level=", strlen("level=")) == 0)
		code = find_level(space, value, &layer.level, err);
	else if ((code = err_choose("dse why: strategy", value, name, N_STRATEGY, &index, err)) == ERR_OK)
		layer.strategy = (enum strategy)index;
	if (code == ERR_OK && choice->n_layer == WHY_MAX_LAYER)
		return err_add(err, ERR_USAGE, "dse why: more than %d choices of layers", WHY_MAX_LAYER);
	if (code == ERR_OK)
		choice->layer[choice->n_layer++] = layer;
	return code;
}

enum err_code why_parse(const struct space *space, const char *const *word, size_t n, struct why_choice *choice,
                        struct err *err)
{
	const char *setting[MACHINE_SET_MAX];
	size_t n_setting = 0, n_byte = 0;
	enum err_code code = ERR_OK;
	assert(space && word && n > 0 && choice);
	*choice = (struct why_choice){.text = ""};
	for (size_t i = 0; i < n; i++) {
		const char *blank = strrchr(word[i], ' '), *field = blank ? blank + 1 : word[i];
		bool is_layer = strncmp(field, "strategy=", strlen("strategy=")) == 0 ||
		                strncmp(field, "level=", strlen("level=")) == 0;
		n_byte += (size_t)snprintf(choice->text + n_byte, sizeof(choice->text) - n_byte, "%s%s", i ? ", " : "",
		                           word[i]);
		n_byte = n_byte < sizeof(choice->text) ? n_byte : sizeof(choice->text) - 1;
		if (is_layer && parse_layer(space, word[i], field, choice, err) != ERR_OK)
			code = ERR_USAGE;
		if (!is_layer && n_setting < MACHINE_SET_MAX)
			setting[n_setting++] = word[i];
	}
	if (machine_set_parse("dse why: CHOICE", setting, n_setting, &choice->set, err) != ERR_OK)
		code = ERR_USAGE;
	return code;
}
