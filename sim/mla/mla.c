/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MLA timing of convolutions in closed form. A round is one block of columns of
 * an output row times one group of filters (thesis figure 2.11):
 *
 *   round      |- results of the round before -|------------ MACs -------------|
 *   A packets      |------ stream, collides with B ------|
 *   B reads                                    |-- stalled ----|-- no stalls --|
 *
 * Operand A's stream lasts as long as the array would need without stalls, so
 * it ends before the MACs do, and each channel adds the same number of clocks:
 * those of a free SRAM and those the array loses while the stream lasts. That
 * loss, and what a round's start costs, come from stepping a few rounds when a
 * kernel is prepared (mla_operand.c); a task then only counts its rounds.
 */
#include "sim/mla/mla.h"
#include "sim/mla/mla_operand.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <assert.h>

/* Rounds of at least so many taps cost the same start whatever their channels. */
#define LONG_ROUND_TAP 256

/* From a round's last operand A packet to the next round's first in a router that has no other work; thesis simulator,
 * re-run at NoC clocks of 125 to 300 MHz. */
#define A_GAP_CLK 6.0

/* Taps of a channel that are stepped at most, rounded to whole kernel rows; a kernel may have 65536 x 65536. */
#define MAX_STEP_TAP 16384

/* From a round's start to its last MAC if operand A is all that keeps it: the last packet comes and serves its tap. */
static double supply_clk(const struct mla_conv_round *round, double n_a)
{
	return round->a_first_clk + (n_a - 1) * round->rate.a_stream_clk + round->rate.tap_clk;
}

/*
 * Step rounds on the grid and keep what they take beyond their results' writes
 * and the steady clocks of their channels.
 */
static void prepare_delays(const struct machine *machine, const struct operand_rate *rate, uint32_t operand_bit,
                           struct mla_conv_round *round)
{
	/* Of a huge kernel some rows tell: its delay comes from the round's start, the rest is steady. */
	uint64_t n_step_row = round->kernel_h;
	if ((uint64_t)round->kernel_w * n_step_row > MAX_STEP_TAP)
		n_step_row = round->kernel_w < MAX_STEP_TAP ? MAX_STEP_TAP / round->kernel_w : 1;
	double stepped_frac = (double)n_step_row / round->kernel_h;
	uint64_t n_kernel_tap = round->kernel_w * n_step_row;
	uint32_t n_point = 1;
	while (n_point < MLA_N_CHANNEL_POINT && n_kernel_tap << (n_point - 1) < LONG_ROUND_TAP)
		n_point++;
	/* Operand A alone fills the SRAM: the round takes all its work, whatever the order, and there is no start. */
	round->n_channel_point = rate->a_access_clk < rate->a_period_clk ? n_point : 0;
	n_point = round->n_channel_point;

	for (uint32_t w = 0; w < MLA_N_WRITE_POINT; w++) {
		uint64_t n_write = ceil_div((uint64_t)round->n_full_write * (w + 1), MLA_N_WRITE_POINT);
		for (uint32_t c = 0; c < n_point; c++) {
			uint64_t n_tap = n_kernel_tap << c;
			uint64_t n_a = operand_n_a_packet(machine, n_tap, operand_bit);
			double clk = (double)operand_step_round(rate, round->kernel_w, n_tap, n_a, n_write);
			clk = real_max(clk, supply_clk(round, (double)n_a));
			double steady_clk = (double)(n_write * rate->access_clk) +
			                    round->shared_channel_clk * stepped_frac * (double)((uint64_t)1 << c);
			round->shared_delay_clk[w][c] = clk - steady_clk;
		}
	}
}

static void prepare_work(const struct machine *machine, const struct operand_rate *rate, uint32_t operand_bit,
                         struct mla_conv_round *round)
{
	uint64_t n_kernel_tap = (uint64_t)round->kernel_w * round->kernel_h;
	uint64_t port_word = machine->pe_sram_port_byte / SRAM_WORD_BYTE;
	uint64_t n_step_word = operand_n_b_further(rate, round->kernel_w) * (B_STEP_BYTE / SRAM_WORD_BYTE);
	round->rate = *rate;
	round->a_first_clk = operand_a_first_clk(rate);
	round->result_byte = operand_result_byte(machine, operand_bit);
	round->n_row_write =
	    (uint32_t)ceil_div((uint64_t)machine->mla_cols * round->result_byte, machine->pe_sram_port_byte);
	round->n_full_write = round->n_row_write * machine->mla_rows;
	round->channel_mac_clk = n_kernel_tap * rate->tap_clk;
	round->channel_a_byte = n_kernel_tap * machine->mla_rows * (operand_bit / 8);
	round->channel_b_word = round->kernel_h * (rate->n_b_first * port_word + n_step_word);
}

void mla_prepare_conv(const struct machine *machine, uint32_t kernel_w, uint32_t kernel_h, uint32_t operand_bit,
                      struct mla_conv_round *round)
{
	assert(kernel_w > 0 && kernel_h > 0);
	struct operand_rate rate;
	operand_rate(machine, operand_bit, &rate);
	*round = (struct mla_conv_round){.reach_w = kernel_w,
	                                 .reach_h = kernel_h,
	                                 .kernel_w = kernel_w,
	                                 .kernel_h = kernel_h,
	                                 .operand_bit = operand_bit};
	prepare_work(machine, &rate, operand_bit, round);
	double n_tap = (double)kernel_w * kernel_h, row_clk = (double)operand_row_clk(&rate, kernel_w);
	double stream_tap_clk =
	    (double)machine->mla_rows * (operand_bit / 8) / machine->noc_packet_byte * rate.a_stream_clk;
	/* The window ends inside a kernel row: a rate without stalls may come out a tap too high. */
	double tap_rate = operand_tap_rate(&rate, kernel_w, round->n_full_write);
	double lost_frac = real_max(0, 1 - tap_rate * row_clk / kernel_w);

	round->channel_clk = row_clk * kernel_h;
	round->shared_channel_clk =
	    real_max(round->channel_clk + lost_frac * stream_tap_clk * n_tap, stream_tap_clk * n_tap);
	assert(lost_frac <= 1);
	prepare_delays(machine, &rate, operand_bit, round);
}

void mla_prepare_dilated(const struct machine *machine, uint32_t kernel_w, uint32_t kernel_h, uint32_t dilation,
                         uint32_t operand_bit, struct mla_conv_round *round)
{
	uint32_t n_run_tap = operand_run_tap(kernel_w, dilation), n_run = kernel_w / n_run_tap;
	mla_prepare_conv(machine, n_run_tap, kernel_h * n_run, operand_bit, round);
	round->reach_w = kernel_reach(kernel_w, dilation);
	round->reach_h = kernel_reach(kernel_h, dilation);
}

static uint64_t n_a_packet(const struct machine *machine, const struct mla_conv_round *round, uint32_t n_channel)
{
	return ceil_div(n_channel * round->channel_a_byte, machine->noc_packet_byte);
}

void mla_prepare_channels(const struct machine *machine, const struct mla_conv_round *round, uint32_t n_channel,
                          struct mla_conv_channels *channels)
{
	assert(n_channel > 0 && round->kernel_w > 0 && round->shared_channel_clk >= round->channel_clk);
	channels->channels_clk = round->channel_clk * n_channel;
	channels->shared_channels_clk = round->shared_channel_clk * n_channel;
	channels->supply_clk = supply_clk(round, (double)n_a_packet(machine, round, n_channel));
	/* between the grid's points; the last one stands for more channels */
	uint32_t point = 0;
	while (point + 1 < round->n_channel_point && n_channel >= (uint32_t)2 << point)
		point++;
	double frac = 0;
	if (point + 1 < round->n_channel_point)
		frac = (double)n_channel / (double)((uint32_t)1 << point) - 1;
	assert(frac >= 0 && frac < 1);
	for (uint32_t w = 0; w < MLA_N_WRITE_POINT; w++) {
		const double *delay = round->shared_delay_clk[w];
		channels->start_clk[w] = delay[point];
		if (frac > 0)
			channels->start_clk[w] += frac * (delay[point + 1] - delay[point]);
	}
}

/* What a round's start costs in lock step: between the grid's points, results below the first as there. */
static double delay_clk(const struct mla_conv_round *round, const struct mla_conv_channels *channels, double n_write)
{
	double at = n_write * MLA_N_WRITE_POINT / round->n_full_write - 1;
	if (at <= 0)
		return channels->start_clk[0];
	uint32_t w = (uint32_t)at;
	double frac = at - w, clk = channels->start_clk[w];
	return frac > 0 ? clk + frac * (channels->start_clk[w + 1] - clk) : clk;
}

/*
 * Clocks from a round's last MAC to the next one's: n_write ports of results
 * go to the SRAM first, while operand A already streams. n_write 0: a task's
 * first round, which waits for its first A packet.
 */
static double free_round_clk(const struct mla_conv_round *round, const struct mla_conv_channels *channels,
                             double n_write)
{
	double clk = real_max(n_write * round->rate.access_clk, round->a_first_clk) + channels->channels_clk;
	return real_max(clk, channels->supply_clk);
}

/* The same in lock step with the neighbours; free_clk: with the SRAM free. */
static double shared_round_clk(const struct mla_conv_round *round, const struct mla_conv_channels *channels,
                               double n_write, double free_clk)
{
	assert(n_write <= round->n_full_write);
	double delay = n_write > 0 ? delay_clk(round, channels, n_write) : round->a_first_clk;
	return real_max(free_clk, n_write * round->rate.access_clk + delay + channels->shared_channels_clk);
}

double mla_least_round_clk(const struct mla_conv_round *round, const struct mla_conv_channels *channels)
{
	double start_clk = round->a_first_clk; /* a task's first one */
	for (uint32_t w = 0; w < MLA_N_WRITE_POINT; w++)
		start_clk = real_min(start_clk, channels->start_clk[w]);
	double free_clk = real_max(round->a_first_clk + channels->channels_clk, channels->supply_clk);
	return real_max(free_clk, start_clk + channels->shared_channels_clk);
}

/* The array's blocks of columns and groups of rows that a task fills, and what is left over. */
struct task_shape {
	uint64_t out_h; /* of all groups of the convolution, one below the other */
	uint32_t n_block, left_pixel, n_group, left_row;
	uint32_t n_left_write; /* ports that the results of a row of the left-over columns take */
};

static struct task_shape shape_of(const struct machine *machine, const struct mla_conv_round *round,
                                  const struct mla_conv_task *task)
{
	assert(task->in_w >= round->reach_w && task->in_h >= round->reach_h);
	assert(task->in_c > 0 && task->n_filter > 0 && task->n_group > 0);
	uint32_t out_w = task->in_w - round->reach_w + 1, n_block = out_w / machine->mla_cols;
	uint32_t n_group = task->n_filter / machine->mla_rows;
	struct task_shape shape = {
	    .out_h = (uint64_t)(task->in_h - round->reach_h + 1) * task->n_group,
	    .n_block = n_block,
	    .left_pixel = out_w - n_block * machine->mla_cols,
	    .n_group = n_group,
	    .left_row = task->n_filter - n_group * machine->mla_rows,
	};
	if (shape.left_pixel > 0)
		shape.n_left_write = (shape.left_pixel * round->result_byte + machine->pe_sram_port_byte - 1) /
		                     machine->pe_sram_port_byte;
	return shape;
}

/* Rounds of a kind: how many, and the ports of results each leaves. */
struct round_kind {
	uint64_t n_round;
	uint32_t n_write;
};

/*
 * The rounds of a task by kind: full columns and rows, left-over columns, rows,
 * both; those that do not occur are left out. The last one is the task's last
 * round. Returns how many kinds there are.
 */
static uint32_t count_rounds(const struct mla_conv_round *round, const struct task_shape *shape, uint32_t n_mla_row,
                             struct round_kind kind[4])
{
	uint64_t n_full = shape->n_block * shape->out_h, n_left = shape->left_pixel > 0 ? shape->out_h : 0;
	uint32_t n = 0;
	if (n_full > 0 && shape->n_group > 0)
		kind[n++] = (struct round_kind){n_full * shape->n_group, round->n_full_write};
	if (n_left > 0 && shape->n_group > 0)
		kind[n++] = (struct round_kind){n_left * shape->n_group, shape->n_left_write * n_mla_row};
	if (n_full > 0 && shape->left_row > 0)
		kind[n++] = (struct round_kind){n_full, round->n_row_write * shape->left_row};
	if (n_left > 0 && shape->left_row > 0)
		kind[n++] = (struct round_kind){n_left, shape->n_left_write * shape->left_row};
	assert(n > 0);
	return n;
}

void mla_conv_words(const struct machine *machine, const struct mla_conv_round *round, const struct mla_conv_task *task,
                    struct mla_cost *cost)
{
	struct task_shape shape = shape_of(machine, round, task);
	uint32_t n_block = shape.n_block + (shape.left_pixel > 0), n_group = shape.n_group + (shape.left_row > 0);
	uint64_t n_round = (uint64_t)n_block * n_group * shape.out_h, n_row = shape.out_h * task->n_filter;
	uint64_t n_write = n_row * (shape.n_block * round->n_row_write + shape.n_left_write);
	uint64_t n_a = n_a_packet(machine, round, task->in_c);
	cost->n_round = n_round;
	cost->mac_clk = n_round * task->in_c * round->channel_mac_clk;
	cost->a_word = n_round * n_a * ceil_div(machine->noc_packet_byte, SRAM_WORD_BYTE);
	cost->b_word = n_round * task->in_c * round->channel_b_word;
	cost->out_word = n_write * (machine->pe_sram_port_byte / SRAM_WORD_BYTE);
}

struct mla_port_clk mla_conv_port_clk(const struct machine *machine, const struct mla_conv_round *round,
                                      const struct mla_cost *cost)
{
	const struct operand_rate *rate = &round->rate;
	double n_channel = (double)cost->mac_clk / (double)round->channel_mac_clk;
	double n_packet = (double)cost->a_word * SRAM_WORD_BYTE / machine->noc_packet_byte;
	double n_b = n_channel * round->kernel_h * (rate->n_b_first + operand_n_b_further(rate, round->kernel_w));
	double n_write = (double)cost->out_word * SRAM_WORD_BYTE / machine->pe_sram_port_byte;
	return (struct mla_port_clk){n_packet * rate->a_access_clk, (n_b + n_write) * rate->access_clk};
}

/* The first round starts with no results to write, the last leaves its own to drain. */
void mla_conv_clk(const struct machine *machine, const struct mla_conv_round *round,
                  const struct mla_conv_channels *channels, const struct mla_conv_task *task, struct mla_cost *cost)
{
	struct task_shape shape = shape_of(machine, round, task);
	struct round_kind kind[4];
	uint32_t n_kind = count_rounds(round, &shape, machine->mla_rows, kind);
	double drain_clk = (double)kind[n_kind - 1].n_write * round->rate.access_clk;
	double first_clk = free_round_clk(round, channels, 0), clk = first_clk + drain_clk;
	double shared_clk = shared_round_clk(round, channels, 0, first_clk) + drain_clk;
	for (uint32_t i = 0; i < n_kind; i++) {
		double n = (double)(kind[i].n_round - (i + 1 == n_kind)), n_write = kind[i].n_write;
		if (n == 0)
			continue;
		double free_clk = free_round_clk(round, channels, n_write);
		clk += n * free_clk;
		shared_clk += n * shared_round_clk(round, channels, n_write, free_clk);
	}
	double fixed_clk = (double)machine->mla_init_clk + DRAIN_CLK;
	cost->clk = fixed_clk + clk;
	cost->shared_clk = fixed_clk + shared_clk;
	assert(cost->shared_clk >= cost->clk);
}

/*
 * A router that does not keep up has a queue all the time, in which request and answer of each packet stand once, but
 * for a gap when a round's last packet has come and the next round's have not been asked for; the slower it is, the
 * more of the gap other PEs' packets fill.
 */
double mla_router_clk(const struct mla_fetch *fetch, double n_pe, double router_packet)
{
	double packet_clk = 2 * n_pe / router_packet;
	double gap_clk = packet_clk > fetch->ask_clk ? A_GAP_CLK * real_min(1, router_packet) : 0;
	return fetch->n_packet * packet_clk + fetch->n_round * gap_clk;
}

/* Clocks of tasks are sums and maxima of these, between points of the grid in proportion. */
bool mla_round_serves(const struct mla_conv_round *one, const struct mla_conv_round *other)
{
	bool serves = one->n_channel_point == other->n_channel_point && one->a_first_clk <= other->a_first_clk &&
	              one->channel_clk <= other->channel_clk && one->shared_channel_clk <= other->shared_channel_clk;
	for (uint32_t w = 0; w < MLA_N_WRITE_POINT; w++)
		for (uint32_t i = 0; i < one->n_channel_point; i++)
			serves &= one->shared_delay_clk[w][i] <= other->shared_delay_clk[w][i];
	return serves;
}

void mla_conv_cost(const struct machine *machine, const struct mla_conv_round *round, const struct mla_conv_task *task,
                   uint32_t operand_bit, struct mla_cost *cost)
{
	assert(round->operand_bit == operand_bit);
	struct mla_conv_channels channels;
	mla_prepare_channels(machine, round, task->in_c, &channels);
	mla_conv_words(machine, round, task, cost);
	mla_conv_clk(machine, round, &channels, task, cost);
	assert(cost->clk >= (double)cost->mac_clk);
}
