/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H
/*
 * The event tier: one QPE running MLA tasks, simulated from event to event.
 * Where the fast tier (sim/mla/mla.h) has closed forms, here every packet and every
 * SRAM access has its clock, so PEs that fetch operand A from each other delay
 * each other as they do on the chip:
 *
 *   host --start--> MLA p --A request--> router --> port q --> SRAM q --A--> router --> port p --> MLA p
 *                   MLA p --B read, results--> SRAM p
 *
 * Rules: thesis sections 2.3 and 3; clocks: thesis simulator, re-run.
 */
#include "sim/mla/mla.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stdint.h>

#define EVENT_MAX_PE 16    /* of a QPE */
#define EVENT_MAX_QPE 4096 /* of a chip: routes take memory with their square */

enum event_task_kind { EVENT_IDLE, EVENT_CONV, EVENT_MATMUL };

/* What one PE does. Operands lie in SRAM already; EVENT_IDLE: nothing, but its SRAM answers the others. */
struct event_task {
	enum event_task_kind kind;
	uint32_t operand_bit; /* 8 or 16 */
	bool is_partial;      /* results are partial sums: 32 bit also where the MLA post-processes */
	uint32_t pe_shift; /* operand A comes from the PE this much further in the QPE, modulo its PEs; 0: own SRAM */
	uint32_t kernel_w, kernel_h, dilation; /* dilation 0 or 1: no gaps, see mla_prepare_dilated */
	struct mla_conv_task conv;             /* EVENT_CONV */
	struct mla_matmul_task matmul;         /* EVENT_MATMUL */
};

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

struct event_pe_result {
	uint64_t start_clk, done_clk; /* first clock of its task; clock after the last result is in SRAM */
	uint64_t count[EVENT_N_COUNT];
};

struct event_result {
	uint64_t clk;          /* of the whole run as the host sees it: mla_init_clk covers the starts */
	uint64_t n_noc_packet; /* through the router */
	uint64_t n_event;      /* simulated; what replay leaves out is not in it */
	uint64_t replayed_clk; /* of clk, not simulated because all state recurred */
	uint32_t n_pe;
	struct event_pe_result pe[EVENT_MAX_PE];
};

struct trace_sink; /* sim/machine/trace.h */
struct stop;       /* sim/base/stop.h */

struct event_option {
	bool no_replay; /* simulate every event, even where the state of all units has recurred; the same result */
	const struct trace_sink *trace; /* sim_run_event: told of every span (replay is off then); NULL: nobody */
	const struct stop *stop;        /* SCALE-Sim's replay: who may stop it; NULL: a signal */
};

/*
 * Run task[0 .. n_pe-1] on the PEs of one QPE, started by the host one after the
 * other, until all have done; n_pe is at most qpe_n_pe. The PE clock is that of
 * level[0], or half the NoC clock if the machine has no level. option NULL: all
 * false. ERR_INPUT: a task or machine that cannot be run (names what is allowed);
 * ERR_INTERNAL: no memory. *result is untouched on failure.
 */
enum err_code event_run_qpe(const struct machine *machine, const struct event_task *task, unsigned n_pe,
                            const struct event_option *option, struct event_result *result, struct err *err);

#endif
