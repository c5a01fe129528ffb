/* SPDX-License-Identifier: Apache-2.0 */
/* A chip: routes between its parts, what QPEs ask of it, and how it is set up. */
#include "sim/event/event_chip.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <assert.h>

/* The ARM core takes a clock a message, the DMA one before its first read: thesis table 5.1. */
#define DMA_START_CLK 1

/* ---- routes ---- */

/* The link of the receiver by which packets come from a QPE next to it. */
static uint8_t link_from(const struct mesh *mesh, uint32_t from, uint32_t to)
{
	uint32_t from_x = mesh_x(mesh, from), to_x = mesh_x(mesh, to);
	if (from_x != to_x)
		return from_x < to_x ? EVENT_LINK_WEST : EVENT_LINK_EAST;
	return mesh_y(mesh, from) < mesh_y(mesh, to) ? EVENT_LINK_NORTH : EVENT_LINK_SOUTH;
}

static void fill_routes(struct event_chip *chip)
{
	const struct mesh *mesh = &chip->mesh;
	for (uint32_t from = 0; from < mesh->n_qpe; from++) {
		chip->agent_of[from] = mesh_agent(mesh, from);
		for (uint32_t d = 0; d < mesh->n_dram; d++)
			chip->dram_port[from * mesh->n_dram + d] = mesh_dram_port(mesh, d, from);
		for (uint32_t to = 0; to < mesh->n_qpe; to++) {
			if (from == to)
				continue;
			uint32_t next = mesh_next(mesh, from, to);
			chip->next[from * mesh->n_qpe + to] = next;
			chip->next_link[from * mesh->n_qpe + to] = link_from(mesh, from, next);
		}
	}
}

void event_chip_wake(struct event_chip *chip, uint64_t clk, uint32_t unit)
{
	assert(clk >= chip->queue.clk);
	if (clk >= chip->wake_clk[unit])
		return;
	chip->wake_clk[unit] = clk;
	event_queue_wake(&chip->queue, clk, unit);
}

void event_chip_watch(struct event_chip *chip, const struct stop *stop)
{
	chip->watch = stop_watch_for(stop);
	for (uint32_t i = 0; chip->qpe && i < chip->mesh.n_qpe; i++)
		chip->qpe[i].watch = &chip->watch;
}

void event_chip_rouse(struct event_chip *chip, uint32_t index)
{
	struct event_rest *rest = &chip->rest[index];
	struct event_qpe *qpe = &chip->qpe[index];
	if (!rest->rests)
		return;
	rest->rests = false;
	chip->n_run[index]++;
	qpe->watch = NULL; /* whoever rouses it goes on with its state */
	event_qpe_run(qpe, chip->queue.clk + (index < chip->turn), chip->replay[index]);
	qpe->watch = &chip->watch;
	chip->wake_clk[index] = UINT64_MAX;
	if (event_qpe_next_clk(qpe) != UINT64_MAX)
		event_chip_wake(chip, event_qpe_next_clk(qpe), index);
}

void event_chip_push_link(struct event_chip *chip, uint32_t qpe, uint32_t link, struct event_message message)
{
	event_chip_rouse(chip, qpe);
	event_chip_wake(chip, event_qpe_push_link(&chip->qpe[qpe], link, message), qpe);
}

/* On to the QPE that is next on the way. */
static void pass_on(struct event_chip *chip, uint32_t from, uint32_t to, struct event_message message)
{
	uint32_t way = from * chip->mesh.n_qpe + to, next = chip->next[way], link = chip->next_link[way];
	uint64_t *link_clk = &chip->link_clk[next * EVENT_LINK_AGENT + link];
	assert(link < EVENT_LINK_AGENT);
	if (message.clk < *link_clk)
		message.clk = *link_clk;
	*link_clk = message.clk + 1;
	event_chip_push_link(chip, next, link, message);
}

void event_chip_forward(struct event_chip *chip, struct event_qpe *qpe, uint64_t noc_clk, struct event_message message)
{
	const struct mesh *mesh = &chip->mesh;
	uint32_t to, from = qpe->index;
	message.clk = noc_clk + chip->hop_clk + qpe->base_noc_clk;
	if (message.to & EVENT_NODE_AGENT)
		to = message.to - EVENT_NODE_AGENT;
	else if (message.to & EVENT_NODE_DRAM)
		to = chip->dram_port[from * mesh->n_dram + message.to - EVENT_NODE_DRAM];
	else
		to = message.to / chip->machine->qpe_n_pe;
	if (to != from)
		pass_on(chip, from, to, message);
	else if (message.to & EVENT_NODE_AGENT)
		event_agent_push(chip, to, ceil_div(message.clk * chip->pe_khz, chip->noc_khz), message);
	else
		event_dram_push(chip, message.to - EVENT_NODE_DRAM, mesh_y(mesh, to), message.clk, message);
}

/* ---- what QPEs ask ---- */

/* Packets that are in the router or on their way to it over a link. */
static uint32_t n_waiting(const struct event_qpe *qpe)
{
	size_t n = 0;
	for (uint32_t i = 0; i < qpe->noc.n_port; i++)
		n += event_fifo_n(&qpe->noc.port[i]);
	for (uint32_t i = 0; i < qpe->n_link; i++)
		n += event_fifo_n(&qpe->link[i]);
	return (uint32_t)n;
}

void event_chip_trace_router(struct event_qpe *qpe, uint64_t noc_clk)
{
	struct event_chip *chip = qpe->chip;
	uint64_t chip_clk = (noc_clk + qpe->base_noc_clk) * chip->pe_khz / chip->noc_khz;
	struct trace_span span = trace_make_span(TRACE_ROUTER, qpe->index, "busy", chip_clk, chip_clk + 1, 1);
	span.n_queued = n_waiting(qpe);
	trace_extend_span(chip->trace, &chip->router_span[qpe->index], &span);
}

static void start_dma(struct event_qpe *qpe, uint32_t pe, uint32_t op, uint64_t clk)
{
	struct event_dma *dma = &qpe->dma[pe];
	bool was_empty = dma->n_left == 0 && event_fifo_clk(&dma->command) == UINT64_MAX;
	/* The host's commands take longer than the PE's own. */
	clk = dma->command_clk = max_u64(clk, dma->command_clk);
	event_fifo_push(&dma->command, (struct event_message){.clk = clk, .from = op});
	if (was_empty)
		event_wake(qpe, clk, pe, EVENT_DMA);
}

void event_chip_command(struct event_qpe *qpe, uint32_t pe, uint32_t op)
{
	struct event_chip *chip = qpe->chip;
	const struct event_live *live = &chip->live[op];
	uint64_t clk = qpe->queue.clk;
	chip->n_change++;
	if (live->kind == OP_TASK) {
		uint32_t source = live->peer - qpe->first_pe;
		event_qpe_start_task(qpe, pe, &chip->plan[live->shape], source, clk + ARM_MESSAGE_CLK);
		qpe->mla[pe].op = op;
		qpe->mla[pe].shape = live->shape;
		assert(chip->n_busy > 0);
		if (--chip->n_busy == 0)
			chip->try_alone = true;
		return;
	}
	assert(live->pe == qpe->first_pe + pe && live->kind != OP_LOAD);
	if (live->kind == OP_SYNC)
		event_qpe_report(qpe, pe, op);
	else
		start_dma(qpe, pe, op, clk + ARM_MESSAGE_CLK + DMA_START_CLK);
}

void event_chip_send_result(struct event_chip *chip, uint32_t op)
{
	uint32_t pe = chip->live[op].pe, n_pe = chip->machine->qpe_n_pe;
	struct event_qpe *qpe = &chip->qpe[pe / n_pe];
	/* The ARM core's clock is also the DMA's before its first read. */
	chip->n_busy++;
	start_dma(qpe, pe % n_pe, op, qpe->queue.clk);
}

/* What has come to a PE, or gone from it. */
static void note_cause(struct event_chip *chip, const struct event_live *live)
{
	if (live->kind == OP_LOAD)
		chip->cause[live->pe].name = "load from DRAM";
	else if (live->kind == OP_COPY)
		chip->cause[live->peer].name = "copy over the NoC";
	else
		chip->cause[live->pe].name = "its store";
}

bool event_chip_receive(struct event_chip *chip, uint32_t op)
{
	struct event_live *live = &chip->live[op];
	assert(live->n_left > 0);
	if (--live->n_left > 0)
		return false;
	chip->n_change++;
	if (chip->cause)
		note_cause(chip, live);
	return true;
}

static void take_cause(struct trace_cause *cause, struct trace_span *span)
{
	span->waits_for = cause->name ? cause->name : "host: a command, or other PEs at a barrier";
	span->waited_clk = span->begin_clk > cause->free_clk ? span->begin_clk - cause->free_clk : 0;
	*cause = (struct trace_cause){NULL, span->end_clk};
}

void event_chip_end_task(struct event_qpe *qpe, uint32_t pe)
{
	struct event_chip *chip = qpe->chip;
	const struct event_mla *mla = &qpe->mla[pe];
	const struct event_live *live = &chip->live[mla->op];
	chip->n_busy++;
	chip->n_change++;
	bool goes_on = event_host_goes_on(chip, mla->op);
	event_qpe_send(qpe, (struct event_message){.to = EVENT_NODE_AGENT + chip->agent_of[qpe->index],
	                                           .from = mla->op,
	                                           .kind = goes_on ? EVENT_NOTE : EVENT_REPORT});
	uint64_t mac_clk = mla->plan.n_row * mla->plan.n_block * mla->plan.n_round_tap * mla->plan.rate.tap_clk;
	struct trace_span span =
	    trace_make_span(TRACE_PE_MLA, qpe->first_pe + pe, "task", mla->start_clk, mla->done_clk, mac_clk);
	span.part = live->part;
	span.peer = live->peer;
	if (chip->cause)
		take_cause(&chip->cause[qpe->first_pe + pe], &span);
	trace_put_span(chip->trace, &span);
}

void event_chip_begin_dma(struct event_qpe *qpe, uint32_t pe, uint32_t op)
{
	const struct event_live *live = &qpe->chip->live[op];
	uint32_t to = live->kind == OP_COPY ? live->peer : EVENT_NODE_DRAM + live->peer;
	qpe->dma[pe].packet = (struct event_message){.to = to, .from = op, .kind = EVENT_DATA};
	qpe->dma[pe].n_left = live->n_packet;
	qpe->chip->n_change++;
}

void event_chip_end_dma(struct event_qpe *qpe, uint32_t pe)
{
	struct event_chip *chip = qpe->chip;
	const struct event_dma *dma = &qpe->dma[pe];
	const struct event_live *live = &chip->live[dma->packet.from];
	chip->n_change++;
	struct trace_span span =
	    trace_make_span(TRACE_PE_DMA, qpe->first_pe + pe, live->kind == OP_COPY ? "copy" : "store", dma->begin_clk,
	                    qpe->base_clk + qpe->queue.clk + 1, live->byte);
	span.part = live->part;
	span.peer = live->peer;
	trace_put_span(chip->trace, &span);
}

/* ---- set up ---- */

/* Packets of all operations and jobs of a schedule. */
static double n_packet(const struct event_chip *chip)
{
	const struct schedule *schedule = chip->schedule;
	double n = 0, packet_byte = chip->machine->noc_packet_byte;
	for (uint32_t i = 0; i < schedule->n_op; i++)
		n += schedule->op[i].byte / packet_byte + 1;
	for (uint32_t i = 0; i < schedule->n_job; i++)
		n += ((double)schedule->job[i].map_byte + schedule->job[i].filter_byte + schedule->job[i].store_byte) /
		         packet_byte +
		     3;
	return n;
}

/*
 * Clocks of one unit become another's by a product with its frequency. What is on its way may lie ahead of the present
 * clock: all packets behind each other in a DRAM, in a router or before the host, operand A of all PEs of a QPE, asked
 * for and sent, and the latencies of some parts. max_clk leaves room for that.
 */
static enum err_code find_max_clk(struct event_chip *chip, struct err *err)
{
	const struct machine *machine = chip->machine;
	double pe_khz = (double)chip->pe_khz, noc_khz = (double)chip->noc_khz, most_a = 0;
	double dram_khz = machine->dram_clk_mhz * 1000, tick_khz = dram_khz * machine->dram_access_byte;
	for (uint32_t i = 0; i < chip->schedule->n_shape; i++)
		most_a = real_max(most_a, (double)chip->plan[i].n_round_a);
	double n = n_packet(chip), n_hop = chip->mesh.w + chip->mesh.h + 2.0;
	double packet_ms = machine->dram_access_clk * (double)machine->noc_packet_byte / tick_khz;
	double ahead_ms = n * real_max(packet_ms, 1 / noc_khz) + 2 * most_a * machine->qpe_n_pe / noc_khz +
	                  (n + 4.0 * machine->chip.host_latency_clk + machine->mla_init_clk) / pe_khz +
	                  (2.0 * machine->dram_interface_clk + 2) / dram_khz + n_hop * machine->noc_hop_clk / noc_khz;
	double product = real_max(pe_khz * noc_khz, tick_khz * real_max(pe_khz, noc_khz));
	double max_clk = (0x1p62 / product - ahead_ms) * pe_khz;
	if (!(max_clk >= 1))
		return err_add(err, ERR_INFEASIBLE,
		               "transfers of %.3g ms one behind the other are longer than events can be timed on this "
		               "machine; take closed forms (--detail fast)",
		               ahead_ms);
	chip->max_clk = max_clk < (double)COUNTS_MAX ? (uint64_t)max_clk : COUNTS_MAX;
	return ERR_OK;
}

static enum err_code check_size(const struct event_chip *chip, struct err *err)
{
	uint32_t n_pe = chip->machine->qpe_n_pe, n_qpe = chip->mesh.n_qpe;
	if (n_pe <= EVENT_MAX_PE && n_qpe <= EVENT_MAX_QPE)
		return ERR_OK;
	return err_add(err, ERR_INFEASIBLE,
	               "%u QPEs of %u PEs, the event tier has up to %d of up to %d; take closed forms (--detail fast)",
	               n_qpe, n_pe, EVENT_MAX_QPE, EVENT_MAX_PE);
}

static enum err_code init_plans(struct event_chip *chip, struct err *err)
{
	const struct schedule *schedule = chip->schedule;
	for (uint32_t i = 0; i < schedule->n_shape; i++) {
		enum err_code code = event_plan_check(&schedule->shape[i], i, err);
		if (code != ERR_OK)
			return code;
		event_plan_task(chip->machine, &schedule->shape[i], &chip->plan[i]);
	}
	return ERR_OK;
}

static void init_arrays(struct event_chip *chip)
{
	struct arena *memory = &chip->memory;
	size_t n_qpe = chip->mesh.n_qpe, n_dram = chip->mesh.n_dram, n_unit = 2 * n_qpe + n_dram;
	chip->qpe = arena_array(memory, n_qpe, sizeof(*chip->qpe));
	chip->dram = arena_array(memory, n_dram, sizeof(*chip->dram));
	chip->agent = arena_array(memory, n_qpe, sizeof(*chip->agent));
	chip->agent_of = arena_array(memory, n_qpe, sizeof(*chip->agent_of));
	chip->dram_port = arena_array(memory, n_qpe * n_dram, sizeof(*chip->dram_port));
	chip->next = arena_array(memory, n_qpe * n_qpe, sizeof(*chip->next));
	chip->next_link = arena_array(memory, n_qpe * n_qpe, sizeof(*chip->next_link));
	chip->link_clk = arena_array(memory, n_qpe * EVENT_LINK_AGENT, sizeof(*chip->link_clk));
	chip->wake_clk = arena_array(memory, n_unit, sizeof(*chip->wake_clk));
	chip->rest = arena_array(memory, n_qpe, sizeof(*chip->rest));
	chip->n_run = arena_array(memory, n_unit, sizeof(*chip->n_run));
	chip->router_span = arena_array(memory, n_qpe, sizeof(*chip->router_span));
	if (chip->trace)
		chip->cause = arena_array(memory, chip->n_pe, sizeof(*chip->cause));
	chip->replay = arena_array(memory, n_qpe, sizeof(struct event_replay *));
	chip->plan = arena_array(memory, chip->schedule->n_shape, sizeof(*chip->plan));
	event_queue_init(&chip->queue, (uint32_t)n_unit, memory);
	for (size_t i = 0; i < n_unit && !memory->is_out; i++)
		chip->wake_clk[i] = UINT64_MAX;
}

/* What the arrays are of; chip->agent_of is filled. */
static void init_units(struct event_chip *chip, bool replays)
{
	chip->rounds = replays ? event_rounds_new(&chip->memory) : NULL;
	chip->taps = replays ? event_taps_new(&chip->memory) : NULL;
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++) {
		event_qpe_init(&chip->qpe[i], chip->machine, chip->level, i, chip->n_link, &chip->memory);
		chip->qpe[i].chip = chip;
		chip->qpe[i].rounds = chip->rounds;
		chip->qpe[i].taps = chip->taps;
		chip->qpe[i].agent = chip->agent_of[i];
		chip->qpe[i].is_traced = chip->trace != NULL;
		chip->agent[i].in.memory = chip->agent[i].known.memory = &chip->memory;
		if (replays)
			chip->replay[i] = event_replay_new(&chip->memory);
	}
	for (uint32_t i = 0; i < chip->mesh.n_dram; i++)
		event_dram_init(chip, i);
	event_host_init(chip);
}

enum err_code event_chip_refuse_memory(const struct event_chip *chip, struct err *err)
{
	assert(chip->memory.is_out);
	return err_add(err, ERR_INTERNAL, "no memory for the simulation of a chip of %u QPEs", chip->mesh.n_qpe);
}

enum err_code event_chip_init(struct event_chip *chip, const struct machine *machine, const struct schedule *schedule,
                              uint32_t level, const struct trace_sink *trace, bool replays, struct err *err)
{
	*chip = (struct event_chip){.machine = machine, .schedule = schedule, .level = level, .trace = trace};
	mesh_derive(machine, &chip->mesh);
	enum err_code code = check_size(chip, err);
	if (code != ERR_OK)
		return code;
	chip->noc_khz = (uint64_t)(machine->noc_clk_mhz * 1000 + 0.5);
	chip->pe_khz = (uint64_t)(machine->level[level].clk_mhz * 1000 + 0.5);
	chip->hop_clk = machine->noc_hop_clk;
	chip->n_pe = chip->mesh.n_qpe * machine->qpe_n_pe;
	chip->n_link =
	    EVENT_LINK_DRAM + 2 * (uint32_t)ceil_div(chip->mesh.n_dram, 2 * (uint64_t)chip->mesh.n_row_group);
	init_arrays(chip);
	if (chip->memory.is_out)
		return event_chip_refuse_memory(chip, err);
	code = init_plans(chip, err);
	if (code == ERR_OK)
		code = find_max_clk(chip, err);
	if (code != ERR_OK)
		return code;
	fill_routes(chip);
	init_units(chip, replays);
	return chip->memory.is_out ? event_chip_refuse_memory(chip, err) : ERR_OK;
}

void event_chip_free(struct event_chip *chip)
{
	arena_free(&chip->memory);
}
