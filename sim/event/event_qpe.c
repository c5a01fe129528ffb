/* SPDX-License-Identifier: Apache-2.0 */
/* A QPE: PEs and router put together, and the loop over their events. */
#include "sim/event/event_qpe.h"
#include "sim/base/checked.h"
#include <assert.h>

/* Unit of the router's links, behind those of all PEs. */
static uint32_t link_unit(const struct event_qpe *qpe)
{
	return qpe->n_pe * EVENT_UNIT_PER_PE;
}

/* A FIFO's reader is woken for the oldest message only, so however long it gets it has one event. */
static void wake_for(struct event_qpe *qpe, const struct event_fifo *fifo, uint32_t pe, enum event_unit unit)
{
	uint64_t clk = event_fifo_clk(fifo);
	if (clk != UINT64_MAX)
		event_wake(qpe, clk > qpe->queue.clk ? clk : qpe->queue.clk, pe, unit);
}

/* ---- router ---- */

/* A packet passes the router in a NoC clock. */
static void route(struct event_qpe *qpe, uint64_t noc_clk, struct event_message message)
{
	uint32_t pe = message.to - qpe->first_pe;
	if (qpe->is_traced)
		event_chip_trace_router(qpe, noc_clk);
	if (message.to < qpe->first_pe || pe >= qpe->n_pe) {
		event_chip_forward(qpe->chip, qpe, noc_clk, message);
		return;
	}
	struct event_fifo *port = &qpe->noc.port[pe];
	bool was_empty = event_fifo_clk(port) == UINT64_MAX;
	event_noc_eject(&qpe->noc, noc_clk, pe, message);
	if (was_empty)
		wake_for(qpe, port, pe, EVENT_PORT);
}

void event_qpe_send(struct event_qpe *qpe, struct event_message message)
{
	uint64_t enter_clk = event_noc_enter(&qpe->noc, qpe->queue.clk) + qpe->noc.sync_clk;
	route(qpe, event_noc_pass(&qpe->noc, enter_clk), message);
}

/* PE clock, of the QPE's queue, of a NoC clock of the chip. */
static uint64_t link_arrival_clk(const struct event_qpe *qpe, uint64_t noc_clk)
{
	uint64_t clk = (noc_clk - qpe->base_noc_clk) * qpe->noc.pe_khz / qpe->noc.noc_khz;
	return clk > qpe->queue.clk ? clk : qpe->queue.clk;
}

/* Returns the clock in which the packet is there. */
static uint64_t wake_links(struct event_qpe *qpe, uint64_t noc_clk)
{
	uint64_t clk = link_arrival_clk(qpe, noc_clk);
	if (clk >= qpe->link_clk)
		return clk;
	qpe->link_clk = clk;
	event_queue_wake(&qpe->queue, clk, link_unit(qpe));
	return clk;
}

uint64_t event_qpe_push_link(struct event_qpe *qpe, uint32_t link, struct event_message message)
{
	assert(link < qpe->n_link);
	event_fifo_push(&qpe->link[link], message);
	return wake_links(qpe, message.clk) + qpe->base_clk;
}

/* The link whose oldest packet came first. */
static struct event_fifo *oldest_link(struct event_qpe *qpe)
{
	struct event_fifo *oldest = &qpe->link[0];
	uint64_t oldest_clk = event_fifo_clk(oldest);
	for (uint32_t i = 1; i < qpe->n_link; i++) {
		uint64_t clk = event_fifo_clk(&qpe->link[i]);
		if (clk < oldest_clk) {
			oldest = &qpe->link[i];
			oldest_clk = clk;
		}
	}
	return oldest;
}

/* Packets that have come over the links within the present PE clock pass the router in their order. */
static void step_links(struct event_qpe *qpe)
{
	if (qpe->link_clk != qpe->queue.clk)
		return;
	qpe->link_clk = UINT64_MAX;
	uint64_t base = qpe->base_noc_clk;
	uint64_t end = event_noc_enter(&qpe->noc, qpe->queue.clk + 1) + base;
	struct event_fifo *link;
	while ((link = oldest_link(qpe)) && event_fifo_clk(link) < end) {
		struct event_message message = *event_fifo_pop(link, end);
		route(qpe, event_noc_pass(&qpe->noc, message.clk - base), message);
	}
	if (event_fifo_clk(link) != UINT64_MAX)
		(void)wake_links(qpe, event_fifo_clk(link));
}

/* ---- SRAM, port, DMA ---- */

/* A message goes to the router when the SRAM has served what came before. */
static void wake_answer(struct event_qpe *qpe, uint32_t pe, bool was_empty)
{
	if (was_empty)
		wake_for(qpe, &qpe->sram[pe].answer, pe, EVENT_SRAM);
}

static void answer(struct event_qpe *qpe, uint32_t pe, struct event_message message)
{
	struct event_sram *sram = &qpe->sram[pe];
	bool was_empty = event_fifo_clk(&sram->answer) == UINT64_MAX;
	event_sram_answer(sram, qpe->queue.clk, message);
	wake_answer(qpe, pe, was_empty);
}

static void answer_request(struct event_qpe *qpe, uint32_t pe, uint32_t to)
{
	answer(qpe, pe, (struct event_message){.to = to, .from = qpe->first_pe + pe, .kind = EVENT_A_DATA});
}

uint64_t event_qpe_read_own(struct event_qpe *qpe, uint32_t pe)
{
	struct event_sram *sram = &qpe->sram[pe];
	bool was_empty = event_fifo_clk(&sram->answer) == UINT64_MAX;
	uint32_t node = qpe->first_pe + pe;
	uint64_t leave_clk = event_sram_send_own(
	    sram, qpe->queue.clk, (struct event_message){.to = node, .from = node, .kind = EVENT_A_DATA});
	wake_answer(qpe, pe, was_empty);
	return leave_clk;
}

void event_qpe_report(struct event_qpe *qpe, uint32_t pe, uint32_t op)
{
	struct event_sram *sram = &qpe->sram[pe];
	bool was_empty = event_fifo_clk(&sram->answer) == UINT64_MAX;
	event_sram_tell(sram, qpe->queue.clk,
	                (struct event_message){.to = EVENT_NODE_AGENT + qpe->agent, .from = op, .kind = EVENT_REPORT});
	wake_answer(qpe, pe, was_empty);
}

/* A packet that an operation moves; after its last one the host is told. */
static void receive_data(struct event_qpe *qpe, uint32_t pe, uint32_t op)
{
	event_sram_store_packet(&qpe->sram[pe], qpe->queue.clk);
	if (event_chip_receive(qpe->chip, op))
		event_qpe_report(qpe, pe, op);
}

/*
 * A packet comes from the router. In a clock, foreign requests enter the SRAM's
 * FIFO before the reads of a convolution and after those of a matmul: with the
 * other order the thesis simulator's clocks are missed, by up to 20 % and 9 %.
 */
static void step_port(struct event_qpe *qpe, uint32_t pe)
{
	uint64_t clk = qpe->queue.clk;
	struct event_fifo *port = &qpe->noc.port[pe];
	const struct event_message *oldest = event_fifo_pop(port, clk);
	if (!oldest)
		return;
	struct event_message message = *oldest;
	wake_for(qpe, port, pe, EVENT_PORT);
	switch (message.kind) {
	case EVENT_A_DATA:
		event_qpe_receive_a(qpe, pe);
		break;
	case EVENT_A_REQUEST:
		if (!qpe->mla[pe].plan.is_matmul) {
			answer_request(qpe, pe, message.from);
			break;
		}
		message.clk = clk;
		event_fifo_push(&qpe->sram[pe].request, message);
		event_wake(qpe, clk, pe, EVENT_SRAM);
		break;
	case EVENT_DATA:
		receive_data(qpe, pe, message.from);
		break;
	default:
		assert(message.kind == EVENT_COMMAND);
		event_chip_command(qpe, pe, message.from);
	}
}

static void step_sram(struct event_qpe *qpe, uint32_t pe)
{
	struct event_sram *sram = &qpe->sram[pe];
	const struct event_message *message;
	while ((message = event_fifo_pop(&sram->request, qpe->queue.clk)))
		answer_request(qpe, pe, message->from);
	bool any = false;
	while ((message = event_fifo_pop(&sram->answer, qpe->queue.clk))) {
		event_qpe_send(qpe, *message);
		any = true;
	}
	if (any)
		wake_for(qpe, &sram->answer, pe, EVENT_SRAM);
}

/* One read a clock, one operation after the other. */
static void step_dma(struct event_qpe *qpe, uint32_t pe)
{
	struct event_dma *dma = &qpe->dma[pe];
	uint64_t clk = qpe->queue.clk;
	if (dma->n_left == 0) {
		const struct event_message *command = event_fifo_pop(&dma->command, clk);
		if (!command)
			return;
		event_chip_begin_dma(qpe, pe, command->from);
		dma->begin_clk = qpe->base_clk + clk;
	}
	answer(qpe, pe, dma->packet);
	if (--dma->n_left == 0)
		event_chip_end_dma(qpe, pe);
	uint64_t next_clk = dma->n_left > 0 ? clk + 1 : event_fifo_clk(&dma->command);
	if (next_clk != UINT64_MAX)
		event_wake(qpe, next_clk > clk ? next_clk : clk + 1, pe, EVENT_DMA);
}

/* ---- alone ---- */

static bool is_within(const struct event_fifo *fifo)
{
	for (size_t i = fifo->head; i < fifo->tail; i++) {
		enum event_message_kind kind = fifo->message[i & (fifo->n_alloc - 1)].kind;
		if (kind != EVENT_A_REQUEST && kind != EVENT_A_DATA)
			return false;
	}
	return true;
}

bool event_qpe_is_alone(const struct event_qpe *qpe)
{
	if (qpe->link_clk != UINT64_MAX)
		return false;
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		const struct event_dma *dma = &qpe->dma[i];
		if (qpe->mla[i].phase == EVENT_INTERRUPT || dma->n_left > 0 ||
		    event_fifo_clk(&dma->command) != UINT64_MAX || !is_within(&qpe->noc.port[i]) ||
		    !is_within(&qpe->sram[i].answer))
			return false;
	}
	for (uint32_t i = 0; i < qpe->n_link; i++)
		if (event_fifo_clk(&qpe->link[i]) != UINT64_MAX)
			return false;
	return true;
}

/* ---- the loop ---- */

static void step_unit(struct event_qpe *qpe, uint32_t unit)
{
	uint32_t pe = unit / EVENT_UNIT_PER_PE;
	if (pe == qpe->n_pe) {
		step_links(qpe);
		return;
	}
	switch (unit % EVENT_UNIT_PER_PE) {
	case EVENT_PORT:
		step_port(qpe, pe);
		break;
	case EVENT_MLA:
		event_qpe_step_mla(qpe, pe);
		break;
	case EVENT_SRAM:
		step_sram(qpe, pe);
		break;
	default:
		step_dma(qpe, pe);
	}
}

/* Where a round or a period of taps begins: skip what recurs, and take over rounds that some QPE has run before. */
static void skip_or_share(struct event_qpe *qpe, uint64_t limit_clk, struct event_replay *replay)
{
	struct event_rounds *rounds = qpe->round_begins ? qpe->rounds : NULL;
	if (!qpe->round_begins && qpe->taps && event_taps_take(qpe->taps, qpe, limit_clk))
		return;
	if (rounds)
		event_rounds_keep(rounds, qpe);
	do
		if (qpe->row_begins || qpe->tap_begins)
			event_replay_step(replay, qpe, limit_clk);
	while (rounds && event_rounds_take(rounds, qpe, limit_clk, replay));
	if (qpe->round_begins && qpe->taps)
		(void)event_taps_take(qpe->taps, qpe, limit_clk);
}

/* Of STOP_STEPS what the units of a QPE take in a clock. */
#define CLK_STEPS 16

void event_qpe_run(struct event_qpe *qpe, uint64_t limit_clk, struct event_replay *replay)
{
	uint32_t unit;
	if (replay && qpe->rounds)
		event_rounds_begin(qpe->rounds);
	if (replay && qpe->taps)
		event_taps_begin(qpe->taps);
	while (event_qpe_next_clk(qpe) < limit_clk) {
		if (qpe->watch && stop_after(qpe->watch, CLK_STEPS))
			return;
		(void)event_queue_advance(&qpe->queue);
		while (event_queue_take(&qpe->queue, &unit)) {
			step_unit(qpe, unit);
			if (replay && (qpe->round_begins || qpe->tap_begins))
				skip_or_share(qpe, limit_clk, replay);
			qpe->row_begins = qpe->round_begins = qpe->tap_begins = false;
		}
	}
}

/* ---- set up ---- */

static void init_pe(struct event_qpe *qpe, const struct machine *machine, uint32_t pe, struct arena *memory)
{
	struct event_sram *sram = &qpe->sram[pe];
	qpe->mla[pe].count = qpe->count[pe];
	sram->access_clk = machine->pe_sram_access_clk;
	sram->port_word = machine->pe_sram_port_byte / SRAM_WORD_BYTE;
	sram->packet_word = machine->noc_packet_byte / SRAM_WORD_BYTE;
	sram->count = qpe->count[pe];
	qpe->noc.port[pe].memory = sram->answer.memory = sram->request.memory = qpe->dma[pe].command.memory = memory;
}

void event_qpe_init(struct event_qpe *qpe, const struct machine *machine, uint32_t level, uint32_t index,
                    uint32_t n_link, struct arena *memory)
{
	*qpe = (struct event_qpe){
	    .index = index, .first_pe = index * machine->qpe_n_pe, .n_pe = machine->qpe_n_pe, .link_clk = UINT64_MAX};
	assert(qpe->n_pe <= EVENT_MAX_PE);
	qpe->packet_byte = machine->noc_packet_byte;
	event_noc_init(&qpe->noc, machine, level);
	event_queue_init(&qpe->queue, qpe->n_pe * EVENT_UNIT_PER_PE + 1, memory);
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		init_pe(qpe, machine, i, memory);
	qpe->link = arena_array(memory, n_link, sizeof(*qpe->link));
	qpe->n_link = n_link;
	for (uint32_t i = 0; qpe->link && i < n_link; i++)
		qpe->link[i].memory = memory;
}
