/* SPDX-License-Identifier: Apache-2.0 */
/* The second half of an exploration: from what was searched to checks, files, the store and the terminal. */
#include "dse/base/memory.h"
#include "dse/run/explore_job_parts.h"
#include "dse/out/command_word.h"
#include "dse/out/words.h"
#include "dse/base/interrupt.h"
#include "dse/base/parallel.h"
#include "dse/result/front_table.h"
#include "sim/base/doc.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Files are written in a moment, the store is waited for as long as it waits (DATABASE_WAIT_S), a few times over. */
#define FILES_WAIT_S 120

/* Whether the folder holds what a search that came to its end has found. */
static bool holds_complete(const char *dir)
{
	struct arena arena = {0};
	struct err ignored = {0};
	struct doc_node *root = NULL;
	bool is_complete = false;
	char *path = memory_must(output_file_join(dir, "run.json"));
	if (doc_read_file(path, &arena, &root, &ignored) == ERR_OK && root->kind == DOC_MAP) {
		const struct doc_node *node = doc_find(root, "complete");
		is_complete = node && node->kind == DOC_SCALAR && strcmp(node->text, "true") == 0;
	}
	free(path);
	err_clear(&ignored);
	arena_free(&arena);
	return is_complete;
}

/* What was cut short must not take the place of a complete result of the same question: it goes beside it. */
static enum err_code choose_dir(struct explore_job *job, struct err *err)
{
	static const char suffix[] = "-partial";
	bool is_cut = job->explore.interrupted || job->explore.truncated || job->verify.interrupted ||
	              job->proof.interrupted || job->audit.interrupted || job->price.is_interrupted ||
	              job->sampled.is_interrupted;
	if (!is_cut || !holds_complete(job->dir))
		return ERR_OK;
	size_t n_byte = strlen(job->dir) + sizeof(suffix);
	char *dir = memory_array(n_byte, 1);
	(void)snprintf(dir, n_byte, "%s%s", job->dir, suffix);
	free(job->dir);
	job->dir = dir;
	job->is_partial = true;
	enum err_code code = output_file_make_dir(dir, err);
	if (code != ERR_OK || !job->points.file)
		return code;
	char *path = memory_must(output_file_join(dir, "points.csv"));
	code = output_file_redirect(&job->points, path, err);
	free(path);
	return code;
}

static bool wants_audit(const struct explore_job *job)
{
	return job->request->audit || job->request->audit_samples > 0;
}

/* --detail both: the fast tier's front becomes one of the event tier. */
static enum err_code price_designs(struct explore_job *job, struct err *err)
{
	const struct explore *explore = &job->explore;
	const struct stop stop = {.end_ms = job->end_ms};
	const struct price_options options = {
	    .n_thread = job->options.n_thread,
	    .max_work = PRICE_USUAL_WORK,
	    .closes_gap = job->request->closes_gap,
	    .kept = {job->request->no_cache ? NULL : job->note.fronts, front_store_take_bytes, front_store_keep_bytes},
	    .stop = job->end_ms > 0 ? &stop : NULL,
	    .show_progress = job->options.show_progress,
	    .at_work = job->request->at_work};
	if (!job->options.prices || explore->front.n == 0)
		return ERR_OK;
	bool is_cut = explore->interrupted || explore->truncated || explore->n_failure > explore->n_left_out ||
	              interrupt_requested();
	enum err_code code = is_cut ? ERR_OK : price_front(&job->explore, &options, &job->price, err);
	if (code != ERR_OK)
		return code;
	job->run.price = &job->price;
	if (job->price.is_priced)
		job->space.detail = DETAIL_EVENT;
	return ERR_OK;
}

/* --coefficient-samples: machines, before pricing takes the fast tier's front away. */
static enum err_code sample_coefficients(struct explore_job *job, struct err *err)
{
	const struct sample_options options = {(uint32_t)job->request->coefficient_samples, job->options.seed,
	                                       job->options.n_thread};
	const struct explore *explore = &job->explore;
	bool is_cut = explore->interrupted || explore->truncated || explore->n_failure > 0 || interrupt_requested();
	if (!job->options.keeps_layers || explore->front.n == 0 || is_cut)
		return ERR_OK;
	enum err_code code = sample_machines(explore, &options, &job->sampled, err);
	job->run.sampled = code == ERR_OK && !job->sampled.is_interrupted ? &job->sampled : NULL;
	return code;
}

/* --verify; a front of the event tier with --audit, too, whose runs are then made again without replay. */
static enum err_code verify_front(struct explore_job *job, struct err *err)
{
	const struct verify_options options = {
	    .n_thread = job->options.n_thread, .audit = wants_audit(job), .show_progress = job->options.show_progress};
	bool is_wanted = job->request->verify || (wants_audit(job) && job->space.detail == DETAIL_EVENT);
	if (!is_wanted || job->explore.front.n == 0 || job->explore.interrupted)
		return ERR_OK;
	enum err_code code = verify_run(&job->unroller, &options, &job->verify, err);
	if (code == ERR_OK && !job->verify.interrupted)
		job->run.verify = &job->verify;
	return code;
}

/* --prove: whether the front's designs compute what they should. */
static enum err_code prove_designs(struct explore_job *job, struct err *err)
{
	const struct prove_front_options options = {
	    .n_thread = job->options.n_thread, .seed = job->options.seed, .show_progress = job->options.show_progress};
	if (!job->request->prove || job->explore.front.n == 0 || job->explore.interrupted || interrupt_requested())
		return ERR_OK;
	enum err_code code = prove_front_run(&job->unroller, &options, &job->proof, err);
	job->run.proof = code == ERR_OK && !job->proof.interrupted ? &job->proof : NULL;
	return code;
}

/* --audit: whether the front is what its certificate says. */
static enum err_code audit_front(struct explore_job *job, struct err *err)
{
	const struct audit_options options = {.n_thread = job->options.n_thread,
	                                      .seed = job->options.seed,
	                                      .n_sample = job->request->audit_samples,
	                                      .show_progress = job->options.show_progress};
	if (!wants_audit(job) || job->explore.interrupted || interrupt_requested())
		return ERR_OK;
	enum err_code code = audit_run(&job->explore, &job->options, &options, &job->audit, err);
	job->run.audit = code == ERR_OK && !job->audit.interrupted ? &job->audit : NULL;
	return code;
}

/* --compare: the mappings were read before the search. */
static enum err_code compare_mappings(struct explore_job *job, struct err *err)
{
	if (job->compare.n_mapping == 0 || job->explore.front.n == 0)
		return ERR_OK;
	enum err_code code = mapping_compare_run(&job->compare, &job->unroller, job->options.n_thread, err);
	job->run.compare = code == ERR_OK ? &job->compare : NULL;
	return code;
}

/* Which machine, and why: from the front in the tier that it is in by now. */
static void judge_machines(struct explore_job *job)
{
	const struct run_verdict_of of = {.space = &job->space,
	                                  .explore = &job->explore,
	                                  .unroller = job->explore.front.n > 0 ? &job->unroller : NULL,
	                                  .price = job->run.price};
	run_verdict_make(&of, &job->verdict);
	job->run.verdict = &job->verdict;
}

static bool prints_verdict(const struct explore_job *job)
{
	return job->explore.front.n == 0 && !job->explore.interrupted && !job->request->json && !job->outcome;
}

/* That there is no front is said at once; what would have to change, and all else of it, once searches have said so. */
static enum err_code explain_misfit(struct explore_job *job, struct err *err)
{
	bool prints = prints_verdict(job);
	if (prints) {
		run_verdict_print(stdout, &job->verdict, true);
		(void)fflush(stdout);
	}
	enum err_code code = misfit_find(&job->space, &job->options, &job->explore, &job->misfit, err);
	const struct misfit *misfit = job->run.misfit = job->misfit.found ? &job->misfit : NULL;
	if (misfit && misfit->n > 0) {
		struct words_text text;
		misfit_say_best(misfit, &text);
		run_verdict_add_change(&job->verdict, text.text,
		                       misfit->best < misfit->n ? misfit->change[misfit->best].needed : NAN);
		if (prints)
			run_verdict_print_last(stdout, &job->verdict);
	}
	if (prints) {
		(void)fputc('\n', stdout);
		front_table_print_infeasible(stdout, &job->run);
	}
	return code;
}

/* The designs that an audit found lacking, as a front of their own, for dse simulate --point. */
static enum err_code write_lacking(struct explore_job *job, struct err *err)
{
	struct unroller unroller = {0};
	struct front_run whole = job->run;
	if (!job->run.audit || job->audit.lacking.n == 0)
		return ERR_OK;
	struct explore *lacking = memory_array(1, sizeof(*lacking));
	*lacking = job->explore;
	lacking->front = job->audit.lacking;
	lacking->known_design = NULL;
	lacking->n_known_design = 0;
	/* an audit is of what the search's tier found */
	enum detail detail = job->space.detail;
	job->space.detail = job->options.prices ? DETAIL_FAST : detail;
	enum err_code code = unroller_init(&unroller, lacking, job->options.n_thread, err);
	job->run.explore = lacking;
	job->run.unroller = &unroller;
	job->run.verify = NULL;
	job->run.price = NULL;
	if (code == ERR_OK)
		front_file_sign(&job->run);
	if (code == ERR_OK)
		code = result_folder_write_one(&job->run, job->dir, "audit.json", front_file_write_json, err);
	job->run = whole;
	job->space.detail = detail;
	unroller_free(&unroller);
	free(lacking);
	return code;
}

static enum err_code write_files(struct explore_job *job, struct err *err)
{
	enum err_code code = ERR_OK;
	assert(job->dir);
	if (job->points.file)
		code = output_file_commit(&job->points, err);
	if (code == ERR_OK)
		code = write_lacking(job, err);
	return code == ERR_OK ? result_folder_write(&job->run, job->dir, err) : code;
}

/* How to give a search that ran out of time more of it. */
static void print_extension(const struct explore_job *job)
{
	if (job->request->quiet || job->keep->journal.descriptor < 0)
		return;
	char dir[4200];
	words_note(
	    "stopped by --max-seconds; to go on: dse explore --resume %s, with or without another --max-seconds\n",
	    command_word_text(dir, sizeof(dir), job->keep->dir));
}

/* The last lines name what was written and what to do with it. */
static void print_paths(const struct explore_job *job)
{
	(void)printf("\nWritten to %s: %s%srun.json\n", job->dir, job->request->points ? "points.csv, " : "",
	             job->explore.front.n > 0 ? "front.csv, front.json, front.svg, " : "");
	if (job->run.known)
		(void)printf("Run %" PRIu64 " of the store found this front in %.3f s; --no-cache searches again.\n",
		             job->run.known->run, job->run.known->seconds);
	if (job->run.n_known_search > 0)
		(void)printf("%" PRIu64
		             " searches of layers were known from earlier runs; --no-cache makes them again.\n",
		             job->run.n_known_search);
	if (job->is_partial)
		(void)printf("The folder without -partial keeps the complete result of an earlier run.\n");
	if (job->explore.front.n > 0) {
		char *path = memory_must(output_file_join(job->dir, "front.json"));
		(void)fputs("Replay one design: ", stdout);
		command_word_replay(stdout, path, "0");
		(void)fputc('\n', stdout);
		free(path);
	}
	(void)fputs("Look at it: dse report ", stdout);
	command_word_print(stdout, job->dir);
	(void)fputc('\n', stdout);
}

/* On stdout: the front, or what killed every design; with --json the same as run.json and the front's metrics. */
static void print_result(struct explore_job *job)
{
	if (job->request->json) {
		front_file_write_run(stdout, &job->run, job->dir, job->explore.front.n > 0);
		return;
	}
	if (job->explore.front.n > 0) {
		run_verdict_print(stdout, &job->verdict, false);
		front_table_print(stdout, &job->run);
		if (job->run.sampled) {
			(void)fputc('\n', stdout);
			sample_print(stdout, &job->explore, job->run.sampled);
		}
		if (job->run.price) {
			(void)fputc('\n', stdout);
			price_print(stdout, job->run.price, job->explore.front.n);
		}
		if (job->run.verify) {
			(void)fputc('\n', stdout);
			front_table_print_verify(stdout, &job->run);
		}
		if (job->run.proof) {
			(void)fputc('\n', stdout);
			prove_front_print(stdout, job->run.proof);
		}
		if (job->run.audit) {
			(void)fputc('\n', stdout);
			audit_print(stdout, job->run.audit);
		}
		if (job->run.compare) {
			(void)fputc('\n', stdout);
			mapping_compare_print(stdout, job->run.compare, &job->unroller);
		}
		if (!job->request->quiet) {
			(void)fputc('\n', stdout);
			front_table_print_counts(stdout, &job->run);
		}
	} else if (prints_verdict(job)) {
		if (job->run.audit) {
			(void)fputc('\n', stdout);
			audit_print(stdout, job->run.audit);
		}
		if (job->run.misfit)
			misfit_print(stdout, job->run.misfit);
	}
	if (!job->request->quiet)
		print_paths(job);
}

/* How to go on with what was not finished. */
static void print_way_on(const struct explore_job *job, char *text, size_t n_byte)
{
	char dir[4200];
	if (job->keep->journal.descriptor >= 0)
		(void)snprintf(text, n_byte, "to go on: dse explore --resume %s; to search again: %s",
		               command_word_text(dir, sizeof(dir), job->keep->dir), job->command);
	else
		(void)snprintf(text, n_byte, "to search again: %s", job->command);
}

static enum err_code judge_failures(const struct explore_job *job, struct err *err)
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
static enum err_code judge(const struct explore_job *job, struct err *err)
{
	char way_on[8192];
	print_way_on(job, way_on, sizeof(way_on));
	if (job->explore.interrupted)
		return err_add(err, ERR_INTERRUPTED, "interrupted: %s holds what was found so far (%zu designs)%s; %s",
		               job->dir, job->explore.front.n,
		               job->is_partial ? ", beside the complete result of an earlier run" : "", way_on);
	bool is_price_stopped = job->price.is_interrupted && !job->price.is_out_of_time;
	if (job->verify.interrupted || job->proof.interrupted || job->audit.interrupted || is_price_stopped ||
	    job->sampled.is_interrupted)
		return err_add(err, ERR_INTERRUPTED, "interrupted: %s holds the whole front, not %s; %s", job->dir,
		               is_price_stopped          ? "all of it priced in the event tier"
		               : job->verify.interrupted ? "verified"
		               : job->proof.interrupted  ? "proved"
		               : job->audit.interrupted  ? "audited"
		                                         : "with shares of samples",
		               way_on);
	if (job->explore.n_failure > 0)
		return judge_failures(job, err);
	if (job->explore.front.n == 0 && job->run.audit &&
	    audit_judge(job->run.audit, job->dir, job->command, err) != ERR_OK)
		return ERR_INTERNAL;
	if (job->explore.front.n == 0)
		return err_add(err, ERR_INFEASIBLE, "%s: no feasible design%s", job->request->space,
		               job->explore.truncated ? " within max_evaluations or --max-seconds"
		               : job->explore.counts.is_limited
		                   ? " was found, but none is not proven: set a larger max_front"
		                   : "");
	if (job->price.none_fits)
		return err_add(
		    err, ERR_INFEASIBLE,
		    "%s: no design that got a price keeps the limits in the event tier; the front in %s is the "
		    "fast tier's",
		    job->request->space, job->dir);
	enum err_code code = job->run.audit ? audit_judge(job->run.audit, job->dir, job->command, err) : ERR_OK;
	if (code == ERR_OK && job->run.proof)
		code = prove_front_judge(job->run.proof, err);
	return code == ERR_OK && job->run.compare ? mapping_compare_judge(job->run.compare, err) : code;
}

/* The last two steps need nothing of each other: the run into the store, its front onto stdout. */
struct ending {
	struct explore_job *job;
	uint64_t id; /* the run's */
	enum err_code kept;
	struct err keep_err;
};

static void run_ending(void *context, size_t i)
{
	struct ending *ending = context;
	struct explore_job *job = ending->job;
	if (i == 0) {
		ending->kept = run_note_keep(&job->note, &job->run, job->dir, &ending->id, &ending->keep_err);
		folder_lock_release(&job->files); /* not after printing, which may wait for a reader */
	} else if (!job->outcome) {
		print_result(job);
	}
}

/* A run that cannot be kept is still a result. Whether it is kept. */
static enum err_code keep_and_print(struct explore_job *job, struct err *err)
{
	struct ending ending = {.job = job};
	parallel_for(2, job->options.n_thread, run_ending, &ending);
	if (ending.kept != ERR_OK)
		(void)err_add_all(err, (struct err_place){0}, &ending.keep_err);
	err_clear(&ending.keep_err);
	if (job->outcome && ending.kept == ERR_OK)
		job->outcome->run = ending.id;
	return ending.kept;
}

/* A front whose designs cannot be run again in the time that who stops a search waits is none; its searches are kept.
 */
static enum err_code unroll_front(struct explore_job *job, struct err *err)
{
	struct pareto *front = &job->explore.front;
	unsigned n_objective = front->n_objective;
	size_t n_gene = front->n_gene;
	enum err_code code = unroller_init(&job->unroller, &job->explore, job->options.n_thread, err);
	if (code != ERR_INTERRUPTED)
		return code;
	err_clear(err);
	job->explore.interrupted = true;
	pareto_free(front);
	pareto_init(front, n_objective, n_gene);
	return unroller_init(&job->unroller, &job->explore, job->options.n_thread, err);
}

enum err_code explore_job_finish_whole(struct explore_job *job, struct err *err)
{
	enum err_code code = audit_front(job, err);
	if (code == ERR_OK)
		code = sample_coefficients(job, err);
	if (code == ERR_OK)
		code = price_designs(job, err);
	if (code == ERR_OK)
		code = unroll_front(job, err);
	if (code == ERR_OK && job->run.sampled)
		code = sample_points(&job->unroller, &job->sampled, err);
	if (code == ERR_OK && job->run.known)
		memcpy(job->run.signature, job->note.signature, sizeof(job->run.signature));
	if (code == ERR_OK)
		code = verify_front(job, err);
	if (code == ERR_OK)
		code = prove_designs(job, err);
	if (code == ERR_OK)
		code = compare_mappings(job, err);
	if (code == ERR_OK) {
		judge_machines(job);
		code = explain_misfit(job, err);
	}
	/* a process that stopped in the middle of its files is no reason to lose these: each of them is whole anyway */
	if (code == ERR_OK)
		(void)folder_lock_take(&job->files, job->dir, FOLDER_LOCK_FILES, FILES_WAIT_S);
	if (code == ERR_OK)
		code = choose_dir(job, err);
	if (code == ERR_OK)
		code = write_files(job, err);
	/* what --max-seconds stopped can be taken up */
	bool is_cut = job->explore.interrupted || job->explore.out_of_time || job->verify.interrupted ||
	              job->proof.interrupted || job->audit.interrupted || job->price.is_interrupted ||
	              job->sampled.is_interrupted || job->explore.n_failure > 0;
	if (code == ERR_OK && !is_cut)
		code = run_keep_finish(job->keep, err);
	enum err_code kept = ERR_OK;
	if (job->outcome)
		job->outcome->run = 0;
	if (code == ERR_OK)
		kept = keep_and_print(job, err);
	if (code == ERR_OK)
		at_work_finish(job->request->at_work);
	if (code == ERR_OK && (job->explore.out_of_time || job->price.is_out_of_time))
		print_extension(job);
	if (code == ERR_OK)
		code = judge(job, err);
	return code == ERR_OK ? kept : code;
}

/* What a shard has to say: it has no front. */
static void print_part(const struct explore_job *job, bool is_complete)
{
	const struct run_keep *keep = job->keep;
	struct json json;
	if (job->request->json) {
		json_start(&json, stdout, 1);
		json_put_object(&json, NULL, "space %s, folder %s, shard %u, n_shard %u, complete %d", job->space.name,
		                job->dir, keep->part, keep->n_part, is_complete);
		json_finish(&json);
	} else if (is_complete && !job->request->quiet) {
		(void)printf("Shard %u of %u: %s holds its searches. When all are done: dse merge DIR...\n", keep->part,
		             keep->n_part, job->dir);
	}
}

enum err_code explore_job_finish_part(struct explore_job *job, struct err *err)
{
	struct run_keep *keep = job->keep;
	char way_on[8192];
	print_way_on(job, way_on, sizeof(way_on));
	if (job->explore.interrupted)
		return err_add(err, ERR_INTERRUPTED, "interrupted: %s holds the searches made so far; %s", job->dir,
		               way_on);
	if (job->explore.n_failure > 0)
		return judge_failures(job, err);
	assert(keep->journal.descriptor >= 0);
	if (job->explore.out_of_time) {
		print_part(job, false);
		print_extension(job);
		return ERR_OK;
	}
	enum err_code code = run_keep_finish(keep, err);
	if (code == ERR_OK)
		print_part(job, true);
	return code;
}
