/* SPDX-License-Identifier: Apache-2.0 */
/* A folder's lock is one process's at a time, whatever becomes of the file that it is on. */
#include "tests/support/unit_test.h"

#include "dse/keep/folder_lock.h"
#include "tests/support/temporary.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void join(char path[128], const char *dir, const char *name)
{
	(void)snprintf(path, 128, "%s/%s", dir, name);
}

static bool exists(const char *dir, const char *name)
{
	char path[128];
	join(path, dir, name);
	return access(path, F_OK) == 0;
}

/* Whether another process gets the lock at once. */
static bool is_free(const char *dir, const char *name)
{
	struct folder_lock lock = {0};
	int status;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		bool has_it = folder_lock_take(&lock, dir, name, 0) && lock.path;
		folder_lock_release(&lock);
		_exit(has_it ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status) == 0;
}

static void test_folder_lock_is_of_one_process(void **state)
{
	char dir[64];
	struct folder_lock lock = {0}, second = {0};
	(void)state;
	assert_non_null(temporary_folder(dir, "test_folder_lock"));
	assert_true(folder_lock_take(&lock, dir, FOLDER_LOCK_RUN, 0));
	assert_true(exists(dir, FOLDER_LOCK_RUN));
	assert_false(is_free(dir, FOLDER_LOCK_RUN));
	/* not even twice of the same one */
	assert_false(folder_lock_take(&second, dir, FOLDER_LOCK_RUN, 0));
	assert_null(second.path);
	/* another lock of the folder is another lock */
	assert_true(is_free(dir, FOLDER_LOCK_FILES));
	assert_false(exists(dir, FOLDER_LOCK_FILES));
	folder_lock_release(&lock);
	folder_lock_release(&lock);
	assert_false(exists(dir, FOLDER_LOCK_RUN));
	assert_true(is_free(dir, FOLDER_LOCK_RUN));
	assert_int_equal(rmdir(dir), 0);
}

/* A process that was killed leaves the file, but not the lock. */
static void test_folder_lock_goes_with_its_process(void **state)
{
	char dir[64], byte;
	int pipes[2], status;
	(void)state;
	assert_non_null(temporary_folder(dir, "test_folder_lock"));
	assert_int_equal(pipe(pipes), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct folder_lock lock = {0};
		bool has_it = folder_lock_take(&lock, dir, FOLDER_LOCK_RUN, 0) && lock.path;
		if (write(pipes[1], has_it ? "y" : "n", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	assert_int_equal(byte, 'y');
	assert_false(is_free(dir, FOLDER_LOCK_RUN));
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(exists(dir, FOLDER_LOCK_RUN));
	assert_true(is_free(dir, FOLDER_LOCK_RUN));
	assert_false(exists(dir, FOLDER_LOCK_RUN));
	assert_int_equal(rmdir(dir), 0);
	close(pipes[0]);
	close(pipes[1]);
}

/* Many take it in turn, each removing the file that the next one may have open already: never two at the same time. */
static void test_folder_lock_is_never_held_twice(void **state)
{
	enum { N_PROCESS = 6, N_TURN = 500 };
	char dir[64], path[128];
	int status;
	(void)state;
	assert_non_null(temporary_folder(dir, "test_folder_lock"));
	join(path, dir, "holder");
	for (int i = 0; i < N_PROCESS; i++) {
		pid_t child = fork();
		assert_true(child >= 0);
		for (int turn = 0; child == 0 && turn < N_TURN; turn++) {
			struct folder_lock lock = {0};
			/* at once again and again: between one's look and its lock another one comes and goes */
			while (!folder_lock_take(&lock, dir, FOLDER_LOCK_RUN, 0))
				continue;
			if (!lock.path)
				_exit(2);
			/* fails where another holder's file is there */
			int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
			if (descriptor < 0 || close(descriptor) != 0 || unlink(path) != 0)
				_exit(3);
			folder_lock_release(&lock);
		}
		if (child == 0)
			_exit(0);
	}
	for (int i = 0; i < N_PROCESS; i++) {
		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	assert_int_equal(rmdir(dir), 0);
}

/* Somebody removed the file by hand: who has the lock removes nobody else's. */
static void test_folder_lock_removes_its_own_file_only(void **state)
{
	char dir[64], path[128];
	struct folder_lock lock = {0}, next = {0};
	(void)state;
	assert_non_null(temporary_folder(dir, "test_folder_lock"));
	join(path, dir, FOLDER_LOCK_RUN);
	assert_true(folder_lock_take(&lock, dir, FOLDER_LOCK_RUN, 0));
	assert_int_equal(unlink(path), 0);
	assert_true(folder_lock_take(&next, dir, FOLDER_LOCK_RUN, 0));
	folder_lock_release(&lock);
	assert_false(is_free(dir, FOLDER_LOCK_RUN));
	folder_lock_release(&next);
	assert_int_equal(rmdir(dir), 0);
}

/* Where there can be no lock nothing is held, and nobody is told to wait. */
static void test_folder_lock_of_no_folder_holds_nothing(void **state)
{
	struct folder_lock lock = {0};
	(void)state;
	assert_true(folder_lock_take(&lock, "/nonexistent/folder", FOLDER_LOCK_RUN, 1));
	assert_null(lock.path);
	folder_lock_release(&lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_folder_lock_is_of_one_process),
	    cmocka_unit_test(test_folder_lock_goes_with_its_process),
	    cmocka_unit_test(test_folder_lock_is_never_held_twice),
	    cmocka_unit_test(test_folder_lock_removes_its_own_file_only),
	    cmocka_unit_test(test_folder_lock_of_no_folder_holds_nothing),
	};
	return cmocka_run_group_tests_name("folder_lock", tests, NULL, NULL);
}
