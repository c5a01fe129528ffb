/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ENGINE_H
#define DSE_ENGINE_H
/*
 * Search engines, ask/tell: the driver (dse/engine/engine_run.h) asks for a
 * batch of candidates, evaluates them in parallel, and tells the engine the
 * results. An engine is one file and one row of engine_table[]; it sees a
 * problem, never a machine or a file.
 */
#include "dse/keep/checkpoint.h"
#include "dse/pareto/history.h"
#include "dse/pareto/pareto.h"
#include "dse/engine/problem.h"
#include "sim/base/err.h"

struct engine_options {
	uint64_t seed;
	uint64_t max_evaluation;       /* 0: no limit */
	uint32_t population;           /* genetic engines; 0: the engine's default */
	uint32_t generations;          /* genetic engines; 0: until stagnation, space exhausted or max_evaluation */
	struct checkpoint *checkpoint; /* where the search's state goes, and comes from; NULL: nowhere */
	/* Genetic engines; 0 or 1: one population (dse/engine/islands.h). Limits but max_evaluation are each island's.
	 */
	uint32_t n_island, migrate_every; /* migrate_every: generations; 0: the default */
	bool is_island;                   /* this engine is one of them; the driver ends it when nothing is gained */
	bool over_ranks;                  /* all ranks call engine_run, and evolve islands; only rank 0 has a watch */
	/* What an island begins with; NULL: what the problem proposes. */
	const uint32_t *proposal; /* [n_proposal][n_gene] */
	size_t n_proposal;
	/* Exhaustive engines: only the candidates of these numbers, in the order of genomes; 0, 0: all. */
	uint64_t first, end;
	struct history *history; /* receives marks of the archive; NULL: nobody wants them */
};

/* Why a search ended. */
enum engine_stop {
	ENGINE_STOP_EXHAUSTED,   /* every candidate is accounted for */
	ENGINE_STOP_STAGNATION,  /* nothing was gained for long */
	ENGINE_STOP_GENERATIONS, /* so many were wanted */
	ENGINE_STOP_EVALUATIONS, /* max_evaluation */
	ENGINE_STOP_WATCH,       /* the caller wanted no more: Ctrl-C, or the time was up */
	ENGINE_N_STOP
};
extern const char *const engine_stop_name[ENGINE_N_STOP];

/* Counts since the engine began; they add up: n_told = n_feasible + n_infeasible. Those of several searches, too. */
struct engine_counts {
	uint64_t n_asked, n_told, n_feasible, n_infeasible;
	uint64_t n_skipped;                /* candidates never asked for because a cut covers them */
	uint64_t n_duplicate;              /* candidates made again and not asked for again */
	uint64_t n_stop[ENGINE_N_STOP];    /* searches that have ended, by what ended them */
	uint64_t n_reach[HISTORY_N_SHARE]; /* evaluations to each history_share; 0 where nobody measured */
};

/* Add up, up to UINT64_MAX. */
void engine_counts_add(struct engine_counts *sum, const struct engine_counts *more);

/* All of them, written or read; counts that cannot be are refused. */
void engine_counts_pack(struct engine_counts *counts, struct pack *pack);

struct engine;

struct engine_kind {
	const char *name, *help;
	bool is_random;  /* looks at a sample that the seed decides; else at every design */
	bool is_layered; /* solves layers apart unless asked not to */
	/* Returns NULL and a message when memory is out. The problem must outlive the engine. */
	struct engine *(*create)(const struct problem *problem, const struct engine_options *options, struct err *err);
	/*
	 * Write up to max candidates into genome [max][n_gene]; returns how many; 0: the
	 * engine is done; SIZE_MAX: memory is out.
	 */
	size_t (*ask)(struct engine *engine, uint32_t *genome, size_t max);
	/* Results of the last ask, same order, all n of them. */
	void (*tell)(struct engine *engine, const uint32_t *genome, const struct evaluation *result, size_t n);
	void (*destroy)(struct engine *engine);
	struct engine_counts (*counts)(const struct engine *engine);
	/* Why there is nothing to ask any more. */
	enum engine_stop (*stop)(const struct engine *engine);
	/* How far it is, 0..1, for progress. */
	double (*progress)(const struct engine *engine);
	/*
	 * Genetic engines, NULL in others: the generation that is being made, from 0; whether nothing was gained for
	 * long; up to max of the best individuals; take in those of another island, between two generations (false when
	 * memory is out).
	 */
	uint32_t (*generation)(const struct engine *engine);
	bool (*is_idle)(const struct engine *engine);
	size_t (*emigrate)(const struct engine *engine, uint32_t *genome, struct evaluation *result, size_t max);
	bool (*immigrate)(struct engine *engine, const uint32_t *genome, const struct evaluation *result, size_t n);
	/*
	 * Write all that decides what the engine does next, or read it into one just created for the same problem and
	 * options. Between tell and ask only.
	 */
	void (*pack)(struct engine *engine, struct pack *pack);
};

/* One engine, one file. */
extern const struct engine_kind engine_exhaustive, engine_nsga2, engine_pls;

/* On problems without layers as exhaustive; layers are searched by branch and bound (dse/layer/branch.h). */
extern const struct engine_kind engine_exact;

/* All engines, for --engine and its help. */
extern const struct engine_kind *const engine_table[];
extern const size_t engine_n;
const struct engine_kind *engine_find(const char *name);

/* Called after each batch; return false to stop early (Ctrl-C, time). */
typedef bool (*engine_watch)(void *context, double progress, const struct engine_counts *counts);

/* A watch that waits for a signal alone, or with a struct stop as its context for that, too. */
bool engine_watch_stop(void *context, double progress, const struct engine_counts *counts);

/* The infeasible candidate that violates its limits least. */
struct engine_nearest {
	double violation; /* infinite: none seen */
	uint32_t reason;
	uint32_t *genome; /* [n_gene], the caller's memory */
};

/* Take another candidate's place where it violates less. */
void engine_nearest_take(struct engine_nearest *near, double violation, uint32_t reason, const uint32_t *genome,
                         size_t n_gene);

/* Written or read; a genome that is none of n_value [n_gene] is refused. */
void engine_nearest_pack(struct engine_nearest *near, const uint32_t *n_value, size_t n_gene, struct pack *pack);

/* A search: by which engine, of what, and where its results go. */
struct engine_search {
	const struct engine_kind *kind;
	const struct problem *problem;
	const struct engine_options *options;
	unsigned n_thread;      /* 0: all */
	struct pareto *archive; /* initialised by the caller; sorted at the end */
	struct engine_counts *counts;
	size_t n_reason;
	uint64_t *n_by_reason;       /* [n_reason] is added to; NULL when n_reason is 0 */
	struct engine_nearest *near; /* of equal ones the one asked for first; may be NULL */
	engine_watch watch;          /* may be NULL */
	void *watch_context;
};

#endif
