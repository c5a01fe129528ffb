/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NIGHT_STORE_H
#define DSE_NIGHT_STORE_H
/*
 * Nights in the store of runs: which runs a night made of a space, what came of them, which nights are good. A search
 * is noted when its run is kept, a verdict when all are; a night that was stopped goes on with what is noted. A space
 * may have several rows a night, as it is changed and tried again; the last one counts.
 */
#include "dse/keep/run_store.h"
#include "dse/space/space.h"

/* What became of a space in a night; words, manners and meaning are rows of night_verdict_table. */
enum night_verdict {
	NIGHT_STOPPED, /* so far: its searches are not all made */
	NIGHT_FIRST,
	NIGHT_SAME,
	NIGHT_ALIKE,
	NIGHT_BETTER,
	NIGHT_WORSE,
	NIGHT_CHANGED,
	NIGHT_MODEL,
	NIGHT_ACCEPTED,
	NIGHT_FAILED,
	N_NIGHT_VERDICT
};

struct night_verdict_info {
	const char *name;
	bool passes;
	bool is_good; /* later nights are compared with it */
	bool begins_era;
	const char *help;
};
extern const struct night_verdict_info night_verdict_table[N_NIGHT_VERDICT];

/* One search of a space. */
struct night_run {
	uint64_t run; /* in the store; 0: it was pruned */
	uint64_t seed;
	double seconds;
	uint64_t n_point;
	const char *signature;
	double hypervolume;               /* of the box up to the era's reference, 0..1; NaN: not judged */
	double best[SPACE_MAX_OBJECTIVE]; /* NaN: no point, or not judged */
};

/* One space in one night. Texts are never NULL. */
struct night_row {
	uint64_t id;
	const char *date, *space, *path;
	const char *question; /* hash of all inputs */
	const char *build;
	const char *model; /* sim/base/model_version.h; "": not noted */
	enum night_verdict verdict;
	bool is_good;
	uint64_t era;
	size_t n_objective;
	const char *objective[SPACE_MAX_OBJECTIVE];
	double reference[SPACE_MAX_OBJECTIVE];
	const char *note;
	size_t n_run;
	struct night_run *run; /* [n_run]; 0: of the space's own seed */
};

/* Add a row without runs, stopped so far; row->id becomes its number. ERR_IO, ERR_INTERNAL. */
enum err_code night_store_begin(struct database *store, struct night_row *row, struct err *err);

/* Note a run that is kept. ERR_IO, ERR_INTERNAL. */
enum err_code night_store_add_run(struct database *store, uint64_t night, size_t position, const struct night_run *run,
                                  struct err *err);

/* Write the verdict and all figures of a row that has been judged. ERR_IO, ERR_INTERNAL. */
enum err_code night_store_put_verdict(struct database *store, const struct night_row *row, struct err *err);

/*
 * The last row of a space on a date, or the last good one before number `before`; *row is NULL where there is none. It
 * lives in arena. ERR_IO, ERR_INPUT, ERR_INTERNAL.
 */
enum err_code night_store_find(struct database *store, const char *space, const char *date, struct arena *arena,
                               struct night_row **row, struct err *err);
enum err_code night_store_good(struct database *store, const char *space, uint64_t before, struct arena *arena,
                               struct night_row **row, struct err *err);

/*
 * The rows of a space up to number `last`, one a date, the newest max of them in the order of dates, or the good ones
 * of an era before number `before` in the order they were made (all of them for max 0): [*n] in arena. ERR_IO,
 * ERR_INTERNAL.
 */
enum err_code night_store_trend(struct database *store, const char *space, uint64_t last, size_t max,
                                struct arena *arena, struct night_row **row, size_t *n, struct err *err);
enum err_code night_store_era(struct database *store, const char *space, uint64_t era, uint64_t before,
                              struct arena *arena, struct night_row **row, size_t *n, struct err *err);

/* How far predictions are from one table of published values. */
struct night_error {
	const char *date, *name;
	uint64_t n;               /* values that count */
	double mean_pct, max_pct; /* of the finite ones' absolute errors; NaN: there are none */
};

/* Note errors of a night in place of those it had. ERR_IO, ERR_INTERNAL. */
enum err_code night_store_put_error(struct database *store, const struct night_error *error, struct err *err);

/* All that were noted, by name and date: [*n] in arena. ERR_IO, ERR_INTERNAL. */
enum err_code night_store_errors(struct database *store, struct arena *arena, struct night_error **error, size_t *n,
                                 struct err *err);

#endif
