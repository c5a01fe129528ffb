/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The searches of a group of machine candidates: one for each layer and place, the largest first. Those that may have
 * a front in common (dse/search/front_cache.h) make a chain, in the order of their machines:
 *
 *   thread 0   layer 3 on machine 0 ─► layer 3 on machine 2        layer 7 on machine 1 ...
 *   thread 1   layer 1 on machine 0   layer 1 on machine 1 ...
 *
 * so that what is found to be in common does not depend on the threads.
 */
#include "dse/search/explore_parts.h"
#include "dse/base/parallel.h"
#include <assert.h>
#include <stdlib.h>

bool explore_must_stop(const struct explore_driver *driver)
{
	return stop_requested(&driver->stop);
}

static bool watch_job(void *context, double progress, const struct engine_counts *counts)
{
	struct search_job *job = context;
	struct explore_driver *driver = job->driver;
	assert(progress >= 0.0 && driver->group_size >= 1.0);
	live_add_evaluations(driver->live, counts->n_told - job->n_told);
	job->n_told = counts->n_told;
	uint64_t n_done = (uint64_t)(progress * (double)job->size);
	if (n_done > job->n_done) {
		atomic_fetch_add(&driver->n_done, n_done - job->n_done);
		job->n_done = n_done;
	}
	double of_group = (double)atomic_load(&driver->n_done) / driver->group_size;
	double done = ((double)driver->n_machine_done + of_group * (double)driver->n_slot) /
	              (double)(driver->explore->counts.n_machine - driver->hardware.n_cut);
	done = driver->hardware.is_cut ? BOUND_SHARE + (1 - BOUND_SHARE) * done : done;
	live_set_done(driver->live, done < 1.0 ? done : 1.0);
	return !explore_must_stop(driver);
}

/* Composition needs a front of every layer: after Ctrl-C those that are left get a quick one. */
static void search_job(struct search_job *job)
{
	struct candidate *candidate = &job->slot->candidate;
	const struct engine_options *options = &job->driver->engine_options;
	const struct front_search search = {job->n_thread,       options, watch_job, job, job->driver->options->kept,
	                                    job->slot->lead_byte};
	/* branch and bound leaves a sample's front, and bounds */
	if (explore_must_stop(job->driver) && !candidate->is_exact)
		candidate_sample(candidate, job->task);
	else if (job->entry)
		front_cache_search(job->entry, candidate, job->task, &search);
	else
		candidate_search(candidate, job->task, job->n_thread, options, watch_job, job);
}

/* What it found; nobody else has the task's front in hand. */
static void show_job(const struct search_job *job)
{
	const struct candidate_task *task = &job->slot->candidate.task[job->task];
	struct live *live = job->driver->live;
	live_add_evaluations(live, task->counts.n_told > job->n_told ? task->counts.n_told - job->n_told : 0);
	live_add_search(live);
	if (task->code == ERR_OK)
		live_show_layer(live, layer_any_context(&task->layer)->block->name, task->layer.metric, &task->front);
}

static void make_search(struct search_job *job)
{
	struct share *share = job->driver->options->share;
	struct candidate *candidate = &job->slot->candidate;
	assert(job->n_thread > 0 && job->slot->is_alive);
	if (share_take(share, candidate, job->task)) {
		if (job->entry)
			front_cache_know(job->entry, candidate, job->task);
	} else if (!share || !share->only_known) {
		search_job(job);
		show_job(job);
		share_keep(share, candidate, job->task);
		return;
	}
	live_add_search(job->driver->live);
	atomic_fetch_add(&job->driver->n_done, job->size);
}

static void run_job(struct search_job *job)
{
	struct at_work_page *at_work = job->driver->options->at_work;
	uint64_t before = at_work_begin(at_work, job->slot->machine_index);
	make_search(job);
	at_work_end(at_work, before);
}

/* Searches that may have a front in common, one after the other. */
static void run_chain(void *context, size_t i)
{
	const struct explore_driver *driver = context;
	struct search_job *job = driver->chain[i], *end = driver->job + driver->n_job;
	const struct front_entry *entry = job->entry;
	do
		run_job(job++);
	while (entry && job < end && job->entry == entry);
}

/* Those that may have a front in common beside each other, in the order of their machines. */
static int compare_entries(const void *left, const void *right)
{
	const struct search_job *a = left, *b = right;
	if (a->entry != b->entry)
		return (uintptr_t)a->entry < (uintptr_t)b->entry ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

static int compare_chains(const void *left, const void *right)
{
	const struct search_job *a = *(struct search_job *const *)left, *b = *(struct search_job *const *)right;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->task < b->task ? -1 : a->task > b->task;
}

/* Of several parts of a run, which searches this one makes. */
static enum err_code deal_group(struct explore_driver *driver, struct err *err)
{
	struct share *share = driver->options->share;
	enum err_code code = ERR_OK;
	assert(!share || share->n >= 1);
	for (size_t i = 0; i < driver->n_slot && share && share->n > 1 && code == ERR_OK; i++) {
		struct explore_slot *slot = &driver->slot[i];
		if (!slot->is_alive)
			continue;
		slot->is_mine = arena_array(&driver->group, slot->candidate.n_task, sizeof(*slot->is_mine));
		code = slot->is_mine ? share_deal(share, &slot->candidate, slot->entry, slot->is_mine, err)
		                     : err_add(err, ERR_INTERNAL, "out of memory");
	}
	return code;
}

/* Which fronts the group's machines may have in common with each other, and with those before. */
static void find_entries(struct explore_driver *driver)
{
	for (size_t i = 0; i < driver->n_slot && driver->fronts; i++) {
		struct explore_slot *slot = &driver->slot[i];
		if (!slot->is_alive)
			continue;
		slot->lead_byte = hardware_most_sram(driver->explore->space, &driver->hardware, slot->machine_index);
		/* without memory nothing is shared */
		slot->entry = arena_array(&driver->group, slot->candidate.n_task, sizeof(struct front_entry *));
		if (slot->entry)
			front_cache_list(driver->fronts, &slot->candidate, slot->entry);
	}
}

static void add_jobs(struct explore_driver *driver, struct explore_slot *slot)
{
	for (size_t task = 0; task < slot->candidate.n_task; task++) {
		if (slot->is_mine && !slot->is_mine[task])
			continue;
		uint64_t size = slot->candidate.task[task].size;
		struct front_entry *entry = slot->entry ? slot->entry[task] : NULL;
		driver->job[driver->n_job++] = (struct search_job){.driver = driver,
		                                                   .slot = slot,
		                                                   .task = task,
		                                                   .size = size,
		                                                   .n_thread = driver->options->n_thread,
		                                                   .entry = entry};
		driver->group_size += (double)size;
	}
}

/* Largest first, so that no thread starts a long search when all others are done. */
static void list_chains(struct explore_driver *driver)
{
	qsort(driver->job, driver->n_job, sizeof(*driver->job), compare_entries);
	for (size_t i = 0; i < driver->n_job; i++) {
		struct search_job *job = &driver->job[i];
		if (i == 0 || !job->entry || job->entry != job[-1].entry)
			driver->chain[driver->n_chain++] = job;
	}
	qsort(driver->chain, driver->n_chain, sizeof(struct search_job *), compare_chains);
}

enum err_code explore_list_searches(struct explore_driver *driver, struct err *err)
{
	size_t n = 0;
	find_entries(driver);
	enum err_code code = deal_group(driver, err);
	if (code != ERR_OK)
		return code;
	driver->group_size = 1.0;
	atomic_store(&driver->n_done, 0);
	for (size_t i = 0; i < driver->n_slot; i++)
		n += driver->slot[i].is_alive ? driver->slot[i].candidate.n_task : 0;
	driver->n_job = driver->n_chain = 0;
	driver->job = arena_array(&driver->group, n, sizeof(*driver->job));
	driver->chain = arena_array(&driver->group, n, sizeof(struct search_job *));
	if (!driver->job || !driver->chain)
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < driver->n_slot; i++) {
		struct explore_slot *slot = &driver->slot[i];
		const struct explore_options *options = driver->options;
		uint64_t max_work = slot->candidate.genetic ? options->max_evaluation : options->max_box;
		if (slot->is_alive && max_work > 0)
			candidate_share_budget(&slot->candidate, max_work / driver->explore->counts.n_machine);
		if (slot->is_alive)
			add_jobs(driver, slot);
	}
	assert(driver->n_job <= n);
	list_chains(driver);
	return ERR_OK;
}

/* Threads that find no search to begin help with those that are under way: see parallel_for. */
void explore_search_group(struct explore_driver *driver)
{
	assert(driver->options->n_thread > 0);
	parallel_for(driver->n_chain, driver->options->n_thread, run_chain, driver);
}
