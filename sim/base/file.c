/* SPDX-License-Identifier: Apache-2.0 */
/* Reading files, pipes and terminals, interruptible where one has to wait. */
#include "sim/base/file.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_BYTE 65536u
/* Between two looks for a signal: one that comes just before poll would not end it. */
#define WAIT_MS 100

static enum err_code say_unreadable(const char *path, struct err *err)
{
	return err_add(err, ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
}

static enum err_code say_interrupted(const char *path, struct err *err)
{
	return err_add(err, ERR_INTERRUPTED, "%s: interrupted while it was read", path);
}

/* Opening a FIFO would wait for who writes it, and no signal end that: reads go on after the program's signals. */
enum err_code file_open(const char *path, struct file_input *input, struct err *err)
{
	struct stat status;
	assert(path && input);
	*input = (struct file_input){.path = path, .descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
	if (input->descriptor < 0)
		return say_unreadable(path, err);
	input->waits = fstat(input->descriptor, &status) != 0 || !S_ISREG(status.st_mode);
	return ERR_OK;
}

/* Until there is something, or the end. */
static enum err_code wait_for(const struct file_input *input, struct err *err)
{
	struct pollfd wanted = {.fd = input->descriptor, .events = POLLIN};
	for (int n = 0; n == 0 || (n < 0 && errno == EINTR);) {
		if (stop_requested(NULL))
			return say_interrupted(input->path, err);
		n = poll(&wanted, 1, WAIT_MS);
		if (n < 0 && errno != EINTR)
			return say_unreadable(input->path, err);
	}
	return ERR_OK;
}

/*
 * A FIFO that nobody has opened for writing yet reads as one at its end, so the first read waits. Later ones try: once
 * all writers are gone there may be nothing left to wait for.
 */
enum err_code file_next(struct file_input *input, void *data, size_t max_byte, size_t *n_byte, struct err *err)
{
	bool waits = input->waits && !input->has_begun;
	assert(max_byte > 0);
	if (input->waits && stop_requested(NULL)) /* who writes may never end */
		return say_interrupted(input->path, err);
	for (;;) {
		enum err_code code = waits ? wait_for(input, err) : ERR_OK;
		if (code != ERR_OK)
			return code;
		ssize_t n = read(input->descriptor, data, max_byte);
		if (n >= 0) {
			input->has_begun = true;
			*n_byte = (size_t)n;
			return ERR_OK;
		}
		if (errno != EAGAIN && errno != EINTR)
			return say_unreadable(input->path, err);
		waits = true;
	}
}

void file_close(struct file_input *input)
{
	(void)close(input->descriptor);
	input->descriptor = -1;
}

static enum err_code read_all(struct file_input *input, size_t max_byte, char **text, size_t *n_byte, struct err *err)
{
	size_t n_alloc = 0, n = 0, n_more = 1;
	while (n_more > 0 && n <= max_byte) {
		if (n == n_alloc) {
			n_alloc = n_alloc ? 2 * n_alloc : FIRST_BYTE;
			char *more = realloc(*text, n_alloc);
			if (!more)
				return err_add(err, ERR_INTERNAL, "%s: out of memory", input->path);
			*text = more;
		}
		enum err_code code = file_next(input, *text + n, n_alloc - n, &n_more, err);
		if (code != ERR_OK)
			return code;
		n += n_more;
		assert(n <= n_alloc);
	}
	*n_byte = n;
	return ERR_OK;
}

enum err_code file_read(const char *path, size_t max_byte, char **text, size_t *n_byte, struct err *err)
{
	struct file_input input;
	assert(path && text && n_byte);
	*text = NULL;
	*n_byte = 0;
	enum err_code code = file_open(path, &input, err);
	if (code != ERR_OK)
		return code;
	code = read_all(&input, max_byte, text, n_byte, err);
	file_close(&input);
	if (code != ERR_OK) {
		free(*text);
		*text = NULL;
	}
	return code;
}
