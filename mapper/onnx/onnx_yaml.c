/* SPDX-License-Identifier: Apache-2.0 */
/* Imported layers in our own format, one a line, with the node that each is of: as keys, of views as a comment. */
#include "mapper/onnx/onnx.h"
#include <assert.h>
#include <inttypes.h>

/* Keys of one layer, with commas between them. */
struct line {
	FILE *file;
	uint32_t number; /* of the layer */
	bool has_key;
};

static void put_key(struct line *line, const char *key)
{
	(void)fprintf(line->file, "%s%s: ", line->has_key ? ", " : "", key);
	line->has_key = true;
}

static void put_number(struct line *line, const char *key, uint32_t number)
{
	put_key(line, key);
	(void)fprintf(line->file, "%" PRIu32, number);
}

static void put_sides(struct line *line, const char *key, uint32_t w, uint32_t h)
{
	put_key(line, key);
	if (w == h)
		(void)fprintf(line->file, "%" PRIu32, w);
	else
		(void)fprintf(line->file, "[%" PRIu32 ", %" PRIu32 "]", w, h);
}

/* Sources by their number; the layer before need not be said. */
static void put_sources(struct line *line, const struct layer *layer)
{
	if (layer->n_from == 1 && layer->from[0].number == (int64_t)line->number - 1)
		return;
	put_key(line, "from");
	if (layer->n_from > 1)
		(void)fputc('[', line->file);
	for (uint32_t i = 0; i < layer->n_from; i++)
		(void)fprintf(line->file, "%s%" PRId64, i > 0 ? ", " : "", layer->from[i].number);
	if (layer->n_from > 1)
		(void)fputc(']', line->file);
}

static void put_padding(struct line *line, const struct padding *padding)
{
	put_key(line, "padding");
	if (padding->kind == PADDING_GIVEN)
		(void)fprintf(line->file, "[%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", padding->left,
		              padding->right, padding->top, padding->bottom);
	else
		(void)fputs(padding->kind == PADDING_SAME ? "same" : "valid", line->file);
}

static void put_window(struct line *line, const char *key, const struct window *window)
{
	put_sides(line, key, window->w, window->h);
	put_number(line, "stride", window->stride);
	if (window->dilation > 1)
		put_number(line, "dilation", window->dilation);
	put_padding(line, &window->padding);
}

/* Names that onnx_lower.c made need no escape. */
static void put_origin(struct line *line, const struct layer_origin *origin)
{
	put_key(line, "node");
	(void)fprintf(line->file, "\"%s\", operator: \"%s\"", origin->node, origin->op);
}

static void put_conv(struct line *line, const struct layer *layer)
{
	put_window(line, "kernel", &layer->window);
	put_number(line, "out_channels", layer->out_c);
	if (layer->groups > 1)
		put_number(line, "groups", layer->groups);
	put_key(line, "activation");
	(void)fputs(layer->relu ? "relu" : "none", line->file);
	put_sources(line, layer);
	if (layer->has_filters)
		put_number(line, "filters", (uint32_t)layer->filters_from.number);
	put_origin(line, &layer->origin);
	if (!layer->has_shortcut)
		return;
	put_key(line, "add");
	(void)fprintf(line->file, "{from: %" PRId64, layer->shortcut_from.number);
	if (layer->has_shortcut_conv) {
		struct line inner = {.file = line->file, .number = line->number};
		(void)fputs(", conv: {", line->file);
		put_window(&inner, "kernel", &layer->shortcut_window);
		put_origin(&inner, &layer->shortcut_origin);
		(void)fputc('}', line->file);
	}
	(void)fputc('}', line->file);
}

static void put_pool(struct line *line, const struct layer *layer)
{
	put_window(line, "window", &layer->window);
	put_key(line, "type");
	(void)fputs(layer->pool_average ? "average" : "max", line->file);
	put_sources(line, layer);
	put_origin(line, &layer->origin);
}

static void put_arm(struct line *line, const struct layer *layer)
{
	put_key(line, "op");
	assert(layer->arm > ARM_POOL && layer->arm < N_ARM_KIND);
	(void)fputs(parser_arm_name[layer->arm - 1], line->file);
	if (layer->arm == ARM_SOFTMAX || layer->arm == ARM_NORM) {
		assert(layer->whole < N_PARSER_OVER);
		put_key(line, "over");
		(void)fputs(parser_over_name[layer->whole], line->file);
		if (layer->groups > 1)
			put_number(line, "groups", layer->groups);
	}
	put_sources(line, layer);
	put_origin(line, &layer->origin);
}

static void put_fc(struct line *line, const struct layer *layer)
{
	put_number(line, "out", layer->out_c);
	put_key(line, "activation");
	(void)fputs(layer->relu ? "relu" : "none", line->file);
	put_sources(line, layer);
	put_origin(line, &layer->origin);
}

static void put_slice(struct line *line, const struct layer *layer)
{
	put_key(line, "channels");
	(void)fprintf(line->file, "[%" PRIu32 ", %" PRIu32 "]", layer->first_c, layer->last_c);
	put_sources(line, layer);
}

static void put_upsample(struct line *line, const struct layer *layer)
{
	put_number(line, "factor", layer->factor);
	put_sources(line, layer);
}

static void put_data(struct line *line, const struct layer *layer)
{
	put_key(line, "size");
	(void)fprintf(line->file, "[%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", layer->view_w, layer->view_h,
	              layer->view_c);
}

static void put_view(struct line *line, const struct layer *layer)
{
	put_data(line, layer);
	put_sources(line, layer);
}

/* A name in a comment: whatever a file calls its nodes, the line ends where we end it. */
static void put_comment(FILE *file, const struct onnx_node *node)
{
	(void)fputs("   # ", file);
	for (size_t i = 0; node->name[i] && i < 60; i++)
		(void)fputc(node->name[i] > ' ' && node->name[i] < 127 ? node->name[i] : '_', file);
	(void)fputs(" (", file);
	for (size_t i = 0; node->op[i] && i < 40; i++)
		(void)fputc(node->op[i] > ' ' && node->op[i] < 127 ? node->op[i] : '_', file);
	(void)fputs(")\n", file);
}

void onnx_write_yaml(const struct onnx_import *import, FILE *file)
{
	/* One row a kind; there is no LAYER_MULTIPLY among imported layers. */
	static const struct {
		const char *key;
		void (*put)(struct line *, const struct layer *);
	} kind[N_LAYER_KIND] = {
	    [LAYER_CONV] = {"conv", put_conv},    [LAYER_POOL] = {"pool", put_pool},
	    [LAYER_FC] = {"fc", put_fc},          [LAYER_CONCAT] = {"concat", put_sources},
	    [LAYER_SLICE] = {"slice", put_slice}, [LAYER_UPSAMPLE] = {"upsample", put_upsample},
	    [LAYER_VIEW] = {"view", put_view},    [LAYER_ARM] = {"arm", put_arm},
	    [LAYER_DATA] = {"data", put_data},
	};
	const struct layer_list *list = &import->plan.list;
	assert(import->plan.n_unsupported == 0);
	(void)fprintf(file, "# Imported by dse import. node and operator are those of the ONNX model.\nname: \"%s\"\n",
	              import->name);
	if (list->is_vector)
		(void)fprintf(file, "input: %" PRIu32 "\n", list->in_w);
	else
		(void)fprintf(file, "input: [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]\n", list->in_w, list->in_h,
		              list->in_c);
	if (list->batch > 1)
		(void)fprintf(file, "batch: %" PRIu32 "\n", list->batch);
	(void)fputs("layers:\n", file);
	for (size_t i = 0; i < list->n; i++) {
		const struct layer *layer = &list->layer[i];
		struct line line = {.file = file, .number = (uint32_t)i + 1};
		assert(kind[layer->kind].put);
		(void)fprintf(file, "  - %s: {", kind[layer->kind].key);
		kind[layer->kind].put(&line, layer);
		(void)fputc('}', file);
		if (layer->kind >= LAYER_CONCAT && layer->kind != LAYER_DATA)
			put_comment(file, &import->graph.node[import->plan.node_of[i]]);
		else
			(void)fputc('\n', file);
	}
}
