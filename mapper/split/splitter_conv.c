/* SPDX-License-Identifier: Apache-2.0 */
/* The thesis' splitter for convolutions (section 4.2.1): all splits that its rules allow, and the best of them. */
#include "mapper/split/splitter_parts.h"
#include "sim/base/checked.h"
#include <string.h>

/* How far below the even size the smaller of two part sizes may lie. */
#define MAX_SIZE_GAP 64u

/* A search over the splits of a convolution with d input channels a task. */
struct conv_search {
	const struct splitter *splitter;
	const struct block *block;
	uint32_t step; /* of widths and heights: stride of the pooling that follows, fused or not */
	uint32_t d;

	/* The best so far, and what it is compared by, first to last. */
	bool found;
	uint64_t n_column; /* of the MAC array, over the parts of a row: fewest fill them best */
	double cost;       /* aligned bytes over all tasks; on the chip over the share of busy PEs */
	uint64_t rank[3];
	struct split split;
};

static bool is_better(const struct conv_search *search, uint64_t n_column, double cost, const uint64_t rank[3])
{
	if (!search->found || n_column != search->n_column)
		return !search->found || n_column < search->n_column;
	if (cost < search->cost || cost > search->cost)
		return cost < search->cost;
	for (size_t i = 0; i < 3; i++)
		if (rank[i] != search->rank[i])
			return rank[i] < search->rank[i];
	return false;
}

static uint64_t columns_of(const struct conv_search *search, const struct dim_split *w)
{
	uint32_t cols = search->splitter->machine->mla_cols;
	return align_up(w->size_a, cols) * w->n_a + align_up(w->size_b, cols) * w->n_b;
}

/* Sum over the parts of what a part's extent in the ifmap (equation 4.1) and in the unstrided ofmap comes to. */
static uint64_t sum_in(const struct dim_split *dim, uint32_t kernel, uint32_t stride, uint32_t align)
{
	uint64_t a = ((uint64_t)dim->size_a - 1) * stride + kernel, sum = align_up(a, align) * dim->n_a;
	if (dim->n_b > 0)
		sum += align_up(((uint64_t)dim->size_b - 1) * stride + kernel, align) * dim->n_b;
	return sum;
}

static uint64_t sum_out(const struct dim_split *dim, uint32_t stride, uint32_t align)
{
	return align_up((uint64_t)dim->size_a * stride, align) * dim->n_a +
	       align_up((uint64_t)dim->size_b * stride, align) * dim->n_b;
}

/*
 * Aligned bytes of ifmap parts and results over all tasks: what appendix A
 * keeps from growing. By equation 4.1 parts of a 1x1 kernel with stride 2 have
 * fewer rows the more there are; the tables show that the thesis counts so.
 */
static uint64_t traffic_of(const struct conv_search *search, const struct dim_split *w, const struct dim_split *h)
{
	const struct block *block = search->block;
	uint64_t in = mul_sat(sum_in(w, block_reach_w(block), block->stride, 16),
	                      sum_in(h, block_reach_h(block), block->stride, 1));
	uint64_t out = mul_sat(sum_out(w, block->stride, 4), sum_out(h, block->stride, 1));
	return add_sat(mul_sat(in, block->in_c), mul_sat(out, 4 * (uint64_t)block->out_c));
}

/* Groups of at most size filters, what is left over in a smaller one. */
static struct dim_split filter_groups(uint32_t n_filter, uint32_t size)
{
	uint32_t rest = n_filter % size;
	assert(n_filter > 0);
	if (n_filter <= size)
		return dim_whole(n_filter);
	return (struct dim_split){size, n_filter / size, rest, rest > 0};
}

/* Input channels d a task, which divides them. */
static struct dim_split channel_parts(const struct conv_search *search)
{
	assert(search->block->in_c % search->d == 0);
	return (struct dim_split){.size_a = search->d, .n_a = search->block->in_c / search->d};
}

static void keep(struct conv_search *search, uint64_t n_column, double cost, const uint64_t rank[3], struct dim_split w,
                 struct dim_split h, struct dim_split c)
{
	assert(dim_extent(&w) == search->block->out_w && dim_extent(&h) == search->block->out_h);
	search->found = true;
	search->n_column = n_column;
	search->cost = cost;
	memcpy(search->rank, rank, sizeof(search->rank));
	search->split = (struct split){w, h, c, channel_parts(search)};
}

/* The largest multiple of step, up to the ofmap's height, of which a task fits; 0: none. */
static uint32_t most_rows(const struct conv_search *search, uint32_t w, uint32_t c)
{
	uint32_t low = 0, high = search->block->out_h / search->step;
	assert(search->block->out_h % search->step == 0);
	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;
		if (splitter_fits(search->splitter, w, middle * search->step, c, search->d, false))
			low = middle;
		else
			high = middle - 1;
	}
	return low * search->step;
}

/* The largest divisor of n that is at most limit, found from its pairs: heights may have 65536 rows. */
static uint32_t largest_divisor(uint32_t n, uint32_t limit)
{
	uint32_t largest = 0;
	assert(n > 0);
	for (uint32_t low = 1; low <= limit && (uint64_t)low * low <= n; low++) {
		if (n % low != 0)
			continue;
		if (n / low <= limit)
			return n / low;
		largest = low;
	}
	return largest;
}

/*
 * n parts of the height such that the PEs of a QPE, which work in step, get
 * equal tasks: equal parts, or as many larger ones as share out evenly. The
 * smallest large part, then the most of them (ResNet-50's CONV_1: 10*8+8*4).
 */
static bool balanced_rows(const struct conv_search *search, uint32_t n_w, uint32_t n, struct dim_split *h)
{
	uint32_t n_unit = search->block->out_h / search->step, n_pe = search->splitter->n_pe;
	uint32_t m_step = n_pe / (uint32_t)common_divisor(n_w, n_pe), even, gap;
	bool found = false;
	assert(n > 0 && n <= n_unit);
	if (n_unit % n == 0) {
		*h = dim_even(search->block->out_h, n, search->step);
		return true;
	}
	even = n_unit / n;
	for (gap = 0; gap < MAX_SIZE_GAP && gap < even; gap++) {
		uint32_t b = even - gap, rest = n_unit - b * n;
		uint32_t most = (rest < n ? rest : n - 1) / m_step;
		uint32_t m = rest % m_step == 0 ? m_step * largest_divisor(rest / m_step, most) : 0;
		if (m == 0 || (found && (b + rest / m) * search->step >= h->size_a))
			continue;
		*h = (struct dim_split){(b + rest / m) * search->step, m, b * search->step, n - m};
		found = true;
	}
	return found;
}

/* The number of parts of the height that appendix A wants: fewest, unless parts shrink faster than they multiply. */
static bool choose_rows(const struct conv_search *search, uint32_t n_w, uint32_t w, uint32_t c, uint32_t n_group,
                        struct dim_split *h)
{
	const struct block *block = search->block;
	uint32_t n_unit = block->out_h / search->step, most = most_rows(search, w, c), n;
	if (most == 0)
		return false;
	n = block_reach_h(block) < block->stride ? n_unit : (uint32_t)ceil_div(block->out_h, most);
	for (; n <= n_unit; n++)
		if ((uint64_t)n * n_w * n_group >= search->splitter->n_pe && balanced_rows(search, n_w, n, h) &&
		    h->size_a <= most)
			return true;
	return false;
}

/* QPE: one row of filters a task, then the map. */
static void search_qpe(struct conv_search *search)
{
	const struct block *block = search->block;
	uint32_t n_unit = block->out_w / search->step;
	struct dim_split c = filter_groups(block->out_c, search->splitter->machine->mla_rows), h;
	for (uint32_t n_w = 1; n_w <= n_unit; n_w++) {
		struct dim_split w;
		if (n_unit % n_w != 0)
			continue;
		w = dim_even(block->out_w, n_w, search->step);
		if (!choose_rows(search, n_w, w.size_a, c.size_a, dim_n_part(&c), &h))
			continue;
		uint64_t rank[3] = {(uint64_t)n_w * dim_n_part(&h), n_w, h.size_a};
		double cost = (double)traffic_of(search, &w, &h);
		if (is_better(search, columns_of(search, &w), cost, rank))
			keep(search, columns_of(search, &w), cost, rank, w, h, c);
	}
}

/* QPE, before the map is cut: the fewest groups of whole rows of filters that fit beside the whole map. */
static bool search_filters(struct conv_search *search)
{
	const struct block *block = search->block;
	uint32_t rows = search->splitter->machine->mla_rows;
	uint32_t n_row = block->out_c / rows;
	if (block->out_c % rows != 0 || block->out_w % search->step != 0 || block->out_h % search->step != 0)
		return false;
	for (uint32_t n = search->splitter->n_pe; n <= n_row; n++) {
		uint32_t c = n_row / n * rows;
		if (n_row % n != 0 || !splitter_fits(search->splitter, block->out_w, block->out_h, c, search->d, false))
			continue;
		search->split = (struct split){
		    dim_whole(block->out_w), dim_whole(block->out_h), {c, n, 0, 0}, channel_parts(search)};
		return true;
	}
	return false;
}

/* Chip: one width and one height of part with every number of filter groups. */
static void search_chip_filters(struct conv_search *search, const struct dim_split *w, const struct dim_split *h)
{
	const struct splitter *splitter = search->splitter;
	uint32_t rows = splitter->machine->mla_rows, n_row = search->block->out_c / rows;
	uint64_t n_map = (uint64_t)w->n_a * h->n_a;
	double traffic = (double)traffic_of(search, w, h);
	for (uint32_t n = 1; n <= n_row; n++) {
		uint64_t n_task = n_map * n, n_slot = splitter->n_pe;
		/* A filter group for every PE of a double block, so that each is loaded once by the block's DRAM. */
		if (n_row % n != 0 || (n < splitter->n_pe_of_dram && n < n_row) || n_task < splitter->n_pe)
			continue;
		if (!splitter_fits(splitter, w->size_a, h->size_a, n_row / n * rows, search->d,
		                   n_task > splitter->n_pe))
			continue;
		while (n_slot < n_task)
			n_slot *= 2;
		/* Where PEs stay idle the tables have the finer parts (ResNet-50's CONV_27: 14 rather than 7). */
		uint64_t rank[3] = {w->n_a, n, n_slot == n_task ? n_task : UINT64_MAX - n_task};
		double cost = traffic * (double)n_slot / (double)n_task;
		if (is_better(search, columns_of(search, w), cost, rank))
			keep(search, columns_of(search, w), cost, rank, *w, *h,
			     (struct dim_split){n_row / n * rows, n, 0, 0});
	}
}

static void search_chip(struct conv_search *search)
{
	const struct block *block = search->block;
	uint32_t n_unit_w = block->out_w / search->step, n_unit_h = block->out_h / search->step;
	if (block->out_c % search->splitter->machine->mla_rows != 0)
		return;
	for (uint32_t n_w = 1; n_w <= n_unit_w; n_w++) {
		if (n_unit_w % n_w != 0)
			continue;
		struct dim_split w = dim_even(block->out_w, n_w, search->step);
		for (uint32_t n_h = 1; n_h <= n_unit_h; n_h++)
			if (n_unit_h % n_h == 0) {
				struct dim_split h = dim_even(block->out_h, n_h, search->step);
				search_chip_filters(search, &w, &h);
			}
	}
}

/*
 * What the tables have no example of: extents without good divisors, too few
 * tasks, odd numbers of filters. Nearly even parts, few of them, any number of
 * tasks; weights are given their second place, so that migration stays possible.
 */
static void search_any(struct conv_search *search)
{
	const struct splitter *splitter = search->splitter;
	const struct block *block = search->block;
	uint32_t n_unit_w = block->out_w / search->step, n_unit_h = block->out_h / search->step;
	struct dim_split c = filter_groups(block->out_c, splitter->machine->mla_rows);
	for (uint64_t n_tried = 1; n_tried < 2 * (uint64_t)n_unit_w; n_tried *= 2) {
		uint32_t n_w = n_tried < n_unit_w ? (uint32_t)n_tried : n_unit_w;
		struct dim_split w = dim_even(block->out_w, n_w, search->step), h;
		uint32_t most = most_rows(search, w.size_a, c.size_a);
		if (most == 0)
			continue;
		uint32_t n_h = (uint32_t)ceil_div(block->out_h, most);
		while (n_h < n_unit_h && (uint64_t)n_w * n_h * dim_n_part(&c) < splitter->n_pe)
			n_h++;
		h = dim_even(block->out_h, n_h, search->step);
		while (h.size_a > search->step &&
		       !splitter_fits(splitter, w.size_a, h.size_a, c.size_a, search->d, splitter->chip))
			h = dim_even(block->out_h, ++n_h, search->step);
		/* Idle PEs first, then bytes. */
		uint64_t n_task = (uint64_t)n_w * n_h * dim_n_part(&c);
		uint64_t n_idle = n_task < splitter->n_pe ? splitter->n_pe - n_task : 0, rank[3] = {n_task, n_w, 0};
		double cost = (double)traffic_of(search, &w, &h);
		if (is_better(search, n_idle, cost, rank))
			keep(search, n_idle, cost, rank, w, h, c);
	}
}

static bool search_with_channels(struct conv_search *search)
{
	uint32_t rows = search->splitter->machine->mla_rows, least_c = search->block->out_c;
	/* No search tries less than one row of filters on one pixel; without this the largest maps take hours to
	 * refuse. */
	search->found = false;
	if (least_c > rows)
		least_c = rows;
	if (!splitter_fits(search->splitter, search->step, search->step, least_c, search->d, false))
		return false;
	if (!search->splitter->chip && search_filters(search))
		return true;
	if (search->splitter->chip)
		search_chip(search);
	else
		search_qpe(search);
	if (!search->found)
		search_any(search);
	return search->found;
}

/* The stride of a pooling block that reads the result counts too, where it divides the map (CONV_1 of ResNet-50). */
static uint32_t step_of(const struct block *block)
{
	uint32_t next = block->next_pool_stride;
	if (block->pool == 1 && next > 1 && block->out_w % next == 0 && block->out_h % next == 0)
		return next;
	return block->pool;
}

/* Input channels are cut last and into as few parts as will do: their sums are work for the ARM core. */
bool splitter_conv(const struct splitter *splitter, struct split *split)
{
	struct conv_search search = {.splitter = splitter, .block = splitter->block, .step = step_of(splitter->block)};
	uint32_t in_c = splitter->block->in_c;
	for (;;) {
		for (uint32_t n = 1; n <= in_c; n++) {
			search.d = in_c / n;
			if (in_c % n == 0 && search_with_channels(&search)) {
				*split = search.split;
				return true;
			}
		}
		/* Parts that suit an unfused pooling may be too large; one pixel is the smallest task. */
		if (search.step == splitter->block->pool)
			return false;
		search.step = splitter->block->pool;
	}
}
