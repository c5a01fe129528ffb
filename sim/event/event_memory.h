/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_MEMORY_H
#define SIM_EVENT_MEMORY_H
/*
 * Memory of one event simulation. Nothing is given back before its end, when arena_free takes all. Where there was none
 * is_out stays true: what was asked for is missing, and the simulation is worth nothing.
 */
#include "sim/base/arena.h"
#include <stdbool.h>

struct event_memory {
	struct arena arena;
	bool is_out;
};

/* n zeroed objects of n_byte each; NULL: there is no memory. */
static inline void *event_memory_array(struct event_memory *memory, size_t n, size_t n_byte)
{
	void *array = arena_array(&memory->arena, n, n_byte);
	memory->is_out |= !array;
	return array;
}

#endif
