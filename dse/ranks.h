/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RANKS_H
#define DSE_RANKS_H
/*
 * Ranks: the processes of one run under mpirun. ranks.c is the only file that
 * knows MPI, and the only one that changes when there is none: then, and when
 * nobody started the program as one of several, it is rank 0 of 1.
 */
#include "dse/pack.h"
#include "sim/base/err.h"

/* Join the others, where mpirun or the like started the program; before anything else of main. */
void ranks_start(int *argc, char ***argv);

/* Leave them. Every rank must come here. */
void ranks_end(void);

unsigned ranks_index(void);
unsigned ranks_n(void);

/* Wait until every rank is here. */
void ranks_wait(void);

/*
 * Give rank 0 what every rank has: there part[i] is rank i's bytes, of n_byte[i], for the caller to free, and
 * part is [ranks_n()]; elsewhere nothing is written. All ranks call. ERR_INTERNAL on rank 0 when memory is out.
 */
enum err_code ranks_gather(const struct pack *own, uint8_t **part, size_t *n_byte, struct err *err);

#endif
