/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_SRAM_H
#define SIM_EVENT_SRAM_H
/*
 * A PE's SRAM in the event tier: one port, which serves requests in the order in which they come, access_clk each. It
 * knows when it will have served a request the moment it comes, so it needs no events of its own while it works. All
 * clocks are PE clocks; clk is the present one.
 */
#include "sim/event/event_count.h"
#include "sim/event/event_fifo.h"

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
/* Read a packet for somewhere behind the router: sram->answer has the message by the clock in which it leaves. */
void event_sram_answer(struct event_sram *sram, uint64_t clk, struct event_message message);
/* The same for the PE's own MLA, whose request was no message: it leaves as soon as it is read, in the clock that is
 * returned. */
uint64_t event_sram_send_own(struct event_sram *sram, uint64_t clk, struct event_message message);
/* Write a packet that has come, for nobody waits; returns the clock after it. */
uint64_t event_sram_store_packet(struct event_sram *sram, uint64_t clk);
/* Let a message leave as soon as all that came before is served. */
void event_sram_tell(struct event_sram *sram, uint64_t clk, struct event_message message);
/* Hand over n_write ports of results, one a clock from clk on (posted: nobody waits for them). */
void event_sram_write(struct event_sram *sram, uint64_t clk, uint64_t n_write);
/* Clock after the last access, all results entered. */
uint64_t event_sram_finish(struct event_sram *sram);
/* From when on it matters that the SRAM is busy: results that were handed over and have not entered do so late. */
uint64_t event_sram_from_clk(const struct event_sram *sram, uint64_t clk);
void event_sram_save(const struct event_sram *sram, uint64_t clk, struct event_state *state);

#endif
