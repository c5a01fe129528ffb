/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices. */
#include "mapper/onnx/onnx_table.h"
#include <assert.h>
#include "sim/base/checked.h"

static bool misfit(struct onnx_work *work, const struct onnx_shape *a, const struct onnx_shape *b)
{
	return onnx_op_fail(work, "%s times %s: these shapes do not fit", onnx_shape_text(a).text,
	                    onnx_shape_text(b).text);
}

bool onnx_infer_gemm(struct onnx_work *work)
{
	const struct onnx_shape *a = &onnx_op_in(work, 0)->shape, *b = &onnx_op_in(work, 1)->shape;
	bool swap_a = onnx_integer(work->node, "transA", 0) != 0, swap_b = onnx_integer(work->node, "transB", 0) != 0;
	struct onnx_shape out = {.n = 2};
	if (a->n != 2 || b->n != 2 || a->dim[!swap_a] != b->dim[swap_b])
		return misfit(work, a, b);
	out.dim[0] = a->dim[swap_a];
	out.dim[1] = b->dim[!swap_b];
	return onnx_op_set(work, 0, &out, ONNX_REAL);
}

uint64_t onnx_count_gemm(const struct onnx_work *work)
{
	const struct onnx_shape *a = &onnx_op_in(work, 0)->shape;
	uint64_t n = (uint64_t)onnx_n_element(&work->graph->value[work->node->out[0]].shape);
	assert(a->n == 2);
	return mul_sat(n, (uint64_t)a->dim[onnx_integer(work->node, "transA", 0) == 0]);
}

/* NumPy's rules: a vector is a row on the left and a column on the right; leading dimensions broadcast. */
bool onnx_infer_matmul(struct onnx_work *work)
{
	struct onnx_shape a = onnx_op_in(work, 0)->shape, b = onnx_op_in(work, work->op->operand.weight)->shape;
	struct onnx_shape lead_a, lead_b, out;
	bool row = a.n == 1, column = b.n == 1;
	if (a.n == 0 || b.n == 0)
		return misfit(work, &a, &b);
	if (row)
		a = (struct onnx_shape){.n = 2, .dim = {1, a.dim[0]}};
	if (column)
		b = (struct onnx_shape){.n = 2, .dim = {b.dim[0], 1}};
	lead_a = a;
	lead_b = b;
	lead_a.n -= 2;
	lead_b.n -= 2;
	if (a.dim[a.n - 1] != b.dim[b.n - 2] || !onnx_op_broadcast(&lead_a, &lead_b, &out))
		return misfit(work, &a, &b);
	if (!row)
		out.dim[out.n++] = a.dim[a.n - 2];
	if (!column)
		out.dim[out.n++] = b.dim[b.n - 1];
	return onnx_op_set(work, 0, &out, ONNX_REAL);
}

uint64_t onnx_count_matmul(const struct onnx_work *work)
{
	const struct onnx_shape *a = &onnx_op_in(work, 0)->shape;
	uint64_t n = (uint64_t)onnx_n_element(&work->graph->value[work->node->out[0]].shape);
	assert(a->n > 0);
	return mul_sat(n, (uint64_t)a->dim[a->n - 1]);
}
