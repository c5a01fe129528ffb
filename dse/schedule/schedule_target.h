/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SCHEDULE_TARGET_H
#define DSE_SCHEDULE_TARGET_H
/*
 * What a host needs to run a schedule on a chip, beside dram.bin: load.h and load.py with every address of the image,
 * PEs, and the start sequence. What only the chip's manual tells (where the DRAM begins, which registers wake a PE) is
 * a table that the user fills; until then the header does not compile and the script stops, both naming what is empty.
 */
#include "dse/schedule/schedule_chips.h"

/* A chip that files can be made for. */
enum schedule_target { SCHEDULE_TARGET_NONE, SCHEDULE_TARGET_SPINNAKER2, N_SCHEDULE_TARGET };
extern const char *const schedule_target_name[N_SCHEDULE_TARGET]; /* "none", "spinnaker2" */

/* Write load.h and load.py of the only chip of a schedule into its folder, beside dram.bin. ERR_IO. */
enum err_code schedule_target_write(const char *folder, enum schedule_target target, const struct schedule_chips *chips,
                                    struct err *err);

#endif
