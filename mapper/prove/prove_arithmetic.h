/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_PROVE_ARITHMETIC_H
#define MAPPER_PROVE_ARITHMETIC_H
/*
 * What a proof computes with, tile by tile and in the reference alike: the
 * definitions of quantisation, averages and the ARM cores' work.
 */
#include <stdint.h>

struct block;
struct prove_map;

/*
 * Work of the ARM cores of their own on a map, or a part of one that has whole rows, of this shape: a, out [h][w][c];
 * b, the second operand, by block->operand as a or [c]. An addition halves, a product is >> 7, a function is some
 * function; softmax and normalisation are of whole numbers.
 */
void prove_arm(const struct block *block, const struct prove_map *shape, const int16_t *a, const int16_t *b,
               int8_t *out);

/* The definition of quantisation: >> shift, limited to int8. sum is modulo 2^32. */
static inline int8_t prove_quantise(uint32_t sum, uint32_t shift)
{
	/* two's complement shifted arithmetically, without the implementation's leave */
	uint32_t high = sum >> shift, sign = sum >> 31 && shift > 0 ? UINT32_MAX << (32 - shift) : 0;
	uint32_t bits = high | sign;
	int64_t value = bits >> 31 ? (int64_t)bits - ((int64_t)1 << 32) : (int64_t)bits;
	return (int8_t)(value < -128 ? -128 : value > 127 ? 127 : value);
}

/* The definition of averages: of n int8 values, rounded half up. */
static inline int8_t prove_average(int64_t sum, int64_t n)
{
	int64_t twice = 2 * sum + n, whole = twice / (2 * n);
	return (int8_t)(twice % (2 * n) < 0 ? whole - 1 : whole);
}

#endif
