/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_MEASURED_H
#define DSE_ARADA_MEASURED_H
/*
 * Measured times of layers at full speed, which take the place of the simulator's: a CSV with the columns machine,
 * memory, network (names of the space), layer (from 0, convolutions and fully connected layers counted), total_us,
 * stall_us (of it, waiting for the memory) and dram_byte (that crossed the interface).
 */
#include "dse/arada/arada.h"
#include "dse/space/space.h"
#include "sim/base/arena.h"

struct arada_measured_layer {
	size_t machine, memory, network, layer; /* of the space, of its arada.memory, of the network's layers */
	double total_us, stall_us, dram_byte;
};

struct arada_measured {
	size_t n;
	struct arada_measured_layer *layer; /* [n] sorted by the four numbers, each combination once */
	struct arena arena;
};

/* ERR_INPUT with a place, ERR_IO. Caller frees, also after an error. */
enum err_code arada_measured_read(const struct space *space, const char *csv, struct arada_measured *measured,
                                  struct err *err);
void arada_measured_free(struct arada_measured *measured);

/* Whether a layer was measured; its clocks and words on the machine (target systolic) then. measured may be NULL. */
bool arada_measured_find(const struct arada_measured *measured, const struct arada_measured_layer *key,
                         const struct machine *machine, struct arada_layer *layer);

#endif
