/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ONNX_MODELS_H
#define TESTS_ONNX_MODELS_H
/* Published networks as ONNX graphs, in the words that exporters use. Each function appends nodes and returns a name.
 */
#include "tests/support/onnx_builder.h"

/* A convolution with bias, square kernel and equal padding; groups of channels. Followed by a Relu where wanted. */
struct model_conv {
	int64_t in, out, kernel, stride, pad, group; /* 0: stride 1, group 1 */
	bool no_relu, norm, no_bias, same_lower;
};

static inline const char *model_relu(struct onnx_builder *builder, const char *x)
{
	return builder_node(builder, "Relu", NULL, x, NULL)->output[0];
}

static inline const char *model_norm(struct onnx_builder *builder, const char *x, int64_t channel)
{
	const char *part[4];
	for (size_t i = 0; i < 4; i++)
		part[i] = BUILDER_WEIGHTS(builder, channel);
	return builder_node(builder, "BatchNormalization", NULL, x, part[0], part[1], part[2], part[3], NULL)
	    ->output[0];
}

static inline const char *model_conv(struct onnx_builder *builder, const char *x, struct model_conv conv)
{
	int64_t group = conv.group > 0 ? conv.group : 1, stride = conv.stride > 0 ? conv.stride : 1;
	const char *weight = BUILDER_WEIGHTS(builder, conv.out, conv.in / group, conv.kernel, conv.kernel);
	const char *bias = conv.norm || conv.no_bias ? NULL : BUILDER_WEIGHTS(builder, conv.out);
	Onnx__NodeProto *node = builder_node(builder, "Conv", NULL, x, weight, bias, NULL);
	BUILDER_INTEGERS(builder, node, "kernel_shape", conv.kernel, conv.kernel);
	BUILDER_INTEGERS(builder, node, "strides", stride, stride);
	if (conv.same_lower)
		builder_word(builder, node, "auto_pad", "SAME_LOWER");
	else
		BUILDER_INTEGERS(builder, node, "pads", conv.pad, conv.pad, conv.pad, conv.pad);
	builder_integer(builder, node, "group", group);
	const char *y = node->output[0];
	if (conv.norm)
		y = model_norm(builder, y, conv.out);
	return conv.no_relu ? y : model_relu(builder, y);
}

static inline const char *model_pool(struct onnx_builder *builder, const char *op, const char *x, int64_t kernel,
                                     int64_t stride, int64_t pad)
{
	Onnx__NodeProto *node = builder_node(builder, op, NULL, x, NULL);
	BUILDER_INTEGERS(builder, node, "kernel_shape", kernel, kernel);
	BUILDER_INTEGERS(builder, node, "strides", stride, stride);
	BUILDER_INTEGERS(builder, node, "pads", pad, pad, pad, pad);
	return node->output[0];
}

static inline const char *model_flatten(struct onnx_builder *builder, const char *x)
{
	return builder_node(builder, "Flatten", NULL, x, NULL)->output[0];
}

static inline const char *model_gemm(struct onnx_builder *builder, const char *x, int64_t in, int64_t out)
{
	Onnx__NodeProto *node = builder_node(builder, "Gemm", NULL, x, BUILDER_WEIGHTS(builder, out, in),
	                                     BUILDER_WEIGHTS(builder, out), NULL);
	builder_integer(builder, node, "transB", 1);
	return node->output[0];
}

static inline const char *model_axis(struct onnx_builder *builder, Onnx__NodeProto *node, int64_t axis)
{
	builder_integer(builder, node, "axis", axis);
	return node->output[0];
}

/* What was set before a model is begun stays: builder->is_light. */
static inline void model_start(struct onnx_builder *builder, const char *name, int64_t side)
{
	bool is_light = builder->is_light;
	builder_start(builder, name);
	builder->is_light = is_light;
	builder->opset.version = is_light ? 9 : 13;
	builder_input(builder, "data", 4, (const int64_t[]){1, 3, side, side});
}

/* VGG with so many convolutions a stage (Simonyan and Zisserman, configurations D and E). */
static inline void model_vgg(struct onnx_builder *builder, const char *name, const int n_conv[5])
{
	static const int64_t channel[5] = {64, 128, 256, 512, 512};
	int64_t in = 3;
	model_start(builder, name, 224);
	const char *x = "data";
	for (size_t stage = 0; stage < 5; stage++) {
		for (int i = 0; i < n_conv[stage]; i++) {
			x = model_conv(builder, x,
			               (struct model_conv){.in = in, .out = channel[stage], .kernel = 3, .pad = 1});
			in = channel[stage];
		}
		x = model_pool(builder, "MaxPool", x, 2, 2, 0);
	}
	x = model_relu(builder, model_gemm(builder, model_flatten(builder, x), 25088, 4096));
	x = builder_node(builder, "Dropout", NULL, x, NULL)->output[0];
	x = model_relu(builder, model_gemm(builder, x, 4096, 4096));
	builder_output(builder, model_relu(builder, model_gemm(builder, x, 4096, 1000)));
}

/* One bottleneck of ResNet; the thesis has the stride in the first convolution. */
static inline const char *model_bottleneck(struct onnx_builder *builder, const char *x, int64_t in, int64_t middle,
                                           int64_t stride, bool shortcut_first)
{
	int64_t out = 4 * middle;
	bool is_first = in != out;
	struct model_conv shortcut = {
	    .in = in, .out = out, .kernel = 1, .stride = stride, .norm = true, .no_relu = true};
	const char *added = is_first && shortcut_first ? model_conv(builder, x, shortcut) : x;
	const char *y = model_conv(
	    builder, x, (struct model_conv){.in = in, .out = middle, .kernel = 1, .stride = stride, .norm = true});
	y = model_conv(builder, y,
	               (struct model_conv){.in = middle, .out = middle, .kernel = 3, .pad = 1, .norm = true});
	y = model_conv(builder, y,
	               (struct model_conv){.in = middle, .out = out, .kernel = 1, .norm = true, .no_relu = true});
	if (is_first && !shortcut_first)
		added = model_conv(builder, x, shortcut);
	return model_relu(builder, shortcut_first ? builder_node(builder, "Add", NULL, added, y, NULL)->output[0]
	                                          : builder_node(builder, "Sum", NULL, y, added, NULL)->output[0]);
}

/* The thesis' ResNet-50, with its padding; shortcuts before or after the main convolutions, as exporters differ. */
static inline void model_resnet50(struct onnx_builder *builder, bool shortcut_first)
{
	static const struct {
		int n;
		int64_t middle;
	} stage[4] = {{3, 64}, {4, 128}, {6, 256}, {3, 512}};
	int64_t in = 64;
	model_start(builder, "resnet50", 224);
	const char *x = model_conv(
	    builder, "data",
	    (struct model_conv){.in = 3, .out = 64, .kernel = 7, .stride = 2, .norm = true, .same_lower = true});
	Onnx__NodeProto *pool = builder_node(builder, "MaxPool", NULL, x, NULL);
	BUILDER_INTEGERS(builder, pool, "kernel_shape", 3, 3);
	BUILDER_INTEGERS(builder, pool, "strides", 2, 2);
	builder_word(builder, pool, "auto_pad", "SAME_LOWER");
	x = pool->output[0];
	for (size_t s = 0; s < 4; s++)
		for (int i = 0; i < stage[s].n; i++) {
			x = model_bottleneck(builder, x, in, stage[s].middle, s > 0 && i == 0 ? 2 : 1, shortcut_first);
			in = 4 * stage[s].middle;
		}
	x = builder_node(builder, "GlobalAveragePool", NULL, x, NULL)->output[0];
	/* as PyTorch writes it */
	x = builder_node(builder, "Reshape", NULL, x, BUILDER_LIST(builder, 0, -1), NULL)->output[0];
	builder_output(builder, model_relu(builder, model_gemm(builder, x, 2048, 1000)));
}

static inline const char *model_lrn(struct onnx_builder *builder, const char *x)
{
	Onnx__NodeProto *node = builder_node(builder, "LRN", NULL, x, NULL);
	builder_integer(builder, node, "size", 5);
	return node->output[0];
}

/* AlexNet as published with Caffe, in two groups; ZFNet has other windows and none. */
static inline void model_alexnet(struct onnx_builder *builder)
{
	model_start(builder, "alexnet", 227);
	const char *x = model_conv(builder, "data", (struct model_conv){.in = 3, .out = 96, .kernel = 11, .stride = 4});
	x = model_pool(builder, "MaxPool", model_lrn(builder, x), 3, 2, 0);
	x = model_conv(builder, x, (struct model_conv){.in = 96, .out = 256, .kernel = 5, .pad = 2, .group = 2});
	x = model_pool(builder, "MaxPool", model_lrn(builder, x), 3, 2, 0);
	x = model_conv(builder, x, (struct model_conv){.in = 256, .out = 384, .kernel = 3, .pad = 1});
	x = model_conv(builder, x, (struct model_conv){.in = 384, .out = 384, .kernel = 3, .pad = 1, .group = 2});
	x = model_conv(builder, x, (struct model_conv){.in = 384, .out = 256, .kernel = 3, .pad = 1, .group = 2});
	x = model_flatten(builder, model_pool(builder, "MaxPool", x, 3, 2, 0));
	x = model_relu(builder, model_gemm(builder, x, 9216, 4096));
	x = model_relu(builder, model_gemm(builder, x, 4096, 4096));
	x = model_gemm(builder, x, 4096, 1000);
	builder_output(builder, builder_node(builder, "Softmax", NULL, x, NULL)->output[0]);
}

/* Inception v1's module: 1x1, 3x3 and 5x5 behind 1x1, 1x1 behind pooling. */
static inline const char *model_inception(struct onnx_builder *builder, const char *x, int64_t in, const int64_t out[6])
{
	const char *part[4];
	part[0] = model_conv(builder, x, (struct model_conv){.in = in, .out = out[0], .kernel = 1});
	part[1] = model_conv(builder, x, (struct model_conv){.in = in, .out = out[1], .kernel = 1});
	part[1] = model_conv(builder, part[1], (struct model_conv){.in = out[1], .out = out[2], .kernel = 3, .pad = 1});
	part[2] = model_conv(builder, x, (struct model_conv){.in = in, .out = out[3], .kernel = 1});
	part[2] = model_conv(builder, part[2], (struct model_conv){.in = out[3], .out = out[4], .kernel = 5, .pad = 2});
	part[3] = model_pool(builder, "MaxPool", x, 3, 1, 1);
	part[3] = model_conv(builder, part[3], (struct model_conv){.in = in, .out = out[5], .kernel = 1});
	return model_axis(builder, builder_node(builder, "Concat", NULL, part[0], part[1], part[2], part[3], NULL), 1);
}

static inline const char *model_pool_up(struct onnx_builder *builder, const char *x)
{
	const char *y = model_pool(builder, "MaxPool", x, 3, 2, 0);
	builder_integer(builder, builder->node[builder->graph.n_node - 1], "ceil_mode", 1);
	return y;
}

/* GoogLeNet (Szegedy et al., table 1). */
static inline void model_googlenet(struct onnx_builder *builder)
{
	static const int64_t module[9][6] = {
	    {64, 96, 128, 16, 32, 32},     {128, 128, 192, 32, 96, 64},   {192, 96, 208, 16, 48, 64},
	    {160, 112, 224, 24, 64, 64},   {128, 128, 256, 24, 64, 64},   {112, 144, 288, 32, 64, 64},
	    {256, 160, 320, 32, 128, 128}, {256, 160, 320, 32, 128, 128}, {384, 192, 384, 48, 128, 128}};
	int64_t in = 192;
	model_start(builder, "googlenet", 224);
	const char *x =
	    model_conv(builder, "data", (struct model_conv){.in = 3, .out = 64, .kernel = 7, .stride = 2, .pad = 3});
	x = model_lrn(builder, model_pool_up(builder, x));
	x = model_conv(builder, x, (struct model_conv){.in = 64, .out = 64, .kernel = 1});
	x = model_conv(builder, x, (struct model_conv){.in = 64, .out = 192, .kernel = 3, .pad = 1});
	x = model_pool_up(builder, model_lrn(builder, x));
	for (size_t i = 0; i < 9; i++) {
		x = model_inception(builder, x, in, module[i]);
		in = module[i][0] + module[i][2] + module[i][4] + module[i][5];
		if (i == 1 || i == 6)
			x = model_pool_up(builder, x);
	}
	x = model_pool(builder, "AveragePool", x, 7, 1, 0);
	x = builder_node(builder, "Reshape", NULL, x, BUILDER_LIST(builder, 1, 1024), NULL)->output[0];
	x = model_gemm(builder, x, 1024, 1000);
	builder_output(builder, builder_node(builder, "Softmax", NULL, x, NULL)->output[0]);
}

/* As Caffe rounds up, written as padding of the end alone. */
static inline const char *model_pool_end(struct onnx_builder *builder, const char *x)
{
	Onnx__NodeProto *node = builder_node(builder, "MaxPool", NULL, x, NULL);
	BUILDER_INTEGERS(builder, node, "kernel_shape", 3, 3);
	BUILDER_INTEGERS(builder, node, "strides", 2, 2);
	BUILDER_INTEGERS(builder, node, "pads", 0, 0, 1, 1);
	return node->output[0];
}

/* A matrix of the maps, by a shape that is stored, and three products as AlexNet, VGG and ZFNet have them. */
static inline void model_classify(struct onnx_builder *builder, const char *x, int64_t in)
{
	x = builder_node(builder, "Reshape", NULL, x, BUILDER_LIST(builder, 1, in), NULL)->output[0];
	for (int i = 0; i < 2; i++) {
		x = model_relu(builder, model_gemm(builder, x, i == 0 ? in : 4096, 4096));
		Onnx__NodeProto *node = builder_node(builder, "Dropout", NULL, x, NULL);
		x = node->output[0];
		(void)builder_more_output(builder, node);
	}
	x = model_gemm(builder, x, 4096, 1000);
	builder_output(builder, builder_node(builder, "Softmax", NULL, x, NULL)->output[0]);
}

/* AlexNet on 224 pixels without padding, as the model zoo has Caffe's. */
static inline void model_alexnet_224(struct onnx_builder *builder)
{
	model_start(builder, "bvlc_alexnet", 224);
	const char *x = model_conv(builder, "data", (struct model_conv){.in = 3, .out = 96, .kernel = 11, .stride = 4});
	x = model_pool_end(builder, model_lrn(builder, x));
	x = model_conv(builder, x, (struct model_conv){.in = 96, .out = 256, .kernel = 5, .pad = 2, .group = 2});
	x = model_pool(builder, "MaxPool", model_lrn(builder, x), 3, 2, 0);
	x = model_conv(builder, x, (struct model_conv){.in = 256, .out = 384, .kernel = 3, .pad = 1});
	x = model_conv(builder, x, (struct model_conv){.in = 384, .out = 384, .kernel = 3, .pad = 1, .group = 2});
	x = model_conv(builder, x, (struct model_conv){.in = 384, .out = 256, .kernel = 3, .pad = 1, .group = 2});
	model_classify(builder, model_pool(builder, "MaxPool", x, 3, 2, 0), 9216);
}

/* ZFNet with 512 filters (Zeiler and Fergus, figure 3 and the last row of table 3). */
static inline void model_zfnet512(struct onnx_builder *builder)
{
	model_start(builder, "zfnet512", 224);
	const char *x =
	    model_conv(builder, "data", (struct model_conv){.in = 3, .out = 96, .kernel = 7, .stride = 2, .pad = 1});
	x = model_pool_end(builder, model_lrn(builder, x));
	x = model_conv(builder, x, (struct model_conv){.in = 96, .out = 256, .kernel = 5, .stride = 2});
	x = model_pool_end(builder, model_lrn(builder, x));
	x = model_conv(builder, x, (struct model_conv){.in = 256, .out = 512, .kernel = 3, .pad = 1});
	x = model_conv(builder, x, (struct model_conv){.in = 512, .out = 1024, .kernel = 3, .pad = 1});
	x = model_conv(builder, x, (struct model_conv){.in = 1024, .out = 512, .kernel = 3, .pad = 1});
	model_classify(builder, model_pool(builder, "MaxPool", x, 3, 2, 0), 18432);
}

/* Normalisation with Caffe's two nodes of scales behind it, then Relu, before a convolution: DenseNet. */
static inline const char *model_pre_norm(struct onnx_builder *builder, const char *x, int64_t channel)
{
	const char *scale[2];
	x = model_norm(builder, x, channel);
	for (size_t i = 0; i < 2; i++) {
		Onnx__NodeProto *node =
		    builder_node(builder, "Unsqueeze", NULL, BUILDER_WEIGHTS(builder, channel), NULL);
		BUILDER_INTEGERS(builder, node, "axes", 1, 2);
		scale[i] = node->output[0];
	}
	x = builder_node(builder, "Mul", NULL, x, scale[0], NULL)->output[0];
	return model_relu(builder, builder_node(builder, "Add", NULL, x, scale[1], NULL)->output[0]);
}

/* A convolution with bias, then normalisation and scales as DenseNet has them before one. */
static inline const char *model_conv_scaled(struct onnx_builder *builder, const char *x, struct model_conv conv)
{
	conv.no_relu = true;
	return model_pre_norm(builder, model_conv(builder, x, conv), conv.out);
}

/* What a module of Inception v2 has: 1x1; 3x3 behind 1x1; two 3x3 behind 1x1; 1x1 behind pooling. 0: not there. */
struct model_inception_v2 {
	int64_t one, reduce, three, reduce_double, dbl, pooled;
	bool is_max, halves;
};

static inline const char *model_inception_v2_module(struct onnx_builder *builder, const char *x, int64_t in,
                                                    const struct model_inception_v2 *module)
{
	const int64_t stride = module->halves ? 2 : 1;
	const char *part[4];
	size_t n = 0;
	if (module->one > 0)
		part[n++] =
		    model_conv_scaled(builder, x, (struct model_conv){.in = in, .out = module->one, .kernel = 1});
	const char *y =
	    model_conv_scaled(builder, x, (struct model_conv){.in = in, .out = module->reduce, .kernel = 1});
	part[n++] = model_conv_scaled(
	    builder, y,
	    (struct model_conv){.in = module->reduce, .out = module->three, .kernel = 3, .stride = stride, .pad = 1});
	y = model_conv_scaled(builder, x, (struct model_conv){.in = in, .out = module->reduce_double, .kernel = 1});
	y = model_conv_scaled(
	    builder, y, (struct model_conv){.in = module->reduce_double, .out = module->dbl, .kernel = 3, .pad = 1});
	part[n++] = model_conv_scaled(
	    builder, y,
	    (struct model_conv){.in = module->dbl, .out = module->dbl, .kernel = 3, .stride = stride, .pad = 1});
	if (module->halves)
		part[n++] = model_pool_end(builder, x);
	else
		part[n++] = model_conv_scaled(
		    builder, model_pool(builder, module->is_max ? "MaxPool" : "AveragePool", x, 3, 1, 1),
		    (struct model_conv){.in = in, .out = module->pooled, .kernel = 1});
	return model_axis(
	    builder, builder_node(builder, "Concat", NULL, part[0], part[1], part[2], n > 3 ? part[3] : NULL, NULL), 1);
}

/* Inception v2 (Ioffe and Szegedy, figure 5), with Caffe's 128 channels behind the pooling of 4c and 4d. */
static inline void model_inception_v2(struct onnx_builder *builder)
{
	static const struct model_inception_v2 module[10] = {
	    {64, 64, 64, 64, 96, 32, false, false},       {64, 64, 96, 64, 96, 64, false, false},
	    {0, 128, 160, 64, 96, 0, true, true},         {224, 64, 96, 96, 128, 128, false, false},
	    {192, 96, 128, 96, 128, 128, false, false},   {160, 128, 160, 128, 160, 128, false, false},
	    {96, 128, 192, 160, 192, 128, false, false},  {0, 128, 192, 192, 256, 0, true, true},
	    {352, 192, 320, 160, 224, 128, false, false}, {352, 192, 320, 192, 224, 128, true, false}};
	int64_t in = 192;
	model_start(builder, "inception_v2", 224);
	const char *x = model_conv_scaled(builder, "data",
	                                  (struct model_conv){.in = 3, .out = 64, .kernel = 7, .stride = 2, .pad = 3});
	x = model_pool_end(builder, x);
	x = model_conv_scaled(builder, x, (struct model_conv){.in = 64, .out = 64, .kernel = 1});
	x = model_conv_scaled(builder, x, (struct model_conv){.in = 64, .out = 192, .kernel = 3, .pad = 1});
	x = model_pool_end(builder, x);
	for (size_t i = 0; i < 10; i++) {
		x = model_inception_v2_module(builder, x, in, &module[i]);
		in = module[i].one + module[i].three + module[i].dbl + (module[i].halves ? in : module[i].pooled);
	}
	x = model_pool(builder, "AveragePool", x, 7, 1, 0);
	x = builder_node(builder, "Reshape", NULL, x, BUILDER_LIST(builder, 1, 1024), NULL)->output[0];
	x = model_gemm(builder, x, 1024, 1000);
	builder_output(builder, builder_node(builder, "Softmax", NULL, x, NULL)->output[0]);
}

/* DenseNet-121 (Huang et al., table 1): growth 32, blocks of 6, 12, 24 and 16 layers. */
static inline void model_densenet121(struct onnx_builder *builder)
{
	static const int n_layer[4] = {6, 12, 24, 16};
	int64_t channel = 64;
	model_start(builder, "densenet121", 224);
	const char *x = model_conv(
	    builder, "data", (struct model_conv){.in = 3, .out = 64, .kernel = 7, .stride = 2, .pad = 3, .norm = true});
	x = model_pool(builder, "MaxPool", x, 3, 2, 1);
	for (size_t block = 0; block < 4; block++) {
		for (int i = 0; i < n_layer[block]; i++, channel += 32) {
			const char *y = model_pre_norm(builder, x, channel);
			y = model_conv(builder, y,
			               (struct model_conv){
					   .in = channel, .out = 128, .kernel = 1, .no_relu = true, .no_bias = true});
			y = model_conv(
			    builder, model_pre_norm(builder, y, 128),
			    (struct model_conv){
				.in = 128, .out = 32, .kernel = 3, .pad = 1, .no_relu = true, .no_bias = true});
			x = model_axis(builder, builder_node(builder, "Concat", NULL, x, y, NULL), 1);
		}
		if (block == 3)
			break;
		x = model_conv(builder, model_pre_norm(builder, x, channel),
		               (struct model_conv){
				   .in = channel, .out = channel / 2, .kernel = 1, .no_relu = true, .no_bias = true});
		x = model_pool(builder, "AveragePool", x, 2, 2, 0);
		channel /= 2;
	}
	x = builder_node(builder, "GlobalAveragePool", NULL, model_pre_norm(builder, x, channel), NULL)->output[0];
	builder_output(builder, model_gemm(builder, model_flatten(builder, x), channel, 1000));
}

/* x (1 x rows x in) by weights, and a bias. */
static inline const char *model_dense(struct onnx_builder *builder, const char *x, int64_t in, int64_t out)
{
	x = builder_node(builder, "MatMul", NULL, x, BUILDER_WEIGHTS(builder, in, out), NULL)->output[0];
	return builder_node(builder, "Add", NULL, BUILDER_WEIGHTS(builder, out), x, NULL)->output[0];
}

/* Heads apart: 1 x rows x width as 1 x heads x rows x part, or its transpose; the rows as PyTorch asks for them. */
static inline const char *model_heads(struct onnx_builder *builder, const char *x, int64_t n_head, int64_t part,
                                      bool transposed)
{
	const char *shape = builder_node(builder, "Shape", NULL, x, NULL)->output[0];
	const char *rows = builder_node(builder, "Gather", NULL, shape, BUILDER_LIST(builder, 1), NULL)->output[0];
	const char *wanted = model_axis(builder,
	                                builder_node(builder, "Concat", NULL, BUILDER_LIST(builder, 1), rows,
	                                             BUILDER_LIST(builder, n_head, part), NULL),
	                                0);
	x = builder_node(builder, "Reshape", NULL, x, wanted, NULL)->output[0];
	Onnx__NodeProto *node = builder_node(builder, "Transpose", NULL, x, NULL);
	if (transposed)
		BUILDER_INTEGERS(builder, node, "perm", 0, 2, 3, 1);
	else
		BUILDER_INTEGERS(builder, node, "perm", 0, 2, 1, 3);
	return node->output[0];
}

/* x / 2 (1 + erf(x / sqrt(2))) in five nodes. */
static inline const char *model_gelu(struct onnx_builder *builder, const char *x)
{
	const char *y = builder_node(builder, "Div", NULL, x, BUILDER_WEIGHTS(builder, 1), NULL)->output[0];
	y = builder_node(builder, "Erf", NULL, y, NULL)->output[0];
	y = builder_node(builder, "Add", NULL, y, BUILDER_WEIGHTS(builder, 1), NULL)->output[0];
	y = builder_node(builder, "Mul", NULL, x, y, NULL)->output[0];
	return builder_node(builder, "Mul", NULL, y, BUILDER_WEIGHTS(builder, 1), NULL)->output[0];
}

static inline const char *model_layer_norm(struct onnx_builder *builder, const char *x, int64_t width)
{
	return builder_node(builder, "LayerNormalization", NULL, x, BUILDER_WEIGHTS(builder, width),
	                    BUILDER_WEIGHTS(builder, width), NULL)
	    ->output[0];
}

/* An encoder of n_layer layers (Vaswani et al., 2017; BERT's when Gelu), over rows that are embedded already. */
static inline void model_encoder(struct onnx_builder *builder, int n_layer, int64_t rows, int64_t width, int64_t n_head)
{
	builder_start(builder, "encoder");
	builder_input(builder, "x", 3, (const int64_t[]){1, rows, width});
	const char *x = "x";
	for (int i = 0; i < n_layer; i++) {
		const char *q =
		    model_heads(builder, model_dense(builder, x, width, width), n_head, width / n_head, false);
		const char *k =
		    model_heads(builder, model_dense(builder, x, width, width), n_head, width / n_head, true);
		const char *v =
		    model_heads(builder, model_dense(builder, x, width, width), n_head, width / n_head, false);
		const char *y = builder_node(builder, "MatMul", NULL, q, k, NULL)->output[0];
		y = builder_node(builder, "Div", NULL, y, BUILDER_WEIGHTS(builder, 1), NULL)->output[0];
		y = model_axis(builder, builder_node(builder, "Softmax", NULL, y, NULL), -1);
		y = builder_node(builder, "MatMul", NULL, y, v, NULL)->output[0];
		Onnx__NodeProto *node = builder_node(builder, "Transpose", NULL, y, NULL);
		BUILDER_INTEGERS(builder, node, "perm", 0, 2, 1, 3);
		y = builder_node(builder, "Reshape", NULL, node->output[0], BUILDER_LIST(builder, 1, rows, width), NULL)
		        ->output[0];
		y = model_dense(builder, y, width, width);
		x = model_layer_norm(builder, builder_node(builder, "Add", NULL, y, x, NULL)->output[0], width);
		y = model_gelu(builder, model_dense(builder, x, width, 4 * width));
		y = model_dense(builder, y, 4 * width, width);
		x = model_layer_norm(builder, builder_node(builder, "Add", NULL, x, y, NULL)->output[0], width);
	}
	builder_output(builder, x);
}

#endif
