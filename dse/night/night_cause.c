/* SPDX-License-Identifier: Apache-2.0 */
/* What of inputs and program is not as it was in the good night, and what each change alone does to the good front. */
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/night/night.h"
#include "dse/run/attribute.h"
#include "dse/run/input_change.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static enum err_code open_run(struct night *night, const struct night_row *row, struct kept_run *run, struct err *err)
{
	char name[24];
	(void)snprintf(name, sizeof(name), "%" PRIu64, row->run[0].run);
	return kept_run_open(night->store, name, run, err);
}

/*
 * "latency +0.5 %, energy +1.2 %": what the points that run cost on the mean, against base, or, where that is NULL,
 * against what the good night recorded; which do not run any more.
 */
static const char *describe(struct arena *arena, const struct kept_front *front, const struct attributed *base,
                            const struct attributed *point)
{
	char text[256] = "";
	size_t n_text = 0, n_run = 0;
	for (size_t p = 0; p < front->n_point; p++)
		n_run += point[p].fate == FATE_RUNS;
	for (size_t k = 0; k < front->n_objective && n_run > 0; k++) {
		double before = 0.0, now = 0.0;
		for (size_t p = 0; p < front->n_point; p++)
			if (point[p].fate == FATE_RUNS) {
				const double *own = base ? base[p].metric : front->point[p].metric;
				before += own[front->objective[k]];
				now += point[p].metric[front->objective[k]];
			}
		double change_pct = before > 0.0 ? 100.0 * (now - before) / before : 0.0;
		if (fabs(change_pct) <= 100.0 * NIGHT_ROUNDING || n_text >= sizeof(text))
			continue;
		n_text += (size_t)snprintf(text + n_text, sizeof(text) - n_text, "%s%s %+.3g %%",
		                           n_text > 0 ? ", " : "", metric_table[front->objective[k]].label, change_pct);
	}
	if (n_run < front->n_point && n_text < sizeof(text))
		(void)snprintf(text + n_text, sizeof(text) - n_text, "%s%zu of %zu designs are no longer possible",
		               n_text > 0 ? ", " : "", front->n_point - n_run, front->n_point);
	return memory_must(arena_text(arena, text[0] ? text : "nothing"));
}

/* What is no failure stays in refused, and the change has no effect that could be told. */
static enum err_code take_refusal(enum err_code code, struct err *refused, struct err *err)
{
	if (code == ERR_INTERNAL || code == ERR_IO)
		(void)err_add_all(err, (struct err_place){0}, refused);
	else
		code = ERR_OK;
	err_clear(refused);
	return code;
}

/* The good front in the good night's inputs, by tonight's program; NULL where it cannot be run: then as it was
 * recorded. */
static enum err_code find_base(struct night *night, const struct kept_run *good, struct attributed **base,
                               struct err *err)
{
	const struct attribute_how how = {.n_thread = parallel_n_thread((size_t)night->request.jobs)};
	struct attributed *point = memory_must(arena_array(&night->arena, good->front.n_point, sizeof(*point)));
	struct err refused = {0};
	*base = NULL;
	enum err_code code =
	    attribute_evaluate(&good->front, &good->space, &good->space, &how, point, &night->arena, &refused);
	bool runs = code == ERR_OK;
	for (size_t i = 0; i < good->front.n_point; i++)
		runs = runs && (point[i].fate == FATE_RUNS || point[i].fate == FATE_OVER_LIMIT);
	if (runs)
		*base = point;
	return take_refusal(code, &refused, err);
}

/*
 * What a change alone does to the good front's designs, by tonight's program; of the program itself what it makes of
 * the good night's inputs. "" where it cannot be made alone, or decides no figure.
 */
static enum err_code find_effect(struct night *night, const struct input_changes *changes,
                                 const struct input_change *change, const struct attributed *base, const char **effect,
                                 struct err *err)
{
	const struct kept_run *good = changes->before;
	const struct attribute_how how = {.n_thread = parallel_n_thread((size_t)night->request.jobs)};
	struct changed_space changed = {.is_read = false};
	struct err refused = {0};
	*effect = "";
	if (change->kind == CHANGE_PROGRAM && base)
		*effect = describe(&night->arena, &good->front, NULL, base);
	if (!input_change_is_applicable(change))
		return ERR_OK;
	struct attributed *point = memory_must(arena_array(&night->arena, good->front.n_point, sizeof(*point)));
	enum err_code code = input_change_apply(changes, change, &changed, &refused);
	if (code == ERR_OK)
		code = attribute_evaluate(&good->front, &good->space, &changed.space, &how, point, &night->arena,
		                          &refused);
	if (code == ERR_OK)
		*effect = describe(&night->arena, &good->front, base, point);
	changed_space_free(&changed);
	return take_refusal(code, &refused, err);
}

static const char *copy(struct night *night, const char *text)
{
	return memory_must(arena_text(&night->arena, text));
}

/* Comments count only where nothing else is another one. */
static bool is_named(const struct input_changes *changes, const struct input_change *change)
{
	bool has_other = false;
	for (size_t i = 0; i < changes->n; i++)
		has_other = has_other || changes->change[i].kind != CHANGE_TEXT;
	return change->kind != CHANGE_TEXT || !has_other;
}

static enum err_code name_changes(struct night *night, struct night_space *space, const struct input_changes *changes,
                                  struct err *err)
{
	struct attributed *base = NULL;
	enum err_code code = changes->n > 0 ? find_base(night, changes->before, &base, err) : ERR_OK;
	for (size_t i = 0; i < changes->n && code == ERR_OK; i++) {
		const struct input_change *change = &changes->change[i];
		if (!is_named(changes, change) || space->n_cause++ >= NIGHT_MAX_NAMED)
			continue;
		struct night_cause *cause = &space->cause[space->n_cause - 1];
		*cause = (struct night_cause){.file = copy(night, change->where),
		                              .key = copy(night, change->key),
		                              .before = copy(night, change->before),
		                              .now = copy(night, change->after)};
		code = find_effect(night, changes, change, base, &cause->effect, err);
	}
	return code;
}

enum err_code night_find_causes(struct night *night, struct night_space *space, struct err *err)
{
	struct kept_run good = {.title = NULL}, now = {.title = NULL};
	struct input_changes changes = {.n = 0};
	assert(space->row && space->good);
	space->n_cause = 0;
	if (space->good->n_run == 0 || space->good->run[0].run == 0 || space->row->run[0].run == 0)
		return ERR_OK;
	enum err_code code = open_run(night, space->good, &good, err);
	if (code == ERR_OK)
		code = open_run(night, space->row, &now, err);
	if (code == ERR_OK && good.has_space && now.has_space) {
		input_changes_find(&good, &now, &changes);
		code = name_changes(night, space, &changes, err);
		input_changes_free(&changes);
	}
	kept_run_free(&now);
	kept_run_free(&good);
	return code;
}
