/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replay: a QPE has a finite state, and most tasks repeat the same rows of
 * rounds. If the state of all units, relative to the present clock, is the same
 * at the beginning of two rows, all that follows is the same too, until a PE
 * comes to rows of another kind:
 *
 *   row      0      1      2      3   ...   n-2    n-1 | other kind
 *   state    a      b      c      b                    |
 *                   |--period---|  skip whole periods  | simulate
 *
 * A skip moves no unit's clocks: only base_clk, the counters and the rows grow.
 */
#include "sim/event_qpe.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define N_KEPT 64        /* states kept; a longer period is not found */
#define N_STATE_WORD 512 /* larger states (router queues that grow) are not compared */

struct kept {
	size_t n_word;
	uint64_t hash, clk, n_packet;
	uint64_t count[EVENT_MAX_PE][EVENT_N_COUNT], row[EVENT_MAX_PE];
	uint64_t word[N_STATE_WORD];
};

struct event_replay {
	size_t n_kept; /* since the last skip; the newest N_KEPT are there */
	struct kept kept[N_KEPT];
};

struct event_replay *event_replay_new(void)
{
	return calloc(1, sizeof(struct event_replay));
}

void event_replay_free(struct event_replay *replay)
{
	free(replay);
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

/* False if the state does not fit. */
static bool save(const struct event_qpe *qpe, struct kept *kept)
{
	struct event_state state = {.word = kept->word, .n_max = N_STATE_WORD};
	uint64_t clk = qpe->queue.clk;

	event_noc_save(&qpe->noc, clk, &state);
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		event_mla_save(&qpe->mla[i], clk, &state);
		event_sram_save(&qpe->sram[i], clk, &state);
		kept->row[i] = qpe->mla[i].row;
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

/* Whole periods since `from` that all PEs have left before limit_clk. */
static uint64_t n_period_left(const struct event_qpe *qpe, const struct kept *from, uint64_t limit_clk)
{
	uint64_t clk = qpe->base_clk + qpe->queue.clk, period_clk = qpe->queue.clk - from->clk;
	uint64_t n_left = limit_clk > clk ? (limit_clk - clk) / period_clk : 0;
	assert(period_clk > 0);
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		const struct event_mla *mla = &qpe->mla[i];
		if (mla->phase == EVENT_DONE)
			continue;
		uint64_t n_period_row = mla->row - from->row[i];
		if (n_period_row == 0)
			return 0;
		uint64_t n = (last_row(mla) - mla->row) / n_period_row;
		n_left = n < n_left ? n : n_left;
	}
	return n_left;
}

static void skip(struct event_qpe *qpe, const struct kept *from, uint64_t n_period)
{
	qpe->base_clk += n_period * (qpe->queue.clk - from->clk);
	qpe->noc.n_packet += n_period * (qpe->noc.n_packet - from->n_packet);
	for (uint32_t i = 0; i < qpe->n_pe; i++) {
		struct event_mla *mla = &qpe->mla[i];
		mla->row += n_period * (mla->row - from->row[i]);
		assert(mla->phase == EVENT_DONE || mla->row < mla->plan.n_row);
		for (uint32_t k = 0; k < EVENT_N_COUNT; k++)
			qpe->count[i][k] += n_period * (qpe->count[i][k] - from->count[i][k]);
	}
}

void event_replay_reset(struct event_replay *replay)
{
	replay->n_kept = 0;
}

void event_replay_step(struct event_replay *replay, struct event_qpe *qpe, uint64_t limit_clk)
{
	struct kept *now = &replay->kept[replay->n_kept % N_KEPT];
	if (!save(qpe, now))
		return;
	size_t n = replay->n_kept < N_KEPT ? replay->n_kept : N_KEPT - 1;
	for (size_t i = 1; i <= n; i++) {
		const struct kept *from = &replay->kept[(replay->n_kept - i) % N_KEPT];
		if (from->hash != now->hash || from->n_word != now->n_word)
			continue;
		if (memcmp(from->word, now->word, now->n_word * sizeof(*now->word)) != 0)
			continue;
		uint64_t n_period = n_period_left(qpe, from, limit_clk);
		if (n_period == 0)
			break;
		skip(qpe, from, n_period);
		/*
		 * What is kept lies before the skip: differences to it would count what was skipped. The present
		 * state, with what is counted now, is the first of those to come.
		 */
		bool fits = save(qpe, &replay->kept[0]);
		assert(fits);
		replay->n_kept = fits;
		return;
	}
	replay->n_kept++;
}
