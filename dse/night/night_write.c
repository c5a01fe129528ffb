/* SPDX-License-Identifier: Apache-2.0 */
/* A night as files: nightly.json for programs, junit.xml for CI, index.html for people. */
#include "dse/base/memory.h"
#include "dse/keep/output_file.h"
#include "dse/night/night.h"
#include "dse/out/build.h"
#include "dse/out/json.h"
#include "dse/out/page.h"
#include "sim/base/model_version.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NIGHT_FORMAT "dse nightly 1"

enum err_code night_exit_code(const struct night *night)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < night->n_space && !night->is_stopped; i++) {
		const struct night_space *space = &night->space[i];
		bool failed = space->row && !night_verdict_table[space->row->verdict].passes;
		if (space->code == ERR_OK && failed)
			return space->row->verdict == NIGHT_FAILED && code == ERR_OK ? ERR_INFEASIBLE : ERR_GATE;
		code = code == ERR_OK ? space->code : code;
	}
	return night->is_stopped ? ERR_INTERRUPTED : code;
}

/* ---- JSON ---- */

static void put_reals(struct json *json, const char *key, const double *value, size_t n)
{
	json_begin_list(json, key);
	for (size_t i = 0; i < n; i++)
		json_put_real(json, NULL, value[i]);
	json_end(json);
}

static void put_measure(struct json *json, const char *key, const struct night_measure *measure)
{
	json_put_object(json, NULL, "measure %s, good %g, now %g, chance_worse %g, chance_better %g", key,
	                measure->good, measure->now, measure->chance_worse, measure->chance_better);
}

static void put_points(struct json *json, const char *key, const struct night_point *point, size_t n,
                       size_t n_objective)
{
	json_begin_list(json, key);
	for (size_t i = 0; i < n && i < NIGHT_MAX_NAMED; i++) {
		json_begin_object(json, NULL);
		json_put_fields(json, "run %" PRIu64 ", id %" PRIu64 ", machine %s", point[i].run, point[i].id,
		                point[i].machine);
		put_reals(json, "objectives", point[i].objective, n_objective);
		put_reals(json, "nearest", point[i].nearest, n_objective);
		json_put_real(json, "short_pct", point[i].short_pct);
		json_end(json);
	}
	json_end(json);
}

static void put_causes(struct json *json, const struct night_space *space)
{
	json_begin_list(json, "causes");
	for (size_t i = 0; i < space->n_cause && i < NIGHT_MAX_NAMED; i++) {
		const struct night_cause *cause = &space->cause[i];
		json_put_object(json, NULL, "file %s, key %s, before %s, now %s, effect %s", cause->file, cause->key,
		                cause->before, cause->now, cause->effect);
	}
	json_end(json);
}

static void put_runs(struct json *json, const struct night_row *row)
{
	json_begin_list(json, "runs");
	for (size_t i = 0; i < row->n_run; i++) {
		const struct night_run *run = &row->run[i];
		json_begin_object(json, NULL);
		json_put_fields(json,
		                "run %" PRIu64 ", seed %" PRIu64 ", seconds %g, points %" PRIu64
		                ", signature %s, hypervolume %g",
		                run->run, run->seed, run->seconds, run->n_point, run->signature, run->hypervolume);
		put_reals(json, "best", run->best, row->n_objective);
		json_end(json);
	}
	json_end(json);
}

/* Least, middle and largest of a figure of a night's runs: 0.. an objective, then hypervolume, then seconds. */
static void put_spread(struct json *json, const char *key, const struct night_row *row, size_t k, struct arena *arena)
{
	double *value = memory_must(arena_array(arena, row->n_run, sizeof(*value)));
	size_t n = 0;
	for (size_t i = 0; i < row->n_run; i++) {
		const struct night_run *run = &row->run[i];
		double figure = k < row->n_objective    ? run->best[k]
		                : k == row->n_objective ? run->hypervolume
		                                        : run->seconds;
		if (isfinite(figure))
			value[n++] = figure;
	}
	double middle = night_noise_median(value, n); /* sorts */
	const double spread[3] = {n > 0 ? value[0] : NAN, middle, n > 0 ? value[n - 1] : NAN};
	put_reals(json, key, spread, 3);
}

static enum err_code put_trend(struct json *json, struct night *night, const struct night_row *last, struct err *err)
{
	struct night_row *row;
	size_t n;
	enum err_code code =
	    night_store_trend(night->store, last->space, last->id, NIGHT_MAX_TREND, &night->arena, &row, &n, err);
	if (code != ERR_OK)
		return code;
	json_begin_list(json, "trend");
	for (size_t i = 0; i < n; i++) {
		bool comparable = row[i].n_objective == last->n_objective;
		for (size_t k = 0; comparable && k < last->n_objective; k++)
			comparable = strcmp(row[i].objective[k], last->objective[k]) == 0;
		if (!comparable)
			continue;
		json_begin_object(json, NULL);
		json_put_fields(json, "date %s, verdict %s, passes %d, era %" PRIu64 ", model %s, note %s", row[i].date,
		                night_verdict_table[row[i].verdict].name, night_verdict_table[row[i].verdict].passes,
		                row[i].era, row[i].model[0] ? row[i].model : NULL,
		                row[i].note[0] ? row[i].note : NULL);
		put_spread(json, "hypervolume", &row[i], row[i].n_objective, &night->arena);
		put_spread(json, "seconds", &row[i], row[i].n_objective + 1, &night->arena);
		json_begin_list(json, "best");
		for (size_t k = 0; k < row[i].n_objective; k++)
			put_spread(json, NULL, &row[i], k, &night->arena);
		json_end(json);
		json_end(json);
	}
	json_end(json);
	return ERR_OK;
}

static enum err_code put_row(struct json *json, struct night *night, const struct night_space *space, struct err *err)
{
	const struct night_row *row = space->row;
	json_put_fields(json, "engine %s, exactness %s, is_random %d, note %s, good_date %s", space->engine,
	                space->exactness, space->is_random, row->note[0] ? row->note : NULL,
	                space->good ? space->good->date : NULL);
	if (space->good && space->good->n_run > 0)
		json_put_u64(json, "good_run", space->good->run[0].run);
	json_put_u64(json, "pool", space->n_pool);
	json_begin_list(json, "objectives");
	for (size_t k = 0; k < row->n_objective; k++) {
		enum metric metric = metric_find(row->objective[k]);
		json_put_object(json, NULL, "key %s, label %s, unit %s", row->objective[k],
		                metric < N_METRIC ? metric_table[metric].label : row->objective[k],
		                metric < N_METRIC ? metric_table[metric].unit : "");
	}
	json_end(json);
	put_reals(json, "reference", row->reference, row->n_objective);
	json_begin_list(json, "tolerance_pct");
	for (size_t k = 0; k < row->n_objective; k++)
		json_put_real(json, NULL, 100.0 * space->tolerance_frac[k]);
	json_end(json);
	json_begin_list(json, "measures");
	put_measure(json, "hypervolume", &space->hypervolume);
	for (size_t k = 0; k < row->n_objective; k++)
		put_measure(json, row->objective[k], &space->best[k]);
	json_end(json);
	put_runs(json, row);
	json_put_u64(json, "n_lost", space->n_lost);
	put_points(json, "lost", space->lost, space->n_lost, row->n_objective);
	json_put_u64(json, "n_gained", space->n_gained);
	put_points(json, "gained", space->gained, space->n_gained, row->n_objective);
	put_causes(json, space);
	return put_trend(json, night, row, err);
}

enum night_verdict night_verdict_of(const struct night_space *space)
{
	return space->code != ERR_OK ? NIGHT_FAILED : space->row ? space->row->verdict : NIGHT_STOPPED;
}

static enum err_code put_space(struct json *json, struct night *night, const struct night_space *space, struct err *err)
{
	enum night_verdict verdict = night_verdict_of(space);
	enum err_code code = ERR_OK;
	json_begin_object(json, NULL);
	json_put_fields(json, "space %s, file %s, verdict %s, passes %d, meaning %s, why %s, log %s",
	                space->row ? space->row->space : NULL, space->file, night_verdict_table[verdict].name,
	                night_verdict_table[verdict].passes, night_verdict_table[verdict].help, space->why,
	                space->log[0] ? space->log : NULL);
	if (space->row && space->is_searched)
		code = put_row(json, night, space, err);
	json_end(json);
	return code;
}

static enum err_code put_errors(struct json *json, struct night *night, struct err *err)
{
	struct night_error *error;
	size_t n;
	enum err_code code = night_store_errors(night->store, &night->arena, &error, &n, err);
	json_begin_list(json, "model_errors");
	for (size_t i = 0; i < n; i++) {
		bool is_first = i == 0 || strcmp(error[i].name, error[i - 1].name) != 0;
		bool is_last = i + 1 == n || strcmp(error[i].name, error[i + 1].name) != 0;
		if (is_first) {
			json_begin_object(json, NULL);
			json_put_text(json, "table", error[i].name);
			json_begin_list(json, "trend");
		}
		json_put_object(json, NULL, "date %s, values %" PRIu64 ", mean_abs_error_pct %g, max_abs_error_pct %g",
		                error[i].date, error[i].n, error[i].mean_pct, error[i].max_pct);
		if (is_last) {
			json_end(json);
			json_end(json);
		}
	}
	json_end(json);
	return code;
}

enum err_code night_write_json(FILE *file, struct night *night, struct err *err)
{
	struct json json;
	enum err_code code = ERR_OK;
	json_start_object(&json, file, 4);
	json_put_fields(&json, "format %s, version %s, model %s, date %s, made %s, passes %d, exit_code %" PRIu64 ", seeds %zu",
	                NIGHT_FORMAT, build_version, model_version, night->date, night->made, night_exit_code(night) == ERR_OK,
	                (uint64_t)night_exit_code(night), night->n_seed);
	json_put_real(&json, "false_alarm_chance", NIGHT_ALPHA);
	json_begin_list(&json, "spaces");
	for (size_t i = 0; i < night->n_space && code == ERR_OK; i++)
		code = put_space(&json, night, &night->space[i], err);
	if (code != ERR_OK)
		return code;
	json_end(&json);
	code = put_errors(&json, night, err);
	json_finish(&json);
	return code;
}

/* ---- files ---- */

enum err_code night_write(struct night *night, struct err *err)
{
	struct output_file file = {0};
	char *json = NULL, title[64];
	size_t n_json = 0;
	FILE *text = memory_must(open_memstream(&json, &n_json));
	enum err_code code = night_write_json(text, night, err);
	memory_check(fclose(text) == 0);
	(void)snprintf(title, sizeof(title), "Night of %s", night->date);
	for (int i = 0; i < 3 && code == ERR_OK; i++) {
		static const char *const name[] = {"junit.xml", "nightly.json", "index.html"};
		code = output_file_open_in(&file, night->folder, name[i], err);
		if (code != ERR_OK)
			break;
		if (i == 0)
			night_write_junit(file.file, night);
		else if (i == 1)
			(void)fwrite(json, 1, n_json, file.file);
		else
			page_write(file.file, title, "nightly", json, n_json);
		code = output_file_commit(&file, err);
	}
	free(json);
	return code;
}
