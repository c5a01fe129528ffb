/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/onnx/onnx_read.h"
#include "mapper/onnx/onnx_names.h"
#include "onnx.pb-c.h"
#include "sim/base/checked.h"
#include "sim/base/file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * protobuf-c unpacks a message inside a message by calling itself, and a message of two bytes becomes a struct of
 * hundreds. Files decide both, so its allocator refuses when either goes too far, and unpacking ends as it does when
 * memory is out.
 */
#define MAX_STACK_BYTE (512u * 1024)
#define SPARE_BYTE (UINT64_C(64) << 20)
#define BYTE_PER_BYTE 16
/* protobuf's own limit of a message. */
#define MAX_FILE_BYTE (UINT64_C(1) << 31)

struct budget {
	uint64_t left;   /* bytes that may still be allocated */
	uintptr_t stack; /* where unpacking began */
	bool is_out;     /* of the machine's memory: nothing is wrong with the file */
};

static void *take(void *data, size_t n_byte)
{
	struct budget *budget = data;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t depth = here < budget->stack ? budget->stack - here : here - budget->stack;
	assert(budget->stack > 0);
	if (n_byte > budget->left || depth > MAX_STACK_BYTE)
		return NULL;
	budget->left -= n_byte;
	void *memory = malloc(n_byte > 0 ? n_byte : 1);
	budget->is_out = budget->is_out || !memory;
	return memory;
}

static void give(void *data, void *memory)
{
	(void)data;
	free(memory);
}

struct onnx_reader {
	struct onnx_graph *graph;
	const Onnx__GraphProto *proto;
	struct onnx_names names;
	uint32_t *in_out; /* room for the values of all nodes */
	bool no_memory;
	struct err *err;
};

static const char *text_of(struct onnx_reader *reader, const char *text)
{
	char *copy = arena_text(&reader->graph->arena, text ? text : "");
	reader->no_memory = reader->no_memory || !copy;
	return copy ? copy : "";
}

static void *room(struct onnx_reader *reader, size_t n, size_t n_byte)
{
	void *memory = arena_array(&reader->graph->arena, n > 0 ? n : 1, n_byte);
	reader->no_memory = reader->no_memory || !memory;
	return memory;
}

/* ---- tensors ----------------------------------------------------------------------------------------------- */

static bool is_real(int32_t type)
{
	switch (type) {
	case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
	case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
	case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16:
	case ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16:
		return true;
	default:
		return false;
	}
}

/* A number of n_byte bytes, the lowest first, as raw data holds it. */
static double raw_number(const uint8_t *byte, int32_t type, size_t n_byte)
{
	uint64_t bits = 0;
	float single;
	double real;
	assert(n_byte <= 8);
	for (size_t i = 0; i < n_byte; i++)
		bits |= (uint64_t)byte[i] << (8 * i);
	switch (type) {
	case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT: {
		uint32_t word = (uint32_t)bits;
		memcpy(&single, &word, sizeof(single));
		return single;
	}
	case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
		memcpy(&real, &bits, sizeof(real));
		return real;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
		return (int8_t)bits;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
		return (int16_t)bits;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
		return (int32_t)bits;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
		return (double)(int64_t)bits;
	default:
		return (double)bits;
	}
}

/* Bytes of an element of those types whose contents can be part of a shape; 0: of no such type. */
static size_t element_byte(int32_t type)
{
	switch (type) {
	case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL:
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT8:
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8:
		return 1;
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16:
		return 2;
	case ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT:
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT32:
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT32:
		return 4;
	case ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE:
	case ONNX__TENSOR_PROTO__DATA_TYPE__INT64:
	case ONNX__TENSOR_PROTO__DATA_TYPE__UINT64:
		return 8;
	default:
		return 0;
	}
}

/* Element i of a tensor whose data lie in one of the lists; exactly one of them is as long as the tensor. */
static double listed_number(const Onnx__TensorProto *tensor, size_t n, size_t i)
{
	if (tensor->n_int64_data == n)
		return (double)tensor->int64_data[i];
	if (tensor->n_int32_data == n)
		return tensor->int32_data[i];
	if (tensor->n_float_data == n)
		return tensor->float_data[i];
	if (tensor->n_double_data == n)
		return tensor->double_data[i];
	assert(tensor->n_uint64_data == n);
	return (double)tensor->uint64_data[i];
}

/* The contents of a small tensor, where the file has them: stripped or external data are no mistake. */
static const double *read_content(struct onnx_reader *reader, const Onnx__TensorProto *tensor, size_t n)
{
	size_t n_byte = element_byte(tensor->data_type);
	bool raw = n_byte > 0 && tensor->raw_data.len == n * n_byte && n > 0;
	bool listed = n > 0 && n_byte > 0 &&
	              (tensor->n_int64_data == n || tensor->n_int32_data == n || tensor->n_float_data == n ||
	               tensor->n_double_data == n || tensor->n_uint64_data == n);
	double *content;
	assert(n <= (size_t)ONNX_MAX_ELEMENT);
	if ((!raw && !listed && n > 0) || n > (reader->graph->has_weights ? ONNX_MAX_WEIGHT : ONNX_MAX_CONTENT))
		return NULL;
	content = room(reader, n, sizeof(*content));
	for (size_t i = 0; content && i < n; i++)
		content[i] = raw ? raw_number(tensor->raw_data.data + i * n_byte, tensor->data_type, n_byte)
		                 : listed_number(tensor, n, i);
	return content;
}

/* The shape of a file's list of dimensions; false when it has more than fit. */
static bool read_dims(const int64_t *dim, size_t n, struct onnx_shape *shape)
{
	uint64_t product = 1;
	if (n > ONNX_MAX_RANK)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (dim[i] < 0 || dim[i] > ONNX_MAX_DIM)
			return false;
		product = mul_sat(product, dim[i] > 0 ? (uint64_t)dim[i] : 1);
		shape->dim[i] = dim[i];
	}
	shape->n = n;
	return product <= (uint64_t)ONNX_MAX_ELEMENT;
}

static void read_tensor(struct onnx_reader *reader, const Onnx__TensorProto *tensor, struct onnx_value *value)
{
	value->is_constant = true;
	value->type = is_real(tensor->data_type) ? ONNX_REAL : ONNX_INTEGER;
	value->has_shape = read_dims(tensor->dims, tensor->n_dims, &value->shape);
	if (!value->has_shape) {
		err_add(reader->err, ERR_INPUT,
		        "%s: tensor '%.80s': allowed are up to %d dimensions of up to 2^31, and 2^50 elements",
		        reader->graph->path, value->name, ONNX_MAX_RANK);
		return;
	}
	value->content = read_content(reader, tensor, (size_t)onnx_n_element(&value->shape));
}

/* ---- names ------------------------------------------------------------------------------------------------- */

static uint32_t new_value(struct onnx_reader *reader, const char *name)
{
	struct onnx_graph *graph = reader->graph;
	uint32_t value = (uint32_t)graph->n_value++;
	assert(value < ONNX_MAX_VALUE);
	graph->value[value].name = text_of(reader, name);
	return value;
}

/* A value that something produces; of a name that has a producer already, 0 and a message. */
static uint32_t define(struct onnx_reader *reader, const char *name)
{
	const char *text = name ? name : "";
	uint32_t value;
	assert(reader->graph->n_value > 0);

	if (onnx_names_find(&reader->names, text) > 0) {
		err_add(reader->err, ERR_INPUT, "%s: '%.80s' is produced twice; each name may be produced once",
		        reader->graph->path, text);
		return 0;
	}
	value = new_value(reader, text);
	onnx_names_add(&reader->names, reader->graph->value[value].name, value);
	return value;
}

/* ---- the parts of a graph ------------------------------------------------------------------------------------ */

static void read_initializers(struct onnx_reader *reader)
{
	const Onnx__GraphProto *proto = reader->proto;
	for (size_t i = 0; i < proto->n_initializer; i++) {
		uint32_t value = define(reader, proto->initializer[i]->name);
		if (value > 0)
			read_tensor(reader, proto->initializer[i], &reader->graph->value[value]);
	}
	for (size_t i = 0; i < proto->n_sparse_initializer; i++) {
		const Onnx__SparseTensorProto *sparse = proto->sparse_initializer[i];
		uint32_t value = define(reader, sparse->values ? sparse->values->name : NULL);
		if (value == 0)
			continue;
		reader->graph->value[value].is_constant = true;
		reader->graph->value[value].has_shape =
		    read_dims(sparse->dims, sparse->n_dims, &reader->graph->value[value].shape);
	}
}

static const Onnx__TensorShapeProto *shape_of(const Onnx__ValueInfoProto *info, int32_t *type)
{
	const Onnx__TypeProto *proto = info->type;
	if (!proto || proto->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || !proto->tensor_type)
		return NULL;
	*type = proto->tensor_type->elem_type;
	return proto->tensor_type->shape;
}

static void add_open_dim(struct onnx_reader *reader, uint32_t value, size_t axis, const char *name)
{
	struct onnx_graph *graph = reader->graph;
	struct onnx_open_dim *open = &graph->open[graph->n_open++];
	size_t n_byte = strlen(graph->value[value].name) + 8;
	char *own;
	*open = (struct onnx_open_dim){.name = "", .value = value, .axis = (uint32_t)axis};
	if (name && name[0] != '\0') {
		open->name = text_of(reader, name);
		return;
	}
	assert(n_byte > 8 || graph->value[value].name[0] == '\0');
	own = room(reader, n_byte, 1);
	if (!own)
		return;
	(void)snprintf(own, n_byte, "%s.%zu", graph->value[value].name, axis);
	open->name = own;
}

/* Old files list initializers among the inputs as well. */
static void read_input(struct onnx_reader *reader, const Onnx__ValueInfoProto *info)
{
	int32_t type = 0;
	const Onnx__TensorShapeProto *shape = shape_of(info, &type);
	uint32_t index = onnx_names_find(&reader->names, info->name ? info->name : "");
	struct onnx_value *value;
	int64_t dim[ONNX_MAX_RANK];
	if (index > 0 && reader->graph->value[index].is_constant)
		return;
	index = define(reader, info->name);
	if (index == 0)
		return;
	value = &reader->graph->value[index];
	value->is_input = true;
	value->type = is_real(type) ? ONNX_REAL : ONNX_INTEGER;
	if (!shape || shape->n_dim > ONNX_MAX_RANK) {
		err_add(reader->err, ERR_INPUT,
		        "%s: input '%.80s': its number of dimensions is not in the file, or above %d; export the "
		        "model with the shapes of its inputs",
		        reader->graph->path, value->name, ONNX_MAX_RANK);
		return;
	}
	for (size_t i = 0; i < shape->n_dim; i++) {
		const Onnx__TensorShapeProto__Dimension *part = shape->dim[i];
		bool known =
		    part->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE && part->dim_value > 0;
		dim[i] = known ? part->dim_value : 1;
		if (!known)
			add_open_dim(reader, index, i,
			             part->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM
			                 ? part->dim_param
			                 : NULL);
	}
	value->has_shape = read_dims(dim, shape->n_dim, &value->shape);
	if (!value->has_shape)
		err_add(reader->err, ERR_INPUT,
		        "%s: input '%.80s': allowed are dimensions of up to 2^31, and 2^50 elements",
		        reader->graph->path, value->name);
}

/* What the file says about a value that a node computes; used where the operator is not known. */
static void read_hint(struct onnx_reader *reader, const Onnx__ValueInfoProto *info, bool is_output)
{
	int32_t type = 0;
	const Onnx__TensorShapeProto *shape = shape_of(info, &type);
	uint32_t index = onnx_names_find(&reader->names, info->name ? info->name : "");
	struct onnx_value *value = &reader->graph->value[index];
	int64_t dim[ONNX_MAX_RANK];
	if (index == 0) {
		if (is_output)
			err_add(reader->err, ERR_INPUT, "%s: nobody produces the output '%.80s'", reader->graph->path,
			        info->name ? info->name : "");
		return;
	}
	if (is_output && !value->is_output) {
		value->is_output = true;
		value->n_reader++;
	}
	if (!shape || shape->n_dim > ONNX_MAX_RANK)
		return;
	for (size_t i = 0; i < shape->n_dim; i++) {
		if (shape->dim[i]->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
			return;
		dim[i] = shape->dim[i]->dim_value;
	}
	value->has_hint = read_dims(dim, shape->n_dim, &value->hint);
}

/* Integers beyond 2^53 only stand for "to the end", which rounding does not change. */
static void read_attribute(struct onnx_reader *reader, const Onnx__AttributeProto *proto,
                           struct onnx_attribute *attribute)
{
	size_t n = proto->n_ints > 0 ? proto->n_ints : proto->n_floats;
	double *list = NULL;
	*attribute = (struct onnx_attribute){.name = text_of(reader, proto->name),
	                                     .has_integer = proto->has_i,
	                                     .has_real = proto->has_f,
	                                     .integer = proto->i,
	                                     .real = (double)proto->f};
	if (proto->has_s && proto->s.len < 256) {
		char text[256];
		if (proto->s.len > 0)
			memcpy(text, proto->s.data, proto->s.len);
		text[proto->s.len] = '\0';
		attribute->text = text_of(reader, text);
	}
	if (n > 0 && n <= ONNX_MAX_CONTENT)
		list = room(reader, n, sizeof(*list));
	for (size_t i = 0; list && i < n; i++)
		list[i] = proto->n_ints > 0 ? (double)proto->ints[i] : (double)proto->floats[i];
	attribute->n_list = list ? n : 0;
	attribute->list = list;
	if (proto->t) {
		attribute->tensor = new_value(reader, attribute->name);
		read_tensor(reader, proto->t, &reader->graph->value[attribute->tensor]);
	}
}

static void read_inputs(struct onnx_reader *reader, const Onnx__NodeProto *proto, struct onnx_node *node, uint32_t *in)
{
	for (size_t i = 0; i < proto->n_input; i++) {
		const char *name = proto->input[i] ? proto->input[i] : "";
		in[i] = name[0] != '\0' ? onnx_names_find(&reader->names, name) : 0;
		if (in[i] > 0)
			reader->graph->value[in[i]].n_reader++;
		else if (name[0] != '\0')
			onnx_complain(reader->graph, node, ERR_INPUT, reader->err,
			              "nobody before it produces its input '%.80s'", name);
	}
	assert(node->n_in == 0);
	node->n_in = proto->n_input;
	node->in = in;
}

static void read_node(struct onnx_reader *reader, size_t n, const Onnx__NodeProto *proto)
{
	struct onnx_node *node = &reader->graph->node[n];
	struct onnx_attribute *attribute = room(reader, proto->n_attribute, sizeof(*attribute));
	uint32_t *in = room(reader, proto->n_input, sizeof(*in));
	uint32_t *out = room(reader, proto->n_output, sizeof(*out));
	const char *name = proto->name ? proto->name : "";
	if (!attribute || !in || !out)
		return;
	for (size_t i = 0; name[0] == '\0' && i < proto->n_output; i++)
		name = proto->output[i] ? proto->output[i] : "";
	node->name = text_of(reader, name[0] != '\0' ? name : "unnamed");
	node->op = text_of(reader, proto->op_type);
	node->domain = text_of(reader, proto->domain && strcmp(proto->domain, "ai.onnx") == 0 ? "" : proto->domain);
	read_inputs(reader, proto, node, in);
	for (size_t i = 0; i < proto->n_output; i++) {
		bool absent = !proto->output[i] || proto->output[i][0] == '\0';
		out[i] = absent ? 0 : define(reader, proto->output[i]);
		if (out[i] > 0)
			reader->graph->value[out[i]].producer = (uint32_t)n + 1;
	}
	node->n_out = proto->n_output;
	node->out = out;
	node->n_attribute = proto->n_attribute;
	node->attribute = attribute;
	for (size_t i = 0; i < proto->n_attribute; i++)
		read_attribute(reader, proto->attribute[i], &attribute[i]);
}

/* Values there can be, at most: the absent one, those of the file, outputs and constants of nodes. */
static uint64_t count_values(const Onnx__GraphProto *proto)
{
	uint64_t n = 1 + (uint64_t)proto->n_initializer + proto->n_sparse_initializer + proto->n_input;
	for (size_t i = 0; i < proto->n_node; i++)
		n += (uint64_t)proto->node[i]->n_output + proto->node[i]->n_attribute;
	return n;
}

static enum err_code read_graph(struct onnx_reader *reader)
{
	struct onnx_graph *graph = reader->graph;
	const Onnx__GraphProto *proto = reader->proto;
	uint64_t n_value = count_values(proto);
	if (proto->n_node == 0 || proto->n_node > ONNX_MAX_NODE || n_value > ONNX_MAX_VALUE)
		return err_add(reader->err, ERR_INPUT, "%s: found %zu nodes, allowed 1 to %u, with up to %u values",
		               graph->path, proto->n_node, ONNX_MAX_NODE, ONNX_MAX_VALUE);
	graph->value = room(reader, n_value, sizeof(*graph->value));
	graph->node = room(reader, proto->n_node, sizeof(*graph->node));
	graph->open = room(reader, proto->n_input * ONNX_MAX_RANK, sizeof(*graph->open));
	assert(n_value > proto->n_initializer);
	if (reader->no_memory || !onnx_names_start(&reader->names, (size_t)n_value, &graph->arena))
		return err_add(reader->err, ERR_INTERNAL, "%s: out of memory", graph->path);
	graph->n_value = 1;
	graph->value[0].name = "";
	graph->name = text_of(reader, proto->name);
	graph->n_node = proto->n_node;
	read_initializers(reader);
	for (size_t i = 0; i < proto->n_input; i++)
		read_input(reader, proto->input[i]);
	for (size_t i = 0; i < proto->n_node; i++)
		graph->node[i].name = graph->node[i].op = graph->node[i].domain = "";
	for (size_t i = 0; i < proto->n_node && !reader->no_memory; i++)
		read_node(reader, i, proto->node[i]);
	for (size_t i = 0; i < proto->n_output; i++)
		read_hint(reader, proto->output[i], true);
	for (size_t i = 0; i < proto->n_value_info; i++)
		read_hint(reader, proto->value_info[i], false);
	return reader->no_memory ? err_add(reader->err, ERR_INTERNAL, "%s: out of memory", graph->path) : ERR_OK;
}

static enum err_code read_bytes(const char *path, const uint8_t *data, size_t n_byte, bool has_weights,
                                struct onnx_graph *graph, struct err *err)
{
	struct err own = {0};
	struct onnx_reader reader = {.graph = graph, .err = err ? err : &own};
	unsigned before = reader.err->n_message;
	struct budget budget = {.left = add_sat(mul_sat(n_byte, BYTE_PER_BYTE), SPARE_BYTE),
	                        .stack = (uintptr_t)__builtin_frame_address(0)};
	ProtobufCAllocator allocator = {.alloc = take, .free = give, .allocator_data = &budget};
	Onnx__ModelProto *model;
	enum err_code code;
	assert(path && graph && (data || n_byte == 0));
	memset(graph, 0, sizeof(*graph));
	graph->has_weights = has_weights;
	graph->path = arena_text(&graph->arena, path);
	model = onnx__model_proto__unpack(&allocator, n_byte, data);
	if (!graph->path || budget.is_out) {
		code = err_add(reader.err, ERR_INTERNAL, "%s: out of memory", path);
	} else if (!model || !model->graph) {
		code =
		    err_add(reader.err, ERR_INPUT,
		            "%s: no ONNX model: its bytes are no message of ONNX's schema, or nested too deep", path);
	} else {
		reader.proto = model->graph;
		code = read_graph(&reader);
	}
	if (model)
		onnx__model_proto__free_unpacked(model, &allocator);
	if (code == ERR_OK && reader.err->n_message > before)
		code = ERR_INPUT;
	if (code != ERR_OK)
		onnx_graph_free(graph);
	err_clear(&own);
	return code;
}

enum err_code onnx_read_bytes(const char *path, const uint8_t *data, size_t n_byte, struct onnx_graph *graph,
                              struct err *err)
{
	return read_bytes(path, data, n_byte, false, graph, err);
}

enum err_code onnx_read(const char *path, bool has_weights, struct onnx_graph *graph, struct err *err)
{
	char *data;
	size_t n_byte;
	enum err_code code = file_read(path, MAX_FILE_BYTE, &data, &n_byte, err);
	assert(path && graph);
	memset(graph, 0, sizeof(*graph));
	if (code == ERR_OK && n_byte > MAX_FILE_BYTE)
		code = err_add(
		    err, ERR_INPUT,
		    "%s: larger than 2 GiB; weights are not needed here, so store them in a file beside the model",
		    path);
	if (code == ERR_OK)
		code = read_bytes(path, (const uint8_t *)data, n_byte, has_weights, graph, err);
	free(data);
	return code;
}
