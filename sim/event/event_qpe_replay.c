/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replay: a QPE has a finite state, and what it does recurs: within a round the
 * taps of a few kernel rows, over a task its rows of rounds. If the state of all
 * units, relative to the present clock and without what merely counts on, is the
 * same at two such places, all that follows is the same too, until a PE's round,
 * or its rows of the same kind, come to their end:
 *
 *   place    0      1      2      3   ...   n-2    n-1 | end
 *   state    a      b      c      b                    |
 *                   |--period---|  skip whole periods  | simulate
 *
 * A skip moves no unit's clocks: only base_clk, the counters and the places grow.
 */
#include "sim/event/event_qpe.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <string.h>

#define N_KEPT_ROW 64    /* states kept at beginnings of rows; a longer period is not found */
#define N_KEPT_TAP 16    /* within a round */
#define N_TRY_TAP 24     /* places that are looked at in a round, or since a PE began one */
#define N_STATE_WORD 512 /* larger states (router queues that grow) are not compared */

struct kept {
	size_t n_word;
	uint64_t hash, clk, n_packet;
	uint64_t count[EVENT_MAX_PE][EVENT_N_COUNT];
	struct event_place place[EVENT_MAX_PE];
	uint64_t word[N_STATE_WORD];
};

/* The newest of the states kept since the last skip. */
struct kept_states {
	size_t n, n_max;
	struct kept **kept; /* [n_max], of NULL until first needed */
};

struct event_replay {
	struct kept_states row, tap;
	uint64_t n_round; /* begun in the QPE when the states of tap were kept */
	struct arena *memory;
	struct kept *kept[N_KEPT_ROW + N_KEPT_TAP];
};

struct event_replay *event_replay_new(struct arena *memory)
{
	struct event_replay *replay = arena_array(memory, 1, sizeof(*replay));
	if (!replay)
		return NULL;
	replay->memory = memory;
	replay->row = (struct kept_states){.n_max = N_KEPT_ROW, .kept = replay->kept};
	replay->tap = (struct kept_states){.n_max = N_KEPT_TAP, .kept = replay->kept + N_KEPT_ROW};
	return replay;
}

void event_replay_reset(struct event_replay *replay)
{
	replay->row.n = replay->tap.n = 0;
}

static uint64_t hash_words(const uint64_t *word, size_t n)
{
	uint64_t hash = n;
	for (size_t i = 0; i < n; i++) {
		hash = (hash ^ word[i]) * 0x9e3779b97f4a7c15U;
		hash ^= hash >> 29;
	}
	return hash;
}

/* Room for a state; NULL: no memory. */
static struct kept *room_for(struct event_replay *replay, struct kept_states *history)
{
	struct kept **kept = &history->kept[history->n % history->n_max];
	if (!*kept)
		*kept = arena_array(replay->memory, 1, sizeof(**kept));
	return *kept;
}

/* False if the state does not fit. in_round: without what counts on within a round. */
static bool save(const struct event_qpe *qpe, bool in_round, struct kept *kept)
{
	struct event_state state = {.word = kept->word, .n_max = N_STATE_WORD};
	uint64_t clk = qpe->queue.clk;
	event_noc_save(&qpe->noc, clk, &state);
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		const struct event_mla *mla = &qpe->mla[i];
		event_mla_save(mla, clk, in_round, &state);
		event_sram_save(&qpe->sram[i], clk, &state);
		kept->place[i] = event_mla_place(mla);
	}
	if (state.n_word >= N_STATE_WORD)
		return false;
	size_t n_left = N_STATE_WORD - state.n_word;
	size_t n_queue = event_queue_save(&qpe->queue, &kept->word[state.n_word], n_left);
	if (n_queue > n_left)
		return false;
	kept->n_word = state.n_word + n_queue;
	kept->hash = hash_words(kept->word, kept->n_word);
	kept->clk = clk;
	kept->n_packet = qpe->noc.n_packet;
	memcpy(kept->count, qpe->count, sizeof(kept->count));
	return true;
}

/* ---- how far ---- */

/*
 * The last row that a PE may skip to: the last of its kind, since a row's end
 * alone tells what comes next. One whose last round has ended has looked there.
 */
static uint64_t last_row(const struct event_mla *mla)
{
	bool is_full = mla->row < mla->plan.n_full_row, has_ended = mla->phase == EVENT_OUTPUT;
	uint64_t n_row = is_full ? mla->plan.n_full_row : mla->plan.n_row;
	assert(n_row > mla->row);
	return n_row - 1 - (has_ended && n_row - 1 > mla->row);
}

static uint64_t n_row_left(const struct event_mla *mla, const struct event_place *from)
{
	uint64_t n_period_row = mla->row - from->row;
	return n_period_row == 0 ? 0 : (last_row(mla) - mla->row) / n_period_row;
}

/* Whole periods since `from` that all PEs have left before limit_clk. */
static uint64_t n_period_left(const struct event_qpe *qpe, const struct kept *from, bool in_round, uint64_t limit_clk)
{
	uint64_t clk = qpe->base_clk + qpe->queue.clk, period_clk = qpe->queue.clk - from->clk;
	if (limit_clk <= clk || period_clk == 0)
		return 0;
	uint64_t n_left = (limit_clk - 1 - clk) / period_clk;
	for (uint32_t i = 0; i < qpe->n_pe && n_left > 0; i++) {
		const struct event_mla *mla = &qpe->mla[i];
		if (mla->phase == EVENT_DONE)
			continue;
		const struct event_place *place = &from->place[i];
		n_left = min_u64(n_left, in_round ? event_mla_n_tap_left(mla, place) : n_row_left(mla, place));
	}
	return n_left;
}

/* ---- skip ---- */

static void skip_pe(struct event_mla *mla, const struct event_place *from, bool in_round, uint64_t n_period)
{
	if (!in_round) {
		mla->row += n_period * (mla->row - from->row);
		assert(mla->row < mla->plan.n_row);
		return;
	}
	event_mla_skip_tap(mla, from, n_period);
}

static void skip(struct event_qpe *qpe, const struct kept *from, bool in_round, uint64_t n_period)
{
	event_qpe_add_base(qpe, n_period * (qpe->queue.clk - from->clk));
	qpe->noc.n_packet += n_period * (qpe->noc.n_packet - from->n_packet);
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		if (qpe->mla[i].phase != EVENT_DONE)
			skip_pe(&qpe->mla[i], &from->place[i], in_round, n_period);
		for (uint32_t k = 0; k < EVENT_N_COUNT; k++)
			qpe->count[i][k] += n_period * (qpe->count[i][k] - from->count[i][k]);
	}
}

static bool same_state(const struct kept *a, const struct kept *b)
{
	return a->hash == b->hash && a->n_word == b->n_word &&
	       memcmp(a->word, b->word, a->n_word * sizeof(*a->word)) == 0;
}

/* True if something was skipped. */
static bool look(struct event_replay *replay, struct event_qpe *qpe, bool in_round, uint64_t limit_clk)
{
	struct kept_states *history = in_round ? &replay->tap : &replay->row;
	struct kept *now = room_for(replay, history);
	if (!now || !save(qpe, in_round, now))
		return false;
	size_t n = history->n < history->n_max ? history->n : history->n_max - 1;
	history->n++;
	for (size_t i = 1; i <= n; i++) {
		const struct kept *from = history->kept[(history->n - 1 - i) % history->n_max];
		if (!same_state(from, now))
			continue;
		uint64_t n_period = n_period_left(qpe, from, in_round, limit_clk);
		if (n_period == 0)
			return false;
		skip(qpe, from, in_round, n_period);
		return true;
	}
	return false;
}

void event_replay_step(struct event_replay *replay, struct event_qpe *qpe, uint64_t limit_clk)
{
	if (replay->n_round != qpe->n_round) {
		replay->tap.n = 0;
		replay->n_round = qpe->n_round;
	}
	bool skipped = false;
	if (qpe->row_begins)
		skipped = look(replay, qpe, false, limit_clk);
	else if (replay->tap.n < N_TRY_TAP)
		skipped = look(replay, qpe, true, limit_clk);
	if (!skipped)
		return;
	/*
	 * What is kept lies before the skip: differences to it would count what was skipped. The present state,
	 * with what is counted now, is the first of those to come.
	 */
	bool in_round = !qpe->row_begins;
	struct kept_states *history = in_round ? &replay->tap : &replay->row;
	event_replay_reset(replay);
	if (save(qpe, in_round, history->kept[0]))
		history->n = 1;
}
