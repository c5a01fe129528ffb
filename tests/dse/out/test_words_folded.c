/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for narrow terminals: none is wider, words stay whole and in their order, colours take no room. */
#include "tests/support/unit_test.h"
#include "dse/out/words.h"
#include "sim/base/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 4096 };

static char *fold(const char *line, size_t width, const char *end)
{
	char *text = NULL;
	size_t n_byte;
	FILE *file = open_memstream(&text, &n_byte);
	assert_non_null(file);
	words_put_folded(file, line, width, end);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void test_folded_lines_are_narrow(void **state)
{
	struct rng rng = rng_stream(11, 0, 0);
	(void)state;
	for (int draw = 0; draw < 500; draw++) {
		char line[SIZE] = "", *save = NULL, *save_word = NULL;
		size_t n = 0, width = 20 + rng_below(&rng, 60), n_word = 1 + rng_below(&rng, 40), i = 0;
		const char *word[40];
		static const char *const some[] = {
		    "a", "latency_ms", "12.5", "--detail", "a-word-that-is-longer-than-twenty-columns", "of"};
		for (size_t k = 0; k < n_word; k++) {
			word[k] = some[rng_below(&rng, 6)];
			bool is_red = rng_below(&rng, 4) == 0;
			n += (size_t)snprintf(line + n, sizeof(line) - n, "%*s%s%s%s",
			                      k ? (int)(1 + rng_below(&rng, 3)) : 0, "", is_red ? "\033[31m" : "",
			                      word[k], is_red ? "\033[0m" : "");
		}
		char *folded = fold(line, width, "");
		for (char *part = strtok_r(folded, "\n", &save); part; part = strtok_r(NULL, "\n", &save)) {
			size_t n_column = 0, n_here = 0;
			char plain[SIZE];
			for (const char *at = part; *at; at++) {
				if (*at == '\033')
					at = strchr(at, 'm');
				else
					plain[n_column++] = *at;
			}
			plain[n_column] = '\0';
			for (char *one = strtok_r(plain, " ", &save_word); one;
			     one = strtok_r(NULL, " ", &save_word), n_here++)
				assert_string_equal(one, word[i++]);
			assert_true(n_column <= width || n_here == 1);
		}
		assert_int_equal(i, n_word);
		free(folded);
	}
}

/* A command goes on behind a backslash, for which there is room; a line that fits is left as it is. */
static void test_folded_commands(void **state)
{
	(void)state;
	char *folded = fold("Look at it: dse report results/smoke", 30, " \\");
	assert_string_equal(folded, "Look at it: dse report \\\n    results/smoke\n");
	free(folded);
	folded = fold("  two  blanks   stay", 20, "");
	assert_string_equal(folded, "  two  blanks   stay\n");
	free(folded);
}

/* A number's digits and its unit stay on one line, whatever stands around it. */
static void test_folded_numbers_stay_whole(void **state)
{
	struct rng rng = rng_stream(13, 0, 0);
	(void)state;
	for (int draw = 0; draw < 500; draw++) {
		char line[SIZE] = "";
		size_t n = 0, width = 24 + rng_below(&rng, 40);
		static const char *const some[] = {"of",       "12 345 678", "17.4 %,",
		                                   "320 MHz)", "0.0587 ms;", "1 of 3 layers"};
		for (size_t k = 0; k < 30; k++)
			n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s", k ? " " : "",
			                      some[rng_below(&rng, 6)]);
		char *folded = fold(line, width, ""), *save = NULL;
		for (char *part = strtok_r(folded, "\n", &save); (part = strtok_r(NULL, "\n", &save));) {
			const char *word = part + strspn(part, " ");
			static const char *const never[] = {"345", "678", "%", "MHz", "ms"};
			for (size_t k = 0; k < sizeof(never) / sizeof(never[0]); k++)
				assert_int_not_equal(strncmp(word, never[k], strlen(never[k])), 0);
		}
		free(folded);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_folded_lines_are_narrow),
	    cmocka_unit_test(test_folded_numbers_stay_whole),
	    cmocka_unit_test(test_folded_commands),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
