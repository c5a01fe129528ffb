/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A DRAM interface and the DRAM behind it. The interface passes one item a DRAM
 * clock, both ways together, and takes some clocks for each; the DRAM serves one
 * packet after the other, reads and writes alike, in the order in which they
 * come. A load's reads are pushed by a DMA of the DRAM's own, one a clock, loads
 * in turn; writes come as packets from the mesh.
 *
 *   routers of its rows -> interface -> write ----\
 *                               |                  FIFO -> served -> interface -> router
 *                               '----> load: DMA --/
 *
 * Rules: thesis section 3.2; clocks: thesis table 5.1.
 */
#include "sim/event/event_chip.h"
#include "sim/base/checked.h"
#include <assert.h>

/* ---- set up ---- */

void event_dram_init(struct event_chip *chip, uint32_t index)
{
	const struct machine *machine = chip->machine;
	struct event_dram *dram = &chip->dram[index];
	uint64_t dram_khz = (uint64_t)(machine->dram_clk_mhz * 1000 + 0.5);
	dram->index = index;
	/* Interfaces of the same side and rows have a link each; on a mesh one QPE wide both sides are one. */
	dram->link = EVENT_LINK_DRAM + 2 * (index / (2 * chip->mesh.n_row_group)) + index % 2;
	dram->clk_tick = machine->dram_access_byte;
	dram->tick_khz = dram_khz * machine->dram_access_byte;
	dram->packet_tick = (uint64_t)machine->dram_access_clk * machine->noc_packet_byte;
	dram->interface_tick = (uint64_t)machine->dram_interface_clk * dram->clk_tick;
	dram->inside.memory = dram->load.memory = dram->served.memory = &chip->memory;
	dram->in = arena_array(&chip->memory, chip->mesh.h, sizeof(*dram->in));
	for (uint32_t i = 0; dram->in && i < chip->mesh.h; i++)
		dram->in[i].memory = &chip->memory;
}

/* The DRAM is busy from a tick for n packets of an operation. */
static void trace_busy_dram(struct event_chip *chip, struct event_dram *dram, uint64_t begin_tick, uint64_t n,
                            uint32_t op)
{
	const struct event_live *live = &chip->live[op];
	uint64_t begin_clk = begin_tick * chip->pe_khz / dram->tick_khz;
	uint64_t end_clk = (begin_tick + n * dram->packet_tick) * chip->pe_khz / dram->tick_khz;
	struct trace_span span = trace_make_span(TRACE_DRAM, dram->index, live->kind == OP_LOAD ? "load" : "store",
	                                         begin_clk, end_clk, n * chip->machine->noc_packet_byte);
	span.n_queued = (uint32_t)(event_fifo_n(&dram->load) + event_fifo_n(&dram->inside));
	if (live->kind == OP_LOAD) {
		span.part = live->part;
		span.peer = live->pe;
	}
	trace_extend_span(chip->trace, &dram->span, &span);
}

/* ---- DRAM ---- */

/* Serve n packets of an operation that come from a tick on, not slower than they can be served. */
static uint64_t serve(struct event_chip *chip, struct event_dram *dram, uint64_t tick, uint64_t n, uint32_t op)
{
	uint64_t begin_tick = dram->free_tick > tick ? dram->free_tick : tick;
	dram->free_tick = begin_tick + n * dram->packet_tick;
	dram->busy_tick += n * dram->packet_tick;
	if (chip->trace)
		trace_busy_dram(chip, dram, begin_tick, n, op);
	return begin_tick;
}

/* n packets of an operation go out, one every packet_tick, the first at a tick; or a report. */
static void push_served(struct event_dram *dram, uint64_t tick, uint32_t n, uint32_t op, enum event_message_kind kind)
{
	event_fifo_push(&dram->served, (struct event_message){.clk = tick, .to = n, .from = op, .kind = kind});
}

static bool next_load(struct event_chip *chip, struct event_dram *dram, uint64_t tick)
{
	uint64_t command_tick = event_fifo_clk(&dram->load);
	if (dram->n_to_push > 0)
		return dram->push_tick <= tick;
	if (command_tick > tick)
		return false;
	dram->push_op = event_fifo_pop(&dram->load, tick)->from;
	dram->n_to_push = chip->live[dram->push_op].n_packet;
	if (dram->push_tick < command_tick)
		dram->push_tick = command_tick;
	return dram->push_tick <= tick;
}

/* Reads that the DMA has pushed up to a tick enter the FIFO. */
static void enter_reads(struct event_chip *chip, struct event_dram *dram, uint64_t tick)
{
	while (next_load(chip, dram, tick)) {
		uint64_t n = 1 + (tick - dram->push_tick) / dram->clk_tick;
		/* Reads faster than they are pushed are served one by one. */
		if (dram->packet_tick < dram->clk_tick)
			n = 1;
		n = n < dram->n_to_push ? n : dram->n_to_push;
		uint64_t first_tick = serve(chip, dram, dram->push_tick, n, dram->push_op) + dram->packet_tick;
		push_served(dram, first_tick, (uint32_t)n, dram->push_op, EVENT_DATA);
		dram->read_packet += n;
		dram->n_to_push -= (uint32_t)n;
		dram->push_tick += n * dram->clk_tick;
	}
}

/* ---- interface ---- */

/* Pass an item; returns the tick in which it is on the other side. */
static uint64_t pass_interface(struct event_dram *dram, uint64_t tick)
{
	if (dram->interface_free < tick)
		dram->interface_free = tick;
	uint64_t pass_tick = dram->interface_free;
	dram->interface_free += dram->clk_tick;
	return pass_tick + dram->interface_tick;
}

static uint64_t clk_of_tick(const struct event_chip *chip, const struct event_dram *dram, uint64_t tick)
{
	return tick * chip->pe_khz / dram->tick_khz;
}

void event_dram_push(struct event_chip *chip, uint32_t index, uint32_t row, uint64_t noc_clk,
                     struct event_message message)
{
	struct event_dram *dram = &chip->dram[index];
	assert(row < chip->mesh.h);
	message.clk = ceil_div(noc_clk * dram->tick_khz, chip->noc_khz);
	event_fifo_push(&dram->in[row], message);
	event_chip_wake(chip, clk_of_tick(chip, dram, message.clk), event_chip_dram_unit(chip, index));
}

/* A packet or report leaves for the mesh. */
static void send(struct event_chip *chip, struct event_dram *dram, const struct event_message *served)
{
	const struct event_live *live = &chip->live[served->from];
	uint32_t qpe = live->pe / chip->machine->qpe_n_pe, agent;
	uint32_t port = chip->dram_port[qpe * chip->mesh.n_dram + dram->index];
	struct event_message message = {.to = live->pe, .from = served->from, .kind = served->kind};
	if (served->kind == EVENT_REPORT) {
		agent = chip->agent_of[port];
		port = chip->dram_port[agent * chip->mesh.n_dram + dram->index];
		message.to = EVENT_NODE_AGENT + agent;
	}
	message.clk = ceil_div(pass_interface(dram, served->clk) * chip->noc_khz, dram->tick_khz);
	event_chip_push_link(chip, port, dram->link, message);
}

static void send_oldest(struct event_chip *chip, struct event_dram *dram)
{
	struct event_message *served = event_fifo_oldest(&dram->served);
	send(chip, dram, served);
	served->clk += dram->packet_tick;
	if (--served->to == 0)
		(void)event_fifo_pop(&dram->served, UINT64_MAX);
}

/* What has passed the interface: a command for the DMA, or a packet to be written. */
static void take_inside(struct event_chip *chip, struct event_dram *dram, uint64_t tick)
{
	struct event_message message = *event_fifo_pop(&dram->inside, tick);
	if (message.kind == EVENT_COMMAND) {
		message.clk += dram->clk_tick;
		event_fifo_push(&dram->load, message);
		return;
	}
	assert(message.kind == EVENT_DATA);
	enter_reads(chip, dram, message.clk);
	uint64_t done_tick = serve(chip, dram, message.clk, 1, message.from) + dram->packet_tick;
	dram->write_packet++;
	if (event_chip_receive(chip, message.from))
		push_served(dram, done_tick, 1, message.from, EVENT_REPORT);
}

static void take_in(struct event_dram *dram, struct event_fifo *in, uint64_t tick)
{
	struct event_message message = *event_fifo_pop(in, tick);
	message.clk = pass_interface(dram, message.clk);
	event_fifo_push(&dram->inside, message);
}

static struct event_fifo *oldest_in(const struct event_chip *chip, struct event_dram *dram)
{
	struct event_fifo *oldest = &dram->in[0];
	for (uint32_t i = 1; i < chip->mesh.h; i++)
		if (event_fifo_clk(&dram->in[i]) < event_fifo_clk(oldest))
			oldest = &dram->in[i];
	return oldest;
}

/* Tick in which the DMA pushes its next read, if nothing is waiting to be sent before that. */
static uint64_t push_tick(const struct event_dram *dram)
{
	if (dram->n_to_push > 0)
		return dram->push_tick;
	uint64_t command_tick = event_fifo_clk(&dram->load);
	return command_tick > dram->push_tick ? command_tick : dram->push_tick;
}

void event_dram_step(struct event_chip *chip, uint32_t index, uint64_t clk)
{
	struct event_dram *dram = &chip->dram[index];
	uint64_t end_tick = ceil_div((clk + 1) * dram->tick_khz, chip->pe_khz), next_tick;
	uint64_t begin_tick = ceil_div(clk * dram->tick_khz, chip->pe_khz);
	for (;;) {
		uint64_t served_tick = event_fifo_clk(&dram->served);
		struct event_fifo *in = oldest_in(chip, dram);
		uint64_t in_tick = event_fifo_clk(in), inside_tick = event_fifo_clk(&dram->inside);
		uint64_t out_tick = served_tick != UINT64_MAX ? served_tick : push_tick(dram);
		next_tick = out_tick < inside_tick ? out_tick : inside_tick;
		next_tick = in_tick < next_tick ? in_tick : next_tick;
		if (next_tick >= end_tick)
			break;
		if (next_tick == inside_tick)
			take_inside(chip, dram, next_tick);
		else if (next_tick == in_tick)
			take_in(dram, in, next_tick);
		else if (served_tick != UINT64_MAX)
			send_oldest(chip, dram);
		else
			enter_reads(chip, dram, next_tick > begin_tick ? next_tick : begin_tick);
	}
	if (next_tick != UINT64_MAX)
		event_chip_wake(chip, clk_of_tick(chip, dram, next_tick), event_chip_dram_unit(chip, index));
}
