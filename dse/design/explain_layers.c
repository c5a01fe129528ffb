/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/explain_layers.h"
#include "dse/base/memory.h"
#include "dse/out/table.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define MAX_NAME 6  /* layers of a group that are named; of more, the first ones and the last */
#define MAX_FIXED 6 /* the same of listed splits */

/* What one layer may choose from. Equal texts make a group. */
struct choice_text {
	struct words_text split, rest;
};

static void add_dim(struct words_text *text, const struct dim_choice *dim)
{
	static const char *const word[] = {
	    [SPLIT_ALL] = "every legal split", [SPLIT_EVEN] = "even splits", [SPLIT_WHOLE] = "not split"};
	char split[64];
	for (size_t i = 0; i < dim->n_fixed && i < MAX_FIXED; i++) {
		(void)dim_print(&dim->fixed[i], split, sizeof(split));
		words_add(text, "%s%s", words_between(i, dim->n_fixed, " or "), split);
	}
	if (dim->n_fixed > MAX_FIXED)
		words_add(text, " and %zu more", dim->n_fixed - MAX_FIXED);
	if (dim->n_fixed > 0)
		return;
	assert((size_t)dim->choice < sizeof(word) / sizeof(word[0]) && word[dim->choice]);
	words_add(text, "%s", word[dim->choice]);
	if (dim->max_part != UINT32_MAX)
		words_add(text, " of at most %" PRIu32 " parts", dim->max_part);
}

/* The dimensions that a block of this kind has, those with equal words together. */
static void add_splits(struct words_text *text, const struct block *block, const struct layer_choice *choice)
{
	const bool is_there[N_SPLIT_DIM] = {true, true, block->kind != BLOCK_MATMUL, block->kind != BLOCK_POOL};
	struct words_text said[N_SPLIT_DIM];
	bool is_said[N_SPLIT_DIM] = {false};
	if (choice->thesis_split) {
		words_add(text, "the one of the thesis' rules");
		return;
	}
	for (size_t i = 0; i < N_SPLIT_DIM; i++) {
		words_clear(&said[i]);
		if (is_there[i])
			add_dim(&said[i], &choice->dim[i]);
	}
	for (size_t i = 0; i < N_SPLIT_DIM; i++) {
		if (!is_there[i] || is_said[i])
			continue;
		words_add(text, "%s%s", text->n > 0 ? "; " : "", split_dim_name[i]);
		for (size_t k = i + 1; k < N_SPLIT_DIM; k++) {
			if (is_there[k] && strcmp(said[i].text, said[k].text) == 0) {
				is_said[k] = true;
				words_add(text, ", %s", split_dim_name[k]);
			}
		}
		words_add(text, ": %s", said[i].text);
	}
}

/* What values of genes stand for, as far as there is anything to be said of them. */
static void add_genes(struct words_text *text, const struct layer_problem *layer, const struct machine *machine)
{
	const uint32_t *n = layer->n_value;
	for (uint32_t i = 0; i < n[GENE_STRATEGY]; i++)
		words_add(text, "%s%s", i ? words_between(i, n[GENE_STRATEGY], " or ") : "strategy: ",
		          strategy_table[layer->strategy[i]].name);
	if (n[GENE_REUSE] > 1 || layer->reuse[0] != REUSE_AUTO)
		for (uint32_t i = 0; i < n[GENE_REUSE]; i++)
			words_add(text, "%s%s", i ? words_between(i, n[GENE_REUSE], " or ") : "; operand kept: ",
			          reuse_operand_name[layer->reuse[i]]);
	for (uint32_t i = 0; i < n[GENE_LEVEL]; i++)
		words_add(text, "%s%s", i ? words_between(i, n[GENE_LEVEL], " or ") : "; operating point: ",
		          machine->level[layer->level[i]].name);
	for (uint32_t i = 0; i < n[GENE_OPERAND]; i++)
		words_add(text, "%s%u bit%s%s",
		          i ? words_between(i, n[GENE_OPERAND], " or ") : "; operands: ", layer->operand_bit[i],
		          layer->form[i] == FORM_CONV ? "" : " as ",
		          layer->form[i] == FORM_CONV ? "" : conv_form_name[layer->form[i]]);
	if (n[GENE_PLACE] > 1)
		words_add(text, "; %s: in DRAM or storage QPEs",
		          !layer_has_place(layer, PLACE_RESULT)  ? "ifmap"
		          : !layer_has_place(layer, PLACE_IFMAP) ? "result"
		                                                 : "ifmap and result");
	if (layer->choice->fetch[AHEAD_HALF] || layer->choice->fetch[AHEAD_ALL])
		words_add(text, "; weights fetched ahead: %s%s%s", layer->choice->fetch[AHEAD_NONE] ? "or not, " : "",
		          layer->choice->fetch[AHEAD_HALF] ? "half " : "",
		          layer->choice->fetch[AHEAD_ALL] ? "all" : "");
}

static void describe(const struct layer_set *set, const struct space *space, size_t block, struct choice_text *text)
{
	const struct layer_map *map = set->map;
	size_t network = layer_map_network(map, block);
	words_clear(&text->split);
	words_clear(&text->rest);
	add_splits(&text->split, map->block[block], &space->network[network].choice[block - map->begin[network]]);
	add_genes(&text->rest, &set->problem[map->distinct[block]], &set->machine);
}

static const char *kind_word(enum block_kind kind, size_t n)
{
	static const char *const one[] = {[BLOCK_CONV] = "convolution",
	                                  [BLOCK_POOL] = "pooling or other work that multiplies nothing",
	                                  [BLOCK_MATMUL] = "matrix multiplication"};
	static const char *const many[] = {[BLOCK_CONV] = "convolutions",
	                                   [BLOCK_POOL] = "layers of pooling and other work that multiplies nothing",
	                                   [BLOCK_MATMUL] = "matrix multiplications"};
	return n == 1 ? one[kind] : many[kind];
}

/* Whether block number other is of a group that block describes. */
static bool is_alike(const struct layer_set *set, const struct space *space, size_t block,
                     const struct choice_text *text, size_t other, struct choice_text *scratch)
{
	const struct layer_map *map = set->map;
	if (map->block[block]->kind != map->block[other]->kind)
		return false;
	describe(set, space, other, scratch);
	return strcmp(text->split.text, scratch->split.text) == 0 && strcmp(text->rest.text, scratch->rest.text) == 0;
}

/* The blocks of a group. */
struct group {
	size_t n, n_distinct;
	size_t *block; /* [n] */
	uint64_t n_legal, n_candidate;
};

/* A distinct layer's designs count once. */
static void add_to_group(struct group *group, const struct layer_set *set, size_t block)
{
	uint32_t distinct = set->map->distinct[block];
	bool is_new = true;
	for (size_t i = 0; i < group->n; i++)
		is_new = is_new && set->map->distinct[group->block[i]] != distinct;
	if (is_new) {
		group->n_distinct++;
		group->n_legal = add_sat(group->n_legal, set->problem[distinct].n_legal);
		group->n_candidate = add_sat(group->n_candidate, problem_size(&set->problem[distinct].problem));
	}
	group->block[group->n++] = block;
}

static void print_group(struct words *words, const struct space *space, const struct layer_set *set,
                        const struct group *group, const struct choice_text *text)
{
	const struct layer_map *map = set->map;
	const struct block *first = map->block[group->block[0]];
	struct words_text name = {0};
	for (size_t i = 0; i < group->n; i++) {
		if (group->n <= MAX_NAME || i + 2 < MAX_NAME || i + 1 == group->n)
			words_add(&name, "%s%s", i ? ", " : "", map->block[group->block[i]]->name);
		else if (i + 2 == MAX_NAME)
			words_add(&name, ", ...");
	}
	words_line(words, "%zu %s of %s (%s)%s:", group->n, kind_word(first->kind, group->n),
	           space->network[layer_map_network(map, group->block[0])].network.name, name.text,
	           group->n_distinct < group->n ? ", some of them alike" : "");
	words_line(words, "  split: %s", text->split.text);
	words_line(words, "  %s", text->rest.text);
	char legal[TABLE_COUNT_SIZE], listed[TABLE_COUNT_SIZE];
	table_print_about((double)group->n_legal, legal);
	table_print_about((double)group->n_candidate, listed);
	words_line(words, "  %s design%s%s%s%s of %zu distinct layer%s", legal, group->n_legal == 1 ? "" : "s",
	           group->n_candidate < group->n_legal ? ", " : "", group->n_candidate < group->n_legal ? listed : "",
	           group->n_candidate < group->n_legal ? " listed by rules and engine," : "", group->n_distinct,
	           group->n_distinct == 1 ? "" : "s");
}

void explain_layers(struct words *words, const struct space *space, const struct layer_set *set)
{
	const struct layer_map *map = set->map;
	struct arena arena = {0};
	bool *is_told = arena_array(&arena, map->n_block, sizeof(*is_told));
	struct group group = {.block = arena_array(&arena, map->n_block, sizeof(*group.block))};
	struct choice_text *text = arena_array(&arena, 2, sizeof(*text));
	memory_check(!arena.is_out);
	for (size_t i = 0; i < map->n_block; i++) {
		if (is_told[i])
			continue;
		describe(set, space, i, &text[0]);
		group = (struct group){.block = group.block};
		for (size_t k = i; k < map->begin[layer_map_network(map, i) + 1]; k++) {
			if (is_told[k] || !is_alike(set, space, i, &text[0], k, &text[1]))
				continue;
			add_to_group(&group, set, k);
			is_told[k] = true;
		}
		print_group(words, space, set, &group, &text[0]);
	}
	arena_free(&arena);
}
