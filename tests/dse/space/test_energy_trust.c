/* SPDX-License-Identifier: Apache-2.0 */
/* What energies rest on: parts by confidence add up, intervals are as files say, points of spaces likewise. */
#include "tests/support/unit_test.h"

#include "dse/space/machine_read.h"
#include "tests/support/near.h"
#include "tests/support/each_point.h"
#include <string.h>

#define MACHINE                                                                             \
	"name: test\ntarget: chip\nenergy: {dram_byte_pj: 31, chip_off_mw: 40}\n"           \
	"levels: [{name: PL1, vdd_v: 0.5, clk_mhz: 320, mla_clk_pj: 8, noc_read128_pj: 0}," \
	" {name: PL2, vdd_v: 0.6, clk_mhz: 400, mla_clk_pj: 12}]\n"

static enum err_code read_machine(const char *sources, struct machine *machine, struct machine_sources *said,
                                  struct arena *arena, struct err *err)
{
	char path[TEMPORARY_SIZE];
	FILE *file = temporary_open(path);
	(void)fprintf(file, MACHINE "%s", sources);
	assert_int_equal(fclose(file), 0);
	enum err_code code = machine_read_sources(path, machine, said, arena, err);
	assert_int_equal(remove(path), 0);
	return code;
}

static struct coefficient find(const struct machine *machine, const struct machine_sources *sources, const char *key,
                               uint32_t level)
{
	struct coefficient found = {0};
	for (size_t i = 0; coefficient_at(machine, sources, 3, DETAIL_FAST, i, &found); i++)
		if (strcmp(found.key, key) == 0 && found.level == level)
			return found;
	fail_msg("no %s", key);
	return found;
}

static void test_energy_trust_intervals_are_the_files(void **state)
{
	(void)state;
	struct machine machine;
	struct machine_sources sources;
	struct arena arena = {0};
	struct err err = {0};
	if (read_machine("sources:\n"
	                 "  mla_clk_pj: {confidence: measured, source: a, +-: 10 %}\n"
	                 "  PL2.pe_static_mw: {confidence: derived, source: b, +-: 500uW}\n"
	                 "  noc_read128_pj: {confidence: assumed, source: c, +-: 6}\n"
	                 "  energy.dram_byte_pj: {confidence: published, source: d}\n",
	                 &machine, &sources, &arena, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	struct coefficient low = find(&machine, &sources, "mla_clk_pj", 0),
			   high = find(&machine, &sources, "mla_clk_pj", 1);
	assert_close(low.least, 7.2);
	assert_close(high.most, 13.2);
	assert_int_equal(low.deviate, high.deviate);
	struct coefficient power = find(&machine, &sources, "pe_static_mw", 1);
	assert_close(power.most - power.value, 0.5);
	assert_int_not_equal(power.deviate, find(&machine, &sources, "pe_static_mw", 0).deviate);
	/* nothing costs less than nothing */
	struct coefficient noc = find(&machine, &sources, "noc_read128_pj", 0);
	assert_true(noc.least == 0 && noc.most == 6);
	struct coefficient dram = find(&machine, &sources, "energy.dram_byte_pj", UINT32_MAX);
	assert_close(dram.least, 31 * (1 - confidence_interval_frac[CONFIDENCE_PUBLISHED]));
	arena_free(&arena);
}

static void test_energy_trust_refuses_what_is_no_interval(void **state)
{
	(void)state;
	static const char *const wrong[] = {"101 %", "-1", "much", "3 V", "[1, 2]", "20 % up"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct machine machine;
		struct machine_sources sources;
		struct arena arena = {0};
		struct err err = {0};
		char text[128];
		(void)snprintf(text, sizeof(text),
		               "sources:\n  mla_clk_pj: {confidence: measured, source: a, +-: %s}\n", wrong[i]);
		assert_int_equal(read_machine(text, &machine, &sources, &arena, &err), ERR_INPUT);
		assert_non_null(strstr(err_text(&err), "for '+-', allowed are 0 to 100 % of the value"));
		assert_non_null(strstr(err_text(&err), ":6:"));
		err_clear(&err);
		arena_free(&arena);
	}
}

#define SPACE                                                                         \
	"name: trust\nmachine: dvfs_chip\naxes: {energy.dram_byte_pj: [64, 40]}\n"    \
	"layers: [{match: '.*', split: even, strategy: fusion, level: [PL1, PL2]}]\n" \
	"objectives: [latency_ms, energy_mj]\n"

/* Parts add up to the energy, within what the intervals allow. */
static void look(const struct unroller *unroller, const struct unrolled *point, void *context)
{
	struct energy_trust trust;
	(void)context;
	unroll_trust(unroller, point, &trust);
	assert_near(energy_trust_mj(&trust), point->metric[METRIC_ENERGY], 1e-9);
	assert_true(trust.least_mj < energy_trust_mj(&trust) && trust.most_mj > energy_trust_mj(&trust));
	/* the axis is a question, not a doubt */
	double dram_mj = point->metric[METRIC_DRAM] * point->machine->dram_byte_pj * 1e-9;
	if (unroller->explore->space->n_network == 1)
		assert_near(trust.by_mj[CONFIDENCE_UNKNOWN], dram_mj, 1e-9);
	assert_true(trust.by_mj[CONFIDENCE_PUBLISHED] == 0 && trust.by_mj[CONFIDENCE_MEASURED] > 0);
}

static void check_points(const char *text)
{
	each_point(text, look, NULL);
}

static void test_energy_trust_of_points_adds_up(void **state)
{
	(void)state;
	check_points(SPACE "network: tiny\n");
	check_points(SPACE "network: tiny\nlevel_changes: true\ndeadline_ms: 50\n");
	check_points(SPACE "network: tiny\nlevel_shares: 3\nlevel_changes: true\n");
	check_points(
	    SPACE
	    "networks: [{network: tiny, weight: 3}, {network: mlp_784_512_256_16, weight: 2}]\naggregate: weighted\n");
	check_points(SPACE "networks: [tiny, mlp_784_512_256_16]\naggregate: worst\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_energy_trust_intervals_are_the_files),
	    cmocka_unit_test(test_energy_trust_refuses_what_is_no_interval),
	    cmocka_unit_test(test_energy_trust_of_points_adds_up),
	};
	return cmocka_run_group_tests_name("energy_trust", tests, NULL, NULL);
}
