/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a layer may choose from, by the space and by what the mapper says of block and machine: a list of its own, made
 * without that of the search (dse/layer/layer_problem.c). And what one design costs.
 */
#include "dse/certify/certify_parts.h"
#include "dse/bound/deadline.h"
#include "dse/space/space_goals.h"
#include "mapper/network/form.h"
#include "sim/machine/energy.h"
#include <assert.h>
#include <math.h>
#include <string.h>

static const struct dim_choice uncut = {.choice = SPLIT_WHOLE, .max_part = UINT32_MAX};

static bool list_splits(const struct layer_choice *choice, struct certify_splits **lists, struct certify_layer *layer)
{
	const struct block *block = layer->block;
	const struct dim_choice *dim[N_BOUND_DIM] = {&choice->d, &choice->w, &choice->h, &choice->c};
	static const uint32_t whole[N_BOUND_DIM] = {0, WHOLE_W, WHOLE_H, WHOLE_C};
	bool is_systolic = layer->machine->target == MACHINE_SYSTOLIC; /* pooling streams past it, whole */
	bound_extents(&layer->context[0], layer->extent, layer->step);
	for (int i = 0; i < N_BOUND_DIM; i++) {
		bool is_whole = block->kind == BLOCK_POOL && ((block->whole & whole[i]) != 0 || is_systolic);
		uint32_t row_c = i == BOUND_C ? block_row_c(block) : 1, step = row_c > 1 ? row_c : layer->step[i];
		if (row_c > 1 && row_c < block->out_c)
			is_whole = is_systolic;
		uint32_t n_group = i == BOUND_C && block->kind == BLOCK_CONV ? block_n_group(block) : 1;
		layer->splits[i] = certify_list_splits(lists, layer->extent[i], n_group > 1 ? 1 : step, n_group,
		                                       is_whole ? &uncut : dim[i]);
		if (!layer->splits[i])
			return false;
	}
	return true;
}

static void list_strategies(const struct layer_choice *choice, struct certify_layer *layer)
{
	for (int all = 0; all < 2 && layer->n_strategy == 0; all++)
		for (uint8_t i = 0; i < N_STRATEGY; i++)
			if (choice->strategy[i] && (all || strategy_serves((enum strategy)i, layer->machine)))
				layer->strategy[layer->n_strategy++] = i;
	for (uint8_t i = 0; i < N_REUSE_OPERAND; i++)
		if (choice->reuse[i])
			layer->reuse[layer->n_reuse++] = i;
}

/* A systolic array has all convolutions in one form. */
static void list_operands(const struct layer_choice *choice, struct certify_layer *layer)
{
	bool is_systolic = layer->machine->target == MACHINE_SYSTOLIC;
	for (int form = 0; form < N_CONV_FORM; form++)
		for (uint32_t bit = 8; bit <= 16; bit += 8) {
			bool is_allowed = is_systolic
			                      ? form == FORM_CONV
			                      : block_allows_form(layer->block, choice->form, (enum conv_form)form);
			if (!(bit == 8 ? choice->operand_8bit : choice->operand_16bit) || !is_allowed)
				continue;
			assert(layer->n_operand < CERTIFY_MAX_OPERAND);
			mapper_prepare_form(layer->block, layer->machine, bit, (enum conv_form)form,
			                    &layer->context[layer->n_operand++]);
		}
}

/* A mixed point needs both of its own; power lanes may not supply one. */
static void list_levels(const struct layer_choice *choice, struct certify_layer *layer)
{
	const struct machine *machine = layer->machine;
	for (uint8_t i = 0; i < machine->n_level; i++) {
		const struct operating_point *point = &machine->level[i];
		uint32_t needed = UINT32_C(1) << i;
		if (point->n_share > 0)
			needed = UINT32_C(1) << point->low | UINT32_C(1) << point->high;
		if ((choice->level_mask & needed) == needed && energy_is_supplied(machine, i))
			layer->level[layer->n_level++] = i;
	}
}

bool certify_layer_build(const struct space *space, size_t network, size_t block, const struct machine *machine,
                         struct certify_splits **lists, struct certify_layer *layer)
{
	const struct space_network *own = &space->network[network];
	const struct layer_choice *choice = &own->choice[block];
	*layer = (struct certify_layer){.space = space, .machine = machine, .block = &own->network.block[block]};
	list_strategies(choice, layer);
	list_operands(choice, layer);
	list_levels(choice, layer);
	for (int i = 0; i < N_METRIC; i++)
		layer->limit[i] = metric_table[i].scope == METRIC_OF_LAYER
		                      ? deadline_limit(space, machine, network, (enum metric)i)
		                      : (double)INFINITY;
	return layer->n_operand > 0 && list_splits(choice, lists, layer);
}

void certify_layer_design(const struct certify_layer *layer, const struct certify_design *design,
                          struct layer_design *own)
{
	const struct layer_context *context = &layer->context[design->operand];
	*own = (struct layer_design){
	    .strategy = (enum strategy)layer->strategy[design->strategy],
	    .reuse = (enum reuse_operand)layer->reuse[design->reuse],
	    .level = layer->level[design->level],
	    .operand_bit = context->operand_bit,
	    .form = context->form,
	    .in_storage = (layer->place & CERTIFY_IFMAP) != 0,
	    .out_storage = (layer->place & CERTIFY_RESULT) != 0,
	    .add_storage = (layer->place & CERTIFY_ADDED) != 0,
	};
}

bool certify_price(const struct certify_layer *layer, const struct certify_design *design, double *value)
{
	const struct layer_context *context = &layer->context[design->operand];
	struct layer_design own;
	struct program program;
	struct verdict verdict;
	struct sim_result result;
	certify_layer_design(layer, design, &own);
	own.split = (struct split){.d = layer->splits[BOUND_D]->split[design->split[BOUND_D]],
	                           .w = layer->splits[BOUND_W]->split[design->split[BOUND_W]],
	                           .h = layer->splits[BOUND_H]->split[design->split[BOUND_H]],
	                           .c = layer->splits[BOUND_C]->split[design->split[BOUND_C]]};
	if (!mapper_distribute(context, &own, &program, &verdict))
		return false;
	fast_run(layer->machine, &program, own.level, &result);
	if (!mapper_judge_run(&result, &verdict))
		return false;
	metric_of_layer(context, &own, &result, value);
	deadline_of_layer(layer->space, layer->machine, value);
	return true;
}

bool certify_over_limit(const struct certify_layer *layer, const double *value)
{
	for (int i = 0; i < N_METRIC; i++)
		if (value[i] > layer->limit[i])
			return true;
	return false;
}

static bool same_dim(const struct dim_choice *a, const struct dim_choice *b)
{
	if (a->n_fixed > 0 || b->n_fixed > 0)
		return a->n_fixed == b->n_fixed && memcmp(a->fixed, b->fixed, a->n_fixed * sizeof(*a->fixed)) == 0;
	return a->choice == b->choice && a->max_part == b->max_part;
}

bool certify_same_layer(const struct space_network *network, size_t left, size_t right)
{
	const struct block *a = &network->network.block[left], *b = &network->network.block[right];
	const struct layer_choice *p = &network->choice[left], *q = &network->choice[right];
	for (int i = 0; i < N_SPLIT_DIM; i++)
		if (!same_dim(&p->dim[i], &q->dim[i]))
			return false;
	return block_same(a, b) && memcmp(p->strategy, q->strategy, sizeof(p->strategy)) == 0 &&
	       memcmp(p->reuse, q->reuse, sizeof(p->reuse)) == 0 && p->level_mask == q->level_mask &&
	       p->operand_8bit == q->operand_8bit && p->operand_16bit == q->operand_16bit &&
	       memcmp(p->form, q->form, sizeof(p->form)) == 0;
}

/* ---- where results lie ---- */

static bool lies_in_storage(enum block_input input, unsigned state)
{
	return input == INPUT_LATEST ? (state & 1U) != 0 : input == INPUT_HELD && (state & 2U) != 0;
}

unsigned certify_state_place(const struct block *block, unsigned state)
{
	return (lies_in_storage(block->input, state) ? CERTIFY_IFMAP : 0U) |
	       (block->has_mat_ele && lies_in_storage(block->added, state) ? CERTIFY_ADDED : 0U);
}

unsigned certify_next_state(const struct block *block, unsigned state, bool keeps_result)
{
	bool held = block->hold ? (state & 1U) != 0 : (state & 2U) != 0;
	return (keeps_result ? 1U : 0U) | (held && !block->release_held ? 2U : 0U);
}

bool certify_may_keep(const struct space_network *network, size_t block)
{
	return !network->network.block[block].result_to_dram && !network->choice[block].to_dram;
}
