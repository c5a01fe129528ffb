/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SPACE_FOLDER_H
#define TESTS_SPACE_FOLDER_H
/*
 * A folder of a test's own for the spaces that it writes, and the networks beside them. Group set-up and tear-down:
 * folder_make, or a function that calls it and writes more, and folder_remove, which takes along what lies there.
 */
#include "dse/search/explore.h"
#include "dse/space/space.h"
#include "tests/support/temporary.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER_PATH = 512 };

static char folder[64];

static inline int folder_make(void **state)
{
	(void)state;
	return temporary_folder(folder, "dse_test") ? 0 : -1;
}

/* path [FOLDER_PATH] of a file there. */
static inline const char *folder_path(const char *name, char *path)
{
	(void)snprintf(path, FOLDER_PATH, "%s/%s", folder, name);
	return path;
}

static inline FILE *folder_open(const char *name)
{
	char path[FOLDER_PATH];
	FILE *file = fopen(folder_path(name, path), "w");
	assert_non_null(file);
	return file;
}

static inline void folder_write(const char *name, const char *text, const char *more)
{
	FILE *file = folder_open(name);
	assert_true(fputs(text, file) >= 0 && fputs(more, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* A folder with a network in it, small.yaml: a convolution and a fully connected layer. */
static inline int folder_make_small(void **state)
{
	if (folder_make(state) != 0)
		return -1;
	folder_write("small.yaml",
	             "name: small\n"
	             "input: [8, 8, 4]\n"
	             "layers:\n"
	             "  - conv: {kernel: 3, out_channels: 16}\n"
	             "  - fc: {out: 8}\n",
	             "");
	return 0;
}

static inline int folder_remove(void **state)
{
	char path[FOLDER_PATH];
	DIR *directory = opendir(folder);
	(void)state;
	if (!directory)
		return -1;
	for (const struct dirent *entry; (entry = readdir(directory));)
		if (entry->d_name[0] != '.')
			(void)remove(folder_path(entry->d_name, path));
	(void)closedir(directory);
	return rmdir(folder);
}

/* Read space.yaml for a tier; the caller frees the space. */
static inline void folder_read_space_for(enum detail detail, struct space *space)
{
	char path[FOLDER_PATH];
	struct err err = {0};
	if (space_read_given(folder_path("space.yaml", path), &(struct space_given){.detail = detail}, space, &err) !=
	    ERR_OK)
		fail_msg("%s", err_text(&err));
}

/* Read space.yaml; the caller frees the space. */
static inline void folder_read_space(struct space *space)
{
	char path[FOLDER_PATH];
	struct err err = {0};
	if (space_read(folder_path("space.yaml", path), space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(err.n_message, 0);
}

/* Search it to its end; the caller frees explore. */
static inline void folder_explore(const struct space *space, const struct engine_kind *engine, bool flat,
                                  unsigned n_thread, struct explore *explore)
{
	const struct explore_options options = {.engine = engine, .flat = flat, .n_thread = n_thread, .seed = 1};
	struct err err = {0};
	if (explore_run(space, &options, explore, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

#endif
