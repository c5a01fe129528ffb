/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/result/front_files.h"
#include "dse/result/chart.h"
#include "dse/base/parallel.h"
#include "dse/keep/store.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* run.json beside the front: no paths and no front, both would only repeat what lies next to it. */
static enum err_code write_run(FILE *file, const struct front_run *run, struct err *err)
{
	return front_write_run(file, run, NULL, false, err);
}

/* A file on its way. */
struct front_file {
	const char *name;
	front_writer writer;
	const struct front_text *text; /* instead of the writer; NULL: none */
	struct store_file file;
	enum err_code code;
	struct err err;
};

struct front_files {
	const struct front_run *run;
	const char *dir;
	struct front_file *file; /* [n] */
};

/* Written and on the disk, under a temporary name. */
static void prepare(void *context, size_t i)
{
	const struct front_files *files = context;
	struct front_file *own = &files->file[i];
	char *path = store_join(files->dir, own->name);
	own->code = path ? store_open(&own->file, path, &own->err) : err_add(&own->err, ERR_INTERNAL, "out of memory");
	if (own->code == ERR_OK && own->text)
		(void)fwrite(own->text->data, 1, own->text->n_byte, own->file.file);
	else if (own->code == ERR_OK)
		own->code = own->writer(own->file.file, files->run, &own->err);
	if (own->code == ERR_OK)
		store_settle(&own->file);
	free(path);
}

/* One after the other they get their names. */
static enum err_code name_all(struct front_files *files, size_t n, struct err *err)
{
	struct front_file *file = files->file;
	enum err_code code = ERR_OK;
	assert(files->dir && n > 0);
	for (size_t i = 0; i < n; i++) {
		if (code == ERR_OK && file[i].code != ERR_OK)
			code = err_add_all(err, (struct err_place){0}, &file[i].err);
		if (code == ERR_OK)
			code = store_rename(&file[i].file, err);
		else
			store_abandon(&file[i].file);
		err_clear(&file[i].err);
	}
	char *path = store_join(files->dir, file[0].name);
	if (path)
		store_sync_dir(path);
	free(path);
	return code;
}

enum err_code front_files_write_one(const struct front_run *run, const char *dir, const char *name, front_writer writer,
                                    struct err *err)
{
	struct front_file file = {.name = name, .writer = writer};
	struct front_files files = {run, dir, &file};
	prepare(&files, 0);
	return name_all(&files, 1, err);
}

/*
 * A signature is a chain of hashes, which one thread makes while others write all but run.json; front.json with room
 * for it:
 *
 *   sign     ────────────────────┬─► front.json: signature
 *   quality  ───►                │
 *   front.*  ──────────────►     └─► run.json
 */
struct writing {
	struct front_run *run;     /* what is found goes here */
	struct front_run without;  /* what the first files are written of */
	struct front_files fronts; /* of that: those with the points */
	struct front_files last;   /* of the run: run.json */
	enum err_code code;
	struct err err;
};

/* The quality of the front and of its marks on the way. */
static void measure(struct front_run *run)
{
	const struct history *history = &run->explore->history;
	run->has_quality = run->explore->front.n > 0 && quality_of_front(&run->explore->front, &run->quality);
	for (size_t i = 0; i < history->n_mark && run->has_quality; i++)
		run->volume[i] = history_volume(history, i, run->quality.reference);
}

static void begin_item(void *context, size_t i)
{
	struct writing *writing = context;
	struct front_run *run = writing->run;
	if (i == 0 && run->signature[0] == '\0')
		writing->code = front_sign(run, &writing->err);
	else if (i == 1)
		measure(run);
	else if (i > 1)
		prepare(&writing->fronts, i - 2);
}

static void end_item(void *context, size_t i)
{
	struct writing *writing = context;
	struct front_file *json = &writing->fronts.file[FRONT_JSON];
	if (i == 0) {
		prepare(&writing->last, 0);
	} else if (json->code == ERR_OK && !json->text) {
		json->code = front_sign_json(json->file.file, writing->run, &json->err);
		store_settle(&json->file);
	}
}

enum err_code front_files_write(struct front_run *run, const char *dir, struct err *err)
{
	struct front_file file[] = {[FRONT_CSV] = {.name = "front.csv", .writer = front_write_csv},
	                            [FRONT_JSON] = {.name = "front.json", .writer = front_write_json},
	                            [FRONT_SVG] = {.name = "front.svg", .writer = chart_write},
	                            {.name = "run.json", .writer = write_run}};
	struct writing writing = {.run = run, .without = *run};
	bool has_front = run->explore->front.n > 0;
	assert(dir);
	for (size_t i = 0; i < FRONT_N_TEXT && run->text && !run->verify; i++)
		file[i].text = &run->text[i];
	memset(writing.without.signature, '0', FRONT_SIGNATURE_SIZE - 1);
	writing.fronts = (struct front_files){&writing.without, dir, file};
	writing.last = (struct front_files){run, dir, file + FRONT_N_TEXT};
	parallel_for(has_front ? 2 + FRONT_N_TEXT : 2, front_n_thread(run), begin_item, &writing);
	parallel_for(has_front ? 2 : 1, front_n_thread(run), end_item, &writing);
	/* Of a front that could not be signed no file gets its name. */
	struct front_file *first = has_front ? &file[0] : &file[FRONT_N_TEXT];
	if (writing.code != ERR_OK && first->code == ERR_OK) {
		first->code = writing.code;
		first->err = writing.err;
	} else {
		err_clear(&writing.err);
	}
	return has_front ? name_all(&writing.fronts, FRONT_N_TEXT + 1, err) : name_all(&writing.last, 1, err);
}
