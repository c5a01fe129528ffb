/* SPDX-License-Identifier: Apache-2.0 */
/* FIFO of messages, a ring that doubles when it is full: queues are unbounded, as the thesis simulator's. */
#include "sim/event/event_fifo.h"
#include <assert.h>

#define FIRST_ALLOC 16

/* Twice the room; messages keep their order from the head on. */
static bool grow_fifo(struct event_fifo *fifo)
{
	size_t n = fifo->tail - fifo->head, n_alloc = n > 0 ? 2 * n : FIRST_ALLOC;
	struct event_message *more = arena_array(fifo->memory, n_alloc, sizeof(*more));
	if (!more)
		return false;
	for (size_t i = 0; i < n; i++)
		more[i] = fifo->message[(fifo->head + i) & (fifo->n_alloc - 1)];
	fifo->message = more;
	fifo->n_alloc = n_alloc;
	fifo->head = 0;
	fifo->tail = n;
	return true;
}

void event_fifo_push(struct event_fifo *fifo, struct event_message message)
{
	if (fifo->tail - fifo->head == fifo->n_alloc && !grow_fifo(fifo))
		return;
	assert(fifo->tail == fifo->head || fifo->message[(fifo->tail - 1) & (fifo->n_alloc - 1)].clk <= message.clk);
	fifo->message[fifo->tail++ & (fifo->n_alloc - 1)] = message;
}

const struct event_message *event_fifo_pop(struct event_fifo *fifo, uint64_t clk)
{
	if (event_fifo_clk(fifo) > clk || fifo->head == fifo->tail)
		return NULL;
	return &fifo->message[fifo->head++ & (fifo->n_alloc - 1)];
}

struct event_message *event_fifo_oldest(struct event_fifo *fifo)
{
	assert(fifo->head != fifo->tail);
	return &fifo->message[fifo->head & (fifo->n_alloc - 1)];
}

void event_fifo_save(const struct event_fifo *fifo, uint64_t clk, struct event_state *state)
{
	event_state_add(state, fifo->tail - fifo->head);
	for (size_t i = fifo->head; i < fifo->tail; i++) {
		const struct event_message *message = &fifo->message[i & (fifo->n_alloc - 1)];
		event_state_add(state, message->clk - clk);
		event_state_add(state, (uint64_t)message->to << 32 | (uint64_t)message->from << 3 | message->kind);
	}
}
