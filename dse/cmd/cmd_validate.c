/* SPDX-License-Identifier: Apache-2.0 */
/* dse validate: predict every value of published tables, print the errors, and judge them by --max-error. */
#include "dse/base/memory.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/options/cli.h"
#include "dse/base/interrupt.h"
#include "dse/out/json.h"
#include "dse/base/parallel.h"
#include "dse/keep/output_file.h"
#include "dse/out/words.h"
#include "dse/validate/validate_chart.h"
#include "dse/validate/validate_print.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The tiers that were asked for, and of each file a validation in each of them: [file * n_detail + i]. */
struct validate_job {
	const struct cli_options *cli;
	size_t n_detail;
	enum detail detail[N_DETAIL];
	struct validation *validation;
};

static enum err_code choose_detail(struct validate_job *comparison, struct err *err)
{
	static const char *const allowed[] = {"fast", "event", "greybox", "both", "all"};
	static const enum detail each[] = {DETAIL_FAST, DETAIL_EVENT, DETAIL_GREYBOX};
	size_t index = 0;
	enum err_code code = cli_choose(comparison->cli, "detail", comparison->cli->detail, allowed, 5, &index, err);
	comparison->n_detail = index == 4 ? 3 : index == 3 ? 2 : 1;
	for (size_t i = 0; i < comparison->n_detail; i++)
		comparison->detail[i] = each[comparison->n_detail == 1 ? index : i];
	return code;
}

static void write_json(FILE *file, const struct validate_job *comparison)
{
	struct json json;
	json_start_object(&json, file, 4);
	json_begin_list(&json, "files");
	for (size_t i = 0; i < comparison->cli->n_file; i++)
		validate_put_json(&json, &comparison->validation[i * comparison->n_detail], comparison->n_detail);
	json_finish(&json);
}

/* The picture is beside the result, so that it fails before the result is written if it fails. */
static enum err_code write_chart(const struct validate_job *comparison, struct err *err)
{
	const struct cli_options *options = comparison->cli;
	struct output_file out = {0};
	if (!options->svg)
		return ERR_OK;
	enum err_code code = output_file_open(&out, options->svg, err);
	if (code)
		return code;
	validate_write_chart(out.file, comparison->validation, options->n_file, comparison->n_detail);
	return output_file_commit(&out, err);
}

static enum err_code write_result(const struct validate_job *comparison, struct err *err)
{
	const struct cli_options *options = comparison->cli;
	struct output_file out = {0};
	enum err_code code = write_chart(comparison, err);
	if (!code)
		code = output_file_open(&out, options->out, err);
	if (code)
		return code;
	assert(out.file);
	if (options->json) {
		write_json(out.file, comparison);
	} else {
		for (size_t i = 0; i < options->n_file; i++) {
			if (i > 0)
				(void)fputc('\n', out.file);
			validate_print_table(out.file, &comparison->validation[i * comparison->n_detail],
			                     comparison->n_detail);
		}
	}
	return output_file_commit(&out, err);
}

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

/* The tiers' validations of a file: of how many values the error counts in any of them. */
static size_t n_counted(const struct validation *validation, size_t n_detail)
{
	size_t n = 0;
	for (size_t i = 0; i < n_detail; i++)
		n += validation[i].sum.n_counted;
	return n;
}

/*
 * One message for each file over the limit, and each tier. A tier that has nothing to say of a file is named and
 * passes; a file of which nothing counts at all, a table without rows for example, has shown nothing and does not.
 */
static enum err_code judge(const struct validate_job *comparison, struct err *err)
{
	const struct cli_options *options = comparison->cli;
	if (!cli_given(options, OPTION_MAX_ERROR))
		return ERR_OK;
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < options->n_file * comparison->n_detail; i++) {
		const struct validation *validation = &comparison->validation[i];
		const char *file = validation->table.file, *tier = detail_name[validation->detail];
		bool is_first = i % comparison->n_detail == 0;
		if (is_first && n_counted(validation, comparison->n_detail) == 0)
			code = err_add(err, ERR_GATE, "%s: fails --max-error %g: no value of it counts", file,
			               options->max_error_pct);
		if (validation->sum.n_counted == 0 && !options->quiet)
			words_note("%s: note: no value counts in the %s tier\n", file, tier);
		if (validation->sum.n_infinite > 0 || validation->sum.max_abs_error_pct > options->max_error_pct)
			code = report_worst(options, validation, err);
	}
	return code;
}

/* All files in one tier. What is wrong with a file is said by the first tier; a failure of ours by whichever has it. */
static enum err_code predict_files(struct validate_job *comparison, size_t at, struct source *source, bool *whole,
                                   struct err *err)
{
	const struct cli_options *options = comparison->cli;
	const struct detail_options detail = {
	    .detail = comparison->detail[at], .can_stop = true, .n_thread = parallel_n_thread((size_t)options->jobs)};
	enum err_code code = ERR_OK;
	source_set_detail(source, &detail);
	for (size_t i = 0; i < options->n_file && code != ERR_INTERNAL; i++) {
		struct validation *validation = &comparison->validation[i * comparison->n_detail + at];
		struct err part = {0};
		enum err_code file_code = validate_file(options->file[i], source, validation, &part);
		if (at == 0 || file_code == ERR_INTERNAL)
			(void)err_add_all(err, (struct err_place){0}, &part);
		err_clear(&part);
		*whole = *whole && validation->kind && file_code != ERR_INTERNAL;
		code = code ? code : file_code;
	}
	return code;
}

/*
 * Every file is read, so that the mistakes of all are seen at once. Nothing is printed if one is no reference table at
 * all; rows that are not understood are listed as such, and make the exit code ERR_INPUT.
 */
static enum err_code compare_files(struct validate_job *comparison, struct source *source, struct err *err)
{
	enum err_code code = ERR_OK;
	bool whole = true;
	for (size_t i = 0; i < comparison->n_detail && whole; i++) {
		enum err_code tier_code = predict_files(comparison, i, source, &whole, err);
		code = code ? code : tier_code;
	}
	if (interrupt_requested()) { /* errors of some rows are not the files' */
		err_clear(err);
		return err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
	}
	if (!whole)
		return code;
	const char *unused = source_unused_target(source);
	if (unused)
		return err_add(err, ERR_USAGE, "--machine %s: its target is %s, and no row of the files is about a %s",
		               comparison->cli->machine, unused, unused);
	enum err_code write_code = write_result(comparison, err);
	code = code ? code : write_code;
	enum err_code judge_code = write_code ? ERR_OK : judge(comparison, err);
	return code ? code : judge_code;
}

enum err_code cmd_validate(const struct cli_options *options, struct err *err)
{
	assert(options && options->n_file > 0 && err);
	struct source *source = NULL;
	struct validate_job comparison = {.cli = options};
	struct machine_set set;
	enum err_code code = choose_detail(&comparison, err);
	if (code)
		return code;
	comparison.validation = memory_array(options->n_file * comparison.n_detail, sizeof(*comparison.validation));
	code = choice_set(options, &set, err);
	if (!code)
		code = source_open(options->machine, options->split_scheme, &source, err);
	if (!code)
		source_set_machines(source, &set);
	if (!code)
		code = compare_files(&comparison, source, err);
	for (size_t i = 0; i < options->n_file * comparison.n_detail; i++)
		validate_free(&comparison.validation[i]);
	free(comparison.validation);
	source_close(source);
	return code;
}
