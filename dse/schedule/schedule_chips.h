/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SCHEDULE_CHIPS_H
#define DSE_SCHEDULE_CHIPS_H
/*
 * A schedule's files, for one chip or for a pipeline of chips:
 *
 *   one      DIR/dram.bin, dram.map, schedule.yaml     (dse/schedule/schedule_files.h)
 *   several  DIR/chip_1/ and so on, each as above, and DIR/chips.yaml: what each sends to the next
 *
 * All of chips.yaml but the times follows from the chips' files: it is made again and compared when it is read.
 */
#include "dse/schedule/schedule_files.h"

/* Initialise with {0}; schedule_chips_free gives all of it back. */
struct schedule_chips {
	uint32_t n_chip;
	struct schedule_files *chip; /* [n_chip] */
	/* of several chips: one input from setup to cleanup; between inputs; all of it; us and nJ to three digits */
	double total_us, interval_us, energy_nj;
	double *link_us; /* [n_chip] receiving from the chip before; the first: 0 */
	struct arena arena;
};

/* Room for so many chips, each empty. */
void schedule_chips_make(uint32_t n_chip, struct schedule_chips *chips);
void schedule_chips_free(struct schedule_chips *chips);

/* Write all files; chips.yaml last, and none of one chip. An earlier one is gone first. ERR_IO, ERR_INTERNAL. */
enum err_code schedule_chips_write(const char *folder, const struct schedule_chips *chips, struct err *err);

/*
 * Read them back and check each chip's files, and that a chip receives what the one before sends: the same tensors, by
 * name and size, in the same order. ERR_INPUT with the place, ERR_IO, ERR_INTERNAL; chips is empty then.
 */
enum err_code schedule_chips_read(const char *folder, struct schedule_chips *chips, struct err *err);

/* What was read: each chip in turn, as text or one JSON object. */
void schedule_chips_print(const struct schedule_chips *chips, bool as_json, FILE *file);

#endif
