/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues of jobs: what a queue takes in closed form if its jobs are alike, the least that it takes, and the router that
 * they share. fast_queue.c serves those that differ.
 */
#include "sim/fast/fast_parts.h"
#include "sim/base/checked.h"
#include <math.h>

/*
 * PE clocks of one DRAM load and of the hand-shake after a write from the host's view, less than the set-up of a phase
 * (thesis simulator, re-run, with the latencies of thesis table 5.1; other machines': sim/machine/latency.c).
 */
#define LOAD_SETUP_CLK 45.0
#define WRITE_HANDSHAKE_CLK 20.0

/* One job, the mean of all. */
struct job_time {
	double load_clk, write_clk; /* the DRAM's */
	double setup_clk;           /* of a load */
	double think_clk;           /* from a load's end at the DRAM to the request for the write */
	double answer_clk;          /* from a write's end to the PE's next request */
	double copy_clk;            /* what operand A from a storage QPE takes longer than the load, alone */
};

/*
 * All jobs at once, one a PE: every load is asked for at the start, every write
 * when its PE has computed. Exact for equal jobs.
 */
static double one_round_clk(const struct job_time *job, double n_job)
{
	double n_load_clk = n_job * job->load_clk, first_clk = job->load_clk + job->think_clk;
	double last_job_clk = n_load_clk + job->think_clk + job->write_clk;
	return real_max(real_max(n_load_clk, first_clk) + n_job * job->write_clk, last_job_clk);
}

/*
 * Several rounds, one job a PE and round. L, W: a load, a write at the DRAM; T: from a load's end to the request for
 * the write; A: from a write's end to the request for the next load; n PEs, of which m have a job in the last round.
 *
 *   first writes       round 1 to round R - 1        last round
 *   max(n L, L + T)  + (R - 2) periods             + what is left
 *
 * First, all loads are asked for at once, and writes begin when the last load is served or the first PE has computed.
 * A period passes from a round's first write to the next round's. It is n (L + W) where the DRAM never idles, else what
 * a PE takes alone, L + T + W + A, and the waiting for writes of PEs that came together with it, (n_together - 1) W. In
 * the last round n_ahead writes of the round before and m loads are served until the last PE has its operands; it
 * computes and writes. Nor can this take less than the DRAM needs for all of it, n W + m (L + W).
 *
 * Approximate: n_together and n_ahead are those of equal jobs in a steady state, where real jobs differ.
 * tests/sim/fast/test_job_queue.c compares it with a queue that is simulated job by job.
 */

/*
 * PEs that wait for each other's writes. A load is asked for A after its PE's write, and waits for all writes asked for
 * meanwhile. PEs whose loads follow each other, L apart, compute equally long and ask for their writes L apart, so
 * there are (W + A) / L of them; they stay together from round to round.
 */
static double n_writes_together(const struct job_time *job, double n_pe)
{
	return real_min(n_pe, real_max(1, (job->write_clk + job->answer_clk) / job->load_clk));
}

/*
 * Writes that go before a load, relative to the load's place: x. Writes are asked for L apart, as the loads before them
 * were served. Load j is asked for when write j ends. Until then the DRAM has served j writes and j / x loads, in
 * j (W + L / x) clocks, in which j (W + L / x) / L writes were asked for, x j by definition: x = W / L + 1 / x.
 */
static double writes_ahead_frac(double load_clk, double write_clk)
{
	return (write_clk + sqrt(write_clk * write_clk + 4 * load_clk * load_clk)) / (2 * load_clk);
}

/* Writes of the round before that go ahead of the last of n_last loads: those waiting at first_clk, and x a load. */
static double n_writes_ahead(const struct job_time *job, double first_clk, double n_last)
{
	double n_waiting = (first_clk - job->load_clk - job->think_clk) / job->load_clk;
	return n_waiting + n_last * writes_ahead_frac(job->load_clk, job->write_clk);
}

/*
 * Whether the clocks of several rounds grow with loads and tasks. Longer ones let fewer writes go ahead, but by less
 * than they last themselves if x < 1 + W / L and the writes that come together are short (from the formula's
 * derivatives).
 */
static bool grows_with_loads(const struct job_time *job)
{
	double load_clk = job->load_clk, write_clk = job->write_clk;
	return write_clk <= load_clk && write_clk * (write_clk + job->answer_clk) <= load_clk * load_clk;
}

/* ahead: whether writes that go ahead of loads count; else it is a bound for jobs whose loads, writes and tasks are
 * nowhere shorter. */
static double several_rounds_clk(const struct job_time *job, double n_pe, double n_round, double n_last, bool ahead)
{
	double load_clk = job->load_clk, write_clk = job->write_clk, think_clk = job->think_clk;
	double first_clk = real_max(n_pe * load_clk, load_clk + think_clk);
	double n_together = n_pe, n_ahead = n_pe;
	if (!ahead) {
		/* those that go ahead whatever the times: a PE's own write before its load */
		n_together = 1;
		n_ahead = n_last;
	} else if (load_clk > 0) {
		n_together = n_writes_together(job, n_pe);
		n_ahead = real_min(n_pe, real_max(n_together, n_writes_ahead(job, first_clk, n_last)));
	}
	double dram_clk = load_clk + write_clk, alone_clk = dram_clk + think_clk + job->answer_clk;
	double period_clk = real_max(n_pe * dram_clk, alone_clk + (n_together - 1) * write_clk);
	double start_clk = first_clk + (n_round - 2) * period_clk;
	double last_load_clk = start_clk + n_ahead * write_clk + n_last * load_clk + job->answer_clk;
	return real_max(last_load_clk + think_clk + write_clk, start_clk + n_pe * write_clk + n_last * dram_clk);
}

/* What the jobs take; n_pe at most the jobs; ahead: as above. */
static double rounds_clk(const struct jobs *jobs, const struct job_time *job, uint64_t n_pe, bool ahead)
{
	uint64_t n_round = ceil_div(jobs->busiest.n_job, n_pe), n_last = jobs->busiest.n_job - (n_round - 1) * n_pe;
	assert(n_last > 0 && n_last <= n_pe);
	struct job_time own = *job;
	double clk;
	own.think_clk += job->copy_clk;
	if (n_round == 1)
		clk = one_round_clk(&own, (double)n_last);
	else
		clk = several_rounds_clk(&own, (double)n_pe, (double)n_round, (double)n_last, ahead);
	return clk + job->answer_clk;
}

/* Share of a task during which another one of its length runs that starts offset_clk after it, both every period_clk.
 */
static double overlap_frac(double task_clk, double offset_clk, double period_clk)
{
	return real_max(0, 1 - offset_clk / task_clk) + real_max(0, 1 - (period_clk - offset_clk) / task_clk);
}

/*
 * Share of its task in which a PE's SRAM also serves the neighbour that fetches
 * operand A there. The PEs of a QPE start one after the other as their loads
 * come; each fetches from the next, the last one from the first.
 */
static double neighbour_duty(const struct job_time *job, double task_clk, uint64_t n_pe, bool several_rounds)
{
	double n = (double)n_pe, stretch_clk = job->load_clk + job->write_clk;
	if (n_pe < 2 || task_clk <= 0)
		return 0;
	double spacing_clk = several_rounds ? stretch_clk : job->load_clk, period_clk = INFINITY;
	if (several_rounds)
		period_clk = real_max(n * stretch_clk, stretch_clk + job->setup_clk + task_clk + job->answer_clk);
	double near_frac = overlap_frac(task_clk, spacing_clk, period_clk);
	double far_frac = overlap_frac(task_clk, (n - 1) * spacing_clk, period_clk);
	return real_min(1, ((n - 1) * near_frac + far_frac) / n);
}

/*
 * A task beside the other PEs of its QPE, whose operand A, loads and writes share the router. Packets of a load or
 * write come whatever the tasks do, these share what is left of the router; so their speed depends on who of the others
 * computes, and whether one loads or writes. A PE computes and moves data in fixed shares of its period, the others
 * independently; the task's speed is the mean.
 */
struct qpe_load {
	double n_pe;       /* that share the router */
	double period_clk; /* of a PE's jobs */
	double move_clk;   /* of it, load and write at the DRAM */
	double packet;     /* a clock, of a load or write */
};

/* Mean speed, in tasks a clock, if n_beside PEs compute independently with a probability. */
static double mean_speed(const struct mla_fetch *fetch, double task_clk, double n_beside, double compute_frac,
                         double router_packet, const struct rates *rates)
{
	double speed = 0, left_frac = 1 - compute_frac, n_way = 1;
	if (router_packet <= 0)
		return 0;
	for (double k = 0; k <= n_beside; k++) {
		double frac = n_way;
		for (double i = 0; i < n_beside; i++)
			frac *= i < k ? compute_frac : left_frac;
		speed += frac / step_task_clk(task_clk, 1, fetch, k + 1, router_packet, rates);
		n_way *= (n_beside - k) / (k + 1);
	}
	return speed;
}

static double contended_clk(const struct mla_fetch *fetch, double task_clk, double now_clk, const struct qpe_load *load,
                            const struct rates *rates)
{
	double n_other = load->n_pe - 1, router_packet = rates->router_packet;
	double most_packet = router_packet - (n_other > 0 ? load->packet : 0);
	if (fetch->n_packet <= 0 ||
	    (most_packet > 0 && step_task_clk(task_clk, 1, fetch, load->n_pe, most_packet, rates) <= task_clk))
		return task_clk;
	double move_frac = real_min(1, load->move_clk / load->period_clk);
	double any_frac = real_min(1, n_other * move_frac);
	double compute_frac =
	    real_min(1, now_clk / (load->period_clk - real_min(load->move_clk, load->period_clk / 2)));
	double speed = (1 - any_frac) * mean_speed(fetch, task_clk, n_other, compute_frac, router_packet, rates);
	if (any_frac > 0)
		speed += any_frac * mean_speed(fetch, task_clk, n_other - 1, compute_frac, most_packet, rates);
	return speed > 0 ? 1 / speed : task_clk * 10;
}

/* One job, the mean of all, its SRAM its own. */
static struct job_time mean_job(const struct jobs *jobs, const struct rates *rates)
{
	double n = (double)jobs->busiest.n_job, init_clk = (double)rates->machine->mla_init_clk;
	struct job_time job = {
	    .load_clk = jobs->load_byte / rates->dram_byte / n,
	    .write_clk = jobs->write_byte / rates->dram_byte / n,
	    /* the task's start is in its clocks as it was measured */
	    .setup_clk = real_max(0, rates_setup_clk(rates, SETUP_SINGLE_LOAD, LOAD_SETUP_CLK) +
	                                 rates_setup_clk(rates, SETUP_TASK, init_clk) - init_clk),
	    .answer_clk = rates_setup_clk(rates, SETUP_HANDSHAKE, WRITE_HANDSHAKE_CLK),
	};
	job.think_clk = job.setup_clk + jobs->task_clk / n;
	double storage_clk = jobs->storage_packet * jobs->n_storage / rates->port_packet / n;
	job.copy_clk = real_max(0, storage_clk - job.load_clk);
	return job;
}

/*
 * The state of sharing that the queue is in: a fixed point (a few rounds suffice). duty: of the neighbours; stretch: of
 * tasks by the router.
 */
static void find_sharing(const struct jobs *jobs, const struct job_time *mean, uint64_t n_pe, const struct rates *rates,
                         struct queue_rule *rule)
{
	double n = (double)jobs->busiest.n_job, last_clk = 0, task_clk = jobs->task_shared_clk / n,
	       alone_clk = task_clk;
	uint64_t n_neighbour = n_pe < rates->machine->qpe_n_pe ? n_pe : rates->machine->qpe_n_pe;
	struct job_time job = *mean;
	double dram_clk = job.load_clk + job.write_clk, wait_clk = dram_clk + job.setup_clk + job.answer_clk;
	struct mla_fetch fetch = {jobs->fetch.n_round / n, jobs->fetch.n_packet / n, jobs->fetch.ask_clk};
	struct qpe_load load = {(double)n_neighbour, 0, dram_clk, rates->dram_byte / rates->machine->noc_packet_byte};
	for (int i = 0; i < 4 && task_clk != last_clk; i++) {
		rule->duty = neighbour_duty(&job, task_clk, n_neighbour, jobs->busiest.n_job > n_pe);
		last_clk = task_clk;
		alone_clk = (jobs->task_clk + (jobs->task_shared_clk - jobs->task_clk) * rule->duty) / n;
		load.period_clk = real_max((double)n_pe * dram_clk, wait_clk + task_clk);
		task_clk = contended_clk(&fetch, alone_clk, task_clk, &load, rates);
	}
	rule->setup_clk = job.setup_clk;
	rule->answer_clk = job.answer_clk;
	rule->stretch = alone_clk > 0 ? task_clk / alone_clk : 1;
}

/* All that passes the router of a QPE, if the QPEs have the same. */
static double router_clk(const struct jobs *jobs, double n_pe, const struct rates *rates)
{
	double n_here = real_min(n_pe, rates->machine->qpe_n_pe), fetch_clk = 0;
	double packet = (jobs->load_byte + jobs->write_byte) / rates->machine->noc_packet_byte;
	if (jobs->fetch.n_packet > 0)
		fetch_clk = mla_router_clk(&jobs->fetch, n_here, rates->router_packet) / n_here;
	return (packet / rates->router_packet + fetch_clk) * n_here / n_pe;
}

/*
 * All PEs ask for their first loads at once, and the DRAM serves them one after the other: behind the last of them a PE
 * has all of its first result before it but this load.
 */
static double last_start_clk(const struct jobs *jobs, const struct job_time *job, uint64_t n_pe,
                             const struct rates *rates)
{
	if (jobs->first_frac <= 0)
		return 0;
	double n_write = (double)jobs->busiest.n_write, n_first = real_min((double)n_pe, n_write);
	double load_byte = jobs->load_byte * (n_first < n_write ? jobs->tail_frac * n_first / n_write : 1);
	double mean_frac = jobs->tail_frac / n_write;
	const struct job_kind least = {
	    .load_byte = jobs->load_byte * mean_frac * (1 - jobs->first_frac),
	    .write_byte = jobs->write_byte * jobs->tail_write_frac / n_write,
	    .task_clk = jobs->task_clk * mean_frac,
	    .copy_packet = jobs->largest.copy_packet * jobs->tail_write_frac,
	};
	return load_byte * jobs->first_frac / rates->dram_byte +
	       fast_alone_clk(&least, jobs->n_largest, job->setup_clk, job->answer_clk, rates);
}

/* Whatever the jobs: the work of the DRAM interface, and of a PE; a PE's with its share of the largest results. */
static double uneven_clk(const struct jobs *jobs, const struct job_time *job, uint64_t n_pe, const struct rates *rates)
{
	double n_job = (double)jobs->busiest.n_job, n_write = (double)jobs->busiest.n_write;
	double dram_clk = n_job * (job->load_clk + job->write_clk);
	double task_clk = job->think_clk - job->setup_clk, frac = jobs->least_frac;
	double wait_clk = jobs->mean_job * (job->setup_clk + n_write / n_job * job->answer_clk);
	double pe_clk = (frac * (dram_clk + n_job * (task_clk + job->copy_clk)) + wait_clk) / (double)n_pe;
	/* behind the last load its PE computes and writes, when all results but one a PE are written */
	double write_clk = n_job * job->write_clk / n_write;
	double n_before = real_max(0, n_write - (double)n_pe);
	double tail_clk =
	    job->setup_clk + jobs->tail_job_frac * task_clk + jobs->tail_write_frac * (n_before + 1) * write_clk;
	if (jobs->tail_job_frac > 0)
		dram_clk = real_max(dram_clk, n_job * job->load_clk + tail_clk);
	double largest_clk = fast_alone_clk(&jobs->largest, jobs->n_largest, job->setup_clk, job->answer_clk, rates);
	largest_clk *= (double)ceil_div(jobs->n_largest_result, n_pe);
	dram_clk = real_max(frac * dram_clk, jobs->dram_byte / rates->dram_byte);
	pe_clk = real_max(pe_clk, last_start_clk(jobs, job, n_pe, rates));
	return real_max(largest_clk, real_max(dram_clk + job->answer_clk, pe_clk));
}

/* As if all jobs were the mean one of what some queue has at least. */
static double mean_clk(const struct jobs *jobs, const struct job_time *job, uint64_t n_pe, const struct rates *rates)
{
	double frac = jobs->is_uneven ? jobs->least_frac : 1;
	struct job_time own = *job;
	own.load_clk *= frac;
	own.write_clk *= frac;
	own.think_clk = job->setup_clk + (job->think_clk - job->setup_clk) * frac;
	own.copy_clk = real_max(0, (job->load_clk + job->copy_clk) * frac - own.load_clk);
	bool ahead = !rates->with_slower && grows_with_loads(&own);
	return rounds_clk(jobs, &own, n_pe, ahead);
}

/*
 * Clocks that no order of the jobs goes below, nor jobs that are nowhere smaller: what PEs and DRAM do alone, the host,
 * the storage QPE and the router each for all. If all jobs are alike, what the closed form says.
 */
static double floor_clk(const struct jobs *jobs, const struct job_time *job, uint64_t n_pe, const struct rates *rates)
{
	double clk = uneven_clk(jobs, job, n_pe, rates);
	if (!jobs->is_uneven || (jobs->is_mean && rates->is_least))
		clk = real_max(clk, mean_clk(jobs, job, n_pe, rates));
	/* behind the last copy of operand A its PE computes */
	double task_clk = jobs->tail_job_frac * (job->think_clk - job->setup_clk);
	double storage_clk = jobs->storage_packet / rates->port_packet;
	storage_clk += storage_clk > 0 ? job->setup_clk + task_clk : 0;
	double noc_clk =
	    real_max(jobs->least_frac * router_clk(jobs, (double)n_pe, rates) + job->setup_clk, storage_clk);
	return real_max(real_max(clk, noc_clk + job->answer_clk), jobs->host_clk);
}

/*
 * PEs and DRAM alone take queue_clk, the router alone router_clk. Where both are about as long, each waits for the
 * other, as loads and tasks come in turns: together they take (a^8 + b^8)^(1/8). The exponent is fitted.
 */
static double joined_clk(double queue_clk, double router_clk)
{
	double ratio = router_clk / queue_clk;
	if (ratio > 1)
		return joined_clk(router_clk, queue_clk);
	ratio *= ratio;
	ratio *= ratio;
	return queue_clk * sqrt(sqrt(sqrt(1 + ratio * ratio)));
}

/* All tasks in this state of sharing. */
static double tasks_clk(const struct jobs *jobs, const struct queue_rule *rule)
{
	return (jobs->task_clk + (jobs->task_shared_clk - jobs->task_clk) * rule->duty) * rule->stretch;
}

/* The busiest queue, job by job or as if all were alike. */
static double serve_jobs(const struct jobs *jobs, const struct job_time *mean, uint64_t n_pe, const struct rates *rates,
                         struct queue_rule *rule)
{
	double busiest_clk = 0, stretch = 0;
	for (uint32_t i = 0; i < jobs->n_order; i++) {
		busiest_clk = real_max(busiest_clk, fast_serve_queue(jobs, &jobs->order[i], rates, rule));
		stretch = real_max(stretch, rule->stretch);
	}
	if (jobs->n_order > 0) {
		rule->stretch = stretch;
		return busiest_clk;
	}
	struct job_time job = *mean;
	job.think_clk = job.setup_clk + tasks_clk(jobs, rule) / (double)jobs->busiest.n_job;
	return rounds_clk(jobs, &job, n_pe, true);
}

/* Whether jobs are served one by one, and either tasks wait for their QPE's router or loads alone fill it. */
static bool is_slowed(const struct jobs *jobs, uint64_t n_pe, const struct rates *rates)
{
	double n_neighbour = real_min((double)n_pe, rates->machine->qpe_n_pe);
	if (jobs->n_order == 0 || jobs->fetch.n_packet <= 0)
		return false;
	for (uint32_t i = 0; i < jobs->n_order; i++)
		if (!shared_qpes_fit(rates->machine, jobs->place, jobs->order[i].n_pe))
			return false;
	if (n_neighbour > 1 && rates->dram_byte / rates->machine->noc_packet_byte >= rates->router_packet)
		return true;
	/* of one QPE the mean of all jobs says as much */
	return (double)n_pe > n_neighbour &&
	       mla_router_clk(&jobs->fetch, n_neighbour, rates->router_packet) > jobs->task_clk;
}

/* From this share of its time on messages wait for each other at the host. */
#define HOST_FRAC 0.25

/* What the jobs take in their order; least_clk: at least; task_clk: their tasks. */
static double price_jobs(const struct jobs *jobs, const struct job_time *job, uint64_t n_pe, const struct rates *rates,
                         double least_clk, double *task_clk)
{
	struct queue_rule rule = {.n_most = jobs->n_served, .has_host = jobs->host_clk > HOST_FRAC * least_clk};
	double all_router_clk = router_clk(jobs, (double)n_pe, rates) + job->setup_clk + job->answer_clk;
	find_sharing(jobs, job, n_pe, rates, &rule);
	rule.is_shared = is_slowed(jobs, n_pe, rates);
	double clk = serve_jobs(jobs, job, n_pe, rates, &rule);
	*task_clk = tasks_clk(jobs, &rule);
	if (rule.stretch > 1 && !rule.is_shared) {
		/* less where router and queue wait for each other only now and then */
		rule.stretch = 1;
		clk = real_min(clk, joined_clk(serve_jobs(jobs, job, n_pe, rates, &rule), all_router_clk));
	}
	return real_max(clk, all_router_clk);
}

/*
 * A closed queue: PEs, each load, compute, write; one DRAM that serves loads and
 * writes whole and in turn. Task times lie between those of a free and a shared
 * SRAM by the neighbours' duty. A bound is what they take at least in any order.
 */
static struct step_time time_queue(const struct jobs *jobs, const struct rates *rates)
{
	double dram_clk = (jobs->load_byte + jobs->write_byte) / rates->dram_byte;
	assert(jobs->busiest.n_pe > 0 && jobs->task_shared_clk >= jobs->task_clk);
	uint64_t n_pe = jobs->busiest.n_job < jobs->busiest.n_pe ? jobs->busiest.n_job : jobs->busiest.n_pe;
	struct job_time job = mean_job(jobs, rates);
	double clk = floor_clk(jobs, &job, n_pe, rates), task_clk = jobs->task_clk;
	if (!rates->is_least)
		clk = real_max(clk, price_jobs(jobs, &job, n_pe, rates, clk, &task_clk));
	return (struct step_time){clk, clk > 2 * dram_clk ? step_bound(task_clk, jobs->mac_clk) : BOUND_DRAM,
	                          step_awake_frac(task_clk, jobs->mac_clk, rates), 0};
}

struct step_time fast_time_jobs(const struct jobs *jobs, const struct rates *rates)
{
	if (jobs->n_job == 0)
		return (struct step_time){0, BOUND_DRAM, 0, 0};
	if (jobs->busiest.n_job > 0)
		return time_queue(jobs, rates);
	struct jobs alike = *jobs;
	alike.busiest.n_job = alike.busiest.n_write = jobs->n_job;
	alike.busiest.n_pe = jobs->n_pe;
	alike.least_frac = 1;
	return time_queue(&alike, rates);
}
