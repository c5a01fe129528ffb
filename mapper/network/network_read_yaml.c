/* SPDX-License-Identifier: Apache-2.0 */
/* The project's own network format, described in spaces/networks/README.md. */
#include "mapper/network/network_read.h"
#include "mapper/network/file_kind.h"
#include "mapper/network/parser.h"
#include "sim/base/doc.h"
#include "sim/base/text.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const layer_key[N_LAYER_KIND] = {
    [LAYER_CONV] = "conv",         [LAYER_POOL] = "pool",   [LAYER_FC] = "fc",
    [LAYER_CONCAT] = "concat",     [LAYER_SLICE] = "slice", [LAYER_UPSAMPLE] = "upsample",
    [LAYER_MULTIPLY] = "multiply", [LAYER_VIEW] = "view",   [LAYER_ARM] = "arm",
    [LAYER_DATA] = "data",
};
static const char *const entry_key[] = {"conv",  "pool",     "fc",       "arm",  "repeat", "concat",
                                        "slice", "upsample", "multiply", "view", "data"};
static const struct layer_source layer_before = {.relative = true, .number = -1};
static const char *const activation_name[] = {"none", "relu"};
static const char *const padding_name[] = {[PADDING_SAME] = "same", [PADDING_VALID] = "valid"};
static const char *const pool_name[] = {"max", "average"};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

struct yaml_reader {
	struct layer *layer; /* [NETWORK_MAX_LAYER] */
	size_t n;
	bool too_many;       /* reported once */
	struct arena *arena; /* owns the lists of sources */
	struct err *err;
};

/* A mistake of what stands there; false. */
__attribute__((format(printf, 3, 4))) static bool refuse(struct err *err, const struct doc_node *node,
                                                         const char *format, ...)
{
	char text[512];
	TEXT_FILL(text, format);
	err_add_at(err, ERR_INPUT, doc_place(node), "%s", text);
	return false;
}

static bool read_u32(const struct doc_node *node, const char *what, uint32_t min, uint32_t max, uint32_t *out,
                     struct err *err)
{
	uint64_t value;
	assert(min <= max);
	if (!doc_get_u64(node, what, min, max, &value, err))
		return false;
	*out = (uint32_t)value;
	return true;
}

/* The value of a key that must be there; NULL and a message when it is not. */
static const struct doc_node *required(const struct doc_node *map, const char *key, const char *meaning,
                                       struct err *err)
{
	const struct doc_node *node = doc_find(map, key);
	if (!node && map->kind == DOC_MAP)
		err_add_at(err, ERR_INPUT, doc_place(map), "%s is missing: %s", key, meaning);
	return node;
}

/* A number that may be missing: *out stays as it is then. */
static bool read_optional(const struct doc_node *map, const char *key, uint32_t min, uint32_t max, uint32_t *out,
                          struct err *err)
{
	const struct doc_node *node = doc_find(map, key);
	return !node || read_u32(node, key, min, max, out, err);
}

/* One number for both sides, or [w, h]. */
static bool read_sides(const struct doc_node *node, const char *what, uint32_t *w, uint32_t *h, struct err *err)
{
	if (node->kind != DOC_LIST) {
		if (!read_u32(node, what, 1, NETWORK_MAX_EXTENT, w, err))
			return false;
		*h = *w;
		return true;
	}
	if (node->n != 2)
		return refuse(err, node, "%s: found a list of %zu, allowed one number or [width, height]", what,
		              node->n);
	/* Both are read, so that both mistakes are reported. */
	bool good_w = read_u32(node->value[0], what, 1, NETWORK_MAX_EXTENT, w, err);
	bool good_h = read_u32(node->value[1], what, 1, NETWORK_MAX_EXTENT, h, err);
	return good_w && good_h;
}

static bool read_padding(const struct doc_node *node, struct padding *padding, struct err *err)
{
	uint32_t side[4];
	bool good = true;
	size_t choice;
	if (node->kind != DOC_LIST) {
		good = doc_get_choice(node, "padding", padding_name, N_OF(padding_name), &choice, err);
		if (good)
			padding->kind = (enum padding_kind)choice;
		return good;
	}
	if (node->n != 4)
		return refuse(err, node,
		              "padding: found a list of %zu, allowed same, valid or [left, right, top, bottom]",
		              node->n);
	for (size_t i = 0; i < 4; i++)
		good = read_u32(node->value[i], "padding", 0, NETWORK_MAX_EXTENT, &side[i], err) && good;
	if (good)
		*padding = (struct padding){PADDING_GIVEN, side[0], side[1], side[2], side[3]};
	return good;
}

/* Size, stride, dilation and padding; the stride's default differs: 1 for a convolution, the window for pooling. */
static bool read_window(const struct doc_node *map, const char *size_key, bool stride_is_size, struct window *window,
                        struct err *err)
{
	const struct doc_node *size = required(map, size_key, "one number or [width, height]", err);
	const struct doc_node *padding = doc_find(map, "padding");
	bool good = size && read_sides(size, size_key, &window->w, &window->h, err);
	window->stride = stride_is_size && good ? window->w : 1;
	good = read_optional(map, "stride", 1, NETWORK_MAX_EXTENT, &window->stride, err) && good;
	/* no key of pooling */
	good = read_optional(map, "dilation", 1, NETWORK_MAX_EXTENT, &window->dilation, err) && good;
	if (padding)
		good = read_padding(padding, &window->padding, err) && good;
	return good;
}

/* A layer, by its number or by how far it lies back. */
static bool read_source(const struct doc_node *node, const char *what, struct layer_source *source, struct err *err)
{
	double value;
	if (!doc_get_real(node, what, -(double)NETWORK_MAX_LAYER, NETWORK_MAX_LAYER, &value, err))
		return false;
	if (value != floor(value))
		return refuse(
		    err, node,
		    "%s: found %g, allowed a whole number: below 0 so many layers back, else the layer of that "
		    "number",
		    what, value);
	*source = (struct layer_source){.relative = value < 0, .number = (int64_t)value};
	return true;
}

/* The layers that a layer reads: one, or a list of n_least to NETWORK_MAX_SOURCE. Without the key the layer before. */
static bool read_sources(struct yaml_reader *reader, const struct doc_node *map, size_t n_least, struct layer *layer)
{
	const struct doc_node *node =
	    n_least > 1 ? required(map, "from", "the list of layers it reads", reader->err) : doc_find(map, "from");
	const struct doc_node *const *item = &node;
	struct layer_source *source;
	size_t n = 1, n_most = n_least == 2 ? 2 : NETWORK_MAX_SOURCE;
	bool good = true;
	assert(layer->n_from == 1);
	if (!node)
		return n_least <= 1;
	if (node->kind == DOC_LIST) {
		item = (const struct doc_node *const *)node->value;
		n = node->n;
	}
	if (n < n_least || n == 0 || n > n_most)
		return refuse(reader->err, node, "from: found %zu layers, allowed %zu to %zu", n, n_least, n_most);
	source = arena_array(reader->arena, n, sizeof(*source));
	if (!source) {
		err_add(reader->err, ERR_INTERNAL, "out of memory for the sources of a layer");
		return false;
	}
	for (size_t i = 0; i < n; i++)
		good = read_source(item[i], "from", &source[i], reader->err) && good;
	layer->from = source;
	layer->n_from = (uint32_t)n;
	return good;
}

/* [w, h, c] is an image, a number or a list of one a vector; is_vector is set even where a number is out of range. */
static bool read_shape(const struct doc_node *node, uint32_t size[3], bool *is_vector, struct err *err)
{
	bool good = true;
	if (node->kind == DOC_LIST && node->n != 1 && node->n != 3)
		return refuse(err, node, "input: found a list of %zu, allowed [width, height, channels] or one number",
		              node->n);
	*is_vector = node->kind != DOC_LIST || node->n == 1;
	size[1] = size[2] = 1;
	if (*is_vector)
		return read_u32(node->kind == DOC_LIST ? node->value[0] : node, "input", 1, NETWORK_MAX_VECTOR,
		                &size[0], err);
	for (size_t i = 0; i < 3; i++)
		good = read_u32(node->value[i], "input", 1, NETWORK_MAX_EXTENT, &size[i], err) && good;
	return good;
}

/* What a convolution (a map) or matrix multiplication (a vector) reads: its own input where it has one, or results. */
static bool read_operand(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	const struct doc_node *node = doc_find(map, "input");
	bool wants_vector = layer->kind == LAYER_FC, is_vector;
	uint32_t size[3];
	assert(layer->kind == LAYER_CONV || layer->kind == LAYER_FC);
	if (!node)
		return read_sources(reader, map, 1, layer);
	if (doc_find(map, "from"))
		return refuse(reader->err, node, "input: found beside from, allowed is one of both");
	if (!read_shape(node, size, &is_vector, reader->err))
		return false;
	if (is_vector != wants_vector)
		return refuse(reader->err, node, "input: found %s, allowed in a layer of this kind is %s",
		              is_vector ? "one number" : "a list of 3",
		              wants_vector ? "one number" : "[width, height, channels]");
	layer->n_from = 0;
	layer->own_w = size[0];
	layer->own_h = size[1];
	layer->own_c = size[2];
	return true;
}

/* What the model that it is from calls a layer, and its operator there. */
static bool read_origin(const struct doc_node *map, struct layer_origin *origin, struct err *err)
{
	const struct doc_node *node = doc_find(map, "node"), *op = doc_find(map, "operator");
	bool good = !node || doc_get_name(node, "node", LAYER_ORIGIN_SIZE - 1, &origin->node, err);
	return (!op || doc_get_name(op, "operator", LAYER_ORIGIN_SIZE - 1, &origin->op, err)) && good;
}

static bool read_relu(const struct doc_node *map, bool *relu, struct err *err)
{
	const struct doc_node *node = doc_find(map, "activation");
	size_t choice;
	if (!node)
		return true;
	if (!doc_get_choice(node, "activation", activation_name, N_OF(activation_name), &choice, err))
		return false;
	*relu = choice == 1;
	return true;
}

/* Whether the keys of a map are all allowed ones. */
static bool check_keys(const struct doc_node *map, const char *const *allowed, size_t n, struct err *err)
{
	unsigned before = err->n_message;
	doc_check_keys(map, allowed, n, err);
	return err->n_message == before && map->kind == DOC_MAP;
}

static bool read_shortcut(const struct doc_node *map, struct layer *layer, struct err *err)
{
	static const char *const keys[] = {"from", "conv"};
	static const char *const conv_keys[] = {"kernel", "stride", "dilation", "padding", "node", "operator"};
	const struct doc_node *conv = doc_find(map, "conv"), *from;
	bool good = check_keys(map, keys, N_OF(keys), err);
	layer->has_shortcut = true;
	layer->has_shortcut_conv = conv != NULL;
	from = required(map, "from", "the layer whose result is added, for example -3", err);
	good = from && read_source(from, "from", &layer->shortcut_from, err) && good;
	if (conv) {
		good = check_keys(conv, conv_keys, N_OF(conv_keys), err) && good;
		good = read_window(conv, "kernel", false, &layer->shortcut_window, err) && good;
		good = read_origin(conv, &layer->shortcut_origin, err) && good;
	}
	return good;
}

static bool read_groups(const struct doc_node *map, struct layer *layer, struct err *err)
{
	static const char depthwise[] = "depthwise";
	const struct doc_node *node = doc_find(map, "groups");
	if (!node)
		return true;
	layer->depthwise = node->kind == DOC_SCALAR && strcmp(node->text, depthwise) == 0;
	if (node->kind != DOC_SCALAR || layer->depthwise || (node->text[0] >= '0' && node->text[0] <= '9'))
		return layer->depthwise || read_u32(node, "groups", 1, NETWORK_MAX_CHANNEL, &layer->groups, err);
	return refuse(err, node, "groups: found '%s', allowed a whole number above 0, or %s",
	              doc_quote(node->text).text, depthwise);
}

static bool read_conv(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	static const char *const keys[] = {"kernel",  "out_channels", "groups",  "stride", "dilation",
	                                   "padding", "activation",   "from",    "add",    "filters",
	                                   "input",   "node",         "operator"};
	const struct doc_node *add = doc_find(map, "add"), *filters = doc_find(map, "filters");
	struct err *err = reader->err;
	bool good = check_keys(map, keys, N_OF(keys), err);
	good = read_window(map, "kernel", false, &layer->window, err) && good;
	good = read_groups(map, layer, err) && good;
	if (!layer->depthwise) /* which has as many as there are channels */
		good = required(map, "out_channels", "the number of filters", err) != NULL && good;
	good = read_optional(map, "out_channels", 1, NETWORK_MAX_CHANNEL, &layer->out_c, err) && good;
	good = read_operand(reader, map, layer) && good;
	layer->has_filters = filters != NULL;
	good = (!filters || read_source(filters, "filters", &layer->filters_from, err)) && good;
	good = read_relu(map, &layer->relu, err) && good;
	good = read_origin(map, &layer->origin, err) && good;
	return (!add || read_shortcut(add, layer, err)) && good;
}

static bool read_pool(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	static const char *const keys[] = {"window", "stride", "padding", "type", "from", "node", "operator"};
	const struct doc_node *type = doc_find(map, "type");
	bool good = check_keys(map, keys, N_OF(keys), reader->err);
	size_t choice = 0;
	layer->window.padding.kind = PADDING_VALID;
	good = read_window(map, "window", true, &layer->window, reader->err) && good;
	if (type)
		good = doc_get_choice(type, "type", pool_name, N_OF(pool_name), &choice, reader->err) && good;
	layer->pool_average = choice == 1;
	good = read_origin(map, &layer->origin, reader->err) && good;
	return read_sources(reader, map, 1, layer) && good;
}

static bool read_fc(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	static const char *const keys[] = {"out", "activation", "from", "input", "node", "operator"};
	bool good = check_keys(map, keys, N_OF(keys), reader->err);
	good = required(map, "out", "the number of results", reader->err) && good;
	good = read_optional(map, "out", 1, NETWORK_MAX_CHANNEL, &layer->out_c, reader->err) && good;
	good = read_operand(reader, map, layer) && good;
	good = read_origin(map, &layer->origin, reader->err) && good;
	return read_relu(map, &layer->relu, reader->err) && good;
}

/* Normalisations and softmax look at rows, the channels of a pixel where `over` says nothing else. */
static bool read_arm(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	static const char *const keys[] = {"op", "over", "groups", "from", "node", "operator"};
	const struct doc_node *op = required(map, "op", "what the ARM cores do", reader->err);
	const struct doc_node *over = doc_find(map, "over"), *groups = doc_find(map, "groups");
	bool good = check_keys(map, keys, N_OF(keys), reader->err);
	size_t kind = 0, side = WHOLE_C;
	good = op && doc_get_choice(op, "op", parser_arm_name, N_ARM_KIND - 1, &kind, reader->err) && good;
	layer->arm = (enum arm_kind)(kind + 1);
	if (over)
		good = doc_get_choice(over, "over", parser_over_name, N_PARSER_OVER, &side, reader->err) && good;
	bool has_rows = layer->arm == ARM_SOFTMAX || layer->arm == ARM_NORM;
	layer->whole = has_rows ? (uint32_t)side : 0;
	if (over && op && good && !has_rows) {
		good = refuse(reader->err, over, "over: found beside op %s, allowed beside %s and %s",
		              parser_arm_name[kind], parser_arm_name[ARM_SOFTMAX - 1], parser_arm_name[ARM_NORM - 1]);
	}
	good = read_optional(map, "groups", 1, NETWORK_MAX_CHANNEL, &layer->groups, reader->err) && good;
	if (groups && op && good && !(layer->whole & WHOLE_C))
		good = refuse(reader->err, groups,
		              "groups: found where no rows lie along the channels, allowed beside "
		              "%s and %s over channels",
		              parser_arm_name[ARM_SOFTMAX - 1], parser_arm_name[ARM_NORM - 1]);
	good = read_origin(map, &layer->origin, reader->err) && good;
	bool reads_two = layer->arm == ARM_ADD || layer->arm == ARM_MULTIPLY;
	good = read_sources(reader, map, 1, layer) && good;
	if (layer->n_from > (reads_two ? 2 : 1)) {
		good = refuse(reader->err, map, "from: found %u layers, allowed %s", layer->n_from,
		              reads_two ? "1 or 2" : "1 for this op");
	}
	return good;
}

static bool read_concat(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	static const char *const keys[] = {"from"};
	bool good = check_keys(map, keys, N_OF(keys), reader->err);
	/* one source would be no mistake of the models' but of the user's */
	const struct doc_node *from = required(map, "from", "the list of layers it puts together", reader->err);
	if (from && (from->kind != DOC_LIST || from->n < 2))
		return refuse(reader->err, from, "from: allowed is a list of at least 2 layers");
	return from && read_sources(reader, map, 1, layer) && good;
}

static bool read_slice(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	static const char *const keys[] = {"channels", "from"};
	bool good = check_keys(map, keys, N_OF(keys), reader->err);
	const struct doc_node *channels =
	    required(map, "channels", "[first, last] channel, counted from 0", reader->err);
	good = channels && good;
	if (channels && (channels->kind != DOC_LIST || channels->n != 2)) {
		good = refuse(reader->err, channels, "channels: allowed is [first, last], counted from 0");
	} else if (channels) {
		good = read_u32(channels->value[0], "channels", 0, NETWORK_MAX_CHANNEL - 1, &layer->first_c,
		                reader->err) &&
		       read_u32(channels->value[1], "channels", layer->first_c, NETWORK_MAX_CHANNEL - 1, &layer->last_c,
		                reader->err) &&
		       good;
	}
	return read_sources(reader, map, 1, layer) && good;
}

static bool read_upsample(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	static const char *const keys[] = {"factor", "from"};
	bool good = check_keys(map, keys, N_OF(keys), reader->err);
	good = required(map, "factor", "how many pixels a side each pixel becomes", reader->err) && good;
	good = read_optional(map, "factor", 1, NETWORK_MAX_EXTENT, &layer->factor, reader->err) && good;
	return read_sources(reader, map, 1, layer) && good;
}

static bool read_multiply(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	static const char *const keys[] = {"from"};
	bool good = check_keys(map, keys, N_OF(keys), reader->err);
	return read_sources(reader, map, 2, layer) && good;
}

static bool read_size(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	uint32_t *const side[] = {&layer->view_w, &layer->view_h, &layer->view_c};
	const struct doc_node *size = required(map, "size", "[width, height, channels] of what is read", reader->err);
	bool good = size != NULL;
	if (size && (size->kind != DOC_LIST || size->n != N_OF(side)))
		return refuse(reader->err, size, "size: allowed is [width, height, channels]");
	for (size_t i = 0; size && i < N_OF(side); i++)
		good = read_u32(size->value[i], "size", 1, NETWORK_MAX_EXTENT, side[i], reader->err) && good;
	return good;
}

static bool read_view(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	static const char *const keys[] = {"size", "from"};
	bool good = check_keys(map, keys, N_OF(keys), reader->err);
	good = read_size(reader, map, layer) && good;
	return read_sources(reader, map, 1, layer) && good;
}

static bool read_data(struct yaml_reader *reader, const struct doc_node *map, struct layer *layer)
{
	static const char *const keys[] = {"size"};
	bool good = check_keys(map, keys, N_OF(keys), reader->err);
	layer->n_from = 0;
	return read_size(reader, map, layer) && good;
}

/* Room for one more layer, or NULL; too many layers are reported where the first of them stands. */
static struct layer *append_layer(struct yaml_reader *reader, const struct doc_node *node)
{
	struct layer *layer;
	if (reader->n == NETWORK_MAX_LAYER) {
		if (!reader->too_many)
			err_add_at(reader->err, ERR_INPUT, doc_place(node), "more than %u layers, allowed up to %u",
			           NETWORK_MAX_LAYER, NETWORK_MAX_LAYER);
		reader->too_many = true;
		return NULL;
	}
	assert(reader->n < NETWORK_MAX_LAYER);
	layer = &reader->layer[reader->n++];
	*layer =
	    (struct layer){.place = doc_place(node), .relu = true, .groups = 1, .n_from = 1, .from = &layer_before};
	return layer;
}

static void read_layers(struct yaml_reader *reader, const struct doc_node *list);

/* Mistakes inside are reported the first time round only: the copies are the layers read then. */
static void read_repeat(struct yaml_reader *reader, const struct doc_node *map)
{
	static const char *const keys[] = {"times", "layers"};
	const struct doc_node *times_node, *layers;
	size_t first = reader->n, n_once;
	uint64_t times = 1;
	if (!check_keys(map, keys, N_OF(keys), reader->err) && map->kind != DOC_MAP)
		return;
	times_node = required(map, "times", "how often the layers come", reader->err);
	layers = required(map, "layers", "the layers to repeat", reader->err);
	if (times_node)
		doc_get_u64(times_node, "times", 1, NETWORK_MAX_LAYER, &times, reader->err);
	if (layers)
		read_layers(reader, layers);
	assert(reader->n >= first);
	n_once = reader->n - first;
	for (uint64_t i = 1; i < times && !reader->too_many; i++)
		for (size_t j = 0; j < n_once; j++) {
			struct layer *copy = append_layer(reader, map);
			if (!copy)
				return;
			*copy = reader->layer[first + j];
		}
}

static void read_entry(struct yaml_reader *reader, const struct doc_node *node)
{
	static bool (*const read[N_LAYER_KIND])(struct yaml_reader *, const struct doc_node *, struct layer *) = {
	    [LAYER_CONV] = read_conv,         [LAYER_POOL] = read_pool,   [LAYER_FC] = read_fc,
	    [LAYER_CONCAT] = read_concat,     [LAYER_SLICE] = read_slice, [LAYER_UPSAMPLE] = read_upsample,
	    [LAYER_MULTIPLY] = read_multiply, [LAYER_VIEW] = read_view,   [LAYER_ARM] = read_arm,
	    [LAYER_DATA] = read_data,
	};
	const struct doc_node *repeat = doc_find(node, "repeat");
	struct layer *layer;
	if (node->kind == DOC_MAP && node->n == 1 && repeat) {
		read_repeat(reader, repeat);
		return;
	}
	layer = append_layer(reader, node);
	if (!layer)
		return;
	layer->broken = true;
	if (!check_keys(node, entry_key, N_OF(entry_key), reader->err))
		return;
	if (node->n != 1) {
		err_add_at(reader->err, ERR_INPUT, doc_place(node),
		           "found %zu keys in one layer, allowed one of conv, pool, fc, arm, concat, slice, upsample, "
		           "multiply, view, data, repeat",
		           node->n);
		return;
	}
	for (size_t kind = 0; kind < N_OF(layer_key); kind++)
		if (strcmp(node->key[0]->text, layer_key[kind]) == 0) {
			layer->kind = (enum layer_kind)kind;
			layer->broken = !read[kind](reader, node->value[0], layer);
		}
}

static void read_layers(struct yaml_reader *reader, const struct doc_node *list)
{
	if (list->kind != DOC_LIST || list->n == 0) {
		err_add_at(reader->err, ERR_INPUT, doc_place(list), "layers: found %s, allowed a list of layers",
		           list->kind == DOC_LIST ? "an empty list" : "something else");
		return;
	}
	for (size_t i = 0; i < list->n && !reader->too_many; i++)
		read_entry(reader, list->value[i]);
}

static void read_input(const struct doc_node *node, struct layer_list *list, struct err *err)
{
	uint32_t size[3];
	if (!read_shape(node, size, &list->is_vector, err))
		return;
	list->in_w = size[0];
	list->in_h = size[1];
	list->in_c = size[2];
}

static void read_head(const struct doc_node *root, struct layer_list *list, struct err *err)
{
	static const char *const keys[] = {"name", "input", "batch", "layers"};
	const struct doc_node *name, *input;
	doc_check_keys(root, keys, N_OF(keys), err);
	name = required(root, "name", "what reports call the network", err);
	if (name)
		(void)doc_get_name(name, "name", NETWORK_NAME_SIZE - 1, &list->name, err);
	input = doc_find(root, "input");
	list->lacks_input = !input;
	list->place = doc_place(input ? input : root);
	if (input)
		read_input(input, list, err);
	(void)read_optional(root, "batch", 1, NETWORK_MAX_EXTENT, &list->batch, err);
}

enum err_code network_read_yaml(const char *path, struct network *network, struct err *err)
{
	struct arena arena = {0};
	struct err own = {0}; /* counts this file's messages even when the caller wants none */
	struct doc_node *root;
	struct layer_list list = {.name = "", .batch = 1};
	struct yaml_reader reader = {.arena = &arena, .err = err ? err : &own};
	unsigned before = reader.err->n_message;
	enum err_code code, built = ERR_OK;
	const struct doc_node *layers;
	assert(path && network);
	memset(network, 0, sizeof(*network));
	code = doc_read_file(path, &arena, &root, reader.err);
	if (code == ERR_OK && (network_is_timeloop(root) || network_is_zigzag(root))) {
		code = network_is_timeloop(root) ? network_read_timeloop(path, root, network, reader.err)
		                                 : network_read_zigzag(path, root, network, reader.err);
		goto cleanup;
	}
	if (code == ERR_OK && !file_kind_check(path, root, FILE_NETWORK, reader.err))
		code = ERR_INPUT;
	if (code != ERR_OK)
		goto cleanup;
	reader.layer = arena_array(&arena, NETWORK_MAX_LAYER, sizeof(*reader.layer));
	if (!reader.layer) {
		code = err_add(err, ERR_INTERNAL, "out of memory for the layers of %s", path);
		goto cleanup;
	}
	read_head(root, &list, reader.err);
	layers = required(root, "layers", "the list of layers", reader.err);
	if (layers)
		read_layers(&reader, layers);
	list.layer = reader.layer;
	list.n = reader.n;
	if (reader.n > 0)
		built = parser_build(&list, network, reader.err);
	if (built != ERR_OK || reader.err->n_message > before) {
		network_free(network);
		code = built == ERR_INTERNAL ? ERR_INTERNAL : ERR_INPUT;
	}
cleanup:
	arena_free(&arena);
	err_clear(&own);
	return code;
}
