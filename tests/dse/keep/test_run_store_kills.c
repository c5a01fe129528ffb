/* SPDX-License-Identifier: Apache-2.0 */
/* The store of runs with several at once, without room, and killed, with either kind of journal: what was told to be in
 * it is in it. */
#include "tests/support/unit_test.h"

#include "tests/support/run_store_fixture.h"
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* A reader sees what was there when it began; it does not stop the writer. */
static void test_run_store_readers_and_writers_at_once(void **state)
{
	struct fixture *fixture = *state;
	struct database *reader;
	struct query query;
	struct err err = {0};
	put(fixture);
	put(fixture);
	assert_int_equal(run_store_open(fixture->path, false, &reader, &err), ERR_OK);
	query_start(&query, reader, "SELECT id FROM run", &err);
	assert_true(query_next(&query));
	assert_int_equal(put(fixture), 3);
	size_t n = 1;
	while (query_next(&query))
		n++;
	assert_int_equal(query_end(&query), ERR_OK);
	assert_int_equal(n, 2);
	assert_int_equal(count_runs(reader), 3);
	database_close(reader);
}

/* Put runs until killed, or until n are in; each number is told when its run is committed. */
static void write_runs(const struct fixture *fixture, int out, unsigned n)
{
	struct database *store;
	struct err err = {0};
	struct run_record run = fixture->run;
	uint64_t id;
	enum err_code code = run_store_open(fixture->path, true, &store, &err);
	for (unsigned i = 0; i < n && code == ERR_OK; i++) {
		char hash[HASH_HEX_SIZE];
		struct run_file file = fixture->file;
		/* a text of its own, so that each run writes several pages */
		memcpy(fixture->large, &(uint64_t){((uint64_t)getpid() << 32) + i}, 8);
		hash_hex(file.data, file.n_byte, hash);
		file.hash = hash;
		run.file = &file;
		code = run_store_put(store, &run, &id, &err);
		if (code == ERR_OK && write(out, &id, sizeof(id)) != (ssize_t)sizeof(id))
			code = ERR_IO;
	}
	_exit(code == ERR_OK ? 0 : 1);
}

static pid_t start_writer(const struct fixture *fixture, int out, unsigned n)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		write_runs(fixture, out, n);
	return pid;
}

/* With a rollback journal a writer waits until those who read have read, and both come to their end. */
static void test_run_store_writers_wait_for_readers(void **state)
{
	struct fixture *fixture = *state;
	struct query query;
	struct err err = {0};
	const struct timespec pause = {.tv_nsec = 200000000};
	int pipes[2], begin[2], status;
	uint64_t id;
	put(fixture);
	put(fixture);
	assert_int_equal(pipe(pipes), 0);
	/* before the file is read: a process forked from a reader would believe that it reads, too */
	database_close(fixture->store);
	fixture->store = NULL;
	assert_int_equal(pipe(begin), 0);
	pid_t writer = fork();
	assert_true(writer >= 0);
	if (writer == 0) {
		char byte;
		if (read(begin[0], &byte, 1) != 1)
			_exit(2);
		write_runs(fixture, pipes[1], 1);
	}
	reopen(fixture);
	query_start(&query, fixture->store, "SELECT id FROM run", &err);
	assert_true(query_next(&query));
	assert_int_equal(write(begin[1], "", 1), 1);
	(void)nanosleep(&pause, NULL);
	assert_int_equal(waitpid(-1, &status, WNOHANG), 0);
	assert_true(query_next(&query));
	assert_false(query_next(&query));
	assert_int_equal(query_end(&query), ERR_OK);
	assert_int_equal(read(pipes[0], &id, sizeof(id)), sizeof(id));
	assert_int_equal(id, 3);
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	assert_int_equal(count_runs(fixture->store), 3);
	for (int i = 0; i < 2; i++) {
		close(pipes[i]);
		close(begin[i]);
	}
}

static void test_run_store_several_writers_lose_nothing(void **state)
{
	struct fixture *fixture = *state;
	enum { N_WRITER = 3, N_RUN = 5 };
	int pipes[2], status;
	/* they make the file themselves, all at once */
	database_close(fixture->store);
	fixture->store = NULL;
	strcpy(fixture->path, fixture->other);
	assert_int_equal(pipe(pipes), 0);
	for (int i = 0; i < N_WRITER; i++)
		(void)start_writer(fixture, pipes[1], N_RUN);
	for (int i = 0; i < N_WRITER; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	close(pipes[0]);
	close(pipes[1]);
	reopen(fixture);
	assert_int_equal(count_runs(fixture->store), N_WRITER * N_RUN);
}

/* Each process that opens a file while another makes its tables has it before or after that, never in between. */
static void test_run_store_is_made_by_several_at_once(void **state)
{
	struct fixture *fixture = *state;
	enum { N_OPENER = 3, N_ROUND = 40 };
	for (int round = 0; round < N_ROUND; round++) {
		int status;
		char path[sizeof(fixture->other) + 16];
		(void)snprintf(path, sizeof(path), "%s%d", fixture->other, round);
		for (int i = 0; i < N_OPENER; i++) {
			pid_t pid = fork();
			assert_true(pid >= 0);
			if (pid == 0) {
				struct database *store;
				struct err err = {0};
				enum err_code code = run_store_open(path, true, &store, &err);
				(void)fputs(err_text(&err), stderr);
				database_close(store);
				_exit((int)code);
			}
		}
		for (int i = 0; i < N_OPENER; i++) {
			assert_true(wait(&status) > 0);
			assert_int_equal(status, 0);
		}
		(void)unlink(path);
	}
}

/* A limit on the size of files stands for a full disk: the run is told not to be kept, and those before it are. */
static void test_run_store_survives_a_full_disk(void **state)
{
	struct fixture *fixture = *state;
	struct err err = {0};
	struct rlimit before;
	uint64_t id;
	put(fixture);
	reopen(fixture);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	struct rlimit small = before;
	small.rlim_cur = 60u << 10;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	uint64_t random = 1;
	for (size_t i = 0; i < N_LARGE; i++) /* nothing that squeezes */
		fixture->large[i] =
		    (char)((random = random * UINT64_C(6364136223846793005) + 1442695040888963407u) >> 56);
	hash_hex(fixture->large, N_LARGE, fixture->hash[1]);
	enum err_code code = run_store_put(fixture->store, &fixture->run, &id, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(code, ERR_IO);
	assert_non_null(strstr(err_text(&err), fixture->path));
	err_clear(&err);
	assert_int_equal(store_check(fixture->store, &err), ERR_OK);
	assert_int_equal(count_runs(fixture->store), 1);
	assert_int_equal(put(fixture), 2);
	reopen(fixture);
	assert_int_equal(count_runs(fixture->store), 2);
	assert_int_equal(store_check(fixture->store, &err), ERR_OK);
}

/* Every run that a killed writer had told of is there, with its files; no other is there in part. */
static void expect_whole(struct fixture *fixture, const bool *is_told, uint64_t n)
{
	struct arena arena = {0};
	struct run_record *run;
	const struct run_filter all = {0};
	struct err err = {0};
	size_t n_run;
	assert_int_equal(store_check(fixture->store, &err), ERR_OK);
	assert_int_equal(run_store_list(fixture->store, &all, &arena, &run, &n_run, &err), ERR_OK);
	uint64_t n_found = 0, n_told = 0;
	for (size_t i = 0; i < n_run; i++) {
		char *data = NULL;
		size_t n_byte;
		assert_int_equal(run[i].n_file, 1);
		assert_int_equal(run_store_content(fixture->store, run[i].file[0].hash, &data, &n_byte, &err), ERR_OK);
		free(data);
		assert_int_equal(run[i].n_input, 1);
		n_found += run[i].id < n && is_told[run[i].id];
	}
	for (uint64_t i = 0; i < n; i++)
		n_told += is_told[i];
	assert_int_equal(n_found, n_told);
	arena_free(&arena);
}

/* KILLS writers are killed at random moments (a fixed seed), 10 unless the environment says more. */
static void test_run_store_survives_kills(void **state)
{
	struct fixture *fixture = *state;
	const char *text = getenv("KILLS");
	unsigned n_kill = text ? (unsigned)strtoul(text, NULL, 10) : 10, n_killed = 0;
	enum { MAX_ID = 1 << 16 };
	bool *is_told = calloc(MAX_ID, sizeof(*is_told));
	uint64_t random = 1, n_id = 0;
	assert_non_null(is_told);
	for (unsigned i = 0; i < n_kill; i++) {
		int pipes[2], status;
		uint64_t id;
		assert_int_equal(pipe(pipes), 0);
		database_close(fixture->store);
		fixture->store = NULL;
		pid_t pid = start_writer(fixture, pipes[1], 1000);
		close(pipes[1]);
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		const struct timespec pause = {.tv_nsec = (long)(random >> 33) % 50000000};
		(void)nanosleep(&pause, NULL);
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		n_killed += WIFSIGNALED(status) != 0;
		while (read(pipes[0], &id, sizeof(id)) == (ssize_t)sizeof(id)) {
			assert_true(id < MAX_ID);
			is_told[id] = true;
			n_id++;
		}
		close(pipes[0]);
		reopen(fixture);
		expect_whole(fixture, is_told, MAX_ID);
	}
	assert_int_equal(n_killed, n_kill);
	/* and the next run works */
	put(fixture);
	printf("%u writers killed, %llu runs committed before, none lost\n", n_killed, (unsigned long long)n_id);
	free(is_told);
}

static void expect_journal(struct fixture *fixture, const char *mode)
{
	struct query query;
	struct err err = {0};
	query_start(&query, fixture->store, "PRAGMA journal_mode", &err);
	assert_true(query_next(&query));
	assert_string_equal(query_text(&query, 0), mode);
	assert_int_equal(query_end(&query), ERR_OK);
}

static int set_up_log(void **state)
{
	if (setenv("DSE_STORE_JOURNAL", "wal", 1) != 0 || set_up(state) != 0)
		return -1;
	expect_journal(*state, "wal");
	return 0;
}

static int set_up_rollback(void **state)
{
	if (setenv("DSE_STORE_JOURNAL", "rollback", 1) != 0 || set_up(state) != 0)
		return -1;
	expect_journal(*state, "delete");
	return 0;
}

#define LOG_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_log, tear_down)
#define ROLLBACK_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_rollback, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    LOG_TEST(test_run_store_readers_and_writers_at_once),
	    LOG_TEST(test_run_store_several_writers_lose_nothing),
	    LOG_TEST(test_run_store_is_made_by_several_at_once),
	    LOG_TEST(test_run_store_survives_a_full_disk),
	    LOG_TEST(test_run_store_survives_kills),
	    ROLLBACK_TEST(test_run_store_writers_wait_for_readers),
	    ROLLBACK_TEST(test_run_store_several_writers_lose_nothing),
	    ROLLBACK_TEST(test_run_store_is_made_by_several_at_once),
	    ROLLBACK_TEST(test_run_store_survives_a_full_disk),
	    ROLLBACK_TEST(test_run_store_survives_kills),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
