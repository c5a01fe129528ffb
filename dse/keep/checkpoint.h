/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CHECKPOINT_H
#define DSE_CHECKPOINT_H
/*
 * Checkpoint: the whole state of one search, written now and then while it
 * runs, so that a killed search goes on from there and ends with the same
 * result. The file is a journal with one JOURNAL_STATE; it is replaced as a
 * whole, so there is always an old or a new one.
 */
#include "dse/keep/journal.h"

/* Initialise with path, question and, when a search goes on, its state. */
struct checkpoint {
	const char *path;     /* of the file */
	const char *question; /* whose state it is (dse/run/resume.h) */
	const uint8_t *state; /* of an earlier process; NULL: the search begins */
	size_t n_state;
	uint64_t next_ms; /* when the next one is due; 0: not decided yet */
	bool failed;      /* the last could not be written; the search goes on all the same */
};

/* Whether it is time again: writing takes at most a twentieth of the time, and happens at most four times a second. */
bool checkpoint_is_due(struct checkpoint *checkpoint);

/* Write the state that pack holds. */
void checkpoint_write(struct checkpoint *checkpoint, const struct pack *pack);

#endif
