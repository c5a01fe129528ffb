/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RUN_KEEP_H
#define DSE_RUN_KEEP_H
/*
 * What a run keeps in its folder while it works: journal, checkpoint and lock.
 *
 *   run_keep_start ─► request ─► run_keep_open ─► run_keep_begin ─► explore_run ─► run_keep_finish
 *   (reads the folder)           (same question?)  (journal)                       (clears, when complete)
 *
 * The process that has the folder's lock does all of this, from the first look at the folder to run_keep_close. Of
 * several ranks, rank 0 has the lock for all.
 */
#include "dse/keep/folder_lock.h"
#include "dse/run/resume.h"

struct run_keep {
	char *dir;                    /* the run's folder; NULL: not open */
	struct resume resume;         /* what the folder, or those to be merged, held when the run began */
	struct resume_request filled; /* what run_keep_start makes of the request */
	unsigned part, n_part;        /* 1 of 1: the whole */
	bool merges;                  /* everything must be in the ledger, and nothing is kept */
	bool takes_up;    /* go on with a run of the same question that was stopped in the folder, if there is one */
	bool is_complete; /* run_keep_start found nothing left to do */
	bool is_busy;     /* another process is at work in the folder: nothing is kept */
	struct folder_lock lock;
	char *question, *journal_path, *checkpoint_path;
	struct journal journal;
	struct checkpoint checkpoint;
	struct share share;
};
#define RUN_KEEP_CLOSED                                                               \
	{                                                                             \
		.part = 1, .n_part = 1, .journal = JOURNAL_CLOSED, .share = {.n = 1 } \
	}

/*
 * Where the command line has --resume, read its folder and let *request point to the run's, completed by what
 * given; else do nothing. All ranks. ERR_INPUT when there is nothing to take up, ERR_IO, also when another process is
 * at work on the run, ERR_INTERNAL.
 */
enum err_code run_keep_start(struct run_keep *keep, const struct explore_request **request, struct err *err);

/*
 * Compare the question with that of the run that is taken up, and clear dir of what an earlier run left. ERR_INPUT when
 * the questions differ, ERR_INTERNAL.
 */
enum err_code run_keep_open(struct run_keep *keep, const char *dir, const struct explore_request *request,
                            const struct space *space, const struct explore_options *options, struct err *err);

/*
 * Begin to keep: open the journal and let options use it; all ranks. Where another process is at work in the folder, a
 * whole run has no journal, and says so. ERR_IO, also for a shard that another process is at work on.
 */
enum err_code run_keep_begin(struct run_keep *keep, bool is_quiet, struct explore_options *options, struct err *err);

/* The run came to its end and its files are written: nothing more to keep, except of a part, whose journal is ended. */
enum err_code run_keep_finish(struct run_keep *keep, struct err *err);

/* Give everything back; a journal that could not be written is told. */
void run_keep_close(struct run_keep *keep, bool is_quiet);

#endif
