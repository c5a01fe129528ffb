/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "sim/base/hash.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of the empty input: XXH3's published values. */
static void test_hash_gives_known_answers(void **state)
{
	(void)state;
	char hex[HASH_HEX_SIZE];
	assert_true(hash_bytes(NULL, 0, 0) == UINT64_C(0x2d06800538d394c2));
	hash_hex(NULL, 0, hex);
	assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");
}

static void test_hash_depends_on_every_byte_and_seed(void **state)
{
	(void)state;
	unsigned char data[300] = {0};
	uint64_t plain = hash_bytes(data, sizeof(data), 0);
	char hex[HASH_HEX_SIZE], other[HASH_HEX_SIZE];
	hash_hex(data, sizeof(data), hex);
	assert_true(hash_bytes(data, sizeof(data), 1) != plain);
	for (size_t i = 0; i < sizeof(data); i++) {
		data[i] = 1;
		assert_true(hash_bytes(data, sizeof(data), 0) != plain);
		hash_hex(data, sizeof(data), other);
		assert_string_not_equal(hex, other);
		data[i] = 0;
	}
	assert_true(hash_bytes(data, sizeof(data), 0) == plain);
}

static void test_hash_hex_is_lower_case_and_terminated(void **state)
{
	(void)state;
	char hex[HASH_HEX_SIZE];
	hash_hex("ofmap", 5, hex);
	assert_int_equal(strlen(hex), HASH_HEX_SIZE - 1);
	assert_int_equal(strspn(hex, "0123456789abcdef"), HASH_HEX_SIZE - 1);
}

/* A file longer than any buffer hashes as its bytes do. */
static void test_hash_file_equals_hash_of_its_bytes(void **state)
{
	(void)state;
	enum { N_BYTE = 200001 };
	char path[TEMPORARY_SIZE], hex[HASH_HEX_SIZE], expected[HASH_HEX_SIZE];
	unsigned char *data = malloc(N_BYTE);
	struct err err = {0};
	assert_non_null(data);
	for (size_t i = 0; i < N_BYTE; i++)
		data[i] = (unsigned char)(i * i >> 3);
	FILE *file = temporary_open(path);
	assert_int_equal(fwrite(data, 1, N_BYTE, file), N_BYTE);
	assert_int_equal(fclose(file), 0);

	hash_hex(data, N_BYTE, expected);
	assert_int_equal(hash_file(path, hex, &err), ERR_OK);
	assert_string_equal(hex, expected);
	assert_int_equal(unlink(path), 0);
	free(data);
}

static void test_hash_file_reports_what_cannot_be_read(void **state)
{
	(void)state;
	struct err err = {0};
	char hex[HASH_HEX_SIZE] = "untouched";
	assert_int_equal(hash_file("/nonexistent/file", hex, &err), ERR_IO);
	assert_int_equal(hash_file("tests", hex, &err), ERR_IO); /* a folder */
	assert_string_equal(hex, "untouched");
	assert_int_equal(err.n_message, 2);
	assert_non_null(strstr(err_text(&err), "/nonexistent/file: cannot be read: "));
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hash_gives_known_answers),
	    cmocka_unit_test(test_hash_depends_on_every_byte_and_seed),
	    cmocka_unit_test(test_hash_hex_is_lower_case_and_terminated),
	    cmocka_unit_test(test_hash_file_equals_hash_of_its_bytes),
	    cmocka_unit_test(test_hash_file_reports_what_cannot_be_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
