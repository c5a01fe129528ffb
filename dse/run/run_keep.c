/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/run_keep.h"
#include "dse/base/memory.h"
#include "dse/out/colour.h"
#include "dse/keep/ranks.h"
#include "dse/keep/output_file.h"
#include "dse/out/words.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* A run that wrote its files has no journal any more; run.json is the last of them. */
static bool has_run_json(const char *dir)
{
	char *path = memory_must(output_file_join(dir, "run.json"));
	FILE *file = fopen(path, "r");
	if (file)
		(void)fclose(file);
	free(path);
	return file != NULL;
}

enum err_code run_keep_start(struct run_keep *keep, const struct explore_request **request, struct err *err)
{
	const struct explore_request *given = *request;
	assert(keep && !keep->dir);
	if (!given->resume)
		return ERR_OK;
	if (given->out)
		return err_add(err, ERR_USAGE,
		               "dse explore: --resume writes to the folder it goes on with; -o names another");
	const char *dir = given->resume;
	/* before any rank reads: what another process is writing is not there yet */
	bool is_busy = ranks_index() == 0 && !folder_lock_take(&keep->lock, dir, FOLDER_LOCK_RUN, 0);
	enum err_code code = is_busy ? err_add(err, ERR_IO, "%s: another process is at work on this run", dir) : ERR_OK;
	code = ranks_agree(code, err);
	if (code == ERR_OK)
		code = resume_read(dir, ranks_index(), &keep->resume, err);
	if (code != ERR_OK)
		return code;
	if (!keep->resume.text) {
		keep->is_complete = has_run_json(dir);
		return keep->is_complete
		           ? ERR_OK
		           : err_add(err, ERR_INPUT, "%s: holds no journal of a run: there is nothing to resume", dir);
	}
	keep->is_complete = keep->resume.has_end;
	char *path = memory_must(output_file_join(dir, "journal"));
	code = resume_fill(path, keep->resume.text, given, &keep->filled, err);
	free(path);
	*request = &keep->filled.request;
	return code;
}

static void print_taken_up(const struct run_keep *keep, bool is_quiet)
{
	const struct resume *resume = &keep->resume;
	if (!resume->text || is_quiet || ranks_index() > 0)
		return;
	if (resume->checkpoint.state)
		words_note("%s: the search goes on from its checkpoint\n", keep->dir);
	else
		words_note("%s: %zu finished searches are taken up\n", keep->dir, resume->ledger.n_entry);
	if (resume->n_lost > 0)
		colour_print(stderr, COLOUR_WARNING,
		             "%s: %zu bytes at the end of its journal are torn or damaged; what they held is "
		             "searched again\n",
		             keep->dir, resume->n_lost);
}

/* Rank 0 has the folder for all ranks; a merge needs nothing of it but room for its results. */
static bool takes_folder(const struct run_keep *keep)
{
	return !keep->merges && ranks_index() == 0;
}

/* A run has the folder to itself, unless another process is at work there. */
static void clear_folder(const struct run_keep *keep)
{
	if (!takes_folder(keep) || keep->is_busy)
		return;
	if (!keep->resume.text)
		resume_put_aside(keep->dir);
	output_file_sweep(keep->dir);
}

/* What rank 0 has found, for all ranks. */
static void spread_is_busy(struct run_keep *keep)
{
	struct pack own = {0};
	uint8_t *data;
	size_t n_byte;
	if (ranks_n() == 1)
		return;
	pack_bool(&own, &keep->is_busy);
	ranks_spread(0, &own, &data, &n_byte);
	struct pack pack = pack_reader(data, n_byte);
	pack_bool(&pack, &keep->is_busy);
	free(data);
	pack_free(&own);
}

/* A part is its journal. The results of a whole run are the same whether it keeps one. */
static enum err_code open_journal(struct run_keep *keep, bool is_quiet, struct err *err)
{
	spread_is_busy(keep);
	if (!keep->is_busy)
		return journal_open(&keep->journal, keep->journal_path, keep->resume.n_keep, keep->question, err);
	if (keep->n_part > 1)
		return err_add(err, ERR_IO, "%s: another process is at work on this shard", keep->dir);
	if (!is_quiet && ranks_index() == 0)
		colour_print(stderr, COLOUR_WARNING,
		             "%s: another process is at work on the same run; this one keeps no journal\n", keep->dir);
	return ERR_OK;
}

/* What a run that was stopped has left in the folder, if it asked the same; another one's is left alone. */
static enum err_code take_up(struct run_keep *keep, struct err *err)
{
	struct err differences = {0};
	enum err_code code = resume_read(keep->dir, ranks_index(), &keep->resume, err);
	if (code == ERR_OK && keep->resume.text &&
	    (keep->resume.has_end ||
	     resume_compare(keep->dir, keep->resume.text, keep->question, true, &differences) != ERR_OK))
		resume_free(&keep->resume);
	err_clear(&differences);
	return code;
}

static enum err_code ask_question(struct run_keep *keep, const struct explore_request *request,
                                  const struct space *space, const struct explore_options *options, struct err *err)
{
	const struct resume_question question = {space, options, request, keep->part, keep->n_part};
	char name[RESUME_NAME_SIZE];
	resume_journal_name(ranks_index(), name);
	keep->question = resume_print_question(&question);
	keep->journal_path = memory_must(output_file_join(keep->dir, name));
	keep->checkpoint_path = memory_must(output_file_join(keep->dir, "checkpoint"));
	if (keep->takes_up && !keep->is_busy)
		return take_up(keep, err);
	if (!keep->resume.text)
		return ERR_OK;
	const char *path = request->resume ? request->resume : keep->dir;
	return resume_compare(path, keep->resume.text, keep->question, !keep->merges, err);
}

enum err_code run_keep_open(struct run_keep *keep, const char *dir, const struct explore_request *request,
                            const struct space *space, const struct explore_options *options, struct err *err)
{
	assert(keep && dir && request && !keep->dir);
	keep->dir = memory_text(dir);
	/* before the folder is looked at; what --resume takes up was locked when it was read */
	if (takes_folder(keep) && !keep->lock.path)
		keep->is_busy = !folder_lock_take(&keep->lock, dir, FOLDER_LOCK_RUN, 0);
	enum err_code code = ask_question(keep, request, space, options, err);
	if (code == ERR_OK)
		clear_folder(keep);
	return code;
}

enum err_code run_keep_begin(struct run_keep *keep, bool is_quiet, struct explore_options *options, struct err *err)
{
	assert(keep->dir && keep->question && keep->share.n == 1);
	enum err_code code = keep->merges ? ERR_OK : open_journal(keep, is_quiet, err);
	if (code != ERR_OK)
		return code;
	bool keeps = keep->journal.descriptor >= 0;
	keep->share.index = keep->part - 1;
	keep->share.n = keep->n_part;
	keep->share.known = keep->resume.text ? &keep->resume.ledger : NULL;
	keep->share.journal = keeps ? &keep->journal : NULL;
	keep->share.only_known = keep->merges;
	keep->checkpoint = (struct checkpoint){.path = keep->checkpoint_path,
	                                       .question = keep->question,
	                                       .state = keep->resume.checkpoint.state,
	                                       .n_state = keep->resume.checkpoint.n_state};
	options->share = &keep->share;
	options->checkpoint = keeps ? &keep->checkpoint : NULL;
	if (!keep->merges)
		print_taken_up(keep, is_quiet);
	return ERR_OK;
}

enum err_code run_keep_finish(struct run_keep *keep, struct err *err)
{
	assert(keep->dir);
	if (keep->merges || keep->journal.descriptor < 0)
		return ERR_OK;
	if (keep->n_part > 1) {
		journal_append(&keep->journal, JOURNAL_END, NULL, 0);
		return journal_close(&keep->journal, keep->journal_path, err);
	}
	resume_remove(keep->dir);
	return ERR_OK;
}

void run_keep_close(struct run_keep *keep, bool is_quiet)
{
	struct err err = {0};
	bool failed = keep->checkpoint.failed;
	failed = journal_close(&keep->journal, keep->journal_path ? keep->journal_path : "", &err) != ERR_OK || failed;
	if (failed && !is_quiet)
		colour_print(stderr, COLOUR_WARNING,
		             "%s: the journal could not be written; the run cannot be taken up\n", keep->dir);
	err_clear(&err);
	folder_lock_release(&keep->lock);
	resume_free(&keep->resume);
	free(keep->question);
	free(keep->journal_path);
	free(keep->checkpoint_path);
	free(keep->dir);
	keep->dir = NULL;
}
