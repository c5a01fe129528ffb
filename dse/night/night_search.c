/* SPDX-License-Identifier: Apache-2.0 */
/* The searches of a space's night: runs of dse explore, kept in the store. */
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/engine/engine.h"
#include "dse/night/night.h"
#include "dse/out/build.h"
#include "dse/run/explore_job.h"
#include "sim/base/model_version.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One hash of all inputs, names left out: a space that is moved asks the same. */
static void hash_inputs(const struct space *space, char hex[HASH_HEX_SIZE])
{
	uint64_t hash = 0;
	for (size_t i = 0; i < space->n_file; i++)
		hash = hash_bytes(space->file[i].hash, strlen(space->file[i].hash), hash);
	hash_hex(&hash, sizeof(hash), hex);
}

/*
 * Seed 0 is the space's own: that run is what dse explore makes, and must be the same again. The others are the
 * night's: a hash of the space's seed, the date and their number, so that nights, and seeds of a night, are
 * independent.
 */
static uint64_t choose_seed(const struct space *space, const char *date, size_t number)
{
	const uint64_t counter[2] = {space->seed, number};
	if (number == 0)
		return space->seed;
	/* half of the numbers: SQL's integers have a sign */
	return hash_bytes(counter, sizeof(counter), hash_bytes(date, strlen(date), 0)) >> 1;
}

/* What a user would ask dse explore for. In one tier: an exact front is the same each night, and one with prices is
 * within its gap. */
static struct explore_request explore_request(const struct night *night, const char *space, uint64_t seed)
{
	const struct night_request *request = &night->request;
	return (struct explore_request){.store = {request->store.command, night->store_path},
	                                .space = space,
	                                .n_set = request->n_set,
	                                .set = request->set,
	                                .detail = detail_name[DETAIL_FAST],
	                                .quiet = true,
	                                .no_progress = request->no_progress || request->quiet,
	                                .jobs = request->jobs,
	                                .has_seed = true,
	                                .seed = seed,
	                                .out = night->folder,
	                                .no_cache = true}; /* what is looked up shows neither time nor faults */
}

/* One search, and its line in the night's row. */
static enum err_code search_one(struct night *night, struct night_space *space, uint64_t seed, struct err *messages,
                                struct err *err)
{
	const struct explore_request request = explore_request(night, space->file, seed);
	struct explore_outcome outcome = {0};
	struct run_record record;
	char id[24];
	struct run_keep *keep = memory_array(1, sizeof(*keep));
	*keep = (struct run_keep)RUN_KEEP_CLOSED;
	keep->takes_up = true;
	if (night->is_child)
		night_say_search(space->row->space, seed);
	enum err_code code = explore_job_run(&request, keep, &outcome, messages);
	free(keep);
	if (code == ERR_INTERRUPTED)
		return code;
	/* an empty front is a result like others */
	if ((code != ERR_OK && code != ERR_INFEASIBLE) || outcome.run == 0) {
		space->code = code == ERR_OK ? ERR_IO : code;
		return ERR_OK;
	}
	(void)snprintf(id, sizeof(id), "%llu", (unsigned long long)outcome.run);
	code = run_store_find(night->store, id, &night->arena, &record, err);
	if (code != ERR_OK)
		return code;
	struct night_run *run = &space->row->run[space->row->n_run];
	*run = (struct night_run){.run = outcome.run, .seed = seed, .seconds = record.seconds, .hypervolume = NAN};
	run->n_point = record.n_point;
	run->signature = record.signature;
	code = night_store_add_run(night->store, space->row->id, space->row->n_run, run, err);
	space->row->n_run += code == ERR_OK;
	return code;
}

/* The night's row of this space: the one that was begun with the same inputs and program, else a new one. */
static enum err_code open_row(struct night *night, struct night_space *space, const struct space *read, struct err *err)
{
	char hex[HASH_HEX_SIZE];
	struct night_row *row;
	hash_inputs(read, hex);
	enum err_code code = night_store_find(night->store, read->name, night->date, &night->arena, &row, err);
	if (code != ERR_OK)
		return code;
	bool goes_on = row && strcmp(row->question, hex) == 0 && strcmp(row->build, build_sources) == 0;
	for (size_t i = 0; goes_on && i < row->n_run; i++)
		goes_on = row->run[i].run > 0;
	if (!goes_on) {
		row = memory_must(arena_alloc(&night->arena, sizeof(*row)));
		*row = (struct night_row){.date = night->date,
		                          .space = memory_must(arena_text(&night->arena, read->name)),
		                          .path = space->file,
		                          .question = memory_must(arena_text(&night->arena, hex)),
		                          .build = build_sources,
		                          .model = model_version,
		                          .n_objective = read->n_objective,
		                          .note = ""};
		for (size_t i = 0; i < read->n_objective; i++)
			row->objective[i] = metric_table[read->objective[i]].name;
		code = night_store_begin(night->store, row, err);
	}
	space->row = row;
	return code;
}

static void reserve_runs(struct night *night, struct night_row *row, size_t n_run)
{
	if (row->n_run >= n_run)
		return;
	struct night_run *run = memory_must(arena_array(&night->arena, n_run, sizeof(*run)));
	if (row->n_run > 0)
		memcpy(run, row->run, row->n_run * sizeof(*run));
	row->run = run;
}

/* Two files that say they are the same space would be each other's good night. */
static bool is_taken(const struct night *night, const struct night_space *space, const char *name)
{
	for (const struct night_space *other = night->space; other < space; other++)
		if (other->row && strcmp(other->row->space, name) == 0)
			return true;
	return false;
}

static enum err_code search_runs(struct night *night, struct night_space *space, const struct space *read, size_t n_run,
                                 struct err *messages, struct err *err)
{
	const struct engine_kind *engine = engine_find(read->engine);
	assert(engine);
	space->engine = engine->name;
	space->is_random = engine->is_random;
	n_run = space->is_random ? n_run : 1;
	enum err_code code = ERR_OK;
	if (!space->row)
		code = open_row(night, space, read, err);
	if (code == ERR_OK)
		reserve_runs(night, space->row, n_run);
	space->is_known = code == ERR_OK && space->row->n_run >= n_run;
	if (code == ERR_OK && night->is_known && !space->is_known)
		return err_add(err, ERR_INTERNAL, "%s: its process ended well, and not all searches are in the store",
		               space->file);
	while (code == ERR_OK && space->code == ERR_OK && space->row->n_run < n_run && !interrupt_requested())
		code = search_one(night, space, choose_seed(read, night->date, space->row->n_run), messages, err);
	space->is_searched = code == ERR_OK && space->code == ERR_OK && space->row->n_run >= n_run;
	return code == ERR_OK && interrupt_requested() ? ERR_INTERRUPTED : code;
}

enum err_code night_search(struct night *night, struct night_space *space, size_t n_run, struct err *err)
{
	struct space read;
	struct err messages = {0};
	assert(space->code == ERR_OK);
	space->is_searched = false;
	space->code = space_read_given(space->file, &(struct space_given){.set = &night->set}, &read, &messages);
	enum err_code code = ERR_OK;
	if (space->code == ERR_OK && !engine_find(read.engine))
		space->code = err_add(&messages, ERR_INPUT, "%s: there is no engine '%.40s'", space->file, read.engine);
	else if (space->code == ERR_OK && is_taken(night, space, read.name))
		space->code = err_add(&messages, ERR_INPUT, "%s: another space of this night is called '%s', too",
		                      space->file, read.name);
	else if (space->code == ERR_OK)
		code = search_runs(night, space, &read, n_run, &messages, err);
	space_free(&read);
	space->log = memory_must(arena_text(&night->arena, err_text(&messages)));
	err_clear(&messages);
	return code;
}
