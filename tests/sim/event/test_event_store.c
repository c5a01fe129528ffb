/* SPDX-License-Identifier: Apache-2.0 */
/* What QPEs keep for each other: found by its key alone, until the store is full or forgets. */
#include "tests/support/unit_test.h"
#include "sim/event/event_store.h"
#include <string.h>

#define N_KEY 7 /* words of 32 bits, so that values lie behind a gap */
#define VALUE_BYTE 1000

/* Keys of few hashes, so that chains are long. */
static void make_key(uint32_t i, int32_t key[N_KEY])
{
	for (uint32_t k = 0; k < N_KEY; k++)
		key[k] = (int32_t)(i * (k + 1));
}

static unsigned char *find(const struct event_store *store, uint32_t i, size_t n_byte)
{
	int32_t key[N_KEY];
	make_key(i, key);
	return event_store_find(store, i % 5, key, n_byte);
}

/* Until there is no room; returns how many. */
static uint32_t fill(struct event_store *store)
{
	for (uint32_t i = 0;; i++) {
		int32_t key[N_KEY];
		make_key(i, key);
		assert_null(find(store, i, sizeof(key)));
		unsigned char *value = event_store_add(store, i % 5, key, sizeof(key), VALUE_BYTE);
		if (!value)
			return i;
		assert_true((uintptr_t)value % 8 == 0);
		assert_memory_equal(event_store_key(value, sizeof(key)), key, sizeof(key));
		memset(value, (int)(i % 251), VALUE_BYTE);
	}
}

static void test_event_store_keeps_until_it_is_full(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct event_store *store = event_store_new(&arena, 4, 2);
	assert_non_null(store);
	uint32_t n = fill(store);
	assert_in_range(n, (1 << 20) / (VALUE_BYTE + 100), (1 << 20) / VALUE_BYTE);
	for (uint32_t i = 0; i < n; i++) {
		const unsigned char *value = find(store, i, N_KEY * sizeof(int32_t));
		assert_true(value && value[0] == i % 251 && value[VALUE_BYTE - 1] == i % 251);
		assert_null(find(store, i, (N_KEY - 1) * sizeof(int32_t))); /* the beginning of a key is another key */
	}
	event_store_forget(store);
	assert_int_equal(fill(store), n);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_event_store_keeps_until_it_is_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
