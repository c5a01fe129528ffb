/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/result/result_folder.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/keep/output_file.h"
#include "dse/result/chart.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* run.json beside the front: no paths and no front, both would only repeat what lies next to it. */
static void write_run(FILE *file, const struct front_run *run)
{
	front_file_write_run(file, run, NULL, false);
}

static void write_chart(FILE *file, const struct front_run *run)
{
	memory_check(chart_write(file, run, NULL) == ERR_OK);
}

/* A file on its way. */
struct result_file {
	const char *name;
	result_writer writer;
	const struct front_text *text; /* instead of the writer; NULL: none */
	struct output_file file;
	enum err_code code;
	struct err err;
};

struct result_batch {
	const struct front_run *run;
	const char *dir;
	struct result_file *file; /* [n] */
};

/* Written and on the disk, under a temporary name. */
static void prepare(void *context, size_t i)
{
	const struct result_batch *files = context;
	struct result_file *own = &files->file[i];
	own->code = output_file_open_in(&own->file, files->dir, own->name, &own->err);
	if (own->code == ERR_OK && own->text)
		(void)fwrite(own->text->data, 1, own->text->n_byte, own->file.file);
	else if (own->code == ERR_OK)
		own->writer(own->file.file, files->run);
	if (own->code == ERR_OK)
		output_file_settle(&own->file);
}

/* One after the other they get their names. */
static enum err_code name_all(struct result_batch *files, size_t n, struct err *err)
{
	struct result_file *file = files->file;
	enum err_code code = ERR_OK;
	assert(files->dir && n > 0);
	for (size_t i = 0; i < n; i++) {
		if (code == ERR_OK && file[i].code != ERR_OK)
			code = err_add_all(err, (struct err_place){0}, &file[i].err);
		if (code == ERR_OK)
			code = output_file_rename(&file[i].file, err);
		else
			output_file_abandon(&file[i].file);
		err_clear(&file[i].err);
	}
	char *path = memory_must(output_file_join(files->dir, file[0].name));
	output_file_sync_dir(path);
	free(path);
	return code;
}

enum err_code result_folder_write_one(const struct front_run *run, const char *dir, const char *name,
                                      result_writer writer, struct err *err)
{
	struct result_file file = {.name = name, .writer = writer};
	struct result_batch files = {run, dir, &file};
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
struct result_writing {
	struct front_run *run;      /* what is found goes here */
	struct front_run without;   /* what the first files are written of */
	struct result_batch fronts; /* of that: those with the points */
	struct result_batch last;   /* of the run: run.json */
};

/* The quality of the front and of its marks on the way. */
static void measure_quality(struct front_run *run)
{
	const struct history *history = &run->explore->history;
	run->has_quality = run->explore->front.n > 0 && quality_of_front(&run->explore->front, &run->quality);
	for (size_t i = 0; i < history->n_mark && run->has_quality; i++)
		run->volume[i] = history_volume(history, i, run->quality.reference);
}

static void begin_item(void *context, size_t i)
{
	struct result_writing *writing = context;
	struct front_run *run = writing->run;
	if (i == 0 && run->signature[0] == '\0')
		front_file_sign(run);
	else if (i == 1)
		measure_quality(run);
	else if (i > 1)
		prepare(&writing->fronts, i - 2);
}

static void end_item(void *context, size_t i)
{
	struct result_writing *writing = context;
	struct result_file *json = &writing->fronts.file[FRONT_JSON];
	if (i == 0) {
		prepare(&writing->last, 0);
	} else if (json->code == ERR_OK && !json->text) {
		json->code = front_file_sign_json(json->file.file, writing->run, &json->err);
		output_file_settle(&json->file);
	}
}

enum err_code result_folder_write(struct front_run *run, const char *dir, struct err *err)
{
	struct result_file file[] = {[FRONT_CSV] = {.name = "front.csv", .writer = front_file_write_csv},
	                             [FRONT_JSON] = {.name = "front.json", .writer = front_file_write_json},
	                             [FRONT_SVG] = {.name = "front.svg", .writer = write_chart},
	                             {.name = "run.json", .writer = write_run}};
	struct result_writing writing = {.run = run, .without = *run};
	bool has_front = run->explore->front.n > 0;
	assert(dir);
	for (size_t i = 0; i < FRONT_N_TEXT && run->text && !run->verify; i++)
		file[i].text = &run->text[i];
	memset(writing.without.signature, '0', FRONT_SIGNATURE_SIZE - 1);
	writing.fronts = (struct result_batch){&writing.without, dir, file};
	writing.last = (struct result_batch){run, dir, file + FRONT_N_TEXT};
	parallel_for(has_front ? 2 + FRONT_N_TEXT : 2, front_file_n_thread(run), begin_item, &writing);
	parallel_for(has_front ? 2 : 1, front_file_n_thread(run), end_item, &writing);
	return has_front ? name_all(&writing.fronts, FRONT_N_TEXT + 1, err) : name_all(&writing.last, 1, err);
}
