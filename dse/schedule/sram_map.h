/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SRAM_MAP_H
#define DSE_SRAM_MAP_H
/*
 * sram.map of a schedule whose weights stay in the workers' SRAM: a line for each part of a worker's SRAM, by worker
 * and address. mapper/DRAM.md has the columns.
 */
#include "dse/schedule/schedule_files.h"

/* Whether files have such a map: the strategy is sram. */
bool sram_map_is_due(const struct schedule_files *files);

/* From the seats of a graph that files were planned from; nothing where the strategy is another. ERR_INTERNAL. */
enum err_code sram_map_plan(const struct octopus_graph *graph, uint64_t capacity_byte, struct schedule_files *files,
                            struct err *err);

void sram_map_write(const struct schedule_files *files, FILE *file);

/* The regions of a text; whether they make sense tells sram_map_check. ERR_INPUT with file:line, ERR_INTERNAL. */
enum err_code sram_map_read(const char *name, const char *text, size_t n_byte, struct schedule_files *files,
                            struct err *err);

/*
 * Whether every worker has room for each of its tiles' results, for each of its parts of the filters and for its work
 * once, as long as they are needed; all at multiples of OCTOPUS_ALIGN_BYTE, below the capacity, and apart where they
 * are needed at once. Without a map: that nothing stays in SRAM. ERR_INPUT, ERR_INTERNAL.
 */
enum err_code sram_map_check(const char *name, const struct schedule_files *files, struct err *err);

#endif
