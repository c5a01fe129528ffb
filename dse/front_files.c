/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/front_files.h"
#include "dse/chart.h"
#include "dse/parallel.h"
#include "dse/store.h"
#include <assert.h>
#include <stdlib.h>

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

/* Side by side they are written, one after the other they get their names. */
static enum err_code write_all(const struct front_run *run, const char *dir, struct front_file *file, size_t n,
                               struct err *err)
{
	struct front_files files = {run, dir, file};
	enum err_code code = ERR_OK;
	assert(run && dir && n > 0);
	parallel_for(n, front_n_thread(run), prepare, &files);
	for (size_t i = 0; i < n; i++) {
		if (code == ERR_OK && file[i].code != ERR_OK)
			code = err_add_all(err, (struct err_place){0}, &file[i].err);
		if (code == ERR_OK)
			code = store_rename(&file[i].file, err);
		else
			store_abandon(&file[i].file);
		err_clear(&file[i].err);
	}
	char *path = store_join(dir, file[0].name);
	if (path)
		store_sync_dir(path);
	free(path);
	return code;
}

enum err_code front_files_write_one(const struct front_run *run, const char *dir, const char *name, front_writer writer,
                                    struct err *err)
{
	struct front_file file = {.name = name, .writer = writer};
	return write_all(run, dir, &file, 1, err);
}

enum err_code front_files_write(const struct front_run *run, const char *dir, struct err *err)
{
	struct front_file file[] = {[FRONT_CSV] = {.name = "front.csv", .writer = front_write_csv},
	                            [FRONT_JSON] = {.name = "front.json", .writer = front_write_json},
	                            [FRONT_SVG] = {.name = "front.svg", .writer = chart_write},
	                            {.name = "run.json", .writer = write_run}};
	size_t n = sizeof(file) / sizeof(file[0]);
	for (size_t i = 0; i < FRONT_N_TEXT && run->text && !run->verify; i++)
		file[i].text = &run->text[i];
	return run->explore->front.n > 0 ? write_all(run, dir, file, n, err)
	                                 : write_all(run, dir, file + n - 1, 1, err);
}
