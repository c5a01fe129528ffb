/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/report/report_run.h"
#include "dse/base/memory.h"
#include "dse/keep/output_file.h"
#include "dse/run/run_space.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* A path in the arena: folder and name joined. */
static const char *join(struct arena *arena, const char *folder, const char *name)
{
	char *path = memory_must(output_file_join(folder, name));
	const char *kept = memory_must(arena_text(arena, path));
	free(path);
	return kept;
}

/* The folder that a name means: itself, or of run.json, front.json and the like the one they lie in. NULL: none. */
static const char *folder_of(const char *name, struct arena *arena)
{
	static const char *const file[] = {"run.json", "front.json", "front.csv", "front.svg"};
	char *copy = memory_must(arena_text(arena, name));
	size_t n = strlen(copy);
	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = '\0';
	if (is_folder(copy))
		return copy;
	char *slash = strrchr(copy, '/');
	const char *last = slash ? slash + 1 : copy;
	for (size_t i = 0; i < sizeof(file) / sizeof(file[0]); i++)
		if (strcmp(last, file[i]) == 0 && access(name, F_OK) == 0) {
			if (slash)
				*slash = '\0';
			return slash ? copy : ".";
		}
	return NULL;
}

const struct doc_node *report_run_node(const struct report_run *run, const char *key)
{
	const struct doc_node *node = run->run;
	char part[64];
	for (const char *at = key; node && at;) {
		const char *dot = strchr(at, '.');
		(void)snprintf(part, sizeof(part), "%.*s", (int)strcspn(at, "."), at);
		node = doc_find(node, part);
		at = dot ? dot + 1 : NULL;
	}
	return node;
}

const char *report_run_text(const struct report_run *run, const char *key)
{
	const struct doc_node *node = report_run_node(run, key);
	return node && node->kind == DOC_SCALAR ? node->text : "";
}

double report_run_real(const struct report_run *run, const char *key, double other)
{
	const struct doc_node *node = report_run_node(run, key);
	struct err ignored = {0};
	double value = other;
	if (node && node->kind == DOC_SCALAR)
		(void)doc_get_real(node, key, -1e308, 1e308, &value, &ignored);
	err_clear(&ignored);
	return value;
}

/* ---- reading ---- */

static enum err_code read_folder(struct report_run *run, struct err *err)
{
	struct doc_node *root = NULL;
	if (access(run->run_path, F_OK) != 0)
		return err_add(err, ERR_IO,
		               "%s: no run.json in it: dse explore writes one into results/SPACE-HASH when it ends; a "
		               "run that was "
		               "stopped goes on with dse explore --resume",
		               run->folder);
	enum err_code code = doc_read_file(run->run_path, &run->arena, &root, err);
	run->run = root;
	if (code == ERR_OK && access(run->front_path, F_OK) == 0)
		code = front_read_file(run->front_path, &run->front, err);
	return code;
}

static enum err_code read_store(struct report_source *source, struct report_run *run, struct err *err)
{
	const struct run_file *file = run_record_file(&run->record, "run.json");
	struct doc_node *root = NULL;
	char *text = NULL;
	size_t n_byte;
	if (!file)
		return err_add(err, ERR_INPUT, "%s: run %" PRIu64 " has no run.json", database_path(source->store),
		               run->record.id);
	enum err_code code = run_store_content(source->store, file->hash, &text, &n_byte, err);
	if (code == ERR_OK)
		code = doc_read_text(run->run_path, text, n_byte, &run->arena, &root, err);
	free(text);
	run->run = root;
	run->store = memory_must(arena_text(&run->arena, database_path(source->store)));
	return code == ERR_OK ? front_read_run(source->store, &run->record, &run->front, err) : code;
}

/* Both files are what dse explore writes, and of one run. */
static enum err_code check(const struct report_run *run, struct err *err)
{
	double n_point = report_run_real(run, "counts.front_points", -1);
	if (n_point < 0 || !*report_run_text(run, "command"))
		return err_add(err, ERR_INPUT,
		               "%s: not a run.json of dse explore (no 'command' or 'counts: front_points')",
		               run->run_path);
	if (run->front.n_point == 0 && n_point > 0)
		return err_add(err, ERR_IO, "%s: is not there or empty, and the run found %.0f points", run->front_path,
		               n_point);
	if (run->front.n_point > 0 && strcmp(run->front.signature, report_run_text(run, "signature")) != 0)
		return err_add(err, ERR_INPUT, "%s: its signature is not that of %s, so they are of two runs",
		               run->front_path, run->run_path);
	return ERR_OK;
}

/* The run in the store that the name means. */
static enum err_code find_kept(struct report_source *source, struct report_run *run, struct err *err)
{
	enum err_code code = source->store ? ERR_OK : run_note_open(&source->request, &source->store, err);
	if (code != ERR_OK)
		return err_add(err, code,
		               "dse report: '%s' is no folder with a run.json, so it was looked for in the store",
		               run->name);
	code = run_store_find(source->store, run->name, &run->arena, &run->record, err);
	run->folder = code == ERR_OK ? run->record.folder : NULL;
	return code;
}

static void list_inputs(struct report_run *run)
{
	const struct doc_node *list = report_run_node(run, "inputs");
	run->input = memory_must(arena_array(&run->arena, list ? list->n : 0, sizeof(*run->input)));
	for (size_t i = 0; list && list->kind == DOC_LIST && i < list->n; i++) {
		const struct doc_node *file = doc_find(list->value[i], "file"),
				      *hash = doc_find(list->value[i], "hash");
		if (file && hash && file->kind == DOC_SCALAR && hash->kind == DOC_SCALAR)
			run->input[run->n_input++] = (struct run_file){.name = file->text, .hash = hash->text};
	}
}

enum err_code report_run_open(struct report_source *source, const char *name, struct report_run *run, struct err *err)
{
	enum err_code code = ERR_OK;
	assert(source && name && run && !run->name);
	run->name = name;
	run->folder = folder_of(name, &run->arena);
	bool is_kept = !run->folder;
	if (is_kept)
		code = find_kept(source, run, err);
	if (code != ERR_OK)
		return code;
	run->run_path = join(&run->arena, run->folder, "run.json");
	run->front_path = join(&run->arena, run->folder, "front.json");
	code = is_kept ? read_store(source, run, err) : read_folder(run, err);
	if (code == ERR_OK)
		code = check(run, err);
	if (code == ERR_OK)
		list_inputs(run);
	else if (*report_run_text(run, "command"))
		(void)err_add(err, code, "to make the files of the run again: %s", report_run_text(run, "command"));
	return code;
}

/* ---- inputs ---- */

/* The first input on the disk that is not the run's any more; n_input: all are. */
static size_t find_changed(const struct report_run *run)
{
	size_t i = 0;
	for (bool same = true; same && i < run->n_input; i += same) {
		char hex[HASH_HEX_SIZE] = "";
		struct err ignored = {0};
		same = access(run->input[i].name, R_OK) == 0 &&
		       hash_file(run->input[i].name, hex, &ignored) == ERR_OK && strcmp(hex, run->input[i].hash) == 0;
		err_clear(&ignored);
	}
	return i;
}

/* From the store, which may well keep the inputs of a folder's run, too. */
static enum err_code read_kept_space(struct report_source *source, struct report_run *run, struct space *space,
                                     struct err *err)
{
	struct run_record record = {.id = run->record.id, .n_input = run->n_input, .input = run->input};
	const struct space_given given = {.detail = run->front.detail};
	struct err ignored = {0};
	if (!source->store)
		(void)run_note_open(&source->request, &source->store, &ignored);
	err_clear(&ignored);
	enum err_code code = run_inputs_load(source->store, &record, &run->arena, err);
	return code == ERR_OK ? run_space_read(run->input, run->n_input, &given, space, err) : code;
}

enum err_code report_run_space(struct report_source *source, struct report_run *run, struct space *space,
                               struct err *err)
{
	*space = (struct space){0};
	if (run->n_input == 0)
		return err_add(err, ERR_INPUT, "%s does not name its inputs", run->run_path);
	size_t changed = find_changed(run);
	if (changed == run->n_input)
		return space_read_given(run->input[0].name, &(struct space_given){.detail = run->front.detail}, space,
		                        err);
	struct err own = {0};
	enum err_code code = read_kept_space(source, run, space, &own);
	if (code == ERR_INPUT)
		(void)err_add(
		    err, code,
		    "%s is not the file that the run was made from, or not there (paths are relative to where the run "
		    "was started), and no store keeps that",
		    run->input[changed].name);
	else
		(void)err_add_all(err, (struct err_place){0}, &own);
	err_clear(&own);
	return code;
}

void report_run_free(struct report_run *run)
{
	kept_front_free(&run->front);
	arena_free(&run->arena);
	*run = (struct report_run){0};
}

void report_source_close(struct report_source *source)
{
	database_close(source->store);
	source->store = NULL;
}
