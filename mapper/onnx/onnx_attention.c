/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/onnx/onnx_attention.h"
#include "mapper/onnx/onnx_table.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <string.h>

/* Where the inputs of an operator stand; 0: it has none of these, or finds them elsewhere. */
struct layout {
	const char *op, *n_head, *n_kv_head;
	bool projects; /* its second input are weights */
	size_t mask, past_k, past_v;
};

static const struct layout layout[] = {
    {"Attention", "q_num_heads", "kv_num_heads", false, 3, 4, 5},
    {"Attention", "num_heads", "num_heads", true, 5, 4, 4},
    {"MultiHeadAttention", "num_heads", "num_heads", false, 5, 6, 7},
    {"GroupQueryAttention", "num_heads", "kv_num_heads", false, 0, 3, 4},
};

static const struct layout *layout_of(const struct onnx_node *node)
{
	if (strcmp(node->op, "Attention") == 0)
		return &layout[node->domain[0] != '\0'];
	return &layout[strcmp(node->op, "MultiHeadAttention") == 0 ? 2 : 3];
}

/* Rows and numbers of a row of an operand: [batch, rows, heads x numbers] or [batch, heads, rows, numbers]. */
struct operand {
	int64_t n_batch, n_row, n_head, n;
};

static bool read_operand(struct onnx_work *work, size_t i, int64_t n_head, struct operand *operand)
{
	const struct onnx_value *value = onnx_input(work->graph, work->node, i);
	if (!value)
		return onnx_op_fail(work, "it has no input %zu", i + 1);
	const int64_t *dim = value->shape.dim;
	if (value->shape.n == 4)
		*operand = (struct operand){dim[0], dim[2], dim[1], dim[3]};
	else if (value->shape.n == 3 && n_head > 0 && dim[2] % n_head == 0)
		*operand = (struct operand){dim[0], dim[1], n_head, dim[2] / n_head};
	else
		return onnx_op_fail(work, "input %zu is %s, which %lld heads do not divide", i + 1,
		                    onnx_shape_text(&value->shape).text, (long long)n_head);
	return true;
}

static uint32_t value_of(const struct onnx_node *node, size_t i)
{
	return i > 0 && i < node->n_in ? node->in[i] : 0;
}

/* Keys and values of the tokens before; ONNX Runtime's Attention has both in one tensor, behind a dimension of two. */
static bool read_past(struct onnx_work *work, const struct layout *own, struct attention *attention)
{
	attention->past_k = value_of(work->node, own->past_k);
	attention->past_v = value_of(work->node, own->past_v);
	if (attention->past_k == 0 || attention->past_v == 0)
		return attention->past_k == attention->past_v ||
		       onnx_op_fail(work, "it has keys or values of tokens before, allowed are both or none");
	const struct onnx_shape *shape = &work->graph->value[attention->past_k].shape;
	if (shape->n != (own->projects ? 5 : 4))
		return onnx_op_fail(work, "keys before are %s, allowed are %d dimensions", onnx_shape_text(shape).text,
		                    own->projects ? 5 : 4);
	attention->n_past = shape->dim[shape->n - 2];
	if (shape->dim[shape->n - 3] != attention->n_kv_head || shape->dim[shape->n - 1] != attention->head)
		return onnx_op_fail(work, "keys before are %s, beside %lld heads of %lld numbers",
		                    onnx_shape_text(shape).text, (long long)attention->n_kv_head,
		                    (long long)attention->head);
	return true;
}

/* Queries, keys and values of one input, by weights: thirds of their columns. */
static bool read_projected(struct onnx_work *work, int64_t n_head, struct attention *attention)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape, *weights = &onnx_op_in(work, 1)->shape;
	if (onnx_find(work->node, "qkv_hidden_sizes"))
		return onnx_op_fail(work,
		                    "qkv_hidden_sizes is not read; export queries, keys and values by themselves");
	if (in->n != 3 || weights->n != 2 || weights->dim[0] != in->dim[2] || n_head < 1 ||
	    weights->dim[1] % (3 * n_head) != 0)
		return onnx_op_fail(work, "%s times %s with %lld heads: these shapes do not fit",
		                    onnx_shape_text(in).text, onnx_shape_text(weights).text, (long long)n_head);
	attention->n_batch = in->dim[0];
	attention->n_row = attention->n_new = in->dim[1];
	attention->n_in = in->dim[2];
	attention->n_head = attention->n_kv_head = n_head;
	attention->head = attention->v_head = weights->dim[1] / (3 * n_head);
	attention->q = attention->k = attention->v = work->node->in[0];
	return true;
}

bool attention_read(struct onnx_work *work, struct attention *attention)
{
	const struct onnx_node *node = work->node;
	const struct layout *own = layout_of(node);
	int64_t n_head = onnx_integer(node, own->n_head, 0), n_kv_head = onnx_integer(node, own->n_kv_head, n_head);
	struct operand q, k, v;
	*attention = (struct attention){.mask = value_of(node, own->mask)};
	if (own->projects)
		return read_projected(work, n_head, attention) && read_past(work, own, attention);
	if (!read_operand(work, 0, n_head, &q) || !read_operand(work, 1, n_kv_head, &k) ||
	    !read_operand(work, 2, n_kv_head, &v))
		return false;
	if (k.n_head < 1 || q.n_head % k.n_head != 0 || k.n_head != v.n_head || q.n != k.n || k.n_row != v.n_row ||
	    q.n_batch != k.n_batch || k.n_batch != v.n_batch)
		return onnx_op_fail(work, "%s, %s and %s: these shapes do not fit",
		                    onnx_shape_text(&onnx_op_in(work, 0)->shape).text,
		                    onnx_shape_text(&onnx_op_in(work, 1)->shape).text,
		                    onnx_shape_text(&onnx_op_in(work, 2)->shape).text);
	attention->n_batch = q.n_batch;
	attention->n_row = q.n_row;
	attention->n_new = k.n_row;
	attention->n_head = q.n_head;
	attention->n_kv_head = k.n_head;
	attention->head = q.n;
	attention->v_head = v.n;
	attention->q = node->in[0];
	attention->k = node->in[1];
	attention->v = node->in[2];
	attention->n_present = 2;
	return read_past(work, own, attention);
}

bool onnx_infer_attention(struct onnx_work *work)
{
	struct attention a;
	if (!attention_read(work, &a))
		return false;
	int64_t n_key = a.n_past + a.n_new;
	struct onnx_shape out = {3, {a.n_batch, a.n_row, a.n_head * a.v_head}};
	if (onnx_op_in(work, 0)->shape.n == 4 && a.n_in == 0)
		out = (struct onnx_shape){4, {a.n_batch, a.n_head, a.n_row, a.v_head}};
	const struct onnx_shape key = {4, {a.n_batch, a.n_kv_head, n_key, a.head}};
	const struct onnx_shape value = {4, {a.n_batch, a.n_kv_head, n_key, a.v_head}};
	const struct onnx_shape score = {4, {a.n_batch, a.n_head, a.n_row, n_key}};
	const struct onnx_shape both = {5, {2, a.n_batch, a.n_kv_head, n_key, a.head}};
	return onnx_op_set(work, 0, &out, ONNX_REAL) && onnx_op_set(work, 1, a.n_in > 0 ? &both : &key, ONNX_REAL) &&
	       onnx_op_set(work, 2, &value, ONNX_REAL) && onnx_op_set(work, 3, &score, ONNX_REAL);
}

uint64_t onnx_count_attention(const struct onnx_work *work)
{
	struct onnx_work again = *work;
	struct attention a;
	if (!attention_read(&again, &a))
		return 0;
	uint64_t n_row = mul_sat((uint64_t)a.n_batch, (uint64_t)a.n_row), n_head = (uint64_t)a.n_head;
	uint64_t n_product =
	    mul_sat(mul_sat(n_row, n_head), mul_sat((uint64_t)(a.n_past + a.n_new), (uint64_t)(a.head + a.v_head)));
	return add_sat(n_product, mul_sat(mul_sat(n_row, (uint64_t)a.n_in), mul_sat(3 * n_head, (uint64_t)a.head)));
}
