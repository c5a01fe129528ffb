/* SPDX-License-Identifier: Apache-2.0 */
/* dse report: a page that shows runs, and its figures as pictures. */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/base/memory.h"
#include "dse/keep/output_file.h"
#include "dse/out/page.h"
#include "dse/out/png.h"
#include "dse/out/words.h"
#include "dse/report/report_figure.h"
#include "dse/report/report_json.h"
#include "dse/report/report_make.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_NAME "report.html"

struct report_job {
	const struct cli_options *cli;
	struct report_source source;
	size_t n;
	struct report_data *data; /* [n] */
	char made[RUN_DATE_SIZE];
};

/* When the page was made; SOURCE_DATE_EPOCH, seconds since 1970, makes it the same again (reproducible-builds.org). */
static void set_made(struct report_job *job)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	run_note_date(fixed && *fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL), job->made);
}

/* --point: a number; the ID alone, as the front is the run's. */
static enum err_code choose_point(const struct cli_options *options, size_t *chosen, struct err *err)
{
	char *end = NULL;
	*chosen = SIZE_MAX;
	if (!options->point)
		return ERR_OK;
	*chosen = (size_t)strtoull(options->point, &end, 10);
	bool is_number = options->point[0] >= '0' && options->point[0] <= '9' && *end == '\0' && *chosen < UINT32_MAX;
	return is_number
	           ? ERR_OK
	           : err_add(err, ERR_USAGE, "dse report: --point is '%.40s', allowed is the number of a point, e.g. 3",
	                     options->point);
}

/* All runs that cannot be read are told in one pass. */
static enum err_code read_runs(struct report_job *job, struct err *err)
{
	size_t chosen;
	if (choose_point(job->cli, &chosen, err) != ERR_OK)
		return err->code;
	for (size_t i = 0; i < job->n; i++)
		(void)report_run_open(&job->source, job->cli->file[i], &job->data[i].run, err);
	for (size_t i = 0; i < job->n && err->n_message == 0; i++) {
		if (job->data[i].run.front.detail == DETAIL_EVENT && !job->cli->quiet && isatty(STDERR_FILENO))
			words_note("%s: runs %zu designs again in the event tier\n", job->cli->file[i],
			           job->data[i].run.front.n_design);
		(void)report_make(&job->source, &job->data[i], chosen, (unsigned)job->cli->jobs, err);
	}
	for (size_t i = 0; i < job->n && err->n_message == 0 && !job->cli->quiet; i++)
		if (job->data[i].without)
			words_note("%s: details of layers are left out: %s\n", job->cli->file[i], job->data[i].without);
	return err->code;
}

/* In the folder of the only run, if that is there; else here. */
static char *choose_path(const struct report_job *job)
{
	const struct report_data *first = &job->data[0];
	if (job->cli->out)
		return memory_text(job->cli->out);
	return job->n == 1 && first->has_folder ? memory_must(output_file_join(first->run.folder, DEFAULT_NAME))
	                                        : memory_text(DEFAULT_NAME);
}

/* "mla_sizing, tpu_sizing" */
static void print_title(const struct report_job *job, char *title, size_t n_byte)
{
	size_t n = 0;
	title[0] = '\0';
	for (size_t i = 0; i < job->n && n < n_byte; i++)
		n += (size_t)snprintf(title + n, n_byte - n, "%s%s", i > 0 ? ", " : "",
		                      report_run_text(&job->data[i].run, "space"));
}

static enum err_code write_json(const struct report_job *job, struct err *err)
{
	struct output_file file = {0};
	enum err_code code = output_file_open(&file, job->cli->out, err);
	if (code != ERR_OK)
		return code;
	report_put_json(file.file, job->data, job->n, job->made);
	return output_file_commit(&file, err);
}

static enum err_code write_page(const struct report_job *job, struct err *err)
{
	struct output_file file = {0};
	char *path = choose_path(job), *json = NULL, title[512];
	size_t n_byte = 0;
	FILE *text = memory_must(open_memstream(&json, &n_byte));
	report_put_json(text, job->data, job->n, job->made);
	memory_check(fclose(text) == 0);
	enum err_code code = output_file_open(&file, path, err);
	if (code == ERR_OK) {
		print_title(job, title, sizeof(title));
		page_write(file.file, title, "report", json, n_byte);
		code = output_file_commit(&file, err);
	}
	if (code == ERR_OK && !job->cli->quiet)
		(void)printf("Written to %s: open it in a browser.\n", path);
	free(json);
	free(path);
	return code;
}

static enum err_code write_figures(const struct report_job *job, struct err *err)
{
	bool has_png;
	enum err_code code = report_figures_write(job->cli->figures, job->data, job->n, &has_png, err);
	if (code == ERR_OK && !has_png && !job->cli->quiet)
		words_note("%s: SVG only; PNG beside it takes %s (Debian: package %s)\n", job->cli->figures,
		           PNG_PROGRAM, PNG_PACKAGE);
	return code;
}

enum err_code cmd_report(const struct cli_options *options, struct err *err)
{
	struct report_job job = {.cli = options, .source = {.request = choice_store(options)}, .n = options->n_file};
	assert(options->n_file > 0);
	set_made(&job);
	job.data = memory_array(job.n, sizeof(*job.data));
	enum err_code code = read_runs(&job, err);
	if (code == ERR_OK)
		code = options->json ? write_json(&job, err) : write_page(&job, err);
	if (code == ERR_OK && options->figures)
		code = write_figures(&job, err);
	for (size_t i = 0; i < job.n; i++)
		report_free(&job.data[i]);
	free(job.data);
	report_source_close(&job.source);
	return code;
}
