/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MLA_OPERAND_H
#define SIM_MLA_OPERAND_H
/*
 * What the MAC array demands of its SRAM, shared by the MLA's convolution and
 * matrix multiplication, and a stepped model of one convolution round's operand
 * traffic. The closed forms of mla.c take their few numbers from it.
 */
#include "sim/machine/machine.h"
#include "sim/base/reach.h"
#include <stdint.h>

#define B_STEP_BYTE 4    /* operand B's reads inside a kernel row: 32 bit, thesis section 2.3.2 */

/* An A packet's way in PE clocks besides the NoC's hop: MLA to router to SRAM, and back to first use. Thesis simulator,
 * re-run. */
#define A_REQUEST_CLK 2
#define A_RETURN_CLK 1
/* From the last write to the interrupt, besides mla_init_clk; re-run. */
#define DRAIN_CLK 1

struct operand_rate {
	uint32_t tap_clk;                     /* MAC clocks a tap */
	uint32_t n_b_first;                   /* SRAM reads that fill all columns */
	uint32_t n_b_ahead;                   /* pixels these bring beyond the columns */
	uint32_t n_b_step;                    /* pixels of a further read */
	double a_period_clk;                  /* from an A packet to the next, as asked for */
	double a_stream_clk;                  /* the same as the SRAM can sustain it */
	uint32_t a_request_clk, a_return_clk; /* a packet's way */
	uint32_t a_access_clk;                /* SRAM clocks of a packet */
	uint32_t access_clk;
};

/* Fill rate; operand_bit 8 or 16. */
void operand_rate(const struct machine *machine, uint32_t operand_bit, struct operand_rate *rate);

/* Packets of operand A for n_tap taps. */
uint64_t operand_n_a_packet(const struct machine *machine, uint64_t n_tap, uint32_t operand_bit);

/* Bytes of a result: 32 bit, or an operand's width after quantisation in the output stage. */
uint32_t operand_result_byte(const struct machine *machine, uint32_t operand_bit);

/* Taps of a kernel row that share the pixels of one; see mla_prepare_dilated. */
static inline uint32_t operand_run_tap(uint32_t kernel_w, uint32_t dilation)
{
	return dilation > 1 ? 1 : kernel_w;
}

/* Further B reads of a kernel row of kernel_w taps, after those that fill the columns. */
uint32_t operand_n_b_further(const struct operand_rate *rate, uint32_t kernel_w);

/* Clocks of a kernel row with a free SRAM. */
uint64_t operand_row_clk(const struct operand_rate *rate, uint32_t kernel_w);

/* From the start of an A stream to its first packet in use. */
uint32_t operand_a_first_clk(const struct operand_rate *rate);

/*
 * Step the SRAM of a PE in lock step with its neighbours: clocks from a round's
 * last MAC over n_write results to the last of the next round's n_tap taps, for
 * which n_a packets of A pass this SRAM; n_a packets must leave it time for
 * other work (a_access_clk below a_period_clk). Linear in the MAC clocks.
 */
uint64_t operand_step_round(const struct operand_rate *rate, uint32_t kernel_w, uint64_t n_tap, uint64_t n_a,
                            uint64_t n_write);

/*
 * Taps a clock while operand A streams without end, after the results of a
 * round; 0 if A alone fills the SRAM. Steps about 2300 clocks, more for slow SRAMs.
 */
double operand_tap_rate(const struct operand_rate *rate, uint32_t kernel_w, uint64_t n_write);

#endif
