/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of reuse on a chip, run by run: between two barriers a QPE's PEs run what they meet
 * (mapper/placement/meeting.h), parts of two sizes as large as they are, and all wait for the slowest.
 */
#include "mapper/distribute/distribute_parts.h"
#include "mapper/placement/meeting.h"
#include "mapper/placement/placement.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <assert.h>

/* QPEs in runs that are looked at for a design; of more, tasks are as in the mean (distribute_task_frac). */
#define MAX_SEEN 4096

struct sizes {
	const struct layer_context *context;
	const struct layer_design *design;
	const struct tiling *tiling;
	const struct chip_assignment *assignment;
	/* by size of h, w, c */
	struct mla_cost cost[2][2][2];
	struct mla_port_clk port[2][2][2];
};

static void cost_kinds(struct sizes *sizes)
{
	const struct split *split = &sizes->design->split;
	for (uint32_t h = 0; h < (split->h.n_b > 0 ? 2 : 1); h++)
		for (uint32_t w = 0; w < (split->w.n_b > 0 ? 2 : 1); w++)
			for (uint32_t c = 0; c < (split->c.n_b > 0 ? 2 : 1); c++) {
				const struct tiling_kind kind = {h, w, c, 0};
				struct mla_cost *cost = &sizes->cost[h][w][c];
				tiling_kind_cost(sizes->context, split, sizes->tiling, &kind, cost);
				sizes->port[h][w][c] =
				    mla_conv_port_clk(sizes->context->machine, &sizes->context->round, cost);
			}
}

/* A wave of a pass, and the number of its first filter part. */
struct turn {
	uint64_t wave, first_filter;
};

static uint32_t count_bits(uint32_t mask)
{
	uint32_t n = 0;
	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/* What one PE runs in a run. */
struct pe_work {
	double clk, shared_clk, mac_clk, a_word;
	const struct mla_port_clk *port; /* by size of c; NULL: nothing is run */
	uint32_t small;                  /* of its filter parts those of the smaller size, as bits */
};

static struct pe_work work_of(const struct sizes *sizes, const struct turn *turn, const struct meeting_qpe *qpe,
                              uint32_t z)
{
	const struct split *split = &sizes->design->split;
	const struct tiling *tiling = sizes->tiling;
	const struct chip_assignment *a = sizes->assignment;
	uint32_t n_pe = sizes->context->machine->qpe_n_pe, mask = qpe->mask[z];
	uint64_t slot = a->n_set > 1 ? (uint64_t)qpe->set * n_pe + z : z % a->n_slot;
	uint64_t index = turn->wave * a->n_resident + slot, n_group = sizes->context->hierarchy.n_block / a->n_share;
	uint64_t n_each = ceil_div(tiling->n_h, n_group), row = qpe->group * n_each + index / tiling->n_w;
	if (mask == 0 || index / tiling->n_w >= n_each || row >= tiling->n_h)
		return (struct pe_work){0};
	uint64_t first = turn->first_filter + qpe->first;
	uint32_t n_before = first >= split->c.n_a ? 0 : split->c.n_a - first < 8 ? (uint32_t)(split->c.n_a - first) : 8;
	uint32_t large = split->c.n_b == 0 ? mask : mask & ((1u << n_before) - 1);
	uint32_t h = row % dim_n_part(&split->h) >= split->h.n_a, w = index % tiling->n_w >= split->w.n_a;
	const struct mla_cost *cost = sizes->cost[h][w];
	double n_large = count_bits(large), n_small = count_bits(mask & ~large);
	struct pe_work work = {.clk = n_large * cost[0].clk,
	                       .shared_clk = n_large * cost[0].shared_clk,
	                       .mac_clk = n_large * (double)cost[0].mac_clk,
	                       .a_word = n_large * (double)cost[0].a_word,
	                       .port = sizes->port[h][w],
	                       .small = mask & ~large};
	if (n_small > 0) {
		work.clk += n_small * cost[1].clk;
		work.shared_clk += n_small * cost[1].shared_clk;
		work.mac_clk += n_small * (double)cost[1].mac_clk;
		work.a_word += n_small * (double)cost[1].a_word;
	}
	return work;
}

/* Whether the SRAM of a PE may have more to do than the PE itself: filter parts of two sizes, or as the meeting says.
 */
static bool is_crowded(const struct sizes *sizes, const struct turn *turn, const struct meeting_qpe *qpe)
{
	uint64_t first = turn->first_filter + qpe->first;
	uint32_t n_large = sizes->design->split.c.n_a;
	return qpe->is_crowded || (first < n_large && first + qpe->n_together > n_large);
}

/* The PE from which PE z takes a filter part: as mapper/unfold, the next one that has it. */
static uint32_t source_of(uint32_t n_together, uint32_t n_pe, uint32_t z, uint32_t filter)
{
	for (uint32_t i = 1; i < n_pe; i++)
		if (placement_filter_held(n_together, (z + i) % n_pe) == filter)
			return (z + i) % n_pe;
	return z;
}

/*
 * Clocks that the busiest SRAM of a QPE takes. Where PEs have fewer filter parts than tasks, or one much larger than
 * the others, several fetch operand A from the same PE at the same time.
 */
static double busiest_port_clk(const struct sizes *sizes, const struct meeting_qpe *qpe, const struct pe_work *work)
{
	double clk[MEETING_MAX_QPE_PE] = {0}, most_clk = 0;
	uint32_t n_pe = sizes->context->machine->qpe_n_pe;
	for (uint32_t z = 0; z < n_pe; z++)
		for (uint32_t k = 0; k < qpe->n_together; k++) {
			if (!(qpe->mask[z] >> k & 1) || !work[z].port)
				continue;
			const struct mla_port_clk *port = &work[z].port[work[z].small >> k & 1];
			clk[source_of(qpe->n_together, n_pe, z, k)] += port->a;
			clk[z] += port->own;
		}
	for (uint32_t z = 0; z < n_pe; z++)
		most_clk = real_max(most_clk, clk[z]);
	return most_clk;
}

/* The PE of a QPE that works longest; operand A is of the mean of its PEs, which share the router. */
static struct pe_work longest_work(const struct sizes *sizes, const struct turn *turn, const struct meeting_qpe *qpe)
{
	struct pe_work work[MEETING_MAX_QPE_PE], longest = {0};
	uint32_t n_pe = sizes->context->machine->qpe_n_pe;
	double a_word = 0;
	for (uint32_t z = 0; z < n_pe; z++) {
		work[z] = work_of(sizes, turn, qpe, z);
		a_word += work[z].a_word / n_pe;
	}
	for (uint32_t z = 0; z < n_pe; z++) {
		struct pe_work *own = &work[z];
		double before_clk = work[(z + n_pe - 1) % n_pe].clk;
		/* its SRAM serves the PE before it for as long as that one works */
		if (own->clk > 0)
			own->shared_clk = own->clk + real_min(1, before_clk / own->clk) * (own->shared_clk - own->clk);
		if (own->shared_clk > longest.shared_clk)
			longest = *own;
	}
	longest.a_word = a_word;
	if (is_crowded(sizes, turn, qpe))
		longest.shared_clk = real_max(longest.shared_clk, busiest_port_clk(sizes, qpe, work));
	return longest;
}

/* Whether a QPE could work longer, or fetch more, than a PE's work says: if all its parts were the largest. */
static bool may_exceed(const struct sizes *sizes, const struct turn *turn, const struct meeting_qpe *qpe,
                       const struct pe_work *longest)
{
	uint32_t n_most = 0, n_all = 0, n_pe = sizes->context->machine->qpe_n_pe;
	const struct mla_port_clk *port = &sizes->port[0][0][0];
	for (uint32_t z = 0; z < n_pe; z++) {
		uint32_t n = count_bits(qpe->mask[z]);
		n_most = n > n_most ? n : n_most;
		n_all += n;
	}
	double task_clk = sizes->cost[0][0][0].shared_clk;
	if (is_crowded(sizes, turn, qpe))
		task_clk = real_max(task_clk, port->own + n_pe * port->a);
	return n_most * task_clk > longest->shared_clk ||
	       n_all * (double)sizes->cost[0][0][0].a_word > longest->a_word * n_pe;
}

static void add_runs(const struct sizes *sizes, const struct meeting *meeting, const struct turn *turn, double n,
                     struct meet_sum *sum)
{
	for (uint32_t r = 0; r < meeting->n_run; r++) {
		const struct meeting_run *run = &meeting->run[r];
		struct pe_work longest = {0};
		for (uint32_t i = 0; i < run->n; i++) {
			const struct meeting_qpe *qpe = &meeting->qpe[run->first + i];
			if (!may_exceed(sizes, turn, qpe, &longest))
				continue;
			struct pe_work work = longest_work(sizes, turn, qpe);
			/* whose router has most to do may be another one */
			double a_word = real_max(work.a_word, longest.a_word);
			if (work.shared_clk > longest.shared_clk)
				longest = work;
			longest.a_word = a_word;
		}
		sum->clk += n * longest.shared_clk;
		sum->mac_clk += n * longest.mac_clk;
		sum->a_word += n * longest.a_word;
	}
	const struct meeting_results *results = sizes->design->out_storage ? &meeting->to_storage : &meeting->to_dram;
	sum->n_start += n * (double)meeting->n_start;
	sum->n_result += n * (double)meeting->n_result;
	sum->busiest.router += n * results->router;
	sum->busiest.link += n * results->link;
	sum->busiest.port += n * results->port;
	sum->busiest.dram += n * results->dram;
	sum->busiest.routed += n * results->routed;
	sum->busiest.told += n * results->told;
	sum->busiest.reported += n * results->reported;
	sum->busiest.sender += n * results->sender;
}

/* ---- ifmap parts of a task each ---- */

/* Of a block that is the share-th of a group, in a wave: adds the kinds of its tasks, bit 4 h + 2 w + c of *kinds. */
static void add_own_kinds(const struct sizes *sizes, uint64_t wave, uint64_t group, uint64_t share, uint32_t *kinds)
{
	const struct chip_assignment *a = sizes->assignment;
	const struct tiling *tiling = sizes->tiling;
	const struct split *split = &sizes->design->split;
	const struct own_rows rows = distribute_own_rows(sizes->context, tiling, a);
	uint64_t first_row = group * rows.n_each, end_row = min_u64(first_row + rows.n_each, tiling->n_h);
	uint64_t first_c = tiling->n_c * share / a->n_share + wave / a->n_turn * a->n_together;
	uint64_t end_c = min_u64(tiling->n_c * (share + 1) / a->n_share, first_c + a->n_together);
	uint64_t first_map = first_row * tiling->n_w + wave % a->n_turn * a->n_user;
	uint64_t end_map = min_u64(end_row * tiling->n_w, first_map + a->n_user);
	if (first_c >= end_c)
		return;
	uint32_t filters = (first_c < split->c.n_a ? 1u : 0u) | (end_c > split->c.n_a ? 2u : 0u);
	for (uint64_t map = first_map; map < end_map; map++) {
		uint32_t h = map / tiling->n_w % dim_n_part(&split->h) >= split->h.n_a,
			 w = map % tiling->n_w >= split->w.n_a;
		*kinds |= filters << (4 * h + 2 * w);
	}
}

static void add_own_wave(const struct sizes *sizes, uint64_t wave, struct meet_sum *sum)
{
	const struct chip_assignment *a = sizes->assignment;
	const struct mla_cost *longest = NULL;
	uint32_t kinds = 0;
	for (uint64_t i = 0; i < sizes->context->hierarchy.n_block && !(kinds & 1); i++)
		add_own_kinds(sizes, wave, i / a->n_share, i % a->n_share, &kinds);
	for (uint32_t k = 0; k < 8; k++) {
		const struct mla_cost *cost = &sizes->cost[k >> 2][k >> 1 & 1][k & 1];
		if (kinds >> k & 1 && (!longest || cost->shared_clk > longest->shared_clk))
			longest = cost;
	}
	assert(longest);
	sum->clk += longest->shared_clk;
	sum->mac_clk += (double)longest->mac_clk;
	sum->a_word += (double)longest->a_word;
}

static bool meet_own(struct sizes *sizes, struct meet_sum *sum)
{
	const struct chip_assignment *a = sizes->assignment;
	if (a->n_wave * a->n_user > MAX_SEEN)
		return false;
	*sum = (struct meet_sum){0};
	cost_kinds(sizes);
	for (uint64_t wave = 0; wave < a->n_wave; wave++)
		add_own_wave(sizes, wave, sum);
	return true;
}

bool distribute_meet(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, const struct chip_assignment *a, struct meet_sum *sum)
{
	struct sizes sizes = {.context = context, .design = design, .tiling = tiling, .assignment = a};
	/* the thesis' own rules run others */
	if (tiling->is_least || design->strategy == STRATEGY_THESIS_REUSE)
		return false;
	if (a->is_own)
		return meet_own(&sizes, sum);
	uint64_t n_most = context->hierarchy.n_pe, n_last = tiling->n_meet - (a->n_filter_load - 1) * n_most;
	const struct meeting *last = distribute_chip_meeting(context, design, tiling, a, n_last), *full = last;
	if (!last)
		return false;
	if (a->n_filter_load > 1)
		full = distribute_chip_meeting(context, design, tiling, a, n_most);
	/* equal ifmap parts are alike in all waves, equal filter parts in all passes */
	const struct split *split = &design->split;
	uint64_t n_wave = split->h.n_b + split->w.n_b > 0 ? a->n_wave : 1, n_pass = split->c.n_b > 0 ? a->n_pass : 1;
	if (n_wave * n_pass * ((a->n_filter_load - 1) * full->n_qpe + last->n_qpe) > MAX_SEEN)
		return false;
	*sum = (struct meet_sum){0};
	cost_kinds(&sizes);
	double n_alike = (double)(a->n_wave / n_wave * a->n_pass / n_pass);
	for (uint64_t pass = 0; pass < n_pass; pass++)
		for (uint64_t wave = 0; wave < n_wave; wave++)
			for (uint64_t load = 0; load < a->n_filter_load; load++) {
				const struct turn turn = {wave, pass * tiling->n_meet + load * n_most};
				add_runs(&sizes, load + 1 < a->n_filter_load ? full : last, &turn, n_alike, sum);
			}
	/* the last rows of blocks and waves are not full */
	uint64_t n_each = ceil_div(tiling->n_h, context->hierarchy.n_block / a->n_share);
	uint64_t n_room = ceil_div(tiling->n_h, n_each) * a->n_resident * a->n_wave;
	sum->n_start *= (double)tiling->n_map / (double)n_room;
	return true;
}
