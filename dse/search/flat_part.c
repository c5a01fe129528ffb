/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/flat_part.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where part i of n begins: parts differ by one candidate at most. */
static uint64_t begin_of(uint64_t size, unsigned i, unsigned n)
{
	uint64_t rest = size % n;
	assert(n > 0 && i <= n);
	return size / n * i + (i < rest ? i : rest);
}

enum err_code flat_part_deal(const struct share *share, const struct problem *problem, struct engine_options *options,
                             struct err *err)
{
	uint64_t size = problem_size(problem);
	options->first = options->end = 0;
	if (!share || share->n <= 1)
		return ERR_OK;
	if (size == UINT64_MAX)
		return err_add(err, ERR_INPUT,
		               "--shard of a flat search deals out at most 2^64 - 2 designs, this space has "
		               "more; without --flat there is no such limit");
	if (size < share->n)
		return err_add(err, ERR_INPUT, "--shard: the space has fewer designs than there are shards");
	options->first = begin_of(size, share->index, share->n);
	options->end = begin_of(size, share->index + 1, share->n);
	assert(options->first < options->end && options->end <= size);
	return ERR_OK;
}

/* n_part: of how many this is one, so that whoever joins them knows when all are there. */
static void pack_part(const struct problem *problem, uint64_t *n_part, struct flat_part *part, struct pack *pack)
{
	pack_u64(pack, n_part);
	engine_counts_pack(&part->counts, pack);
	pack_u64s(pack, part->by_reason, part->n_reason);
	engine_nearest_pack(&part->nearest, problem->n_value, problem->n_gene, pack);
	pareto_pack(&part->archive, problem->n_value, pack);
}

void flat_part_keep(struct share *share, const struct problem *problem, struct flat_part *part)
{
	struct pack pack = {0};
	uint64_t machine = 0, index = share->index, n_part = share->n;
	assert(share->n > 1);
	if (!share->journal)
		return;
	pack_u64(&pack, &machine);
	pack_u64(&pack, &index);
	pack_part(problem, &n_part, part, &pack);
	share_to_journal(share, &pack);
}

static void add_part(struct flat_part *all, const struct flat_part *part, size_t n_gene)
{
	engine_counts_add(&all->counts, &part->counts);
	for (size_t i = 0; i < all->n_reason; i++)
		all->by_reason[i] += part->by_reason[i];
	/* of equal ones the first part's, whose candidates come first */
	engine_nearest_take(&all->nearest, part->nearest.violation, part->nearest.reason, part->nearest.genome, n_gene);
	pareto_merge(&all->archive, &part->archive);
}

/* Add part index, if it is known; *n_part is of how many, as it says. */
static enum err_code join_one(struct share *share, const struct problem *problem, uint64_t index, uint64_t *n_part,
                              struct flat_part *part, struct flat_part *all, struct err *err)
{
	const struct ledger_entry *entry = share_find(share, 0, index);
	if (!entry) {
		atomic_fetch_add(&share->n_missing, 1);
		return ERR_OK;
	}
	struct pack pack = pack_reader(entry->data, entry->n_byte);
	pareto_init(&part->archive, all->archive.n_objective, all->archive.n_gene);
	pack_part(problem, n_part, part, &pack);
	enum err_code code = ERR_OK;
	if (!pack_done(&pack) || *n_part == 0 || *n_part > SHARE_MAX)
		code = err_add(err, ERR_INPUT, "shard %llu: its journal is of another search",
		               (unsigned long long)index + 1);
	else
		add_part(all, part, problem->n_gene);
	if (code == ERR_OK && part->archive.n > 0 && all->archive.n_alloc == 0)
		code = err_add(err, ERR_INTERNAL, "out of memory");
	pareto_free(&part->archive);
	return code;
}

enum err_code flat_part_join(struct share *share, const struct problem *problem, struct flat_part *all, struct err *err)
{
	struct arena arena = {0};
	struct flat_part part = {.n_reason = all->n_reason};
	part.by_reason = arena_array(&arena, all->n_reason, sizeof(*part.by_reason));
	part.nearest.genome = arena_array(&arena, problem->n_gene, sizeof(*part.nearest.genome));
	enum err_code code = arena.is_out ? err_add(err, ERR_INTERNAL, "out of memory") : ERR_OK;
	uint64_t n_part = 1;
	all->nearest.violation = INFINITY;
	for (uint64_t i = 0; i < n_part && code == ERR_OK; i++)
		code = join_one(share, problem, i, &n_part, &part, all, err);
	/* the parts' ends are one */
	all->counts.n_stop[ENGINE_STOP_EXHAUSTED] = all->counts.n_stop[ENGINE_STOP_EXHAUSTED] > 0;
	pareto_sort(&all->archive);
	arena_free(&arena);
	return code;
}
