/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/share.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A search and what it may cost, to be dealt. */
struct card {
	uint64_t cost;
	size_t task;
};

static int compare_cards(const void *left, const void *right)
{
	const struct card *a = left, *b = right;
	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

/*
 * Bounds leave the less of a search the larger it is. Over the 609 searches of spaces/mla_sizing.yaml shared out to 8,
 * the square root of the size keeps the parts busy 0.64 of the time on the whole, the size itself 0.42; shared out to
 * 4, 0.84 and 0.73.
 */
static uint64_t guess_cost(uint64_t size)
{
	return (uint64_t)sqrt((double)size) + 1;
}

static unsigned least_loaded(const struct share *share)
{
	unsigned least = 0;
	for (unsigned part = 1; part < share->n; part++)
		least = share->load[part] < share->load[least] ? part : least;
	return least;
}

/*
 * Largest first, each to the part that has least so far: at worst a third over the best there is (R. Graham, "Bounds
 * on multiprocessing timing anomalies", 1969), as far as the guess is right. Searches that may have
 * a front in common go to one part, whichever machines they are of.
 */
enum err_code share_deal(struct share *share, const struct candidate *candidate, struct front_entry *const *entry,
                         bool *is_mine, struct err *err)
{
	assert(share->n >= 1 && share->n <= SHARE_MAX && share->index < share->n);
	struct card *card = calloc(candidate->n_task + 1, sizeof(*card));
	if (!card)
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < candidate->n_task; i++)
		card[i] = (struct card){guess_cost(candidate->task[i].size), i};
	qsort(card, candidate->n_task, sizeof(*card), compare_cards);
	for (size_t i = 0; i < candidate->n_task; i++) {
		struct front_entry *own = entry ? entry[card[i].task] : NULL;
		unsigned part = own && own->is_dealt ? own->part : least_loaded(share);
		share->load[part] = add_sat(share->load[part], card[i].cost);
		is_mine[card[i].task] = part == share->index;
		if (own) {
			own->part = part;
			own->is_dealt = true;
		}
	}
	free(card);
	return ERR_OK;
}

const struct ledger_entry *share_find(const struct share *share, uint64_t machine, uint64_t task)
{
	return share && share->known ? ledger_find(share->known, machine, task) : NULL;
}

void share_to_journal(struct share *share, struct pack *record)
{
	if (share && share->journal && !record->failed)
		journal_append(share->journal, JOURNAL_SEARCH, record->data, record->n);
	pack_free(record);
}

void share_to_rank(struct share *share, struct pack *record)
{
	if (share && share->record && !record->failed)
		journal_pack(share->record, JOURNAL_SEARCH, record->data, record->n);
	pack_free(record);
}

bool share_take(struct share *share, struct candidate *candidate, size_t i)
{
	if (!share)
		return false;
	const struct ledger_entry *entry = share_find(share, candidate->set->machine_index, i);
	bool is_known = false;
	if (entry) {
		struct pack pack = pack_reader(entry->data, entry->n_byte);
		candidate_pack_task(candidate, i, &pack);
		is_known = pack_done(&pack);
	}
	if (is_known)
		atomic_fetch_add(&share->n_taken, 1);
	else if (share->only_known)
		atomic_fetch_add(&share->n_missing, 1);
	return is_known;
}

/* Empty where the search did not come to its end. */
static struct pack pack_search(struct candidate *candidate, size_t i)
{
	uint64_t machine = candidate->set->machine_index, task = i;
	struct pack pack = {0};
	pack.failed = candidate->task[i].code != ERR_OK || candidate->task[i].by_reason[LAYER_REASON_FAILED] > 0;
	if (pack.failed)
		return pack;
	pack_u64(&pack, &machine);
	pack_u64(&pack, &task);
	candidate_pack_task(candidate, i, &pack);
	return pack;
}

void share_keep(struct share *share, struct candidate *candidate, size_t i)
{
	if (!share || !share->journal)
		return;
	struct pack pack = pack_search(candidate, i);
	share_to_journal(share, &pack);
}

void share_record(struct share *share, struct candidate *candidate, const bool *is_mine)
{
	for (size_t i = 0; i < candidate->n_task && share->record; i++) {
		if (!is_mine[i])
			continue;
		struct pack pack = pack_search(candidate, i);
		share_to_rank(share, &pack);
	}
}
