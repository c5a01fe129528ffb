/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys are distributed by their leading bits, least significant digit first:
 *
 *   key - least key   [ 0 ... 0 | digit 2 | digit 1 | digit 0 | rest ]
 *                               ▲ highest bit that differs
 *
 * 16 to 33 bits, by the number of keys, tell nearly all of them apart; the few
 * that share them stand next to each other and are put in order by insertion, or,
 * where they are many (a coarse grid, an adversary), by merging. So the worst
 * case is that of merging.
 */
#include "dse/base/key_sort.h"
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
	N_RUN = 12,         /* items put in order by insertion */
	MIN_RADIX = 32,     /* fewer are merged */
	WIDE_DIGITS = 1024, /* from here on clearing and adding up more counters pays */
	THREE_DIGITS = 1 << 17,
	NARROW_BIT = 8,
	WIDE_BIT = 11,
	N_BUCKET = 1 << WIDE_BIT
};

static void insertion_sort(struct key_item *item, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct key_item moved = item[i];
		size_t at = i;
		for (; at > 0 && item[at - 1].key > moved.key; at--)
			item[at] = item[at - 1];
		item[at] = moved;
	}
}

/* Merge two neighbouring runs. Which side gives the next item is hard to guess, so it is computed, not branched on. */
static void merge_runs(const struct key_item *left, size_t n_left, const struct key_item *right, size_t n_right,
                       struct key_item *out)
{
	const struct key_item *left_end = left + n_left, *right_end = right + n_right;
	while (left < left_end && right < right_end) {
		bool from_right = right->key < left->key;
		const struct key_item *from = from_right ? right : left;
		*out++ = *from;
		right += from_right;
		left += !from_right;
	}
	while (left < left_end)
		*out++ = *left++;
	while (right < right_end)
		*out++ = *right++;
}

static void merge_sort(struct key_item *item, struct key_item *scratch, size_t n)
{
	struct key_item *from = item, *to = scratch;
	for (size_t i = 0; i < n; i += N_RUN)
		insertion_sort(item + i, n - i < N_RUN ? n - i : N_RUN);
	for (size_t width = N_RUN; width < n; width *= 2) {
		for (size_t i = 0; i < n; i += 2 * width) {
			size_t n_left = n - i < width ? n - i : width;
			size_t n_right = n - i - n_left < width ? n - i - n_left : width;
			merge_runs(from + i, n_left, from + i + n_left, n_right, to + i);
		}
		struct key_item *kept = from;
		from = to;
		to = kept;
	}
	if (from != item)
		memcpy(item, from, n * sizeof(*item));
}

/* Put items in order that are so already by the bits above shift. */
static void finish(struct key_item *item, struct key_item *scratch, size_t n, uint64_t least, unsigned shift)
{
	for (size_t begin = 0, end; begin < n; begin = end) {
		uint64_t leading = (item[begin].key - least) >> shift;
		bool in_order = true;
		for (end = begin + 1; end < n && (item[end].key - least) >> shift == leading; end++)
			in_order &= item[end - 1].key <= item[end].key;
		if (in_order)
			continue;
		if (end - begin <= 2 * N_RUN)
			insertion_sort(item + begin, end - begin);
		else
			merge_sort(item + begin, scratch + begin, end - begin);
	}
}

static unsigned bit_width(uint64_t number)
{
	return number > 0 ? 64 - (unsigned)__builtin_clzll(number) : 0;
}

/* How the keys are cut into digits. */
struct digits {
	uint64_t least;
	unsigned n, bit; /* of each digit */
	unsigned width;  /* bits in which keys differ */
	unsigned shift;  /* bits below all digits */
};

static struct digits choose_digits(const struct key_item *item, size_t n)
{
	uint64_t least = item[0].key, most = item[0].key;
	for (size_t i = 1; i < n; i++) {
		least = item[i].key < least ? item[i].key : least;
		most = item[i].key > most ? item[i].key : most;
	}
	struct digits digits = {.least = least, .width = bit_width(most - least)};
	digits.n = n >= THREE_DIGITS ? 3 : 2;
	digits.bit = n >= WIDE_DIGITS ? WIDE_BIT : NARROW_BIT;
	digits.shift = digits.width > digits.n * digits.bit ? digits.width - digits.n * digits.bit : 0;
	return digits;
}

/* Move the items to where their digit belongs; place, at first, holds how many there are of each. */
static void distribute(const struct key_item *from, struct key_item *to, size_t n, const struct digits *digits,
                       unsigned digit, uint32_t *place)
{
	unsigned shift = digits->shift + digit * digits->bit;
	uint64_t n_bucket = (uint64_t)1 << digits->bit;
	uint32_t sum = 0;
	for (size_t i = 0; i < n_bucket; i++) {
		uint32_t n_here = place[i];
		place[i] = sum;
		sum += n_here;
	}
	for (size_t i = 0; i < n; i++)
		to[place[(from[i].key - digits->least) >> shift & (n_bucket - 1)]++] = from[i];
}

/* false: no memory for the counts, which a small stack has no room for. */
static bool radix_sort(struct key_item *item, struct key_item *scratch, size_t n)
{
	const struct digits digits = choose_digits(item, n);
	uint64_t n_bucket = (uint64_t)1 << digits.bit;
	uint32_t(*count)[N_BUCKET] = calloc(digits.n, sizeof(*count));

	if (!count)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint64_t leading = (item[i].key - digits.least) >> digits.shift;
		for (unsigned digit = 0; digit < digits.n; digit++)
			count[digit][leading >> digit * digits.bit & (n_bucket - 1)]++;
	}
	struct key_item *from = item, *to = scratch;
	for (unsigned digit = 0; digit < digits.n && digits.shift + digit * digits.bit < digits.width; digit++) {
		distribute(from, to, n, &digits, digit, count[digit]);
		struct key_item *kept = from;
		from = to;
		to = kept;
	}
	if (from != item)
		memcpy(item, from, n * sizeof(*item));
	free(count);
	if (digits.shift > 0)
		finish(item, scratch, n, digits.least, digits.shift);
	return true;
}

void key_sort(struct key_item *item, struct key_item *scratch, size_t n)
{
	assert(n < UINT32_MAX && (n == 0 || (item && scratch && item != scratch)));
	if (n < MIN_RADIX || !radix_sort(item, scratch, n))
		merge_sort(item, scratch, n);
	assert(n < 2 || item[0].key <= item[n - 1].key);
}
