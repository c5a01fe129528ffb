/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_IMAGE_FIELD_H
#define DSE_IMAGE_FIELD_H
/* Fields of an image, in both directions: named as they are written or read, so that a mistake has record and field. */
#include "dse/base/pack.h"
#include "mapper/octopus/octopus_dram.h"

/* An image being written or read, and the field last touched. Reading stops at the first mistake. */
struct image {
	struct pack pack;
	const char *name; /* of the file */
	struct err *err;
	enum err_code code;
	char record[48]; /* "layer 3, worker 7" */
	const char *field;
	uint64_t field_at;
};

uint64_t image_position(const struct image *image);

bool image_failed(const struct image *image);

void image_begin_record(struct image *image, const char *what, uint64_t i);

void image_begin_field(struct image *image, const char *field);

/* Whether the file has all bytes of the field; it says so of the first that it has not. */
void image_end_field(struct image *image);

void image_u64(struct image *image, const char *field, uint64_t *value);

void image_u32(struct image *image, const char *field, uint32_t *value);

/* The last field read is out of range. */
void image_require(struct image *image, uint64_t value, uint64_t min, uint64_t max);

void image_u32_in(struct image *image, const char *field, uint32_t *value, uint32_t min, uint32_t max);

/* A field whose value follows from what was read before. */
void image_u64_is(struct image *image, const char *field, uint64_t *value, uint64_t expected);

void image_u32_is(struct image *image, const char *field, uint32_t expected);

/* An array of the plan; makes it when reading. */
void *image_array(struct image *image, struct octopus_dram *dram, void *old, uint64_t n, size_t n_byte);

/* Bytes left of an image that is read; an array of so many records fits them. */
uint64_t image_room(const struct image *image);

#endif
