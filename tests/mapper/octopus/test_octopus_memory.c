/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of buffers with lives: no two alive at once overlap, aligned, within bounds; least where that is proved. */
#include "tests/support/unit_test.h"
#include "mapper/octopus/octopus_memory.h"
#include "sim/base/checked.h"
#include "sim/base/rng.h"
#include <stdlib.h>
#include <string.h>

#define SEED 70
#define MAX_N 3000

static uint64_t aligned_end(const struct octopus_buffer *buffer)
{
	return buffer->address + align_up(buffer->size_byte, OCTOPUS_ALIGN_BYTE);
}

/* The most bytes alive at a layer, by adding them up at every first use. */
static uint64_t plain_bound(const struct octopus_buffer *buffer, size_t n)
{
	uint64_t most = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t alive = 0;
		for (size_t j = 0; j < n; j++)
			if (buffer[j].first <= buffer[i].first && buffer[j].last >= buffer[i].first)
				alive += align_up(buffer[j].size_byte, OCTOPUS_ALIGN_BYTE);
		most = alive > most ? alive : most;
	}
	return most;
}

/* All that holds of every answer, by comparing all pairs. */
static void check_addresses(const struct octopus_buffer *buffer, size_t n, uint64_t capacity,
                            const struct octopus_memory *memory)
{
	uint64_t peak = 0, apart = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t end = aligned_end(&buffer[i]);
		assert_int_equal(buffer[i].address % OCTOPUS_ALIGN_BYTE, 0);
		apart += end - buffer[i].address;
		peak = end > peak && buffer[i].size_byte > 0 ? end : peak;
		for (size_t j = 0; j < i; j++) {
			bool together = buffer[i].first <= buffer[j].last && buffer[j].first <= buffer[i].last;
			bool overlap = buffer[i].address < aligned_end(&buffer[j]) && buffer[j].address < end;
			assert_false(together && overlap && buffer[i].size_byte > 0 && buffer[j].size_byte > 0);
		}
	}
	assert_int_equal(peak, memory->peak_byte);
	assert_int_equal(apart, memory->apart_byte);
	assert_int_equal(plain_bound(buffer, n), memory->bound_byte);
	assert_true(memory->bound_byte <= peak && peak <= apart);
	assert_true(memory->is_least || peak > memory->bound_byte);
	assert_int_equal(memory->verdict.reason, peak > capacity ? VERDICT_DRAM : VERDICT_OK);
}

/* A chain with branches: a result is used by the next layer and now and then by a later one. */
static void random_chain(struct rng *rng, struct octopus_buffer *buffer, size_t n, uint32_t max_size, uint32_t max_life)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t life = 1 + (rng_below(rng, 4) == 0 ? rng_below(rng, max_life) : 0);
		buffer[i] =
		    (struct octopus_buffer){.size_byte = rng_below(rng, 9) ? rng_below(rng, max_size) : max_size,
		                            .first = (uint32_t)i,
		                            .last = (uint32_t)i + life};
	}
}

/* Any lives: many begin at once, some last for one layer. */
static void random_lives(struct rng *rng, struct octopus_buffer *buffer, size_t n, uint32_t max_size, uint32_t n_layer)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t a = rng_below(rng, n_layer), b = rng_below(rng, n_layer);
		buffer[i] = (struct octopus_buffer){
		    .size_byte = rng_below(rng, max_size), .first = a < b ? a : b, .last = a < b ? b : a};
	}
}

/* The lowest address at which no placed buffer is in the way. */
static uint64_t lowest_gap(const struct octopus_buffer *placed, size_t n, struct octopus_buffer chosen)
{
	chosen.address = 0;
	for (size_t j = 0; j < n; j++)
		if (chosen.first <= placed[j].last && placed[j].first <= chosen.last &&
		    chosen.address < aligned_end(&placed[j]) && placed[j].address < aligned_end(&chosen)) {
			chosen.address = aligned_end(&placed[j]);
			j = SIZE_MAX; /* from the first one again */
		}
	return chosen.address;
}

static int compare_size(const void *a, const void *b)
{
	const struct octopus_buffer *x = a, *y = b;
	return (x->size_byte < y->size_byte) - (x->size_byte > y->size_byte);
}

/* The peak of placing them one after another, each in its lowest gap. */
static uint64_t plain_peak(struct octopus_buffer *buffer, size_t n)
{
	uint64_t peak = 0;
	for (size_t i = 0; i < n; i++) {
		buffer[i].address = lowest_gap(buffer, i, buffer[i]);
		peak = aligned_end(&buffer[i]) > peak ? aligned_end(&buffer[i]) : peak;
	}
	return peak;
}

/*
 * Beside two known heuristics on chains with shortcuts, summed over all: the order of execution, as an allocator at run
 * time would go, and the largest first (Pisarchyk and Lee, MLSys 2020, "greedy by size").
 */
static void test_known_heuristics_need_more(void **state)
{
	(void)state;
	struct octopus_buffer buffer[120], copy[120];
	struct octopus_memory memory;
	uint64_t bound = 0, ours = 0, by_first = 0, by_size = 0;
	for (uint32_t i = 0; i < 60; i++) {
		struct rng rng = rng_stream(SEED, 3, i);
		size_t n = 20 + rng_below(&rng, 100);
		random_chain(&rng, buffer, n, 100000, 30);
		memcpy(copy, buffer, sizeof(copy));
		by_first += plain_peak(copy, n);
		qsort(copy, n, sizeof(*copy), compare_size);
		by_size += plain_peak(copy, n);
		assert_true(octopus_memory_assign(buffer, n, OCTOPUS_DRAM_BYTE, &memory));
		bound += memory.bound_byte;
		ours += memory.peak_byte;
	}
	print_message("above the bound: %.2f %%, largest first %.2f %%, in order of execution %.2f %%\n",
	              100.0 * (double)(ours - bound) / (double)bound, 100.0 * (double)(by_size - bound) / (double)bound,
	              100.0 * (double)(by_first - bound) / (double)bound);
	assert_true(2 * (ours - bound) < by_size - bound && by_size < by_first);
}

static void test_random_graphs(void **state)
{
	(void)state;
	struct octopus_buffer buffer[200];
	struct octopus_memory memory;
	size_t n_above = 0, n_case = 200;
	uint64_t waste = 0, all = 0;
	for (uint32_t i = 0; i < n_case; i++) {
		struct rng rng = rng_stream(SEED, 0, i);
		size_t n = 1 + rng_below(&rng, i % 2 ? 200 : 20);
		uint32_t max_size = 1 + rng_below(&rng, i % 3 ? 100000 : 4);
		if (i % 2)
			random_chain(&rng, buffer, n, max_size, 1 + rng_below(&rng, 60));
		else
			random_lives(&rng, buffer, n, max_size, 1 + rng_below(&rng, 24));
		uint64_t capacity = rng_below(&rng, 4) ? OCTOPUS_DRAM_BYTE : (uint64_t)max_size * 3;
		assert_true(octopus_memory_assign(buffer, n, capacity, &memory));
		if (memory.bound_byte > capacity) {
			assert_int_equal(memory.verdict.reason, VERDICT_DRAM);
			assert_int_equal(memory.verdict.demanded, plain_bound(buffer, n));
			assert_int_equal(memory.verdict.available, capacity);
			continue;
		}
		check_addresses(buffer, n, capacity, &memory);
		n_above += memory.peak_byte > memory.bound_byte;
		waste += memory.peak_byte - memory.bound_byte;
		all += memory.bound_byte;
	}
	assert_true(n_above * 10 < n_case); /* seldom more than the bound, and little more then */
	assert_true((double)waste < 4e-3 * (double)all);
}

static void check_case(struct octopus_buffer *buffer, size_t n, uint64_t peak_byte, bool is_bound)
{
	struct octopus_memory memory;
	assert_true(octopus_memory_assign(buffer, n, OCTOPUS_DRAM_BYTE, &memory));
	check_addresses(buffer, n, OCTOPUS_DRAM_BYTE, &memory);
	assert_int_equal(memory.peak_byte, peak_byte);
	assert_true(memory.is_least);
	assert_int_equal(memory.bound_byte == peak_byte, is_bound);
}

/* The lowest peak below *least over all orders with each buffer in its lowest gap, which is the least there is. */
static void find_least(struct octopus_buffer *buffer, size_t n, size_t n_placed, uint64_t peak, uint64_t *least)
{
	if (peak < *least && n_placed == n)
		*least = peak;
	for (size_t k = n_placed; k < n && peak < *least; k++) {
		struct octopus_buffer chosen = buffer[k];
		chosen.address = lowest_gap(buffer, n_placed, chosen);
		buffer[k] = buffer[n_placed];
		buffer[n_placed] = chosen;
		uint64_t end = aligned_end(&chosen);
		find_least(buffer, n, n_placed + 1, end > peak ? end : peak, least);
		buffer[n_placed] = buffer[k];
		buffer[k] = chosen;
	}
}

static void test_small_cases_are_least(void **state)
{
	(void)state;
	struct octopus_buffer buffer[7], copy[7];
	struct octopus_memory memory;
	for (uint32_t i = 0; i < 400; i++) {
		struct rng rng = rng_stream(SEED, 1, i);
		size_t n = 5 + rng_below(&rng, 3);
		random_lives(&rng, buffer, n, 12 * OCTOPUS_ALIGN_BYTE, 7);
		for (size_t k = 0; k < n; k++)
			buffer[k].size_byte++;
		memcpy(copy, buffer, sizeof(copy));
		assert_true(octopus_memory_assign(buffer, n, OCTOPUS_DRAM_BYTE, &memory));
		check_addresses(buffer, n, OCTOPUS_DRAM_BYTE, &memory);
		assert_true(memory.is_least);
		uint64_t least = UINT64_MAX;
		find_least(copy, n, 0, 0, &least);
		assert_int_equal(memory.peak_byte, least);
	}
	/* one of the rare few for which the bound is too low */
	struct octopus_buffer hard[] = {{48, 7, 7, 0}, {16, 3, 6, 0}, {48, 0, 5, 0}, {32, 4, 7, 0}, {16, 1, 7, 0},
	                                {32, 6, 7, 0}, {16, 5, 6, 0}, {16, 3, 7, 0}, {48, 1, 3, 0}, {32, 0, 1, 0}};
	uint64_t least = UINT64_MAX;
	find_least(hard, 10, 0, 0, &least);
	assert_int_equal(least, 160);
	check_case(hard, 10, 160, false);
}

static void test_closed_forms(void **state)
{
	(void)state;
	/* a chain needs its two largest neighbours, whatever lies beyond */
	struct octopus_buffer chain[] = {
	    {100, 0, 1, 0}, {800, 1, 2, 0}, {480, 2, 3, 0}, {16, 3, 4, 0}, {1264, 4, 5, 0}};
	check_case(chain, 5, 1280, true);
	/* a shortcut keeps the first one alive over all others */
	struct octopus_buffer shortcut[] = {{160, 0, 4, 0}, {320, 1, 2, 0}, {320, 2, 3, 0}, {320, 3, 4, 0}};
	check_case(shortcut, 4, 800, true);
	/* all alive at once: side by side; ties in every key */
	struct octopus_buffer equal[] = {{17, 3, 3, 0}, {17, 3, 3, 0}, {17, 3, 3, 0}};
	check_case(equal, 3, 96, true);
	struct octopus_buffer nothing[] = {{0, 0, 9, 5}, {0, 2, 2, 5}};
	check_case(nothing, 2, 0, true);
	assert_int_equal(nothing[0].address, 0);
	check_case(nothing, 0, 0, true);
	/* sizes of 0 between others, lives up to the last layer there can be */
	struct octopus_buffer mixed[] = {{1, 0, UINT32_MAX, 0}, {0, 0, UINT32_MAX, 0}, {16, UINT32_MAX, UINT32_MAX, 0}};
	check_case(mixed, 3, 32, true);
}

/* Sizes near and beyond every limit are a verdict, never an overflow. */
static void test_capacity(void **state)
{
	(void)state;
	struct octopus_memory memory;
	struct octopus_buffer buffer[] = {{64, 0, 1, 7}, {64, 1, 2, 7}, {64, 2, 3, 7}};
	assert_true(octopus_memory_assign(buffer, 3, 128, &memory));
	assert_int_equal(memory.verdict.reason, VERDICT_OK);
	assert_true(octopus_memory_assign(buffer, 3, 127, &memory));
	assert_int_equal(memory.verdict.reason, VERDICT_DRAM);
	assert_int_equal(memory.verdict.demanded, 128);
	assert_int_equal(memory.verdict.available, 127);
	assert_int_equal(buffer[1].address, 0);
	struct octopus_buffer huge[] = {
	    {UINT64_MAX, 0, 1, 0}, {UINT64_MAX - 5, 1, 2, 0}, {OCTOPUS_MAX_DRAM_BYTE, 3, 3, 0}};
	assert_true(octopus_memory_assign(huge, 3, OCTOPUS_MAX_DRAM_BYTE, &memory));
	assert_int_equal(memory.verdict.reason, VERDICT_DRAM);
	assert_int_equal(memory.verdict.demanded, 2 * OCTOPUS_MAX_SIZE_BYTE);
	assert_true(octopus_memory_assign(huge + 2, 1, OCTOPUS_MAX_DRAM_BYTE, &memory));
	assert_int_equal(memory.verdict.reason, VERDICT_OK);
}

/* Thousands of buffers, some alive for long; the same addresses each time. */
static void test_thousands(void **state)
{
	(void)state;
	struct octopus_buffer *buffer = calloc(2 * MAX_N, sizeof(*buffer)), *again = buffer + MAX_N;
	struct octopus_memory memory, other;
	struct rng rng = rng_stream(SEED, 2, 0);
	assert_non_null(buffer);
	random_chain(&rng, buffer, MAX_N, 1000000, 40);
	memcpy(again, buffer, MAX_N * sizeof(*buffer));
	assert_true(octopus_memory_assign(buffer, MAX_N, OCTOPUS_DRAM_BYTE, &memory));
	check_addresses(buffer, MAX_N, OCTOPUS_DRAM_BYTE, &memory);
	assert_true((double)memory.peak_byte <= 1.01 * (double)memory.bound_byte);
	assert_true(octopus_memory_assign(again, MAX_N, OCTOPUS_DRAM_BYTE, &other));
	assert_memory_equal(&memory, &other, sizeof(memory));
	assert_memory_equal(buffer, again, MAX_N * sizeof(*buffer));
	free(buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_closed_forms),  cmocka_unit_test(test_small_cases_are_least),
	    cmocka_unit_test(test_random_graphs), cmocka_unit_test(test_capacity),
	    cmocka_unit_test(test_thousands),     cmocka_unit_test(test_known_heuristics_need_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
