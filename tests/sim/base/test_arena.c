/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "sim/base/arena.h"
#include <string.h>

/* Objects of all sizes, each filled with its own byte: none may overlap another, all begin zeroed and aligned. */
static void test_arena_objects_are_zeroed_aligned_and_apart(void **state)
{
	(void)state;
	enum { N = 400 };
	static unsigned char *object[N];
	struct arena arena = {0};
	for (size_t i = 0; i < N; i++) {
		size_t n_byte = i * i * 7 % 90000; /* small ones and ones larger than a chunk */
		object[i] = arena_alloc(&arena, n_byte);
		assert_non_null(object[i]);
		assert_int_equal((uintptr_t)object[i] % _Alignof(max_align_t), 0);
		for (size_t j = 0; j < n_byte; j++)
			assert_int_equal(object[i][j], 0);
		memset(object[i], (int)(i % 251 + 1), n_byte);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < i * i * 7 % 90000; j++)
			assert_int_equal(object[i][j], i % 251 + 1);
	arena_free(&arena);
}

static void test_arena_empty_objects_differ(void **state)
{
	(void)state;
	struct arena arena = {0};
	void *a = arena_alloc(&arena, 0), *b = arena_alloc(&arena, 0);
	assert_non_null(a);
	assert_non_null(b);
	assert_ptr_not_equal(a, b);
	arena_free(&arena);
}

static void test_arena_array_refuses_overflow(void **state)
{
	(void)state;
	struct arena arena = {0};
	assert_null(arena_array(&arena, SIZE_MAX / 2, 3));
	assert_null(arena_alloc(&arena, SIZE_MAX));
	assert_null(arena_alloc(&arena, SIZE_MAX - 64));
	uint64_t *number = arena_array(&arena, 1000, sizeof(*number));
	assert_non_null(number);
	number[999] = 1;
	arena_free(&arena);
}

static void test_arena_text_is_a_copy(void **state)
{
	(void)state;
	struct arena arena = {0};
	char text[] = "ofmap";
	char *copy = arena_text(&arena, text);
	text[0] = 'i';
	assert_string_equal(copy, "ofmap");
	assert_string_equal(arena_text(&arena, ""), "");
	arena_free(&arena);
}

static void test_arena_can_be_used_again(void **state)
{
	(void)state;
	struct arena arena = {0};
	arena_free(&arena);
	for (unsigned round = 0; round < 3; round++) {
		unsigned char *object = arena_alloc(&arena, 5000);
		assert_non_null(object);
		assert_int_equal(object[4999], 0);
		memset(object, 0xff, 5000);
		arena_free(&arena);
		assert_null(arena.head);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_arena_objects_are_zeroed_aligned_and_apart),
	    cmocka_unit_test(test_arena_empty_objects_differ),
	    cmocka_unit_test(test_arena_array_refuses_overflow),
	    cmocka_unit_test(test_arena_text_is_a_copy),
	    cmocka_unit_test(test_arena_can_be_used_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
