/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SYSTOLIC_PLACE_H
#define SIM_SYSTOLIC_PLACE_H
/* Whether a systolic array can run a work, and what its buffers keep of the layer's tiles. */
#include "sim/systolic/systolic_work.h"

/* Each has a buffer of its own. */
enum systolic_operand { SYSTOLIC_IFMAP, SYSTOLIC_FILTER, SYSTOLIC_OFMAP };

/* An operand that does not fit its buffer, in bytes. */
struct systolic_misfit {
	enum systolic_operand operand;
	uint64_t demanded_byte, available_byte;
};

/* Whether the machine's array can do it. */
bool systolic_can(const struct machine *machine, enum systolic_dataflow dataflow);

/*
 * Whether all numbers are in range (at least 1, kernels no larger than the ifmap, size_b < size_a) and clocks, words
 * and multiply-accumulates are at most 2^52, on any buffers.
 */
bool systolic_is_valid(const struct machine *machine, const struct systolic_work *work);

/*
 * Set what the machine's buffers keep of a valid work. A tile fits half of its buffer, or all of it where it is the
 * only one there ever is; what stays for longer (a tile with all input channels, or all of a group) does so where it
 * fits in the same way. false: some tile fits not even alone; *misfit says which (the work is then undefined).
 */
bool systolic_place(const struct machine *machine, struct systolic_work *work, struct systolic_misfit *misfit);

/* Bytes of the three buffers that its largest tiles fill, both halves where there are several; SCALE-Sim fills all. */
uint64_t systolic_sram_byte(const struct machine *machine, const struct systolic_work *work);

#endif
