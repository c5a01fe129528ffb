/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/layer_problem_parts.h"
#include "dse/space/space_goals.h"
#include "mapper/split/splitter.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One dimension of a block: what may be chosen, and what the splitter needs to know to list it. */
struct dim_source {
	uint32_t extent, step, unit;
	struct dim_choice dim;
	uint32_t n_group; /* of which extent has the filters: whole ones in a part, or parts of one; 0 or 1: none */
};

/*
 * Engines that look at a sample of the designs look at one where the better ones are more frequent: on a chip, where
 * parts are dealt in order, the reduced lists. All others get every legal split.
 */
static enum split_choice which_choice(const struct space *space, const struct machine *machine,
                                      enum split_choice choice)
{
	bool reduces = space_samples_splits(space) && machine->target == MACHINE_CHIP;
	return choice == SPLIT_ALL && reduces ? SPLIT_REDUCED : choice;
}

/* The order of dim_axis_build's lists: by number of parts, then size. */
static int compare_split(const void *left, const void *right)
{
	const struct dim_split *a = left, *b = right;
	uint32_t n_left = dim_n_part(a), n_right = dim_n_part(b);
	if (n_left != n_right)
		return n_left < n_right ? -1 : 1;
	if (a->size_a != b->size_a)
		return a->size_a < b->size_a ? -1 : 1;
	return (a->n_a > b->n_a) - (a->n_a < b->n_a);
}

static enum err_code build_axis(struct layer_problem *layer, const struct machine *machine,
                                const struct dim_source *source, const struct split_lists *lists, struct dim_axis *axis,
                                struct err *err)
{
	const struct dim_choice *dim = &source->dim;
	assert(source->extent > 0 && source->step > 0 && source->unit > 0);
	if (dim->n_fixed == 0) {
		enum split_choice choice = which_choice(layer->space, machine, dim->choice);
		const struct split_key key = {source->extent, source->step, dim->max_part, choice};
		const struct dim_axis *known = split_lists_find(lists, &key);
		if (source->n_group > 1)
			return dim_axis_build_groups(source->n_group, source->extent / source->n_group, dim->max_part,
			                             choice, &layer->arena, axis, err);
		if (!known)
			return dim_axis_build(source->extent, source->step, source->unit, dim->max_part, choice,
			                      &layer->arena, axis, err);
		*axis = *known;
		return ERR_OK;
	}
	struct dim_split *choice = arena_array(&layer->arena, dim->n_fixed, sizeof(*choice));
	if (choice) {
		memcpy(choice, dim->fixed, dim->n_fixed * sizeof(*choice));
		qsort(choice, dim->n_fixed, sizeof(*choice), compare_split);
		axis->choice = choice;
		axis->n = axis->n_legal = dim->n_fixed;
	}
	if (!choice || !dim_axis_group(axis, &layer->arena))
		return err_add(err, ERR_INTERNAL, "out of memory");
	return ERR_OK;
}

static const struct dim_choice uncut_dim = {.choice = SPLIT_WHOLE, .max_part = UINT32_MAX};

/* Pooling streams past a systolic array, which has no tiles of it; SCALE-Sim knows whole layers only. */
static struct layer_choice uncut_choice(const struct layer_choice *choice)
{
	struct layer_choice uncut = *choice;
	for (size_t i = 0; i < N_SPLIT_DIM; i++)
		uncut.dim[i] = uncut_dim;
	return uncut;
}

static bool is_never_cut(const struct machine *machine, const struct block *block)
{
	return machine->target == MACHINE_SYSTOLIC &&
	       (block->kind == BLOCK_POOL || machine->systolic.memory != SYSTOLIC_PHYSICAL);
}

/* Rows that one PE needs whole are not cut, whatever the rules say. */
static struct layer_choice row_choice(const struct layer_choice *choice, const struct block *block)
{
	struct layer_choice rows = *choice;
	uint32_t whole = block->whole;
	if (whole & WHOLE_W)
		rows.w = uncut_dim;
	if (whole & WHOLE_H)
		rows.h = uncut_dim;
	if ((whole & WHOLE_C) && block_row_c(block) == block->out_c)
		rows.c = uncut_dim;
	return rows;
}

/* All four dimensions of the block, w, h, c, d, as its layer's rules say. */
static void list_sources(const struct machine *machine, const struct block *block, const struct layer_choice *choice,
                         struct dim_source source[4])
{
	const struct split whole = mapper_split_whole(block, machine);
	bool matmul = block->kind == BLOCK_MATMUL;
	struct layer_choice rows;
	if (block->kind == BLOCK_POOL && block->whole != 0) {
		rows = row_choice(choice, block);
		choice = &rows;
	}
	uint32_t n_group = whole.c.size_a > split_whole_group(block).c.size_a ? block_n_group(block) : 1;
	source[0] = (struct dim_source){whole.w.size_a, block->pool, machine->mla_cols, choice->w, 1};
	source[1] = (struct dim_source){whole.h.size_a, block->pool, matmul ? machine->mla_rows : 1, choice->h, 1};
	source[2] = (struct dim_source){whole.c.size_a, block_row_c(block), machine->mla_rows, choice->c, n_group};
	source[3] = (struct dim_source){whole.d.size_a, 1, 1, choice->d, 1};
}

static enum err_code build_free_axes(struct layer_problem *layer, const struct machine *machine,
                                     const struct block *block, const struct layer_choice *choice,
                                     const struct split_lists *lists, struct err *err)
{
	struct dim_source source[4];
	struct dim_axis *const axis[] = {&layer->w, &layer->h, &layer->c, &layer->d};
	enum err_code code = ERR_OK;
	list_sources(machine, block, choice, source);
	for (size_t i = 0; i < 4 && code == ERR_OK; i++) {
		struct err part = {0};
		code = build_axis(layer, machine, &source[i], lists, axis[i], &part);
		if (code != ERR_OK)
			(void)err_add(err, code, "space %s: %s of %s: %.*s", layer->space->name, split_dim_name[i],
			              block->name, (int)strcspn(err_text(&part), "\n"), err_text(&part));
		err_clear(&part);
	}
	return code;
}

/* Every legal split of a dimension, whatever rules say. 0: no memory. */
static uint64_t count_legal(const struct dim_source *source)
{
	struct arena arena = {0};
	struct dim_axis axis;
	if (source->n_group <= 1)
		return dim_n_legal(source->extent, source->step, UINT32_MAX);
	enum err_code code = dim_axis_build_groups(source->n_group, source->extent / source->n_group, UINT32_MAX,
	                                           SPLIT_ALL, &arena, &axis, NULL);
	uint64_t n = code == ERR_OK ? axis.n_legal : 0;
	arena_free(&arena);
	return n;
}

void layer_problem_count_splits(const struct layer_problem *layer, struct split_count count[4])
{
	const struct layer_context *context = layer_any_context(layer);
	const struct dim_axis *const axis[] = {&layer->w, &layer->h, &layer->c, &layer->d};
	const struct layer_choice any = layer_choice_any();
	struct dim_source legal[4], ruled[4];
	bool is_uncut = is_never_cut(context->machine, context->block);
	list_sources(context->machine, context->block, &any, legal);
	list_sources(context->machine, context->block, layer->choice, ruled);
	for (size_t i = 0; i < 4; i++) {
		/* what the hardware leaves whole is so by no rule */
		bool is_whole = is_uncut || legal[i].dim.choice == SPLIT_WHOLE;
		bool lists_all =
		    ruled[i].dim.n_fixed == 0 && ruled[i].dim.choice == SPLIT_ALL && !layer->choice->thesis_split;
		count[i].legal = is_whole ? 1 : count_legal(&legal[i]);
		count[i].allowed = is_whole ? 1 : lists_all ? axis[i]->n_legal : axis[i]->n;
		count[i].listed = axis[i]->n;
	}
}

/* Only the split that the thesis' rules give. */
static enum err_code build_thesis_axes(struct layer_problem *layer, const struct machine *machine,
                                       const struct block *block, struct err *err)
{
	struct split split;
	struct err part = {0};
	enum err_code code = splitter_thesis(block, machine, &split, &part);
	if (code == ERR_INFEASIBLE) {
		split = mapper_split_whole(block, machine);
		err_clear(&part);
	} else if (code != ERR_OK) {
		(void)err_move(err, (struct err_place){0}, &part);
	}
	if (code != ERR_OK && code != ERR_INFEASIBLE)
		return code;

	const struct dim_split *const dim[] = {&split.w, &split.h, &split.c, &split.d};
	struct dim_axis *const axis[] = {&layer->w, &layer->h, &layer->c, &layer->d};
	for (size_t i = 0; i < 4; i++) {
		const struct dim_source source = {
		    .extent = 1, .step = 1, .unit = 1, .dim = {.n_fixed = 1, .fixed = dim[i]}};
		code = build_axis(layer, machine, &source, NULL, axis[i], err);
		if (code != ERR_OK)
			return code;
	}
	return ERR_OK;
}

/* The choice whose largest part is smallest: what fits when nothing else does. */
static uint32_t least_part(const struct dim_axis *axis)
{
	size_t least = 0;
	for (size_t i = 1; i < axis->n; i++) {
		if (axis->choice[i].size_a < axis->choice[least].size_a)
			least = i;
	}
	return (uint32_t)least;
}

/* Of the strategies that the layer may have those that serve the machine, or all. */
static uint32_t list_strategies(const struct machine *machine, const struct layer_choice *choice, bool that_serve,
                                uint8_t strategy[N_STRATEGY])
{
	uint32_t n = 0;
	for (uint8_t i = 0; i < N_STRATEGY; i++)
		if (choice->strategy[i] && (!that_serve || strategy_serves((enum strategy)i, machine)))
			strategy[n++] = i;
	return n;
}

static uint32_t context_index(uint32_t operand_bit, enum conv_form form)
{
	assert((operand_bit == 8 || operand_bit == 16) && form < N_CONV_FORM);
	return 2 * (uint32_t)form + (operand_bit == 16);
}

const struct layer_context *layer_context_of(const struct layer_problem *layer, const struct layer_design *design)
{
	return &layer->context[context_index(design->operand_bit, design->form)];
}

const struct layer_context *layer_context_at(const struct layer_problem *layer, uint32_t value)
{
	assert(value < layer->n_value[GENE_OPERAND]);
	return &layer->context[context_index(layer->operand_bit[value], (enum conv_form)layer->form[value])];
}

const struct layer_context *layer_any_context(const struct layer_problem *layer)
{
	return layer_context_at(layer, 0);
}

/* Widths of operands in each form of those that the layer may have. */
static uint32_t list_operands(struct layer_problem *layer, const struct machine *machine, const struct block *block,
                              const struct layer_choice *choice)
{
	bool is_systolic = machine->target == MACHINE_SYSTOLIC;
	uint32_t n = 0;
	for (uint8_t form = 0; form < N_CONV_FORM; form++) {
		if (is_systolic ? form != FORM_CONV : !block_allows_form(block, choice->form, (enum conv_form)form))
			continue;
		for (uint8_t bit = 8; bit <= 16; bit += 8)
			if (bit == 8 ? choice->operand_8bit : choice->operand_16bit) {
				layer->operand_bit[n] = bit;
				layer->form[n++] = form;
			}
	}
	return n;
}

/* The values of the genes that are no splits, in the order of their enumerations. */
static void build_lists(struct layer_problem *layer, const struct machine *machine, const struct block *block,
                        const struct layer_choice *choice)
{
	uint32_t n = list_strategies(machine, choice, true, layer->strategy);
	/* where none serves, those that were asked for are found infeasible */
	if (n == 0)
		n = list_strategies(machine, choice, false, layer->strategy);
	layer->n_value[GENE_STRATEGY] = n;

	n = 0;
	for (uint8_t i = 0; i < N_REUSE_OPERAND; i++) {
		if (choice->reuse[i])
			layer->reuse[n++] = i;
	}
	layer->n_value[GENE_REUSE] = n;

	layer->n_value[GENE_OPERAND] = list_operands(layer, machine, block, choice);

	n = 0;
	for (uint8_t i = 0; i < machine->n_level; i++) {
		const struct operating_point *point = &machine->level[i];
		uint32_t needed =
		    point->n_share > 0 ? UINT32_C(1) << point->low | UINT32_C(1) << point->high : UINT32_C(1) << i;
		if ((choice->level_mask & needed) == needed && energy_is_supplied(machine, i))
			layer->level[n++] = i;
	}
	layer->n_value[GENE_LEVEL] = n;
}

/*
 * Whether any strategy of the layer serves a place at all. The mapper judges
 * strategy and place before sizes, so the uncut block tells, fit or not.
 */
static bool place_is_served(const struct layer_problem *layer, const struct layer_context *context, unsigned place)
{
	struct program program;
	struct verdict verdict;
	struct layer_design design = {
	    .split = mapper_split_whole(context->block, context->machine),
	    .reuse = REUSE_AUTO,
	    .operand_bit = context->operand_bit,
	    .form = context->form,
	};
	layer_design_place(&design, place);
	for (uint32_t i = 0; i < layer->n_value[GENE_STRATEGY]; i++) {
		design.strategy = (enum strategy)layer->strategy[i];
		(void)mapper_distribute(context, &design, &program, &verdict);
		if (verdict.reason != VERDICT_STRATEGY && verdict.reason != VERDICT_BATCH &&
		    verdict.reason != VERDICT_NO_STORAGE)
			return true;
	}
	return false;
}

/* Whether what the place puts there fits the storage QPEs with some split; what the result takes depends on the split
 * of its width. */
static bool fits_storage(const struct layer_problem *layer, const struct layer_context *context, unsigned place)
{
	struct layer_design design = {.split = mapper_split_whole(context->block, context->machine)};
	layer_design_place(&design, place);
	bool is_ahead = (place & (PLACE_WEIGHT | PLACE_FETCH)) != 0;
	for (size_t i = 0; i < layer->w.n; i++) {
		design.split.w = layer->w.choice[i];
		if (design.out_storage && !mapper_result_fits_storage(context, &design.split))
			continue;
		if (!is_ahead || mapper_storage_byte(context, &design) <= context->hierarchy.storage_byte)
			return true;
	}
	return false;
}

/* Whether a place contradicts what the block and its neighbours are. */
static bool place_contradicts(const struct block *block, const struct layer_choice *choice, unsigned place)
{
	bool in = (place & PLACE_IFMAP) != 0, out = (place & PLACE_RESULT) != 0, added = (place & PLACE_ADDED) != 0;
	enum ahead_portion weight = place_weight(place), fetch = place_fetch(place);
	if (weight == AHEAD_N || fetch == AHEAD_N)
		return true;
	return (in && block->input == INPUT_DRAM) || (out && (block->result_to_dram || choice->to_dram)) ||
	       (added && (!block->has_mat_ele || block->added == INPUT_DRAM)) ||
	       (weight != AHEAD_NONE && !(choice->ahead.own_bit != 0 && choice->fetch[weight])) ||
	       (fetch != AHEAD_NONE && !(choice->ahead.next && choice->fetch_next[fetch])) ||
	       ((place & PLACE_HELD) != 0 &&
	        (choice->ahead.held_pixel == 0 || (weight == AHEAD_NONE && fetch == AHEAD_NONE)));
}

/* Places without any feasible design are left out: what comes from a far layer or goes to one lies in DRAM. */
static void build_places(struct layer_problem *layer, const struct block *block, const struct layer_choice *choice)
{
	uint32_t n = 0, n_weight = 0;
	for (unsigned place = 0; place < PLACE_N; place++) {
		bool possible = place == 0;
		if (place_contradicts(block, choice, place))
			continue;
		for (uint32_t i = 0; i < layer->n_value[GENE_OPERAND] && !possible; i++) {
			const struct layer_context *context = layer_context_at(layer, i);
			possible = place_is_served(layer, context, place) && fits_storage(layer, context, place);
		}
		if (possible)
			layer->place[n++] = (uint8_t)place;
		n_weight += possible && place_weight(place) != AHEAD_NONE;
	}
	layer->n_value[GENE_PLACE] = n;
	assert(n > 0);
	if (choice->fetch[AHEAD_NONE] || n_weight == 0)
		return;
	/* only with its weights fetched ahead */
	layer->n_value[GENE_PLACE] = 0;
	for (uint32_t i = 0; i < n; i++)
		if (place_weight(layer->place[i]) != AHEAD_NONE)
			layer->place[layer->n_value[GENE_PLACE]++] = layer->place[i];
}

static bool is_objective(const struct space *space, enum metric metric)
{
	for (size_t i = 0; i < space->n_objective; i++) {
		if (space->objective[i] == metric)
			return true;
	}
	return false;
}

unsigned layer_metrics(const struct space *space, enum metric metric[N_METRIC])
{
	bool edp = is_objective(space, METRIC_EDP) || isfinite(space_metric_limit(space, METRIC_EDP));
	unsigned n = 0;
	for (unsigned i = 0; i < N_METRIC; i++) {
		enum metric own = (enum metric)i;
		bool worst = metric_table[i].op == COMPOSE_MAX;
		if (metric_table[i].scope != METRIC_OF_LAYER)
			continue;
		bool part_of_edp = edp && (own == METRIC_ENERGY || own == METRIC_LATENCY);
		bool is_due = own == METRIC_LATENCY && space->deadline_ms > 0;
		if (is_objective(space, own) || part_of_edp || is_due ||
		    (!worst && isfinite(space_metric_limit(space, own))))
			metric[n++] = own;
	}
	/* Objectives of the machine alone: any mapping will do, so the fastest. */
	if (n == 0)
		metric[n++] = METRIC_LATENCY;
	assert(n <= PARETO_MAX_OBJECTIVE);
	return n;
}

static void build_metrics(struct layer_problem *layer, const struct space *space)
{
	layer->n_metric = layer_metrics(space, layer->metric);
	for (unsigned i = 0; i < layer->n_metric; i++)
		layer->limit[i] = space_metric_limit(space, layer->metric[i]);
	for (unsigned i = 0; i < N_METRIC; i++) {
		enum metric metric = (enum metric)i;
		bool worst = metric_table[i].op == COMPOSE_MAX && metric_table[i].scope == METRIC_OF_LAYER;
		layer->layer_limit[i] =
		    worst && !is_objective(space, metric) ? space_metric_limit(space, metric) : INFINITY;
	}
}

void layer_problem_find_least(struct layer_problem *layer)
{
	layer->least_w = least_part(&layer->w);
	layer->least_h = least_part(&layer->h);
	layer->least_c = least_part(&layer->c);
}

static void count_values(struct layer_problem *layer)
{
	const struct dim_axis *const axis[] = {&layer->d, &layer->w, &layer->h, &layer->c};
	static const enum layer_gene gene[] = {GENE_D, GENE_W, GENE_H, GENE_C};
	uint64_t n_legal = 1;
	for (size_t i = 0; i < 4; i++) {
		assert(axis[i]->n > 0 && axis[i]->n <= UINT32_MAX);
		layer->n_value[gene[i]] = (uint32_t)axis[i]->n;
		n_legal = mul_sat(n_legal, axis[i]->n_legal);
	}
	static const enum layer_gene other[] = {GENE_PLACE, GENE_STRATEGY, GENE_REUSE, GENE_OPERAND, GENE_LEVEL};
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		n_legal = mul_sat(n_legal, layer->n_value[other[i]]);
	layer->n_legal = n_legal;
	layer_problem_find_least(layer);
}

enum err_code layer_problem_build(const struct space *space, const struct machine *machine, const struct block *block,
                                  const struct layer_choice *choice, const struct split_lists *lists,
                                  struct layer_problem *layer, struct err *err)
{
	assert(space && machine && block && choice && layer);
	const struct layer_choice uncut = uncut_choice(choice);
	memset(layer, 0, sizeof(*layer));
	layer->space = space;
	layer->choice = choice;
	layer->detail = space->detail;
	if (is_never_cut(machine, block))
		choice = &uncut;
	enum err_code code = choice->thesis_split ? build_thesis_axes(layer, machine, block, err)
	                                          : build_free_axes(layer, machine, block, choice, lists, err);
	if (code != ERR_OK) {
		arena_free(&layer->arena);
		return code;
	}
	build_lists(layer, machine, block, choice);
	if (layer->n_value[GENE_LEVEL] == 0) {
		arena_free(&layer->arena);
		return err_add(err, ERR_INPUT, "%s: machine %s has none of the operating points its rules allow",
		               block->name, machine->name);
	}
	assert(layer->n_value[GENE_STRATEGY] > 0 && layer->n_value[GENE_REUSE] > 0 && layer->n_value[GENE_OPERAND] > 0);
	for (uint32_t i = 0; i < layer->n_value[GENE_OPERAND]; i++) {
		enum conv_form form = (enum conv_form)layer->form[i];
		struct layer_context *context = &layer->context[context_index(layer->operand_bit[i], form)];
		mapper_prepare_form(block, machine, layer->operand_bit[i], form, context);
		mapper_set_ahead(context, &choice->ahead);
	}
	build_places(layer, block, choice);
	build_metrics(layer, space);
	count_values(layer);
	layer->problem = (struct problem){
	    .n_gene = N_LAYER_GENE,
	    .n_value = layer->n_value,
	    .n_objective = layer->n_metric,
	    .evaluate = layer_problem_evaluate,
	    .context = layer,
	    .is_ordered = layer_gene_is_ordered,
	    .propose = layer_problem_propose,
	    .repair = layer_problem_repair,
	};
	return ERR_OK;
}

void layer_problem_free(struct layer_problem *layer)
{
	assert(layer);
	arena_free(&layer->arena);
	memset(layer, 0, sizeof(*layer));
}
