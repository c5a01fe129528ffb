/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds of a QPE with a barrier after each: the longest task is not all that a round takes, as the results of PEs that
 * end together wait for each other at the DRAM. Rounds that are alike are timed once.
 */
#include "sim/fast/fast_parts.h"
#include <assert.h>

/* A kind of task: clocks with a free and a shared SRAM, of its write; whether other PEs' operand A can slow it down. */
struct kind_clk {
	const struct job_kind *job;
	double clk, shared_clk, write_clk;
	double alike_clk; /* beside as many of the kind as there are other PEs, SRAM shared */
	bool is_slowed;
};

struct round_step {
	const struct rounds *rounds;
	const struct rates *rates;
	struct kind_clk kind[JOB_MAX_KIND];
};

/* What a PE does in a round. */
struct round_task {
	const struct kind_clk *kind;
	double clk, write_clk;
};

static void time_kinds(struct round_step *step)
{
	const struct rates *rates = step->rates;
	double byte_rate = real_min(rates->port_packet, rates->router_packet) * rates->machine->noc_packet_byte;
	double byte_clk = 1 / real_min(byte_rate, rates->dram_byte), n_pe = rates->machine->qpe_n_pe;
	for (uint32_t k = 0; k < JOB_MAX_KIND; k++) {
		const struct job_kind *job = &step->rounds->kind[k];
		if (!(step->rounds->kinds >> k & 1))
			continue;
		double clk = job->task_clk, shared_clk = job->task_shared_clk;
		double slow_clk = step_task_clk(clk, 1, &job->fetch, n_pe, rates->router_packet, rates);
		step->kind[k] = (struct kind_clk){
		    .job = job,
		    .clk = clk,
		    .shared_clk = shared_clk,
		    .alike_clk = real_max(shared_clk, slow_clk),
		    .write_clk = job->write_byte * byte_clk,
		    .is_slowed = slow_clk > clk,
		};
	}
}

/* Clocks of the tasks: a PE's SRAM is shared if another one fetches its filters there; all share the router. */
static void time_tasks(struct round_task *task, const bool *is_shared, uint32_t n, const struct rates *rates)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct kind_clk *kind = task[i].kind;
		double clk = is_shared[i] ? kind->shared_clk : kind->clk, n_packet = kind->job->fetch.n_packet, sum = 0;
		task[i].clk = clk;
		if (!kind->is_slowed)
			continue;
		/* of a PE with more packets, as many pass meanwhile as this one has */
		for (uint32_t k = 0; k < n; k++)
			sum += real_min(task[k].kind->job->fetch.n_packet, n_packet);
		task[i].clk = step_task_clk(clk, 1, &kind->job->fetch, sum / n_packet, rates->router_packet, rates);
	}
}

/* From the start to the last write: of each task on, its own result and those that come later are written. */
static double makespan(const struct round_task *task, uint32_t n)
{
	double span_clk = 0;
	for (uint32_t i = 0; i < n; i++) {
		double clk = task[i].clk;
		/* without a branch, which would be a guess */
		for (uint32_t k = 0; k < n; k++)
			clk += (double)(task[k].clk >= task[i].clk) * task[k].write_clk;
		span_clk = real_max(span_clk, clk);
	}
	return span_clk;
}

/* Round k of a group of ifmap parts with one of filter parts; adds the tasks' clocks. */
static double round_clk(const struct round_step *step, const struct round_group *map, const struct round_group *filter,
                        uint32_t k, double *task_clk)
{
	uint32_t n_pe = step->rates->machine->qpe_n_pe, n = 0;
	bool passes_on = n_pe % map->n_part != 0;
	struct round_task task[ROUND_MAX_PE];
	bool is_shared[ROUND_MAX_PE];
	for (uint32_t z = 0, part = 0, from = k; z < n_pe; z++, part++, from++) {
		part = part == map->n_part ? 0 : part;
		from = from == n_pe ? 0 : from;
		if (from >= filter->n_part)
			continue;
		uint32_t own = z >= map->n_part && passes_on ? k : part;
		task[n].kind = &step->kind[round_group_kind(map, own) | round_group_kind(filter, from)];
		task[n].write_clk = task[n].kind->write_clk;
		is_shared[n++] = z < filter->n_part;
	}
	time_tasks(task, is_shared, n, step->rates);
	for (uint32_t i = 0; i < n; i++)
		*task_clk += task[i].clk;
	return makespan(task, n);
}

static bool is_uniform(const struct round_group *group)
{
	for (uint32_t i = 1; i < group->n_part; i++)
		if (round_group_kind(group, i) != round_group_kind(group, 0))
			return false;
	return true;
}

/* All rounds of two groups, one after the other; adds the tasks' clocks. */
static double rounds_of_groups(const struct round_step *step, const struct round_group *map,
                               const struct round_group *filter, double *task_clk)
{
	uint32_t n_pe = step->rates->machine->qpe_n_pe;
	bool is_full = filter->n_part == n_pe, maps_alike = is_full && is_uniform(map),
	     filters_alike = is_uniform(filter);
	double n = map->n * filter->n * map->n_part, clk = 0, sum_clk = 0;
	if (maps_alike && filters_alike) {
		const struct kind_clk *kind = &step->kind[round_group_kind(map, 0) | round_group_kind(filter, 0)];
		*task_clk += n * n_pe * kind->alike_clk;
		return n * (kind->alike_clk + n_pe * kind->write_clk);
	}
	/* every PE works, and parts of one operand are alike */
	uint32_t n_seen = maps_alike || (is_full && map->n_part == n_pe && filters_alike) ? 1 : map->n_part;
	for (uint32_t k = 0; k < n_seen; k++)
		clk += round_clk(step, map, filter, k, &sum_clk);
	*task_clk += n / n_seen * sum_clk;
	return n / n_seen * clk;
}

struct step_time fast_time_rounds(const struct compute *compute, const struct rates *rates)
{
	struct round_step step = {.rounds = &compute->rounds, .rates = rates};
	const struct rounds *rounds = step.rounds;
	uint32_t n_pe = rates->machine->qpe_n_pe;
	double setup_clk = rates_setup_clk(rates, SETUP_WRITE_DRAM, rates->machine->write_setup_clk);
	double clk = 0, task_clk = 0, n_round = 0, write_clk = compute->write_dram_byte / rates->dram_byte;
	assert(n_pe <= ROUND_MAX_PE && rounds->n_map <= ROUND_MAX_GROUP && rounds->n_filter <= ROUND_MAX_GROUP);
	time_kinds(&step);
	for (uint32_t i = 0; i < rounds->n_map; i++)
		for (uint32_t j = 0; j < rounds->n_filter; j++) {
			n_round += rounds->map[i].n * rounds->filter[j].n * rounds->map[i].n_part;
			clk += rounds_of_groups(&step, &rounds->map[i], &rounds->filter[j], &task_clk);
		}
	clk += n_round * setup_clk;
	task_clk /= n_pe;
	enum bound bound = write_clk > task_clk ? BOUND_DRAM : step_bound(task_clk, compute->mac_clk);
	return (struct step_time){clk, bound, step_awake_frac(task_clk, compute->mac_clk, rates), 0};
}
