/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds that some QPE of the chip has run in this step. A round's key is all of a QPE's state relative to its clock;
 * left out is which row it is of. That holds as long as no PE comes to its last round of a kind (full array rows or the
 * rest), whose end alone is different.
 *
 *   key     phase of NoC and PE clock, PEs (shape, MLA, SRAM), router, events
 *   answer  clocks, rounds of each PE, what was counted, the state at the end
 *
 * An MLA is saved as it is, but for its clocks: a field that it is given one day is part of the state from the first.
 * What is kept is forgotten with the step, so that what is simulated does not depend on what other runs have found.
 */
#include "sim/event/event_qpe.h"
#include "sim/event/event_store.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <string.h>

#define N_STATE_WORD 1024 /* larger states are not kept */
#define N_SLOT 4096
#define N_CHUNK 16 /* 8 MiB in all; when they are full nothing more is kept */

/* What a round counts. */
struct tally {
	uint64_t clk, base_clk, n_round, n_packet;
	uint64_t round[EVENT_MAX_PE];
	uint64_t count[EVENT_MAX_PE][EVENT_N_COUNT];
};
#define N_TALLY_WORD (sizeof(struct tally) / sizeof(uint64_t))

/* An answer. */
struct known_round {
	struct tally more;
	size_t n_state;
	uint64_t state[];
};

struct event_rounds {
	struct event_store *store;
	/* the round that runs, where it is recorded */
	bool records;
	size_t n_key;
	uint64_t hash;
	struct tally begin;
	uint64_t n_round_left[EVENT_MAX_PE]; /* at its beginning */
	uint64_t key[N_STATE_WORD], state[N_STATE_WORD];
};

struct event_rounds *event_rounds_new(struct arena *memory)
{
	struct event_rounds *rounds = arena_array(memory, 1, sizeof(*rounds));
	if (rounds)
		rounds->store = event_store_new(memory, N_SLOT, N_CHUNK);
	return rounds && rounds->store ? rounds : NULL;
}

void event_rounds_forget(struct event_rounds *rounds)
{
	event_store_forget(rounds->store);
}

void event_rounds_begin(struct event_rounds *rounds)
{
	rounds->records = false;
}

static size_t key_byte(const struct event_rounds *rounds)
{
	return rounds->n_key * sizeof(uint64_t);
}

/* ---- state of an MLA, its clocks relative ---- */

static bool has_phase_clk(const struct event_mla *mla)
{
	return mla->phase == EVENT_WAIT_START || mla->phase == EVENT_OUTPUT || mla->phase == EVENT_INTERRUPT;
}

#define MLA_FIRST offsetof(struct event_mla, source) /* the plan, before it, has a number */
#define N_MLA_WORD ((sizeof(struct event_mla) - MLA_FIRST + sizeof(uint64_t) - 1) / sizeof(uint64_t))

/* An MLA without a task: what its last one was does not matter, and may be of a step that was not simulated. */
static void fill_done(const struct event_mla *mla, struct event_mla *own)
{
	memset(own, 0, sizeof(*own));
	own->phase = EVENT_DONE;
	own->n_a_way = mla->n_a_way;
	own->n_a_drop = mla->n_a_drop;
	own->a_outstanding = event_done_waits(mla);
}

/* What the rest of its task, or a later one, does not look at is 0. */
static void fill_running(const struct event_mla *mla, uint64_t clk, struct event_mla *own)
{
	memcpy(own, mla, sizeof(*own)); /* with the bytes between fields, which stay 0 */
	own->row = own->start_clk = own->end_clk = own->done_clk = own->report_clk = 0;
	own->op = 0;
	own->count = NULL;
	own->phase_clk = has_phase_clk(mla) ? mla->phase_clk - clk : 0;
	own->b_clk = 0;
	if (mla->b_asked)
		own->b_clk = mla->b_clk - clk;
	else if (mla->phase == EVENT_MULTIPLY && mla->b_clk > mla->run_clk) /* what stalls are counted for */
		own->b_clk = mla->b_clk - mla->run_clk;
	own->run_clk = mla->phase == EVENT_MULTIPLY ? mla->run_clk - clk : 0;
	own->a_next_clk = mla->n_a_to_ask > 0 ? mla->a_next_clk - clk : 0;
	own->a_next_num = mla->n_a_to_ask > 0 ? mla->a_next_num : 0;
	own->a_ask_clk = event_to_relative(mla->a_ask_clk, clk);
	/* Whether it is the clock in which results would leave is asked later. */
	own->a_leave_clk = mla->a_leave_clk >= clk ? event_to_relative(mla->a_leave_clk, clk) : 0;
	own->a_ask_tap = mla->a_outstanding ? mla->a_ask_tap : 0;
}

static void save_mla(const struct event_mla *mla, uint64_t clk, struct event_state *state)
{
	struct event_mla own;
	uint64_t word[N_MLA_WORD] = {0};
	if (mla->phase == EVENT_DONE)
		fill_done(mla, &own);
	else
		fill_running(mla, clk, &own);
	memcpy(word, (const unsigned char *)&own + MLA_FIRST, sizeof(own) - MLA_FIRST);
	for (size_t i = 0; i < N_MLA_WORD; i++)
		event_state_add(state, word[i]);
}

static void load_done(struct event_mla *mla, const struct event_mla *own)
{
	mla->n_a_way = own->n_a_way;
	mla->n_a_drop = own->n_a_drop;
	if (event_done_waits(mla))
		mla->a_outstanding = own->a_outstanding;
}

static const uint64_t *load_mla(struct event_mla *mla, uint64_t clk, const uint64_t *word)
{
	struct event_mla own;
	memcpy(&own, mla, sizeof(own));
	memcpy((unsigned char *)&own + MLA_FIRST, word, sizeof(own) - MLA_FIRST);
	if (mla->phase == EVENT_DONE) {
		load_done(mla, &own);
		return word + N_MLA_WORD;
	}
	own.row = mla->row;
	own.start_clk = mla->start_clk;
	own.end_clk = mla->end_clk;
	own.done_clk = mla->done_clk;
	own.report_clk = mla->report_clk;
	own.op = mla->op;
	own.count = mla->count;
	own.phase_clk = has_phase_clk(&own) ? own.phase_clk + clk : 0;
	own.run_clk += own.phase == EVENT_MULTIPLY ? clk : 0;
	own.b_clk += own.b_asked ? clk : own.run_clk;
	own.a_next_clk += own.n_a_to_ask > 0 ? clk : 0;
	own.a_ask_clk = event_from_relative(own.a_ask_clk, clk);
	own.a_leave_clk = event_from_relative(own.a_leave_clk, clk);
	memcpy(mla, &own, sizeof(own));
	return word + N_MLA_WORD;
}

/* ---- state of a QPE ---- */

/* False: it does not fit. */
static bool save(const struct event_qpe *qpe, uint64_t *word, size_t n_max, size_t *n_word)
{
	struct event_state state = {.word = word, .n_max = n_max};
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		save_mla(&qpe->mla[i], qpe->queue.clk, &state);
	bool fits = event_qpe_save_around(qpe, &state);
	*n_word = state.n_word;
	return fits;
}

static void load(struct event_qpe *qpe, uint64_t clk, const uint64_t *word, const uint64_t *end)
{
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		word = load_mla(&qpe->mla[i], clk, word);
	event_qpe_load_around(qpe, clk, word, end);
}

/* ---- rounds ---- */

/* Rounds of a PE's task before the one in work. */
static uint64_t n_round_done(const struct event_mla *mla)
{
	return mla->phase == EVENT_DONE ? 0 : mla->row * mla->plan.n_block + mla->block;
}

/* Rounds of a kind that a PE has left. */
static uint64_t n_round_left(const struct event_mla *mla)
{
	uint64_t n_row = mla->row < mla->plan.n_full_row ? mla->plan.n_full_row : mla->plan.n_row;
	return mla->phase == EVENT_DONE ? UINT64_MAX : n_row * mla->plan.n_block - 1 - n_round_done(mla);
}

static void take_tally(const struct event_qpe *qpe, struct tally *tally)
{
	*tally = (struct tally){
	    .clk = qpe->queue.clk, .base_clk = qpe->base_clk, .n_round = qpe->n_round, .n_packet = qpe->noc.n_packet};
	memcpy(tally->count, qpe->count, sizeof(tally->count));
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		tally->round[i] = n_round_done(&qpe->mla[i]);
}

static bool make_key(struct event_rounds *rounds, const struct event_qpe *qpe)
{
	size_t n_state;
	struct event_state key = {.word = rounds->key, .n_max = N_STATE_WORD};
	event_state_add(&key, qpe->queue.clk * qpe->noc.noc_khz % qpe->noc.pe_khz);
	event_state_add(&key, qpe->lead);
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		const struct event_mla *mla = &qpe->mla[i];
		bool is_full = mla->row < mla->plan.n_full_row, runs = mla->phase != EVENT_DONE;
		uint64_t plan = runs ? (uint64_t)(mla->shape + UINT64_C(1)) << 1 | is_full : 0;
		event_state_add(&key, plan << 1 | mla->plan.is_matmul);
		if (n_round_left(mla) == 0)
			return false;
	}
	if (!save(qpe, rounds->key + key.n_word, N_STATE_WORD - key.n_word, &n_state))
		return false;
	rounds->n_key = key.n_word + n_state;
	rounds->hash = hash_bytes(rounds->key, key_byte(rounds), 0);
	return true;
}

void event_rounds_keep(struct event_rounds *rounds, const struct event_qpe *qpe)
{
	size_t n_state;
	struct tally now;
	if (!rounds->records)
		return;
	rounds->records = false;
	take_tally(qpe, &now);
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		if (rounds->n_round_left[i] <= now.round[i] - rounds->begin.round[i])
			return;
	if (!event_qpe_is_closed(qpe) || !save(qpe, rounds->state, N_STATE_WORD, &n_state))
		return;
	struct known_round *known = event_store_add(rounds->store, rounds->hash, rounds->key, key_byte(rounds),
	                                            sizeof(*known) + n_state * sizeof(uint64_t));
	if (!known)
		return;
	const uint64_t *word = (const uint64_t *)&now, *then = (const uint64_t *)&rounds->begin;
	for (size_t i = 0; i < N_TALLY_WORD; i++)
		((uint64_t *)&known->more)[i] = word[i] - then[i];
	known->n_state = n_state;
	memcpy(known->state, rounds->state, n_state * sizeof(uint64_t));
}

/* No PE comes to its last round of a kind, and the round ends before limit_clk. */
static bool fits(const struct event_qpe *qpe, const struct tally *more, uint64_t limit_clk)
{
	uint64_t clk = qpe->base_clk + qpe->queue.clk;
	if (clk >= limit_clk || more->clk + more->base_clk >= limit_clk - clk)
		return false;
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		if (more->round[i] >= n_round_left(&qpe->mla[i]))
			return false;
	return true;
}

static void take_over(struct event_qpe *qpe, const struct known_round *known)
{
	const struct tally *more = &known->more;
	uint64_t round[EVENT_MAX_PE];
	for (uint32_t i = 0; i < qpe->n_pe; i++)
		round[i] = n_round_done(&qpe->mla[i]) + more->round[i];
	load(qpe, qpe->queue.clk + more->clk, known->state, known->state + known->n_state);
	event_qpe_add_base(qpe, more->base_clk);
	qpe->shared_clk += more->clk;
	qpe->n_round += more->n_round;
	qpe->noc.n_packet += more->n_packet;
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		struct event_mla *mla = &qpe->mla[i];
		if (mla->phase != EVENT_DONE)
			mla->row = round[i] / mla->plan.n_block;
		assert(n_round_done(mla) == round[i]);
		for (uint32_t k = 0; k < EVENT_N_COUNT; k++)
			qpe->count[i][k] += more->count[i][k];
	}
	qpe->row_begins = qpe->mla[qpe->lead].block == 0;
}

bool event_rounds_take(struct event_rounds *rounds, struct event_qpe *qpe, uint64_t limit_clk,
                       struct event_replay *replay)
{
	if (!event_qpe_is_closed(qpe) || !make_key(rounds, qpe))
		return false;
	const struct known_round *known = event_store_find(rounds->store, rounds->hash, rounds->key, key_byte(rounds));
	if (!known) {
		take_tally(qpe, &rounds->begin);
		for (uint32_t i = 0; i < qpe->n_pe; i++)
			rounds->n_round_left[i] = n_round_left(&qpe->mla[i]);
		rounds->records = true;
		return false;
	}
	if (!fits(qpe, &known->more, limit_clk))
		return false;
	take_over(qpe, known);
	/* As a skip within the round does. */
	if (known->more.base_clk > 0)
		event_replay_reset(replay);
	return true;
}
