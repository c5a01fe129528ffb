/* SPDX-License-Identifier: Apache-2.0 */
/* What the words of dse why fix. */
#include "dse/base/memory.h"
#include "dse/out/paths.h"
#include "dse/out/renamed.h"
#include "dse/space/machine_read.h"
#include "dse/why/why.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAME 64 /* of layers in a message */

/* What is chosen of layers. */
enum field { FIELD_OF_STRATEGY, FIELD_OF_LEVEL, FIELD_OF_SPLIT, N_FIELD };
static const char *const field_name[N_FIELD] = {"strategy", "level", "split"};

/* ---- machines ---- */

/* Whether a word means the machine of that path: by its name, its path, or its file's name without the ending. */
static bool means_machine(const char *word, const struct machine *machine, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t n = strcspn(base, ".");
	return strcmp(word, machine->name) == 0 || strcmp(word, path) == 0 ||
	       (strlen(word) == n && strncmp(word, base, n) == 0);
}

/* Rules name operating points by their place: a machine from elsewhere must have the same there. */
static enum err_code check_levels(const struct space *space, const struct machine *machine, struct err *err)
{
	const struct machine *first = &space->machine[0];
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++) {
			uint32_t mask = space->network[i].choice[k].level_mask;
			for (uint32_t l = 0; mask != UINT32_MAX && l < first->n_level; l++)
				if ((mask >> l & 1U) && (l >= machine->n_level ||
				                         strcmp(machine->level[l].name, first->level[l].name) != 0))
					return err_add(
					    err, ERR_USAGE,
					    "dse why: machine=%s: rules of the space name %s, operating point %u of "
					    "%s, which this machine does not have there",
					    machine->name, first->level[l].name, l + 1, first->name);
		}
	return ERR_OK;
}

static enum err_code parse_machine(const struct space *space, const char *word, struct why_choice *choice,
                                   struct err *err)
{
	struct err part = {0};
	struct why_machine *own = memory_must(arena_array(&choice->arena, 1, sizeof(*own)));
	if (choice->machine)
		return err_add(err, ERR_USAGE, "dse why: machine= is given twice, allowed once");
	choice->machine = own;
	for (size_t i = 0; i < space->n_machine; i++) {
		if (!means_machine(word, &space->machine[i], space->machine_path[i]))
			continue;
		*own =
		    (struct why_machine){space->machine_path[i], space->machine[i], space->machine_sources[i], false};
		return ERR_OK;
	}
	own->is_file = true;
	enum err_code code = path_find(word, "machines", &choice->arena, &own->path, &part);
	if (code == ERR_OK)
		code = machine_read_sources(own->path, &own->machine, &own->sources, &choice->arena, &part);
	if (code != ERR_OK)
		(void)err_add(err, ERR_USAGE, "dse why: machine=%.60s is no machine of the space; %s", word,
		              err_text(&part));
	err_clear(&part);
	return code == ERR_OK ? check_levels(space, &own->machine, err) : ERR_USAGE;
}

/* ---- layers ---- */

/* The layer that had this name in the last release; NULL: none. */
static const char *find_renamed(const struct space *space, const char *own)
{
	const struct block *found = NULL;
	for (size_t i = 0; i < space->n_network && !found; i++)
		found = renamed_find_block(&space->network[i].network, own);
	return found ? found->name : NULL;
}

/* The layer's name, or its node's, as a network has it; NULL and a message: none has one. */
static const char *find_layer(const struct space *space, const char *text, size_t n_byte, struct err *err)
{
	const char *name[MAX_NAME];
	char own[LAYER_ORIGIN_SIZE + BLOCK_NAME_SIZE];
	size_t n = 0;
	(void)snprintf(own, sizeof(own), "%.*s", (int)(n_byte < sizeof(own) ? n_byte : sizeof(own) - 1), text);
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++) {
			const struct block *block = &space->network[i].network.block[k];
			if (block_is_called(block, own))
				return strcmp(block->name, own) == 0 ? block->name : block->origin.node;
			if (n < MAX_NAME)
				name[n++] = block->name;
		}
	const char *renamed = find_renamed(space, own);
	if (renamed)
		return renamed;
	const char *nearest = err_nearest(own, name, n);
	(void)err_add(err, ERR_USAGE, "dse why: '%.60s' is no layer of the run's networks%s%s%s", own,
	              nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	return NULL;
}

static enum err_code find_level(const struct space *space, const struct why_machine *chosen, const char *text,
                                uint32_t *level, struct err *err)
{
	const char *name[MACHINE_MAX_LEVEL];
	size_t index = 0;
	for (size_t i = 0; i < (chosen ? 1 : space->n_machine); i++) {
		const struct machine *machine = chosen ? &chosen->machine : &space->machine[i];
		size_t own;
		for (uint32_t k = 0; k < machine->n_level; k++)
			name[k] = machine->level[k].name;
		if (err_choose("dse why: level", text, name, machine->n_level, &own, err) != ERR_OK)
			return ERR_USAGE;
		if (i > 0 && own != index)
			return err_add(err, ERR_USAGE, "dse why: level %.40s is another one on each machine", text);
		index = own;
	}
	*level = (uint32_t)index;
	return ERR_OK;
}

static enum err_code find_strategy(const char *text, enum strategy *strategy, struct err *err)
{
	const char *name[N_STRATEGY];
	size_t index;
	for (unsigned i = 0; i < N_STRATEGY; i++)
		name[i] = strategy_table[i].name;
	if (err_choose("dse why: strategy", text, name, N_STRATEGY, &index, err) != ERR_OK)
		return ERR_USAGE;
	*strategy = (enum strategy)index;
	return ERR_OK;
}

/* ---- splits ---- */

/* Whether the parts are a split of that dimension of the block. */
static bool fits(const struct block *block, size_t dim, const struct dim_split *part)
{
	struct split split = split_whole(block);
	struct dim_split *const own[N_SPLIT_DIM] = {&split.w, &split.h, &split.c, &split.d};
	*own[dim] = *part;
	return split_check(block, &split, NULL) == ERR_OK;
}

static enum err_code check_fixed(const struct space *space, const struct why_layer *layer, size_t dim, struct err *err)
{
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++) {
			const struct block *block = &space->network[i].network.block[k];
			const struct split whole = split_whole(block);
			const struct dim_split *const extent[N_SPLIT_DIM] = {&whole.w, &whole.h, &whole.c, &whole.d};
			if (!block_is_called(block, layer->name) || fits(block, dim, &layer->fixed[dim]))
				continue;
			return err_add(
			    err, ERR_USAGE,
			    "dse why: %s: found parts of another sum, or that its pooling cuts; layer %s has "
			    "%u to be split",
			    split_dim_name[dim], block->name, extent[dim]->size_a);
		}
	return ERR_OK;
}

/* "height:28*2" */
static enum err_code parse_dim(const struct space *space, const char *text, struct why_layer *layer, struct err *err)
{
	char name[32];
	size_t dim, n = strcspn(text, ":");
	(void)snprintf(name, sizeof(name), "%.*s", (int)(n < sizeof(name) ? n : sizeof(name) - 1), text);
	if (text[n] != ':')
		return err_add(err, ERR_USAGE,
		               "dse why: split is '%.60s', allowed all, even, whole, thesis, or dimensions such as "
		               "height:28*2,width:14*4",
		               text);
	if (err_choose("dse why: a split's dimension", name, split_dim_name, N_SPLIT_DIM, &dim, err) != ERR_OK)
		return ERR_USAGE;
	if (layer->dims >> dim & 1U)
		return err_add(err, ERR_USAGE, "dse why: %s is split twice, allowed once", name);
	struct err part = {0};
	enum err_code code = dim_parse(text + n + 1, &layer->fixed[dim], &part);
	if (code != ERR_OK)
		code = err_add(err, ERR_USAGE, "dse why: %s: %.*s", name, (int)strcspn(err_text(&part), "\n"),
		               err_text(&part));
	err_clear(&part);
	layer->dims |= 1U << dim;
	layer->dim[dim] = (struct dim_choice){.choice = SPLIT_ALL, .max_part = UINT32_MAX, .n_fixed = 1};
	return code == ERR_OK ? check_fixed(space, layer, dim, err) : code;
}

static enum err_code parse_split(const struct space *space, const char *text, struct why_layer *layer, struct err *err)
{
	static const struct {
		const char *name;
		enum split_choice choice;
	} word[] = {{"all", SPLIT_ALL}, {"even", SPLIT_EVEN}, {"whole", SPLIT_WHOLE}};
	char one[96];
	layer->thesis_split = strcmp(text, "thesis") == 0;
	if (layer->thesis_split)
		return ERR_OK;
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		if (strcmp(text, word[i].name) != 0)
			continue;
		layer->dims = (1U << N_SPLIT_DIM) - 1;
		for (size_t k = 0; k < N_SPLIT_DIM; k++)
			layer->dim[k] = (struct dim_choice){.choice = word[i].choice, .max_part = UINT32_MAX};
		return ERR_OK;
	}
	if (!layer->name)
		return err_add(err, ERR_USAGE,
		               "dse why: split is '%.60s', allowed of all layers are all, even, whole, thesis; "
		               "LAYER.split=height:28*2 is of one",
		               text);
	enum err_code code = ERR_OK;
	for (const char *at = text; code == ERR_OK && at; at = *at == ',' ? at + 1 : NULL) {
		size_t n = strcspn(at, ",");
		(void)snprintf(one, sizeof(one), "%.*s", (int)(n < sizeof(one) ? n : sizeof(one) - 1), at);
		code = parse_dim(space, one, layer, err);
		at += n;
	}
	return code;
}

/* ---- words ---- */

/* "FIELD=", "LAYER.FIELD=" or "LAYER FIELD=": which field, and where it begins; N_FIELD: none of layers. */
static enum field find_field(const char *word, const char **begin)
{
	const char *equals = strchr(word, '=');
	for (unsigned i = 0; equals && i < N_FIELD; i++) {
		size_t n = strlen(field_name[i]);
		const char *at = equals - n;
		if ((size_t)(equals - word) < n || strncmp(at, field_name[i], n) != 0)
			continue;
		if (at > word && at[-1] != '.' && at[-1] != ' ')
			continue;
		*begin = at;
		return (enum field)i;
	}
	return N_FIELD;
}

/* What is chosen of a layer, or of all. */
static enum err_code parse_layer(const struct space *space, const char *word, const char *begin, enum field field,
                                 struct why_choice *choice, struct err *err)
{
	struct why_layer layer = {.strategy = N_STRATEGY, .level = UINT32_MAX};
	const char *value = strchr(begin, '=') + 1;
	if (begin > word && !(layer.name = find_layer(space, word, (size_t)(begin - word) - 1, err)))
		return ERR_USAGE;
	enum err_code code = field == FIELD_OF_LEVEL      ? find_level(space, choice->machine, value, &layer.level, err)
	                     : field == FIELD_OF_STRATEGY ? find_strategy(value, &layer.strategy, err)
	                                                  : parse_split(space, value, &layer, err);
	if (code == ERR_OK && choice->n_layer == WHY_MAX_LAYER)
		return err_add(err, ERR_USAGE, "dse why: more than %d choices of layers", WHY_MAX_LAYER);
	if (code == ERR_OK)
		choice->layer[choice->n_layer++] = layer;
	return code;
}

/* A word without a value is a mapping's file. */
static enum err_code parse_mapping(const char *word, struct why_choice *choice, struct err *err)
{
	if (!path_ends_in(word, ".yaml"))
		return err_add(err, ERR_USAGE,
		               "dse why: CHOICE is '%.60s', allowed are KEY=VALUE, machine=NAME, strategy=, level= or "
		               "split= with a layer's name and a dot before it or without, or a mapping's FILE.yaml",
		               word);
	if (choice->mapping)
		return err_add(err, ERR_USAGE, "dse why: two mappings, allowed one");
	choice->mapping = memory_must(arena_text(&choice->arena, word));
	return ERR_OK;
}

static bool is_machine_word(const char *word)
{
	return strncmp(word, "machine=", strlen("machine=")) == 0;
}

enum err_code why_parse(const struct space *space, const char *const *word, size_t n, struct why_choice *choice,
                        struct err *err)
{
	const char *setting[MACHINE_SET_MAX], *begin = NULL;
	size_t n_setting = 0, n_byte = 0;
	unsigned n_before = err->n_message;
	assert(space && word && n > 0 && choice);
	*choice = (struct why_choice){.text = ""};
	for (size_t i = 0; i < n; i++) /* operating points are the machine's */
		if (is_machine_word(word[i]))
			(void)parse_machine(space, strchr(word[i], '=') + 1, choice, err);
	for (size_t i = 0; i < n; i++) {
		enum field field = find_field(word[i], &begin);
		n_byte += (size_t)snprintf(choice->text + n_byte, sizeof(choice->text) - n_byte, "%s%s", i ? ", " : "",
		                           word[i]);
		n_byte = n_byte < sizeof(choice->text) ? n_byte : sizeof(choice->text) - 1;
		if (field != N_FIELD)
			(void)parse_layer(space, word[i], begin, field, choice, err);
		else if (!strchr(word[i], '='))
			(void)parse_mapping(word[i], choice, err);
		else if (!is_machine_word(word[i]) && n_setting < MACHINE_SET_MAX)
			setting[n_setting++] = word[i];
	}
	if (choice->mapping && choice->n_layer > 0)
		(void)err_add(err, ERR_USAGE,
		              "dse why: a mapping says all of the layers; choose machines beside it, or edit it");
	(void)machine_set_parse("dse why: CHOICE", setting, n_setting, &choice->set, err);
	return err->n_message == n_before ? ERR_OK : ERR_USAGE;
}

void why_choice_free(struct why_choice *choice)
{
	arena_free(&choice->arena);
	*choice = (struct why_choice){.text = ""};
}
