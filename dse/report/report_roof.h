/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_REPORT_ROOF_H
#define DSE_REPORT_ROOF_H
/*
 * Rooflines of designs at every level of memory: the bytes that the simulator counts there, and the most bytes a
 * nanosecond. (dse/roofline/roofline.h knows layers alone, each word of which moves once.)
 */
#include "sim/fast/fast.h"

enum report_memory { REPORT_DRAM, REPORT_NOC, REPORT_SRAM, N_REPORT_MEMORY };
extern const char *const report_memory_name[N_REPORT_MEMORY]; /* "dram", "noc", "sram" */

/* Bytes that a result moves: to and from DRAM, through routers (a packet once in each), to and from SRAM. */
double report_memory_byte(const struct machine *machine, const struct sim_result *result, enum report_memory memory);

/*
 * Bytes a nanosecond (GB/s) at an operating point, all units of the machine at work: DRAM interfaces; routers; SRAM
 * ports, of a systolic array the edges over which operands come in, and results go out and partial ones in. 0: the
 * machine has no such memory.
 */
double report_memory_gb_s(const struct machine *machine, uint32_t level, enum report_memory memory);

#endif
