/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_MEMO_H
#define SIM_EVENT_MEMO_H
/*
 * What simulations of the event tier have found and others may take over: words by words. A key says all that an
 * answer depends on, so whether it is known changes how long a run takes and nothing else. Many runs on many threads
 * share one memo; its owner makes it, hands it to them (struct event_option) and frees it when they are through.
 */
#include <stddef.h>
#include <stdint.h>

#define EVENT_MEMO_BYTE ((size_t)192 << 20) /* of a memo, where its owner knows no better */

struct event_memo;

/* A memo that takes up to max_byte bytes; what is found when it is full is not kept. NULL: no memory. */
struct event_memo *event_memo_new(size_t max_byte);
/* memo may be NULL; nobody uses it any more. */
void event_memo_free(struct event_memo *memo);

/* ---- within the event tier ---- */

/* Kinds of keys: the first word of each. */
enum event_memo_kind { EVENT_MEMO_PART, EVENT_MEMO_STEP };

/* An answer; it lasts as long as the memo. */
struct event_answer {
	const uint64_t *word; /* NULL: none is known */
	size_t n_word;
};

struct event_answer event_memo_find(struct event_memo *memo, const uint64_t *key, size_t n_key);
/* Keep an answer, copied; the first one stays. */
void event_memo_put(struct event_memo *memo, const uint64_t *key, size_t n_key, const uint64_t *answer,
                    size_t n_answer);

/*
 * A number for n_byte bytes: the same for the same bytes and kind, another for others. With it keys are
 * short. 0: there is no room, and what has this part cannot be kept.
 */
uint64_t event_memo_number(struct event_memo *memo, uint32_t kind, const void *byte, size_t n_byte);

#endif
