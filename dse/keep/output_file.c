/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* realpath of POSIX, fopencookie of glibc, musl and FreeBSD */
#include "dse/keep/output_file.h"
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

char *output_file_join(const char *dir, const char *name)
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

enum err_code output_file_make_dir(const char *path, struct err *err)
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
			temporary = output_file_join(dirname(copy), name);
	}
	free(copy);
	free(other);
	return temporary;
}

bool output_file_write_all(int descriptor, const void *data, size_t n_byte)
{
	const char *at = data;
	while (n_byte > 0) {
		ssize_t n = write(descriptor, at, n_byte);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return false;
		at += n;
		n_byte -= (size_t)n;
	}
	return true;
}

/* What a file's stream writes to: stdio tells that a write failed, this one keeps why. */
struct store_stream {
	int descriptor, error; /* errno of the first write that failed; 0: none */
};

static ssize_t put_bytes(void *cookie, const char *data, size_t n_byte)
{
	struct store_stream *stream = cookie;
	if (output_file_write_all(stream->descriptor, data, n_byte))
		return (ssize_t)n_byte;
	if (stream->error == 0)
		stream->error = errno;
	return 0;
}

/* front.json is signed when it is written. */
static int seek_stream(void *cookie, off64_t *offset, int whence)
{
	const struct store_stream *stream = cookie;
	off_t at = lseek(stream->descriptor, (off_t)*offset, whence);
	*offset = (off64_t)at;
	return at < 0 ? -1 : 0;
}

static int close_stream(void *cookie)
{
	const struct store_stream *stream = cookie;
	return close(stream->descriptor);
}

/* The file's stream, which stays the file's after fclose; NULL with errno. */
static FILE *open_stream(struct output_file *file, const char *path)
{
	static const cookie_io_functions_t calls = {.write = put_bytes, .seek = seek_stream, .close = close_stream};
	file->stream = calloc(1, sizeof(*file->stream));
	int descriptor = file->stream ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
	if (descriptor < 0)
		return NULL;
	file->stream->descriptor = descriptor;
	FILE *opened = fopencookie(file->stream, "w", calls);
	if (!opened)
		(void)close(descriptor);
	return opened;
}

static void forget(struct output_file *file)
{
	free(file->path);
	free(file->temporary);
	free(file->stream);
	*file = (struct output_file){0};
}

enum err_code output_file_open(struct output_file *file, const char *path, struct err *err)
{
	assert(file && !file->file);
	*file = (struct output_file){0};
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
		file->file = open_stream(file, is_file ? file->temporary : file->path);
		if (!file->file)
			code = err_add(err, ERR_IO, "%s: cannot write: %s", path, strerror(errno));
	}
	if (code != ERR_OK)
		output_file_abandon(file);
	return code;
}

enum err_code output_file_open_in(struct output_file *file, const char *dir, const char *name, struct err *err)
{
	char *path = output_file_join(dir, name);
	enum err_code code = path ? output_file_open(file, path, err) : err_add(err, ERR_INTERNAL, "out of memory");
	free(path);
	return code;
}

enum err_code output_file_redirect(struct output_file *file, const char *path, struct err *err)
{
	assert(file && file->file && file->path && path);
	char *copy = strdup(path);
	if (!copy)
		return err_add(err, ERR_INTERNAL, "out of memory");
	free(file->path);
	file->path = copy;
	return ERR_OK;
}

void output_file_sync_dir(const char *path)
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

void output_file_settle(struct output_file *file)
{
	assert(file && file->file);
	/* A stream remembers that it failed; a sync that failed is told once only. EINVAL: not a file that can be
	 * synced, such as a pipe. */
	file->is_settled = fflush(file->file) == 0;
	if (file->is_settled && file->path && fsync(file->stream->descriptor) != 0 && errno != EINVAL)
		file->sync_error = errno;
}

/* Why a call has failed, as far as anybody knows. */
static int error_now(void)
{
	return errno ? errno : EIO;
}

int output_file_descriptor(const struct output_file *file)
{
	assert(file && file->stream);
	return file->stream->descriptor;
}

enum err_code output_file_flush_stdout(struct err *err)
{
	errno = 0;
	int why = fflush(stdout) != 0 ? error_now() : 0;
	/* An earlier write failed, nobody knows why: a further byte of the broken output says it. */
	if (why == 0 && ferror(stdout))
		why = write(STDOUT_FILENO, "\n", 1) < 0 ? errno : EIO;
	return why != 0 ? err_add(err, ERR_IO, "standard output: cannot write: %s", strerror(why)) : ERR_OK;
}

enum err_code output_file_rename(struct output_file *file, struct err *err)
{
	assert(file && file->file);
	if (!file->path) {
		file->file = NULL;
		return output_file_flush_stdout(err);
	}
	errno = 0;
	int why = 0; /* an errno; 0: all is well */
	if (fflush(file->file) != 0 || ferror(file->file))
		why = file->stream->error ? file->stream->error : error_now();
	if (why == 0 && !file->is_settled)
		output_file_settle(file);
	why = why ? why : file->sync_error;
	if (fclose(file->file) != 0 && why == 0)
		why = error_now();
	file->file = NULL;
	if (why == 0 && file->temporary && rename(file->temporary, file->path) != 0)
		why = error_now();
	if (why != 0 && file->temporary)
		(void)unlink(file->temporary);
	enum err_code code =
	    why != 0 ? err_add(err, ERR_IO, "%s: cannot write: %s", file->path, strerror(why)) : ERR_OK;
	forget(file);
	return code;
}

enum err_code output_file_commit(struct output_file *file, struct err *err)
{
	char *path = file->temporary ? strdup(file->path) : NULL;
	enum err_code code = output_file_rename(file, err);
	if (code == ERR_OK && path)
		output_file_sync_dir(path);
	free(path);
	return code;
}

void output_file_abandon(struct output_file *file)
{
	assert(file);
	if (file->file && file->path) {
		(void)fclose(file->file);
		if (file->temporary)
			(void)unlink(file->temporary);
	}
	forget(file);
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

void output_file_sweep(const char *dir)
{
	assert(dir);
	DIR *folder = opendir(dir);
	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		long process = writer_of(entry->d_name);
		if (process <= 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH)
			continue;
		char *path = output_file_join(dir, entry->d_name);
		if (path)
			(void)unlink(path);
		free(path);
	}
	if (folder)
		(void)closedir(folder);
}
