/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a chip's units as words, relative to a clock. What streams count down is left out of the words and told
 * apart (struct gap_count); so is where an MLA is within its round (struct event_place).
 */
#include "sim/event/event_gap.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <string.h>

#define MAX_MESSAGE 128 /* more are no stream but a jam */

/* A state on its way into words, or compared with some that were kept: then it ends with the first that is another. */
struct saving {
	struct event_chip *chip;
	struct gap_state *gap;
	struct event_state state;
	const uint64_t *then; /* [state.n_max] NULL: nothing is compared */
	size_t n_same;        /* words already compared */
	bool stops;           /* too much moves, or the state is another */
};

static bool stops(struct saving *saving)
{
	const struct event_state *state = &saving->state;
	if (!saving->then || saving->stops)
		return saving->stops;
	saving->stops =
	    state->n_word > state->n_max || memcmp(state->word + saving->n_same, saving->then + saving->n_same,
	                                           (state->n_word - saving->n_same) * sizeof(*state->word)) != 0;
	saving->n_same = state->n_word;
	return saving->stops;
}

static uint64_t after(uint64_t at_clk, uint64_t clk)
{
	return at_clk > clk ? at_clk - clk : 0;
}

/* Equal states count the same fields down. */
static void count_down(struct saving *saving, uint32_t *field)
{
	struct gap_state *gap = saving->gap;
	if (saving->then)
		return;
	for (size_t i = 0; i < gap->n_count_down; i++)
		if (gap->count_down[i].field == field)
			return;
	if (gap->n_count_down == GAP_N_COUNT_DOWN) {
		saving->stops = true;
		return;
	}
	gap->count_down[gap->n_count_down++] = (struct gap_count){field, *field};
}

static void save_fifo(struct saving *saving, struct event_fifo *fifo, uint64_t clk)
{
	uint32_t last_op = UINT32_MAX;
	if (stops(saving))
		return;
	event_fifo_save(fifo, clk, &saving->state);
	for (size_t i = fifo->head; i < fifo->tail; i++) {
		const struct event_message *message = &fifo->message[i & (fifo->n_alloc - 1)];
		if (message->kind == EVENT_DATA && message->from != last_op)
			count_down(saving, &saving->chip->live[message->from].n_left);
		last_op = message->kind == EVENT_DATA ? message->from : UINT32_MAX;
	}
}

static void save_queue(struct saving *saving, const struct event_queue *queue, uint64_t clk)
{
	struct event_state *state = &saving->state;
	if (stops(saving) || event_queue_peek(queue) == UINT64_MAX)
		return;
	event_state_add(state, queue->clk - clk);
	if (state->n_word >= state->n_max)
		return;
	state->n_word += event_queue_save(queue, state->word + state->n_word, state->n_max - state->n_word);
}

static void save_pe(struct saving *saving, struct event_qpe *qpe, uint32_t pe, uint64_t clk)
{
	struct event_dma *dma = &qpe->dma[pe];
	if (stops(saving))
		return;
	event_sram_save(&qpe->sram[pe], clk, &saving->state);
	save_fifo(saving, &qpe->noc.port[pe], clk);
	save_fifo(saving, &qpe->sram[pe].answer, clk);
	save_fifo(saving, &dma->command, clk);
	event_state_add(&saving->state, after(dma->command_clk, clk));
	event_state_add(&saving->state, dma->n_left > 0 ? (uint64_t)dma->packet.from << 1 | 1 : 0);
	if (dma->n_left > 0) {
		count_down(saving, &dma->n_left);
		count_down(saving, &saving->chip->live[dma->packet.from].n_left);
	}
}

/* What tells soonest that a state is another comes first. */
static void save_qpe(struct saving *saving, struct event_qpe *qpe)
{
	const struct event_chip *chip = saving->chip;
	uint64_t gap_clk = saving->gap->clk - qpe->base_clk, clk = gap_clk;
	uint64_t noc_clk = ceil_div(saving->gap->clk * chip->noc_khz, chip->pe_khz);
	/* One that rests is where it stopped: what lies between then and now is still to come. */
	if (chip->rest[qpe->index].rests)
		clk = qpe->queue.clk;
	event_state_add(&saving->state, gap_clk - clk);
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		event_mla_save(&qpe->mla[i], clk, true, &saving->state);
		if (!saving->then)
			saving->gap->place[qpe->first_pe + i] = event_mla_place(&qpe->mla[i]);
	}
	for (uint32_t i = 0; i < EVENT_LINK_AGENT; i++)
		event_state_add(&saving->state, after(chip->link_clk[qpe->index * EVENT_LINK_AGENT + i], noc_clk));
	event_state_add(&saving->state, qpe->link_clk == UINT64_MAX ? UINT64_MAX : qpe->link_clk - clk);
	if (stops(saving))
		return;
	event_noc_save(&qpe->noc, clk, &saving->state);
	for (uint32_t i = 0; i < qpe->n_link; i++)
		save_fifo(saving, &qpe->link[i], noc_clk);
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		save_pe(saving, qpe, i, clk);
	save_queue(saving, &qpe->queue, clk);
}

/* Of what it serves only the first message moves; commands and reads that are still to be pushed wait for its end. */
static void save_dram(struct saving *saving, struct event_dram *dram)
{
	uint64_t tick = ceil_div(saving->gap->clk * dram->tick_khz, saving->chip->pe_khz);
	event_state_add(&saving->state, after(dram->interface_free, tick));
	event_state_add(&saving->state, dram->served.tail - dram->served.head);
	if (dram->served.tail != dram->served.head) {
		struct event_message *oldest = event_fifo_oldest(&dram->served);
		event_state_add(&saving->state, oldest->clk - tick);
		event_state_add(&saving->state, (uint64_t)oldest->from << 3 | oldest->kind);
		count_down(saving, &oldest->to);
		count_down(saving, &saving->chip->live[oldest->from].n_left);
	}
	if (stops(saving))
		return;
	event_state_add(&saving->state, dram->load.tail - dram->load.head);
	event_state_add(&saving->state, (uint64_t)dram->n_to_push << 32 | dram->push_op);
	for (uint32_t i = 0; i < saving->chip->mesh.h; i++)
		save_fifo(saving, &dram->in[i], tick);
	save_fifo(saving, &dram->inside, tick);
}

/* Nothing is in a QPE or will come out of it. */
static bool qpe_is_idle(const struct event_qpe *qpe)
{
	if (event_queue_peek(&qpe->queue) != UINT64_MAX)
		return false;
	for (uint32_t i = 0; i < qpe->n_link; i++)
		if (event_fifo_clk(&qpe->link[i]) != UINT64_MAX)
			return false;
	return true;
}

static void save_unit(struct saving *saving, uint32_t unit)
{
	struct event_chip *chip = saving->chip;
	uint32_t n_qpe = chip->mesh.n_qpe, n_dram = chip->mesh.n_dram;
	if (unit < n_qpe) {
		save_qpe(saving, &chip->qpe[unit]);
	} else if (unit < n_qpe + n_dram) {
		save_dram(saving, &chip->dram[unit - n_qpe]);
	} else {
		save_fifo(saving, &chip->agent[unit - n_qpe - n_dram].in, saving->gap->clk);
		save_fifo(saving, &chip->agent[unit - n_qpe - n_dram].known, saving->gap->clk);
	}
}

/* ---- units ---- */

static size_t n_in(const struct event_fifo *fifo)
{
	return fifo->tail - fifo->head;
}

/* Messages that are in a unit or on their way into it. */
static size_t n_message(const struct event_chip *chip, uint32_t unit)
{
	uint32_t n_qpe = chip->mesh.n_qpe, n_dram = chip->mesh.n_dram;
	size_t n = 0;
	if (unit < n_qpe) {
		const struct event_qpe *qpe = &chip->qpe[unit];
		for (uint32_t i = 0; i < qpe->n_pe; i++)
			n += n_in(&qpe->noc.port[i]) + n_in(&qpe->sram[i].answer) + n_in(&qpe->dma[i].command);
		for (uint32_t i = 0; i < qpe->n_link; i++)
			n += n_in(&qpe->link[i]);
	} else if (unit < n_qpe + n_dram) {
		const struct event_dram *dram = &chip->dram[unit - n_qpe];
		for (uint32_t i = 0; i < chip->mesh.h; i++)
			n += n_in(&dram->in[i]);
		n += n_in(&dram->inside) + n_in(&dram->served);
	} else {
		const struct event_agent *agent = &chip->agent[unit - n_qpe - n_dram];
		n = n_in(&agent->in) + n_in(&agent->known);
	}
	return n;
}

static bool is_idle(const struct event_chip *chip, uint32_t unit)
{
	return unit < chip->mesh.n_qpe && qpe_is_idle(&chip->qpe[unit]);
}

bool event_gap_unit_rests(const struct event_chip *chip, uint32_t unit, const struct gap_unit *kept)
{
	return kept->is_idle == is_idle(chip, unit) && (kept->is_idle || kept->n_message == n_message(chip, unit));
}

bool event_gap_unit_is_at(struct event_chip *chip, uint64_t clk, uint32_t unit, const struct gap_state *then,
                          struct gap_state *gap)
{
	const struct gap_unit *kept = &then->unit[unit];
	struct saving saving = {.chip = chip,
	                        .gap = gap,
	                        .state = {.word = gap->word, .n_max = kept->n_word},
	                        .then = then->word + kept->first_word};
	if (kept->is_idle || is_idle(chip, unit))
		return false;
	gap->clk = clk;
	save_unit(&saving, unit);
	return !stops(&saving) && saving.state.n_word == kept->n_word;
}

bool event_gap_save(struct event_chip *chip, uint64_t clk, struct gap_state *gap)
{
	struct saving saving = {.chip = chip, .gap = gap, .state = {.word = gap->word, .n_max = GAP_N_WORD}};
	gap->clk = clk;
	gap->n_change = chip->n_change;
	gap->n_count_down = 0;
	for (uint32_t i = 0; i < chip->queue.n_unit && !saving.stops; i++) {
		struct gap_unit *unit = &gap->unit[i];
		*unit = (struct gap_unit){.n_run = chip->n_run[i], .first_word = saving.state.n_word};
		unit->is_idle = is_idle(chip, i);
		unit->n_message = unit->is_idle ? 0 : n_message(chip, i);
		saving.stops = unit->n_message > MAX_MESSAGE;
		if (!unit->is_idle && !saving.stops)
			save_unit(&saving, i);
		unit->n_word = saving.state.n_word - unit->first_word;
		saving.stops |= saving.state.n_word > GAP_N_WORD;
	}
	return !saving.stops;
}

/* ---- move ---- */

static void move_fifo(struct event_fifo *fifo, uint64_t clk)
{
	for (size_t i = fifo->head; i < fifo->tail; i++)
		fifo->message[i & (fifo->n_alloc - 1)].clk += clk;
}

static void move_qpe(struct event_chip *chip, struct event_qpe *qpe, uint64_t skip_clk)
{
	uint64_t noc_clk = skip_clk * chip->noc_khz / chip->pe_khz;
	event_qpe_add_base(qpe, skip_clk);
	for (uint32_t i = 0; i < qpe->n_link; i++)
		move_fifo(&qpe->link[i], noc_clk);
	for (uint32_t i = 0; i < EVENT_LINK_AGENT; i++)
		chip->link_clk[qpe->index * EVENT_LINK_AGENT + i] += noc_clk;
}

/* Commands, reads to be pushed, and when all that is to be served will have been, stay where they are. */
static void move_dram(const struct event_chip *chip, struct event_dram *dram, uint64_t skip_clk)
{
	uint64_t tick = skip_clk * dram->tick_khz / chip->pe_khz;
	dram->interface_free += tick;
	for (uint32_t i = 0; i < chip->mesh.h; i++)
		move_fifo(&dram->in[i], tick);
	move_fifo(&dram->inside, tick);
	if (dram->served.tail != dram->served.head)
		event_fifo_oldest(&dram->served)->clk += tick;
}

void event_gap_move(struct event_chip *chip, uint32_t unit, uint64_t skip_clk)
{
	uint32_t n_qpe = chip->mesh.n_qpe;
	assert(unit < n_qpe + chip->mesh.n_dram);
	if (unit < n_qpe)
		move_qpe(chip, &chip->qpe[unit], skip_clk);
	else
		move_dram(chip, &chip->dram[unit - n_qpe], skip_clk);
}
