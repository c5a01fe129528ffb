/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/json.h"
#include "dse/keep/text_blocks.h"
#include "tests/support/unit_test.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Items of very different lengths, in words that say which they are. */
static enum err_code write_numbers(void *context, FILE *file, size_t first, size_t end, struct err *err)
{
	const size_t *refused = context;
	for (size_t i = first; i < end; i++) {
		if (i == *refused)
			return err_add(err, ERR_INPUT, "item %zu", i);
		for (size_t k = 0; k <= i % 7 * (i % 5); k++)
			(void)fprintf(file, "%zu ", i);
	}
	return ERR_OK;
}

static char *text_of(size_t n, unsigned n_thread, size_t refused, enum err_code expected, struct err *err)
{
	char *text = NULL;
	size_t n_byte = 0;
	FILE *file = open_memstream(&text, &n_byte);
	const struct text_blocks blocks = {n, n_thread, write_numbers, &refused, text_blocks_to_file, file};
	assert_non_null(file);
	assert_int_equal(text_blocks_run(&blocks, err), expected);
	assert_int_equal(fclose(file), 0);
	return text;
}

/* Fewer items than a block has, a block and one more, several rounds. */
static void test_text_blocks_come_in_order_from_any_number_of_threads(void **state)
{
	const size_t number[] = {0, 1, 63, 64, 65, 1023, 1024, 1025, 5000};
	(void)state;
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		struct err err = {0};
		char *expected = NULL;
		size_t n_byte = 0, nobody = SIZE_MAX;
		FILE *file = open_memstream(&expected, &n_byte);
		assert_non_null(file);
		assert_int_equal(write_numbers(&nobody, file, 0, number[i], &err), ERR_OK);
		assert_int_equal(fclose(file), 0);
		for (unsigned n_thread = 0; n_thread <= 3; n_thread++) {
			char *text = text_of(number[i], n_thread, nobody, ERR_OK, &err);
			assert_string_equal(text, expected);
			free(text);
		}
		free(expected);
	}
}

static void test_text_blocks_say_which_item_failed_first(void **state)
{
	(void)state;
	for (unsigned n_thread = 1; n_thread <= 2; n_thread++) {
		struct err err = {0};
		free(text_of(5000, n_thread, 3000, ERR_INPUT, &err));
		assert_string_equal(err_text(&err), "item 3000\n");
		err_clear(&err);
	}
}

static enum err_code write_items(void *context, FILE *file, size_t first, size_t end, struct err *err)
{
	struct json json;
	(void)err;
	json_go_on(&json, context, file, first > 0);
	for (size_t i = first; i < end; i++) {
		json_begin_object(&json, NULL);
		json_put_u64(&json, "number", i);
		json_end(&json);
	}
	return ERR_OK;
}

/* A list written in blocks is the list written at once. */
static void test_text_blocks_of_json_are_one_document(void **state)
{
	(void)state;
	for (size_t n = 0; n < 200; n += 33) {
		char *text[2] = {NULL, NULL};
		for (unsigned in_blocks = 0; in_blocks < 2; in_blocks++) {
			size_t n_byte = 0;
			struct json json;
			struct err err = {0};
			FILE *file = open_memstream(&text[in_blocks], &n_byte);
			assert_non_null(file);
			json_start(&json, file, 2);
			json_begin_object(&json, NULL);
			json_begin_list(&json, "items");
			if (in_blocks) {
				const struct text_blocks blocks = {n, 2, write_items, &json, text_blocks_to_file, file};
				assert_int_equal(text_blocks_run(&blocks, &err), ERR_OK);
				json_skip(&json, n > 0);
			}
			for (size_t i = 0; i < n && !in_blocks; i++) {
				json_begin_object(&json, NULL);
				json_put_u64(&json, "number", i);
				json_end(&json);
			}
			json_end(&json);
			json_put_bool(&json, "more", true);
			json_end(&json);
			json_finish(&json);
			assert_int_equal(fclose(file), 0);
		}
		assert_string_equal(text[0], text[1]);
		free(text[0]);
		free(text[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text_blocks_come_in_order_from_any_number_of_threads),
	    cmocka_unit_test(test_text_blocks_say_which_item_failed_first),
	    cmocka_unit_test(test_text_blocks_of_json_are_one_document),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
