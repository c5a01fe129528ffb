/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts of layers, which may still be fused or moved until the plan is written; and views that fit one to another. */
#include "mapper/onnx/onnx_lower_parts.h"
#include <assert.h>
#include <string.h>

bool onnx_map_fits(struct onnx_map map)
{
	return map.w >= 1 && map.h >= 1 && map.c >= 1 && map.w <= NETWORK_MAX_EXTENT && map.h <= NETWORK_MAX_EXTENT &&
	       map.c <= NETWORK_MAX_CHANNEL;
}

struct onnx_map onnx_map_of(const struct onnx_shape *shape)
{
	const int64_t *dim = shape->dim;
	struct onnx_map map = {1, 1, 1};
	if (shape->n == 4)
		return (struct onnx_map){dim[3], dim[2], dim[0] * dim[1]};
	if (shape->n > 0)
		map.c = dim[shape->n - 1];
	if (shape->n > 1)
		map.w = dim[shape->n - 2];
	for (size_t i = 0; i + 2 < shape->n; i++)
		map.h *= dim[i];
	return map;
}

uint32_t onnx_draft_index(const struct onnx_lowering *lowering, const struct onnx_draft *draft)
{
	return draft ? (uint32_t)(draft - lowering->draft) : NO_DRAFT;
}

bool onnx_draft_room(struct onnx_lowering *lowering)
{
	if (lowering->n_draft + 1 >= lowering->max_draft)
		lowering->n_draft = lowering->max_draft;
	return lowering->n_draft < lowering->max_draft;
}

struct onnx_draft *onnx_draft_new(struct onnx_lowering *lowering, enum layer_kind kind, size_t n_from,
                                  const uint32_t *from)
{
	uint32_t *copy = arena_array(&lowering->arena, n_from, sizeof(*copy));
	assert(n_from > 0);
	/* The last draft is never used: when all others are, there are too many layers anyway. */
	lowering->no_memory = lowering->no_memory || !copy;
	if (!copy || !onnx_draft_room(lowering))
		return NULL;
	memcpy(copy, from, n_from * sizeof(*copy));
	for (size_t i = 0; i < n_from; i++) {
		assert(from[i] < lowering->n_draft && !lowering->draft[from[i]].is_gone);
		lowering->draft[from[i]].n_reader++;
	}
	struct onnx_draft *draft = &lowering->draft[lowering->n_draft++];
	*draft = (struct onnx_draft){
	    .layer = {.kind = kind, .groups = 1, .n_from = (uint32_t)n_from}, .from = copy, .node = lowering->node};
	return draft;
}

int64_t onnx_draft_size(const struct onnx_draft *draft)
{
	return draft->is_vector ? (int64_t)draft->w : (int64_t)draft->w * draft->h * draft->c;
}

void onnx_draft_set_filters(struct onnx_lowering *lowering, struct onnx_draft *draft, uint32_t filters)
{
	assert(draft->layer.kind == LAYER_CONV && filters < onnx_draft_index(lowering, draft));
	draft->layer.has_filters = true;
	draft->filters = filters;
	lowering->draft[filters].n_reader++;
}

void onnx_draft_set_map(struct onnx_draft *draft, struct onnx_map map)
{
	assert(onnx_map_fits(map));
	draft->w = (uint32_t)map.w;
	draft->h = (uint32_t)map.h;
	draft->c = (uint32_t)map.c;
}

struct onnx_draft *onnx_draft_convolve(struct onnx_lowering *lowering, uint32_t source, int64_t channel)
{
	struct onnx_draft *draft = source == NO_DRAFT || channel < 1 || channel > NETWORK_MAX_CHANNEL
	                               ? NULL
	                               : onnx_draft_new(lowering, LAYER_CONV, 1, &source);
	if (!draft)
		return NULL;
	onnx_draft_set_map(draft, (struct onnx_map){lowering->draft[source].w, lowering->draft[source].h, channel});
	draft->layer.window = (struct window){.w = 1, .h = 1, .stride = 1, .padding = {.kind = PADDING_VALID}};
	draft->layer.out_c = draft->c;
	return draft;
}

static struct onnx_map map_of_draft(const struct onnx_draft *draft)
{
	return draft->is_vector ? (struct onnx_map){1, 1, draft->w} : (struct onnx_map){draft->w, draft->h, draft->c};
}

uint32_t onnx_draft_view(struct onnx_lowering *lowering, size_t n, const uint32_t *from, struct onnx_map map)
{
	if (n == 0 || n > NETWORK_MAX_SOURCE || !onnx_map_fits(map))
		return NO_DRAFT;
	struct onnx_draft *view = onnx_draft_new(lowering, LAYER_VIEW, n, from);
	if (!view)
		return NO_DRAFT;
	onnx_draft_set_map(view, map);
	view->layer.view_w = view->w;
	view->layer.view_h = view->h;
	view->layer.view_c = view->c;
	return onnx_draft_index(lowering, view);
}

static bool is_map(const struct onnx_draft *draft, struct onnx_map map)
{
	return !draft->is_vector && draft->w == map.w && draft->h == map.h && draft->c == map.c;
}

/* For work number by number a vector is a map of one pixel. */
static uint32_t as_map(struct onnx_lowering *lowering, uint32_t index, struct onnx_map map)
{
	const struct onnx_draft *draft = &lowering->draft[index];
	bool is_pixel = draft->is_vector && map.w == 1 && map.h == 1 && draft->w == map.c;
	return is_pixel || is_map(draft, map) ? index : onnx_draft_view(lowering, 1, &index, map);
}

/* Both operands in shapes that the parser takes; the larger one first. False where they are none. */
static bool pair_operands(struct onnx_lowering *lowering, const uint32_t *from, struct onnx_map map, uint32_t out[2])
{
	int64_t size = map.w * map.h * map.c;
	int64_t of[2] = {onnx_draft_size(&lowering->draft[from[0]]), onnx_draft_size(&lowering->draft[from[1]])};
	/* the second one is read from DRAM: the first is the one that was computed last, where both may be it */
	size_t first = of[0] == size && !(of[1] == size && from[1] > from[0]) ? 0 : 1;
	if (of[first] != size || (of[1 - first] != size && of[1 - first] != map.c))
		return false;
	out[0] = as_map(lowering, from[first], map);
	out[1] = as_map(lowering, from[1 - first], of[1 - first] == size ? map : (struct onnx_map){1, 1, map.c});
	return out[0] != NO_DRAFT && out[1] != NO_DRAFT;
}

/* The ARM's work has a layer of its own, one clock count a number (thesis section 4.3.2, of pooling). */
uint32_t onnx_draft_arm(struct onnx_lowering *lowering, struct onnx_arm work, size_t n, const uint32_t *from,
                        struct onnx_map map)
{
	uint32_t source[2];
	bool is_pair = n == 2 && (work.kind == ARM_ADD || work.kind == ARM_MULTIPLY) && onnx_map_fits(map) &&
	               pair_operands(lowering, from, map, source);
	bool is_pool = work.kind == ARM_POOL;
	if (!is_pair)
		source[0] = n == 1 && (!is_pool || !lowering->draft[from[0]].is_vector)
		                ? as_map(lowering, from[0], map)
		                : onnx_draft_view(lowering, n, from, map);
	if (source[0] == NO_DRAFT)
		return NO_DRAFT;
	struct onnx_draft *arm =
	    onnx_draft_new(lowering, work.kind == ARM_POOL ? LAYER_POOL : LAYER_ARM, is_pair ? 2 : 1, source);
	if (!arm)
		return NO_DRAFT;
	onnx_draft_set_map(arm, map);
	/* as the parser has it: the shape of the first operand */
	arm->is_vector = lowering->draft[source[0]].is_vector;
	if (arm->is_vector)
		onnx_draft_set_map(arm, (struct onnx_map){map.c, 1, 1});
	arm->layer.arm = work.kind;
	arm->layer.whole = work.whole;
	if ((work.whole & WHOLE_C) && work.row_c > 0 && map.c % work.row_c == 0)
		arm->layer.groups = (uint32_t)(map.c / work.row_c);
	arm->layer.window = (struct window){.w = 1, .h = 1, .stride = 1, .padding = {.kind = PADDING_VALID}};
	arm->is_arm = true;
	return onnx_draft_index(lowering, arm);
}

/* Let the layer of a draft do a function of its result as well; false when it cannot. */
static bool fuse(struct onnx_lowering *lowering, uint32_t index, enum onnx_function function);

/* All parts of a concatenation do the function, if no one else reads them. */
static bool fuse_parts(struct onnx_lowering *lowering, const struct onnx_draft *concat, enum onnx_function function)
{
	for (uint32_t i = 0; i < concat->layer.n_from; i++) {
		const struct onnx_draft *part = &lowering->draft[concat->from[i]];
		bool nothing = function == FUNCTION_RECTIFY && part->is_positive;
		if (!nothing && (part->n_reader != 1 ||
		                 !(part->layer.kind == LAYER_CONV || part->layer.kind == LAYER_FC || part->is_arm)))
			return false;
	}
	for (uint32_t i = 0; i < concat->layer.n_from; i++)
		(void)fuse(lowering, concat->from[i], function);
	return true;
}

static bool fuse(struct onnx_lowering *lowering, uint32_t index, enum onnx_function function)
{
	struct onnx_draft *draft = &lowering->draft[index];
	assert(function != FUNCTION_NONE && index < lowering->n_draft);
	if (draft->layer.kind == LAYER_CONCAT && index > 0)
		return fuse_parts(lowering, draft, function);
	if (function == FUNCTION_RECTIFY && draft->is_positive)
		return true;
	if (index == 0 || !(draft->layer.kind == LAYER_CONV || draft->layer.kind == LAYER_FC || draft->is_arm))
		return false;
	/* The ARM's own work is one operation a number, whatever it computes. */
	if (!draft->is_arm && function != FUNCTION_AFFINE)
		draft->layer.relu = true;
	return true;
}

uint32_t onnx_draft_get(struct onnx_lowering *lowering, uint32_t value)
{
	const struct onnx_place *place = &lowering->place[value];
	struct onnx_place *rep = &lowering->place[place->rep];
	struct onnx_place *root = &lowering->place[place->root];
	if (rep->draft != NO_DRAFT || root->draft == NO_DRAFT)
		return rep->draft;
	assert(rep->function != FUNCTION_NONE);
	if (root->n_exit == 1 && fuse(lowering, root->draft, rep->function)) {
		rep->draft = root->draft;
		return rep->draft;
	}
	root->is_carried = true;
	rep->draft = onnx_draft_arm(lowering, (struct onnx_arm){.kind = ARM_FUNCTION}, 1, &root->draft,
	                            map_of_draft(&lowering->draft[root->draft]));
	return rep->draft;
}

uint32_t onnx_draft_need(struct onnx_lowering *lowering, uint32_t value, struct onnx_map map, bool is_loose)
{
	uint32_t index = onnx_draft_get(lowering, value);
	if (index == NO_DRAFT || !onnx_map_fits(map))
		return NO_DRAFT;
	const struct onnx_draft *draft = &lowering->draft[index];
	bool like = is_loose && !draft->is_vector && draft->c == map.c && (int64_t)draft->w * draft->h == map.w * map.h;
	return like || is_map(draft, map) ? index : onnx_draft_view(lowering, 1, &index, map);
}
