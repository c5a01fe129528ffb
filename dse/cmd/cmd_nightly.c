/* SPDX-License-Identifier: Apache-2.0 */
/* dse nightly: explore spaces, compare each with its last good night, and say so to people, programs and CI. */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/base/child.h"
#include "dse/base/memory.h"
#include "dse/night/night.h"
#include "dse/keep/ranks.h"
#include "dse/run/run_note.h"
#include "dse/keep/output_file.h"
#include "dse/out/words.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_OUT "results"
#define DEFAULT_SEEDS 5

/* A date as nights have it, that is one of the calendar. */
static bool is_date(const char *text)
{
	struct tm day = {0};
	char again[32];
	int year, month, month_day;
	char rest;
	if (strlen(text) != 10 || sscanf(text, "%4d-%2d-%2d%c", &year, &month, &month_day, &rest) != 3)
		return false;
	day.tm_year = year - 1900;
	day.tm_mon = month - 1;
	day.tm_mday = month_day;
	day.tm_hour = 12;
	/* what is no day becomes another one */
	return mktime(&day) != (time_t)-1 && strftime(again, sizeof(again), "%Y-%m-%d", &day) == 10 &&
	       strcmp(again, text) == 0;
}

/* The first n_byte bytes of now in UTC, "2026-11-22T08:21:26Z". */
static const char *now_text(struct arena *arena, size_t n_byte)
{
	char text[RUN_DATE_SIZE];
	run_note_date(time(NULL), text);
	text[n_byte] = '\0';
	return memory_must(arena_text(arena, text));
}

/* Where all goes: runs and page into out/nightly/<date>, the store beside them in out unless another one is named. */
static enum err_code open_folder(struct night *night, struct err *err)
{
	char *nightly = memory_must(output_file_join(night->out, "nightly")), *store = NULL;
	char *folder = memory_must(output_file_join(nightly, night->date));
	enum err_code code = output_file_make_dir(folder, err);
	/* the process that started this one has the folder */
	if (code == ERR_OK && !night->is_child && !folder_lock_take(&night->lock, folder, FOLDER_LOCK_RUN, 0))
		code = err_add(err, ERR_IO, "%s: another process is at work on this night", folder);
	/* beside a folder in out */
	if (code == ERR_OK)
		code = run_note_choose(&night->request.store, nightly, &store, err);
	if (code == ERR_OK && !store)
		code = err_add(err, ERR_USAGE,
		               "dse nightly compares with what the store has, and --store or DSE_STORE is none");
	if (code == ERR_OK) {
		night->folder = memory_must(arena_text(&night->arena, folder));
		night->store_path = memory_must(arena_text(&night->arena, store));
		code = run_store_open(store, true, &night->store, err);
	}
	if (code == ERR_OK && database_is_read_only(night->store))
		code = err_add(err, ERR_IO,
		               "%s: is read-only, and a night is kept in its store; --store FILE names another one",
		               night->store_path);
	free(store);
	free(folder);
	free(nightly);
	return code;
}

static enum err_code set_up(struct night *night, const struct cli_options *cli, struct err *err)
{
	night->out = cli->out ? cli->out : DEFAULT_OUT;
	night->n_seed = cli_given(cli, OPTION_SEEDS) ? (size_t)cli->seeds : DEFAULT_SEEDS;
	night->date = cli->date ? cli->date : now_text(&night->arena, 10);
	night->made = now_text(&night->arena, 20);
	night->n_space = cli->n_file;
	night->space = memory_must(arena_array(&night->arena, cli->n_file, sizeof(*night->space)));
	for (size_t i = 0; i < night->n_space; i++)
		night->space[i] = (struct night_space){.file = cli->file[i], .why = "not begun", .log = ""};
	if (!is_date(night->date))
		return err_add(err, ERR_USAGE, "dse nightly: --date is '%.40s', allowed is a day as YYYY-MM-DD",
		               night->date);
	return open_folder(night, err);
}

/* Search and judge; where the seeds' noise leaves a doubt, once more with more seeds. */
static enum err_code run_space(struct night *night, struct night_space *space, struct err *err)
{
	size_t n_run = 1 + night->n_seed;
	enum err_code code = night->is_child ? ERR_OK : night_apart(night, space, err);
	night->is_known = !night->is_child;
	while (n_run > 0 && code == ERR_OK && space->code == ERR_OK) {
		code = night_search(night, space, n_run, err);
		if (code == ERR_OK && space->is_searched)
			code = night_judge(night, space, &n_run, err);
	}
	if (code != ERR_OK || space->code != ERR_OK)
		return code;
	if (space->good && (!night_verdict_table[space->row->verdict].passes || space->row->verdict == NIGHT_BETTER))
		code = night_find_causes(night, space, err);
	return code == ERR_OK ? night_store_put_verdict(night->store, space->row, err) : code;
}

/* --accept of a space that is not there is a slip. */
static enum err_code check_accept(const struct night *night, struct err *err)
{
	const struct night_request *request = &night->request;
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < request->n_accept; i++) {
		bool found = false;
		for (size_t k = 0; k < night->n_space; k++)
			found = found ||
			        (night->space[k].row && strcmp(night->space[k].row->space, request->accept[i]) == 0);
		if (!found)
			code =
			    err_add(err, ERR_USAGE, "dse nightly: --accept %.60s: no space of this night has that name",
			            request->accept[i]);
	}
	return code;
}

/* A space that fails is one line of the night; the others go on, unless the store fails or somebody wants to stop. */
static enum err_code run_apart(struct night *night, struct night_space *space, struct err *err)
{
	struct err own = {0};
	enum err_code code = run_space(night, space, &own);
	if (code == ERR_INPUT || code == ERR_INTERNAL || code == ERR_INFEASIBLE) {
		space->code = code;
		space->log = memory_must(arena_text(&night->arena, err_text(&own)));
		code = ERR_OK;
	} else {
		(void)err_add_all(err, (struct err_place){0}, &own);
	}
	err_clear(&own);
	return code;
}

static enum err_code run_spaces(struct night *night, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < night->n_space && code == ERR_OK; i++) {
		struct night_space *space = &night->space[i];
		code = run_apart(night, space, err);
		if (code == ERR_INTERRUPTED)
			break;
		if (!night->request.json && !night->is_child && code == ERR_OK) {
			night_print_line(stdout, space);
			(void)fflush(stdout);
		}
	}
	night->is_stopped = code == ERR_INTERRUPTED;
	return night->is_stopped ? ERR_OK : code;
}

/* What people are told besides the lines on stdout. */
static void print_summary(const struct night *night, struct err *err)
{
	size_t n_worse = 0;
	for (size_t i = 0; i < night->n_space; i++) {
		enum night_verdict verdict = night_verdict_of(&night->space[i]);
		(void)fputs(night->space[i].log, stderr);
		n_worse += verdict == NIGHT_WORSE || verdict == NIGHT_CHANGED;
	}
	if (n_worse > 0)
		(void)err_add(
		    err, ERR_GATE,
		    "%zu of %zu spaces are not as they were in their last good night; %s/index.html tells more",
		    n_worse, night->n_space, night->folder);
	if (night->is_stopped)
		(void)err_add(err, ERR_INTERRUPTED,
		              "interrupted: what is done is kept; the same command with --date %s goes on",
		              night->date);
	if (!night->request.quiet)
		words_note("%s: written to %s: index.html, nightly.json, junit.xml\n", night->date, night->folder);
}

/* A process of another night's: what it found is in the store, and what it has to say on stdout. */
static enum err_code end_child(const struct night *night, enum err_code code, struct err *err)
{
	assert(night->n_space == 1);
	(void)fputs(night->space[0].log, stdout);
	(void)fputs(err_text(err), stdout);
	err_clear(err);
	code = code == ERR_OK ? night->space[0].code : code;
	return night->is_stopped ? ERR_INTERRUPTED : code;
}

static enum err_code finish(struct night *night, enum err_code code, struct err *err)
{
	enum err_code accepts = code == ERR_OK && !night->is_stopped ? check_accept(night, err) : ERR_OK;
	enum err_code tables = code == ERR_OK && !night->is_stopped ? night_validate(night, err) : ERR_OK;
	if (tables == ERR_INTERRUPTED) {
		night->is_stopped = true;
		tables = ERR_OK;
	}
	if (code == ERR_OK)
		code = night_write(night, err);
	if (code == ERR_OK && night->request.json)
		code = night_write_json(stdout, night, err);
	if (code != ERR_OK)
		return code;
	print_summary(night, err);
	code = night_exit_code(night);
	code = code == ERR_OK ? accepts : code;
	return code == ERR_OK ? tables : code;
}

enum err_code cmd_nightly(const struct cli_options *options, struct err *err)
{
	struct night night = {.is_child = options->n_file == 1 && child_begin(),
	                      .request = {.store = choice_store(options),
	                                  .note = options->note,
	                                  .n_accept = options->accept.n,
	                                  .accept = options->accept.text,
	                                  .n_table = options->tables.n,
	                                  .table = options->tables.text,
	                                  .n_set = options->set.n,
	                                  .set = options->set.text,
	                                  .tolerance_text = options->tolerance,
	                                  .max_seconds = options->max_seconds,
	                                  .max_mb = options->max_mb,
	                                  .jobs = options->jobs,
	                                  .json = options->json,
	                                  .quiet = options->quiet,
	                                  .no_progress = options->no_progress}};
	assert(options->n_file > 0);
	if (ranks_n() > 1)
		return err_add(err, ERR_USAGE,
		               "dse nightly under mpirun: a night is the work of one process; -j gives it threads");
	if (options->note && options->accept.n == 0)
		return err_add(err, ERR_USAGE,
		               "dse nightly: --note says why a space is accepted: it goes with --accept");
	enum err_code code =
	    tolerance_parse("dse nightly: --tolerance", options->tolerance, &night.request.tolerance, err);
	if (code == ERR_OK)
		code = choice_set(options, &night.set, err);
	if (code == ERR_OK)
		code = set_up(&night, options, err);
	if (code == ERR_OK)
		code = run_spaces(&night, err);
	code = night.is_child ? end_child(&night, code, err) : finish(&night, code, err);
	database_close(night.store);
	folder_lock_release(&night.lock);
	arena_free(&night.arena);
	return code;
}
