/* SPDX-License-Identifier: Apache-2.0 */
/* The state of an MLA: the least clocks to its end, and its words for the comparison of states. */
#include "sim/event/event_mla.h"
#include "sim/base/checked.h"
#include <assert.h>

uint64_t event_mla_least_clk(const struct event_mla *mla, uint64_t clk)
{
	const struct event_plan *plan = &mla->plan;
	if (mla->phase == EVENT_DONE || mla->phase == EVENT_INTERRUPT)
		return clk;
	uint64_t row_tap = plan->n_block * plan->n_round_tap, n_tap = row_tap - mla->block * plan->n_round_tap;
	uint64_t first = mla->row + 1, n_full = first < plan->n_full_row ? plan->n_full_row - first : 0;
	uint64_t n_rest = plan->n_row - first - n_full, n_write = 0;
	n_tap -= mla->phase == EVENT_OUTPUT ? plan->n_round_tap : min_u64(mla->n_tap + mla->n_run, n_tap);
	n_tap += (n_full + n_rest) * row_tap;
	n_write += n_full * ((plan->n_block - 1) * plan->full_write[0] + plan->last_write[0]);
	n_write += n_rest * ((plan->n_block - 1) * plan->full_write[1] + plan->last_write[1]);
	return clk + n_tap * plan->rate.tap_clk + n_write;
}

static uint64_t after(uint64_t at_clk, uint64_t clk)
{
	return at_clk > clk ? at_clk - clk : 0;
}

void event_mla_save(const struct event_mla *mla, uint64_t clk, bool in_round, struct event_state *state)
{
	bool multiplies = mla->phase == EVENT_MULTIPLY;
	bool enough_a = in_round && mla->a_byte >= event_mla_enough_a(mla);
	event_state_add(state, (uint64_t)mla->phase << 1 | (mla->row >= mla->plan.n_full_row));
	if (mla->phase == EVENT_DONE) {
		event_state_add(state, mla->n_a_drop);
		return;
	}
	event_state_add(state, mla->block);
	event_state_add(state, in_round ? 0 : mla->n_tap);
	event_state_add(state, multiplies ? 0 : mla->phase_clk - clk);
	event_state_add(state, mla->n_run);
	/* In the past at times: how long the array has been waiting, and for what, decides how stalls count. */
	event_state_add(state, multiplies ? mla->run_clk - clk : 0);
	event_state_add(state, multiplies ? after(mla->b_clk, mla->run_clk) : 0);
	event_state_add(state, mla->tap);
	event_state_add(state, mla->n_reach);
	event_state_add(state, (uint64_t)mla->n_first << 1 | mla->b_asked);
	event_state_add(state, mla->n_a_way);
	event_state_add(state, enough_a ? UINT64_MAX : mla->a_byte);
	event_state_add(state, in_round ? mla->n_a_to_ask > 0 : mla->n_a_to_ask);
	event_state_add(state, mla->n_a_to_ask > 0 ? mla->a_next_clk - clk : 0);
	event_state_add(state, mla->n_a_to_ask > 0 ? mla->a_next_num : 0);
	/* A request's place counts from the present one within a round, at a row's beginning from the round's. Odd: 0 is none. */
	event_state_add(state, mla->a_outstanding ? 2 * ((in_round ? mla->n_tap : 0) - mla->a_ask_tap) + 1 : 0);
	event_state_add(state, mla->n_a_drop);
	event_state_add(state, after(mla->a_ask_clk, clk));
	/* Whether it is the clock in which results would leave is asked later. */
	event_state_add(state, after(mla->a_leave_clk + 1, clk));
}

uint64_t event_mla_n_tap_left(const struct event_mla *mla, const struct event_place *from)
{
	const struct event_plan *plan = &mla->plan;
	uint64_t n_tap = mla->n_tap - from->n_tap, n_ask = from->n_a_to_ask - mla->n_a_to_ask;
	if (mla->row != from->row || mla->block != from->block || mla->n_tap <= from->n_tap ||
	    mla->phase != EVENT_MULTIPLY)
		return 0;
	uint64_t n_left = (plan->n_round_tap - mla->n_tap) / n_tap;
	if (n_ask > 0)
		n_left = min_u64(n_left, mla->n_a_to_ask / n_ask);
	uint64_t enough_byte = event_mla_enough_a(mla) + n_tap * plan->tap_a_byte;
	if (mla->a_byte != from->a_byte && from->a_byte < enough_byte)
		return 0;
	if (mla->a_byte < from->a_byte)
		n_left = mla->a_byte < enough_byte
		             ? 0
		             : min_u64(n_left, (mla->a_byte - enough_byte) / (from->a_byte - mla->a_byte));
	return n_left > 2 ? n_left - 2 : 0;
}

void event_mla_skip_tap(struct event_mla *mla, const struct event_place *from, uint64_t n_period)
{
	uint64_t n_tap = n_period * (mla->n_tap - from->n_tap);
	mla->n_tap += n_tap;
	mla->a_ask_tap += n_tap;
	mla->n_a_to_ask -= n_period * (from->n_a_to_ask - mla->n_a_to_ask);
	mla->a_byte += n_period * (mla->a_byte - from->a_byte);
	assert(mla->n_tap < mla->plan.n_round_tap && mla->n_a_to_ask <= mla->plan.n_round_a);
}
