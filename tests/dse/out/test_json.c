/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "dse/out/json.h"
#include "sim/base/doc.h"
#include "sim/base/rng.h"
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_json_lays_out_levels(void **state)
{
	char text[512];
	struct json json;
	(void)state;
	FILE *file = fmemopen(text, sizeof(text), "w");
	assert_non_null(file);
	json_start(&json, file, 2);
	json_begin_object(&json, NULL);
	json_put_u64(&json, "n", UINT64_MAX);
	json_begin_list(&json, "points");
	for (unsigned i = 0; i < 2; i++) {
		json_begin_object(&json, NULL);
		json_put_u64(&json, "id", i);
		json_put_real(&json, "x", 0.1);
		json_end(&json);
	}
	json_end(&json);
	json_begin_list(&json, "none");
	json_end(&json);
	json_put_bool(&json, "ok", true);
	json_put_text(&json, "nothing", NULL);
	json_put_real(&json, "infinite", INFINITY);
	json_end(&json);
	json_finish(&json);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "{\n\t\"n\": 18446744073709551615,\n\t\"points\": [\n"
	                          "\t\t{\"id\": 0, \"x\": 0.1},\n\t\t{\"id\": 1, \"x\": 0.1}\n\t],\n"
	                          "\t\"none\": [],\n\t\"ok\": true,\n\t\"nothing\": null,\n\t\"infinite\": null\n}\n");
}

/* What is written is what the document reader reads, whatever the text. */
static void test_json_escapes_texts(void **state)
{
	static const char *const hard[] = {"quote \" backslash \\ line\nend\ttab", "\x01\x1f", "\xc3\xa9\xe2\x82\xac",
	                                   "", "{[:,]}"};
	char text[512];
	(void)state;
	for (size_t i = 0; i < sizeof(hard) / sizeof(hard[0]); i++) {
		struct json json;
		FILE *file = fmemopen(text, sizeof(text), "w");
		assert_non_null(file);
		json_start(&json, file, 1);
		json_begin_object(&json, NULL);
		json_put_text(&json, "text", hard[i]);
		json_end(&json);
		json_finish(&json);
		assert_int_equal(fclose(file), 0);
		json_t *object = json_loads(text, 0, NULL);
		assert_string_equal(json_string_value(json_object_get(object, "text")), hard[i]);
		json_decref(object);
	}
}

static void test_json_replaces_bytes_that_are_no_text(void **state)
{
	char text[64];
	struct json json;
	(void)state;
	FILE *file = fmemopen(text, sizeof(text), "w");
	assert_non_null(file);
	json_start(&json, file, 0);
	json_put_text(&json, NULL, "a\xff\xfe");
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "\"a?"
	                          "?\"");
}

/* Any finite double survives text, in JSON and in CSV. */
static void test_json_numbers_round_trip(void **state)
{
	struct rng rng = rng_stream(1, 2, 3);
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		union {
			uint64_t bits;
			double value;
		} number = {.bits = (uint64_t)rng_u32(&rng) << 32 | rng_u32(&rng)};
		char text[NUMBER_SIZE], written[64];
		if (!isfinite(number.value))
			continue;
		number_print(number.value, text);
		assert_true(strtod(text, NULL) == number.value);
		FILE *file = fmemopen(written, sizeof(written), "w");
		struct json json;
		json_start(&json, file, 0);
		json_put_real(&json, NULL, number.value);
		assert_int_equal(fclose(file), 0);
		assert_true(strtod(written, NULL) == number.value);
	}
}

/* Two numbers that differ are not printed alike, and no longer than need be. */
static void test_numbers_are_printed_apart(void **state)
{
	struct rng rng = rng_stream(7, 0, 0);
	char text[2][NUMBER_SIZE];
	(void)state;
	number_print_apart(34.45231, 34.45231, 6, text);
	assert_string_equal(text[0], "34.4523");
	assert_string_equal(text[1], "34.4523");
	number_print_apart(34.45231, 34.45329, 6, text);
	assert_string_equal(text[1], "34.4533");
	number_print_apart(34.452311, 34.452319, 6, text);
	assert_string_equal(text[0], "34.45231");
	assert_string_equal(text[1], "34.45232");
	for (unsigned i = 0; i < 20000; i++) {
		double left = (rng_unit(&rng) - 0.5) * pow(10.0, (double)rng_below(&rng, 40) - 20.0), right = left;
		for (uint32_t n = 1 + rng_below(&rng, 5); n > 0; n--)
			right = nextafter(right, i % 2 ? INFINITY : -INFINITY);
		number_print_apart(left, i % 3 ? right : left * (1.0 + 1e-7), 5, text);
		assert_string_not_equal(text[0], text[1]);
	}
}

static void test_json_numbers_are_short(void **state)
{
	char text[NUMBER_SIZE];
	(void)state;
	number_print(0.1, text);
	assert_string_equal(text, "0.1");
	number_print(202176, text);
	assert_string_equal(text, "202176");
	number_print(DBL_MAX, text);
	assert_true(strtod(text, NULL) == DBL_MAX);
}

/* Never below the value, and above it by less than one of the last digit. */
static void test_json_numbers_round_up(void **state)
{
	struct rng rng = rng_stream(1, 2, 4);
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		char text[NUMBER_SIZE];
		int n_digit = 1 + (int)rng_below(&rng, 12);
		double size = pow(10, 24 * rng_unit(&rng) - 12), value = rng_below(&rng, 8) ? size : floor(size);
		number_print_up(value, n_digit, text);
		double shown = strtod(text, NULL), last = pow(10, floor(log10(value > 0 ? value : 1)) + 1 - n_digit);
		assert_true(shown >= value && shown <= value + last * (1 + 1e-9));
	}
}

/* No exponent between 1e-4 and 1e15, as near as that many digits can be, and whole numbers that have more of them
 * exact. */
static void test_json_numbers_for_people_are_plain(void **state)
{
	struct rng rng = rng_stream(1, 2, 5);
	char text[NUMBER_SIZE];
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		int n_digit = 1 + (int)rng_below(&rng, 12);
		double size = pow(10, 18.9 * rng_unit(&rng) - 4), value = rng_below(&rng, 2) ? size : floor(size);
		number_print_plain(value, n_digit, text);
		double shown = strtod(text, NULL), last = pow(10, floor(log10(value > 0 ? value : 1)) + 1 - n_digit);
		assert_null(strchr(text, 'e'));
		assert_true(fabs(shown - value) <= 0.5 * fmin(last, 1 + last * 1e-9) * (1 + 1e-9) || value < 1);
		assert_true(value < pow(10, n_digit) || value > floor(value) || shown == value);
	}
	number_print_plain(1.0 / 3, 3, text);
	assert_string_equal(text, "0.333");
	number_print_plain(999.6, 3, text);
	assert_string_equal(text, "1000");
	number_print_plain(14942208, 6, text);
	assert_string_equal(text, "14942208");
}

/* So many digits are shown, and the number is the one that it was: zeros are all that comes. */
static void test_json_numbers_filled_with_zeros(void **state)
{
	(void)state;
	struct rng rng = rng_stream(12, 2, 0);
	char text[NUMBER_SIZE], filled[NUMBER_SIZE];
	for (unsigned i = 0; i < 20000; i++) {
		int n_digit = 1 + (int)rng_below(&rng, 12);
		double value = rng_below(&rng, 1000000) / pow(10, (double)rng_below(&rng, 10));
		number_print_up(value, n_digit, text);
		memcpy(filled, text, sizeof(text));
		number_fill_digits(value, (size_t)n_digit, filled);
		assert_int_equal(strncmp(filled, text, strlen(text)), 0);
		assert_true(strtod(filled, NULL) == strtod(text, NULL));
		size_t n = 0, n_zero = strspn(filled, "0.");
		for (const char *at = filled + n_zero; *at; at++)
			n += *at != '.';
		assert_true(value > floor(value) ? strchr(filled, 'e') || n >= (size_t)n_digit
		                                 : strcmp(filled, text) == 0);
	}
	(void)strcpy(text, "0.13");
	number_fill_digits(0.129999, 5, text);
	assert_string_equal(text, "0.13000");
	(void)strcpy(text, "498");
	number_fill_digits(497.999, 5, text);
	assert_string_equal(text, "498.00");
	(void)strcpy(text, "4864");
	number_fill_digits(4864, 5, text);
	assert_string_equal(text, "4864");
}

/* As printf has it with 15 digits, or 16, or 17, whichever is the first that reads back. */
static void expect_number(double value)
{
	char text[NUMBER_SIZE], expected[NUMBER_SIZE];
	for (int n_digit = 15; n_digit <= 17; n_digit++) {
		(void)snprintf(expected, sizeof(expected), "%.*g", n_digit, value);
		if (strtod(expected, NULL) == value)
			break;
	}
	number_print(value, text);
	assert_string_equal(text, expected);
	(void)snprintf(expected, sizeof(expected), "%.17g", value);
	number_print_17(value, text);
	assert_string_equal(text, expected);
}

/* Signatures and fronts of earlier runs hold printf's bytes: of every size, of few digits, and beside powers of two. */
static void test_json_numbers_are_those_of_printf(void **state)
{
	struct rng rng = rng_stream(4, 5, 6);
	(void)state;
	expect_number(0.0);
	expect_number(-0.0);
	expect_number(INFINITY);
	expect_number(999999999999999.9);
	for (int exponent = -60; exponent <= 60; exponent++) {
		double power = ldexp(1.0, exponent);
		expect_number(power);
		expect_number(nextafter(power, 0.0));
		expect_number(nextafter(power, INFINITY));
		for (unsigned i = 0; i < 100; i++) {
			double few = (double)(rng_u32(&rng) % 100000) * pow(10.0, exponent / 4);
			expect_number(-few);
			expect_number(nextafter(few, INFINITY));
			expect_number(ldexp(0.5 + 0x1p-33 * rng_u32(&rng) + 0x1p-53 * (rng_u32(&rng) >> 12), exponent));
		}
	}
}

/* Fields in one call are what single ones would be; what is open at the end is closed. */
static void test_json_fields(void **state)
{
	char text[256] = "";
	struct json json;
	const char *volatile none = NULL;
	(void)state;
	FILE *file = fmemopen(text, sizeof(text), "w");
	assert_non_null(file);
	json_start_object(&json, file, 1);
	json_put_fields(&json, "name %s, n %zu, x %g, ok %d", "a \"b\"", sizeof(uint32_t), 0.1, true);
	json_begin_list(&json, "list");
	json_put_object(&json, NULL, "n %u", 7U);
	json_put_object(&json, NULL, "what %s, x %g, none %d", none, NAN, false);
	json_finish(&json);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "{\n\t\"name\": \"a \\\"b\\\"\",\n\t\"n\": 4,\n\t\"x\": 0.1,\n\t\"ok\": true,"
	                          "\n\t\"list\": [{\"n\": 7}, {\"what\": null, \"x\": null, \"none\": false}]\n}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_json_lays_out_levels),
	    cmocka_unit_test(test_json_fields),
	    cmocka_unit_test(test_json_escapes_texts),
	    cmocka_unit_test(test_json_replaces_bytes_that_are_no_text),
	    cmocka_unit_test(test_json_numbers_round_trip),
	    cmocka_unit_test(test_json_numbers_are_short),
	    cmocka_unit_test(test_json_numbers_round_up),
	    cmocka_unit_test(test_json_numbers_for_people_are_plain),
	    cmocka_unit_test(test_json_numbers_filled_with_zeros),
	    cmocka_unit_test(test_numbers_are_printed_apart),
	    cmocka_unit_test(test_json_numbers_are_those_of_printf),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
