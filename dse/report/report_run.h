/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_REPORT_RUN_H
#define DSE_REPORT_RUN_H
/* The run that a report shows: a run of the store, or the files of a result folder. */
#include "dse/design/front_read.h"
#include "dse/run/run_note.h"
#include "sim/base/doc.h"

/* Where the runs of one command come from. Initialise with {.request = ...}. */
struct report_source {
	struct store_request request;
	struct database *store; /* opened with the first run that is no folder */
};

struct report_run {
	const char *name;                  /* as the user named it */
	struct run_record record;          /* of a kept run; else id is 0 and all but folder is not set */
	const char *store;                 /* path of the one that keeps it; NULL: it is a folder's */
	const char *folder;                /* where its files are, or were written */
	const char *run_path, *front_path; /* what messages call its two files */
	const struct doc_node *run;        /* run.json */
	struct kept_front front;           /* front.json; n_point 0: nothing was feasible */
	struct run_file *input;            /* [n_input] as run.json names them, without data */
	size_t n_input;
	struct arena arena;
};

/*
 * Find and read a run: a folder with a run.json in it, or one of those files, or else as run_store_find has it.
 * Initialise *run with {0}; the caller frees it, also after an error. ERR_USAGE, ERR_IO, ERR_INPUT (damaged; front.json
 * of another run, or missing), ERR_INTERNAL.
 */
enum err_code report_run_open(struct report_source *source, const char *name, struct report_run *run, struct err *err);

/*
 * The run's space as it was read then: from the disk where all its files are still the same, else from the bytes that
 * the store keeps. ERR_INPUT naming what is neither, ERR_IO, ERR_INTERNAL; *space is empty then.
 */
enum err_code report_run_space(struct report_source *source, struct report_run *run, struct space *space,
                               struct err *err);
void report_run_free(struct report_run *run);
void report_source_close(struct report_source *source);

/* A text of run.json, "" where it is not there; a number, or other where it is not. key may be "outer.inner". */
const char *report_run_text(const struct report_run *run, const char *key);
double report_run_real(const struct report_run *run, const char *key, double other);
const struct doc_node *report_run_node(const struct report_run *run, const char *key);

#endif
