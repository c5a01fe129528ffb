/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_DRAM_IMAGE_H
#define DSE_DRAM_IMAGE_H
/*
 * dram.bin: the first bytes of the DRAM, up to the constants, as a host writes them before a multi-layer schedule runs
 * (mapper/octopus/octopus_dram.h). Byte n of the file is address n of the DRAM; mapper/DRAM.md has the layout. Messages
 * are `file:byte offset: record, field is ..., expected ...`.
 */
#include "dse/base/pack.h"
#include "mapper/octopus/octopus_dram.h"

/* No longer image is read. */
#define DRAM_IMAGE_MAX_BYTE ((size_t)256 << 20)

/* The image of a plan, appended to an empty pack. The same plan gives the same bytes. */
void dram_image_write(const struct octopus_dram *dram, struct pack *pack);

/*
 * The plan that n_byte bytes are the image of; name stands for the file in messages. Checked on the way: magic,
 * version, checksum, that every record is where the one before says and the list of layers ends, counts, and that every
 * address is aligned and in the area it belongs to. ERR_INPUT at the first mistake; *dram is empty
 * then, else the caller frees it. What makes a sound plan besides tells dram_check.
 */
enum err_code dram_image_read(const char *name, const uint8_t *data, size_t n_byte, struct octopus_dram *dram,
                              struct err *err);

/*
 * Whether tensors that are alive at once are apart and in the data memory, tiles of a layer cover its result exactly,
 * tiles read tensors that are alive and stay inside them, weights and biases lie in the layer's constants, and each PE
 * exists and has one part to play. All mistakes; ERR_INPUT.
 */
enum err_code dram_check(const char *name, const struct octopus_dram *dram, struct err *err);

/* Set the checksum of an image of at least DRAM_HEAD_BYTE bytes, some of which were changed. */
void dram_image_seal(uint8_t *data, size_t n_byte);

#endif
