/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"

/*
 * Reuse on one QPE (thesis appendix C): a group of as many kept parts as there
 * are PEs is loaded, then group after group of the other operand; after each,
 * the PEs run as many rounds as there are ifmap parts in the group, fetching
 * operand A from the next PE each time, with a barrier after every round's
 * write-out to DRAM. A group of fewer ifmap parts is copied to the idle PEs.
 */

struct groups {
	uint64_t n_map, n_filter; /* groups */
	uint64_t n_round;         /* of MLA tasks, all groups */
	uint64_t n_pass;          /* groups of the convolution whose parts these are, one after the other; else 1 */
};

static struct groups group_parts(const struct tiling *tiling, uint64_t n_pe)
{
	struct groups groups = {ceil_div(tiling->n_map, n_pe), ceil_div(tiling->n_meet, n_pe), 0,
	                        tiling->n_channel_part};
	groups.n_round = tiling->n_map * groups.n_filter * groups.n_pass;
	return groups;
}

/* Groups of PEs in which any part is of the larger height; each image's parts begin with its larger ones. */
static uint64_t n_large_group(const struct block *block, const struct split *split, uint32_t n_w, uint64_t n_pe)
{
	uint64_t n_map = (uint64_t)dim_n_part(&split->h) * n_w, n_large = (uint64_t)split->h.n_a * n_w, n = 0, next = 0;
	for (uint64_t i = 0; i < block_batch(block); i++) {
		uint64_t first = i * n_map / n_pe, end = ceil_div(i * n_map + n_large, n_pe);
		first = first < next ? next : first;
		n += end > first ? end - first : 0;
		next = end > next ? end : next;
	}
	return n;
}

/*
 * Task clocks over all rounds. Parts come in order, so a group takes as long as
 * its largest part: with two heights (rows of parts in order) or two filter
 * sizes the groups that hold only small parts are shorter.
 */
static double all_rounds_clk(const struct layer_context *context, const struct layer_design *design,
                             const struct tiling *tiling, const struct groups *groups, uint64_t n_pe)
{
	const struct split *split = &design->split;
	double fixed_clk = context->machine->mla_init_clk;
	double n_large_map = (double)n_large_group(context->block, split, tiling->n_w, n_pe) * (double)n_pe;
	double large_map_frac = real_min(1, n_large_map / (double)tiling->n_map);
	double large_filter_frac = real_min(1, (double)ceil_div(split->c.n_a, n_pe) / (double)groups->n_filter);
	double small_h = split->h.n_b ? (double)split->h.size_b / split->h.size_a : 1;
	uint64_t rows = context->machine->mla_rows;
	double small_c =
	    split->c.n_b ? (double)ceil_div(split->c.size_b, rows) / (double)ceil_div(split->c.size_a, rows) : 1;
	double mean_h = large_map_frac + (1 - large_map_frac) * small_h;
	double mean_c = large_filter_frac + (1 - large_filter_frac) * small_c;
	return (double)groups->n_round * (fixed_clk + (tiling->task.shared_clk - fixed_clk) * mean_h * mean_c);
}

/* Copies that fill idle PEs: in groups of one or two maps once, in groups of three one a round (appendix C). */
static void add_copies(const struct layer_context *context, const struct tiling *tiling, const struct groups *groups,
                       struct program *program)
{
	const struct machine *machine = context->machine;
	uint64_t n_pe = machine->qpe_n_pe, n_last = tiling->n_map % n_pe;
	if (n_last == 0)
		return;
	/* doublings fill 2^k PEs; three parts are passed on in turn in every round of every filter group */
	bool doubles = (n_last & (n_last - 1)) == 0;
	uint64_t n_copy = doubles ? distribute_doublings(n_last, n_pe) : n_last * groups->n_filter;
	n_copy *= groups->n_pass;
	struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_INPUT);
	double packet = (double)tiling->map_byte / machine->noc_packet_byte;
	step->u.transfer = (struct transfer){
	    .item_packet = packet,
	    .n_stage = 1,
	    .stage = {{1, 2, 0, 1}},
	    .stage_setup_clk = machine->copy_setup_clk,
	    .n_repeat = (double)n_copy,
	};
	double n_item = (double)n_copy * (doubles ? (double)n_last : 1);
	step->counts.noc_packet = packet * n_item;
	step->counts.sram_read_word = step->counts.sram_write_word = n_item * (double)tiling->map_byte / 4;
}

static void add_load(const struct layer_context *context, enum phase phase, double byte, double n_group,
                     struct program *program)
{
	struct step *step = distribute_add_step(program, STEP_TRANSFER, phase);
	step->u.transfer = (struct transfer){
	    .dram_byte = byte / n_group,
	    .setup_clk = context->machine->dram_load_setup_clk,
	    .n_repeat = n_group,
	};
	step->counts.dram_read_byte = byte;
	step->counts.sram_write_word = byte / 4;
	step->counts.noc_packet = byte / context->machine->noc_packet_byte;
}

static void add_rounds(const struct layer_context *context, const struct layer_design *design,
                       const struct tiling *tiling, const struct groups *groups, struct program *program)
{
	const struct machine *machine = context->machine;
	uint64_t n_pe = machine->qpe_n_pe;
	struct step *step = distribute_add_step(program, STEP_COMPUTE, PHASE_COMPUTATION);
	struct compute *compute = &step->u.compute;
	compute->n_task = groups->n_round;
	compute->mac_clk = tiling->all_mac_clk / (double)n_pe;
	compute->task_clk = all_rounds_clk(context, design, tiling, groups, n_pe);
	compute->fetch = tiling_fetch(context, tiling, tiling->all_a_word / (double)n_pe, compute->mac_clk);
	compute->write_packet = (double)tiling->out_byte / machine->noc_packet_byte;
	compute->write_router = (double)n_pe;
	compute->write_dram_byte = (double)tiling->all_out_byte;
	compute->n_barrier = (double)groups->n_round;
	tiling_mla_counts(context, tiling, &step->counts);
	step->counts.dram_write_byte = (double)tiling->all_out_byte;
	step->counts.sram_read_word += (double)tiling->all_out_byte / 4;
	step->counts.noc_packet += (double)tiling->all_out_byte / machine->noc_packet_byte;
}

void distribute_qpe_reuse(const struct layer_context *context, const struct layer_design *design,
                          const struct tiling *tiling, struct program *program)
{
	uint64_t n_pe = context->machine->qpe_n_pe;
	struct groups groups = group_parts(tiling, n_pe);
	bool keep_map = distribute_reuse_operand(design, tiling) == REUSE_IFMAP;
	double n_map_load = keep_map ? 1 : (double)groups.n_filter, n_filter_load = keep_map ? (double)groups.n_map : 1;
	add_load(context, PHASE_WEIGHT, (double)tiling->all_filter_byte * n_filter_load,
	         (double)(groups.n_filter * groups.n_pass) * n_filter_load, program);
	add_load(context, PHASE_INPUT, (double)tiling->all_map_byte * n_map_load,
	         (double)(groups.n_map * groups.n_pass) * n_map_load, program);
	add_copies(context, tiling, &groups, program);
	add_rounds(context, design, tiling, &groups, program);

	struct arm_share share = {
	    .n_result = (double)groups.n_round,
	    .n_map = (double)(groups.n_map * groups.n_pass),
	    .n_pad = 1,
	    .in_pe = true,
	    .source = design->strategy == STRATEGY_THESIS_REUSE,
	};
	distribute_arm(context, design, tiling, &share, program);
}
