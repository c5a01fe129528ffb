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
#include "sim/mla.h"
#include "sim/mla_operand.h"
#include "sim/base/checked.h"
#include <assert.h>

/* Rounds of at least so many taps cost the same start whatever their channels. */
#define LONG_ROUND_TAP 256

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Ports that the results of n_pixel columns by n_row filters take. */
static uint64_t n_result_port(const struct machine *machine, uint64_t n_pixel, uint64_t n_row, uint32_t operand_bit)
{
	return ceil_div(n_pixel * operand_result_byte(machine, operand_bit), machine->pe_sram_port_byte) * n_row;
}

/* From a round's start to its last MAC if operand A is all that keeps it: the last packet comes and serves its tap. */
static double supply_clk(const struct operand_rate *rate, double n_a)
{
	return operand_a_first_clk(rate) + (n_a - 1) * rate->a_stream_clk + rate->tap_clk;
}

/*
 * Step rounds on the grid and keep what they take beyond their results' writes
 * and the steady clocks of their channels.
 */
static void prepare_delays(const struct machine *machine, const struct operand_rate *rate, uint32_t operand_bit,
                           struct mla_conv_round *round)
{
	uint64_t n_kernel_tap = (uint64_t)round->kernel_w * round->kernel_h;
	uint64_t n_full = n_result_port(machine, machine->mla_cols, machine->mla_rows, operand_bit);
	uint32_t n_point = 1;
	while (n_point < MLA_N_CHANNEL_POINT && n_kernel_tap << (n_point - 1) < LONG_ROUND_TAP)
		n_point++;
	/* Operand A alone fills the SRAM: the round takes all its work, whatever the order, and there is no start. */
	round->n_channel_point = rate->a_access_clk < rate->a_period_clk ? n_point : 0;
	n_point = round->n_channel_point;

	for (uint32_t w = 0; w < MLA_N_WRITE_POINT; w++) {
		uint64_t n_write = ceil_div(n_full * (w + 1), MLA_N_WRITE_POINT);
		for (uint32_t c = 0; c < n_point; c++) {
			uint64_t n_tap = n_kernel_tap << c;
			uint64_t n_a = operand_n_a_packet(machine, n_tap, operand_bit);
			double clk = (double)operand_step_round(rate, round->kernel_w, n_tap, n_a, n_write);
			clk = larger(clk, supply_clk(rate, (double)n_a));
			double steady_clk = (double)(n_write * rate->access_clk) +
			                    round->shared_channel_clk * (double)((uint64_t)1 << c);
			round->shared_delay_clk[w][c] = clk - steady_clk;
		}
	}
}

void mla_prepare_conv(const struct machine *machine, uint32_t kernel_w, uint32_t kernel_h, uint32_t operand_bit,
                      struct mla_conv_round *round)
{
	assert(kernel_w > 0 && kernel_h > 0);
	struct operand_rate rate;
	operand_rate(machine, operand_bit, &rate);
	uint64_t n_write = n_result_port(machine, machine->mla_cols, machine->mla_rows, operand_bit);
	double n_tap = (double)kernel_w * kernel_h, row_clk = (double)operand_row_clk(&rate, kernel_w);
	double stream_tap_clk =
	    (double)machine->mla_rows * (operand_bit / 8) / machine->noc_packet_byte * rate.a_stream_clk;
	/* The window ends inside a kernel row: a rate without stalls may come out a tap too high. */
	double lost_frac = larger(0, 1 - operand_tap_rate(&rate, kernel_w, n_write) * row_clk / kernel_w);

	*round = (struct mla_conv_round){.kernel_w = kernel_w, .kernel_h = kernel_h};
	round->channel_clk = row_clk * kernel_h;
	round->shared_channel_clk =
	    larger(round->channel_clk + lost_frac * stream_tap_clk * n_tap, stream_tap_clk * n_tap);
	assert(lost_frac <= 1);
	prepare_delays(machine, &rate, operand_bit, round);
	if (round->n_channel_point > 0)
		round->shared_start_clk =
		    larger(0, round->shared_delay_clk[MLA_N_WRITE_POINT - 1][round->n_channel_point - 1]);
}

double mla_round_clk(const struct mla_conv_round *round, uint32_t n_channel, bool shared)
{
	assert(round->kernel_w > 0);
	return shared ? round->shared_start_clk + round->shared_channel_clk * n_channel
	              : round->start_clk + round->channel_clk * n_channel;
}

/* What the rounds of a task have in common. */
struct task_round {
	const struct mla_conv_round *round;
	double access_clk, a_first_clk, supply_clk;
	double n_full_write; /* ports of a full block's results */
	uint32_t point;      /* of the channels on the grid ... */
	double point_frac;   /* ... and the way to the next one */
	double n_channel;
};

static void prepare_task(const struct operand_rate *rate, const struct mla_conv_round *round, uint32_t n_channel,
                         double n_a, double n_full_write, struct task_round *task)
{
	task->round = round;
	task->n_channel = n_channel;
	task->access_clk = rate->access_clk;
	task->point = 0;
	task->point_frac = 0;
	task->a_first_clk = operand_a_first_clk(rate);
	task->supply_clk = supply_clk(rate, n_a);
	task->n_full_write = n_full_write;
	while (task->point + 1 < round->n_channel_point && n_channel >= (uint32_t)2 << task->point)
		task->point++;
	if (task->point + 1 < round->n_channel_point)
		task->point_frac = (double)n_channel / (double)((uint32_t)1 << task->point) - 1;
	assert(task->point_frac >= 0 && task->point_frac < 1);
}

/* The grid's value for the task's channels and its write point w. */
static double grid_clk(const struct task_round *task, uint32_t w)
{
	assert(w < MLA_N_WRITE_POINT);
	const double *delay = task->round->shared_delay_clk[w];
	double clk = delay[task->point];
	return task->point_frac > 0 ? clk + task->point_frac * (delay[task->point + 1] - clk) : clk;
}

/* What a round's start costs in lock step: between the grid's points, results below the first as there. */
static double delay_clk(const struct task_round *task, double n_write)
{
	double at = n_write * MLA_N_WRITE_POINT / task->n_full_write - 1;
	uint32_t w = at > 0 ? (uint32_t)at : 0;
	double frac = at > 0 ? at - w : 0, clk = grid_clk(task, w);
	return frac > 0 ? clk + frac * (grid_clk(task, w + 1) - clk) : clk;
}

/*
 * Clocks from a round's last MAC to the next one's: n_write ports of results
 * go to the SRAM first, while operand A already streams. n_write 0: a task's
 * first round, which waits for its first A packet.
 */
static double round_clk(const struct task_round *task, double n_write, bool shared)
{
	double write_clk = n_write * task->access_clk;
	double free_clk = larger(write_clk, task->a_first_clk) + task->round->channel_clk * task->n_channel;
	free_clk = larger(free_clk, task->supply_clk);
	if (!shared)
		return free_clk;
	assert(n_write <= task->n_full_write);
	double delay = n_write > 0 ? delay_clk(task, n_write) : task->a_first_clk;
	return larger(free_clk, write_clk + delay + task->round->shared_channel_clk * task->n_channel);
}

/* Rounds of a kind: how many, and the ports of results each leaves. */
struct round_kind {
	uint64_t n_round, n_write;
};

/*
 * The rounds of a task by kind: full columns and rows, left-over columns, rows,
 * both; those that do not occur are left out. The last one is the task's last round.
 */
struct round_table {
	uint32_t n_kind;
	struct round_kind kind[4];
};

static void add_kind(struct round_table *table, uint64_t n_round, uint64_t n_write)
{
	assert(table->n_kind < 4);
	if (n_round > 0)
		table->kind[table->n_kind++] = (struct round_kind){.n_round = n_round, .n_write = n_write};
}

static void count_rounds(const struct machine *machine, const struct mla_conv_task *task, uint32_t out_w,
                         uint32_t out_h, uint32_t operand_bit, struct round_table *table)
{
	uint32_t n_block = out_w / machine->mla_cols, left_pixel = out_w % machine->mla_cols;
	uint32_t n_group = task->n_filter / machine->mla_rows, left_row = task->n_filter % machine->mla_rows;
	uint64_t full_port = n_result_port(machine, machine->mla_cols, 1, operand_bit);
	uint64_t left_port = left_pixel > 0 ? n_result_port(machine, left_pixel, 1, operand_bit) : 0;
	uint64_t n_full = (uint64_t)n_block * out_h, n_left = left_pixel > 0 ? out_h : 0;

	table->n_kind = 0;
	add_kind(table, n_full * n_group, full_port * machine->mla_rows);
	add_kind(table, n_left * n_group, left_port * machine->mla_rows);
	if (left_row > 0) {
		add_kind(table, n_full, full_port * left_row);
		add_kind(table, n_left, left_port * left_row);
	}
	assert(table->n_kind > 0);
}

/* Clocks of all rounds: the first starts with no results to write, the last leaves its own to drain. */
static double rounds_clk(const struct task_round *task, const struct round_table *table, bool shared)
{
	const struct round_kind *last = &table->kind[table->n_kind - 1];
	double last_write = (double)last->n_write, clk = round_clk(task, 0, shared) + last_write * task->access_clk;

	for (uint32_t i = 0; i < table->n_kind; i++) {
		const struct round_kind *kind = &table->kind[i];
		double n = (double)(kind->n_round - (kind == last));
		if (n > 0)
			clk += n * round_clk(task, (double)kind->n_write, shared);
	}
	return clk;
}

static void count_conv_words(const struct machine *machine, const struct operand_rate *rate,
                             const struct mla_conv_round *round, const struct round_table *table, uint64_t n_channel,
                             uint64_t n_a, struct mla_cost *cost)
{
	uint64_t n_round = 0, n_write = 0;
	for (uint32_t i = 0; i < table->n_kind; i++) {
		n_round += table->kind[i].n_round;
		n_write += table->kind[i].n_round * table->kind[i].n_write;
	}
	uint64_t port_word = machine->pe_sram_port_byte / SRAM_WORD_BYTE;
	uint64_t n_step_word = operand_n_b_further(rate, round->kernel_w) * (B_STEP_BYTE / SRAM_WORD_BYTE);
	uint64_t row_word = rate->n_b_first * port_word + n_step_word;
	cost->mac_clk = n_round * n_channel * round->kernel_w * round->kernel_h * rate->tap_clk;
	cost->a_word = n_round * n_a * ceil_div(machine->noc_packet_byte, SRAM_WORD_BYTE);
	cost->b_word = n_round * n_channel * round->kernel_h * row_word;
	cost->out_word = n_write * port_word;
}

void mla_conv_cost(const struct machine *machine, const struct mla_conv_round *round, const struct mla_conv_task *task,
                   uint32_t operand_bit, struct mla_cost *cost)
{
	assert(task->in_w >= round->kernel_w && task->in_h >= round->kernel_h);
	assert(task->in_c > 0 && task->n_filter > 0);
	assert(round->kernel_w > 0 && round->shared_channel_clk >= round->channel_clk);
	struct operand_rate rate;
	operand_rate(machine, operand_bit, &rate);
	uint32_t out_w = task->in_w - round->kernel_w + 1, out_h = task->in_h - round->kernel_h + 1;
	struct round_table table;
	count_rounds(machine, task, out_w, out_h, operand_bit, &table);
	uint64_t n_tap = (uint64_t)round->kernel_w * round->kernel_h * task->in_c;
	uint64_t n_a = operand_n_a_packet(machine, n_tap, operand_bit);

	double n_full_write = (double)n_result_port(machine, machine->mla_cols, machine->mla_rows, operand_bit);
	struct task_round rounds;
	prepare_task(&rate, round, task->in_c, (double)n_a, n_full_write, &rounds);

	double fixed_clk = (double)machine->mla_init_clk + DRAIN_CLK;
	cost->clk = fixed_clk + rounds_clk(&rounds, &table, false);
	cost->shared_clk = fixed_clk + rounds_clk(&rounds, &table, true);
	count_conv_words(machine, &rate, round, &table, task->in_c, n_a, cost);
	assert(cost->shared_clk >= cost->clk);
	assert(cost->clk >= (double)cost->mac_clk);
}
