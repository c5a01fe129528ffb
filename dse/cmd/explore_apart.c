/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse explore --isolate: the exploration in a process of its own, which searches, writes and prints. Where that does
 * not come to its end, it is started again and goes on from its journal, with one thread, until it is known on which
 * machine it ends; that machine has failed and is left out, and the rest goes on with all threads.
 *
 *   this process ──► dse explore ──ended──► dse explore -j 1, from the journal ──ended──► machine left out ──┐
 *                         ▲                        └── comes to its end: done                               │
 *                         └──────────────────────────────────────────────────────────────────────────────────┘
 */
#include "dse/base/child.h"
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/cmd/explore_command.h"
#include "dse/keep/ranks.h"
#include "dse/options/cli_table.h"
#include "dse/out/words.h"
#include "sim/base/arena.h"
#include "sim/base/stop.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORD = 1 + 2 * N_OPTION + 2 * CLI_MAX_LIST * 8 };

struct command_words {
	size_t n;
	const char **word; /* [MAX_WORD] */
	struct arena arena;
};

static void add_option(struct command_words *words, const char *option, const char *value)
{
	char name[64];
	(void)snprintf(name, sizeof(name), "--%s", option);
	words->word[words->n++] = memory_must(arena_text(&words->arena, name));
	if (value)
		words->word[words->n++] = memory_must(arena_text(&words->arena, value));
}

/* An option that was given, with what it was given. */
static void repeat_option(struct command_words *words, const struct option_info *info,
                          const struct cli_options *options)
{
	const char *member = (const char *)options + info->offset;
	char number[32];
	if (info->type == TYPE_FLAG) {
		add_option(words, info->name, NULL);
	} else if (info->type == TYPE_TEXT) {
		add_option(words, info->name, *(const char *const *)(const void *)member);
	} else if (info->type == TYPE_LIST) {
		const struct cli_list *list = (const void *)member;
		for (size_t i = 0; i < list->n; i++)
			add_option(words, info->name, list->text[i]);
	} else {
		if (info->type == TYPE_U64)
			(void)snprintf(number, sizeof(number), "%" PRIu64, *(const uint64_t *)(const void *)member);
		else
			(void)snprintf(number, sizeof(number), "%.17g", *(const double *)(const void *)member);
		add_option(words, info->name, number);
	}
}

/* The command line once more; serial: with one thread. */
static void list_words(const struct cli_options *options, bool serial, struct command_words *words)
{
	arena_free(&words->arena);
	words->n = 0;
	words->word[words->n++] = "explore";
	for (size_t i = 0; i < options->n_file; i++)
		words->word[words->n++] = options->file[i];
	for (size_t i = 0; i < N_OPTION; i++)
		if (options->given[i] && !(serial && i == OPTION_JOBS))
			repeat_option(words, &option_table[i], options);
	if (serial)
		add_option(words, option_table[OPTION_JOBS].name, "1");
}

/* What goes only with a search that machines are told apart in; and what to do instead. */
static enum err_code check(const struct cli_options *options, struct err *err)
{
	const char *why = NULL;
	if (options->flat)
		why = "leaves out machines, and a flat search has all of them at work at once: without --flat, or each "
		      "machine "
		      "as a space of its own in dse nightly, which isolates spaces";
	else if (options->certificate)
		why = "starts a search again, and a certificate is written by one that comes to its end: search with "
		      "--isolate "
		      "to see which machine fails, leave it out of the space, and search with --certificate";
	else if (options->shard || ranks_n() > 1)
		why =
		    "is of one process that searches all layers of a machine; shards and ranks each have some of them: "
		    "without --shard and mpirun, or leave the machine out of the space on which one of them ends";
	return why ? err_add(err, ERR_USAGE, "dse explore: --isolate %s", why) : ERR_OK;
}

/* Whether a step of it takes longer than --step-seconds. */
struct watched {
	const struct at_work *at_work;
	uint64_t max_ms;
};

static bool is_hung(void *context)
{
	const struct watched *watched = context;
	return watched->max_ms > 0 && at_work_is_slow(watched->at_work, watched->max_ms);
}

/* Why it ended, in words. */
static void reason(const struct cli_options *options, const struct child_end *end, char text[CHILD_REASON_SIZE])
{
	const struct child_limits limits = {.max_seconds = options->step_seconds};
	child_reason(end, &limits, text);
	if (end->signal_number == 0 && !end->is_late && options->max_mb > 0)
		(void)snprintf(text, CHILD_REASON_SIZE, "ended with exit code %d, within %" PRIu64 " MB of memory",
		               end->code, options->max_mb);
}

/* A process that did not come to its end: which machine is to blame. ERR_OK: start another one. */
static enum err_code judge(const struct cli_options *options, struct at_work *at_work, const struct child_end *end,
                           bool *is_serial, struct err *err)
{
	char why[CHILD_REASON_SIZE];
	uint64_t machine;
	reason(options, end, why);
	bool was_serial = *is_serial;
	*is_serial = !was_serial;
	if (!was_serial) {
		if (!options->quiet)
			words_note("%s: goes on from the journal with one thread, to see where\n", why);
		return ERR_OK;
	}
	if (!at_work_item(at_work, end->code == ERR_INTERNAL, &machine))
		return err_add(err, ERR_INTERNAL,
		               "%s, while no machine was at work; to see it again: the same without "
		               "--isolate, with -j 1",
		               why);
	if (at_work_is_out(at_work->page, machine) || !at_work_leave_out(at_work, machine, why))
		return err_add(err, ERR_INTERNAL, "%s, and so on %d machines before; the search is given up", why,
		               AT_WORK_MAX_OUT);
	if (!options->quiet)
		words_note("%s on machine %" PRIu64 ", which is left out; the rest goes on\n", why, machine);
	return ERR_OK;
}

enum err_code explore_apart(const struct cli_options *options, struct err *err)
{
	struct at_work at_work = {.page = NULL};
	struct command_words words = {.word = NULL};
	struct watched watched = {&at_work, 1000 * options->step_seconds};
	enum err_code code = check(options, err);
	if (code == ERR_OK)
		code = at_work_new(&at_work, err);
	if (code != ERR_OK)
		return code;
	const struct child_limits limits = {
	    .max_mb = options->max_mb, .is_hung = is_hung, .context = &watched, .variable = at_work.variable};
	if (options->max_seconds > 0)
		at_work.page->end_ms = stop_now_ms() + 1000 * options->max_seconds;
	words.word = memory_array(MAX_WORD, sizeof(*words.word));
	bool is_serial = false, is_over = false;
	while (code == ERR_OK && !is_over) {
		struct child_end end;
		list_words(options, is_serial, &words);
		at_work_clear(&at_work);
		code = child_run(words.word, words.n, &limits, CHILD_KEEPS_BOTH, &end, err);
		if (code != ERR_OK)
			break;
		/* its messages are told already */
		is_over = interrupt_requested() || atomic_load(&at_work.page->is_finished);
		if (is_over)
			code = end.code >= 0 ? (enum err_code)end.code : ERR_INTERRUPTED;
		else
			code = judge(options, &at_work, &end, &is_serial, err);
		at_work.page->is_again = true;
		child_end_free(&end);
	}
	free(words.word);
	arena_free(&words.arena);
	at_work_free(&at_work);
	return code;
}
