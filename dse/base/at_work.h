/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_AT_WORK_H
#define DSE_AT_WORK_H
/*
 * What a process is at work on, in memory that the one which started it sees, also after an abort, a kill or a hang; and
 * what it is to leave out.
 *
 *   parent: at_work_new ─► child_run ─► at_work_item: that ended it ─► at_work_leave_out ─► child_run ...
 *   child:  at_work_join ─► at_work_begin .. at_work_end, by each thread ─► at_work_finish
 *
 * Of several threads nobody can tell whose work ended the process: a parent that wants to know has the child run with one.
 */
#include "sim/base/err.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define AT_WORK_MAX_THREAD 256
#define AT_WORK_MAX_OUT 64
#define AT_WORK_WHY_SIZE 128
/* By which the child finds the file that both have in memory. */
#define AT_WORK_VARIABLE "DSE_AT_WORK"

/* The file, as both have it in memory. Zeros but for what is said. */
struct at_work_page {
	/* [thread in the order in which they began] the item's number and 1, and since when, by stop_now_ms */
	struct {
		atomic_uint_fast64_t item_1, begin_ms;
	} thread[AT_WORK_MAX_THREAD];
	atomic_uint n_thread;
	atomic_uint_fast64_t last_1; /* the last item that a thread came to the end of, and 1 */
	atomic_bool is_finished; /* the child came to its end, whatever that is */
	bool is_again;           /* it goes on with what another one has left */
	uint64_t end_ms;         /* when its time is up, by stop_now_ms; 0: never */
	uint32_t n_out;
	struct {
		uint64_t item;
		char why[AT_WORK_WHY_SIZE];
	} out[AT_WORK_MAX_OUT]; /* [n_out] */
};

struct at_work {
	struct at_work_page *page;
	char path[4096], variable[4096 + 32]; /* of the file; AT_WORK_VARIABLE=path */
};

/* A file in TMPDIR, whose name and memory at_work_free gives back. ERR_IO. */
enum err_code at_work_new(struct at_work *at_work, struct err *err);
void at_work_free(struct at_work *at_work);

/* The child's: NULL where nobody asked for it, and then nothing happens below. */
struct at_work_page *at_work_join(void);

/* This thread is at work on an item from now on. Returns what at_work_end needs. page may be NULL. */
uint64_t at_work_begin(struct at_work_page *page, uint64_t item);
void at_work_end(struct at_work_page *page, uint64_t before);

/* Why an item is left out; NULL: it is not. page may be NULL. */
const char *at_work_is_out(const struct at_work_page *page, uint64_t item);

/* The child has done what it was asked, or knows why it cannot: no other one is to try again. page may be NULL. */
void at_work_finish(struct at_work_page *page);

/* ---- of the parent ---- */

/* Before a child is started. */
void at_work_clear(struct at_work *at_work);

/*
 * What a child of one thread was at work on when it ended; false: nothing. takes_last: where it was at work on nothing any
 * more, what it was at work on last, as one that finds no memory may have left it.
 */
bool at_work_item(const struct at_work *at_work, bool takes_last, uint64_t *item);

/* Whether some thread has been at work on the same for so long. */
bool at_work_is_slow(const struct at_work *at_work, uint64_t max_ms);

/* false: AT_WORK_MAX_OUT are out already. */
bool at_work_leave_out(struct at_work *at_work, uint64_t item, const char *why);

#endif
