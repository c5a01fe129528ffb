/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/keep/files_read.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTE ((size_t)1 << 20)

struct file_reading {
	struct files_read *file;
	int descriptor;
	size_t first_piece; /* of all files' */
	atomic_int why_not; /* an errno; 0: nothing failed */
};

struct readings {
	struct file_reading *reading;
	size_t n;
};

static void read_piece(void *context, size_t piece)
{
	const struct readings *readings = context;
	struct file_reading *reading = readings->reading;
	for (size_t i = 1; i < readings->n && readings->reading[i].first_piece <= piece; i++)
		reading = &readings->reading[i];
	size_t at = (piece - reading->first_piece) * PIECE_BYTE, left = reading->file->n_byte - at;
	for (left = left < PIECE_BYTE ? left : PIECE_BYTE; left > 0;) {
		errno = 0;
		ssize_t n = pread(reading->descriptor, reading->file->data + at, left, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) { /* shorter than it was: somebody else is at it */
			atomic_store(&reading->why_not, n < 0 ? errno : EBUSY);
			return;
		}
		at += (size_t)n;
		left -= (size_t)n;
	}
}

static enum err_code open_one(struct file_reading *reading, struct err *err)
{
	struct files_read *file = reading->file;
	struct stat status;
	/* a FIFO, which has no bytes of its own, is not waited for */
	reading->descriptor = open(file->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (reading->descriptor < 0 || fstat(reading->descriptor, &status) != 0)
		return err_add(err, ERR_IO, "%s: cannot be read: %s", file->path, strerror(errno));
	file->n_byte = (size_t)status.st_size;
	file->data = memory_must(malloc(file->n_byte + 1));
	file->data[file->n_byte] = '\0';
	return ERR_OK;
}

enum err_code files_read(struct files_read *file, size_t n, unsigned n_thread, struct err *err)
{
	struct file_reading *reading = memory_array(n, sizeof(*reading));
	size_t n_piece = 0;
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n; i++) {
		reading[i] = (struct file_reading){.file = &file[i], .descriptor = -1, .first_piece = n_piece};
		if (code == ERR_OK)
			code = open_one(&reading[i], err);
		n_piece += ceil_div(file[i].n_byte, PIECE_BYTE);
	}
	struct readings readings = {reading, n};
	if (code == ERR_OK)
		parallel_for(n_piece, n_thread, read_piece, &readings);
	for (size_t i = 0; i < n; i++) {
		int why_not = atomic_load(&reading[i].why_not);
		if (code == ERR_OK && why_not != 0)
			code = err_add(err, ERR_IO, "%s: cannot be read: %s", file[i].path, strerror(why_not));
		if (reading[i].descriptor >= 0)
			(void)close(reading[i].descriptor);
	}
	free(reading);
	return code;
}
