/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers of attention in one operator: scores, softmax, weighted values; projections before them where the operator has
 * them. A head of keys is a group, the rows of all heads of queries that share it are its pixels.
 */
#include "mapper/onnx/onnx_attention.h"
#include "mapper/onnx/onnx_lower_parts.h"
#include <assert.h>

static const char too_large[] = "more than 65536 rows or columns; make it smaller";

/* A third of the projection of the input, or the operand itself, as a map; NO_DRAFT where there can be none. */
static uint32_t operand(struct onnx_lowering *lowering, const struct attention *a, uint32_t value, struct onnx_map map)
{
	if (a->n_in == 0)
		return onnx_draft_need(lowering, value, map, true);
	struct onnx_map in = {a->n_batch * a->n_row, 1, a->n_in};
	uint32_t source = onnx_draft_need(lowering, value, in, true);
	uint32_t third = onnx_draft_index(lowering, onnx_draft_convolve(lowering, source, a->n_kv_head * a->head));
	bool is_map = a->n_batch == 1 || third == NO_DRAFT;
	return is_map ? third : onnx_draft_view(lowering, 1, &third, map);
}

/* Keys or values of all tokens: those before, which lie in DRAM, and this node's. */
static uint32_t behind_past(struct onnx_lowering *lowering, const struct attention *a, uint32_t own, uint32_t past,
                            int64_t head)
{
	uint32_t from[2] = {past > 0 ? onnx_draft_get(lowering, past) : NO_DRAFT, own};
	if (past == 0 || own == NO_DRAFT || from[0] == NO_DRAFT)
		return past == 0 ? own : NO_DRAFT;
	struct onnx_map map = {a->n_past + a->n_new, 1, a->n_batch * a->n_kv_head * head};
	return onnx_draft_view(lowering, 2, from, map);
}

/* A product of results: groups of rows with as many groups of columns. */
static uint32_t multiply(struct onnx_lowering *lowering, uint32_t source, uint32_t filters, int64_t n_group,
                         int64_t n_channel)
{
	if (source == NO_DRAFT || filters == NO_DRAFT)
		return NO_DRAFT;
	struct onnx_draft *draft = onnx_draft_convolve(lowering, source, n_channel);
	if (!draft)
		return NO_DRAFT;
	draft->layer.groups = (uint32_t)n_group;
	onnx_draft_set_filters(lowering, draft, filters);
	return onnx_draft_index(lowering, draft);
}

/* A mask that is computed is added; one that is constant is part of biases. */
static uint32_t mask(struct onnx_lowering *lowering, const struct attention *a, uint32_t scores, struct onnx_map map)
{
	if (a->mask == 0 || lowering->graph->value[a->mask].is_constant || scores == NO_DRAFT)
		return scores;
	uint32_t from[2] = {scores, onnx_draft_get(lowering, a->mask)};
	return from[1] == NO_DRAFT ? NO_DRAFT
	                           : onnx_draft_arm(lowering, (struct onnx_arm){.kind = ARM_ADD}, 2, from, map);
}

/* Keys and values once more, for the next token. */
static void put_present(struct onnx_lowering *lowering, const struct onnx_work *work, const struct attention *a,
                        uint32_t k, uint32_t v)
{
	uint32_t both[2] = {k, v};
	for (size_t i = 1; i < work->node->n_out && i < 3; i++) {
		uint32_t value = work->node->out[i];
		if (value == 0)
			continue;
		struct onnx_map map = onnx_map_of(&work->graph->value[value].shape);
		if (a->n_in > 0)
			onnx_lower_put(lowering, work, i, onnx_draft_view(lowering, 2, both, map));
		else
			onnx_lower_put(lowering, work, i, onnx_draft_view(lowering, 1, &both[i - 1], map));
	}
}

enum onnx_status onnx_lower_attention(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	struct attention a;
	*why = too_large;
	if (!attention_read(work, &a))
		return ONNX_UNSUPPORTED;
	int64_t n_group = a.n_batch * a.n_kv_head, n_key = a.n_past + a.n_new, m = a.n_row * (a.n_head / a.n_kv_head);
	struct onnx_map rows = {m, 1, n_group * a.head}, scored = {m, 1, n_group * n_key};
	if (!onnx_map_fits(rows) || !onnx_map_fits(scored))
		return ONNX_UNSUPPORTED;
	struct onnx_map key = {a.n_new, 1, n_group * a.head}, value = {a.n_new, 1, n_group * a.v_head};
	uint32_t q = operand(lowering, &a, a.q, rows), k = operand(lowering, &a, a.k, key),
		 v = operand(lowering, &a, a.v, value);
	k = behind_past(lowering, &a, k, a.past_k, a.head);
	v = behind_past(lowering, &a, v, a.past_v, a.v_head);
	uint32_t scores = multiply(lowering, q, k, n_group, scored.c);
	if (work->node->n_out > 3 && scores != NO_DRAFT)
		onnx_lower_put(lowering, work, 3, scores);
	scores = mask(lowering, &a, scores, scored);
	if (scores == NO_DRAFT)
		return ONNX_UNSUPPORTED;
	const struct onnx_shape row = {.n = 1, .dim = {n_key}};
	struct onnx_arm softmax = onnx_rows(ARM_SOFTMAX, &row, (const bool[ONNX_MAX_RANK]){true}, false);
	uint32_t share = onnx_draft_arm(lowering, softmax, 1, &scores, scored);
	uint32_t sum = share == NO_DRAFT ? NO_DRAFT : multiply(lowering, share, v, n_group, n_group * a.v_head);
	if (sum != NO_DRAFT)
		put_present(lowering, work, &a, k, v);
	return onnx_lower_done(lowering, work, sum, ONNX_MLA);
}
