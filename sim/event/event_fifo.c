/* SPDX-License-Identifier: Apache-2.0 */
/* FIFO of messages, a ring that doubles when it is full: queues are unbounded, as the thesis simulator's. */
#include "sim/event/event_fifo.h"
#include <assert.h>
#include <stdlib.h>

enum err_code event_fifo_init(struct event_fifo *fifo, size_t n_max, struct err *err)
{
	size_t n_alloc = 16;
	while (n_alloc < n_max)
		n_alloc *= 2;
	*fifo = (struct event_fifo){.n_alloc = n_alloc};
	fifo->message = calloc(n_alloc, sizeof(*fifo->message));
	if (fifo->message)
		return ERR_OK;
	return err_add(err, ERR_INTERNAL, "no memory for a FIFO of %zu packets", n_alloc);
}

void event_fifo_free(struct event_fifo *fifo)
{
	free(fifo->message);
	*fifo = (struct event_fifo){0};
}

/* Twice the room; messages keep their order from the head on. */
static bool grow(struct event_fifo *fifo)
{
	struct event_message *more = calloc(2 * fifo->n_alloc, sizeof(*more));
	if (!more)
		return false;
	size_t n = fifo->tail - fifo->head;
	for (size_t i = 0; i < n; i++)
		more[i] = fifo->message[(fifo->head + i) & (fifo->n_alloc - 1)];
	free(fifo->message);
	fifo->message = more;
	fifo->n_alloc *= 2;
	fifo->head = 0;
	fifo->tail = n;
	return true;
}

void event_fifo_push(struct event_fifo *fifo, struct event_message message)
{
	if (fifo->tail - fifo->head == fifo->n_alloc && !grow(fifo)) {
		fifo->lost = true;
		return;
	}
	assert(fifo->tail == fifo->head || fifo->message[(fifo->tail - 1) & (fifo->n_alloc - 1)].clk <= message.clk);
	fifo->message[fifo->tail++ & (fifo->n_alloc - 1)] = message;
}

const struct event_message *event_fifo_pop(struct event_fifo *fifo, uint64_t clk)
{
	const struct event_message *oldest = &fifo->message[fifo->head & (fifo->n_alloc - 1)];
	if (fifo->head == fifo->tail || oldest->clk > clk)
		return NULL;
	fifo->head++;
	return oldest;
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
