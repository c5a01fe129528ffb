/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/left_out.h"
#include "dse/space/space_machine.h"
#include "dse/out/words.h"
#include "mapper/split/ahead.h"
#include "sim/program/mixed.h"
#include "sim/fast/fast.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MAX_MACHINE 256 /* candidates that are looked at */

/* What some layer on some machine could do and may not. */
struct found {
	bool split, level_shares;
	bool strategy[N_STRATEGY], reuse[N_REUSE_OPERAND], form[N_CONV_FORM], level[MACHINE_MAX_LEVEL], fetch[AHEAD_N];
	const char *level_name[MACHINE_MAX_LEVEL];
};

static bool has_all_splits(const struct dim_choice *dim, uint32_t n_most)
{
	return n_most <= 1 || (dim->choice == SPLIT_ALL && dim->n_fixed == 0 && dim->max_part >= n_most);
}

/* Rows that one PE needs whole, and dimensions of one, leave no choice. */
static bool leaves_splits(const struct machine *machine, const struct block *block, const struct layer_choice *choice)
{
	const struct split whole = mapper_split_whole(block, machine);
	uint32_t hard = block->kind == BLOCK_POOL ? block->whole : 0;
	bool is_systolic = machine->target == MACHINE_SYSTOLIC;
	if (is_systolic && (block->kind == BLOCK_POOL || machine->systolic.memory != SYSTOLIC_PHYSICAL))
		return false;
	if (choice->thesis_split)
		return true;
	return !((hard & WHOLE_W || has_all_splits(&choice->w, whole.w.size_a / block->pool)) &&
	         (hard & WHOLE_H || has_all_splits(&choice->h, whole.h.size_a / block->pool)) &&
	         (hard & WHOLE_C || has_all_splits(&choice->c, whole.c.size_a)) &&
	         has_all_splits(&choice->d, whole.d.size_a));
}

static void find_strategies(const struct machine *machine, const struct block *block, const struct layer_choice *choice,
                            struct found *found)
{
	bool is_systolic = machine->target == MACHINE_SYSTOLIC, reuses = false;
	if (is_systolic && block->kind == BLOCK_POOL)
		return;
	for (unsigned i = 0; i < N_STRATEGY; i++) {
		bool is_its = strategy_serves((enum strategy)i, machine) &&
		              (!strategy_table[i].reuses || block->kind == BLOCK_CONV);
		found->strategy[i] |= is_its && strategy_table[i].for_search && !choice->strategy[i];
		reuses |= is_its && choice->strategy[i] &&
		          (strategy_table[i].reuses || machine->systolic.memory == SYSTOLIC_PHYSICAL);
	}
	/* The chip keeps ifmaps; a QPE either operand, a systolic array either tile; auto is one of the two by a rule.
	 */
	if (!reuses || machine->target == MACHINE_CHIP)
		return;
	found->reuse[REUSE_IFMAP] |= !choice->reuse[REUSE_IFMAP];
	found->reuse[REUSE_FILTER] |= !choice->reuse[REUSE_FILTER];
}

static void find_levels(const struct space *space, const struct machine *machine, const struct layer_choice *choice,
                        struct found *found)
{
	unsigned n_allowed = 0;
	for (uint32_t i = 0; i < mixed_n_pure(machine); i++) {
		bool is_allowed = (choice->level_mask >> i & 1U) != 0;
		if (!energy_is_supplied(machine, i))
			continue;
		n_allowed += is_allowed;
		found->level[i] |= !is_allowed;
		found->level_name[i] = machine->level[i].name;
	}
	found->level_shares |= n_allowed > 1 && space->level_shares == 0 && !mixed_has_pairs(machine);
}

static void find_of_layer(const struct space *space, const struct machine *machine, const struct space_network *network,
                          size_t at, struct found *found)
{
	const struct block *block = &network->network.block[at];
	const struct layer_choice *choice = &network->choice[at];
	found->split |= leaves_splits(machine, block, choice);
	find_strategies(machine, block, choice, found);
	find_levels(space, machine, choice, found);
	static const bool any_form[N_CONV_FORM] = {true, true, true, true};
	for (unsigned i = 0; i < N_CONV_FORM; i++)
		found->form[i] |= machine->target != MACHINE_SYSTOLIC &&
		                  block_allows_form(block, any_form, (enum conv_form)i) &&
		                  !block_allows_form(block, choice->form, (enum conv_form)i);
	bool can_fetch = machine->target == MACHINE_CHIP && machine->chip.n_storage_qpe > 0 &&
	                 choice->strategy[STRATEGY_FUSION_REUSE] &&
	                 ahead_around(&network->network, at, 8, 8).own_bit != 0;
	for (unsigned i = 0; i < AHEAD_N && can_fetch; i++)
		found->fetch[i] |= !choice->fetch[i];
}

/* An item of a key and the values of it that are left out; none where there are none. */
static void add_item(struct left_out *left, const char *key, const char *const *name, const bool *is_out, size_t n)
{
	char *item = left->item[left->n];
	size_t n_byte = 0;
	bool any = false;
	assert(left->n < LEFT_OUT_MAX);
	for (size_t i = 0; i < n; i++) {
		if (!is_out[i])
			continue;
		int more = snprintf(item + n_byte, LEFT_OUT_ITEM_SIZE - n_byte, "%s %s", any ? "," : key, name[i]);
		any = true;
		if (more > 0 && n_byte + (size_t)more < LEFT_OUT_ITEM_SIZE)
			n_byte += (size_t)more;
	}
	left->n += any;
}

static void add_word(struct left_out *left, bool is_out, const char *text)
{
	assert(left->n < LEFT_OUT_MAX);
	if (is_out)
		(void)snprintf(left->item[left->n++], LEFT_OUT_ITEM_SIZE, "%s", text);
}

void left_out_find(const struct space *space, struct left_out *left)
{
	const char *strategy[N_STRATEGY];
	struct found found = {0};
	struct machine machine;
	char why[256];
	uint64_t n = space_n_machine(space), n_sample = n < MAX_MACHINE ? n : MAX_MACHINE;
	assert(space && left);
	for (uint64_t i = 0; i < n_sample; i++) {
		if (!space_machine(space, n / n_sample * i, &machine, why, sizeof(why)))
			continue;
		for (size_t k = 0; k < space->n_network; k++)
			for (size_t at = 0; at < space->network[k].network.n_block; at++)
				find_of_layer(space, &machine, &space->network[k], at, &found);
	}
	for (unsigned i = 0; i < N_STRATEGY; i++)
		strategy[i] = strategy_table[i].name;
	left->n = 0;
	add_word(left, found.split, "some splits");
	add_item(left, "strategy", strategy, found.strategy, N_STRATEGY);
	add_item(left, "reuse", reuse_operand_name, found.reuse, N_REUSE_OPERAND);
	add_item(left, "conv_1x1", conv_form_name, found.form, N_CONV_FORM);
	add_item(left, "level", found.level_name, found.level, MACHINE_MAX_LEVEL);
	add_item(left, "fetch_ahead", ahead_name, found.fetch, AHEAD_N);
	add_word(left, found.level_shares, "level_shares");
}

void left_out_print(const struct left_out *left, char text[LEFT_OUT_TEXT_SIZE])
{
	size_t n = 0;
	text[0] = '\0';
	for (size_t i = 0; i < left->n; i++) {
		int more = snprintf(text + n, LEFT_OUT_TEXT_SIZE - n, "%s%s", i ? "; " : "", left->item[i]);
		assert(more > 0 && n + (size_t)more < LEFT_OUT_TEXT_SIZE);
		n += (size_t)more;
	}
}

void left_out_put_json(struct json *json, const struct left_out *left)
{
	json_begin_list(json, "left_out");
	for (size_t i = 0; i < left->n; i++)
		json_put_text(json, NULL, left->item[i]);
	json_end(json);
}

const char *left_out_ends(const struct space *space)
{
	return space->network_result == NETWORK_RESULT_DRAM
	           ? "networks read their input from DRAM and write their result to DRAM"
	           : "networks read their input from DRAM; their result may stay in storage QPEs";
}

void left_out_tell(FILE *file, const struct space *space)
{
	struct left_out left;
	struct words_fold fold;
	char text[LEFT_OUT_TEXT_SIZE];
	left_out_find(space, &left);
	left_out_print(&left, text);
	FILE *out = words_fold_begin(&fold, file);
	(void)fprintf(out, "  left out by the space: %s\n  %s\n", left.n > 0 ? text : "nothing", left_out_ends(space));
	words_fold_end(&fold);
}
