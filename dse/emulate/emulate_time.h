/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EMULATE_TIME_H
#define DSE_EMULATE_TIME_H
/*
 * Times of a run: what the run-time model of multi-layer schedules (mapper/octopus/octopus_time.h) says of each
 * worker's own tiles, loads and bytes; and the time area of the DRAM (mapper/DRAM.md), in which emulator and chip leave
 * them.
 *
 *   emulator that has run, machine -> emulate_time_make -> times -> emulate_time_write -> bytes of the time area
 *                                                                <- emulate_time_read  <-
 */
#include "dse/emulate/emulate.h"
#include "mapper/octopus/octopus_time.h"

/* Parts of a worker's time, as its record has them: enum octopus_part without the scheduler's. */
#define EMULATE_N_PART (N_OCTOPUS_PART - 1)

struct emulate_worker_time {
	double begin_us, end_us;        /* from the start of the run */
	double part_us[EMULATE_N_PART]; /* part i: octopus_part_name[1 + i] */
};
struct emulate_layer_time {
	double begin_us, end_us;            /* of the scheduler: with starting its workers */
	struct emulate_worker_time *worker; /* [n_worker of the layer] */
};

/* Initialise with {0}; free with emulate_time_free. */
struct emulate_times {
	double setup_us, cleanup_us, total_us;
	struct emulate_layer_time *layer; /* [n_layer] */
	struct arena arena;
};

/*
 * Times of a run on a machine (a QPE or chip) at a level; the emulator must have run. Each worker has its own work; as
 * in the model nothing overlaps, and all workers of a layer share the DRAM evenly. Costs some ms a layer.
 */
void emulate_time_make(const struct emulator *emulator, const struct machine *machine, uint32_t level,
                       struct emulate_times *times);
/* Times of all layers and workers, 0. */
void emulate_time_make_room(const struct octopus_dram *dram, struct emulate_times *times);
void emulate_time_free(struct emulate_times *times);

/* The slowest worker's time, and what the layer takes besides: the scheduler's. */
double emulate_time_of_workers(const struct octopus_dram *dram, const struct emulate_times *times, uint32_t l);
double emulate_time_of_scheduler(const struct octopus_dram *dram, const struct emulate_times *times, uint32_t l);

/* The area's bytes [dram->times.byte], in ticks of dram->tick_ps, rounded. */
void emulate_time_write(const struct octopus_dram *dram, const struct emulate_times *times, uint8_t *area);

/*
 * Read an area: ERR_INPUT with file:offset, record and field where it has another size, was not filled, a record ends
 * before it begins or takes longer than its layer, or a worker without tiles has times. *times is empty then.
 */
enum err_code emulate_time_read(const char *name, const uint8_t *area, size_t n_byte, const struct octopus_dram *dram,
                                struct emulate_times *times, struct err *err);

#endif
