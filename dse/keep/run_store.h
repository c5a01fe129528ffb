/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RUN_STORE_H
#define DSE_RUN_STORE_H
/*
 * Store of runs: one file that keeps what was asked and what came out, run
 * after run, for dse runs, show and export.
 *
 *   run ──┬── run_input ──┐
 *         ├── run_file ───┴──► content: each text once, under its hash
 *         └── answer: what dse/run/answer.h writes, under the key of its question
 *
 * A run is written in one transaction when it has come to its end: it is there
 * whole or not at all. run.json is kept as it is, so that SQL reaches counts,
 * certificate and progress: json_extract(content.data, '$.counts.evaluations').
 */
#include "dse/keep/database.h"
#include "sim/base/arena.h"
#include "sim/base/hash.h"

#define RUN_STORE_NAME "dse.sqlite"

/* A file of a run: an input or a result. */
struct run_file {
	const char *name; /* an input's path as it was given; a result's name in its folder */
	const char *hash; /* of its bytes, as hash_hex has it */
	const void *data; /* NULL: not kept */
	size_t n_byte;
};

/* A run. Texts are never NULL. */
struct run_record {
	uint64_t id;                 /* from 1; the store gives it */
	const char *date;            /* when it began: "2026-11-22T08:21:26Z" */
	double seconds;              /* of its search */
	const char *version, *build; /* of dse: its number, and a hash of its sources */
	const char *model;           /* sim/base/model_version.h; "": not noted */
	const char *command, *folder;
	const char *space, *engine, *detail;
	const char *state;       /* "complete", "cut short", "failed" */
	const char *exactness;   /* "exact", "within 0.13 %", "unproven" */
	const char *certificate; /* in a sentence */
	uint64_t seed, n_point;
	const char *signature; /* of the front; "" where there is none */
	double hypervolume;    /* up to 1.1 times the front's largest values; 0 where there is none */
	size_t n_input, n_file;
	struct run_file *input, *file; /* [n_input], [n_file]; as listed without data */
	uint64_t known_from;           /* the run whose answer it has, not having searched itself; 0: it has searched */
	/* Of a run that is put: its answer, for runs to come; NULL: none. With known_from the key alone. */
	const char *answer_key;
	const void *answer;
	size_t n_answer;
	unsigned n_thread; /* to be kept on; 0: one */
};

/* Open a store; create: make one where there is none. ERR_IO, ERR_INPUT, ERR_INTERNAL, as database_open has them. */
enum err_code run_store_open(const char *path, bool create, struct database **store, struct err *err);

/* Keep a run; *id its number. Nothing is kept on failure. ERR_IO, ERR_INTERNAL. */
enum err_code run_store_put(struct database *store, const struct run_record *run, uint64_t *id, struct err *err);

/* Which runs: all that are set must hold. */
struct run_filter {
	const char *space, *engine; /* NULL: any */
	const char *signature;      /* how it begins; NULL: any */
	uint64_t id;                /* 0: any */
	size_t max;                 /* the newest so many; 0: all */
};

/*
 * List runs, newest first, with their inputs and files, but not what those hold. *run [*n] and all texts live in arena.
 * ERR_IO, ERR_INPUT, ERR_INTERNAL.
 */
enum err_code run_store_list(struct database *store, const struct run_filter *filter, struct arena *arena,
                             struct run_record **run, size_t *n, struct err *err);

/*
 * The run that a user means: a number, the beginning of a signature (of several runs with that front the newest),
 * "last" or a space's name (its newest), or the Nth before one of these: "last~1". ERR_USAGE with what there is when it
 * is none or not unique.
 */
enum err_code run_store_find(struct database *store, const char *name, struct arena *arena, struct run_record *run,
                             struct err *err);

/* What stands under a hash; the caller frees *data, behind which a zero byte stands. ERR_INPUT when it is not kept. */
enum err_code run_store_content(struct database *store, const char *hash, char **data, size_t *n_byte, struct err *err);

/* An answer that is kept. */
struct run_answer {
	uint8_t *data; /* NULL: there is none; the caller frees it */
	size_t n_byte;
	uint64_t run; /* the one that searched */
	char date[24];
	double seconds; /* of its search */
};

/* Find the answer under a key. A damaged one is none: it can be searched for again. ERR_IO, ERR_INTERNAL. */
enum err_code run_store_answer(struct database *store, const char *key, struct run_answer *answer, struct err *err);

/* A file of a run by its name; NULL: it has none. */
const struct run_file *run_record_file(const struct run_record *run, const char *name);

/*
 * What may go: runs that are neither among the newest n_keep of their space nor younger than n_day, nor of the last or
 * the last good night of their space (dse/night/night_store.h).
 */
struct run_retention {
	bool has_keep, has_day;
	uint64_t n_keep;
	double n_day;
	const char *space; /* NULL: all spaces */
};

/* Mark what may go: [*n] of the runs in *run, as run_store_list has them, newest first. */
enum err_code run_store_old(struct database *store, const struct run_retention *retention, struct arena *arena,
                            struct run_record **run, size_t *n, struct err *err);

/*
 * Remove runs, and then what no run refers to any more: texts, answers, and layer fronts that are older than all runs
 * left or of a program built of other sources than build. The file gives the room back. ERR_IO, ERR_INTERNAL.
 */
enum err_code run_store_remove(struct database *store, const struct run_record *run, size_t n, const char *build,
                               struct err *err);

#endif
