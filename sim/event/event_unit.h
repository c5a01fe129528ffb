/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_UNIT_H
#define SIM_EVENT_UNIT_H
/*
 * Hardware blocks of the event tier that serve requests in the order in which
 * they come: SRAM and router, one module each, to be composed into a QPE
 * (event_qpe.c) and more. A message carries its arrival clock and its receiver
 * is woken for it. A FIFO server knows when it will have served a request the
 * moment it comes, so it needs no events of its own while it works.
 *
 * All clocks are PE clocks unless named otherwise; clk is the present one.
 */
#include "sim/event/event.h"
#include <stddef.h>

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
	EVENT_REPORT   /* operation `from` has ended */
};

struct event_message {
	uint64_t clk;
	uint32_t to, from;
	enum event_message_kind kind;
};

struct event_fifo {
	struct event_message *message;
	size_t n_alloc; /* a power of two */
	size_t head, tail;
	bool lost; /* a message, for lack of memory */
};

/* A FIFO for n_max messages; it grows when there are more. ERR_INTERNAL: no memory. */
enum err_code event_fifo_init(struct event_fifo *fifo, size_t n_max, struct err *err);
void event_fifo_free(struct event_fifo *fifo);
void event_fifo_push(struct event_fifo *fifo, struct event_message message);
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

/* ---- SRAM: one FIFO, access_clk an access ---- */

struct event_sram {
	uint32_t access_clk, port_word, packet_word;
	uint64_t free_clk; /* all accesses so far served */
	/* Results not yet entered: one a clock from write_clk on; they enter when someone else asks. */
	uint64_t write_clk, n_write;
	struct event_fifo request; /* came in the present clock, enter at its end */
	uint64_t leave_clk;        /* the last report leaves */
	struct event_fifo answer;  /* what leaves for the router, by its clock */
	uint64_t *count;           /* [EVENT_N_COUNT] of the PE */
};

/* Read n_access ports, asked for in the present clock; returns the first clock in which the data can be used. */
uint64_t event_sram_read(struct event_sram *sram, uint64_t clk, uint64_t n_access);
/* Read a packet of operand A; returns the same. */
uint64_t event_sram_read_packet(struct event_sram *sram, uint64_t clk);
/* Read a packet for somewhere behind the router: sram->answer has the message by the clock in which it leaves. */
void event_sram_answer(struct event_sram *sram, uint64_t clk, struct event_message message);
/* Write a packet that has come, for nobody waits; returns the clock after it. */
uint64_t event_sram_store_packet(struct event_sram *sram, uint64_t clk);
/* Let a message leave as soon as all that came before is served. */
void event_sram_tell(struct event_sram *sram, uint64_t clk, struct event_message message);
/* Hand over n_write ports of results, one a clock from clk on (posted: nobody waits for them). */
void event_sram_write(struct event_sram *sram, uint64_t clk, uint64_t n_write);
/* Clock after the last access, all results entered. */
uint64_t event_sram_finish(struct event_sram *sram);
void event_sram_save(const struct event_sram *sram, uint64_t clk, struct event_state *state);

/* ---- router: one FIFO over all ports ---- */

struct event_noc {
	uint64_t noc_khz, pe_khz;
	uint32_t hop_clk, n_per_clk; /* NoC clocks; packets a NoC clock */
	uint32_t sync_clk;           /* NoC clocks into the router, PE clocks out of it */
	uint64_t slot;               /* NoC clock of the next packet ... */
	uint32_t n_in_slot;          /* ... and packets already in it */
	uint64_t n_packet;
	uint32_t n_port;
	uint64_t last_clk[EVENT_MAX_PE];      /* a port receives one packet a PE clock ... */
	uint64_t free_clk[EVENT_MAX_PE];      /* ... and passes one a NoC clock, from this one on */
	struct event_fifo port[EVENT_MAX_PE]; /* packets on their way to it */
};

/* Clocks and rates of a machine; the FIFOs of the ports are the caller's to set up. */
void event_noc_init(struct event_noc *noc, const struct machine *machine, uint32_t level);
/* The NoC clock of the packet that comes to the router at a PE clock. */
uint64_t event_noc_enter(const struct event_noc *noc, uint64_t clk);
/* Pass a packet that comes at a NoC clock, not before one that came earlier; returns the NoC clock in which it passes.
 */
uint64_t event_noc_pass(struct event_noc *noc, uint64_t noc_clk);
/* Put a packet that passes at a NoC clock into port `to`: noc->port[to] has it by its arrival. */
void event_noc_eject(struct event_noc *noc, uint64_t noc_clk, uint32_t to, struct event_message message);
void event_noc_save(const struct event_noc *noc, uint64_t clk, struct event_state *state);

#endif
