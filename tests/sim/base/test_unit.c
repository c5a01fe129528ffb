/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities as text: what converts, how exactly, and what is refused; factors here are the test's own. */
#include "tests/support/unit_test.h"

#include "sim/base/doc.h"
#include "sim/base/rng.h"
#include "sim/base/unit.h"
#include "sim/machine/machine_param.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_unit_reads_what_people_write(void **state)
{
	(void)state;
	static const struct {
		const char *text, *unit;
		double value;
	} row[] = {
	    {"65536", "bytes", 65536},  {"64KiB", "bytes", 65536},   {"64 KiB", "bytes", 65536},
	    {"128KB", "bytes", 128000}, {"1.5MB", "bytes", 1500000}, {"2GiB", "bytes", 2147483648.0},
	    {"300MHz", "MHz", 300},     {"0.3GHz", "MHz", 0.3e3},    {"1e3 kHz", "MHz", 1},
	    {"6.4GB/s", "GB/s", 6.4},   {"6400MB/s", "GB/s", 6.4},   {"0.5V", "V", 0.5},
	    {"500mV", "V", 0.5},        {"600mV", "V", 0.6},         {"100ns", "ns", 100},
	    {"0.1us", "ns", 100},       {"12 us", "us", 12},         {"43ms", "ms", 43},
	    {"0.043s", "ms", 43},       {"8.5pJ", "pJ", 8.5},        {"8.5e-3nJ", "pJ", 8.5},
	    {"8pJ/bit", "pJ/byte", 64}, {"1.05mW", "mW", 1.05},      {"0.00105W", "mW", 1.05},
	    {"1mm2", "um2", 1e6},       {"-3", "MHz", -3},           {"13.3", "PE clocks", 13.3},
	};
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		double value = NAN;
		assert_true(unit_read(row[i].text, row[i].unit, &value));
		assert_true(value >= row[i].value && value <= row[i].value); /* to the last bit */
	}
}

static void test_unit_refuses_the_rest(void **state)
{
	(void)state;
	static const char *const row[][2] = {
	    {"", "MHz"},      {"MHz", "MHz"},     {"3 MHzz", "MHz"}, {"3  MHz", "MHz"},  {"3 ", "MHz"},
	    {" 3MHz", "MHz"}, {"64KiB", "MHz"},   {"3MHz", "bytes"}, {"0.5V", "mW"},     {"3clk", "PE clocks"},
	    {"3B", "GB/s"},   {"3GB/s", "bytes"}, {"1e999", "MHz"},  {"0x10", "bytes"},  {"inf", "MHz"},
	    {"nan", "MHz"},   {"1.2.3", "MHz"},   {"1e", "MHz"},     {"64kib", "bytes"}, {"3mhz", "MHz"},
	    {"--3", "MHz"},   {".", "MHz"},       {"1e308s", "ns"},  {"3 V V", "V"},     {"16x4", "columns x rows"},
	};
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		double value = 7;
		assert_false(unit_read(row[i][0], row[i][1], &value));
		assert_true(value >= 7 && value <= 7);
	}
}

/* Units of one dimension by their size, as the standards have them. */
static const struct {
	const char *name;
	int dimension;
	long double size;
} own[] = {
    {"B", 0, 1.0L},         {"KB", 0, 1e3L},   {"KiB", 0, 1024.0L},       {"MB", 0, 1e6L},
    {"MiB", 0, 1048576.0L}, {"GB", 0, 1e9L},   {"GiB", 0, 1073741824.0L}, {"Hz", 1, 1.0L},
    {"kHz", 1, 1e3L},       {"MHz", 1, 1e6L},  {"GHz", 1, 1e9L},          {"ps", 2, 1e-12L},
    {"ns", 2, 1e-9L},       {"us", 2, 1e-6L},  {"ms", 2, 1e-3L},          {"s", 2, 1.0L},
    {"mV", 3, 1e-3L},       {"V", 3, 1.0L},    {"nW", 4, 1e-9L},          {"uW", 4, 1e-6L},
    {"mW", 4, 1e-3L},       {"W", 4, 1.0L},    {"fJ", 5, 1e-15L},         {"pJ", 5, 1e-12L},
    {"nJ", 5, 1e-9L},       {"uJ", 5, 1e-6L},  {"mJ", 5, 1e-3L},          {"J", 5, 1.0L},
    {"B/s", 6, 1.0L},       {"MB/s", 6, 1e6L}, {"GB/s", 6, 1e9L},         {"GiB/s", 6, 1073741824.0L},
    {"TB/s", 6, 1e12L},
};

/* Any unit to any other: the product of both factors where they measure the same, else nothing; in what is listed. */
static void test_unit_converts_as_factors_do(void **state)
{
	(void)state;
	enum { N = sizeof(own) / sizeof(own[0]) };
	struct rng rng = rng_stream(20, 3, 0);
	for (unsigned i = 0; i < 20000; i++) {
		size_t from = (size_t)rng_below(&rng, N), to = (size_t)rng_below(&rng, N);
		char text[64], list[UNIT_LIST_SIZE], word[16];
		double number = (double)rng_below(&rng, 100000) / 1000.0, value = NAN;
		(void)snprintf(text, sizeof(text), "%.3f%s%s", number, rng_below(&rng, 2) ? " " : "", own[from].name);
		bool same = own[from].dimension == own[to].dimension;
		assert_int_equal(unit_read(text, own[to].name, &value), same);
		if (!same)
			continue;
		long double expected = (long double)number * own[from].size / own[to].size;
		assert_true(fabsl((long double)value - expected) <= 4e-16L * fabsl(expected));
		unit_list(own[to].name, list);
		(void)snprintf(word, sizeof(word), " %s,", own[from].name);
		char padded[UNIT_LIST_SIZE + 4];
		(void)snprintf(padded, sizeof(padded), " %s,", list);
		assert_int_equal(strstr(padded, word) != NULL, from != to);
	}
}

/* Every parameter of a machine: its value printed, with its unit or with a smaller one, is the value again. */
static void test_unit_of_every_parameter_reads_its_own_value(void **state)
{
	(void)state;
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		struct machine machine;
		char text[64], list[UNIT_LIST_SIZE], with[128], again[64];
		machine_init(&machine, MACHINE_CHIP);
		(void)machine_print_param(&machine, param, text, sizeof(text));
		unit_list(param->unit, list);
		if (!list[0])
			continue;
		(void)snprintf(with, sizeof(with), "%s%s", text, param->unit);
		struct err err = {0};
		assert_int_equal(machine_set_param(&machine, param, with, &err), ERR_OK);
		(void)machine_print_param(&machine, param, again, sizeof(again));
		assert_string_equal(again, text);
		(void)snprintf(with, sizeof(with), "%s%s", text, strcmp(param->unit, "V") == 0 ? "MHz" : "V");
		assert_int_equal(machine_set_param(&machine, param, with, &err), ERR_INPUT);
		assert_non_null(strstr(err_text(&err), list)); /* says what is allowed */
		err_clear(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_unit_reads_what_people_write),
	    cmocka_unit_test(test_unit_refuses_the_rest),
	    cmocka_unit_test(test_unit_converts_as_factors_do),
	    cmocka_unit_test(test_unit_of_every_parameter_reads_its_own_value),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
