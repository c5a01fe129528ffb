/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/octopus/octopus_search.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include "sim/base/stop.h"
#include <float.h>

/* Tiles of `size`, and one for the rest. */
static struct dim_split cut_dim(uint32_t extent, uint32_t size)
{
	uint32_t rest = extent % size;
	return (struct dim_split){size, extent / size, rest, rest > 0};
}

/*
 * The next smaller size of a dimension's tiles after `size`, a multiple of step (but for the whole extent): the
 * smallest that needs no more tiles than its neighbours. 0: there is none.
 */
static uint32_t next_size(uint32_t extent, uint32_t step, uint32_t size)
{
	uint32_t n = (uint32_t)ceil_div(extent, size);
	/* the largest size that needs more tiles than this one, then the smallest of that number of tiles */
	uint32_t below = (size - 1) / step * step;
	while (below > 0 && ceil_div(extent, below) == n)
		below -= step;
	if (below == 0)
		return 0;
	n = (uint32_t)ceil_div(extent, below);
	return (uint32_t)align_up(ceil_div(extent, n), step);
}

/* Steps of the sizes: pooling stays whole, a product's columns fill the array's, groups are whole or cut alone. */
struct cut_steps {
	uint32_t w, h, c, d;
};

static struct cut_steps steps_of(const struct octopus_context *context)
{
	const struct block *block = context->block;
	uint32_t cols = context->machine->mla_cols;
	switch (block->kind) {
	case BLOCK_MATMUL:
		return (struct cut_steps){cols, 1, 1, 1};
	case BLOCK_POOL: /* rows of softmax and the like stay whole */
		return (struct cut_steps){block->whole & WHOLE_W ? block->out_w : 1,
		                          block->whole & WHOLE_H ? block->out_h : 1, block_row_c(block), 1};
	case BLOCK_CONV:
		break;
	}
	if (block_n_group(block) > 1)
		return (struct cut_steps){block->pool, block->pool, block_group_out_c(block), 1};
	return (struct cut_steps){block->pool, block->pool, 1, 1};
}

static uint32_t depth_of(const struct octopus_context *context)
{
	const struct block *block = context->block;
	switch (block->kind) {
	case BLOCK_MATMUL:
		return block->in_w;
	case BLOCK_POOL:
		return 1;
	case BLOCK_CONV:
		break;
	}
	return context->group.in_c;
}

/* Cut the depth into the fewest parts with which a tile fits; false: no number of them does. */
static bool fit_depth(const struct octopus_context *context, uint32_t step, struct split *split,
                      struct octopus_work *work)
{
	uint64_t room = context->machine->pe_sram_byte;
	uint32_t depth = depth_of(context);
	split->d = dim_whole(depth);
	octopus_size(context, split, work);
	if (work->sram_byte <= room)
		return true;
	uint32_t least = depth < step ? depth : step;
	split->d = cut_dim(depth, least);
	octopus_size(context, split, work);
	if (depth <= step || work->sram_byte > room)
		return false;
	for (uint32_t size = next_size(depth, step, depth); size > 0; size = next_size(depth, step, size)) {
		split->d = cut_dim(depth, size);
		octopus_size(context, split, work);
		if (work->sram_byte <= room)
			return true;
	}
	return false;
}

uint64_t octopus_least_sram_byte(const struct octopus_context *context)
{
	const struct cut_steps step = steps_of(context);
	const struct block *block = context->block;
	struct split split = split_whole(block);
	struct octopus_work work;
	split.w = cut_dim(block->out_w, block->out_w < step.w ? block->out_w : step.w);
	split.h = cut_dim(block->out_h, block->out_h < step.h ? block->out_h : step.h);
	split.c = cut_dim(block->out_c, block_n_group(block) > 1 || block->out_c < step.c ? 1 : step.c);
	if (depth_of(context) > step.d)
		split.d = cut_dim(depth_of(context), step.d);
	octopus_size(context, &split, &work);
	return work.sram_byte;
}

/* ---- one cut ------------------------------------------------------------------------------------------------ */

static void fetch_ahead(const struct octopus_context *context, const struct octopus_work *work,
                        const struct octopus_plan *plan, struct octopus_time *time, struct octopus_ahead *ahead)
{
	uint64_t free_byte = context->machine->pe_sram_byte - work->sram_byte;
	double n_part = (double)octopus_count_fetches(work, plan).n_weight * work->n_d;
	double compute_us = time->part_us[OCTOPUS_MLA] + time->part_us[OCTOPUS_ARM];
	assert(work->sram_byte <= context->machine->pe_sram_byte);
	*ahead = (struct octopus_ahead){.window_us = compute_us, .free_byte = free_byte};
	if (work->weight_byte == 0)
		return;
	ahead->first_byte = work->kept_weight_byte;
	ahead->first_us = time->part_us[OCTOPUS_WEIGHTS] / n_part;
	if (n_part == 1 || free_byte < work->kept_weight_byte)
		return;
	/* a second buffer: each later fetch behind one tile's part before it; the next layer's behind the last one */
	double part_us = (work->mla_us + work->arm_us) / work->n_d;
	ahead->hidden_us = (n_part - 1) * real_min(ahead->first_us, part_us);
	ahead->window_us = part_us;
	octopus_hide_weights(time, ahead->hidden_us);
}

/* Everything but energy; false: it does not fit. */
static bool price_cut(const struct octopus_context *context, const struct octopus_query *query,
                      struct octopus_cut_choice *choice)
{
	if (octopus_sram_byte(context, &choice->work, &choice->plan) > context->machine->pe_sram_byte)
		return false;
	octopus_price(context, &choice->work, &choice->plan, &choice->time);
	choice->ahead = (struct octopus_ahead){0};
	if (query->ahead)
		fetch_ahead(context, &choice->work, &choice->plan, &choice->time, &choice->ahead);
	choice->cost = choice->time.total_us;
	choice->energy_pj = 0;
	if (query->goal == OCTOPUS_LEAST_ENERGY) {
		choice->energy_pj = octopus_energy_pj(context, &choice->work, &choice->plan, choice->time.total_us);
		choice->cost = choice->energy_pj;
	}
	if (query->byte_us > 0)
		choice->cost += query->byte_us * choice->plan.n_worker *
		                (double)octopus_resident_byte(&choice->work, &choice->plan);
	return true;
}

void octopus_evaluate_cut(const struct octopus_context *context, const struct octopus_query *query,
                          const struct split *split, const struct octopus_plan *plan, struct octopus_cut_choice *choice)
{
	*choice = (struct octopus_cut_choice){.split = *split, .plan = *plan};
	octopus_size(context, split, &choice->work);
	if (choice->work.sram_byte > context->machine->pe_sram_byte)
		return;
	octopus_compute(context, split, &choice->work);
	choice->exists = price_cut(context, query, choice);
	choice->energy_pj = octopus_energy_pj(context, &choice->work, plan, choice->time.total_us);
}

/* ---- all cuts ----------------------------------------------------------------------------------------------- */

struct cut_search {
	const struct octopus_context *context;
	const struct octopus_query *query;
	struct octopus_cut_choice *choice;
	struct octopus_cut_choice now; /* the cut at hand */
	struct stop_watch watch;
};

static double measure_cut(const struct cut_search *search, const struct octopus_cut_choice *choice,
                          enum octopus_keep keep)
{
	const struct octopus_ahead *ahead = &choice->ahead;
	double cost = choice->cost, byte_us = 1 / (search->context->machine->octopus.worker_gb_s * 1e3);
	if (search->query->goal != OCTOPUS_FASTEST)
		return cost;
	if (keep == OCTOPUS_KEEP_HIDDEN || keep == OCTOPUS_KEEP_BOTH)
		cost -= ahead->first_us;
	if (keep == OCTOPUS_KEEP_HIDING || keep == OCTOPUS_KEEP_BOTH)
		cost -= real_min(ahead->window_us, (double)ahead->free_byte * byte_us);
	return cost;
}

/* Equal costs leave the earlier choice, whose tiles are larger. */
static void keep_best(struct cut_search *search)
{
	const struct octopus_query *query = search->query;
	uint32_t w = search->now.plan.n_worker - 1;
	search->now.exists = true;
	for (int k = 0; k < (query->ahead ? N_OCTOPUS_KEEP : 1); k++) {
		struct octopus_cut_choice *best = &search->choice[(size_t)k * query->n_worker + w];
		if (!best->exists || measure_cut(search, &search->now, (enum octopus_keep)k) <
		                         measure_cut(search, best, (enum octopus_keep)k))
			*best = search->now;
	}
}

/* Whether the computation alone takes longer than all that is known for this number of workers. */
static bool is_hopeless(const struct cut_search *search, double least_us)
{
	const struct octopus_cut_choice *best = &search->choice[search->now.plan.n_worker - 1];
	/* ahead: another measure may want it; energy: a slower cut may take less */
	return !search->query->ahead && search->query->goal == OCTOPUS_FASTEST && best->exists &&
	       best->cost <= least_us;
}

/* All numbers of workers for a size of tiles, and both orders. */
static void try_workers(struct cut_search *search)
{
	struct octopus_cut_choice *now = &search->now;
	uint32_t n_map = now->work.n_map, n_tile = n_map * now->work.n_filter;
	bool either = n_map > 1 && now->work.n_filter > 1 && !now->work.is_linear;
	uint32_t most = search->query->n_worker < n_tile ? search->query->n_worker : n_tile;
	double tile_us = now->work.mla_us + now->work.arm_us;
	for (uint32_t w = most; w > 0; w--) {
		now->plan.tiles_per_worker = (uint32_t)ceil_div(n_tile, w);
		w = (uint32_t)ceil_div(n_tile, now->plan.tiles_per_worker);
		now->plan.n_worker = w;
		if (is_hopeless(search, now->plan.tiles_per_worker * tile_us))
			continue;
		for (int order = 0; order < (either ? 2 : 1); order++) {
			now->plan.ifmap_first = order == 1;
			if (price_cut(search->context, search->query, now))
				keep_best(search);
		}
	}
}

/* Steps of a watch that the numbers of workers of a tile amount to, or looking for parts of its depth. */
#define TILE_STEPS 256

static void try_tile(struct cut_search *search, uint32_t depth_step)
{
	struct octopus_cut_choice *now = &search->now;
	if (stop_after(&search->watch, TILE_STEPS) || !fit_depth(search->context, depth_step, &now->split, &now->work))
		return;
	octopus_compute(search->context, &now->split, &now->work);
	uint64_t n_tile = (uint64_t)now->work.n_map * now->work.n_filter;
	if (n_tile < UINT32_MAX)
		try_workers(search);
}

/* Filters: of groups, whole groups, and then parts of one. */
static void try_filters(struct cut_search *search, const struct cut_steps *step)
{
	const struct block *block = search->context->block;
	uint32_t n_group = block_n_group(block), n_c = block->out_c;
	for (uint32_t size = n_c; size > 0 && !search->watch.has_come; size = next_size(n_c, step->c, size)) {
		search->now.split.c = cut_dim(n_c, size);
		try_tile(search, step->d);
	}
	uint32_t of_group = block_group_out_c(block);
	for (uint32_t n = 2; n_group > 1 && n <= of_group && !search->watch.has_come; n++) {
		if (of_group % n != 0) /* parts of one size, so that none reaches into the next group */
			continue;
		search->now.split.c = cut_dim(n_c, of_group / n);
		try_tile(search, step->d);
	}
}

bool octopus_search_layer(const struct octopus_context *context, const struct octopus_query *query,
                          struct octopus_cut_choice *choice)
{
	const struct block *block = context->block;
	const struct cut_steps step = steps_of(context);
	struct cut_search search = {
	    .context = context, .query = query, .choice = choice, .watch = stop_watch_for(NULL)};
	size_t n = (query->ahead ? N_OCTOPUS_KEEP : 1) * (size_t)query->n_worker;
	assert(query->n_worker > 0);
	for (size_t i = 0; i < n; i++)
		choice[i].exists = false;
	search.now.split = split_whole(block);
	for (uint32_t w = block->out_w; w > 0 && !search.watch.has_come; w = next_size(block->out_w, step.w, w)) {
		search.now.split.w = cut_dim(block->out_w, w);
		for (uint32_t h = block->out_h; h > 0 && !search.watch.has_come;
		     h = next_size(block->out_h, step.h, h)) {
			search.now.split.h = cut_dim(block->out_h, h);
			try_filters(&search, &step);
		}
	}
	return !search.watch.has_come;
}
