/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RANDOM_CHIP_H
#define TESTS_RANDOM_CHIP_H
/* Random chips: meshes, storage QPEs, DRAM interfaces and PEs of a QPE; legal ones. */
#include "sim/base/rng.h"
#include "sim/machine/machine_check.h"

static inline struct machine random_chip(struct rng *rng, const struct machine *like)
{
	static const uint32_t side[] = {2, 3, 4, 4, 5, 6, 6, 8}, n_storage[] = {1, 2, 4, 8}, n_dram[] = {1, 2, 4, 8};
	static const uint32_t n_pe[] = {2, 3, 4, 4, 4, 8};
	for (;;) {
		struct machine machine = *like;
		struct err err = {0};
		machine.chip.mesh_w = side[rng_below(rng, 8)];
		machine.chip.mesh_h = rng_below(rng, 3) ? machine.chip.mesh_w : side[rng_below(rng, 8)];
		machine.chip.n_qpe = machine.chip.mesh_w * machine.chip.mesh_h + rng_below(rng, 4);
		machine.chip.n_storage_qpe = n_storage[rng_below(rng, 4)];
		machine.dram_n = n_dram[rng_below(rng, 4)];
		machine.qpe_n_pe = n_pe[rng_below(rng, 6)];
		enum err_code code = machine_check(&machine, &err);
		err_clear(&err);
		if (code == ERR_OK)
			return machine;
	}
}

#endif
