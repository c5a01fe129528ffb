/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules under `layers:`. Each has a pattern on the names of layers' core
 * operations and sets some keys; for a layer the rules that match it are
 * applied in order, later ones win key by key. What no rule sets keeps its
 * default: every legal split, every strategy for search, the reuse operand
 * chosen by the strategy, all operating points, 8-bit operands, every form of 1x1
 * convolutions but the tight one.
 */
#include "dse/space/space_rules.h"
#include "dse/out/renamed.h"
#include "dse/space/layer_input.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAMES 512u /* bytes of layer names in a message */

const char *const network_result_name[N_NETWORK_RESULT] = {"dram", "any"};

const char *const split_dim_name[N_SPLIT_DIM] = {"width", "height", "out_channels", "in_channels"};

static const struct rule_dim any_split = {.may = {.choice = SPLIT_ALL, .max_part = UINT32_MAX}};

/* `28*2+14*4`, one of a list of splits. */
static bool read_fixed(const struct doc_node *node, const char *what, struct dim_split *split, struct err *err)
{
	const char *text;
	if (!doc_get_text(node, what, &text, err))
		return false;
	if (dim_parse(text, split, NULL) == ERR_OK)
		return true;
	return doc_refuse(err, node,
	                  "%s: found '%s', allowed all, even, whole, a list of splits such as [28*2, 21*4+20*7] or "
	                  "{max_parts: 8}",
	                  what, doc_quote(text).text);
}

/* Extents are known only for layers, so whether the splits fit is found out when the rule is applied. */
static void read_fixed_list(struct space_reader *reader, const struct doc_node *node, const char *what,
                            struct rule_dim *dim)
{
	size_t n = item_n(node);
	if (!space_has_items(node, what, reader->err))
		return;
	struct dim_split *fixed = space_array(reader, n, sizeof(*fixed));
	bool *used = space_array(reader, n, sizeof(*used));
	if (!fixed || !used)
		return;
	*dim = (struct rule_dim){{SPLIT_ALL, UINT32_MAX, 0, fixed}, used, node};
	for (size_t i = 0; i < n; i++)
		dim->may.n_fixed += read_fixed(item_at(node, i), what, &fixed[dim->may.n_fixed], reader->err);
	/* What could not be read must not be blamed for covering nothing. */
	if (dim->may.n_fixed < n)
		*dim = any_split;
}

/* all | even | whole; false, without a message, when it is none of these. */
static bool find_choice(const char *text, enum split_choice *choice)
{
	static const struct {
		const char *name;
		enum split_choice choice;
	} known[] = {{"all", SPLIT_ALL}, {"even", SPLIT_EVEN}, {"whole", SPLIT_WHOLE}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, text) == 0) {
			*choice = known[i].choice;
			return true;
		}
	}
	return false;
}

/* {max_parts: 8, choose: even} */
static void read_limited(struct space_reader *reader, const struct doc_node *map, struct rule_dim *dim)
{
	static const char *const allowed[] = {"max_parts", "choose"}, *const choose[] = {"all", "even"};
	const struct doc_node *max_parts = doc_find(map, "max_parts");
	uint64_t n = UINT32_MAX;
	size_t index = 0;
	doc_check_keys(map, allowed, 2, reader->err);
	if (!max_parts)
		(void)doc_refuse(reader->err, map, "a limited split needs 'max_parts', e.g. {max_parts: 8}");
	(void)doc_get_u64(max_parts, "max_parts", 1, 1000000, &n, reader->err);
	(void)doc_get_choice(doc_find(map, "choose"), "choose", choose, 2, &index, reader->err);
	*dim = any_split;
	dim->may.max_part = (uint32_t)n;
	(void)find_choice(choose[index], &dim->may.choice);
}

/* One dimension under `split:`. */
static void read_dim(struct space_reader *reader, const struct doc_node *node, const char *what, struct rule_dim *dim)
{
	enum split_choice choice;
	*dim = any_split;
	if (node->kind == DOC_MAP)
		read_limited(reader, node, dim);
	else if (node->kind == DOC_SCALAR && find_choice(node->text, &choice))
		dim->may.choice = choice;
	else
		read_fixed_list(reader, node, what, dim);
}

/* One word for all dimensions or a map; either undoes `split: thesis` of an earlier rule. */
static void read_split(struct space_reader *reader, const struct doc_node *node, struct rule *rule)
{
	enum { THESIS = 3 };
	static const char *const whole[] = {"all", "even", "whole", [THESIS] = "thesis"};
	size_t index;
	if (node->kind == DOC_MAP) {
		doc_check_keys(node, split_dim_name, N_SPLIT_DIM, reader->err);
		rule->thesis_split = false;
		rule->set |= RULE_THESIS;
		for (size_t i = 0; i < N_SPLIT_DIM; i++) {
			const struct doc_node *dim = doc_find(node, split_dim_name[i]);
			if (!dim)
				continue;
			read_dim(reader, dim, split_dim_name[i], &rule->dim[i]);
			rule->set |= RULE_DIM << i;
		}
		return;
	}
	if (!doc_get_choice(node, "split", whole, THESIS + 1, &index, reader->err))
		return;
	rule->thesis_split = index == THESIS;
	rule->set |= RULE_THESIS;
	for (size_t i = 0; i < N_SPLIT_DIM && !rule->thesis_split; i++) {
		rule->dim[i] = any_split;
		(void)find_choice(whole[index], &rule->dim[i].may.choice);
		rule->set |= RULE_DIM << i;
	}
}

static bool is_all(const struct doc_node *node)
{
	return node->kind == DOC_SCALAR && strcmp(node->text, "all") == 0;
}

/* Whether a machine of the space is of the strategy's kind. Which operand an array keeps may be an axis: not looked at.
 */
static bool has_kind(const struct space *space, enum strategy strategy)
{
	for (size_t i = 0; i < space->n_machine; i++)
		if ((space->machine[i].target == MACHINE_SYSTOLIC) == strategy_table[strategy].is_systolic)
			return true;
	return false;
}

/* Strategies that rules name, against the kinds of machines in the space. */
static void check_strategy(struct space_reader *reader, const struct doc_node *node, enum strategy strategy)
{
	const struct space *space = reader->space;
	char list[160] = "";
	size_t n = 0;
	assert(strategy < N_STRATEGY);
	if (!reader->machines_complete || has_kind(space, strategy))
		return;
	for (unsigned i = 0; i < N_STRATEGY; i++)
		if (has_kind(space, (enum strategy)i))
			n +=
			    (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", strategy_table[i].name);
	assert(n < sizeof(list));
	(void)doc_refuse(
	    reader->err, node, "strategy: found '%s', of another kind of machine than %s%s, allowed %s, all",
	    strategy_table[strategy].name, space->machine[0].name, space->n_machine > 1 ? " and the others" : "", list);
}

/*
 * The keys that take a list. What is named is allowed, all else is not; a key
 * with a mistake in it still counts as set, so that one mistake is one message.
 */
static void read_strategies(struct space_reader *reader, const struct doc_node *node, struct rule *rule)
{
	const char *name[N_STRATEGY + 1];
	if (!space_has_items(node, "strategy", reader->err))
		return;
	for (size_t i = 0; i < N_STRATEGY; i++)
		name[i] = strategy_table[i].name;
	name[N_STRATEGY] = "all";
	for (size_t i = 0; i < item_n(node); i++) {
		size_t index;
		if (is_all(item_at(node, i))) {
			for (size_t k = 0; k < N_STRATEGY; k++)
				rule->strategy[k] |= strategy_table[k].for_search;
		} else if (doc_get_choice(item_at(node, i), "strategy", name, N_STRATEGY + 1, &index, reader->err)) {
			rule->strategy[index] = true;
			check_strategy(reader, item_at(node, i), (enum strategy)index);
		}
	}
	rule->set |= RULE_STRATEGY;
}

static void read_reuse(struct space_reader *reader, const struct doc_node *node, struct rule *rule)
{
	if (!space_has_items(node, "reuse", reader->err))
		return;
	for (size_t i = 0; i < item_n(node); i++) {
		size_t index;
		if (doc_get_choice(item_at(node, i), "reuse", reuse_operand_name, N_REUSE_OPERAND, &index, reader->err))
			rule->reuse[index] = true;
	}
	rule->set |= RULE_REUSE;
}

/*
 * A level is meant by its name on every machine of the space, but kept as an
 * index; so it must have the same index everywhere.
 */
static void check_level_index(struct space_reader *reader, const struct doc_node *node, size_t index)
{
	const struct space *space = reader->space;
	for (size_t i = 1; i < space->n_machine; i++) {
		const struct machine *machine = &space->machine[i];
		if (index < machine->n_level && strcmp(machine->level[index].name, node->text) == 0)
			continue;
		(void)doc_refuse(
		    reader->err, node,
		    "level: found '%s', level %zu of %s but not of %s, allowed a level with the same place in the "
		    "levels of all machines of the space, or all",
		    doc_quote(node->text).text, index + 1, space->machine[0].name, machine->name);
		return;
	}
}

static void read_levels(struct space_reader *reader, const struct doc_node *node, struct rule *rule)
{
	const struct space *space = reader->space;
	const char *name[MACHINE_MAX_LEVEL + 1];
	if (!reader->machines_complete || !space_has_items(node, "level", reader->err))
		return;
	size_t n = space->machine[0].n_level;
	assert(n > 0 && n <= MACHINE_MAX_LEVEL);
	for (size_t i = 0; i < n; i++)
		name[i] = space->machine[0].level[i].name;
	name[n] = "all";
	for (size_t i = 0; i < item_n(node); i++) {
		const struct doc_node *item = item_at(node, i);
		size_t index;
		if (is_all(item)) {
			rule->level_mask = UINT32_MAX;
		} else if (doc_get_choice(item, "level", name, n + 1, &index, reader->err)) {
			rule->level_mask |= UINT32_C(1) << index;
			check_level_index(reader, item, index);
		}
	}
	rule->set |= RULE_LEVEL;
}

/* A list of words of which chosen [n] becomes true. */
static void read_choices(struct space_reader *reader, const struct doc_node *node, const char *what,
                         const char *const *name, size_t n, bool *chosen)
{
	if (!space_has_items(node, what, reader->err))
		return;
	for (size_t i = 0; i < item_n(node); i++) {
		size_t index;
		if (doc_get_choice(item_at(node, i), what, name, n, &index, reader->err))
			chosen[index] = true;
	}
}

static void read_operands(struct space_reader *reader, const struct doc_node *node, struct rule *rule)
{
	static const char *const name[] = {"8", "16"};
	bool chosen[2] = {rule->operand_8bit, rule->operand_16bit};
	read_choices(reader, node, "operand_bit", name, 2, chosen);
	rule->operand_8bit = chosen[0];
	rule->operand_16bit = chosen[1];
	rule->set |= RULE_OPERAND;
}

static void read_forms(struct space_reader *reader, const struct doc_node *node, struct rule *rule)
{
	read_choices(reader, node, "conv_1x1", conv_form_name, N_CONV_FORM, rule->form);
	rule->set |= RULE_FORM;
}

static void read_fetch(struct space_reader *reader, const struct doc_node *node, struct rule *rule)
{
	read_choices(reader, node, "fetch_ahead", ahead_name, AHEAD_N, rule->fetch);
	rule->set |= RULE_FETCH;
}

/* One item of `layers:`; the table of readers is in the order of the keys. */
static void read_rule(struct space_reader *reader, const struct doc_node *map, struct rule *rule)
{
	enum { N_KEY = 8 };
	static const char *const allowed[N_KEY] = {"match", "split",       "strategy", "reuse",
	                                           "level", "operand_bit", "conv_1x1", "fetch_ahead"};
	static void (*const read[N_KEY])(struct space_reader *, const struct doc_node *, struct rule *) = {
	    NULL, read_split, read_strategies, read_reuse, read_levels, read_operands, read_forms, read_fetch};
	const char *text;
	doc_check_keys(map, allowed, N_KEY, reader->err);
	if (map->kind != DOC_MAP)
		return;
	rule->match = doc_find(map, "match");
	if (!rule->match)
		(void)doc_refuse(reader->err, map, "a rule without 'match', e.g. match: '.*' for all layers");
	else if (doc_get_text(rule->match, "match", &text, reader->err))
		(void)pattern_compile(text, space_text_place(rule->match), &rule->pattern, reader->err);
	for (size_t i = 1; i < N_KEY; i++) {
		const struct doc_node *node = doc_find(map, allowed[i]);
		if (node)
			read[i](reader, node, rule);
	}
}

/* Apply one rule to what a layer may choose from so far. */
static void apply_rule(const struct rule *rule, struct layer_choice *choice, const struct rule_dim *dim[N_SPLIT_DIM])
{
	for (size_t i = 0; i < N_SPLIT_DIM; i++) {
		if (rule->set & (RULE_DIM << i))
			dim[i] = &rule->dim[i];
	}
	if (rule->set & RULE_THESIS)
		choice->thesis_split = rule->thesis_split;
	if (rule->set & RULE_STRATEGY)
		memcpy(choice->strategy, rule->strategy, sizeof(choice->strategy));
	if (rule->set & RULE_REUSE)
		memcpy(choice->reuse, rule->reuse, sizeof(choice->reuse));
	if (rule->set & RULE_LEVEL)
		choice->level_mask = rule->level_mask;
	if (rule->set & RULE_OPERAND) {
		choice->operand_8bit = rule->operand_8bit;
		choice->operand_16bit = rule->operand_16bit;
	}
	if (rule->set & RULE_FORM)
		memcpy(choice->form, rule->form, sizeof(choice->form));
	if (rule->set & RULE_FETCH)
		memcpy(choice->fetch, rule->fetch, sizeof(choice->fetch));
}

static struct layer_choice initial_choice(void)
{
	struct layer_choice choice;
	memset(&choice, 0, sizeof(choice));
	for (size_t i = 0; i < N_STRATEGY; i++)
		choice.strategy[i] = strategy_table[i].for_search;
	choice.reuse[REUSE_AUTO] = true;
	choice.level_mask = UINT32_MAX;
	choice.operand_8bit = true;
	for (size_t i = 0; i < N_CONV_FORM; i++)
		choice.form[i] = (CONV_FORM_USUAL >> i & 1) != 0;
	choice.fetch[AHEAD_NONE] = true;
	return choice;
}

struct layer_choice layer_choice_any(void)
{
	struct layer_choice choice = initial_choice();
	for (size_t i = 0; i < N_SPLIT_DIM; i++)
		choice.dim[i] = any_split.may;
	return choice;
}

/* Whether a split fits this dimension of a block, by the mapper's own rules. */
static bool fits(const struct block *block, size_t dim, const struct dim_split *fixed)
{
	struct split split = split_whole(block);
	struct dim_split *const part[N_SPLIT_DIM] = {&split.w, &split.h, &split.c, &split.d};
	assert(dim < N_SPLIT_DIM && fixed->n_a > 0);
	*part[dim] = *fixed;
	return split_check(block, &split, NULL) == ERR_OK;
}

/* The listed splits that cover this layer's extent; at least one must. */
static void choose_fixed(struct space_reader *reader, const struct block *block, size_t i, const struct rule_dim *dim,
                         struct dim_choice *chosen)
{
	assert(dim->node && dim->used);
	struct dim_split *kept = space_array(reader, dim->may.n_fixed, sizeof(*kept));
	if (!kept)
		return;
	chosen->fixed = kept;
	chosen->n_fixed = 0;
	for (size_t k = 0; k < dim->may.n_fixed; k++) {
		if (fits(block, i, &dim->may.fixed[k])) {
			kept[chosen->n_fixed++] = dim->may.fixed[k];
			dim->used[k] = true;
		}
	}
	if (chosen->n_fixed > 0)
		return;
	const struct split whole = split_whole(block);
	const struct dim_split *const extent[N_SPLIT_DIM] = {&whole.w, &whole.h, &whole.c, &whole.d};
	(void)doc_refuse(reader->err, dim->node,
	                 "%s: none of the splits fits layer %s, allowed parts that add up to %u%s", split_dim_name[i],
	                 block->name, extent[i]->size_a,
	                 block->pool > 1 && i < 2 ? ", multiples of the pooling's stride" : "");
}

/* The dimensions as the last rules that set them say; lists narrowed to what fits this block. */
static void set_dims(struct space_reader *reader, const struct block *block,
                     const struct rule_dim *const dim[N_SPLIT_DIM], struct layer_choice *choice)
{
	for (size_t i = 0; i < N_SPLIT_DIM; i++) {
		choice->dim[i] = (struct dim_choice){.choice = dim[i]->may.choice, .max_part = dim[i]->may.max_part};
		if (dim[i]->may.n_fixed > 0 && !choice->thesis_split)
			choose_fixed(reader, block, i, dim[i], &choice->dim[i]);
		assert(choice->dim[i].max_part > 0);
	}
}

static bool matches_any(const struct space *space, const struct pattern *pattern, bool renamed, const char **first)
{
	bool matches = false;
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block && !matches; k++) {
			const struct block *block = &space->network[i].network.block[k];
			char before[RENAMED_NAME_SIZE];
			struct err ignored = {0}; /* whoever applies the rule says it */
			if (!renamed)
				(void)pattern_match_either(pattern, block->name, block->origin.node, &matches,
				                           &ignored);
			else if (renamed_layer(block->name, before))
				(void)pattern_match(pattern, before, &matches, &ignored);
			*first = block->name;
			err_clear(&ignored);
		}
	return matches;
}

/* A rule that matches no layer is of those that had such a name in the last release. */
static void mark_renamed(struct space_reader *reader, struct rule *rule)
{
	const char *first;
	rule->takes_renamed = rule->pattern.code && !matches_any(reader->space, &rule->pattern, false, &first) &&
	                      matches_any(reader->space, &rule->pattern, true, &first);
	if (rule->takes_renamed)
		renamed_warn(rule->match->text, first);
}

static enum err_code match_rule(const struct rule *rule, const struct block *block, bool *matches, struct err *err)
{
	char before[RENAMED_NAME_SIZE];
	if (!rule->takes_renamed)
		return pattern_match_either(&rule->pattern, block->name, block->origin.node, matches, err);
	return renamed_layer(block->name, before) ? pattern_match(&rule->pattern, before, matches, err) : ERR_OK;
}

/* All rules on one block, in order. */
static void choose_for_block(struct space_reader *reader, const struct block *block, struct rule *rule, size_t n_rule,
                             struct layer_choice *choice)
{
	const struct rule_dim *dim[N_SPLIT_DIM] = {&any_split, &any_split, &any_split, &any_split};
	*choice = initial_choice();
	for (size_t i = 0; i < n_rule; i++) {
		struct err part = {0};
		bool matches = false;
		if (!rule[i].pattern.code)
			continue;
		if (match_rule(&rule[i], block, &matches, &part) != ERR_OK) {
			(void)err_move(reader->err, doc_place(rule[i].match), &part);
			pattern_free(&rule[i].pattern); /* once is enough */
		}
		rule[i].n_matched += matches;
		if (matches)
			apply_rule(&rule[i], choice, dim);
	}
	set_dims(reader, block, dim, choice);
}

/* Weights are fetched ahead in the narrowest width that the layer may have. */
static uint32_t fetch_bit(const struct layer_choice *choice)
{
	return choice->operand_8bit ? 8 : 16;
}

static bool fetches_any(const struct layer_choice *choice)
{
	return choice->fetch[AHEAD_HALF] || choice->fetch[AHEAD_ALL];
}

void space_set_ahead(struct space_network *network)
{
	size_t n = network->network.n_block;
	for (size_t i = 0; i < n; i++) {
		struct layer_choice *own = &network->choice[i], *next = i + 1 < n ? own + 1 : own;
		struct ahead ahead = ahead_around(&network->network, i, fetch_bit(own), fetch_bit(next));
		if (!fetches_any(own))
			ahead.own_bit = 0;
		if (!fetches_any(next))
			ahead.next = NULL;
		if (ahead.next)
			memcpy(own->fetch_next, next->fetch, sizeof(own->fetch_next));
		own->ahead = ahead.own_bit != 0 || ahead.next ? ahead : (struct ahead){0};
	}
}

enum err_code space_end_results(struct space_network *network, enum network_result result, struct err *err)
{
	struct arena arena = {0};
	size_t n = network->network.n_block;
	struct layer_input *source = arena_array(&arena, n + 1, sizeof(*source));
	enum err_code code = source ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
	if (source)
		layer_input_find(&network->network, source);
	for (size_t i = 0; i < n && source; i++)
		network->choice[i].to_dram = result == NETWORK_RESULT_DRAM && layer_input_is_result(source, n, i);
	arena_free(&arena);
	return code;
}

/* Names of layers, each once: as many as a message can hold; nearest to word of all of them, or NULL. */
static const char *list_layers(const struct space *space, const char *word, char names[MAX_NAMES])
{
	size_t n_byte = 0;
	const char *nearest = NULL, *pair[2];
	names[0] = '\0';
	for (size_t i = 0; i < space->n_network; i++) {
		const struct network *network = &space->network[i].network;
		for (size_t k = 0; k < network->n_block; k++) {
			const char *name = network->block[k].name;
			bool seen = false;
			for (size_t j = 0; j < i && !seen; j++)
				seen = network_find_block(&space->network[j].network, name) != NULL;
			if (!seen && n_byte + strlen(name) + 8 < MAX_NAMES)
				n_byte += (size_t)snprintf(names + n_byte, MAX_NAMES - n_byte, "%s%s",
				                           n_byte ? ", " : "", name);
			pair[0] = nearest ? nearest : name;
			pair[1] = name;
			const char *nearer = err_nearest(word, pair, 2);
			nearest = nearer ? nearer : nearest;
		}
	}
	assert(n_byte < MAX_NAMES);
	return nearest;
}

/* Most likely a typing mistake in the name, so the nearest layer is offered. */
static void report_unmatched(struct space_reader *reader, const struct rule *rule)
{
	char names[MAX_NAMES], word[BLOCK_NAME_SIZE * 2];
	size_t n = 0;
	/* what is left of the pattern without its signs is near the name that was meant */
	for (const char *c = rule->match->text; *c && n + 1 < sizeof(word); c++) {
		if (isalnum((unsigned char)*c) || *c == '_')
			word[n++] = *c;
	}
	word[n] = '\0';
	const char *nearest = list_layers(reader->space, word, names);
	err_add_at(reader->err, ERR_INPUT, space_text_place(rule->match),
	           "match: found '%s', which matches no layer, allowed a pattern for some of %s%s%s%s",
	           doc_quote(rule->match->text).text, names, nearest ? ", did you mean '" : "", nearest ? nearest : "",
	           nearest ? "'?" : "");
}

/* When no split of a list fits, each layer has said so; here some fit and the others are of no use to any layer. */
static void report_unused(struct space_reader *reader, const struct rule *rule)
{
	for (size_t i = 0; i < N_SPLIT_DIM; i++) {
		const struct rule_dim *dim = &rule->dim[i];
		bool any = false;
		for (size_t k = 0; k < dim->may.n_fixed; k++)
			any |= dim->used[k];
		for (size_t k = 0; k < dim->may.n_fixed && any; k++) {
			if (!dim->used[k])
				(void)doc_refuse(
				    reader->err, item_at(dim->node, k),
				    "%s: found '%s', which fits no layer the rule is applied to, allowed parts "
				    "that add up to "
				    "the %s of one",
				    split_dim_name[i], item_at(dim->node, k)->text, split_dim_name[i]);
		}
	}
}

void space_read_rules(struct space_reader *reader)
{
	const struct doc_node *list = doc_find(reader->root, "layers");
	struct space *space = reader->space;
	size_t n_rule = 0;
	if (list && list->kind != DOC_LIST) {
		(void)doc_refuse(reader->err, list,
		                 "layers: found a %s, allowed a list of rules, e.g. [{match: '.*', split: even}]",
		                 list->kind == DOC_MAP ? "map" : "value");
		return;
	}
	size_t index = NETWORK_RESULT_DRAM;
	(void)doc_get_choice(doc_find(reader->root, "network_result"), "network_result", network_result_name,
	                     N_NETWORK_RESULT, &index, reader->err);
	space->network_result = (enum network_result)index;
	struct rule *rule = space_array(reader, list ? list->n : 0, sizeof(*rule));
	if (!rule)
		return;
	for (; list && n_rule < list->n; n_rule++)
		read_rule(reader, list->value[n_rule], &rule[n_rule]);
	for (size_t i = 0; i < n_rule; i++)
		mark_renamed(reader, &rule[i]);
	for (size_t i = 0; i < space->n_network; i++) {
		struct space_network *network = &space->network[i];
		for (size_t k = 0; k < network->network.n_block && network->choice; k++)
			choose_for_block(reader, &network->network.block[k], rule, n_rule, &network->choice[k]);
		if (!network->choice)
			continue;
		space_set_ahead(network);
		(void)space_end_results(network, space->network_result, reader->err);
	}
	for (size_t i = 0; i < n_rule; i++) {
		if (rule[i].pattern.code && rule[i].n_matched == 0 && reader->networks_complete)
			report_unmatched(reader, &rule[i]);
		if (rule[i].n_matched > 0 && reader->networks_complete)
			report_unused(reader, &rule[i]);
		pattern_free(&rule[i].pattern);
	}
}

bool space_fetches_ahead(const struct space *space)
{
	for (size_t i = 0; i < space->n_network; i++)
		for (size_t k = 0; k < space->network[i].network.n_block; k++)
			if (space->network[i].choice[k].ahead.own_bit != 0)
				return true;
	return false;
}
