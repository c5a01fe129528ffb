/* SPDX-License-Identifier: Apache-2.0 */
/* dse validate: predict every value of published tables, print the errors, and judge them by --max-error. */
#include "dse/cli.h"
#include "dse/json.h"
#include "dse/store.h"
#include "dse/validate_chart.h"
#include "dse/validate_print.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_json(FILE *file, const struct validation *validation, size_t n)
{
	struct json json;
	json_start(&json, file, 4);
	json_begin_object(&json, NULL);
	json_begin_list(&json, "files");
	for (size_t i = 0; i < n; i++)
		validate_put_json(&json, &validation[i], 1);
	json_end(&json);
	json_end(&json);
	json_finish(&json);
}

/* The picture is beside the result, so that it fails before the result is written if it fails. */
static enum err_code write_chart(const struct cli_options *options, const struct validation *validation, size_t n,
                                 struct err *err)
{
	struct store_file out = {0};
	if (!options->svg)
		return ERR_OK;
	enum err_code code = store_open(&out, options->svg, err);
	if (code)
		return code;
	code = validate_write_chart(out.file, validation, n, 1, err);
	if (!code)
		return store_commit(&out, err);
	store_abandon(&out);
	return code;
}

static enum err_code write_result(const struct cli_options *options, const struct validation *validation, size_t n,
                                  struct err *err)
{
	struct store_file out = {0};
	enum err_code code = write_chart(options, validation, n, err);
	if (!code)
		code = store_open(&out, options->out, err);
	if (code)
		return code;
	assert(out.file);
	if (options->json) {
		write_json(out.file, validation, n);
	} else {
		for (size_t i = 0; i < n; i++) {
			if (i > 0)
				(void)fputc('\n', out.file);
			validate_print_table(out.file, &validation[i], 1);
		}
	}
	return store_commit(&out, err);
}

/* The worst value of a file that is over the limit. */
static enum err_code report_worst(const struct cli_options *options, const struct validation *validation,
                                  struct err *err)
{
	const struct validate_value *worst = &validation->value[validation->sum.worst];
	const char *file = validation->table.file;
	unsigned line = validate_value_line(validation, worst);
	char subject[VALIDATE_SUBJECT_SIZE];
	validate_print_subject(validation, worst, subject);
	if (isfinite(worst->error_pct))
		return err_add(err, ERR_GATE, "%s:%u: %s: error of %.2f %% exceeds --max-error %g", file, line, subject,
		               worst->error_pct, options->max_error_pct);
	assert(worst->prediction.note);
	return err_add(err, ERR_GATE, "%s:%u: %s: fails --max-error %g, having no finite error: %s", file, line,
	               subject, options->max_error_pct, worst->prediction.note);
}

/* One message for each file over the limit. A file of which nothing counts has shown nothing: say so, but pass. */
static enum err_code judge(const struct cli_options *options, const struct validation *validation, size_t n,
                           struct err *err)
{
	if (!cli_given(options, OPTION_MAX_ERROR))
		return ERR_OK;
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n; i++) {
		if (validation[i].sum.n_counted == 0) {
			if (!options->quiet)
				(void)fprintf(stderr, "%s: note: no value counts, so --max-error judges nothing\n",
				              validation[i].table.file);
			continue;
		}
		if (validation[i].sum.n_infinite > 0 || validation[i].sum.max_abs_error_pct > options->max_error_pct)
			code = report_worst(options, &validation[i], err);
	}
	return code;
}

/*
 * Every file is read, so that the mistakes of all are seen at once. Nothing is
 * printed if one is no reference table at all; rows that are not understood are
 * listed as such, and make the exit code ERR_INPUT.
 */
static enum err_code compare_files(const struct cli_options *options, struct source *source,
                                   struct validation *validation, struct err *err)
{
	enum err_code code = ERR_OK;
	bool whole = true;
	for (size_t i = 0; i < options->n_file; i++) {
		enum err_code file_code = validate_file(options->file[i], source, &validation[i], err);
		whole = whole && validation[i].kind && file_code != ERR_INTERNAL;
		code = code ? code : file_code;
	}
	if (!whole)
		return code;
	const char *unused = source_unused_target(source);
	if (unused)
		return err_add(err, ERR_USAGE, "--machine %s: its target is %s, and no row of the files is about a %s",
		               options->machine, unused, unused);
	enum err_code write_code = write_result(options, validation, options->n_file, err);
	code = code ? code : write_code;
	enum err_code judge_code = write_code ? ERR_OK : judge(options, validation, options->n_file, err);
	return code ? code : judge_code;
}

enum err_code cmd_validate(const struct cli_options *options, struct err *err)
{
	assert(options && options->n_file > 0 && err);
	struct source *source = NULL;
	struct validation *validation = calloc(options->n_file, sizeof(*validation));
	if (!validation)
		return err_add(err, ERR_INTERNAL, "out of memory");
	enum err_code code = source_open(options->machine, options->split_scheme, &source, err);
	if (!code)
		code = compare_files(options, source, validation, err);
	for (size_t i = 0; i < options->n_file; i++)
		validate_free(&validation[i]);
	free(validation);
	source_close(source);
	return code;
}
