/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* dladdr, which POSIX has since 2024 only */
#include "dse/out/paths.h"
#include "dse/out/build.h"
#include "sim/base/text.h"
#include <assert.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define N_NAME 64
#define N_PARENT 4 /* folders, its own and those above, that are looked through for what a file names */

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

/* Folder of the shared library that this is part of, in a program of others; false where it is not told. */
static bool library_dir(char path[PATH_SIZE])
{
	Dl_info info;
	/* by the file itself, as links to build/libdse.so may lie anywhere */
	char *real = dladdr(path_ending, &info) != 0 && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
	bool is_told = real && strlen(real) < PATH_SIZE;
	if (is_told)
		(void)strcpy(path, real);
	free(real);
	if (!is_told)
		return false;
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return slash != NULL;
}

/* The folders that are looked through, in order; false when there are no more. */
static bool nth_folder(size_t i, const char *folder, char path[PATH_SIZE])
{
	char program[PATH_SIZE], library[PATH_SIZE];
	assert(folder && path);
	program_dir(program);
	if (!library_dir(library))
		(void)strcpy(library, program);
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
	case 4: /* the same of a library in lib */
		n = snprintf(path, PATH_SIZE, "%s/../share/dse/spaces/%s", library, folder);
		break;
	case 5: /* in lib/x86_64-linux-gnu */
		n = snprintf(path, PATH_SIZE, "%s/../../share/dse/spaces/%s", library, folder);
		break;
	case 6: /* build/libdse.so in a clone, linked from anywhere */
		n = snprintf(path, PATH_SIZE, "%s/../spaces/%s", library, folder);
		break;
	case 7: /* build/VARIANT */
		n = snprintf(path, PATH_SIZE, "%s/../../spaces/%s", library, folder);
		break;
	case 8: /* a program of others that has all in it */
		n = snprintf(path, PATH_SIZE, "%s/spaces/%s", build_data, folder);
		break;
	default:
		return false;
	}
	if (n > 0 && n < PATH_SIZE && path[n - 1] == '/') /* of spaces themselves */
		path[n - 1] = '\0';
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

/* Names, without endings, of the files in a folder; at most max of them. */
static size_t list_folder(const char *dir, struct arena *arena, const char **names, size_t max)
{
	size_t n = 0;
	DIR *stream = opendir(dir);
	if (!stream)
		return 0;
	for (struct dirent *entry = readdir(stream); entry && n < max; entry = readdir(stream)) {
		size_t n_byte = stem_length(entry->d_name);
		if (n_byte == 0 || entry->d_name[text_printable_span(entry->d_name, "")])
			continue; /* of no kind, or a name that is no word of a command line */
		char *name = arena_text(arena, entry->d_name);
		if (!name)
			break;
		name[n_byte] = '\0';
		names[n++] = name;
	}
	(void)closedir(stream);
	return n;
}

/* The same of all folders. */
static size_t list_names(const char *folder, struct arena *arena, const char **names, size_t max)
{
	size_t n = 0;
	char dir[PATH_SIZE];
	assert(arena);
	for (size_t i = 0; nth_folder(i, folder, dir); i++)
		n += list_folder(dir, arena, names + n, max - n);
	return n;
}

static int compare_text(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

size_t path_list(const char *folder, struct arena *arena, const char **name, size_t max)
{
	size_t n_all = list_names(folder, arena, name, max), n = 0;
	qsort(name, n_all, sizeof(*name), compare_text);
	for (size_t i = 0; i < n_all; i++)
		if (n == 0 || strcmp(name[i], name[n - 1]) != 0)
			name[n++] = name[i];
	return n;
}

/* folder/sub/name with an ending, without "./" before paths in the working directory. */
static bool try_path(char path[PATH_SIZE], const char *folder, const char *sub, const char *name, const char *ending)
{
	const char *base = strcmp(folder, ".") == 0 ? "" : folder;
	int n =
	    snprintf(path, PATH_SIZE, "%s%s%s%s%s%s", base, base[0] ? "/" : "", sub, sub[0] ? "/" : "", name, ending);
	return n > 0 && n < PATH_SIZE && is_file(path);
}

/* folder/name with one of the endings, which is another file than the one at not_this. */
static bool try_endings(char path[PATH_SIZE], const char *folder, const char *name, const char *not_this)
{
	struct stat other, status;
	bool has_other = not_this && stat(not_this, &other) == 0;
	for (size_t k = 1; k < PATH_N_ENDING; k++)
		if (try_path(path, folder, "", name, path_ending[k]) &&
		    !(has_other && stat(path, &status) == 0 && status.st_ino == other.st_ino &&
		      status.st_dev == other.st_dev))
			return true;
	return false;
}

/* No file has that name. What is one of another kind, such as a network where a machine belongs, is told. */
static enum err_code refuse_name(const char *name, const char *folder, struct arena *arena, struct err *err)
{
	static const struct {
		const char *folder, *what;
	} kind[] = {{"machines", "machine"}, {"networks", "network"}, {"", "space"}};
	char dir[PATH_SIZE], found[PATH_SIZE];
	const char *names[N_NAME], *what = "file", *other = NULL;
	for (size_t k = 0; k < sizeof(kind) / sizeof(kind[0]); k++) {
		bool is_own = strcmp(kind[k].folder, folder) == 0;
		what = is_own ? kind[k].what : what;
		for (size_t i = 0; !is_own && !other && nth_folder(i, kind[k].folder, dir); i++)
			other = found_in(dir, name, found) ? kind[k].what : NULL;
	}
	if (other)
		return err_add(err, ERR_IO, "%s: this is a %s, where a %s is wanted%s", name, other, what,
		               strcmp(other, "space") != 0 && *folder ? "; are machine and network swapped?" : "");
	size_t n = list_names(folder, arena, names, N_NAME);
	const char *nearest = err_nearest(name, names, n);
	return err_add(err, ERR_IO, "%s: no such file, and no such name under spaces%s%s%s%s%s", name,
	               *folder ? "/" : "", folder, nearest ? "; did you mean '" : "", nearest ? nearest : "",
	               nearest ? "'?" : "");
}

/* As path_find; here: the folder where, at last, a file may leave out its ending, if it is not the one at not_this. */
static enum err_code find_named(const char *name, const char *folder, const char *here, const char *not_this,
                                struct arena *arena, const char **path, struct err *err)
{
	assert(name && folder && arena && path);
	char found[PATH_SIZE], dir[PATH_SIZE];
	bool is_found = is_file(name) && strlen(name) < PATH_SIZE;
	if (is_found)
		(void)strcpy(found, name);
	for (size_t i = 0; !is_found && nth_folder(i, folder, dir); i++)
		is_found = found_in(dir, name, found);
	is_found = is_found || try_endings(found, here, name, not_this);
	if (is_found) {
		*path = arena_text(arena, found);
		return *path ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
	}
	return refuse_name(name, folder, arena, err);
}

enum err_code path_find(const char *name, const char *folder, struct arena *arena, const char **path, struct err *err)
{
	return find_named(name, folder, ".", NULL, arena, path, err);
}

enum err_code path_find_any(const char *name, struct arena *arena, const char **path, struct err *err)
{
	static const char *const folder[] = {"machines", "networks"};
	char dir[PATH_SIZE], found[PATH_SIZE];
	struct err missing = {0};
	assert(name && arena && path);
	enum err_code code = find_named(name, "", ".", NULL, arena, path, &missing);
	for (size_t k = 0; k < 2 && code == ERR_IO; k++)
		for (size_t i = 0; code == ERR_IO && nth_folder(i, folder[k], dir); i++)
			if (found_in(dir, name, found)) {
				*path = arena_text(arena, found);
				code = *path ? ERR_OK : ERR_INTERNAL;
			}
	if (code != ERR_OK)
		(void)err_add_all(err, (struct err_place){0}, &missing);
	err_clear(&missing);
	return code;
}

/* ---- beside a file that names them ---- */

/* Folder of a path: "spaces" of "spaces/a.yaml", "." of "a.yaml". */
static void folder_of(const char *path, char folder[PATH_SIZE])
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	(void)snprintf(folder, PATH_SIZE, "%.*s", (int)n, path);
	if (!slash)
		(void)strcpy(folder, ".");
	else if (n == 0)
		(void)strcpy(folder, "/");
}

/* Take out "name/.." and "./": as text, so the caller checks that no symbolic link made them mean something else. */
static void shorten(const char *path, char out[PATH_SIZE])
{
	size_t n = 0, n_fixed = path[0] == '/' ? 1 : 0; /* what lies before n_fixed stays: the root, leading ".." */
	if (n_fixed)
		out[n++] = '/';
	for (const char *part = path; *part;) {
		size_t n_part = strcspn(part, "/");
		bool is_up = n_part == 2 && part[0] == '.' && part[1] == '.';
		if (is_up && n > n_fixed) {
			do
				n--;
			while (n > n_fixed && out[n - 1] != '/');
		} else if (n_part > 0 && !(n_part == 1 && part[0] == '.') &&
		           !(is_up && n_fixed == 1 && out[0] == '/')) {
			memcpy(out + n, part, n_part);
			n += n_part;
			out[n++] = '/';
			n_fixed = is_up ? n : n_fixed;
		}
		part += n_part + (part[n_part] == '/');
	}
	assert(n < PATH_SIZE);
	out[n > 0 && n > n_fixed ? n - 1 : n] = '\0';
}

const char *path_plain(const char *path, struct arena *arena)
{
	char plain[PATH_SIZE];
	struct stat before, after;
	assert(path && arena);
	bool is_same = strlen(path) + 2 < PATH_SIZE;
	if (is_same) {
		shorten(path, plain);
		is_same = stat(path, &before) == 0 && stat(plain, &after) == 0 && before.st_ino == after.st_ino &&
		          before.st_dev == after.st_dev;
	}
	return arena_text(arena, is_same ? plain : path);
}

enum err_code path_find_beside(const char *beside, const char *name, const char *kind, struct arena *arena,
                               const char **path, struct err *err)
{
	char folder[PATH_SIZE], at[PATH_SIZE];
	assert(beside && name && kind && arena && path);
	bool found = name[0] == '/' && strlen(name) < PATH_SIZE && is_file(name);
	if (found)
		(void)strcpy(at, name);
	folder_of(beside, folder);
	found = found || try_path(at, folder, "", name, "");
	for (unsigned i = 0; !found && i < N_PARENT; i++) {
		for (size_t k = 1; !found && k <= PATH_N_ENDING; k++) /* none at last */
			found = try_path(at, folder, kind, name, path_ending[k % PATH_N_ENDING]);
		size_t n = strlen(folder);
		if (n + 4 > PATH_SIZE)
			break;
		(void)strcpy(folder + n, "/..");
	}
	const char *result = at;
	folder_of(beside, folder);
	enum err_code code = found ? ERR_OK : find_named(name, kind, folder, beside, arena, &result, err);
	if (code != ERR_OK)
		return code;
	*path = path_plain(result, arena);
	return *path ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
}
