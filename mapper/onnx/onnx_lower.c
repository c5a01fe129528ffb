/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/onnx/onnx_lower_parts.h"
#include "sim/base/checked.h"
#include "sim/base/text.h"
#include <string.h>

const char *const onnx_status_name[N_ONNX_STATUS] = {
    [ONNX_MLA] = "mla",
    [ONNX_ARM] = "arm",
    [ONNX_FOLDED] = "folded",
    [ONNX_FREE] = "free",
    [ONNX_UNSUPPORTED] = "unsupported",
};

/* Drafts there may be; the layers that are left in the end are fewer. */
#define MAX_DRAFT 65536u

static const char unknown_op[] = "an operator that is not known; export the model with others, or cut it there";
static const char unknown_shape[] = "its shape cannot be known, because of the nodes named before; replace those";
static const char no_layers[] = "no machine of ours does this; export the model with other operators, or cut it there";
static const char nothing[] = "a dimension is 0, so there is nothing to compute; check the sizes of the inputs";
static const char unknown_input[] = "it reads what has no layer, because of the nodes named before; replace those";

void onnx_lower_put(struct onnx_lowering *lowering, const struct onnx_work *work, size_t i, uint32_t draft)
{
	uint32_t value = i < work->node->n_out ? work->node->out[i] : 0;
	if (value == 0)
		return;
	assert(draft == NO_DRAFT || draft < lowering->n_draft);
	lowering->place[value].draft = draft;
	if (draft != NO_DRAFT && draft > 0)
		lowering->draft[draft].is_positive = lowering->place[value].is_positive;
}

enum onnx_status onnx_lower_done(struct onnx_lowering *lowering, const struct onnx_work *work, uint32_t draft,
                                 enum onnx_status status)
{
	onnx_lower_put(lowering, work, 0, draft);
	return draft == NO_DRAFT ? ONNX_UNSUPPORTED : status;
}

const uint32_t *onnx_lower_inputs(struct onnx_lowering *lowering, const struct onnx_work *work, size_t *n)
{
	const struct onnx_node *node = work->node;
	uint32_t *from = arena_array(&lowering->arena, node->n_in + 1, sizeof(*from));
	assert(node && n);
	*n = 0;
	lowering->no_memory = lowering->no_memory || !from;
	for (size_t i = 0; from && i < node->n_in; i++) {
		uint32_t draft;
		size_t k = 0;
		if (node->in[i] == 0 || lowering->graph->value[node->in[i]].is_constant)
			continue;
		draft = onnx_draft_get(lowering, node->in[i]);
		if (draft == NO_DRAFT)
			return NULL;
		while (k < *n && from[k] != draft)
			k++;
		if (k == *n)
			from[(*n)++] = draft;
	}
	return *n > 0 ? from : NULL;
}

/* ---- inputs ------------------------------------------------------------------------------------------------ */

/* Channels come before the pixels where a window reads them. */
static struct onnx_map input_map(const struct onnx_lowering *lowering, uint32_t v)
{
	const struct onnx_shape *shape = &lowering->graph->value[v].shape;
	uint32_t reader = lowering->place[v].first_reader;
	const struct onnx_op *op = reader > 0 ? onnx_op_find(&lowering->graph->node[reader - 1]) : NULL;
	if (shape->n == 3 && shape->dim[0] == 1 && op && (op->lower == onnx_lower_conv || op->lower == onnx_lower_pool))
		return (struct onnx_map){shape->dim[2], 1, shape->dim[1]};
	return onnx_map_of(shape);
}

/* An input besides the network's: it lies in DRAM beforehand. */
static uint32_t data_draft(struct onnx_lowering *lowering, struct onnx_map map)
{
	if (!onnx_map_fits(map) || !onnx_draft_room(lowering))
		return NO_DRAFT;
	struct onnx_draft *draft = &lowering->draft[lowering->n_draft++];
	*draft = (struct onnx_draft){.layer = {.kind = LAYER_DATA, .groups = 1}};
	onnx_draft_set_map(draft, map);
	draft->layer.view_w = draft->w;
	draft->layer.view_h = draft->h;
	draft->layer.view_c = draft->c;
	return onnx_draft_index(lowering, draft);
}

/* Whether an input is what the model gave for the token before: new keys or values are put behind it. */
static bool is_cache(const struct onnx_lowering *lowering, uint32_t v)
{
	uint32_t reader = lowering->place[v].first_reader;
	const struct onnx_node *node = reader > 0 ? &lowering->graph->node[reader - 1] : NULL;
	const struct onnx_op *op = node ? onnx_op_find(node) : NULL;
	if (op && op->lower == onnx_lower_attention)
		return node->in[0] != v && node->in[1] != v && node->n_in > 2 && node->in[2] != v;
	return op && op->lower == onnx_lower_concat;
}

/* The largest input is the network's, one that is no cache if there is any; others are data. */
static enum err_code place_inputs(struct onnx_lowering *lowering, struct err *err)
{
	const struct onnx_graph *graph = lowering->graph;
	struct onnx_draft *draft = &lowering->draft[0];
	uint32_t main = 0;
	int64_t n_main = -1;
	for (int takes_cache = 0; takes_cache < 2 && main == 0; takes_cache++)
		for (uint32_t v = 1; v < graph->n_value; v++)
			if (graph->value[v].is_input && graph->value[v].n_reader > 0 &&
			    (takes_cache || !is_cache(lowering, v)) &&
			    onnx_n_element(&graph->value[v].shape) > n_main) {
				main = v;
				n_main = onnx_n_element(&graph->value[v].shape);
			}
	if (main == 0)
		return err_add(err, ERR_INPUT, "%s: no node reads an input; nothing depends on one", graph->path);
	struct onnx_map map = input_map(lowering, main);
	*draft = (struct onnx_draft){.layer.kind = LAYER_VIEW, .w = 1, .h = 1, .c = 1};
	lowering->n_draft = 1;
	draft->is_vector = (map.w == 1 && map.h == 1 && graph->value[main].shape.n < 3) || !onnx_map_fits(map);
	if (draft->is_vector ? n_main < 1 || n_main > NETWORK_MAX_VECTOR : false)
		return err_add(err, ERR_INPUT,
		               "%s: input '%.80s' is %s; networks have inputs of 1 to %u numbers, or up "
		               "to 65536 pixels a side and channels",
		               graph->path, graph->value[main].name, onnx_shape_text(&graph->value[main].shape).text,
		               NETWORK_MAX_VECTOR);
	draft->w = (uint32_t)(draft->is_vector ? n_main : map.w);
	draft->h = (uint32_t)(draft->is_vector ? 1 : map.h);
	draft->c = (uint32_t)(draft->is_vector ? 1 : map.c);
	lowering->place[main].draft = 0;
	for (uint32_t v = 1; v < graph->n_value; v++)
		if (graph->value[v].is_input && v != main && graph->value[v].n_reader > 0)
			lowering->place[v].draft = data_draft(lowering, input_map(lowering, v));
	return ERR_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

static bool shapes_known(const struct onnx_graph *graph, const struct onnx_node *node)
{
	for (size_t i = 0; i < node->n_in; i++)
		if (node->in[i] > 0 && !graph->value[node->in[i]].has_shape)
			return false;
	return graph->value[node->out[0]].has_shape;
}

/* Whether an input that is computed has no numbers; optional inputs that are constant may. */
static bool has_empty(const struct onnx_graph *graph, const struct onnx_node *node)
{
	for (size_t i = 0; i < node->n_in; i++) {
		const struct onnx_value *in = &graph->value[node->in[i]];
		if (node->in[i] > 0 && !in->is_constant && onnx_n_element(&in->shape) == 0)
			return true;
	}
	return false;
}

/* Weights and biases: constant operands of convolutions and matrix products, of which either side may be the weights.
 */
static uint64_t count_weights(const struct onnx_work *work)
{
	const size_t operand[] = {work->op->operand.weight, work->op->operand.bias, 0};
	uint64_t n = 0;
	for (size_t i = 0; i < 3; i++) {
		const struct onnx_value *value = onnx_input(work->graph, work->node, operand[i]);
		bool is_there = i == 2 ? work->op->operand.weight > 0 : operand[i] > 0;
		if (is_there && value && value->is_constant)
			n += (uint64_t)onnx_n_element(&value->shape);
	}
	return n;
}

/* What has no layers stands as a view of its inputs, so that the nodes behind it can be judged. */
static void stand_in(struct onnx_lowering *lowering, const struct onnx_work *work)
{
	size_t n;
	const uint32_t *from = onnx_lower_inputs(lowering, work, &n);
	for (size_t i = 0; from && i < work->node->n_out; i++) {
		const struct onnx_value *value = &work->graph->value[work->node->out[i]];
		if (work->node->out[i] > 0 && value->has_shape &&
		    lowering->place[work->node->out[i]].draft == NO_DRAFT &&
		    lowering->place[work->node->out[i]].root == work->node->out[i])
			lowering->place[work->node->out[i]].draft =
			    onnx_draft_view(lowering, n, from, onnx_map_of(&value->shape));
	}
}

static bool reads_nothing(const struct onnx_lowering *lowering, const struct onnx_node *node)
{
	for (size_t i = 0; i < node->n_in; i++)
		if (node->in[i] > 0 && !lowering->graph->value[node->in[i]].is_constant &&
		    lowering->place[lowering->place[node->in[i]].root].draft == NO_DRAFT)
			return true;
	return false;
}

static void refuse(struct onnx_lowering *lowering, const struct onnx_work *work, const char *why)
{
	struct onnx_verdict *verdict = &lowering->plan->verdict[lowering->node];
	assert(why);
	verdict->status = ONNX_UNSUPPORTED;
	verdict->why = why;
	stand_in(lowering, work);
}

static void lower_node(struct onnx_lowering *lowering, const struct onnx_node *node, struct err *err)
{
	struct onnx_graph *graph = lowering->graph;
	struct onnx_work work = {.graph = graph, .node = node, .op = onnx_op_find(node), .err = err};
	struct onnx_verdict *verdict = &lowering->plan->verdict[lowering->node];
	const char *why = no_layers;
	verdict->status = ONNX_FOLDED;
	if (!work.op || node->n_out == 0 || node->out[0] == 0) {
		refuse(lowering, &work, unknown_op);
		return;
	}
	if (graph->value[node->out[0]].is_constant)
		return;
	if (!shapes_known(graph, node)) {
		refuse(lowering, &work, unknown_shape);
		return;
	}
	if (onnx_n_element(&graph->value[node->out[0]].shape) == 0 || has_empty(graph, node)) {
		refuse(lowering, &work, nothing);
		return;
	}
	verdict->mac = work.op->count ? work.op->count(&work) : 0;
	verdict->n_weight = work.op->count ? count_weights(&work) : 0;
	if (lowering->rows[lowering->node].is_part) {
		verdict->status = onnx_lower_norm(lowering, &work, &why);
		if (verdict->status == ONNX_UNSUPPORTED)
			refuse(lowering, &work, reads_nothing(lowering, node) ? unknown_input : why);
		return;
	}
	if (lowering->place[node->out[0]].root != node->out[0])
		return;
	verdict->status = work.op->lower ? work.op->lower(lowering, &work, &why) : ONNX_UNSUPPORTED;
	if (verdict->status == ONNX_UNSUPPORTED)
		refuse(lowering, &work, reads_nothing(lowering, node) ? unknown_input : why ? why : no_layers);
}

/* What became of a function of a root: part of the weights, or the ARM cores' work, here or in a layer of its own. */
static void judge_function(struct onnx_lowering *lowering, size_t n)
{
	const struct onnx_node *node = &lowering->graph->node[n];
	const struct onnx_op *op = onnx_op_find(node);
	const struct onnx_place *place = &lowering->place[node->out[0]];
	uint32_t draft = lowering->place[place->rep].draft != NO_DRAFT ? lowering->place[place->rep].draft
	                                                               : lowering->place[place->root].draft;
	struct onnx_verdict *verdict = &lowering->plan->verdict[n];
	assert(op && op->trait != TRAIT_NONE);
	if (draft != NO_DRAFT)
		verdict->layer = lowering->draft[draft].number;
	if (op->trait == TRAIT_SAME || op->trait == TRAIT_MOVED)
		verdict->status = ONNX_FREE;
	else if (op->trait == TRAIT_QUANTISE)
		verdict->status = ONNX_FOLDED;
	else if (place->function == FUNCTION_AFFINE && draft != NO_DRAFT && !lowering->draft[draft].is_arm &&
	         !lowering->place[place->root].is_carried)
		verdict->status = ONNX_FOLDED;
	else
		verdict->status = ONNX_ARM;
}

/* The layer of a row's work, for each of its parts. */
static void name_layer(struct onnx_lowering *lowering, size_t n)
{
	uint32_t last = lowering->graph->node[lowering->rows[n].last].out[0];
	uint32_t draft = lowering->place[last].draft;
	if (draft != NO_DRAFT)
		lowering->plan->verdict[n].layer = lowering->draft[draft].number;
}

/* ---- layers ------------------------------------------------------------------------------------------------ */

/* Views that nobody reads are left out; the others and all work are numbered. Returns how many there are. */
static size_t number_drafts(struct onnx_lowering *lowering)
{
	size_t n = 0;
	for (size_t i = lowering->n_draft; i-- > 1;) {
		struct onnx_draft *draft = &lowering->draft[i];
		if (draft->is_gone || draft->n_reader > 0 || draft->layer.kind < LAYER_CONCAT)
			continue;
		draft->is_gone = true;
		for (uint32_t k = 0; k < draft->layer.n_from; k++)
			lowering->draft[draft->from[k]].n_reader--;
	}
	for (size_t i = 1; i < lowering->n_draft; i++)
		if (!lowering->draft[i].is_gone)
			lowering->draft[i].number = (uint32_t)++n;
	return n;
}

static struct layer_source source_of(const struct onnx_lowering *lowering, uint32_t draft)
{
	assert(draft == 0 || lowering->draft[draft].number > 0);
	return (struct layer_source){.relative = false, .number = lowering->draft[draft].number};
}

/* A text of a model as a name that YAML takes in quotes: other letters become '_', and what is too long is cut. */
static const char *name_of(struct onnx_lowering *lowering, const char *text)
{
	char name[LAYER_ORIGIN_SIZE];
	size_t n = 0;
	for (; text[n] && n + 1 < sizeof(name); n++)
		name[n] = text[n] > ' ' && text[n] < 127 && text[n] != '"' && text[n] != '\\' ? text[n] : '_';
	name[n] = '\0';
	text_make_name(name, sizeof(name));
	const char *copy = arena_text(&lowering->plan->arena, name);
	lowering->no_memory = lowering->no_memory || !copy;
	return copy;
}

static struct layer_origin origin_of(struct onnx_lowering *lowering, uint32_t node)
{
	const struct onnx_node *from = &lowering->graph->node[node];
	return (struct layer_origin){name_of(lowering, from->name), name_of(lowering, from->op)};
}

static bool write_layers(struct onnx_lowering *lowering, const char *path)
{
	struct onnx_plan *plan = lowering->plan;
	for (size_t i = 1; i < lowering->n_draft; i++) {
		const struct onnx_draft *draft = &lowering->draft[i];
		if (draft->is_gone)
			continue;
		struct layer_source *from = arena_array(&plan->arena, draft->layer.n_from, sizeof(*from));
		struct layer *layer = &plan->list.layer[draft->number - 1];
		assert(draft->number > 0 && draft->number <= plan->list.n);
		if (!from)
			return false;
		*layer = draft->layer;
		layer->place = (struct err_place){.file = path, .line = draft->number, .column = 1};
		layer->from = from;
		layer->origin = origin_of(lowering, draft->node);
		if (layer->has_shortcut_conv)
			layer->shortcut_origin = origin_of(lowering, draft->shortcut_node);
		for (uint32_t k = 0; k < layer->n_from; k++)
			from[k] = source_of(lowering, draft->from[k]);
		if (layer->has_shortcut)
			layer->shortcut_from = source_of(lowering, draft->shortcut);
		if (layer->has_filters)
			layer->filters_from = source_of(lowering, draft->filters);
		plan->node_of[draft->number - 1] = draft->node;
		if (plan->verdict[draft->node].layer == 0)
			plan->verdict[draft->node].layer = draft->number;
	}
	return !lowering->no_memory;
}

static enum err_code finish(struct onnx_lowering *lowering, const char *name, struct err *err)
{
	const struct onnx_graph *graph = lowering->graph;
	struct onnx_plan *plan = lowering->plan;
	size_t n = number_drafts(lowering);
	char *path = arena_text(&plan->arena, graph->path);
	if (lowering->n_draft >= lowering->max_draft || n > NETWORK_MAX_LAYER)
		return err_add(err, ERR_INPUT, "%s: gives more layers than the %u that networks have", graph->path,
		               NETWORK_MAX_LAYER);
	for (size_t i = 0; i < graph->n_node; i++) {
		const struct onnx_node *node = &graph->node[i];
		struct onnx_verdict *verdict = &plan->verdict[i];
		if (lowering->rows[i].is_part)
			name_layer(lowering, i);
		else if (verdict->status != ONNX_UNSUPPORTED && !graph->value[node->out[0]].is_constant &&
		         lowering->place[node->out[0]].root != node->out[0])
			judge_function(lowering, i);
		plan->n_unsupported += verdict->status == ONNX_UNSUPPORTED;
		plan->mac = add_sat(plan->mac, verdict->mac);
		plan->n_parameter = add_sat(plan->n_parameter, verdict->n_weight);
	}
	const struct onnx_draft *input = &lowering->draft[0];
	plan->list = (struct layer_list){.name = name,
	                                 .place = {.file = path, .line = 1, .column = 1},
	                                 .is_vector = input->is_vector,
	                                 .in_w = input->w,
	                                 .in_h = input->h,
	                                 .in_c = input->c,
	                                 .batch = 1,
	                                 .n = n,
	                                 .layer = arena_array(&plan->arena, n + 1, sizeof(*plan->list.layer))};
	plan->node_of = arena_array(&plan->arena, n + 1, sizeof(*plan->node_of));
	if (!path || !plan->list.layer || !plan->node_of || !write_layers(lowering, path))
		return err_add(err, ERR_INTERNAL, "%s: out of memory", graph->path);
	return ERR_OK;
}

enum err_code onnx_lower(struct onnx_graph *graph, const char *name, struct onnx_plan *plan, struct err *err)
{
	struct onnx_lowering lowering = {.graph = graph, .plan = plan, .max_draft = 64};
	enum err_code code = ERR_OK;
	assert(graph->n_node > 0 && name && strlen(name) < NETWORK_NAME_SIZE);
	memset(plan, 0, sizeof(*plan));
	for (size_t i = 0; i < graph->n_node && lowering.max_draft < MAX_DRAFT; i++)
		lowering.max_draft += 4 * graph->node[i].n_in + 3 * graph->node[i].n_out + 8;
	lowering.max_draft = lowering.max_draft < MAX_DRAFT ? lowering.max_draft : MAX_DRAFT;
	lowering.place = arena_array(&lowering.arena, graph->n_value, sizeof(*lowering.place));
	lowering.draft = arena_array(&lowering.arena, lowering.max_draft, sizeof(*lowering.draft));
	lowering.rows = arena_array(&lowering.arena, graph->n_node, sizeof(*lowering.rows));
	plan->verdict = arena_array(&plan->arena, graph->n_node, sizeof(*plan->verdict));
	if (!lowering.place || !lowering.draft || !lowering.rows || !plan->verdict)
		code = err_add(err, ERR_INTERNAL, "%s: out of memory", graph->path);
	if (code == ERR_OK) {
		onnx_region_find(&lowering);
		code = place_inputs(&lowering, err);
	}
	for (size_t i = 0; code == ERR_OK && i < graph->n_node; i++) {
		lowering.node = (uint32_t)i;
		lower_node(&lowering, &graph->node[i], err);
	}
	for (uint32_t v = 1; code == ERR_OK && v < graph->n_value; v++)
		if (graph->value[v].is_output && !graph->value[v].is_constant)
			(void)onnx_draft_get(&lowering, v);
	if (code == ERR_OK && lowering.no_memory)
		code = err_add(err, ERR_INTERNAL, "%s: out of memory", graph->path);
	if (code == ERR_OK)
		code = finish(&lowering, name, err);
	arena_free(&lowering.arena);
	if (code != ERR_OK)
		onnx_plan_free(plan);
	return code;
}

void onnx_plan_free(struct onnx_plan *plan)
{
	assert(plan);
	arena_free(&plan->arena);
	memset(plan, 0, sizeof(*plan));
}
