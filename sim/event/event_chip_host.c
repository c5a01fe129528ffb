/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host: starts operations when those they wait for have been reported
 * complete, and gives jobs to idle PEs. It talks to the mesh through its agents,
 * one a quadrant, each with one queue for both directions (thesis section 3.2).
 */
#include "sim/event/event_chip.h"
#include "sim/base/checked.h"
#include <assert.h>

/*
 * The host takes a clock for a report: with it and the ARM cores' a load and a
 * copy take from host to host what the thesis simulator's do (re-run).
 */
#define HOST_MESSAGE_CLK 1

/* Operations of a job; a PE has those of its job in work and of earlier ones that still store under way. */
enum job_op { JOB_MAP, JOB_FILTER, JOB_TASK, JOB_STORE, JOB_N_OP };
#define N_JOB_SET 4
#define OP_PER_PE (N_JOB_SET * JOB_N_OP)

struct host_pe {
	uint32_t job;    /* in work; SCHEDULE_NONE: idle */
	uint32_t set;    /* of its operations, in turn */
	uint32_t n_load; /* still to come */
};

struct host_queue {
	uint32_t first_job;      /* not yet given to a PE; SCHEDULE_NONE: none */
	uint32_t n_pe, first_pe; /* of host->queue_pe */
};

struct event_host {
	const struct schedule_step *step;
	uint32_t n_left; /* operations or jobs of the step that are not complete */
	/* operations: how many each waits for, and who waits for it: edge 2 * op + k, SCHEDULE_NONE at the end */
	uint32_t *n_before, *first_edge, *next_edge;
	/* jobs */
	uint32_t *next_job; /* [n_job] of the same queue */
	struct host_queue *queue;
	uint32_t *queue_pe; /* [n_pe] PEs, queue by queue */
	struct host_pe *pe;
};

/* ---- set up ---- */

static void deal_pes(const struct event_chip *chip, struct event_host *host)
{
	uint32_t n = 0, n_dram = chip->mesh.n_dram;
	for (uint32_t q = 0; q < n_dram; q++) {
		host->queue[q].first_pe = n;
		for (uint32_t pe = 0; pe < chip->n_pe; pe++)
			if (mesh_queue(&chip->mesh, chip->machine->qpe_n_pe, pe) == q)
				host->queue_pe[n++] = pe;
		host->queue[q].n_pe = n - host->queue[q].first_pe;
		assert(q >= chip->n_pe || host->queue[q].n_pe > 0);
	}
	assert(n == chip->n_pe);
}

/* The most operations that are under way in any step. */
static uint32_t n_live(const struct event_chip *chip)
{
	uint32_t n = 1;
	for (uint32_t i = 0; i < chip->schedule->n_step; i++) {
		const struct schedule_step *step = &chip->schedule->step[i];
		uint32_t n_step = step->n_job > 0 ? chip->n_pe * OP_PER_PE : step->n_op;
		n = n_step > n ? n_step : n;
	}
	return n;
}

void event_host_init(struct event_chip *chip)
{
	struct arena *memory = &chip->memory;
	struct event_host *host = chip->host = arena_array(memory, 1, sizeof(*host));
	uint32_t n = n_live(chip);
	if (!host)
		return;
	chip->live = arena_array(memory, n, sizeof(*chip->live));
	host->n_before = arena_array(memory, n, sizeof(*host->n_before));
	host->first_edge = arena_array(memory, n, sizeof(*host->first_edge));
	host->next_edge = arena_array(memory, 2 * (size_t)n, sizeof(*host->next_edge));
	host->next_job = arena_array(memory, chip->schedule->n_job, sizeof(*host->next_job));
	host->queue = arena_array(memory, chip->mesh.n_dram, sizeof(*host->queue));
	host->queue_pe = arena_array(memory, chip->n_pe, sizeof(*host->queue_pe));
	host->pe = arena_array(memory, chip->n_pe, sizeof(*host->pe));
	if (!memory->is_out)
		deal_pes(chip, host);
}

/* ---- agents ---- */

static uint64_t pass_host(struct event_chip *chip, uint64_t clk)
{
	if (!event_host_takes_turns(chip->host->step))
		return clk;
	clk = max_u64(clk, chip->host_free_clk);
	chip->host_free_clk = clk + 1;
	return clk;
}

/* An agent passes a packet that comes in a clock; returns the clock in which it is on the other side. */
static uint64_t pass_agent(struct event_chip *chip, uint32_t qpe, uint64_t clk)
{
	struct event_agent *agent = &chip->agent[qpe];
	if (agent->free_clk < clk)
		agent->free_clk = clk;
	if (chip->trace) {
		struct trace_span span =
		    trace_make_span(TRACE_HOST, qpe, "messages", agent->free_clk, agent->free_clk + 1, 1);
		trace_extend_span(chip->trace, &agent->span, &span);
	}
	return agent->free_clk++ + chip->machine->chip.host_latency_clk;
}

void event_agent_push(struct event_chip *chip, uint32_t qpe, uint64_t clk, struct event_message message)
{
	message.clk = clk;
	event_fifo_push(&chip->agent[qpe].in, message);
	event_chip_wake(chip, clk, event_chip_agent_unit(chip, qpe));
}

/* Start an operation under way. */
static void issue(struct event_chip *chip, uint32_t op)
{
	const struct event_live *live = &chip->live[op];
	uint32_t qpe = live->pe / chip->machine->qpe_n_pe;
	struct event_message command = {.to = live->pe, .from = op, .kind = EVENT_COMMAND};
	if (live->kind == OP_LOAD) {
		command.to = EVENT_NODE_DRAM + live->peer;
		qpe = chip->dram_port[qpe * chip->mesh.n_dram + live->peer];
	}
	uint32_t agent = chip->agent_of[qpe];
	uint64_t clk = pass_host(chip, chip->queue.clk);
	command.clk = ceil_div(pass_agent(chip, agent, clk) * chip->noc_khz, chip->pe_khz);
	chip->n_busy++;
	chip->n_change++;
	event_chip_push_link(chip, agent, EVENT_LINK_AGENT, command);
}

static struct event_live live_of(const struct event_chip *chip, enum op_kind kind, uint32_t pe, uint32_t peer,
                                 uint32_t byte)
{
	uint32_t n_packet = (uint32_t)ceil_div(byte, chip->machine->noc_packet_byte);
	return (struct event_live){
	    .kind = kind, .pe = pe, .peer = peer, .n_packet = n_packet, .n_left = n_packet, .byte = byte};
}

/* ---- jobs ---- */

/* Set one of the operations of a PE's job up; returns it. */
static uint32_t set_job_op(struct event_chip *chip, uint32_t pe, enum job_op which, struct event_live live)
{
	const struct host_pe *state = &chip->host->pe[pe];
	uint32_t op = pe * OP_PER_PE + state->set * JOB_N_OP + which;
	live.part = chip->schedule->job[state->job].part;
	live.shape = chip->schedule->job[state->job].shape;
	assert(chip->live[op].n_left == 0);
	chip->live[op] = live;
	return op;
}

static void start_job_op(struct event_chip *chip, uint32_t pe, enum job_op which, struct event_live live)
{
	issue(chip, set_job_op(chip, pe, which, live));
}

/* Operand A, the filters, is fetched from the next PE of the QPE (thesis section 4.3.1). */
static uint32_t filter_pe(const struct event_chip *chip, uint32_t pe)
{
	uint32_t n = chip->machine->qpe_n_pe;
	return pe / n * n + (pe % n + 1) % n;
}

static void start_task(struct event_chip *chip, uint32_t pe)
{
	const struct job *job = &chip->schedule->job[chip->host->pe[pe].job];
	uint32_t a_pe = job->filter_byte > 0 ? filter_pe(chip, pe) : pe;
	start_job_op(chip, pe, JOB_TASK, live_of(chip, OP_TASK, pe, a_pe, 0));
}

static void start_job(struct event_chip *chip, uint32_t pe, uint32_t index)
{
	const struct job *job = &chip->schedule->job[index];
	struct host_pe *state = &chip->host->pe[pe];
	state->job = index;
	state->set = (state->set + 1) % N_JOB_SET;
	state->n_load = (job->map_byte > 0 ? 1U : 0U) + (job->filter_byte > 0 ? 1U : 0U);
	if (job->map_byte > 0)
		start_job_op(chip, pe, JOB_MAP, live_of(chip, OP_LOAD, pe, job->queue, job->map_byte));
	if (job->filter_byte > 0)
		start_job_op(chip, pe, JOB_FILTER,
		             live_of(chip, OP_LOAD, filter_pe(chip, pe), job->queue, job->filter_byte));
	if (state->n_load == 0)
		start_task(chip, pe);
}

/* Give a PE the next job: the one that has to follow its last one, or the queue's next. */
static void next_job(struct event_chip *chip, uint32_t pe, uint32_t q)
{
	struct event_host *host = chip->host;
	const struct job *job = chip->schedule->job;
	struct host_pe *state = &host->pe[pe];
	uint32_t next = state->job == SCHEDULE_NONE ? SCHEDULE_NONE : host->next_job[state->job];
	if (next == SCHEDULE_NONE || !job[next].same_pe) {
		next = host->queue[q].first_job;
		if (next == SCHEDULE_NONE) {
			state->job = SCHEDULE_NONE;
			return;
		}
		uint32_t after = host->next_job[next];
		while (after != SCHEDULE_NONE && job[after].same_pe)
			after = host->next_job[after];
		host->queue[q].first_job = after;
	}
	start_job(chip, pe, next);
}

/* A task without results: the PE is free. */
static void end_job_task(struct event_chip *chip, uint32_t pe)
{
	struct event_host *host = chip->host;
	const struct job *job = &chip->schedule->job[host->pe[pe].job];
	assert(job->store_byte == 0);
	host->n_left--;
	next_job(chip, pe, job->queue);
}

static void complete_job_op(struct event_chip *chip, uint32_t op)
{
	struct event_host *host = chip->host;
	uint32_t pe = op / OP_PER_PE;
	switch (op % JOB_N_OP) {
	case JOB_MAP:
	case JOB_FILTER:
		if (--host->pe[pe].n_load == 0)
			start_task(chip, pe);
		break;
	case JOB_TASK:
		end_job_task(chip, pe);
		break;
	default:
		host->n_left--;
		next_job(chip, pe, chip->live[op].peer);
	}
}

static void begin_jobs(struct event_chip *chip)
{
	struct event_host *host = chip->host;
	const struct schedule_step *step = host->step;
	host->n_left = step->n_job;
	for (uint32_t q = 0; q < chip->mesh.n_dram; q++)
		host->queue[q].first_job = SCHEDULE_NONE;
	for (uint32_t i = step->first_job + step->n_job; i-- > step->first_job;) {
		struct host_queue *queue = &host->queue[chip->schedule->job[i].queue];
		host->next_job[i] = queue->first_job;
		queue->first_job = i;
	}
	/* The first idle PE gets the next job: while all are idle one queue's after the other's. */
	for (uint32_t q = 0; q < chip->mesh.n_dram; q++)
		for (uint32_t k = 0; k < host->queue[q].n_pe; k++) {
			uint32_t pe = host->queue_pe[host->queue[q].first_pe + k];
			host->pe[pe].job = SCHEDULE_NONE;
			next_job(chip, pe, q);
		}
}

/* ---- operations of a step ---- */

static void begin_ops(struct event_chip *chip)
{
	struct event_host *host = chip->host;
	const struct schedule_step *step = host->step;
	host->n_left = step->n_op;
	for (uint32_t i = 0; i < step->n_op; i++)
		host->first_edge[i] = SCHEDULE_NONE;
	/* From the last to the first, so that those who wait are started in their order. */
	for (uint32_t i = step->n_op; i-- > 0;) {
		const struct op *op = &chip->schedule->op[step->first_op + i];
		chip->live[i] = live_of(chip, op->kind, op->pe, op->peer, op->byte);
		chip->live[i].shape = op->shape;
		chip->live[i].part = op->part;
		host->n_before[i] = 0;
		for (uint32_t k = 0; k < 2; k++) {
			if (op->before[k] == SCHEDULE_NONE)
				continue;
			uint32_t before = op->before[k] - step->first_op;
			host->n_before[i]++;
			host->next_edge[2 * i + k] = host->first_edge[before];
			host->first_edge[before] = 2 * i + k;
		}
	}
	for (uint32_t i = 0; i < step->n_op; i++)
		if (host->n_before[i] == 0)
			issue(chip, i);
}

static void complete_op(struct event_chip *chip, uint32_t op)
{
	struct event_host *host = chip->host;
	host->n_left--;
	if (chip->record)
		chip->record->op_clk[host->step->first_op + op] = chip->queue.clk;
	for (uint32_t edge = host->first_edge[op]; edge != SCHEDULE_NONE; edge = host->next_edge[edge])
		if (--host->n_before[edge / 2] == 0)
			issue(chip, edge / 2);
}

/* ---- results ---- */

/* All that waits for a task is to send its result from its PE. */
static bool is_sent(const struct event_chip *chip, uint32_t task)
{
	const struct event_host *host = chip->host;
	uint32_t edge = host->first_edge[task];
	if (edge == SCHEDULE_NONE)
		return false;
	for (; edge != SCHEDULE_NONE; edge = host->next_edge[edge]) {
		const struct event_live *live = &chip->live[edge / 2];
		if ((live->kind != OP_STORE && live->kind != OP_COPY) || live->pe != chip->live[task].pe ||
		    host->n_before[edge / 2] != 1)
			return false;
	}
	return true;
}

bool event_host_goes_on(struct event_chip *chip, uint32_t op)
{
	struct event_host *host = chip->host;
	if (host->step->n_job > 0) {
		uint32_t pe = op / OP_PER_PE;
		const struct job *job = &chip->schedule->job[host->pe[pe].job];
		if (job->store_byte == 0)
			return false;
		struct event_live store = live_of(chip, OP_STORE, pe, job->queue, job->store_byte);
		event_chip_send_result(chip, set_job_op(chip, pe, JOB_STORE, store));
		return true;
	}
	if (!is_sent(chip, op))
		return false;
	host->n_left--;
	if (chip->record) {
		const struct event_qpe *qpe = &chip->qpe[chip->live[op].pe / chip->machine->qpe_n_pe];
		chip->record->op_clk[host->step->first_op + op] = qpe->base_clk + qpe->queue.clk;
	}
	for (uint32_t edge = host->first_edge[op]; edge != SCHEDULE_NONE; edge = host->next_edge[edge]) {
		host->n_before[edge / 2] = 0;
		event_chip_send_result(chip, edge / 2);
	}
	return true;
}

/* ---- steps ---- */

void event_host_begin(struct event_chip *chip, const struct schedule_step *step)
{
	chip->host->step = step;
	assert(step->n_op == 0 || step->n_job == 0);
	if (step->n_job > 0)
		begin_jobs(chip);
	else
		begin_ops(chip);
}

bool event_host_is_done(const struct event_chip *chip)
{
	return chip->host->n_left == 0;
}

static void complete(struct event_chip *chip, const struct event_message *report)
{
	uint32_t op = report->from;
	const struct event_live *live = &chip->live[op];
	assert(chip->n_busy > 0);
	chip->n_change++;
	if (--chip->n_busy == 0)
		chip->try_alone = true;
	if (report->kind == EVENT_NOTE)
		return;
	assert(live->n_left == 0);
	chip->load_byte += live->kind == OP_LOAD ? live->byte : 0;
	chip->store_byte += live->kind == OP_STORE ? live->byte : 0;
	if (chip->host->step->n_job > 0)
		complete_job_op(chip, op);
	else
		complete_op(chip, op);
}

void event_agent_step(struct event_chip *chip, uint32_t qpe, uint64_t clk)
{
	struct event_agent *agent = &chip->agent[qpe];
	const struct event_message *message;
	while ((message = event_fifo_pop(&agent->in, clk))) {
		struct event_message report = *message;
		report.clk = pass_agent(chip, qpe, pass_host(chip, clk)) + HOST_MESSAGE_CLK;
		event_fifo_push(&agent->known, report);
	}
	while ((message = event_fifo_pop(&agent->known, clk)))
		complete(chip, message);
	uint64_t in_clk = event_fifo_clk(&agent->in), known_clk = event_fifo_clk(&agent->known);
	uint64_t next_clk = in_clk < known_clk ? in_clk : known_clk;
	if (next_clk != UINT64_MAX)
		event_chip_wake(chip, next_clk, event_chip_agent_unit(chip, qpe));
}
