/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RANKS_H
#define DSE_RANKS_H
/*
 * Ranks: the processes of one run under mpirun. ranks.c is the only file that
 * knows MPI. Built without it, or started alone, the program is rank 0 of 1,
 * and all of this does nothing. What is said of "all ranks" must be called by
 * each of them, in the same order.
 */
#include "dse/base/pack.h"
#include "sim/base/err.h"

/* Join the others, where mpirun or the like started the program; first thing in main. */
void ranks_start(int *argc, char ***argv);

/* Leave them; all ranks. */
void ranks_end(void);

/* The MPI library in use, "Open MPI v4.1.4"; in text, or without MPI "none". */
#define RANKS_LIBRARY_SIZE 64
const char *ranks_library(char text[RANKS_LIBRARY_SIZE]);

unsigned ranks_index(void);
unsigned ranks_n(void);

/*
 * Agree whether to go on; all ranks. Returns code, or where it is ERR_OK and another rank's is not, that one's; rank 0
 * then has its messages in err. Other ranks' messages are for rank 0 to tell.
 */
enum err_code ranks_agree(enum err_code code, struct err *err);

/* Everybody's bytes become rank from's; all ranks. */
void ranks_broadcast(unsigned from, void *data, size_t n_byte);

/*
 * Give rank 0 what every rank has; all ranks. On rank 0 part[i] is what rank i had, n_byte[i] bytes for the caller to
 * free, [ranks_n()] both; elsewhere they are not written and may be NULL. When memory is out the program ends.
 */
void ranks_gather(const struct pack *own, uint8_t **part, size_t *n_byte);

/*
 * Give all ranks what one of them has; all ranks. own: what rank `from` gives, read there only. *data is [*n_byte], the
 * same everywhere, for the caller to free. When memory is out the program ends.
 */
void ranks_spread(unsigned from, const struct pack *own, uint8_t **data, size_t *n_byte);

/* Work on items of which any rank can do any: a batch of candidates to evaluate. */
struct ranks_work {
	size_t in_byte, out_byte; /* of one item */
	/* n items of in to n of out */
	void (*work)(void *context, const void *in, size_t n, void *out);
	void *context;
};

/* On rank 0, when the others serve: each rank works on a part of the n items. */
void ranks_map(const struct ranks_work *work, const void *in, size_t n, void *out);

/* On the others: work on what rank 0 sends, until it dismisses them. When memory is out the program ends. */
void ranks_serve(const struct ranks_work *work);
void ranks_dismiss(void);

#endif
