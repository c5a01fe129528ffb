/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/explore_job.h"
#include "dse/base/memory.h"
#include "dse/run/command_text.h"
#include "dse/run/explore_job_parts.h"
#include "dse/base/parallel.h"
#include "dse/space/machine_set.h"
#include "sim/base/stop.h"
#include "dse/keep/ranks.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_OUT "results"

/* The request's engine, else the space's. A name is checked here, not by the parser: engines are a table. */
static enum err_code choose_engine(struct explore_job *job, struct err *err)
{
	const char *name = job->request->engine ? job->request->engine : job->space.engine;
	assert(name);
	job->options.engine = engine_find(name);
	if (job->options.engine)
		return ERR_OK;
	const char *known[16];
	size_t n = engine_n < 16 ? engine_n : 16;
	for (size_t i = 0; i < n; i++)
		known[i] = engine_table[i]->name;
	const char *nearest = err_nearest(name, known, n);
	return err_add(err, ERR_USAGE,
	               "dse explore: --engine is '%.40s', allowed are exact, exhaustive, nsga2, pls%s%s%s", name,
	               nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* The tier that searches; *prices: another one prices what it finds. */
static enum err_code choose_detail(const struct explore_request *request, size_t *detail, bool *prices, struct err *err)
{
	const char *name[N_DETAIL + 1];
	char what[64];
	*detail = DETAIL_FAST;
	*prices = false;
	if (!request->detail)
		return ERR_OK;
	memcpy(name, detail_name, N_DETAIL * sizeof(*name));
	name[N_DETAIL] = EXPLORE_DETAIL_BOTH;
	(void)snprintf(what, sizeof(what), "dse %s: --detail", request->store.command);
	enum err_code code = err_choose(what, request->detail, name, N_DETAIL + 1, detail, err);
	*prices = code == ERR_OK && *detail == N_DETAIL;
	*detail = *prices ? DETAIL_FAST : *detail;
	return code;
}

/* With the request's engine and tier: all that evaluates knows the space. Wrong ones are told once the space is right.
 */
static enum err_code read_space(struct explore_job *job, struct err *err)
{
	const struct explore_request *request = job->request;
	const struct engine_kind *engine = request->engine ? engine_find(request->engine) : NULL;
	struct err told_later = {0};
	size_t detail;
	bool prices;
	(void)choose_detail(request, &detail, &prices, &told_later);
	err_clear(&told_later);
	struct machine_set set;
	char what[64];
	(void)snprintf(what, sizeof(what), "dse %s: --set", request->store.command);
	enum err_code code = machine_set_parse(what, request->set, request->n_set, &set, err);
	if (code != ERR_OK)
		return code;
	const struct space_given given = {engine ? engine->name : NULL, (enum detail)detail, request->flat, &set, NULL};
	return space_read_given(request->space, &given, &job->space, err);
}

/* What the command line says of the search, and where it says nothing, what the space says. */
static enum err_code choose_options(struct explore_job *job, struct err *err)
{
	const struct explore_request *request = job->request;
	size_t detail;
	struct explore_options *options = &job->options;
	enum err_code code = choose_engine(job, err),
		      detail_code = choose_detail(request, &detail, &options->prices, err);
	code = code == ERR_OK ? detail_code : code;
	if (code != ERR_OK)
		return code;
	options->flat = request->flat || !options->engine->is_layered;
	options->n_thread = parallel_n_thread((size_t)request->jobs);
	options->seed = request->has_seed ? request->seed : job->space.seed;
	options->max_evaluation = request->has_max_evaluations ? request->max_evaluations : job->space.max_evaluation;
	options->max_ms = 1000 * request->max_seconds;
	options->at_work = request->at_work;
	if (request->at_work && request->at_work->end_ms > 0) /* of what was given, others have used a part */
		options->max_ms =
		    request->at_work->end_ms > stop_now_ms() ? request->at_work->end_ms - stop_now_ms() : 1;
	options->epsilon = request->epsilon_pct / 100.0;
	options->show_progress = !request->quiet && !request->no_progress && ranks_index() == 0;
	code = live_parse(request->live, &job->space, &options->live, err);
	if (code != ERR_OK)
		return code;
	if (request->points && options->flat)
		return err_add(err, ERR_USAGE,
		               "dse %s: --points writes the layers' fronts, which a flat search does not have",
		               job->keep->merges ? "merge" : "explore");
	if (options->epsilon > 0 && (options->flat || options->engine != &engine_exact))
		return err_add(err, ERR_USAGE,
		               "dse %s: --epsilon is for the exact engine, layer by layer: without --flat",
		               request->store.command);
	bool can_price = !options->flat && !options->engine->is_random;
	if (!request->detail)
		options->prices = can_price && !(options->epsilon > 0) && price_is_usual(&job->space);
	/* what machines off the front have is priced, too, where it may be on it */
	options->all_machines = options->prices && request->closes_gap;
	options->keeps_layers = request->coefficient_samples > 0;
	options->all_machines |= options->keeps_layers;
	if (options->keeps_layers && (options->flat || options->engine->is_random || job->space.detail != DETAIL_FAST))
		return err_add(
		    err, ERR_USAGE,
		    "dse %s: --coefficient-samples prices what an exact search in the fast tier leaves, layer by "
		    "layer: without --flat, with --engine exact or exhaustive, --detail both or fast",
		    request->store.command);
	if (options->keeps_layers && sample_check(&job->space, err) != ERR_OK)
		return ERR_INPUT;
	if (options->prices && options->epsilon > 0)
		return err_add(err, ERR_USAGE,
		               "dse %s: --detail both prices what an exact search leaves: without --epsilon, or "
		               "--effort quick",
		               request->store.command);
	if (options->prices && !can_price)
		return err_add(
		    err, ERR_USAGE,
		    "dse %s: --detail both prices what an exact search leaves, layer by layer: without --flat, "
		    "with --engine exact or exhaustive",
		    request->store.command);
	return ERR_OK;
}

/* --shard, and what a part of a search cannot do. */
static enum err_code choose_shard(struct explore_job *job, struct err *err)
{
	const struct explore_request *request = job->request;
	const struct explore_options *options = &job->options;
	enum err_code code = ERR_OK;
	if (request->shard)
		code = resume_parse_shard(request->shard, &job->keep->part, &job->keep->n_part, err);
	if (code == ERR_OK && job->keep->n_part > 1 && options->flat &&
	    (options->engine->is_random || options->max_evaluation > 0))
		code = err_add(
		    err, ERR_USAGE,
		    "dse explore: --shard deals out ranges of a flat search's designs, which a genetic engine and "
		    "--max-evaluations have none of");
	if (code == ERR_OK && job->keep->n_part > 1 && (request->audit || request->audit_samples > 0))
		code = err_add(err, ERR_USAGE,
		               "dse explore: --audit judges a front, which a shard has none of; give it to dse merge");
	if (code == ERR_OK && job->keep->n_part > 1 && options->keeps_layers)
		code = err_add(err, ERR_USAGE,
		               "dse explore: --coefficient-samples is of a front, which a shard has none of");
	if (code == ERR_OK && job->keep->n_part > 1 && ranks_n() > 1)
		code = err_add(err, ERR_USAGE, "dse explore: --shard under mpirun: a shard is the work of one process");
	return code;
}

static enum err_code set_options(struct explore_job *job, struct err *err)
{
	struct explore_options *options = &job->options;
	enum err_code code = choose_options(job, err);
	if (code == ERR_OK)
		code = choose_shard(job, err);
	if (code != ERR_OK)
		return code;
	job->command = command_text(job->request, options, job->space.detail);
	job->run = (struct front_run){.space = &job->space,
	                              .explore = &job->explore,
	                              .options = options,
	                              .unroller = &job->unroller,
	                              .command = job->command};
	return code;
}

/* Make the directory before the search: better to fail now than after an hour. */
static enum err_code prepare_dir(struct explore_job *job, struct err *err)
{
	char name[MACHINE_NAME_SIZE + 64];
	front_file_dir_name(&job->run, name, sizeof(name));
	size_t n = strlen(name);
	if (job->keep->n_part > 1)
		(void)snprintf(name + n, sizeof(name) - n, "-shard-%u-of-%u", job->keep->part, job->keep->n_part);
	job->dir = job->request->resume
	               ? memory_text(job->request->resume)
	               : memory_must(output_file_join(job->request->out ? job->request->out : DEFAULT_OUT, name));
	enum err_code code = output_file_make_dir(job->dir, err);
	if (code == ERR_OK)
		code = run_keep_open(job->keep, job->dir, job->request, &job->space, &job->options, err);
	if (code != ERR_OK || job->keep->n_part > 1 || ranks_index() > 0)
		return code;
	code = run_note_begin(&job->note, &job->request->store, job->request->quiet, job->dir, &job->space, err);
	if (code != ERR_OK)
		return code;
	/* Try a file, too: a directory may be there and not be writable. */
	code = output_file_open_in(&job->points, job->dir, job->request->points ? "points.csv" : "front.csv", err);
	if (code == ERR_OK && job->request->points)
		job->options.points = job->points.file;
	else if (code == ERR_OK)
		output_file_abandon(&job->points);
	return code;
}

/* Make this rank's searches and bring all of them to rank 0, which then knows them. */
static enum err_code search_ranks(struct explore_job *job, struct err *err)
{
	struct share *share = &job->keep->share;
	struct pack record = {0};
	unsigned n_rank = ranks_n();
	uint8_t **part = memory_array(n_rank, sizeof(*part));
	size_t *n_byte = memory_array(n_rank, sizeof(*n_byte));
	struct explore_options options = job->options;
	options.points = NULL; /* written once, when all searches are known */
	journal_pack(&record, JOURNAL_IDENTITY, job->keep->question, strlen(job->keep->question));
	share->index = ranks_index();
	share->n = n_rank;
	share->record = &record;
	enum err_code code = explore_run(&job->space, &options, &job->explore, err);
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
static enum err_code recall(struct explore_job *job, bool *is_known, struct err *err)
{
	const struct run_keep *keep = job->keep;
	enum err_code code = ERR_OK;
	*is_known = false;
	if (job->request->no_cache || keep->n_part > 1 || keep->merges || ranks_n() > 1)
		return ERR_OK;
	if (!job->request->points && !job->request->certificate && !keep->resume.text && !job->options.prices &&
	    !job->options.keeps_layers)
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
static enum err_code search(struct explore_job *job, struct err *err)
{
	uint64_t start_ms = stop_now_ms();
	enum err_code code = ERR_OK;
	if (ranks_n() > 1 && !job->options.flat) {
		code = search_ranks(job, err);
		explore_free(&job->explore);
		job->keep->share =
		    (struct share){.n = 1, .known = &job->keep->resume.ledger, .journal = job->keep->share.journal};
	}
	job->end_ms = job->options.max_ms > 0 ? start_ms + job->options.max_ms : 0;
	bool is_known = false;
	if (code == ERR_OK)
		code = recall(job, &is_known, err);
	if (code == ERR_OK && !is_known && (ranks_index() == 0 || job->options.flat))
		code = explore_run(&job->space, &job->options, &job->explore, err);
	job->run.n_known_search = front_store_n_taken(job->note.fronts);
	job->explore.seconds = (double)(stop_now_ms() - start_ms) / 1000.0;
	return code;
}

/* Read, choose, make room, search, finish. */
enum err_code explore_job_run(const struct explore_request *request, struct run_keep *keep,
                              struct explore_outcome *outcome, struct err *err)
{
	assert(request->space);
	struct explore_job *job = memory_array(1, sizeof(*job)); /* a small stack has no room for it */
	*job = (struct explore_job){.request = request, .keep = keep, .outcome = outcome};
	enum err_code code = read_space(job, err);
	if (code == ERR_OK)
		code = set_options(job, err);
	if (code == ERR_OK)
		code = mapping_compare_read(request->compare, request->n_compare, &job->space, &job->compare, err);
	if (code == ERR_OK)
		code = explore_job_begin_certificate(job, err);
	if (code == ERR_OK)
		code = prepare_dir(job, err);
	code = ranks_agree(code, err);
	if (code == ERR_OK)
		code = ranks_agree(run_keep_begin(keep, request->quiet, &job->options, err), err);
	if (code == ERR_OK)
		code = search(job, err);
	if (code == ERR_OK)
		code = explore_job_finish_certificate(job, err);
	if (code == ERR_OK && ranks_index() == 0)
		code = keep->n_part > 1 ? explore_job_finish_part(job, err) : explore_job_finish_whole(job, err);
	output_file_abandon(&job->points);
	output_file_abandon(&job->certificate);
	certificate_log_free(&job->certificate_log);
	folder_lock_release(&job->files);
	run_keep_close(keep, request->quiet);
	run_note_free(&job->note);
	mapping_compare_free(&job->compare);
	misfit_free(&job->misfit);
	run_verdict_free(&job->verdict);
	sample_free(&job->sampled);
	price_free(&job->price);
	verify_free(&job->verify);
	audit_free(&job->audit);
	unroller_free(&job->unroller);
	explore_free(&job->explore);
	free(job->dir);
	free(job->command);
	space_free(&job->space);
	free(job);
	return code;
}
