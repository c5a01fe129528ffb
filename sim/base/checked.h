/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_CHECKED_H
#define SIM_BASE_CHECKED_H
/* Small integer helpers used everywhere: ceiling division, alignment, products that saturate instead of wrapping,
 * the smaller and the larger, the greatest common divisor. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* ceil(n / d), d > 0. */
static inline uint64_t ceil_div(uint64_t n, uint64_t d)
{
	assert(d > 0);
	return n / d + (n % d != 0);
}

/* n rounded up to a multiple of step, step > 0. */
static inline uint64_t align_up(uint64_t n, uint64_t step)
{
	return ceil_div(n, step) * step;
}

/* a * b, or UINT64_MAX where that does not fit. */
static inline uint64_t mul_sat(uint64_t a, uint64_t b)
{
	uint64_t product;
	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* a + b, or UINT64_MAX where that does not fit. */
static inline uint64_t add_sat(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The greatest that divides both; of 0 and a number that number. */
static inline uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b > 0) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

#endif
