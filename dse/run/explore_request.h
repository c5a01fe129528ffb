/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EXPLORE_REQUEST_H
#define DSE_EXPLORE_REQUEST_H
/* What dse explore was asked: by its command line, the journal that is taken up, or a night. Texts are the caller's. */
#include "dse/base/at_work.h"
#include "dse/run/run_note.h"

/* --detail: the fast tier searches, the event tier prices what may be on the front (dse/price/price.h). */
#define EXPLORE_DETAIL_BOTH "both"

struct explore_request {
	struct store_request store;
	const char *space;  /* file */
	const char *engine; /* NULL: the space's */
	const char
	    *detail; /* tier, or EXPLORE_DETAIL_BOTH; NULL: both where that is usual (dse/price/price.h), else fast */
	const char *live;   /* "X,Y" or "line"; NULL: the first two objectives */
	const char *shard;  /* "I/N"; NULL: the whole */
	const char *resume; /* folder of a run to take up; NULL: a new run */
	const char *certificate; /* file that receives what the front rests on; NULL: none */
	const char *out;    /* where the run's folder goes; NULL: results */
	struct at_work_page *at_work; /* of a process that another one watches; NULL: nobody does */
	bool flat, points, verify, prove, audit, no_cache;
	bool closes_gap; /* prices until the assumed gap is no more than the resolution */
	bool json, quiet, no_progress;
	bool has_seed, has_max_evaluations, has_jobs; /* given; else the space's, or one thread a core */
	bool has_epsilon;
	uint64_t seed, max_evaluations, max_seconds, jobs;
	double epsilon_pct;           /* of an exact search; 0: none */
	uint64_t audit_samples;       /* 0: the audit's default */
	uint64_t coefficient_samples; /* 0: none */
	size_t n_compare;
	const char *const *compare; /* [n_compare] mappings to be set beside the front */
	size_t n_set;
	const char *const *set; /* [n_set] "KEY=VALUE": machine parameters in place of the machine files' */
};

#endif
