/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EMULATE_H
#define DSE_EMULATE_H
/*
 * An emulator of a chip that runs a DRAM image (mapper/DRAM.md): host, scheduler, workers, DRAM. It starts from the
 * image's bytes alone and knows neither network nor graph.
 *
 *   bytes -> emulate_open: read, checked, every record held against its layer -> emulate_write_input
 *         -> emulate_run: layer by layer, worker by worker, tile by tile, in whole numbers -> emulate_read_output
 *
 * Arithmetic is that of mapper/quantise/quantise_arithmetic.h.
 *
 * A scheduler goes from layer to layer; each worker of a layer does its tiles in turn. A worker's SRAM has what its
 * tile needs and what it keeps for the next one. Bytes and packets are counted as they pass.
 */
#include "mapper/octopus/octopus_dram.h"
#include "mapper/octopus/octopus_traffic.h"

/* Where a tile lies, as far as its record and its layer's shape tell. */
struct emulate_tile {
	uint32_t w, h;                   /* of its result before pooling; linear: columns, rows */
	uint32_t first_filter, n_filter; /* channels of the result; linear: columns */
	uint32_t in_w, in_h, in_c;       /* of its ifmap, without padding; linear: in_w numbers of in_h rows */
	uint32_t added_byte;
};

/* Initialise with {0}; free with emulate_close. */
struct emulator {
	struct octopus_dram dram;
	uint8_t *data;                   /* [dram.data.byte]: the data memory */
	uint8_t **sram;                  /* [dram.n_tensor] of those that stay in the workers' SRAM; else NULL */
	bool is_resident;                /* some tensor does, and weights are loaded once */
	struct emulate_tile **tile;      /* [n_layer][n_tile] */
	struct octopus_traffic *traffic; /* [n_layer] of the runs so far together */
	struct octopus_traffic **part;   /* [n_layer][n_worker] of the last run */
	uint64_t n_run;
	struct arena arena;
};

/*
 * Read an image and make a chip of it, its data memory all zeros. name stands for the file in messages. ERR_INPUT: the
 * image is damaged, has no constants, or has what the emulator cannot run, each with offset, record and field. The
 * emulator is empty then.
 */
enum err_code emulate_open(const char *name, const uint8_t *image, size_t n_byte, struct emulator *emulator,
                           struct err *err);
/* The same of a file, or of the dram.bin of a folder. ERR_IO, too. */
enum err_code emulate_open_path(const char *path, struct emulator *emulator, struct err *err);
void emulate_close(struct emulator *emulator);

/* Bytes that the host writes before a run and reads after it: input tensors in their order, output tensors. */
size_t emulate_n_input(const struct emulator *emulator);
size_t emulate_n_output(const struct emulator *emulator);
void emulate_write_input(struct emulator *emulator, const int8_t *input);
void emulate_read_output(const struct emulator *emulator, int8_t *output);

/* Products, and numbers that pooling looks at, of a run; saturates. */
uint64_t emulate_n_mac(const struct emulator *emulator);

/* Run all layers, on what the data memory has. false: a stop was wished (sim/base/stop.h), and the run is not done. */
bool emulate_run(struct emulator *emulator);

#endif
