/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_KEPT_RUN_H
#define DSE_KEPT_RUN_H
/*
 * A run that is over, read from the store or from its folder: its request, what it proves, its front, and its space.
 */
#include "dse/design/front_read.h"

struct kept_run {
	const char *title; /* "run 7", or its folder */
	struct run_record
	    record; /* of a folder: without id, date and build; inputs have their bytes where they are known */
	struct kept_front front; /* without points: there is none */
	bool has_space;          /* inputs could be read; else why_no_space says why not */
	struct space space;
	const char *why_no_space;
	bool is_proven; /* its engine proves its front, and came to the end of its search */
	double epsilon; /* then: no design is better than the front by more than this fraction; 0: exact */
	const struct doc_node *options; /* of run.json: a map; NULL: it has none */
	struct arena arena;
};

/*
 * Read the run that a user names: a folder with a run.json, or a run of the store (run_store_find). store may be NULL;
 * a folder's inputs are taken from it, too, if it keeps them. ERR_USAGE, ERR_IO, ERR_INPUT, ERR_INTERNAL. Missing
 * inputs are no error (has_space). The caller frees it with kept_run_free, also after an error.
 */
enum err_code kept_run_open(struct database *store, const char *name, struct kept_run *run, struct err *err);

/* What run.json proves, in a word or two, as the store has it of a kept run. */
#define KEPT_EXACTNESS_SIZE 48
void kept_run_exactness(const struct doc_node *run_json, char text[KEPT_EXACTNESS_SIZE]);

/* Whether a name is that of a folder with a run.json. */
bool kept_run_is_folder(const char *name);
void kept_run_free(struct kept_run *run);

#endif
