/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_KEY_SORT_H
#define DSE_KEY_SORT_H
/*
 * Stable sort of 64-bit keys that each carry a 64-bit value, for everything
 * that begins by sorting points: hypervolume, nondominated filter and ranking,
 * crowding. Doubles become keys of the same order.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct key_item {
	uint64_t key, value;
};

/*
 * A key that orders as the number does; +0 and -0 are equal, NaN has no place.
 * The bits of positive doubles order as integers do; negative ones the other
 * way round and below.
 */
static inline uint64_t key_of_double(double number)
{
	uint64_t bits;
	double plain = number + 0.0; /* makes -0 to +0 */
	memcpy(&bits, &plain, sizeof(bits));
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* The number of a key; its sign of zero is plus. */
static inline double double_of_key(uint64_t key)
{
	uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
	double number;
	memcpy(&number, &bits, sizeof(number));
	return number;
}

/*
 * Sort item [n] by key, n below 2^32 - 1; equal keys keep their order. scratch [n] is the
 * caller's memory, whose content is lost. At most about n log n steps, some 20 n
 * where the leading bits of the keys differ.
 */
void key_sort(struct key_item *item, struct key_item *scratch, size_t n);

#endif
