/* SPDX-License-Identifier: Apache-2.0 */
/* Where a machine's numbers come from: what its file says, what the defaults' tables say, and what nobody says. */
#include "tests/support/unit_test.h"
#include "dse/space/provenance.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
	struct machine machine;
	struct machine_sources sources;
	struct arena arena;
};

/* A machine of two levels whose file says this of its sources. */
static void set_up(const char *sources, struct fixture *fixture)
{
	char name[TEMPORARY_SIZE];
	FILE *file = temporary_open(name);
	fprintf(
	    file,
	    "name: test\ntarget: chip\nenergy: {dram_byte_pj: 31}\n"
	    "levels: [{name: PL1, vdd_v: 0.5, clk_mhz: 320}, {name: PL.2, vdd_v: 0.6, clk_mhz: 400, mla_clk_pj: 12}]\n"
	    "%s",
	    sources);
	assert_int_equal(fclose(file), 0);
	struct err err = {0};
	*fixture = (struct fixture){0};
	if (machine_read_sources(name, &fixture->machine, &fixture->sources, &fixture->arena, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(remove(name), 0);
}

/* The coefficient of a key at a level (UINT32_MAX: of the machine); it must be there once. */
static struct coefficient find(const struct fixture *fixture, const char *key, uint32_t level)
{
	struct coefficient coefficient, found = {0};
	unsigned n = 0;
	for (size_t i = 0; coefficient_at(&fixture->machine, &fixture->sources, 3, DETAIL_GREYBOX, i, &coefficient);
	     i++) {
		assert_non_null(coefficient.provenance.source);
		assert_true(strlen(coefficient.unit) > 0);
		if (strcmp(coefficient.key, key) != 0 || coefficient.level != level)
			continue;
		found = coefficient;
		n++;
	}
	assert_int_equal(n, 1);
	return found;
}

static void assert_said(const struct fixture *fixture, const char *key, uint32_t level, enum confidence confidence,
                        const char *source)
{
	struct coefficient coefficient = find(fixture, key, level);
	assert_int_equal(coefficient.provenance.confidence, confidence);
	if (source)
		assert_string_equal(coefficient.provenance.source, source);
}

static void test_provenance_file_then_default_then_nothing(void **state)
{
	(void)state;
	struct fixture fixture;
	set_up("sources:\n"
	       "  PL.2.sram_read32_pj: {confidence: measured, source: here}\n"
	       "  sram_read32_pj: {confidence: assumed, source: elsewhere}\n"
	       "  pe_static_mw: {confidence: fitted, source: all}\n"
	       "  PL1.pe_static_mw: {confidence: published, source: one}\n"
	       "  energy.chip_off_mw: {confidence: derived, source: how}\n",
	       &fixture);
	/* one level's own word stands before that of all, whichever comes first */
	assert_said(&fixture, "sram_read32_pj", 0, CONFIDENCE_ASSUMED, "elsewhere");
	assert_said(&fixture, "sram_read32_pj", 1, CONFIDENCE_MEASURED, "here");
	assert_said(&fixture, "pe_static_mw", 0, CONFIDENCE_PUBLISHED, "one");
	assert_said(&fixture, "pe_static_mw", 1, CONFIDENCE_FITTED, "all");
	assert_said(&fixture, "energy.chip_off_mw", UINT32_MAX, CONFIDENCE_DERIVED, "how");
	/* defaults have a table */
	assert_said(&fixture, "mla_clk_pj", 0, CONFIDENCE_DERIVED, NULL);
	assert_said(&fixture, "conv_a", 0, CONFIDENCE_FITTED, NULL);
	/* others have not */
	assert_said(&fixture, "mla_clk_pj", 1, CONFIDENCE_UNKNOWN, "the machine file does not say");
	assert_said(&fixture, "energy.dram_byte_pj", UINT32_MAX, CONFIDENCE_UNKNOWN, "the machine file does not say");
	assert_true(find(&fixture, "energy.dram_byte_pj", UINT32_MAX).value == 31);
	assert_true(find(&fixture, "mla_clk_pj", 1).value == 12);
	arena_free(&fixture.arena);
}

/* Only what is used: levels that no design has, and the grey-box constants, are left out. */
static void test_provenance_lists_what_is_used(void **state)
{
	(void)state;
	struct fixture fixture;
	struct coefficient coefficient;
	size_t n_one = 0, n_both = 0, n_greybox = 0;
	set_up("", &fixture);
	for (; coefficient_at(&fixture.machine, &fixture.sources, 2, DETAIL_FAST, n_one, &coefficient); n_one++)
		assert_true(coefficient.level != 0 && !strstr(coefficient.key, "conv_"));
	while (coefficient_at(&fixture.machine, &fixture.sources, 3, DETAIL_EVENT, n_both, &coefficient))
		n_both++;
	while (coefficient_at(&fixture.machine, &fixture.sources, 3, DETAIL_GREYBOX, n_greybox, &coefficient))
		n_greybox++;
	assert_int_equal(n_one, 7 + 7);
	assert_int_equal(n_both, 7 + 2 * 7);
	assert_int_equal(n_greybox, n_both + 2 * 8);
	arena_free(&fixture.arena);
}

/* Every energy of a shipped machine has a word and no shipped file leaves one out. */
static void test_provenance_shipped_machines_say_all(void **state)
{
	(void)state;
	static const char *const name[] = {"dvfs_chip",          "final_chip",  "hdl_qpe",
	                                   "hdl_qpe_calibrated", "thesis_chip", "thesis_qpe_dram"};
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		char file[128];
		struct fixture fixture = {0};
		struct coefficient coefficient;
		struct err err = {0};
		snprintf(file, sizeof(file), "spaces/machines/%s.yaml", name[i]);
		if (machine_read_sources(file, &fixture.machine, &fixture.sources, &fixture.arena, &err) != ERR_OK)
			fail_msg("%s", err_text(&err));
		for (size_t k = 0;
		     coefficient_at(&fixture.machine, &fixture.sources, UINT32_MAX, DETAIL_GREYBOX, k, &coefficient);
		     k++)
			if (coefficient.provenance.confidence == CONFIDENCE_UNKNOWN)
				fail_msg("%s: nothing said of %s", file, coefficient.key);
		arena_free(&fixture.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_provenance_file_then_default_then_nothing),
	    cmocka_unit_test(test_provenance_lists_what_is_used),
	    cmocka_unit_test(test_provenance_shipped_machines_say_all),
	};
	return cmocka_run_group_tests_name("provenance", tests, NULL, NULL);
}
