/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RUN_NOTE_H
#define DSE_RUN_NOTE_H
/*
 * From a run to the store of runs (dse/keep/run_store.h). Before the search, the store is opened and the inputs are
 * read; when the run's files are written, the run is kept.
 */
#include "dse/result/front_file.h"
#include "dse/search/front_store.h"
#include "dse/keep/run_store.h"
#include <time.h>

#define RUN_DATE_SIZE 24

/* Which store a command was asked for. */
struct store_request {
	const char *command; /* its name, for messages */
	const char *store;   /* --store; NULL: not given */
};

/* Inputs larger than this (weights of a model) are kept by hash alone. */
#define RUN_NOTE_MAX_BYTE (64u << 20)

/* Initialise with `struct run_note note = {0};`. */
struct run_note {
	char *path; /* of the store; NULL: the run is not kept */
	/* The store, open as long as the run lasts: whoever closes it last writes its log into it and removes that. */
	struct database *held;
	char date[RUN_DATE_SIZE];             /* when it began */
	bool is_read_only;                    /* the store is: nothing is kept */
	size_t n_input;                       /* of the space's files */
	struct run_file *input;               /* [n_input], with data */
	char key[HASH_HEX_SIZE];              /* of the question, for answers; "": there is none */
	struct front_known known;             /* where the answer is from; run 0: it was searched for */
	char signature[FRONT_SIGNATURE_SIZE]; /* of the known front */
	bool has_text;                        /* text is that of the known front's files */
	struct front_text text[FRONT_N_TEXT];
	struct front_store *fronts; /* of layers; NULL: none are kept */
};

/*
 * The path of the store: --store, else DSE_STORE in the environment, where "none" means no store. Without either it is
 * dse.sqlite beside the run's folder, or in results/ for commands without a folder (NULL). *path is NULL for no store;
 * the caller frees it. ERR_USAGE: DSE_STORE is not printable.
 */
enum err_code run_note_choose(const struct store_request *request, const char *folder, char **path, struct err *err);

/* Whether path is the store that commands without a folder and without --store take. */
bool run_note_is_usual(const char *path);

/* Open the store that the command line means, to read what was kept. ERR_IO, also where there is none yet, ERR_USAGE,
 * ERR_INPUT, ERR_INTERNAL. */
enum err_code run_note_open(const struct store_request *request, struct database **store, struct err *err);

/* The store that the command line means for a run's folder, by default the one beside it; NULL: there is none. */
struct database *run_note_open_beside(const struct store_request *request, const char *folder);

/* A time in UTC as texts have it, "2026-11-22T08:21:26Z"; a time that is none is the beginning of 1970. */
void run_note_date(time_t time, char text[RUN_DATE_SIZE]);

/*
 * Before a search into a folder: better to fail now than after an hour. A store that can only be read answers, and
 * keeps nothing, which is said. ERR_IO, ERR_INPUT, ERR_INTERNAL.
 */
enum err_code run_note_begin(struct run_note *note, const struct store_request *request, bool is_quiet,
                             const char *folder, const struct space *space, struct err *err);

/*
 * Take what a run that asked the same has found, instead of searching: *is_known says whether there is one. explore is
 * begun then, as after a search. ERR_IO, ERR_INTERNAL.
 */
enum err_code run_note_recall(struct run_note *note, const struct space *space, const struct explore_options *options,
                              struct explore *explore, bool *is_known, struct err *err);

/* Let a search know the layer fronts of earlier ones, and keep its own. ERR_IO, ERR_INPUT, ERR_INTERNAL. */
enum err_code run_note_know_fronts(struct run_note *note, struct explore_options *options, struct err *err);

/* Keep the run whose files are in folder; *id its number, 0 where no store keeps it. ERR_IO, ERR_INTERNAL; the store is
 * as it was then. */
enum err_code run_note_keep(const struct run_note *note, const struct front_run *run, const char *folder, uint64_t *id,
                            struct err *err);
void run_note_free(struct run_note *note);

#endif
