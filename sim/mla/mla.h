/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MLA_H
#define SIM_MLA_H
/*
 * MLA: clocks and SRAM traffic of one task on one MAC array (output stationary),
 * in closed form. A task is a convolution or a matrix multiplication whose
 * operands already lie in SRAM; a machine that reads its SRAM in one or two
 * clocks, any array of columns x rows.
 *
 * The clocks of a round (one block of columns x one group of rows) depend on
 * the kernel, the channels and the machine, never on the split, so they are
 * prepared once (mla_prepare_conv) and a task costs a few multiplications.
 */
#include "sim/machine/machine.h"
#include "sim/mla/mla_operand.h"
#include <stdint.h>

/* Grid on which a prepared round keeps what its start costs: quarters of the largest results, channels 1, 2, 4, ... */
#define MLA_N_WRITE_POINT 4
#define MLA_N_CHANNEL_POINT 9

/*
 * A prepared convolution round: MAC clocks and operand fetch, without the output. In steady state an input channel
 * takes channel_clk with the SRAM free of other PEs' operand A reads, and shared_channel_clk with all PEs of the QPE
 * fetching operand A from each other or through the router all the time. The real rate lies between, by the neighbours'
 * duty. When shared a round's start costs besides, by the results still queueing and, in short rounds, by the channels:
 * shared_delay_clk.
 */
struct mla_conv_round {
	uint32_t reach_w, reach_h;   /* ifmap pixels that a kernel spans */
	uint32_t kernel_w, kernel_h; /* as the array runs it: taps of a row of pixels, and such rows */
	uint32_t operand_bit;
	double channel_clk, shared_channel_clk;
	uint32_t n_channel_point; /* of shared_delay_clk in use */
	double shared_delay_clk[MLA_N_WRITE_POINT][MLA_N_CHANNEL_POINT];
	/* What the tasks' clocks and words are made of besides. */
	struct operand_rate rate;
	double a_first_clk; /* from a round's start to its first packet of operand A */
	uint32_t result_byte;
	uint32_t n_row_write;     /* SRAM ports that the results of a row of all columns take ... */
	uint32_t n_full_write;    /* ... and those of all rows */
	uint64_t channel_mac_clk; /* clocks in which the array multiplies */
	uint64_t channel_a_byte;  /* operand A */
	uint64_t channel_b_word;  /* SRAM words read for operand B */
};

/* What the rounds of tasks with the same input channels have in common. */
struct mla_conv_channels {
	double channels_clk, shared_channels_clk; /* of all channels */
	double supply_clk;                        /* if operand A is all that keeps a round */
	double start_clk[MLA_N_WRITE_POINT];      /* what a start costs in lock step */
};

/* Operand A in a matrix multiplication: no stream, one packet at a time, asked for when the buffer runs low. */
struct mla_matmul_fetch {
	double mac_clk;             /* a MAC with its B read(s), SRAM free */
	double n_packet_mac;        /* MACs a packet suffices for */
	double n_low_mac;           /* MACs left in the buffer when the next is asked for */
	double answer_clk;          /* from asking to first use, in mid-round */
	double lead_clk;            /* the same at the start of a round, behind the results */
	double prefetched_lead_clk; /* the same if the packet was asked for in the round before */
	bool prefetched;
};

/* What matrix multiplications have in common whose operand A comes from a PE of the same distance. */
struct mla_matmul {
	struct operand_rate rate;
	struct mla_matmul_fetch fetch;
	bool local; /* operand A lies in the own SRAM */
	uint32_t mla_rows, mla_cols;
	uint32_t column_step; /* columns of operand B that an SRAM port holds */
	uint32_t row_a_byte;  /* operand A of a MAC */
	uint32_t packet_byte, port_word;
	uint32_t n_write; /* SRAM ports that a round's results take */
	double wait_clk;  /* at a busy neighbour's SRAM */
	double fixed_clk;
};

/*
 * Filters of a round share their input channels. A task of several groups has each with channels and filters of its
 * own, one after the other like groups of filters: the same rounds for each, started once. (Nobody has measured such
 * tasks. Starts for each group would add mla_init_clk a group.)
 */
struct mla_conv_task {
	uint32_t in_w, in_h, in_c; /* ifmap tile, channels of a group; the array computes every stride-1 output of it */
	uint32_t n_filter;         /* of a group */
	uint32_t n_group;          /* 1: not grouped */
};

struct mla_matmul_task {
	uint32_t a_w, a_h; /* operand A: a_h rows of a_w */
	uint32_t b_w;      /* operand B: a_w rows of b_w columns */
};

enum mla_kind { MLA_IDLE, MLA_CONV, MLA_MATMUL };

/* A task of either kind with all that its clocks depend on; MLA_IDLE: none, but the PE's SRAM answers the others. */
struct mla_shape {
	enum mla_kind kind;
	uint32_t operand_bit; /* 8 or 16 */
	bool is_partial;      /* results are partial sums: 32 bit also where the MLA post-processes */
	uint32_t pe_shift; /* operand A comes from the PE this much further in the QPE, modulo its PEs; 0: own SRAM */
	uint32_t kernel_w, kernel_h, dilation; /* dilation 0 or 1: no gaps, see mla_prepare_dilated */
	struct mla_conv_task conv;             /* MLA_CONV */
	struct mla_matmul_task matmul;         /* MLA_MATMUL */
};

/* What the tasks of a PE fetch of operand A: each packet is asked for through the QPE's router and comes through it. */
struct mla_fetch {
	double n_round, n_packet;
	double ask_clk; /* from a request to the next, if nothing keeps it */
};

/* What a task takes. Words are 32 bit. Clocks are those with a router that keeps up, see mla_router_clk. */
struct mla_cost {
	double clk;        /* SRAM free of foreign reads */
	double shared_clk; /* all PEs of the QPE busy alike */
	uint64_t mac_clk;  /* clocks in which the array multiplies */
	uint64_t n_round;
	uint64_t a_word, b_word, out_word; /* SRAM words read for A and B, written for results */
};

/*
 * Prepare the rounds of a kernel (sizes 1..) on a machine for operands of 8 or
 * 16 bit. Runs a few thousand clocks of operand traffic, some 20 us: call it
 * once per kernel and machine, not per task.
 */
void mla_prepare_conv(const struct machine *machine, uint32_t kernel_w, uint32_t kernel_h, uint32_t operand_bit,
                      struct mla_conv_round *round);

/*
 * The same of a kernel whose taps lie `dilation` pixels apart (0, 1: no gaps) and which reaches over as many pixels as
 * a map can have. Operand B's registers move by one pixel from tap to tap, so the array has nothing of the next tap's
 * pixels: each tap is a row of its own, whose pixels are fetched anew from where they lie. Assumed, as no source says
 * how the MLA is to be programmed for it.
 */
void mla_prepare_dilated(const struct machine *machine, uint32_t kernel_w, uint32_t kernel_h, uint32_t dilation,
                         uint32_t operand_bit, struct mla_conv_round *round);

/*
 * Cost of a convolution task, drained output writes included; the ifmap tile is
 * at least as large as the kernel. machine and operand_bit as prepared. Closed form, tens of ns.
 */
void mla_conv_cost(const struct machine *machine, const struct mla_conv_round *round, const struct mla_conv_task *task,
                   uint32_t operand_bit, struct mla_cost *cost);

/* Its two halves, each of which leaves the other's fields as they are. The first: words and mac_clk. */
void mla_conv_words(const struct machine *machine, const struct mla_conv_round *round, const struct mla_conv_task *task,
                    struct mla_cost *cost);
/* The second: clk and shared_clk. channels: prepared for task->in_c. */
void mla_conv_clk(const struct machine *machine, const struct mla_conv_round *round,
                  const struct mla_conv_channels *channels, const struct mla_conv_task *task, struct mla_cost *cost);
void mla_prepare_channels(const struct machine *machine, const struct mla_conv_round *round, uint32_t n_channel,
                          struct mla_conv_channels *channels);

/* Clocks of SRAMs for a task: of the one that has its operand A, wherever that is, and of its own PE's for all else. */
struct mla_port_clk {
	double a, own;
};
/* cost: of the task, words included. */
struct mla_port_clk mla_conv_port_clk(const struct machine *machine, const struct mla_conv_round *round,
                                      const struct mla_cost *cost);

/* Clocks that no round of a task with these channels is below, all PEs of the QPE busy alike. */
double mla_least_round_clk(const struct mla_conv_round *round, const struct mla_conv_channels *channels);

/*
 * PE clocks that the router of a QPE takes for operand A of n_pe PEs that each fetch this at the same time, if it
 * passes router_packet packets a PE clock. Tasks take no less.
 */
double mla_router_clk(const struct mla_fetch *fetch, double n_pe, double router_packet);

/*
 * Prepare matrix multiplications of operands of 8 or 16 bit; pe_shift 0: operand A from the own SRAM, else from the PE
 * that much further in the QPE. Follows some packets through the clocks of PE and NoC, a microsecond: once per machine.
 */
void mla_prepare_matmul(const struct machine *machine, uint32_t pe_shift, uint32_t operand_bit,
                        struct mla_matmul *matmul);

/*
 * Whether no task takes longer as prepared for one machine than as prepared for the other one, which differs in nothing
 * but its NoC's clock. A faster NoC may meet the PE's clock less well.
 */
bool mla_round_serves(const struct mla_conv_round *one, const struct mla_conv_round *other);
bool mla_matmul_serves(const struct mla_matmul *one, const struct mla_matmul *other);

/* Cost of a matrix multiplication task as prepared. Closed form, tens of ns. */
void mla_prepared_cost(const struct mla_matmul *matmul, const struct mla_matmul_task *task, struct mla_cost *cost);

/* Both at once, where it is asked once. */
void mla_matmul_cost(const struct machine *machine, const struct mla_matmul_task *task, uint32_t pe_shift,
                     uint32_t operand_bit, struct mla_cost *cost);

#endif
