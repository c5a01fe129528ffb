/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks on one QPE alone: what is allowed, the host's starts, and what must hold at the end. */
#include "sim/event/event.h"
#include "sim/event/event_qpe.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <string.h>

/* The host sends one start a clock: thesis simulator, re-run. */
#define START_PERIOD_CLK 1
/* PE clock of the first, counted from where PE and NoC clocks begin together: tells where their edges meet at a NoC
 * clock that is no multiple; from the re-run with NoCs of 200 and 300 MHz, which leave multiples of 5 open. */
#define START_CLK 13
/* Of mla_init_clk, as it was measured: command and report pass a router of 4 NoC clocks at 500 MHz each, and an ARM
 * core. Here they are simulated. */
#define SIMULATED_INIT_CLK (2 * 2 + 2 * ARM_MESSAGE_CLK)

/* ---- input ---- */

static enum err_code check_machine(const struct machine *machine, unsigned n_pe, struct err *err)
{
	if (n_pe == 0 || n_pe > machine->qpe_n_pe || machine->qpe_n_pe > EVENT_MAX_PE)
		return err_add(err, ERR_INPUT,
		               "%u tasks for a QPE of %u PEs, allowed 1 to the PEs, of which at most %u", n_pe,
		               machine->qpe_n_pe, EVENT_MAX_PE);
	if (machine->mla_cols == 0 || machine->mla_rows == 0)
		return err_add(err, ERR_INPUT, "an array of %ux%u, allowed 1 or more each", machine->mla_cols,
		               machine->mla_rows);
	uint32_t port_byte = machine->pe_sram_port_byte, packet_byte = machine->noc_packet_byte;
	if (port_byte == 0 || port_byte % SRAM_WORD_BYTE || packet_byte == 0 || packet_byte % SRAM_WORD_BYTE)
		return err_add(err, ERR_INPUT, "SRAM ports of %u and packets of %u bytes, allowed multiples of %u",
		               port_byte, packet_byte, SRAM_WORD_BYTE);
	double pe_mhz = machine->level[0].clk_mhz;
	if (machine->pe_sram_access_clk == 0 || machine->noc_router_packet == 0 || !(machine->noc_clk_mhz >= 0.001) ||
	    !(pe_mhz >= 0.001))
		return err_add(err, ERR_INPUT,
		               "SRAM clocks %u, router packets %u, NoC %g MHz, PE %g MHz: all must be "
		               "larger than 0",
		               machine->pe_sram_access_clk, machine->noc_router_packet, machine->noc_clk_mhz, pe_mhz);
	return ERR_OK;
}

static enum err_code check_input(const struct machine *machine, const struct mla_shape *task, unsigned n_pe,
                                 struct err *err)
{
	enum err_code code = check_machine(machine, n_pe, err);
	if (code != ERR_OK)
		return code;
	for (unsigned i = 0; i < n_pe; i++) {
		enum err_code task_code = event_plan_check(&task[i], i, err);
		code = code == ERR_OK ? task_code : code;
	}
	return code;
}

/* ---- set up ---- */

/* The host starts one PE after the other; returns the clock in which it sends the last start. */
static uint64_t start_tasks(struct event_qpe *qpe, const struct machine *machine, const struct mla_shape *task,
                            unsigned n_pe)
{
	uint64_t clk = START_CLK;
	for (uint32_t i = 0; i < n_pe; i++) {
		struct event_plan plan;
		if (task[i].kind == MLA_IDLE)
			continue;
		clk += qpe->n_running > 0 ? START_PERIOD_CLK : 0;
		event_plan_task(machine, &task[i], &plan);
		uint32_t source = (uint32_t)(((uint64_t)i + task[i].pe_shift) % qpe->n_pe);
		uint64_t pass_clk = event_noc_pass(&qpe->noc, event_noc_enter(&qpe->noc, clk) + qpe->noc.sync_clk);
		event_qpe_start_task(qpe, i, &plan, source, event_noc_arrive(&qpe->noc, pass_clk) + ARM_MESSAGE_CLK);
	}
	qpe->noc.n_packet = 0; /* of operands only */
	return clk;
}

/* ---- results ---- */

/* What must hold whatever the task: anything else is a mistake of ours. */
static void audit_pe(const struct event_qpe *qpe, uint32_t pe, uint64_t end_clk)
{
	const struct event_mla *mla = &qpe->mla[pe];
	const struct event_plan *plan = &mla->plan;
	const uint64_t *count = qpe->count[pe];
	uint64_t busy_clk =
	    count[EVENT_MAC_CLK] + count[EVENT_A_STALL_CLK] + count[EVENT_B_STALL_CLK] + count[EVENT_OUT_CLK];
	uint64_t n_left_row = plan->n_row - plan->n_full_row, n_round = plan->n_row * plan->n_block;
	uint64_t n_write = 0;
	if (plan->has_task)
		n_write = plan->n_full_row * ((plan->n_block - 1) * plan->full_write[0] + plan->last_write[0]) +
		          n_left_row * ((plan->n_block - 1) * plan->full_write[1] + plan->last_write[1]);

	assert(count[EVENT_ROUND] == n_round);
	assert(count[EVENT_MAC_CLK] == n_round * plan->n_round_tap * plan->rate.tap_clk);
	assert(count[EVENT_OUT_WORD] == n_write * qpe->sram[pe].port_word);
	assert(!plan->has_task || busy_clk == mla->end_clk - mla->start_clk);
	assert(count[EVENT_A_PACKET] >= n_round * plan->n_round_a);
	assert(plan->is_matmul || count[EVENT_A_PACKET] == n_round * plan->n_round_a);
	assert(plan->is_matmul || count[EVENT_A_RECEIVED] == count[EVENT_A_PACKET]);
	assert(count[EVENT_A_RECEIVED] <= count[EVENT_A_PACKET]);
	assert(count[EVENT_SRAM_CLK] <= end_clk);
	(void)busy_clk, (void)n_left_row, (void)n_round, (void)n_write, (void)end_clk, (void)count;
}

/* Over all PEs: every packet asked for was read and came, but for those on their way at the end (matmul only). */
static void audit_qpe(const struct event_qpe *qpe, uint64_t end_clk)
{
	uint64_t n_asked = 0, n_received = 0, n_read = 0, n_way = 0, n_local = 0;
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		const struct event_mla *mla = &qpe->mla[i];
		audit_pe(qpe, i, end_clk);
		n_asked += qpe->count[i][EVENT_A_PACKET];
		n_received += qpe->count[i][EVENT_A_RECEIVED];
		n_read += qpe->count[i][EVENT_A_WORD] / qpe->sram[i].packet_word;
		n_local += mla->a_is_local ? qpe->count[i][EVENT_A_PACKET] : 0;
		n_way += mla->n_a_drop + (mla->a_outstanding && mla->a_ask_clk == 0);
	}
	assert(n_received + n_way == n_asked);
	assert(n_received <= n_read && n_read <= n_asked);
	/* A foreign packet passes the router as a request and as data, an own one as data only. */
	assert(qpe->noc.n_packet <= 2 * n_asked - n_local && qpe->noc.n_packet + 2 * n_way >= 2 * n_asked - n_local);
	assert(qpe->noc.n_packet <= (end_clk + 1) * qpe->noc.n_per_clk * qpe->noc.noc_khz / qpe->noc.pe_khz + 1);
	(void)n_asked, (void)n_received, (void)n_read, (void)n_way, (void)n_local;
}

/* What the host sees, from the last start to the last report. */
static uint64_t host_clk(const struct event_qpe *qpe, const struct machine *machine, uint64_t start_clk)
{
	const struct event_noc *noc = &qpe->noc;
	uint64_t report_clk = 0;
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		report_clk = max_u64(report_clk, qpe->mla[i].report_clk);
	if (report_clk == 0)
		return 0;
	uint64_t clk = event_noc_arrive(noc, event_noc_enter(noc, report_clk) + noc->sync_clk) + machine->mla_init_clk;
	return clk > start_clk + SIMULATED_INIT_CLK ? clk - start_clk - SIMULATED_INIT_CLK : 0;
}

static void fill_result(const struct event_qpe *qpe, const struct machine *machine, uint64_t last_start_clk,
                        unsigned n_pe, struct event_result *result)
{
	uint64_t end_clk = 0, first_clk = UINT64_MAX;
	memset(result, 0, sizeof(*result));
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		end_clk = max_u64(end_clk, qpe->mla[i].done_clk);
	for (uint32_t i = 0; i < n_pe; i++)
		if (qpe->mla[i].plan.has_task)
			first_clk = min_u64(first_clk, qpe->mla[i].start_clk);
	audit_qpe(qpe, end_clk > qpe->base_clk + qpe->queue.clk ? end_clk : qpe->base_clk + qpe->queue.clk);
	for (uint32_t i = 0; i < n_pe; i++) {
		bool has_task = qpe->mla[i].plan.has_task;
		result->pe[i].start_clk = has_task ? qpe->mla[i].start_clk - first_clk : 0;
		result->pe[i].done_clk = has_task ? qpe->mla[i].done_clk - first_clk : 0;
		memcpy(result->pe[i].count, qpe->count[i], sizeof(qpe->count[i]));
	}
	result->n_pe = n_pe;
	result->n_noc_packet = qpe->noc.n_packet;
	result->n_event = qpe->queue.n_event;
	result->replayed_clk = qpe->base_clk;
	result->clk = host_clk(qpe, machine, last_start_clk);
}

enum err_code event_run_qpe(const struct machine *machine, const struct mla_shape *task, unsigned n_pe,
                            const struct event_option *option, struct event_result *result, struct err *err)
{
	enum err_code code = check_input(machine, task, n_pe, err);
	if (code != ERR_OK)
		return code;
	struct arena memory = {0};
	struct event_qpe *qpe = arena_array(&memory, 1, sizeof(*qpe));
	struct event_replay *replay = option && option->no_replay ? NULL : event_replay_new(&memory);
	if (qpe)
		event_qpe_init(qpe, machine, 0, 0, 0, &memory);
	struct stop_watch watch = stop_watch_for(option ? option->stop : NULL);
	if (!memory.is_out) {
		uint64_t last_start_clk = start_tasks(qpe, machine, task, n_pe);
		qpe->watch = &watch;
		event_qpe_run(qpe, UINT64_MAX, replay);
		if (watch.has_come)
			code = err_add(err, ERR_INTERRUPTED, "interrupted");
		else if (!memory.is_out)
			fill_result(qpe, machine, last_start_clk, n_pe, result);
	}
	if (memory.is_out)
		code = err_add(err, ERR_INTERNAL, "no memory for the simulation of a QPE");
	arena_free(&memory);
	return code;
}
