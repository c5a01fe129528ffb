/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/event/event_qpe.h"
#include "sim/base/checked.h"
#include <assert.h>

/* ---- FIFOs ---- */

/* Ends of a message within the QPE, by their place in it. */
static void save_fifo(const struct event_qpe *qpe, const struct event_fifo *fifo, uint64_t clk,
                      struct event_state *state)
{
	event_state_add(state, fifo->tail - fifo->head);
	for (size_t i = fifo->head; i < fifo->tail; i++) {
		const struct event_message *message = &fifo->message[i & (fifo->n_alloc - 1)];
		event_state_add(state, message->clk - clk);
		event_state_add(state, (uint64_t)(message->to - qpe->first_pe) << 16 |
		                           (uint64_t)(message->from - qpe->first_pe) << 3 | message->kind);
	}
}

static const uint64_t *load_fifo(const struct event_qpe *qpe, struct event_fifo *fifo, uint64_t clk,
                                 const uint64_t *word)
{
	size_t n = *word++;
	fifo->head = fifo->tail;
	for (size_t i = 0; i < n; i++, word += 2)
		event_fifo_push(fifo,
		                (struct event_message){.clk = word[0] + clk,
		                                       .to = (uint32_t)(word[1] >> 16) + qpe->first_pe,
		                                       .from = (uint32_t)(word[1] & UINT16_MAX) / 8 + qpe->first_pe,
		                                       .kind = (enum event_message_kind)(word[1] & 7)});
	return word;
}

/* ---- router and SRAM ---- */

static void save_noc(const struct event_qpe *qpe, uint64_t clk, struct event_state *state)
{
	const struct event_noc *noc = &qpe->noc;
	uint64_t slot_clk = event_noc_enter(noc, clk);
	event_state_add(state, noc->slot >= slot_clk ? noc->slot - slot_clk : 0);
	event_state_add(state, noc->slot >= slot_clk ? noc->n_in_slot : 0);
	for (uint32_t i = 0; i < noc->n_port; i++) {
		event_state_add(state, noc->last_clk[i] >= clk ? noc->last_clk[i] - clk + 1 : 0);
		event_state_add(state, noc->free_clk[i] > slot_clk ? noc->free_clk[i] - slot_clk : 0);
		save_fifo(qpe, &noc->port[i], clk, state);
	}
}

static const uint64_t *load_noc(struct event_qpe *qpe, uint64_t clk, const uint64_t *word)
{
	struct event_noc *noc = &qpe->noc;
	uint64_t slot_clk = event_noc_enter(noc, clk);
	noc->slot = slot_clk + *word++;
	noc->n_in_slot = (uint32_t)*word++;
	for (uint32_t i = 0; i < noc->n_port; i++) {
		noc->last_clk[i] = *word > 0 ? clk + *word - 1 : min_u64(noc->last_clk[i], clk - 1);
		noc->free_clk[i] = slot_clk + word[1];
		word = load_fifo(qpe, &noc->port[i], clk, word + 2);
	}
	return word;
}

static void save_sram(const struct event_qpe *qpe, const struct event_sram *sram, uint64_t clk,
                      struct event_state *state)
{
	uint64_t from_clk = event_sram_from_clk(sram, clk);
	event_state_add(state, sram->n_write);
	event_state_add(state, sram->n_write > 0 ? sram->write_clk - clk : 0);
	event_state_add(state, sram->free_clk > from_clk ? sram->free_clk - from_clk : 0);
	event_state_add(state, sram->leave_clk > clk ? sram->leave_clk - clk : 0);
	save_fifo(qpe, &sram->request, clk, state);
	save_fifo(qpe, &sram->answer, clk, state);
}

static const uint64_t *load_sram(const struct event_qpe *qpe, struct event_sram *sram, uint64_t clk,
                                 const uint64_t *word)
{
	sram->n_write = word[0];
	sram->write_clk = clk + word[1];
	sram->free_clk = event_sram_from_clk(sram, clk) + word[2];
	sram->leave_clk = clk + word[3];
	word = load_fifo(qpe, &sram->request, clk, word + 4);
	return load_fifo(qpe, &sram->answer, clk, word);
}

/* ---- all around the MLAs ---- */

bool event_qpe_is_closed(const struct event_qpe *qpe)
{
	return event_qpe_is_alone(qpe) && qpe->queue.n_far == 0 && qpe->queue.clk > 0;
}

bool event_qpe_save_around(const struct event_qpe *qpe, struct event_state *state)
{
	uint64_t clk = qpe->queue.clk;
	save_noc(qpe, clk, state);
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		save_sram(qpe, &qpe->sram[i], clk, state);
	if (state->n_word >= state->n_max)
		return false;
	state->n_word += event_queue_save(&qpe->queue, state->word + state->n_word, state->n_max - state->n_word);
	return state->n_word <= state->n_max;
}

void event_qpe_load_around(struct event_qpe *qpe, uint64_t clk, const uint64_t *word, const uint64_t *end)
{
	word = load_noc(qpe, clk, word);
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		word = load_sram(qpe, &qpe->sram[i], clk, word);
	event_queue_reset(&qpe->queue, clk);
	for (; word < end; word += 1 + qpe->queue.n_word)
		for (uint32_t i = 0; i < qpe->queue.n_word; i++)
			for (uint64_t bit = word[1 + i]; bit; bit &= bit - 1)
				event_queue_wake(&qpe->queue, clk + word[0], 64 * i + (uint32_t)__builtin_ctzll(bit));
	assert(word == end);
}
