/* SPDX-License-Identifier: Apache-2.0 */
/* The store of runs: what goes in comes out, whole or not at all, whoever writes and whatever kills it. */
#include "tests/support/unit_test.h"

#include "dse/keep/squeeze.h"
#include "tests/support/run_store_fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t count_contents(struct database *store)
{
	struct query query;
	struct err err = {0};
	query_start(&query, store, "SELECT count(*) FROM content", &err);
	assert_true(query_next(&query));
	uint64_t n = query_u64(&query, 0);
	assert_int_equal(query_end(&query), ERR_OK);
	return n;
}

static void test_squeeze_gives_back_every_byte(void **state)
{
	struct fixture *fixture = *state;
	struct err err = {0};
	const size_t n_byte[] = {0, 1, 100, N_LARGE};
	for (size_t i = 0; i < sizeof(n_byte) / sizeof(n_byte[0]); i++) {
		size_t n;
		uint8_t *small = squeeze(fixture->large, n_byte[i], 1, &n), *back;
		assert_int_equal(squeeze_expand("it", small, n, n_byte[i], NULL, &back, &err), ERR_OK);
		assert_memory_equal(back, fixture->large, n_byte[i]);
		free(back);
		/* another length, and a damaged end, are told */
		assert_int_equal(squeeze_expand("it", small, n, n_byte[i] + 1, NULL, &back, &err), ERR_INPUT);
		assert_int_equal(squeeze_expand("it", small, n - 1, n_byte[i], NULL, &back, &err), ERR_INPUT);
		assert_int_equal(squeeze_expand("it", small, n, SIZE_MAX / 2, NULL, &back, &err), ERR_INPUT);
		free(small);
	}
	err_clear(&err);
}

/* Large contents are squeezed in parts, by any number of threads to the same bytes. */
static void test_squeeze_of_parts_gives_back_every_byte(void **state)
{
	(void)state;
	enum { N_PART = 1 << 18 };
	const size_t n_byte[] = {N_PART - 1, N_PART, N_PART + 1, 2 * N_PART, 2 * N_PART + 12345};
	uint8_t *data = calloc(1, 3 * N_PART);
	struct err err = {0};
	assert_non_null(data);
	for (size_t i = 0; i < 3 * N_PART; i++) /* some of it repeats itself, some does not */
		data[i] = (uint8_t)(i % 3000 < 1000 ? i * i >> 7 : i / 11);
	for (size_t i = 0; i < sizeof(n_byte) / sizeof(n_byte[0]); i++) {
		size_t n_one, n_three;
		uint8_t *one = squeeze(data, n_byte[i], 1, &n_one), *three = squeeze(data, n_byte[i], 3, &n_three),
			*back;
		assert_int_equal(n_one, n_three);
		assert_memory_equal(one, three, n_one);
		assert_true(n_one < n_byte[i]);
		assert_int_equal(squeeze_expand("it", one, n_one, n_byte[i], NULL, &back, &err), ERR_OK);
		assert_memory_equal(back, data, n_byte[i]);
		one[n_one / 2] ^= 1;
		free(back);
		assert_int_equal(squeeze_expand("it", one, n_one, n_byte[i], NULL, &back, &err), ERR_INPUT);
		free(one);
		free(three);
	}
	free(data);
	err_clear(&err);
}

static void test_run_store_gives_back_what_was_put(void **state)
{
	struct fixture *fixture = *state;
	const struct run_record *put_in = &fixture->run;
	struct arena arena = {0};
	struct run_record run;
	struct err err = {0};
	char *data;
	size_t n_byte;
	assert_int_equal(put(fixture), 1);
	reopen(fixture);
	assert_int_equal(run_store_find(fixture->store, "1", &arena, &run, &err), ERR_OK);
	const char *const expected[] = {put_in->date,   put_in->version,   put_in->build,       put_in->command,
	                                put_in->folder, put_in->space,     put_in->engine,      put_in->detail,
	                                put_in->state,  put_in->exactness, put_in->certificate, put_in->signature};
	const char *const found[] = {run.date,   run.version, run.build, run.command,   run.folder,      run.space,
	                             run.engine, run.detail,  run.state, run.exactness, run.certificate, run.signature};
	for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++)
		assert_string_equal(found[i], expected[i]);
	assert_true(run.seed == UINT64_MAX && run.n_point == 3 && run.seconds == 1.25 && run.hypervolume == 0.1);
	assert_int_equal(run.n_input, 1);
	assert_string_equal(run.input[0].name, "spaces/x.yaml");
	assert_int_equal(run_store_content(fixture->store, run.input[0].hash, &data, &n_byte, &err), ERR_OK);
	assert_string_equal(data, "name: x\n");
	assert_int_equal(n_byte, 8);
	free(data);
	assert_null(run_record_file(&run, "front.csv"));
	assert_non_null(run_record_file(&run, "front.json"));
	assert_int_equal(run_store_content(fixture->store, run.file[0].hash, &data, &n_byte, &err), ERR_OK);
	assert_int_equal(n_byte, N_LARGE);
	assert_memory_equal(data, fixture->large, N_LARGE);
	free(data);
	assert_int_equal(run_store_content(fixture->store, "0", &data, &n_byte, &err), ERR_INPUT);
	assert_int_equal(store_check(fixture->store, &err), ERR_OK);
	err_clear(&err);
	arena_free(&arena);
}

static void test_run_store_keeps_each_text_once(void **state)
{
	struct fixture *fixture = *state;
	for (uint64_t i = 1; i <= 3; i++)
		assert_int_equal(put(fixture), i);
	assert_int_equal(count_runs(fixture->store), 3);
	assert_int_equal(count_contents(fixture->store), 2);
}

static void test_run_store_finds_the_run_that_is_meant(void **state)
{
	struct fixture *fixture = *state;
	struct arena arena = {0};
	struct run_record run;
	struct err err = {0};
	static const char *const bad[] = {"3", "0", "012", "9999", "xyz", "", "LAST", "012_456789abcdef"};
	assert_int_equal(run_store_find(fixture->store, "last", &arena, &run, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "holds no run yet"));
	err_clear(&err);
	put(fixture);
	put(fixture);
	assert_int_equal(run_store_find(fixture->store, "last", &arena, &run, &err), ERR_OK);
	assert_int_equal(run.id, 2);
	assert_int_equal(run_store_find(fixture->store, "1", &arena, &run, &err), ERR_OK);
	assert_int_equal(run.id, 1);
	/* equal fronts: the newest */
	assert_int_equal(run_store_find(fixture->store, "0123", &arena, &run, &err), ERR_OK);
	assert_int_equal(run.id, 2);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(run_store_find(fixture->store, bad[i], &arena, &run, &err), ERR_USAGE);
	err_clear(&err);
	fixture->run.signature = "0123000000000000";
	put(fixture);
	assert_int_equal(run_store_find(fixture->store, "0123", &arena, &run, &err), ERR_USAGE);
	assert_non_null(strstr(err_text(&err), "begins several signatures"));
	err_clear(&err);
	assert_int_equal(run_store_find(fixture->store, "01230", &arena, &run, &err), ERR_OK);
	assert_int_equal(run.id, 3);
	arena_free(&arena);
}

static void test_run_store_lists_what_the_filter_says(void **state)
{
	struct fixture *fixture = *state;
	struct arena arena = {0};
	struct run_record *run;
	struct err err = {0};
	size_t n;
	put(fixture);
	fixture->run.space = "y";
	put(fixture);
	fixture->run.engine = "nsga2";
	put(fixture);
	const struct {
		struct run_filter filter;
		size_t n;
		uint64_t first;
	} expected[] = {{{0}, 3, 3},
	                {{.space = "y"}, 2, 3},
	                {{.space = "y", .engine = "exact"}, 1, 2},
	                {{.engine = "exact", .max = 1}, 1, 2},
	                {{.max = 2}, 2, 3},
	                {{.space = "z"}, 0, 0}};
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_int_equal(run_store_list(fixture->store, &expected[i].filter, &arena, &run, &n, &err), ERR_OK);
		assert_int_equal(n, expected[i].n);
		assert_true(n == 0 || run[0].id == expected[i].first);
	}
	arena_free(&arena);
}

/* ---- retention ---- */

static void expect_old(struct fixture *fixture, struct run_retention retention, size_t n_expected)
{
	struct arena arena = {0};
	struct run_record *old;
	struct err err = {0};
	size_t n;
	assert_int_equal(run_store_old(fixture->store, &retention, &arena, &old, &n, &err), ERR_OK);
	assert_int_equal(n, n_expected);
	arena_free(&arena);
}

static void test_run_store_removes_old_runs_alone(void **state)
{
	struct fixture *fixture = *state;
	struct arena arena = {0};
	struct run_record *old;
	struct err err = {0};
	char today[24];
	time_t now = time(NULL);
	struct tm utc;
	size_t n;
	assert_true(strftime(today, sizeof(today), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc)) > 0);
	fixture->run.date = "2001-01-01T00:00:00Z";
	put(fixture); /* 1: x, old */
	put(fixture); /* 2: x, old */
	fixture->run.space = "y";
	put(fixture); /* 3: y, old */
	fixture->run.date = today;
	fixture->file.name = "front.csv";
	fixture->file.hash = fixture->hash[0]; /* the same text as the input's */
	fixture->file.data = "name: x\n";
	fixture->file.n_byte = 8;
	put(fixture); /* 4: y, young */
	expect_old(fixture, (struct run_retention){.has_keep = true, .n_keep = 1}, 2);
	expect_old(fixture, (struct run_retention){.has_keep = true, .n_keep = 0}, 4);
	expect_old(fixture, (struct run_retention){.has_day = true, .n_day = 365}, 3);
	expect_old(fixture, (struct run_retention){.has_day = true, .n_day = 365, .space = "y"}, 1);
	expect_old(fixture, (struct run_retention){.has_day = true, .n_day = 1e6}, 0);
	const struct run_retention both = {.has_keep = true, .n_keep = 1, .has_day = true, .n_day = 365};
	assert_int_equal(run_store_old(fixture->store, &both, &arena, &old, &n, &err), ERR_OK);
	assert_int_equal(n, 2);
	assert_true(old[0].id == 3 && old[1].id == 1);
	assert_int_equal(run_store_remove(fixture->store, old, n, "abc", &err), ERR_OK);
	assert_int_equal(count_runs(fixture->store), 2);
	assert_int_equal(count_contents(fixture->store), 2); /* run 2 still has the large one */
	expect_old(fixture, (struct run_retention){.has_day = true, .n_day = 365}, 1);
	assert_int_equal(run_store_find(fixture->store, "2", &arena, old, &err), ERR_OK);
	assert_int_equal(run_store_remove(fixture->store, old, 1, "abc", &err), ERR_OK);
	assert_int_equal(count_contents(fixture->store), 1);
	/* layer fronts: of this program, and not older than all runs */
	assert_int_equal(
	    database_run(fixture->store,
	                 "INSERT INTO layer_front VALUES ('a', 'abc', 1, '0', x'00', '2999-01-01T00:00:00Z'),"
	                 " ('b', 'abc', 1, '0', x'00', '2001-01-01T00:00:00Z'),"
	                 " ('c', 'old', 1, '0', x'00', '2999-01-01T00:00:00Z')",
	                 &err),
	    ERR_OK);
	assert_int_equal(run_store_remove(fixture->store, NULL, 0, "abc", &err), ERR_OK);
	struct query query;
	query_start(&query, fixture->store, "SELECT group_concat(key) FROM layer_front", &err);
	assert_true(query_next(&query));
	assert_string_equal(query_text(&query, 0), "a");
	assert_int_equal(query_end(&query), ERR_OK);
	/* numbers are not used again */
	assert_int_equal(put(fixture), 5);
	arena_free(&arena);
}

/* ---- what is no store of ours ---- */

static void expect_refused(const char *path, enum err_code expected, const char *text)
{
	struct database *store;
	struct err err = {0};
	assert_int_equal(run_store_open(path, true, &store, &err), expected);
	assert_null(store);
	if (!strstr(err_text(&err), text))
		fail_msg("no '%s' in: %s", text, err_text(&err));
	err_clear(&err);
}

static void write_bytes(const char *path, const void *data, size_t n_byte)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, n_byte, file), n_byte);
	assert_int_equal(fclose(file), 0);
}

static void test_run_store_refuses_newer_and_other_files(void **state)
{
	struct fixture *fixture = *state;
	struct err err = {0};
	put(fixture);
	/* a version that does not exist yet */
	assert_int_equal(database_run(fixture->store, "PRAGMA user_version = 99", &err), ERR_OK);
	expect_refused(fixture->path, ERR_INPUT, "use the newer dse, or another file with --store FILE");
	assert_int_equal(database_run(fixture->store, "PRAGMA user_version = 1; PRAGMA application_id = 7", &err),
	                 ERR_OK);
	expect_refused(fixture->path, ERR_INPUT, "is a database, but not a store of runs");
	write_bytes(fixture->other,
	            "name: x\nno database at all, but long enough to be looked at as if it were one, see\n", 80);
	expect_refused(fixture->other, ERR_INPUT, "not a database");
	expect_refused("/dev/null/x", ERR_IO, "/dev/null/x");
	/* an empty file is a new store */
	write_bytes(fixture->other, "", 0);
	struct database *store;
	assert_int_equal(run_store_open(fixture->other, false, &store, &err), ERR_OK);
	assert_int_equal(count_runs(store), 0);
	database_close(store);
	err_clear(&err);
}

/* A file as the first version of the store made it; never to be changed. */
static const char first_version[] =
    "CREATE TABLE content (hash TEXT PRIMARY KEY, n_byte INTEGER NOT NULL, is_squeezed INTEGER NOT NULL, data NOT NULL)"
    " WITHOUT ROWID;"
    "CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, date TEXT NOT NULL, seconds REAL NOT NULL,"
    " version TEXT NOT NULL, build TEXT NOT NULL, command TEXT NOT NULL, folder TEXT NOT NULL, space TEXT NOT NULL,"
    " engine TEXT NOT NULL, detail TEXT NOT NULL, state TEXT NOT NULL, exactness TEXT NOT NULL,"
    " certificate TEXT NOT NULL, seed INTEGER NOT NULL, n_point INTEGER NOT NULL, signature TEXT NOT NULL,"
    " hypervolume REAL NOT NULL);"
    "CREATE TABLE run_input (run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, position INTEGER NOT NULL,"
    " name TEXT NOT NULL, hash TEXT NOT NULL, n_byte INTEGER NOT NULL, PRIMARY KEY (run, position)) WITHOUT ROWID;"
    "CREATE TABLE run_file (run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE, position INTEGER NOT NULL,"
    " name TEXT NOT NULL, hash TEXT NOT NULL, n_byte INTEGER NOT NULL, PRIMARY KEY (run, position)) WITHOUT ROWID;"
    "CREATE INDEX run_of_space ON run(space, id); CREATE INDEX run_of_signature ON run(signature);"
    "INSERT INTO run VALUES (3, '2026-11-22T08:21:26Z', 1.5, '0.1.0', 'abc', 'dse explore x.yaml', 'results/x-1', 'x',"
    " 'exact', 'fast', 'complete', 'exact', 'exact, it is', 1, 7, '0123456789abcdef', 2.5);"
    "INSERT INTO run_input VALUES (3, 0, 'x.yaml', '9b', 8);";

static void test_run_store_of_the_first_version_is_migrated(void **state)
{
	struct fixture *fixture = *state;
	const char *const step[] = {first_version};
	const struct database_schema first = {UINT32_C(0x64736531), "a store of runs", 1, step};
	struct database *old;
	struct arena arena = {0};
	struct run_record run;
	struct run_answer answer;
	struct err err = {0};
	uint64_t id;
	assert_int_equal(database_open(fixture->other, &first, true, &old, &err), ERR_OK);
	database_close(old);
	for (int i = 0; i < 2; i++) { /* and once it is migrated, it stays so */
		assert_int_equal(run_store_open(fixture->other, false, &old, &err), ERR_OK);
		assert_int_equal(run_store_find(old, "3", &arena, &run, &err), ERR_OK);
		assert_string_equal(run.command, "dse explore x.yaml");
		assert_true(run.n_point == 7 && run.hypervolume == 2.5 && run.n_input == 1 && run.known_from == 0);
		fixture->run.answer_key = "key";
		fixture->run.answer = "answer";
		fixture->run.n_answer = 6;
		assert_int_equal(run_store_put(old, &fixture->run, &id, &err), ERR_OK);
		assert_int_equal(id, 4 + i);
		assert_int_equal(run_store_answer(old, "key", &answer, &err), ERR_OK);
		assert_true(answer.n_byte == 6 && answer.run == id && memcmp(answer.data, "answer", 6) == 0);
		free(answer.data);
		database_close(old);
	}
	/* the old program says what to do */
	assert_int_equal(database_open(fixture->other, &first, false, &old, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "made by a newer dse; this one knows versions up to 1"));
	err_clear(&err);
	arena_free(&arena);
}

static void test_run_store_answers_go_with_their_run(void **state)
{
	struct fixture *fixture = *state;
	struct run_answer answer;
	struct err err = {0};
	fixture->run.answer_key = "key";
	fixture->run.answer = fixture->large;
	fixture->run.n_answer = N_LARGE;
	put(fixture);
	assert_int_equal(run_store_answer(fixture->store, "other", &answer, &err), ERR_OK);
	assert_null(answer.data);
	assert_int_equal(run_store_answer(fixture->store, "key", &answer, &err), ERR_OK);
	assert_int_equal(answer.n_byte, N_LARGE);
	assert_memory_equal(answer.data, fixture->large, N_LARGE);
	assert_string_equal(answer.date, fixture->run.date);
	free(answer.data);
	/* a damaged one is none */
	assert_int_equal(database_run(fixture->store, "UPDATE answer SET hash = '0'", &err), ERR_OK);
	assert_int_equal(run_store_answer(fixture->store, "key", &answer, &err), ERR_OK);
	assert_null(answer.data);
	put(fixture);
	const struct run_record second = {.id = 2};
	assert_int_equal(run_store_remove(fixture->store, &second, 1, "abc", &err), ERR_OK);
	assert_int_equal(run_store_answer(fixture->store, "key", &answer, &err), ERR_OK);
	assert_null(answer.data);
}

static void test_run_store_tells_damaged_content(void **state)
{
	struct fixture *fixture = *state;
	struct err err = {0};
	char *data;
	size_t n_byte;
	put(fixture);
	assert_int_equal(
	    database_run(fixture->store, "UPDATE content SET data = 'name: y' WHERE is_squeezed = 0", &err), ERR_OK);
	assert_int_equal(run_store_content(fixture->store, fixture->hash[0], &data, &n_byte, &err), ERR_INPUT);
	assert_int_equal(database_run(fixture->store, "UPDATE content SET data = x'00' WHERE is_squeezed = 1", &err),
	                 ERR_OK);
	assert_int_equal(run_store_content(fixture->store, fixture->hash[1], &data, &n_byte, &err), ERR_INPUT);
	err_clear(&err);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_squeeze_gives_back_every_byte),
	    TEST(test_squeeze_of_parts_gives_back_every_byte),
	    TEST(test_run_store_gives_back_what_was_put),
	    TEST(test_run_store_keeps_each_text_once),
	    TEST(test_run_store_finds_the_run_that_is_meant),
	    TEST(test_run_store_lists_what_the_filter_says),
	    TEST(test_run_store_removes_old_runs_alone),
	    TEST(test_run_store_refuses_newer_and_other_files),
	    TEST(test_run_store_of_the_first_version_is_migrated),
	    TEST(test_run_store_answers_go_with_their_run),
	    TEST(test_run_store_tells_damaged_content),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
