/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SHARE_H
#define DSE_SHARE_H
/*
 * Which searches of a run this process makes. A run that is resumed knows the
 * results of some; of a job array each shard makes its part, of an MPI run each
 * rank.
 *
 *   ledger ─► known? ─► take                          ┌─► journal
 *               └─► mine? ─► search, then keep it in ─┴─► records for rank 0
 *
 * Searches are dealt to n parts by size, machine after machine in the order of
 * their index. Every process deals in the same way without asking the others.
 */
#include "dse/search/front_cache.h"
#include "dse/keep/journal.h"

#define SHARE_MAX 4096

/* Initialise with `struct share share = {.n = 1};` and what applies. */
struct share {
	unsigned index, n;          /* part index (0..n-1) of n */
	const struct ledger *known; /* sorted; NULL: nothing is known */
	struct journal *journal;    /* NULL: none is kept */
	struct pack *record;        /* receives records as a journal does; NULL: nobody wants them */
	bool only_known;            /* nothing is searched: what is not known is counted in n_missing */
	uint64_t load[SHARE_MAX];   /* [n] what was dealt so far may cost */
	atomic_uint_fast64_t n_taken, n_missing;
};

/*
 * Deal the candidate's searches; is_mine [n_task] says which are this part's. entry [n_task]: what they may have in
 * common with other machines' (NULL: nothing). Once for each candidate, in the order of their index. ERR_INTERNAL.
 */
enum err_code share_deal(struct share *share, const struct candidate *candidate, struct front_entry *const *entry,
                         bool *is_mine, struct err *err);

/* What is known under these numbers; NULL: nothing is, or there is no share. */
const struct ledger_entry *share_find(const struct share *share, uint64_t machine, uint64_t task);

/*
 * A record of this process: into the journal as soon as it is known, from any thread; for rank 0 in the order of the
 * searches. Both do nothing where nobody wants it, or when memory was out for it; they free the record.
 */
void share_to_journal(struct share *share, struct pack *record);
void share_to_rank(struct share *share, struct pack *record);

/* Whether search i is known; then its result is in the task. Counts it as missing where only known ones count. */
bool share_take(struct share *share, struct candidate *candidate, size_t i);

/* Keep search i, which has come to its end. Not one that was cut short or failed: it is made again. From any thread. */
void share_keep(struct share *share, struct candidate *candidate, size_t i);

/* After all searches of a group: the records of those that are this part's, in order. */
void share_record(struct share *share, struct candidate *candidate, const bool *is_mine);

#endif
