/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/quantise/quantise_arithmetic.h"
#include <assert.h>

#define STEP_BIT 5  /* steps an octave: 32 */
#define UNIT_BIT 10 /* of the exponent */
#define LOG2_E 1477 /* log2(e) * 2^UNIT_BIT */
#define MOST 127    /* 1 with 7 fraction bits would be 128 */
#define MAX_OCTAVE 16

/* 2^16 * 2^(-i / 32), rounded. */
static const uint32_t power[1 << STEP_BIT] = {
    65536, 64132, 62757, 61413, 60097, 58809, 57549, 56316, 55109, 53928, 52773, 51642, 50535, 49452, 48393, 47356,
    46341, 45348, 44376, 43425, 42495, 41584, 40693, 39821, 38968, 38133, 37316, 36516, 35734, 34968, 34219, 33486};

static uint64_t share(int most, int value, uint32_t fraction)
{
	uint64_t exponent = (uint64_t)(most - value) * LOG2_E >> fraction;
	uint64_t octave = exponent >> UNIT_BIT;
	uint64_t step = (exponent >> (UNIT_BIT - STEP_BIT)) & ((1 << STEP_BIT) - 1);
	return octave > MAX_OCTAVE ? 0 : power[step] >> octave;
}

void quantise_softmax(const int8_t *in, size_t n, uint32_t fraction, int8_t *out)
{
	int most = INT8_MIN;
	uint64_t sum = 0;
	assert(n > 0 && fraction < 32);
	for (size_t i = 0; i < n; i++)
		most = in[i] > most ? in[i] : most;
	for (size_t i = 0; i < n; i++)
		sum += share(most, in[i], fraction);
	for (size_t i = 0; i < n; i++)
		out[i] = (int8_t)(share(most, in[i], fraction) * MOST / sum);
}
