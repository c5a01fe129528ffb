/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_DRAM_H
#define SIM_EVENT_DRAM_H
/*
 * A DRAM interface of the event tier and what is behind it (event_dram.c),
 * internal to the tier.
 */
#include "sim/event/event_unit.h"
#include "sim/machine/trace.h"

struct event_chip;

/* Times within are ticks: 1 / access_byte of a DRAM clock, so that a packet takes a whole number of them. */
struct event_dram {
	uint32_t index, link; /* of EVENT_LINK_DRAM .. */
	uint64_t clk_tick, packet_tick, interface_tick;
	uint64_t tick_khz;        /* ticks a ms */
	uint64_t interface_free;  /* one item a DRAM clock, both ways */
	struct event_fifo *in;    /* [mesh h] from the routers of its rows, by tick of arrival */
	struct event_fifo inside; /* behind the interface, by tick */
	/* DMA: pushes the reads of one load after the other, one a DRAM clock. */
	struct event_fifo load;
	uint32_t n_to_push, push_op;
	uint64_t push_tick;
	uint64_t free_tick;       /* the DRAM has served all so far */
	struct event_fifo served; /* what it sends: by the first one's tick, `to` packets of operation `from` */
	uint64_t busy_tick, read_packet, write_packet;
	struct trace_span span; /* open; name NULL: none */
};

enum err_code event_dram_init(struct event_dram *dram, const struct event_chip *chip, uint32_t index, struct err *err);
void event_dram_free(struct event_dram *dram, uint32_t h);
/* A packet from the router of a row reaches the interface in a NoC clock of the chip. */
void event_dram_push(struct event_chip *chip, uint32_t dram, uint32_t row, uint64_t noc_clk,
                     struct event_message message);
void event_dram_step(struct event_chip *chip, uint32_t dram, uint64_t clk);
bool event_dram_lost(const struct event_dram *dram, uint32_t h);

#endif
