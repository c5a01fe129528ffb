/* SPDX-License-Identifier: Apache-2.0 */
/* SRAM of a PE: one FIFO for operand A (own and foreign), operand B, results, and what comes and goes by DMA. */
#include "sim/event/event_sram.h"
#include "sim/base/checked.h"
#include <assert.h>

/* A packet leaves for the router when it is read, but not before so many clocks after its request came; from the
 * re-run, as in event_mla.c. */
#define ANSWER_CLK 2

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

/* Read or write a packet. */
static uint64_t access_packet(struct event_sram *sram, uint64_t clk, enum event_count count)
{
	sram->count[count] += sram->packet_word;
	return event_sram_read(sram, clk, ceil_div(sram->packet_word, sram->port_word));
}

static uint64_t leave(struct event_sram *sram, struct event_message message)
{
	/* A report may be leaving just then. */
	if (message.clk < sram->leave_clk)
		message.clk = sram->leave_clk;
	event_fifo_push(&sram->answer, message);
	return message.clk;
}

uint64_t event_sram_send_own(struct event_sram *sram, uint64_t clk, struct event_message message)
{
	message.clk = access_packet(sram, clk, EVENT_A_WORD);
	return leave(sram, message);
}

void event_sram_answer(struct event_sram *sram, uint64_t clk, struct event_message message)
{
	message.clk = access_packet(sram, clk, message.kind == EVENT_A_DATA ? EVENT_A_WORD : EVENT_DMA_WORD);
	if (message.clk < clk + ANSWER_CLK)
		message.clk = clk + ANSWER_CLK;
	(void)leave(sram, message);
}

uint64_t event_sram_store_packet(struct event_sram *sram, uint64_t clk)
{
	return access_packet(sram, clk, EVENT_IN_WORD);
}

void event_sram_tell(struct event_sram *sram, uint64_t clk, struct event_message message)
{
	message.clk = (sram->free_clk < clk + ANSWER_CLK ? clk + ANSWER_CLK : sram->free_clk) + ARM_MESSAGE_CLK;
	sram->leave_clk = message.clk;
	event_fifo_push(&sram->answer, message);
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

uint64_t event_sram_from_clk(const struct event_sram *sram, uint64_t clk)
{
	return sram->n_write > 0 && sram->write_clk < clk ? sram->write_clk : clk;
}

void event_sram_save(const struct event_sram *sram, uint64_t clk, struct event_state *state)
{
	uint64_t from_clk = event_sram_from_clk(sram, clk);
	event_state_add(state, sram->free_clk > from_clk ? sram->free_clk - from_clk : 0);
	event_state_add(state, sram->leave_clk > clk ? sram->leave_clk - clk : 0);
	event_state_add(state, sram->n_write);
	event_state_add(state, sram->n_write > 0 ? sram->write_clk - clk : 0);
	event_fifo_save(&sram->request, clk, state);
	event_fifo_save(&sram->answer, clk, state);
}
