/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NIGHT_H
#define DSE_NIGHT_H
/*
 * A night: spaces are searched, each is compared with its last good night, and what came of it is written for people,
 * programs and CI.
 *
 *   night_apart: a process a space       night_write
 *   night_search ─► night_judge      ─►  (index.html, nightly.json, junit.xml)
 *   (runs in the    (a verdict,
 *    store)          what is lost)
 */
#include "dse/run/run_note.h"
#include "dse/run/tolerance.h"
#include "dse/keep/folder_lock.h"
#include "dse/night/night_fronts.h"
#include "dse/night/night_noise.h"
#include "dse/space/machine_set.h"

#define NIGHT_WHY_SIZE 512
/* Nights of a trend. */
#define NIGHT_MAX_TREND 120

/* A value that was another one in the good night. */
struct night_cause {
	const char *file, *key; /* "spaces/machines/dvfs_chip.yaml", "mla.array"; key "" for a whole file */
	const char *before, *now;
	const char *effect; /* what it does alone; "": nobody looked */
};

/* How likely tonight's figure is by chance alone (dse/night/night_noise.h). */
struct night_measure {
	double good, now;                   /* medians, or of deterministic searches the values */
	double chance_worse, chance_better; /* NaN: not of a stochastic search */
};

struct night_space {
	const char *file;
	struct night_row *row;  /* NULL: the space could not be searched; after night_judge with a verdict */
	struct night_row *good; /* NULL: there is none */
	const char *engine, *exactness;
	bool is_random, is_searched; /* searched: all runs that were asked for are there */
	bool is_known;               /* nothing was left to be searched */
	enum err_code code;          /* why it has no result, with messages in log */
	const char *log;
	const char *why; /* the verdict in a sentence */
	/* Of a stochastic search: designs of the good night's front that, evaluated again, are worse (lost then names
	 * them), or only better. */
	size_t n_dearer, n_cheaper;
	/* Of each objective what --tolerance allows, else the space's resolution, else the model's. */
	double tolerance_frac[SPACE_MAX_OBJECTIVE];
	bool is_tolerated; /* it differs by more than is proven, but by no more than is tolerated */
	size_t n_pool;     /* values of earlier seeds */
	struct night_measure hypervolume, best[SPACE_MAX_OBJECTIVE];
	size_t n_lost, n_gained, n_cause;
	struct night_point lost[NIGHT_MAX_NAMED], gained[NIGHT_MAX_NAMED];
	struct night_cause cause[NIGHT_MAX_NAMED];
};

/* What a night was asked for. */
struct night_request {
	struct store_request store;
	const char *note; /* why --accept; NULL: none */
	size_t n_accept, n_table, n_set;
	const char *const *accept;    /* [n_accept] names of spaces */
	const char *const *table;     /* [n_table] files and folders of reference tables */
	const char *const *set;       /* [n_set] "KEY=VALUE", of the machines of all spaces */
	const char *tolerance_text;   /* NULL: nothing was said */
	struct tolerance tolerance;   /* what it does not say: each space's resolution */
	uint64_t max_seconds, max_mb; /* of a space's process (dse/base/child.h); 0: no limit */
	uint64_t jobs;                /* threads; 0: one a core */
	bool json, quiet, no_progress;
};

struct night {
	struct night_request request;
	struct machine_set set;  /* request.set */
	const char *date, *made; /* of the night; when the page is made, in UTC */
	size_t n_seed;
	struct database *store;
	struct folder_lock lock;               /* of folder, as long as the night is at work */
	const char *store_path, *out, *folder; /* out: where runs' folders go, folder: the night's below it */
	size_t n_space;
	struct night_space *space; /* [n_space] in the order given */
	bool is_stopped;           /* Ctrl-C */
	bool is_child;             /* of another night's process: one space, and no page */
	bool is_known;             /* all searches are in the store; what is missing there is an error */
	struct arena arena;        /* owns all texts and rows */
};

/*
 * Make the searches of a space that the night has not made yet, n_run in all; what is kept of the same night with the
 * same inputs and the same program is taken. space->row is set, and is_searched. Mistakes of the space are in
 * space->code and log, which is no failure here. ERR_INTERRUPTED, ERR_IO of the store, ERR_INTERNAL.
 */
enum err_code night_search(struct night *night, struct night_space *space, size_t n_run, struct err *err);

/*
 * Search, judge and find causes of a space in a process of its own, which leaves all of it in the store. space->code
 * and log say why where it did not come to its end, what reproduces it among the log's lines, and its row in the store
 * has failed. ERR_INTERRUPTED, ERR_IO of the store or where no process can be started, ERR_INTERNAL.
 */
enum err_code night_apart(struct night *night, struct night_space *space, struct err *err);

/* Of such a process: tell the one that started it which search begins. */
void night_say_search(const char *space, uint64_t seed);

/*
 * Compare a space's row, all of whose runs are there, with the last good one before it: verdict, medians, chances, and
 * the points lost and gained. *n_more: so many runs it needs in all before it can tell; 0: it has told. Nothing is
 * written to the store. ERR_IO, ERR_INPUT, ERR_INTERNAL.
 */
enum err_code night_judge(struct night *night, struct night_space *space, size_t *n_more, struct err *err);

/* What of the inputs and the program is not as it was in the good night. ERR_IO, ERR_INPUT, ERR_INTERNAL. */
enum err_code night_find_causes(struct night *night, struct night_space *space, struct err *err);

/* Errors of all reference tables that --tables names; without it of those in tests/reference, if that is here. */
enum err_code night_validate(struct night *night, struct err *err);

/* Write index.html, nightly.json and junit.xml into the night's folder. ERR_IO, ERR_INPUT, ERR_INTERNAL. */
enum err_code night_write(struct night *night, struct err *err);

/* What became of a space, one without a result included. */
enum night_verdict night_verdict_of(const struct night_space *space);

/* junit.xml to a stream: a case for each space, with points and causes where it fails. */
void night_write_junit(FILE *file, const struct night *night);

/* nightly.json to a stream, as --json prints it. */
enum err_code night_write_json(FILE *file, struct night *night, struct err *err);

/* A space's line. */
void night_print_line(FILE *file, const struct night_space *space);

/* The exit code of the night: 130, 6, or that of the first space that failed. */
enum err_code night_exit_code(const struct night *night);

#endif
