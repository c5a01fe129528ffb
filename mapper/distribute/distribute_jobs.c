/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <math.h>

/*
 * No reuse: filters are dealt over the DRAM interfaces' queues, a job is one
 * ifmap part with one filter part, and any idle PE of the queue takes the next
 * (thesis section 4.3.1; on the chip every interface holds the whole ifmap).
 * A matrix multiplication's filters are blocks of columns of B, its ifmap parts
 * blocks of columns of A.
 */

#define RESULT_BYTE 4       /* of a partial sum */
#define RESULT_LINE_BYTE 16 /* results are written in whole lines */

/*
 * Jobs are served one by one where they take no more than so many rounds of a queue's PEs, or are no more than so many.
 * Of more jobs an excerpt is served where PEs are few; where they are many they are not told apart, as an evaluation
 * would be slow and each job is a small part of the whole.
 */
#define MAX_SERVED_ROUND 4
#define MAX_SERVED_JOB 64
#define MAX_EXCERPT_PE 16
/* So many times as many where the largest job is that much larger than the mean, as the queue ends with it or waits. */
#define UNEVEN_ROUND 4
#define UNEVEN_FRAC 2.0

/* Shares of queues are sums of fractions: equal within so much. */
#define EVEN_FRAC 1e-9

/* Messages of the host for a job, 1 PE clock each, whatever the queue: command and report of each load, of the task,
 * report of the write; the first jobs wait for the commands of those before them. */
#define TASK_MESSAGE 2
#define WRITE_MESSAGE 1

/* DRAM bytes of all jobs. */
struct traffic {
	double map_byte, filter_byte, write_byte;
	double storage_map_byte, storage_write_byte; /* the same by way of the storage QPEs, whole */
	double copied_byte;                          /* partial sums, between PEs of a QPE */
};

static struct traffic traffic_of(const struct layer_context *context, const struct layer_design *design,
                                 const struct tiling *tiling)
{
	bool is_matmul = context->block->kind == BLOCK_MATMUL, fused = strategy_table[design->strategy].fused;
	double map = (double)(fused ? tiling->all_map_byte : tiling->all_map_aligned_byte);
	double result = fused ? (double)tiling->all_out_byte : (double)tiling->all_raw_out_byte * tiling->n_d;
	struct traffic traffic = {.map_byte = map * (is_matmul ? tiling->n_w : tiling->n_meet),
	                          .filter_byte = (double)tiling->all_filter_byte *
	                                         (is_matmul ? (double)tiling->n_h : (double)tiling->n_map),
	                          .write_byte = result};
	if (is_matmul && design->in_storage) {
		traffic.storage_map_byte = traffic.map_byte;
		traffic.map_byte = 0;
	}
	if (is_matmul && design->out_storage) {
		traffic.storage_write_byte = traffic.write_byte;
		traffic.write_byte = 0;
	}
	if (is_matmul && tiling->n_d > 1 && mapper_serves_storage(context, design))
		traffic.copied_byte = (double)tiling->all_raw_out_byte * tiling->n_d;
	return traffic;
}

/* DRAM traffic of a job of a kind: that of a tiling whose only task it is. */
static void kind_traffic(const struct layer_context *context, const struct layer_design *design,
                         const struct tiling_kind *kind, struct job_kind *job)
{
	const struct split *split = &design->split;
	bool fused = strategy_table[design->strategy].fused, is_matmul = context->block->kind == BLOCK_MATMUL;
	const struct split one = {.w = {.size_a = kind->w ? split->w.size_b : split->w.size_a, .n_a = 1},
	                          .h = {.size_a = kind->h ? split->h.size_b : split->h.size_a, .n_a = 1},
	                          .c = {.size_a = kind->c ? split->c.size_b : split->c.size_a, .n_a = 1},
	                          .d = {.size_a = kind->d ? split->d.size_b : split->d.size_a, .n_a = 1}};
	struct tiling part;
	tiling_size(context, &one, &part);
	uint64_t map_byte = is_matmul ? part.map_byte : align_up(part.map_byte, 16);
	if (!fused)
		map_byte = context->is_packed ? map_byte : part.map_aligned_byte;
	job->load_byte = (double)part.filter_byte;
	job->storage_packet = 0;
	if (!is_matmul || !design->in_storage)
		job->load_byte += (double)map_byte;
	else
		job->storage_packet = (double)map_byte / context->machine->noc_packet_byte;
	job->write_byte = is_matmul && design->out_storage ? 0 : (double)(fused ? part.out_byte : part.raw_out_byte);
}

/* Operand A of so many words; from the own SRAM only the answer passes the router, a packet at a time. */
static struct mla_fetch fetch_of(const struct layer_context *context, const struct tiling *tiling, double a_word,
                                 double mac_clk)
{
	if (!distribute_is_local(context))
		return tiling_fetch(context, tiling, a_word, mac_clk);
	return (struct mla_fetch){0, a_word * 4 / context->machine->noc_packet_byte / 2, 1e9};
}

/* Partial sums go to a PE that keeps them (mapper/unfold/unfold_matmul.c). */
static double copy_packet(const struct layer_context *context, const struct layer_design *design,
                          const struct tiling *tiling, double n_column, double n_row)
{
	if (tiling->n_d == 1 || context->block->kind != BLOCK_MATMUL || !mapper_serves_storage(context, design))
		return 0;
	return n_column * n_row * RESULT_BYTE / context->machine->noc_packet_byte;
}

void distribute_job_kind(const struct layer_context *context, const struct layer_design *design,
                         const struct tiling *tiling, const struct tiling_kind *kind, struct job_kind *job)
{
	struct mla_cost cost;
	kind_traffic(context, design, kind, job);
	tiling_kind_cost(context, &design->split, tiling, kind, &cost);
	job->task_clk = cost.clk;
	job->task_shared_clk = cost.shared_clk;
	job->fetch = fetch_of(context, tiling, (double)cost.a_word, (double)cost.mac_clk);
	job->fetch.n_round = distribute_is_local(context) ? 0 : (double)cost.n_round;
	const struct split *split = &design->split;
	job->copy_packet = copy_packet(context, design, tiling, kind->w ? split->w.size_b : split->w.size_a,
	                               kind->h ? split->h.size_b : split->h.size_a);
}

/* Of a range: whether it has several numbers of parts of the input channels. */
static bool is_d_open(const struct tiling *tiling)
{
	return tiling->range && tiling->range->d.n_least < tiling->range->d.n_most;
}

/* Whether all parts of a dimension are alike. */
static bool is_even(const struct dim_split *dim)
{
	return dim->n_a == 0 || dim->n_b == 0;
}

/* Parts of the larger size; of a range of splits one at least. */
static uint64_t n_largest_part(const struct tiling *tiling, enum bound_open dim, uint64_t n_large)
{
	return tiling->open & (unsigned)dim ? 1 : n_large;
}

/* Results of the largest parts that one queue has at least. */
static uint64_t n_largest_result(const struct layer_context *context, const struct layer_design *design,
                                 const struct tiling *tiling, const struct deal *deal, const struct jobs *jobs)
{
	const struct split *split = &design->split;
	if (!jobs->is_uneven)
		return jobs->busiest.n_write;
	if (!distribute_deals_columns(deal))
		return 1;
	uint64_t n_row = n_largest_part(tiling, BOUND_OPEN_H, split->h.n_a) * block_batch(context->block);
	bool is_matmul = context->block->kind == BLOCK_MATMUL;
	n_row *= is_matmul ? 1 : n_largest_part(tiling, BOUND_OPEN_W, split->w.n_a);
	/* the first queue has as many large columns as others, or all */
	uint64_t n_column = deal->n_column / deal->n_queue, n_large = distribute_column_split(context, split)->n_a;
	return n_row * n_largest_part(tiling, is_matmul ? BOUND_OPEN_W : BOUND_OPEN_C, min_u64(n_column, n_large));
}

/* What a PE does for a result of the largest parts: its jobs with all parts of d where they are a chain, else one. */
static void fill_largest(const struct layer_context *context, const struct layer_design *design,
                         const struct tiling *tiling, const struct deal *deal, struct jobs *jobs)
{
	bool is_matmul = context->block->kind == BLOCK_MATMUL, fused = strategy_table[design->strategy].fused;
	const struct split *split = &design->split;
	double load_byte = (double)tiling->filter_byte;
	double map_byte = (double)(fused || context->is_packed ? tiling->map_byte : tiling->map_aligned_byte);
	bool is_chain = fused && tiling->n_d > 1;
	if (is_chain && (is_matmul || (tiling->open & BOUND_OPEN_D) == 0)) {
		double n_part = (double)dim_extent(&split->d) / split->d.size_a;
		if (is_matmul && tiling->range)
			n_part = (double)tiling->range->d.extent / tiling->in_w;
		/* the rows of B's parts are stored in words */
		load_byte = is_matmul ? load_byte * tiling->in_w / (double)align_up(tiling->in_w, 4) : load_byte;
		load_byte *= n_part;
		map_byte *= n_part;
	}
	bool is_stored = is_matmul && design->in_storage;
	jobs->n_largest = is_chain ? tiling->n_d : 1;
	jobs->largest = (struct job_kind){
	    .load_byte = is_stored ? load_byte : load_byte + map_byte,
	    .storage_packet = is_stored ? map_byte / context->machine->noc_packet_byte : 0,
	    .task_clk = tiling_least_task_clk(context, split, tiling, is_chain),
	    .copy_packet = is_chain ? copy_packet(context, design, tiling, (double)tiling->out_w, tiling->in_h) : 0,
	};
	if (!is_matmul || !design->out_storage)
		jobs->largest.write_byte = (double)(fused ? tiling->out_byte : tiling->raw_out_byte);
	jobs->n_largest_result = n_largest_result(context, design, tiling, deal, jobs);
}

static void fill_kinds(const struct layer_context *context, const struct layer_design *design,
                       const struct tiling *tiling, struct jobs *jobs)
{
	bool is_matmul = context->block->kind == BLOCK_MATMUL;
	const struct job_order *order = jobs->order;
	jobs->kinds = 0;
	for (uint32_t k = 0; k < JOB_MAX_KIND && jobs->n_order > 0; k++) {
		uint32_t h = k >> 3, w = k >> 2 & 1, c = k >> 1 & 1, d = k & 1;
		const struct tiling_kind kind = {h, is_matmul ? c : w, is_matmul ? 0 : c, d};
		bool any_c = false;
		for (uint32_t i = 0; i < jobs->n_order; i++)
			any_c |= order[i].n_c[c] > 0;
		if (order->n_h[h] == 0 || order->n_w[w] == 0 || !any_c || order->n_d[d] == 0)
			continue;
		distribute_job_kind(context, design, tiling, &kind, &jobs->kind[k]);
		jobs->kinds |= 1u << k;
	}
}

/*
 * The queue that starts last ends last where it has about as much to do as the busiest. Its columns are the smallest,
 * which may take the array as long as larger ones.
 */
#define LAST_FRAC 0.8

static void add_last_queue(const struct layer_context *context, const struct split *split, const struct deal *deal,
                           struct jobs *jobs)
{
	struct job_order last = distribute_last_queue(context, split, deal);
	double most_frac = 0, frac = distribute_share_of(context, split, deal, &last).round_frac;
	for (uint32_t i = 0; i < jobs->n_order; i++) {
		if (jobs->order[i].n_before == last.n_before)
			return;
		most_frac = real_max(most_frac, distribute_share_of(context, split, deal, &jobs->order[i]).round_frac);
	}
	if (jobs->n_order > 0 && frac >= LAST_FRAC * most_frac)
		jobs->order[jobs->n_order++] = last;
}

/* Results of the queue that has most, and its share if all are equal. */
static uint64_t most_results(const struct deal *deal)
{
	if (distribute_deals_columns(deal))
		return ceil_div(deal->n_column, deal->n_queue) * deal->n_row;
	return ceil_div(deal->n_row * deal->n_column, deal->n_queue);
}

/* Whether the sizes of columns, or of rows where results are dealt, are those of one split. */
static bool is_dealt_known(const struct layer_context *context, const struct tiling *tiling, const struct deal *deal)
{
	unsigned column = context->block->kind == BLOCK_MATMUL ? BOUND_OPEN_W : BOUND_OPEN_C;
	return (tiling->open & (distribute_deals_columns(deal) ? column : BOUND_OPEN_H)) == 0;
}

/*
 * Whether the jobs of a queue are of several sizes, or may be. Those of a chain are one PE's, one after the other, and
 * take together what as many equal ones do, but for the last one's tail.
 */
static bool has_sizes(const struct split *split, const struct tiling *tiling, const struct deal *deal,
                      const struct job_order *order)
{
	unsigned open = deal->is_chain ? tiling->open & ~(unsigned)BOUND_OPEN_D : tiling->open;
	return open != 0 || is_d_open(tiling) || !is_even(&split->h) || (!deal->is_chain && !is_even(&split->d)) ||
	       (order->n_w[0] > 0 && order->n_w[1] > 0) || (order->n_c[0] > 0 && order->n_c[1] > 0);
}

/* Where only columns are of two sizes, and d in a chain: the smallest of them (jobs->tail_frac). */
static void fill_tail(const struct layer_context *context, const struct split *split, const struct tiling *tiling,
                      const struct deal *deal, const struct job_order *order, struct jobs *jobs)
{
	const struct dim_split *column = distribute_column_split(context, split);
	bool is_matmul = context->block->kind == BLOCK_MATMUL;
	unsigned open = deal->is_chain ? tiling->open & ~(unsigned)BOUND_OPEN_D : tiling->open;
	if (open != 0 || !distribute_deals_columns(deal) || !is_even(&split->h) ||
	    (!is_matmul && !is_even(&split->w)) || (!deal->is_chain && (is_d_open(tiling) || !is_even(&split->d))))
		return;
	uint32_t step = is_matmul ? context->machine->mla_cols : context->machine->mla_rows;
	uint32_t size = column->n_b > 0 ? column->size_b : column->size_a;
	double mean = distribute_column_sum(column, order->n_c, step) / (order->n_c[0] + order->n_c[1]);
	jobs->tail_frac = real_min(1, (double)ceil_div(size, step) / mean);
	jobs->tail_write_frac = real_min(jobs->tail_frac, (double)size / column->size_a);
	double n_d = (double)dim_n_part(&split->d), extent = (double)dim_extent(&split->d);
	if (deal->is_chain)
		jobs->first_frac = split->d.size_a / (tiling->range ? (double)tiling->range->d.extent : extent);
	if ((tiling->open & BOUND_OPEN_D) == 0 && !is_d_open(tiling))
		jobs->tail_job_frac =
		    jobs->tail_frac * (split->d.n_b > 0 ? split->d.size_b : split->d.size_a) * n_d / extent;
}

static double share_byte(const struct traffic *traffic, const struct share *share)
{
	return traffic->map_byte * share->n_frac + traffic->filter_byte * share->round_frac +
	       traffic->write_byte * share->size_frac;
}

/*
 * The busiest queue's share of a split; order: which of jobs->order it is. By sizes alone, so that a split of which
 * only the least traffic is known has the same. Another one may move more: jobs->dram_byte.
 */
static struct share split_share(const struct layer_context *context, const struct split *split, const struct deal *deal,
                                const struct traffic *traffic, struct jobs *jobs, uint32_t *order)
{
	double most_frac = -1, mean_frac = 1 / (double)deal->n_queue;
	struct share share = {0, 0, 0};
	jobs->dram_byte = 0;
	jobs->n_order = distribute_busiest_queues(context, split, deal, jobs->order);
	for (uint32_t i = 0; i < jobs->n_order; i++) {
		struct share other = distribute_share_of(context, split, deal, &jobs->order[i]);
		jobs->dram_byte = real_max(jobs->dram_byte, share_byte(traffic, &other));
		/* of two that compute as long the one whose columns are alike, as more is known of it */
		double even_frac = jobs->order[i].n_c[0] == 0 || jobs->order[i].n_c[1] == 0 ? 1 + EVEN_FRAC : 1;
		if (other.round_frac * even_frac <= most_frac)
			continue;
		most_frac = other.round_frac * even_frac;
		share = other;
		*order = i;
	}
	/* the mean of all at least, as one queue has */
	return (struct share){real_max(share.n_frac, mean_frac), real_max(share.size_frac, mean_frac),
	                      real_max(share.round_frac, mean_frac)};
}

/* Of the splits of a range the least shares: where columns are dealt, and their splits are known and few. */
static bool range_share(const struct layer_context *context, const struct layer_design *design,
                        const struct tiling *tiling, const struct deal *deal, const struct traffic *traffic,
                        struct jobs *jobs, struct share *least)
{
	bool is_matmul = context->block->kind == BLOCK_MATMUL;
	const struct dim_range *column = is_matmul ? &tiling->range->w : &tiling->range->c;
	struct split split = design->split;
	double dram_byte = INFINITY;
	uint32_t order = 0;
	if (!distribute_deals_columns(deal) || column->n_choice == 0 || column->n_choice > MAX_RANGE_CHOICE)
		return false;
	*least = (struct share){1, 1, 1};
	for (size_t i = 0; i < column->n_choice; i++) {
		*(is_matmul ? &split.w : &split.c) = column->choice[i];
		struct share share = split_share(context, &split, deal, traffic, jobs, &order);
		dram_byte = real_min(dram_byte, jobs->dram_byte);
		least->n_frac = real_min(least->n_frac, share.n_frac);
		least->size_frac = real_min(least->size_frac, share.size_frac);
		least->round_frac = real_min(least->round_frac, share.round_frac);
	}
	jobs->dram_byte = dram_byte;
	return true;
}

/* A convolution's result is one job where one PE takes all parts of its channels. */
static uint64_t job_per_result(const struct layer_context *context, const struct deal *deal)
{
	return deal->is_chain && context->block->kind == BLOCK_CONV ? 1 : deal->n_pass;
}

static uint32_t pe_of_results(const struct deal *deal, uint64_t n_result)
{
	uint64_t n_independent = n_result * (deal->is_chain ? 1 : deal->n_pass);
	return n_independent < deal->n_pe ? (uint32_t)n_independent : deal->n_pe;
}

/*
 * What some queue has at least, and what holds in any order of its jobs. Where the sizes of a range of splits are open,
 * that of the queue with most results if all are alike; some queue has least_frac of it.
 */
static struct share busiest_share(const struct layer_context *context, const struct layer_design *design,
                                  const struct tiling *tiling, const struct deal *deal, const struct traffic *traffic,
                                  struct jobs *jobs)
{
	const struct split *split = &design->split;
	double frac = (double)most_results(deal) / ((double)deal->n_row * (double)deal->n_column);
	struct share share = {frac, frac, frac};
	uint64_t n_result = most_results(deal);
	uint32_t i = 0;
	jobs->n_order = 0;
	jobs->least_frac = 1;
	jobs->is_uneven = true;
	jobs->tail_frac = jobs->tail_job_frac = jobs->tail_write_frac = jobs->first_frac = jobs->dram_byte = 0;
	if (is_dealt_known(context, tiling, deal)) {
		share = split_share(context, split, deal, traffic, jobs, &i);
		jobs->is_uneven = has_sizes(split, tiling, deal, &jobs->order[i]);
		fill_tail(context, split, tiling, deal, &jobs->order[i], jobs);
		n_result = jobs->order[i].n_result;
	} else if (!range_share(context, design, tiling, deal, traffic, jobs, &share)) {
		jobs->least_frac = 1 / (double)deal->n_queue / frac;
	}
	jobs->busiest.n_job = n_result * job_per_result(context, deal);
	jobs->busiest.n_write = deal->is_chain ? n_result : jobs->busiest.n_job;
	jobs->busiest.n_pe = pe_of_results(deal, n_result);
	return share;
}

/* Sums of the busiest queue, and the host for all. */
static void fill_sums(const struct layer_context *context, const struct tiling *tiling, const struct deal *deal,
                      const struct traffic *traffic, const struct task_clk *task, const struct share *share,
                      struct jobs *jobs)
{
	double n_result = (double)deal->n_row * (double)deal->n_column;
	jobs->load_byte = traffic->map_byte * share->n_frac + traffic->filter_byte * share->round_frac;
	jobs->write_byte = traffic->write_byte * share->size_frac;
	jobs->task_clk = task->clk * share->round_frac;
	jobs->task_shared_clk = task->shared_clk * share->round_frac;
	jobs->mac_clk = tiling->all_mac_clk * share->round_frac;
	jobs->fetch = fetch_of(context, tiling, tiling->all_a_word * share->round_frac, jobs->mac_clk);
	jobs->host_clk = 0;
	if (!deal->is_blocks)
		jobs->host_clk =
		    n_result * (double)deal->n_pass * (2 * deal->n_load + TASK_MESSAGE) + n_result * WRITE_MESSAGE;
}

/*
 * Packets of jobs of the queues' first n_pe PEs, and what the host says: commands and reports of loads and tasks, the
 * report of what is written.
 */
static double job_packets(const struct layer_context *context, const struct deal *deal, const struct traffic *traffic,
                          uint32_t n_pe)
{
	const struct noc_ways *ways = &context->noc_ways;
	const struct noc_way *way = n_pe < deal->n_pe ? noc_ways_of(ways, n_pe) : &ways->all;
	double n_result = (double)deal->n_row * (double)deal->n_column, n_job = n_result * (double)deal->n_pass;
	double moved_byte = traffic->map_byte + traffic->filter_byte + traffic->write_byte;
	double n_write = deal->is_chain ? n_result : n_job;
	return moved_byte / context->machine->noc_packet_byte * way->dram +
	       n_job * (deal->n_load * (way->tell + way->agent) + 2 * way->agent) + n_write * way->tell;
}

/* The same of double blocks, whose first n_pe PEs work, one of each QPE first. Partial sums stay in a QPE. */
static double block_packets(const struct layer_context *context, const struct layer_design *design,
                            const struct deal *deal, const struct traffic *traffic, uint64_t n_result)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	uint64_t n_qpe = min_u64(ceil_div(n_result, hierarchy->n_block), hierarchy->qpe_per_block);
	struct transit transit = {.kind = TRANSIT_OWN_MAPS,
	                          .n_resident = (uint32_t)(n_qpe * context->machine->qpe_n_pe),
	                          .n_block = hierarchy->n_block};
	double n_job = (double)n_result * (double)deal->n_pass, n_map = design->in_storage ? 0 : n_job;
	const struct flow_paths *load = transit_paths(context->machine, &context->mesh, &transit);
	/* a task's command and report, as the report of a load; likewise a partial sum's */
	double n_own = deal->n_pass > 1 ? 3 : 2, n_packet;
	n_packet = distribute_packets(context, load, traffic->map_byte + traffic->filter_byte, n_job + n_map) +
	           n_own * n_job * load->reported / load->n_op +
	           traffic->copied_byte / context->machine->noc_packet_byte;
	if (design->in_storage) {
		transit.in_storage = true;
		load = transit_paths(context->machine, &context->mesh, &transit);
		n_packet += distribute_packets(context, load, traffic->storage_map_byte, n_job);
	}
	transit.kind = TRANSIT_RESULTS;
	transit.in_storage = design->out_storage;
	const struct flow_paths *result = transit_paths(context->machine, &context->mesh, &transit);
	n_packet +=
	    distribute_packets(context, result, traffic->write_byte + traffic->storage_write_byte, (double)n_result);
	/* where there are no partial sums, a PE sends its result without being told */
	return deal->n_pass > 1 ? n_packet : n_packet - (double)n_result * result->told / result->n_op;
}

static void fill_counts(const struct layer_context *context, const struct layer_design *design,
                        const struct tiling *tiling, const struct deal *deal, const struct traffic *traffic,
                        const struct jobs *jobs, struct counts *counts)
{
	tiling_mla_counts(context, tiling, counts);
	double read_byte = traffic->map_byte + traffic->filter_byte;
	double between_byte = traffic->storage_map_byte + traffic->storage_write_byte + traffic->copied_byte;
	counts->dram_read_byte = read_byte;
	counts->dram_write_byte = traffic->write_byte;
	counts->sram_write_word += (read_byte + between_byte) / 4;
	counts->sram_read_word += (traffic->write_byte + between_byte) / 4;
	counts->noc_packet += deal->is_blocks
	                          ? block_packets(context, design, deal, traffic, deal->n_row * deal->n_column)
	                          : job_packets(context, deal, traffic, jobs->n_pe);
}

/* The ARM operations of the PE with most results. */
static void add_arm(const struct layer_context *context, const struct layer_design *design, const struct tiling *tiling,
                    const struct deal *deal, uint32_t n_pe, struct program *program)
{
	bool fused = strategy_table[design->strategy].fused;
	double n_result = (double)ceil_div(most_results(deal), n_pe);
	/* fused, a map is padded in the PE each time it is loaded; else it is padded once, part by part, for all
	 * filters */
	uint64_t n_map = tiling->n_map * tiling->n_d * tiling->n_channel_part;
	struct arm_share share = {
	    .n_result = n_result,
	    .n_map = fused ? n_result * tiling->n_d : (double)ceil_div(n_map, machine_n_pe(context->machine)),
	    .n_pad = fused ? tiling->n_meet : 1,
	    .n_partial = tiling->n_d - 1,
	    .in_pe = fused,
	};
	distribute_arm(context, design, tiling, &share, program);
}

/* Jobs to be served one by one: more where the largest moves several times what the mean does. */
static uint64_t n_served(const struct jobs *jobs)
{
	double mean_byte = (jobs->load_byte + jobs->write_byte) / (double)jobs->n_job;
	double largest_byte = (jobs->largest.load_byte + jobs->largest.write_byte) / jobs->n_largest;
	uint64_t n = (uint64_t)MAX_SERVED_ROUND * jobs->n_pe;
	if (largest_byte > UNEVEN_FRAC * mean_byte)
		n *= UNEVEN_ROUND;
	return n > MAX_SERVED_JOB ? n : MAX_SERVED_JOB;
}

/* Whether a queue of so many jobs is served one by one. */
static bool is_served(const struct jobs *jobs, const struct deal *deal, uint64_t n_result)
{
	return jobs->n_pe <= MAX_EXCERPT_PE || (n_result * deal->n_pass <= jobs->n_served && jobs->n_pe <= JOB_MAX_PE);
}

/* The largest part of any split of a range; 0: not known. */
static uint32_t most_size(const struct dim_range *range)
{
	if (range->split)
		return range->split->size_a;
	return range->n_choice > 0 ? range->choice[range->n_choice - 1].size_a : 0;
}

/* Bytes that a job of a fused matrix multiplication moves at most, in any split of the range; INFINITY: not known. */
static double most_job_byte(const struct layer_context *context, const struct tiling *tiling)
{
	const struct split_range *range = tiling->range;
	uint32_t operand_byte = context->operand_bit / 8, w_size = most_size(&range->w), h_size = most_size(&range->h);
	double column = (double)align_up(w_size, context->machine->mla_cols);
	double write_byte = (double)align_up((uint64_t)w_size * h_size * operand_byte, RESULT_LINE_BYTE);
	if (w_size == 0 || h_size == 0)
		return INFINITY;
	return ((column + h_size) * (double)align_up(range->d.extent, 4) * operand_byte + write_byte) / tiling->n_d;
}

/*
 * Of a range: whether each of its splits is priced as if all jobs were the mean one, of as many jobs as are known here.
 * Many jobs are, and fewer, if no job moves several times what the mean does.
 */
static bool is_mean_range(const struct layer_context *context, const struct layer_design *design,
                          const struct tiling *tiling, const struct deal *deal, const struct jobs *jobs)
{
	uint64_t n_dealt = distribute_deals_columns(deal) ? deal->n_column : deal->n_row * deal->n_column;
	uint64_t n_job = most_results(deal) * deal->n_pass;
	bool is_matmul = context->block->kind == BLOCK_MATMUL, fused = strategy_table[design->strategy].fused;
	bool knows_jobs = !is_d_open(tiling) || job_per_result(context, deal) == 1;
	if (!knows_jobs || (n_dealt % deal->n_queue > 0 && !is_dealt_known(context, tiling, deal)) ||
	    jobs->n_pe <= MAX_EXCERPT_PE)
		return false;
	uint64_t n_few = (uint64_t)MAX_SERVED_ROUND * jobs->n_pe;
	if (jobs->n_pe > JOB_MAX_PE || (n_job > MAX_SERVED_JOB && n_job > n_few * UNEVEN_ROUND))
		return true;
	if (!is_matmul || !fused || is_d_open(tiling) || n_job <= MAX_SERVED_JOB || n_job <= n_few)
		return false;
	double mean_byte = jobs->least_frac * (jobs->load_byte + jobs->write_byte) / (double)jobs->n_job;
	return most_job_byte(context, tiling) <= UNEVEN_FRAC * mean_byte;
}

void distribute_jobs(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, struct program *program)
{
	struct deal deal = distribute_deal_of(context, design, tiling);
	struct traffic traffic = traffic_of(context, design, tiling);
	double map_byte = (double)tiling->all_map_byte * tiling->n_w;
	struct task_clk task = tiling_all_task_clk(context, &design->split, tiling);
	struct step *step = distribute_add_step(program, STEP_JOBS, PHASE_TASKS);
	struct jobs *jobs = &step->u.jobs;
	struct share share = busiest_share(context, design, tiling, &deal, &traffic, jobs);
	uint64_t n_result = most_results(&deal);
	jobs->n_job = n_result * job_per_result(context, &deal);
	jobs->n_pe = pe_of_results(&deal, n_result);
	jobs->mean_job = (double)(deal.n_row * deal.n_column * job_per_result(context, &deal)) / (double)deal.n_queue;
	fill_sums(context, tiling, &deal, &traffic, &task, &share, jobs);
	jobs->storage_packet = 0;
	jobs->n_storage = 0;
	/* one PE of a block's storage QPE has all of operand A */
	if (deal.is_blocks && design->in_storage) {
		jobs->storage_packet = map_byte / context->machine->noc_packet_byte / context->hierarchy.n_block;
		jobs->n_storage = context->hierarchy.n_block < context->hierarchy.block_per_dram
		                      ? context->hierarchy.n_block
		                      : context->hierarchy.block_per_dram;
	}
	fill_largest(context, design, tiling, &deal, jobs);
	jobs->n_served = n_served(jobs);
	jobs->place = &context->queue_place;
	jobs->is_mean = tiling->is_least && is_mean_range(context, design, tiling, &deal, jobs);
	if (is_served(jobs, &deal, n_result) && !tiling->is_least) {
		add_last_queue(context, &design->split, &deal, jobs);
		fill_kinds(context, design, tiling, jobs);
	} else {
		jobs->n_order = 0;
	}
	fill_counts(context, design, tiling, &deal, &traffic, jobs, &step->counts);
	add_arm(context, design, tiling, &deal, jobs->n_pe, program);
}
