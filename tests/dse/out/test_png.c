/* SPDX-License-Identifier: Apache-2.0 */
/* PNG of pictures by a program that is there, is not, or fails: a stand-in, first in PATH. */
#include "tests/support/unit_test.h"

#include "dse/out/png.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
	char dir[TEMPORARY_SIZE], program[96], svg[96], png[96];
};

static void begin(struct folder *folder, const char *script)
{
	assert_non_null(temporary_folder(folder->dir, "dse_png"));
	(void)snprintf(folder->program, sizeof(folder->program), "%s/" PNG_PROGRAM, folder->dir);
	(void)snprintf(folder->svg, sizeof(folder->svg), "%s/a b.svg", folder->dir);
	(void)snprintf(folder->png, sizeof(folder->png), "%s/a b.png", folder->dir);
	assert_int_equal(setenv("PATH", folder->dir, 1), 0);
	if (!script)
		return;
	FILE *file = fopen(folder->program, "w");
	assert_non_null(file);
	assert_true(fprintf(file, "#!/bin/sh\n%s\n", script) > 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(folder->program, 0755), 0);
}

static void end(const struct folder *folder)
{
	(void)unlink(folder->program);
	(void)unlink(folder->png);
	assert_int_equal(rmdir(folder->dir), 0); /* no half a file is left */
}

static void test_png_is_what_the_program_writes(void **state)
{
	struct folder folder;
	struct err err = {0};
	bool is_there = false;
	char text[256] = "", expected[256];
	(void)state;
	begin(&folder, "echo \"$@\"");
	assert_int_equal(png_from_svg(folder.svg, folder.png, &is_there, &err), ERR_OK);
	assert_true(is_there);
	FILE *file = fopen(folder.png, "r");
	assert_non_null(file);
	assert_non_null(fgets(text, sizeof(text), file));
	(void)fclose(file);
	(void)snprintf(expected, sizeof(expected), "--zoom=2 -- %s\n", folder.svg);
	assert_string_equal(text, expected);
	end(&folder);
}

static void test_png_needs_its_program(void **state)
{
	struct folder folder;
	struct err err = {0};
	bool is_there = true;
	(void)state;
	begin(&folder, NULL);
	assert_int_equal(png_from_svg(folder.svg, folder.png, &is_there, &err), ERR_OK);
	assert_false(is_there);
	assert_int_equal(access(folder.png, F_OK), -1);
	end(&folder);
	begin(&folder, "echo half; exit 3");
	assert_int_equal(png_from_svg(folder.svg, folder.png, &is_there, &err), ERR_IO);
	assert_true(is_there);
	assert_non_null(strstr(err_text(&err), "exit status 3"));
	assert_int_equal(access(folder.png, F_OK), -1);
	err_clear(&err);
	end(&folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_png_is_what_the_program_writes),
	    cmocka_unit_test(test_png_needs_its_program),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
