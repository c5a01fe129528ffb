/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/paths.h"
#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define N_NAME 64

const char *const path_ending[PATH_N_ENDING] = {"", ".yaml", ".csv", ".cfg"};

static bool is_file(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Folder of the running program; "." where the system does not tell. */
static void program_dir(char path[PATH_SIZE])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_SIZE - 1);
	path[n > 0 ? n : 0] = '\0';
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	else
		(void)strcpy(path, ".");
}

/* The folders that are looked through, in order; false when there are no more. */
static bool nth_folder(size_t i, const char *folder, char path[PATH_SIZE])
{
	char program[PATH_SIZE];
	assert(folder && path);
	program_dir(program);
	int n = -1;
	switch (i) {
	case 0:
		n = snprintf(path, PATH_SIZE, "spaces/%s", folder);
		break;
	case 1: /* build/dse in a clone */
		n = snprintf(path, PATH_SIZE, "%s/../spaces/%s", program, folder);
		break;
	case 2: /* build/VARIANT/dse in a clone */
		n = snprintf(path, PATH_SIZE, "%s/../../spaces/%s", program, folder);
		break;
	case 3: /* after make install */
		n = snprintf(path, PATH_SIZE, "%s/../share/dse/spaces/%s", program, folder);
		break;
	default:
		return false;
	}
	return n > 0 && n < PATH_SIZE;
}

static bool found_in(const char *dir, const char *name, char path[PATH_SIZE])
{
	for (size_t i = 0; i < PATH_N_ENDING; i++) {
		int n = snprintf(path, PATH_SIZE, "%s/%s%s", dir, name, path_ending[i]);
		if (n > 0 && n < PATH_SIZE && is_file(path))
			return true;
	}
	return false;
}

bool path_ends_in(const char *path, const char *ending)
{
	size_t n = strlen(path), n_ending = strlen(ending);
	return n >= n_ending && strcasecmp(path + n - n_ending, ending) == 0;
}

/* Bytes of a file's name before an ending that may be left out; 0 where it has none. */
static size_t stem_length(const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 1; i < PATH_N_ENDING; i++)
		if (n > strlen(path_ending[i]) && path_ends_in(name, path_ending[i]))
			return n - strlen(path_ending[i]);
	return 0;
}

/* Names, without endings, of the files in the folders; at most N_NAME of them. */
static size_t list_names(const char *folder, struct arena *arena, const char *names[N_NAME])
{
	size_t n = 0;
	char dir[PATH_SIZE];
	assert(arena);
	for (size_t i = 0; nth_folder(i, folder, dir); i++) {
		DIR *stream = opendir(dir);
		if (!stream)
			continue;
		for (struct dirent *entry = readdir(stream); entry && n < N_NAME; entry = readdir(stream)) {
			size_t n_byte = stem_length(entry->d_name);
			if (n_byte == 0)
				continue;
			char *name = arena_text(arena, entry->d_name);
			if (!name)
				break;
			name[n_byte] = '\0';
			names[n++] = name;
		}
		(void)closedir(stream);
	}
	return n;
}

enum err_code path_find(const char *name, const char *folder, struct arena *arena, const char **path, struct err *err)
{
	assert(name && folder && arena && path);
	char found[PATH_SIZE], dir[PATH_SIZE];
	bool is_found = is_file(name) && strlen(name) < PATH_SIZE;
	if (is_found)
		(void)strcpy(found, name);
	for (size_t i = 0; !is_found && nth_folder(i, folder, dir); i++)
		is_found = found_in(dir, name, found);
	if (is_found) {
		*path = arena_text(arena, found);
		return *path ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
	}
	const char *names[N_NAME];
	size_t n = list_names(folder, arena, names);
	const char *nearest = err_nearest(name, names, n);
	return err_add(err, ERR_IO, "%s: no such file, and no such name under spaces/%s%s%s%s", name, folder,
	               nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}
