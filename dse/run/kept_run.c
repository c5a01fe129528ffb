/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/kept_run.h"
#include "dse/base/memory.h"
#include "dse/design/design_read.h"
#include "dse/engine/engine.h"
#include "dse/run/run_space.h"
#include "dse/keep/output_file.h"
#include "sim/base/file.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *format(struct arena *arena, const char *prefix, const char *text)
{
	char line[128];
	(void)snprintf(line, sizeof(line), "%s%s", prefix, text);
	return memory_must(arena_text(arena, line));
}

/* A text of a map, "" where it has none. */
static const char *text_of(const struct doc_node *map, const char *key)
{
	const struct doc_node *node = doc_find(map, key);
	return node && node->kind == DOC_SCALAR ? node->text : "";
}

static bool is_true(const struct doc_node *map, const char *key)
{
	return strcmp(text_of(map, key), "true") == 0;
}

/* What run.json proves, in numbers. */
static enum err_code read_proof(const struct doc_node *root, struct kept_run *run, struct err *err)
{
	const struct doc_node *epsilon = front_need(root, "epsilon", err);
	run->options = doc_find(root, "options");
	if (!epsilon || !doc_get_real(epsilon, "epsilon", 0.0, 1e9, &run->epsilon, err))
		return ERR_INPUT;
	const struct engine_kind *engine = engine_find(text_of(run->options, "engine"));
	run->is_proven = is_true(root, "complete") && engine && !engine->is_random;
	return ERR_OK;
}

static enum err_code read_run_json(const char *name, const char *text, size_t n_byte, struct kept_run *run,
                                   const struct doc_node **root, struct err *err)
{
	struct doc_node *document = NULL;
	enum err_code code = doc_read_text(name, text, n_byte, &run->arena, &document, err);
	*root = document;
	return code == ERR_OK ? read_proof(document, run, err) : code;
}

/* ---- a folder ---- */

static enum err_code read_inputs(const struct doc_node *root, struct kept_run *run, struct err *err)
{
	const struct doc_node *list = front_need(root, "inputs", err);
	struct run_record *record = &run->record;
	if (!list || list->kind != DOC_LIST || list->n == 0)
		return list ? err_add_at(err, ERR_INPUT, doc_place(list), "inputs: allowed is a list of files")
		            : ERR_INPUT;
	record->input = memory_must(arena_array(&run->arena, list->n, sizeof(*record->input)));
	for (; record->n_input < list->n; record->n_input++) {
		const struct doc_node *entry = list->value[record->n_input];
		const char *name = front_need_text(entry, "file", err), *hash = front_need_text(entry, "hash", err);
		if (!name || !hash)
			return ERR_INPUT;
		record->input[record->n_input] = (struct run_file){.name = name, .hash = hash};
	}
	return ERR_OK;
}

static double real_of(const struct doc_node *map, const char *key, double other)
{
	const struct doc_node *node = doc_find(map, key);
	struct err ignored = {0};
	double value = other;
	if (node && node->kind == DOC_SCALAR)
		(void)doc_get_real(node, key, 0.0, 1e300, &value, &ignored);
	err_clear(&ignored);
	return value;
}

void kept_run_exactness(const struct doc_node *root, char text[KEPT_EXACTNESS_SIZE])
{
	const struct engine_kind *engine = engine_find(text_of(doc_find(root, "options"), "engine"));
	const struct doc_node *priced = doc_find(root, "priced");
	double epsilon = real_of(root, "epsilon", 0.0), gap_pct = real_of(priced, "assumed_gap_pct", NAN);
	if (!is_true(root, "complete") || !engine || engine->is_random)
		(void)snprintf(text, KEPT_EXACTNESS_SIZE, "unproven");
	else if (is_true(priced, "in_event_tier") && isfinite(gap_pct))
		(void)snprintf(text, KEPT_EXACTNESS_SIZE, "priced, within %.2g %%", gap_pct);
	else if (is_true(priced, "in_event_tier"))
		(void)snprintf(text, KEPT_EXACTNESS_SIZE, "priced");
	else if (epsilon > 0.0)
		(void)snprintf(text, KEPT_EXACTNESS_SIZE, "within %.3g %%", 100.0 * epsilon);
	else
		(void)snprintf(text, KEPT_EXACTNESS_SIZE, "exact");
}

static void take_record(const struct doc_node *root, const char *folder, struct kept_run *run)
{
	struct run_record *record = &run->record;
	const struct doc_node *quality = doc_find(root, "quality"), *counts = doc_find(root, "counts"),
			      *hypervolume = doc_find(quality, "hypervolume"), *n = doc_find(counts, "front_points"),
			      *seconds = doc_find(root, "seconds"), *seed = doc_find(run->options, "seed");
	struct err ignored = {0};
	record->date = record->build = "";
	record->model = text_of(root, "model");
	record->version = text_of(root, "version");
	record->command = text_of(root, "command");
	record->folder = folder;
	record->space = text_of(root, "space");
	record->engine = text_of(run->options, "engine");
	record->detail = text_of(run->options, "detail");
	record->state = is_true(root, "complete") ? "complete" : "cut short";
	record->certificate = text_of(root, "certificate");
	record->signature = text_of(root, "signature");
	if (hypervolume)
		(void)doc_get_real(hypervolume, "hypervolume", 0.0, 1e300, &record->hypervolume, &ignored);
	if (seconds)
		(void)doc_get_real(seconds, "seconds", 0.0, 1e12, &record->seconds, &ignored);
	if (n)
		(void)doc_get_u64(n, "front_points", 0, UINT64_MAX, &record->n_point, &ignored);
	if (seed)
		(void)doc_get_u64(seed, "seed", 0, UINT64_MAX, &record->seed, &ignored);
	err_clear(&ignored);
	char text[KEPT_EXACTNESS_SIZE];
	kept_run_exactness(root, text);
	record->exactness = memory_must(arena_text(&run->arena, text));
}

static enum err_code open_folder(const char *folder, struct kept_run *run, struct err *err)
{
	char *path = memory_must(output_file_join(folder, "run.json")), *text = NULL;
	char *front = memory_must(output_file_join(folder, "front.json"));
	size_t n_byte;
	const struct doc_node *root = NULL;
	enum err_code code = file_read(path, SIZE_MAX / 2, &text, &n_byte, err);
	run->title = folder;
	if (code == ERR_OK)
		code = read_run_json(path, text, n_byte, run, &root, err);
	if (code == ERR_OK)
		code = read_inputs(root, run, err);
	if (code == ERR_OK)
		take_record(root, folder, run);
	/* without a front, run.json stands alone; a front.json there is then another run's */
	if (code == ERR_OK && run->record.n_point > 0)
		code = front_read_file(front, &run->front, err);
	free(text);
	free(path);
	free(front);
	return code;
}

/* ---- the store ---- */

static enum err_code open_kept(struct database *store, const char *name, struct kept_run *run, struct err *err)
{
	char text[64], *data = NULL;
	size_t n_byte;
	const struct doc_node *root;
	enum err_code code = run_store_find(store, name, &run->arena, &run->record, err);
	if (code != ERR_OK)
		return code;
	(void)snprintf(text, sizeof(text), "%" PRIu64, run->record.id);
	run->title = format(&run->arena, "run ", text);
	const struct run_file *file = run_record_file(&run->record, "run.json");
	if (!file)
		return err_add(err, ERR_INPUT, "%s: %s has no run.json", database_path(store), run->title);
	code = run_store_content(store, file->hash, &data, &n_byte, err);
	if (code == ERR_OK)
		code = read_run_json(format(&run->arena, "run.json of ", run->title), data, n_byte, run, &root, err);
	free(data);
	return code == ERR_OK ? front_read_run(store, &run->record, &run->front, err) : code;
}

/* ---- either ---- */

/* Comparing fronts does not need the space: what stands in the way is told, no more. */
static void open_space(struct database *store, struct kept_run *run)
{
	struct err found = {0};
	char text[512];
	if (run_inputs_load(store, &run->record, &run->arena, &found) == ERR_OK &&
	    run_space_read(run->record.input, run->record.n_input, NULL, &run->space, &found) == ERR_OK)
		run->has_space = true;
	for (size_t i = 0; run->has_space && i < run->space.n_file; i++)
		if (i >= run->record.n_input || strcmp(run->space.file[i].hash, run->record.input[i].hash) != 0)
			run->has_space = err_add(&found, ERR_INPUT, "%s: is not what this run read there",
			                         run->space.file[i].path) == ERR_OK;
	if (!run->has_space) {
		space_free(&run->space);
		(void)snprintf(text, sizeof(text), "%.*s", (int)strcspn(err_text(&found), "\n"), err_text(&found));
		run->why_no_space = memory_must(arena_text(&run->arena, text));
	}
	err_clear(&found);
}

bool kept_run_is_folder(const char *name)
{
	char *path = memory_must(output_file_join(name, "run.json"));
	bool is_there = access(path, F_OK) == 0;
	free(path);
	return is_there;
}

enum err_code kept_run_open(struct database *store, const char *name, struct kept_run *run, struct err *err)
{
	assert(name && run && err);
	*run = (struct kept_run){0};
	bool is_folder = kept_run_is_folder(name);
	if (!is_folder && !store)
		return err_add(err, ERR_IO, "%s: there is no such folder of a run, and no store of runs", name);
	enum err_code code = is_folder ? open_folder(name, run, err) : open_kept(store, name, run, err);
	if (code == ERR_OK)
		open_space(store, run);
	return code;
}

void kept_run_free(struct kept_run *run)
{
	if (run->has_space)
		space_free(&run->space);
	kept_front_free(&run->front);
	arena_free(&run->arena);
	*run = (struct kept_run){0};
}
