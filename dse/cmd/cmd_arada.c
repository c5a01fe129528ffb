/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse arada: a layer's clock and bandwidth by what it waits for.
 *
 *   space -> study (dse/arada/arada_study.h) -> published savings, matched -> tables, files, pictures
 */
#include "dse/base/memory.h"
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/arada/arada_exact_study.h"
#include "dse/arada/arada_feedback.h"
#include "dse/arada/arada_published.h"
#include "dse/arada/arada_report.h"
#include "dse/base/parallel.h"
#include "dse/keep/output_file.h"

#define PCT 100.0

/* The files that -o makes. */
enum file {
	FILE_SCHEDULE,
	FILE_SUMMARY,
	FILE_JSON,
	FILE_MEANS,
	FILE_NETWORKS,
	FILE_LAYERS,
	FILE_EXACT,
	FILE_EXACT_SCHEDULE,
	N_FILE
};
static const char *const file_name[N_FILE] = {"schedule.csv", "summary.csv", "arada.json", "means.svg",
                                              "networks.svg", "layers.svg",  "exact.csv",  "exact_schedule.csv"};

/* Every candidate made of a machine that something is published for; [n] from the arena. */
static enum err_code match_published(struct arada_study *study, const struct arada_how *how,
                                     struct arada_report *report, struct err *err)
{
	const struct arada_options *options = &study->space->arada;
	struct arada_match *match =
	    memory_must(arena_array(&study->arena, options->n_published * study->n_machine, sizeof(*match)));
	report->match = match;
	for (size_t i = 0; i < options->n_published; i++)
		for (size_t k = arada_study_find(study, &options->published[i], 0); k < study->n_machine;
		     k = arada_study_find(study, &options->published[i], k + 1)) {
			struct arada_match *new = &match[report->n_match++];
			*new = (struct arada_match){
			    .machine = k,
			    .published_frac = options->published[i].saving_pct / PCT,
			    .own_frac = arada_study_mean(study, k, ARADA_VF_OH_Q).saving_frac,
			};
			enum err_code code =
			    arada_study_match(study, k, new->published_frac, how, &new->gb_s, &new->reached_frac, err);
			if (code != ERR_OK)
				return code;
		}
	return ERR_OK;
}

static void write_to(FILE *to, enum file file, const struct arada_report *report)
{
	if (file == FILE_SCHEDULE)
		arada_write_schedule(to, report->study);
	else if (file == FILE_SUMMARY)
		arada_write_summary(to, report->study);
	else if (file == FILE_JSON)
		arada_write_json(to, report);
	else if (file == FILE_MEANS)
		arada_draw_means(to, report);
	else if (file == FILE_NETWORKS)
		arada_draw_networks(to, report->study);
	else if (file == FILE_EXACT)
		arada_exact_write(to, report->exact);
	else if (file == FILE_EXACT_SCHEDULE)
		arada_exact_write_schedule(to, report->exact);
	else
		arada_draw_layers(to, report->study);
}

static enum err_code write_files(const char *dir, const struct arada_report *report, struct err *err)
{
	enum err_code code = output_file_make_dir(dir, err);
	for (int i = 0; i < N_FILE && code == ERR_OK; i++) {
		struct output_file file = {0};
		if (i == FILE_LAYERS && report->study->space->arada.n_detail == 0)
			continue;
		code = output_file_open_in(&file, dir, file_name[i], err);
		if (code == ERR_OK) {
			write_to(file.file, (enum file)i, report);
			code = output_file_commit(&file, err);
		}
	}
	return code;
}

/* A file of a folder, by what writes it. */
struct written {
	const char *name;
	void (*write)(FILE *file, const void *what);
};

static enum err_code write_all(const char *dir, const struct written *written, size_t n, const void *what,
                               struct err *err)
{
	enum err_code code = output_file_make_dir(dir, err);
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		struct output_file file = {0};
		code = output_file_open_in(&file, dir, written[i].name, err);
		if (code == ERR_OK) {
			written[i].write(file.file, what);
			code = output_file_commit(&file, err);
		}
	}
	return code;
}

static void write_published(FILE *file, const void *what)
{
	arada_published_write(file, what);
}

static void write_feedback(FILE *file, const void *what)
{
	arada_feedback_write(file, what);
}

static void draw_feedback(FILE *file, const void *what)
{
	arada_feedback_draw(file, what);
}

/* --published: the paper's figures beside ours. */
static enum err_code run_published(const struct cli_options *options, const struct space *space,
                                   const struct arada_how *how, struct err *err)
{
	static const struct written written[] = {{"published.csv", write_published}};
	struct arada_published published;
	enum err_code code = arada_published_run(space, options->file[0], options->published, how, &published, err);
	if (code == ERR_OK && options->out)
		code = write_all(options->out, written, 1, &published, err);
	if (code == ERR_OK)
		arada_published_print(stdout, &published);
	arada_published_free(&published);
	return code;
}

/* Sequences of inferences that a mean is over. */
#define N_SAMPLE 32
#define NOISE_PCT 10.0

/* --feedback: what the run-time system's measurements bring. */
static enum err_code run_feedback(const struct cli_options *options, const struct arada_exact_study *exact,
                                  struct err *err)
{
	static const struct written written[] = {{"feedback.csv", write_feedback}, {"feedback.svg", draw_feedback}};
	const struct arada_feedback_options how = {
	    .n_inference = (uint32_t)options->feedback,
	    .n_sample = N_SAMPLE,
	    .noise_frac = (cli_given(options, OPTION_NOISE) ? options->noise_pct : NOISE_PCT) / PCT,
	    .seed = options->seed,
	    .n_thread = parallel_n_thread((size_t)options->jobs),
	};
	struct arada_feedback feedback;
	enum err_code code = arada_feedback_study(exact->study, exact, &how, &feedback, err);
	if (code == ERR_OK && options->out)
		code = write_all(options->out, written, 2, &feedback, err);
	if (code == ERR_OK)
		arada_feedback_print(stdout, &feedback);
	arada_feedback_free(&feedback);
	return code;
}

/* All of the study. */
static enum err_code report_study(const struct cli_options *options, struct arada_study *study,
                                  const struct arada_exact_study *exact, const struct arada_how *how, struct err *err)
{
	struct arada_report report = {.study = study, .exact = exact};
	enum err_code code = match_published(study, how, &report, err);
	if (code == ERR_OK && options->out)
		code = write_files(options->out, &report, err);
	if (code == ERR_OK) {
		if (options->json)
			arada_write_json(stdout, &report);
		else
			arada_print(stdout, &report, options->quiet);
	}
	return code;
}

static enum err_code run_study(const struct cli_options *options, const struct space *space,
                               const struct arada_how *how, struct err *err)
{
	struct arada_study study;
	struct arada_exact_study exact = {0};
	enum err_code code = arada_study_run(space, options->file[0], how, &study, err);
	if (code != ERR_OK)
		return code;
	code = arada_exact_run(&study, how->n_thread, &exact, err);
	if (code == ERR_OK && options->feedback > 0)
		code = run_feedback(options, &exact, err);
	else if (code == ERR_OK)
		code = report_study(options, &study, &exact, how, err);
	arada_exact_free(&exact);
	arada_study_free(&study);
	return code;
}

static enum err_code check_options(const struct cli_options *options, struct err *err)
{
	bool is_other = options->published || options->feedback > 0;
	if (options->published && (options->feedback > 0 || options->measured))
		return err_add(err, ERR_USAGE,
		               "dse arada: --published stands alone: its figures are of simulated layers");
	if (is_other && options->json)
		return err_add(err, ERR_USAGE,
		               "dse arada: --published and --feedback write tables and CSV, not --json");
	if (cli_given(options, OPTION_NOISE) && options->feedback == 0)
		return err_add(err, ERR_USAGE, "dse arada: --noise is of --feedback");
	return ERR_OK;
}

static enum err_code run_space(const struct cli_options *options, const struct space *space, struct err *err)
{
	struct arada_measured measured = {0};
	struct arada_how how = {.n_thread = parallel_n_thread((size_t)options->jobs),
	                        .show_progress = !options->quiet && !options->no_progress};
	if (options->published)
		return run_published(options, space, &how, err);
	enum err_code code = ERR_OK;
	if (options->measured) {
		code = arada_measured_read(space, options->measured, &measured, err);
		how.measured = &measured;
	}
	if (code == ERR_OK)
		code = run_study(options, space, &how, err);
	arada_measured_free(&measured);
	return code;
}

enum err_code cmd_arada(const struct cli_options *options, struct err *err)
{
	struct space space;
	struct machine_set set;
	enum err_code code = check_options(options, err);
	if (code == ERR_OK)
		code = choice_set(options, &set, err);
	if (code == ERR_OK)
		code = space_read_given(options->file[0], &(struct space_given){.set = &set}, &space, err);
	if (code != ERR_OK)
		return code;
	code = run_space(options, &space, err);
	space_free(&space);
	return code;
}
