/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fast/fast_parts.h"
#include <math.h>

/*
 * What a foreign packet waits at a router that serves first what comes first. PEs ask for a round's packets of operand
 * A whatever the answers do, so those asked for and not yet answered stand before it. Let them ask for A packets a
 * clock and the router pass M: where A = M it waits for nothing; where M is much smaller, 3/8 of a round's time, the
 * mean over the round, as all requests stand there at the start, and as many answers when half of the time is over.
 * Between, 3/8 (1 - M / A) is within 12 % of a router that is stepped (tests/sim/fast/test_fast_qpe.c).
 */
#define QUEUED_FRAC 0.375

double fast_router_wait_clk(const struct mla_fetch *fetch, double task_clk, double n_pe, double router_packet)
{
	double ask_packet = task_clk > 0 ? 2 * n_pe * fetch->n_packet / task_clk : 0;
	if (ask_packet <= router_packet)
		return 0;
	double round_clk = mla_router_clk(fetch, n_pe, router_packet) / real_max(1, fetch->n_round);
	return QUEUED_FRAC * (1 - router_packet / ask_packet) * round_clk;
}

bool shared_qpes_fit(const struct machine *machine, const struct queue_place *place, uint32_t n_pe)
{
	return machine->qpe_n_pe <= ROUND_MAX_PE && place && n_pe <= place->n_qpe * machine->qpe_n_pe;
}

void shared_qpes_begin(const struct queue_place *place, uint32_t n_pe, const struct rates *rates,
                       struct shared_qpes *qpes)
{
	qpes->place = place;
	qpes->router_packet = rates->router_packet;
	qpes->qpe_n_pe = (uint32_t)rates->machine->qpe_n_pe;
	qpes->n_qpe = (n_pe + qpes->qpe_n_pe - 1) / qpes->qpe_n_pe;
	qpes->n_task = 0;
	qpes->end_clk = INFINITY;
	qpes->task_clk = qpes->alone_clk = 0;
	for (uint32_t i = 0; i < qpes->n_qpe; i++) {
		qpes->qpe[i].n_task = 0;
		qpes->qpe[i].clk = 0;
		qpes->qpe_end_clk[i] = INFINITY;
	}
}

void shared_qpes_time_kind(struct shared_qpes *qpes, uint32_t kind, const struct job_kind *job, double task_clk,
                           const struct rates *rates)
{
	struct shared_kind *shared = &qpes->kind[kind];
	const struct mla_fetch *fetch = &job->fetch;
	shared->task_clk = task_clk;
	shared->burst_packet = 2 / fetch->ask_clk;
	for (uint32_t k = 1; k <= qpes->qpe_n_pe; k++) {
		double clk = step_task_clk(task_clk, 1, fetch, k, qpes->router_packet, rates);
		double ask_packet = task_clk > 0 ? 2 * k * fetch->n_packet / task_clk : 0;
		shared->speed[k] = task_clk > 0 ? task_clk / clk : 1;
		shared->ask_packet[k] = ask_packet;
		shared->wait_clk[k] = fast_router_wait_clk(fetch, task_clk, k, qpes->router_packet);
	}
}

static double speed_of(const struct shared_qpes *qpes, const struct shared_qpe *qpe, const struct shared_task *task)
{
	return qpes->kind[task->job.kind].speed[qpe->n_task];
}

static void run_to(const struct shared_qpes *qpes, struct shared_qpe *qpe, double clk)
{
	for (uint32_t i = 0; i < qpe->n_task; i++)
		qpe->task[i].left_clk -= (clk - qpe->clk) * speed_of(qpes, qpe, &qpe->task[i]);
	qpe->clk = clk;
}

static void find_end(struct shared_qpes *qpes, uint32_t index)
{
	const struct shared_qpe *qpe = &qpes->qpe[index];
	double first_clk = INFINITY;
	for (uint32_t i = 0; i < qpe->n_task; i++) {
		double left_clk = real_max(0, qpe->task[i].left_clk);
		first_clk = real_min(first_clk, qpe->clk + left_clk / speed_of(qpes, qpe, &qpe->task[i]));
	}
	qpes->qpe_end_clk[index] = first_clk;
	qpes->end_clk = INFINITY;
	for (uint32_t i = 0; i < qpes->n_qpe; i++)
		qpes->end_clk = real_min(qpes->end_clk, qpes->qpe_end_clk[i]);
}

void shared_qpes_add(struct shared_qpes *qpes, const struct job_place *job, double clk)
{
	uint32_t index = job->pe / qpes->qpe_n_pe;
	struct shared_qpe *qpe = &qpes->qpe[index];
	assert(qpe->n_task < qpes->qpe_n_pe);
	run_to(qpes, qpe, clk);
	qpe->task[qpe->n_task++] = (struct shared_task){*job, qpes->kind[job->kind].task_clk, clk};
	qpes->n_task++;
	find_end(qpes, index);
}

struct job_place shared_qpes_end(struct shared_qpes *qpes)
{
	uint32_t index = 0, first = 0;
	while (qpes->qpe_end_clk[index] > qpes->end_clk)
		index++;
	struct shared_qpe *qpe = &qpes->qpe[index];
	assert(qpe->n_task > 0);
	run_to(qpes, qpe, qpes->end_clk);
	for (uint32_t i = 1; i < qpe->n_task; i++)
		if (qpe->task[i].left_clk < qpe->task[first].left_clk)
			first = i;
	const struct shared_task ended = qpe->task[first];
	qpe->task[first] = qpe->task[--qpe->n_task];
	qpes->n_task--;
	qpes->task_clk += qpe->clk - ended.begin_clk;
	qpes->alone_clk += qpes->kind[ended.job.kind].task_clk;
	find_end(qpes, index);
	return ended.job;
}

/*
 * Packets come r a clock to a router that passes m, of which tasks get a while they fetch: meanwhile they get m - r at
 * most, and are behind by what that is less.
 */
static double behind_clk(const struct shared_qpes *qpes, const struct shared_kind *kind, uint32_t n_task,
                         double n_packet, double packet_clk)
{
	double ask_packet = real_max(kind->ask_packet[n_task], n_task * kind->burst_packet);
	double rate = 1 / packet_clk, got = real_min(ask_packet, qpes->router_packet);
	double lost = real_min(rate, rate + ask_packet - qpes->router_packet);
	double ask_frac = ask_packet > 0 ? kind->ask_packet[n_task] / real_min(ask_packet, qpes->router_packet) : 0;
	return lost > 0 && got > 0 ? n_packet * packet_clk * lost / got * real_min(1, ask_frac) : 0;
}

double shared_qpes_pass(struct shared_qpes *qpes, uint32_t pe, double n_packet, double packet_clk)
{
	double wait_clk = 0;
	uint64_t pass = qpes->place->pass[pe / qpes->qpe_n_pe];
	for (uint32_t i = 0; i < qpes->n_qpe; i++) {
		struct shared_qpe *qpe = &qpes->qpe[i];
		if (!(pass >> i & 1) || qpe->n_task == 0)
			continue;
		const struct shared_kind *kind = &qpes->kind[qpe->task[0].job.kind];
		double late_clk = behind_clk(qpes, kind, qpe->n_task, n_packet, packet_clk);
		for (uint32_t k = 0; k < qpe->n_task; k++)
			qpe->task[k].left_clk += late_clk * speed_of(qpes, qpe, &qpe->task[k]);
		wait_clk += kind->wait_clk[qpe->n_task];
		if (late_clk > 0)
			find_end(qpes, i);
	}
	return wait_clk;
}
