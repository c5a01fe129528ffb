/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The array's operand traffic. The rules are those of the thesis simulator
 * (thesis sections 2.3.2 and 3.1, re-run and measured):
 *
 *   SRAM       one FIFO for operand A (own or foreign), operand B and results
 *   operand A  a packet every (packet bytes / array rows) clocks, through the
 *              router and back even from the own SRAM; whatever the MACs do
 *   operand B  full ports at the start of a kernel row, then 4 bytes a read,
 *              each asked for only when the next tap needs it
 *   results    one port width a clock, posted, after the round's last MAC
 */
#include "sim/mla/mla_operand.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>

#define RESULT_BYTE 4 /* 29-bit accumulators leave as 32 bit: thesis section 2.3.2 */

/*
 * 8-bit MAC cells are reused for a 16-bit MAC through an adder stage (DVFS
 * paper section II); how is not published. A 16 x 16 bit product is four 8 x 8
 * bit products, so we take four clocks of the same array for a tap.
 */
#define TAP_16BIT_CLK 4

/* Window of the rate measurement, times the clocks of an SRAM access: transient, then average. */
#define WARM_UP_CLK 256
#define WINDOW_CLK 2048
#define MAX_WINDOW_SCALE 8

/* PE clocks in which the mean of a hop is taken: more than the clocks of NoC and PE take to meet again. */
#define HOP_WINDOW_CLK 64
/* Against the rounding of ratios that are whole. */
#define CLOCK_SLACK 1e-9

/*
 * PE clocks from a router to where its packet goes, the mean over how the clocks of NoC and PE meet: a packet enters in
 * the NoC's next clock, takes noc.hop_clk, and is taken in a PE clock. At the default operating point, as a kernel is
 * prepared once for all of them.
 */
static double noc_hop_pe_clk(const struct machine *machine)
{
	double noc_per_clk = machine->n_level > 0 ? machine->noc_clk_mhz / machine->level[0].clk_mhz : 2, sum_clk = 0;
	for (int clk = 0; clk < HOP_WINDOW_CLK; clk++) {
		double enter = ceil(clk * noc_per_clk - CLOCK_SLACK);
		sum_clk += floor((enter + machine->noc_hop_clk) / noc_per_clk + CLOCK_SLACK) - clk;
	}
	return sum_clk / HOP_WINDOW_CLK;
}

void operand_rate(const struct machine *machine, uint32_t operand_bit, struct operand_rate *rate)
{
	assert(operand_bit == 8 || operand_bit == 16);
	assert(machine->mla_cols > 0 && machine->mla_rows > 0);
	assert(machine->pe_sram_port_byte >= B_STEP_BYTE && machine->pe_sram_access_clk > 0);
	assert(machine->noc_packet_byte > 0);

	uint32_t operand_byte = operand_bit / 8, port_byte = machine->pe_sram_port_byte;
	rate->tap_clk = operand_bit == 8 ? 1 : TAP_16BIT_CLK;
	rate->access_clk = machine->pe_sram_access_clk;
	rate->n_b_first = (uint32_t)ceil_div((uint64_t)machine->mla_cols * operand_byte, port_byte);
	rate->n_b_ahead = rate->n_b_first * port_byte / operand_byte - machine->mla_cols;
	rate->n_b_step = B_STEP_BYTE / operand_byte;
	rate->a_access_clk = (uint32_t)ceil_div(machine->noc_packet_byte, port_byte) * rate->access_clk;
	rate->a_period_clk =
	    (double)machine->noc_packet_byte * rate->tap_clk / ((double)machine->mla_rows * operand_byte);
	/* A PE receives one packet a clock (thesis simulator); arrays with very many rows wait for it. */
	if (rate->a_period_clk < 1)
		rate->a_period_clk = 1;
	double hop_clk = noc_hop_pe_clk(machine);
	rate->a_request_clk = (uint32_t)(A_REQUEST_CLK + hop_clk + 0.5);
	rate->a_return_clk = (uint32_t)(A_RETURN_CLK + hop_clk + 0.5);
	rate->a_stream_clk = rate->a_period_clk > rate->a_access_clk ? rate->a_period_clk : rate->a_access_clk;
}

uint64_t operand_n_a_packet(const struct machine *machine, uint64_t n_tap, uint32_t operand_bit)
{
	return ceil_div(n_tap * machine->mla_rows * (operand_bit / 8), machine->noc_packet_byte);
}

uint32_t operand_result_byte(const struct machine *machine, uint32_t operand_bit)
{
	return machine->mla_postprocess ? operand_bit / 8 : RESULT_BYTE;
}

uint32_t operand_n_b_further(const struct operand_rate *rate, uint32_t kernel_w)
{
	assert(kernel_w > 0);
	uint32_t n_ahead = rate->n_b_ahead;
	return kernel_w - 1 <= n_ahead ? 0 : (uint32_t)ceil_div(kernel_w - 1 - n_ahead, rate->n_b_step);
}

/* Data asked for in a tap's last clock serve the next clock, so a read of one clock costs nothing. */
uint64_t operand_row_clk(const struct operand_rate *rate, uint32_t kernel_w)
{
	uint64_t first_stall_clk = (uint64_t)rate->n_b_first * rate->access_clk - 1;
	uint64_t further_stall_clk = (uint64_t)operand_n_b_further(rate, kernel_w) * (rate->access_clk - 1);
	return (uint64_t)kernel_w * rate->tap_clk + first_stall_clk + further_stall_clk;
}

uint32_t operand_a_first_clk(const struct operand_rate *rate)
{
	return rate->a_request_clk + rate->a_access_clk + rate->a_return_clk;
}

/*
 * A PE in one clock. The SRAM's FIFO holds at most one B read; what stands
 * before and after it is kept as clocks of work, so its length has no bound.
 */
struct round_state {
	const struct operand_rate *rate;
	uint32_t kernel_w;
	uint64_t clk, n_tap;

	/* operand B within a kernel row */
	uint32_t tap;          /* next one */
	uint32_t n_reach;      /* taps the pixels at hand suffice for */
	uint32_t n_first;      /* of the reads that fill the columns */
	uint32_t tap_left_clk; /* of the tap in progress */
	bool waiting;          /* its read stands in the FIFO */

	uint64_t before_clk, after_clk; /* work in the FIFO before and after the B read */
	uint32_t b_left_clk;            /* of the B read */

	uint64_t n_a; /* packets still to come */
	double next_a_clk;
};

static void take_pixels(struct round_state *state)
{
	const struct operand_rate *rate = state->rate;
	assert(state->waiting);
	state->waiting = false;
	if (state->n_first < rate->n_b_first)
		state->n_reach = ++state->n_first == rate->n_b_first ? 1 + rate->n_b_ahead : 0;
	else
		state->n_reach += rate->n_b_step;
	state->before_clk = state->after_clk;
	state->after_clk = 0;
}

/* The array: run a tap if its operands are there, ask for the pixels the next one lacks. */
static void step_array(struct round_state *state)
{
	const struct operand_rate *rate = state->rate;
	bool can_start = state->tap < state->n_reach && state->clk >= operand_a_first_clk(rate);
	if (state->tap_left_clk == 0 && can_start)
		state->tap_left_clk = rate->tap_clk;
	if (state->tap_left_clk > 0 && --state->tap_left_clk == 0) {
		state->n_tap++;
		if (++state->tap == state->kernel_w)
			state->tap = state->n_reach = state->n_first = 0;
	}
	if (state->tap_left_clk == 0 && state->tap >= state->n_reach && !state->waiting) {
		state->waiting = true;
		state->b_left_clk = rate->access_clk;
	}
}

static void step_sram(struct round_state *state)
{
	if (state->before_clk > 0)
		state->before_clk--;
	else if (state->waiting && --state->b_left_clk == 0)
		take_pixels(state);
}

/*
 * One clock. Operand A enters the FIFO before B: the other order misses the
 * thesis simulator's clocks by 2.5 % in the mean, this one by 0.2 %.
 */
static void step_clk(struct round_state *state)
{
	if (state->n_a > 0 && (double)state->clk >= state->next_a_clk) {
		*(state->waiting ? &state->after_clk : &state->before_clk) += state->rate->a_access_clk;
		state->next_a_clk += state->rate->a_period_clk;
		state->n_a--;
	}
	step_array(state);
	step_sram(state);
	state->clk++;
}

/* Nothing but the SRAM's work changes while the array waits and no A packet comes: go there in one step. */
static void skip_wait(struct round_state *state)
{
	if (!state->waiting || state->before_clk < 2 || state->tap_left_clk > 0)
		return;
	uint64_t skip_clk = state->before_clk - 1;
	if (state->n_a > 0) {
		double until_a_clk = state->next_a_clk - (double)state->clk;
		if (until_a_clk < 1)
			return;
		skip_clk = until_a_clk < (double)skip_clk ? (uint64_t)until_a_clk : skip_clk;
	}
	state->before_clk -= skip_clk;
	state->clk += skip_clk;
}

/*
 * The state when the last result has been handed over: one port a clock keeps
 * the SRAM busy all the time, so the order of results and A packets is of no
 * account and the clocks until then need no stepping.
 */
static struct round_state round_start(const struct operand_rate *rate, uint32_t kernel_w, uint64_t n_a,
                                      uint64_t n_write)
{
	double n_period =
	    n_write > rate->a_request_clk ? (double)(n_write - rate->a_request_clk) / rate->a_period_clk : 0;
	uint64_t n_early = (uint64_t)n_period + ((double)(uint64_t)n_period < n_period);
	if (n_early > n_a)
		n_early = n_a;
	return (struct round_state){
	    .rate = rate,
	    .kernel_w = kernel_w,
	    .clk = n_write,
	    .before_clk = n_write * (rate->access_clk - 1) + n_early * rate->a_access_clk,
	    .n_a = n_a - n_early,
	    .next_a_clk = rate->a_request_clk + (double)n_early * rate->a_period_clk,
	};
}

uint64_t operand_step_round(const struct operand_rate *rate, uint32_t kernel_w, uint64_t n_tap, uint64_t n_a,
                            uint64_t n_write)
{
	assert(kernel_w > 0 && n_tap > 0);
	struct round_state state = round_start(rate, kernel_w, n_a, n_write);
	while (state.n_tap < n_tap) {
		step_clk(&state);
		skip_wait(&state);
	}
	return state.clk;
}

double operand_tap_rate(const struct operand_rate *rate, uint32_t kernel_w, uint64_t n_write)
{
	assert(kernel_w > 0);
	if (rate->a_access_clk >= rate->a_period_clk)
		return 0; /* operand A alone fills the SRAM */
	uint32_t scale = rate->access_clk < MAX_WINDOW_SCALE ? rate->access_clk : MAX_WINDOW_SCALE;
	struct round_state state = round_start(rate, kernel_w, UINT64_MAX, n_write);
	uint64_t warm_clk = state.clk + WARM_UP_CLK * scale;

	while (state.clk < warm_clk) {
		step_clk(&state);
		skip_wait(&state);
	}
	uint64_t n_warm_tap = state.n_tap, end_clk = state.clk + WINDOW_CLK * scale;
	warm_clk = state.clk;
	while (state.clk < end_clk) {
		step_clk(&state);
		skip_wait(&state);
	}
	return (double)(state.n_tap - n_warm_tap) / (double)(state.clk - warm_clk);
}
