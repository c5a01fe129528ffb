/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/prove/prove_fuse.h"
#include "mapper/prove/prove_parts.h"
#include "sim/base/checked.h"
#include "sim/base/hash.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TILE (UINT64_C(1) << 22)

/* Streams of random numbers. */
#define BORDER_STREAM 0x10000000u
#define WEIGHT_STREAM 0x40000000u

/* A group on data: tensors as a whole, by index of tensor, and what its members computed them with. */
struct fused_run {
	const struct fuse_group *group;
	uint32_t tile_w, tile_h, step_h, n_w, n_h;
	enum prove_fused_mistake mistake;
	uint64_t seed;
	struct prove_map whole[FUSE_MAX_TENSOR];
	const int8_t *weight[FUSE_MAX_BLOCK];
	uint32_t shift[FUSE_MAX_BLOCK];
	struct tile_outcome *outcome; /* [n_w * n_h * batch] */
};

struct tile_outcome {
	bool no_memory;
	uint64_t n_different;
	char fault[PROVE_FAULT_SIZE];
};

/* A tile's tensors: of each the rows that are held, in its own buffer, of which some are fresh in this step. */
struct fused_tile {
	uint32_t image;
	struct fuse_span w[FUSE_MAX_TENSOR], h[FUSE_MAX_TENSOR], fresh[FUSE_MAX_TENSOR];
	int8_t *value[FUSE_MAX_TENSOR]; /* [h][w][c] */
};

/* One thread: tiles themselves are what runs in parallel. */
static void run_one(const struct prove_pool *pool, size_t n, void (*work)(void *context, size_t i), void *context)
{
	(void)pool;
	for (size_t i = 0; i < n; i++)
		work(context, i);
}
static const struct prove_pool one = {run_one, 1};

/* A rectangle of an image of a map, [h][w][c], copied out of it (or, of a tile's buffer, out of that); NULL: no memory.
 */
static int8_t *cut(const int8_t *from, uint32_t from_w, uint32_t c, struct fuse_span w, struct fuse_span h)
{
	size_t row = (size_t)(w.end - w.first) * c, n = row * (h.end - h.first);
	int8_t *out = malloc(n + 1);
	for (uint32_t y = h.first; y < h.end && out; y++)
		memcpy(out + (y - h.first) * row, from + ((size_t)y * from_w + w.first) * c, row);
	return out;
}

/* The part of a tensor that a block reads for these results: inside the tensor, and the padding around it. */
struct window {
	struct fuse_span part;
	uint32_t pad_before, pad_after;
};

static struct window window_of(const struct block *block, bool is_h, struct fuse_span out, uint32_t extent)
{
	int64_t pad = is_h ? block->pad_top : block->pad_left, stride = block->stride;
	int64_t reach = is_h ? block_reach_h(block) : block_reach_w(block);
	int64_t first = (int64_t)out.first * block->pool * stride - pad;
	int64_t end = ((int64_t)out.end * block->pool - 1) * stride + reach - pad;
	int64_t from = first < 0 ? 0 : first, to = end > extent ? extent : end;
	return (struct window){{(uint32_t)from, (uint32_t)to, 0}, (uint32_t)(from - first), (uint32_t)(end - to)};
}

static bool has_part(const struct fuse_span *tile, const struct fuse_span *part)
{
	return tile->first <= part->first && part->end <= tile->end && part->first < part->end;
}

/* The same counted from where a tile's buffer begins. */
static struct fuse_span inside(struct fuse_span part, struct fuse_span tile)
{
	return (struct fuse_span){part.first - tile.first, part.end - tile.first, 0};
}

static void tell(struct tile_outcome *outcome, const struct block *block, const struct fuse_span *w,
                 const struct fuse_span *h, const struct fused_tile *tile, uint32_t t)
{
	(void)snprintf(outcome->fault, sizeof(outcome->fault),
	               "%s reads columns %u to %u, rows %u to %u; the tile has columns %u to %u, rows %u to %u",
	               block->name, w->first, w->end - 1, h->first, h->end - 1, tile->w[t].first, tile->w[t].end - 1,
	               tile->h[t].first, tile->h[t].end - 1);
}

/* What is added to a member's results, of the tile's buffer; ERR_INPUT: it is not there. */
static enum err_code cut_added(const struct fused_run *run, const struct fused_tile *tile, uint32_t m,
                               struct prove_data *data, struct tile_outcome *outcome)
{
	const struct fuse_member *member = &run->group->member[m];
	uint32_t t = run->group->n_border + m, from = member->adds, pool = member->block->pool;
	if (from == FUSE_NONE)
		return ERR_OK;
	struct fuse_span w = {tile->w[t].first * pool, tile->w[t].end * pool, 0};
	struct fuse_span h = {tile->fresh[t].first * pool, tile->fresh[t].end * pool, 0};
	if (!has_part(&tile->w[from], &w) || !has_part(&tile->h[from], &h)) {
		tell(outcome, member->block, &w, &h, tile, from);
		return ERR_INPUT;
	}
	data->added = (struct prove_map){w.end - w.first, h.end - h.first, run->group->tensor[from].c, NULL};
	data->added.value = cut(tile->value[from], tile->w[from].end - tile->w[from].first, data->added.c,
	                        inside(w, tile->w[from]), inside(h, tile->h[from]));
	return data->added.value ? ERR_OK : ERR_INFEASIBLE;
}

/* Fresh rows, of a map that begins with them and is as wide as the tile, or of a tensor as a whole, from the tile's
 * first column on. */
static void put_fresh(const struct fused_run *run, struct fused_tile *tile, uint32_t t, const int8_t *from,
                      uint32_t from_w)
{
	uint32_t c = run->group->tensor[t].c;
	size_t row = (size_t)(tile->w[t].end - tile->w[t].first) * c;
	for (uint32_t y = tile->fresh[t].first; y < tile->fresh[t].end; y++)
		memcpy(tile->value[t] + (y - tile->h[t].first) * row,
		       from + (size_t)(y - tile->fresh[t].first) * from_w * c, row);
}

/* A member's fresh part of the tile, computed as a block of its own whose ifmap and padding are the part's. */
static enum err_code compute_member(const struct fused_run *run, struct fused_tile *tile, uint32_t m,
                                    struct tile_outcome *outcome)
{
	const struct fuse_member *member = &run->group->member[m];
	uint32_t t = run->group->n_border + m, from = member->reads;
	const struct fuse_tensor *tensor = &run->group->tensor[from];
	struct window w = window_of(member->block, false, tile->w[t], tensor->w);
	struct window h = window_of(member->block, true, tile->fresh[t], tensor->h);
	if (!has_part(&tile->w[from], &w.part) || !has_part(&tile->h[from], &h.part)) {
		tell(outcome, member->block, &w.part, &h.part, tile, from);
		return ERR_INPUT;
	}
	struct block part = *member->block;
	part.batch = 1;
	part.in_w = w.part.end - w.part.first;
	part.in_h = h.part.end - h.part.first;
	part.pad_left = w.pad_before;
	part.pad_right = w.pad_after;
	part.pad_top = h.pad_before;
	part.pad_bottom = h.pad_after;
	part.out_w = (tile->w[t].end - tile->w[t].first) * part.pool;
	part.out_h = (tile->fresh[t].end - tile->fresh[t].first) * part.pool;
	struct prove_data data = {
	    .ifmap = {part.in_w, part.in_h, tensor->c, NULL}, .weight = run->weight[m], .shift = run->shift[m]};
	struct prove_map result = {0};
	data.ifmap.value = cut(tile->value[from], tile->w[from].end - tile->w[from].first, tensor->c,
	                       inside(w.part, tile->w[from]), inside(h.part, tile->h[from]));
	enum err_code code = data.ifmap.value ? cut_added(run, tile, m, &data, outcome) : ERR_INFEASIBLE;
	if (code == ERR_OK)
		code = prove_reference(&part, run->seed, &data, &one, &result);
	if (code == ERR_OK)
		put_fresh(run, tile, t, result.value, result.w);
	free(result.value);
	free(data.ifmap.value);
	free(data.added.value);
	return code;
}

/* Fresh values of the last result that are not the reference's. */
static uint64_t count_different(const struct fused_run *run, const struct fused_tile *tile)
{
	uint32_t t = run->group->n_border + run->group->n - 1;
	const struct fuse_tensor *tensor = &run->group->tensor[t];
	size_t row = (size_t)(tile->w[t].end - tile->w[t].first) * tensor->c;
	uint64_t n = 0;
	for (uint32_t y = tile->fresh[t].first; y < tile->fresh[t].end; y++) {
		size_t at = (((size_t)tile->image * tensor->h + y) * tensor->w + tile->w[t].first) * tensor->c;
		const int8_t *wanted = run->whole[t].value + at;
		const int8_t *found = tile->value[t] + (y - tile->h[t].first) * row;
		for (size_t i = 0; i < row; i++)
			n += wanted[i] != found[i];
	}
	return n;
}

/* A buffer for what is held of a tensor now, with the rows that are kept of what was before; false: no memory. */
static bool hold(const struct fused_run *run, struct fused_tile *tile, uint32_t t, struct fuse_span before)
{
	size_t row = (size_t)(tile->w[t].end - tile->w[t].first) * run->group->tensor[t].c;
	int8_t *value = calloc(row * (tile->h[t].end - tile->h[t].first) + 1, 1), *old = tile->value[t];
	for (uint32_t y = tile->h[t].first; y < tile->fresh[t].first && value && old; y++)
		if (y >= before.first && y < before.end)
			memcpy(value + (y - tile->h[t].first) * row, old + (y - before.first) * row, row);
	free(old);
	tile->value[t] = value;
	return value != NULL;
}

/* One step: what is fresh of tensors from outside is read, then each member computes. */
static enum err_code run_step(const struct fused_run *run, uint32_t first, uint32_t end, struct fuse_reached *reached,
                              struct fused_tile *tile, struct tile_outcome *outcome)
{
	const struct fuse_group *group = run->group;
	struct fuse_span before[FUSE_MAX_TENSOR];
	bool is_first = !reached->has_begun;
	memcpy(before, tile->h, sizeof(before));
	fuse_roll(group, true, first, end, reached, tile->h, tile->fresh);
	if (run->mistake == PROVE_FUSED_FORGOTTEN && !is_first && tile->fresh[0].first > tile->h[0].first)
		tile->h[0].first++;
	for (uint32_t t = 0; t < group->n_border + group->n; t++)
		if (!hold(run, tile, t, before[t]))
			return ERR_INFEASIBLE;
	for (uint32_t t = 0; t < group->n_border; t++) {
		const struct fuse_tensor *tensor = &group->tensor[t];
		size_t row = (size_t)tile->image * tensor->h + tile->fresh[t].first;
		put_fresh(run, tile, t, run->whole[t].value + (row * tensor->w + tile->w[t].first) * tensor->c,
		          tensor->w);
	}
	enum err_code code = ERR_OK;
	for (uint32_t m = 0; m < group->n && code == ERR_OK; m++) {
		uint32_t t = group->n_border + m;
		if (tile->w[t].end > tile->w[t].first && tile->fresh[t].end > tile->fresh[t].first)
			code = compute_member(run, tile, m, outcome);
	}
	if (code == ERR_OK)
		outcome->n_different += count_different(run, tile);
	return code;
}

static void run_tile(void *context, size_t i)
{
	const struct fused_run *run = context;
	const struct fuse_group *group = run->group;
	struct tile_outcome *outcome = &run->outcome[i];
	struct fused_tile tile = {.image = (uint32_t)(i / run->n_w / run->n_h)};
	struct fuse_reached reached = {.has_begun = false};
	const struct fuse_tensor *last = &group->tensor[group->n_border + group->n - 1];
	uint32_t x = (uint32_t)(i % run->n_w) * run->tile_w, y = (uint32_t)(i / run->n_w % run->n_h) * run->tile_h;
	uint32_t right = (uint32_t)min_u64((uint64_t)x + run->tile_w, last->w);
	uint32_t low = (uint32_t)min_u64((uint64_t)y + run->tile_h, last->h);
	enum err_code code = ERR_OK;
	fuse_spans(group, false, x, right, tile.w);
	if (run->mistake == PROVE_FUSED_NARROW && tile.w[0].end - tile.w[0].first > 1)
		tile.w[0].end--;
	while (y < low && code == ERR_OK && !stop_requested(NULL)) {
		uint32_t end = (uint32_t)min_u64((uint64_t)y + run->step_h, low);
		code = run_step(run, y, end, &reached, &tile, outcome);
		y = end;
	}
	outcome->no_memory = code == ERR_INFEASIBLE;
	for (uint32_t t = 0; t < FUSE_MAX_TENSOR; t++)
		free(tile.value[t]);
}

/* ---- the whole ---- */

/* Tensors from outside and weights by chance, results block by block; false: no memory. */
static bool make_whole(struct fused_run *run, const struct prove_pool *pool)
{
	const struct fuse_group *group = run->group;
	for (uint32_t t = 0; t < group->n_border; t++) {
		const struct fuse_tensor *tensor = &group->tensor[t];
		uint64_t h = (uint64_t)tensor->h * group->batch;
		run->whole[t] = (struct prove_map){tensor->w, (uint32_t)min_u64(h, UINT32_MAX), tensor->c, NULL};
		if (prove_random(run->seed, BORDER_STREAM + t, pool, &run->whole[t]) != ERR_OK)
			return false;
	}
	for (uint32_t m = 0; m < group->n; m++) {
		const struct fuse_member *member = &group->member[m];
		uint64_t n = block_n_weight(member->block);
		struct prove_map weight = {1, 1, (uint32_t)min_u64(n, UINT32_MAX), NULL};
		struct prove_data data = {.ifmap = run->whole[member->reads]};
		if (member->adds != FUSE_NONE)
			data.added = run->whole[member->adds];
		if (n > 0 && prove_random(run->seed, WEIGHT_STREAM + m, pool, &weight) != ERR_OK)
			return false;
		data.weight = run->weight[m] = weight.value;
		if (prove_reference(member->block, run->seed, &data, pool, &run->whole[group->n_border + m]) != ERR_OK)
			return false;
		run->shift[m] = data.shift;
	}
	return true;
}

static void add_up(const struct fused_run *run, struct prove_fused *result)
{
	const struct prove_map *last = &run->whole[run->group->n_border + run->group->n - 1];
	result->ran = true;
	for (uint64_t i = 0; i < result->n_tile; i++) {
		const struct tile_outcome *outcome = &run->outcome[i];
		result->ran = result->ran && !outcome->no_memory;
		result->n_different += outcome->n_different;
		if (outcome->fault[0] && result->n_fault++ == 0)
			memcpy(result->fault, outcome->fault, sizeof(result->fault));
	}
	result->is_proved = result->ran && result->n_different == 0 && result->n_fault == 0;
	result->hash = hash_bytes(last->value, (size_t)last->w * last->h * last->c, 0);
}

enum err_code prove_fused_group(const struct fuse_group *group, uint32_t tile_w, uint32_t tile_h, uint32_t step_h,
                                enum prove_fused_mistake mistake, uint64_t seed, const struct prove_pool *pool,
                                struct prove_fused *result)
{
	const struct fuse_tensor *last = &group->tensor[group->n_border + group->n - 1];
	struct fused_run run = {
	    .group = group, .tile_w = tile_w, .tile_h = tile_h, .step_h = step_h, .mistake = mistake, .seed = seed};
	run.n_w = (uint32_t)ceil_div(last->w, tile_w);
	run.n_h = (uint32_t)ceil_div(last->h, tile_h);
	*result = (struct prove_fused){.n_tile = mul_sat((uint64_t)run.n_w * run.n_h, group->batch)};
	run.outcome = result->n_tile <= MAX_TILE ? calloc((size_t)result->n_tile, sizeof(*run.outcome)) : NULL;
	if (run.outcome && make_whole(&run, pool) && !stop_requested(NULL)) {
		pool->run(pool, (size_t)result->n_tile, run_tile, &run);
		add_up(&run, result);
	}
	for (uint32_t t = 0; t < FUSE_MAX_TENSOR; t++)
		free(run.whole[t].value);
	for (uint32_t m = 0; m < FUSE_MAX_BLOCK; m++)
		free((void *)(uintptr_t)run.weight[m]);
	free(run.outcome);
	return stop_requested(NULL) ? ERR_INTERRUPTED : ERR_OK;
}
