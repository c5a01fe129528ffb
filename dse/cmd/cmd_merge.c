/* SPDX-License-Identifier: Apache-2.0 */
/* dse merge: the front of a space from the journals of its shards. */
#include "dse/base/memory.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/run/explore_job.h"
#include "dse/out/command_word.h"
#include "dse/keep/output_file.h"
#include <assert.h>
#include <stdlib.h>

/* Which shard lies where. */
struct shards {
	unsigned n;                 /* of how many the space is made up; 0: not known yet */
	const char *dir[SHARE_MAX]; /* [n] NULL: not seen */
};

/* Note the shard's number. ERR_INPUT when it is none, or there twice. */
static enum err_code place_shard(struct shards *shards, const char *dir, const char *text, struct err *err)
{
	char value[32];
	unsigned part, n_part;
	struct err ignored = {0};
	bool is_shard = resume_value(text, "shard", value, sizeof(value)) &&
	                resume_parse_shard(value, &part, &n_part, &ignored) == ERR_OK;
	err_clear(&ignored);
	if (!is_shard)
		return err_add(err, ERR_INPUT, "%s: holds no shard", dir);
	if (shards->n == 0)
		shards->n = n_part;
	if (n_part != shards->n)
		return err_add(err, ERR_INPUT, "%s: is shard %s, the first folder is one of %u", dir, value, shards->n);
	assert(part >= 1 && part <= shards->n);
	if (shards->dir[part - 1])
		return err_add(err, ERR_INPUT, "%s: is shard %s, and so is %s", dir, value, shards->dir[part - 1]);
	shards->dir[part - 1] = dir;
	return ERR_OK;
}

/* Add the shard in dir to the ledger; *text, of the first one, is what all must ask. */
static enum err_code read_shard(const char *dir, struct resume *all, struct shards *shards, struct err *err)
{
	struct ledger_info info = {0};
	struct err own = {0};
	char *path = memory_must(output_file_join(dir, "journal"));
	enum err_code code = ledger_read(&all->ledger, path, &info, &own);
	if (code == ERR_OK && !info.identity)
		code = err_add(&own, ERR_INPUT, "%s: is damaged, or no journal", path);
	if (code == ERR_OK && all->text)
		code = resume_compare(dir, info.identity, all->text, false, &own);
	if (code == ERR_OK)
		code = place_shard(shards, dir, info.identity, &own);
	char word[4200];
	if (code == ERR_OK && !info.has_end)
		code = err_add(&own, ERR_INPUT, "%s: is not complete; to go on: dse explore --resume %s", dir,
		               command_word_text(word, sizeof(word), dir));
	if (code != ERR_OK)
		code = err_add_all(err, (struct err_place){NULL, 0, 0}, &own);
	if (!all->text) {
		all->text = info.identity;
		info.identity = NULL;
	}
	free(info.identity);
	free(path);
	err_clear(&own);
	return code;
}

static enum err_code check_missing(const struct shards *shards, struct err *err)
{
	for (unsigned i = 0; i < shards->n; i++)
		if (!shards->dir[i])
			(void)err_add(err, ERR_INPUT, "dse merge: shard %u/%u is missing", i + 1, shards->n);
	return err->n_message > 0 ? ERR_INPUT : ERR_OK;
}

enum err_code cmd_merge(const struct cli_options *options, struct err *err)
{
	struct run_keep *keep = memory_array(1, sizeof(*keep));
	struct shards *shards = memory_array(1, sizeof(*shards));
	*keep = (struct run_keep)RUN_KEEP_CLOSED;
	keep->merges = true;
	enum err_code code = ERR_OK;
	assert(options->n_file >= 1);
	/* all folders, so that one pass tells all that is wrong */
	for (size_t i = 0; i < options->n_file; i++)
		code = choice_worse(code, read_shard(options->file[i], &keep->resume, shards, err));
	if (code == ERR_OK)
		code = check_missing(shards, err);
	ledger_sort(&keep->resume.ledger);
	struct explore_request given = choice_explore(options);
	given.space = NULL; /* the files are folders; the space is the shards' */
	if (code == ERR_OK)
		code = resume_fill(options->file[0], keep->resume.text, &given, &keep->filled, err);
	keep->filled.request.shard = NULL;
	if (code == ERR_OK)
		code = explore_job_run(&keep->filled.request, keep, NULL, err);
	else
		run_keep_close(keep, true);
	free(shards);
	free(keep);
	return code;
}
