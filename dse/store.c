/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "dse/store.h"
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *store_join(const char *dir, const char *name)
{
	assert(dir && name);
	size_t n_byte = strlen(dir) + strlen(name) + 2;
	char *path = malloc(n_byte);
	if (path) {
		const char *slash = dir[0] == '\0' || dir[strlen(dir) - 1] == '/' ? "" : "/";
		(void)snprintf(path, n_byte, "%s%s%s", dir, slash, name);
	}
	return path;
}

enum err_code store_make_dir(const char *path, struct err *err)
{
	assert(path);
	char *text = strdup(path);
	if (!text)
		return err_add(err, ERR_INTERNAL, "out of memory");
	/* Each parent in turn, then the whole; the first character may be the root's slash. */
	size_t n = strlen(text);
	enum err_code code = n > 0 ? ERR_OK : err_add(err, ERR_IO, "cannot make a directory with an empty name");
	for (size_t i = 1; i <= n && code == ERR_OK; i++) {
		if (text[i] != '/' && text[i] != '\0')
			continue;
		char kept = text[i];
		text[i] = '\0';
		struct stat status;
		if (mkdir(text, 0777) != 0) {
			int why = errno; /* a directory we may not make may exist all the same */
			if (stat(text, &status) != 0 || !S_ISDIR(status.st_mode))
				code = err_add(err, ERR_IO, "%s: cannot make this directory: %s", text,
				               strerror(why == EEXIST ? ENOTDIR : why));
		}
		text[i] = kept;
	}
	free(text);
	return code;
}

static char *temporary_name(const char *path)
{
	/* Hidden, and of this process alone: two runs may write the same result at once. */
	char *copy = strdup(path), *other = strdup(path), name[512];
	char *temporary = NULL;
	if (copy && other) {
		int n = snprintf(name, sizeof(name), ".%s.%ld.tmp", basename(other), (long)getpid());
		if (n > 0 && (size_t)n < sizeof(name))
			temporary = store_join(dirname(copy), name);
	}
	free(copy);
	free(other);
	return temporary;
}

enum err_code store_open(struct store_file *file, const char *path, struct err *err)
{
	assert(file && !file->file);
	*file = (struct store_file){0};
	if (!path) {
		file->file = stdout;
		return ERR_OK;
	}
	/* A link stays one: what it leads to is replaced. A device or pipe is never replaced, but written to. */
	struct stat status;
	bool is_there = stat(path, &status) == 0, is_file = !is_there || S_ISREG(status.st_mode);
	file->path = is_there ? realpath(path, NULL) : strdup(path);
	file->temporary = is_file && file->path ? temporary_name(file->path) : NULL;
	enum err_code code = ERR_OK;
	if (!file->path || (is_file && !file->temporary)) {
		code = err_add(err, ERR_INTERNAL, "%s: out of memory or name too long", path);
	} else {
		file->file = fopen(is_file ? file->temporary : file->path, "w");
		if (!file->file)
			code = err_add(err, ERR_IO, "%s: cannot write: %s", path, strerror(errno));
	}
	if (code != ERR_OK)
		store_abandon(file);
	return code;
}

enum err_code store_redirect(struct store_file *file, const char *path, struct err *err)
{
	assert(file && file->file && file->path && path);
	char *copy = strdup(path);
	if (!copy)
		return err_add(err, ERR_INTERNAL, "out of memory");
	free(file->path);
	file->path = copy;
	return ERR_OK;
}

void store_sync_dir(const char *path)
{
	char *copy = strdup(path);
	if (!copy)
		return;
	int descriptor = open(dirname(copy), O_RDONLY | O_DIRECTORY);
	if (descriptor >= 0) {
		(void)fsync(descriptor);
		(void)close(descriptor);
	}
	free(copy);
}

void store_settle(struct store_file *file)
{
	assert(file && file->file);
	/* A stream remembers that it failed; a sync that failed is told once only. EINVAL: not a file that can be
	 * synced, such as a pipe. */
	file->is_settled = fflush(file->file) == 0;
	if (file->is_settled && file->path && fsync(fileno(file->file)) != 0 && errno != EINVAL)
		file->sync_error = errno;
}

enum err_code store_rename(struct store_file *file, struct err *err)
{
	assert(file && file->file);
	errno = 0;
	bool failed = fflush(file->file) != 0 || ferror(file->file);
	int why = errno;
	if (!file->path) {
		file->file = NULL;
		return failed ? err_add(err, ERR_IO, "standard output: cannot write: %s", strerror(why ? why : EIO))
		              : ERR_OK;
	}
	if (!failed && !file->is_settled)
		store_settle(file);
	if (!failed && file->sync_error != 0) {
		failed = true;
		why = file->sync_error;
	}
	if (fclose(file->file) != 0 && !failed) {
		failed = true;
		why = errno;
	}
	file->file = NULL;
	if (!failed && file->temporary && rename(file->temporary, file->path) != 0) {
		failed = true;
		why = errno;
	}
	enum err_code code = ERR_OK;
	if (failed)
		code = err_add(err, ERR_IO, "%s: cannot write: %s", file->path, strerror(why ? why : EIO));
	if (failed && file->temporary)
		(void)unlink(file->temporary);
	free(file->path);
	free(file->temporary);
	*file = (struct store_file){0};
	return code;
}

enum err_code store_commit(struct store_file *file, struct err *err)
{
	char *path = file->temporary ? strdup(file->path) : NULL;
	enum err_code code = store_rename(file, err);
	if (code == ERR_OK && path)
		store_sync_dir(path);
	free(path);
	return code;
}

void store_abandon(struct store_file *file)
{
	assert(file);
	if (file->file && file->path) {
		(void)fclose(file->file);
		if (file->temporary)
			(void)unlink(file->temporary);
	}
	free(file->path);
	free(file->temporary);
	*file = (struct store_file){0};
}

/* The process that writes a file of this name, as temporary_name makes it; 0: it is no such name. */
static long writer_of(const char *name)
{
	const char *end = strrchr(name, '.'), *digits = end;
	if (name[0] != '.' || !end || strcmp(end, ".tmp") != 0)
		return 0;
	while (digits > name && isdigit((unsigned char)digits[-1]))
		digits--;
	return digits > name + 1 && digits[-1] == '.' ? strtol(digits, NULL, 10) : 0;
}

void store_sweep(const char *dir)
{
	assert(dir);
	DIR *folder = opendir(dir);
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		long process = writer_of(entry->d_name);
		if (process <= 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH)
			continue;
		char *path = store_join(dir, entry->d_name);
		if (path)
			(void)unlink(path);
		free(path);
	}
	if (folder)
		(void)closedir(folder);
}
