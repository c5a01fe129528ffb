/* SPDX-License-Identifier: Apache-2.0 */
/* What an MLA has to do for a task: its rounds, and what each of them moves. */
#include "sim/event/event_plan.h"
#include "sim/base/checked.h"
#include <assert.h>

/* A is asked for when its buffer holds at most so many bytes: thesis simulator, re-run; here at least two taps' worth.
 */
#define A_LOW_BYTE 8

enum err_code event_plan_check(const struct mla_shape *task, unsigned pe, struct err *err)
{
	const struct mla_conv_task *conv = &task->conv;
	const struct mla_matmul_task *matmul = &task->matmul;
	if (task->kind == MLA_IDLE)
		return ERR_OK;
	if (task->operand_bit != 8 && task->operand_bit != 16)
		return err_add(err, ERR_INPUT, "PE %u: operands of %u bits, allowed 8 and 16", pe, task->operand_bit);
	if (task->kind == MLA_MATMUL && (matmul->a_w == 0 || matmul->a_h == 0 || matmul->b_w == 0))
		return err_add(err, ERR_INPUT, "PE %u: a matrix of no rows or columns", pe);
	if (task->kind == MLA_MATMUL)
		return ERR_OK;
	if (task->kernel_w == 0 || task->kernel_h == 0 || conv->in_c == 0 || conv->n_filter == 0 || conv->n_group == 0)
		return err_add(err, ERR_INPUT, "PE %u: a convolution without kernel, channels, filters or group", pe);
	uint32_t reach_w = kernel_reach(task->kernel_w, task->dilation);
	uint32_t reach_h = kernel_reach(task->kernel_h, task->dilation);
	if (conv->in_w < reach_w || conv->in_h < reach_h)
		return err_add(err, ERR_INPUT, "PE %u: an ifmap of %ux%u is smaller than the kernel of %ux%u", pe,
		               conv->in_w, conv->in_h, reach_w, reach_h);
	return ERR_OK;
}

/* Bytes of a result as it leaves the array. */
static uint64_t result_byte_of(const struct machine *machine, const struct mla_shape *task)
{
	return task->is_partial ? SRAM_WORD_BYTE : operand_result_byte(machine, task->operand_bit);
}

static void plan_conv(const struct machine *machine, const struct mla_shape *task, uint64_t port_byte,
                      struct event_plan *plan)
{
	const struct mla_conv_task *conv = &task->conv;
	uint64_t result_byte = result_byte_of(machine, task);
	uint64_t out_w = conv->in_w - kernel_reach(task->kernel_w, task->dilation) + 1;
	/* groups of the convolution lie one below the other; those of all with few filters come last */
	uint64_t out_h = (uint64_t)(conv->in_h - kernel_reach(task->kernel_h, task->dilation) + 1) * conv->n_group;
	uint64_t left_pixel = out_w % machine->mla_cols, left_row = conv->n_filter % machine->mla_rows;
	uint64_t last_pixel = left_pixel > 0 ? left_pixel : machine->mla_cols;
	uint64_t full_port = ceil_div(machine->mla_cols * result_byte, port_byte);
	uint64_t last_port = ceil_div(last_pixel * result_byte, port_byte);
	plan->kernel_w = operand_run_tap(task->kernel_w, task->dilation);
	plan->n_round_tap = (uint64_t)task->kernel_w * task->kernel_h * conv->in_c;
	plan->n_block = ceil_div(out_w, machine->mla_cols);
	plan->n_full_row = out_h * (conv->n_filter / machine->mla_rows);
	plan->n_row = plan->n_full_row + (left_row > 0 ? out_h : 0);
	plan->full_write[0] = full_port * machine->mla_rows;
	plan->full_write[1] = full_port * left_row;
	plan->last_ahead = machine->mla_trim_b ? machine->mla_cols - last_pixel : 0;
	plan->last_write[0] = last_port * machine->mla_rows;
	plan->last_write[1] = last_port * left_row;
}

/* B's rows are stored in whole ports (thesis equation 2.6), and the array runs over the padding. */
static void plan_matmul(const struct machine *machine, const struct mla_shape *task, uint64_t port_byte,
                        struct event_plan *plan)
{
	const struct mla_matmul_task *matmul = &task->matmul;
	uint64_t b_w = align_up(matmul->b_w, port_byte / (task->operand_bit / 8));
	uint64_t row_byte = (uint64_t)machine->mla_cols * result_byte_of(machine, task);
	plan->is_matmul = true;
	plan->kernel_w = 1;
	plan->n_round_tap = matmul->a_w;
	plan->n_block = 1;
	plan->n_row = ceil_div(matmul->a_h, machine->mla_rows) * ceil_div(b_w, machine->mla_cols);
	plan->n_full_row = plan->n_row;
	plan->full_write[0] = ceil_div(row_byte, port_byte) * machine->mla_rows;
	plan->last_write[0] = plan->full_write[0];
	/* As in the closed form (mla_matmul.c), from the register behind the buffer, which holds one more tap. */
	plan->low_a_byte = plan->tap_a_byte + (2 * plan->tap_a_byte > A_LOW_BYTE ? 2 * plan->tap_a_byte : A_LOW_BYTE);
}

/* How the prototype's machine file differs from the thesis simulator. */
static void plan_rounds(const struct machine *machine, struct event_plan *plan)
{
	uint64_t packet_byte = machine->noc_packet_byte, tap_byte = plan->tap_a_byte;
	plan->round_waits = machine->mla_round_waits;
	plan->matmul_streams = machine->mla_matmul_stream;
	plan->turn_clk = machine->mla_turn_clk;
	plan->a_buffer_byte = machine->mla_a_buffer_packet * packet_byte;
	/* Less than a tap may be left over when it asks for the next packet. */
	if (plan->a_buffer_byte > 0 && packet_byte % tap_byte != 0 && plan->a_buffer_byte < tap_byte + packet_byte)
		plan->a_buffer_byte = tap_byte + packet_byte;
}

void event_plan_task(const struct machine *machine, const struct mla_shape *task, struct event_plan *plan)
{
	*plan = (struct event_plan){0};
	if (task->kind == MLA_IDLE)
		return;
	plan->has_task = true;
	operand_rate(machine, task->operand_bit, &plan->rate);
	plan->tap_a_byte = (uint64_t)machine->mla_rows * (task->operand_bit / 8);
	plan->a_period_num = (uint64_t)machine->noc_packet_byte * plan->rate.tap_clk;
	plan->a_period_den = plan->tap_a_byte;
	/* A PE sends at most one request a clock. */
	if (plan->a_period_num < plan->a_period_den)
		plan->a_period_num = plan->a_period_den;
	if (task->kind == MLA_CONV)
		plan_conv(machine, task, machine->pe_sram_port_byte, plan);
	else
		plan_matmul(machine, task, machine->pe_sram_port_byte, plan);
	uint64_t n_packet_tap = machine->noc_packet_byte / plan->tap_a_byte;
	plan->n_period_tap = plan->kernel_w * (n_packet_tap > 0 ? n_packet_tap : 1);
	plan_rounds(machine, plan);
	plan->n_round_a = operand_n_a_packet(machine, plan->n_round_tap, task->operand_bit);
	assert(plan->n_row > 0 && plan->n_round_tap > 0);
}
