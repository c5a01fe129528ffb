/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FRONT_STORE_H
#define DSE_FRONT_STORE_H
/*
 * Layer fronts that outlive a run: a layer that was searched before, on a machine
 * alike as far as dse/layer/front_key.h says, by the same program, is not searched again.
 *
 *   search of a layer ─► take: known? ─► its front, counts and nearest miss, as that search left them
 *                             └─► no: search, keep ─► written to the store of runs at the end, in one transaction
 */
#include "dse/search/front_cache.h"

struct front_store;

/*
 * Fronts of the store of runs at path; *fronts is NULL where this program does not know its sources, and then nothing
 * is kept. ERR_IO, ERR_INPUT, ERR_INTERNAL.
 */
enum err_code front_store_open(const char *path, struct front_store **fronts, struct err *err);

/* What searches ask and tell (dse/search/front_cache.h), from any thread; fronts may be NULL. */
struct front_keeper front_store_keeper(struct front_store *fronts);

/* Searches that were known so far. */
uint64_t front_store_n_taken(const struct front_store *fronts);

/*
 * The same for bytes of the caller's under a key: what of it is known, to be freed, NULL where nothing is; and bytes to
 * be kept in their place. fronts may be NULL. From any thread.
 */
uint8_t *front_store_take_bytes(struct front_store *fronts, const struct front_key *key, size_t *n_byte);
void front_store_keep_bytes(struct front_store *fronts, const struct front_key *key, const void *data, size_t n_byte);

/* Write what is to be kept. ERR_IO, ERR_INTERNAL; the store is as it was then. */
enum err_code front_store_write(struct front_store *fronts, struct err *err);
void front_store_close(struct front_store *fronts);

#endif
