/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"

/*
 * No reuse: filters are dealt over the DRAM interfaces' queues, a job is one
 * ifmap part with one filter part, and any idle PE of the queue takes the next
 * (thesis section 4.3.1; on the chip every interface holds the whole ifmap).
 * A matrix multiplication's filters are blocks of columns of B, its ifmap parts
 * blocks of columns of A.
 */

/* What the queues hold, and the busiest one's share of it. */
struct dealt_jobs {
	uint64_t n_job, n_busiest;
	uint64_t n_pass; /* jobs that add up to one result */
	uint32_t n_pe;
	double busiest_frac;
};

static struct dealt_jobs deal_jobs(const struct layer_context *context, const struct tiling *tiling, bool fused)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	bool is_matmul = context->block->kind == BLOCK_MATMUL;
	uint64_t n_column = is_matmul ? tiling->n_w : tiling->n_c;
	uint64_t n_row = is_matmul ? tiling->n_h : tiling->n_map;
	/* a fused matrix multiplication keeps its partial sums, so all row blocks of a column block are one PE's, one
	 * by one */
	uint64_t n_pass = is_matmul || !fused ? tiling->n_d : 1;
	uint64_t n_queue = hierarchy->n_queue, n_column_busiest = ceil_div(n_column, n_queue);
	struct dealt_jobs queue = {
	    .n_job = n_column * n_row * n_pass,
	    .n_busiest =
		(n_column >= n_queue ? n_column_busiest * n_row : ceil_div(n_column * n_row, n_queue)) * n_pass,
	    .n_pass = n_pass,
	    .n_pe = hierarchy->pe_per_queue,
	};
	uint64_t n_independent = queue.n_busiest / (is_matmul && fused ? n_pass : 1);
	if (queue.n_pe > n_independent)
		queue.n_pe = (uint32_t)n_independent;
	queue.busiest_frac = (double)queue.n_busiest / (double)queue.n_job;
	return queue;
}

/* DRAM bytes of all jobs. */
struct traffic {
	double read_byte, write_byte, storage_byte;
};

static struct traffic conv_traffic(const struct tiling *tiling, bool fused)
{
	double map = (double)(fused ? tiling->all_map_byte : tiling->all_map_aligned_byte) * tiling->n_meet;
	double filter = (double)tiling->all_filter_byte * (double)tiling->n_map;
	double result = fused ? (double)tiling->all_out_byte : (double)tiling->all_raw_out_byte * tiling->n_d;
	return (struct traffic){map + filter, result, 0};
}

static struct traffic matmul_traffic(const struct layer_design *design, const struct tiling *tiling, bool fused)
{
	double map = (double)(fused ? tiling->all_map_byte : tiling->all_map_aligned_byte) * tiling->n_w;
	double filter = (double)tiling->all_filter_byte * tiling->n_h;
	double result = fused ? (double)tiling->all_out_byte : (double)tiling->all_raw_out_byte * tiling->n_d;
	struct traffic traffic = {filter, 0, 0};
	if (design->in_storage)
		traffic.storage_byte += map;
	else
		traffic.read_byte += map;
	if (design->out_storage)
		traffic.storage_byte += result;
	else
		traffic.write_byte += result;
	return traffic;
}

static void fill_counts(const struct layer_context *context, const struct tiling *tiling, const struct traffic *traffic,
                        struct counts *counts)
{
	tiling_mla_counts(context, tiling, counts);
	double moved_byte = traffic->read_byte + traffic->write_byte + traffic->storage_byte;
	counts->dram_read_byte = traffic->read_byte;
	counts->dram_write_byte = traffic->write_byte;
	counts->sram_write_word += (traffic->read_byte + traffic->storage_byte) / 4;
	counts->sram_read_word += (traffic->write_byte + traffic->storage_byte) / 4;
	counts->noc_packet += moved_byte / context->machine->noc_packet_byte;
}

void distribute_jobs(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, struct program *program)
{
	bool fused = strategy_table[design->strategy].fused;
	struct dealt_jobs queue = deal_jobs(context, tiling, fused);
	struct traffic traffic =
	    context->block->kind == BLOCK_MATMUL ? matmul_traffic(design, tiling, fused) : conv_traffic(tiling, fused);
	struct task_clk task = tiling_all_task_clk(context, &design->split, tiling);
	struct step *step = distribute_add_step(program, STEP_JOBS, PHASE_TASKS);
	step->u.jobs = (struct jobs){
	    .n_job = queue.n_busiest,
	    .n_pe = queue.n_pe,
	    .load_byte = traffic.read_byte * queue.busiest_frac,
	    .write_byte = traffic.write_byte * queue.busiest_frac,
	    .task_clk = task.clk * queue.busiest_frac,
	    .task_shared_clk = task.shared_clk * queue.busiest_frac,
	    .mac_clk = tiling->all_mac_clk * queue.busiest_frac,
	    .fetch = tiling_fetch(context, tiling, tiling->all_a_word * queue.busiest_frac,
	                          tiling->all_mac_clk * queue.busiest_frac),
	};
	fill_counts(context, tiling, &traffic, &step->counts);

	double n_result = (double)ceil_div(queue.n_busiest, queue.n_pe * queue.n_pass);
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
