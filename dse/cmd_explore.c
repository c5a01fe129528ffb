/* SPDX-License-Identifier: Apache-2.0 */
/* dse explore: read a space, search it, write the front, print it. */
#include "dse/cmd_explore.h"
#include "dse/command_text.h"
#include "dse/effort.h"
#include "dse/front_files.h"
#include "dse/interrupt.h"
#include "dse/parallel.h"
#include "dse/progress.h"
#include "dse/ranks.h"
#include "dse/report.h"
#include "dse/run_note.h"
#include "dse/store.h"
#include "sim/base/doc.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_OUT "results"

/* One run, from the parsed command line to its files. */
struct request {
	const struct cli_options *cli;
	struct run_keep *keep;
	struct run_note note;
	struct space space;
	struct explore explore;
	struct explore_options options;
	struct unroller unroller;
	struct verify verify;
	struct prove_front proof;
	struct audit audit;
	struct compare compare;
	struct misfit misfit;
	struct front_run run;
	char *command;
	char *dir;
	bool is_partial; /* dir is beside the folder of an earlier complete result */
	struct store_file points;
};

/* The command line's engine, else the space's. A name is checked here, not by the parser: engines are a table. */
static enum err_code choose_engine(struct request *job, struct err *err)
{
	const char *name = job->cli->engine ? job->cli->engine : job->space.engine;
	assert(name);
	job->options.engine = engine_find(name);
	if (job->options.engine) {
		job->space.engine = job->options.engine->name; /* which splits a layer lists depends on it */
		return ERR_OK;
	}
	const char *known[16];
	size_t n = engine_n < 16 ? engine_n : 16;
	for (size_t i = 0; i < n; i++)
		known[i] = engine_table[i]->name;
	const char *nearest = err_nearest(name, known, n);
	return err_add(err, ERR_USAGE,
	               "dse explore: --engine is '%.40s', allowed are exact, exhaustive, nsga2, pls%s%s%s", name,
	               nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* The tier is the space's from here on: everything that evaluates knows the space. */
static enum err_code choose_detail(struct request *job, struct err *err)
{
	size_t index = DETAIL_FAST;
	enum err_code code = ERR_OK;
	if (job->cli->detail)
		code = cli_choose(job->cli, "detail", job->cli->detail, detail_name, N_DETAIL, &index, err);
	job->space.detail = (enum detail)index;
	return code;
}

/* What the command line says, and where it says nothing, what the space says. */
static enum err_code set_options(struct request *job, struct err *err)
{
	const struct cli_options *cli = job->cli;
	enum err_code code = choose_engine(job, err), detail_code = choose_detail(job, err);
	code = code == ERR_OK ? detail_code : code;
	if (code != ERR_OK)
		return code;
	struct explore_options *options = &job->options;
	options->flat = cli->flat || !options->engine->is_layered;
	options->n_thread = parallel_n_thread((size_t)cli->jobs);
	options->seed = cli_given(cli, OPTION_SEED) ? cli->seed : job->space.seed;
	options->max_evaluation =
	    cli_given(cli, OPTION_MAX_EVALUATIONS) ? cli->max_evaluations : job->space.max_evaluation;
	options->max_seconds = cli->max_seconds;
	options->show_progress = !cli->quiet && !cli->no_progress && ranks_index() == 0;
	if (cli->points && options->flat)
		return err_add(err, ERR_USAGE,
		               "dse %s: --points writes the layers' fronts, which a flat search does not have",
		               job->keep->merges ? "merge" : "explore");
	if (cli->shard)
		code = resume_parse_shard(cli->shard, &job->keep->part, &job->keep->n_part, err);
	if (code == ERR_OK && job->keep->n_part > 1 && options->flat &&
	    (options->engine->is_random || options->max_evaluation > 0))
		code = err_add(
		    err, ERR_USAGE,
		    "dse explore: --shard deals out ranges of a flat search's designs, which a genetic engine and "
		    "--max-evaluations have none of");
	if (code == ERR_OK && job->keep->n_part > 1 && (cli->audit || cli->audit_samples > 0))
		code = err_add(err, ERR_USAGE,
		               "dse explore: --audit judges a front, which a shard has none of; give it to dse merge");
	if (code == ERR_OK && job->keep->n_part > 1 && ranks_n() > 1)
		code = err_add(err, ERR_USAGE, "dse explore: --shard under mpirun: a shard is the work of one process");
	if (code != ERR_OK)
		return code;
	code = command_print(cli, options, job->space.detail, &job->command, err);
	job->run = (struct front_run){.space = &job->space,
	                              .explore = &job->explore,
	                              .options = options,
	                              .unroller = &job->unroller,
	                              .command = job->command};
	return code;
}

/* Make the directory before the search: better to fail now than after an hour. */
static enum err_code prepare_dir(struct request *job, struct err *err)
{
	char name[MACHINE_NAME_SIZE + 64];
	front_dir_name(&job->run, name, sizeof(name));
	size_t n = strlen(name);
	if (job->keep->n_part > 1)
		(void)snprintf(name + n, sizeof(name) - n, "-shard-%u-of-%u", job->keep->part, job->keep->n_part);
	job->dir =
	    job->cli->resume ? strdup(job->cli->resume) : store_join(job->cli->out ? job->cli->out : DEFAULT_OUT, name);
	if (!job->dir)
		return err_add(err, ERR_INTERNAL, "out of memory");
	enum err_code code = store_make_dir(job->dir, err);
	if (code == ERR_OK)
		code = run_keep_open(job->keep, job->dir, job->cli, &job->space, &job->options, err);
	if (code != ERR_OK || job->keep->n_part > 1 || ranks_index() > 0)
		return code;
	code = run_note_begin(&job->note, job->cli, job->dir, &job->space, err);
	if (code != ERR_OK)
		return code;
	/* Try a file, too: a directory may be there and not be writable. */
	char *path = store_join(job->dir, job->cli->points ? "points.csv" : "front.csv");
	code = path ? store_open(&job->points, path, err) : err_add(err, ERR_INTERNAL, "out of memory");
	if (code == ERR_OK && job->cli->points)
		job->options.points = job->points.file;
	else if (code == ERR_OK)
		store_abandon(&job->points);
	free(path);
	return code;
}

/* Whether the folder holds what a search that came to its end has found. */
static bool holds_complete(const char *dir)
{
	struct arena arena = {0};
	struct err ignored = {0};
	struct doc_node *root = NULL;
	bool is_complete = false;
	char *path = store_join(dir, "run.json");
	if (path && doc_read_file(path, &arena, &root, &ignored) == ERR_OK && root->kind == DOC_MAP) {
		const struct doc_node *node = doc_find(root, "complete");
		is_complete = node && node->kind == DOC_SCALAR && strcmp(node->text, "true") == 0;
	}
	free(path);
	err_clear(&ignored);
	arena_free(&arena);
	return is_complete;
}

/* What was cut short must not take the place of a complete result of the same question: it goes beside it. */
static enum err_code choose_dir(struct request *job, struct err *err)
{
	static const char suffix[] = "-partial";
	bool is_cut = job->explore.interrupted || job->explore.truncated || job->verify.interrupted ||
	              job->proof.interrupted || job->audit.interrupted;
	if (!is_cut || !holds_complete(job->dir))
		return ERR_OK;
	size_t n_byte = strlen(job->dir) + sizeof(suffix);
	char *dir = malloc(n_byte);
	if (!dir)
		return err_add(err, ERR_INTERNAL, "out of memory");
	(void)snprintf(dir, n_byte, "%s%s", job->dir, suffix);
	free(job->dir);
	job->dir = dir;
	job->is_partial = true;
	enum err_code code = store_make_dir(dir, err);
	if (code != ERR_OK || !job->points.file)
		return code;
	char *path = store_join(dir, "points.csv");
	code = path ? store_redirect(&job->points, path, err) : err_add(err, ERR_INTERNAL, "out of memory");
	free(path);
	return code;
}

static bool wants_audit(const struct request *job)
{
	return job->cli->audit || job->cli->audit_samples > 0;
}

/* --verify; a front of the event tier with --audit, too, whose runs are then made again without replay. */
static enum err_code verify_front(struct request *job, struct err *err)
{
	const struct verify_options options = {
	    .n_thread = job->options.n_thread, .audit = wants_audit(job), .show_progress = job->options.show_progress};
	bool is_wanted = job->cli->verify || (wants_audit(job) && job->space.detail == DETAIL_EVENT);
	if (!is_wanted || job->explore.front.n == 0 || job->explore.interrupted)
		return ERR_OK;
	enum err_code code = verify_run(&job->unroller, &options, &job->verify, err);
	if (code == ERR_OK && !job->verify.interrupted)
		job->run.verify = &job->verify;
	return code;
}

/* --prove: whether the front's designs compute what they should. */
static enum err_code prove_designs(struct request *job, struct err *err)
{
	const struct prove_front_options options = {
	    .n_thread = job->options.n_thread, .seed = job->options.seed, .show_progress = job->options.show_progress};
	if (!job->cli->prove || job->explore.front.n == 0 || job->explore.interrupted || interrupt_requested())
		return ERR_OK;
	enum err_code code = prove_front_run(&job->unroller, &options, &job->proof, err);
	job->run.proof = code == ERR_OK && !job->proof.interrupted ? &job->proof : NULL;
	return code;
}

/* --audit: whether the front is what its certificate says. */
static enum err_code audit_front(struct request *job, struct err *err)
{
	const struct audit_options options = {.n_thread = job->options.n_thread,
	                                      .seed = job->options.seed,
	                                      .n_sample = job->cli->audit_samples,
	                                      .show_progress = job->options.show_progress};
	if (!wants_audit(job) || job->explore.front.n == 0 || job->explore.interrupted || interrupt_requested())
		return ERR_OK;
	enum err_code code = audit_run(&job->explore, &job->options, &options, &job->audit, err);
	job->run.audit = code == ERR_OK && !job->audit.interrupted ? &job->audit : NULL;
	return code;
}

/* --compare: the mappings were read before the search. */
static enum err_code compare_mappings(struct request *job, struct err *err)
{
	if (job->compare.n_mapping == 0 || job->explore.front.n == 0)
		return ERR_OK;
	enum err_code code = compare_run(&job->compare, &job->unroller, job->options.n_thread, err);
	job->run.compare = code == ERR_OK ? &job->compare : NULL;
	return code;
}

/* Why there is no front, which takes searches of its own. */
static enum err_code explain_misfit(struct request *job, struct err *err)
{
	enum err_code code = misfit_find(&job->space, &job->options, &job->explore, &job->misfit, err);
	job->run.misfit = job->misfit.found ? &job->misfit : NULL;
	return code;
}

/* The designs that an audit found lacking, as a front of their own, for dse simulate --point. */
static enum err_code write_lacking(struct request *job, struct err *err)
{
	struct unroller unroller = {0};
	struct explore lacking = job->explore;
	struct front_run whole = job->run;
	lacking.front = job->audit.lacking;
	if (!job->run.audit || lacking.front.n == 0)
		return ERR_OK;
	enum err_code code = unroller_init(&unroller, &lacking, job->options.n_thread, err);
	job->run.explore = &lacking;
	job->run.unroller = &unroller;
	job->run.verify = NULL;
	if (code == ERR_OK)
		code = front_sign(&job->run, err);
	if (code == ERR_OK)
		code = front_files_write_one(&job->run, job->dir, "audit.json", front_write_json, err);
	job->run = whole;
	unroller_free(&unroller);
	return code;
}

static enum err_code write_files(struct request *job, struct err *err)
{
	enum err_code code = ERR_OK;
	assert(job->dir);
	if (job->points.file)
		code = store_commit(&job->points, err);
	if (code == ERR_OK)
		code = write_lacking(job, err);
	return code == ERR_OK ? front_files_write(&job->run, job->dir, err) : code;
}

/* How to give a search that ran out of time more of it. */
static void print_extension(const struct request *job)
{
	if (!job->cli->quiet && job->keep->journal.descriptor >= 0)
		(void)fprintf(stderr,
		              "stopped by --max-seconds; to go on: dse explore --resume %s, with or without another "
		              "--max-seconds\n",
		              job->keep->dir);
}

/* The last lines name what was written and what to do with it. */
static void print_paths(const struct request *job)
{
	(void)printf("\nWritten to %s: %s%srun.json\n", job->dir, job->cli->points ? "points.csv, " : "",
	             job->explore.front.n > 0 ? "front.csv, front.json, front.svg, " : "");
	if (job->run.known)
		(void)printf("Run %" PRIu64 " of the store found this front in %.3f s; --no-cache searches again.\n",
		             job->run.known->run, job->run.known->seconds);
	if (job->run.n_known_search > 0)
		(void)printf("%" PRIu64 " searches of layers were known from earlier runs; --no-cache makes them again.\n",
		             job->run.n_known_search);
	if (job->is_partial)
		(void)printf("The folder without -partial keeps the complete result of an earlier run.\n");
	if (job->explore.front.n > 0)
		(void)printf("Replay one design: dse simulate --point %s/front.json:0\n", job->dir);
}

/* On stdout: the front, or what killed every design; with --json the same as run.json and the front's metrics. */
static enum err_code print_result(struct request *job, struct err *err)
{
	if (job->cli->json)
		return front_write_run(stdout, &job->run, job->dir, job->explore.front.n > 0, err);
	enum err_code code = ERR_OK;
	if (job->explore.front.n > 0) {
		code = report_front(stdout, &job->run, err);
		if (code == ERR_OK && job->run.verify) {
			(void)fputc('\n', stdout);
			report_verify(stdout, &job->run);
		}
		if (code == ERR_OK && job->run.proof) {
			(void)fputc('\n', stdout);
			prove_front_print(stdout, job->run.proof);
		}
		if (code == ERR_OK && job->run.audit) {
			(void)fputc('\n', stdout);
			audit_print(stdout, job->run.audit);
		}
		if (code == ERR_OK && job->run.compare) {
			(void)fputc('\n', stdout);
			compare_print(stdout, job->run.compare, &job->unroller);
		}
		if (code == ERR_OK && !job->cli->quiet) {
			(void)fputc('\n', stdout);
			report_counts(stdout, &job->run);
		}
	} else if (!job->explore.interrupted) {
		report_infeasible(stdout, &job->run);
	}
	if (code == ERR_OK && !job->cli->quiet)
		print_paths(job);
	return code;
}

/* How to go on with what was not finished. */
static void print_way_on(const struct request *job, char *text, size_t n_byte)
{
	if (job->keep->journal.descriptor >= 0)
		(void)snprintf(text, n_byte, "to go on: dse explore --resume %s; to search again: %s", job->keep->dir,
		               job->command);
	else
		(void)snprintf(text, n_byte, "to search again: %s", job->command);
}

static enum err_code judge_failures(const struct request *job, struct err *err)
{
	const struct explore *explore = &job->explore;
	assert(explore->n_failure > 0);
	for (size_t i = 0; i < explore->n_failure && i < EXPLORE_MAX_FAILURE; i++)
		(void)err_add(err, ERR_INTERNAL, "failed: %s%s%s", explore->failure[i].machine,
		              explore->failure[i].machine[0] ? ": " : "", explore->failure[i].why);
	char way_on[8192];
	print_way_on(job, way_on, sizeof(way_on));
	return err_add(err, ERR_INTERNAL, "%" PRIu64 " searches failed, all others are done; %s", explore->n_failure,
	               way_on);
}

/* How the search ended, as an exit code. */
static enum err_code judge(const struct request *job, struct err *err)
{
	char way_on[8192];
	print_way_on(job, way_on, sizeof(way_on));
	if (job->explore.interrupted)
		return err_add(err, ERR_INTERRUPTED, "interrupted: %s holds what was found so far (%zu designs)%s; %s",
		               job->dir, job->explore.front.n,
		               job->is_partial ? ", beside the complete result of an earlier run" : "", way_on);
	if (job->verify.interrupted || job->proof.interrupted || job->audit.interrupted)
		return err_add(err, ERR_INTERRUPTED, "interrupted: %s holds the whole front, not %s; %s", job->dir,
		               job->verify.interrupted  ? "verified"
		               : job->proof.interrupted ? "proved"
		                                        : "audited",
		               way_on);
	if (job->explore.n_failure > 0)
		return judge_failures(job, err);
	if (job->explore.front.n == 0)
		return err_add(err, ERR_INFEASIBLE, "%s: no feasible design%s", job->cli->file[0],
		               job->explore.truncated ? " within max_evaluations or --max-seconds" : "");
	enum err_code code = job->run.audit ? audit_judge(job->run.audit, job->dir, job->command, err) : ERR_OK;
	if (code == ERR_OK && job->run.proof)
		code = prove_front_judge(job->run.proof, err);
	return code == ERR_OK && job->run.compare ? compare_judge(job->run.compare, err) : code;
}

/* The front of all searches: unrolled, signed, verified, written, printed. */
static enum err_code finish_whole(struct request *job, struct err *err)
{
	enum err_code code = unroller_init(&job->unroller, &job->explore, job->options.n_thread, err);
	if (code == ERR_OK && job->run.known)
		memcpy(job->run.signature, job->note.signature, sizeof(job->run.signature));
	else if (code == ERR_OK)
		code = front_sign(&job->run, err);
	if (code == ERR_OK)
		code = verify_front(job, err);
	if (code == ERR_OK)
		code = prove_designs(job, err);
	if (code == ERR_OK)
		code = audit_front(job, err);
	if (code == ERR_OK)
		code = compare_mappings(job, err);
	if (code == ERR_OK)
		code = explain_misfit(job, err);
	if (code == ERR_OK)
		code = choose_dir(job, err);
	if (code == ERR_OK)
		code = write_files(job, err);
	/* what --max-seconds stopped can be taken up */
	bool is_cut = job->explore.interrupted || job->explore.out_of_time || job->verify.interrupted ||
	              job->proof.interrupted || job->audit.interrupted || job->explore.n_failure > 0;
	if (code == ERR_OK && !is_cut)
		code = run_keep_finish(job->keep, err);
	/* a run that cannot be kept is still a result */
	enum err_code kept = code == ERR_OK ? run_note_keep(&job->note, &job->run, job->dir, err) : ERR_OK;
	if (code == ERR_OK)
		code = print_result(job, err);
	if (code == ERR_OK && job->explore.out_of_time)
		print_extension(job);
	if (code == ERR_OK)
		code = judge(job, err);
	return code == ERR_OK ? kept : code;
}

/* A shard has searches and no front; its result is its journal. */
static enum err_code finish_part(struct request *job, struct err *err)
{
	struct run_keep *keep = job->keep;
	char way_on[8192];
	print_way_on(job, way_on, sizeof(way_on));
	if (job->explore.interrupted)
		return err_add(err, ERR_INTERRUPTED, "interrupted: %s holds the searches made so far; %s", job->dir,
		               way_on);
	if (job->explore.n_failure > 0)
		return judge_failures(job, err);
	if (keep->journal.descriptor < 0)
		return err_add(err, ERR_IO, "%s: another process is at work on this shard", job->dir);
	if (job->explore.out_of_time) {
		print_extension(job);
		return ERR_OK;
	}
	enum err_code code = run_keep_finish(keep, err);
	if (code == ERR_OK && !job->cli->quiet)
		(void)printf("Shard %u of %u: %s holds its searches. When all are done: dse merge DIR...\n", keep->part,
		             keep->n_part, job->dir);
	return code;
}

/* Make this rank's searches and bring all of them to rank 0, which then knows them. */
static enum err_code search_ranks(struct request *job, struct err *err)
{
	struct share *share = &job->keep->share;
	struct pack record = {0};
	unsigned n_rank = ranks_n();
	uint8_t **part = calloc(n_rank, sizeof(*part));
	size_t *n_byte = calloc(n_rank, sizeof(*n_byte));
	struct explore_options options = job->options;
	options.points = NULL; /* written once, when all searches are known */
	journal_pack(&record, JOURNAL_IDENTITY, job->keep->question, strlen(job->keep->question));
	share->index = ranks_index();
	share->n = n_rank;
	share->record = &record;
	enum err_code code = part && n_byte ? explore_run(&job->space, &options, &job->explore, err)
	                                    : err_add(err, ERR_INTERNAL, "out of memory");
	if (code == ERR_OK && record.failed)
		code = err_add(err, ERR_INTERNAL, "out of memory");
	code = ranks_agree(code, err);
	if (code == ERR_OK)
		ranks_gather(&record, part, n_byte);
	for (unsigned i = 0; code == ERR_OK && i < n_rank && ranks_index() == 0; i++) {
		struct ledger_info info;
		code = ledger_add(&job->keep->resume.ledger, part[i], n_byte[i], &info, err);
		free(info.identity);
	}
	ledger_sort(&job->keep->resume.ledger);
	pack_free(&record);
	free(part);
	free(n_byte);
	return code;
}

/*
 * A run of one process begins with what the store knows: the whole answer, where the run is a new one and needs nothing
 * but the front, else fronts of layers.
 */
static enum err_code recall(struct request *job, bool *is_known, struct err *err)
{
	const struct run_keep *keep = job->keep;
	enum err_code code = ERR_OK;
	*is_known = false;
	if (job->cli->no_cache || keep->n_part > 1 || keep->merges || ranks_n() > 1)
		return ERR_OK;
	if (!job->cli->points && !keep->resume.text)
		code = run_note_recall(&job->note, &job->space, &job->options, &job->explore, is_known, err);
	if (*is_known) {
		job->run.known = &job->note.known;
		job->run.text = job->note.has_text ? job->note.text : NULL;
	} else if (code == ERR_OK) {
		code = run_note_know_fronts(&job->note, &job->options, err);
	}
	return code;
}

/*
 * Layer by layer all ranks search; then rank 0 goes through the space as if nobody else had been there, and finds the
 * searches made. What a rank did not come to, because it failed or was interrupted, is rank 0's. In a flat search all
 * ranks evaluate for rank 0.
 */
static enum err_code search(struct request *job, struct err *err)
{
	uint64_t start_ms = progress_now_ms();
	enum err_code code = ERR_OK;
	if (ranks_n() > 1 && !job->options.flat) {
		code = search_ranks(job, err);
		explore_free(&job->explore);
		job->keep->share =
		    (struct share){.n = 1, .known = &job->keep->resume.ledger, .journal = job->keep->share.journal};
	}
	bool is_known = false;
	if (code == ERR_OK)
		code = recall(job, &is_known, err);
	if (code == ERR_OK && !is_known && (ranks_index() == 0 || job->options.flat))
		code = explore_run(&job->space, &job->options, &job->explore, err);
	job->run.n_known_search = front_store_n_taken(job->note.fronts);
	job->explore.seconds = (double)(progress_now_ms() - start_ms) / 1000.0;
	return code;
}

/*
 * Read, choose, make room, search, unroll, verify, write, print, judge. Files come before
 * the table: when stdout is a closed pipe, the results of an hour are safe.
 */
enum err_code cmd_explore_run(const struct cli_options *options, struct run_keep *keep, struct err *err)
{
	struct request job = {.cli = options, .keep = keep};
	assert(options->n_file == 1);
	enum err_code code = space_read(options->file[0], &job.space, err);
	if (code == ERR_OK)
		code = set_options(&job, err);
	if (code == ERR_OK)
		code = compare_read(options->compare.text, options->compare.n, &job.space, &job.compare, err);
	if (code == ERR_OK)
		code = prepare_dir(&job, err);
	code = ranks_agree(code, err);
	if (code == ERR_OK)
		code = ranks_agree(run_keep_begin(keep, options->quiet, &job.options, err), err);
	if (code == ERR_OK)
		code = search(&job, err);
	if (code == ERR_OK && ranks_index() == 0)
		code = keep->n_part > 1 ? finish_part(&job, err) : finish_whole(&job, err);
	store_abandon(&job.points);
	run_keep_close(keep, options->quiet);
	run_note_free(&job.note);
	compare_free(&job.compare);
	misfit_free(&job.misfit);
	verify_free(&job.verify);
	audit_free(&job.audit);
	unroller_free(&job.unroller);
	explore_free(&job.explore);
	free(job.dir);
	free(job.command);
	space_free(&job.space);
	return code;
}

enum err_code cmd_explore(const struct cli_options *options, struct err *err)
{
	struct run_keep *keep = malloc(sizeof(*keep));
	if (!keep)
		return err_add(err, ERR_INTERNAL, "out of memory");
	*keep = (struct run_keep)RUN_KEEP_CLOSED;
	struct cli_options own = *options;
	enum err_code code = effort_apply(&own, err);
	options = &own;
	if (code == ERR_OK)
		code = run_keep_start(keep, &options, err);
	code = ranks_agree(code, err);
	bool judges = own.audit || own.audit_samples > 0 || own.verify || own.prove || own.compare.n > 0;
	if (code == ERR_OK && keep->is_complete && judges) {
		code = err_add(err, ERR_USAGE,
		               "dse explore: the run in %s is complete; --audit, --verify, --prove and --compare come "
		               "with a search: "
		               "give them without --resume",
		               own.resume);
		run_keep_close(keep, true);
	} else if (code == ERR_OK && keep->is_complete) {
		if (!options->quiet && ranks_index() == 0)
			(void)fprintf(stderr, "%s: complete, there is nothing left to do\n", options->resume);
		run_keep_close(keep, true);
	} else if (code == ERR_OK) {
		code = cmd_explore_run(options, keep, err);
	} else {
		run_keep_close(keep, true);
	}
	free(keep);
	return code;
}
