/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the ARM cores in a layer of its own, defined in whole numbers for proofs; on a map or a part of one. */
#include "mapper/prove/prove_arithmetic.h"
#include "mapper/prove/prove.h"
#include <assert.h>
#include <stdlib.h>

#define ONE_BIT 7    /* products: 128 is one */
#define HALF_STEP 8  /* softmax: so much less than the largest halves a number's share */
#define SHARE_BIT 16 /* softmax: shares of the largest, 1 << SHARE_BIT */
#define DEVIATION 32 /* normalisation: what a mean deviation becomes */

static int8_t limit(int64_t value)
{
	return (int8_t)(value < INT8_MIN ? INT8_MIN : value > INT8_MAX ? INT8_MAX : value);
}

/* Rounded down, whatever the signs. */
static int64_t divide(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static int8_t number(enum arm_kind kind, int16_t a, int16_t b)
{
	switch (kind) {
	case ARM_ADD:
		return limit(divide(a + b, 2));
	case ARM_MULTIPLY:
		return limit(divide((int64_t)a * b, 1 << ONE_BIT));
	default: /* a function that is not linear */
		return limit(a >= 0 ? a : divide(a, 4));
	}
}

/* Where the numbers of a map are that form a row. */
struct row {
	uint32_t w, h, c;
	size_t first, map_w, map_c;
};

static size_t place(const struct row *row, uint32_t i)
{
	uint32_t c = i % row->c, x = i / row->c % row->w, y = i / row->c / row->w;
	return row->first + ((size_t)y * row->map_w + x) * row->map_c + c;
}

static int64_t share(int16_t most, int16_t value)
{
	int step = (most - value) / HALF_STEP;
	return step > SHARE_BIT ? 0 : (INT64_C(1) << SHARE_BIT) >> step;
}

static void softmax(const struct row *row, const int16_t *a, int8_t *out)
{
	uint32_t n = row->w * row->h * row->c;
	int16_t most = INT8_MIN;
	int64_t sum = 0;
	for (uint32_t i = 0; i < n; i++)
		most = a[place(row, i)] > most ? a[place(row, i)] : most;
	for (uint32_t i = 0; i < n; i++)
		sum += share(most, a[place(row, i)]);
	for (uint32_t i = 0; i < n; i++)
		out[place(row, i)] = limit(share(most, a[place(row, i)]) * INT8_MAX / sum);
}

static void normalise(const struct row *row, const int16_t *a, int8_t *out)
{
	uint32_t n = row->w * row->h * row->c;
	int64_t sum = 0, deviation = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += a[place(row, i)];
	int64_t mean = divide(sum, n);
	for (uint32_t i = 0; i < n; i++)
		deviation += llabs(a[place(row, i)] - mean);
	deviation = deviation / n + 1;
	for (uint32_t i = 0; i < n; i++)
		out[place(row, i)] = limit(divide((a[place(row, i)] - mean) * DEVIATION, deviation));
}

/* All rows: of the sides that lie together every number, of the others one. */
static void work_on_rows(const struct block *block, const struct prove_map *shape, const int16_t *a, int8_t *out)
{
	struct row row = {.w = block->whole & WHOLE_W ? shape->w : 1,
	                  .h = block->whole & WHOLE_H ? shape->h : 1,
	                  .c = block_row_c(block),
	                  .map_w = shape->w,
	                  .map_c = shape->c};
	for (uint32_t y = 0; y < shape->h; y += row.h)
		for (uint32_t x = 0; x < shape->w; x += row.w)
			for (uint32_t c = 0; c < shape->c; c += row.c) {
				row.first = ((size_t)y * shape->w + x) * shape->c + c;
				(block->arm == ARM_SOFTMAX ? softmax : normalise)(&row, a, out);
			}
}

void prove_arm(const struct block *block, const struct prove_map *shape, const int16_t *a, const int16_t *b,
               int8_t *out)
{
	size_t n = (size_t)shape->w * shape->h * shape->c;
	assert(block->kind == BLOCK_POOL && block->arm != ARM_POOL);
	if (block->arm == ARM_SOFTMAX || block->arm == ARM_NORM) {
		work_on_rows(block, shape, a, out);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		int16_t second = block->operand == OPERAND_MAP       ? b[i]
		                 : block->operand == OPERAND_CHANNEL ? b[i % shape->c]
		                                                     : 0;
		out[i] = number(block->arm, a[i], second);
	}
}
