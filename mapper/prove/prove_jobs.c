/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that idle PEs take from their queue. Which PE takes one depends on time
 * alone, so here a queue's PEs take them in turn. A PE that takes the next part
 * of the same result right away adds to the sums it has; any other job begins
 * with none. A job that stores 32-bit sums leaves them in DRAM, where those of a
 * result are added up when all jobs are done.
 */
#include "mapper/prove/prove_parts.h"
#include <stdlib.h>

/* A queue's PEs, and the sums of the one that had the last job. */
struct queue {
	uint32_t n_taken; /* turns */
	uint32_t first, last, result;
};

struct dram {
	uint32_t *last; /* [result] last task whose sums lie there; PROVE_NONE */
	bool *has;      /* [result][n_d] */
};

/* The task of a job: what it loads lies in the PE, and in its neighbour. */
static uint32_t run_job(struct prove_run *run, uint32_t index)
{
	const struct job *job = &run->schedule->job[index];
	uint32_t map = prove_map_of(&run->core, job->part), filter = prove_filter_of(&run->core, job->part);
	uint64_t byte =
	    (prove_map_size(&run->core, map) + prove_filter_size(&run->core, filter)) * (run->context->operand_bit / 8);
	if ((uint64_t)job->map_byte + job->filter_byte < byte)
		prove_fault(run, "job %u (queue %u) loads %llu bytes of parts of %llu", index, job->queue,
		            (unsigned long long)job->map_byte + job->filter_byte, (unsigned long long)byte);
	uint64_t held_byte =
	    (uint64_t)job->map_byte + job->filter_byte + prove_sum_byte(run, prove_result_of(&run->core, job->part));
	if (held_byte > run->context->machine->pe_sram_byte)
		prove_fault(run, "job %u (queue %u): %llu bytes lie in the SRAM of %u", index, job->queue,
		            (unsigned long long)held_byte, run->context->machine->pe_sram_byte);
	prove_check_shape(run, index, job->shape, job->part);
	return prove_add_task(run, (struct prove_task){map, filter, index, PROVE_NONE});
}

/* The sums of one task to DRAM; a second time in the same place they replace what is there. */
static void leave_sums(struct prove_run *run, const struct dram *dram, uint32_t index, uint32_t task, uint32_t pe)
{
	const struct job *job = &run->schedule->job[index];
	uint32_t result = prove_result_of(&run->core, job->part), d = prove_depth_of(&run->core, job->part);
	bool *has = &dram->has[(size_t)result * run->core.n_d + d];
	if (*has) {
		prove_fault(run, "job %u (queue %u) on PE %u: stores the sums of input channels' part %u of %s again",
		            index, job->queue, pe, d, prove_label_result(&run->core, result).text);
		return;
	}
	*has = true;
	if (dram->last[result] == PROVE_NONE)
		run->store[result] = (struct prove_store){task, pe, index};
	else
		run->task[dram->last[result]].next = task;
	dram->last[result] = task;
}

static void take_job(struct prove_run *run, struct queue *queue, const struct dram *dram, uint32_t index)
{
	const struct job *job = &run->schedule->job[index];
	bool fused = strategy_table[run->design->strategy].fused;
	uint32_t n_queue = run->context->hierarchy.n_queue, n_pe = machine_n_pe(run->context->machine) / n_queue;
	uint32_t result = prove_result_of(&run->core, job->part), task = run_job(run, index);
	queue->n_taken += !job->same_pe;
	uint32_t pe = job->queue * n_pe + (queue->n_taken + n_pe - 1) % n_pe;
	if (task == PROVE_NONE)
		return;
	if (!fused) {
		if (job->store_byte > 0)
			leave_sums(run, dram, index, task, pe);
		return;
	}
	if (job->same_pe && queue->first != PROVE_NONE && queue->result == result) {
		run->task[queue->last].next = task;
		queue->last = task;
	} else {
		*queue = (struct queue){queue->n_taken, task, task, result};
	}
	if (job->store_byte > 0) {
		prove_add_store(run, result, (struct prove_store){queue->first, pe, index});
		queue->first = PROVE_NONE;
	}
}

/* Unfused: all input channels' sums of a result are in DRAM. */
static void check_sums(struct prove_run *run, const struct dram *dram)
{
	uint64_t n_result = prove_n_result(&run->core);
	for (uint64_t i = 0; i < n_result; i++)
		for (uint32_t d = 0; d < run->core.n_d; d++)
			if (run->store[i].first != PROVE_NONE && !dram->has[i * run->core.n_d + d])
				prove_fault(run, "sums of input channels' part %u of %s are stored by no job", d,
				            prove_label_result(&run->core, (uint32_t)i).text);
}

void prove_walk_jobs(struct prove_run *run, const struct schedule_step *step)
{
	size_t n_result = (size_t)prove_n_result(&run->core);
	uint32_t n_queue = run->context->hierarchy.n_queue;
	struct queue *queue = calloc(n_queue, sizeof(*queue));
	struct dram dram = {malloc(n_result * sizeof(*dram.last)), calloc(n_result * run->core.n_d, sizeof(*dram.has))};
	run->no_memory |= !queue || !dram.last || !dram.has;
	for (uint32_t i = 0; i < n_queue && !run->no_memory; i++)
		queue[i].first = PROVE_NONE;
	for (size_t i = 0; i < n_result && !run->no_memory; i++)
		dram.last[i] = PROVE_NONE;
	for (uint32_t i = 0; i < step->n_job && !run->no_memory; i++)
		take_job(run, &queue[run->schedule->job[step->first_job + i].queue], &dram, step->first_job + i);
	if (!run->no_memory && !strategy_table[run->design->strategy].fused)
		check_sums(run, &dram);
	free(queue);
	free(dram.last);
	free(dram.has);
}
