/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EXPLORE_JOB_PARTS_H
#define DSE_EXPLORE_JOB_PARTS_H
/* The second half of dse explore: from what was searched to files, words on the terminal and an exit code. */
#include "dse/run/explore_job.h"
#include "dse/result/result_folder.h"
#include "dse/run/run_note.h"
#include "dse/keep/output_file.h"
#include "dse/search/certificate_log.h"

/* One run, from the parsed command line to its files. */
struct explore_job {
	const struct explore_request *request;
	struct run_keep *keep;
	struct run_note note;
	struct space space;
	struct explore explore;
	struct explore_options options;
	struct unroller unroller;
	struct price price;
	struct sampled sampled; /* n_machine 0: nothing was */
	uint64_t end_ms; /* of --max-seconds, by stop_now_ms; 0: for ever */
	struct verify verify;
	struct prove_front proof;
	struct audit audit;
	struct mapping_compare compare;
	struct misfit misfit;
	struct run_verdict verdict;
	struct front_run run;
	char *command;
	char *dir;
	struct explore_outcome *outcome; /* NULL: the result is printed */
	bool is_partial;                 /* dir is beside the folder of an earlier complete result */
	struct output_file points, certificate;
	struct certificate_log certificate_log;
	struct folder_lock files; /* held from the first result's name to the store's having all of them */
};

/*
 * --certificate: refuse what cannot be certified, open the file, have the search logged; then, of a search that was not
 * cut short, its end. ERR_USAGE with what to do instead, ERR_IO, ERR_INTERRUPTED without a message, ERR_INTERNAL.
 */
enum err_code explore_job_begin_certificate(struct explore_job *job, struct err *err);
enum err_code explore_job_finish_certificate(struct explore_job *job, struct err *err);

/*
 * The front of all searches: unrolled, signed, checked as the command line asks, written, kept in the store, printed.
 * Files come before the table: when stdout is a closed pipe, the results of an hour are safe. Returns the exit code of
 * the command, with messages in err.
 */
enum err_code explore_job_finish_whole(struct explore_job *job, struct err *err);

/* The same for a shard, which has searches and no front: its result is its journal. */
enum err_code explore_job_finish_part(struct explore_job *job, struct err *err);

#endif
