/* SPDX-License-Identifier: Apache-2.0 */
/* Which blocks are a group, and what a tile of its result needs of every tensor. */
#include "mapper/fuse/fuse_group.h"
#include "sim/base/checked.h"

const char *const fuse_reason_name[N_FUSE_REASON] = {"ok",     "work", "view", "read",    "apart",
                                                     "border", "sram", "idle", "compute", "memory"};

/* ---- blocks ---- */

/* Whether a pixel of the result needs only pixels around it, all channels of them at most. */
static bool is_by_pixel(const struct block *block)
{
	if (block->kind == BLOCK_MATMUL || block->filters.n > 0)
		return false;
	if (block->kind == BLOCK_CONV)
		return true;
	return !(block->whole & (WHOLE_W | WHOLE_H)) && block->operand != OPERAND_CHANNEL;
}

static uint32_t result_w(const struct block *block)
{
	return block->out_w / block->pool;
}

static uint32_t result_h(const struct block *block)
{
	return block->out_h / block->pool;
}

static bool adds_tensor(const struct block *block)
{
	return block->has_mat_ele || (block->kind == BLOCK_POOL && block->operand == OPERAND_MAP);
}

static bool is_read_by(const struct block_sources *sources, uint32_t producer)
{
	for (uint32_t i = 0; i < sources->n; i++)
		if (sources->producer[i] == producer)
			return true;
	return false;
}

/* Whether a block outside reads a result, or nobody does, so that it is the network's. */
static bool is_read_outside(const struct network *network, uint32_t producer, size_t first, size_t end)
{
	bool is_read = false;
	for (size_t b = first; b < network->n_block; b++) {
		const struct block *block = &network->block[b];
		if (!is_read_by(&block->reads, producer) && !is_read_by(&block->adds, producer) &&
		    !is_read_by(&block->filters, producer))
			continue;
		if (b >= end)
			return true;
		is_read = true;
	}
	return !is_read;
}

/* ---- groups ---- */

/* The tensor that member m reads in this shape, from outside or of a member before; reason where there is none. */
static uint32_t find_tensor(struct fuse_group *group, uint32_t m, const struct block_sources *sources,
                            struct fuse_tensor shape, enum fuse_reason *reason)
{
	uint32_t producer = sources->n ? sources->producer[0] : FUSE_NONE, inner = FUSE_NONE;
	if (sources->n > 1 || sources->is_view) {
		*reason = FUSE_VIEW;
		return FUSE_NONE;
	}
	if (producer > group->first && producer <= group->first + m)
		inner = FUSE_MAX_BORDER + producer - 1 - (uint32_t)group->first;
	for (uint32_t k = 0; k < group->n_border && producer != FUSE_NONE && inner == FUSE_NONE; k++)
		if (group->tensor[k].producer == producer)
			inner = k;
	if (inner == FUSE_NONE && group->n_border == FUSE_MAX_BORDER) {
		*reason = FUSE_BORDER;
		return FUSE_NONE;
	}
	if (inner == FUSE_NONE) {
		inner = group->n_border++;
		group->tensor[inner] = shape;
		group->tensor[inner].producer = producer;
		group->tensor[inner].first_use = m;
	}
	struct fuse_tensor *tensor = &group->tensor[inner];
	if (tensor->w != shape.w || tensor->h != shape.h || tensor->c != shape.c)
		*reason = FUSE_VIEW;
	tensor->last_use = m;
	return inner;
}

/* Results lie from FUSE_MAX_BORDER on until the number of border tensors is known. */
static void close_gap(struct fuse_group *group)
{
	uint32_t gap = FUSE_MAX_BORDER - group->n_border;
	for (uint32_t m = 0; m < group->n; m++) {
		struct fuse_member *member = &group->member[m];
		group->tensor[group->n_border + m] = group->tensor[FUSE_MAX_BORDER + m];
		if (member->reads >= FUSE_MAX_BORDER)
			member->reads -= gap;
		if (member->adds != FUSE_NONE && member->adds >= FUSE_MAX_BORDER)
			member->adds -= gap;
	}
}

static enum fuse_reason add_member(struct fuse_group *group, uint32_t m)
{
	const struct block *block = &group->network->block[group->first + m];
	const struct fuse_tensor in = {.w = block->in_w, .h = block->in_h, .c = block->in_c};
	const struct fuse_tensor core = {.w = block->out_w, .h = block->out_h, .c = block->out_c};
	enum fuse_reason reason = FUSE_OK;
	if (!is_by_pixel(block) || block_batch(block) != group->batch)
		return FUSE_WORK;
	struct fuse_member *member = &group->member[m];
	*member = (struct fuse_member){block, find_tensor(group, m, &block->reads, in, &reason), FUSE_NONE};
	if (reason == FUSE_OK && adds_tensor(block))
		member->adds = find_tensor(group, m, &block->adds, core, &reason);
	if (reason != FUSE_OK)
		return reason;
	bool is_new = member->reads < group->n_border && group->tensor[member->reads].first_use == m;
	bool adds_new =
	    member->adds == FUSE_NONE || (member->adds < group->n_border && group->tensor[member->adds].first_use == m);
	if (m > 0 && is_new && adds_new)
		return FUSE_APART;
	group->tensor[FUSE_MAX_BORDER + m] =
	    (struct fuse_tensor){(uint32_t)group->first + m + 1, result_w(block), result_h(block), block->out_c, m, m};
	return FUSE_OK;
}

enum fuse_reason fuse_group_make(const struct network *network, size_t first, uint32_t n, struct fuse_group *group)
{
	assert(n >= 1 && n <= FUSE_MAX_BLOCK && first + n <= network->n_block);
	*group = (struct fuse_group){
	    .network = network, .first = first, .n = n, .batch = block_batch(&network->block[first])};
	for (uint32_t m = 0; m < n; m++) {
		enum fuse_reason reason = add_member(group, m);
		if (reason != FUSE_OK)
			return reason;
	}
	for (uint32_t m = 0; m + 1 < n; m++)
		if (is_read_outside(network, (uint32_t)first + m + 1, first, first + n))
			return FUSE_READ;
	close_gap(group);
	return FUSE_OK;
}

/* ---- what a tile needs ---- */

/* A span with padding, in pixels of its tensor, which may lie outside. */
struct reach {
	int64_t first, end;
};

static void join(struct reach *all, struct reach one)
{
	if (all->first >= all->end) {
		*all = one;
		return;
	}
	all->first = one.first < all->first ? one.first : all->first;
	all->end = one.end > all->end ? one.end : all->end;
}

static int64_t clip(int64_t value, uint32_t end)
{
	return value < 0 ? 0 : value > end ? end : value;
}

/* What a member reads for first .. end - 1 of its core operation's results. */
static struct reach read_for(const struct block *block, bool is_h, int64_t first, int64_t end)
{
	int64_t stride = block->stride, reach = is_h ? block_reach_h(block) : block_reach_w(block);
	int64_t pad = is_h ? block->pad_top : block->pad_left;
	return (struct reach){first * stride - pad, (end - 1) * stride + (reach > stride ? reach : stride) - pad};
}

void fuse_roll(const struct fuse_group *group, bool is_h, uint32_t first, uint32_t end, struct fuse_reached *reached,
               struct fuse_span *held, struct fuse_span *fresh)
{
	uint32_t n_tensor = group->n_border + group->n;
	struct reach need[FUSE_MAX_TENSOR] = {{0, 0}};
	need[n_tensor - 1] = (struct reach){first, end};
	for (uint32_t t = n_tensor; t-- > 0;) {
		const struct fuse_tensor *tensor = &group->tensor[t];
		uint32_t extent = is_h ? tensor->h : tensor->w;
		uint32_t from = (uint32_t)clip(need[t].first, extent), to = (uint32_t)clip(need[t].end, extent);
		uint32_t before = reached->has_begun ? reached->end[t] : from;
		if (to <= from) { /* nobody needs more of it */
			held[t] = fresh[t] = (struct fuse_span){before, before, 0};
			reached->end[t] = before;
			continue;
		}
		int64_t last = need[t].end > before ? need[t].end : before;
		to = to > before ? to : before;
		held[t] = (struct fuse_span){from, to, (uint32_t)min_u64((uint64_t)(last - need[t].first), UINT32_MAX)};
		fresh[t] = (struct fuse_span){before > from ? before : from, to, 0};
		reached->end[t] = to;
		if (t < group->n_border || fresh[t].end <= fresh[t].first)
			continue;
		const struct fuse_member *member = &group->member[t - group->n_border];
		int64_t pool = member->block->pool, core = fresh[t].first * pool, core_end = fresh[t].end * pool;
		join(&need[member->reads], read_for(member->block, is_h, core, core_end));
		if (member->adds != FUSE_NONE)
			join(&need[member->adds], (struct reach){core, core_end});
	}
	reached->has_begun = true;
}

void fuse_spans(const struct fuse_group *group, bool is_h, uint32_t first, uint32_t end, struct fuse_span *span)
{
	struct fuse_reached reached = {.has_begun = false};
	struct fuse_span fresh[FUSE_MAX_TENSOR];
	fuse_roll(group, is_h, first, end, &reached, span, fresh);
}

static void add_tile(const struct fuse_group *group, bool is_h, uint32_t first, uint32_t end, struct fuse_side *side)
{
	struct fuse_reached reached = {.has_begun = false};
	struct fuse_span held[FUSE_MAX_TENSOR], fresh[FUSE_MAX_TENSOR];
	for (uint32_t from = first; from < end; from += side->step) {
		bool is_first = !reached.has_begun;
		fuse_roll(group, is_h, from, side->step < end - from ? from + side->step : end, &reached, held, fresh);
		for (uint32_t t = 0; t < group->n_border + group->n; t++) {
			uint32_t kept = is_first ? 0 : fresh[t].first - held[t].first;
			uint32_t n_fresh = fresh[t].end - fresh[t].first;
			side->sum[t] += n_fresh;
			side->fresh[t] = n_fresh > side->fresh[t] ? n_fresh : side->fresh[t];
			side->room[t] = held[t].room > side->room[t] ? held[t].room : side->room[t];
			side->kept[t] = kept > side->kept[t] ? kept : side->kept[t];
		}
	}
}

void fuse_side_make(const struct fuse_group *group, bool is_h, uint32_t size, uint32_t step, struct fuse_side *side)
{
	const struct fuse_tensor *last = &group->tensor[group->n_border + group->n - 1];
	uint32_t extent = is_h ? last->h : last->w;
	assert(size >= 1 && size <= extent && step >= 1 && step <= size);
	*side = (struct fuse_side){.size = size, .step = step};
	side->n_tile = (uint32_t)ceil_div(extent, size);
	side->n_step = (uint32_t)ceil_div(size, step);
	for (uint32_t i = 0; i < side->n_tile; i++) {
		uint32_t first = i * size, left = extent - first;
		add_tile(group, is_h, first, first + (size < left ? size : left), side);
	}
	for (uint32_t m = 0; m < group->n; m++)
		side->core[m] = side->sum[group->n_border + m] * group->member[m].block->pool;
}

uint32_t fuse_next_step(uint32_t step, uint32_t size)
{
	if (step >= size)
		return 0;
	return step == 0 ? 1 : 2 * step < size ? 2 * step : size;
}

size_t fuse_sizes(uint32_t n, uint32_t *size, size_t max)
{
	size_t n_size = 0;
	for (uint32_t s = n; s > 0; n_size++) {
		if (n_size < max)
			size[n_size] = s;
		s = s > 1 ? (uint32_t)ceil_div(n, ceil_div(n, s - 1)) : 0;
	}
	return n_size;
}
