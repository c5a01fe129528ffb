/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layer by layer: machine candidates that bounds do not cut (dse/search/hardware.h) go through in small groups, each in
 * four steps:
 *
 *   build layer sets ─► search (layer, place) tasks ─► compose networks ─► compose total ─► archive
 *      (parallel)           (parallel)                    (parallel)         (parallel)     (in order)
 *
 * A group's memory is given back before the next one starts; what stays is the
 * archive. Everything that adds to shared state does so in the order of the
 * candidates, so the result does not depend on the number of threads.
 */
#include "dse/search/explore_parts.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/base/interrupt.h"
#include "dse/search/least.h"
#include "dse/base/parallel.h"
#include "sim/base/checked.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Machines times layers up to which fronts are kept for others: they take some kilobytes each. */
#define MAX_SHARED (UINT64_C(1) << 15)

static void build_slot(void *context, size_t i)
{
	struct explore_driver *driver = context;
	struct explore_slot *slot = &driver->slot[i];
	assert(i < driver->n_slot && !slot->is_alive);
	const struct space *space = driver->explore->space;
	struct layer_set *set;
	slot->left_out = at_work_is_out(driver->options->at_work, slot->machine_index);
	if (slot->left_out)
		return;
	uint64_t before = at_work_begin(driver->options->at_work, slot->machine_index);
	slot->code = layer_set_build(space, &driver->explore->map, slot->machine_index, &set, slot->why,
	                             sizeof(slot->why), &slot->err);
	if (slot->code == ERR_OK && set) {
		slot->code = candidate_init(space, set, &slot->candidate, &slot->err);
		slot->is_alive = slot->code == ERR_OK;
	}
	at_work_end(driver->options->at_work, before);
	if (!slot->is_alive)
		return;
	slot->candidate.n_thread = driver->options->n_thread;
	slot->candidate.is_exact = driver->options->engine == &engine_exact;
	candidate_set_epsilon(&slot->candidate, driver->options->epsilon);
	slot->candidate.genetic = driver->options->engine->is_random ? driver->options->engine : NULL;
}

/* Refuse, before any search, a machine that breaks a limit all by itself. */
static void check_machine_limits(struct explore_driver *driver, struct explore_slot *slot)
{
	struct explore *explore = driver->explore;
	double metric[N_METRIC] = {0};
	assert(slot->is_alive);
	metric_of_machine(&slot->candidate.set->machine, metric);
	for (unsigned i = 0; i < N_METRIC; i++) {
		double limit = space_metric_limit(explore->space, (enum metric)i);
		if (metric_table[i].scope != METRIC_OF_MACHINE || metric[i] <= limit)
			continue;
		explore_note_over_limit(explore, slot->machine_index, &slot->candidate.set->machine, STAGE_MACHINE,
		                        (enum metric)i, metric[i]);
		explore->counts.n_machine_dead++;
		standings_note_kind(explore->standings, slot->machine_index, STANDING_REFUSED);
		candidate_free(&slot->candidate);
		slot->is_alive = false;
		floors_settle(&driver->floors, slot->machine_index);
		return;
	}
}

static void compose_network(void *context, size_t i)
{
	struct explore_driver *driver = context;
	size_t n_network = driver->explore->map.n_network;
	struct explore_slot *slot = &driver->slot[i / n_network];
	if (!slot->is_alive || slot->code != ERR_OK)
		return;
	uint64_t before = at_work_begin(driver->options->at_work, slot->machine_index);
	candidate_compose_network(&slot->candidate, i % n_network);
	at_work_end(driver->options->at_work, before);
}

static void compose_total(void *context, size_t i)
{
	struct explore_driver *driver = context;
	struct explore_slot *slot = &driver->slot[i];
	if (!slot->is_alive || slot->code != ERR_OK)
		return;
	uint64_t before = at_work_begin(driver->options->at_work, slot->machine_index);
	slot->code = candidate_compose_total(&slot->candidate, &slot->err);
	at_work_end(driver->options->at_work, before);
}

/* The candidate is out; the others go on. */
static void note_failed(struct explore_driver *driver, struct explore_slot *slot, const struct err *err)
{
	assert(slot->is_alive);
	explore_note_failure(driver->explore, slot->machine_index, &slot->candidate.set->machine, "%s", err_text(err));
	standings_note_kind(driver->explore->standings, slot->machine_index, STANDING_FAILED);
	candidate_free(&slot->candidate);
	slot->is_alive = false;
}

/* One that ended a process before this one: nothing is known of it. */
static void note_left_out(struct explore_driver *driver, const struct explore_slot *slot)
{
	struct explore *explore = driver->explore;
	struct machine machine;
	char why[EXPLORE_TEXT_SIZE];
	bool has_machine = space_machine(explore->space, slot->machine_index, &machine, why, sizeof(why));
	explore_note_failure(explore, slot->machine_index, has_machine ? &machine : NULL, "%s", slot->left_out);
	explore->n_left_out++;
	standings_note_kind(explore->standings, slot->machine_index, STANDING_FAILED);
}

/* A candidate without a design: say which layer or network failed, and how nearly. */
static void note_dead(struct explore_driver *driver, const struct explore_slot *slot)
{
	struct explore_miss miss;
	driver->explore->counts.n_machine_dead++;
	if (driver->explore->interrupted)
		return; /* a search that was cut short proves nothing */
	if (explore_points_miss(&slot->candidate, &miss)) {
		explore_machine_text(driver->explore->space, slot->machine_index, &slot->candidate.set->machine,
		                     miss.machine, sizeof(miss.machine));
		explore_note_miss(driver->explore, &miss);
	}
}

/* The front with this candidate's, after the evaluations of all candidates up to it. */
static void note_history(struct explore_driver *driver, const struct candidate *candidate)
{
	struct history *history = &driver->explore->history;
	for (size_t i = 0; i < candidate->n_task; i++)
		driver->n_evaluation = add_sat(driver->n_evaluation, candidate->task[i].counts.n_told);
	history_note(history, driver->n_evaluation, &driver->explore->front, false);
}

static void free_dead(struct explore *explore)
{
	for (size_t i = 0; i < explore->n_dead; i++)
		candidate_free(&explore->dead[i]);
	free(explore->dead);
	explore->dead = NULL;
	explore->n_dead = 0;
}

/* Of layers, whose fronts then lack what is best in some metric. */
static bool proves_little(const struct explore_options *options)
{
	return options->engine->is_random || options->epsilon > 0;
}

/* Its layers' fronts tell what would fit if a limit were another one. Without memory they are searched again. */
static void keep_dead(struct explore_driver *driver, struct explore_slot *slot)
{
	struct explore *explore = driver->explore;
	if (explore->space->n_limit == 0 || proves_little(driver->options) || explore->n_dead == EXPLORE_MAX_DEAD ||
	    candidate_is_open(&slot->candidate))
		return;
	struct candidate *dead = realloc(explore->dead, (explore->n_dead + 1) * sizeof(*dead));
	if (!dead)
		return;
	explore->dead = dead;
	explore->dead[explore->n_dead++] = slot->candidate;
	slot->is_alive = false;
}

/* The candidate's own front, before floors spoil it. */
static void note_standing(struct explore_driver *driver, const struct candidate *candidate)
{
	const struct explore *explore = driver->explore;
	bool is_proven = !candidate->genetic && !candidate_is_open(candidate) && !explore->interrupted &&
	                 !explore->truncated && !candidate_is_limited(candidate);
	standings_note_searched(explore->standings, candidate, is_proven, explore_epsilon(explore, candidate));
}

/* Insert the candidate's front into the archive of all candidates. */
static enum err_code insert_front(struct explore_driver *driver, struct explore_slot *slot, struct err *err)
{
	bool is_empty = true;
	assert(slot->is_alive);
	enum err_code code =
	    explore_insert(driver->explore, &slot->candidate, driver->options->n_thread, &is_empty, err);
	if (code != ERR_OK)
		return code;
	if (is_empty)
		note_dead(driver, slot);
	note_history(driver, &slot->candidate);
	note_standing(driver, &slot->candidate);
	if (driver->options->prices || driver->options->keeps_layers)
		code = explore_keep(driver->explore, &slot->candidate, driver->options->all_machines, err);
	const struct explore_log *log = &driver->options->log;
	if (code == ERR_OK && log->machine)
		code = log->machine(log->context, &slot->candidate, err);
	if (code != ERR_OK)
		return code;
	floors_note(&driver->floors, &slot->candidate);
	if (driver->explore->front.n > 0)
		free_dead(driver->explore);
	else
		keep_dead(driver, slot);
	return ERR_OK;
}

/* Counts and rows of the layers; a candidate whose searches failed is out. */
static void collect_slot(struct explore_driver *driver, struct explore_slot *slot)
{
	enum err_code code = explore_count_searches(driver->explore, &slot->candidate, slot->is_mine, &slot->err);
	if (code == ERR_OK)
		code = candidate_name_points(&slot->candidate, &slot->err);
	if (code != ERR_OK) {
		note_failed(driver, slot, &slot->err);
		return;
	}
	if (driver->explore->least)
		least_table_note(driver->explore->least, &slot->candidate);
	if (driver->options->points)
		explore_points_write(driver->options->points, &slot->candidate);
}

static enum err_code compose_group(struct explore_driver *driver, struct err *err)
{
	for (size_t i = 0; i < driver->n_slot; i++)
		if (driver->slot[i].is_alive)
			collect_slot(driver, &driver->slot[i]);
	size_t n_network = driver->explore->map.n_network;
	live_set_phase(driver->live, LIVE_COMPOSE);
	parallel_for(driver->n_slot * n_network, driver->options->n_thread, compose_network, driver);
	parallel_for(driver->n_slot, driver->options->n_thread, compose_total, driver);
	for (size_t i = 0; i < driver->n_slot; i++) {
		struct explore_slot *slot = &driver->slot[i];
		if (slot->is_alive && slot->code != ERR_OK)
			note_failed(driver, slot, &slot->err);
		if (slot->is_alive && candidate_compose_again(&slot->candidate, &slot->err) != ERR_OK)
			note_failed(driver, slot, &slot->err);
		if (!slot->is_alive)
			continue;
		explore_count_composition(driver->explore, &slot->candidate);
		uint64_t before = at_work_begin(driver->options->at_work, slot->machine_index);
		enum err_code code = insert_front(driver, slot, err);
		at_work_end(driver->options->at_work, before);
		if (code != ERR_OK)
			return code;
	}
	return ERR_OK;
}

/* What becomes of a group's searches: a front, or where others make the rest of them, records. */
static enum err_code finish_group(struct explore_driver *driver, struct err *err)
{
	struct share *share = driver->options->share;
	if (share && atomic_load(&share->n_missing) > 0)
		return ERR_OK; /* explore_run says so, once it knows how many */
	if (!share || share->n == 1)
		return compose_group(driver, err);
	for (size_t i = 0; i < driver->n_slot; i++) {
		struct explore_slot *slot = &driver->slot[i];
		if (!slot->is_alive)
			continue;
		share_record(share, &slot->candidate, slot->is_mine);
		if (explore_count_searches(driver->explore, &slot->candidate, slot->is_mine, &slot->err) != ERR_OK)
			note_failed(driver, slot, &slot->err);
	}
	return ERR_OK;
}

static void free_group(struct explore_driver *driver)
{
	for (size_t i = 0; i < driver->n_slot; i++) {
		if (driver->slot[i].is_alive)
			candidate_free(&driver->slot[i].candidate);
		err_clear(&driver->slot[i].err);
	}
	arena_free(&driver->group);
	driver->n_slot = 0;
}

/* Work on the candidates in the slots. */
static enum err_code explore_group(struct explore_driver *driver, struct err *err)
{
	enum err_code code = ERR_OK;
	size_t n = driver->n_slot;
	parallel_for(n, driver->options->n_thread, build_slot, driver);
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		struct explore_slot *slot = &driver->slot[i];
		if (slot->left_out)
			note_left_out(driver, slot);
		else if (slot->code == ERR_INTERNAL)
			explore_note_failure(driver->explore, slot->machine_index, NULL, "machine %" PRIu32 ": %s",
			                     slot->machine_index, err_text(&slot->err));
		else if (slot->code != ERR_OK)
			code = err_add(err, slot->code, "%s", err_text(&slot->err));
		else if (!slot->is_alive) {
			explore_note_rejection(driver->explore, slot->why);
			standings_note_kind(driver->explore->standings, slot->machine_index, STANDING_REFUSED);
			floors_settle(&driver->floors, slot->machine_index);
		} else
			check_machine_limits(driver, slot);
	}
	if (code == ERR_OK)
		code = explore_list_searches(driver, err);
	live_set_machines(driver->live, driver->n_machine_done + 1, driver->n_machine_done + n,
	                  driver->explore->counts.n_machine - driver->hardware.n_cut, driver->n_job);
	if (code == ERR_OK) {
		explore_search_group(driver);
		code = finish_group(driver, err);
	}
	free_group(driver);
	driver->n_machine_done += n;
	if (driver->options->engine == &engine_exact)
		explore_show_gap(driver, &driver->explore->front);
	return code;
}

/*
 * A budget of evaluations is shared out evenly before the search, because
 * shares that depend on who is done first would depend on the threads.
 */
static uint64_t share_of_budget(const struct explore *explore, uint64_t max_evaluation)
{
	assert(explore->counts.n_machine > 0 && explore->map.n_distinct > 0);
	uint64_t n_task = mul_sat(explore->counts.n_machine, explore->map.n_distinct * 4);
	uint64_t share = max_evaluation / n_task;
	return max_evaluation == 0 ? 0 : share > 0 ? share : 1;
}

/* A budget of evaluations is of each search by itself, and fronts of very many searches take too much memory. */
static bool shares_fronts(const struct explore_driver *driver)
{
	const struct explore *explore = driver->explore;
	uint64_t n_left = explore->counts.n_machine - driver->hardware.n_cut;
	return driver->options->engine == &engine_exact && driver->options->max_evaluation == 0 &&
	       driver->options->max_box == 0 && mul_sat(n_left, explore->map.n_distinct) <= MAX_SHARED;
}

static enum err_code explore_layers(struct explore_driver *driver, struct err *err)
{
	struct explore *explore = driver->explore;
	unsigned n_thread = driver->options->n_thread;
	/* Of several threads none waits for the last machine of a group while there is a second one. */
	size_t n_wanted = n_thread > 1 ? 2 * (size_t)n_thread : 1,
	       n_group = n_wanted < MAX_GROUP ? n_wanted : MAX_GROUP;
	enum err_code code = ERR_OK;
	driver->engine_options = (struct engine_options){
	    .seed = driver->options->seed,
	    .max_evaluation = share_of_budget(explore, driver->options->max_evaluation),
	    .population = explore->space->population,
	    .generations = explore->space->generations,
	    .n_island = explore->space->islands,
	    .migrate_every = explore->space->migrate_every,
	};
	if (driver->options->engine == &engine_exact)
		floors_init(&driver->floors, explore->space, explore->counts.n_machine);
	explore->standings = standings_new(explore->space, explore->counts.n_machine);
	if (!space_samples_splits(explore->space))
		code = layer_map_list_splits(explore->space, &explore->map, n_thread, err);
	explore->least = proves_little(driver->options) ? NULL : least_table_new(explore->counts.n_machine);
	if (driver->options->points)
		explore_points_write_header(driver->options->points, explore->space);
	driver->n_order = explore->counts.n_machine;
	if (code == ERR_OK)
		code = explore_bound_machines(driver, err);
	if (shares_fronts(driver))
		driver->fronts = front_cache_new(); /* without memory nothing is shared */
	/* where bounding was stopped there is at least what the samples of some machines show */
	bool is_sample = driver->hardware.interrupted;
	for (uint64_t at = 0; at < driver->n_order && code == ERR_OK; is_sample = false) {
		explore->interrupted |= explore_must_stop(driver);
		if (explore->interrupted && !is_sample)
			break;
		explore_fill_group(driver, &at, is_sample && n_thread < n_group ? n_thread : n_group);
		code = explore_group(driver, err);
	}
	if (code == ERR_OK)
		explore_bound_gap(driver);
	standings_judge(explore->standings, &explore->front, n_thread);
	explore_drop_kept(explore, driver->options->all_machines);
	front_cache_free(driver->fronts);
	free(driver->order);
	hardware_free(&driver->hardware);
	floors_free(&driver->floors);
	return code;
}

static bool watch_flat(void *context, double progress, const struct engine_counts *counts)
{
	struct explore_driver *driver = context;
	live_set_phase(driver->live, LIVE_FLAT);
	live_set_evaluations(driver->live, counts->n_told);
	live_set_done(driver->live, progress);
	return !explore_must_stop(driver);
}

static void show_front(void *context, const struct pareto *front)
{
	live_show_front(context, front);
}

/* The picture, of what the history is told. */
static void start_live(struct explore_driver *driver)
{
	const struct explore_options *options = driver->options;
	struct history *history = &driver->explore->history;
	if (options->watch.live)
		driver->live = options->watch.live;
	else if (options->show_progress)
		driver->live =
		    live_start(driver->explore->space, options->engine->name, &options->live, driver->stop.end_ms);
	history->show = driver->live ? show_front : NULL;
	history->show_context = driver->live;
}

static void end_live(struct explore_driver *driver)
{
	driver->explore->history.show = NULL;
	if (!driver->options->watch.live)
		live_end(driver->live);
	driver->live = NULL;
}

enum err_code explore_begin(const struct space *space, struct explore *explore, struct err *err)
{
	assert(space && explore);
	*explore = (struct explore){.space = space, .open_gap_frac = INFINITY};
	enum err_code code = layer_map_build(space, &explore->map, err);
	if (code != ERR_OK)
		return code;
	explore->counts.n_machine = space_n_machine(space);
	explore->counts.n_layer = explore->map.n_block;
	explore->counts.n_distinct = explore->map.n_distinct;
	explore->counts.log10_design = -INFINITY;
	pareto_init(&explore->front, (unsigned)space->n_objective, genome_size(&explore->map));
	history_init(&explore->history, (unsigned)space->n_objective);
	return ERR_OK;
}

/* Plans of levels by PE are found by the exact engine, which bounds them; others would draw their numbers. */
static enum err_code check_plans(const struct space *space, const struct explore_options *options, struct err *err)
{
	if (options->engine == &engine_exact && !options->flat)
		return ERR_OK;
	for (size_t i = 0; i < space->n_machine; i++)
		if (mixed_has_pairs(&space->machine[i]))
			return err_add(err, ERR_USAGE,
			               "levels by PE (dvfs.domain of %s) are searched by the engine exact, layer by "
			               "layer; choose it, or dvfs.domain chip",
			               space->machine[i].name);
	return ERR_OK;
}

enum err_code explore_run(const struct space *space, const struct explore_options *options, struct explore *explore,
                          struct err *err)
{
	assert(space && options && options->engine && options->n_thread > 0 && explore);
	enum err_code code = explore_begin(space, explore, err);
	if (code != ERR_OK)
		return code;
	struct explore_driver *driver = calloc(1, sizeof(*driver));
	if (!driver)
		return err_add(err, ERR_INTERNAL, "out of memory");
	driver->explore = explore;
	driver->options = options;
	atomic_init(&driver->n_done, 0);
	uint64_t start_ms = stop_now_ms();
	driver->stop.end_ms = options->max_ms > 0 ? start_ms + options->max_ms : 0;
	driver->stop.wish = options->watch.wish;
	explore->map.stop = &driver->stop;
	if (explore->counts.n_machine > UINT32_MAX) {
		code = err_add(err, ERR_INPUT, "%s: the axes have %" PRIu64 " machines, allowed are at most %" PRIu32,
		               space->file[0].path, explore->counts.n_machine, UINT32_MAX);
		goto cleanup;
	}
	code = check_plans(space, options, err);
	if (code != ERR_OK)
		goto cleanup;
	start_live(driver);
	if (options->flat || !options->engine->is_layered)
		code = explore_flat(explore, options, watch_flat, driver, err);
	else
		code = explore_layers(driver, err);
	end_live(driver);
	explore->interrupted |= explore->truncated && stop_is_wished(&driver->stop);
	if (explore->interrupted && !stop_is_wished(&driver->stop)) {
		assert(driver->stop.end_ms > 0);
		explore->interrupted = false;
		explore->truncated = true;
		explore->out_of_time = true;
	}
	bool is_branched = options->engine == &engine_exact && !options->flat;
	if (code == ERR_OK && is_branched && !explore->interrupted && !explore->truncated && explore->n_failure == 0)
		explore_count_check(&explore->counts);
	uint64_t n_missing = options->share ? atomic_load(&options->share->n_missing) : 0;
	if (code == ERR_OK && n_missing > 0)
		code = err_add(err, ERR_INPUT, "%" PRIu64 " searches of the space are in no journal", n_missing);
	pareto_sort(&explore->front);
	if (driver->n_evaluation > 0)
		history_note(&explore->history, driver->n_evaluation, &explore->front, true);
	if (code == ERR_OK && explore->front.n == 0 && !explore->interrupted)
		explore_note_refused(explore);
	explore->seconds = (double)(stop_now_ms() - start_ms) / 1000.0;
cleanup:
	explore->map.stop = NULL; /* the search's time is not that of what follows */
	free(driver);
	return code;
}

void explore_free(struct explore *explore)
{
	free_dead(explore);
	explore_free_kept(explore);
	pareto_free(&explore->front);
	least_table_free(explore->least);
	standings_free(explore->standings);
	history_free(&explore->history);
	free(explore->known_design);
	layer_map_free(&explore->map);
	*explore = (struct explore){0};
}
