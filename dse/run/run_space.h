/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RUN_SPACE_H
#define DSE_RUN_SPACE_H
/*
 * The space of a run as it was then: space, machines and networks are read from the bytes that the store keeps, even
 * where the files have changed since.
 *
 *   run_store_find ─► run_inputs_load ─► run_space_read ─► struct space
 */
#include "dse/keep/run_store.h"
#include "dse/space/space.h"

/*
 * Let the run's inputs have their bytes: from the store, else (store NULL, or it keeps a large one by hash alone) from
 * the disk where the file is still the same. The bytes live in arena. ERR_INPUT naming each file that is neither,
 * ERR_IO, ERR_INTERNAL.
 */
enum err_code run_inputs_load(struct database *store, struct run_record *run, struct arena *arena, struct err *err);

/*
 * Read a space from the bytes of input [n], the space itself first; more files than it names are allowed. They lie in a
 * folder of their own under TMPDIR while they are read, because readers tell formats by a file's ending. given: as in
 * space_read_given; messages name the files as the run did. ERR_INPUT, ERR_IO, ERR_INTERNAL; *space is empty then.
 */
enum err_code run_space_read(const struct run_file *input, size_t n, const struct space_given *given,
                             struct space *space, struct err *err);

#endif
