/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and texts: whatever bytes they are given, readers refuse them with file, line and column or take names that
 * nothing can mistake; and whatever bytes writers are given, CSV, XML, JSON and tables stay what they are.
 */
#include "tests/support/unit_test.h"
#include "dse/out/csv_write.h"
#include "dse/space/machine_read.h"
#include "dse/out/json.h"
#include "dse/night/night.h"
#include "dse/out/svg.h"
#include "dse/out/table.h"
#include "mapper/network/network.h"
#include "sim/base/csv.h"
#include "sim/base/rng.h"
#include "tests/support/slow_build.h"
#include "tests/support/temporary.h"
#include <ctype.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_CASE (SLOW_BUILD ? 500u : 5000u)
#define MAX_TEXT 24

static const char *const hostile[] = {"\033[31mred",
                                      "\033]0;title\a",
                                      "a\rb",
                                      "a\nb",
                                      "a\tb",
                                      "\x7f",
                                      "\xc2\x9b"
                                      "31m",
                                      "\xe2\x80\xae"
                                      "txt",
                                      "a\xe2\x80\x8b"
                                      "b",
                                      "\xe2\x80\xa8x",
                                      "\xef\xbb\xbfx",
                                      "\xff\xfe",
                                      "\xc0\xaf",
                                      "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xef\xbf\xbf",
                                      "\xf0\x9f\x98",
                                      "=1+2",
                                      "+cmd|' /C calc'!A0",
                                      "-2+3",
                                      "@SUM(A1)",
                                      "-",
                                      "=",
                                      "</text><script>",
                                      "&amp;",
                                      "a\"b'c",
                                      "]]>",
                                      "a,b",
                                      "'",
                                      " x",
                                      "x ",
                                      "",
                                      "\xf3\xa0\x80\x81tag",
                                      "\xe2\x81\xa6iso",
                                      "na\xc3\xafve \xe6\x97\xa5",
                                      "x"};
#define N_HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

/* Text i of the test: the hostile ones first, then bytes drawn, more of those that mean something than of others. */
static void draw_text(uint32_t i, char text[MAX_TEXT + 1])
{
	struct rng rng = rng_stream(4711, 0, i);
	if (i < N_HOSTILE) {
		(void)snprintf(text, MAX_TEXT + 1, "%s", hostile[i]);
		return;
	}
	size_t n = 0, n_wanted = rng_below(&rng, MAX_TEXT - 8);
	while (n < n_wanted) {
		const char *part = hostile[rng_below(&rng, N_HOSTILE)];
		uint32_t kind = rng_below(&rng, 4), byte = 1 + rng_below(&rng, kind == 0 ? 255 : 126);
		if (kind == 1 && strlen(part) + n < MAX_TEXT)
			n += (size_t)sprintf(text + n, "%s", part);
		else
			text[n++] = (char)byte;
	}
	text[n] = '\0';
}

/* The code of the character at *at, which goes on behind it; 0xffffffff: no UTF-8. By bits, then by writing it again.
 */
static uint32_t next_code(const char **at)
{
	const unsigned char *byte = (const unsigned char *)*at;
	unsigned n_one = 0;
	while (n_one < 8 && byte[0] & (0x80u >> n_one))
		n_one++;
	unsigned n = n_one == 0 ? 1 : n_one;
	uint32_t code = byte[0] & (0xffu >> (n_one + 1));
	for (unsigned i = 1; i < n && n_one <= 4; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			n_one = 9;
		code = n_one == 9 ? 0 : code << 6 | (byte[i] & 0x3fu);
	}
	unsigned n_least = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	bool good = n_one != 1 && n_one <= 4 && n == n_least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
	*at += good ? n : 1;
	return good ? code : 0xffffffff;
}

/* Whether a character may be shown; from what the Unicode standard calls controls, separators and formats. */
static bool is_shown(uint32_t code)
{
	bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xffffffff;
	bool is_format = code == 0xad || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
	                 (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	                 (code >= 0xe0000 && code <= 0xe007f);
	return !is_control && !is_format && (code & 0xfffe) != 0xfffe;
}

static bool is_all_shown(const char *text, const char *also)
{
	bool good = true;
	for (const char *at = text; *at && good;)
		good = strchr(also, *at) ? at++ != NULL : is_shown(next_code(&at));
	return good;
}

static bool is_name(const char *text)
{
	size_t n = strlen(text);
	return n > 0 && !strchr("=+-@ ", text[0]) && text[n - 1] != ' ' && is_all_shown(text, "");
}

/* ---- readers ---- */

/* A text in YAML's double quotes: characters by their number, what is none as it is. */
static void put_yaml(FILE *file, const char *text)
{
	(void)fputc('"', file);
	while (*text) {
		const char *at = text;
		uint32_t code = next_code(&at);
		if (code == 0xffffffff)
			(void)fputc(*text, file);
		else
			(void)fprintf(file, "\\U%08x", code);
		text = at;
	}
	(void)fputc('"', file);
}

static char folder[TEMPORARY_SIZE];

static FILE *open_file(const char *name, char path[2 * TEMPORARY_SIZE])
{
	(void)snprintf(path, 2 * TEMPORARY_SIZE, "%s/%s", folder, name);
	(void)unlink(path); /* some file systems bring a file that is cut and written again to the disk */
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	return file;
}

static void close_file(FILE *file)
{
	assert_int_equal(fclose(file), 0);
}

/* A mistake begins "PATH:LINE:COLUMN: ", and all of it can be shown. */
static void expect_place(const char *path, const struct err *err)
{
	unsigned line = 0, column = 0;
	size_t n = strlen(path);
	assert_int_equal(err->code, ERR_INPUT);
	assert_memory_equal(err_text(err), path, n);
	assert_int_equal(sscanf(err_text(err) + n, ":%u:%u: ", &line, &column), 2);
	assert_true(line > 0 && column > 0);
	assert_true(is_all_shown(err_text(err), "\n"));
}

static void test_text_network_names(void **state)
{
	(void)state;
	unsigned n_good = 0;
	for (uint32_t i = 0; i < N_CASE; i++) {
		char text[MAX_TEXT + 1], path[2 * TEMPORARY_SIZE];
		struct network network;
		struct err err = {0};
		draw_text(i, text);
		FILE *file = open_file("network.yaml", path);
		(void)fputs("input: [8, 8, 4]\nlayers: [{conv: {out_channels: 4, kernel: 1}}]\nname: ", file);
		put_yaml(file, text);
		close_file(file);
		if (network_read(path, &network, &err) == ERR_OK) {
			assert_true(is_name(text));
			assert_string_equal(network.name, text);
			network_free(&network);
			n_good++;
		} else {
			assert_false(is_name(text) && is_all_shown(text, "") && strlen(text) < 16 &&
			             isalnum((unsigned char)text[0]));
			expect_place(path, &err);
		}
		err_clear(&err);
	}
	assert_true(n_good > 10);
}

static void test_text_file_names_of_topologies(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < N_HOSTILE + 200; i++) {
		char text[MAX_TEXT + 1], name[MAX_TEXT + 8], path[2 * TEMPORARY_SIZE];
		struct network network;
		draw_text(i, text);
		if (strchr(text, '/') || !text[0])
			continue;
		(void)snprintf(name, sizeof(name), "%s.csv", text);
		FILE *file = open_file(name, path);
		(void)fputs("Layer, M, N, K\na, 4, 4, 4\n", file);
		close_file(file);
		assert_int_equal(network_read(path, &network, NULL), ERR_OK);
		assert_true(is_name(network.name));
		network_free(&network);
		assert_int_equal(unlink(path), 0);
	}
}

/* Names of machines, their levels and spaces are words: no other text is taken for one. */
static void test_text_words(void **state)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	static const char *const form[3][3] = {
	    {"{name: ", ", machine: MACHINE, networks: [smoke], objectives: [latency_ms]}", "space"},
	    {"{target: chip, name: ", "}", "machine"},
	    {"{target: chip, name: m, levels: [{vdd_v: 0.5, clk_mhz: 100, name: ", "}]}", "level"}};
	(void)state;
	for (uint32_t i = 0; i < N_CASE / 5; i++) {
		for (unsigned k = 0; k < 3; k++) {
			char text[MAX_TEXT + 1], path[2 * TEMPORARY_SIZE], what[40];
			struct err err = {0};
			struct machine machine;
			struct space space;
			draw_text(i, text);
			FILE *file = open_file("word.yaml", path);
			(void)fputs(form[k][0], file);
			put_yaml(file, text);
			(void)fputs(form[k][1], file);
			close_file(file);
			enum err_code code =
			    k == 0 ? space_read(path, &space, &err) : machine_read(path, &machine, &err);
			bool is_word = text[0] && strspn(text, word) == strlen(text) && text[0] != '-';
			(void)snprintf(what, sizeof(what), "%s: found", k == 2 ? "name of the level" : "name");
			if (code != ERR_OK)
				expect_place(path, &err);
			assert_true(is_word || code != ERR_OK);
			assert_false(is_word && strstr(err_text(&err), what));
			if (k == 0 && code == ERR_OK)
				space_free(&space);
			err_clear(&err);
		}
	}
}

/* ---- writers ---- */

static void test_text_csv_cells(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < N_CASE; i++) {
		char text[MAX_TEXT + 1], *written = NULL, *end;
		size_t n;
		struct csv_table table;
		draw_text(i, text);
		FILE *file = open_memstream(&written, &n);
		csv_put_text(file, true, "head");
		(void)fputc('\n', file);
		csv_put_text(file, true, text[0] ? text : "empty");
		(void)fputc('\n', file);
		close_file(file);
		assert_true(is_all_shown(written, "\n"));
		assert_int_equal(csv_read_text("t.csv", written, n, &table, NULL), ERR_OK);
		assert_int_equal(table.n_row, 1);
		const char *cell = csv_get_cell(&table, 0, 0)->text;
		(void)strtod(cell, &end);
		assert_true(!strchr("=+-@\t\r", cell[0]) || (*end == '\0' && end > cell) || strcmp(cell, "-") == 0);
		if (is_name(text))
			assert_string_equal(cell, text);
		csv_free(&table);
		free(written);
	}
	char *written = NULL;
	size_t n;
	FILE *file = open_memstream(&written, &n);
	csv_put_text(file, true, "-2.5e-3");
	csv_put_text(file, false, "+7");
	csv_put_text(file, false, "-");
	csv_put_text(file, false, "-2+3");
	close_file(file);
	assert_string_equal(written, "-2.5e-3,+7,-,\"'-2+3\"");
	free(written);
}

/* A strict reader of the XML that we write: a tree of elements, attributes in double quotes, numbers for markup. */
struct xml {
	const char *at;
	bool good;
};

static void xml_name(struct xml *xml, char name[32])
{
	size_t n = 0;
	while (n < 31 && (isalnum((unsigned char)*xml->at) || *xml->at == '-' || *xml->at == ':'))
		name[n++] = *xml->at++;
	name[n] = '\0';
	xml->good = xml->good && n > 0;
}

static void xml_text(struct xml *xml, char end)
{
	while (xml->good && *xml->at && *xml->at != end) {
		int n = 0;
		unsigned code;
		if (*xml->at == '&') {
			xml->good = sscanf(xml->at, "&#%u;%n", &code, &n) == 1 && n > 0 && code >= 0x20;
			xml->at += n;
		} else if (*xml->at == '<') {
			xml->good = false;
		} else if (strchr("\t\n", *xml->at)) {
			xml->at++;
		} else {
			xml->good = is_shown(next_code(&xml->at));
		}
	}
}

static void xml_take(struct xml *xml, char wanted)
{
	xml->good = xml->good && *xml->at == wanted;
	xml->at += xml->good;
}

static void xml_element(struct xml *xml)
{
	char name[32], other[32];
	xml_take(xml, '<');
	xml_name(xml, name);
	while (xml->good && (*xml->at == ' ' || *xml->at == '\n')) {
		xml->at += strspn(xml->at, " \n");
		if (strchr("/>", *xml->at))
			break;
		xml_name(xml, other);
		xml_take(xml, '=');
		xml_take(xml, '"');
		xml_text(xml, '"');
		xml_take(xml, '"');
	}
	if (xml->good && *xml->at == '/') {
		xml->at++;
		xml_take(xml, '>');
		return;
	}
	xml_take(xml, '>');
	xml_text(xml, '<');
	while (xml->good && xml->at[0] == '<' && xml->at[1] != '/') {
		xml_element(xml);
		xml_text(xml, '<');
	}
	xml_take(xml, '<');
	xml_take(xml, '/');
	xml_name(xml, other);
	xml_take(xml, '>');
	xml->good = xml->good && strcmp(name, other) == 0;
}

static bool is_xml(const char *text)
{
	static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
	struct xml xml = {strncmp(text, head, strlen(head)) == 0 ? text + strlen(head) : text, true};
	xml_element(&xml);
	return xml.good && strspn(xml.at, "\n") == strlen(xml.at);
}

static void test_text_xml(void **state)
{
	(void)state;
	assert_true(is_xml("<a b=\"&#34;\"><c/>x<d>y</d></a>\n"));
	assert_false(is_xml("<a><b></a></b>") || is_xml("<a>\033</a>") || is_xml("<a b=\"<\"/>") ||
	             is_xml("<a>\xff</a>") || is_xml("<a>&x</a>") || is_xml("<a/><a/>"));
	for (uint32_t i = 0; i < N_CASE; i++) {
		char text[MAX_TEXT + 1], *written = NULL;
		size_t n;
		draw_text(i, text);
		FILE *file = open_memstream(&written, &n);
		svg_begin(file, 10, 10);
		svg_text(file, 1, 2, "fill=\"black\"", text);
		svg_end(file);
		close_file(file);
		assert_true(is_xml(written));
		free(written);
		struct night_space space = {.file = text, .code = ERR_INPUT, .log = text, .why = text};
		const struct night night = {.made = "2026-01-01T00:00:00Z", .n_space = 1, .space = &space};
		file = open_memstream(&written, &n);
		night_write_junit(file, &night);
		close_file(file);
		assert_true(is_xml(written));
		free(written);
	}
}

static void test_text_json(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < N_CASE; i++) {
		char text[MAX_TEXT + 1], *written = NULL;
		size_t n;
		struct json json;
		draw_text(i, text);
		FILE *file = open_memstream(&written, &n);
		json_start(&json, file, 1);
		json_begin_object(&json, NULL);
		json_put_text(&json, "text", text);
		json_end(&json);
		json_finish(&json);
		close_file(file);
		assert_true(is_all_shown(written, "\t\n"));
		json_t *object = json_loads(written, 0, NULL);
		assert_non_null(object);
		bool is_utf8 = true;
		for (const char *at = text; *at;)
			is_utf8 = next_code(&at) != 0xffffffff && is_utf8;
		if (is_utf8)
			assert_string_equal(json_string_value(json_object_get(object, "text")), text);
		json_decref(object);
		free(written);
	}
}

/* As many lines as rows whatever the cells hold, nothing a terminal would obey, and columns that stay columns. */
static void test_text_tables(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < N_CASE; i++) {
		char text[MAX_TEXT + 1], *written = NULL;
		size_t n;
		struct table table = {0};
		draw_text(i, text);
		table_add_column(&table, "name", false);
		table_add_column(&table, "end", false);
		table_add(&table, "%s", text);
		table_add(&table, "|");
		FILE *file = open_memstream(&written, &n);
		table_print(&table, file, 0);
		close_file(file);
		table_free(&table);
		assert_true(is_all_shown(written, "\n"));
		size_t n_char[2] = {0};
		unsigned line = 0;
		for (const char *at = written; *at; (void)next_code(&at)) {
			assert_true(line < 2);
			n_char[line] += *at != '\n';
			line += *at == '\n';
		}
		assert_int_equal(line, 2);
		assert_int_equal(n_char[0], n_char[1] + 2);
		free(written);
	}
}

static int set_up(void **state)
{
	(void)state;
	return temporary_folder(folder, "test_text") ? 0 : -1;
}

static int tear_down(void **state)
{
	char path[2 * TEMPORARY_SIZE];
	(void)state;
	(void)snprintf(path, sizeof(path), "%s/network.yaml", folder);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/word.yaml", folder);
	(void)unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_text_network_names), cmocka_unit_test(test_text_file_names_of_topologies),
	    cmocka_unit_test(test_text_words),         cmocka_unit_test(test_text_csv_cells),
	    cmocka_unit_test(test_text_xml),           cmocka_unit_test(test_text_json),
	    cmocka_unit_test(test_text_tables),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
