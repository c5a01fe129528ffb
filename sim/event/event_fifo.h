/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_FIFO_H
#define SIM_EVENT_FIFO_H
/*
 * FIFOs of messages, with which the units of the event tier talk to each other. A message carries its arrival clock,
 * and its receiver is woken for it.
 */
#include "sim/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- state of a block as words relative to the present clock, for the comparison of states ---- */

struct event_state {
	uint64_t *word;
	size_t n_word, n_max; /* n_word may exceed n_max: then the state did not fit */
};

static inline void event_state_add(struct event_state *state, uint64_t word)
{
	if (state->n_word < state->n_max)
		state->word[state->n_word] = word;
	state->n_word++;
}

/* ---- FIFO of messages in the order of their clocks ---- */

#define ARM_MESSAGE_CLK 1 /* that the ARM core takes for a command or report: thesis table 5.1 */

/* Where a message goes: a PE by its number, or one of these plus a number. */
#define EVENT_NODE_DRAM 0x40000000u  /* DRAM interface */
#define EVENT_NODE_AGENT 0x80000000u /* agent of the host, by its QPE */

enum event_message_kind {
	EVENT_A_REQUEST, /* for a packet of operand A, from PE `from` */
	EVENT_A_DATA,
	EVENT_DATA,    /* a packet that operation `from` moves */
	EVENT_COMMAND, /* the host starts operation `from` */
	EVENT_REPORT,  /* operation `from` has ended */
	EVENT_NOTE     /* a report that nothing waits for: a task has ended whose result its PE sends by itself */
};

struct event_message {
	uint64_t clk;
	uint32_t to, from;
	enum event_message_kind kind;
};

/* Empty: all zero but for the memory. */
struct event_fifo {
	struct arena *memory;
	struct event_message *message;
	size_t n_alloc; /* 0 or a power of two */
	size_t head, tail;
};

/* Add a message, which is dropped where memory is out. */
void event_fifo_push(struct event_fifo *fifo, struct event_message message);
static inline size_t event_fifo_n(const struct event_fifo *fifo)
{
	return fifo->tail - fifo->head;
}

/* The oldest message if its clock has come, else NULL; valid until the next push. */
const struct event_message *event_fifo_pop(struct event_fifo *fifo, uint64_t clk);

/* Clock of the oldest message, UINT64_MAX if there is none. */
static inline uint64_t event_fifo_clk(const struct event_fifo *fifo)
{
	return fifo->head == fifo->tail ? UINT64_MAX : fifo->message[fifo->head & (fifo->n_alloc - 1)].clk;
}

/* The oldest message, to be changed in place; there is one. Its clock must stay before the next one's. */
struct event_message *event_fifo_oldest(struct event_fifo *fifo);
void event_fifo_save(const struct event_fifo *fifo, uint64_t clk, struct event_state *state);

#endif
