/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on a space: its row of tonight beside that of the last good night. */
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "dse/night/night.h"
#include "dse/run/attribute.h"
#include "sim/base/text.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the noise of seeds ---- */

/* A figure of a run where larger is better: k is an objective, or n_objective for the hypervolume. */
static double figure(const struct night_row *row, const struct night_run *run, size_t k)
{
	return k == row->n_objective ? run->hypervolume : isnan(run->best[k]) ? -INFINITY : -run->best[k];
}

/* Figures of the era's seeds from its first nights on, up to the good night, or of a night's own. */
static size_t collect(const struct night_row *rows, size_t n_row, size_t k, double *value, size_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < n_row; i++)
		for (size_t r = 1; r < rows[i].n_run && n < max; r++)
			value[n++] = figure(&rows[i], &rows[i].run[r], k);
	return n;
}

static enum err_code measure_noise(struct night *night, struct night_space *space, struct err *err)
{
	const struct night_row *row = space->row;
	struct night_row *era;
	double good[NIGHT_MAX_POOL], *now = memory_must(arena_array(&night->arena, row->n_run, sizeof(*now)));
	size_t n_era;
	enum err_code code =
	    night_store_era(night->store, row->space, row->era, row->id, &night->arena, &era, &n_era, err);
	for (size_t k = 0; k <= row->n_objective && code == ERR_OK; k++) {
		struct night_measure *to = k == row->n_objective ? &space->hypervolume : &space->best[k];
		size_t n_good = collect(era, n_era, k, good, NIGHT_MAX_POOL),
		       n_now = collect(row, 1, k, now, row->n_run);
		double sign = k == row->n_objective ? 1.0 : -1.0;
		space->n_pool = n_good;
		to->chance_worse = night_noise_chance(good, n_good, now, n_now);
		/* the chance that the good ones are as low beside tonight's is that tonight's are as high */
		to->chance_better = night_noise_chance(now, n_now, good, n_good);
		to->good = sign * night_noise_median(good, n_good);
		to->now = sign * night_noise_median(now, n_now);
	}
	return code;
}

/* How sure the model is of the times on a front: the least that one of its points states; 0: none does. */
static double model_resolution(const struct night_fronts *now)
{
	double least = INFINITY;
	for (size_t p = 0; now->n > 0 && p < now->front[0]->n_point; p++)
		least = fmin(least, now->front[0]->point[p].reference_uncertainty_pct / 100.0);
	return isfinite(least) ? least : 0.0;
}

/* Metrics that follow from clocks are as sure as these; counts and machines are exact. */
static bool follows_from_clocks(enum metric metric)
{
	return metric == METRIC_LATENCY || metric == METRIC_ENERGY || metric == METRIC_EDP ||
	       metric == METRIC_PEAK_POWER || metric == METRIC_RUN_TIME;
}

/* Of each objective: what --tolerance allows, or how near designs are that the space, or the model, takes for one. */
static void set_tolerances(const struct night *night, struct night_space *space, const struct night_fronts *now)
{
	double space_frac = now->n > 0 && now->first.has_space ? now->first.space.resolution_frac : NAN;
	double model_frac = model_resolution(now);
	for (size_t k = 0; k < space->row->n_objective; k++) {
		enum metric metric = metric_find(space->row->objective[k]);
		double own = !isnan(space_frac) ? space_frac : 0.0;
		if (isnan(space_frac) && metric < N_METRIC && follows_from_clocks(metric))
			own = model_frac;
		space->tolerance_frac[k] =
		    metric < N_METRIC ? tolerance_frac(&night->request.tolerance, metric, own) : own;
	}
}

/* Of the hypervolume as of the objective of which most is tolerated. */
static double most_tolerated(const struct night_space *space)
{
	double most = 0.0;
	for (size_t k = 0; k < space->row->n_objective; k++)
		most = fmax(most, space->tolerance_frac[k]);
	return most;
}

/* Objective k's chance, the hypervolume's last; of medians no further apart than is tolerated nothing is said. */
static double chance_of(const struct night_space *space, size_t k, bool better)
{
	bool is_volume = k == space->row->n_objective;
	const struct night_measure *measure = is_volume ? &space->hypervolume : &space->best[k];
	double tolerated = is_volume ? most_tolerated(space) : space->tolerance_frac[k];
	bool is_near = fabs(measure->now - measure->good) <= tolerated * fabs(measure->good);
	return is_near ? 1.0 : better ? measure->chance_better : measure->chance_worse;
}

/* The least chance of all measures, worse or better. */
static double least_chance(const struct night_space *space, bool better)
{
	double least = 1.0;
	for (size_t k = 0; k <= space->row->n_objective; k++)
		least = fmin(least, chance_of(space, k, better));
	return least;
}

/* ---- verdicts ---- */

static void set_verdict(struct night *night, struct night_space *space, enum night_verdict verdict, const char *format,
                        ...) __attribute__((format(printf, 4, 5)));

static void set_verdict(struct night *night, struct night_space *space, enum night_verdict verdict, const char *format,
                        ...)
{
	char text[NIGHT_WHY_SIZE];
	TEXT_FILL(text, format);
	space->row->verdict = verdict;
	space->why = memory_must(arena_text(&night->arena, text));
}

static bool is_same_question(const struct night_space *space)
{
	return strcmp(space->row->question, space->good->question) == 0 &&
	       strcmp(space->row->build, space->good->build) == 0;
}

static bool is_same_front(const struct night_space *space)
{
	const struct night_row *row = space->row, *good = space->good;
	return row->n_run > 0 && good->n_run > 0 && row->run[0].n_point == good->run[0].n_point &&
	       strcmp(row->run[0].signature, good->run[0].signature) == 0;
}

/* ", the worst by 3 %"; nothing where none is near, or what was 0 is more. */
static const char *percent_text(char *text, size_t n_byte, const char *words, double percent)
{
	text[0] = '\0';
	if (isfinite(percent))
		(void)snprintf(text, n_byte, ", %s %.3g %%", words, percent);
	return text;
}

/* "1 %", or "1 % (latency_ms), 0 % (mac_units)" where it is not the same of all. */
static const char *within_text(char *text, size_t n_byte, const struct night_space *space, const double *epsilon)
{
	const struct night_row *row = space->row;
	bool is_same = true;
	size_t n = 0;
	for (size_t k = 1; k < row->n_objective; k++)
		is_same = is_same && !(fabs(epsilon[k] - epsilon[0]) > NIGHT_ROUNDING);
	for (size_t k = 0; k < (is_same ? 1 : row->n_objective) && n < n_byte; k++)
		n += (size_t)snprintf(text + n, n_byte - n, "%s%.3g %%%s%s%s", k ? ", " : "", 100.0 * epsilon[k],
		                      is_same ? "" : " (", is_same ? "" : row->objective[k], is_same ? "" : ")");
	return text;
}

static void judge_exact(struct night *night, struct night_space *space, const double *epsilon)
{
	char by[256];
	if (space->n_lost > 0 && space->row->run[0].n_point == 0)
		set_verdict(night, space, NIGHT_WORSE, "no design is left of the %" PRIu64 " points of run %" PRIu64,
		            space->good->run[0].n_point, space->good->run[0].run);
	else if (space->n_lost > 0)
		set_verdict(night, space, NIGHT_WORSE, "%zu of %" PRIu64 " points of run %" PRIu64 " are lost%s",
		            space->n_lost, space->good->run[0].n_point, space->good->run[0].run,
		            percent_text(by, sizeof(by), "the worst by", space->lost[0].short_pct));
	else if (space->n_gained > 0)
		set_verdict(
		    night, space, is_same_question(space) ? NIGHT_WORSE : NIGHT_BETTER,
		    "nothing is lost, and %zu points are better than any of run %" PRIu64 "%s%s", space->n_gained,
		    space->good->run[0].run, percent_text(by, sizeof(by), "by up to", space->gained[0].short_pct),
		    is_same_question(space) ? ": but program and inputs are the same, so one of them proves too much"
					    : "");
	else if (is_same_front(space))
		set_verdict(night, space, NIGHT_SAME, "the same %" PRIu64 " points as run %" PRIu64,
		            space->row->run[0].n_point, space->good->run[0].run);
	else
		set_verdict(night, space, NIGHT_ALIKE, "every point within %s of run %" PRIu64 "'s",
		            within_text(by, sizeof(by), space, epsilon), space->good->run[0].run);
}

/* Which figure it is whose chance is least, in words. */
static const char *worst_measure(const struct night_space *space, bool better)
{
	double least = least_chance(space, better);
	for (size_t k = 0; k < space->row->n_objective; k++)
		if (chance_of(space, k, better) <= least && chance_of(space, space->row->n_objective, better) > least)
			return space->row->objective[k];
	return "hypervolume";
}

/* *n_more: so many runs in all are needed for a second look; 0: it is decided. */
static void judge_noise(struct night *night, struct night_space *space, size_t *n_more)
{
	size_t n_measure = space->row->n_objective + 1, n_now = space->row->n_run - 1;
	double worse = least_chance(space, false), better = least_chance(space, true);
	double alpha = NIGHT_ALPHA / (double)n_measure;
	bool is_proven = is_same_question(space) && is_same_front(space);
	*n_more = 0;
	if (is_same_question(space) && !is_same_front(space)) {
		set_verdict(night, space, NIGHT_WORSE,
		            "the same program, inputs and seed %" PRIu64 " made another front than run %" PRIu64
		            ": the search is not deterministic",
		            space->row->run[0].seed, space->good->run[0].run);
	} else if (is_proven) {
		set_verdict(night, space, NIGHT_SAME,
		            "program, inputs and the front of seed %" PRIu64 " are those of run %" PRIu64
		            "; %zu seeds show the noise",
		            space->row->run[0].seed, space->good->run[0].run, n_now);
	} else if (space->n_dearer > 0) {
		set_verdict(night, space, NIGHT_WORSE,
		            "%zu of %" PRIu64 " designs of run %" PRIu64 " are worse when evaluated again%s",
		            space->n_dearer, space->good->run[0].n_point, space->good->run[0].run,
		            isfinite(space->lost[0].short_pct) ? "" : ", or not possible any more");
	} else if (space->n_cheaper > 0) {
		set_verdict(night, space, NIGHT_BETTER,
		            "%zu of %" PRIu64 " designs of run %" PRIu64 " are better when evaluated again",
		            space->n_cheaper, space->good->run[0].n_point, space->good->run[0].run);
	} else if (fmin(worse, better) <= NIGHT_SUSPICION && n_now <= night->n_seed) {
		*n_more = 1 + night_noise_n(space->n_pool, night->n_seed, n_measure);
	} else if (worse <= alpha && n_now > night->n_seed) {
		set_verdict(night, space, NIGHT_WORSE,
		            "%s is worse than %zu earlier seeds explain: by chance only once in %.3g nights",
		            worst_measure(space, false), space->n_pool, 1.0 / worse);
	} else if (better <= alpha && n_now > night->n_seed) {
		bool is_search = strcmp(space->row->question, space->good->question) == 0;
		set_verdict(night, space, NIGHT_BETTER, "%s is better than %zu earlier seeds explain%s",
		            worst_measure(space, true), space->n_pool, is_search ? "" : ", and inputs are others");
	} else {
		set_verdict(night, space, NIGHT_ALIKE,
		            "within the noise of %zu earlier seeds: by chance as bad in %.2g of all nights",
		            space->n_pool, worse);
	}
}

/* Whether both nights are about the same objectives, each with a front. */
static bool is_comparable(struct night *night, struct night_space *space, bool *is_told)
{
	const struct night_row *row = space->row, *good = space->good;
	*is_told = true;
	bool same = row->n_objective == good->n_objective;
	for (size_t k = 0; same && k < row->n_objective; k++)
		same = strcmp(row->objective[k], good->objective[k]) == 0;
	if (!same || (good->n_run > 1) != space->is_random)
		set_verdict(night, space, NIGHT_CHANGED,
		            "it asks for %s than in the good night of %s; if that is meant: --accept %s",
		            same ? "another kind of search" : "other objectives", good->date, row->space);
	else if (good->n_run == 0 || good->run[0].run == 0)
		set_verdict(night, space, NIGHT_FIRST, "the runs of the good night of %s are no longer in the store",
		            good->date);
	else
		*is_told = false;
	return !*is_told;
}

/* A design of the good front evaluated again. */
struct again {
	double now[SPACE_MAX_OBJECTIVE];
	double worse;                         /* by this share, in its worst objective */
	bool is_other, is_dearer, is_cheaper; /* at all; by more than is tolerated */
};

/* By how much a design is worse and better in its objectives, as shares of what they were. */
static void compare_again(const struct night_space *space, const struct kept_front *front, const double *before,
                          const struct attributed *again, struct again *to)
{
	*to = (struct again){.worse = 0.0};
	for (size_t k = 0; k < front->n_objective; k++) {
		to->now[k] = again->fate == FATE_RUNS ? again->metric[front->objective[k]] : NAN;
		double change = (to->now[k] - before[k]) / (before[k] > 0.0 ? before[k] : 1.0);
		to->worse = fmax(to->worse, change);
		to->is_other |= fabs(change) > NIGHT_ROUNDING;
		to->is_dearer |= change > space->tolerance_frac[k] + NIGHT_ROUNDING;
		to->is_cheaper |= -change > space->tolerance_frac[k] + NIGHT_ROUNDING;
	}
	if (again->fate != FATE_RUNS) {
		to->worse = INFINITY;
		to->is_dearer = true;
	}
}

/*
 * The good front's designs as tonight's program and inputs have them: the same numbers, or noise has nothing to do with
 * it. Those that are worse take the place of the points lost, which a stochastic search loses and finds every night.
 */
static enum err_code evaluate_again(struct night *night, struct night_space *space, const struct night_fronts *good,
                                    const struct night_fronts *now, struct err *err)
{
	const struct kept_front *front = &good->first.front;
	const struct attribute_how how = {.n_thread = parallel_n_thread((size_t)night->request.jobs)};
	struct attributed *again = memory_must(arena_array(&night->arena, front->n_point, sizeof(*again)));
	struct night_point worst[NIGHT_MAX_NAMED];
	struct again own;
	if (!good->first.has_space || !now->first.has_space)
		return ERR_OK;
	enum err_code code =
	    attribute_evaluate(front, &good->first.space, &now->first.space, &how, again, &night->arena, err);
	space->n_dearer = space->n_cheaper = 0;
	for (size_t p = 0; p < front->n_point && code == ERR_OK; p++) {
		compare_again(space, front, &good->objective[0][p * front->n_objective], &again[p], &own);
		space->is_tolerated |= own.is_other && !own.is_dearer && !own.is_cheaper;
		if (own.is_dearer)
			night_name_point(&night->arena, good, p, again[p].fate == FATE_RUNS ? own.now : NULL, own.worse,
			                 worst, &space->n_dearer);
		space->n_cheaper += !own.is_dearer && own.is_cheaper;
	}
	if (space->n_dearer > 0) {
		memcpy(space->lost, worst, sizeof(worst));
		space->n_lost = space->n_dearer;
	}
	return code;
}

/* Whether the good night's figures are another model's, which say nothing of what is searched now. */
static bool has_other_model(const struct night_space *space)
{
	const struct night_row *row = space->row, *good = space->good;
	return row->model[0] && good->model[0] && strcmp(row->model, good->model) != 0;
}

/* Of the same inputs: takes the place of what was said of the front, and ends the search for noise. */
static void judge_model(struct night *night, struct night_space *space, size_t *n_more)
{
	if (!has_other_model(space) || strcmp(space->row->question, space->good->question) != 0)
		return;
	const char *said = *n_more == 0 ? space->why : "its seeds find other figures";
	set_verdict(night, space, NIGHT_MODEL, "model %s prices designs now, %s did: %s", space->row->model,
	            space->good->model, said);
	*n_more = 0;
}

static enum err_code judge_both(struct night *night, struct night_space *space, const struct night_fronts *now,
                                size_t *n_more, struct err *err)
{
	struct night_fronts good;
	enum err_code code = night_fronts_read(night->store, space->good, 1, &good, err);
	double proven[SPACE_MAX_OBJECTIVE], epsilon[SPACE_MAX_OBJECTIVE];
	for (size_t k = 0; k < space->row->n_objective; k++) {
		proven[k] = fmax(good.first.epsilon, now->first.epsilon);
		epsilon[k] = proven[k] + space->tolerance_frac[k];
	}
	space->is_tolerated = false;
	if (code == ERR_OK && space->is_random)
		code = measure_noise(night, space, err);
	if (code == ERR_OK && !space->is_random) {
		struct night_point list[NIGHT_MAX_NAMED];
		size_t n_lost, n_gained;
		night_find_missing(&night->arena, &good, now, proven, list, &n_lost);
		night_find_missing(&night->arena, now, &good, proven, list, &n_gained);
		space->is_tolerated = n_lost + n_gained > 0;
	}
	if (code == ERR_OK) {
		/* of a stochastic search the front of the space's own seed, against all of tonight's; it gains some
		 * every night */
		night_find_missing(&night->arena, &good, now, epsilon, space->lost, &space->n_lost);
		if (!space->is_random)
			night_find_missing(&night->arena, now, &good, epsilon, space->gained, &space->n_gained);
	}
	if (code == ERR_OK && space->is_random && !is_same_question(space))
		code = evaluate_again(night, space, &good, now, err);
	if (code == ERR_OK) {
		if (space->is_random)
			judge_noise(night, space, n_more);
		else
			judge_exact(night, space, epsilon);
		judge_model(night, space, n_more);
		/* what seeds lose and find from night to night is no news */
		if (space->is_random && *n_more == 0 && night_verdict_table[space->row->verdict].passes)
			space->n_lost = 0;
	}
	night_fronts_free(&good);
	return code;
}

/* Medians of a night that stands alone, and of deterministic searches the one value. */
static void set_medians(struct night_space *space)
{
	const struct night_row *row = space->row, *good = space->good;
	const size_t n = row->n_objective;
	if (space->is_random && good)
		return;
	for (size_t k = 0; k <= n; k++) {
		struct night_measure *to = k == n ? &space->hypervolume : &space->best[k];
		*to = (struct night_measure){.chance_worse = NAN, .chance_better = NAN, .good = NAN};
		to->now = k == n ? row->run[0].hypervolume : row->run[0].best[k];
		if (good && good->n_run > 0 && good->n_objective == n)
			to->good = k == n ? good->run[0].hypervolume : good->run[0].best[k];
	}
}

/* What was accepted stays so when the night is looked at again; --accept does it now. */
static void accept(struct night *night, struct night_space *space, bool was_accepted)
{
	const struct night_request *request = &night->request;
	bool accepts = was_accepted;
	for (size_t i = 0; i < request->n_accept; i++)
		accepts = accepts || strcmp(request->accept[i], space->row->space) == 0;
	if (!accepts || !space->good)
		return;
	if (!was_accepted || request->note)
		space->row->note = request->note ? request->note : "";
	const char *why = space->why;
	set_verdict(night, space, NIGHT_ACCEPTED, "accepted%s%s (%s)", space->row->note[0] ? ": " : "",
	            space->row->note, why);
}

enum err_code night_judge(struct night *night, struct night_space *space, size_t *n_more, struct err *err)
{
	struct night_row *row = space->row;
	struct night_fronts now = {0};
	bool is_told = false, was_accepted = row->verdict == NIGHT_ACCEPTED;
	assert(space->is_searched && row->n_run > 0);
	*n_more = 0;
	space->exactness = "";
	enum err_code code = night_store_good(night->store, row->space, row->id, &night->arena, &space->good, err);
	if (code == ERR_OK)
		code = night_fronts_read(night->store, row, row->n_run, &now, err);
	if (code != ERR_OK)
		goto cleanup;
	space->exactness = memory_must(arena_text(&night->arena, now.first.record.exactness));
	set_tolerances(night, space, &now);
	bool is_compared = space->good && is_comparable(night, space, &is_told);
	if (is_compared) {
		row->era = space->good->era;
		memcpy(row->reference, space->good->reference, sizeof(row->reference));
	} else {
		row->era = row->id;
		night_set_reference(row, &now);
	}
	night_measure(row, &now);
	if (is_compared)
		code = judge_both(night, space, &now, n_more, err);
	else if (!is_told && row->run[0].n_point > 0)
		set_verdict(night, space, NIGHT_FIRST, "the first good night of this space");
	else if (!is_told)
		set_verdict(night, space, NIGHT_FAILED, "no feasible design, and no good night that had one");
	if (code == ERR_OK && *n_more == 0) {
		set_medians(space);
		accept(night, space, was_accepted);
		/* the tolerated passes, but small steps would add up if each were compared with the one before */
		row->is_good =
		    night_verdict_table[row->verdict].is_good && !(space->is_tolerated && row->verdict == NIGHT_ALIKE);
		bool is_new_line = is_compared && has_other_model(space) && night_verdict_table[row->verdict].passes;
		row->is_good |= is_new_line;
		if ((night_verdict_table[row->verdict].begins_era || is_new_line) && row->era != row->id) {
			/* hypervolumes are measured anew, up to a reference of tonight's own */
			row->era = row->id;
			night_set_reference(row, &now);
			night_measure(row, &now);
		}
	}
cleanup:
	night_fronts_free(&now);
	return code;
}
