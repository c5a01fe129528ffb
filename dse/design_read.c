/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design_read.h"
#include <assert.h>

const struct doc_node *front_need(const struct doc_node *map, const char *key, struct err *err)
{
	assert(map && key);
	const struct doc_node *node = doc_find(map, key);
	if (!node)
		(void)err_add_at(err, ERR_INPUT, doc_place(map), "key '%s' is missing", key);
	return node;
}

const char *front_need_text(const struct doc_node *map, const char *key, struct err *err)
{
	const char *text = NULL;
	const struct doc_node *node = front_need(map, key, err);
	return node && doc_get_text(node, key, &text, err) ? text : NULL;
}

bool front_need_choice(const struct doc_node *map, const char *key, const char *const *names, size_t n, size_t *out,
                       struct err *err)
{
	const struct doc_node *node = front_need(map, key, err);
	return node && doc_get_choice(node, key, names, n, out, err);
}

/* The value of a key that is there only where something is fetched ahead; without the key the first one. */
static bool take_optional(const struct doc_node *layer, const char *key, const char *const *name, size_t n,
                          size_t *index, struct err *err)
{
	const struct doc_node *node = doc_find(layer, key);
	*index = 0;
	return !node || doc_get_choice(node, key, name, n, index, err);
}

/* One dimension of a split, in the notation that tables and CSV files use. */
static bool read_dim(const struct doc_node *layer, const char *key, struct dim_split *dim, struct err *err)
{
	const char *text = front_need_text(layer, key, err);
	return text && dim_parse(text, dim, err) == ERR_OK;
}

bool design_read(const struct doc_node *layer, const struct block *block, const struct machine *machine,
                 struct layer_design *design, struct err *err)
{
	static const char *const place[] = {"dram", "storage"};
	const char *strategy[N_STRATEGY], *level[MACHINE_MAX_LEVEL];
	size_t strategy_at = 0, reuse_at = 0, level_at = 0, in = 0, out = 0, added = 0, weight = 0, fetch = 0, held = 0;
	uint64_t operand_bit = 8;
	assert(layer && block && machine && design);
	for (size_t i = 0; i < N_STRATEGY; i++)
		strategy[i] = strategy_table[i].name;
	for (size_t i = 0; i < machine->n_level; i++)
		level[i] = machine->level[i].name;
	const struct doc_node *bit = front_need(layer, "operand_bit", err);
	bool ok = read_dim(layer, "w", &design->split.w, err) && read_dim(layer, "h", &design->split.h, err) &&
	          read_dim(layer, "c", &design->split.c, err) && read_dim(layer, "d", &design->split.d, err) &&
	          front_need_choice(layer, "strategy", strategy, N_STRATEGY, &strategy_at, err) &&
	          front_need_choice(layer, "reuse", reuse_operand_name, N_REUSE_OPERAND, &reuse_at, err) &&
	          front_need_choice(layer, "level", level, machine->n_level, &level_at, err) &&
	          front_need_choice(layer, "ifmap", place, 2, &in, err) &&
	          front_need_choice(layer, "result", place, 2, &out, err) &&
	          (!block->has_mat_ele || front_need_choice(layer, "added", place, 2, &added, err)) && bit &&
	          doc_get_u64(bit, "operand_bit", 8, 16, &operand_bit, err) &&
	          take_optional(layer, "fetched_weights", ahead_name, AHEAD_N, &weight, err) &&
	          take_optional(layer, "fetches_next", ahead_name, AHEAD_N, &fetch, err) &&
	          take_optional(layer, "held", place, 2, &held, err);
	if (!ok)
		return false;
	if (operand_bit != 8 && operand_bit != 16)
		return err_add_at(err, ERR_INPUT, doc_place(bit), "operand_bit is neither 8 nor 16") == ERR_OK;
	design->strategy = (enum strategy)strategy_at;
	design->reuse = (enum reuse_operand)reuse_at;
	design->level = (uint32_t)level_at;
	design->operand_bit = (uint32_t)operand_bit;
	design->in_storage = in == 1;
	design->out_storage = out == 1;
	design->add_storage = added == 1;
	design->weight_ahead = (enum ahead_portion)weight;
	design->fetch_next = (enum ahead_portion)fetch;
	design->held_storage = held == 1;
	return split_check(block, &design->split, err) == ERR_OK;
}
