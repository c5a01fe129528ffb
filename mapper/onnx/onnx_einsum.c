/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/onnx/onnx_einsum.h"
#include "mapper/onnx/onnx_table.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <string.h>

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static struct einsum_label *label_of(struct einsum *einsum, char letter)
{
	for (size_t i = 0; i < einsum->n_label; i++)
		if (einsum->label[i].letter == letter)
			return &einsum->label[i];
	assert(einsum->n_label < EINSUM_MAX_LABEL);
	struct einsum_label *label = &einsum->label[einsum->n_label++];
	*label = (struct einsum_label){.letter = letter, .dim = 1, .of = {1, 1}};
	return label;
}

/* Letters of a term, '...' as n_dots digits that end with '7'; false where it is no term, or longer than most. */
static bool read_term(const char *text, size_t n_byte, size_t n_dots, char *letter, size_t most, size_t *n)
{
	*n = 0;
	for (size_t i = 0; i < n_byte; i++) {
		bool is_dots = text[i] == '.';
		size_t n_more = is_dots ? n_dots : 1;
		if (text[i] == ' ')
			continue;
		if (is_dots ? i + 2 >= n_byte || text[i + 1] != '.' || text[i + 2] != '.' : !is_letter(text[i]))
			return false;
		if (*n + n_more > most)
			return false;
		for (size_t k = 0; k < n_more; k++)
			letter[(*n)++] = is_dots ? (char)('0' + ONNX_MAX_RANK - n_dots + k) : text[i];
		i += is_dots ? 2 : 0;
	}
	return true;
}

static size_t n_letter(const char *text, size_t n_byte)
{
	size_t n = 0;
	for (size_t i = 0; i < n_byte; i++)
		n += is_letter(text[i]);
	return n;
}

/* Dimensions of one operand. */
static bool read_operand(struct onnx_work *work, struct einsum *einsum, size_t k, const char *text, size_t n_byte,
                         size_t *n_dots)
{
	const struct onnx_shape *shape = &onnx_op_in(work, k)->shape;
	size_t n_named = n_letter(text, n_byte), n, own = shape->n > n_named ? shape->n - n_named : 0;
	char letter[ONNX_MAX_RANK];
	if (!read_term(text, n_byte, own, letter, ONNX_MAX_RANK, &n) || n != shape->n)
		return onnx_op_fail(work, "its term '%.*s' is not one letter for each dimension of %s", (int)n_byte,
		                    text, onnx_shape_text(shape).text);
	if (memchr(text, '.', n_byte) && own > *n_dots)
		*n_dots = own;
	for (size_t i = 0; i < n; i++) {
		struct einsum_label *label = label_of(einsum, letter[i]);
		int64_t dim = shape->dim[i];
		if (dim != label->dim && dim != 1 && label->dim != 1)
			return onnx_op_fail(work, "'%c' is %lld and %lld: these shapes do not fit", letter[i],
			                    (long long)label->dim, (long long)dim);
		label->n_of[k]++;
		label->of[k] = dim;
		label->dim = dim > label->dim ? dim : label->dim;
		if (dim == 0)
			label->dim = 0;
	}
	return true;
}

/* What stands in operands once, in alphabetical order, where the equation does not say what the result is. */
static void imply_result(struct einsum *einsum)
{
	for (int c = '0'; c <= 'z'; c++)
		for (size_t i = 0; i < einsum->n_label && einsum->n_out < ONNX_MAX_RANK; i++) {
			const struct einsum_label *label = &einsum->label[i];
			if (label->letter == c && (!is_letter((char)c) || label->n_of[0] + label->n_of[1] == 1))
				einsum->out[einsum->n_out++] = (char)c;
		}
}

bool einsum_read(struct onnx_work *work, struct einsum *einsum)
{
	const char *text = onnx_text(work->node, "equation", ""), *arrow = strstr(text, "->");
	size_t n_byte = arrow ? (size_t)(arrow - text) : strlen(text), at = 0, n_dots = 0;
	*einsum = (struct einsum){.n_in = work->node->n_in};
	for (size_t k = 0; k < work->node->n_in; k++) {
		const char *comma = memchr(text + at, ',', n_byte - at);
		size_t n = comma ? (size_t)(comma - text) - at : n_byte - at;
		if (!comma == (k + 1 < work->node->n_in))
			return onnx_op_fail(work, "its equation '%.60s' has not %zu terms", text, work->node->n_in);
		if (!onnx_input(work->graph, work->node, k))
			return onnx_op_fail(work, "it has no input %zu", k + 1);
		if (!read_operand(work, einsum, k < 2 ? k : 1, text + at, n, &n_dots))
			return false;
		at += comma ? n + 1 : n;
	}
	if (!arrow)
		imply_result(einsum);
	else if (!read_term(arrow + 2, strlen(arrow + 2), n_dots, einsum->out, ONNX_MAX_RANK, &einsum->n_out))
		return onnx_op_fail(work, "its result '%.40s' is not a letter for each dimension", arrow + 2);
	for (size_t i = 0; i < einsum->n_out; i++) {
		struct einsum_label *label = label_of(einsum, einsum->out[i]);
		if (label->n_of[0] + label->n_of[1] == 0 || label->n_out++ > 0)
			return onnx_op_fail(work, "'%c' of its result is in no term, or stands there twice",
			                    label->letter);
	}
	return true;
}

const char *einsum_product(const struct einsum *einsum, struct einsum_product *product)
{
	bool sums = false;
	*product = (struct einsum_product){1, 1, 1, 1};
	if (einsum->n_in != 2)
		return "a product of more than two tensors; write it as several";
	for (size_t i = 0; i < einsum->n_label; i++) {
		const struct einsum_label *label = &einsum->label[i];
		bool both = label->n_of[0] > 0 && label->n_of[1] > 0;
		if (label->n_of[0] > 1 || label->n_of[1] > 1)
			return "it takes a diagonal; gather it before";
		if (both && label->of[0] != label->of[1])
			return "one of its tensors is widened first; write it out";
		if (!both && label->n_out == 0)
			return "it sums one of its tensors alone; do that before, with ReduceSum";
		int64_t *side = both                 ? label->n_out > 0 ? &product->n : &product->k
		                : label->n_of[0] > 0 ? &product->m
		                                     : &product->n_column;
		sums = sums || (both && label->n_out == 0);
		if (__builtin_mul_overflow(*side, label->dim, side))
			return "more than 2^63 products; make it smaller";
	}
	return sums ? NULL : "nothing is summed; write it with Mul";
}

/* ---- the operator ---- */

bool onnx_infer_einsum(struct onnx_work *work)
{
	struct einsum einsum;
	struct onnx_shape out = {0};
	if (!einsum_read(work, &einsum))
		return false;
	out.n = einsum.n_out;
	for (size_t i = 0; i < out.n; i++)
		out.dim[i] = label_of(&einsum, einsum.out[i])->dim;
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

/* Of a matrix product; others have no layers. */
uint64_t onnx_count_einsum(const struct onnx_work *work)
{
	struct onnx_work again = *work;
	struct einsum einsum;
	struct einsum_product product;
	if (!einsum_read(&again, &einsum) || einsum_product(&einsum, &product))
		return 0;
	return mul_sat(mul_sat((uint64_t)product.n, (uint64_t)product.m),
	               mul_sat((uint64_t)product.k, (uint64_t)product.n_column));
}
