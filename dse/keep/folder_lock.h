/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FOLDER_LOCK_H
#define DSE_FOLDER_LOCK_H
/*
 * Folder lock: of the processes that are at work in a folder one has it. The
 * lock is on a hidden file that has no other use: it is never renamed, and only
 * its holder removes it, so what else comes and goes in the folder has no part
 * in it. It goes with the process, however that ends; a file that a kill left
 * behind is nobody's. On network file systems it holds between machines where
 * the server has locks.
 */
#include <stdbool.h>

#define FOLDER_LOCK_RUN ".lock-run"     /* held while a run or a night is at work: journal and checkpoint are its own */
#define FOLDER_LOCK_FILES ".lock-files" /* held while results get their names, so that they are one run's */

/* Initialise with `struct folder_lock lock = {0};`. */
struct folder_lock {
	char *path; /* of the file; NULL: nothing is held */
	int descriptor;
};

/*
 * Take the lock of this name in dir; another process's is waited for so many seconds. False: it has it still. True also
 * where there can be no lock (no such folder, one that cannot be written, a file system without locks): nothing is held
 * then, and what the caller writes there tells by itself what is wrong.
 */
bool folder_lock_take(struct folder_lock *lock, const char *dir, const char *name, unsigned wait_s);

/* Give it back; does nothing where nothing is held. */
void folder_lock_release(struct folder_lock *lock);

#endif
