/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items go in a few pieces each. A piece holds a server (port, router, link, interface) for its service time, in the
 * order of arrival. As packets go on one by one, its head reaches the next server when it is served here, and its tail
 * ends nowhere earlier than before. Each clock knows the service or set-up that it is due to, and that the one before
 * it, so that the last clock's path can be followed back.
 *
 * What waits for an operation is started by the host: the report of the one and the command of the other pass the
 * routers between the PEs and their agents in turn with everything else, and where queues are long they wait.
 */
#include "sim/machine/flow.h"
#include "sim/base/arena.h"
#include <assert.h>
#include <string.h>

#define N_LINK 4 /* into a QPE */
/* Pieces times stops of a case, a few milliseconds; on the thesis' chip there are some thousand. */
#define MAX_PIECE_STOP ((size_t)1 << 15)

struct flow_time {
	double clk;
	uint32_t cause; /* FLOW_NONE: the start of all */
};

/* A service or set-up of an operation, and what it could not begin before. */
struct flow_cause {
	uint32_t before, cost, op;
};

/* A router on an operation's way, and the link from it; FLOW_NONE: it is the last. */
struct flow_stop {
	uint32_t router, link;
};

struct flow_piece {
	uint32_t op, at; /* data: the stop that it comes to; messages: the router */
	enum { PIECE_DATA, PIECE_COMMAND, PIECE_REPORT } kind;
	struct flow_time head, tail; /* when it came there */
};

/* In order of clocks, those of a clock in the order in which they were found. */
struct flow_event {
	uint64_t key;
	uint32_t piece;
};
#define ORDER_BIT 24
#define STEP_PER_CLK 256 /* in which clocks are told apart */

struct flow_run {
	const struct mesh *mesh;
	const struct flow_op *op;
	uint32_t n_pe, n_op, n_piece;
	double piece_clk[N_FLOW_COST];
	float *size;                 /* [n_op] over that of the case's items */
	uint32_t *first_next, *next; /* [n_op] operations that wait for one; FLOW_NONE */
	uint32_t *n_left;            /* [n_op] pieces that have not come */
	uint32_t *first_stop;        /* [n_op] */
	uint32_t *first_order;       /* [n_op] of its pieces at their first stop */
	struct flow_stop *stop;      /* of one operation after the other */
	struct flow_piece *piece;    /* [n_op][n_piece + 1] pieces, and a command or report */
	struct flow_event *event;    /* heap */
	uint32_t n_event, n_order;
	bool has_gap;             /* the first event has been taken, its place in the heap is free */
	struct flow_cause *cause; /* room for all services and set-ups */
	uint32_t n_cause;
	struct flow_time *port, *router, *link,
	    *dram;              /* free from then on: [all PEs][out, in], [n_qpe], [n_qpe][N_LINK] */
	struct flow_time *last; /* [n_op] its pieces so far */
	size_t n_time;          /* all of these, from port on */
	size_t n_stop;
	struct flow_time end;
};

/* ---- heap of events ---- */

static uint64_t key_of(double clk, uint32_t number)
{
	const uint64_t most = UINT64_MAX >> ORDER_BIT;
	double step = clk * STEP_PER_CLK;
	uint64_t order = number & ((UINT64_C(1) << ORDER_BIT) - 1);
	return (step < (double)most ? (uint64_t)step : most) << ORDER_BIT | order;
}

/* Into the free place at the top. */
static void sink_event(struct flow_run *run, const struct flow_event *event)
{
	uint32_t i = 0, child;
	for (; (child = 2 * i + 1) < run->n_event; i = child) {
		child += child + 1 < run->n_event && run->event[child + 1].key < run->event[child].key;
		if (run->event[child].key >= event->key)
			break;
		run->event[i] = run->event[child];
	}
	run->event[i] = *event;
	run->has_gap = false;
}

/* Most events are followed by another one soon after, which takes their place. */
static void push_event(struct flow_run *run, double clk, uint32_t order, uint32_t piece)
{
	const struct flow_event event = {key_of(clk, order), piece};
	if (run->has_gap) {
		sink_event(run, &event);
		return;
	}
	uint32_t i = run->n_event++;
	for (; i > 0 && event.key < run->event[(i - 1) / 2].key; i = (i - 1) / 2)
		run->event[i] = run->event[(i - 1) / 2];
	run->event[i] = event;
}

/* false: there is none. */
static bool take_event(struct flow_run *run, uint32_t *piece)
{
	if (run->has_gap) {
		const struct flow_event last = run->event[--run->n_event];
		if (run->n_event > 0)
			sink_event(run, &last);
	}
	if (run->n_event == 0)
		return false;
	*piece = run->event[0].piece;
	run->has_gap = true;
	return true;
}

/* ---- servers ---- */

static uint32_t add_cause(struct flow_run *run, uint32_t before, enum flow_cost cost, uint32_t op)
{
	run->cause[run->n_cause] = (struct flow_cause){before, cost, op};
	return run->n_cause++;
}

static double service_clk(const struct flow_run *run, enum flow_cost cost, uint32_t op)
{
	return run->piece_clk[cost] * (double)run->size[op];
}

static void serve(struct flow_run *run, struct flow_time *server, enum flow_cost cost, struct flow_piece *piece)
{
	if (server->clk > piece->head.clk)
		piece->head = *server;
	server->clk = piece->head.clk + service_clk(run, cost, piece->op);
	server->cause = add_cause(run, piece->head.cause, cost, piece->op);
	if (server->clk > piece->tail.clk)
		piece->tail = *server;
}

/* The router at which an end of an operation joins the mesh. */
static uint32_t router_of(const struct flow_run *run, uint32_t end, uint32_t other)
{
	if (!(end & FLOW_DRAM))
		return end / run->n_pe;
	return mesh_dram_port(run->mesh, end - FLOW_DRAM, other / run->n_pe);
}

/*
 * All pieces come to the source when the command does, and leave it one after the other. Each brings the next one with
 * it to its first router: so few are waited for at a time.
 */
static void start_op(struct flow_run *run, uint32_t op, const struct flow_time *start)
{
	uint32_t from = run->op[op].from, first = op * (run->n_piece + 1);
	bool is_load = (from & FLOW_DRAM) != 0;
	struct flow_time *server = is_load ? &run->dram[from - FLOW_DRAM] : &run->port[2 * from];
	run->n_left[op] = run->n_piece;
	for (uint32_t i = 0; i < run->n_piece; i++) {
		struct flow_piece *piece = &run->piece[first + i];
		*piece = (struct flow_piece){op, run->first_stop[op], PIECE_DATA, *start, *start};
		serve(run, server, is_load ? FLOW_COST_DRAM : FLOW_COST_PORT, piece);
	}
	run->first_order[op] = run->n_order;
	run->n_order += run->n_piece;
	push_event(run, run->piece[first].head.clk, run->first_order[op], first);
}

/* A command enters the mesh at the agent, a report at the PE. */
static void send_message(struct flow_run *run, uint32_t op, bool is_command, const struct flow_time *time)
{
	uint32_t index = op * (run->n_piece + 1) + run->n_piece, end = is_command ? run->op[op].from : run->op[op].to;
	struct flow_piece *piece = &run->piece[index];
	*piece = (struct flow_piece){op, end / run->n_pe, is_command ? PIECE_COMMAND : PIECE_REPORT, *time, *time};
	if (is_command) {
		piece->at = mesh_agent(run->mesh, piece->at);
		piece->head.clk += run->piece_clk[FLOW_COST_COPY];
		piece->head.cause = add_cause(run, time->cause, FLOW_COST_COPY, op);
	}
	push_event(run, piece->head.clk, run->n_order++, index);
}

static void end_piece(struct flow_run *run, const struct flow_piece *piece)
{
	uint32_t op = piece->op;
	assert(run->n_left[op] > 0);
	if (piece->tail.clk > run->last[op].clk)
		run->last[op] = piece->tail;
	if (--run->n_left[op] > 0)
		return;
	if (run->last[op].clk > run->end.clk)
		run->end = run->last[op];
	if (!(run->op[op].to & FLOW_DRAM))
		send_message(run, op, false, &run->last[op]);
}

static uint32_t link_into(const struct mesh *mesh, uint32_t from, uint32_t to)
{
	uint32_t from_x = mesh_x(mesh, from), to_x = mesh_x(mesh, to), side;
	if (from_x != to_x)
		side = from_x < to_x ? 0 : 1;
	else
		side = mesh_y(mesh, from) < mesh_y(mesh, to) ? 2 : 3;
	return to * N_LINK + side;
}

/* A message comes between the packets of the piece that is served: only those before it are in its way. */
static void wait_for(const struct flow_run *run, const struct flow_time *server, enum flow_cost cost,
                     struct flow_time *time)
{
	if (server->clk <= time->clk)
		return;
	const struct flow_cause *cause = &run->cause[server->cause];
	double begin_clk = server->clk - service_clk(run, cost, cause->op);
	if (begin_clk <= time->clk)
		return;
	time->clk = begin_clk;
	time->cause = cause->before;
}

/* Through a router and over a link; messages are short enough to take no time of them. */
static void step_message(struct flow_run *run, uint32_t index)
{
	struct flow_piece *piece = &run->piece[index];
	const struct flow_op *op = &run->op[piece->op];
	bool is_command = piece->kind == PIECE_COMMAND;
	uint32_t qpe = (is_command ? op->from : op->to) / run->n_pe,
		 last = is_command ? qpe : mesh_agent(run->mesh, qpe);
	wait_for(run, &run->router[piece->at], FLOW_COST_ROUTER, &piece->head);
	if (piece->at != last) {
		uint32_t next = mesh_next(run->mesh, piece->at, last);
		wait_for(run, &run->link[link_into(run->mesh, piece->at, next)], FLOW_COST_LINK, &piece->head);
		piece->at = next;
		push_event(run, piece->head.clk, run->n_order++, index);
		return;
	}
	if (is_command) {
		start_op(run, piece->op, &piece->head);
		return;
	}
	if (piece->head.clk > run->end.clk)
		run->end = piece->head;
	const struct flow_time head = piece->head;
	for (uint32_t next = run->first_next[piece->op]; next != FLOW_NONE; next = run->next[next])
		send_message(run, next, true, &head);
}

/* Through a router, and on or in. */
static void step_piece(struct flow_run *run, uint32_t index)
{
	struct flow_piece *piece = &run->piece[index];
	const struct flow_op *op = &run->op[piece->op];
	if (piece->kind != PIECE_DATA) {
		step_message(run, index);
		return;
	}
	const struct flow_stop *stop = &run->stop[piece->at];
	bool is_first = piece->at == run->first_stop[piece->op];
	serve(run, &run->router[stop->router], FLOW_COST_ROUTER, piece);
	if (stop->link != FLOW_NONE) {
		serve(run, &run->link[stop->link], FLOW_COST_LINK, piece);
		piece->at++;
		push_event(run, piece->head.clk, run->n_order++, index);
	} else {
		if (op->to & FLOW_DRAM)
			serve(run, &run->dram[op->to - FLOW_DRAM], FLOW_COST_DRAM, piece);
		else
			serve(run, &run->port[2 * op->to + 1], FLOW_COST_PORT, piece);
		end_piece(run, piece);
	}
	uint32_t next = index % (run->n_piece + 1) + 1;
	if (is_first && next < run->n_piece)
		push_event(run, run->piece[index + 1].head.clk, run->first_order[run->piece[index].op] + next,
		           index + 1);
}

/* ---- runs ---- */

/* Stops of all operations. */
static size_t count_stops(const struct flow_run *run)
{
	size_t n_stop = 0;
	for (uint32_t i = 0; i < run->n_op; i++) {
		uint32_t from = router_of(run, run->op[i].from, run->op[i].to),
			 to = router_of(run, run->op[i].to, run->op[i].from);
		n_stop += 1 + (from == to ? 0 : mesh_n_hop(run->mesh, from, to));
	}
	return n_stop;
}

/* Room for runs of up to n_piece pieces an item. */
static bool open_run(struct flow_run *run, uint32_t n_piece, struct arena *memory)
{
	size_t n_op = run->n_op, n_qpe = run->mesh->n_qpe, n_pe = n_qpe * run->n_pe, n_stop = run->n_stop;
	run->size = arena_array(memory, n_op, sizeof(*run->size));
	run->first_next = arena_array(memory, n_op, sizeof(*run->first_next));
	run->next = arena_array(memory, n_op, sizeof(*run->next));
	run->n_left = arena_array(memory, n_op, sizeof(*run->n_left));
	run->first_stop = arena_array(memory, n_op, sizeof(*run->first_stop));
	run->first_order = arena_array(memory, n_op, sizeof(*run->first_order));
	run->stop = arena_array(memory, n_stop, sizeof(*run->stop));
	run->piece = arena_array(memory, n_op * ((size_t)n_piece + 1), sizeof(*run->piece));
	run->event = arena_array(memory, n_op * ((size_t)n_piece + 1), sizeof(*run->event));
	/* a set-up; a router and a link at each stop but the last, where there is one end of the two */
	run->cause = arena_array(memory, n_op + n_piece * (2 * n_stop + n_op), sizeof(*run->cause));
	run->n_time = 2 * n_pe + n_qpe + n_qpe * N_LINK + n_op + run->mesh->n_dram;
	run->port = arena_array(memory, run->n_time, sizeof(*run->port));
	if (memory->is_out)
		return false;
	run->router = run->port + 2 * n_pe;
	run->link = run->router + n_qpe;
	run->last = run->link + n_qpe * N_LINK;
	run->dram = run->last + n_op;
	return true;
}

static void list_stops(struct flow_run *run)
{
	uint32_t n_stop = 0;
	for (uint32_t i = 0; i < run->n_op; i++) {
		uint32_t at = router_of(run, run->op[i].from, run->op[i].to),
			 last = router_of(run, run->op[i].to, run->op[i].from);
		run->first_stop[i] = n_stop;
		while (at != last) {
			uint32_t next = mesh_next(run->mesh, at, last);
			run->stop[n_stop++] = (struct flow_stop){at, link_into(run->mesh, at, next)};
			at = next;
		}
		run->stop[n_stop++] = (struct flow_stop){at, FLOW_NONE};
	}
}

/* From the last to the first, so that those who wait are started in their order. */
static void link_ops(struct flow_run *run)
{
	for (uint32_t i = 0; i < run->n_op; i++)
		run->first_next[i] = FLOW_NONE;
	for (uint32_t i = run->n_op; i-- > 0;) {
		uint32_t before = run->op[i].before;
		assert(before == FLOW_NONE || before < i);
		if (before == FLOW_NONE)
			continue;
		run->next[i] = run->first_next[before];
		run->first_next[before] = i;
	}
}

/* Those that wait for none: nothing is in their commands' way. */
static void begin_op(struct flow_run *run, uint32_t op)
{
	enum flow_cost setup = run->op[op].from & FLOW_DRAM ? FLOW_COST_LOAD : FLOW_COST_COPY;
	const struct flow_time start = {run->piece_clk[setup], add_cause(run, FLOW_NONE, setup, op)};
	start_op(run, op, &start);
}

/* What came before the end, back to the start. */
static void follow_back(const struct flow_run *run, struct flow_path *path)
{
	float piece_frac = 1.0F / (float)run->n_piece;
	*path = (struct flow_path){0};
	for (uint32_t i = run->end.cause; i != FLOW_NONE; i = run->cause[i].before) {
		uint32_t cost = run->cause[i].cost;
		path->n[cost] += cost < FLOW_COST_COPY ? piece_frac * run->size[run->cause[i].op] : 1;
	}
}

/* Fewer of them where there are very many operations. */
static uint32_t n_piece_of(const struct flow_case *wanted, size_t n_stop)
{
	size_t n_most = n_stop < MAX_PIECE_STOP ? MAX_PIECE_STOP / n_stop : 1;
	return wanted->n_piece < n_most ? wanted->n_piece : (uint32_t)n_most;
}

static void run_case(struct flow_run *run, const struct flow_case *wanted, struct flow_path *path)
{
	uint32_t piece;
	assert(wanted->n_piece > 0);
	run->n_piece = n_piece_of(wanted, run->n_stop);
	run->n_order = run->n_cause = 0;
	run->end = (struct flow_time){0, FLOW_NONE};
	memset(run->port, 0, run->n_time * sizeof(*run->port));
	for (int i = 0; i < N_FLOW_COST; i++)
		run->piece_clk[i] = i < FLOW_COST_COPY ? wanted->clk[i] / run->n_piece : wanted->clk[i];
	for (uint32_t i = 0; i < run->n_op; i++)
		if (run->op[i].before == FLOW_NONE)
			begin_op(run, i);
	while (take_event(run, &piece))
		step_piece(run, piece);
	run->has_gap = false;
	follow_back(run, path);
}

bool flow_find_paths(const struct mesh *mesh, uint32_t n_pe, const struct flow_op *op, const float *size, uint32_t n_op,
                     const struct flow_case *wanted, uint32_t n_case, struct flow_path *path)
{
	struct arena memory = {0};
	struct flow_run run = {.mesh = mesh, .op = op, .n_pe = n_pe, .n_op = n_op};
	uint32_t n_piece = 1;
	run.n_stop = count_stops(&run);
	for (uint32_t i = 0; i < n_case; i++) {
		uint32_t own = n_piece_of(&wanted[i], run.n_stop);
		n_piece = own > n_piece ? own : n_piece;
	}
	bool is_open = open_run(&run, n_piece, &memory);
	if (is_open) {
		list_stops(&run);
		link_ops(&run);
		for (uint32_t i = 0; i < n_op; i++)
			run.size[i] = size ? size[i] : 1;
		for (uint32_t i = 0; i < n_case; i++)
			run_case(&run, &wanted[i], &path[i]);
	}
	arena_free(&memory);
	return is_open;
}

/* Of the operations up to one, each after the other. */
static struct flow_path chain_to(const struct flow_op *op, uint32_t i)
{
	struct flow_path path = {0};
	for (; i != FLOW_NONE; i = op[i].before) {
		bool is_load = (op[i].from & FLOW_DRAM) != 0;
		path.n[is_load ? FLOW_COST_LOAD : FLOW_COST_COPY] += 1;
		path.n[is_load ? FLOW_COST_DRAM : FLOW_COST_PORT] += 1;
	}
	return path;
}

static float n_setup(const struct flow_path *path)
{
	return path->n[FLOW_COST_COPY] + path->n[FLOW_COST_LOAD];
}

static void count(uint32_t *n, uint32_t by, float *most)
{
	*n += by;
	if ((float)*n > *most)
		*most = (float)*n;
}

/* Routers between the host's agent for one and a router. */
static double n_to_agent(const struct mesh *mesh, uint32_t router)
{
	return 1.0 + mesh_n_hop(mesh, mesh_agent(mesh, router), router);
}

bool flow_find_load(const struct mesh *mesh, uint32_t n_pe, const struct flow_op *op, const uint32_t *weight,
                    uint32_t n_op, struct flow_paths *paths)
{
	struct arena memory = {0};
	const struct flow_run run = {.mesh = mesh, .n_pe = n_pe};
	uint32_t *n_router = arena_array(&memory, mesh->n_qpe, sizeof(*n_router));
	uint32_t *n_link = arena_array(&memory, (size_t)mesh->n_qpe * N_LINK, sizeof(*n_link));
	uint32_t *n_dram = arena_array(&memory, mesh->n_dram, sizeof(*n_dram));
	uint32_t *n_port = arena_array(&memory, (size_t)mesh->n_qpe * n_pe, sizeof(*n_port));
	bool has_memory = !memory.is_out;
	for (uint32_t i = 0; i < n_op && has_memory; i++) {
		uint32_t at = router_of(&run, op[i].from, op[i].to), last = router_of(&run, op[i].to, op[i].from);
		const struct flow_path chain = chain_to(op, i);
		const uint32_t by = weight ? weight[i] : 1;
		if (n_setup(&chain) > n_setup(&paths->chain))
			paths->chain = chain;
		if (op[i].from & FLOW_DRAM)
			count(&n_dram[op[i].from - FLOW_DRAM], by, &paths->dram);
		if (op[i].to & FLOW_DRAM)
			count(&n_dram[op[i].to - FLOW_DRAM], by, &paths->dram);
		else
			count(&n_port[op[i].to], by, &paths->port);
		paths->n_op += by;
		paths->told += by * n_to_agent(mesh, at);
		paths->reported += by * n_to_agent(mesh, last);
		paths->routed += by;
		for (; at != last; at = mesh_next(mesh, at, last)) {
			count(&n_router[at], by, &paths->router);
			count(&n_link[link_into(mesh, at, mesh_next(mesh, at, last))], by, &paths->link);
			paths->routed += by;
		}
		count(&n_router[last], by, &paths->router);
	}
	for (uint32_t i = 0; i < n_op && has_memory; i++)
		if (!(op[i].from & FLOW_DRAM))
			count(&n_router[op[i].from / n_pe], 0, &paths->sender);
	arena_free(&memory);
	return has_memory;
}

bool flow_find_way(const struct mesh *mesh, uint32_t n_pe, const struct flow_op *op, uint32_t n_op,
                   struct flow_paths *paths)
{
	struct arena memory = {0};
	const struct flow_run run = {.mesh = mesh, .n_pe = n_pe};
	bool *sends = arena_array(&memory, mesh->n_qpe, sizeof(*sends));
	bool has_memory = !memory.is_out;
	for (uint32_t i = 0; i < n_op && has_memory; i++)
		sends[op[i].from / n_pe] = true;
	for (uint32_t i = 0; i < n_op && has_memory; i++) {
		uint32_t at = router_of(&run, op[i].from, op[i].to), last = router_of(&run, op[i].to, op[i].from);
		uint32_t n = sends[last];
		for (; at != last; at = mesh_next(mesh, at, last))
			n += sends[at];
		if ((float)n > paths->way)
			paths->way = (float)n;
	}
	arena_free(&memory);
	return has_memory;
}
