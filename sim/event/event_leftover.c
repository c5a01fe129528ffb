/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One walk over a chip saves and loads, so that both see the same fields in the same order. A clock that has passed is
 * as good as any other that has: it is the word 0, and loading leaves it where it is.
 */
#include "sim/event/event_leftover.h"
#include "sim/base/checked.h"
#include <assert.h>

/* Of words: to the chip or from it. */
struct walk {
	bool loads, skips_event;
	uint64_t *word; /* written where the walk saves; NULL: words are counted only */
	size_t n;
};

/* A field that matters where it lies behind a clock. */
static void walk_clk(struct walk *walk, uint64_t *field, uint64_t clk)
{
	if (walk->loads && walk->word[walk->n] > 0)
		*field = clk + walk->word[walk->n];
	if (!walk->loads && walk->word)
		walk->word[walk->n] = *field > clk ? *field - clk : 0;
	walk->n++;
}

static void walk_word(struct walk *walk, uint64_t *field)
{
	if (walk->loads)
		*field = walk->word[walk->n];
	else if (walk->word)
		walk->word[walk->n] = *field;
	walk->n++;
}

/* Adds where the walk loads. */
static void walk_count(struct walk *walk, uint64_t *field)
{
	if (walk->loads)
		*field += walk->word[walk->n];
	else if (walk->word)
		walk->word[walk->n] = *field;
	walk->n++;
}

/* Of how the simulation went. */
static void walk_event(struct walk *walk, uint64_t *field)
{
	if (walk->loads && walk->skips_event)
		walk->n++;
	else
		walk_count(walk, field);
}

/* ---- leftover ---- */

static void walk_noc(struct walk *walk, struct event_noc *noc, uint64_t clk)
{
	uint64_t slot_clk = event_noc_enter(noc, clk), n_in_slot = noc->slot < slot_clk ? 0 : noc->n_in_slot;
	/* In the first slot packets may have passed already. */
	if (walk->loads && walk->word[walk->n] == 0)
		noc->slot = slot_clk;
	walk_clk(walk, &noc->slot, slot_clk);
	walk_word(walk, &n_in_slot);
	if (walk->loads)
		noc->n_in_slot = (uint32_t)n_in_slot;
	for (uint32_t i = 0; i < noc->n_port; i++) {
		/* The next packet may come in this very clock. */
		walk_clk(walk, &noc->last_clk[i], clk > 0 ? clk - 1 : 0);
		walk_clk(walk, &noc->free_clk[i], slot_clk);
	}
}

static void walk_pe(struct walk *walk, struct event_qpe *qpe, uint32_t pe, uint64_t clk)
{
	struct event_mla *mla = &qpe->mla[pe];
	uint64_t is_matmul = mla->plan.is_matmul;
	walk_clk(walk, &qpe->sram[pe].free_clk, clk);
	walk_clk(walk, &qpe->sram[pe].leave_clk, clk);
	walk_word(walk, &is_matmul); /* of the last task: who asks for operand A is served accordingly */
	walk_clk(walk, &qpe->dma[pe].command_clk, clk);
	if (walk->loads)
		mla->plan.is_matmul = is_matmul != 0;
}

static void walk_dram(struct walk *walk, struct event_dram *dram, uint64_t tick)
{
	walk_clk(walk, &dram->interface_free, tick);
	walk_clk(walk, &dram->push_tick, tick);
	walk_clk(walk, &dram->free_tick, tick);
}

static void walk_leftover(struct walk *walk, struct event_chip *chip)
{
	uint64_t clk = chip->queue.clk, noc_clk = ceil_div(clk * chip->noc_khz, chip->pe_khz);
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++) {
		struct event_qpe *qpe = &chip->qpe[i];
		uint64_t qpe_clk = clk - qpe->base_clk;
		walk_noc(walk, &qpe->noc, qpe_clk);
		for (uint32_t k = 0; k < qpe->n_pe; k++)
			walk_pe(walk, qpe, k, qpe_clk);
		for (uint32_t k = 0; k < EVENT_LINK_AGENT; k++)
			walk_clk(walk, &chip->link_clk[i * EVENT_LINK_AGENT + k], noc_clk);
		walk_clk(walk, &chip->agent[i].free_clk, clk);
	}
	walk_clk(walk, &chip->host_free_clk, clk);
	for (uint32_t i = 0; i < chip->mesh.n_dram; i++)
		walk_dram(walk, &chip->dram[i], ceil_div(clk * chip->dram[i].tick_khz, chip->pe_khz));
}

/* The walks take a chip to be changed, also where they only read it. */
static struct event_chip *unchanged(const struct event_chip *chip)
{
	return (struct event_chip *)(uintptr_t)chip;
}

size_t event_leftover_n_word(const struct event_chip *chip)
{
	struct walk walk = {0};
	walk_leftover(&walk, unchanged(chip));
	return walk.n;
}

void event_leftover_save(const struct event_chip *chip, uint64_t *word)
{
	struct walk walk = {.word = word};
	walk_leftover(&walk, unchanged(chip));
}

void event_leftover_load(struct event_chip *chip, const uint64_t *word)
{
	struct walk walk = {.loads = true, .word = (uint64_t *)(uintptr_t)word};
	walk_leftover(&walk, chip);
}

/* ---- nothing under way ---- */

static bool is_empty(const struct event_fifo *fifo)
{
	return fifo->head == fifo->tail;
}

static bool pe_rests(const struct event_qpe *qpe, uint32_t pe)
{
	const struct event_mla *mla = &qpe->mla[pe];
	const struct event_sram *sram = &qpe->sram[pe];
	bool waits_for_a =
	    mla->n_a_drop > 0 || mla->n_a_way > 0 || mla->n_a_to_ask > 0 || (mla->a_outstanding && mla->a_ask_clk == 0);
	bool in_round = mla->n_run > 0 || mla->n_tap > 0 || mla->tap > 0 || mla->n_reach > 0 || mla->n_first > 0;
	return mla->phase == EVENT_DONE && !waits_for_a && !in_round && !mla->b_asked && sram->n_write == 0 &&
	       is_empty(&sram->request) && is_empty(&sram->answer) && is_empty(&qpe->noc.port[pe]) &&
	       qpe->dma[pe].n_left == 0 && is_empty(&qpe->dma[pe].command);
}

static bool qpe_rests(const struct event_qpe *qpe)
{
	if (event_qpe_next_clk(qpe) != UINT64_MAX)
		return false;
	for (uint32_t i = 0; i < qpe->n_link; i++)
		if (!is_empty(&qpe->link[i]))
			return false;
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		if (!pe_rests(qpe, i))
			return false;
	return true;
}

static bool dram_rests(const struct event_chip *chip, const struct event_dram *dram)
{
	for (uint32_t i = 0; i < chip->mesh.h; i++)
		if (!is_empty(&dram->in[i]))
			return false;
	return is_empty(&dram->inside) && is_empty(&dram->load) && is_empty(&dram->served) && dram->n_to_push == 0;
}

bool event_leftover_is_all(const struct event_chip *chip)
{
	if (chip->n_busy > 0)
		return false;
	for (uint32_t i = 0; i < chip->queue.n_unit; i++)
		if (chip->wake_clk[i] != UINT64_MAX)
			return false;
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++)
		if (!qpe_rests(&chip->qpe[i]) || !is_empty(&chip->agent[i].in) || !is_empty(&chip->agent[i].known))
			return false;
	for (uint32_t i = 0; i < chip->mesh.n_dram; i++)
		if (!dram_rests(chip, &chip->dram[i]))
			return false;
	return true;
}

/* ---- counters ---- */

static void walk_counts(struct walk *walk, struct event_chip *chip)
{
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++) {
		struct event_qpe *qpe = &chip->qpe[i];
		for (uint32_t k = 0; k < qpe->n_pe; k++)
			for (uint32_t j = 0; j < EVENT_N_COUNT; j++)
				walk_count(walk, &qpe->count[k][j]);
		walk_count(walk, &qpe->noc.n_packet);
		walk_event(walk, &qpe->queue.n_event);
	}
	for (uint32_t i = 0; i < chip->mesh.n_dram; i++) {
		walk_count(walk, &chip->dram[i].busy_tick);
		walk_count(walk, &chip->dram[i].read_packet);
		walk_count(walk, &chip->dram[i].write_packet);
	}
	walk_count(walk, &chip->load_byte);
	walk_count(walk, &chip->store_byte);
	walk_event(walk, &chip->queue.n_event);
	walk_event(walk, &chip->replayed_clk);
}

size_t event_leftover_n_count(const struct event_chip *chip)
{
	struct walk walk = {0};
	walk_counts(&walk, unchanged(chip));
	return walk.n;
}

void event_leftover_save_count(const struct event_chip *chip, uint64_t *count)
{
	struct walk walk = {.word = count};
	walk_counts(&walk, unchanged(chip));
	/* What QPEs have replayed is in their clocks; who takes it over has it in one number. */
	for (uint32_t i = 0; i < chip->mesh.n_qpe; i++)
		count[walk.n - 1] += chip->qpe[i].base_clk + chip->qpe[i].shared_clk;
}

void event_leftover_add_count(struct event_chip *chip, const uint64_t *count, bool with_event)
{
	struct walk walk = {.loads = true, .skips_event = !with_event, .word = (uint64_t *)(uintptr_t)count};
	walk_counts(&walk, chip);
}
