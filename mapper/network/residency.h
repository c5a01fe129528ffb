/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_RESIDENCY_H
#define MAPPER_RESIDENCY_H
/*
 * Residency: which result every block reads, and where it lies until then.
 * The chip keeps the latest result and one held for a shortcut; whatever is
 * read later than that goes through DRAM.
 */
#include "mapper/network/network.h"

#define RESIDENCY_NONE UINT32_MAX

/* Results by producer: 0 is the network's input, n the result of block n - 1. */
struct residency {
	uint32_t *reads; /* [n_block] ifmap; RESIDENCY_NONE: a view of results that lie in DRAM */
	uint32_t *adds;  /* [n_block] what an identity shortcut adds; RESIDENCY_NONE: nothing, or a view */
	size_t *end;     /* [n_block] scratch, zeroed: 1 + last block that needs result n for a shortcut */
};

/* Result p is needed in DRAM; the network's input is there anyway. */
void residency_send_to_dram(struct network *network, uint32_t p);

/* Set input, hold, release_held and result_to_dram of every block. */
void residency_assign(struct network *network, const struct residency *residency);

#endif
