/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "dse/keep/output_file.h"
#include "tests/support/temporary.h"
#include <dirent.h>
#include <stdlib.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
	char path[64];
};

static int make_folder(void **state)
{
	struct folder *folder = calloc(1, sizeof(*folder));
	if (!folder)
		return -1;
	*state = folder;
	return temporary_folder(folder->path, "test_output_file") ? 0 : -1;
}

/* Files in a folder, hidden ones included. */
static size_t count_files(const char *path)
{
	size_t n = 0;
	DIR *stream = opendir(path);
	assert_non_null(stream);
	for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
		n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(stream);
	return n;
}

static int remove_folder(void **state)
{
	struct folder *folder = *state;
	char command[128];
	snprintf(command, sizeof(command), "rm -rf '%s'", folder->path);
	int status = system(command);
	free(folder);
	return status;
}

static void write_text(const char *path, const char *text, bool commit)
{
	struct output_file file = {0};
	struct err err = {0};
	assert_int_equal(output_file_open(&file, path, &err), ERR_OK);
	fputs(text, file.file);
	if (commit)
		assert_int_equal(output_file_commit(&file, &err), ERR_OK);
	else
		output_file_abandon(&file);
	assert_null(file.file);
}

static void assert_text(const char *path, const char *expected)
{
	char text[16] = "";
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, expected);
}

static void test_output_file_file_appears_on_commit(void **state)
{
	struct folder *folder = *state;
	struct output_file file = {0};
	struct err err = {0};
	char *path = output_file_join(folder->path, "result");
	assert_non_null(path);
	assert_int_equal(output_file_open(&file, path, &err), ERR_OK);
	fputs("new", file.file);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(output_file_commit(&file, &err), ERR_OK);
	assert_text(path, "new");
	assert_int_equal(count_files(folder->path), 1);
	free(path);
}

static void test_output_file_abandon_keeps_the_old_file(void **state)
{
	struct folder *folder = *state;
	char *path = output_file_join(folder->path, "result");
	write_text(path, "old", true);
	write_text(path, "half", false);
	assert_text(path, "old");
	assert_int_equal(count_files(folder->path), 1);
	free(path);
}

static void test_output_file_makes_parents(void **state)
{
	struct folder *folder = *state;
	struct err err = {0};
	struct stat status;
	char *path = output_file_join(folder->path, "a/b//c/");
	assert_int_equal(output_file_make_dir(path, &err), ERR_OK);
	assert_int_equal(output_file_make_dir(path, &err), ERR_OK);
	assert_int_equal(stat(path, &status), 0);
	assert_true(S_ISDIR(status.st_mode));
	free(path);
}

static void test_output_file_refuses_a_file_as_folder(void **state)
{
	struct folder *folder = *state;
	struct err err = {0};
	struct output_file file = {0};
	char *path = output_file_join(folder->path, "file"), *below = output_file_join(folder->path, "file/result");
	write_text(path, "x", true);
	assert_int_equal(output_file_make_dir(below, &err), ERR_IO);
	assert_int_equal(output_file_open(&file, below, &err), ERR_IO);
	assert_null(file.file);
	assert_int_equal(err.n_message, 2);
	err_clear(&err);
	free(path);
	free(below);
}

/* A write error that was not looked at when it happened still fails the commit and leaves nothing. */
static void test_output_file_notices_a_full_disk(void **state)
{
	struct folder *folder = *state;
	struct err err = {0};
	struct output_file file = {0};
	char *path = output_file_join(folder->path, "result");
	assert_int_equal(output_file_open(&file, path, &err), ERR_OK);
	FILE *full = fopen("/dev/full", "w");
	if (full) {
		fclose(file.file);
		file.file = full;
		fputs("lost", file.file);
		assert_int_equal(output_file_commit(&file, &err), ERR_IO);
		assert_int_equal(count_files(folder->path), 0);
	}
	output_file_abandon(&file);
	err_clear(&err);
	free(path);
}

/* Why a write failed is told, also where the stream wrote on without an error afterwards. */
static void test_output_file_tells_why_it_cannot_write(void **state)
{
	(void)state;
	static const char block[4096];
	struct err err = {0};
	struct output_file file = {0};
	if (access("/dev/full", W_OK) != 0)
		skip();
	assert_int_equal(output_file_open(&file, "/dev/full", &err), ERR_OK);
	for (size_t i = 0; i < 8; i++)
		(void)fwrite(block, 1, sizeof(block), file.file);
	(void)fflush(file.file);
	assert_int_equal(output_file_commit(&file, &err), ERR_IO);
	assert_string_equal(err_text(&err), "/dev/full: cannot write: No space left on device\n");
	err_clear(&err);
}

static void test_output_file_joins_with_one_slash(void **state)
{
	(void)state;
	static const char *const part[][3] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"", "b", "b"}, {"/", "b", "/b"}};
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		char *path = output_file_join(part[i][0], part[i][1]);
		assert_string_equal(path, part[i][2]);
		free(path);
	}
}

/* A link stays one, a pipe is written to: neither is replaced by the file that takes a regular one's place. */
static void test_output_file_keeps_links_and_pipes(void **state)
{
	(void)state;
	char dir[TEMPORARY_SIZE], target[96], link[96], text[8] = "";
	struct stat status;
	assert_non_null(temporary_folder(dir, "test_output_file"));
	(void)snprintf(target, sizeof(target), "%s/target", dir);
	(void)snprintf(link, sizeof(link), "%s/link", dir);
	FILE *old = fopen(target, "w");
	assert_non_null(old);
	assert_int_equal(fclose(old), 0);
	assert_int_equal(symlink(target, link), 0);
	struct output_file file = {0};
	assert_int_equal(output_file_open(&file, link, NULL), ERR_OK);
	assert_true(fputs("new", file.file) >= 0);
	assert_int_equal(output_file_commit(&file, NULL), ERR_OK);
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	FILE *now = fopen(target, "r");
	assert_non_null(now);
	assert_non_null(fgets(text, sizeof(text), now));
	assert_string_equal(text, "new");
	assert_int_equal(fclose(now), 0);

	assert_int_equal(unlink(link), 0);
	assert_int_equal(mkfifo(link, 0600), 0);
	int reader = open(link, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(output_file_open(&file, link, NULL), ERR_OK);
	assert_true(fputs("pipe", file.file) >= 0);
	assert_int_equal(output_file_commit(&file, NULL), ERR_OK);
	assert_int_equal(read(reader, text, sizeof(text)), 4);
	assert_int_equal(close(reader), 0);
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
	assert_int_equal(unlink(link) + unlink(target) + rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_output_file_keeps_links_and_pipes),
	    cmocka_unit_test_setup_teardown(test_output_file_file_appears_on_commit, make_folder, remove_folder),
	    cmocka_unit_test_setup_teardown(test_output_file_abandon_keeps_the_old_file, make_folder, remove_folder),
	    cmocka_unit_test_setup_teardown(test_output_file_makes_parents, make_folder, remove_folder),
	    cmocka_unit_test_setup_teardown(test_output_file_refuses_a_file_as_folder, make_folder, remove_folder),
	    cmocka_unit_test_setup_teardown(test_output_file_notices_a_full_disk, make_folder, remove_folder),
	    cmocka_unit_test(test_output_file_tells_why_it_cannot_write),
	    cmocka_unit_test(test_output_file_joins_with_one_slash),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
