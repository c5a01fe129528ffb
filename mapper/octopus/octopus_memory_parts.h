/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_OCTOPUS_MEMORY_PARTS_H
#define MAPPER_OCTOPUS_MEMORY_PARTS_H
/* Between mapper/octopus/octopus_memory.c and octopus_memory_search.c: buffers whose sizes are above 0, aligned, and
 * sum up below 2^62. */
#include "mapper/octopus/octopus_memory.h"

/* The most buffers that are searched; its memory grows with the square. */
#define OCTOPUS_MAX_SEARCH 512

/*
 * Look for addresses that need less than best_byte. Those of the lowest peak found are written to address[0..n-1] and
 * the peak to *best_byte; both untouched when there are none. *is_proved: none are lower than *best_byte. The search
 * ends early at bound_byte, and after an amount of work that does not depend on the machine. false: out of memory.
 */
bool octopus_memory_search(const struct octopus_buffer *buffer, size_t n, uint64_t bound_byte, uint64_t *address,
                           uint64_t *best_byte, bool *is_proved);

#endif
