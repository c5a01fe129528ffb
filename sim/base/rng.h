/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_RNG_H
#define SIM_BASE_RNG_H
/*
 * Counter-based random streams (Philox 4x32-10 of the Random123 library): a
 * number depends only on its key and its index, never on who asked before, so
 * results are equal for any number of threads.
 */
#include <stdint.h>

/* One stream; make it with rng_stream, then draw from it. Plain data. */
struct rng {
	uint64_t seed;
	uint32_t generation, individual;
	uint32_t index; /* of the next block */
	uint32_t block[4];
	unsigned n_left;
};

/* The stream that belongs to (seed, generation, individual). */
struct rng rng_stream(uint64_t seed, uint32_t generation, uint32_t individual);

uint32_t rng_u32(struct rng *rng);

/* Uniform in [0, n), n > 0, without modulo bias. */
uint32_t rng_below(struct rng *rng, uint32_t n);

/* Uniform in [0, 1). */
double rng_unit(struct rng *rng);

#endif
