/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "sim/base/doc.h"
#include "tests/support/temporary.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a test works on; made and given back around each test. */
struct fixture {
	struct arena arena;
	struct err err;
};

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	arena_free(&fixture->arena);
	err_clear(&fixture->err);
	free(fixture);
	return 0;
}

static struct doc_node *read_good(struct fixture *fixture, const char *text)
{
	struct doc_node *root = NULL;
	unsigned n_message = fixture->err.n_message;
	enum err_code code = doc_read_text("t.yaml", text, strlen(text), &fixture->arena, &root, &fixture->err);
	assert_int_equal(code, ERR_OK);
	assert_int_equal(fixture->err.n_message, n_message);
	assert_non_null(root);
	return root;
}

static void expect_bad(struct fixture *fixture, const char *text, size_t n_byte, const char *message)
{
	struct doc_node *root = NULL;
	enum err_code code = doc_read_text("t.yaml", text, n_byte, &fixture->arena, &root, &fixture->err);
	assert_string_equal(err_text(&fixture->err), message);
	assert_int_equal(code, ERR_INPUT);
	err_clear(&fixture->err);
	arena_free(&fixture->arena);
}

/* ---- trees --------------------------------------------------------------------------------------- */

static void test_doc_reads_tree_with_places(void **state)
{
	const struct doc_node *root = read_good(*state, "# a machine\n"
	                                                "name: \"q\"\n"
	                                                "levels:\n"
	                                                "  - {name: PL1, clk_mhz: 1.5e2}\n"
	                                                "  - 007\n");
	assert_int_equal(root->kind, DOC_MAP);
	assert_int_equal(root->n, 2);
	assert_string_equal(root->key[0]->text, "name");
	assert_string_equal(root->value[0]->text, "q");
	assert_true(root->value[0]->quoted);
	assert_int_equal(root->value[0]->line, 2);
	assert_int_equal(root->value[0]->column, 7);

	const struct doc_node *levels = doc_find(root, "levels");
	assert_int_equal(levels->kind, DOC_LIST);
	assert_int_equal(levels->n, 2);
	assert_null(levels->key);
	const struct doc_node *clk = doc_find(levels->value[0], "clk_mhz");
	assert_string_equal(clk->text, "1.5e2");
	assert_false(clk->quoted);
	struct err_place at = doc_place(clk);
	assert_string_equal(at.file, "t.yaml");
	assert_int_equal(at.line, 4);
	assert_int_equal(at.column, 26);
	assert_string_equal(levels->value[1]->text, "007"); /* plain scalars keep their text */
}

static void test_doc_reads_json(void **state)
{
	const struct doc_node *root =
	    read_good(*state, "{\"front\": [1, 2.5, \"a\\u00e9\"], \"empty\": {}, \"none\": []}\n");
	const struct doc_node *front = doc_find(root, "front");
	assert_int_equal(front->n, 3);
	assert_string_equal(front->value[2]->text, "a\xc3\xa9");
	assert_int_equal(doc_find(root, "empty")->kind, DOC_MAP);
	assert_int_equal(doc_find(root, "empty")->n, 0);
	assert_int_equal(doc_find(root, "none")->kind, DOC_LIST);
	assert_int_equal(doc_find(root, "none")->n, 0);
}

static void test_doc_find_misses_quietly(void **state)
{
	const struct doc_node *root = read_good(*state, "a: [1]\n");
	assert_null(doc_find(root, "b"));
	assert_null(doc_find(doc_find(root, "a"), "b"));
	assert_null(doc_find(NULL, "b"));
}

static void test_doc_shares_aliases(void **state)
{
	const struct doc_node *root = read_good(*state, "a: &x {k: 1}\nb: *x\nc: &x 2\nd: *x\n");
	assert_ptr_equal(doc_find(root, "a"), doc_find(root, "b"));
	assert_string_equal(doc_find(root, "d")->text, "2"); /* the latest anchor of a name counts */
}

/* Long lists and wide maps grow past every initial allocation. */
static void test_doc_reads_many_items(void **state)
{
	enum { N = 20000 };
	char *text = malloc(N * 24), *end = text;
	assert_non_null(text);
	for (unsigned i = 0; i < N; i++)
		end += sprintf(end, "key%u: %u\n", i, i * 3);
	const struct doc_node *root = read_good(*state, text);
	assert_int_equal(root->n, N);
	for (unsigned i = 0; i < N; i += 997) {
		char key[24], value[24];
		(void)snprintf(key, sizeof(key), "key%u", i);
		(void)snprintf(value, sizeof(value), "%u", i * 3);
		assert_string_equal(doc_find(root, key)->text, value);
	}
	free(text);
}

static void test_doc_reads_64_levels(void **state)
{
	char text[131];
	memset(text, '[', 64);
	memset(text + 64, ']', 64);
	text[128] = '\0';
	const struct doc_node *node = read_good(*state, text);
	unsigned depth = 1;
	for (; node->n; node = node->value[0])
		depth++;
	assert_int_equal(depth, 64);
}

/* ---- malformed texts ----------------------------------------------------------------------------- */

static void test_doc_reports_each_malformed_text(void **state)
{
	static const char *const bad[][2] = {
	    {"", "t.yaml:1:1: found an empty file, allowed one YAML document\n"},
	    {"# nothing\n", "t.yaml:2:1: found an empty file, allowed one YAML document\n"},
	    {"a: 1\n---\nb: 2\n", "t.yaml:2:1: found a second document, allowed one a file\n"},
	    {"a: !!int 5\n", "t.yaml:1:4: found the tag 'tag:yaml.org,2002:int', allowed values without tags\n"},
	    {"!m {a: 1}\n", "t.yaml:1:1: found the tag '!m', allowed values without tags\n"},
	    {"- !m [1]\n", "t.yaml:1:3: found the tag '!m', allowed values without tags\n"},
	    {"? [a, b]\n: 1\n", "t.yaml:1:3: found a list or map as a key, allowed a text\n"},
	    {"{a: 1}: 2\n", "t.yaml:1:1: found a list or map as a key, allowed a text\n"},
	    {"a: *b\n", "t.yaml:1:4: found the alias '*b', allowed anchors ('&name') that stand before it\n"},
	    {"a: &b\n  c: *b\n", "t.yaml:2:6: found the alias '*b', which lies inside the value it names\n"},
	    {"a: \"x\\0y\"\n", "t.yaml:1:4: found a zero byte in a text, allowed text\n"},
	    {"a: 1\nb: 2\na: 3\n", "t.yaml:3:1: found the key 'a' again, allowed once; the first is in line 1\n"},
	    {"a: [1, 2\nb: 3\n",
	     "t.yaml:2:2: YAML syntax: did not find expected ',' or ']', while parsing a flow sequence "
	     "that begins in line 1\n"},
	    {"a: b: c\n", "t.yaml:1:5: YAML syntax: mapping values are not allowed in this context\n"},
	    {"a:\n\tb: 1\n",
	     "t.yaml:2:1: YAML syntax: found character that cannot start any token, while scanning for the "
	     "next token that begins in line 2; indent with spaces, and quote a value that begins with "
	     "@, % or `\n"},
	    {"a: 1\nb: \xff\n", "t.yaml:2:4: found invalid leading UTF-8 octet, allowed UTF-8 text\n"},
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_bad(*state, bad[i][0], strlen(bad[i][0]), bad[i][1]);
}

/* Mistakes that leave a tree: the caller gets it and can look for more in the same pass. */
static void test_doc_goes_on_after_duplicates(void **state)
{
	struct fixture *fixture = *state;
	static const char text[] = "a: 1\na: 2\nb: {c: 1, d: 2, c: 3}\ne: !t 4\n";
	struct doc_node *root = NULL;
	assert_int_equal(doc_read_text("t.yaml", text, sizeof(text) - 1, &fixture->arena, &root, &fixture->err),
	                 ERR_INPUT);
	assert_int_equal(fixture->err.n_message, 3);
	assert_non_null(root);
	assert_string_equal(doc_find(root, "a")->text, "1");
	assert_string_equal(doc_find(root, "e")->text, "4");
}

static void test_doc_refuses_65_levels(void **state)
{
	static const char message[] = "t.yaml:1:65: found lists and maps nested over 64 levels, allowed 64\n";
	char text[100000];
	memset(text, '[', sizeof(text));
	expect_bad(*state, text, 65, message);
	expect_bad(*state, text, sizeof(text), message);
}

/* Nesting through aliases counts like nesting written out. */
static void test_doc_refuses_deep_aliases(void **state)
{
	char text[4096], *end = text;
	end += sprintf(end, "- &a0 [[[[[[[[1]]]]]]]]\n");
	for (unsigned i = 1; i < 9; i++)
		end += sprintf(end, "- &a%u [[[[[[[[*a%u]]]]]]]]\n", i, i - 1);
	expect_bad(*state, text, strlen(text), "t.yaml:8:15: found lists and maps nested over 64 levels, allowed 64\n");
}

/* A few lines that, written out, hold 10^12 values: refused at once instead of walked for days. */
static void test_doc_refuses_billion_laughs(void **state)
{
	struct fixture *fixture = *state;
	char text[4096], *end = text;
	struct doc_node *root = NULL;
	end += sprintf(end, "- &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]\n");
	for (unsigned i = 1; i < 12; i++) {
		end += sprintf(end, "- &a%u [", i);
		for (unsigned j = 0; j < 10; j++)
			end += sprintf(end, "%s*a%u", j ? ", " : "", i - 1);
		end += sprintf(end, "]\n");
	}
	assert_int_equal(doc_read_text("t.yaml", text, strlen(text), &fixture->arena, &root, &fixture->err), ERR_INPUT);
	assert_null(root);
	assert_non_null(
	    strstr(err_text(&fixture->err), "found over 4000000 values (aliases written out), allowed 4000000"));
}

static void test_doc_refuses_too_many_anchors(void **state)
{
	char *text = malloc(1025 * 16), *end = text;
	assert_non_null(text);
	for (unsigned i = 0; i < 1025; i++)
		end += sprintf(end, "- &a%u x\n", i);
	expect_bad(*state, text, strlen(text), "t.yaml:1025:3: found over 1024 anchors, allowed 1024\n");
	free(text);
}

static void test_doc_refuses_large_texts(void **state)
{
	/* never read, so one byte of it need not even exist */
	expect_bad(*state, "a", ((size_t)64 << 20) + 1, "t.yaml: found over 64 MiB, allowed 64 MiB\n");
}

static const char valid[] = "# every construct\n"
			    "name: 'it''s'\n"
			    "match: \"^CONV_(SC_)?\\\\d+$\"\n"
			    "base: &base {a: [1, 2.5, -3e-2], b: \"\\u00e9\"}\n"
			    "again: *base\n"
			    "list:\n"
			    "  - one\n"
			    "  - key: |\n"
			    "      two\n"
			    "      lines\n"
			    "    other: >-\n"
			    "      folded\n"
			    "      \xc3\xa9\n"
			    "? long key\n"
			    ": ~\n"
			    "empty:\n";

/* Cut anywhere a text is read or refused with a message and no tree, never half of either. */
static void test_doc_survives_truncation_at_every_byte(void **state)
{
	struct fixture *fixture = *state;
	for (size_t n_byte = 0; n_byte < sizeof(valid); n_byte++) {
		char *text = malloc(n_byte ? n_byte : 1); /* exactly as long, so that a sanitizer sees a read too far */
		struct doc_node *root = NULL;
		assert_non_null(text);
		memcpy(text, valid, n_byte);
		enum err_code code = doc_read_text("t.yaml", text, n_byte, &fixture->arena, &root, &fixture->err);
		free(text);
		assert_true(code == ERR_OK || code == ERR_INPUT);
		assert_int_equal(code == ERR_OK, root != NULL);
		assert_int_equal(code == ERR_OK, fixture->err.n_message == 0);
		if (n_byte == sizeof(valid) - 1)
			assert_int_equal(code, ERR_OK);
		err_clear(&fixture->err);
		arena_free(&fixture->arena);
	}
}

/* Each byte replaced by each of those that mean something to YAML. */
static void test_doc_survives_replaced_bytes(void **state)
{
	struct fixture *fixture = *state;
	static const char with[] = "\0\n\t :-?{}[],&*!|>'\"%@`#\\\xff\xc3";
	char text[sizeof(valid)];
	for (size_t i = 0; i + 1 < sizeof(valid); i++) {
		for (size_t j = 0; j + 1 < sizeof(with); j++) {
			struct doc_node *root = NULL;
			memcpy(text, valid, sizeof(valid));
			text[i] = with[j];
			enum err_code code =
			    doc_read_text("t.yaml", text, sizeof(valid) - 1, &fixture->arena, &root, &fixture->err);
			assert_true(code == ERR_OK ? root && !fixture->err.n_message : fixture->err.n_message > 0);
			err_clear(&fixture->err);
			arena_free(&fixture->arena);
		}
	}
}

/* ---- files --------------------------------------------------------------------------------------- */

static void test_doc_reads_file(void **state)
{
	struct fixture *fixture = *state;
	char path[TEMPORARY_SIZE];
	struct doc_node *root = NULL;
	temporary_write(path, valid);
	assert_int_equal(doc_read_file(path, &fixture->arena, &root, &fixture->err), ERR_OK);
	assert_string_equal(root->file, path);
	assert_string_equal(doc_find(root, "name")->text, "it's");
	assert_string_equal(doc_find(root, "match")->text, "^CONV_(SC_)?\\d+$");
	assert_int_equal(unlink(path), 0);
}

static void test_doc_reports_unreadable_files(void **state)
{
	struct fixture *fixture = *state;
	struct doc_node *root = NULL;
	assert_int_equal(doc_read_file("/nonexistent/a.yaml", &fixture->arena, &root, &fixture->err), ERR_IO);
	assert_null(root);
	assert_non_null(strstr(err_text(&fixture->err), "/nonexistent/a.yaml: cannot be read: "));
	assert_int_equal(doc_read_file("tests", &fixture->arena, &root, &fixture->err), ERR_IO);
	assert_null(root);
}

/* ---- keys and values ----------------------------------------------------------------------------- */

static void test_doc_check_keys_reports_all_with_nearest(void **state)
{
	struct fixture *fixture = *state;
	static const char *const allowed[] = {"machine", "network", "axes"};
	const struct doc_node *root = read_good(fixture, "machine: a\nmachin: b\naxes: c\nxyzzy: d\n");
	doc_check_keys(root, allowed, 3, &fixture->err);
	assert_string_equal(err_text(&fixture->err),
	                    "t.yaml:2:1: key: found 'machin', allowed machine, network, axes, did you mean 'machine'?\n"
	                    "t.yaml:4:1: key: found 'xyzzy', allowed machine, network, axes\n");
}

static void test_doc_check_keys_accepts_allowed(void **state)
{
	struct fixture *fixture = *state;
	static const char *const allowed[] = {"a", "b"};
	doc_check_keys(read_good(fixture, "b: 1\na: 2\n"), allowed, 2, &fixture->err);
	doc_check_keys(read_good(fixture, "{}"), allowed, 2, &fixture->err);
	assert_int_equal(fixture->err.n_message, 0);
}

static void test_doc_check_keys_wants_a_map(void **state)
{
	struct fixture *fixture = *state;
	static const char *const allowed[] = {"a", "b"};
	doc_check_keys(read_good(fixture, "[a]"), allowed, 2, &fixture->err);
	assert_string_equal(err_text(&fixture->err), "t.yaml:1:1: found a list, allowed a map with the keys a, b\n");
}

/* A long list of names is cut, and says so. */
static void test_doc_check_keys_cuts_long_lists(void **state)
{
	struct fixture *fixture = *state;
	enum { N = 200 };
	static char name[N][16];
	const char *allowed[N];
	for (unsigned i = 0; i < N; i++) {
		(void)snprintf(name[i], sizeof(name[i]), "parameter_%u", i);
		allowed[i] = name[i];
	}
	doc_check_keys(read_good(fixture, "qqq: 1\n"), allowed, N, &fixture->err);
	const char *text = err_text(&fixture->err);
	assert_true(strlen(text) < 600);
	assert_non_null(strstr(text, "allowed parameter_0, parameter_1, "));
	assert_non_null(strstr(text, " more\n"));
}

static void test_doc_get_u64_takes_whole_numbers(void **state)
{
	struct fixture *fixture = *state;
	const struct doc_node *root = read_good(fixture, "[0, 7, 18446744073709551615]");
	uint64_t value = 99;
	assert_true(doc_get_u64(root->value[0], "n", 0, 9, &value, &fixture->err));
	assert_true(value == 0);
	assert_true(doc_get_u64(root->value[1], "n", 7, 7, &value, &fixture->err));
	assert_true(value == 7);
	assert_true(doc_get_u64(root->value[2], "n", 0, UINT64_MAX, &value, &fixture->err));
	assert_true(value == UINT64_MAX);
}

static void test_doc_get_u64_refuses_everything_else(void **state)
{
	struct fixture *fixture = *state;
	static const char *const bad[] = {"-1",
	                                  "+1",
	                                  "1.0",
	                                  "1e3",
	                                  "0x10",
	                                  "010",
	                                  "1 2",
	                                  "7k",
	                                  "nan",
	                                  "''",
	                                  "\"5\"",
	                                  "[5]",
	                                  "{}",
	                                  "~",
	                                  "1_0",
	                                  "101",
	                                  "0",
	                                  "18446744073709551616",
	                                  "184467440737095516150000000000000001"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t value = 99;
		const struct doc_node *root = read_good(fixture, bad[i]);
		assert_false(doc_get_u64(root, "pe.n", 1, 100, &value, &fixture->err));
		assert_true(value == 99);
		assert_int_equal(fixture->err.n_message, 1);
		assert_non_null(strstr(err_text(&fixture->err), "t.yaml:1:1: pe.n: found "));
		assert_non_null(strstr(err_text(&fixture->err), ", allowed a whole number from 1 to 100\n"));
		err_clear(&fixture->err);
	}
}

static void test_doc_get_real_takes_decimals(void **state)
{
	struct fixture *fixture = *state;
	static const struct {
		const char *text;
		double value;
	} good[] = {{"0", 0.0},  {"-1.5", -1.5},  {"+2", 2.0},     {".5", 0.5},
	            {"3.", 3.0}, {"1e3", 1000.0}, {"2.5E-1", 0.25}};
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		double value = 99.0;
		assert_true(
		    doc_get_real(read_good(fixture, good[i].text), "x", -10.0, INFINITY, &value, &fixture->err));
		assert_true(value == good[i].value);
	}
}

static void test_doc_get_real_refuses_everything_else(void **state)
{
	struct fixture *fixture = *state;
	static const char *const bad[] = {"nan", "inf", ".inf", "-inf", "1e999", "0x1p3", "1.5V", ".",   "-",  "1e",
	                                  "e1",  "1,5", "--1",  "''",   "'1'",   "[1]",   "~",    "2.1", "-1", "1.2.3"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		double value = 99.0;
		assert_false(doc_get_real(read_good(fixture, bad[i]), "vdd_v", 0.0, 2.0, &value, &fixture->err));
		assert_true(value == 99.0);
		assert_int_equal(fixture->err.n_message, 1);
		assert_non_null(strstr(err_text(&fixture->err), ", allowed a number from 0 to 2\n"));
		err_clear(&fixture->err);
	}
}

/* Open ranges still exclude what is not finite. */
static void test_doc_get_real_refuses_overflow_in_open_range(void **state)
{
	struct fixture *fixture = *state;
	double value = 99.0;
	assert_false(doc_get_real(read_good(fixture, "1e999"), "x", 0.0, INFINITY, &value, &fixture->err));
	assert_false(doc_get_real(read_good(fixture, "-1e999"), "x", -INFINITY, 5.0, &value, &fixture->err));
	assert_false(doc_get_real(read_good(fixture, "x"), "x", -INFINITY, INFINITY, &value, &fixture->err));
	assert_string_equal(err_text(&fixture->err), "t.yaml:1:1: x: found '1e999', allowed a number from 0\n"
	                                             "t.yaml:1:1: x: found '-1e999', allowed a number up to 5\n"
	                                             "t.yaml:1:1: x: found 'x', allowed a number\n");
	assert_true(value == 99.0);
}

static void test_doc_get_bool(void **state)
{
	struct fixture *fixture = *state;
	bool value = false;
	assert_true(doc_get_bool(read_good(fixture, "true"), "on", &value, &fixture->err));
	assert_true(value);
	assert_true(doc_get_bool(read_good(fixture, "false"), "on", &value, &fixture->err));
	assert_false(value);
	static const char *const bad[][2] = {
	    {"yes", "found 'yes', allowed true or false, did you mean 'true'?"},
	    {"Off", "found 'Off', allowed true or false, did you mean 'false'?"},
	    {"True", "found 'True', allowed true or false, did you mean 'true'?"},
	    {"ture", "found 'ture', allowed true or false, did you mean 'true'?"},
	    {"'true'", "found the quoted text 'true', allowed true or false\n"},
	    {"maybe", "found 'maybe', allowed true or false\n"},
	    {"{}", "found a map, allowed true or false\n"},
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(doc_get_bool(read_good(fixture, bad[i][0]), "on", &value, &fixture->err));
		assert_non_null(strstr(err_text(&fixture->err), bad[i][1]));
		err_clear(&fixture->err);
	}
	assert_false(value);
}

static void test_doc_get_text(void **state)
{
	struct fixture *fixture = *state;
	const char *text = "untouched";
	const struct doc_node *root = read_good(fixture, "a:\nb: [x]\nc: ''\nd: plain\n");
	assert_false(doc_get_text(doc_find(root, "a"), "a", &text, &fixture->err));
	assert_false(doc_get_text(doc_find(root, "b"), "b", &text, &fixture->err));
	assert_string_equal(text, "untouched");
	assert_string_equal(err_text(&fixture->err), "t.yaml:1:3: a: found nothing, allowed a text\n"
	                                             "t.yaml:2:4: b: found a list, allowed a text\n");
	assert_true(doc_get_text(doc_find(root, "c"), "c", &text, &fixture->err));
	assert_string_equal(text, "");
	assert_true(doc_get_text(doc_find(root, "d"), "d", &text, &fixture->err));
	assert_string_equal(text, "plain");
}

static void test_doc_get_choice(void **state)
{
	struct fixture *fixture = *state;
	static const char *const names[] = {"no_fusion", "fusion", "reuse"};
	size_t choice = 99;
	assert_true(doc_get_choice(read_good(fixture, "reuse"), "strategy", names, 3, &choice, &fixture->err));
	assert_int_equal(choice, 2);
	assert_true(doc_get_choice(read_good(fixture, "'fusion'"), "strategy", names, 3, &choice, &fixture->err));
	assert_int_equal(choice, 1);
	assert_false(doc_get_choice(read_good(fixture, "fuson"), "strategy", names, 3, &choice, &fixture->err));
	assert_false(doc_get_choice(read_good(fixture, "[reuse]"), "strategy", names, 3, &choice, &fixture->err));
	assert_int_equal(choice, 1);
	assert_string_equal(
	    err_text(&fixture->err),
	    "t.yaml:1:1: strategy: found 'fuson', allowed no_fusion, fusion, reuse, did you mean 'fusion'?\n"
	    "t.yaml:1:1: strategy: found a list, allowed no_fusion, fusion, reuse\n");
}

static void test_doc_quote_is_short_and_harmless(void **state)
{
	(void)state;
	char text[200];
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(strlen(doc_quote(text).text), 63);
	assert_string_equal(doc_quote("a\033[2Jb\n").text, "a?[2Jb?");
	assert_string_equal(doc_quote("").text, "");
	memcpy(text + 59, "\xc3\xa9", 2); /* a character across the limit is left out whole */
	assert_int_equal(strlen(doc_quote(text).text), 62);
}

#define DOC_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    DOC_TEST(test_doc_reads_tree_with_places),
	    DOC_TEST(test_doc_reads_json),
	    DOC_TEST(test_doc_find_misses_quietly),
	    DOC_TEST(test_doc_shares_aliases),
	    DOC_TEST(test_doc_reads_many_items),
	    DOC_TEST(test_doc_reads_64_levels),
	    DOC_TEST(test_doc_reports_each_malformed_text),
	    DOC_TEST(test_doc_goes_on_after_duplicates),
	    DOC_TEST(test_doc_refuses_65_levels),
	    DOC_TEST(test_doc_refuses_deep_aliases),
	    DOC_TEST(test_doc_refuses_billion_laughs),
	    DOC_TEST(test_doc_refuses_too_many_anchors),
	    DOC_TEST(test_doc_refuses_large_texts),
	    DOC_TEST(test_doc_survives_truncation_at_every_byte),
	    DOC_TEST(test_doc_survives_replaced_bytes),
	    DOC_TEST(test_doc_reads_file),
	    DOC_TEST(test_doc_reports_unreadable_files),
	    DOC_TEST(test_doc_check_keys_reports_all_with_nearest),
	    DOC_TEST(test_doc_check_keys_accepts_allowed),
	    DOC_TEST(test_doc_check_keys_wants_a_map),
	    DOC_TEST(test_doc_check_keys_cuts_long_lists),
	    DOC_TEST(test_doc_get_u64_takes_whole_numbers),
	    DOC_TEST(test_doc_get_u64_refuses_everything_else),
	    DOC_TEST(test_doc_get_real_takes_decimals),
	    DOC_TEST(test_doc_get_real_refuses_everything_else),
	    DOC_TEST(test_doc_get_real_refuses_overflow_in_open_range),
	    DOC_TEST(test_doc_get_bool),
	    DOC_TEST(test_doc_get_text),
	    DOC_TEST(test_doc_get_choice),
	    DOC_TEST(test_doc_quote_is_short_and_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
