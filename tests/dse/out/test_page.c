/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/page.h"
#include "tests/support/unit_test.h"
#include <stdlib.h>
#include <string.h>

static char *page_of(const char *title, const char *kind, const char *json)
{
	char *text = NULL;
	size_t n_byte = 0;
	FILE *file = open_memstream(&text, &n_byte);
	assert_non_null(file);
	page_write(file, title, kind, json, strlen(json));
	assert_int_equal(fclose(file), 0);
	assert_int_equal(strlen(text), n_byte);
	return text;
}

static size_t count(const char *text, const char *word)
{
	size_t n = 0;
	for (; (text = strstr(text, word)) != NULL; text++)
		n++;
	return n;
}

static void test_page_has_everything_inside_and_asks_nobody(void **state)
{
	(void)state;
	const char *const kinds[] = {"report", "nightly"};
	for (size_t k = 0; k < 2; k++) {
		char *text = page_of("runs", kinds[k], "{}");
		assert_true(strncmp(text, "<!DOCTYPE html>", 15) == 0);
		assert_int_equal(count(text, "default-src 'none'"), 1);
		assert_int_equal(count(text, "<title>runs</title>"), 1);
		assert_non_null(strstr(text, "Chart.js v3"));
		assert_non_null(strstr(text, "Released under the MIT License"));
		assert_non_null(strstr(text, "dse.figure ="));
		assert_null(strstr(text, "@scripts@"));
		assert_null(strstr(text, " src="));
		assert_null(strstr(text, "@import"));
		assert_int_equal(count(text, "<script"), count(text, "</script>"));
		assert_int_equal(strcmp(text + strlen(text) - 8, "</html>\n"), 0);
		free(text);
	}
}

/* Names come from users' files; none of them ends an element or the page. */
static void test_page_keeps_markup_in_titles_and_data_as_text(void **state)
{
	(void)state;
	char *plain = page_of("", "report", "{\"space\": \"\"}");
	char *text = page_of("<b>&\"", "report", "{\"space\": \"</script><!--\"}");
	assert_int_equal(count(text, "</script>"), count(plain, "</script>"));
	assert_int_equal(count(text, "<b>"), count(plain, "<b>"));
	assert_non_null(strstr(text, "<title>&#60;b&#62;&#38;&#34;</title>"));
	assert_non_null(strstr(text, "{\"space\": \"\\u003c/script>\\u003c!--\"}</script>"));
	free(plain);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_page_has_everything_inside_and_asks_nobody),
	    cmocka_unit_test(test_page_keeps_markup_in_titles_and_data_as_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
