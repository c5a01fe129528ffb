/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_OCTOPUS_MEMORY_H
#define MAPPER_OCTOPUS_MEMORY_H
/*
 * Addresses for the activations of a chain of layers, before anything runs: the
 * data memory of OctopuScheduler (Jobst et al., "An End-to-End DNN Inference
 * Framework for the SpiNNaker2 Neuromorphic MPSoC", section III.B). Buffers
 * that live at the same time never overlap, others may share memory:
 *
 *     address
 *        |  +-------+---------------+
 *        |  |   b   |       d       |     b and d share; a lives from layer 0 to 2,
 *        |  +-------+---+-----------+     c from 3 on
 *        |  |     a     |     c     |
 *        +--+-----------+-----------+--> layer
 *
 * Which addresses need the least memory is NP-hard; several orders of greedy
 * placement are tried, then a search that proves its answer where it comes to
 * an end. Every step is deterministic.
 */
#include "mapper/split/verdict.h"
#include <stdbool.h>
#include <stddef.h>

#define OCTOPUS_ALIGN_BYTE 16         /* of each buffer: what a DMA transfer moves at once */
#define OCTOPUS_DRAM_BYTE 2147483648u /* DRAM of a SpiNNaker2 chip, 2 GB (section I) */
#define OCTOPUS_MAX_DRAM_BYTE (UINT64_C(1) << 40)
#define OCTOPUS_MAX_SIZE_BYTE (UINT64_C(1) << 42) /* of a buffer: larger ones count as that, and do not fit */
#define OCTOPUS_MAX_BUFFER ((size_t)1 << 20)

struct octopus_buffer {
	uint64_t size_byte;   /* 0: takes no memory; its address is 0 */
	uint32_t first, last; /* layers during which it lives, first <= last, both included */
	uint64_t address; /* found here: a multiple of OCTOPUS_ALIGN_BYTE, counted from the start of the data memory */
};

struct octopus_memory {
	uint64_t peak_byte;     /* end of the highest buffer */
	uint64_t bound_byte;    /* the most bytes alive at once, sizes aligned: no addresses need less */
	uint64_t apart_byte;    /* all buffers side by side, without sharing */
	bool is_least;          /* no addresses have a lower peak: it is the bound, or the search came to its end */
	struct verdict verdict; /* VERDICT_OK, or VERDICT_DRAM with bytes demanded (the peak) and available */
};

/*
 * Give buffer[0..n-1] addresses. n up to OCTOPUS_MAX_BUFFER; capacity_byte up to OCTOPUS_MAX_DRAM_BYTE. When they do
 * not fit, the verdict says so and the addresses are those of the lowest peak found, or all 0 where already the bound
 * is above the capacity (the peak is the bound then). false: out of memory, nothing is changed. n log n for each order
 * where few buffers are alive at once, n^2 log n at most.
 */
bool octopus_memory_assign(struct octopus_buffer *buffer, size_t n, uint64_t capacity_byte,
                           struct octopus_memory *memory);

/* The most bytes alive at once, sizes aligned; false: out of memory. n log n. */
bool octopus_memory_bound(const struct octopus_buffer *buffer, size_t n, uint64_t *bound_byte);

#endif
