/* SPDX-License-Identifier: Apache-2.0 */
/* Random streams: Philox counters for seed, generation, individual and index. */
#include "sim/base/rng.h"
#include <Random123/philox.h>
#include <assert.h>

/*
 * The seed is the cipher's key; the counter holds what is drawn for:
 *
 *   counter  [ block index | 0 | generation | individual ]
 *
 * Two streams with one seed differ in generation or individual and so never
 * share a counter. Word 1 is spare.
 */
static void next_block(struct rng *rng)
{
	assert(rng->index < UINT32_MAX); /* 2^34 numbers from one stream: a loop that does not end */
	philox4x32_ctr_t counter = {{rng->index, 0, rng->generation, rng->individual}};
	philox4x32_key_t key = {{(uint32_t)rng->seed, (uint32_t)(rng->seed >> 32)}};
	philox4x32_ctr_t block = philox4x32(counter, key);

	for (unsigned i = 0; i < 4; i++)
		rng->block[i] = block.v[i];
	rng->index++;
	rng->n_left = 4;
}

struct rng rng_stream(uint64_t seed, uint32_t generation, uint32_t individual)
{
	return (struct rng){.seed = seed, .generation = generation, .individual = individual};
}

uint32_t rng_u32(struct rng *rng)
{
	assert(rng);
	assert(rng->n_left <= 4);
	if (rng->n_left == 0)
		next_block(rng);
	return rng->block[4 - rng->n_left--];
}

/*
 * The high word of draw x n is uniform once the draws whose low word falls into
 * the 2^32 mod n surplus are thrown away (D. Lemire, "Fast random integer
 * generation in an interval", 2019). The division is needed only rarely.
 */
uint32_t rng_below(struct rng *rng, uint32_t n)
{
	assert(n > 0);
	uint64_t product = (uint64_t)rng_u32(rng) * n;
	if ((uint32_t)product < n) {
		uint32_t surplus = (0u - n) % n;
		while ((uint32_t)product < surplus)
			product = (uint64_t)rng_u32(rng) * n;
	}
	assert(product >> 32 < n);
	return (uint32_t)(product >> 32);
}

/* 53 bits, all a double holds, from two draws; the largest is 1 - 2^-53. */
double rng_unit(struct rng *rng)
{
	uint64_t high = rng_u32(rng) >> 5, low = rng_u32(rng) >> 6;
	double unit = (double)(high << 26 | low) * 0x1p-53;
	assert(unit >= 0.0 && unit < 1.0);
	return unit;
}
