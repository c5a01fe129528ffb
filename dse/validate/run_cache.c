/* SPDX-License-Identifier: Apache-2.0 */
/* A list of runs by key. While it collects, the fast tier answers; afterwards each run is made once. */
#include "dse/validate/run_cache.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <stdlib.h>

/* A run that was asked for, with copies of all it needs but a design's machine. */
struct cached_run {
	struct cached_run *next;
	struct run_key key;
	bool is_done, is_task;
	/* a design */
	struct block block;
	struct layer_context context;
	struct layer_design design;
	struct detail_run run;
	/* a task on all PEs of a QPE */
	struct machine machine;
	struct mla_shape task;
	uint64_t clk;
};

/* A table has hundreds of runs at most, and each takes far longer than finding it: a list will do. */
struct run_cache {
	struct detail_options options;
	bool is_collecting;
	struct cached_run *first, *last;
	size_t n;
};

struct run_cache *run_cache_open(const struct detail_options *options)
{
	assert(options && options->detail == DETAIL_EVENT && !options->trace);
	struct run_cache *cache = memory_array(1, sizeof(*cache));
	cache->options = *options;
	cache->options.can_stop = true;
	return cache;
}

void run_cache_close(struct run_cache *cache)
{
	for (struct cached_run *entry = cache ? cache->first : NULL; entry;) {
		struct cached_run *next = entry->next;
		err_clear(&entry->run.err);
		free(entry);
		entry = next;
	}
	free(cache);
}

void run_cache_collect(struct run_cache *cache)
{
	assert(!cache->is_collecting);
	cache->is_collecting = true;
}

static struct cached_run *find_entry(const struct run_cache *cache, const struct run_key *key)
{
	for (struct cached_run *entry = cache->first; entry; entry = entry->next)
		if (entry->key.owner == key->owner && entry->key.item == key->item &&
		    entry->key.variant == key->variant)
			return entry;
	return NULL;
}

static struct cached_run *add_entry(struct run_cache *cache, const struct run_key *key)
{
	struct cached_run *entry = memory_array(1, sizeof(*entry));
	entry->key = *key;
	*(cache->last ? &cache->last->next : &cache->first) = entry;
	cache->last = entry;
	cache->n++;
	return entry;
}

static void run_task(struct cached_run *entry)
{
	struct mla_shape all[EVENT_MAX_PE];
	struct event_result result;
	/* a QPE of more is refused there */
	for (uint32_t i = 0; i < EVENT_MAX_PE; i++)
		all[i] = entry->task;
	entry->run.code = event_run_qpe(&entry->machine, all, entry->machine.qpe_n_pe, NULL, &result, &entry->run.err);
	entry->clk = entry->run.code == ERR_OK ? result.clk : 0;
}

static void run_entry(struct cached_run *entry, const struct detail_options *options)
{
	assert(!entry->is_done);
	if (entry->is_task && stop_requested(options->stop))
		entry->run.code = err_add(&entry->run.err, ERR_INTERRUPTED, "interrupted");
	else if (entry->is_task)
		run_task(entry);
	else
		detail_run(&entry->run, options);
	entry->is_done = true;
}

/* What the threads share. */
struct run_batch {
	const struct detail_options *options;
	struct cached_run **entry;
};

static void run_one(void *context, size_t i)
{
	const struct run_batch *batch = context;
	run_entry(batch->entry[i], batch->options);
}

enum err_code run_cache_run(struct run_cache *cache, struct err *err)
{
	assert(cache->is_collecting);
	cache->is_collecting = false;
	struct cached_run **list = memory_array(cache->n, sizeof(*list));
	size_t n = 0;
	for (struct cached_run *entry = cache->first; entry; entry = entry->next)
		if (!entry->is_done)
			list[n++] = entry;
	struct run_batch batch = {&cache->options, list};
	parallel_for(n, cache->options.n_thread > 0 ? cache->options.n_thread : 1, run_one, &batch);
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		/* what is wrong with a row is said when the row asks */
		if (list[i]->run.code != ERR_INTERNAL)
			continue;
		code = ERR_INTERNAL;
		(void)err_add_all(err, (struct err_place){0}, &list[i]->run.err);
	}
	free(list);
	return code;
}

/* Of an entry that is done: its code, with the messages it has. */
static enum err_code hand_on(const struct cached_run *entry, struct err *err)
{
	assert(entry->is_done);
	if (entry->run.code != ERR_OK)
		(void)err_add_all(err, (struct err_place){0}, &entry->run.err);
	return entry->run.code;
}

enum err_code run_cache_design(struct run_cache *cache, const struct run_key *key, const struct layer_context *context,
                               const struct layer_design *design, struct detail_run *out, struct err *err)
{
	struct cached_run *entry = find_entry(cache, key);
	assert(context && design && out);
	if (!entry) {
		entry = add_entry(cache, key);
		entry->block = *context->block;
		entry->context = *context;
		entry->context.block = &entry->block;
		entry->design = *design;
		entry->run.context = &entry->context;
		entry->run.design = &entry->design;
	}
	assert(!entry->is_task);
	if (cache->is_collecting && !entry->is_done) {
		const struct detail_options fast = {.detail = DETAIL_FAST};
		*out = (struct detail_run){.context = context, .design = design};
		detail_run(out, &fast);
		return ERR_OK;
	}
	if (!entry->is_done)
		run_entry(entry, &cache->options);
	*out = entry->run;
	out->err = (struct err){0};
	return hand_on(entry, err);
}

enum err_code run_cache_task(struct run_cache *cache, const struct run_key *key, const struct machine *machine,
                             const struct mla_shape *task, uint64_t *clk, struct err *err)
{
	struct cached_run *entry = find_entry(cache, key);
	assert(machine && task && clk);
	*clk = 0;
	if (!entry) {
		entry = add_entry(cache, key);
		entry->is_task = true;
		entry->machine = *machine;
		entry->task = *task;
	}
	assert(entry->is_task);
	if (cache->is_collecting && !entry->is_done)
		return ERR_OK;
	if (!entry->is_done)
		run_entry(entry, &cache->options);
	*clk = entry->clk;
	return hand_on(entry, err);
}

void run_cache_forget(struct run_cache *cache, const void *owner)
{
	struct cached_run *last = NULL;
	for (struct cached_run **at = &cache->first; *at;) {
		struct cached_run *entry = *at;
		if (entry->key.owner != owner) {
			last = entry;
			at = &entry->next;
			continue;
		}
		*at = entry->next;
		err_clear(&entry->run.err);
		free(entry);
		cache->n--;
	}
	cache->last = last;
}
