/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taps that some QPE of the chip has done in this step: from where its leading PE begins a kernel row to where it
 * begins the next, all PEs within a round. Places are states, and a stretch leads from one to the next; of those that
 * are known only the counters are added, and the QPE's units are set to the state of the last:
 *
 *   place      a -----> b -----> c -----> d      known up to d: a's QPE goes on with d
 *   stretch    clocks, packets, of each PE taps, requests and bytes of operand A, counters
 *
 * A state leaves out what merely counts on within a round (struct event_place): a stretch fits where no PE's round ends
 * in it, its stream of requests lasts, and bytes at hand keep nothing waiting, as where states recur (event_mla.h).
 * Words are small, so they are kept in 32 bits. All is forgotten with the step, as rounds are (event_qpe_rounds.c).
 */
#include "sim/event/event_qpe.h"
#include "sim/event/event_store.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <string.h>

#define N_STATE_WORD 1024 /* larger states are not kept */
#define N_SLOT 16384
#define N_CHUNK 32 /* 16 MiB in all; when they are full nothing more is kept */

struct stretch {
	uint32_t n_tap, n_ask;
	int32_t a_byte;
	uint32_t count[EVENT_N_COUNT];
};

/* What is kept by a state. */
struct tap_place {
	struct tap_place *then;         /* where the stretch leads; NULL: it is not known */
	uint32_t n_word, clk, n_packet; /* n_word: of the state */
	struct stretch stretch[];       /* what it counts, of each PE */
};

/* Where a stretch that is recorded began. */
struct tap_begin {
	struct tap_place *place; /* NULL: none is */
	uint64_t clk, base_clk, n_packet, n_round;
	struct event_place of[EVENT_MAX_PE];
	uint64_t count[EVENT_MAX_PE][EVENT_N_COUNT];
};

struct event_taps {
	struct event_store *store;
	struct tap_begin begin;
	uint64_t word[N_STATE_WORD];
	int32_t small[N_STATE_WORD];
};

struct event_taps *event_taps_new(struct arena *memory)
{
	struct event_taps *taps = arena_array(memory, 1, sizeof(*taps));
	if (taps)
		taps->store = event_store_new(memory, N_SLOT, N_CHUNK);
	return taps && taps->store ? taps : NULL;
}

void event_taps_forget(struct event_taps *taps)
{
	event_store_forget(taps->store);
	taps->begin.place = NULL;
}

void event_taps_begin(struct event_taps *taps)
{
	taps->begin.place = NULL;
}

/* ---- state of an MLA within a round ---- */

/*
 * Why a place and lasts() decide all that follows up to the stretch's end. No round begins within a stretch (keep), and
 * no task ends before limit_clk, nor does anything come from outside. So router, SRAMs and events, which a place has as
 * they are, are touched by PEs that wait for a packet of their last task and by PEs that multiply. Of an MLA that does
 * so, event_qpe_mla.c reads
 *
 *   plan         by the shape's number, in this step; of row and block only whether the block's first pixels suffice
 *                for more taps (is_trimmed), all else where a round ends
 *   MACs, B      the run, taps and pixels of the kernel row, the read under way, each a word; the clock of the last
 *                read for what it lies behind the end of the last run, as a stall is counted
 *   A            the packet asked for and those dropped; of the stream when the next one is asked for, and whether
 *                there is one, which lasts() says of the whole stretch
 *   n_tap        whether a round ends, which lasts() excludes, and for the leading PE whether a place has come: at each
 *                place it is a whole number of periods
 *   a_byte       compared with a tap's, those of a run (kernel_w taps at most) and low_a_byte: with enough of them no
 *                answer depends on how many. Only taps take bytes away, when n_tap moves, too, so from m bytes they
 *                never are fewer than m less those of the stretch's taps, and lasts() wants enough even then. A buffer
 *                with a bound has never enough: its bytes are a word.
 *
 * A word may follow from others: a read under way, for one, has an event. It is there all the same, to be loaded.
 */

static void save_done(const struct event_mla *mla, struct event_state *state)
{
	event_state_add(state, mla->plan.is_matmul);
	event_state_add(state, mla->n_a_way);
	event_state_add(state, (uint64_t)mla->n_a_drop << 1 | event_done_waits(mla));
}

static const uint64_t *load_done(struct event_mla *mla, const uint64_t *word)
{
	mla->n_a_way = word[1];
	mla->n_a_drop = word[2] >> 1;
	if (event_done_waits(mla))
		mla->a_outstanding = word[2] & 1;
	return word + 3;
}

/* Clocks may lie in the past: how long the array has been waiting, and for what, decides how stalls count. */
static void save_mla(const struct event_mla *mla, uint64_t clk, struct event_state *state)
{
	bool is_trimmed = mla->plan.last_ahead > 0 && mla->block + 1 == mla->plan.n_block, asks = mla->n_a_to_ask > 0;
	event_state_add(state, (uint64_t)mla->shape + 1);
	event_state_add(state, (uint64_t)mla->source << 1 | is_trimmed);
	event_state_add(state, mla->n_run);
	event_state_add(state, mla->run_clk - clk);
	event_state_add(state, mla->tap);
	event_state_add(state, mla->n_reach);
	event_state_add(state, (uint64_t)mla->n_first << 1 | mla->b_asked);
	if (mla->b_asked)
		event_state_add(state, mla->b_clk - clk);
	else
		event_state_add(state, mla->b_clk > mla->run_clk ? mla->b_clk - mla->run_clk : 0);
	event_state_add(state, mla->a_byte >= event_mla_enough_a(mla) ? UINT64_MAX : mla->a_byte);
	event_state_add(state, mla->n_a_way);
	event_state_add(state, asks);
	event_state_add(state, asks ? mla->a_next_clk - clk : 0);
	event_state_add(state, asks ? mla->a_next_num : 0);
	/* Odd, since a packet of the round before may still be under way. */
	event_state_add(state, mla->a_outstanding ? 2 * (mla->n_tap - mla->a_ask_tap) + 1 : 0);
	event_state_add(state, event_to_relative(mla->a_ask_clk, clk));
	event_state_add(state, mla->a_leave_clk >= clk ? event_to_relative(mla->a_leave_clk, clk) : 0);
	event_state_add(state, mla->n_a_drop);
}

/* What counts on is that of the place already. */
static const uint64_t *load_mla(struct event_mla *mla, uint64_t clk, const uint64_t *word)
{
	word += 2; /* the same task */
	mla->n_run = *word++;
	mla->run_clk = *word++ + clk;
	mla->tap = *word++;
	mla->n_reach = *word++;
	mla->n_first = (uint32_t)(*word >> 1);
	mla->b_asked = *word++ & 1;
	mla->b_clk = *word++ + (mla->b_asked ? clk : mla->run_clk);
	if (*word++ != UINT64_MAX)
		mla->a_byte = word[-1];
	mla->n_a_way = *word++;
	assert(*word == (mla->n_a_to_ask > 0));
	mla->a_next_clk = *word++ ? *word + clk : 0;
	mla->a_next_num = word[1];
	word += 2;
	mla->a_outstanding = *word != 0;
	mla->a_ask_tap = *word != 0 ? mla->n_tap - (uint64_t)((int64_t)(*word - 1) / 2) : 0;
	mla->a_ask_clk = event_from_relative(word[1], clk);
	mla->a_leave_clk = event_from_relative(word[2], clk);
	mla->n_a_drop = word[3];
	return word + 4;
}

/* ---- places ---- */

/* taps->small; returns its words, 0: the state is not one that is kept. */
static uint32_t save_place(struct event_taps *taps, const struct event_qpe *qpe)
{
	struct event_state state = {.word = taps->word, .n_max = N_STATE_WORD};
	uint64_t clk = qpe->queue.clk, wide = 0;
	event_state_add(&state, clk * qpe->noc.noc_khz % qpe->noc.pe_khz);
	event_state_add(&state, qpe->lead);
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		const struct event_mla *mla = &qpe->mla[i];
		if (mla->phase != EVENT_DONE && mla->phase != EVENT_MULTIPLY)
			return 0;
		event_state_add(&state, mla->phase == EVENT_DONE);
		if (mla->phase == EVENT_DONE)
			save_done(mla, &state);
		else
			save_mla(mla, clk, &state);
	}
	if (!event_qpe_save_around(qpe, &state))
		return 0;
	for (size_t i = 0; i < state.n_word; i++) {
		taps->small[i] = (int32_t)(uint32_t)taps->word[i];
		wide |= (uint64_t)(int64_t)taps->small[i] ^ taps->word[i];
	}
	return wide ? 0 : (uint32_t)state.n_word;
}

static void load_place(struct event_taps *taps, struct event_qpe *qpe, uint64_t clk, const struct tap_place *place)
{
	const int32_t *small = event_store_key(place, place->n_word * sizeof(*small));
	const uint64_t *word = taps->word + 2;
	for (uint32_t i = 0; i < place->n_word; i++)
		taps->word[i] = (uint64_t)(int64_t)small[i];
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		struct event_mla *mla = &qpe->mla[i];
		assert(*word == (mla->phase == EVENT_DONE));
		word = *word ? load_done(mla, word + 1) : load_mla(mla, clk, word + 1);
	}
	event_qpe_load_around(qpe, clk, word, taps->word + place->n_word);
}

/* The place of a QPE's state, a new one if need be; NULL: none, or no room. */
static struct tap_place *find_place(struct event_taps *taps, const struct event_qpe *qpe)
{
	uint32_t n = save_place(taps, qpe);
	if (n == 0)
		return NULL;
	size_t n_key = n * sizeof(*taps->small);
	uint64_t hash = hash_bytes(taps->small, n_key, 0);
	struct tap_place *place = event_store_find(taps->store, hash, taps->small, n_key);
	if (place)
		return place;
	place =
	    event_store_add(taps->store, hash, taps->small, n_key, sizeof(*place) + qpe->n_pe * sizeof(struct stretch));
	if (place)
		*place = (struct tap_place){.n_word = n};
	return place;
}

/* ---- stretches ---- */

static void record(struct event_taps *taps, const struct event_qpe *qpe, struct tap_place *place)
{
	struct tap_begin *begin = &taps->begin;
	begin->place = place;
	begin->clk = qpe->queue.clk;
	begin->base_clk = qpe->base_clk;
	begin->n_packet = qpe->noc.n_packet;
	begin->n_round = qpe->n_round;
	memcpy(begin->count, qpe->count, sizeof(begin->count));
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		begin->of[i] = event_mla_place(&qpe->mla[i]);
}

/* Of an MLA in a round: what counts on does so all along the stretch. */
static bool lasts(const struct event_mla *mla, const struct event_place *from, const struct stretch *stretch)
{
	uint64_t enough_byte = event_mla_enough_a(mla);
	if (from->n_tap + stretch->n_tap >= mla->plan.n_round_tap ||
	    (from->n_a_to_ask > 0 && from->n_a_to_ask <= stretch->n_ask))
		return false;
	/* Bytes that are no part of the state at the beginning are none at the end. */
	return from->a_byte < enough_byte || from->a_byte >= enough_byte + stretch->n_tap * mla->plan.tap_a_byte;
}

/* The stretch that was recorded has come to a place. */
static void keep(struct event_taps *taps, const struct event_qpe *qpe, struct tap_place *then)
{
	struct tap_begin *begin = &taps->begin;
	struct tap_place *place = begin->place;
	begin->place = NULL;
	if (!place || !then || qpe->base_clk != begin->base_clk || qpe->n_round != begin->n_round)
		return;
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		const struct event_mla *mla = &qpe->mla[i];
		const struct event_place *from = &begin->of[i];
		struct stretch *stretch = &place->stretch[i];
		*stretch = (struct stretch){0};
		for (uint32_t k = 0; k < EVENT_N_COUNT; k++)
			stretch->count[k] = (uint32_t)(qpe->count[i][k] - begin->count[i][k]);
		if (mla->phase == EVENT_DONE)
			continue;
		stretch->n_tap = (uint32_t)(mla->n_tap - from->n_tap);
		stretch->n_ask = (uint32_t)(from->n_a_to_ask - mla->n_a_to_ask);
		stretch->a_byte = (int32_t)(mla->a_byte - from->a_byte);
		if (!lasts(mla, from, stretch))
			return;
	}
	place->clk = (uint32_t)(qpe->queue.clk - begin->clk);
	place->n_packet = (uint32_t)(qpe->noc.n_packet - begin->n_packet);
	place->then = then;
}

static bool fits(const struct event_qpe *qpe, struct tap_place *place)
{
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		const struct event_mla *mla = &qpe->mla[i];
		const struct stretch *stretch = &place->stretch[i];
		struct event_place at = event_mla_place(mla);
		if (mla->phase != EVENT_DONE && !lasts(mla, &at, stretch))
			return false;
	}
	return true;
}

/* Count a stretch; the units' states are another matter. */
static void add(struct event_qpe *qpe, struct tap_place *place)
{
	qpe->noc.n_packet += place->n_packet;
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		struct event_mla *mla = &qpe->mla[i];
		const struct stretch *stretch = &place->stretch[i];
		for (uint32_t k = 0; k < EVENT_N_COUNT; k++)
			qpe->count[i][k] += stretch->count[k];
		if (mla->phase == EVENT_DONE)
			continue;
		mla->n_tap += stretch->n_tap;
		mla->n_a_to_ask -= stretch->n_ask;
		mla->a_byte += (uint64_t)(int64_t)stretch->a_byte;
	}
}

bool event_taps_take(struct event_taps *taps, struct event_qpe *qpe, uint64_t limit_clk)
{
	struct tap_place *place = event_qpe_is_closed(qpe) ? find_place(taps, qpe) : NULL;
	uint64_t clk = qpe->queue.clk;
	keep(taps, qpe, place);
	if (!place)
		return false;
	while (place->then && qpe->base_clk + clk + place->clk < limit_clk && fits(qpe, place)) {
		add(qpe, place);
		clk += place->clk;
		place = place->then;
	}
	bool takes = clk > qpe->queue.clk;
	if (takes) {
		qpe->shared_clk += clk - qpe->queue.clk;
		load_place(taps, qpe, clk, place);
	}
	if (!place->then)
		record(taps, qpe, place);
	return takes;
}
