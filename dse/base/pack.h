/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PACK_H
#define DSE_PACK_H
/*
 * Pack: plain values to bytes and back, for what a run keeps between processes
 * (dse/keep/journal.h, dse/keep/checkpoint.h, dse/keep/ranks.h). One function describes a
 * structure for both directions: it names each field once, and the pack writes
 * it or reads it. Bytes are little-endian on every machine.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialise with `struct pack pack = {0};` to write, with pack_reader to read. */
struct pack {
	uint8_t *data; /* writing: what was written; free with pack_free */
	size_t n, n_alloc;
	bool is_reading;
	const uint8_t *from; /* reading: the caller's bytes */
	size_t at;           /* of n */
	bool failed;         /* memory is out, the bytes end too soon, or what they say cannot be */
};

struct pack pack_reader(const void *data, size_t n_byte);
void pack_free(struct pack *pack);

/* Whether all went well, and a reader has come to the end of its bytes. */
bool pack_done(const struct pack *pack);

/* A reader that has found what cannot be says so; always false when writing. */
bool pack_refuse(struct pack *pack, bool is_wrong);

/*
 * Each writes or reads one field; a failed reader leaves it as it is. A writer only reads the field, which other
 * threads may do at the same time.
 */
void pack_u64(struct pack *pack, uint64_t *value);
void pack_u32(struct pack *pack, uint32_t *value);
void pack_size(struct pack *pack, size_t *value);
void pack_bool(struct pack *pack, bool *value);
void pack_real(struct pack *pack, double *value); /* bit by bit: also infinities */
void pack_bytes(struct pack *pack, void *data, size_t n_byte);

/* Write bytes that are nobody's field. */
void pack_append(struct pack *pack, const void *data, size_t n_byte);

/* Arrays of a length both sides know. */
void pack_u64s(struct pack *pack, uint64_t *value, size_t n);
void pack_u32s(struct pack *pack, uint32_t *value, size_t n);
void pack_reals(struct pack *pack, double *value, size_t n);

/*
 * A count of items that take at least item_byte bytes each, written or read. A reader refuses more than its bytes can
 * hold, so that no array is allocated for a length that was made up.
 */
void pack_count(struct pack *pack, size_t *n, size_t item_byte);

#endif
