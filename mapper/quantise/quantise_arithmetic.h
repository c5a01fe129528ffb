/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_QUANTISE_ARITHMETIC_H
#define MAPPER_QUANTISE_ARITHMETIC_H
/*
 * What quantised layers compute with, in the reference and in the emulator alike: definitions of one number each, so
 * that the two share nothing of which numbers take part. The paper gives none of them beside powers of two; averages
 * and quantisation are those of mapper/prove.
 */
#include <stddef.h>
#include <stdint.h>

/* A sum modulo 2^32 as a signed number. */
static inline int64_t quantise_signed(uint32_t sum)
{
	return sum >> 31 ? (int64_t)sum - ((int64_t)1 << 32) : (int64_t)sum;
}

/* Rounded down, whatever the sign. */
static inline int64_t quantise_shift_down(int64_t value, uint32_t shift)
{
	int64_t unit = (int64_t)1 << shift;
	return value >= 0 ? value / unit : -((-value + unit - 1) / unit);
}

/* What is added to a sum: to the left by shift, or to the right. */
static inline uint32_t quantise_added(int8_t value, int32_t shift)
{
	return shift >= 0 ? (uint32_t)(int32_t)value << shift : (uint32_t)quantise_shift_down(value, (uint32_t)-shift);
}

/* A sum as int8: rectified where the layer does that, shifted, limited. */
static inline int8_t quantise_finish(uint32_t sum, int has_acti, uint32_t shift)
{
	int64_t value = quantise_signed(sum);
	value = quantise_shift_down(has_acti && value < 0 ? 0 : value, shift);
	return (int8_t)(value < -128 ? -128 : value > 127 ? 127 : value);
}

/* An average of n numbers, rounded half up. */
static inline int8_t quantise_average(int64_t sum, int64_t n)
{
	int64_t twice = 2 * sum + n, whole = twice / (2 * n);
	return (int8_t)(twice % (2 * n) < 0 ? whole - 1 : whole);
}

/*
 * Softmax of a row of n numbers with `fraction` bits, to numbers with 7: shares are powers of two with 16 bits from a
 * table of 32 steps an octave, divided rounding down. Our choice: the paper does not say how its softmax computes.
 */
void quantise_softmax(const int8_t *in, size_t n, uint32_t fraction, int8_t *out);

#endif
