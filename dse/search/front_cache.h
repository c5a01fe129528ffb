/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FRONT_CACHE_H
#define DSE_FRONT_CACHE_H
/*
 * Layer fronts that machines of a run have in common: each is searched once.
 *
 *   entry: all with the same hash ─► record: room 262144, its front needs  98304  serves  98304 to 262144
 *                                 └► record: room  65536, its front needs  61440  serves  61440 to  65536
 *
 * Room is the SRAM of a PE. The first search of a layer uses the machine with the most
 * SRAM, which needs that search in any case.
 */
#include "dse/search/candidate.h"
#include "dse/layer/front_key.h"

struct front_store;
struct layer_floor;

/* One search. */
struct front_record {
	struct front_record *next;
	uint64_t room_byte, need_byte; /* serves from need to room; both 0 where SRAM is in the key */
	bool is_counted;               /* a machine with this room has the search's counts as its own */
	struct pack task;              /* what candidate_pack_task wrote of it */
};

/* All searches with one hash and one set of limits: weighted networks have limits of their own. */
struct front_entry {
	char hex[HASH_HEX_SIZE];
	double limit[N_METRIC]; /* on the layer's metrics; 0 beyond */
	struct front_entry *next;
	struct front_record *record; /* in the order of finding */
	struct layer_floor *floor;   /* of outlooks (dse/search/layer_floors.h); likewise */
	unsigned part;               /* of several processes the one that makes these searches */
	bool is_dealt;
	size_t chain_1; /* while outlooks are made: the chain of those that ask for it, and 1; else 0 */
};

struct front_cache;

/* NULL when memory is out; front_cache_free takes it. */
struct front_cache *front_cache_new(void);
void front_cache_free(struct front_cache *cache);

/*
 * Fill entry [n_task] for the candidate's tasks; where is NULL, the task is searched for itself: none leads to it, or
 * memory is out. Serially. Only of candidates that branch and bound searches.
 */
void front_cache_list(struct front_cache *cache, const struct candidate *candidate, struct front_entry **entry);

/* The entry of a key and limits [n_metric], a new one where there is none. NULL when memory is out. Serially. */
struct front_entry *front_cache_find(struct front_cache *cache, const char hex[HASH_HEX_SIZE], const double *limit,
                                     unsigned n_metric);

/* Where fronts of layers outlive a run (dse/search/front_store.h): asked before a search, and told what it has found.
 */
struct front_keeper {
	struct front_store *fronts; /* NULL: nowhere */
	bool (*take)(struct front_store *fronts, const struct front_key *key, struct candidate *candidate, size_t i);
	void (*keep)(struct front_store *fronts, const struct front_key *key, struct candidate *candidate, size_t i);
};

/* How to search; as candidate_search. */
struct front_search {
	unsigned n_thread;
	const struct engine_options *options;
	engine_watch watch;
	void *watch_context;
	struct front_keeper kept; /* fronts of earlier runs */
	uint64_t lead_byte; /* most SRAM that a machine like the candidate's, to be searched later, has; 0: none */
};

/*
 * Search task i, or take its front from a search that serves. The front is the same in any case; so are the counts as
 * long as tasks with one entry come in the order of their machines. Different entries may be worked on at the same
 * time.
 */
void front_cache_search(struct front_entry *entry, struct candidate *candidate, size_t i,
                        const struct front_search *search);

/* Let later machines know of a search that an earlier run made of task i. As above. */
void front_cache_know(struct front_entry *entry, struct candidate *candidate, size_t i);

#endif
