/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_COUNT_H
#define SIM_EVENT_COUNT_H
/* How large a machine the event tier simulates, and what it counts of each PE. */
#include <stdint.h>

#define EVENT_MAX_PE 16    /* of a QPE */
#define EVENT_MAX_QPE 4096 /* of a chip: routes take memory with their square */

/* What is counted per PE. Every clock from a PE's start to its last result is a MAC clock or one of three stalls. */
enum event_count {
	EVENT_MAC_CLK,     /* the array multiplies */
	EVENT_A_STALL_CLK, /* operand B is there, operand A is not */
	EVENT_B_STALL_CLK, /* operand B is not there */
	EVENT_OUT_CLK,     /* the array waits while its results are handed to the SRAM */
	EVENT_ROUND,
	EVENT_A_PACKET,   /* operand A packets asked for, ... */
	EVENT_A_RECEIVED, /* ... and received */
	EVENT_A_WORD,     /* 32-bit words read here for operand A, anyone's */
	EVENT_B_WORD,     /* ... for operand B */
	EVENT_OUT_WORD,   /* 32-bit words written here */
	EVENT_DMA_WORD,   /* ... read here to be sent elsewhere */
	EVENT_IN_WORD,    /* ... written here that came from elsewhere */
	EVENT_SRAM_CLK,   /* the SRAM is busy */
	EVENT_N_COUNT
};

/* What a run did in detail, by which two ways of simulating it are compared; the arrays are the caller's. */
struct event_record {
	uint64_t *op_clk;     /* [schedule->n_op] who starts what waits for it, host or PE, knew that it was complete */
	uint64_t *count;      /* [n_pe][EVENT_N_COUNT] */
	uint64_t *noc_packet; /* [n_qpe] */
};

#endif
