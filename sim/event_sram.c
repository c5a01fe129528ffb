/* SPDX-License-Identifier: Apache-2.0 */
/* SRAM of a PE: one FIFO for operand A (own and foreign), operand B and results; and FIFOs of messages. */
#include "sim/event_unit.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <stdlib.h>

/* A packet leaves for the router when it is read, but not before so many clocks after its request came; from the
 * re-run, as in event_mla.c. */
#define ANSWER_CLK 2

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

void event_fifo_push(struct event_fifo *fifo, struct event_message message)
{
	assert(fifo->tail - fifo->head < fifo->n_alloc);
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

uint64_t event_fifo_clk(const struct event_fifo *fifo)
{
	return fifo->head == fifo->tail ? UINT64_MAX : fifo->message[fifo->head & (fifo->n_alloc - 1)].clk;
}

void event_fifo_save(const struct event_fifo *fifo, uint64_t clk, struct event_state *state)
{
	event_state_add(state, fifo->tail - fifo->head);
	for (size_t i = fifo->head; i < fifo->tail; i++) {
		const struct event_message *message = &fifo->message[i & (fifo->n_alloc - 1)];
		event_state_add(state, message->clk - clk);
		event_state_add(state, (uint64_t)message->pe << 1 | message->is_data);
	}
}

static void serve(struct event_sram *sram, uint64_t clk, uint64_t n_access)
{
	if (sram->free_clk < clk)
		sram->free_clk = clk;
	sram->free_clk += n_access * sram->access_clk;
	sram->count[EVENT_SRAM_CLK] += n_access * sram->access_clk;
}

/*
 * Let the results handed over before a clock enter. They come one a clock and an
 * access takes at least one, so once the first has waited the SRAM stays busy.
 */
static void enter_results(struct event_sram *sram, uint64_t clk)
{
	if (sram->n_write == 0 || clk <= sram->write_clk)
		return;
	uint64_t n = clk - sram->write_clk < sram->n_write ? clk - sram->write_clk : sram->n_write;
	serve(sram, sram->write_clk, n);
	sram->count[EVENT_OUT_WORD] += n * sram->port_word;
	sram->n_write -= n;
	sram->write_clk += n;
}

uint64_t event_sram_read(struct event_sram *sram, uint64_t clk, uint64_t n_access)
{
	assert(n_access > 0);
	enter_results(sram, clk);
	serve(sram, clk, n_access);
	return sram->free_clk;
}

uint64_t event_sram_read_packet(struct event_sram *sram, uint64_t clk)
{
	sram->count[EVENT_A_WORD] += sram->packet_word;
	return event_sram_read(sram, clk, ceil_div(sram->packet_word, sram->port_word));
}

void event_sram_answer(struct event_sram *sram, uint64_t clk, uint32_t pe)
{
	struct event_message answer = {.clk = event_sram_read_packet(sram, clk), .pe = pe, .is_data = true};
	if (answer.clk < clk + ANSWER_CLK)
		answer.clk = clk + ANSWER_CLK;
	event_fifo_push(&sram->answer, answer);
}

void event_sram_write(struct event_sram *sram, uint64_t clk, uint64_t n_write)
{
	enter_results(sram, clk);
	assert(sram->n_write == 0);
	sram->write_clk = clk;
	sram->n_write = n_write;
}

uint64_t event_sram_finish(struct event_sram *sram)
{
	enter_results(sram, UINT64_MAX);
	return sram->free_clk;
}

void event_sram_save(const struct event_sram *sram, uint64_t clk, struct event_state *state)
{
	event_state_add(state, sram->free_clk > clk ? sram->free_clk - clk : 0);
	event_state_add(state, sram->n_write);
	event_state_add(state, sram->n_write > 0 ? sram->write_clk - clk : 0);
	event_fifo_save(&sram->request, clk, state);
	event_fifo_save(&sram->answer, clk, state);
}
