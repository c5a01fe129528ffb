/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers of matrix products. A row is a pixel: rows times a matrix of weights is a convolution of 1x1; one row alone
 * is a fully connected layer. Products of results side by side, as heads of attention are, are groups of it.
 */
#include "mapper/onnx/onnx_einsum.h"
#include "mapper/onnx/onnx_lower_parts.h"
#include "sim/base/checked.h"
#include <assert.h>

static const char too_large[] = "more than 65536 rows or columns; make it smaller";

/* n products side by side: m rows of k numbers times k rows of n_column. */
struct product {
	int64_t n, m, k, n_column;
	uint32_t a, b; /* values */
};

/* A row of at most 2^24 numbers. */
static struct onnx_draft *connect(struct onnx_lowering *lowering, const struct product *product)
{
	uint32_t source = onnx_draft_get(lowering, product->a);
	if (source == NO_DRAFT || product->n_column > NETWORK_MAX_CHANNEL || product->k > NETWORK_MAX_VECTOR)
		return NULL;
	if (onnx_draft_size(&lowering->draft[source]) != product->k)
		source = onnx_draft_view(lowering, 1, &source, (struct onnx_map){1, 1, product->k});
	struct onnx_draft *draft = source == NO_DRAFT ? NULL : onnx_draft_new(lowering, LAYER_FC, 1, &source);
	assert(product->n == 1 && product->m == 1);
	if (draft) {
		draft->is_vector = true;
		draft->w = (uint32_t)product->n_column;
		draft->h = draft->c = 1;
		draft->layer.out_c = (uint32_t)product->n_column;
	}
	return draft;
}

/* Rows as pixels of one row of the map, or of more where they are too many. */
static struct onnx_draft *convolve(struct onnx_lowering *lowering, const struct product *product)
{
	struct onnx_map in = {product->m, 1, product->n * product->k}, out;
	for (int64_t side = 2; in.w > NETWORK_MAX_EXTENT && side <= NETWORK_MAX_EXTENT; side++)
		if (product->m % side == 0) {
			in.w = product->m / side;
			in.h = side;
		}
	out = (struct onnx_map){in.w, in.h, product->n * product->n_column};
	if (!onnx_map_fits(in) || !onnx_map_fits(out))
		return NULL;
	struct onnx_draft *draft =
	    onnx_draft_convolve(lowering, onnx_draft_need(lowering, product->a, in, true), out.c);
	if (draft)
		draft->layer.groups = (uint32_t)product->n;
	return draft;
}

/* Weights that are a result: a draft with as many numbers as the product wants; NO_DRAFT where there is none. */
static uint32_t find_filters(struct onnx_lowering *lowering, const struct product *product)
{
	uint32_t filters = onnx_draft_get(lowering, product->b);
	int64_t n =
	    mul_sat((uint64_t)product->n, mul_sat((uint64_t)product->k, (uint64_t)product->n_column)) < INT64_MAX
		? product->n * product->k * product->n_column
		: 0;
	return filters != NO_DRAFT && onnx_draft_size(&lowering->draft[filters]) == n ? filters : NO_DRAFT;
}

static enum onnx_status lower_product(struct onnx_lowering *lowering, struct onnx_work *work, struct product product,
                                      const char **why)
{
	const struct onnx_value *value = lowering->graph->value;
	bool has_weights = value[product.b].is_constant;
	assert(product.n > 0);
	*why = "both factors are constant, but its scales are not; make them constant";
	if (value[product.a].is_constant && has_weights)
		return ONNX_UNSUPPORTED;
	*why = too_large;
	if (value[product.a].is_constant) {
		int64_t m = product.m;
		product.a = product.b;
		product.m = product.n_column;
		product.n_column = m;
		has_weights = true;
	}
	/* Before the layer, because it has to stand before it. */
	uint32_t filters = has_weights ? NO_DRAFT : find_filters(lowering, &product);
	if (!has_weights && filters == NO_DRAFT) {
		*why = "a product of results whose shapes are widened first; write it out";
		return ONNX_UNSUPPORTED;
	}
	struct onnx_draft *draft = product.n == 1 && product.m == 1 && has_weights ? connect(lowering, &product)
	                                                                           : convolve(lowering, &product);
	if (!draft)
		return ONNX_UNSUPPORTED;
	if (!has_weights)
		onnx_draft_set_filters(lowering, draft, filters);
	return onnx_lower_done(lowering, work, onnx_draft_index(lowering, draft), ONNX_MLA);
}

enum onnx_status onnx_lower_gemm(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_shape *a = &onnx_op_in(work, 0)->shape;
	const struct onnx_shape *out = &lowering->graph->value[work->node->out[0]].shape;
	const struct onnx_value *bias = onnx_input(lowering->graph, work->node, 2);
	*why = "its bias is computed; add it with an Add behind it";
	if (bias && !bias->is_constant)
		return ONNX_UNSUPPORTED;
	return lower_product(lowering, work,
	                     (struct product){.n = 1,
	                                      .m = out->dim[0],
	                                      .k = a->dim[onnx_integer(work->node, "transA", 0) == 0],
	                                      .n_column = out->dim[1],
	                                      .a = work->node->in[0],
	                                      .b = work->node->in[1]},
	                     why);
}

/* The product of all dimensions but the last two. */
static int64_t n_lead(const struct onnx_shape *shape)
{
	int64_t n = 1;
	for (size_t i = 0; i + 2 < shape->n; i++)
		n *= shape->dim[i];
	return n;
}

/* With one matrix of weights all leading dimensions are rows; a single left matrix is as wide as all of the right. */
enum onnx_status onnx_lower_matmul(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_shape *a = &onnx_op_in(work, 0)->shape,
				*b = &onnx_op_in(work, work->op->operand.weight)->shape;
	struct product product = {.n = 1,
	                          .m = a->n > 1 ? a->dim[a->n - 2] : 1,
	                          .k = a->dim[a->n - 1],
	                          .n_column = b->n > 1 ? b->dim[b->n - 1] : 1,
	                          .a = work->node->in[0],
	                          .b = work->node->in[work->op->operand.weight]};
	if (n_lead(b) == 1)
		product.m *= n_lead(a);
	else if (n_lead(a) == 1)
		product.n_column *= n_lead(b);
	else
		product.n = onnx_n_element(&lowering->graph->value[work->node->out[0]].shape) /
		            (product.m > 0 && product.n_column > 0 ? product.m * product.n_column : 1);
	return lower_product(lowering, work, product, why);
}

/* One operand in another order is a view; two are a product of matrices, or nothing that the MAC array does. */
enum onnx_status onnx_lower_einsum(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	struct einsum einsum;
	struct einsum_product of;
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	if (!einsum_read(work, &einsum))
		return ONNX_UNSUPPORTED;
	if (einsum.n_in == 1 && einsum.n_out == in->n && einsum.n_label == in->n)
		return onnx_lower_view(lowering, work, why);
	*why = "it takes sums or a diagonal of one tensor; write it with ReduceSum or Gather";
	if (einsum.n_in == 1)
		return ONNX_UNSUPPORTED;
	const char *fault = einsum_product(&einsum, &of);
	if (fault) {
		*why = fault;
		return ONNX_UNSUPPORTED;
	}
	return lower_product(
	    lowering, work, (struct product){of.n, of.m, of.k, of.n_column, work->node->in[0], work->node->in[1]}, why);
}
