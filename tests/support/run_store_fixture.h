/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RUN_STORE_FIXTURE_H
#define TESTS_RUN_STORE_FIXTURE_H
/* A store in a folder of its own, and a run to put into it. */
#include "tests/support/unit_test.h"
#include "dse/keep/run_store.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Enough for several pages and for zlib. */
#define N_LARGE (200u << 10)

struct fixture {
	char folder[64], path[96], other[96];
	struct database *store;
	char *large; /* [N_LARGE] */
	char hash[2][HASH_HEX_SIZE];
	struct run_file input, file;
	struct run_record run;
};

/* ERR_INPUT with what is wrong where the file's own structure is damaged. */
static inline enum err_code store_check(struct database *database, struct err *err)
{
	struct query query;
	bool is_fine = true;
	query_start(&query, database, "PRAGMA integrity_check", err);
	while (query_next(&query)) {
		const char *text = query_text(&query, 0);
		if (text && strcmp(text, "ok") == 0)
			continue;
		is_fine = false;
		(void)err_add(err, ERR_INPUT, "%s: is damaged: %s", database_path(database), text ? text : "");
	}
	enum err_code code = query_end(&query);
	return code != ERR_OK || is_fine ? code : ERR_INPUT;
}

static inline int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	struct err err = {0};
	if (!fixture)
		return -1;
	if (!temporary_folder(fixture->folder, "test_run_store"))
		return -1;
	snprintf(fixture->path, sizeof(fixture->path), "%s/dse.sqlite", fixture->folder);
	snprintf(fixture->other, sizeof(fixture->other), "%s/other.sqlite", fixture->folder);
	fixture->large = malloc(N_LARGE);
	if (!fixture->large)
		return -1;
	for (size_t i = 0; i < N_LARGE; i++)
		fixture->large[i] = (char)(i % 251 * (i / 4099));
	hash_hex("name: x\n", 8, fixture->hash[0]);
	hash_hex(fixture->large, N_LARGE, fixture->hash[1]);
	fixture->input = (struct run_file){"spaces/x.yaml", fixture->hash[0], "name: x\n", 8};
	fixture->file = (struct run_file){"front.json", fixture->hash[1], fixture->large, N_LARGE};
	fixture->run = (struct run_record){.date = "2026-11-22T08:21:26Z",
	                                   .seconds = 1.25,
	                                   .version = "0.1.0",
	                                   .build = "abc",
	                                   .model = "def",
	                                   .command = "dse explore 'x y.yaml'",
	                                   .folder = "results/x-1",
	                                   .space = "x",
	                                   .engine = "exact",
	                                   .detail = "fast",
	                                   .state = "complete",
	                                   .exactness = "exact",
	                                   .certificate = "exact, every legal design is accounted for",
	                                   .seed = UINT64_MAX,
	                                   .n_point = 3,
	                                   .signature = "0123456789abcdef",
	                                   .hypervolume = 0.1,
	                                   .n_input = 1,
	                                   .n_file = 1,
	                                   .input = &fixture->input,
	                                   .file = &fixture->file};
	*state = fixture;
	return run_store_open(fixture->path, true, &fixture->store, &err) == ERR_OK ? 0 : -1;
}

static inline int tear_down(void **state)
{
	struct fixture *fixture = *state;
	char command[128];
	database_close(fixture->store);
	snprintf(command, sizeof(command), "rm -rf '%s'", fixture->folder);
	int status = system(command);
	free(fixture->large);
	free(fixture);
	return status;
}

static inline uint64_t put(struct fixture *fixture)
{
	struct err err = {0};
	uint64_t id = 0;
	assert_int_equal(run_store_put(fixture->store, &fixture->run, &id, &err), ERR_OK);
	return id;
}

static inline void reopen(struct fixture *fixture)
{
	struct err err = {0};
	database_close(fixture->store);
	assert_int_equal(run_store_open(fixture->path, false, &fixture->store, &err), ERR_OK);
}

static inline size_t count_runs(struct database *store)
{
	struct arena arena = {0};
	struct err err = {0};
	struct run_record *run;
	const struct run_filter all = {0};
	size_t n;
	assert_int_equal(run_store_list(store, &all, &arena, &run, &n, &err), ERR_OK);
	arena_free(&arena);
	return n;
}

#endif
