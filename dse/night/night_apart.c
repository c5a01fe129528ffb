/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A space of a night in a process of its own, `dse nightly` of that space alone, which searches, judges and finds
 * causes. What it did is in the store; where it came to its end, this process does the same again, finds all searches
 * made, and has the verdict. Where it did not the space has failed, and the night goes on.
 *
 *   this process ──► dse nightly SPACE ──► store
 *        └───────────── run_space ◄──────────┘   index.html, nightly.json, junit.xml
 */
#include "dse/base/child.h"
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/night/night.h"
#include "dse/night/night_store.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORD = 32 };

/* How the child tells on stdout which search it begins. */
#define SEARCH_LINE "searches "

struct words {
	size_t n, n_max;
	const char **word;
};

static void add(struct words *words, const char *option, const char *value)
{
	if (!value)
		return;
	words->word[words->n++] = option;
	words->word[words->n++] = value;
}

static const char *number(struct arena *arena, uint64_t value)
{
	char text[NUMBER_SIZE];
	(void)snprintf(text, sizeof(text), "%" PRIu64, value);
	return memory_must(arena_text(arena, text));
}

/* The command line of one space. */
static struct words list_words(struct night *night, const struct night_space *space)
{
	const struct night_request *request = &night->request;
	struct words words = {0};
	words.word = memory_must(
	    arena_array(&night->arena, MAX_WORD + 2 * (request->n_accept + request->n_set), sizeof(*words.word)));
	add(&words, "nightly", space->file);
	add(&words, "--date", night->date);
	add(&words, "--seeds", number(&night->arena, night->n_seed));
	add(&words, "--out", night->out);
	add(&words, "--store", night->store_path);
	add(&words, "--jobs", number(&night->arena, request->jobs));
	add(&words, "--tolerance", request->tolerance_text);
	for (size_t i = 0; i < request->n_accept; i++)
		add(&words, "--accept", request->accept[i]);
	for (size_t i = 0; i < request->n_set; i++)
		add(&words, "--set", request->set[i]);
	add(&words, "--note", request->n_accept > 0 ? request->note : NULL);
	words.word[words.n++] = "--quiet";
	if (request->quiet || request->no_progress)
		words.word[words.n++] = "--no-progress";
	return words;
}

void night_say_search(const char *space, uint64_t seed)
{
	(void)printf(SEARCH_LINE "%" PRIu64 " %s\n", seed, space);
	(void)fflush(stdout);
}

/* The last search that it began; false: none. The rest of the texts is what it said. */
static bool find_search(struct night *night, const char *out, uint64_t *seed, const char **name, const char **rest)
{
	bool found = false;
	*rest = out;
	for (const char *line = out; line; line = strstr(line + 1, "\n" SEARCH_LINE)) {
		char word[MACHINE_NAME_SIZE + 1] = "";
		const char *at = line + (*line == '\n');
		if (sscanf(at, SEARCH_LINE "%" SCNu64 " %63s", seed, word) != 2)
			continue;
		*name = memory_must(arena_text(&night->arena, word));
		*rest = at + strcspn(at, "\n");
		*rest += **rest == '\n';
		found = true;
	}
	return found;
}

/* The row that the child began says so, for later nights. */
static enum err_code note_failure(struct night *night, struct night_space *space, const char *name, struct err *err)
{
	struct night_row *row;
	enum err_code code = night_store_find(night->store, name, night->date, &night->arena, &row, err);
	if (code != ERR_OK || !row || row->verdict != NIGHT_STOPPED)
		return code;
	row->verdict = NIGHT_FAILED;
	space->row = row;
	return night_store_put_verdict(night->store, row, err);
}

static const char *join(struct arena *arena, const char *a, const char *b, const char *c)
{
	size_t n_byte = strlen(a) + strlen(b) + strlen(c) + 1;
	char *text = memory_array(n_byte, 1);
	(void)snprintf(text, n_byte, "%s%s%s", a, b, c);
	const char *joined = memory_must(arena_text(arena, text));
	free(text);
	return joined;
}

/* What is told of a child that did not come to its end. */
static enum err_code tell_failure(struct night *night, struct night_space *space, const struct child_end *end,
                                  struct err *err)
{
	const struct child_limits limits = {.max_seconds = night->request.max_seconds, .max_mb = night->request.max_mb};
	char reason[CHILD_REASON_SIZE];
	const char *name = NULL, *rest;
	uint64_t seed = 0;
	struct err messages = {0};
	bool is_search = find_search(night, end->out, &seed, &name, &rest);
	enum err_code code = end->code > 0 && end->code < ERR_INTERRUPTED ? (enum err_code)end->code : ERR_INTERNAL;
	child_reason(end, &limits, reason);
	bool speaks = end->code > 0 && !end->is_late && rest[0] != '\0'; /* it says itself why */
	if (!speaks)
		(void)err_add(&messages, code, "%s: %s", space->file, reason);
	if (is_search) {
		const char *set = "";
		for (size_t i = 0; i < night->request.n_set; i++)
			set = join(&night->arena, set, " --set ", night->request.set[i]);
		(void)err_add(&messages, code,
		              "to see it again: dse explore %s --detail fast --no-cache --seed %" PRIu64 " -j %" PRIu64 "%s",
		              space->file, seed, night->request.jobs, set);
	}
	space->code = code;
	space->log =
	    join(&night->arena, speaks ? rest : err_text(&messages), end->said, speaks ? err_text(&messages) : rest);
	err_clear(&messages);
	return name ? note_failure(night, space, name, err) : ERR_OK;
}

enum err_code night_apart(struct night *night, struct night_space *space, struct err *err)
{
	const struct child_limits limits = {.max_seconds = night->request.max_seconds, .max_mb = night->request.max_mb};
	const struct words words = list_words(night, space);
	struct child_end end;
	bool keeps_stderr = !night->request.quiet && !night->request.no_progress && isatty(STDERR_FILENO) == 1;
	enum err_code code =
	    child_run(words.word, words.n, &limits, keeps_stderr ? CHILD_KEEPS_STDERR : CHILD_KEEPS_NONE, &end, err);
	if (code != ERR_OK)
		return code;
	if (interrupt_requested())
		code = ERR_INTERRUPTED;
	else if (end.code == ERR_OK)
		(void)fputs(end.said, stderr);
	else
		code = tell_failure(night, space, &end, err);
	child_end_free(&end);
	return code;
}
