/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MLA: a MAC array, the fetch of its two operands, and the output of results.
 * A tap takes operand A for all rows and operand B for all columns:
 *
 *   operand A   convolution: a stream, one request every few clocks from the
 *               round's start on, during the output of the round before;
 *               matmul: one packet at a time, asked for when few bytes are left
 *   operand B   a read when the pixels at hand do not suffice for the next tap,
 *               asked for in the last clock of the tap before
 *   results     after a round's last tap, one port a clock
 *
 * Between two events the array runs as many taps as its operands suffice for.
 * Rules: thesis sections 2.3.2 and 3.1. How many clocks the steps below take is
 * published nowhere: the constants are the whole clocks with which the thesis
 * simulator's PE tasks come out, one set for all kinds, arrays and SRAMs.
 */
#include "sim/event/event_qpe.h"
#include "sim/base/checked.h"
#include <assert.h>

/* From a round's start to the first request of its stream in the router. */
#define STREAM_ASK_CLK 2
/* From A running low to the request in the router or, from the own SRAM, in its FIFO. */
#define FETCH_ASK_CLK 2
/*
 * Taps from A running low to the end of a round for which a packet from another
 * PE is still kept for the next round; if fewer, it is given up with the round.
 * The re-run's rounds end on whole packets and leave 4 or 5 open; with 5 both
 * tiers take the same clocks where they do not.
 */
#define KEEP_TAP 5

/* ---- operand A ---- */

/* A is asked for ahead of need; not so in a matmul from the own SRAM, which needs no request. */
static bool streams(const struct event_mla *mla)
{
	return !mla->plan.is_matmul || (mla->plan.matmul_streams && !mla->a_is_local);
}

/* The buffer has room for another packet besides those on their way. */
static bool has_room(const struct event_qpe *qpe, const struct event_mla *mla)
{
	uint64_t buffer_byte = mla->plan.a_buffer_byte;
	return buffer_byte == 0 || mla->a_byte + (mla->n_a_way + 1) * qpe->packet_byte <= buffer_byte;
}

static void start_stream(struct event_qpe *qpe, uint32_t pe, uint64_t clk)
{
	struct event_mla *mla = &qpe->mla[pe];
	mla->n_a_to_ask = mla->plan.n_round_a;
	mla->a_next_clk = clk;
	mla->a_next_num = 0;
	event_wake(qpe, clk, pe, EVENT_MLA);
}

static void send_request(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	struct event_message request = {
	    .to = qpe->first_pe + mla->source, .from = qpe->first_pe + pe, .kind = EVENT_A_REQUEST};
	event_qpe_send(qpe, request);
	mla->count[EVENT_A_PACKET]++;
}

static void step_stream(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	const struct event_plan *plan = &mla->plan;
	uint64_t due_clk = mla->a_next_clk + (mla->a_next_num > 0);
	if (mla->n_a_to_ask == 0 || qpe->queue.clk < due_clk || !has_room(qpe, mla))
		return;
	send_request(qpe, pe);
	mla->n_a_way++;
	if (qpe->queue.clk > due_clk) { /* it had no room */
		mla->a_next_clk = qpe->queue.clk;
		mla->a_next_num = 0;
	}
	uint64_t num = mla->a_next_num + plan->a_period_num;
	mla->a_next_clk += num / plan->a_period_den;
	mla->a_next_num = num % plan->a_period_den;
	if (--mla->n_a_to_ask > 0)
		event_wake(qpe, mla->a_next_clk + (mla->a_next_num > 0), pe, EVENT_MLA);
}

void event_qpe_receive_a(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	mla->count[EVENT_A_RECEIVED]++;
	if (mla->n_a_drop > 0) {
		mla->n_a_drop--;
		return;
	}
	mla->a_byte += qpe->packet_byte;
	mla->n_a_way -= streams(mla);
	mla->a_outstanding = false;
	if (mla->n_run == 0 && mla->phase == EVENT_MULTIPLY)
		event_wake(qpe, qpe->queue.clk, pe, EVENT_MLA);
}

/* Matmul: what is due of the fetch under way. */
static void step_fetch(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	uint64_t clk = qpe->queue.clk;
	if (mla->a_ask_clk != 0 && clk >= mla->a_ask_clk) {
		mla->a_ask_clk = 0;
		if (mla->a_is_local) {
			mla->a_leave_clk = event_qpe_read_own(qpe, pe);
			mla->count[EVENT_A_PACKET]++;
		} else {
			send_request(qpe, pe);
		}
	}
}

/* Matmul: the register takes its next bytes from the buffer in the clock after a tap; what is left there counts. */
static void ask_if_low(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	uint64_t clk = qpe->queue.clk, tap_end_clk = clk + 1;
	if (mla->phase != EVENT_MULTIPLY || mla->a_outstanding || mla->a_byte > mla->plan.low_a_byte)
		return;
	mla->a_outstanding = true;
	mla->a_ask_clk = FETCH_ASK_CLK + (mla->run_clk == tap_end_clk ? tap_end_clk : clk);
	mla->a_ask_tap = mla->n_tap;
	event_wake(qpe, mla->a_ask_clk, pe, EVENT_MLA);
}

/* A round ends: what is left of its A is dropped, and what was asked for too late to be of use. */
static void drop_a(struct event_mla *mla)
{
	mla->a_byte = 0;
	if (!mla->a_outstanding)
		return;
	bool is_sent = mla->a_ask_clk == 0;
	if (is_sent && (mla->a_is_local || mla->plan.n_round_tap - mla->a_ask_tap >= KEEP_TAP))
		return;
	mla->a_outstanding = false;
	mla->a_ask_clk = 0;
	mla->n_a_drop += is_sent;
}

/* ---- operand B ---- */

static void ask_b(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	assert(!mla->b_asked);
	mla->b_asked = true;
	mla->b_clk = event_sram_read(&qpe->sram[pe], qpe->queue.clk, 1);
	mla->count[EVENT_B_WORD] += mla->n_first < mla->plan.rate.n_b_first ? qpe->sram[pe].port_word : 1;
	event_wake(qpe, mla->b_clk, pe, EVENT_MLA);
}

/* Pixels for columns that the last block does not use serve its further taps. */
static uint64_t trimmed(const struct event_mla *mla)
{
	return mla->block + 1 == mla->plan.n_block ? mla->plan.last_ahead : 0;
}

static void take_b(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	const struct operand_rate *rate = &mla->plan.rate;
	if (!mla->b_asked || qpe->queue.clk < mla->b_clk)
		return;
	mla->b_asked = false;
	if (mla->n_first < rate->n_b_first)
		mla->n_reach = ++mla->n_first == rate->n_b_first ? 1 + rate->n_b_ahead + trimmed(mla) : 0;
	else
		mla->n_reach += rate->n_b_step;
	if (mla->n_first < rate->n_b_first)
		ask_b(qpe, pe);
}

/* ---- MACs ---- */

static uint64_t n_write_port(const struct event_mla *mla)
{
	const struct event_plan *plan = &mla->plan;
	const uint64_t *n_port = mla->block + 1 == plan->n_block ? plan->last_write : plan->full_write;
	return n_port[mla->row >= plan->n_full_row];
}

static void end_round(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	const struct event_plan *plan = &mla->plan;
	uint64_t n_write = n_write_port(mla), write_clk = mla->run_clk;
	bool is_last = mla->row + 1 == plan->n_row && mla->block + 1 == plan->n_block;
	/* An own packet that leaves for the router takes the clock in which the first results would leave. */
	if (mla->a_leave_clk == write_clk)
		write_clk++;
	drop_a(mla);
	mla->phase = EVENT_OUTPUT;
	mla->tap = mla->n_reach = mla->n_tap = 0;
	mla->n_first = 0;
	event_sram_write(&qpe->sram[pe], write_clk, n_write);
	uint64_t out_clk = write_clk + n_write, ask_clk = mla->run_clk;
	if (plan->round_waits)
		ask_clk = out_clk = max_u64(out_clk, event_sram_finish(&qpe->sram[pe]));
	mla->phase_clk = out_clk + (is_last ? 0 : plan->turn_clk);
	mla->count[EVENT_OUT_CLK] += mla->phase_clk - mla->run_clk;
	mla->count[EVENT_ROUND]++;
	if (streams(mla) && !is_last)
		start_stream(qpe, pe, (plan->is_matmul ? mla->phase_clk : ask_clk) + STREAM_ASK_CLK);
	event_wake(qpe, mla->phase_clk, pe, EVENT_MLA);
}

/* Taps end; what the next one lacks of B is asked for in their last clock. */
static void end_run(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	uint64_t n = mla->n_run;
	mla->n_run = 0;
	mla->tap += n;
	mla->n_tap += n;
	assert(mla->tap <= mla->plan.kernel_w && mla->n_tap <= mla->plan.n_round_tap);
	mla->a_byte -= n * mla->plan.tap_a_byte;
	if (mla->plan.a_buffer_byte > 0 && mla->n_a_to_ask > 0)
		event_wake(qpe, max_u64(mla->a_next_clk + (mla->a_next_num > 0), qpe->queue.clk + 1), pe, EVENT_MLA);
	if (mla->n_tap == mla->plan.n_round_tap) {
		end_round(qpe, pe);
		return;
	}
	if (mla->tap == mla->plan.kernel_w) {
		mla->tap = mla->n_reach = 0;
		mla->n_first = 0;
		qpe->tap_begins |= pe == qpe->lead && mla->n_tap % mla->plan.n_period_tap == 0;
	}
	if (mla->tap == mla->n_reach)
		ask_b(qpe, pe);
}

static void start_run(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	uint64_t clk = qpe->queue.clk, tap_a_byte = mla->plan.tap_a_byte, tap_clk = mla->plan.rate.tap_clk;
	if (mla->n_run > 0 || mla->tap >= mla->n_reach || mla->a_byte < tap_a_byte)
		return;
	if (clk < mla->run_clk) {
		event_wake(qpe, mla->run_clk, pe, EVENT_MLA);
		return;
	}
	uint64_t n_b = min_u64(mla->n_reach, mla->plan.kernel_w) - mla->tap;
	uint64_t n = min_u64(n_b, mla->a_byte / tap_a_byte);
	if (mla->plan.a_buffer_byte > 0) /* each tap makes room */
		n = 1;
	if (clk > mla->run_clk) {
		uint64_t b_clk = mla->b_clk > mla->run_clk ? min_u64(mla->b_clk, clk) : mla->run_clk;
		mla->count[EVENT_B_STALL_CLK] += b_clk - mla->run_clk;
		mla->count[EVENT_A_STALL_CLK] += clk - b_clk;
	}
	mla->n_run = n;
	mla->run_clk = clk + n * tap_clk;
	mla->count[EVENT_MAC_CLK] += n * tap_clk;
	/* In its last clock the array asks for what the next tap lacks; if that is nothing, it goes on in the next. */
	uint64_t wake_clk = mla->run_clk - (n == n_b || mla->plan.is_matmul);
	if (wake_clk > clk)
		event_wake(qpe, wake_clk, pe, EVENT_MLA);
}

/* A round begins; the results of the one before have been handed over. */
static void begin_round(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	mla->phase = EVENT_MULTIPLY;
	mla->run_clk = qpe->queue.clk;
	qpe->n_round++;
	ask_b(qpe, pe);
}

static void find_lead(struct event_qpe *qpe)
{
	qpe->lead = 0;
	while (qpe->lead < qpe->n_pe && qpe->mla[qpe->lead].phase == EVENT_DONE)
		qpe->lead++;
}

/* The results are in SRAM; on a chip the host hears of it. */
static void end_task(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	const struct event_sram *sram = &qpe->sram[pe];
	uint64_t done_clk = event_sram_finish(&qpe->sram[pe]);
	mla->end_clk = qpe->base_clk + mla->phase_clk;
	mla->done_clk = qpe->base_clk + done_clk;
	/* The ARM core hears of it when the last result has been handed over and the SRAM has begun to write it. */
	mla->phase_clk = max_u64(mla->phase_clk + DRAIN_CLK, done_clk - sram->access_clk) + ARM_MESSAGE_CLK;
	mla->report_clk = qpe->base_clk + mla->phase_clk;
	mla->phase = qpe->chip ? EVENT_INTERRUPT : EVENT_DONE;
	if (mla->phase == EVENT_DONE) {
		qpe->n_running--;
		find_lead(qpe);
		return;
	}
	event_wake(qpe, mla->phase_clk, pe, EVENT_MLA);
}

static void interrupt(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	mla->phase = EVENT_DONE;
	qpe->n_running--;
	find_lead(qpe);
	event_chip_end_task(qpe, pe);
}

void event_qpe_start_task(struct event_qpe *qpe, uint32_t pe, const struct event_plan *plan, uint32_t source,
                          uint64_t start_clk)
{
	struct event_mla *mla = &qpe->mla[pe];
	assert(mla->phase == EVENT_DONE && plan->has_task && source < qpe->n_pe && mla->n_a_way == 0);
	/* What the last task asked for and no longer waits for is dropped when it comes. */
	if (mla->a_outstanding && mla->a_ask_clk == 0)
		mla->n_a_drop++;
	mla->a_outstanding = false;
	mla->a_byte = 0;
	mla->a_ask_clk = mla->a_leave_clk = 0;
	mla->plan = *plan;
	mla->source = source;
	mla->a_is_local = plan->is_matmul && source == pe;
	mla->row = mla->block = 0;
	mla->phase = EVENT_WAIT_START;
	mla->phase_clk = start_clk;
	mla->start_clk = qpe->base_clk + start_clk;
	qpe->n_running++;
	find_lead(qpe);
	event_wake(qpe, start_clk, pe, EVENT_MLA);
}

static void end_phase(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	if (mla->phase == EVENT_WAIT_START) {
		if (streams(mla))
			start_stream(qpe, pe, qpe->queue.clk + STREAM_ASK_CLK);
		begin_round(qpe, pe);
		return;
	}
	if (mla->phase == EVENT_INTERRUPT) {
		interrupt(qpe, pe);
		return;
	}
	assert(mla->phase == EVENT_OUTPUT);
	qpe->round_begins |= pe == qpe->lead;
	if (++mla->block == mla->plan.n_block) {
		mla->block = 0;
		mla->row++;
		qpe->row_begins |= pe == qpe->lead;
	}
	if (mla->row < mla->plan.n_row)
		begin_round(qpe, pe);
	else
		end_task(qpe, pe);
}

/*
 * The order within a clock: an own packet of A enters the SRAM before B is asked
 * for, and a request to another PE leaves only if its round has not ended.
 */
void event_qpe_step_mla(struct event_qpe *qpe, uint32_t pe)
{
	struct event_mla *mla = &qpe->mla[pe];
	uint64_t clk = qpe->queue.clk;
	if (mla->phase == EVENT_DONE)
		return;
	if (mla->a_is_local)
		step_fetch(qpe, pe);
	if (mla->phase != EVENT_MULTIPLY && clk >= mla->phase_clk)
		end_phase(qpe, pe);
	step_stream(qpe, pe);
	take_b(qpe, pe);
	if (mla->n_run > 0 && clk + 1 >= mla->run_clk)
		end_run(qpe, pe);
	if (mla->phase == EVENT_MULTIPLY)
		start_run(qpe, pe);
	/* A tap of one clock ends in the clock in which it starts. */
	if (mla->n_run > 0 && clk + 1 >= mla->run_clk)
		end_run(qpe, pe);
	if (!streams(mla)) {
		if (!mla->a_is_local)
			step_fetch(qpe, pe);
		ask_if_low(qpe, pe);
	}
}
