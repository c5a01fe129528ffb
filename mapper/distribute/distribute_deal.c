/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"

bool distribute_is_local(const struct layer_context *context)
{
	return context->block->kind == BLOCK_MATMUL || context->form == FORM_MATMUL;
}

struct deal distribute_deal_of(const struct layer_context *context, const struct layer_design *design,
                               const struct tiling *tiling)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	bool is_matmul = context->block->kind == BLOCK_MATMUL, fused = strategy_table[design->strategy].fused;
	struct deal deal = {
	    .n_row = is_matmul ? tiling->n_h : tiling->n_map,
	    .n_column = is_matmul ? tiling->n_w : tiling->n_c,
	    .n_queue = hierarchy->n_queue,
	    .n_pass = tiling->n_d,
	    .n_pe = hierarchy->pe_per_queue,
	    .n_load = distribute_is_local(context) ? 1 : 2,
	    .is_chain = fused,
	};
	/* a fused one on a chip is dealt over the double blocks, each with its interface and without storage QPEs */
	if (is_matmul && mapper_serves_storage(context, design)) {
		deal.n_queue = ceil_div(hierarchy->n_block, hierarchy->block_per_dram);
		deal.n_pe = hierarchy->pe_per_block * hierarchy->block_per_dram;
		deal.is_blocks = true;
	}
	return deal;
}

bool distribute_deals_columns(const struct deal *deal)
{
	return deal->n_column >= deal->n_queue;
}

/* Columns of a queue by size. */
static void deal_columns(const struct dim_split *dim, uint64_t first, uint64_t end, uint32_t n[2])
{
	uint64_t large_end = dim->n_a < first ? first : dim->n_a < end ? dim->n_a : end;
	n[0] = (uint32_t)(large_end - first);
	n[1] = (uint32_t)(end - large_end);
}

const struct dim_split *distribute_column_split(const struct layer_context *context, const struct split *split)
{
	return context->block->kind == BLOCK_MATMUL ? &split->w : &split->c;
}

static struct job_order order_of(const struct layer_context *context, const struct split *split,
                                 const struct deal *deal, uint64_t queue)
{
	bool is_matmul = context->block->kind == BLOCK_MATMUL;
	const struct dim_split *column = distribute_column_split(context, split);
	struct job_order order = {
	    .n_h = {split->h.n_a, split->h.n_b},
	    .n_w = {is_matmul ? 1 : split->w.n_a, is_matmul ? 0 : split->w.n_b},
	    .n_d = {split->d.n_a, split->d.n_b},
	    .is_chain = deal->is_chain,
	    .n_pe = deal->n_pe,
	    .n_load = deal->is_blocks ? 0 : deal->n_load,
	};
	uint64_t n_dealt = distribute_deals_columns(deal) ? deal->n_column : deal->n_row * deal->n_column;
	uint64_t first = n_dealt * queue / deal->n_queue, end = n_dealt * (queue + 1) / deal->n_queue;
	if (distribute_deals_columns(deal)) {
		deal_columns(column, first, end, order.n_c);
		order.n_result = deal->n_row * (end - first);
	} else {
		deal_columns(column, 0, deal->n_column, order.n_c);
		order.n_skip = first;
		order.n_result = end - first;
	}
	uint64_t n_independent = order.n_result * (order.is_chain ? 1 : deal->n_pass);
	if (order.n_pe > n_independent)
		order.n_pe = (uint32_t)n_independent;
	if (!deal->is_blocks) {
		order.n_before = queue * order.n_pe * deal->n_load;
		order.n_command = deal->n_queue * order.n_pe * deal->n_load;
	}
	if (order.n_result > 0)
		order.host_share = (double)(deal->n_row * deal->n_column) / (double)order.n_result;
	return order;
}

/* Of the queues with as many columns of each size the one that the host starts last. */
static struct job_order last_alike(const struct layer_context *context, const struct split *split,
                                   const struct deal *deal, uint64_t queue)
{
	struct job_order first = order_of(context, split, deal, queue), last = first;
	while (distribute_deals_columns(deal) && ++queue < deal->n_queue) {
		struct job_order other = order_of(context, split, deal, queue);
		if (other.n_c[0] == first.n_c[0] && other.n_c[1] == first.n_c[1])
			last = other;
	}
	return last;
}

uint32_t distribute_busiest_queues(const struct layer_context *context, const struct split *split,
                                   const struct deal *deal, struct job_order order[2])
{
	uint64_t n_dealt = distribute_deals_columns(deal) ? deal->n_column : deal->n_row * deal->n_column, queue = 0;
	uint64_t n_most = ceil_div(n_dealt, deal->n_queue);
	bool has_wide_rows = context->block->kind != BLOCK_MATMUL && split->w.n_b > 0;
	bool is_equal = distribute_column_split(context, split)->n_b == 0 &&
	                (distribute_deals_columns(deal) || (split->h.n_b == 0 && !has_wide_rows));
	while (n_dealt * (queue + 1) / deal->n_queue - n_dealt * queue / deal->n_queue < n_most)
		queue++;
	order[0] =
	    is_equal ? order_of(context, split, deal, deal->n_queue - 1) : last_alike(context, split, deal, queue);
	if (queue == 0 || is_equal)
		return 1;
	order[1] = last_alike(context, split, deal, 0);
	return order[1].n_result > 0 ? 2 : 1; /* of fewer results than queues the first one has none */
}

struct job_order distribute_last_queue(const struct layer_context *context, const struct split *split,
                                       const struct deal *deal)
{
	return order_of(context, split, deal, deal->n_queue - 1);
}

static uint64_t n_large_row(const struct split *split, uint64_t n_w, uint64_t n_row)
{
	uint64_t n_image_row = dim_n_part(&split->h) * n_w, n_large = split->h.n_a * n_w, rest = n_row % n_image_row;
	return n_row / n_image_row * n_large + (rest < n_large ? rest : n_large);
}

double distribute_column_sum(const struct dim_split *column, const uint32_t n[2], uint32_t step)
{
	return (double)n[0] * (double)ceil_div(column->size_a, step) +
	       (n[1] > 0 ? (double)n[1] * (double)ceil_div(column->size_b, step) : 0);
}

struct share distribute_share_of(const struct layer_context *context, const struct split *split,
                                 const struct deal *deal, const struct job_order *order)
{
	const struct dim_split *column = distribute_column_split(context, split);
	bool is_matmul = context->block->kind == BLOCK_MATMUL;
	const uint32_t all[2] = {column->n_a, column->n_b};
	uint32_t step = is_matmul ? context->machine->mla_cols : context->machine->mla_rows;
	double n_frac = (double)order->n_result / ((double)deal->n_row * (double)deal->n_column);
	if (distribute_deals_columns(deal))
		return (struct share){
		    n_frac, distribute_column_sum(column, order->n_c, 1) / distribute_column_sum(column, all, 1),
		    distribute_column_sum(column, order->n_c, step) / distribute_column_sum(column, all, step)};
	uint64_t n_w = order->n_w[0] + order->n_w[1], first = order->n_skip / deal->n_column;
	uint64_t end = ceil_div(order->n_skip + order->n_result, deal->n_column);
	uint64_t n_large = n_large_row(split, n_w, end) - n_large_row(split, n_w, first);
	double high = (double)(n_large * split->h.size_a + (end - first - n_large) * split->h.size_b);
	double mean = (double)dim_extent(&split->h) / dim_n_part(&split->h) * (double)(end - first);
	return (struct share){n_frac, n_frac * high / mean, n_frac * high / mean};
}
