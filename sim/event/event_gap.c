/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two looks, a common period of all clock domains apart. Units that did not run between them rest: nothing about them
 * changes until their next event, and no skip goes beyond it. The others must be in the same state at both looks, but
 * for what they count down; then they do the same again until one of these counts is at its end:
 *
 *   look        look          next event of a unit that rests, or the last packets of an operation
 *    |--period---|--period---|--period---|--  |
 *    a           a           skip whole periods   simulate
 *
 * Moved are the units that ran: their clocks all grow by what was skipped. Nothing may have come from the host or gone
 * to it in between, so that operations under way are the same all the time.
 */
#include "sim/event/event_gap.h"
#include "sim/event/event_leftover.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <string.h>

#define MIN_PERIOD_CLK 16 /* a shorter one is found as a multiple */
#define MAX_PERIOD_CLK 192
#define FIRST_WAIT_CLK 16 /* from a message of the host to the first look, while its streams fill the ways */
#define LAST_WAIT_CLK 512
#define MAX_RUNNING 8 /* with more tasks at work they hardly ever step together */

static uint64_t lcm(uint64_t a, uint64_t b)
{
	return mul_sat(a / common_divisor(a, b), b);
}

/* PE clocks after which NoC and DRAM are where they were, relative to the PEs. */
static uint64_t phase_of(const struct event_chip *chip)
{
	uint64_t pe_khz = chip->pe_khz, clk = pe_khz / common_divisor(pe_khz, chip->noc_khz);
	for (uint32_t i = 0; i < chip->mesh.n_dram; i++)
		clk = lcm(clk, pe_khz / common_divisor(pe_khz, chip->dram[i].tick_khz));
	return clk;
}

static void init_state(struct event_chip *chip, struct gap_state *state, size_t n_count)
{
	struct arena *memory = &chip->memory;
	state->unit = arena_array(memory, chip->queue.n_unit, sizeof(*state->unit));
	state->word = arena_array(memory, GAP_N_WORD, sizeof(*state->word));
	state->count = arena_array(memory, n_count, sizeof(*state->count));
	state->count_down = arena_array(memory, GAP_N_COUNT_DOWN, sizeof(*state->count_down));
	state->place = arena_array(memory, chip->n_pe, sizeof(*state->place));
}

void event_gap_init(struct event_chip *chip)
{
	struct event_gap *gap = arena_array(&chip->memory, 1, sizeof(*gap));
	if (!gap)
		return;
	gap->phase_clk = phase_of(chip);
	gap->n_count = event_leftover_n_count(chip);
	gap->wait_clk = gap->look_clk = FIRST_WAIT_CLK;
	init_state(chip, &gap->state[0], gap->n_count);
	init_state(chip, &gap->state[1], gap->n_count);
	if (!chip->memory.is_out && gap->phase_clk <= MAX_PERIOD_CLK)
		chip->gap = gap;
}

/* ---- the same ---- */

static bool has_run(const struct event_chip *chip, uint32_t unit)
{
	return chip->gap->state[0].unit[unit].n_run != chip->n_run[unit];
}

static bool unit_is_same(struct event_chip *chip, uint64_t clk, uint32_t unit)
{
	struct event_gap *gap = chip->gap;
	if (!has_run(chip, unit))
		return event_gap_unit_rests(chip, unit, &gap->state[0].unit[unit]);
	return unit < chip->mesh.n_qpe + chip->mesh.n_dram &&
	       event_gap_unit_is_at(chip, clk, unit, &gap->state[0], &gap->state[1]);
}

/* Where all units are in the same state, what counted down then does so still. */
static bool count_down(struct event_gap *gap)
{
	const struct gap_state *a = &gap->state[0];
	struct gap_state *b = &gap->state[1];
	b->n_count_down = a->n_count_down;
	for (size_t i = 0; i < a->n_count_down; i++) {
		b->count_down[i] = (struct gap_count){a->count_down[i].field, *a->count_down[i].field};
		if (a->count_down[i].value < b->count_down[i].value)
			return false;
	}
	return true;
}

/*
 * Nearly always it is no period. DRAMs tell that soonest, as their periods are long and the first words of their state
 * show them; then the unit that told it the last time.
 */
static bool is_same(struct event_chip *chip, uint64_t clk)
{
	struct event_gap *gap = chip->gap;
	uint32_t n_qpe = chip->mesh.n_qpe, n_unit = chip->queue.n_unit;
	for (uint32_t i = 0; i < chip->mesh.n_dram; i++)
		if (!unit_is_same(chip, clk, event_chip_dram_unit(chip, i)))
			return false;
	if (!unit_is_same(chip, clk, gap->suspect))
		return false;
	for (uint32_t i = n_qpe + chip->mesh.n_dram; i < n_unit; i++)
		if (!unit_is_same(chip, clk, i))
			return false;
	for (uint32_t i = 0; i < n_qpe; i++) {
		if (!unit_is_same(chip, clk, i)) {
			gap->suspect = i;
			return false;
		}
	}
	gap->state[1].clk = clk;
	return count_down(gap);
}

/* ---- how far ---- */

/* Periods until a unit that rests has its next event, or a task of one that does not comes to the end of a round. */
static uint64_t n_unit_left(const struct event_chip *chip, uint32_t unit)
{
	const struct event_gap *gap = chip->gap;
	const struct event_qpe *qpe = &chip->qpe[unit];
	uint64_t n_left = UINT64_MAX, wake_clk = chip->wake_clk[unit];
	if (!has_run(chip, unit))
		return wake_clk == UINT64_MAX ? UINT64_MAX : (wake_clk - gap->state[1].clk) / gap->period_clk;
	for (uint32_t i = 0; unit < chip->mesh.n_qpe && i < qpe->n_pe; i++)
		if (qpe->mla[i].phase != EVENT_DONE)
			n_left = min_u64(n_left,
			                 event_mla_n_tap_left(&qpe->mla[i], &gap->state[0].place[qpe->first_pe + i]));
	return n_left;
}

static uint64_t n_period_left(const struct event_chip *chip)
{
	const struct event_gap *gap = chip->gap;
	const struct gap_state *a = &gap->state[0], *b = &gap->state[1];
	uint64_t n_left = b->clk > chip->max_clk ? 0 : (chip->max_clk - b->clk) / gap->period_clk;
	for (size_t i = 0; i < b->n_count_down && n_left > 0; i++) {
		uint32_t n = a->count_down[i].value - b->count_down[i].value, value = b->count_down[i].value;
		n_left = n == 0 ? n_left : min_u64(n_left, value > 0 ? (value - 1) / n : 0);
	}
	for (uint32_t i = 0; i < chip->queue.n_unit && n_left > 0; i++)
		n_left = min_u64(n_left, n_unit_left(chip, i));
	return n_left;
}

/* ---- skip ---- */

static void skip_counts(struct event_chip *chip, uint64_t n_period)
{
	const struct event_gap *gap = chip->gap;
	const struct gap_state *a = &gap->state[0], *b = &gap->state[1];
	uint64_t *count = b->count;
	for (size_t i = 0; i < b->n_count_down; i++)
		*b->count_down[i].field -= (uint32_t)n_period * (a->count_down[i].value - b->count_down[i].value);
	event_leftover_save_count(chip, count);
	for (size_t i = 0; i < gap->n_count; i++)
		count[i] = n_period * (count[i] - a->count[i]);
	event_leftover_add_count(chip, count, false);
}

static void skip(struct event_chip *chip, uint64_t n_period)
{
	struct event_gap *gap = chip->gap;
	uint64_t skip_clk = n_period * gap->period_clk, clk = gap->state[1].clk + skip_clk;
	skip_counts(chip, n_period);
	for (uint32_t i = 0; i < chip->queue.n_unit; i++) {
		if (!has_run(chip, i))
			continue;
		event_gap_move(chip, i, skip_clk);
		/* What it keeps lies before the skip: differences to it would count what was skipped. */
		if (i < chip->mesh.n_qpe && chip->replay[i])
			event_replay_reset(chip->replay[i]);
		chip->wake_clk[i] += chip->wake_clk[i] == UINT64_MAX ? 0 : skip_clk;
		for (uint32_t k = 0; i < chip->mesh.n_qpe && k < chip->qpe[i].n_pe; k++)
			if (chip->qpe[i].mla[k].phase != EVENT_DONE)
				event_mla_skip_tap(&chip->qpe[i].mla[k],
				                   &gap->state[0].place[chip->qpe[i].first_pe + k], n_period);
	}
	event_queue_reset(&chip->queue, clk);
	for (uint32_t i = 0; i < chip->queue.n_unit; i++)
		if (chip->wake_clk[i] != UINT64_MAX)
			event_queue_wake(&chip->queue, chip->wake_clk[i], i);
}

/* ---- look ---- */

static bool is_worth_it(const struct event_chip *chip)
{
	uint32_t n_running = 0;
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++)
		n_running += chip->qpe[i].n_running;
	return n_running <= MAX_RUNNING;
}

/* The next look: soon after the host has said or heard something, ever later while nothing comes of it. */
static void wait(const struct event_chip *chip, uint64_t clk)
{
	struct event_gap *gap = chip->gap;
	if (gap->last_change != chip->n_change)
		gap->wait_clk = FIRST_WAIT_CLK;
	gap->last_change = chip->n_change;
	gap->has_first = false;
	gap->look_clk = clk + gap->wait_clk;
	gap->wait_clk = min_u64(2 * gap->wait_clk, LAST_WAIT_CLK);
}

/* It grows with each packet that is read or written. */
static uint64_t busy_tick(const struct event_chip *chip)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < chip->mesh.n_dram; i++)
		n += chip->dram[i].busy_tick;
	return n;
}

static void look_first(struct event_chip *chip, uint64_t clk)
{
	struct event_gap *gap = chip->gap;
	struct gap_state *state = &gap->state[0];
	if (!is_worth_it(chip) || !event_gap_save(chip, clk, state)) {
		wait(chip, clk);
		return;
	}
	event_leftover_save_count(chip, state->count);
	state->busy_tick = busy_tick(chip);
	gap->has_first = true;
	gap->period_clk = align_up(MIN_PERIOD_CLK, gap->phase_clk);
	gap->look_clk = clk + gap->period_clk;
}

bool event_gap_look(struct event_chip *chip, uint64_t clk)
{
	struct event_gap *gap = chip->gap;
	struct gap_state *first = &gap->state[0], *now = &gap->state[1];
	if (!gap->has_first) {
		look_first(chip, clk);
		return false;
	}
	uint64_t n_period = 0;
	now->busy_tick = busy_tick(chip);
	bool goes_on = chip->n_change == first->n_change && now->busy_tick == first->busy_tick;
	/* Of clocks without an event the next one's state is theirs, too. */
	while (goes_on && gap->look_clk <= clk && n_period == 0) {
		bool same = is_same(chip, gap->look_clk);
		n_period = same ? n_period_left(chip) : 0;
		/* Of a longer period there would be even fewer left. */
		goes_on = !same && gap->period_clk + gap->phase_clk <= MAX_PERIOD_CLK;
		if (n_period == 0) {
			gap->period_clk += gap->phase_clk;
			gap->look_clk += gap->phase_clk;
		}
	}
	if (n_period > 0) {
		skip(chip, n_period);
		gap->wait_clk = FIRST_WAIT_CLK;
	}
	if (n_period > 0 || !goes_on)
		wait(chip, n_period > 0 ? chip->queue.clk : clk);
	return n_period > 0;
}

void event_gap_reset(struct event_chip *chip, uint64_t clk)
{
	struct event_gap *gap = chip->gap;
	if (!gap)
		return;
	gap->has_first = false;
	gap->last_change = chip->n_change;
	gap->wait_clk = FIRST_WAIT_CLK;
	gap->look_clk = clk + gap->wait_clk;
}
