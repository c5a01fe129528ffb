/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_HISTORY_H
#define DSE_HISTORY_H
/*
 * History of a search: how good its front was after so many evaluations. While
 * it runs, marks keep what the front was; the farther it is, the farther they
 * are apart (by a factor), so that few stand for a search of any length. Their
 * hypervolume is measured at the end, when the last front says up to where.
 */
#include "dse/base/pack.h"
#include "dse/pareto/pareto.h"

enum { HISTORY_MAX_MARK = 200 };

struct history_mark {
	uint64_t n_evaluation;
	double seconds;    /* since the search began */
	size_t n_point;    /* of the front */
	double *objective; /* [n_point][n_objective] */
};

/* Initialise with history_init; one that is all zero may be freed. */
struct history {
	unsigned n_objective;
	size_t n_mark, n_number; /* numbers in all marks' objectives */
	uint64_t due;            /* evaluations after which the next mark is due */
	double factor;           /* from one mark to the next */
	uint64_t start_ms;
	bool failed; /* memory is out: there are no marks any more, which no search need mind */
	/* Told of the front at each history_note, for who draws it; NULL: nobody. */
	void (*show)(void *context, const struct pareto *front);
	void *show_context;
	struct history_mark mark[HISTORY_MAX_MARK];
};

/* Time begins now. */
void history_init(struct history *history, unsigned n_objective);
void history_free(struct history *history);

/* Mark the front after n evaluations, where that is due or the search is over; n never falls. */
void history_note(struct history *history, uint64_t n_evaluation, const struct pareto *front, bool is_over);

/* Hypervolume of mark i up to reference [n_objective]; 0 also when memory is out. At most 4 objectives. */
double history_volume(const struct history *history, size_t i, const double *reference);

/* Shares of the last mark's hypervolume that are reported, in order. */
enum { HISTORY_N_SHARE = 7 };
extern const double history_share[HISTORY_N_SHARE];

/*
 * After how many evaluations each share was reached, as far as marks tell: at most one factor too late. 0 where there
 * is no mark. reference: see history_volume.
 */
void history_reach(const struct history *history, const double *reference, uint64_t n_evaluation[HISTORY_N_SHARE]);

/* Write it, or read it into one that is initialised alike; time goes on where it stood. */
void history_pack(struct history *history, struct pack *pack);

#endif
