/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ONNX_BUILDER_H
#define TESTS_ONNX_BUILDER_H
/*
 * ONNX graphs written node by node, with the library that reads them: the way
 * tests get models of any size without keeping files. Weights have a shape and
 * no data.
 */
#include "onnx.pb-c.h"
#include "sim/base/arena.h"
#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUILDER_MAX 2048

struct onnx_builder {
	struct arena arena;
	Onnx__ModelProto model;
	Onnx__GraphProto graph;
	Onnx__OperatorSetIdProto opset;
	Onnx__OperatorSetIdProto *opsets[1];
	Onnx__NodeProto *node[BUILDER_MAX];
	Onnx__TensorProto *tensor[BUILDER_MAX];
	Onnx__ValueInfoProto *input[BUILDER_MAX], *output[8];
	unsigned n_name;
	/* As the model zoo's light files: weights filled by ConstantOfShape nodes, initializers listed as inputs, too.
	 */
	bool is_light;
};

static inline void *builder_room(struct onnx_builder *builder, size_t n_byte)
{
	void *memory = arena_alloc(&builder->arena, n_byte > 0 ? n_byte : 1);
	assert(memory);
	return memory;
}

static inline char *builder_text(struct onnx_builder *builder, const char *text)
{
	char *copy = arena_text(&builder->arena, text);
	assert(copy);
	return copy;
}

static inline void builder_start(struct onnx_builder *builder, const char *name)
{
	memset(builder, 0, sizeof(*builder));
	onnx__model_proto__init(&builder->model);
	onnx__graph_proto__init(&builder->graph);
	onnx__operator_set_id_proto__init(&builder->opset);
	builder->opset.has_version = 1;
	builder->opset.version = 13;
	builder->opsets[0] = &builder->opset;
	builder->model.has_ir_version = 1;
	builder->model.ir_version = 8;
	builder->model.n_opset_import = 1;
	builder->model.opset_import = builder->opsets;
	builder->model.graph = &builder->graph;
	builder->graph.name = builder_text(builder, name);
	builder->graph.node = builder->node;
	builder->graph.initializer = builder->tensor;
	builder->graph.input = builder->input;
	builder->graph.output = builder->output;
}

/* A value's type; a dimension below 0 is called "batch", 0 has neither name nor value. */
static inline Onnx__ValueInfoProto *builder_info(struct onnx_builder *builder, const char *name, size_t n,
                                                 const int64_t *dim)
{
	Onnx__ValueInfoProto *info = builder_room(builder, sizeof(*info));
	Onnx__TypeProto *type = builder_room(builder, sizeof(*type));
	Onnx__TypeProto__Tensor *tensor = builder_room(builder, sizeof(*tensor));
	Onnx__TensorShapeProto *shape = builder_room(builder, sizeof(*shape));
	onnx__value_info_proto__init(info);
	onnx__type_proto__init(type);
	onnx__type_proto__tensor__init(tensor);
	onnx__tensor_shape_proto__init(shape);
	info->name = builder_text(builder, name);
	info->type = type;
	type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	type->tensor_type = tensor;
	tensor->has_elem_type = 1;
	tensor->elem_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
	tensor->shape = shape;
	shape->n_dim = n;
	shape->dim = builder_room(builder, n * sizeof(*shape->dim));
	for (size_t i = 0; i < n; i++) {
		shape->dim[i] = builder_room(builder, sizeof(**shape->dim));
		onnx__tensor_shape_proto__dimension__init(shape->dim[i]);
		if (dim[i] > 0) {
			shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
			shape->dim[i]->dim_value = dim[i];
		} else if (dim[i] < 0) {
			shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
			shape->dim[i]->dim_param = builder_text(builder, "batch");
		}
	}
	return info;
}

static inline void builder_input(struct onnx_builder *builder, const char *name, size_t n, const int64_t *dim)
{
	assert(builder->graph.n_input < BUILDER_MAX);
	builder->input[builder->graph.n_input++] = builder_info(builder, name, n, dim);
}

static inline void builder_output(struct onnx_builder *builder, const char *name)
{
	Onnx__ValueInfoProto *info = builder_room(builder, sizeof(*info));
	assert(builder->graph.n_output < 8);
	onnx__value_info_proto__init(info);
	info->name = builder_text(builder, name);
	builder->output[builder->graph.n_output++] = info;
}

static inline Onnx__TensorProto *builder_tensor(struct onnx_builder *builder, const char *name, int32_t type, size_t n,
                                                const int64_t *dim)
{
	Onnx__TensorProto *tensor = builder_room(builder, sizeof(*tensor));
	onnx__tensor_proto__init(tensor);
	tensor->name = builder_text(builder, name);
	tensor->has_data_type = 1;
	tensor->data_type = type;
	tensor->n_dims = n;
	tensor->dims = builder_room(builder, n * sizeof(int64_t));
	memcpy(tensor->dims, dim, n * sizeof(int64_t));
	return tensor;
}

static inline const char *builder_filled(struct onnx_builder *builder, const char *name, size_t n, const int64_t *dim);

/* Weights: n dimensions, no data. Returns their name. */
static inline const char *builder_weights(struct onnx_builder *builder, size_t n, const int64_t *dim)
{
	char name[32];
	(void)snprintf(name, sizeof(name), "weight_%u", builder->n_name++);
	if (builder->is_light)
		return builder_filled(builder, builder_text(builder, name), n, dim);
	assert(builder->graph.n_initializer < BUILDER_MAX);
	Onnx__TensorProto *tensor = builder_tensor(builder, name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, n, dim);
	builder->tensor[builder->graph.n_initializer++] = tensor;
	return tensor->name;
}

#define BUILDER_WEIGHTS(builder, ...) \
	builder_weights(builder, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})

/* A list of integers as an initializer, for shapes and axes. Returns its name. */
static inline const char *builder_list(struct onnx_builder *builder, size_t n, const int64_t *value)
{
	char name[32];
	(void)snprintf(name, sizeof(name), "list_%u", builder->n_name++);
	assert(builder->graph.n_initializer < BUILDER_MAX);
	Onnx__TensorProto *tensor =
	    builder_tensor(builder, name, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, (const int64_t[]){(int64_t)n});
	tensor->n_int64_data = n;
	tensor->int64_data = builder_room(builder, n * sizeof(int64_t));
	memcpy(tensor->int64_data, value, n * sizeof(int64_t));
	builder->tensor[builder->graph.n_initializer++] = tensor;
	return tensor->name;
}

#define BUILDER_LIST(builder, ...) \
	builder_list(builder, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})

/* A node with one output, called after the operator and a number unless out is given; inputs end with NULL. */
static inline Onnx__NodeProto *builder_node(struct onnx_builder *builder, const char *op, const char *out, ...)
{
	Onnx__NodeProto *node = builder_room(builder, sizeof(*node));
	char name[64];
	va_list list;
	onnx__node_proto__init(node);
	(void)snprintf(name, sizeof(name), "%s_%u", op, builder->n_name++);
	node->op_type = builder_text(builder, op);
	node->n_output = 1;
	node->output = builder_room(builder, 8 * sizeof(char *));
	node->output[0] = builder_text(builder, out ? out : name);
	node->input = builder_room(builder, 16 * sizeof(char *));
	va_start(list, out);
	for (const char *in = va_arg(list, const char *); in; in = va_arg(list, const char *)) {
		assert(node->n_input < 16);
		node->input[node->n_input++] = builder_text(builder, in);
	}
	va_end(list);
	node->attribute = builder_room(builder, 16 * sizeof(*node->attribute));
	assert(builder->graph.n_node < BUILDER_MAX);
	builder->node[builder->graph.n_node++] = node;
	return node;
}

/* Weights of a light model: a shape that is stored, as bytes, and a node that fills it; both known by name only. */
static inline const char *builder_filled(struct onnx_builder *builder, const char *name, size_t n, const int64_t *dim)
{
	char shape[64];
	(void)snprintf(shape, sizeof(shape), "%s__SHAPE", name);
	assert(builder->graph.n_initializer < BUILDER_MAX);
	Onnx__TensorProto *tensor =
	    builder_tensor(builder, shape, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, (const int64_t[]){(int64_t)n});
	tensor->has_raw_data = 1;
	tensor->raw_data.len = n * sizeof(int64_t);
	tensor->raw_data.data = builder_room(builder, tensor->raw_data.len);
	memcpy(tensor->raw_data.data, dim, tensor->raw_data.len); /* little-endian, as all that tests run on */
	builder->tensor[builder->graph.n_initializer++] = tensor;
	builder_input(builder, shape, 1, (const int64_t[]){(int64_t)n});
	return builder_node(builder, "ConstantOfShape", name, shape, NULL)->output[0];
}

static inline const char *builder_more_output(struct onnx_builder *builder, Onnx__NodeProto *node)
{
	char name[64];
	(void)snprintf(name, sizeof(name), "%s_%u", node->op_type, builder->n_name++);
	assert(node->n_output < 8);
	return node->output[node->n_output++] = builder_text(builder, name);
}

static inline Onnx__AttributeProto *builder_attribute(struct onnx_builder *builder, Onnx__NodeProto *node,
                                                      const char *name, Onnx__AttributeProto__AttributeType type)
{
	Onnx__AttributeProto *attribute = builder_room(builder, sizeof(*attribute));
	onnx__attribute_proto__init(attribute);
	attribute->name = builder_text(builder, name);
	attribute->has_type = 1;
	attribute->type = type;
	assert(node->n_attribute < 16);
	node->attribute[node->n_attribute++] = attribute;
	return attribute;
}

static inline void builder_integer(struct onnx_builder *builder, Onnx__NodeProto *node, const char *name, int64_t value)
{
	Onnx__AttributeProto *attribute =
	    builder_attribute(builder, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
	attribute->has_i = 1;
	attribute->i = value;
}

static inline void builder_real(struct onnx_builder *builder, Onnx__NodeProto *node, const char *name, float value)
{
	Onnx__AttributeProto *attribute =
	    builder_attribute(builder, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
	attribute->has_f = 1;
	attribute->f = value;
}

static inline void builder_integers(struct onnx_builder *builder, Onnx__NodeProto *node, const char *name, size_t n,
                                    const int64_t *value)
{
	Onnx__AttributeProto *attribute =
	    builder_attribute(builder, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
	attribute->n_ints = n;
	attribute->ints = builder_room(builder, n * sizeof(int64_t));
	memcpy(attribute->ints, value, n * sizeof(int64_t));
}

#define BUILDER_INTEGERS(builder, node, name, ...)                                                \
	builder_integers(builder, node, name, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
	                 (const int64_t[]){__VA_ARGS__})

static inline void builder_word(struct onnx_builder *builder, Onnx__NodeProto *node, const char *name, const char *text)
{
	Onnx__AttributeProto *attribute =
	    builder_attribute(builder, node, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
	attribute->has_s = 1;
	attribute->s.data = (uint8_t *)builder_text(builder, text);
	attribute->s.len = strlen(text);
}

/* The model's bytes; the caller frees them. */
static inline uint8_t *builder_pack(struct onnx_builder *builder, size_t *n_byte)
{
	*n_byte = onnx__model_proto__get_packed_size(&builder->model);
	uint8_t *data = malloc(*n_byte + 1);
	assert(data);
	size_t n_packed = onnx__model_proto__pack(&builder->model, data);
	assert(n_packed == *n_byte);
	(void)n_packed;
	return data;
}

static inline void builder_free(struct onnx_builder *builder)
{
	arena_free(&builder->arena);
}

#endif
