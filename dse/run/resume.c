/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/resume.h"
#include "dse/base/memory.h"
#include "dse/out/build.h"
#include "dse/keep/output_file.h"
#include <assert.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the question ---- */

char *resume_print_question(const struct resume_question *question)
{
	const struct explore_options *options = question->options;
	const struct explore_request *request = question->request;
	char *text = NULL;
	size_t n_byte;
	assert(options->engine && question->part >= 1 && question->part <= question->n_part && request->space);
	FILE *file = memory_must(open_memstream(&text, &n_byte));
	(void)fprintf(file, "version: %s\nspace: %s\n", build_version, request->space);
	for (size_t i = 0; i < question->space->n_file; i++)
		(void)fprintf(file, "file %s: %s\n", question->space->file[i].path, question->space->file[i].hash);
	(void)fprintf(file, "engine: %s\nflat: %s\nseed: %" PRIu64 "\nmax-evaluations: %" PRIu64 "\ndetail: %s\n",
	              options->engine->name, options->flat ? "yes" : "no", options->seed, options->max_evaluation,
	              options->prices ? EXPLORE_DETAIL_BOTH : detail_name[question->space->detail]);
	if (options->epsilon > 0)
		(void)fprintf(file, "epsilon-pct: %.17g\n", request->epsilon_pct);
	(void)fprintf(file, "closes-gap: %s\n", request->closes_gap && options->prices ? "yes" : "no");
	(void)fprintf(file, "shard: %u/%u\n", question->part, question->n_part);
	(void)fprintf(file, "points: %s\nverify: %s\naudit: %s\n", request->points ? "yes" : "no",
	              request->verify ? "yes" : "no", request->audit || request->audit_samples > 0 ? "yes" : "no");
	if (request->coefficient_samples > 0)
		(void)fprintf(file, "coefficient-samples: %" PRIu64 "\n", request->coefficient_samples);
	memory_check(fclose(file) == 0);
	return text;
}

/* Where the value of a key begins and how long it is; keys hold no ": ", file names may. */
static const char *find_value(const char *text, const char *key, size_t n_key, size_t *n_byte)
{
	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line ? 1 : 0) {
		if (strncmp(line, key, n_key) != 0 || line[n_key] != ':' || line[n_key + 1] != ' ')
			continue;
		*n_byte = strcspn(line + n_key + 2, "\n");
		return line + n_key + 2;
	}
	return NULL;
}

bool resume_value(const char *text, const char *key, char *value, size_t n_byte)
{
	size_t n;
	const char *found = find_value(text, key, strlen(key), &n);
	if (!found || n >= n_byte)
		return false;
	memcpy(value, found, n);
	value[n] = '\0';
	return true;
}

/* What is written, and how it is checked, may change between the halves of a run. */
static bool is_free(const char *key, size_t n_key, bool part_too)
{
	static const char *const name[] = {"points", "verify", "audit", "shard", "coefficient-samples"};
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (strlen(name[i]) == n_key && strncmp(name[i], key, n_key) == 0)
			return !(i == 3 && part_too);
	return false;
}

/* The last ": " of a line ends its key: values hold none. */
static size_t key_length(const char *line)
{
	size_t n_line = strcspn(line, "\n"), n = n_line;
	while (n > 0 && strncmp(line + n, ": ", 2) != 0)
		n--;
	return n;
}

/* Lines of text that other lacks or has with another value. other_is_ours: which of them the command line's is. */
static void compare_lines(const char *path, const char *text, const char *other, bool other_is_ours, bool part_too,
                          struct err *err)
{
	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line ? 1 : 0) {
		size_t n_key = key_length(line), n_line = strcspn(line, "\n"), n_value;
		const char *value = n_key > 0 ? find_value(other, line, n_key, &n_value) : NULL;
		if (n_key == 0 || is_free(line, n_key, part_too))
			continue;
		if (!value)
			(void)err_add(err, ERR_INPUT, "%s: %.*s is %s", path, (int)n_key, line,
			              other_is_ours ? "no input any more" : "a new input since");
		else if (other_is_ours &&
		         (n_value != n_line - n_key - 2 || strncmp(value, line + n_key + 2, n_value) != 0))
			(void)err_add(err, ERR_INPUT, "%s: made with %.*s %.*s, now it is %.*s", path, (int)n_key, line,
			              (int)(n_line - n_key - 2), line + n_key + 2, (int)n_value, value);
	}
}

enum err_code resume_compare(const char *path, const char *theirs, const char *ours, bool part_too, struct err *err)
{
	assert(path && theirs && ours && err);
	unsigned n_before = err->n_message;
	compare_lines(path, theirs, ours, true, part_too, err);
	compare_lines(path, ours, theirs, false, part_too, err);
	return err->n_message > n_before ? ERR_INPUT : ERR_OK;
}

static bool says_yes(const char *text, const char *key)
{
	char value[8];
	return resume_value(text, key, value, sizeof(value)) && strcmp(value, "yes") == 0;
}

static bool number(const char *text, const char *key, uint64_t *value)
{
	char digits[24], *end;
	if (!resume_value(text, key, digits, sizeof(digits)))
		return false;
	*value = strtoull(digits, &end, 10);
	return end != digits && *end == '\0';
}

/* What the run's machines were set to: lines "file --set KEY=VALUE: hash". */
static void fill_set(const char *text, struct resume_request *filled)
{
	static const char begin[] = "file " MACHINE_SET_PREFIX;
	size_t n = 0;
	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line ? 1 : 0) {
		size_t n_key = key_length(line), n_begin = strlen(begin);
		if (n_key <= n_begin || strncmp(line, begin, n_begin) != 0 || n == MACHINE_SET_MAX)
			continue;
		(void)snprintf(filled->set_text[n], sizeof(filled->set_text[n]), "%.*s", (int)(n_key - n_begin),
		               line + n_begin);
		filled->set[n] = filled->set_text[n];
		n++;
	}
	filled->request.set = filled->set;
	filled->request.n_set = n;
}

enum err_code resume_fill(const char *path, const char *text, const struct explore_request *given,
                          struct resume_request *filled, struct err *err)
{
	uint64_t seed, max_evaluations;
	char epsilon[32];
	assert(text && given && filled);
	filled->request = *given;
	struct explore_request *request = &filled->request;
	bool is_whole = resume_value(text, "space", filled->space, sizeof(filled->space)) &&
	                resume_value(text, "engine", filled->engine, sizeof(filled->engine)) &&
	                resume_value(text, "detail", filled->detail, sizeof(filled->detail)) &&
	                resume_value(text, "shard", filled->shard, sizeof(filled->shard)) &&
	                number(text, "seed", &seed) && number(text, "max-evaluations", &max_evaluations);
	if (!is_whole)
		return err_add(err, ERR_INPUT, "%s: does not say how the run was begun", path);
	request->space = request->space ? request->space : filled->space;
	request->engine = request->engine ? request->engine : filled->engine;
	request->detail = request->detail ? request->detail : filled->detail;
	request->shard = request->shard || strcmp(filled->shard, "1/1") == 0 ? request->shard : filled->shard;
	if (given->n_set == 0)
		fill_set(text, filled);
	if (!given->has_epsilon && resume_value(text, "epsilon-pct", epsilon, sizeof(epsilon)))
		request->epsilon_pct = strtod(epsilon, NULL);
	request->seed = given->has_seed ? request->seed : seed;
	request->max_evaluations = given->has_max_evaluations ? request->max_evaluations : max_evaluations;
	request->has_seed = request->has_max_evaluations = true;
	request->flat = request->flat || says_yes(text, "flat");
	request->points = request->points || says_yes(text, "points");
	request->closes_gap = request->closes_gap || says_yes(text, "closes-gap");
	request->verify = request->verify || says_yes(text, "verify");
	request->audit = request->audit || says_yes(text, "audit");
	if (request->coefficient_samples == 0)
		(void)number(text, "coefficient-samples", &request->coefficient_samples);
	return ERR_OK;
}

enum err_code resume_parse_shard(const char *text, unsigned *part, unsigned *n_part, struct err *err)
{
	char *slash, *end;
	assert(text && part && n_part);
	unsigned long i = strtoul(text, &slash, 10), n = *slash == '/' ? strtoul(slash + 1, &end, 10) : 0;
	bool is_fine = text[0] >= '0' && text[0] <= '9' && *slash == '/' && slash[1] >= '0' && slash[1] <= '9' &&
	               *end == '\0' && i >= 1 && i <= n && n <= SHARE_MAX;
	if (!is_fine)
		return err_add(err, ERR_USAGE,
		               "dse explore: --shard is '%.40s', allowed is I/N with I from 1 to N, N at most %d", text,
		               SHARE_MAX);
	*part = (unsigned)i;
	*n_part = (unsigned)n;
	return ERR_OK;
}

/* ---- the folder ---- */

void resume_journal_name(unsigned rank, char name[RESUME_NAME_SIZE])
{
	if (rank == 0)
		(void)snprintf(name, RESUME_NAME_SIZE, "journal");
	else
		(void)snprintf(name, RESUME_NAME_SIZE, "journal.%u", rank);
}

/* "journal.<digits>" */
static bool is_rank_journal(const char *name)
{
	const char *digits = name + strlen("journal.");
	return strncmp(name, "journal.", strlen("journal.")) == 0 && *digits &&
	       digits[strspn(digits, "0123456789")] == '\0';
}

/* Add a journal of the folder if it asks what the first one does. */
static enum err_code read_journal(const char *dir, const char *name, const char *own_name, struct resume *resume,
                                  struct err *err)
{
	struct ledger_info info = {0};
	char *path = memory_must(output_file_join(dir, name));
	enum err_code code = ledger_read(&resume->ledger, path, &info, err);
	bool is_ours = code == ERR_OK && info.identity && (!resume->text || strcmp(resume->text, info.identity) == 0);
	if (code == ERR_OK && !is_ours) {
		/* a rank's journal of another question: its searches, the last ones added, are not known */
		assert(resume->ledger.n_entry >= info.n_search);
		resume->ledger.n_entry -= info.n_search;
	}
	if (is_ours && !resume->text) {
		resume->has_end = info.has_end;
		resume->text = info.identity;
		info.identity = NULL;
	}
	if (is_ours && strcmp(name, own_name) == 0)
		resume->n_keep = info.n_good;
	resume->n_lost += is_ours ? info.n_lost : 0;
	free(info.identity);
	free(path);
	return code;
}

/* The others in whatever order the folder has them: the ledger sorts. */
static enum err_code read_rank_journals(const char *dir, const char *own_name, struct resume *resume, struct err *err)
{
	enum err_code code = ERR_OK;
	DIR *folder = opendir(dir);
	for (struct dirent *entry; folder && code == ERR_OK && (entry = readdir(folder));)
		if (is_rank_journal(entry->d_name))
			code = read_journal(dir, entry->d_name, own_name, resume, err);
	if (folder)
		(void)closedir(folder);
	return code;
}

static bool exists(const char *dir, const char *name)
{
	char *path = memory_must(output_file_join(dir, name));
	bool found = access(path, F_OK) == 0;
	free(path);
	return found;
}

/* A state counts only with the question it answers. */
static enum err_code read_checkpoint(const char *dir, struct resume *resume, struct err *err)
{
	char *path = memory_must(output_file_join(dir, "checkpoint"));
	enum err_code code = ledger_read(&resume->ledger, path, &resume->checkpoint, err);
	const struct ledger_info *info = &resume->checkpoint;
	if (code == ERR_OK && (!info->identity || strcmp(info->identity, resume->text) != 0))
		resume->checkpoint.state = NULL;
	free(path);
	return code;
}

enum err_code resume_read(const char *dir, unsigned rank, struct resume *resume, struct err *err)
{
	char own_name[RESUME_NAME_SIZE];
	assert(dir && resume);
	*resume = (struct resume){0};
	resume_journal_name(rank, own_name);
	if (!exists(dir, "journal"))
		return ERR_OK;
	enum err_code code = read_journal(dir, "journal", own_name, resume, err);
	if (code == ERR_OK && resume->text)
		code = read_rank_journals(dir, own_name, resume, err);
	if (code == ERR_OK && resume->text && exists(dir, "checkpoint"))
		code = read_checkpoint(dir, resume, err);
	ledger_sort(&resume->ledger);
	return code;
}

void resume_free(struct resume *resume)
{
	ledger_free(&resume->ledger);
	free(resume->text);
	free(resume->checkpoint.identity);
	*resume = (struct resume){0};
}

/* Remove, or rename to "old." and its name, what a run keeps while it runs. */
static void clear_folder(const char *dir, bool removes)
{
	DIR *folder = opendir(dir);
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		char old_name[sizeof(entry->d_name) + 8];
		const char *name = entry->d_name;
		if (strcmp(name, "journal") != 0 && strcmp(name, "checkpoint") != 0 && !is_rank_journal(name))
			continue;
		(void)snprintf(old_name, sizeof(old_name), "old.%s", name);
		char *path = memory_must(output_file_join(dir, name)),
		     *old_path = memory_must(output_file_join(dir, old_name));
		if (removes)
			(void)unlink(path);
		else
			(void)rename(path, old_path);
		free(path);
		free(old_path);
	}
	if (folder)
		(void)closedir(folder);
}

void resume_remove(const char *dir)
{
	clear_folder(dir, true);
}

void resume_put_aside(const char *dir)
{
	clear_folder(dir, false);
}
