/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reuse on the chip, the computation phase (distribute_chip.c): rounds of tasks, each with its write-out, and the ways
 * of results.
 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"

/* What the tasks left out do not do. */
static void scale_counts(struct counts *counts, double frac)
{
	counts->mac *= frac;
	counts->mla_clk *= frac;
	counts->sram_read_word *= frac;
	counts->sram_write_word *= frac;
	counts->noc_packet *= frac;
	counts->dram_write_byte *= frac;
}

/* Of all results those of the blocks of the busiest DRAM interface, and how many of its blocks have any. */
struct result_share {
	double frac, n_block;
};

/* Rows of ifmap parts are dealt to groups of blocks that share them; the first ones have one more. */
static struct result_share result_share(const struct layer_context *context, const struct tiling *tiling,
                                        const struct chip_assignment *a)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	double dram_frac = 1.0 / context->machine->dram_n;
	if (tiling->is_least)
		return (struct result_share){dram_frac, hierarchy->n_block * dram_frac};
	uint64_t n_group = hierarchy->n_block / a->n_share, n_h = tiling->n_h;
	/* of fewer blocks than interfaces each has several nearest ones */
	if (context->machine->dram_n > hierarchy->n_block) {
		const struct transit transit = {
		    .kind = TRANSIT_RESULTS, .n_resident = hierarchy->pe_per_block, .n_block = hierarchy->n_block};
		const struct flow_paths *paths = transit_paths(context->machine, &context->mesh, &transit);
		double n_pe = hierarchy->n_pe, busiest = (double)ceil_div(n_h, n_group) * (double)n_group / (double)n_h;
		double frac = real_max((double)paths->dram / n_pe * busiest, dram_frac);
		return (struct result_share){real_min(1, frac), real_min(1, frac) * hierarchy->n_block};
	}
	uint64_t n_near = hierarchy->block_per_dram > a->n_share ? hierarchy->block_per_dram / a->n_share : 1;
	double n_row = (double)(n_near * (n_h / n_group) + min_u64(n_near, n_h % n_group)), n_all = (double)n_h;
	double near_frac = real_min(1, (double)hierarchy->block_per_dram / (double)(n_near * a->n_share));
	double n_block = (double)(min_u64(n_near, n_h) * a->n_share) * near_frac;
	return (struct result_share){real_max(n_row / n_all * near_frac, dram_frac), n_block};
}

/*
 * Parts of two sizes as they meet. Never below what is certain of a range of splits: as many tasks one after the other,
 * of filter parts as large as the mean.
 */
static void price_meetings(const struct layer_context *context, const struct layer_design *design,
                           const struct tiling *tiling, const struct chip_assignment *a, const struct meet_sum *sum,
                           struct compute *compute)
{
	double frac = distribute_mean_frac(context, tiling) * distribute_wave_frac(context, design, tiling, a);
	double n_task = (double)compute->n_task, fixed_clk = context->machine->mla_init_clk;
	double mean_clk = (fixed_clk + (tiling->task.shared_clk - fixed_clk) * frac) * n_task;
	double mean_word = (double)tiling->task.a_word * frac * n_task;
	double mean_mac_clk = (double)tiling->task.mac_clk * frac * n_task;
	compute->task_clk = real_max(sum->clk, mean_clk);
	compute->mac_clk = sum->mac_clk;
	if (sum->n_start > 0)
		compute->n_start = sum->n_start / compute->n_barrier;
	compute->fetch =
	    tiling_fetch(context, tiling, real_max(sum->a_word, mean_word), real_max(sum->mac_clk, mean_mac_clk));
}

/*
 * PEs have results as they meet filter parts, some more than others, so their ways are not all as busy: no less than if
 * all had as many, which is what bounds of a range go by. Results count as large as their mean.
 */
static void spread_results(const struct layer_context *context, const struct meet_sum *sum, double all_byte,
                           struct compute *compute)
{
	double mean_byte = all_byte / sum->n_result;
	double even_packet = compute->write_packet * (double)compute->n_task;
	double frac = mean_byte / context->machine->noc_packet_byte / even_packet;
	compute->write_router = real_max(compute->write_router, sum->busiest.router * frac);
	compute->write_link = real_max(compute->write_link, sum->busiest.link * frac);
	compute->write_port = real_max(compute->write_port, sum->busiest.port * frac);
	compute->write_sender = real_max(compute->write_sender, sum->busiest.sender * frac);
	if (compute->write_dram_byte > 0)
		compute->write_dram_byte = real_max(compute->write_dram_byte, sum->busiest.dram * mean_byte);
}

/*
 * Until the first results of n_run runs are there it takes a task each. Of parts of two sizes the smaller tasks' come
 * earlier: as if all were the mean, whatever the sizes, as bounds of a range of splits know no more. The thesis' own
 * rules take all tasks for the first one.
 */
static double first_clk(const struct layer_context *context, const struct layer_design *design,
                        const struct tiling *tiling, double n_run)
{
	const struct split *split = &design->split;
	bool is_even = split->w.n_b == 0 && split->h.n_b == 0 && split->c.n_b == 0;
	if (design->strategy == STRATEGY_THESIS_REUSE || context->machine->target != MACHINE_CHIP ||
	    (is_even && !tiling->is_least))
		return 0;
	return n_run * tiling_all_task_clk(context, split, tiling).clk / (double)tiling->n_task;
}

/*
 * Packets of results, of the commands for their tasks, of what these say of their ends, as far from the PE as the
 * commands, and of the reports of the results' arrival.
 */
static double result_packets(const struct layer_context *context, const struct layer_design *design,
                             const struct tiling *tiling, const struct chip_assignment *a,
                             const struct transit *transit, const struct flow_paths *paths)
{
	double n_result = a->n_result, n_packet = (double)tiling->all_out_byte / context->machine->noc_packet_byte;
	struct noc_sums sums = a->result;
	if (n_result <= 0) {
		struct transit own = *transit;
		own.in_storage = design->out_storage;
		own.n_resident = a->is_own ? (uint32_t)a->n_resident : transit->n_resident;
		if (own.in_storage != transit->in_storage || own.n_resident != transit->n_resident)
			paths = transit_paths(context->machine, &context->mesh, &own);
		n_result = paths->n_op;
		sums = (struct noc_sums){paths->routed, paths->told, paths->reported};
	}
	return (n_packet * sums.routed + (double)tiling->n_task * (2 * sums.told + sums.reported)) / n_result;
}

void distribute_chip_computation(const struct layer_context *context, const struct layer_design *design,
                                 const struct tiling *tiling, const struct chip_assignment *a, uint64_t n_task,
                                 struct program *program)
{
	const struct machine *machine = context->machine;
	const struct hierarchy *hierarchy = &context->hierarchy;
	struct step *step = distribute_add_step(program, STEP_COMPUTE, PHASE_COMPUTATION);
	struct compute *compute = &step->u.compute;
	double done_frac = real_min(1, (double)n_task / (double)a->n_task);
	uint64_t n_run = min_u64(a->n_run, n_task), n_all = min_u64(n_task, a->n_task);
	/* the fullest QPE has the first filter parts, of which a PE runs its tasks' in a run; waves and groups have
	   theirs one after the other */
	uint64_t n_together = ceil_div(tiling->n_meet, ceil_div(tiling->n_meet, machine->qpe_n_pe));
	n_together = min_u64(n_together, ceil_div(n_task, n_run));
	bool follows = tiling->n_channel_part > 1;
	double task_frac = a->is_own
	                       ? distribute_own_task_frac(context, design, tiling, a)
	                       : distribute_task_frac(context, design, tiling, follows ? tiling->n_c : n_together);
	task_frac *= distribute_wave_frac(context, design, tiling, a);
	double fixed_clk = machine->mla_init_clk;
	compute->n_task = n_task;
	compute->n_barrier = (double)n_run;
	if (a->is_own)
		compute->first_clk = first_clk(context, design, tiling, (double)n_run);
	uint64_t n_busy = a->n_share * min_u64(hierarchy->n_block / a->n_share, tiling->n_h);
	compute->n_start = tiling->is_least ? 0 : (double)(a->n_active * n_busy);
	compute->task_clk = (fixed_clk + (tiling->task.shared_clk - fixed_clk) * task_frac) * (double)n_task;
	compute->mac_clk = (double)tiling->task.mac_clk * task_frac * (double)n_all;
	compute->fetch = tiling_fetch(context, tiling, (double)tiling->task.a_word * task_frac * (double)n_task,
	                              (double)tiling->task.mac_clk * task_frac * (double)n_task);
	struct meet_sum sum = {.n_result = 0};
	if (distribute_meet(context, design, tiling, a, &sum))
		price_meetings(context, design, tiling, a, &sum, compute);
	double mean_word = tiling->all_a_word / (double)tiling->n_task * (double)n_task;
	double most_word = compute->fetch.n_packet * machine->noc_packet_byte / 4;
	compute->mean_frac = most_word > mean_word ? mean_word / most_word : 1;
	double all_byte = (double)tiling->all_out_byte * done_frac;
	struct result_share share = result_share(context, tiling, a);
	double n_writer_pe = share.n_block * hierarchy->pe_per_block;
	compute->write_packet = all_byte * share.frac / n_writer_pe / (double)n_task / machine->noc_packet_byte;
	const struct transit transit = {.kind = TRANSIT_RESULTS,
	                                .n_resident = hierarchy->pe_per_block,
	                                .n_block = hierarchy->n_block,
	                                .in_storage = design->out_storage};
	const struct flow_paths *paths = transit_paths(machine, &context->mesh, &transit);
	compute->write_router = (double)paths->router;
	compute->write_link = (double)paths->link;
	compute->write_port = (double)paths->port;
	compute->write_sender = (double)paths->sender;
	compute->n_write_router = design->out_storage ? (double)paths->way : context->queue_place.n_router;
	if (!design->out_storage)
		compute->write_dram_byte = all_byte * share.frac;
	if (sum.n_result > 0)
		spread_results(context, &sum, all_byte, compute);
	distribute_writers(context, design, tiling, a, n_writer_pe, done_frac, compute);
	tiling_mla_counts(context, tiling, &step->counts);
	double out_byte = (double)tiling->all_out_byte;
	step->counts.dram_write_byte = design->out_storage ? 0 : out_byte;
	step->counts.sram_read_word += out_byte / 4;
	step->counts.sram_write_word += design->out_storage ? out_byte / 4 : 0;
	step->counts.noc_packet += result_packets(context, design, tiling, a, &transit, paths);
	scale_counts(&step->counts, done_frac);
}
