/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thesis' splitter for grouped convolutions, of which it has none. Its rules
 * are kept as far as they say something: columns of the array filled best, then
 * the least aligned bytes of all tasks over the share of PEs they keep busy,
 * then few parts. Rows cannot be filled better by any split. Filters are cut
 * between groups before inside of them, because parts of a group need its ifmap
 * channels each, and input channels last.
 */
#include "mapper/split/splitter_parts.h"
#include "sim/base/checked.h"

/* Numbers of parts of a width or height that are tried: the first ones, and all that divide it. */
#define N_FIRST_PART 16u

struct group_search {
	const struct splitter *splitter;
	const struct block *block;
	uint32_t d; /* input channels of a group a task */

	bool found;
	uint64_t n_column, cost, n_task; /* of the best so far, compared in this order */
	struct split split;
};

/* Of parts of at most these sizes. */
static void try_split(struct group_search *search, const struct split *split)
{
	const struct splitter *splitter = search->splitter;
	uint64_t n_task = split_n_task(split), n_pe = splitter->n_pe;
	uint64_t n_column = align_up(split->w.size_a, splitter->machine->mla_cols) * dim_n_part(&split->w);
	uint64_t need =
	    splitter_need_byte(splitter, split->w.size_a, split->h.size_a, split->c.size_a, search->d, false);
	uint64_t cost = mul_sat(need, align_up(n_task, n_pe));
	if (need > splitter->machine->pe_sram_byte)
		return;
	if (search->found) {
		if (n_column != search->n_column ? n_column > search->n_column
		    : cost != search->cost       ? cost > search->cost
		                                 : n_task >= search->n_task)
			return;
	}
	search->found = true;
	search->n_column = n_column;
	search->cost = cost;
	search->n_task = n_task;
	search->split = *split;
}

/* No number up to 65536 has more divisors than 120. */
enum { MAX_DIVISOR = 128 };
struct divisors {
	size_t n;
	uint32_t of[MAX_DIVISOR]; /* ascending */
};

static struct divisors divisors_of(uint32_t number)
{
	struct divisors divisors = {.n = 0};
	for (uint32_t n = 1; n <= number; n++)
		if (number % n == 0) {
			assert(divisors.n < MAX_DIVISOR);
			divisors.of[divisors.n++] = n;
		}
	return divisors;
}

/* A width and a height with filter parts of whole groups, then, if inside, with equal ones of a group. */
static void try_filters(struct group_search *search, struct split *split, bool inside, const struct divisors *divisors)
{
	const struct block *block = search->block;
	uint32_t n_group = block_n_group(block), size = block_group_out_c(block);
	for (size_t i = inside; i < divisors->n; i++) {
		uint32_t n = divisors->of[i];
		split->c = inside ? (struct dim_split){.size_a = size / n, .n_a = n * n_group}
		                  : (struct dim_split){.size_a = n_group / n * size, .n_a = n};
		try_split(search, split);
	}
}

static bool is_tried(uint32_t n_unit, uint32_t n_part)
{
	return n_part <= N_FIRST_PART || n_unit % n_part == 0;
}

static bool search_parts(struct group_search *search, bool inside)
{
	const struct block *block = search->block;
	uint32_t n_unit_w = block->out_w / block->pool, n_unit_h = block->out_h / block->pool;
	struct split split = split_whole(block);
	const struct divisors divisors = divisors_of(inside ? block_group_out_c(block) : block_n_group(block));
	search->found = false;
	split.d = (struct dim_split){.size_a = search->d, .n_a = block_group_in_c(block) / search->d};
	for (uint32_t n_w = 1; n_w <= n_unit_w; n_w++) {
		if (!is_tried(n_unit_w, n_w))
			continue;
		split.w = dim_even(block->out_w, n_w, block->pool);
		for (uint32_t n_h = 1; n_h <= n_unit_h; n_h++) {
			if (!is_tried(n_unit_h, n_h))
				continue;
			split.h = dim_even(block->out_h, n_h, block->pool);
			try_filters(search, &split, inside, &divisors);
		}
	}
	return search->found;
}

bool splitter_group(const struct splitter *splitter, struct split *split)
{
	struct group_search search = {.splitter = splitter, .block = splitter->block};
	uint32_t n_channel = block_group_in_c(splitter->block);
	assert(block_n_group(splitter->block) > 1);
	for (uint32_t n = 1; n <= n_channel; n++) {
		search.d = n_channel / n;
		if (n_channel % n != 0 || (!search_parts(&search, false) && !search_parts(&search, true)))
			continue;
		*split = search.split;
		return true;
	}
	return false;
}
