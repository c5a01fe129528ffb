/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/key_sort.h"
#include "sim/base/rng.h"
#include "tests/support/unit_test.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_ITEM = 140000 };

/* Uniform, few values, all but equal, one far from the rest, in order, backwards, all bits, doubles. */
static uint64_t draw_key(struct rng *rng, unsigned kind, size_t i)
{
	uint64_t bits = (uint64_t)rng_u32(rng) << 32 | rng_u32(rng);
	switch (kind) {
	case 0:
		return key_of_double(rng_unit(rng));
	case 1:
		return bits % 7;
	case 2:
		return 1000 + (bits & 1);
	case 3:
		return i == 5 ? UINT64_MAX : bits % 100000;
	case 4:
		return i;
	case 5:
		return UINT64_MAX - i;
	case 6:
		return bits;
	default:
		return key_of_double(ldexp(rng_unit(rng) - 0.5, (int)(bits % 600) - 300));
	}
}

static void test_key_sort_is_stable_and_sorts(void **state)
{
	struct key_item *item = calloc(MAX_ITEM, sizeof(*item)), *scratch = calloc(MAX_ITEM, sizeof(*scratch));
	uint64_t *original = calloc(MAX_ITEM, sizeof(*original));
	(void)state;
	for (uint32_t number = 0; number < 160; number++) {
		struct rng rng = rng_stream(41, 0, number);
		size_t n = number < 8 ? MAX_ITEM : number < 100 ? rng_below(&rng, 100) : rng_below(&rng, 3000);
		for (size_t i = 0; i < n; i++)
			item[i] = (struct key_item){original[i] = draw_key(&rng, number % 8, i), i};
		key_sort(item, scratch, n);
		uint64_t sum = 0;
		for (size_t i = 0; i < n; i++) {
			assert_true(item[i].value < n);
			assert_true(item[i].key == original[item[i].value]);
			sum += item[i].value;
			/* Equal keys in their order: so no item is there twice. */
			assert_true(i == 0 || item[i - 1].key < item[i].key ||
			            (item[i - 1].key == item[i].key && item[i - 1].value < item[i].value));
		}
		assert_int_equal(sum, n > 0 ? (uint64_t)n * (n - 1) / 2 : 0);
	}
	free(item);
	free(scratch);
	free(original);
}

static void test_key_sort_keys_order_as_doubles(void **state)
{
	const double rising[] = {-INFINITY,           -DBL_MAX, -1.5,         -1.0,    -DBL_MIN,
	                         -DBL_TRUE_MIN,       0.0,      DBL_TRUE_MIN, DBL_MIN, 1.0,
	                         nextafter(1.0, 2.0), DBL_MAX,  INFINITY};
	(void)state;
	for (size_t i = 0; i < sizeof(rising) / sizeof(*rising); i++) {
		assert_true(double_of_key(key_of_double(rising[i])) == rising[i]);
		assert_true(i == 0 || key_of_double(rising[i - 1]) < key_of_double(rising[i]));
	}
	assert_true(key_of_double(-0.0) == key_of_double(0.0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_key_sort_is_stable_and_sorts),
	    cmocka_unit_test(test_key_sort_keys_order_as_doubles),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
