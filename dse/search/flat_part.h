/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FLAT_PART_H
#define DSE_FLAT_PART_H
/*
 * Shards of a flat exhaustive search: each one goes through a range of all
 * candidates, in the order of their genomes, and keeps in its journal what its
 * search ended with; all of those together are what one search would end with.
 */
#include "dse/engine/engine.h"
#include "dse/search/share.h"

/* What a flat search ends with. */
struct flat_part {
	struct pareto archive; /* genomes of the flat problem */
	struct engine_counts counts;
	size_t n_reason;
	uint64_t *by_reason; /* [n_reason], the caller's */
	struct engine_nearest nearest;
};

/*
 * The range of part share->index of share->n into options; the whole where n is 1. ERR_INPUT when there are more
 * candidates than numbers for them.
 */
enum err_code flat_part_deal(const struct share *share, const struct problem *problem, struct engine_options *options,
                             struct err *err);

/* Keep a search that has come to its end in the shard's journal. */
void flat_part_keep(struct share *share, const struct problem *problem, struct flat_part *part);

/*
 * Join what all parts ended with into an empty one whose archive is initialised. Of parts that are in no journal the
 * number is added to share->n_missing. ERR_INPUT when a record is of another search, ERR_INTERNAL.
 */
enum err_code flat_part_join(struct share *share, const struct problem *problem, struct flat_part *all,
                             struct err *err);

#endif
