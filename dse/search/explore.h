/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EXPLORE_H
#define DSE_EXPLORE_H
/*
 * The search driver: all machine candidates of a space, either layer by layer
 * with composition (exact, and the default) or flat, whole networks at once
 * (any engine), to one Pareto front over the space's objectives. Memory is
 * bounded by the fronts; the result is the same for any number of threads.
 */
#include "dse/base/at_work.h"
#include "dse/search/candidate.h"
#include "dse/search/front_cache.h"
#include "dse/search/live.h"
#include "dse/pareto/pareto.h"
#include "dse/search/share.h"
#include "dse/search/standing.h"
#include <stdio.h>

#define EXPLORE_MAX_REJECTION 16
#define EXPLORE_MAX_FAILURE 16
#define EXPLORE_TEXT_SIZE 256
#define EXPLORE_MAX_DEAD 64

/* Who looks on from outside, and may end it. */
struct explore_watch {
	struct live *live;            /* of live_start_silent; NULL: nobody looks */
	const struct stop_wish *wish; /* heard as a signal is; NULL: nobody's */
};

/* Who is told of each machine that was searched, in their order, with its layers' fronts; machine NULL: nobody. */
struct explore_log {
	enum err_code (*machine)(void *context, const struct candidate *candidate, struct err *err);
	void *context;
};

struct explore_options {
	const struct engine_kind *engine;
	bool flat;                     /* engines that do not solve layers apart always are */
	unsigned n_thread;             /* 1.. */
	uint64_t seed, max_evaluation; /* 0: no limit */
	uint64_t max_box;              /* of branch and bound, shared out among its searches; 0: no limit */
	uint64_t max_ms;               /* for searching; 0: no limit */
	double epsilon;    /* of branch and bound, layer by layer: see candidate_set_epsilon; 0: the front is exact */
	bool all_machines; /* search those, too, whose bounds say that they have nothing on the front */
	bool prices;       /* what the front's layers' searches found is kept, for dse/price */
	bool keeps_layers; /* so it is, of all machines, for samples of coefficients (dse/price/sample.h) */
	bool ends_at_once; /* when the time is up: nothing is said of how near the front is */
	bool show_progress;
	struct live_axes live; /* what of it is drawn on a terminal */
	struct explore_watch watch;
	FILE *points;          /* receives the layers' fronts as CSV; NULL: nobody wants them */
	/* Which searches are made here and which are known; NULL: all, none. A part of several makes its searches and
	 * no front. */
	struct share *share;
	struct checkpoint *checkpoint; /* of a flat search; NULL: none */
	struct front_keeper kept;      /* layer fronts that earlier runs have found */
	struct explore_log log;        /* of an exact search without a share */
	struct at_work_page *at_work;  /* is told of each machine, and says which are left out; NULL: nobody is */
};

/* Counts of designs; what was asked was feasible or not: n_told = n_feasible + n_infeasible. */
struct explore_counts {
	uint64_t n_machine, n_machine_rejected,
	    n_machine_dead;           /* candidates; refused by rules; without a feasible design */
	uint64_t n_machine_cut;       /* bounds prove them to have nothing on the front: no layer was searched */
	uint64_t n_cut_with_machine;  /* their designs; of n_candidate */
	uint64_t n_layer, n_distinct; /* of all networks */
	uint64_t n_legal;             /* designs of all distinct layers on all machines, splits not reduced */
	uint64_t n_candidate;         /* of them those that rules, or lists that are reduced, leave */
	double log10_design;          /* of the number of designs of whole networks on all machines */
	struct engine_counts engine;
	uint64_t by_reason[LAYER_N_REASON];
	uint64_t cut_by_reason[LAYER_N_REASON]; /* designs in boxes that a branch and bound cut unopened */
	uint64_t n_box;                         /* that it looked at */
	uint64_t n_unreached;                   /* designs of places that no chain of layers gets to */
	uint64_t n_shared, n_search_shared;     /* designs, searches: their fronts are another machine's, too */
	uint64_t by_limit[N_METRIC];            /* whole designs (flat) or machine candidates that break a limit */
	uint64_t n_composed;
	double epsilon;  /* 0: the front is exact; see dse/pareto/compose.h */
	bool is_limited; /* of designs that keep the limits by less than epsilon nothing is proven */
	/* then: nor of any, as a design for which a machine was cut may be such a one */
	bool cuts_are_limited;
	size_t n_rejection;
	struct {
		char why[EXPLORE_TEXT_SIZE];
		uint64_t n;
	} rejection[EXPLORE_MAX_REJECTION];
};

/* How close the search came where nothing is feasible. Later stages are closer than earlier ones. */
enum explore_stage { STAGE_NONE, STAGE_REFUSED, STAGE_MACHINE, STAGE_LAYER, STAGE_NETWORK, STAGE_TOTAL };
struct explore_miss {
	enum explore_stage stage;
	double violation; /* how far over its limit, as a fraction of the limit; smaller is nearer */
	uint32_t machine_index;
	char machine[EXPLORE_TEXT_SIZE];  /* name and axes */
	char text[2 * EXPLORE_TEXT_SIZE]; /* what broke which limit by how much */
	bool is_limit; /* on a metric; value: of a design, or what no design of the machine has less of */
	bool is_least;
	enum metric metric;
	double value, limit;
};

/* A machine candidate, or what of it, that could not be searched to the end: no memory, or a self-check failed. */
struct explore_failure {
	char machine[EXPLORE_TEXT_SIZE]; /* name and axes */
	char why[2 * EXPLORE_TEXT_SIZE];
};

/* A machine candidate, and what the searches of its layers found. */
struct explore_kept {
	uint32_t machine_index;
	bool is_on_front;
	size_t n_task;
	struct pack *task; /* [n_task] as candidate_pack_task writes them */
};

struct least_table;
struct unrolled_design;
struct explore {
	const struct space *space;
	struct layer_map map;
	struct pareto front; /* sorted; over the space's objectives; genomes as genome_size() says */
	struct explore_counts counts;
	struct explore_miss miss;
	uint64_t n_failure;  /* of which the first are listed */
	uint64_t n_left_out; /* of them: machines of which nothing was looked at (dse/base/at_work.h) */
	struct explore_failure failure[EXPLORE_MAX_FAILURE];
	bool interrupted; /* Ctrl-C, or who looks on: the front is of what was seen */
	bool truncated;   /* max_evaluation or max_ms was reached: likewise */
	bool out_of_time; /* it was max_ms */
	/* Of a branch and bound that was cut short: no design that keeps the limits is in all objectives more than
	 * (1 + gap) times smaller than a point of the front. INFINITY: nothing is known. */
	double open_gap_frac;
	struct history history; /* of the front over all networks and machines */
	double seconds;
	/* The front's designs as dse/design/unroll.c has numbered and evaluated them before; NULL: it evaluates them.
	 */
	struct unrolled_design *known_design;
	size_t n_known_design;
	/* Where each machine stands in the tier that searched; NULL: nobody noted it, as in a flat search. */
	struct standings *standings;
	struct least_table *least; /* what layers' searches found, for dse/check/misfit.c; NULL: not kept */
	/* Machine candidates without a design, as they were searched, for dse/check/misfit.c; none where there is a
	 * front. */
	size_t n_dead;
	struct candidate *dead; /* [n_dead] the first EXPLORE_MAX_DEAD */
	/* With options->prices: the machines of the front, of a few dozen machines those just behind it, too, and with
	 * options->all_machines all with a design, in their order. */
	size_t n_kept;
	struct explore_kept *kept; /* [n_kept] */
};

/* Work of a search, in boxes that a branch and bound looks at: an evaluation takes about as long, a pair composed less.
 */
uint64_t explore_work(const struct explore_counts *counts);

/*
 * Explore a space. An empty front is no error here, nor is a machine candidate that fails: it is noted, and the others
 * go on. ERR_INTERNAL when memory is out for what all of them need, ERR_INPUT when a space is too large for a flat
 * search, or when the share lacks a search. The caller frees the result with explore_free, also after an error.
 */
enum err_code explore_run(const struct space *space, const struct explore_options *options, struct explore *explore,
                          struct err *err);
void explore_free(struct explore *explore);

/* What explore_run begins with, and dse/run/answer.h: a map of the layers, and nothing found yet. ERR_INTERNAL. */
enum err_code explore_begin(const struct space *space, struct explore *explore, struct err *err);

/* Name and axis values of a machine candidate: "DVFS chip, mla.array 16x4". */
void explore_machine_text(const struct space *space, uint32_t machine_index, const struct machine *machine, char *text,
                          size_t n_byte);

/* Designs in boxes that were cut because none of them runs or keeps the limits. */
uint64_t explore_count_cut_infeasible(const struct explore_counts *counts);

#endif
