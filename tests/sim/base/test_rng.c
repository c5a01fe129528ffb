/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "sim/base/rng.h"
#include <math.h>
#include <string.h>

/*
 * Philox 4x32-10 written out from its paper (Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011), held against the published
 * known-answer vectors of Random123 first, and then against our streams.
 */
static void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	uint32_t x[4], k[2] = {key[0], key[1]};
	memcpy(x, counter, sizeof(x));
	for (unsigned round = 0; round < 10; round++) {
		uint64_t p0 = (uint64_t)0xD2511F53u * x[0], p1 = (uint64_t)0xCD9E8D57u * x[2];
		uint32_t y[4] = {(uint32_t)(p1 >> 32) ^ x[1] ^ k[0], (uint32_t)p1, (uint32_t)(p0 >> 32) ^ x[3] ^ k[1],
		                 (uint32_t)p0};
		memcpy(x, y, sizeof(x));
		k[0] += 0x9E3779B9u;
		k[1] += 0xBB67AE85u;
	}
	memcpy(out, x, sizeof(x));
}

static void test_rng_oracle_gives_known_answers(void **state)
{
	(void)state;
	static const struct {
		uint32_t counter[4], key[2], out[4];
	} known[] = {
	    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
	    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
	     {0xffffffff, 0xffffffff},
	     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
	    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
	     {0xa4093822, 0x299f31d0},
	     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		uint32_t out[4];
		philox(known[i].counter, known[i].key, out);
		assert_memory_equal(out, known[i].out, sizeof(out));
	}
}

static void test_rng_zero_stream_gives_known_answer(void **state)
{
	(void)state;
	struct rng rng = rng_stream(0, 0, 0);
	assert_int_equal(rng_u32(&rng), 0x6627e8d5);
	assert_int_equal(rng_u32(&rng), 0xe169c58d);
	assert_int_equal(rng_u32(&rng), 0xbc57ac4c);
	assert_int_equal(rng_u32(&rng), 0x9b00dbd8);
}

static void test_rng_streams_follow_the_oracle(void **state)
{
	(void)state;
	static const uint64_t seed[] = {0, 1, 42, UINT64_C(0x123456789abcdef0), UINT64_MAX};
	for (size_t i = 0; i < sizeof(seed) / sizeof(seed[0]); i++) {
		uint32_t generation = (uint32_t)i * 77u, individual = UINT32_MAX - (uint32_t)i;
		struct rng rng = rng_stream(seed[i], generation, individual);
		uint32_t key[2] = {(uint32_t)seed[i], (uint32_t)(seed[i] >> 32)};
		for (uint32_t index = 0; index < 50; index++) {
			uint32_t counter[4] = {index, 0, generation, individual}, out[4];
			philox(counter, key, out);
			for (unsigned j = 0; j < 4; j++)
				assert_int_equal(rng_u32(&rng), out[j]);
		}
	}
}

/* Draws of interleaved streams equal those of the same streams one after the other. */
static void test_rng_does_not_depend_on_order(void **state)
{
	(void)state;
	enum { N_STREAM = 16, N_DRAW = 33 };
	uint32_t alone[N_STREAM][N_DRAW];
	struct rng rng[N_STREAM];
	for (uint32_t i = 0; i < N_STREAM; i++) {
		struct rng one = rng_stream(7, i / 4, i % 4);
		for (unsigned j = 0; j < N_DRAW; j++)
			alone[i][j] = rng_u32(&one);
		rng[i] = rng_stream(7, i / 4, i % 4);
	}
	for (unsigned j = 0; j < N_DRAW; j++)
		for (uint32_t i = N_STREAM; i-- > 0;)
			assert_int_equal(rng_u32(&rng[i]), alone[i][j]);
}

static void test_rng_streams_differ_in_each_part_of_the_key(void **state)
{
	(void)state;
	struct rng base = rng_stream(1, 2, 3), seed = rng_stream(2, 2, 3),
		   high = rng_stream(1 | UINT64_C(1) << 32, 2, 3), generation = rng_stream(1, 3, 3),
		   individual = rng_stream(1, 2, 4), swapped = rng_stream(1, 3, 2);
	uint32_t first = rng_u32(&base);
	assert_int_not_equal(rng_u32(&seed), first);
	assert_int_not_equal(rng_u32(&high), first);
	assert_int_not_equal(rng_u32(&generation), first);
	assert_int_not_equal(rng_u32(&individual), first);
	assert_int_not_equal(rng_u32(&swapped), first);
}

/* The sum over bins of (observed - expected)^2 / expected; 6 degrees of freedom, 22.5 is exceeded once in 1000. */
static void test_rng_below_is_uniform(void **state)
{
	(void)state;
	enum { N_BIN = 7, N_DRAW = 70000 };
	unsigned count[N_BIN] = {0};
	struct rng rng = rng_stream(3, 0, 0);
	for (unsigned i = 0; i < N_DRAW; i++) {
		uint32_t bin = rng_below(&rng, N_BIN);
		assert_true(bin < N_BIN);
		count[bin]++;
	}
	double chi2 = 0.0, expected = (double)N_DRAW / N_BIN;
	for (unsigned i = 0; i < N_BIN; i++)
		chi2 += (count[i] - expected) * (count[i] - expected) / expected;
	assert_true(chi2 < 22.5);
}

/*
 * Three quarters of 2^32: four draws share three values, so without rejection
 * every third value would come twice as often as the others.
 */
static void test_rng_below_has_no_bias_for_large_n(void **state)
{
	(void)state;
	enum { N_DRAW = 30000 };
	struct rng rng = rng_stream(4, 0, 0);
	unsigned count[3] = {0};
	for (unsigned i = 0; i < N_DRAW; i++)
		count[rng_below(&rng, 3u << 30) % 3]++;
	for (unsigned i = 0; i < 3; i++)
		assert_true(fabs(count[i] - N_DRAW / 3.0) < 400.0); /* five standard deviations */
}

static void test_rng_below_one_and_largest(void **state)
{
	(void)state;
	struct rng rng = rng_stream(5, 0, 0);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(rng_below(&rng, 1), 0);
		assert_true(rng_below(&rng, UINT32_MAX) < UINT32_MAX);
	}
}

static void test_rng_unit_is_in_range_and_uniform(void **state)
{
	(void)state;
	enum { N_DRAW = 20000 };
	struct rng rng = rng_stream(6, 1, 1);
	double sum = 0.0, least = 1.0, most = 0.0;
	for (unsigned i = 0; i < N_DRAW; i++) {
		double unit = rng_unit(&rng);
		assert_true(unit >= 0.0 && unit < 1.0);
		sum += unit;
		least = fmin(least, unit);
		most = fmax(most, unit);
	}
	assert_true(fabs(sum / N_DRAW - 0.5) < 0.01);
	assert_true(least < 0.001 && most > 0.999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rng_oracle_gives_known_answers),
	    cmocka_unit_test(test_rng_zero_stream_gives_known_answer),
	    cmocka_unit_test(test_rng_streams_follow_the_oracle),
	    cmocka_unit_test(test_rng_does_not_depend_on_order),
	    cmocka_unit_test(test_rng_streams_differ_in_each_part_of_the_key),
	    cmocka_unit_test(test_rng_below_is_uniform),
	    cmocka_unit_test(test_rng_below_has_no_bias_for_large_n),
	    cmocka_unit_test(test_rng_below_one_and_largest),
	    cmocka_unit_test(test_rng_unit_is_in_range_and_uniform),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
