/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/keep/folder_lock.h"
#include "dse/base/memory.h"
#include "dse/keep/output_file.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_MS 10

/* Whether the file that is open is the one at path: its last holder may have removed it before it was locked here. */
static bool is_at(int descriptor, const char *path)
{
	struct stat own, there;
	return fstat(descriptor, &own) == 0 && stat(path, &there) == 0 && own.st_dev == there.st_dev &&
	       own.st_ino == there.st_ino;
}

/* The locked file's descriptor; < 0: another process has it (*is_busy), or there can be no lock. */
static int try_lock(const char *path, bool *is_busy)
{
	for (*is_busy = false;;) {
		int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (descriptor < 0)
			return -1;
		bool has_lock = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
		if (has_lock && is_at(descriptor, path))
			return descriptor;
		*is_busy = !has_lock && errno == EWOULDBLOCK;
		(void)close(descriptor);
		if (!has_lock)
			return -1;
	}
}

bool folder_lock_take(struct folder_lock *lock, const char *dir, const char *name, unsigned wait_s)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
	assert(lock && !lock->path && dir && name);
	char *path = memory_must(output_file_join(dir, name));
	bool is_busy = false;
	int descriptor = try_lock(path, &is_busy);
	for (unsigned i = 0; is_busy && i < wait_s * (1000 / PAUSE_MS); i++) {
		(void)nanosleep(&pause, NULL);
		descriptor = try_lock(path, &is_busy);
	}
	if (descriptor >= 0)
		*lock = (struct folder_lock){path, descriptor};
	else
		free(path);
	return !is_busy;
}

void folder_lock_release(struct folder_lock *lock)
{
	if (!lock->path)
		return;
	/* while it is held, so that nobody's file goes who has it now */
	if (is_at(lock->descriptor, lock->path))
		(void)unlink(lock->path);
	(void)close(lock->descriptor);
	free(lock->path);
	*lock = (struct folder_lock){0};
}
